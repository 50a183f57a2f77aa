"""The graph of a trace: nodes with name, operation, value and adjoint; edges with the local partial."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import graphviz

from autodiff_lab.figures import notation
from autodiff_lab.figures.boxes import SIZE, heading, node_widths, text_width
from autodiff_lab.figures.drawing import Drawing, DrawingError, picture, render
from autodiff_lab.figures.layout import layout_of
from autodiff_lab.figures.trace import Line, Number, Operand, Step, Trace

__all__ = ["Drawing", "DrawingError", "draw", "graph", "layout", "picture", "render"]

FONT = "DejaVu Sans,Verdana,Helvetica,Arial,sans-serif"
# Three lines of text, and air.
_NODE_HEIGHT = 0.95
_CONSTANT_HEIGHT = 0.4
_CAREFUL = 800


def draw(f: Callable[..., Any], *args: Any) -> Drawing:
    """Draw the graph of ``f(*args)`` with its values, local partials and adjoints.

    Parameters
    ----------
    f : callable
        The function to look at.
    *args : float or array_like
        Where to run it.

    Returns
    -------
    Drawing
        A `graphviz.Digraph` that a notebook shows by itself.

    Notes
    -----
    Fifty operations take about a tenth of a second, 500 about one second, and 2500 a few seconds; the picture is
    then as wide as a house, and a table is easier to read. Beyond 800 lines the nodes are placed less carefully.

    Examples
    --------
    >>> draw(lambda x: x * x, 3.0)
    <drawing of lambda x>
    """
    return graph(Trace.of(f, *args))


def graph(trace: Trace, step: int | None = None) -> Drawing:
    """Draw a trace as it stands once a step is done.

    Parameters
    ----------
    trace : Trace
        What to draw.
    step : int, optional
        Which step of `trace.steps` was the last; −1 for none, the last step if not given. Lines that are not
        recorded yet keep their place and stay invisible, so the drawings of all steps fit on each other.

    Returns
    -------
    Drawing
        Deterministic DOT. Node ``n{line}``, constant ``c{line}_{slot}``, and edge ``e{line}_{slot}`` carry these
        ids also in the SVG, with the classes ``input``, ``operation``, ``result``, ``constant``, ``unreached``,
        ``active`` and ``carrying``.
    """
    step = len(trace.steps) - 1 if step is None else step
    picture = _Picture(trace, step)
    drawing = Drawing(
        "trace",
        graph_attr={
            "rankdir": "LR",
            "bgcolor": "transparent",
            "nodesep": "0.3",
            "ranksep": "0.35",
            "tooltip": _escaped(trace.title),
            "fontname": FONT,
        },
        node_attr={
            "shape": "box",
            "style": "rounded,filled",
            "fillcolor": notation.PAPER,
            "color": notation.LINE,
            "fontname": FONT,
            "fontsize": str(SIZE),
            "fontcolor": notation.INK,
            "height": str(_NODE_HEIGHT),
            "margin": "0.08,0.03",
        },
        edge_attr={
            "color": notation.LINE,
            "fontname": FONT,
            "fontsize": str(SIZE),
            "fontcolor": notation.INK,
            "arrowsize": "0.7",
        },
    )
    if len(trace.lines) > _CAREFUL:
        # Without a limit, Graphviz's network simplex takes most of a minute for 2500 operations.
        drawing.graph_attr.update(nslimit="0.1", nslimit1="0.1", mclimit="0.1")
    drawing.title = trace.title
    drawing.description = _described(trace)
    for i, line in enumerate(trace.lines):
        drawing.node(f"n{i}", **picture.node(i, line))
        for slot, operand in enumerate(line.operands):
            if operand.line is None:
                drawing.node(f"c{i}_{slot}", **picture.constant(i, slot, operand))
            tail = f"c{i}_{slot}" if operand.line is None else f"n{operand.line}"
            drawing.edge(tail, f"n{i}", **picture.edge(i, slot, line, operand))
    return drawing


def layout(trace: Trace) -> dict[str, Any]:
    """Give the place of every node, edge and label, for a view that draws by itself.

    Returns
    -------
    dict
        ``{"width", "height", "nodes": {id: {"x", "y", "w", "h"}}, "edges": {id: {"path", "label": {"x", "y"}}}}``
        in points, from the top left corner; x and y are centres, and a path is an SVG path from the operand to the
        border of the operation. An edge without a label has None there.
    """
    return layout_of(graph(trace))


class _Picture:
    """What each part of the graph looks like at one step."""

    def __init__(self, trace: Trace, step: int) -> None:
        self.trace = trace
        self.now: Step | None = trace.steps[step] if 0 <= step < len(trace.steps) else None
        self.recorded = trace.recorded_at(step)
        self.sweeping = self.now is not None and self.now.phase != "record"
        self.adjoints = trace.adjoints_at(step)
        self.over = step >= len(trace.steps) - 1 and self.sweeping
        self.carrying = {(self.now.line, send.slot) for send in self.now.sends} if self.now and not self.over else set()
        self.receiving = {send.parent for send in self.now.sends} if self.now and not self.over else set()
        self.widths = node_widths(trace)

    def node(self, i: int, line: Line) -> dict[str, str]:
        adjoint = self.adjoints[i]
        classes = [line.kind]
        look = {"style": "rounded,filled"}
        if line.kind == "input":
            # Square corners and a heavy border, so that the colour is not the only sign.
            look = {"style": "filled", "color": notation.GREEN, "penwidth": "2"}
        if i == self.trace.result:
            classes.append("result")
            look |= {"peripheries": "2", "penwidth": "2"}
        if self.over and adjoint is None:
            classes.append("unreached")
            look["style"] += ",dashed"
        if self.now is not None and not self.over and (i == self.now.line or i in self.receiving):
            classes.append("active")
            look |= {"color": notation.VERMILION if self.sweeping else notation.GREEN, "penwidth": "3"}
            if self.sweeping:
                look["fillcolor"] = notation.ADJOINT_PAPER
        if i >= self.recorded:
            look["style"] = "invis"
        below = "&#160;" if not self.sweeping else notation.NOT_REACHED if adjoint is None else _markup(adjoint.in_node)
        if adjoint is not None:
            below = f'<font color="{notation.ADJOINT_INK}"><b>{below}</b></font>'
        head, name = heading(self.trace, i, line)
        label = (
            f'<b>{_markup(head)}</b> <font color="{notation.SOFT_INK}">{_markup(name)}</font>'
            f'<br/><font color="{notation.VALUE_INK}"><b>{_markup(line.value.in_node)}</b></font><br/>{below}'
        )
        return look | {
            "id": f"n{i}",
            "class": " ".join(classes),
            "label": f"<{label}>",
            "width": f"{self.widths[i]:.2f}",
            "tooltip": _escaped(self._said(line, adjoint)),
        }

    def _said(self, line: Line, adjoint: Number | None) -> str:
        text = f"{line.shown} = {line.meaning} = {line.value.text}"
        return text + (f"; adjoint {adjoint.text}" if adjoint is not None else "")

    def constant(self, i: int, slot: int, operand: Operand) -> dict[str, str]:
        hidden = i >= self.recorded
        return {
            "id": f"c{i}_{slot}",
            "class": "constant",
            "label": f"<{_markup(operand.value.in_node)}>",
            "style": "invis" if hidden else "filled,dashed",
            "fillcolor": "#F3F3F3",
            "height": str(_CONSTANT_HEIGHT),
            "width": f"{max(0.4, text_width(operand.value.in_node) / 72 + 0.2):.2f}",
            "tooltip": _escaped(f"the constant {operand.value.text}"),
        }

    def edge(self, i: int, slot: int, line: Line, operand: Operand) -> dict[str, str]:
        name = f"e{i}_{slot}"
        look = {"id": name, "class": "edge-constant" if operand.line is None else "edge-operand"}
        if operand.line is None:
            look["style"] = "dashed"
        if operand.edge:
            look["label"] = f"<{_chip(operand.edge, (i, slot) in self.carrying)}>"
            look["tooltip"] = look["labeltooltip"] = _escaped(
                f"from {self.trace.lines[operand.line].shown} to {line.shown}: {operand.edge_title or operand.edge}"
            )
        if (i, slot) in self.carrying:
            # The adjoint goes against the edge: the arrow turns round.
            look |= {"class": "edge-operand carrying", "color": notation.VERMILION, "penwidth": "2.5"}
            look |= {"style": "dashed", "dir": "back", "arrowsize": "1"}
        if i >= self.recorded:
            look["style"] = "invis"
        return look


def _described(trace: Trace) -> str:
    """The graph in words: its lines, as many as one can listen to."""
    said = [f"{line.meaning} = {line.value.text}" for line in trace.lines[:20]]
    more = f", and {len(trace.lines) - 20} more lines" if len(trace.lines) > 20 else ""
    inputs = [trace.lines[i].label for i in trace.inputs]
    gradient = ", ".join(
        f"{name}: {'not reached' if a is None else a.text}" for name, a in zip(inputs, trace.gradient, strict=True)
    )
    return f"Lines: {', '.join(said)}{more}. Adjoints of the inputs: {gradient}."


def _chip(text: str, carrying: bool) -> str:
    """A label on paper of its own: the page may be white or black."""
    shown = f'<font color="{notation.ADJOINT_INK}">{_markup(text)}</font>' if carrying else _markup(text)
    return (
        f'<table border="0" cellborder="0" cellspacing="3" cellpadding="1">'
        f'<tr><td bgcolor="{notation.PAPER}">{shown}</td></tr></table>'
    )


def _markup(text: str) -> str:
    # Graphviz reads \N, \n and \\ in every label, after it has read the entities.
    return notation.escape(text).replace("\\", "&#92;&#92;")


def _escaped(text: str) -> str:
    """Escape a plain attribute: graphviz reads backslashes in it."""
    return graphviz.escape("".join(char if char.isprintable() else "�" for char in text))
