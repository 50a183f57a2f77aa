"""The controller of the lab GradcheckBench: a traffic light for each check of a rule, and the checks so far over h."""

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.engine.broadcasting import shape_of
from autodiff_lab.engine.dispatch import TABLE
from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.numbers import number
from autodiff_lab.widgets.labs.canvas import Axes, Sheet, make_power_ticks
from autodiff_lab.widgets.labs.lab import Button, Choice, Lab, Slider
from autodiff_lab.widgets.labs.phrases import write_error, write_power_of_ten

BATCH = np.array([[0.4, -0.7], [1.2, 0.3], [-0.2, 0.9]])
BIAS = np.array([0.5, 1.0])


class Sample(NamedTuple):
    """A function whose rule is checked, and the operands at which it is checked."""

    # The key of its rule in the table.
    row: Any
    # The operands after the first.
    more: tuple[float, ...] = ()
    batch: np.ndarray = BATCH
    bias: np.ndarray = BIAS


SAMPLES = {
    "sin": Sample(np.sin),
    "exp": Sample(np.exp),
    "tanh": Sample(np.tanh),
    "square": Sample(np.square),
    "log": Sample(np.log),
    "relu, 1e−7 from its kink": Sample(
        np.maximum, (0.0,), np.zeros((3, 2)), np.array([1e-7, -0.5])
    ),
}
BUGS = ("none", "wrong sign", "missing factor", "no sum-back")
DIRECTIONS = ("a random direction", "the first entry of b")
DTYPES = ("float64", "float32")
SMALLEST, LARGEST, STEP = -12.0, -0.5, 0.5
# The stops of the step h, as logarithms.
STEPS = np.arange(SMALLEST, LARGEST + STEP, STEP).tolist()


class Check(NamedTuple):
    """The result of a gradient check, of a correct rule or one with a bug."""

    # The logarithm of the step.
    h: float
    # The slope along the direction by the rule.
    slope: float
    # The slope along the direction by the central difference.
    quotient: float
    # The relative error of the two; 0 if both are 0.
    error: float
    # The shape of the adjoint of b.
    shape: tuple[int, ...]
    # ``"right"``, ``"look closer"`` or ``"wrong"``.
    verdict: str


def loss(sample: Sample, batch: Any, bias: Any) -> Any:
    """Return the loss of the layer: the mean of op(X + b) over the batch, summed over the outputs."""
    return np.sum(np.mean(sample.row(batch + bias, *sample.more), axis=0))


def adjoint_of_bias(sample: Sample, batch: Any, bias: Any, bug: str = "none") -> Any:
    """Return the adjoint of b: pull 1 back through the layer, with the rules of the table and the chosen bug.

    >>> [adjoint_of_bias(SAMPLES["sin"], BATCH, BIAS, bug).shape for bug in ("none", "no sum-back")]
    [(2,), (3, 2)]
    """
    z = batch + bias
    y = sample.row(z, *sample.more)
    g = np.ones_like(y) / y.dtype.type(len(batch))
    if bug != "missing factor":
        g = TABLE[sample.row].pullback(0, g, y, (z, *sample.more))
    if bug == "wrong sign":
        g = -g
    if bug == "no sum-back":
        return g
    return TABLE[np.add].pullback(1, g, z, (batch, bias))


def make_direction(direction: str, draw: int) -> np.ndarray:
    """Make the direction of a check: the first axis, or the random direction of a seed."""
    if direction == DIRECTIONS[1]:
        return np.eye(len(BIAS))[0]
    along = np.random.default_rng(draw).standard_normal(len(BIAS))
    return along / np.linalg.norm(along)


@functools.lru_cache(maxsize=4096)
def check(op: str, bug: str, h: float, dtype: str, direction: str, draw: int) -> Check:
    """Check a rule by a central difference in one direction; `h` is the base-10 logarithm of the step."""
    sample = SAMPLES[op]
    kind = np.dtype(dtype).type
    batch = sample.batch.astype(kind)
    bias = sample.bias.astype(kind)
    t = make_direction(direction, draw).astype(kind)
    step = kind(10.0**h)
    adjoint = adjoint_of_bias(sample, batch, bias, bug)
    slope = float(np.sum(adjoint * t))
    with np.errstate(all="ignore"):  # a large step may leave the domain of the logarithm
        above = loss(sample, batch, bias + step * t)
        below = loss(sample, batch, bias - step * t)
        quotient = float((above - below) / (2 * step))
    error = relative_error(slope, quotient)
    shape = shape_of(adjoint)
    return Check(h, slope, quotient, error, shape, _verdict(error, shape == shape_of(bias)))


def relative_error(a: float, b: float) -> float:
    """Return |a − b| divided by the larger of |a| and |b|.

    >>> relative_error(1.0, -1.0), relative_error(1e-9, 2e-9), relative_error(0.0, 0.0)
    (2.0, 0.5, 0.0)
    """
    largest = max(abs(a), abs(b))
    if largest == 0:
        return 0.0
    return abs(a - b) / largest


