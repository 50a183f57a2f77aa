"""The controller of the lab VCurve, with its difference quotients and their error at every step h."""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.lessons.examples.quotients import QUOTIENTS, Quotient
from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.transforms.gradients import grad
from autodiff_lab.widgets.labs.canvas import Axes, Sheet, draw_legend, draw_rule, make_power_ticks
from autodiff_lab.widgets.labs.lab import Choice, Lab, Slider, Toggle
from autodiff_lab.widgets.labs.phrases import write_error, write_power_of_ten

LOG = float(np.log(2.0))  # a Python float, so that float32 operands give float32 results
FUNCTIONS: dict[str, tuple[Callable[[Any], Any], float]] = {
    "ln x₁ + x₁x₂ − sin x₂ in x₂ at (2, 5)": (lambda x: LOG + 2.0 * x - np.sin(x), 5.0),
    "sin x at 1": (np.sin, 1.0),
    "x² at 1": (lambda x: x * x, 1.0),
}
SMALLEST, STEP = -20, 0.5
# The logarithm at which an error of 0 is drawn: two different doubles are never that close.
FLOOR = -17.0


class Method(NamedTuple):
    """A method of numerical differentiation: its quotient, and the style of its error curve."""

    label: str
    formula: str
    role: str
    dash: str
    quotient: Quotient


METHODS = {
    "forward": Method("forward", "(f(x + h) − f(x)) / h", "adjoint", "", QUOTIENTS["forward"]),
    "central": Method(
        "central", "(f(x + h) − f(x − h)) / 2h", "value", "9 4", QUOTIENTS["central"]
    ),
    "complex": Method("complex step", "Im f(x + ih) / h", "soft_ink", "2 4", QUOTIENTS["complex"]),
}


# The sentences about h, if all methods agree, and the half sentences for each method if they don't.
SIDES = {
    "lost": (
        "h is lost when it is added to x: the difference is 0 or noise.",
        "h is lost when it is added to x",
    ),
    "right": (
        "On this side truncation dominates, because the curve bends between the two points: a smaller h helps.",
        "a smaller h helps",
    ),
    "left": (
        "On this side cancellation dominates: equal digits cancel and rounding errors remain, so a smaller h harms.",
        "a smaller h harms: equal digits cancel",
    ),
    "best": (
        "This is the best h: truncation and cancellation are about equal.",
        "this is the best h",
    ),
    "exact": ("Here there is no error at all.", "nothing is left over"),
}


