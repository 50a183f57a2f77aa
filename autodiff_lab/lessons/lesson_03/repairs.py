"""The exercises of notebook 03 about what the machine gets wrong, and what it lacks."""

from __future__ import annotations

GRADIENT = (5.5, 1.7163378145367738)
COLLISION = (6.872533609025803, 2.1490134436103214)

# 4. repair the dead operation


# 5. names and identities


SAME_BOTH = "an input and a product of the same name and value"


# 6. constants
