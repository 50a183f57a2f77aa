"""How a layout of a graph fits a room, and which of several layouts is read best there.

There is one rule. Python chooses by it which alternatives a page carries, for some usual rooms; the player's script
chooses by it again among these, for the room that it really has. The script computes it in `graph/fit.js`, with the
constants below, which it is given by `python -m tests.generate types`; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from autodiff_lab.figures.layered_layout.paths import Point

# Pixels around a graph.
PADDING = 6

# The smallest scale at which a graph is shown whole: its type, which has 14 pixels, still has 11. Read from afar, where
# type is larger than FAR_UNIT, it is the natural size.
SMALLEST_SCALE = 11 / 14
FAR_UNIT = 1.4
SMALLEST_SCALE_FAR = 1.0

# The largest scale, and the one from which a graph is read no better for being larger.
LARGEST_SCALE = 1.3
ENOUGH_SCALE = 0.95

# A graph that is followed shows a line together with its operands, so many pixels from the sides of the room. Where
# there is no room for that, it is half as easy to read.
FOLLOW_MARGIN = 24
CUT_STEP_EASE = 0.5

# In a narrower room, in pixels, a graph that is not whole is as small as may be: so that more of it is seen.
PHONE_WIDTH = 500


class Fit(NamedTuple):
    """How a layout fits a room: at which scale it is shown, and what share of it is seen at once; 1 is all of it."""

    scale: float
    seen: float


def fit_in(room: Point, layout: Mapping[str, Any], unit: float = 1.0) -> Fit:
    """Return how a layout fits a room; `unit` is how large type is, where 1 is normal.

    >>> fit_in((612, 312), {"width": 600, "height": 100})
    Fit(scale=1.0, seen=1.0)
    >>> round(fit_in((612, 312), {"width": 1500, "height": 100}).seen, 2)
    0.4
    """
    across, down = (
        room[0] / (layout["width"] + 2 * PADDING),
        room[1] / (layout["height"] + 2 * PADDING),
    )
    fitted = min(across, down, LARGEST_SCALE * unit)
    smallest = SMALLEST_SCALE_FAR if unit > FAR_UNIT else SMALLEST_SCALE * unit
    if fitted >= smallest:
        return Fit(fitted, 1.0)
    # What cannot be seen at once is followed, at a size that is read with ease.
    scale = smallest if room[0] < PHONE_WIDTH else max(smallest, min(unit, down))
    return Fit(scale, min(1.0, across / scale) * min(1.0, down / scale))


def worth_in(room: Point, layout: Mapping[str, Any], unit: float = 1.0) -> float:
    """Return how well a layout is read in a room, from 0 to 1: by its ease, its scale, and how much of it is seen.

    If a single step is larger than the room, that counts as well.

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
    """Choose the layout that is read best in a room; of equals the first."""
    return max(layouts, key=lambda layout: worth_in(room, layout, unit))
