"""Evaluation trace tables, as in Griewank and Walther: the forward run, and the reverse sweep in its own order.

One list of rows, three renderings: text for a terminal, HTML for a notebook, LaTeX for MathJax and for paper.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autodiff_lab.figures import notation
from autodiff_lab.figures.notation import display_width, escape, latex_value, pretty_adjoint
from autodiff_lab.figures.trace import Line, Number, Send, Step, Trace


@dataclass(frozen=True)
class Cell:
    """One cell: as text, and as LaTeX in math mode."""

    text: str
    latex: str


@dataclass(frozen=True)
class Grid:
    """A captioned table. In `columns`, each column has a heading and whether it holds numbers."""

    caption: str
    columns: tuple[tuple[str, bool], ...]
    rows: tuple[tuple[Cell, ...], ...]

    def text(self) -> str:
        """Align the columns with spaces; numbers stand point under point."""
        columns = []
        for k, (heading, numeric) in enumerate(self.columns):
            texts = [row[k].text for row in self.rows]
            texts = _aligned(texts) if numeric else texts
            width = max(map(display_width, [heading, *texts]))
            pad = _left if numeric else _right
            columns.append([pad(heading, width), "─" * width, *(pad(text, width) for text in texts)])
        lines = ["  ".join(cells).rstrip() for cells in zip(*columns, strict=True)]
        return "\n".join([self.caption, *lines])

    def html(self) -> str:
        """Write a `<table>` with a caption and scopes; it takes its colours from the page."""
        left, right = "text-align:left", "text-align:right"
        head = "".join(
            f'<th scope="col" style="{right if numeric else left}">{escape(heading)}</th>'
            for heading, numeric in self.columns
        )
        body = []
        for row in self.rows:
            cells = [f'<th scope="row" style="{left}">{escape(row[0].text)}</th>']
            cells += [
                f'<td style="{right if numeric else left}">{escape(cell.text)}</td>'
                for cell, (_, numeric) in zip(row[1:], self.columns[1:], strict=True)
            ]
            body.append(f"<tr>{''.join(cells)}</tr>")
        return (
            f'<table><caption style="{left};white-space:nowrap">{escape(self.caption)}</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
        )

    def latex(self) -> str:
        r"""Write an ``array``: put it between ``$$`` and MathJax or LaTeX shows it."""
        layout = "".join("r" if numeric else "l" for _, numeric in self.columns)
        head = " & ".join(rf"\text{{{notation.latex_text(heading)}}}" for heading, _ in self.columns)
        rows = [" & ".join(cell.latex for cell in row) + r" \\" for row in self.rows]
        return "\n".join(
            [
                rf"\begin{{array}}{{{layout}}}",
                r"\hline",
                head + r" \\",
                r"\hline",
                *rows,
                r"\hline",
                r"\end{array}",
            ]
        )


@dataclass(frozen=True, repr=False)
class Table:
    """The forward evaluation trace and the reverse one, of one run.

    Attributes
    ----------
    forward : Grid
        Line, operation, value; in the order of the run.
    reverse : Grid or None
        Line, its adjoint, and what it sends; in the order of the sweep. None if the result depends on no input.
    note : str
        What is unusual about this run.
    """

    forward: Grid
    reverse: Grid | None
    note: str = ""

    @property
    def _grids(self) -> list[Grid]:
        return [grid for grid in (self.forward, self.reverse) if grid is not None]

    def text(self) -> str:
        """Give both tables as text."""
        return "\n\n".join([grid.text() for grid in self._grids] + ([self.note] if self.note else []))

    def html(self) -> str:
        """Give both tables as HTML."""
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return "".join(grid.html() for grid in self._grids) + note

    def latex(self) -> str:
        """Give both tables as LaTeX for math mode, one below the other."""
        arrays = [grid.latex() for grid in self._grids]
        return "\n".join([r"\begin{array}{l}", ("\n" + r"\\[2ex]" + "\n").join(arrays), r"\end{array}"])

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.html()


def table(f: Callable[..., Any], *args: Any) -> Table:
    """Run ``f(*args)`` and give its evaluation trace, forward and reverse.

    Parameters
    ----------
    f : callable, or Trace
        The function to look at. A `Trace` that exists already is taken as it is, without `args`.
    *args : float or array_like
        Where to run it.

    Returns
    -------
    Table
        A notebook shows it as HTML, `print` as text; see also `Table.latex`.

    Examples
    --------
    >>> print(table(lambda x: 3 * x * x, 2.0))
    Evaluation trace of lambda x
    line    operation  value
    ──────  ─────────  ─────
    v₀      x              2
    v₁      3 · v₀         6
    v₂ = y  v₁ · v₀       12
    <BLANKLINE>
    Reverse sweep, in the order it runs
    line    adjoint  sends
    ──────  ───────  ───────────────────────────────
    v₂            1  v̄₁ = 1 · 2 = 2;  v̄₀ = 1 · 6 = 6
    v₁            2  v̄₀ = 6 + 2 · 3 = 12
    v₀ = x       12
    """
    trace = f if isinstance(f, Trace) else Trace.of(f, *args)
    return Table(_forward(trace), _reverse(trace), trace.note)


def _forward(trace: Trace) -> Grid:
    rows = []
    for i, line in enumerate(trace.lines):
        name = Cell(line.shown, notation.latex(line.name))
        if i == trace.result:
            called = trace.result_name
            name = Cell(f"{name.text} = {called}", f"{name.latex} = {notation.latex(called)}")
        rows.append((name, _operation(line), _value(line.value)))
    columns = (("line", False), ("operation", False), ("value", True))
    return Grid(f"Evaluation trace of {trace.title}", columns, tuple(rows))


def _reverse(trace: Trace) -> Grid | None:
    if trace.result is None:
        return None
    swept = {step.line: step for step in trace.steps if step.phase == "sweep"}
    last = trace.adjoints_at(len(trace.steps) - 1)
    rows = []
    for i in range(trace.result, -1, -1):
        line, adjoint = trace.lines[i], last[i]
        if adjoint is None and line.kind == "operation":
            continue
        name = Cell(line.shown, notation.latex(line.name))
        if line.kind == "input" and line.label:
            name = Cell(f"{name.text} = {line.label}", f"{name.latex} = {notation.latex(line.label)}")
        shown = Cell("not reached", r"\text{not reached}") if adjoint is None else _value(adjoint)
        rows.append((name, shown, _sends(trace, swept[i]) if i in swept else Cell("", "")))
    columns = (("line", False), ("adjoint", True), ("sends", False))
    return Grid("Reverse sweep, in the order it runs", columns, tuple(rows))


def _operation(line: Line) -> Cell:
    return Cell(line.expression, line.latex)


def _value(value: Number) -> Cell:
    return Cell(value.text, latex_value(value.text))


def _sends(trace: Trace, step: Step) -> Cell:
    cells = [_send(trace, step, send) for send in step.sends]
    if not cells:
        return Cell("nothing: its derivative is 0", r"\text{nothing: its derivative is 0}")
    return Cell(";  ".join(cell.text for cell in cells), r",\quad ".join(cell.latex for cell in cells))


def _send(trace: Trace, step: Step, send: Send) -> Cell:
    """``v̄₀ = −0.2837 + 1 · 2 = 1.7163``: the sum at the parent, as this contribution arrives."""
    name = trace.lines[send.parent].name
    operand = trace.lines[step.line].operands[send.slot]
    before = f"{send.before.text} + " if send.before is not None else ""
    if send.contribution.shape and not send.contribution.text.startswith("["):
        text = send.after.text
    elif operand.partial is None or step.adjoint is None or step.adjoint.shape or send.contribution.shape:
        text = f"{before}{notation.atom(send.contribution.text) if before else send.contribution.text}"
    else:
        term = f"{step.adjoint.text} · {notation.atom(operand.partial.text)}"
        text = f"{before}({term})" if before and term.startswith("−") else f"{before}{term}"
    text = text if text == send.after.text else f"{text} = {send.after.text}"
    return Cell(f"{pretty_adjoint(name)} = {text}", f"{notation.latex_adjoint(name)} = {latex_value(text)}")


def _aligned(texts: list[str]) -> list[str]:
    """Pad plain numbers on the right until their points stand under each other."""
    tails = [len(text) - text.find(".") if "." in text and _plain(text) else 0 for text in texts]
    longest = max(tails, default=0)
    return [
        text + " " * (longest - tail) if _plain(text) or text == notation.NOT_REACHED else text
        for text, tail in zip(texts, tails, strict=True)
    ]


def _plain(text: str) -> bool:
    return text.replace("−", "").replace(".", "", 1).isdigit()


def _left(text: str, width: int) -> str:
    return " " * (width - display_width(text)) + text


def _right(text: str, width: int) -> str:
    return text + " " * (width - display_width(text))
