"""The error of a difference quotient against its step: a V, of truncation on one side and cancellation on the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff_lab.engine.errors import InputError
from autodiff_lab.figures.plots.style import Plot, name_in_title, open_plot
from autodiff_lab.text.arguments import check_choice
from autodiff_lab.text.notation import number
from autodiff_lab.transforms.gradients import jvp
from autodiff_lab.transforms.recording import argument_names, name_of

METHODS = ("forward", "central", "complex")

_STEPS = 10.0 ** (-np.arange(0, 69) / 4)
# Errors of exactly 0 have no place on a logarithmic axis; they are drawn where no digit can differ any more.
_FLOOR = 1e-17
_SLOPES = {"forward": 1, "central": 2}


def difference_errors(
    f: Callable[..., Any],
    *args: float,
    argnum: int = 0,
    steps: Sequence[float] | None = None,
    methods: Sequence[str] = METHODS,
) -> dict[str, np.ndarray]:
    """Compute the relative error of difference quotients, measured against the engine's derivative.

    Parameters
    ----------
    f : callable
        Takes numbers, returns a number; for ``"complex"`` it must work on complex numbers as well.
    *args : float
        Where.
    argnum : int
        By which argument.
    steps : sequence of float, optional
        The steps h; by default four a decade from 1 to 1e-17.
    methods : sequence of {"forward", "central", "complex"}
        ``(f(x + h) − f(x)) / h``, ``(f(x + h) − f(x − h)) / 2h``, and ``Im f(x + ih) / h``.

    Returns
    -------
    dict
        ``"step"``, and for each method the errors, of the same length; absolute ones if the derivative is 0.

    Raises
    ------
    InputError
        If an argument is not a number, or a method is not one of these.

    Examples
    --------
    >>> errors = difference_errors(np.sin, 1.0, steps=[1e-2, 1e-8], methods=["central"])
    >>> [f"{error:.0e}" for error in errors["central"]]
    ['2e-05', '5e-09']
    """
    for method in methods:
        check_choice("difference_errors", "methods", method, METHODS)
    if any(np.ndim(x) for x in args) or not 0 <= argnum < len(args):
        raise InputError(
            f"A step is taken in one number, and {name_of(f)} is looked at in argument {argnum} of {len(args)}: pass "
            "numbers, and an argnum that counts them from 0. For arrays, compare directions with check_grads."
        )
    exact = _derivative(f, args, argnum)
    if np.ndim(exact):
        raise InputError(f"{name_of(f)} returns an array of shape {np.shape(exact)}; an error is that of one number.")
    h = _STEPS if steps is None else np.asarray(steps, dtype=float)

    def moved(by: complex) -> Any:
        return f(*(np.float64(x) + by if k == argnum else x for k, x in enumerate(args)))

    quotients = {
        "forward": lambda h: (moved(h) - moved(0.0)) / h,
        "central": lambda h: (moved(h) - moved(-h)) / (2 * h),
        "complex": lambda h: np.imag(moved(1j * h)) / h,
    }
    with np.errstate(all="ignore"):
        found = {m: np.array([float(quotients[m](step)) for step in h.tolist()]) for m in methods}
    return {"step": h} | {m: np.abs(q - exact) / (abs(exact) or 1.0) for m, q in found.items()}


def _derivative(f: Callable[..., Any], args: Sequence[float], argnum: int) -> Any:
    return jvp(f, tuple(map(float, args)), tuple(float(k == argnum) for k in range(len(args))))[1]


def plot_error(
    f: Callable[..., Any],
    *args: float,
    argnum: int = 0,
    steps: Sequence[float] | None = None,
    methods: Sequence[str] = METHODS,
    theme: str = "auto",
) -> Plot:
    """Plot the error of difference quotients against their step, on logarithmic axes.

    The parameters and errors are those of `difference_errors`; `theme` is ``"auto"``, ``"light"`` or ``"dark"``.

    Examples
    --------
    >>> plot_error(np.sin, 1.0).description.partition(".")[0]
    'Error of difference quotients of sin at x = 1, against the step h'
    """
    errors = difference_errors(f, *args, argnum=argnum, steps=steps, methods=methods)
    h = errors.pop("step")
    names = argument_names(f, len(args))
    at = ", ".join(f"{name} = {number(x)}" for name, x in zip(names, args, strict=True))
    kind = "relative" if _derivative(f, args, argnum) else "absolute"
    with open_plot(theme) as (figure, (axes,), colours):
        looks = {
            "forward": (colours.adjoint, "o", "-", r"forward  $(f(x+h) - f(x))\,/\,h$"),
            "central": (colours.tangent, "s", "--", r"central  $(f(x+h) - f(x-h))\,/\,2h$"),
            "complex": (colours.value, "^", ":", r"complex  $\mathrm{Im}\, f(x+ih)\,/\,h$"),
        }
        axes.set(xscale="log", yscale="log", xlabel="step h", ylabel=f"{kind} error of the derivative")
        for method, error in errors.items():
            colour, marker, line, label = looks[method]
            shown = np.clip(error, _FLOOR, None)
            axes.plot(h, shown, line, color=colour, marker=marker, markevery=2, label=label)
        for method in set(errors) & set(_SLOPES):
            _guide(axes, h, errors[method], _SLOPES[method], colours)
        axes.set_ylim(_FLOOR / 5, 50)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=1, handlelength=3)
        figure.set_figheight(4.1 + 0.28 * len(errors))
        axes.set_title(f"Derivative by {names[argnum]} at {at}")
    best = [_best(method, h, error) for method, error in errors.items()]
    figure.description = (
        f"Error of difference quotients of {name_in_title(f)} at {at}, against the step h. {' '.join(best)} "
        "To the right of its lowest point a curve falls with h (truncation), to the left it rises again (cancellation)."
    )
    return figure


def _guide(axes: Any, h: np.ndarray, error: np.ndarray, slope: int, colours: Any) -> None:
    """A straight line of the slope that theory gives for truncation, beside the curve."""
    lowest = np.argmin(error)
    inside = [k for k in range(len(h)) if h[k] > h[lowest] * 10 and h[k] <= 0.1 and error[k] > 0]
    if len(inside) < 2:
        return
    # The flatter line has room above its curve, the steeper one below.
    above = slope == 1
    middle, ends = inside[len(inside) // 2], np.array([h[inside[-1]], h[inside[0]]])
    line = error[middle] * (8 if above else 1 / 30) * (ends / h[middle]) ** slope
    axes.plot(ends, line, color=colours.soft_ink, linewidth=1.2, linestyle=(0, (4, 3)))
    place = {"ha": "right", "va": "bottom"} if above else {"ha": "left", "va": "top"}
    axes.text(
        ends[0] * (1 if above else 3), line[0] * (3 if above else 1), f"slope {slope}", color=colours.soft_ink, **place
    )


def _best(method: str, h: np.ndarray, error: np.ndarray) -> str:
    if not np.isfinite(error).any():
        return f"{method.title()}: no finite value."
    k = int(np.nanargmin(error))
    return f"{method.title()}: smallest error {error[k]:.1e} at h = {h[k]:.1e}."
