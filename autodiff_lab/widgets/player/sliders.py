"""Sliders for the scalar inputs of a function: their ranges and steps."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from autodiff_lab.engine.errors import AutodiffError
from autodiff_lab.text.numbers import number

Range = tuple[float, float]


class RangeError(AutodiffError, ValueError):
    """Error: a slider's range is not valid, or the input has no slider."""


def check_ranges(
    ranges: Mapping[str, Any] | None, scalars: Mapping[str, float], arrays: Sequence[str]
) -> dict[str, Range]:
    """Check the ranges that the learner has given for a player's sliders, and return them as floats.

    Parameters
    ----------
    ranges : mapping of str to (float, float), or None
        The smallest and the largest value of each slider, by the name of the input.
    scalars : mapping of str to float
        The values of the inputs that have a slider, by name.
    arrays : sequence of str
        The names of the other inputs.

    Raises
    ------
    RangeError
        If a name is unknown or belongs to an array, or if a range is not two rising numbers with the value between.

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
                f"ranges: {name} is {scalars[name]:g}, outside of its range ({low:g}, {high:g}); "
                "write a range that contains it."
            )
        checked[name] = (low, high)
    return checked


def control(name: str, value: float, within: Range | None = None) -> dict[str, Any]:
    """Return one slider of a player, in the form that the player's JavaScript expects.

    If no range is given, it goes from near 0 to near twice the value: the input keeps its sign, so that its logarithm
    stays defined. If the value is close to 0, the range goes from 1 below it to 1 above it. `value` is always one of
    the slider's stops.

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
    """Return the lowest and the highest stop of a slider, and its step."""
    if within is not None:
        # Python may set a value outside of the range. The range then grows, so that the slider can show that value.
        low, high = min(within[0], value), max(within[1], value)
        return low, high, _nice((high - low) / 100)
    if not math.isfinite(value):
        return -1.0, 1.0, 0.02
    reach = abs(value) if abs(value) >= 0.1 else 1.0
    step = _nice(reach / 50)
    stops = math.ceil(reach / step - 1e-9)
    if value != 0 and reach == abs(value):
        stops -= 1  # the last stop would be 0
    return _clean(value - stops * step, step), _clean(value + stops * step, step), step


def _nice(size: float) -> float:
    """Return the largest of …, 0.1, 0.2, 0.5, 1, 2, 5, … that is not above `size`, up to rounding."""
    power = 10.0 ** math.floor(math.log10(size))
    digit = 1
    for larger in (2, 5):
        if larger * power <= size * (1 + 1e-9):
            digit = larger
    return float(f"{digit * power:.12g}")


def _clean(x: float, step: float) -> float:
    """Remove the rounding error of a sum of steps: 0.05, not 0.050000000000000044."""
    magnitude = math.ceil(math.log10(max(abs(x), step)))
    return round(x, max(0, 12 - magnitude))
