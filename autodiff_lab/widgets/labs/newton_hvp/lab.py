"""The controller of the lab NewtonHVP: it takes the steps of a descent, and draws the path, the slope and f″."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.notation import atom
from autodiff_lab.text.numbers import number
from autodiff_lab.transforms.gradients import jvp, value_and_grad
from autodiff_lab.transforms.jacobians import hvp
from autodiff_lab.widgets.labs.canvas import Axes, Sheet, make_ticks
from autodiff_lab.widgets.labs.lab import Button, Choice, Play, Slider, SteppedLab

MINIMUM = 7.0
# A path that is further than this from the minimum has run away.
FAR = 1e6
ARRIVED = 1e-9
LONGEST = 400
# The smallest curvature that a damped Newton step divides by.
FLATTEST = 1e-3

SPAN = (-12.0, 26.0)
CURVE, SLOPES = (46, 30, 646, 214), (46, 276, 646, 112)
HEIGHTS, RATES = (1.5, 6.2), (-0.36, 0.36)
# The y coordinate of the step's equation: between the plot of the curve and the plot of its slope.
EQUATION = 268

# The number of places that the table lists, counted from the last.
SHOWN = 10
RATED = "gradient descent"
ENDS = {
    "arrived": "The path has arrived.",
    "ran away": "The next step leaves the picture: the path runs away.",
    "to and fro": "From here on the path jumps back and forth between two places.",
    "on its way": "The path is still on its way.",
}


def f(x: Any) -> Any:
    """Return ln((x − 7)² + 10), the curve of the source text."""
    return np.log((x - MINIMUM) ** 2 + 10.0)


class Place(NamedTuple):
    """A place on the curve, with value, slope and curvature."""

    x: float
    value: float
    slope: float
    curvature: float


def find_place(x: float) -> Place:
    """Find value and slope at x, and by an HVP the curvature.

    >>> [round(part, 7) for part in find_place(1.0)]
    [1.0, 3.8286414, -0.2608696, -0.0245747]
    """
    value, slope = value_and_grad(f)(x)
    return Place(x, float(value), float(slope), float(hvp(f, (x,), (1.0,))))


def step_by_slope(at: Place, rate: float) -> float:
    """Return the end of a gradient descent step: against the slope, scaled by the learning rate."""
    return at.x - rate * at.slope


def step_by_newton(at: Place, rate: float) -> float:
    """Return the end of a Newton step: where the slope would be 0 if it were linear."""
    if at.curvature == 0:
        return math.inf
    return at.x - at.slope / at.curvature


def step_by_damped_newton(at: Place, rate: float) -> float:
    """Return the end of a damped Newton step, which is always downhill, and halved until the value falls enough.

    The step divides by the absolute curvature. "Enough" is Armijo's rule: a ten-thousandth of the fall that the slope
    predicts (Nocedal and Wright, *Numerical Optimization*, 2006, section 3.1).
    """
    step = -at.slope / max(abs(at.curvature), FLATTEST)
    for _ in range(60):
        if float(f(at.x + step)) <= at.value + 1e-4 * step * at.slope:
            return at.x + step
        step /= 2
    return at.x


def find_derivatives(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find slope and curvature of the curve at many points at once, for drawing."""
    ones = np.ones_like(x)
    return jvp(lambda x: jvp(f, (x,), (ones,))[1], (x,), (ones,))


METHODS: dict[str, Callable[[Place, float], float]] = {
    "gradient descent": step_by_slope,
    "Newton": step_by_newton,
    "damped Newton": step_by_damped_newton,
}


class Walk(NamedTuple):
    """A descent by one method: its places, and its fate (arrived, ran away, to and fro, on its way)."""

    places: tuple[Place, ...]
    fate: str


