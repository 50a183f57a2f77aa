"""How well a layout of a graph fits the available space (its room), and which of several layouts is easiest to read.

There is one rule, used twice. Python chooses which alternatives a page carries, for rooms of usual
sizes. The player then chooses among these, for its actual room. Its script, `graph/fit.js`, has the
same rule with the constants below (`python -m tests.generate types` writes them); a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from autodiff_lab.figures.layered_layout.paths import Point

# Pixels around a graph.
PADDING = 6

# The smallest scale at which a whole graph is shown: its text of 14 pixels is then 11 pixels high. On a projector,
# where the unit of text is larger than FAR_UNIT, a graph isn't made smaller at all.
SMALLEST_SCALE = 11 / 14
FAR_UNIT = 1.4
SMALLEST_SCALE_FAR = 1.0

# The largest scale, and the scale above which a graph doesn't become easier to read.
LARGEST_SCALE = 1.3
ENOUGH_SCALE = 0.95

# A graph that doesn't fit is scrolled so that a line and its operands are visible, so many pixels from the
# sides of the room. If not even these fit, the graph is half as easy to read.
FOLLOW_MARGIN = 24
CUT_STEP_EASE = 0.5

# In a room narrower than this, in pixels, a graph that doesn't fit has the smallest scale, to show more of it.
PHONE_WIDTH = 500


class Fit(NamedTuple):
    """How a layout fits a room: its scale, and the visible share of it, where 1 is all of it."""

    scale: float
    seen: float


def fit_in(room: Point, layout: Mapping[str, Any], unit: float = 1.0) -> Fit:
    """Return how a layout fits a room; `unit` is the size of text relative to the normal size.

    >>> fit_in((612, 312), {"width": 600, "height": 100})
    Fit(scale=1.0, seen=1.0)
    >>> round(fit_in((612, 312), {"width": 1500, "height": 100}).seen, 2)
    0.4
    """
    across = room[0] / (layout["width"] + 2 * PADDING)
    down = room[1] / (layout["height"] + 2 * PADDING)
    fitted = min(across, down, LARGEST_SCALE * unit)
    smallest = SMALLEST_SCALE_FAR if unit > FAR_UNIT else SMALLEST_SCALE * unit
    if fitted >= smallest:
        return Fit(fitted, 1.0)
    # A graph that doesn't fit is scrolled, at a scale that is easy to read.
    scale = smallest if room[0] < PHONE_WIDTH else max(smallest, min(unit, down))
    return Fit(scale, min(1.0, across / scale) * min(1.0, down / scale))


def worth_in(room: Point, layout: Mapping[str, Any], unit: float = 1.0) -> float:
    """Return how easy a layout is to read in a room, from 0 to 1: its ease times its scale and visible share.

    A layout with a step that is larger than the room counts half.

    >>> row, column = {"width": 900, "height": 90, "ease": 1.0}, {"width": 90, "height": 900, "ease": 0.9}
    >>> round(worth_in((642, 450), row), 2), round(worth_in((642, 450), column), 2)
    (0.67, 0.44)
    """
    scale, seen = fit_in(room, layout, unit)
    ease = layout.get("ease", 1.0)
    step = layout.get("step")
    if seen < 1 and step:
        across, down = room[0] - 2 * FOLLOW_MARGIN, room[1] - 2 * FOLLOW_MARGIN
        if step["width"] * scale > across or step["height"] * scale > down:
            ease *= CUT_STEP_EASE
    return ease * min(scale / unit, ENOUGH_SCALE) * seen


def choose_for_room(
    room: Point, layouts: Sequence[dict[str, Any]], unit: float = 1.0
) -> dict[str, Any]:
    """Choose the layout that is easiest to read in a room; the first, if several are equal."""
    return max(layouts, key=lambda layout: worth_in(room, layout, unit))
