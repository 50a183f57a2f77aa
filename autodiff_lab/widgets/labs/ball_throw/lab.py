"""The controller of the lab BallThrow: the flight of a ball, where it lands, and the slope of that in the angle."""

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.lessons.examples.ball import flight, landing
from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.numbers import number
from autodiff_lab.transforms.gradients import value_and_grad
from autodiff_lab.widgets.labs.canvas import Axes, Point, Sheet, draw_rule, make_ticks, turn_around
from autodiff_lab.widgets.labs.lab import Lab, Slider

# One metre has the same length in both directions, so an arrow shows the angle as it is.
FAR, HIGH = 80.0, 40.0
FIELD = (50.0, 30.0, 520.0, 260.0)
CURVE = (646.0, 30.0, 240.0, 260.0)
# Length of the arrow in pixels for each metre per second.
ARROW = 3.2
LOWEST, HIGHEST, STEP = 0.05, 1.55, 0.01
# The change of the angle, in radians, for which the sentence predicts a new landing point.
NUDGE = 0.1
# A ball that lands this close to the target, in metres, has hit it; a slope this small, in metres per radian, counts
# as 0.
NEAR, FLAT = 0.5, 3.0


class Throw(NamedTuple):
    """A throw of the ball: where it lands, and how that changes with the angle."""

    landing: float
    slope: float


@functools.lru_cache(maxsize=64)
def throw(angle: float, speed: float) -> Throw:
    """Simulate a throw and differentiate it: return the landing point, and its derivative with respect to the angle.

    >>> throw(0.3, 22.0).landing == float(landing(0.3))
    True
    """
    lands, slope = value_and_grad(landing)(angle, speed)
    return Throw(float(lands), float(slope))


@functools.lru_cache(maxsize=64)
def find_landings(speed: float) -> list[Point]:
    """Find where the ball lands at every angle on the slider."""
    angles = np.arange(LOWEST, HIGHEST + STEP / 2, 2 * STEP)
    return [(float(angle), float(landing(float(angle), speed))) for angle in angles]


@functools.lru_cache(maxsize=64)
def find_furthest(speed: float) -> Point:
    """Find the angle at which the ball flies furthest, where the slope changes its sign, and the landing point there.

    >>> angle, lands = find_furthest(22.0)
    >>> abs(throw(angle, 22.0).slope) < FLAT
    True
    """
    low, high = LOWEST, HIGHEST
    for _ in range(12):
        middle = (low + high) / 2
        if throw(middle, speed).slope > 0:
            low = middle
        else:
            high = middle
    return middle, throw(middle, speed).landing


class BallThrow(Lab):
    """A lab on what a slope is for: a ball is thrown at a target, and the slope says which way to turn the arrow.

    >>> lab = BallThrow()
    >>> lab.set(angle=0.37)
    >>> snap = lab.snapshot()
    >>> round(snap["landing"], 2), round(snap["slope"], 1), snap["hit"]
    (25.08, 45.0, True)
    """

    about = "Drag the head of the arrow to throw, until the ball lands at the flag. The flag can be dragged too."
    controls = (
        Slider("angle", "angle", LOWEST, HIGHEST, STEP, 0.2),
        Slider("target", "target", 5, 75, 0.5, 25.0),
        Slider("speed", "speed", 10, 36, 0.5, 22.0),
    )
    angle: float
    target: float
    speed: float

    def slider_text(self, name: str) -> str:
        """Write the value of a slider with its unit."""
        unit = {"angle": "rad", "target": "m", "speed": "m/s"}[name]
        return f"{number(round(getattr(self, name), 4))} {unit}"

    def snapshot(self) -> dict[str, Any]:
        """Return the landing point, the slope there, and the furthest throw."""
        lands, slope = throw(self.angle, self.speed)
        angle, furthest = find_furthest(self.speed)
        return {
            **self.settings,
            "landing": lands,
            "slope": slope,
            "miss": lands - self.target,
            "hit": abs(lands - self.target) <= NEAR,
            "furthest": furthest,
            "best_angle": angle,
        }

    def sentence(self) -> str:
        """Describe where the ball landed, and what the slope predicts for the next throw."""
        snap = self.snapshot()
        return f"{_describe_landing(snap)} {_describe_slope(snap)}"

    def table(self) -> Grid:
        """List the numbers of this throw, and of the one that flies furthest at this speed."""
        snap = self.snapshot()
        rows = [
            ("this throw", snap["angle"], snap["landing"], snap["slope"], snap["miss"]),
            (
                "the furthest",
                snap["best_angle"],
                snap["furthest"],
                0.0,
                snap["furthest"] - snap["target"],
            ),
        ]
        heads = (
            "throw",
            "angle (rad)",
            "lands at (m)",
            "slope (m per rad)",
            "beyond the target (m)",
        )
        return grid(
            f"Target at {number(self.target)} m, thrown at {number(self.speed)} m/s", heads, rows
        )

    def picture(self) -> str:
        """Draw the field with flight and target, and next to it the landing point over the angle, with its tangent."""
        sheet = Sheet(
            900,
            412,
            "The flight of a ball to a target, and where it lands at every angle, with the slope",
        )
        snap = self.snapshot()
        _draw_field(sheet, snap)
        _draw_curve(sheet, snap)
        _draw_numbers(sheet, snap)
        sheet.cut(590)
        return sheet.svg()


# The sentence


def _describe_landing(snap: dict[str, Any]) -> str:
    at = f"At {number(snap['angle'])} rad, which is {round(math.degrees(snap['angle']))}°, the ball lands"
    if snap["hit"]:
        return f"{at} at {_metres(snap['landing'])}: it hits the target."
    side = "short of" if snap["miss"] < 0 else "beyond"
    return f"{at} at {_metres(snap['landing'])}, {_metres(abs(snap['miss']))} {side} the target."


