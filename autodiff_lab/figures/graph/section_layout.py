"""Places for what is directly inside of each section of an outline: only sizes matter, and few shapes differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from autodiff_lab.figures.graph.box_size import SIZE, node_widths, text_width
from autodiff_lab.figures.graph.dot_builder import outputs, write
from autodiff_lab.figures.graph.layout import layouts_of
from autodiff_lab.figures.graph.node_style import (
    MOST_OUTPUTS,
    NODE_HEIGHT,
    SMALL_HEIGHT,
    group_width,
    small_width,
)
from autodiff_lab.figures.graph.render import Drawing
from autodiff_lab.figures.style.fonts import stack
from autodiff_lab.text.messages import say, spoken
from autodiff_lab.trace.model import Line, Operand, Trace
from autodiff_lab.trace.outline import Section

_ROW, _AIR = 21, 10
_SIGN = "  "
"""Room before a title, for the sign that it opens."""

_ZERO = text_width("0")


def identify(section: Section) -> str:
    """The id of a section: no other has the same lines.

    >>> identify(Section("loop", "for k in range(3):", 2, 14))
    'g2_14'
    """
    return f"g{section.first}_{section.end}"


class Box(NamedTuple):
    """A section as a box: its title, and how many operations it has, with the values from elsewhere that it uses."""

    title: str
    first: int
    end: int
    said: str
    whole: str = ""

    @property
    def told(self) -> dict[str, Any]:
        """What a view is given."""
        return {"title": self.title, "said": self.said} | ({"whole": self.whole} if self.whole != self.title else {})


def laid_out(
    sections: Iterable[Section],
    boxes: Mapping[str, Box],
    lines: Sequence[Any],
    sizes: Sizes,
    last: Sequence[int],
    leaves: bool = True,
) -> list[dict[str, Any]]:
    """Lay out what is directly inside of each section.

    Parameters
    ----------
    sections : iterable of Section
    boxes : mapping of str to Box
        The closed groups, by their ids.
    lines : sequence
        The tape; `wiring.write` says what has to be known of it.
    sizes : Sizes
    last : sequence of int
        The last line that uses each line.
    leaves : bool
        Whether a single operation is drawn as such; otherwise it is a box like the others.
    """
    shapes = []
    for section in sections:
        shape = _Shape()
        closed = [boxes[identify(part)] for part in section.inside if part.inside or not leaves]
        within = range(section.first, section.end)
        write(shape, lines, sizes, closed, lambda group: outputs(group, last), within, MOST_OUTPUTS)
        shapes.append(shape)
    drawings = {shape.key: shape.drawing() for shape in shapes}
    places = dict(zip(drawings, layouts_of(list(drawings.values())), strict=True))
    return [shape.named(places[shape.key]) for shape in shapes]


class _Shape:
    """Boxes of some sizes and ways between them, whatever they are called."""

    def __init__(self) -> None:
        self._nodes: dict[str, Mapping[str, str]] = {}
        self._edges: dict[str, tuple[str, str, Mapping[str, str]]] = {}
        self._told: dict[str, dict[str, str]] = {}

    def node(self, name: str, **look: str) -> None:
        self._nodes[name] = look

    def edge(self, tail: str, head: str, id: str, shapes: str = "", **look: str) -> None:
        self._told[id] = {"shapes": shapes} if shapes else {}
        # The main way stays straight; constants, and values from elsewhere, stand aside.
        self._edges[id] = (tail, head, look | ({"weight": "8"} if tail[0] in "ng" else {}))

    @property
    def key(self) -> Any:
        number = {name: k for k, name in enumerate(self._nodes)}
        nodes = tuple(tuple(look.items()) for look in self._nodes.values())
        return nodes, tuple((number[tail], number[head], *look.items()) for tail, head, look in self._edges.values())

    def drawing(self) -> Drawing:
        type_ = {"fontname": stack(spoken()), "fontsize": str(SIZE)}
        digraph = Drawing(
            graph_attr={"rankdir": "LR", "nodesep": "0.3", "ranksep": "0.35"},
            node_attr={"shape": "box", "label": "", "fixedsize": "true", **type_},
            edge_attr={"arrowsize": "0.7", **type_},
        )
        number = {name: str(k) for k, name in enumerate(self._nodes)}
        for name, look in self._nodes.items():
            digraph.node(number[name], id=number[name], **look)
        for k, (tail, head, look) in enumerate(self._edges.values()):
            digraph.edge(number[tail], number[head], id=str(k), **look)
        return digraph

    def named(self, places: Mapping[str, Any]) -> dict[str, Any]:
        """Give the places of a shape that is equal to this one the names of this one."""
        nodes = {name: places["nodes"][str(k)] for k, name in enumerate(self._nodes)}
        edges = {
            name: {**places["edges"][str(k)], "ends": [tail, head], **self._told[name]}
            for k, (name, (tail, head, _)) in enumerate(self._edges.items())
        }
        return {**places, "nodes": nodes, "edges": edges}


class Sizes:
    """How large each part of a graph is; that is all that `laid_out` asks of it.

    Parameters
    ----------
    lines : sequence of Line
    widths : sequence of float
        The widths of operations and inputs, in inches.
    derivatives : callable
        What is written beside the value of a line, where that leaves a group: the longest of each kind.
    """

    def __init__(
        self, lines: Sequence[Line], widths: Sequence[float], derivatives: Callable[[int], Sequence[str]]
    ) -> None:
        self._lines, self._widths, self._derivatives = lines, widths, derivatives

    @classmethod
    def of(cls, trace: Trace) -> Sizes:
        """The sizes that the steps of a trace need."""
        longest: list[dict[str, str]] = [{} for _ in trace.lines]
        for step in trace.steps:
            for i, kind, text in _beside(step):
                longest[i][kind] = max(longest[i].get(kind, ""), text, key=len)
        return cls(trace.lines, node_widths(trace), lambda i: list(longest[i].values()))

    def node(self, i: int, line: Line) -> dict[str, str]:
        """A line of the tape."""
        return _sized(self._widths[i], NODE_HEIGHT)

    def constant(self, i: int, slot: int, operand: Operand) -> dict[str, str]:
        """A constant operand."""
        return _sized(small_width(operand.value.in_node), SMALL_HEIGHT)

    def again(self, node: str, user: int, tail: int) -> dict[str, str]:
        """A value from elsewhere."""
        return _sized(small_width(self._lines[tail].called), SMALL_HEIGHT)

    def edge(self, i: int, slot: int, line: Line, operand: Operand) -> dict[str, str]:
        """The way of an operand into an operation, with room for its label."""
        return {"id": f"e{i}_{slot}", **_labelled(operand.edge, operand.shapes)}

    def flow(self, tail: int, named: bool, head: Box) -> dict[str, str]:
        """The way of a value into a group; an array has its name, and so has one of several from the same place."""
        line = self._lines[tail]
        shapes = line.value.flowing()
        name = line.shown if named or shapes else ""
        return {"id": f"f{tail}_{head.first}", **_labelled(name, shapes), **({"shapes": shapes} if shapes else {})}

    def several(self, count: int, tail: int, head: Box) -> dict[str, str]:
        """The way of many values from one group into another."""
        return {"id": f"m{tail}_{head.first}_{count}", **_labelled(say("values together", n=count))}

    def group(self, group: Box, leaving: Sequence[int]) -> dict[str, str]:
        """A closed group: its title, its size, and the values that leave it."""
        texts = [group.title + _SIGN, group.said]
        for i in leaving[:MOST_OUTPUTS]:
            line = self._lines[i]
            texts.append("  ".join([line.called, line.value.in_node, *self._derivatives(i)]))
        if len(leaving) > MOST_OUTPUTS:
            texts.append(say("and more", n=len(leaving) - MOST_OUTPUTS))
        return _sized(group_width(texts), (_ROW * len(texts) + _AIR) / 72)


def _beside(step: Any) -> Iterator[tuple[int, str, str]]:
    if step.adjoint is not None:
        yield step.line, "adjoint", step.adjoint.in_node
    for send in step.sends:
        yield send.parent, "adjoint", send.after.in_node
    if step.tangents:
        yield step.line, "tangent", ", ".join(tangent.in_node for tangent in step.tangents)


def _sized(width: float, height: float) -> dict[str, str]:
    """In tenths of an inch, so that few shapes differ."""
    return {"width": f"{math.ceil(10 * width) / 10:.1f}", "height": f"{height:.2f}"}


def _labelled(*rows: str) -> dict[str, str]:
    wide = ["0" * math.ceil(text_width(row) / _ZERO) for row in rows if row]
    return {"label": r"\n".join(wide)} if wide else {}