class VCurve(Lab):
    """A lab on numerical differentiation: the error of a quotient over its step size, and the digits that are lost.

    >>> lab = VCurve()
    >>> lab.set(h=-8)
    >>> f"{lab.snapshot()['errors']['forward']:.1e}"
    '7.5e-09'
    """

    about = "Drag h in the plot. Follow the marks on the curves, and the digits on the right."
    controls = (
        Slider("h", "step h", SMALLEST, 0, STEP, -1.0),
        *(Toggle(name, method.label, name != "complex") for name, method in METHODS.items()),
        Toggle("single", "float32"),
        Choice("function", "function", tuple(FUNCTIONS), more=True),
        Toggle("ad", "AD", False, more=True),
    )
    h: float
    forward: bool
    central: bool
    complex: bool
    single: bool
    function: str
    ad: bool

    def slider_text(self, name: str) -> str:
        """Write the step h as a power of ten."""
        return write_power_of_ten(self.h)

    @property
    def shown(self) -> dict[str, Method]:
        """The methods whose error curves are shown, by name."""
        return {name: method for name, method in METHODS.items() if getattr(self, name)}

    def _measure(self, name: str) -> tuple[list[float], int, int]:
        """Return a method's errors at every stop of the slider, the current stop, and the best stop."""
        curve = _measure_errors(self.function, name, self.single)
        here = round((self.h - SMALLEST) / STEP)
        best = int(np.argmin(curve))
        return curve, here, best

    def snapshot(self) -> dict[str, Any]:
        """Return the step h, each method's slope and relative error at h, and its smallest error with the h of it."""
        measured = {name: self._measure(name) for name in METHODS}
        slopes = {name: _find_slope(self.function, name, self.h, self.single) for name in METHODS}
        return {
            "h": 10.0**self.h,
            "slopes": {**slopes, "ad": _find_truth(self.function)},
            "errors": {name: curve[here] for name, (curve, here, _) in measured.items()},
            "best": {
                name: (10.0 ** (SMALLEST + STEP * k), curve[k])
                for name, (curve, _, k) in measured.items()
            },
        }

    def sentence(self) -> str:
        """Describe each method's error at this h, and whether truncation or cancellation dominates."""
        errors = self.snapshot()["errors"]
        said = [
            f"{method.label} {write_error(errors[name])}" for name, method in self.shown.items()
        ]
        sides = {name: self._find_side(name) for name in self.shown if name != "complex"}
        if len(set(sides.values())) == 1:
            side = f" {SIDES[next(iter(sides.values()))][0]}"
        else:
            side = "".join(
                f" For the {name} difference {SIDES[kind][1]}." for name, kind in sides.items()
            )
        return f"At h = {self.slider_text('h')} the relative errors are: {', '.join(said) or 'none is shown'}.{side}"

    def _find_side(self, name: str) -> str:
        """Return the side of a method's V on which this h lies, as a key of `SIDES`."""
        curve, here, best = self._measure(name)
        if curve[here] == 0:
            return "exact"
        if curve[here] >= 1:
            return "lost"
        if here == best:
            return "best"
        return "right" if here > best else "left"

    def table(self) -> Grid:
        """List each method's slope and relative error at this h."""
        snap = self.snapshot()
        rows = [
            (method.label, f"{snap['slopes'][name]:.16g}", write_error(snap["errors"][name]))
            for name, method in self.shown.items()
        ]
        if self.ad:
            slope = f"{_find_truth(self.function):.16g}"
            rows.append(("AD", slope, "what they are compared with"))
        return grid(f"h = {self.slider_text('h')}", ("method", "slope", "relative error"), rows)

    def picture(self) -> str:
        """Draw the V-shaped error curves over h, and the digits that the forward quotient loses."""
        sheet = Sheet(900, 418, "Relative error over step size, both logarithmic")
        axes = Axes(sheet, (60, 26, 380, 342), (SMALLEST, 0), (FLOOR, 1))
        errors = [*make_power_ticks(range(-16, 1, 4)), (FLOOR, "0")]
        axes.scales(make_power_ticks(range(-20, 1, 4)), errors, "step h", "relative error")
        if self.ad:
            axes.curve([(SMALLEST, FLOOR), (0, FLOOR)], "tangent", 5)
            sheet.text(66, 358, "AD", "tangent", bold=True)
        for name, method in self.shown.items():
            curve, here, _ = self._measure(name)
            points = [(SMALLEST + STEP * k, _take_log(error)) for k, error in enumerate(curve)]
            axes.curve(points, method.role, 2.5, method.dash)
            sheet.dot(*axes.at(*points[here]), method.role, 6, hollow=name == "central")
        axes.marker(self.h, "line")
        axes.slide("step h, in the plot", self.h, axes.across("h"))
        self._draw_digits(sheet)
        sheet.cut(460)
        return sheet.svg()

    def _draw_digits(self, sheet: Sheet) -> None:
        """Draw the two values of the forward quotient; equal digits, which cancel, are grey."""
        kind, places, digits = (np.float32, 6, 8) if self.single else (np.float64, 15, 16)
        f, at = FUNCTIONS[self.function]
        x = kind(at)
        h = kind(10.0**self.h)
        moved = f(x + h)
        still = f(x)
        upper = f"{moved:.{places}f}"
        lower = f"{still:.{places}f}"
        pairs = enumerate(zip(upper, lower, strict=False))
        differing = [k for k, (a, b) in pairs if a != b]
        same = differing[0] if differing else len(lower)
        left, across = 490, 122
        difference = f"{moved - still:.{places}f}".rjust(len(lower))
        slope = _find_slope(self.function, "forward", self.h, self.single)
        quotient = f"{slope:.{digits}g}"
        ad = []
        if self.ad:
            ad.append((256, "AD", [(f"{_find_truth(self.function):.16g}", "tangent")]))
        sheet.text(left, 34, "What the forward quotient is made of", "soft_ink", size=14)
        for y, label, pieces in (
            (72, "f(x + h)", [(upper[:same], "soft_ink"), (upper[same:], "adjoint")]),
            (106, "f(x)", [(lower[:same], "soft_ink"), (lower[same:], "adjoint")]),
            (152, "difference", [(difference, "adjoint")]),
            (222, "divided by h", [(quotient, "adjoint")]),
            *ad,
        ):
            role = "tangent" if label == "AD" else "ink"
            sheet.text(left, y, label, role, size=16, bold=label == "AD")
            sheet.code(left + across, y, pieces, size=20)
        draw_rule(sheet, left, left + 400, 122)
        count = f"{sum(map(str.isdigit, lower[same:]))} of {sum(map(str.isdigit, lower))}"
        sheet.text(left + across, 178, f"{count} digits do not cancel.", "soft_ink", size=14)
        for row, method in enumerate(self.shown.values()):
            words = f"{method.label}:  {method.formula}"
            draw_legend(sheet, left, 310 + 29 * row, words, method.role, dash=method.dash)


def _find_truth(function: str) -> float:
    """Return the slope by AD, with which all methods are compared."""
    f, x = FUNCTIONS[function]
    return float(grad(f)(x))


@functools.cache
def _measure_errors(function: str, method: str, single: bool) -> list[float]:
    """Return the relative error of a method at every stop of the slider."""
    truth = _find_truth(function)
    stops = round(-SMALLEST / STEP) + 1
    slopes = [_find_slope(function, method, SMALLEST + STEP * k, single) for k in range(stops)]
    return [abs(slope - truth) / abs(truth) for slope in slopes]


def _find_slope(function: str, method: str, exponent: float, single: bool) -> float:
    f, x = FUNCTIONS[function]
    kind = np.float32 if single else np.float64
    with np.errstate(all="ignore"):
        return float(METHODS[method].quotient(f, kind(x), kind(10.0**exponent)))


def _take_log(error: float) -> float:
    if error <= 10.0**FLOOR:
        return FLOOR
    return math.log10(error)
