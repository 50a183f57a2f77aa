"""Alternative text: a graph in words, for a reader who cannot see it."""

from __future__ import annotations

from collections.abc import Sequence

from autodiff_lab.figures.graph.node_style import size_of
from autodiff_lab.text.messages import join_items, message, template
from autodiff_lab.trace.model import Trace
from autodiff_lab.trace.outline import Group

_MAX_PARTS_SAID = 20


def describe_graph(trace: Trace, groups: Sequence[Group], adjoints: bool = True) -> str:
    """The graph in words: its boxes, as many as one can listen to, and the derivatives if it shows them."""
    derivatives = _derivatives(trace) if adjoints else ""
    if any(group.title for group in groups):
        said, kind = [message("box", title=group.title, size=size_of(group)) for group in groups], "graph of boxes"
    else:
        said, kind = [f"{line.source_expression} = {line.value.text}" for line in trace.lines], "graph of lines"
    shown, more = join_items(said[:_MAX_PARTS_SAID]), len(said) - _MAX_PARTS_SAID
    if more > 0:
        return message(f"{kind}, cut", all=shown, more=more, derivatives=derivatives).strip()
    return message(kind, all=shown, derivatives=derivatives).strip()


def _derivatives(trace: Trace) -> str:
    if trace.mode == "forward":
        pairs = zip(trace.directions, trace.tangent, strict=False)
        along = [
            message("tangent along", tangent=tangent.text, direction=direction.shown) for direction, tangent in pairs
        ]
        return message("graph tangent", tangents=template("semicolon").join(along) or 0)
    inputs = [trace.lines[i].label for i in trace.inputs]
    if not inputs:
        return message("no inputs")
    pairs = zip(inputs, trace.gradient, strict=True)
    adjoints = [message("named", name=name, value=message("not reached") if a is None else a.text) for name, a in pairs]
    return message("graph adjoints", adjoints=join_items(adjoints))
