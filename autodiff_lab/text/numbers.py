"""Numbers, and arrays of numbers, written in a few characters."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab.text.messages import message

# The most entries that are written out one by one.
_MOST_LISTED = 6
# The most characters of such a list: brackets, and four numbers of the longest kind that fits in a cell.
_LONGEST = 33
# The most characters in a cell: a minus sign, one digit before the point, the point, and four digits after it.
_LONGEST_IN_CELL = 7


def number(x: Any) -> str:
    """Write a number, or an array of numbers, in a few characters.

    Whole numbers have no point. Other numbers have four decimals, without the zeros at the end when these four
    decimals are the number itself; so ``0.5`` is one half and ``0.5000`` is close to it. Tiny and huge numbers
    have four digits and an exponent. An array of up to six entries is written out if that is short; otherwise
    only its shape and its smallest and largest entry are given.

    >>> number(2.0), number(0.6931471805599453), number(-0.28366218546322625), number(1.3e-5)
    ('2', '0.6931', '−0.2837', '1.3e−5')
    >>> number(np.array([1.0, 2.0, 3.0])), number(np.zeros((128, 64)))
    ('[1 2 3]', '(128, 64) array, all 0')
    """
    # Checked first, because np.ndim of a float takes longer than formatting it.
    if isinstance(x, float) or np.ndim(x) == 0:
        return _scalar(float(x))
    array = np.asarray(x, dtype=float)
    listed = list_entries(array)
    if listed is not None:
        return listed
    if array.size == 0:
        return message("array", shape=array.shape)
    return message("array with", shape=array.shape, entries=_range(array, _scalar))


def list_entries(array: np.ndarray) -> str | None:
    """Write all numbers in an array, one by one; None if they are too many or too long for that.

    >>> list_entries(np.array([1.0, 0.5])), list_entries(np.zeros(100)), list_entries(np.zeros(0))
    ('[1 0.5]', None, None)
    """
    if not 0 < array.size <= _MOST_LISTED:
        return None
    written = _spell_array(array)
    return written if len(written) <= _LONGEST else None


def short(x: Any, written: str) -> str:
    """Shorten what `number` has `written` to fit into a graph's node.

    Only an array that isn't listed is shortened, to its shape and range.

    >>> x = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> short(x / 3, number(x / 3)), short(x[0] / 3, number(x[0] / 3))
    ('(3, 2) min 0.3333, max 2', '[0.3333 0.6667]')
    """
    array = np.asarray(x, dtype=float)
    if array.ndim == 0 or array.size == 0 or list_entries(array) is not None:
        return written
    return message("array in short", shape=array.shape, entries=_range(array, in_cell))


def in_cell(x: float) -> str:
    """Write a number as the cell of an array shows it: as `number` does, or with three digits where that is too long.

    >>> in_cell(2.0), in_cell(-1 / 3), in_cell(-12.34567), in_cell(12345.6), in_cell(0.000012345)
    ('2', '−0.3333', '−12.3', '12345.6', '1.23e−5')
    """
    written = _scalar(x)
    return written if len(written) <= _LONGEST_IN_CELL else _three_digits(x)


def _three_digits(x: float) -> str:
    """Write a number that isn't whole with up to three digits, in as many characters as a cell has room for.

    >>> _three_digits(-1 / 3), _three_digits(12345.67), _three_digits(-0.000012345), _three_digits(0.0)
    ('−0.333', '12346', '−1.2e−5', '0')
    """
    if not math.isfinite(x) or x == 0:
        return _scalar(x)
    if 1e3 <= abs(x) < 1e5:
        return f"{x:.0f}".replace("-", "−")
    written = ""
    for digits in (3, 2, 1):
        written = shorten_exponent(f"{x:.{digits}g}")
        if len(written) <= _LONGEST_IN_CELL:
            return written
    return shorten_exponent(f"{x:.0e}")


def shorten_exponent(written: str) -> str:
    """Write ``1.2e-05`` as ``1.2e−5``.

    >>> shorten_exponent("-1.2e-05"), shorten_exponent("3e+06"), shorten_exponent("-0.5")
    ('−1.2e−5', '3e6', '−0.5')
    """
    mantissa, exponential, exponent = written.partition("e")
    power = f"e{int(exponent)}" if exponential else ""
    return (mantissa + power).replace("-", "−")


def _range(array: np.ndarray, write: Callable[[float], str]) -> str:
    finite = array[np.isfinite(array)]
    if finite.size == 0:
        return message("entries none")
    low, high = write(float(finite.min())), write(float(finite.max()))
    summary = message("entries equal" if low == high else "entries", low=low, high=high)
    left = array.size - finite.size
    return message("entries not finite", entries=summary, n=left) if left else summary


def _scalar(x: float) -> str:
    if math.isnan(x):
        return "NaN"
    if math.isinf(x):
        return "∞" if x > 0 else "−∞"
    size = abs(x)
    if x == int(x) and size < 1e9:
        text = str(int(x))
    elif 1e-3 <= size < 1e6 or (x == round(x, 4) != 0 and size < 1e6):
        text = f"{x:.4f}"
        if math.isclose(float(text), x, rel_tol=1e-12):
            text = text.rstrip("0").rstrip(".")
    else:
        mantissa, exponent = f"{x:.3e}".split("e")
        return shorten_exponent(f"{mantissa.rstrip('0').rstrip('.')}e{exponent}")
    return text.replace("-", "−")


def _spell_array(array: np.ndarray) -> str:
    if array.ndim == 0:
        return _scalar(float(array))
    return "[" + " ".join(_spell_array(entry) for entry in array) + "]"


def spell_nonfinite(x: Any) -> Any:
    """Spell NaN and infinity as text, because JSON has no numbers for them; in tuples and lists too.

    >>> spell_nonfinite((0.5, float("nan"), -float("inf")))
    (0.5, 'nan', '-inf')
    """
    if isinstance(x, tuple | list):
        return tuple(spell_nonfinite(entry) for entry in x)
    if isinstance(x, float) and not math.isfinite(x):
        return "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"
    return x
