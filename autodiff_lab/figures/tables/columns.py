"""The columns of an evaluation trace table, each with a cell for every line of the trace."""

from collections.abc import Sequence

from autodiff_lab.text import notation
from autodiff_lab.text.messages import message, message_parts
from autodiff_lab.text.notation import format_adjoint, format_expression, latex_value
from autodiff_lab.text.table import DOWN, UP, Cell, Column, Grid
from autodiff_lab.trace.model import Contribution, Direction, Line, Number, Operand, Step, Trace

FilledColumn = tuple[Column, list[Cell]]
"""A column and its cells."""


def build_grids(traces: Sequence[Trace], beside: bool, partials: bool) -> tuple[tuple[Grid, ...], Grid]:
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
    last = [(Column(message("column.partials")), [_partials(trace, line) for line in trace.lines])] if partials else []
    whole = _grid(trace, [*forward, *adjoints, *last], arrows=True)
    if beside:
        return (whole,), whole
    sweep = [_sweep_grid(trace)] if adjoints else []
    return (_grid(trace, [*forward, *last], arrows=bool(directions)), *sweep), whole


def _grid(trace: Trace, filled: Sequence[FilledColumn], arrows: bool) -> Grid:
    columns = tuple(column if arrows else Column(column.title, column.numeric) for column, _ in filled)
    rows = tuple(zip(*(cells for _, cells in filled), strict=True))
    return Grid(message("table", title=trace.title), columns, rows)


def _forward_columns(trace: Trace) -> list[FilledColumn]:
    return [
        (Column(message("column.line")), _names(trace)),
        (Column(message("column.operation")), [Cell(line.expression, line.latex, line.text) for line in trace.lines]),
        (Column(message("column.value"), True, DOWN), [_value(line.value) for line in trace.lines]),
    ]


def _names(trace: Trace) -> list[Cell]:
    return [_name(line, trace.result_name if i == trace.result else "") for i, line in enumerate(trace.lines)]


def _name(line: Line, called: str) -> Cell:
    """The name of a line on the tape, and what else it is called, if anything."""
    text = [line.display_name, *([called] if called else [])]
    return Cell(" = ".join(text), " = ".join(map(notation.latex, [line.name, *text[1:]])), line.name)


def _partials(trace: Trace, line: Line) -> Cell:
    cells = [_partial(trace, line, operand) for operand in line.operands if operand.line is not None]
    text, latex = ";  ".join(cell.text for cell in cells), r",\quad ".join(cell.latex for cell in cells)
    return Cell(text, latex, text)


def _partial(trace: Trace, line: Line, operand: Operand) -> Cell:
    """``∂v₄/∂v₀ = cos v₀ = 0.2837``; of a map, which has no table of partials, what goes back through it."""
    parent = trace.lines[operand.line]
    formula = format_expression(operand.formula)
    if operand.partial is None:
        if operand.formula == "0":
            return Cell(f"∂{line.display_name}/∂{parent.display_name} = 0", f"{_quotient(line, parent)} = 0")
        name = message("way back", adjoint=format_adjoint(parent.name), map=formula)
        parts = message_parts("way back", adjoint=(notation.latex_adjoint(parent.name),), map=(operand.latex,))
        return Cell(name, " ".join(x[0] if isinstance(x, tuple) else rf"\text{{{x}}}" for x in parts))
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
    for i in range(trace.result, -1, -1):
        line, adjoint = trace.lines[i], last[i]
        if adjoint is None and line.kind == "operation":
            continue
        name = _name(line, line.label if line.kind == "input" else "")
        rows.append((name, _adjoint(adjoint), _sends(trace, swept[i]) if i in swept else Cell("", "")))
    columns = (Column(message("column.line")), Column(message("column.adjoint"), True), Column(message("column.sends")))
    return Grid(message("table of the sweep"), columns, tuple(rows))


def _value(value: Number) -> Cell:
    return Cell(value.text, latex_value(value.text), value.text if value.value is None else value.value)


def _sends(trace: Trace, steps: Sequence[Step]) -> Cell:
    cells = [_send(trace, step, send) for step in steps for send in step.sends]
    if not cells:
        return _words("sends nothing")
    return Cell(";  ".join(cell.text for cell in cells), r",\quad ".join(cell.latex for cell in cells))


def _send(trace: Trace, step: Step, send: Contribution) -> Cell:
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
    return Cell(f"{format_adjoint(name)} = {text}", f"{notation.latex_adjoint(name)} = {latex_value(text)}")
