"""Drawing of a `graphviz.Digraph` without Graphviz: positions and SVG, as Graphviz itself would write them.

The DOT text is read by `dot_parser`, and `layered_layout` places what it has. Boxes, ellipses and bare labels are
drawn, with the colours and the line styles that our drawings use; any other shape becomes a box. Subgraphs are drawn
without a frame, and what stands in a record or in a table of several columns in one line, unless its cells have sizes.
Bitmaps, PDF, and edges
that lead back to their own node need Graphviz.
"""

import json
from typing import Any
from xml.sax.saxutils import escape

import graphviz

from autodiff_lab.figures.graph.boxes import SIZE
from autodiff_lab.figures.graph.without_graphviz.dot_parser import (
    Attributes,
    Cell,
    DotGraph,
    Run,
    Table,
    read_label,
)
from autodiff_lab.figures.layered_layout.layers import Box, Way, arrange, turn
from autodiff_lab.figures.layered_layout.paths import Point
from autodiff_lab.figures.style.svg import element

# What can be written without Graphviz.
FORMATS = ("svg", "json0")

_INCH, _PAD, _ARROW = 72.0, 4.0, 10.0
# So far apart are two borders of a node.
_RING = 4.0
# The size of type in the cells of a table.
_CELL_TYPE = 13.0

_OVALS = ("ellipse", "oval", "circle", "doublecircle", "point")


