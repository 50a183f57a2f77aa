"""The exercises of notebook 10 about what second derivatives say: convexity, mixed partials, negative curvature."""

from __future__ import annotations


# 4. convex or not


# 5. the mixed partial


# 6. a slope of 0


# 7. negative curvature
