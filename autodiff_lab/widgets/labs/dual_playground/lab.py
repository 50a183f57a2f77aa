"""The controller of the lab DualPlayground: the slope at a point in a direction, by one forward pass."""

import functools
import math
from typing import Any

import numpy as np

from autodiff_lab.engine.tape import Tape
from autodiff_lab.lessons.examples.course_function import f
from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.notation import atom
from autodiff_lab.text.numbers import number
from autodiff_lab.trace.model import Trace
from autodiff_lab.transforms.gradients import grad, jvp
from autodiff_lab.transforms.recording import record
from autodiff_lab.widgets.labs.canvas import (
    Axes,
    Point,
    Sheet,
    make_ticks,
    stretch_from,
    turn_around,
)
from autodiff_lab.widgets.labs.contours import find_contours
from autodiff_lab.widgets.labs.lab import Button, Lab, Slider

REGION = ((0.0, 6.0), (1.0, 7.0))
MAP = (40.0, 30.0, 354.0, 354.0)
SECTION = (470.0, 30.0, 420.0, 208.0)
SCALE = MAP[2] / (REGION[0][1] - REGION[0][0])
LEVELS = tuple(float(level) for level in range(-2, 42, 4))


class DualPlayground(Lab):
    """A lab on dual numbers: the seed of a forward pass through ln x₁ + x₁x₂ − sin x₂, and its tangent.

    >>> lab = DualPlayground()
    >>> lab.set(angle=45)
    >>> round(lab.snapshot()["tangent"], 12)
    5.102721403992
    """

    about = "Drag the head of the arrow, or the point, in the map. The sliders do the same."
    controls = (
        Slider("angle", "direction", 0, 359, 1, 45),
        Slider("length", "length", 0, 2, 0.1, 1.0),
        Button("steepest", "Steepest"),
        Button("level", "Turn by 90°"),
        Slider("x1", "x₁", 0.5, 5.5, 0.1, 2.0),
        Slider("x2", "x₂", 1.5, 6.5, 0.1, 5.0),
    )
    angle: float
    length: float
    x1: float
    x2: float

    def slider_text(self, name: str) -> str:
        """Write the value of a slider; the direction in degrees, with one decimal place."""
        if name == "angle":
            return f"{number(round(self.angle, 1))}°"
        return number(round(getattr(self, name), 4))

    def steepest(self) -> None:
        """Turn the seed into the direction of the gradient, in which f grows fastest."""
        by1, by2 = grad(f, argnums=(0, 1))(self.x1, self.x2)
        self.angle = math.degrees(math.atan2(by2, by1)) % 360

    def level(self) -> None:
        """Turn the seed by a right angle."""
        self.angle = (self.angle + 90) % 360

    @property
    def seed(self) -> tuple[float, float]:
        """The seed: the tangents of the two inputs."""
        turn = math.radians(self.angle)
        along = math.cos(turn)
        up = math.sin(turn)
        # At a multiple of 90° sine and cosine are whole numbers, but floating-point results are not.
        if self.angle % 90 == 0:
            along, up = round(along), round(up)
        return self.length * along, self.length * up

    def snapshot(self) -> dict[str, Any]:
        """Return point and seed, and the dual number of every line with the ε² that it drops."""
        return dict(push_seed((self.x1, self.x2), self.seed))

    def sentence(self) -> str:
        """Describe the value and the tangent that the pass found."""
        snap = self.snapshot()
        along = " and ".join(number(round(t, 4)) for t in snap["seed"])
        is_flat = abs(snap["tangent"]) < 1e-9 and self.length > 0
        flat = " Along a level curve nothing changes." if is_flat else ""
        return (
            f"The inputs ({number(round(self.x1, 4))}, {number(round(self.x2, 4))}) get the tangents {along}. One pass "
            f"gives f = {number(snap['value'])} with the tangent {number(round_to_zero(snap['tangent']))}.{flat} "
            f"Twice the seed gives twice the tangent, at any length: ε is not a small number."
        )

    def table(self) -> Grid:
        """List the dual number of each line, and the ε² that it drops."""
        snap = self.snapshot()
        names = [name.replace("v-", "v−") for name in snap["lines"]]
        tangents = map(round_to_zero, snap["tangents"])
        columns = (names, snap["operations"], snap["values"], tangents, snap["dropped"])
        heads = ("line", "operation", "value", "tangent (ε)", "dropped (ε²)")
        return grid("One forward pass", heads, list(zip(*columns, strict=True)))

    def picture(self) -> str:
        """Draw the map with the seed, the section along the seed, the result, and the terms that are dropped."""
        title = (
            "A map of f with the seed as an arrow, the cut along the seed, and the dropped terms"
        )
        sheet = Sheet(900, 412, title)
        snap = self.snapshot()
        _draw_map(sheet, *snap["point"], *snap["seed"])
        _draw_section(sheet, snap)
        _draw_bin(sheet, snap)
        sheet.cut(410)
        return sheet.svg()


# The pass


