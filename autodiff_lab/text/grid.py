"""A captioned grid of cells under headings, and its renderings as text, HTML, LaTeX, Markdown and CSV."""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from autodiff_lab.text import notation
from autodiff_lab.text.notation import display_width, escape
from autodiff_lab.text.numbers import number, spell_nonfinite

# The direction in which a column is computed: down in program order, or up against it.
DOWN, UP = "↓", "↑"

# As wide as a digit and as a full stop in a font whose digits are equally wide.
_FIGURE_SPACE, _POINT_SPACE = "\N{FIGURE SPACE}", "\N{PUNCTUATION SPACE}"


@dataclass(frozen=True)
class Cell:
    """A cell of a grid: as text, as LaTeX in math mode, and as `data` for a program (a number in full precision)."""

    text: str
    latex: str
    data: Any = None


@dataclass(frozen=True)
class Column:
    """A column of a grid: its title, whether its cells are numbers, and the direction in which they are computed."""

    title: str
    numeric: bool = False
    arrow: str = ""

    @property
    def heading(self) -> str:
        """The heading of a grid's column: its title with the arrow of its direction."""
        return f"{self.title} {self.arrow}".rstrip()

    @property
    def latex(self) -> str:
        """The heading of a grid's column in LaTeX."""
        sign = {DOWN: r" \downarrow", UP: r" \uparrow", "": ""}[self.arrow]
        title = _DOTTED.sub(
            r"$\\dot{\1}$", notation.latex_text(unicodedata.normalize("NFD", self.title))
        )
        return rf"\text{{{title}}}{sign}"


@dataclass(frozen=True)
class Grid:
    """A captioned grid of cells, which renders itself as text, HTML, LaTeX, Markdown or CSV."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def text(self) -> str:
        """Write the grid as plain text: columns aligned with spaces, numbers at their decimal points."""
        columns = []
        for column, texts in zip(self.columns, self._pad_columns(" ", " "), strict=True):
            width = max(map(display_width, [column.heading, *texts]))
            padded = [_pad(text, width, left=column.numeric) for text in (column.heading, *texts)]
            columns.append([padded[0], "─" * width, *padded[1:]])
        lines = ["  ".join(cells).rstrip() for cells in zip(*columns, strict=True)]
        return "\n".join([self.caption, *lines])

    def html(self) -> str:
        """Write the grid as an HTML `<table>` with a caption and scopes; it takes its colours from the page."""
        left = "text-align:left"
        # The spaces that align the decimal points must not be dropped at the end of a cell.
        right = "text-align:right;white-space:pre"
        head = "".join(
            f'<th scope="col" style="{"text-align:right" if column.numeric else left}">{escape(column.title)}'
            f"{f'&#160;{column.arrow}' if column.arrow else ''}</th>"
            for column in self.columns
        )
        body = []
        for name, *texts in zip(*self._pad_columns(_FIGURE_SPACE, _POINT_SPACE), strict=True):
            cells = [f'<th scope="row" style="{left};white-space:nowrap">{escape(name)}</th>']
            cells += [
                f'<td style="{right if column.numeric else left}">{_escape_html(text)}</td>'
                for text, column in zip(texts, self.columns[1:], strict=True)
            ]
            body.append(f"<tr>{''.join(cells)}</tr>")
        return (
            f'<table><caption style="{left};white-space:nowrap">{escape(self.caption)}</caption>'
            f"<thead><tr>{head}</tr></thead>"
            f'<tbody style="font-variant-numeric:tabular-nums">{"".join(body)}</tbody></table>'
        )

    def latex(self) -> str:
        r"""Write the grid as a LaTeX ``array``: put it between ``$$`` and MathJax or LaTeX shows it."""
        layout = "".join("r" if column.numeric else "l" for column in self.columns)
        columns = [
            [cell.latex + (rf"\phantom{{{tail}}}" if tail else "") for cell, tail in column]
            for column in self._columns_with_tails()
        ]
        rows = [" & ".join(cells) + r" \\" for cells in zip(*columns, strict=True)]
        head = " & ".join(column.latex for column in self.columns) + r" \\"
        lines = [
            rf"\begin{{array}}{{{layout}}}",
            r"\hline",
            head,
            r"\hline",
            *rows,
            r"\hline",
            r"\end{array}",
        ]
        return "\n".join(lines)

    def markdown(self) -> str:
        """Write the grid as a table of GitHub's Markdown, its caption in bold above it."""
        head = [markdown_text(column.heading) for column in self.columns]
        rule = ["---:" if column.numeric else ":---" for column in self.columns]
        padded = self._pad_columns(_FIGURE_SPACE, _POINT_SPACE)
        rows = [[markdown_text(text) for text in row] for row in zip(*padded, strict=True)]
        table = [f"| {' | '.join(cells)} |" for cells in (head, rule, *rows)]
        return "\n".join([f"**{markdown_text(self.caption)}**", "", *table])

    def csv(self) -> str:
        """Write the grid as comma-separated values: a header, then one record a line; numbers in full precision."""
        written = io.StringIO()
        writer = csv.writer(written, lineterminator="\n")
        writer.writerow([column.title for column in self.columns])
        writer.writerows([_plain_data(cell) for cell in row] for row in self.rows)
        return written.getvalue()

    def data(self) -> dict[str, list[Any]]:
        """Return the grid's columns by title, numbers as they are: what a data frame or a plot takes."""
        return {
            column.title: [row[k].data for row in self.rows]
            for k, column in enumerate(self.columns)
        }

    def _columns_with_tails(self) -> Iterator[list[tuple[Cell, str]]]:
        """Yield the cells by column, each with the digits that it lacks on the right of its point: ``".0000"``."""
        for k, column in enumerate(self.columns):
            cells = [row[k] for row in self.rows]
            tails = [
                "".join(cell.text.partition(".")[1:]) if _is_plain_number(cell.text) else ""
                for cell in cells
            ]
            longest = max(tails, key=len, default="") if column.numeric else ""
            yield [
                (
                    cell,
                    longest[len(tail) :]
                    if _is_plain_number(cell.text) or cell.text == notation.NOT_REACHED
                    else "",
                )
                for cell, tail in zip(cells, tails, strict=True)
            ]

    def _pad_columns(self, digit: str, point: str) -> list[list[str]]:
        """The texts by column; spaces on the right of the numbers align their decimal points."""
        spaces = str.maketrans({**dict.fromkeys("0123456789", digit), ".": point})
        return [
            [cell.text + tail.translate(spaces) for cell, tail in column]
            for column in self._columns_with_tails()
        ]


