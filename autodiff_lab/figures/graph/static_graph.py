"""The drawing of a static graph: its nodes as lines of a `Trace`, which `draw` draws like any other.

Before a run the nodes say "not computed yet"; after it they show values, and after `backward` adjoints.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from autodiff_lab.figures.graph import draw as graphs
from autodiff_lab.figures.graph.render import Drawing
from autodiff_lab.systems.static_graph.nodes import Constant, Node, Operator
from autodiff_lab.systems.static_graph.rules import contributions
from autodiff_lab.text import notation
from autodiff_lab.text.numbers import number as write_number
from autodiff_lab.trace.model import Line, Number, Operand, Step, Trace
from autodiff_lab.trace.partials import edge_label
from autodiff_lab.transforms.symbol import Symbol

UNKNOWN = Number("not computed yet", None)
_MOST_SAID = 20


def draw_static_graph(graph: Any, targets: Sequence[Node] = (), **options: Any) -> Drawing:
    """Draw a static graph as a `Drawing`: the part that the targets need, or all of it, with the `options` of `draw`.

    Examples
    --------
    >>> from autodiff_lab.systems.static_graph import Graph, Variable
    >>> with Graph() as graph:
    ...     y = np.log(Variable(2.0, name="x"))
    >>> "not computed yet" in graph.draw(y).source
    True
    """
    trace = trace_of(graph, targets)
    drawing = graphs.draw(trace, **options)
    said = [
        f"{line.name} = {line.source_expression} = {line.value.text}"
        for line in trace.lines[:_MOST_SAID]
    ]
    said += (
        [f"and {len(trace.lines) - _MOST_SAID} more nodes"] if len(trace.lines) > _MOST_SAID else []
    )
    swept = [(trace.lines[step.line], step.adjoint) for step in trace.steps]
    adjoints = [f"{line.name}: {adjoint.text}" for line, adjoint in swept if adjoint is not None]
    drawing.description = f"Nodes: {', '.join(said)}."
    if adjoints:
        drawing.description += f" Adjoints: {', '.join(adjoints[:_MOST_SAID])}."
    return drawing


def trace_of(graph: Any, targets: Sequence[Node] = ()) -> Trace:
    """Describe a static graph as a `Trace`, the plain data that its drawing is made of.

    Constants stand beside the operations that use them. The steps are the sweep's results only, for the last picture;
    for its way there see `Graph.forward_steps` and `Graph.backward_steps`.
    """
    shown = [
        node
        for node in _part(graph, targets)
        if not isinstance(node, Constant) or node in set(targets)
    ]
    place = {node: i for i, node in enumerate(shown)}
    lines = tuple(_line(node, place) for node in shown)
    adjoints = (
        {i: graph.grads[x.number] for x, i in place.items() if x.number in graph.grads}
        if graph.swept
        else {}
    )
    steps = [Step("record" if adjoints else "forward", i) for i in range(len(lines))]
    steps += [Step("seed", i, Number.of(adjoint)) for i, adjoint in adjoints.items()]
    result = place[targets[0]] if len(targets) == 1 else None
    return Trace(
        title="static graph",
        function="graph",
        parameters=tuple(line.label for line in lines if line.kind == "input"),
        sources=(),
        note="",
        lines=lines,
        steps=tuple(steps),
        result=result,
        value=UNKNOWN if result is None else lines[result].value,
        mode="reverse" if adjoints else "forward",
    )


def _part(graph: Any, targets: Sequence[Node]) -> list[Node]:
    """The targets and what they need, in the order they were made."""
    part = set(targets or graph.nodes)
    for node in reversed(graph.nodes):
        if node in part:
            part.update(node.operands)
    return [node for node in graph.nodes if node in part]


def _line(node: Node, place: dict[Node, int]) -> Line:
    if not isinstance(node, Operator):
        kind = type(node).__name__.lower()
        return Line(
            node.name,
            "input",
            _value(node),
            label=node.name,
            symbol=node.name,
            display_name=kind,
            source_expression=kind,
        )
    expression = notation.format_expression(node.expression)
    return Line(
        name=node.name,
        kind="operation",
        value=_value(node),
        op=node.op.name,
        symbol=notation.symbol(node.op.name),
        text=node.expression,
        operands=tuple(_operands(node, place)),
        display_name=node.name,
        expression=expression,
        source_expression=expression,
    )


def _operands(node: Operator, place: dict[Node, int]) -> Iterator[Operand]:
    operands, _ = node.merged_operands()
    symbols = [x.value if isinstance(x, Constant) else Symbol(x.name) for x in operands]
    formulas = _partials(node, symbols, Symbol(node.name))
    to = _value(node).shape if node.op.kind == "elementwise" else ()
    values = [node.graph.values.get(x.number) for x in operands]
    numbers: list[Any] = [None] * len(operands)
    if all(v is not None and np.shape(v) == () for v in values):
        numbers = _partials(node, values, node.graph.values.get(node.number))
    for x, formula, number in zip(operands, formulas, numbers, strict=True):
        value = _value(x)
        told: dict[str, Any]
        if x not in place:
            told = (
                {"shapes": value.flowing(to), "is_copied": value.is_copied_to(to)}
                if value.shape
                else {}
            )
            yield Operand(None, x.name, value, **told)
            continue
        text = (
            formula.text()
            if isinstance(formula, Symbol)
            else ""
            if formula is None
            else write_number(formula)
        )
        edge, whole = edge_label(
            notation.format_expression(text), None if number is None else Number.of(number)
        )
        title = "" if whole == edge else whole
        told = (
            {}
            if value is UNKNOWN
            else {"shapes": value.flowing(to), "is_copied": value.is_copied_to(to)}
        )
        yield Operand(place[x], x.name, value, formula=text, edge=edge, edge_title=title, **told)


def _partials(node: Operator, operands: Sequence[Any], y: Any) -> list[Any]:
    """The local partials, on names or on numbers: what the operation sends to its operands when its adjoint is 1."""
    if node.op.kind != "elementwise" or y is None:
        return [None] * len(operands)
    with np.errstate(all="ignore"):
        return contributions(
            node.op,
            node.merged_operands()[1],
            1.0,
            y,
            operands,
            node.static,
            [True] * len(operands),
        )


def _value(node: Node) -> Number:
    value = node.value if isinstance(node, Constant) else node.graph.values.get(node.number)
    if value is None and not isinstance(node, Operator):
        value = node.value  # a Variable has one before the first run
    return UNKNOWN if value is None or isinstance(value, tuple) else Number.of(value)