def _describe_slope(snap: dict[str, Any]) -> str:
    slope = snap["slope"]
    if snap["target"] > snap["furthest"] + NEAR:
        if abs(slope) > FLAT:
            return f"{_say_slope(slope)} At this speed no angle reaches the target: look where the slope becomes 0."
        return (
            f"The slope is about 0, so this is the furthest throw at {number(snap['speed'])} m/s: "
            "no other angle reaches the target. Throw faster."
        )
    if abs(slope) <= FLAT:
        return "The slope is about 0, at the top of the curve: at any other angle the ball lands nearer."
    if snap["hit"]:
        return (
            f"{_say_slope(slope)} There is a second angle that hits, on the other side of the top."
        )
    turn = "Aim higher." if (snap["miss"] < 0) == (slope > 0) else "Aim lower."
    return f"{_say_slope(slope)} {turn}"


def _say_slope(slope: float) -> str:
    way = "further" if slope > 0 else "less far"
    return f"The slope is {_write(slope)}: {NUDGE} rad more carries the ball about {_metres(abs(NUDGE * slope))} {way}."


def _metres(x: float) -> str:
    return f"{_write(x)} m"


def _write(x: float) -> str:
    return number(round(x, 1))


# The picture


def _draw_field(sheet: Sheet, snap: dict[str, Any]) -> None:
    axes = Axes(sheet, FIELD, (0, FAR), (0, HIGH))
    axes.scales(
        make_ticks(range(0, 81, 10)),
        make_ticks(range(0, 41, 10)),
        "distance in metres",
        "height in metres",
    )
    _draw_flag(axes, snap)
    x, y = flight(snap["angle"], snap["speed"])
    path = [*zip(x[:-1], y[:-1], strict=True), (snap["landing"], 0.0)]
    axes.curve(path, "value", 2.5)
    for place in path[1:-1]:
        if place[0] <= FAR and place[1] <= HIGH:
            sheet.dot(*axes.at(*place), "value", 2.5)
    if snap["landing"] <= FAR:
        nudged = min(max(snap["landing"] + NUDGE * snap["slope"], 0), FAR)
        sheet.arrow(axes.at(snap["landing"], 0), axes.at(nudged, 0), "tangent", 5)
        sheet.dot(*axes.at(snap["landing"], 0), "ink", 7)
    hand, length = axes.at(0, 0), ARROW * snap["speed"]
    head = (hand[0] + length * math.cos(snap["angle"]), hand[1] - length * math.sin(snap["angle"]))
    sheet.arrow(hand, head, "ink", 4)
    turn = turn_around("angle", hand, in_radians=True)
    sheet.handle("target, on the ground", *axes.at(snap["target"], 0), axes.across("target"))
    sheet.handle("head of the arrow", *head, turn, radius=20)


def _draw_flag(axes: Axes, snap: dict[str, Any]) -> None:
    x, y = axes.at(snap["target"], 0)
    role = "value" if snap["hit"] else "adjoint"
    axes.sheet.path([(x, y), (x, y - 44)], role, 3)
    axes.sheet.path([(x, y - 44), (x + 22, y - 36), (x, y - 28)], role, 2, fill=role)
    axes.sheet.text(x + 28, y - 30, "hit!" if snap["hit"] else "target", role, size=14, bold=True)


def _draw_curve(sheet: Sheet, snap: dict[str, Any]) -> None:
    """Draw the landing point over the angle: its tangent at this throw, its top, and the height of the target."""
    axes = Axes(sheet, CURVE, (0, 1.6), (0, FAR))
    axes.scales(
        make_ticks((0, 0.5, 1, 1.5)),
        make_ticks(range(0, 81, 20)),
        "angle in radians",
        "lands at, in metres",
    )
    axes.curve([(x, snap["target"]) for x in axes.x], "adjoint", 1.5, "6 4")
    sheet.text(
        CURVE[0] + CURVE[2] - 6, axes.at(0, snap["target"])[1] - 6, "target", "adjoint", "end", 14
    )
    axes.curve(find_landings(snap["speed"]), "value", 3)
    angle, lands, slope = snap["angle"], snap["landing"], snap["slope"]
    tangent = [(x, lands + slope * (x - angle)) for x in np.linspace(angle - 0.4, angle + 0.4, 41)]
    axes.curve(tangent, "tangent", 3, "9 4")
    top = axes.at(snap["best_angle"], snap["furthest"])
    sheet.dot(*top, "tangent", 5, hollow=True)
    sheet.text(top[0], top[1] + 22, "slope 0", "tangent", "middle", 14)
    here = axes.at(angle, lands)
    sheet.dot(*here, "ink", 6)
    sheet.handle("angle, on the curve", *here, axes.across("angle"))


def _draw_numbers(sheet: Sheet, snap: dict[str, Any]) -> None:
    draw_rule(sheet, FIELD[0], CURVE[0] + CURVE[2], 346, "faint")
    sheet.text(FIELD[0], 378, f"lands at {_metres(snap['landing'])}", "value", size=20, bold=True)
    sheet.text(
        FIELD[0] + 190, 378, f"target at {_metres(snap['target'])}", "adjoint", size=20, bold=True
    )
    sheet.text(
        FIELD[0], 404, f"The blue arrow on the ground: {NUDGE} rad more.", "tangent", size=14
    )
    sheet.text(
        CURVE[0] - 40,
        378,
        f"slope {_write(snap['slope'])} m per radian",
        "tangent",
        size=20,
        bold=True,
    )
