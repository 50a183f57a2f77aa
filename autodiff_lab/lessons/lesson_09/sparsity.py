"""The exercises of notebook 09 about saving work: columns that share a pass, maps without a matrix, the order."""

from __future__ import annotations


# 4. three colours


# 5. the square of a matrix


# 6. a chain from both ends
