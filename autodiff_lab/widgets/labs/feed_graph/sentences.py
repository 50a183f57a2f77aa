"""What FeedGraph says: one or two sentences about the state of a graph."""

from __future__ import annotations

from typing import Any

from autodiff_lab.text.notation import number
from autodiff_lab.widgets.labs.feed_graph.passes import Pass


def write_sentence(snap: dict[str, Any], way: Pass) -> str:
    """Write the sentence of FeedGraph: what the last press did in the graph, or what to ask before the next."""
    if way.phase:
        return _about_the_run(way) if way.phase == "forward" else _about_the_sweep(snap, way)
    if snap["built"] == 0:
        return "Nothing is built, and nothing is computed. Press Build a line: which values will there be afterwards?"
    return _about_the_line(snap)


def _about_the_line(snap: dict[str, Any]) -> str:
    line = snap["lines"][snap["built"] - 1]
    name = line.partition(" = ")[0]
    text = f"{line} is built: {snap['count']} nodes, and no value in any of them."
    host = next((host for host, node in snap["nodes"].items() if name in node["names"] and name != host), None)
    if host:
        text += f" {name} is no new node: it is {host}, which was given one more operand."
    return text + (" Feed the inputs, and press Forward." if snap["built"] == len(snap["lines"]) else "")


def _about_the_run(way: Pass) -> str:
    if way.over and way.refused:
        return way.refused
    if way.now.node is None:
        return f"Each node counts the operands it waits for. {_list_ready(way)}"
    text = f"{way.now.node} is computed. "
    if not way.over:
        return text + _list_ready(way)
    if not way.stuck:
        return f"{text}Every node has its value. Press Backward, or feed other numbers."
    return f"{text}The queue is empty, and {' and '.join(way.stuck)} still waits: for itself. It never gets a value."


def _about_the_sweep(snap: dict[str, Any], way: Pass) -> str:
    if way.now.node is None:
        seeds = way.told or f"The adjoint of {way.target} is 1."
        return f"Each node counts the contributions that are still to come. {_list_ready(way)} {seeds}"
    if not way.over:
        node = snap["nodes"][way.now.node]
        sends = ", and sends to its operands" if node["operands"] else ""
        adjoint = _write_adjoint(node["adjoint"])
        return f"The adjoint of {way.now.node} is complete: {adjoint}{sends}. {_list_ready(way)}"
    slopes = zip(snap["inputs"], snap["rows"][way.target], strict=True)
    found = ", ".join(f"{name} has {_write_adjoint(slope)}" for name, slope in slopes)
    text = f"The sweep from {way.target} is over: {found}."
    if " + " in way.target:
        return f"{text} These are sums over the outputs. For a row of the Jacobian, go back from one output."
    return f"{text} Press Backward again: each sweep counts anew."


def _list_ready(way: Pass) -> str:
    return f"Ready: {', '.join(way.now.queue)}." if way.now.queue else "None is ready."


def _write_adjoint(adjoint: float | None) -> str:
    return "nothing" if adjoint is None else number(adjoint)
