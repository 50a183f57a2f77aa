"""Layouts of graphs: the positions of boxes and the paths of edges, for a view that draws the graph itself.

A layout has all nodes of the graph, or is nested: each group has a layout of its direct contents, and
the view puts one into another. Only sizes matter here. The iterations of a loop mostly have the same
shape, and each shape is laid out once. Coordinates are a browser's: the origin at the top left, y
downwards.
"""

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import graphviz
import numpy as np

from autodiff_lab.figures.graph.boxes import (
    MAX_OUTPUTS,
    SIZE,
    BoxSizes,
    GroupBox,
    is_in_heading,
    say_size,
)
from autodiff_lab.figures.graph.dot_builder import add_graph, outputs
from autodiff_lab.figures.graph.render import Drawing, render
from autodiff_lab.figures.layered_layout.paths import Point, middle_of, write_path
from autodiff_lab.figures.style.fonts import FONT_STACK
from autodiff_lab.text.messages import join_items, message
from autodiff_lab.text.notation import shorten
from autodiff_lab.trace.excerpts import Excerpts
from autodiff_lab.trace.memory_usage import find_last_uses
from autodiff_lab.trace.model import Line, Trace
from autodiff_lab.trace.outline import Section, outline_of, simplify_outline
from autodiff_lab.trace.recorded_run import RecordedRun, number_of

# Room between two boxes of a rank, and between two ranks: enough to read a number that moves along an edge.
BESIDE, BETWEEN = 18.0, 43.2

# Room around a layout, since half of a border is drawn outside its box.
PAD = 4.0

# A graph of at most so many lines is drawn operation by operation.
MAX_SINGLE_LINES = 150

_TITLE, _USED = 30, 3
# Numbers that become longer may use so many points of a box's margin.
_MARGIN = 15

# An adjoint of usual length: room for one that isn't complete yet.
_USUAL = "−0.0000"


def layout_graph(trace: Trace, in_groups: bool = False) -> dict[str, Any]:
    """Lay out the graph of a trace from sizes alone, flat or as a nested layout with one inside each group.

    Parameters
    ----------
    trace : Trace
    in_groups : bool
        Whether the operations are in groups that can be opened; otherwise all are on one level.

    Returns
    -------
    dict
        ``{"width", "height", "nodes": {id: {"x", "y", "w", "h"}}, "edges": {id: {"path", "label": {"x", "y"}}}}``
        in points, from the top left corner; x and y are centres, and a path is an SVG path from the operand to the
        border of the operation. A label may be written over the middle of its path, where no room is kept for it; of
        an edge without one it is None. ``"ends"`` are the nodes that an edge leads from and to. The node of a line
        has its ``"head"``, as `player_heading` gives it; constant numbers are in there and have no node.
        If placing the nodes carefully took too long, ``"note"`` says that it was not done. A group is ``g{line}``,
        after its first line. ``"groups"`` has for each group, by the first and the end of its lines (``"g2_14"``), its
        ``"title"`` and size (``"said"``), the lines whose values leave it (``"outs"``), and the ``"layout"`` of what
        is inside.
    """
    if in_groups:
        run = simplify_outline(outline_of(trace), lambda i: trace.lines[i].display_name)
    else:
        count = len(trace.lines)
        operations = tuple(Section("", "", i, i + 1) for i in range(count))
        run = Section("run", "", 0, count, operations)
    used_lines = [[operand.line for operand in line.operands] for line in trace.lines]
    last = find_last_uses(used_lines, trace.result)
    sections = list(run.walk())
    boxes = _boxes(sections, trace.lines)
    sizes = BoxSizes.of(trace, player=True)
    around, *inside = _layout_sections(sections, boxes, trace.lines, sizes, last)
    if not in_groups:
        return around
    groups = {}
    for section, places in zip(sections[1:], inside, strict=True):
        name = _identify(section)
        groups[name] = {**_payload(boxes[name], last), "layout": places}
    return {**around, "groups": groups}