@functools.lru_cache(maxsize=4096)
def walk(method: str, start: float, rate: float = 2.0, steps: int = LONGEST) -> Walk:
    """Descend by one method until it arrives, runs away or repeats itself, for at most so many steps.

    >>> [round(at.x, 4) for at in walk("Newton", 5.5).places[:4]], walk("Newton", 5.5).fate
    ([5.5, 7.871, 6.857, 7.0006], 'arrived')
    >>> walk("Newton", 5.1).fate, walk("damped Newton", 1.0).fate
    ('ran away', 'arrived')
    """
    places = [find_place(start)]
    for _ in range(steps):
        if abs(places[-1].slope) < ARRIVED and abs(places[-1].x - MINIMUM) < 1:
            return Walk(tuple(places), "arrived")
        x = METHODS[method](places[-1], rate)
        if not abs(x - MINIMUM) < FAR:
            return Walk(tuple(places), "ran away")
        places.append(find_place(x))
        if len(places) > 40:
            *_, two_before, before, last = places
            is_back = abs(last.x - two_before.x) < 1e-6
            has_moved = abs(last.x - before.x) > 1e-6
            if is_back and has_moved:
                return Walk(tuple(places), "to and fro")
    return Walk(tuple(places), "on its way")


def find_convex_interval() -> tuple[float, float]:
    """Find the interval in which the curve is convex: where its curvature is positive.

    >>> [round(end, 12) for end in find_convex_interval()]
    [3.837722339832, 10.162277660168]
    """
    return _find_interval(lambda x: find_place(x).curvature > 0)


def find_newton_interval() -> tuple[float, float]:
    """Find the interval of starting points from which Newton's method arrives at the minimum."""
    return _find_interval(lambda x: walk("Newton", x).fate == "arrived")


def _find_interval(holds: Callable[[float], bool]) -> tuple[float, float]:
    """Find the interval around the minimum in which a condition holds, exact to the last digit."""
    ends = []
    for outside in (MINIMUM - 8, MINIMUM + 8):
        inside = MINIMUM
        while (middle := (inside + outside) / 2) not in (inside, outside):
            if holds(middle):
                inside = middle
            else:
                outside = middle
        ends.append(inside)
    return ends[0], ends[1]


class NewtonHVP(SteppedLab):
    """A lab on second derivatives: steps down ln((x − 7)² + 10) by gradient descent or by Newton's method.

    >>> lab = NewtonHVP()
    >>> lab.set(start=5.5, method="Newton")
    >>> for _ in range(3):
    ...     lab.press("step")
    >>> [round(x, 6) for x in lab.snapshot()["path"]]
    [5.5, 7.870968, 6.857013, 7.000586]
    """

    about = "Drag the start along the curve. Before each Step, say where it will land."
    controls = (
        Button("step", "Step"),
        Play("step", 900),
        Slider("start", "start", -2, 16, 0.1, 1.0),
        Slider("rate", "learning rate", 0.5, 12, 0.5, 2.0),
        Choice("method", "method", tuple(METHODS), "Newton"),
        Button("begin", "Begin again"),
        Button("back", "Back", more=True),
    )
    start: float
    rate: float
    method: str

    def change(self, name: str) -> None:
        """Begin again; a new learning rate selects gradient descent, the only method that has one."""
        if name == "rate":
            self.method = RATED
        super().change(name)

    step = SteppedLab.next
    forward = "step"

    @property
    def length(self) -> int:
        """The number of steps of the descent."""
        return len(self.walk.places) - 1

    def slider_text(self, name: str) -> str:
        """Write the value of a slider; Newton's method doesn't use the learning rate."""
        if name == "rate" and self.method != RATED:
            return "not used"
        return super().slider_text(name)

    def still(self) -> Self:
        """Return a lab for a static page, after one step if none has been taken."""
        return self if self.done else self.copy("step")

    @property
    def walk(self) -> Walk:
        """The whole descent from the chosen start by the chosen method."""
        return walk(self.method, self.start, self.rate if self.method == RATED else 0.0)

    @property
    def places(self) -> tuple[Place, ...]:
        """The places so far: the start, and the end of each step."""
        return self.walk.places[: self.done + 1]

    def snapshot(self) -> dict[str, Any]:
        """Return the path so far, and the fate of the whole descent."""
        return {
            "path": [at.x for at in self.places],
            "fate": self.walk.fate,
            "finished": not self.can("step"),
        }

    def sentence(self) -> str:
        """Describe the last step, uphill or downhill, and at the end the fate of the path."""
        here = self.places[-1]
        end = "" if self.can("step") else f" {ENDS[self.walk.fate]}"
        if not self.done:
            rate = f" with the learning rate {number(self.rate)}" if self.method == RATED else ""
            return _describe(here) + (end or f" Where will a step of {self.method}{rate} land?")
        before = self.places[-2]
        if here.value < before.value:
            downhill = "downhill"
        elif here.value > before.value:
            downhill = "uphill"
        else:
            downhill = "level"
        nearer = "nearer to" if abs(here.x - MINIMUM) < abs(before.x - MINIMUM) else "further from"
        return (
            f"{_describe(before)} Step {self.done} goes {downhill} to x = {number(here.x)}, {nearer} "
            f"{number(MINIMUM)}.{end}"
        )

    def table(self) -> Grid:
        """List the last places of the descent with f, f′ and f″."""
        rows = [(str(k), *at) for k, at in enumerate(self.places)][-SHOWN:]
        caption = f"{self.method} from x = {number(self.start)}"
        return grid(caption, ("step", "x", "f", "f′", "f″"), rows)

    def picture(self) -> str:
        """Draw the curve with the path, below it f′ and f″, and between them the equation of the last step."""
        places = self.places
        title = (
            "The curve ln((x − 7)² + 10), where it bends upwards and downwards, and the path on it"
        )
        sheet = Sheet(700, 412, title)
        sheet.paste(_draw_background())
        _draw_line_to_zero(sheet, places, self.method)
        _draw_path(sheet, places)
        above = Axes(sheet, CURVE, SPAN, HEIGHTS)
        start = places[0]
        sheet.handle("start, on the curve", *above.at(start.x, start.value), above.across("start"))
        step = _write_step(places, self.method, self.rate)
        sheet.text(CURVE[0] + CURVE[2], EQUATION, step, "ink", "end", 14, bold=True)
        return sheet.svg()


