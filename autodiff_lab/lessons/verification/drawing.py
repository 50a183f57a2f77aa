"""Pictures of the notebook `verification`: a gradient check, a tie, shifted scores, and a table of precisions."""

from collections.abc import Callable, Mapping, Sequence
from math import factorial
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from autodiff_lab import grad
from autodiff_lab.text.grid import Grid, grid


def draw_check(f: Callable[[Any], Any], x: np.ndarray, t: np.ndarray, h: float) -> None:
    """Plot a function along a direction, with the line of its gradient and the line through two runs."""
    s = np.linspace(-2.0, 2.0, 41)
    along = float(np.sum(grad(f)(x) * t))
    quotient = (f(x + h * t) - f(x - h * t)) / (2 * h)
    plt.plot(s, [f(x + step * t) for step in s], label="f(x + s t)")
    plt.plot(s, f(x) + along * s, "--", label="slope by the gradient")
    plt.plot([-h, h], [f(x - h * t), f(x + h * t)], "o:", label="slope by two runs")
    plt.title(f"h = {h:.1f}: slopes {along:.4f} and {quotient:.4f}")
    plt.xlabel("s, the step along t")
    plt.ylabel("f")
    plt.legend(loc="upper left")
    plt.show()


def draw_tie(first: float, second: float) -> None:
    """Plot the largest of (2 + s, 2 + s, 1), and the line whose slope is the sum of two shares of the adjoint."""
    s = np.linspace(-1.0, 1.0, 41)
    line = 2 + (first + second) * s
    largest = np.maximum(2 + s, 1)
    plt.plot(s, largest, color="C3", label="the maximum")
    plt.plot(s, line, "--", label=f"line of ({first:.2f}, {second:.2f}, 0)")
    plt.fill_between(
        s, largest, line, where=line > largest + 1e-9, alpha=0.3, label="above the function"
    )
    plt.axis((-1, 1, 0, 4))
    plt.xlabel("both winners move by s")
    plt.ylabel("maximum, and line")
    plt.legend(loc="upper left")
    plt.show()


def draw_shifted(softmax: Callable[[Any], Any], scores: np.ndarray, shift: float) -> None:
    """Plot the softmax of shifted scores as bars; where it is not a number, there is no bar."""
    found = softmax(scores - shift)
    plt.bar([f"{score:g}" for score in scores], np.nan_to_num(found), width=0.4)
    plt.ylim(0, 1)
    plt.title(f"scores − {shift:g}: " + ", ".join(f"{probability:.4f}" for probability in found))
    plt.xlabel("score")
    plt.ylabel("softmax")
    plt.show()


def bump_slope(x: Any) -> Any:
    """The slope of (1 − cos x)/x², by its series.

    >>> round(bump_slope(0.1), 12)
    -0.008327779266
    """
    return sum((-1) ** k * 2 * k * x ** (2 * k - 1) / factorial(2 * k + 2) for k in range(1, 9))


def correct_digits(found: float, truth: float, precision: float = 1e-16) -> float:
    """The number of correct digits: at least 0, and at most as many as the precision allows.

    >>> round(correct_digits(3.14, 3.14159), 1), correct_digits(float("nan"), 1.0)
    (3.3, 0.0)
    """
    if not np.isfinite(found):
        return 0.0
    largest = max(abs(found), abs(truth))
    error = abs(found - truth) / largest if largest else 0.0
    return float(max(0.0, -np.log10(max(error, precision))))


def compare_precisions(programs: Mapping[str, Callable[[Any], Any]], x: float) -> Grid:
    """A table of the slopes of several programs for (1 − cos x)/x² in three precisions, with their correct digits."""
    kinds: Sequence[Any] = (np.float16, np.float32, np.float64)
    rows = []
    for name, program in programs.items():
        row = [name]
        for kind in kinds:
            at = kind(x)
            slope = float(grad(program)(at))
            truth = bump_slope(float(at))
            digits = correct_digits(slope, truth, float(np.finfo(kind).eps))
            row += [f"{slope:.7g}", f"{digits:.0f}"]
        rows.append(row)
    headings = ["slope of"]
    for kind in kinds:
        headings += [kind.__name__, "digits"]
    return grid(f"x = {x:.1e}; the true slope is {bump_slope(x):.7g}", headings, rows)
