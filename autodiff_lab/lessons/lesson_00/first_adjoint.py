"""The exercise of notebook 00: the first number that reaches x2."""

from __future__ import annotations
