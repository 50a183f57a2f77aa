"""The exercises of notebook 13 about numbers that overflow or cancel."""

from __future__ import annotations

from autodiff_lab.lessons.lesson_13.sandbox import CANCELLING, STABLE

# 3. a rule that does not overflow


FAR, _, _, THREE, SECOND, SMALL = STABLE


# 4. cancellation


HALF, _, TINY = CANCELLING
