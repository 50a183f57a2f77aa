"""GradcheckBench: check a rule, right or with a bug, against a difference quotient; every check leaves a mark."""

from __future__ import annotations

import functools
import math
from typing import Any

from autodiff_lab.text.notation import number
from autodiff_lab.text.table import Grid
from autodiff_lab.widgets.labs.canvas import Axes, Sheet
from autodiff_lab.widgets.labs.gradcheck_bench.rules import (
    BIAS,
    BUGS,
    DIRECTIONS,
    DTYPES,
    RIGHT,
    SAMPLES,
    WRONG,
    Checked,
    Settings,
    checked,
    direction_of,
)
from autodiff_lab.widgets.labs.lab import Button, Choice, Lab, Slider
from autodiff_lab.widgets.labs.table import grid

SMALLEST, LARGEST, STEP = -12.0, -0.5, 0.5
FLOOR, CEILING = -13.0, 1.0
"""The logarithms of the errors that the plot can show; what is smaller is put on its lower edge."""
KEPT = 300
LIGHTS = {"wrong": ("✗", "adjoint"), "look closer": ("?", "tangent"), "right": ("✓", "value")}


class GradcheckBench(Lab):
    """Check the adjoint of a bias b in sum(mean(op(X + b))), by the rule of an operation, right or with a bug.

    >>> lab = GradcheckBench()
    >>> lab.snapshot()["verdict"]
    'right'
    >>> lab.set(bug="wrong sign")
    >>> lab.snapshot()["verdict"], round(lab.snapshot()["error"], 6)
    ('wrong', 2.0)
    """

    title = "GradcheckBench"
    about = "Choose an operation and a bug. Before you look at the light, say which lamp will be lit."
    controls = (
        Choice("op", "op", tuple(SAMPLES)),
        Choice("bug", "injected bug", BUGS),
        Slider("h", "step h", SMALLEST, LARGEST, STEP),
        Choice("dtype", "dtype", DTYPES),
        Choice("direction", "direction", DIRECTIONS),
        Button("another", "Another random direction"),
        Button("forget", "Forget the history"),
    )

    def __init__(self) -> None:
        self.__dict__.update(vars(Settings()))
        self.history = [self.settings]

    @property
    def settings(self) -> Settings:
        """Where the controls stand."""
        return Settings(**{name: getattr(self, name) for name in vars(Settings())})

    def tell(self) -> None:
        """Keep this check in the history, each one once, before it is shown."""
        kept = [at for at in self.history if at != self.settings]
        self.history = [*kept[-KEPT + 1 :], self.settings]
        super().tell()

    def another(self) -> None:
        """Draw a direction."""
        self.direction, self.draw = DIRECTIONS[0], self.draw + 1

    def forget(self) -> None:
        """Leave the plot with the present check alone."""
        self.history = []

    def can(self, name: str) -> bool:
        """Forget what there is to forget."""
        return name != "forget" or len(self.history) > 1

    def shown(self, name: str) -> str:
        """The step as a power of ten."""
        return f"{10**self.h:.1e}" if self.h % 1 else f"1e{self.h:.0f}"

    def still(self) -> GradcheckBench:
        """The same check at every step size, so that there is a history to see."""
        seen = GradcheckBench()
        seen.__dict__.update(vars(self.settings))
        stops = [SMALLEST + STEP * k for k in range(round((LARGEST - SMALLEST) / STEP) + 1)]
        seen.history = [Settings(**{**vars(self.settings), "h": h}) for h in stops]
        return seen

    def snapshot(self) -> dict[str, Any]:
        """The present check and all that were kept."""
        found = _checked(self.settings)
        return {
            **vars(self.settings),
            "h": float(10.0**self.h),
            "along": [float(t) for t in direction_of(self.settings)],
            **found._asdict(),
            "shape_of_b": BIAS.shape,
            "history": [(float(10.0**at.h), _checked(at).error, _checked(at).verdict) for at in self.history],
        }

    def sentence(self) -> str:
        """What the light says, and what to think of it."""
        found = _checked(self.settings)
        light = f"{LIGHTS[found.verdict][0]} {found.verdict}: relative error {_short(found.error)}."
        if found.shape != BIAS.shape:
            blind = (
                " The numbers agree all the same: multiplying by the direction broadcasts, and adding up then does the "
                "sum that the rule forgot."
            )
            return (
                f"{light} The adjoint has the shape {found.shape}, and b has {BIAS.shape}."
                f"{blind if found.error <= WRONG else ''} Compare shapes first."
            )
        if not math.isfinite(found.quotient):
            return f"{light} With a step this large X + b − h · t leaves the domain of the operation."
        return f"{light} {self._thought(found)}"

    def _thought(self, found: Checked) -> str:
        at_kink, bug = self.op.startswith("relu"), self.bug != "none"
        if found.verdict == "right":
            if bug:
                return "There is a bug in the rule, and this point and direction do not see it. Try another one."
            return "The rule and the quotient agree."
        if bug:
            if found.verdict == "wrong":
                return "The light is right: the rule has a bug."
            return "There is a bug in the rule, and this direction is nearly blind to it. Take another one."
        if at_kink:
            return "The step h reaches across the kink, so the quotient mixes two slopes. Make h smaller than 1e−7."
        if self.dtype == "float32":
            return "float32 has 7 digits, and the difference of two near values loses most of them. Check in float64."
        if self.h > -5:
            return "The rule is right; the step is so large that the curve bends under it. Make h smaller."
        if self.h < -5:
            return "The rule is right; the step is so small that the digits cancel. Make h larger."
        return "Something between: look at the point, the step and the dtype before you blame the rule."

    def table(self) -> Grid:
        """The check in numbers."""
        found = _checked(self.settings)
        rows = [
            ("by the rule", f"{found.slope:.12g}"),
            ("by the quotient", f"{found.quotient:.12g}"),
            ("relative error", _short(found.error)),
            ("shape of the adjoint of b", f"{found.shape}, b has {BIAS.shape}"),
            ("light", " ".join((LIGHTS[found.verdict][0], found.verdict))),
        ]
        return grid(f"{self.op}, bug: {self.bug}, h = {self.shown('h')}, {self.dtype}", ("what", "is"), rows)

    def picture(self) -> str:
        """The two numbers and the light on the left, the history over h on the right."""
        found = _checked(self.settings)
        sheet = Sheet(830, 420, "A traffic light of the relative error, and all checks so far over the step h")
        t = ", ".join(number(round(float(x), 4)) for x in direction_of(self.settings))
        sheet.text(14, 28, "loss(b) = sum(mean(op(X + b)))", size=15, bold=True)
        sheet.text(14, 52, f"direction t = ({t})", "soft_ink", size=14)
        for k, (label, value, role) in enumerate(
            (("rule, b̄ · t", found.slope, "adjoint"), ("quotient", found.quotient, "ink"))
        ):
            sheet.text(14, 88 + 28 * k, label, role)
            sheet.code(124, 88 + 28 * k, [(f"{value:.12g}", role)])
        sheet.text(14, 148, "relative error")
        sheet.code(124, 148, [(_short(found.error), "ink")])
        same = found.shape == BIAS.shape
        sheet.text(14, 176, f"shape of b̄ {found.shape}, of b {BIAS.shape}  {'✓' if same else '✗ differ'}",
                   "ink" if same else "adjoint", size=14, bold=not same)  # fmt: skip
        self._light(sheet, found)
        self._history(sheet, found)
        return sheet.svg()

    def _light(self, sheet: Sheet, found: Checked) -> None:
        """Three lamps, each with a sign and a word."""
        said = {"wrong": "above 1e−2", "look closer": "between", "right": "up to 1e−7"}
        sheet.box(14, 200, 60, 202, "line", "constant_paper", 2)
        for k, (verdict, (sign, role)) in enumerate(LIGHTS.items()):
            y, lit = 236 + 65 * k, verdict == found.verdict
            sheet.dot(44, y, role if lit else "line", 24, hollow=not lit)
            sheet.text(44, y + 9, sign, "paper" if lit else "soft_ink", "middle", 26, bold=True)
            sheet.text(88, y - 2, verdict, role if lit else "soft_ink", size=17, bold=lit)
            sheet.text(88, y + 18, said[verdict], "soft_ink", size=14)

    def _history(self, sheet: Sheet, found: Checked) -> None:
        axes = Axes(sheet, (380, 34, 430, 334), (SMALLEST - 0.3, LARGEST + 0.3), (FLOOR, CEILING))
        ticks = [(float(k), f"1e{k}".replace("-", "−")) for k in range(-12, 0, 2)]
        errors = [(float(k), f"1e{k}".replace("-", "−")) for k in range(-12, 1, 2)] + [(FLOOR, "0")]
        axes.scales(ticks, errors, "step h", "relative error of every check so far")
        for bound, role in ((WRONG, "adjoint"), (RIGHT, "value")):
            axes.curve([(axes.x[0], math.log10(bound)), (axes.x[1], math.log10(bound))], role, 1.5, "6 4")
        for at in self.history:
            self._mark(sheet, axes.at(at.h, _log(_checked(at).error)), _checked(at).verdict)
        x, y = axes.at(self.h, _log(found.error))
        sheet.dot(x, y, "ink", 11, hollow=True)
        self._mark(sheet, (x, y), found.verdict)

    def _mark(self, sheet: Sheet, at: tuple[float, float], verdict: str) -> None:
        """A shape of its own for each verdict: a disc, a triangle, a cross."""
        (x, y), (_, role) = at, LIGHTS[verdict]
        if verdict == "right":
            sheet.dot(x, y, role, 3.5)
        elif verdict == "look closer":
            sheet.path([(x, y - 6), (x + 6, y + 5), (x - 6, y + 5)], role, 2, fill=role)
        else:
            sheet.path([(x - 5, y - 5), (x + 5, y + 5)], role, 2.5)
            sheet.path([(x - 5, y + 5), (x + 5, y - 5)], role, 2.5)


@functools.lru_cache(maxsize=4096)
def _checked(at: Settings) -> Checked:
    return checked(at)


def _log(error: float) -> float:
    if not math.isfinite(error):
        return CEILING
    return max(math.log10(error), FLOOR) if error > 0 else FLOOR


def _short(error: float) -> str:
    return "0" if error == 0 else number(error) if error >= 0.01 else f"{error:.1e}".replace("-", "−")
