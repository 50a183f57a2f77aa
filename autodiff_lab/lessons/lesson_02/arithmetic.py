"""The exercises of notebook 02 about the arithmetic: products, quotients, and four functions."""

from __future__ import annotations


# 1. product and quotient


# 2. functions
