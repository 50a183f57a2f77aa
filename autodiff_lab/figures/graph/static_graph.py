"""The drawing of a static graph: its nodes become lines of a `Trace`, which `draw` can draw.

Before a run, the nodes show "not computed yet"; after it, their values; and after `backward`, their adjoints.
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
# The most nodes, and the most adjoints, that the description of a drawing lists.
_MAX_DESCRIBED = 20


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
    nodes = [
        f"{line.name} = {line.source_expression} = {line.value.text}"
        for line in trace.lines[:_MAX_DESCRIBED]
    ]
    n_more = len(trace.lines) - _MAX_DESCRIBED
    if n_more > 0:
        nodes.append(f"and {n_more} more nodes")
    drawing.description = f"Nodes: {', '.join(nodes)}."
    adjoints = [
        f"{trace.lines[step.line].name}: {step.adjoint.text}"
        for step in trace.steps
        if step.adjoint is not None
    ]
    if adjoints:
        drawing.description += f" Adjoints: {', '.join(adjoints[:_MAX_DESCRIBED])}."
    return drawing


def trace_of(graph: Any, targets: Sequence[Node] = ()) -> Trace:
    """Describe a static graph as a `Trace`, from which it is drawn.

    Constants become operands of the operations that use them. The steps have only the final adjoints, for a picture of
    the end; see `Graph.forward_steps` and `Graph.backward_steps` for the steps before.
    """
    shown = [
        node
        for node in _find_needed_nodes(graph, targets)
        if not isinstance(node, Constant) or node in set(targets)
    ]
    place = {node: i for i, node in enumerate(shown)}
    lines = tuple(_line(node, place) for node in shown)
    adjoints = {}
    if graph.swept:
        adjoints = {i: graph.grads[x.number] for x, i in place.items() if x.number in graph.grads}
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


def _find_needed_nodes(graph: Any, targets: Sequence[Node]) -> list[Node]:
    """Find the targets and all nodes that they depend on, in the order in which they were made."""
    needed = set(targets or graph.nodes)
    for node in reversed(graph.nodes):
        if node in needed:
            needed.update(node.operands)
    return [node for node in graph.nodes if node in needed]


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
        broadcast = {"shapes": value.flowing(to), "is_copied": value.is_copied_to(to)}
        shapes: dict[str, Any]
        if x not in place:
            # A constant number is written in the formula, so its shape isn't shown.
            shapes = broadcast if value.shape else {}
            yield Operand(None, x.name, value, **shapes)
            continue
        text = _write_formula(formula)
        partial = None if number is None else Number.of(number)
        edge, whole = edge_label(notation.format_expression(text), partial)
        title = "" if whole == edge else whole
        shapes = {} if value is UNKNOWN else broadcast
        yield Operand(place[x], x.name, value, formula=text, edge=edge, edge_title=title, **shapes)


def _write_formula(formula: Any) -> str:
    """Write a local partial, which is an expression of names, or a number; empty if there is none."""
    if formula is None:
        return ""
    if isinstance(formula, Symbol):
        return formula.text()
    return write_number(formula)


def _partials(node: Operator, operands: Sequence[Any], y: Any) -> list[Any]:
    """The local partials, of names or numbers: what the operation sends to its operands if its adjoint is 1."""
    if node.op.kind != "elementwise" or y is None:
        return [None] * len(operands)
    _, pairs = node.merged_operands()
    needed = [True] * len(operands)
    with np.errstate(all="ignore"):
        return contributions(node.op, pairs, 1.0, y, operands, node.static, needed)


def _value(node: Node) -> Number:
    """The value of a node as a displayed number, or `UNKNOWN`."""
    value = node.value if isinstance(node, Constant) else node.graph.values.get(node.number)
    if value is None and not isinstance(node, Operator):
        # A Variable has a value before the first run.
        value = node.value
    if value is None or isinstance(value, tuple):
        return UNKNOWN
    return Number.of(value)