def draw_plainly(digraph: graphviz.Digraph, format: str) -> bytes:
    """Lay out and draw a graph without Graphviz, as SVG or (``"json0"``) as positions only.

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
    picture = _Picture(digraph.source)
    return (json.dumps(picture.json0()) if format == "json0" else picture.svg()).encode()


class _Part:
    """What a node and an edge have in common: attributes, a style, a label."""

    def __init__(self, look: Attributes, label: str = "", name: str = "") -> None:
        self.look, self.style = look, [word.strip() for word in look.get("style", "").split(",")]
        self.label = read_label(look, label, name)
        self.id = {"id": look["id"]} if "id" in look else {}
        dashes = "5,2" if "dashed" in self.style else "1,5" if "dotted" in self.style else None
        width = look.get("penwidth", "1")
        self.pen = {
            "stroke": look.get("color", "black"),
            "stroke_width": None if width == "1" else width,
        }
        self.pen["stroke_dasharray"] = dashes


class _Node(_Part):
    def __init__(self, name: str, look: Attributes, flat: bool) -> None:
        shape = look.get("shape", "ellipse")
        super().__init__(look, "" if shape == "point" else "\\N", name)
        self.name = name
        self.oval = shape in _OVALS
        rings = {"plaintext": "0", "plain": "0", "none": "0", "doublecircle": "2"}.get(shape, "1")
        self.rings = int(look.get("peripheries", rings))
        room = 2**0.5 if self.oval else 1.0
        self.width = max(_INCH * float(look.get("width", "0.75")), (self.label.width + 12) * room)
        self.height = max(_INCH * float(look.get("height", "0.5")), (self.label.height + 4) * room)
        if shape in _OVALS[2:]:
            self.width = self.height = max(self.width, self.height)
        more = 2 * _RING * max(0, self.rings - 1)
        self.size = (self.width + more, self.height + more)
        self.box = Box(*turn(self.size, flat), oval=self.oval)


class _Edge(_Part):
    def __init__(self, tail: _Node, head: _Node, look: Attributes, flat: bool) -> None:
        super().__init__(look)
        if tail is head:
            raise ValueError(f"the edge from {tail.name!r} to itself can only be drawn by Graphviz")
        kind, size = look.get("dir", "forward"), _ARROW * float(look.get("arrowsize", "1"))
        heads = kind in ("forward", "both") and look.get("arrowhead") != "none"
        self.labelled = bool(look.get("label"))
        # A label stands beside its line: always above it; to the right only if it has no paper of its own.
        self.beside = flat or not self.label.paper
        length, breadth = (
            turn((self.label.width + 8, self.label.height + 2), flat)
            if self.labelled
            else (0.0, 0.0)
        )
        breadth *= 2 if self.beside else 1
        self.way = Way(
            tail.box,
            head.box,
            length,
            breadth,
            arrows=(size * (kind in ("back", "both")), size * heads),
        )


class _Picture:
    """A graph that has been read and laid out; the origin is at the top left."""

    def __init__(self, source: str) -> None:
        graph = DotGraph(source)
        self.look = graph.attributes
        direction = self.look.get("rankdir", "TB").upper()
        self._flat, self._sign = direction in ("LR", "RL"), -1 if direction in ("RL", "BT") else 1
        self.nodes = {name: _Node(name, look, self._flat) for name, look in graph.nodes.items()}
        self.edges = [
            _Edge(self.nodes[tail], self.nodes[head], look, self._flat)
            for tail, head, look in graph.edges
        ]
        between, beside = (
            _INCH * float(self.look.get(k, v)) for k, v in (("ranksep", "0.5"), ("nodesep", "0.25"))
        )
        boxes, ways = [node.box for node in self.nodes.values()], [edge.way for edge in self.edges]
        arrange(boxes, ways, between=between, beside=beside)
        corners = [
            corner
            for box in (*boxes, *(way.label for way in ways if way.label))
            for corner in box.corners
        ]
        corners += [point for way in ways for point in way.points]
        self._origin = (0.0, 0.0)
        xs, ys = zip(*map(self.place, corners or [self._origin]), strict=True)
        self._origin = (min(xs), min(ys))
        self.width, self.height = max(xs) - min(xs), max(ys) - min(ys)

    def place(self, point: Point) -> Point:
        """Return where a point of the layout is in the picture that is drawn without Graphviz."""
        x, y = turn((self._sign * point[0], point[1]), self._flat)
        return x - self._origin[0], y - self._origin[1]

    def label_place(self, edge: _Edge) -> Point:
        """Return where the label of an edge is in the picture that is drawn without Graphviz."""
        assert edge.way.label is not None, "the edge has a label"
        x, y = self.place(edge.way.label.centre)
        aside = edge.way.breadth / 4 if edge.beside else 0.0
        return (x, y - aside) if self._flat else (x + aside, y)

    def json0(self) -> dict[str, Any]:
        """Give positions without Graphviz, in the form of its ``json0``: in points, the origin at the bottom left."""

        def up(point: Point) -> str:
            return f"{point[0]:.2f},{self.height - point[1]:.2f}"

        objects = []
        for node in self.nodes.values():
            width, height = (f"{side / _INCH:.4f}" for side in node.size)
            place = up(self.place(node.box.centre))
            objects.append(
                {"name": node.name, **node.id, "pos": place, "width": width, "height": height}
            )
        edges = []
        for edge in self.edges:
            way = edge.way
            ends = zip("se", (way.start, way.stop), way.arrows, strict=True)
            tips = [f"{letter},{up(self.place(tip))}" for letter, tip, arrow in ends if arrow]
            label = {"lp": up(self.label_place(edge))} if edge.labelled else {}
            edges.append(
                {
                    **edge.id,
                    "pos": " ".join([*tips, *(up(self.place(p)) for p in way.points)]),
                    **label,
                }
            )
        return {"bb": f"0,0,{self.width:.2f},{self.height:.2f}", "objects": objects, "edges": edges}

    def svg(self) -> str:
        """Write the drawing as SVG, made of the kinds of elements that Graphviz writes too."""
        width, height = self.width + 2 * _PAD, self.height + 2 * _PAD
        paper = self.look.get("bgcolor", "white")
        sheet = _rectangle(self.width / 2, self.height / 2, width / 2, height / 2)
        parts = (
            [element("polygon", points=sheet, fill=paper, stroke="none")]
            if paper != "transparent"
            else []
        )
        # The edges first: their ends lie under the borders.
        parts += [
            _group("edge", k, edge, self._draw_edge(edge)) for k, edge in enumerate(self.edges)
        ]
        parts += [
            _group("node", k, node, self._draw_node(node))
            for k, node in enumerate(self.nodes.values())
        ]
        return (
            '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n'
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}pt" height="{height:.0f}pt" '
            f'viewBox="0 0 {width:.2f} {height:.2f}">\n'
            f'<g id="graph0" class="graph" transform="translate({_PAD:g} {_PAD:g})">\n{"".join(parts)}</g>\n</svg>\n'
        )

    def _draw_node(self, node: _Node) -> str:
        filled, (x, y) = "filled" in node.style, self.place(node.box.centre)
        fill = node.look.get("fillcolor", node.look.get("color", "lightgrey")) if filled else "none"
        shapes = []
        for ring in range(max(node.rings, int(filled))):
            w, h = node.width / 2 + _RING * ring, node.height / 2 + _RING * ring
            paint = (
                node.pen
                | {"fill": "none" if ring else fill}
                | ({} if node.rings else {"stroke": "none"})
            )
            if node.oval:
                shapes.append(
                    element(
                        "ellipse",
                        cx=f"{x:.2f}",
                        cy=f"{y:.2f}",
                        rx=f"{w:.2f}",
                        ry=f"{h:.2f}",
                        **paint,
                    )
                )
            elif "rounded" in node.style:
                shapes.append(
                    element("path", d=_draw_rounded_box(x, y, w, h, min(8.0, w, h)), **paint)
                )
            else:
                shapes.append(element("polygon", points=_rectangle(x, y, w, h), **paint))
        return "".join(shapes) + _draw_label(node, (x, y))

    def _draw_edge(self, edge: _Edge) -> str:
        way = edge.way
        first, *rest = map(self.place, way.points)
        parts = [element("path", d=f"M{_pairs(first)}C{_pairs(*rest)}", fill="none", **edge.pen)]
        for end, foot, arrow in zip(
            (way.start, way.stop), (first, rest[-1]), way.arrows, strict=True
        ):
            if arrow:
                tip = self.place(end)
                dx, dy = ((a - b) * 0.35 for a, b in zip(tip, foot, strict=True))
                wings = _pairs(tip, (foot[0] - dy, foot[1] + dx), (foot[0] + dy, foot[1] - dx), tip)
                parts.append(
                    element(
                        "polygon", points=wings, fill=edge.pen["stroke"], stroke=edge.pen["stroke"]
                    )
                )
        return "".join(parts) + (_draw_label(edge, self.label_place(edge)) if edge.labelled else "")


def _group(kind: str, number: int, part: _Part, inside: str) -> str:
    """What belongs to one node or edge; nothing, if it is invisible."""
    if "invis" in part.style:
        return ""
    tooltip = part.look.get("tooltip")
    title = f"<title>{escape(read_label({'label': tooltip}).first_text)}</title>" if tooltip else ""
    name, classes = (
        part.look.get("id", f"{kind}{number + 1}"),
        f"{kind} {part.look.get('class', '')}".strip(),
    )
    return element("g", title, inside, id=name, **{"class": classes}) + "\n"


def _draw_label(part: _Part, place: Point) -> str:
    """The text of a label about its middle, with its paper."""
    (x, y), label, parts = place, part.label, []
    if label.paper:
        paper = _rectangle(x, y, label.width / 2 + 2, label.height / 2)
        parts.append(element("polygon", points=paper, fill=label.paper, stroke="none"))
    ink, font = part.look.get("fontcolor", "black"), part.look.get("fontname", "Times,serif")
    top = y - label.height / 2
    for line in label.lines:
        left = x - label.width_of(line) / 2
        if isinstance(line, Table):
            parts.append(_draw_table(line, (left, top), ink, font))
        else:
            baseline = top + 0.5 * label.size * label.LEADING + 0.36 * label.size
            parts.append(_draw_runs(line, (left, baseline), label.size, ink, font))
        top += label.height_of(line)
    return "".join(parts)


def _draw_runs(line: list[Run], start: Point, size: float, ink: str, font: str) -> str:
    """A line of text from its left end on."""
    at, baseline = start
    written = []
    for run in line:
        width = run.width * size / SIZE
        if run.text.strip():
            middle = {"text_anchor": "middle", "x": f"{at + width / 2:.2f}", "y": f"{baseline:.2f}"}
            look = {
                "font_family": font,
                "font_weight": "bold" if run.bold else None,
                "font_size": f"{size:g}",
            }
            written.append(
                element("text", escape(run.text), **middle, **look, fill=run.colour or ink)
            )
        at += width
    return "".join(written)


def _draw_table(table: Table, corner: Point, ink: str, font: str) -> str:
    """A table of cells from its upper left corner on."""
    drawn = []
    top = corner[1]
    for row in table.rows:
        left = corner[0]
        for cell in row:
            drawn.append(
                _draw_cell(cell, (left + cell.width / 2, top + cell.height / 2), ink, font)
            )
            left += cell.width
        top += max(cell.height for cell in row)
    return "".join(drawn)


def _draw_cell(cell: Cell, middle: Point, ink: str, font: str) -> str:
    (x, y), w, h = middle, cell.width / 2, cell.height / 2
    paper, opacity = cell.paper[:7], cell.paper[7:]
    paint = {
        "fill": paper or "none",
        "fill_opacity": f"{int(opacity, 16) / 255:.2f}" if opacity else None,
    }
    paint["stroke"] = cell.border or "none"
    if cell.is_round:
        frame = element("path", d=_draw_rounded_box(x, y, w, h, min(4.0, w, h)), **paint)
    else:
        frame = element("polygon", points=_rectangle(x, y, w, h), **paint)
    size = min(_CELL_TYPE, cell.height)
    text = Run(cell.text)
    start = (x - text.width * size / SIZE / 2, y + 0.36 * size)
    return (frame if cell.border or cell.paper else "") + _draw_runs([text], start, size, ink, font)


def _pairs(*points: Point) -> str:
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in points)


def _rectangle(x: float, y: float, w: float, h: float) -> str:
    """A rectangle of half width and half height about a point, closed."""
    return _pairs((x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h), (x - w, y - h))


def _draw_rounded_box(x: float, y: float, w: float, h: float, r: float) -> str:
    """A rectangle with round corners, in lines and Bézier curves."""
    d = f"M{_pairs((x - w + r, y - h))}"
    for across, down in ((1, -1), (1, 1), (-1, 1), (-1, -1)):
        flat = [(x + across * (w - far), y + down * h) for far in (r, 0.45 * r)]
        steep = [(x + across * w, y + down * (h - far)) for far in (0.45 * r, r)]
        # At every second corner one arrives along the height.
        enter, *bend = [*flat, *steep][:: -1 if across == down else 1]
        d += f"L{_pairs(enter)}C{_pairs(*bend)}"
    return d + "Z"
