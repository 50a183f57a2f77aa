"""A graph that is shown in groups, which open: a layout of its own for what is directly inside of each section.

A view puts them into each other by itself (`stretch.js`), so only sizes matter here. Turns of a loop mostly have the
same shape, and each shape is laid out once.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from autodiff_lab.figures.boxes import SIZE, node_widths, text_width
from autodiff_lab.figures.drawing import Drawing
from autodiff_lab.figures.fonts import stack
from autodiff_lab.figures.groups import Group
from autodiff_lab.figures.layout import layouts_of
from autodiff_lab.figures.nodes import MOST_OUTPUTS, NODE_HEIGHT, SMALL_HEIGHT, group_width, size_of, small_width
from autodiff_lab.figures.notation import shortened
from autodiff_lab.figures.outline import Section, nested, outlined
from autodiff_lab.figures.trace import Line, Number, Operand, Trace
from autodiff_lab.figures.wiring import last_uses, outputs, write
from autodiff_lab.figures.words import in_its_language, say, spoken

WHOLE = 150
"""A graph of so many lines is drawn operation by operation."""

_TITLE = 30
_ROW, _AIR = 21, 10
_USUAL = "−0.0000"
"""Room for an adjoint that is not complete yet."""

_ZERO = text_width("0")


def identify(section: Section) -> str:
    """The id of a section: no other has the same lines.

    >>> identify(Section("loop", "for k in range(3):", 2, 14))
    'g2_14'
    """
    return f"g{section.first}_{section.end}"


@in_its_language
def layout(trace: Trace) -> dict[str, Any]:
    """Give the places of the outermost groups of a run, and of what is inside of each.

    Returns
    -------
    dict
        As `graphs.layout` gives it; a group is ``g{line}``, after its first line. An edge has also the ``"ends"`` that
        it leads from and to. ``"groups"`` has for each group, by the first and the end of its lines (``"g2_14"``), its
        ``"title"`` and size (``"said"``), the lines whose values leave it (``"outs"``), and the ``"layout"`` of what
        is inside.
    """
    where, turns = ([getattr(line, name) for line in trace.lines] for name in ("where", "turns"))
    run = nested(trace.sources, where, turns, len(trace.inputs))
    run = outlined(run, lambda i: trace.lines[i].shown)
    last = last_uses([[operand.line for operand in line.operands] for line in trace.lines], trace.result)
    around, *inside = laid_out(list(run.walk()), trace.lines, Sizes.of(trace), last)
    sections = list(run.walk())[1:]
    groups = {
        identify(one): {**told(one), **_leaving(one, last), "layout": places}
        for one, places in zip(sections, inside, strict=True)
    }
    return {**around, "groups": groups}


@in_its_language
def stretch(trace: Trace, pieces: Sequence[Section], last: Sequence[int]) -> dict[str, Any]:
    """Give the places inside of some sections of a long run, of which `trace` is the excerpt that has their lines.

    Parameters
    ----------
    trace : Trace
    pieces : sequence of Section
        By the numbers of the whole run, as are the ids, and the lines that leave a group.
    last : sequence of int
        The last line that uses each line of the whole run.
    """
    start, _, at = trace.excerpt.parts[0]
    sections = [section for piece in pieces for section in (piece.walk() if piece.inside else [piece])]
    own = [_moved(section, start - at) for section in sections]
    last = [last[i] + start - at for i in (*trace.excerpt.before, *range(at, pieces[-1].end))]
    found = laid_out(own, trace.lines, Sizes.of(trace), last)
    groups = {}
    for section, mine, places in zip(sections, own, found, strict=True):
        leaving = _leaving(mine, last)
        outs = [i + at - start for i in leaving["outs"]]
        groups[identify(section)] = {**told(section), **leaving, "outs": outs, "layout": places}
    return {"width": 0, "height": 0, "nodes": {}, "edges": {}, "groups": groups}


def whole(
    sections: Sequence[Section],
    lines: Sequence[Line],
    tape: Any,
    last: Sequence[int],
    arrivals: Mapping[int, tuple[int, int, Any]],
) -> dict[str, Any]:
    """Give the groups of a long run without the operations: each is a box with the values that leave it.

    Parameters
    ----------
    sections : sequence of Section
        The run itself, and the groups in it whose inside is to be there.
    lines : sequence of Line
        Read only where a value leaves a group.
    tape : Tape
    last : sequence of int
        The last line that uses each line.
    arrivals : mapping
        When the first and the last contribution come to a line, and the adjoint that it has then.

    Returns
    -------
    dict
        As `layout` gives it. ``"outs"`` are the number of a line, its name, its value, its adjoint, and the steps of
        the whole run at which the adjoint begins and is complete.
    """
    final = functools.cache(lambda i: Number.of(arrivals[i][2]).in_node if i in arrivals else "")
    sizes = Sizes(lines, (), lambda i: [max(final(i), _USUAL, key=len)])
    wires = [_Wire(tuple(_End(parent if parent >= 0 else None) for parent in parents)) for parents in tape.parents]
    around, *inside = laid_out(sections, wires, sizes, last, leaves=False)
    groups: dict[str, Any] = {}

    def leaves(i: int) -> tuple[Any, ...]:
        return i, lines[i].called, lines[i].value.in_node, *((final(i), *arrivals[i][:2]) if i in arrivals else ())

    for section in sections:
        for part in section.inside:
            leaving = _leaving(part, last)
            name = {"input": lines[part.first].called, "operation": lines[part.first].shown}.get(part.kind)
            said = {"title": name, "said": ""} if name else told(part)
            kind = {"input": True} if part.kind == "input" else {}
            groups[identify(part)] = {**said, **leaving, **kind, "outs": [leaves(i) for i in leaving["outs"]]}
    for section, places in zip(sections[1:], inside, strict=True):
        groups[identify(section)]["layout"] = places
    return {**around, "groups": groups}


class _End(NamedTuple):
    line: int | None


class _Wire(NamedTuple):
    """All that has to be known of a line inside of a group."""

    operands: tuple[_End, ...]


def _moved(section: Section, by: int) -> Section:
    inside = tuple(_moved(one, by) for one in section.inside)
    return section._replace(first=section.first + by, end=section.end + by, inside=inside)


def told(section: Section) -> dict[str, Any]:
    """What is said of a group: its title, cut if it is long, and how many operations it has."""
    short = shortened(section.title, _TITLE)
    whole = {} if short == section.title else {"whole": section.title}
    return {"title": short, **whole, "said": size_of(grouped(section))}


def _leaving(section: Section, last: Sequence[int]) -> dict[str, Any]:
    leaving = outputs(section, last)
    more = {"more": len(leaving) - MOST_OUTPUTS} if len(leaving) > MOST_OUTPUTS else {}
    return {"outs": leaving[:MOST_OUTPUTS], **more}


def grouped(section: Section) -> Group:
    """A section as one box."""
    return Group(shortened(section.title, _TITLE), section.first, section.end, section.n if section.kind == "loop" else 1)


def laid_out(
    sections: Iterable[Section], lines: Sequence[Any], sizes: Sizes, last: Sequence[int], leaves: bool = True
) -> list[dict[str, Any]]:
    """Lay out what is directly inside of each section.

    Parameters
    ----------
    sections : iterable of Section
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
        boxes = [grouped(part) for part in section.inside if part.inside or not leaves]
        within = range(section.first, section.end)
        write(shape, lines, sizes, boxes, lambda group: outputs(group, last), within)
        shapes.append(shape)
    drawings = {shape.key: shape.drawing() for shape in shapes}
    places = dict(zip(drawings, layouts_of(list(drawings.values())), strict=True))
    return [shape.named(places[shape.key]) for shape in shapes]


class _Shape:
    """Boxes of some sizes and ways between them, whatever they are called."""

    def __init__(self) -> None:
        self._nodes: dict[str, Mapping[str, str]] = {}
        self._edges: dict[str, tuple[str, str, Mapping[str, str]]] = {}

    def node(self, name: str, **look: str) -> None:
        self._nodes[name] = look

    def edge(self, tail: str, head: str, id: str, **look: str) -> None:
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
            name: {**places["edges"][str(k)], "ends": [tail, head]}
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
        return {"id": f"e{i}_{slot}", **_labelled(operand.edge)}

    def flow(self, tail: int, named: bool, head: Group) -> dict[str, str]:
        """The way of a value into a group; it has its name, if more than one leaves where it comes from."""
        return {"id": f"f{tail}_{head.first}", **_labelled(self._lines[tail].shown if named else "")}

    def group(self, group: Group, leaving: Sequence[int]) -> dict[str, str]:
        """A closed group: its title, its size, and the values that leave it."""
        texts = [group.title, size_of(group)]
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


def _labelled(text: str) -> dict[str, str]:
    return {"label": "0" * math.ceil(text_width(text) / _ZERO)} if text else {}