def fits(trace: Trace, places: Mapping[str, Any]) -> bool:
    """Whether a nested layout of another trace with the same groups has room for the values of this trace."""
    sizes = BoxSizes.of(trace)
    # The groups around the current one, each with its end and its layout; outermost first.
    around = [(len(trace.lines), places)]
    for name in sorted(places["groups"], key=_outermost_first):
        group = places["groups"][name]
        first, end = _parse_ends(name)
        while around[-1][0] < end or around[-1][0] <= first:
            around.pop()
        _, outer_layout = around[-1]
        box = GroupBox(group["title"], first, end, group["said"])
        leaving = group["outs"] + [0] * group.get("more", 0)
        needed = sizes.group(box, leaving)
        if 72 * float(needed["width"]) > outer_layout["nodes"][f"g{first}"]["w"] + _MARGIN:
            return False
        around.append((end, group["layout"]))
    return True


def _parse_ends(name: str) -> tuple[int, int]:
    """The first line of a group and the end of its lines, from its id: (2, 14) from ``g2_14``."""
    first, end = name[1:].split("_")
    return int(first), int(end)


def _outermost_first(name: str) -> tuple[int, int]:
    """Sorting key of groups by their ids: in order of their lines, a group before those inside it."""
    first, end = _parse_ends(name)
    return first, -end


def excerpt_layout(excerpts: Excerpts, number: int) -> dict[str, Any]:
    """Return the nested layout of an excerpt of a long run: the inside of its groups, by the ids of the whole run."""
    trace, pieces, last = excerpts[number], excerpts.sections(number), excerpts.last_uses
    excerpt = trace.excerpt
    assert excerpt is not None, "the trace is an excerpt of a long run"
    start, _, at = excerpt.parts[0]
    sections: list[Section] = []
    for piece in pieces:
        sections += piece.walk() if piece.inside else [piece]
    own = [_move_section(section, start - at) for section in sections]
    last = [last[i] + start - at for i in (*excerpt.before, *range(at, pieces[-1].end))]
    boxes = _boxes(own, trace.lines)
    found = _layout_sections(own, boxes, trace.lines, BoxSizes.of(trace, player=True), last)
    groups: dict[str, Any] = {}
    for section, mine, places in zip(sections, own, found, strict=True):
        # A group without a box here has one in the whole run, whose layout describes it.
        box = boxes.get(_identify(mine))
        description = _payload(box, last, lambda i: i + at - start) if box else {}
        groups[_identify(section)] = {"layout": places, **description}
    return {"width": 0, "height": 0, "nodes": {}, "edges": {}, "groups": groups}


@np.errstate(all="ignore")
def whole_layout(excerpts: Excerpts) -> dict[str, Any]:
    """Return the nested layout of a long run without operations: its groups, with the values that leave them.

    Returns
    -------
    dict
        As `layout` gives it. ``"outs"`` are the number of a line, its name, its value, its adjoint, and the steps of
        the whole run at which the adjoint begins and is complete.
    """
    sections, lines, last = excerpts.large_sections, excerpts.lines, excerpts.last_uses
    arrivals, operands = excerpts.arrivals, excerpts.run.parents
    final = functools.cache(lambda i: number_of(arrivals[i][2]).in_node if i in arrivals else "")
    sizes = BoxSizes(lines, (), lambda i: [max(final(i), _USUAL, key=len)])
    # Of a line inside a group, the layout only needs to know which lines it uses.
    wires = [
        SimpleNamespace(operands=[SimpleNamespace(line=j) for j in each if j >= 0])
        for each in operands
    ]
    boxes = _boxes(sections, wires, lines)
    around, *inside = _layout_sections(sections, boxes, wires, sizes, last)
    groups: dict[str, Any] = {}

    def leaves(i: int) -> tuple[Any, ...]:
        reached = (final(i), *arrivals[i][:2]) if i in arrivals else ()
        return (i, lines[i].label_or_name, lines[i].value.in_node, *reached)

    for section in sections:
        for part in section.inside:
            kind = {"input": True} if part.kind == "input" else {}
            groups[_identify(part)] = {**_payload(boxes[_identify(part)], last, leaves), **kind}
    for section, places in zip(sections[1:], inside, strict=True):
        groups[_identify(section)]["layout"] = places
    ways = {int(name[1:].split("_")[0]) for one in (around, *inside) for name in one["edges"]}
    return {**around, "groups": groups, "names": {i: lines[i].label_or_name for i in sorted(ways)}}


class LaidOutExcerpts(Excerpts):
    """The excerpts of a long run with their nested layouts, and the layout of the groups around them."""

    whole = functools.cached_property(whole_layout)

    def __init__(self, run: RecordedRun, f: Any) -> None:
        super().__init__(run, f)
        self.layout = functools.lru_cache(maxsize=32)(functools.partial(excerpt_layout, self))


