"""The exercises of notebook 11 about matrices: the product, the trace, the inverse, the length of a tape, attention."""

from __future__ import annotations


# 4. the product


# 5. the trace


# 6. the inverse


# 7. lines on a tape


# 8. one attention head
