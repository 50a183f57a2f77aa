"""DualPlayground: a point, a direction, and the slope in that direction by one pass of dual numbers."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from autodiff_lab.text.notation import atom, number
from autodiff_lab.text.table import Grid
from autodiff_lab.trace.model import Trace
from autodiff_lab.transforms.gradients import grad, jvp, record
from autodiff_lab.widgets.labs.canvas import Axes, Point, Sheet
from autodiff_lab.widgets.labs.lab import Button, Lab, Slider
from autodiff_lab.widgets.labs.table import grid

REGION = ((0.0, 6.0), (1.0, 7.0))
MAP = (44.0, 34.0, 330.0, 330.0)
SECTION = (462.0, 34.0, 350.0, 330.0)
SCALE = MAP[2] / (REGION[0][1] - REGION[0][0])
LEVELS = tuple(float(level) for level in range(-2, 42, 4))


def f(x1: Any, x2: Any) -> Any:
    """The function of the course."""
    return np.log(x1) + x1 * x2 - np.sin(x2)


class DualPlayground(Lab):
    """Turn the seed of a forward pass, and see the tangent of ln x₁ + x₁x₂ − sin x₂ turn with it.

    >>> lab = DualPlayground()
    >>> lab.set(angle=45)
    >>> round(lab.snapshot()["tangent"], 12)
    5.102721403992
    """

    title = "DualPlayground"
    about = "Drag the point, or the head of the arrow. The sliders do the same."
    controls = (
        Slider("x1", "x₁", 0.5, 5.5, 0.1),
        Slider("x2", "x₂", 1.5, 6.5, 0.1),
        Slider("angle", "direction", 0, 359, 1),
        Slider("length", "length", 0, 2, 0.1),
        Button("steepest", "Steepest"),
        Button("level", "Turn by 90°"),
    )

    def __init__(self) -> None:
        self.x1, self.x2, self.angle, self.length = 2.0, 5.0, 45.0, 1.0

    def shown(self, name: str) -> str:
        """Degrees with their sign."""
        return f"{number(round(self.angle, 4))}°" if name == "angle" else number(round(getattr(self, name), 4))

    def steepest(self) -> None:
        """Turn to where f grows fastest: the direction of the gradient."""
        by1, by2 = self.gradient
        self.angle = math.degrees(math.atan2(by2, by1)) % 360

    def level(self) -> None:
        """Turn the seed by a right angle."""
        self.angle = (self.angle + 90) % 360

    def drag(self, handle: str, x: float, y: float) -> None:
        """Move the point, or the head of the seed's arrow."""
        left, top, _, height = MAP
        x1, x2 = REGION[0][0] + (x - left) / SCALE, REGION[1][0] + (top + height - y) / SCALE
        if handle == "point":
            self.x1, self.x2 = (
                control.taken(to)
                for control, to in zip(self.controls, (x1, x2), strict=False)
                if isinstance(control, Slider)
            )
        elif handle == "seed":
            along, up = x1 - self.x1, x2 - self.x2
            self.angle = math.degrees(math.atan2(up, along)) % 360
            self.length = min(math.hypot(along, up), 2.0)

    @property
    def seed(self) -> tuple[float, float]:
        """The tangents of the two inputs."""
        quarter, rest = divmod(self.angle, 90)
        if not rest:  # at a right angle sine and cosine are whole numbers; the computer's are not
            along, up = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[int(quarter) % 4]
        else:
            along, up = math.cos(math.radians(self.angle)), math.sin(math.radians(self.angle))
        return self.length * along, self.length * up

    @property
    def gradient(self) -> tuple[float, float]:
        """The slopes in the two inputs; for a comparison."""
        return grad(f, argnums=(0, 1))(self.x1, self.x2)

    def snapshot(self) -> dict[str, Any]:
        """Point, seed, and the dual number of every line with the ε² that it drops."""
        return dict(_pass((self.x1, self.x2), self.seed))

    def sentence(self) -> str:
        """What the pass found."""
        snap = self.snapshot()
        along = " and ".join(number(round(t, 4)) for t in snap["seed"])
        flat = " Along a level curve nothing changes." if abs(snap["tangent"]) < 1e-9 and self.length else ""
        return (
            f"The inputs ({number(round(self.x1, 4))}, {number(round(self.x2, 4))}) get the tangents {along}. One pass "
            f"gives f = {number(snap['value'])} with the tangent {number(_still(snap['tangent']))}.{flat} "
            f"Twice the seed gives twice the tangent, at any length: ε is not a small number."
        )

    def table(self) -> Grid:
        """The dual number of each line, and its bin."""
        snap = self.snapshot()
        names = [name.replace("v-", "v−") for name in snap["lines"]]
        rows = zip(
            names, snap["operations"], snap["values"], map(_still, snap["tangents"]), snap["dropped"], strict=True
        )
        heads = ("line", "operation", "value", "tangent (ε)", "dropped (ε²)")
        return grid("One forward pass", heads, [tuple(row) for row in rows])

    def picture(self) -> str:
        """Left the map with the seed, right the cut along it, below what is kept and what is dropped."""
        snap = self.snapshot()
        sheet = Sheet(830, 504, "A map of f with the seed as an arrow, the cut along the seed, and the dropped terms")
        self._map(sheet)
        self._section(sheet, snap)
        self._bin(sheet, snap)
        return sheet.svg()

    def _map(self, sheet: Sheet) -> None:
        axes = Axes(sheet, MAP, *REGION)
        sheet.paste(_background())
        here = axes.at(self.x1, self.x2)
        seed = self.seed
        head = axes.at(self.x1 + seed[0], self.x2 + seed[1])
        if self.length:
            sheet.dot(*here, "line", SCALE * self.length, hollow=True)
        sheet.arrow(here, head, "tangent", 4)
        sheet.dot(*here, "ink", 6)
        sheet.handle("point", *here, 16)
        sheet.handle("seed", *head, 16)

    def _section(self, sheet: Sheet, snap: dict[str, Any]) -> None:
        """F along the seed, in units of the seed: the tangent is the slope of this curve at 0."""
        value, tangent = snap["value"], snap["tangent"]
        axes = Axes(sheet, SECTION, (-1, 1), (-12, 12))
        axes.scales(
            [(-1.0, "−1"), (0.0, "0"), (1.0, "1")],
            [(float(k), number(round(value + k, 1))) for k in (-12, -6, 0, 6, 12)],
            "steps of one seed",
        )
        sheet.text(SECTION[0], 22, "f along the seed, and its tangent", "soft_ink", size=14)
        t = np.linspace(-1, 1, 81)
        with np.errstate(all="ignore"):
            curve = f(self.x1 + t * self.seed[0], self.x2 + t * self.seed[1]) - value
        axes.curve(list(zip(t.tolist(), curve.tolist(), strict=True)), "value", 3)
        axes.curve([(k, float(k * tangent)) for k in t.tolist()], "tangent", 3, "9 4")
        sheet.dot(*axes.at(0, 0), "ink", 6)
        sheet.text(SECTION[0] + 12, 56, f"tangent {number(_still(tangent))}", "tangent", bold=True)

    def _bin(self, sheet: Sheet, snap: dict[str, Any]) -> None:
        kept = f"{number(snap['value'])} + {atom(number(_still(snap['tangent'])))} ε"
        sheet.text(44, 452, "kept:", "soft_ink")
        sheet.text(92, 452, f"f = {kept}", "ink", bold=True)
        sheet.box(360, 434, 452, 58, "line")
        sheet.text(362, 428, "the ε² bin: ε² = 0, so these are dropped", "soft_ink", size=14)
        thrown = [
            f"{operation}:  {number(_still(amount))} ε²"
            for operation, amount in zip(snap["operations"], snap["dropped"], strict=True)
            if abs(amount) > 1e-12
        ]
        for k, text in enumerate(thrown or ["empty"]):
            sheet.text(374 + 220 * (k // 2), 457 + 24 * (k % 2), text, "soft_ink")


@functools.lru_cache(maxsize=1)
def _pass(point: Point, seed: Point) -> dict[str, Any]:
    """One forward pass; what is shown asks for it several times."""
    value, tangent = jvp(f, point, seed)
    trace = Trace.of(f, *point, mode="forward", direction=seed)
    lines = [trace.lines[step.line] for step in trace.steps]
    tangents = [step.tangents[0].value for step in trace.steps]
    return {
        "point": point,
        "seed": seed,
        "value": value,
        "tangent": tangent,
        "lines": [line.name for line in lines],
        "operations": [line.expression for line in lines],
        "values": [line.value.value for line in lines],
        "tangents": tangents,
        "dropped": dropped(point, tangents),  # type: ignore[arg-type]
    }


@functools.cache
def _background() -> Sheet:
    """The map itself."""
    sheet = Sheet(0, 0, "")
    axes = Axes(sheet, MAP, *REGION)
    axes.scales([(k, str(k)) for k in range(7)], [(k, str(k)) for k in range(1, 8)])
    sheet.text(MAP[0], 22, "level curves of f over x₁ and x₂, and the seed", "soft_ink", size=14)
    for level, line in levels():
        axes.curve(line, "value", 1)
        if len(line) > 20:
            sheet.text(*axes.at(*line[len(line) // 2]), number(level), "value", size=13)
    return sheet


def dropped(point: tuple[float, float], tangents: list[float]) -> list[float]:
    """What each line's own arithmetic has in front of ε², if it is carried that far: half a second derivative.

    For the product this is ẋ₁ẋ₂. It is what multiplying out (a + ȧε)(b + ḃε) leaves over.
    """
    _, tape = record(f, *point)
    found = []
    for i in range(len(tape)):
        op, parents, args = tape.ops[i], tape.parents[i], tape.args[i]
        if op is None:
            found.append(0.0)
            continue
        along = [tangents[j] if j >= 0 else 0.0 for j in parents]

        def moved(t: Any, op: Any = op, args: Any = args, along: Any = along) -> Any:
            return op.fn(*(a + t * da for a, da in zip(args, along, strict=True)))

        def slope(t: Any, moved: Any = moved) -> Any:
            return jvp(moved, (t,), (1.0,))[1]

        found.append(float(jvp(slope, (0.0,), (1.0,))[1]) / 2)
    return found


@functools.cache
def levels() -> tuple[tuple[float, tuple[Point, ...]], ...]:
    """The level curves of f on the map."""
    from contourpy import contour_generator

    x1, x2 = np.meshgrid(np.linspace(0.02, 6, 300), np.linspace(1, 7, 61))
    lines = contour_generator(x1, x2, f(x1, x2))
    return tuple(
        (level, tuple((float(x), float(y)) for x, y in line[::2])) for level in LEVELS for line in lines.lines(level)
    )


def _still(x: float) -> float:
    """A rounding error that stands for 0."""
    return 0.0 if abs(x) < 1e-12 else x