def _identify(section: Section) -> str:
    """The id of a section: no other has the same lines.

    >>> _identify(Section("loop", "for k in range(3):", 2, 14))
    'g2_14'
    """
    return f"g{section.first}_{section.end}"


def _layout_sections(
    sections: Sequence[Section],
    boxes: Mapping[str, GroupBox],
    lines: Sequence[Any],
    sizes: BoxSizes,
    last: Sequence[int],
) -> list[dict[str, Any]]:
    """Lay out the direct contents of each section.

    Parameters
    ----------
    sections : sequence of Section
    boxes : mapping of str to GroupBox
        The closed groups, by their ids; any other section is drawn as a single operation.
    lines : sequence
        The tape; `add_graph` lists the attributes it uses.
    sizes : BoxSizes
    last : sequence of int
        The last line that uses each line.
    """
    graphs = []
    for section in sections:
        graph = BoxGraph()
        closed = [boxes[_identify(part)] for part in section.inside if _identify(part) in boxes]
        within = range(section.first, section.end)
        add_graph(graph, lines, sizes, closed, last, within, MAX_OUTPUTS, is_in_heading)
        graphs.append(graph)
    alike = {graph.key: graph for graph in graphs}
    places = {key: layout_of(graph.drawing()) for key, graph in alike.items()}
    return [graph.restore_names(places[graph.key], sizes.headings) for graph in graphs]


def _move_section(section: Section, by: int) -> Section:
    inside = tuple(_move_section(one, by) for one in section.inside)
    return section._replace(first=section.first + by, end=section.end + by, inside=inside)


def _boxes(
    sections: Sequence[Section], wires: Sequence[Any], lines: Sequence[Line] = ()
) -> dict[str, GroupBox]:
    """The boxes of the groups directly inside some sections, by their ids.

    If `lines` are given, they name the lines, and operations and inputs have boxes too.
    """
    boxes = {}
    named = lines or wires
    for section in sections:
        for part in section.inside:
            if not (part.inside or lines):
                continue
            title = part.title if part.inside else lines[part.first].label_or_name
            used: set[int | None] = set()
            for wire in wires[part.first : part.end]:
                used |= {operand.line for operand in wire.operands}
            from_before = sorted(i for i in used if i is not None and i < section.first)
            size = _describe_size(part, [named[i].label_or_name for i in from_before])
            box = GroupBox(shorten(title, _TITLE), part.first, part.end, size, title)
            boxes[_identify(part)] = box
    return boxes


def _describe_size(part: Section, used: Sequence[str]) -> str:
    """The size of a part in words, and the names of the values it uses from outside its section."""
    if part.kind == "input":
        return ""
    size = say_size(part)
    if not used:
        return size
    listed = [*used[:_USED], "…"] if len(used) > _USED else used
    return message("box uses", size=size, names=join_items(listed))


def _payload(
    box: GroupBox, last: Sequence[int], write: Callable[[int], Any] = int
) -> dict[str, Any]:
    """A closed group as a view gets it: its title, its size, and the lines whose values leave it."""
    leaving = outputs(box, last)
    payload: dict[str, Any] = {"title": box.title, "said": box.subtitle}
    if box.full_title != box.title:
        payload["whole"] = box.full_title
    payload["outs"] = [write(line) for line in leaving[:MAX_OUTPUTS]]
    if len(leaving) > MAX_OUTPUTS:
        payload["more"] = len(leaving) - MAX_OUTPUTS
    return payload