# A rule is wrong if its error is above the first, and right up to the second; between them, look closer.
WRONG, RIGHT = 1e-2, 1e-7


def _verdict(error: float, same_shape: bool) -> str:
    if not same_shape or not error <= WRONG:
        return "wrong"
    return "right" if error <= RIGHT else "look closer"


# The lab

KEPT = 300
# The logarithms of the errors that the plot can show; smaller errors are drawn on its lower edge.
FLOOR, CEILING = -13.0, 1.0
LIGHTS = {
    "wrong": ("✗", "adjoint", "above 1e−2"),
    "look closer": ("?", "tangent", "between"),
    "right": ("✓", "value", "up to 1e−7"),
}


class GradcheckBench(Lab):
    """A lab on gradient checking: the adjoint of a bias b in sum(mean(op(X + b))), by a rule, right or with a bug.

    >>> lab = GradcheckBench()
    >>> lab.snapshot()["verdict"]
    'right'
    >>> lab.set(bug="wrong sign")
    >>> lab.snapshot()["verdict"], round(lab.snapshot()["error"], 6)
    ('wrong', 2.0)
    """

    about = "Inject a bug, drag h in the plot. Before you look at the light, say which lamp will be lit."
    controls = (
        Choice("bug", "injected bug", BUGS),
        Choice("op", "op", tuple(SAMPLES)),
        Slider("h", "step h", SMALLEST, LARGEST, STEP, -5.0),
        Choice("dtype", "dtype", DTYPES),
        Button("another", "Another random direction"),
        Choice("direction", "direction", DIRECTIONS, more=True),
        Button("forget", "Forget the history", more=True),
    )
    bug: str
    op: str
    h: float
    dtype: str
    direction: str

    def begin(self) -> None:
        """Start with the first random direction and a single check."""
        self.draw = 1
        self.history = [self.at]

    @property
    def at(self) -> dict[str, Any]:
        """The arguments of the current check."""
        return {**self.settings, "draw": self.draw}

    def notify(self) -> None:
        """Add the current check to the history, which has each check only once, and refresh the view."""
        others = [at for at in self.history if at != self.at]
        self.history = [*others[-KEPT + 1 :], self.at]
        super().notify()

    def another(self) -> None:
        """Check in another random direction."""
        self.direction = DIRECTIONS[0]
        self.draw += 1

    def forget(self) -> None:
        """Clear the history, except for the current check."""
        self.history = []

    def can(self, name: str) -> bool:
        """Return True if a button can be pressed: `forget` only if the history has other checks."""
        return name != "forget" or len(self.history) > 1

    def slider_text(self, name: str) -> str:
        """Write the step h as a power of ten."""
        return write_power_of_ten(self.h)

    @property
    def found(self) -> Check:
        """The result of the current check."""
        return check(**self.at)

    @property
    def curve(self) -> list[Check]:
        """The results of the current check at every stop of h."""
        return [check(**{**self.at, "h": h}) for h in STEPS]

    def snapshot(self) -> dict[str, Any]:
        """Return the current check, and all checks in the history."""
        history = [check(**at) for at in self.history]
        return {
            **self.at,
            **self.found._asdict(),
            "h": 10.0**self.h,
            "along": make_direction(self.direction, self.draw).tolist(),
            "shape_of_b": BIAS.shape,
            "curve": [(10.0**at.h, at.error) for at in self.curve],
            "history": [(10.0**at.h, at.error, at.verdict) for at in history],
        }

    def sentence(self) -> str:
        """Describe the light, and the conclusion to draw from it."""
        found = self.found
        light = f"{LIGHTS[found.verdict][0]} {found.verdict}: relative error {write_error(found.error)}."
        if found.shape != BIAS.shape:
            shapes = f"The adjoint has the shape {found.shape}, and b has {BIAS.shape}."
            if found.error <= WRONG:
                shapes += (
                    " The numbers agree all the same: multiplying by the direction broadcasts, and adding up then "
                    "does the sum that the rule forgot."
                )
            return f"{light} {shapes} Compare shapes first."
        if not math.isfinite(found.quotient):
            return (
                f"{light} With a step this large X + b − h · t leaves the domain of the operation."
            )
        return f"{light} {self._explain_verdict(found)}"

    def _explain_verdict(self, found: Check) -> str:
        if self.bug != "none":
            if found.verdict == "right":
                return "There is a bug in the rule, but this point and direction don't reveal it. Try others."
            if found.verdict == "wrong":
                return "The light is correct: the rule has a bug."
            return "There is a bug in the rule, but this direction is nearly blind to it. Choose another one."
        if found.verdict == "right":
            return "The rule and the quotient agree."
        if self.op.startswith("relu"):
            return "The step h reaches across the kink, so the quotient mixes two slopes. Make h smaller than 1e−7."
        if self.dtype == "float32":
            return "float32 has 7 digits, and subtracting two nearly equal values loses most of them. Check in float64."
        if self.h > -5:
            return "The rule is correct; the step is so large that the curve bends under it. Make h smaller."
        if self.h < -5:
            return (
                "The rule is correct; the step is so small that the digits cancel. Make h larger."
            )
        return (
            "Neither clear agreement nor a clear error: look at the point, the step and the dtype "
            "before you blame the rule."
        )

    def table(self) -> Grid:
        """List the numbers of the current check."""
        found = self.found
        rows = [
            ("by the rule", f"{found.slope:.12g}"),
            ("by the quotient", f"{found.quotient:.12g}"),
            ("relative error", write_error(found.error)),
            ("shape of the adjoint of b", f"{found.shape}, b has {BIAS.shape}"),
            ("light", " ".join((LIGHTS[found.verdict][0], found.verdict))),
        ]
        caption = f"{self.op}, bug: {self.bug}, h = {self.slider_text('h')}, {self.dtype}"
        return grid(caption, ("what", "is"), rows)

    def picture(self) -> str:
        """Draw the two slopes and the light, and next to them every check so far over h."""
        found = self.found
        title = "A traffic light of the relative error, and all checks so far over the step h"
        sheet = Sheet(900, 416, title)
        sheet.text(14, 28, "loss(b) = sum(mean(op(X + b)))", size=15, bold=True)
        along = make_direction(self.direction, self.draw).tolist()
        t = ", ".join(number(round(x, 4)) for x in along)
        sheet.text(14, 52, f"direction t = ({t})", "soft_ink", size=14)
        for y, label, text, role in (
            (88, "rule, b̄ · t", f"{found.slope:.12g}", "adjoint"),
            (116, "quotient", f"{found.quotient:.12g}", "ink"),
            (148, "relative error", write_error(found.error), "ink"),
        ):
            sheet.text(14, y, label, role, size=16)
            sheet.code(136, y, [(text, role)], size=18)
        same = found.shape == BIAS.shape
        shapes = f"shape of b̄ {found.shape}, of b {BIAS.shape}  {'✓' if same else '✗ differ'}"
        sheet.text(14, 176, shapes, "ink" if same else "adjoint", size=14, bold=not same)
        _draw_light(sheet, found)
        self._draw_plot(sheet, found)
        sheet.cut(328)
        return sheet.svg()

    def _draw_plot(self, sheet: Sheet, found: Check) -> None:
        axes = Axes(sheet, (384, 34, 506, 334), (SMALLEST - 0.3, LARGEST + 0.3), (FLOOR, CEILING))
        errors = [*make_power_ticks(range(-12, 1, 2)), (FLOOR, "0")]
        axes.scales(
            make_power_ticks(range(-12, 0, 2)),
            errors,
            "step h",
            "relative error of every check so far",
        )
        sheet.text(890, 26, "line: this check at every h", "soft_ink", "end", 14)
        for bound, role in ((WRONG, "adjoint"), (RIGHT, "value")):
            axes.curve([(x, math.log10(bound)) for x in axes.x], role, 1.5, "6 4")
        axes.curve([(each.h, _take_log(each.error)) for each in self.curve], "soft_ink", 1.5)
        axes.marker(found.h, "line")
        axes.slide("step h, in the plot", found.h, axes.across("h"))
        for at in self.history:
            _draw_mark(axes, check(**at))
        sheet.dot(*axes.at(found.h, _take_log(found.error)), "ink", 11, hollow=True)
        _draw_mark(axes, found)


