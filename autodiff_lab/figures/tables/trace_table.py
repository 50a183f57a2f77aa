"""Evaluation trace tables, as in Griewank and Walther: the forward run, and the reverse sweep in its own order.

Beside each other, primal, tangent and adjoint stand as in the survey of Baydin and others (2018, tables 2 and 3).
What is in a column is decided here; how a table is written, in `text.grid`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autodiff_lab.engine.errors import InputError
from autodiff_lab.text import notation
from autodiff_lab.text.arguments import check_choice
from autodiff_lab.text.grid import DOWN, UP, Cell, Column, Grid
from autodiff_lab.text.messages import message, message_parts
from autodiff_lab.text.notation import escape, format_adjoint, format_expression, latex_value
from autodiff_lab.trace.model import (
    Contribution,
    Direction,
    Line,
    Number,
    Operand,
    RunOptions,
    Step,
    Trace,
)
from autodiff_lab.trace.tape_reader import read_tape
from autodiff_lab.transforms.recording import record_to_show
from autodiff_lab.transforms.signatures import check_keywords

MODES = ("reverse", "forward", "both")
LAYOUTS = ("stacked", "beside")

# A column and its cells.
FilledColumn = tuple[Column, list[Cell]]


@dataclass(frozen=True, repr=False)
class Table:
    """The evaluation trace of one run as a table, or as two: the forward run and the reverse sweep.

    Attributes
    ----------
    grids : tuple of Grid
        What is shown: one table, or the forward one and the reverse one.
    whole : Grid
        All of it in one table, a row for each line of the tape; `csv` and `data` give this one.
    note : str
        What is unusual about this run.

    See Also
    --------
    table : The evaluation trace of a run.

    Examples
    --------
    >>> import autodiff_lab as ad
    >>> shown = ad.table(lambda x: x * x, 3.0)
    >>> [grid.caption for grid in shown.grids]
    ['Evaluation trace of lambda x', 'Reverse sweep, in the order it runs']
    """

    grids: tuple[Grid, ...]
    whole: Grid
    note: str = ""

    @property
    def forward(self) -> Grid:
        """The trace table of the forward run: line, operation, value, and tangents if there are any."""
        return self.grids[0]

    @property
    def reverse(self) -> Grid | None:
        """The trace table of the reverse sweep: line, adjoint, and what it sends; None where there is no such table."""
        return self.grids[1] if len(self.grids) > 1 else None

    def text(self) -> str:
        """Write the evaluation trace table as plain text, as `print` shows it."""
        return "\n\n".join(
            [grid.text() for grid in self.grids] + ([self.note] if self.note else [])
        )

    def html(self) -> str:
        """Write the evaluation trace table as HTML, as a notebook shows it."""
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return "".join(grid.html() for grid in self.grids) + note

    def latex(self) -> str:
        """Write the evaluation trace table as LaTeX for math mode, the sweep below the forward run."""
        arrays = [grid.latex() for grid in self.grids]
        return "\n".join(
            [r"\begin{array}{l}", ("\n" + r"\\[2ex]" + "\n").join(arrays), r"\end{array}"]
        )

    def markdown(self) -> str:
        """Write the evaluation trace table as Markdown."""
        return "\n\n".join(
            [grid.markdown() for grid in self.grids] + ([escape(self.note)] if self.note else [])
        )

    def csv(self) -> str:
        """Write the evaluation trace table as comma-separated values: one record for each line, in full precision."""
        return self.whole.csv()

    def data(self) -> dict[str, list[Any]]:
        """Return the trace table as lists by title, in full precision; ``pandas.DataFrame`` takes this as it is."""
        return self.whole.data()

    __str__ = __repr__ = text
    _repr_html_ = html


@check_keywords
def table(
    f: Callable[..., Any] | Trace,
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    mode: str | None = None,
    direction: Any = None,
    layout: str | None = None,
    partials: bool = False,
) -> Table:
    """Run ``f(*args)`` and give its evaluation trace.

    Parameters
    ----------
    f : callable, or Trace
        The function to look at. A `Trace` that exists already is taken as it is, without `args`.
    *args : float or array_like
        Where to run it; see `record` for what stays constant.
    kwargs : mapping of str, optional
        Keyword arguments for `f`; they stay constant.
    mode : {"reverse", "forward", "both"}, optional
        Values and adjoints; values and tangents; or values, tangents and adjoints. By default that of the `Trace`, and
        ``"reverse"`` for a function.
    direction : str, tuple, dict or list, optional
        Where the inputs move, one column for each direction; see `Trace.of`. By default ``"all"``: each input by
        itself.
    layout : {"stacked", "beside"}, optional
        Two tables, the reverse one in the order of the sweep (Griewank and Walther); or one, in which arrows say
        which way a column is computed (Baydin and others). By default ``"stacked"`` for the reverse mode alone.
    partials : bool
        Add a column with each local partial, as a formula and as a number.

    Returns
    -------
    Table
        A notebook shows it as HTML, `print` as text; see also `Table.latex`, `markdown`, `csv` and `data`.

    Raises
    ------
    InputError
        If an option or a direction is not one of these, or a `Trace` is of another mode.

    See Also
    --------
    Table : What `table` returns.
    Trace : The record of a run that is shown.
    draw : Draw the graph of a run.

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

    >>> print(table(lambda x: 3 * x * x, 2.0, mode="both"))
    Evaluation trace of lambda x
    line    operation  value ↓  tangent by x ↓  adjoint ↑
    ──────  ─────────  ───────  ──────────────  ─────────
    v₀      x                2               1         12
    v₁      3 · v₀           6               3          2
    v₂ = y  v₁ · v₀         12              12          1
    """
    if mode is None:
        mode = f.mode if isinstance(f, Trace) else "reverse"
    check_choice("table", "mode", mode, MODES)
    check_choice("table", "partials", partials, (True, False))
    if layout is None:
        layout = "stacked" if mode == "reverse" else "beside"
    check_choice("table", "layout", layout, LAYOUTS)
    if mode == "reverse" and direction is not None:
        raise InputError(
            f"table(direction={direction!r}) belongs to forward mode: add mode='forward' or mode='both'."
        )
    if isinstance(f, Trace):
        if f.mode != mode:
            raise InputError(
                f"This is a trace of {f.mode} mode; for mode={mode!r} give the function: table(f, *args)."
            )
        traces = [f]
    else:
        outcome, tape = record_to_show(f, args, kwargs, stop=True)
        options = {"reverse": {}, "forward": {"mode": "forward", "direction": direction or "all"}}
        modes = ("forward", "reverse") if mode == "both" else (mode,)
        traces = [read_tape(tape, f, outcome, RunOptions(**options[each])) for each in modes]
    grids, whole = _build_grids(traces, layout == "beside", partials)
    return Table(grids, whole, " ".join(filter(None, (traces[-1].warning, traces[-1].note))))


def _build_grids(
    traces: Sequence[Trace], beside: bool, partials: bool
) -> tuple[tuple[Grid, ...], Grid]:
    """Put the columns of an evaluation trace together into grids: those that are shown, and one that has all columns.

    Parameters
    ----------
    traces : sequence of Trace
        One, or the same run in forward and in reverse; the last has the sweep.
    beside : bool
        Whether one table is shown, with arrows that say which way a column is computed.
    partials : bool
        Whether there is a column with each local partial.
    """
    trace, directions = traces[-1], traces[0].directions
    forward = _forward_columns(trace) + _tangent_columns(traces[0])
    adjoints = [] if trace.mode == "forward" or trace.result is None else [_adjoint_column(trace)]
    # The local partials, which are words, stand last.
    last = (
        [(Column(message("column.partials")), [_partials(trace, line) for line in trace.lines])]
        if partials
        else []
    )
    whole = _grid(trace, [*forward, *adjoints, *last], arrows=True)
    if beside:
        return (whole,), whole
    sweep = [_sweep_grid(trace)] if adjoints else []
    return (_grid(trace, [*forward, *last], arrows=bool(directions)), *sweep), whole


def _grid(trace: Trace, filled: Sequence[FilledColumn], arrows: bool) -> Grid:
    columns = tuple(
        column if arrows else Column(column.title, column.numeric) for column, _ in filled
    )
    rows = tuple(zip(*(cells for _, cells in filled), strict=True))
    return Grid(message("table", title=trace.title), columns, rows)


def _forward_columns(trace: Trace) -> list[FilledColumn]:
    names = [_name(line, trace.name_result(i)) for i, line in enumerate(trace.lines)]
    return [
        (Column(message("column.line")), names),
        (
            Column(message("column.operation")),
            [Cell(line.expression, line.latex, line.text) for line in trace.lines],
        ),
        (Column(message("column.value"), True, DOWN), [_value(line.value) for line in trace.lines]),
    ]


def _name(line: Line, called: str) -> Cell:
    """The name of a line on the tape, and what else it is called, if anything."""
    text = [line.display_name, *([called] if called else [])]
    return Cell(
        " = ".join(text), " = ".join(map(notation.latex, [line.name, *text[1:]])), line.name
    )


def _partials(trace: Trace, line: Line) -> Cell:
    joined = _join(
        [_partial(trace, line, operand) for operand in line.operands if operand.line is not None]
    )
    return Cell(joined.text, joined.latex, joined.text)


def _join(cells: Sequence[Cell]) -> Cell:
    """One cell with what several have, in a row."""
    return Cell(
        ";  ".join(cell.text for cell in cells), r",\quad ".join(cell.latex for cell in cells)
    )


def _partial(trace: Trace, line: Line, operand: Operand) -> Cell:
    """``∂v₄/∂v₀ = cos v₀ = 0.2837``; of a map, which has no table of partials, what goes back through it."""
    parent = trace.lines[operand.parent]
    formula = format_expression(operand.formula)
    if operand.partial is None:
        if operand.formula == "0":
            return Cell(
                f"∂{line.display_name}/∂{parent.display_name} = 0", f"{_quotient(line, parent)} = 0"
            )
        name = message("way back", adjoint=format_adjoint(parent.name), map=formula)
        parts = message_parts(
            "way back", adjoint=(notation.latex_adjoint(parent.name),), map=(operand.latex,)
        )
        return Cell(
            name, " ".join(x[0] if isinstance(x, tuple) else rf"\text{{{x}}}" for x in parts)
        )
    number = operand.partial.text
    same = formula in ("", number)
    latex = [_quotient(line, parent), *([] if same else [operand.latex]), latex_value(number)]
    text = [f"∂{line.display_name}/∂{parent.display_name}", *([] if same else [formula]), number]
    return Cell(" = ".join(text), " = ".join(latex))


def _quotient(line: Line, parent: Line) -> str:
    return rf"\partial {notation.latex(line.name)} / \partial {notation.latex(parent.name)}"


def _tangent_columns(trace: Trace) -> list[FilledColumn]:
    """The tangents, one column for each direction."""
    last = trace.tangents_at(len(trace.steps) - 1)
    return [
        (Column(_direction_title(direction), True, DOWN), [_value(of_line[k]) for of_line in last])
        for k, direction in enumerate(trace.directions)
    ]


def _direction_title(direction: Direction) -> str:
    if direction.name == "custom":
        return message("column.tangent along", direction=direction.shown)
    return message("column.tangent", name=direction.name)


def _adjoint_column(trace: Trace) -> FilledColumn:
    """The column that is computed against the program."""
    last = trace.adjoints_at(len(trace.steps) - 1)
    return Column(message("column.adjoint"), True, UP), [_adjoint(adjoint) for adjoint in last]


def _adjoint(adjoint: Number | None) -> Cell:
    return _words("not reached") if adjoint is None else _value(adjoint)


def _words(key: str) -> Cell:
    return Cell(message(key), rf"\text{{{notation.latex_text(message(key))}}}")


def _sweep_grid(trace: Trace) -> Grid:
    """The sweep in its own order: each line, its adjoint, and what it sends."""
    swept: dict[int, list[Step]] = {}
    for step in trace.steps:
        if step.phase == "sweep":
            swept.setdefault(step.line, []).append(step)
    last = trace.adjoints_at(len(trace.steps) - 1)
    rows = []
    first = -1 if trace.result is None else trace.result
    for i in range(first, -1, -1):
        line, adjoint = trace.lines[i], last[i]
        if adjoint is None and line.kind == "operation":
            continue
        name = _name(line, line.label if line.kind == "input" else "")
        rows.append(
            (name, _adjoint(adjoint), _sends(trace, swept[i]) if i in swept else Cell("", ""))
        )
    columns = (
        Column(message("column.line")),
        Column(message("column.adjoint"), True),
        Column(message("column.sends")),
    )
    return Grid(message("table of the sweep"), columns, tuple(rows))


def _value(value: Number) -> Cell:
    return Cell(
        value.text, latex_value(value.text), value.text if value.value is None else value.value
    )


def _sends(trace: Trace, steps: Sequence[Step]) -> Cell:
    cells = [_send(trace, step, send) for step in steps for send in step.sends]
    return _join(cells) if cells else _words("sends nothing")


def _send(trace: Trace, step: Step, send: Contribution) -> Cell:
    """``v̄₀ = −0.2837 + 1 · 2 = 1.7163``: the sum at the parent, as this contribution arrives."""
    name = trace.lines[send.parent].name
    operand = trace.lines[step.line].operands[send.slot]
    before = f"{send.before.text} + " if send.before is not None else ""
    if send.contribution.shape and not send.contribution.lists_entries:
        text = send.after.text
    elif (
        operand.partial is None
        or step.adjoint is None
        or step.adjoint.shape
        or send.contribution.shape
    ):
        text = (
            f"{before}{notation.atom(send.contribution.text) if before else send.contribution.text}"
        )
    else:
        term = f"{step.adjoint.text} · {notation.atom(operand.partial.text)}"
        text = f"{before}({term})" if before and term.startswith("−") else f"{before}{term}"
    text = text if text == send.after.text else f"{text} = {send.after.text}"
    return Cell(
        f"{format_adjoint(name)} = {text}", f"{notation.latex_adjoint(name)} = {latex_value(text)}"
    )