_DOTTED = re.compile("(.)\N{COMBINING DOT ABOVE}")


def _is_plain_number(text: str) -> bool:
    return text.replace("−", "").replace(".", "", 1).isdigit()


def _escape_html(text: str) -> str:
    """Escape for HTML, but keep the spaces that align numbers: `escape` would replace them as unprintable."""
    body = text.rstrip(_FIGURE_SPACE + _POINT_SPACE)
    return escape(body) + text[len(body) :]


_MARKED = re.compile(r"([\\`*_\[\]|$~])")


def markdown_text(text: str) -> str:
    """Escape the text of a grid's cell for Markdown, and for HTML inside it."""
    text = _escape_html(text).replace("&#x27;", "'").replace("&quot;", '"')
    return _MARKED.sub(r"\\\1", text)


def _plain_data(cell: Cell) -> str:
    if cell.data is None or isinstance(cell.data, str):
        return cell.data or ""
    written = spell_nonfinite(cell.data)
    return written if isinstance(written, str) else json.dumps(written)


def _pad(text: str, width: int, left: bool) -> str:
    spaces = " " * (width - display_width(text))
    return spaces + text if left else text + spaces


def grid(caption: str, headings: Sequence[str], rows: Sequence[Sequence[str | float]]) -> Grid:
    """Make a captioned grid of texts and numbers; a column with a number is numeric, and its numbers become floats.

    >>> print(grid("Squares", ("x", "its square"), [("two", 4), ("three", 9.0)]).text())
    Squares
    x      its square
    ─────  ──────────
    two             4
    three           9
    """
    columns = [
        Column(heading, numeric=any(not isinstance(row[k], str) for row in rows))
        for k, heading in enumerate(headings)
    ]
    return Grid(caption, tuple(columns), tuple(tuple(map(_cell, row)) for row in rows))


def _cell(x: str | float) -> Cell:
    data = x if isinstance(x, str) else float(x)
    text = data if isinstance(data, str) else number(data)
    return Cell(text, rf"\text{{{notation.latex_text(text)}}}", data)
