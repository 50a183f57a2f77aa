"""Tables of plain text and numbers, for labs and for what a learner has done."""

from collections.abc import Sequence

from autodiff_lab.text.notation import latex_text, number
from autodiff_lab.text.table import Cell, Column, Grid


def grid(caption: str, headings: Sequence[str], rows: Sequence[Sequence[str | float]]) -> Grid:
    """Make a captioned table; a column that holds a number is a column of numbers, and holds them as floats.

    >>> print(grid("Squares", ("x", "its square"), [("two", 4), ("three", 9.0)]).text())
    Squares
    x      its square
    ─────  ──────────
    two             4
    three           9
    """
    columns = [
        Column(heading, numeric=any(not isinstance(row[k], str) for row in rows)) for k, heading in enumerate(headings)
    ]
    return Grid(caption, tuple(columns), tuple(tuple(map(_cell, row)) for row in rows))


def _cell(x: str | float) -> Cell:
    data = x if isinstance(x, str) else float(x)
    text = data if isinstance(data, str) else number(data)
    return Cell(text, rf"\text{{{latex_text(text)}}}", data)
