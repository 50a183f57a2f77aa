"""Evaluation trace tables, as in Griewank and Walther: the forward run, and the reverse sweep in its own order.

With ``layout="beside"``, one table has columns for primal, tangent and adjoint, as in the survey of Baydin and others
(2018, tables 2 and 3). `text.grid` writes the tables as text, HTML, LaTeX, Markdown and CSV.
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
        The tables that are shown: one, or the forward one and the reverse one.
    whole : Grid
        One table with all columns and a row for each line of the tape, for `csv` and `data`.
    note : str
        A remark if something about this run is unusual.

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
        """The trace table of the reverse sweep: line, adjoint, and what it sends; None if there is only one table."""
        return self.grids[1] if len(self.grids) > 1 else None

    def text(self) -> str:
        """Write the evaluation trace table as plain text, as `print` shows it."""
        parts = [grid.text() for grid in self.grids]
        if self.note:
            parts.append(self.note)
        return "\n\n".join(parts)

    def html(self) -> str:
        """Write the evaluation trace table as HTML, as a notebook shows it."""
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return "".join(grid.html() for grid in self.grids) + note

    def latex(self) -> str:
        """Write the evaluation trace table as LaTeX for math mode, the sweep below the forward run."""
        gap = "\n" + r"\\[2ex]" + "\n"
        arrays = gap.join(grid.latex() for grid in self.grids)
        return "\n".join([r"\begin{array}{l}", arrays, r"\end{array}"])

    def markdown(self) -> str:
        """Write the evaluation trace table as Markdown."""
        parts = [grid.markdown() for grid in self.grids]
        if self.note:
            parts.append(escape(self.note))
        return "\n\n".join(parts)

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
    """Run ``f(*args)`` and return its evaluation trace as a table.

    Parameters
    ----------
    f : callable, or Trace
        The function, or the record of a run; a `Trace` needs no `args`.
    *args : float or array_like
        The inputs; see `record` for what stays constant.
    kwargs : mapping of str, optional
        Keyword arguments for `f`; they stay constant.
    mode : {"reverse", "forward", "both"}, optional
        Values and adjoints; values and tangents; or values, tangents and adjoints. By default the mode of the `Trace`,
        and ``"reverse"`` for a function.
    direction : str, tuple, dict or list, optional
        The directions of the tangents, one column for each; see `Trace.of`. By default ``"all"``: one for each input.
    layout : {"stacked", "beside"}, optional
        ``"stacked"`` is two tables, the second in the order of the sweep (Griewank and Walther). ``"beside"`` is one
        table, in which an arrow shows whether a column is computed downwards or upwards (Baydin and others). By
        default ``"stacked"`` for reverse mode, and else ``"beside"``.
    partials : bool
        Add a column with each local partial, as a formula and as a number.

    Returns
    -------
    Table
        A notebook shows it as HTML, `print` as text; see also `Table.latex`, `markdown`, `csv` and `data`.

    Raises
    ------
    InputError
        If an option or a direction is not one of these, or the `Trace` was recorded in another mode.

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
    if not isinstance(f, Trace):
        traces = _record_traces(f, args, kwargs, mode, direction or "all")
    elif f.mode == mode:
        traces = [f]
    else:
        raise InputError(
            f"This is a trace of {f.mode} mode; for mode={mode!r} give the function: table(f, *args)."
        )
    grids, whole = _build_grids(traces, layout == "beside", partials)
    remarks = (traces[-1].warning, traces[-1].note)
    return Table(grids, whole, " ".join(filter(None, remarks)))


def _record_traces(
    f: Callable[..., Any], args: Sequence[Any], kwargs: Any, mode: str, direction: Any
) -> list[Trace]:
    """Run `f` once, and return its trace in forward mode, in reverse mode, or in both in this order."""
    outcome, tape = record_to_show(f, args, kwargs, stop=True)
    traces = []
    if mode != "reverse":
        options = RunOptions(mode="forward", direction=direction)
        traces.append(read_tape(tape, f, outcome, options))
    if mode != "forward":
        traces.append(read_tape(tape, f, outcome, RunOptions()))
    return traces


