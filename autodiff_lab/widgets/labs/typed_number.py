"""A number or a fraction that was typed into a lab."""

from fractions import Fraction


def parse_number(text: str) -> float | None:
    """Return the value of a typed number or fraction, or None if the text is neither; expressions don't count.

    >>> parse_number("0.5"), parse_number("−1/4"), parse_number("0,5"), parse_number("x")
    (0.5, -0.25, 0.5, None)
    """
    try:
        return float(Fraction(text.strip().replace("−", "-").replace(",", ".")))
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