class BoxGraph:
    """A graph of plain boxes and edges to be laid out; graphs that differ only in names share a layout."""

    is_large = False

    def __init__(self) -> None:
        self.nodes: dict[str, Mapping[str, str]] = {}
        self.edges: dict[str, tuple[str, str, Mapping[str, str]]] = {}
        self._said: dict[str, tuple[str, dict[str, str]]] = {}

    def node(self, name: str, **look: str) -> None:
        """Add a plain box of a given size to the graph to be laid out."""
        self.nodes[name] = look

    def edge(
        self, tail: str, head: str, id: str, said: str = "", shapes: str = "", **look: str
    ) -> None:
        """Add an edge to the graph to be laid out, with a label if there is something `said` about it."""
        self._said[id] = said, {"shapes": shapes} if shapes else {}
        if tail[0] in "ng":
            # Edges between lines and groups stay straight; constants and repeated values are at the side.
            look["weight"] = "8"
        self.edges[id] = (tail, head, look)

    @property
    def key(self) -> Any:
        """What graphs of the same layout have in common: sizes and edges, without names."""
        number = {name: k for k, name in enumerate(self.nodes)}
        nodes = [tuple(look.items()) for look in self.nodes.values()]
        edges = []
        for tail, head, look in self.edges.values():
            edges.append((number[tail], number[head], *look.items()))
        return tuple(nodes), tuple(edges)

    def drawing(self) -> Drawing:
        """Return the graph to be laid out as a `Drawing` for Graphviz."""
        type_ = {"fontname": FONT_STACK, "fontsize": str(SIZE)}
        digraph = Drawing(
            graph_attr={
                "rankdir": "LR",
                "nodesep": f"{BESIDE / 72:g}",
                "ranksep": f"{BETWEEN / 72:g}",
            },
            node_attr={"shape": "box", "label": "", "fixedsize": "true", **type_},
            edge_attr={"arrowsize": "0.7", **type_},
        )
        number = {name: str(k) for k, name in enumerate(self.nodes)}
        for name, look in self.nodes.items():
            digraph.node(number[name], id=number[name], **look)
        for k, (tail, head, look) in enumerate(self.edges.values()):
            digraph.edge(number[tail], number[head], id=str(k), **look)
        digraph.is_large = self.is_large
        return digraph

    def restore_names(
        self, places: Mapping[str, Any], headings: Sequence[tuple[str, str]]
    ) -> dict[str, Any]:
        """Take over the layout of an equal graph under the names of this one, and add its headings."""
        nodes, edges = {}, {}
        for k, name in enumerate(self.nodes):
            heading = {"head": list(headings[int(name[1:])])} if name[0] == "n" else {}
            nodes[name] = {**places["nodes"][str(k)], **heading}
        for k, (name, (tail, head, _)) in enumerate(self.edges.items()):
            path = places["edges"][str(k)]["path"]
            said, shapes = self._said[name]
            label = dict(zip("xy", middle_of(path), strict=True)) if said else None
            edges[name] = {"path": path, "label": label, "ends": [tail, head], **shapes}
        return {**places, "nodes": nodes, "edges": edges}


def layout_of(digraph: graphviz.Digraph) -> dict[str, Any]:
    """Return Graphviz's layout of a graph: the positions of nodes and edges by id; an edge without id is left out.

    >>> digraph = graphviz.Digraph(edge_attr={"label": "1"})
    >>> digraph.node("n0", id="n0"); digraph.node("n1", id="n1"); digraph.edge("n0", "n1", id="e1_0")
    >>> places = layout_of(digraph)
    >>> sorted(places["nodes"]), sorted(places["edges"]), places["edges"]["e1_0"]["path"][0]
    (['n0', 'n1'], ['e1_0'], 'M')
    """
    places = _places(json.loads(render(digraph, "json0")))
    if getattr(digraph, "layout_timed_out", False):
        places["note"] = message("laid out in haste")
    return places


def _places(data: Any) -> dict[str, Any]:
    """The positions in Graphviz's JSON output, in a browser's coordinates."""
    left, bottom, right, top = (float(x) for x in data["bb"].split(","))

    def place(text: str) -> Point:
        x, y = text.split(",")[:2]
        return round(float(x) - left + PAD, 1), round(top - float(y) + PAD, 1)

    nodes, edges = {}, {}
    for item in data.get("objects", ()):
        sides = (round(72 * float(item[side]), 1) for side in ("width", "height"))
        nodes[item["id"]] = dict(zip("xywh", (*place(item["pos"]), *sides), strict=True))
    for item in data.get("edges", ()):
        if "id" in item:
            label = dict(zip("xy", place(item["lp"]), strict=True)) if "lp" in item else None
            # Graphviz's spline is "e,tip s,start start control control point …".
            words = [word for word in item["pos"].split() if not word.startswith("s,")]
            tip = [place(word[2:]) for word in words if word.startswith("e,")]
            curve = [place(word) for word in words if not word.startswith("e,")]
            edges[item["id"]] = {"path": write_path(curve, *tip), "label": label}
    size = {"width": round(right - left + 2 * PAD, 1), "height": round(top - bottom + 2 * PAD, 1)}
    return {**size, "nodes": nodes, "edges": edges}