def _build_grids(
    traces: Sequence[Trace], beside: bool, partials: bool
) -> tuple[tuple[Grid, ...], Grid]:
    """Put the columns of an evaluation trace into grids: those that are shown, and one that has all columns.

    Parameters
    ----------
    traces : sequence of Trace
        One, or the same run in forward and in reverse mode; the last one has the sweep.
    beside : bool
        Whether all columns are shown in one table, with arrows.
    partials : bool
        Whether there is a column with the local partials.
    """
    trace = traces[-1]
    tangents = _tangent_columns(traces[0])
    forward = [*_forward_columns(trace), *tangents]
    has_sweep = trace.mode != "forward" and trace.result is not None
    adjoints = [_adjoint_column(trace)] if has_sweep else []
    last = [_partials_column(trace)] if partials else []
    whole = _grid(trace, [*forward, *adjoints, *last], arrows=True)
    if beside:
        return (whole,), whole
    grids = [_grid(trace, [*forward, *last], arrows=bool(tangents))]
    if has_sweep:
        grids.append(_sweep_grid(trace))
    return tuple(grids), whole


def _grid(trace: Trace, filled: Sequence[FilledColumn], arrows: bool) -> Grid:
    """Make a table of columns; `arrows` in their titles show whether they are computed downwards or upwards."""
    columns = [column for column, _ in filled]
    if not arrows:
        columns = [Column(column.title, column.numeric) for column in columns]
    rows = zip(*(cells for _, cells in filled), strict=True)
    return Grid(message("table", title=trace.title), tuple(columns), tuple(rows))


def _forward_columns(trace: Trace) -> list[FilledColumn]:
    """Make the columns of the forward run: the name, the operation and the value of each line."""
    names = [_name(line, trace.name_result(i)) for i, line in enumerate(trace.lines)]
    operations = [Cell(line.expression, line.latex, line.text) for line in trace.lines]
    values = [_value(line.value) for line in trace.lines]
    return [
        (Column(message("column.line")), names),
        (Column(message("column.operation")), operations),
        (Column(message("column.value"), True, DOWN), values),
    ]


def _name(line: Line, other: str) -> Cell:
    """Write the name of a line on the tape, and its other name, if it has one: ``v₂ = y``."""
    if not other:
        return Cell(line.display_name, notation.latex(line.name), line.name)
    return Cell(
        f"{line.display_name} = {other}",
        f"{notation.latex(line.name)} = {notation.latex(other)}",
        line.name,
    )


def _partials_column(trace: Trace) -> FilledColumn:
    """Make the column of the local partials; they are formulas, so it is the last one."""
    return Column(message("column.partials")), [_partials(trace, line) for line in trace.lines]


def _partials(trace: Trace, line: Line) -> Cell:
    """Write the local partials of a line with respect to all its operands."""
    operands = [operand for operand in line.operands if operand.line is not None]
    joined = _join([_partial(trace, line, operand) for operand in operands])
    return Cell(joined.text, joined.latex, joined.text)


def _join(cells: Sequence[Cell]) -> Cell:
    """Write the contents of several cells into one."""
    text = ";  ".join(cell.text for cell in cells)
    latex = r",\quad ".join(cell.latex for cell in cells)
    return Cell(text, latex)


def _partial(trace: Trace, line: Line, operand: Operand) -> Cell:
    """Write a local partial: ``∂v₄/∂v₀ = cos v₀ = 0.2837``.

    For a linear map of arrays, whose partials would be a large matrix, write its transpose instead.
    """
    parent = trace.lines[operand.parent]
    formula = format_expression(operand.formula)
    texts = [f"∂{line.display_name}/∂{parent.display_name}"]
    latex = [rf"\partial {notation.latex(line.name)} / \partial {notation.latex(parent.name)}"]
    if operand.partial is not None:
        number = operand.partial.text
        if formula not in ("", number):
            texts.append(formula)
            latex.append(operand.latex)
        texts.append(number)
        latex.append(latex_value(number))
        return Cell(" = ".join(texts), " = ".join(latex))
    if operand.formula == "0":
        return Cell(f"{texts[0]} = 0", f"{latex[0]} = 0")
    text = message("way back", adjoint=format_adjoint(parent.name), map=formula)
    # A part is a word of the message, or a tuple with one formula.
    parts = message_parts(
        "way back", adjoint=(notation.latex_adjoint(parent.name),), map=(operand.latex,)
    )
    written = [part[0] if isinstance(part, tuple) else rf"\text{{{part}}}" for part in parts]
    return Cell(text, " ".join(written))


