"""Sliders for the scalar inputs of a function: how far they go, and in which steps."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from autodiff_lab.engine.errors import AutodiffError
from autodiff_lab.text.numbers import number

Range = tuple[float, float]


class RangeError(AutodiffError, ValueError):
    """The range of a slider in a player makes no sense, or its input has no slider."""


def check_ranges(
    ranges: Mapping[str, Any] | None, scalars: Mapping[str, float], arrays: Sequence[str]
) -> dict[str, Range]:
    """Check the ranges of a player's sliders, as the learner gives them.

    Parameters
    ----------
    ranges : mapping of str to (float, float), or None
        For each input, by name, from where to where its slider goes.
    scalars : mapping of str to float
        The inputs that have a slider, and their values.
    arrays : sequence of str
        The other inputs.

    Raises
    ------
    RangeError
        If a name is unknown or belongs to an array, or if a range is not two rising numbers around the value.

    Examples
    --------
    >>> check_ranges({"x1": (0.1, 4)}, {"x1": 2.0, "x2": 5.0}, [])
    {'x1': (0.1, 4.0)}
    """
    known = ", ".join(scalars) or "none"
    checked = {}
    for name, ends in (ranges or {}).items():
        if name in arrays:
            raise RangeError(
                f"ranges: {name} is an array, and arrays have no slider. Inputs with a slider: {known}."
            )
        if name not in scalars:
            raise RangeError(f"ranges: there is no input {name!r}. Inputs with a slider: {known}.")
        try:
            low, high = (float(end) for end in ends)
        except (TypeError, ValueError):
            raise RangeError(
                f"ranges: the range of {name} is {ends!r}; write two numbers, as in ranges={{{name!r}: (0.1, 4)}}."
            ) from None
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise RangeError(
                f"ranges: the range of {name} is ({low:g}, {high:g}); write the smaller number first."
            )
        if not low <= scalars[name] <= high:
            raise RangeError(
                f"ranges: {name} is {scalars[name]:g}, which lies outside of its range ({low:g}, {high:g})."
            )
        checked[name] = (low, high)
    return checked


def control(name: str, value: float, within: Range | None = None) -> dict[str, Any]:
    """Describe one slider of a player, for the player's JavaScript.

    Without a range of its own a slider reaches from near 0 to near twice the value, so that it keeps its sign and a
    logarithm its meaning; for a value close to 0 it reaches 1 to each side. `value` is always one of its stops.

    >>> control("x", 2.0)
    {'name': 'x', 'min': 0.02, 'max': 3.98, 'step': 0.02, 'value': 2.0, 'text': '2'}
    >>> control("x", 0.0)
    {'name': 'x', 'min': -1.0, 'max': 1.0, 'step': 0.02, 'value': 0.0, 'text': '0'}
    >>> control("x", 2.0, (0.1, 4.0))
    {'name': 'x', 'min': 0.1, 'max': 4.0, 'step': 0.02, 'value': 2.0, 'text': '2'}
    """
    low, high, step = _stops(value, within)
    return {
        "name": name,
        "min": low,
        "max": high,
        "step": step,
        "value": value,
        "text": number(value),
    }


def _stops(value: float, within: Range | None) -> tuple[float, float, float]:
    if within is not None:
        # A value that Python sets beyond the range widens it; the slider has to show where it stands.
        low, high = min(within[0], value), max(within[1], value)
        return low, high, _nice((high - low) / 100)
    if not math.isfinite(value):
        return -1.0, 1.0, 0.02
    reach = abs(value) if abs(value) >= 0.1 else 1.0
    step = _nice(reach / 50)
    stops = math.ceil(reach / step - 1e-9) - (value != 0 and reach == abs(value))
    return _clean(value - stops * step, step), _clean(value + stops * step, step), step


def _nice(size: float) -> float:
    """The largest of …, 0.1, 0.2, 0.5, 1, 2, 5, … that is not above `size`, give or take rounding."""
    power = 10.0 ** math.floor(math.log10(size))
    digit = max(d for d in (1, 2, 5) if d * power <= size * (1 + 1e-9) or d == 1)
    return float(f"{digit * power:.12g}")


def _clean(x: float, step: float) -> float:
    """Take the rounding noise of a sum of steps away: 0.05, not 0.050000000000000044."""
    return round(x, max(0, 12 - math.ceil(math.log10(max(abs(x), step)))))