def _draw_light(sheet: Sheet, found: Check) -> None:
    """Draw three lamps, each with a symbol and a word."""
    sheet.box(14, 200, 60, 202, "line", "constant_paper", 2)
    for k, (verdict, (sign, role, bound)) in enumerate(LIGHTS.items()):
        y = 236 + 65 * k
        lit = verdict == found.verdict
        sheet.dot(44, y, role if lit else "line", 24, hollow=not lit)
        sheet.text(44, y + 9, sign, "paper" if lit else "soft_ink", "middle", 26, bold=True)
        sheet.text(88, y - 2, verdict, role if lit else "soft_ink", size=17, bold=lit)
        sheet.text(88, y + 18, bound, "soft_ink", size=14)


def _draw_mark(axes: Axes, found: Check) -> None:
    """Draw a different shape for each verdict: a disc, a triangle, a cross."""
    x, y = axes.at(found.h, _take_log(found.error))
    _, role, _ = LIGHTS[found.verdict]
    if found.verdict == "right":
        axes.sheet.dot(x, y, role, 3.5)
    elif found.verdict == "look closer":
        axes.sheet.path([(x, y - 6), (x + 6, y + 5), (x - 6, y + 5)], role, 2, fill=role)
    else:
        for side in (1, -1):
            axes.sheet.path([(x - 5, y - 5 * side), (x + 5, y + 5 * side)], role, 2.5)


def _take_log(error: float) -> float:
    """Return the logarithm of an error, limited to the scale of the plot."""
    if not math.isfinite(error):
        return CEILING
    if error == 0:
        return FLOOR
    return max(math.log10(error), FLOOR)