@functools.lru_cache(maxsize=1)
def push_seed(point: Point, seed: Point) -> dict[str, Any]:
    """Push a seed through f in one forward pass. The result is cached: each state uses it several times."""
    trace = Trace.of(f, *point, mode="forward", direction=seed)
    _, tape = record(f, *point)
    tangents = [step.tangents[0].value for step in trace.steps]
    return {
        "point": point,
        "seed": seed,
        "value": trace.value.value,
        "tangent": trace.tangent[0].value,
        "lines": [line.name for line in trace.lines],
        "operations": [line.expression for line in trace.lines],
        "values": [line.value.value for line in trace.lines],
        "tangents": tangents,
        "dropped": [find_dropped(tape, line, tangents) for line in range(len(tape))],
    }


def find_dropped(tape: Tape, line: int, tangents: list[Any]) -> float:
    """Find the coefficient of the ε² that a line drops: half the second derivative of the line's operation.

    For the product this is ẋ₁ẋ₂, the term that is left when you multiply out (a + ȧε)(b + ḃε).
    """
    op = tape.ops[line]
    if op is None:
        return 0.0
    args = tape.args[line]
    along = [tangents[j] if j >= 0 else 0.0 for j in tape.parents[line]]

    def value(t: Any) -> Any:
        return op.fn(*(a + t * da for a, da in zip(args, along, strict=True)))

    def slope(t: Any) -> Any:
        return jvp(value, (t,), (1.0,))[1]

    _, curvature = jvp(slope, (0.0,), (1.0,))
    return float(curvature) / 2


def round_to_zero(x: float) -> float:
    """Return 0 for a tangent that differs from 0 only by rounding errors."""
    return 0.0 if abs(x) < 1e-12 else x


# The picture


def _draw_map(sheet: Sheet, x1: float, x2: float, along: float, up: float) -> None:
    axes = Axes(sheet, MAP, *REGION)
    sheet.paste(_draw_background())
    here = axes.at(x1, x2)
    head = axes.at(x1 + along, x2 + up)
    length = math.hypot(along, up)
    turns = [math.radians(angle) for angle in range(0, 361, 6)]
    axes.curve([(x1 + length * math.cos(t), x2 + length * math.sin(t)) for t in turns], "line", 2)
    sheet.arrow(here, head, "tangent", 4)
    sheet.dot(*here, "ink", 6)
    sheet.handle("the point", *here, axes.across("x1"), axes.up("x2"))
    sheet.handle(
        "head of the arrow", *head, turn_around("angle", here), stretch_from("length", here, SCALE)
    )


def _draw_section(sheet: Sheet, snap: dict[str, Any]) -> None:
    """Draw f along the seed, in units of the seed: the tangent is the slope of this curve at 0."""
    value = snap["value"]
    tangent = snap["tangent"]
    axes = Axes(sheet, SECTION, (-1, 1), (-12, 12))
    heights = [(float(k), number(round(value + k, 1))) for k in (-12, -6, 0, 6, 12)]
    axes.scales(make_ticks((-1, 0, 1)), heights, "steps of one seed")
    sheet.text(SECTION[0], 20, "f along the seed, and its tangent", "soft_ink", size=14)
    t = np.linspace(-1, 1, 81)
    with np.errstate(all="ignore"):
        moved = [x + t * seed for x, seed in zip(snap["point"], snap["seed"], strict=True)]
        curve = f(*moved) - value
    axes.curve(zip(t, curve, strict=True), "value", 3)
    axes.curve(zip(t, t * tangent, strict=True), "tangent", 3, "9 4")
    sheet.dot(*axes.at(0, 0), "ink", 6)
    text = f"tangent {number(round_to_zero(tangent))}"
    sheet.text(SECTION[0] + 12, 56, text, "tangent", size=18, bold=True)


def _draw_bin(sheet: Sheet, snap: dict[str, Any]) -> None:
    left, _, width, _ = SECTION
    kept = f"f = {number(snap['value'])} + {atom(number(round_to_zero(snap['tangent'])))} ε"
    sheet.text(left, 318, kept, "ink", size=20, bold=True)
    sheet.text(left + width, 318, "is kept", "soft_ink", "end")
    sheet.box(left, 334, width, 68, "line")
    dropped = [
        f"{operation}:  {number(amount)} ε²"
        for operation, amount in zip(snap["operations"], snap["dropped"], strict=True)
        if round_to_zero(amount) != 0
    ]
    for k, text in enumerate(dropped or ["nothing"]):
        sheet.text(left + 12 + 200 * (k // 2), 362 + 26 * (k % 2), text, "soft_ink")
    sheet.text(left + width - 10, 388, "is dropped: ε² = 0", "soft_ink", "end")


@functools.cache
def _draw_background() -> Sheet:
    """Draw the level curves of the map, which never change."""
    sheet = Sheet(0, 0, "")
    axes = Axes(sheet, MAP, *REGION)
    axes.scales(make_ticks(range(7)), make_ticks(range(1, 8)))
    sheet.text(MAP[0], 20, "level curves of f over x₁ and x₂, and the seed", "soft_ink", size=14)
    for level, line in find_levels():
        axes.curve(line, "value", 1)
        if len(line) > 20:
            sheet.text(*axes.at(*line[len(line) // 2]), number(level), "value", size=14)
    return sheet


def find_levels() -> list[tuple[float, list[Point]]]:
    """Find the level curves of f on the map, as pairs of a level and a curve."""
    x1, x2 = np.meshgrid(np.linspace(0.02, 6, 300), np.linspace(1, 7, 61))
    curves = find_contours(x1, x2, f(x1, x2), LEVELS)
    return [(level, line[::2].tolist()) for level, lines in curves.items() for line in lines]
