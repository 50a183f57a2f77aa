"""Phrases that several labs use in their sentences: counts with their noun, lists, and small errors."""

from collections.abc import Sequence

from autodiff_lab.text.numbers import number, shorten_exponent


def count_noun(count: int, noun: str, ending: str = "s") -> str:
    """Phrase a count with its noun, in the singular or the plural, for a lab's sentence.

    >>> count_noun(1, "step"), count_noun(0, "slot"), count_noun(2, "pass", "es")
    ('1 step', '0 slots', '2 passes')
    """
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun}{ending}"


def count_times(count: int) -> str:
    """Phrase how often something happens, for a lab's sentence.

    >>> count_times(2), count_times(3)
    ('twice', '3 times')
    """
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def list_numbers(numbers: Sequence[float]) -> str:
    """Phrase several numbers as a list in parentheses, for a lab's sentence.

    >>> list_numbers((0.010007503399554585, 3.0))
    '(0.0100, 3)'
    """
    return f"({', '.join(map(number, numbers))})"


def list_some(texts: Sequence[str], between: str = ", ") -> str:
    """Join at most six texts for a lab's sentence; an ellipsis replaces the rest.

    >>> list_some("abcdefgh", " + ")
    'a + b + c + d + e + f + …'
    """
    shown = list(texts[:6])
    if len(texts) > 6:
        shown.append("…")
    return between.join(shown)


def write_error(error: float) -> str:
    """Phrase a relative error, for a lab's sentence: a small one as a power of ten, with two digits.

    >>> write_error(0.0), write_error(0.5), write_error(7.46e-9)
    ('0', '0.5', '7.5e−9')
    """
    if error == 0:
        return "0"
    if error >= 0.01:
        return number(error)
    return shorten_exponent(f"{error:.1e}")


def write_power_of_ten(exponent: float) -> str:
    """Write the power of ten that a lab's logarithmic slider is set to.

    >>> write_power_of_ten(-5.0), write_power_of_ten(-5.5)
    ('1e-5', '3.2e-06')
    """
    is_whole = exponent % 1 == 0
    if is_whole:
        return f"1e{exponent:.0f}"
    return f"{10**exponent:.1e}"