def _describe(at: Place) -> str:
    bend = "upwards" if at.curvature > 0 else "downwards"
    return f"At x = {number(at.x)} the slope is {number(at.slope)} and f″ = {number(at.curvature)}: it bends {bend}."


# The picture


def _write_step(places: Sequence[Place], method: str, rate: float) -> str:
    """Write the last step as an equation, or the first step with a question mark for its result.

    >>> _write_step([Place(1.0, 3.8, -0.25, -0.125)], "Newton", 2.0)
    'x − f′ / f″ = 1 − (−0.25) / (−0.125) = ?'
    """
    at = places[max(0, len(places) - 2)]
    x, slope = number(at.x), atom(number(at.slope))
    landed = number(places[-1].x) if len(places) > 1 else "?"
    if method == "gradient descent":
        return f"x − rate · f′ = {x} − {number(rate)} · {slope} = {landed}"
    if method == "Newton":
        return f"x − f′ / f″ = {x} − {slope} / {atom(number(at.curvature))} = {landed}"
    bend = max(abs(at.curvature), FLATTEST)
    damped = number((at.x - places[-1].x) * bend / at.slope) if len(places) > 1 else "t"
    return f"x − t · f′ / |f″| = {x} − {damped} · {slope} / {number(bend)} = {landed}"


