"""Draw a `graphviz.Digraph` where there is no Graphviz: positions and SVG, as Graphviz itself would write them.

The DOT text is read by `dot_text` and laid out by `layers`. Boxes, ellipses and bare labels are drawn, with the colours
and the line styles that our drawings use; any other shape becomes a box. Subgraphs are drawn without a frame, and what
stands in a record or in a table of several columns in one line. Bitmaps and PDF need Graphviz.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import graphviz

from autodiff_lab.figures.graph.box_size import SIZE
from autodiff_lab.figures.graph.without_graphviz.dot_parser import Attributes, Label, label_of
from autodiff_lab.figures.graph.without_graphviz.layers import Point
from autodiff_lab.figures.graph.without_graphviz.positioned_graph import RING, Edge, Node, Placed

__all__ = ["FORMATS", "draw_plainly"]

FORMATS = ("svg", "json0")
"""What can be written without Graphviz."""

_INCH = 72.0
_PAD = 4.0


def draw_plainly(digraph: graphviz.Digraph, format: str) -> bytes:
    """Lay out and draw a graph, as SVG or (``"json0"``) as positions only.

    Raises
    ------
    ValueError
        If another format is asked for, or what the graph consists of cannot be read.

    Examples
    --------
    >>> digraph = graphviz.Digraph(); digraph.edge("x", "y")
    >>> draw_plainly(digraph, "svg")[:5]
    b'<?xml'
    """
    if format not in FORMATS:
        raise ValueError(f"{format} can only be written by Graphviz")
    graph = Placed(digraph.source)
    return (json.dumps(_json0(graph)) if format == "json0" else _svg(graph)).encode()


def _json0(graph: Placed) -> dict[str, Any]:
    """Positions as Graphviz writes them: in points, the origin at the bottom left."""

    def up(point: Point) -> str:
        return f"{point[0]:.2f},{graph.height - point[1]:.2f}"

    objects = []
    for node in graph.nodes.values():
        width, height = (f"{side / _INCH:.4f}" for side in node.size)
        objects.append({"name": node.name, **_id(node.look), "pos": up(node.place), "width": width, "height": height})
    edges = []
    for edge in graph.edges:
        tips = [f"{letter},{up(tip)}" for letter, tip, arrow in
                zip("se", (edge.start, edge.stop), edge.arrows, strict=True) if arrow]  # fmt: skip
        place = {"lp": up(edge.label_at)} if edge.label_at else {}
        edges.append({**_id(edge.look), "pos": " ".join([*tips, *map(up, edge.points)]), **place})
    return {"bb": f"0,0,{graph.width:.2f},{graph.height:.2f}", "objects": objects, "edges": edges}


def _svg(graph: Placed) -> str:
    """The drawing."""
    width, height = graph.width + 2 * _PAD, graph.height + 2 * _PAD
    parts = [_shape("polygon", points=_pairs(_corners(graph.width / 2, graph.height / 2, width / 2, height / 2)),
                    fill=graph.look.get("bgcolor", "white"), stroke="none")]  # fmt: skip
    if graph.look.get("bgcolor") == "transparent":
        parts = []
    # The edges first: their ends lie under the borders.
    parts += [_group(f"edge{k + 1}", "edge", edge.look, _edge(edge)) for k, edge in enumerate(graph.edges)]
    parts += [_group(f"node{k + 1}", "node", node.look, _node(node)) for k, node in enumerate(graph.nodes.values())]
    return (
        '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}pt" height="{height:.0f}pt" '
        f'viewBox="0 0 {width:.2f} {height:.2f}">\n'
        f'<g id="graph0" class="graph" transform="translate({_PAD:g} {_PAD:g})">\n{"".join(parts)}</g>\n</svg>\n'
    )


def _id(look: Attributes) -> Attributes:
    return {"id": look["id"]} if "id" in look else {}


# The elements of the picture, all of them of kinds that Graphviz writes too


def _group(name: str, kind: str, look: Attributes, inside: str) -> str:
    """What belongs to one node or edge; nothing inside means that it is invisible."""
    if not inside:
        return ""
    kind = f"{kind} {look['class']}" if look.get("class") else kind
    title = f"<title>{escape(_said(look['tooltip']))}</title>" if look.get("tooltip") else ""
    return f"<g id={quoteattr(look.get('id', name))} class={quoteattr(kind)}>{title}{inside}</g>\n"


def _said(tooltip: str) -> str:
    return label_of({"label": tooltip}, "", "").lines[0][0].text


def _node(node: Node) -> str:
    if "invis" in node.style:
        return ""
    look = node.look
    filled = "filled" in node.style
    fill = look.get("fillcolor", look.get("color", "lightgrey")) if filled else "none"
    pen = _pen(look, node.style)
    shapes = []
    for ring in range(max(node.rings, int(filled))):
        (x, y), (w, h) = node.place, (side / 2 + RING * ring for side in node.inner)
        paint = pen | {"fill": fill if ring == 0 else "none"} | ({"stroke": "none"} if not node.rings else {})
        if node.oval:
            shapes.append(_shape("ellipse", cx=f"{x:.2f}", cy=f"{y:.2f}", rx=f"{w:.2f}", ry=f"{h:.2f}", **paint))
        elif "rounded" in node.style:
            shapes.append(_shape("path", d=_rounded(x, y, w, h, min(8.0, w, h)), **paint))
        else:
            shapes.append(_shape("polygon", points=_pairs(_corners(x, y, w, h)), **paint))
    return "".join(shapes) + _written(node.label, node.place, look) if node.shape != "point" else "".join(shapes)


def _edge(edge: Edge) -> str:
    if "invis" in edge.style:
        return ""
    first, *rest = edge.points
    parts = [_shape("path", d=f"M{_pairs([first])}C{_pairs(rest)}", fill="none", **_pen(edge.look, edge.style))]
    colour = edge.look.get("color", "black")
    ends = ((edge.start, edge.points[0]), (edge.stop, edge.points[-1]))
    for (tip, foot), arrow in zip(ends, edge.arrows, strict=True):
        if arrow:
            dx, dy = ((a - b) * 0.35 for a, b in zip(tip, foot, strict=True))
            wings = [tip, (foot[0] - dy, foot[1] + dx), (foot[0] + dy, foot[1] - dx), tip]
            parts.append(_shape("polygon", points=_pairs(wings), fill=colour, stroke=colour))
    if edge.label and edge.label_at:
        parts.append(_written(edge.label, edge.label_at, edge.look))
    return "".join(parts)


def _pen(look: Attributes, style: Iterable[str]) -> dict[str, str]:
    pen = {"stroke": look.get("color", "black")}
    if look.get("penwidth", "1") != "1":
        pen["stroke_width"] = look["penwidth"]
    dashes = "5,2" if "dashed" in style else "1,5" if "dotted" in style else ""
    return pen | ({"stroke_dasharray": dashes} if dashes else {})


def _written(label: Label, place: Point, look: Attributes) -> str:
    """The text of a label about its middle, with its paper."""
    x, y = place
    parts = []
    if label.paper:
        sides = (label.width / 2 + 2, label.height / 2)
        parts.append(_shape("polygon", points=_pairs(_corners(x, y, *sides)), fill=label.paper, stroke="none"))
    font, colour, size = look.get("fontname", "Times,serif"), look.get("fontcolor", "black"), f"{label.size:g}"
    line_height = label.size * label.LEADING
    for k, line in enumerate(label.lines):
        baseline = y - label.height / 2 + (k + 0.5) * line_height + 0.36 * label.size
        scale = label.size / SIZE
        at = x - sum(run.width for run in line) * scale / 2
        for run in line:
            middle = at + run.width * scale / 2
            at += run.width * scale
            if run.text.strip():
                weight = {"font_weight": "bold"} if run.bold else {}
                attributes = _attributes(
                    text_anchor="middle", x=f"{middle:.2f}", y=f"{baseline:.2f}", font_family=font, **weight,
                    font_size=size, fill=run.colour or colour,
                )  # fmt: skip
                parts.append(f"<text{attributes}>{escape(run.text)}</text>")
    return "".join(parts)


def _shape(tag: str, **attributes: str) -> str:
    return f"<{tag}{_attributes(**attributes)}/>"


def _attributes(**attributes: str) -> str:
    return "".join(f" {name.replace('_', '-')}={quoteattr(value)}" for name, value in attributes.items())


def _pairs(points: Iterable[Point]) -> str:
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in points)


def _corners(x: float, y: float, w: float, h: float) -> list[Point]:
    """A rectangle of half width and half height about a point, closed."""
    return [(x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h), (x - w, y - h)]


def _rounded(x: float, y: float, w: float, h: float, r: float) -> str:
    """A rectangle with round corners, in lines and Bézier curves."""
    d = f"M{_pairs([(x - w + r, y - h)])}"
    corners = _corners(x, y, w, h)[1:]
    for k, corner in enumerate(corners):
        before, after = (corners[k - 1], corners[(k + 1) % 4])
        enter, leave = (_towards(corner, other, r) for other in (before, after))
        bend = [_towards(corner, other, 0.45 * r) for other in (before, after)]
        d += f"L{_pairs([enter])}C{_pairs([*bend, leave])}"
    return d + "Z"


def _towards(point: Point, other: Point, far: float) -> Point:
    long = sum(abs(a - b) for a, b in zip(point, other, strict=True)) or 1.0
    return (point[0] + (other[0] - point[0]) * far / long, point[1] + (other[1] - point[1]) * far / long)
