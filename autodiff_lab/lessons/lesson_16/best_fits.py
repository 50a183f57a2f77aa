"""The exercise of notebook 16 about best fits: how the best weights move with a parameter of the loss."""

from __future__ import annotations