@functools.cache
def _draw_background() -> Sheet:
    """Draw everything that never changes: curves, zones and scales."""
    sheet = Sheet(0, 0, "")
    above = Axes(sheet, CURVE, SPAN, HEIGHTS)
    below = Axes(sheet, SLOPES, SPAN, RATES)
    convex = find_convex_interval()
    for left, right in ((SPAN[0], convex[0]), (convex[1], SPAN[1])):
        (x0, _), (x1, _) = above.at(left, 0), above.at(right, 0)
        for _, top, _, height in (CURVE, SLOPES):
            sheet.box(x0, top, x1 - x0, height, "", "constant_paper")
    ticks = (-10, -5, 0, 7, 15, 20, 25)
    above.scales([(x, "") for x in ticks], make_ticks(range(2, 7)))
    below.scales(make_ticks(ticks), make_ticks((-0.2, 0, 0.2)))
    x = np.linspace(*SPAN, 191)
    slopes, curvatures = find_derivatives(x)
    above.curve(zip(x, f(x), strict=True), "value", 3)
    below.curve([(SPAN[0], 0.0), (SPAN[1], 0.0)], "line", 1)
    below.curve(zip(x, slopes, strict=True), "adjoint", 2.5, "8 4")
    below.curve(zip(x, curvatures, strict=True), "ink", 2, "2 4")
    sheet.text(CURVE[0], 20, "f(x) = ln((x − 7)² + 10)", "value", size=15, bold=True)
    for at, bends in ((-4.0, "f″ < 0"), (MINIMUM, "f″ > 0"), (18.0, "f″ < 0")):
        sheet.text(*below.at(at, 0.25), bends, "soft_ink", "middle", 14)
    start, end = (above.at(x, 5.8)[0] for x in find_newton_interval())
    sheet.path([(start, 42), (start, 54), (end, 54), (end, 42)], "tangent", 2.5)
    sheet.text(end + 10, 54, "from here Newton arrives", "tangent", size=14)
    sheet.text(SLOPES[0], EQUATION, "f′, dashed", "adjoint", size=15, bold=True)
    sheet.text(SLOPES[0] + 92, EQUATION, "f″, dotted", "ink", size=15, bold=True)
    return sheet


def _draw_line_to_zero(sheet: Sheet, places: Sequence[Place], method: str) -> None:
    """Draw the tangent of f′ in the lower plot; a Newton step ends where this line is 0."""
    if len(places) < 2 or method == "gradient descent":
        return
    below = Axes(sheet, SLOPES, SPAN, RATES)
    at = places[-2]
    if method != "Newton" and at.curvature <= 0:  # a damped step does not follow this line
        return
    aim = at.x - at.slope / at.curvature if at.curvature else at.x
    x = np.linspace(at.x, min(max(aim, SPAN[0]), SPAN[1]), 60)
    below.curve(zip(x, at.slope + at.curvature * (x - at.x), strict=True), "tangent", 3)
    if _is_seen(at.x):
        sheet.dot(*below.at(at.x, at.slope), "tangent", 5)
    if _is_seen(aim):
        sheet.dot(*below.at(aim, 0.0), "tangent", 6, hollow=True)


def _draw_path(sheet: Sheet, places: Sequence[Place]) -> None:
    above = Axes(sheet, CURVE, SPAN, HEIGHTS)
    at = [above.at(place.x, place.value) for place in places]
    for k in range(max(0, len(at) - 6), len(at) - 1):
        if not any(_is_seen(place.x) for place in places[k : k + 2]):
            continue
        if k == len(at) - 2:
            sheet.arrow(at[k], at[k + 1], "ink", 2.5)
        else:
            sheet.path([at[k], at[k + 1]], "soft_ink", 1.5, "3 4")
    for k, point in enumerate(at[:-1]):
        if _is_seen(places[k].x):
            sheet.dot(*point, "ink", 5 if k == 0 else 3.5, hollow=True)
    x, y = at[-1]
    here = places[-1].x
    words = f"x = {number(here)}"
    if _is_seen(here):
        sheet.dot(x, y, "ink", 7)
        # on the outer side, so that the label doesn't cover the curve
        beside = x + 58 * float(np.sign(here - MINIMUM)) * (abs(here - MINIMUM) > 1)
        inside = min(max(beside, CURVE[0] + 56), CURVE[0] + CURVE[2] - 56)
        sheet.text(inside, y + (24 if inside == beside else 40), words, "ink", "middle", bold=True)
    elif here < SPAN[0]:
        sheet.text(CURVE[0] + 8, CURVE[1] + 130, f"← {words}", bold=True)
    else:
        sheet.text(CURVE[0] + CURVE[2] - 8, CURVE[1] + 130, f"{words} →", anchor="end", bold=True)


def _is_seen(x: float) -> bool:
    return SPAN[0] <= x <= SPAN[1]