def _tangent_columns(trace: Trace) -> list[FilledColumn]:
    """Make the columns of the tangents, one for each direction."""
    tangents = trace.tangents_at(len(trace.steps) - 1)
    columns: list[FilledColumn] = []
    for k, direction in enumerate(trace.directions):
        column = Column(_direction_title(direction), True, DOWN)
        columns.append((column, [_value(of_line[k]) for of_line in tangents]))
    return columns


def _direction_title(direction: Direction) -> str:
    """Write the title of a column of tangents."""
    if direction.name == "custom":
        return message("column.tangent along", direction=direction.shown)
    return message("column.tangent", name=direction.name)


def _adjoint_column(trace: Trace) -> FilledColumn:
    """Make the column of the adjoints, which is computed from the last line to the first."""
    adjoints = trace.adjoints_at(len(trace.steps) - 1)
    return Column(message("column.adjoint"), True, UP), [_adjoint(each) for each in adjoints]


def _adjoint(adjoint: Number | None) -> Cell:
    return _words("not reached") if adjoint is None else _value(adjoint)


def _words(key: str) -> Cell:
    """Write a message that stands in for a number."""
    text = message(key)
    return Cell(text, rf"\text{{{notation.latex_text(text)}}}")


def _sweep_grid(trace: Trace) -> Grid:
    """Make the table of the sweep, in its own order: each line, its adjoint, and what it sends."""
    steps_of: dict[int, list[Step]] = {}
    for step in trace.steps:
        if step.phase == "sweep":
            steps_of.setdefault(step.line, []).append(step)
    adjoints = trace.adjoints_at(len(trace.steps) - 1)
    rows = []
    last = -1 if trace.result is None else trace.result
    for i in range(last, -1, -1):
        line = trace.lines[i]
        if adjoints[i] is None and line.kind == "operation":
            continue
        name = _name(line, line.label if line.kind == "input" else "")
        sends = _sends(trace, steps_of[i]) if i in steps_of else Cell("", "")
        rows.append((name, _adjoint(adjoints[i]), sends))
    columns = (
        Column(message("column.line")),
        Column(message("column.adjoint"), True),
        Column(message("column.sends")),
    )
    return Grid(message("table of the sweep"), columns, tuple(rows))


def _value(value: Number) -> Cell:
    """Write a number or an array; its `data` is the number in full precision."""
    data = value.text if value.value is None else value.value
    return Cell(value.text, latex_value(value.text), data)


def _sends(trace: Trace, steps: Sequence[Step]) -> Cell:
    """Write the contributions that a line sends to its operands."""
    cells = [_send(trace, step, send) for step in steps for send in step.sends]
    return _join(cells) if cells else _words("sends nothing")


def _send(trace: Trace, step: Step, send: Contribution) -> Cell:
    """Write a contribution and the sum at the operand after it: ``v̄₀ = −0.2837 + 1 · 2 = 1.7163``."""
    name = trace.lines[send.parent].name
    text = _write_sum(trace, step, send)
    if text != send.after.text:
        text = f"{text} = {send.after.text}"
    return Cell(
        f"{format_adjoint(name)} = {text}", f"{notation.latex_adjoint(name)} = {latex_value(text)}"
    )


def _write_sum(trace: Trace, step: Step, send: Contribution) -> str:
    """Write the adjoint of an operand before a contribution, plus the contribution; of large arrays only the result."""
    contribution = send.contribution
    if contribution.shape and not contribution.lists_entries:
        return send.after.text
    partial = trace.lines[step.line].operands[send.slot].partial
    adjoint = step.adjoint
    if partial is None or adjoint is None or adjoint.shape or contribution.shape:
        if send.before is None:
            return contribution.text
        return f"{send.before.text} + {notation.atom(contribution.text)}"
    product = f"{adjoint.text} · {notation.atom(partial.text)}"
    if send.before is None:
        return product
    if product.startswith("−"):
        product = f"({product})"
    return f"{send.before.text} + {product}"
