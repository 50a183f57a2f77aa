"""Marks that the labs' pictures share: rules, column heads, legends, bars with their number, boxes with a text."""

from collections.abc import Iterable

from autodiff_lab.text.notation import number
from autodiff_lab.widgets.labs.canvas import Axes, Sheet, Tick


def draw_rule(sheet: Sheet, left: float, right: float, y: float, role: str = "line") -> None:
    """Draw a thin horizontal line."""
    sheet.path([(left, y), (right, y)], role, 1)


def draw_heads(sheet: Sheet, y: float, heads: Iterable[tuple[float, str, str]]) -> None:
    """Write the heads of columns: for each its place, its text, and its anchor."""
    for x, text, anchor in heads:
        sheet.text(x, y, text, "soft_ink", anchor, 14)


def draw_legend(
    sheet: Sheet, x: float, y: float, label: str, role: str, width: float = 2.5, dash: str = "", bold: bool = False
) -> None:
    """Draw a piece of a line, and beside it what the line means."""
    sheet.path([(x, y - 5), (x + 34, y - 5)], role, width, dash)
    sheet.text(x + 42, y, label, role, size=14, bold=bold)


def draw_bar(
    sheet: Sheet, x: float, y: float, length: float, role: str, label: str, height: float = 16, bold: bool = False
) -> None:
    """Draw a filled bar, and behind its end what it measures; a bar of length 0 is still seen."""
    length = max(2.0, length)
    sheet.box(x, y, length, height, "", role)
    sheet.text(x + length + 8, y + height / 2 + 5, label, role, size=14, bold=bold)


def draw_marker(axes: Axes, x: float, role: str = "ink", width: float = 1) -> None:
    """Draw a vertical line through a plot, in short dashes."""
    at, _ = axes.at(x, axes.y[0])
    _, top, _, height = axes.frame
    axes.sheet.path([(at, top), (at, top + height)], role, width, "3 3")


def make_ticks(values: Iterable[float]) -> list[Tick]:
    """Label numbers with themselves, for `Axes.scales`.

    >>> make_ticks((-0.3, 0, 5))
    [(-0.3, '−0.3'), (0, '0'), (5, '5')]
    """
    return [(value, number(value)) for value in values]


def make_power_ticks(exponents: Iterable[int]) -> list[Tick]:
    """Label logarithms with the powers of ten that they stand for.

    >>> make_power_ticks((-4, 0))
    [(-4.0, '1e−4'), (0.0, '1e0')]
    """
    return [(float(k), f"1e{k}".replace("-", "−")) for k in exponents]
