"""The exercises of notebook 14: the price of a chain, a schedule of that price, and segments of one's own."""

from __future__ import annotations


# 1. the price


# 2. a schedule


# 3. segments
