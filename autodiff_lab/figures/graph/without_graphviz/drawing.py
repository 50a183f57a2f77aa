"""Drawing of a `graphviz.Digraph` without Graphviz: positions and SVG in the form that Graphviz writes.

`dot_parser` reads the DOT text, and `layered_layout` places its nodes and edges. Boxes, ellipses and bare labels are
drawn, with the colours and line styles that our drawings use; any other shape becomes a box. Subgraphs have no frame.
A record, or a table whose cells have no sizes, is written in one line. Bitmaps, PDF, and edges from a node to itself
need Graphviz.
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

# The formats that can be written without Graphviz.
FORMATS = ("svg", "json0")

# Lengths in points: an inch, the margin of a picture, and an arrowhead.
_INCH = 72.0
_PAD = 4.0
_ARROW = 10.0
# The distance between two borders of a node.
_RING = 4.0
# The size of type in the cells of a table.
_CELL_TYPE = 13.0

_CIRCLES = ("circle", "doublecircle", "point")
_OVALS = ("ellipse", "oval", *_CIRCLES)
# The number of borders of a shape that doesn't have one.
_BORDERS = {"plaintext": "0", "plain": "0", "none": "0", "doublecircle": "2"}


def draw_plainly(digraph: graphviz.Digraph, format: str) -> bytes:
    """Lay out and draw a graph without Graphviz, as SVG or (``"json0"``) as positions only.

    Raises
    ------
    ValueError
        If the format is another one, or the DOT text of the graph can't be read.

    Examples
    --------
    >>> digraph = graphviz.Digraph(); digraph.edge("x", "y")
    >>> draw_plainly(digraph, "svg")[:5]
    b'<?xml'
    """
    if format not in FORMATS:
        raise ValueError(f"{format} can only be written by Graphviz")
    picture = _Picture(digraph.source)
    text = json.dumps(picture.json0()) if format == "json0" else picture.svg()
    return text.encode()


class _Part:
    """A node or an edge that is drawn without Graphviz: its attributes, style, label and pen."""

    def __init__(self, look: Attributes, label: str = "", name: str = "") -> None:
        self.look = look
        self.style = [word.strip() for word in look.get("style", "").split(",")]
        self.label = read_label(look, label, name)
        self.id = {"id": look["id"]} if "id" in look else {}
        dashes = None
        if "dashed" in self.style:
            dashes = "5,2"
        elif "dotted" in self.style:
            dashes = "1,5"
        width = look.get("penwidth", "1")
        self.pen = {
            "stroke": look.get("color", "black"),
            "stroke_width": None if width == "1" else width,
            "stroke_dasharray": dashes,
        }


class _Node(_Part):
    """A node that is drawn without Graphviz; `flat` means that the graph runs from left to right."""

    def __init__(self, name: str, look: Attributes, flat: bool) -> None:
        shape = look.get("shape", "ellipse")
        super().__init__(look, "" if shape == "point" else "\\N", name)
        self.name = name
        self.oval = shape in _OVALS
        self.rings = int(look.get("peripheries", _BORDERS.get(shape, "1")))
        # An ellipse around a rectangle is larger than it by this factor.
        factor = 2**0.5 if self.oval else 1.0
        self.width = max(_INCH * float(look.get("width", "0.75")), (self.label.width + 12) * factor)
        self.height = max(
            _INCH * float(look.get("height", "0.5")), (self.label.height + 4) * factor
        )
        if shape in _CIRCLES:
            diameter = max(self.width, self.height)
            self.width = diameter
            self.height = diameter
        outer_rings = 2 * _RING * max(0, self.rings - 1)
        self.size = (self.width + outer_rings, self.height + outer_rings)
        self.box = Box(*turn(self.size, flat), oval=self.oval)


class _Edge(_Part):
    """An edge that is drawn without Graphviz; `flat` means that the graph runs from left to right."""

    def __init__(self, tail: _Node, head: _Node, look: Attributes, flat: bool) -> None:
        super().__init__(look)
        if tail is head:
            raise ValueError(f"the edge from {tail.name!r} to itself can only be drawn by Graphviz")
        direction = look.get("dir", "forward")
        size = _ARROW * float(look.get("arrowsize", "1"))
        has_head = direction in ("forward", "both") and look.get("arrowhead") != "none"
        has_tail = direction in ("back", "both")
        arrows = (size if has_tail else 0.0, size if has_head else 0.0)
        self.labelled = bool(look.get("label"))
        # In a flat graph, a label is above its edge. In any other it is to the right, or, if it has a background,
        # on the edge.
        self.beside = flat or not self.label.paper
        length = 0.0
        breadth = 0.0
        if self.labelled:
            length, breadth = turn((self.label.width + 8, self.label.height + 2), flat)
        if self.beside:
            # The layout centres the label on the edge, so there is as much room on the other side.
            breadth *= 2
        self.way = Way(tail.box, head.box, length, breadth, arrows=arrows)


class _Picture:
    """A graph that has been read and laid out; the origin is at the top left."""

    def __init__(self, source: str) -> None:
        graph = DotGraph(source)
        self.look = graph.attributes
        direction = self.look.get("rankdir", "TB").upper()
        self._flat = direction in ("LR", "RL")
        self._sign = -1 if direction in ("RL", "BT") else 1
        self.nodes = {name: _Node(name, look, self._flat) for name, look in graph.nodes.items()}
        self.edges = [
            _Edge(self.nodes[tail], self.nodes[head], look, self._flat)
            for tail, head, look in graph.edges
        ]
        boxes = [node.box for node in self.nodes.values()]
        ways = [edge.way for edge in self.edges]
        between = _INCH * float(self.look.get("ranksep", "0.5"))
        beside = _INCH * float(self.look.get("nodesep", "0.25"))
        arrange(boxes, ways, between=between, beside=beside)
        labels = [way.label for way in ways if way.label]
        points = [corner for box in (*boxes, *labels) for corner in box.corners]
        points += [point for way in ways for point in way.points]
        # The origin of the layout is used to find that of the picture.
        self._origin = (0.0, 0.0)
        xs, ys = zip(*map(self.place, points or [self._origin]), strict=True)
        self._origin = (min(xs), min(ys))
        self.width = max(xs) - min(xs)
        self.height = max(ys) - min(ys)

    def place(self, point: Point) -> Point:
        """Convert a point of the layout to a point of the picture that is drawn without Graphviz."""
        x, y = turn((self._sign * point[0], point[1]), self._flat)
        return x - self._origin[0], y - self._origin[1]

    def label_place(self, edge: _Edge) -> Point:
        """Return the centre of an edge's label in the picture that is drawn without Graphviz."""
        assert edge.way.label is not None, "the edge has a label"
        x, y = self.place(edge.way.label.centre)
        aside = edge.way.breadth / 4 if edge.beside else 0.0
        return (x, y - aside) if self._flat else (x + aside, y)

    def json0(self) -> dict[str, Any]:
        """Return the positions in the form of Graphviz's ``json0``: in points, with the origin at the bottom left."""

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
            points = [up(self.place(point)) for point in way.points]
            label = {"lp": up(self.label_place(edge))} if edge.labelled else {}
            edges.append({**edge.id, "pos": " ".join([*tips, *points]), **label})
        return {"bb": f"0,0,{self.width:.2f},{self.height:.2f}", "objects": objects, "edges": edges}

    def svg(self) -> str:
        """Write the drawing as SVG, with the same kinds of elements that Graphviz writes."""
        width = self.width + 2 * _PAD
        height = self.height + 2 * _PAD
        parts = []
        paper = self.look.get("bgcolor", "white")
        if paper != "transparent":
            sheet = _rectangle(self.width / 2, self.height / 2, width / 2, height / 2)
            parts.append(element("polygon", points=sheet, fill=paper, stroke="none"))
        # Edges are drawn first, so that the borders of the nodes cover their ends.
        for k, edge in enumerate(self.edges):
            parts.append(_group("edge", k, edge, self._draw_edge(edge)))
        for k, node in enumerate(self.nodes.values()):
            parts.append(_group("node", k, node, self._draw_node(node)))
        return (
            '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n'
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}pt" height="{height:.0f}pt" '
            f'viewBox="0 0 {width:.2f} {height:.2f}">\n'
            f'<g id="graph0" class="graph" transform="translate({_PAD:g} {_PAD:g})">\n{"".join(parts)}</g>\n</svg>\n'
        )

    def _draw_node(self, node: _Node) -> str:
        x, y = self.place(node.box.centre)
        is_filled = "filled" in node.style
        fill = "none"
        if is_filled:
            fill = node.look.get("fillcolor", node.look.get("color", "lightgrey"))
        shapes = []
        # A filled node without a border still needs a shape.
        for ring in range(max(node.rings, int(is_filled))):
            w = node.width / 2 + _RING * ring
            h = node.height / 2 + _RING * ring
            # Only the innermost shape is filled.
            paint = node.pen | {"fill": "none" if ring else fill}
            if not node.rings:
                paint["stroke"] = "none"
            if node.oval:
                place = {"cx": f"{x:.2f}", "cy": f"{y:.2f}", "rx": f"{w:.2f}", "ry": f"{h:.2f}"}
                shapes.append(element("ellipse", **place, **paint))
            elif "rounded" in node.style:
                d = _draw_rounded_box(x, y, w, h, min(8.0, w, h))
                shapes.append(element("path", d=d, **paint))
            else:
                shapes.append(element("polygon", points=_rectangle(x, y, w, h), **paint))
        return "".join(shapes) + _draw_label(node, (x, y))

    def _draw_edge(self, edge: _Edge) -> str:
        way = edge.way
        first, *rest = map(self.place, way.points)
        parts = [element("path", d=f"M{_pairs(first)}C{_pairs(*rest)}", fill="none", **edge.pen)]
        ends = (way.start, first), (way.stop, rest[-1])
        for (end, foot), arrow in zip(ends, way.arrows, strict=True):
            if arrow:
                parts.append(_draw_arrowhead(self.place(end), foot, edge.pen["stroke"]))
        if edge.labelled:
            parts.append(_draw_label(edge, self.label_place(edge)))
        return "".join(parts)


def _draw_arrowhead(tip: Point, foot: Point, colour: str | None) -> str:
    """Draw an arrowhead as a triangle from the middle of its base, the `foot`, to its tip."""
    dx, dy = ((a - b) * 0.35 for a, b in zip(tip, foot, strict=True))
    corners = _pairs(tip, (foot[0] - dy, foot[1] + dx), (foot[0] + dy, foot[1] - dx), tip)
    return element("polygon", points=corners, fill=colour, stroke=colour)


def _group(kind: str, number: int, part: _Part, inside: str) -> str:
    """Write the SVG group of a node or an edge; empty if it is invisible."""
    if "invis" in part.style:
        return ""
    tooltip = part.look.get("tooltip")
    title = f"<title>{escape(read_label({'label': tooltip}).first_text)}</title>" if tooltip else ""
    name = part.look.get("id", f"{kind}{number + 1}")
    classes = f"{kind} {part.look.get('class', '')}".strip()
    return element("g", title, inside, id=name, **{"class": classes}) + "\n"


def _draw_label(part: _Part, centre: Point) -> str:
    """Draw the text of a label, with its background if it has one."""
    x, y = centre
    label = part.label
    parts = []
    if label.paper:
        paper = _rectangle(x, y, label.width / 2 + 2, label.height / 2)
        parts.append(element("polygon", points=paper, fill=label.paper, stroke="none"))
    ink = part.look.get("fontcolor", "black")
    font = part.look.get("fontname", "Times,serif")
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
    """Draw a line of text that begins at `start`, on its baseline."""
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
    """Draw a table of cells; `corner` is its upper left corner."""
    drawn = []
    top = corner[1]
    for row in table.rows:
        left = corner[0]
        for cell in row:
            middle = (left + cell.width / 2, top + cell.height / 2)
            drawn.append(_draw_cell(cell, middle, ink, font))
            left += cell.width
        top += max(cell.height for cell in row)
    return "".join(drawn)


def _draw_cell(cell: Cell, middle: Point, ink: str, font: str) -> str:
    x, y = middle
    size = min(_CELL_TYPE, cell.height)
    text = Run(cell.text)
    start = (x - text.width * size / SIZE / 2, y + 0.36 * size)
    written = _draw_runs([text], start, size, ink, font)
    if not cell.border and not cell.paper:
        return written
    # A colour in DOT is "#rrggbb", followed by two digits for its opacity.
    paper = cell.paper[:7]
    opacity = cell.paper[7:]
    paint = {
        "fill": paper or "none",
        "fill_opacity": f"{int(opacity, 16) / 255:.2f}" if opacity else None,
        "stroke": cell.border or "none",
    }
    w = cell.width / 2
    h = cell.height / 2
    if cell.is_round:
        frame = element("path", d=_draw_rounded_box(x, y, w, h, min(4.0, w, h)), **paint)
    else:
        frame = element("polygon", points=_rectangle(x, y, w, h), **paint)
    return frame + written


def _pairs(*points: Point) -> str:
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in points)


def _rectangle(x: float, y: float, w: float, h: float) -> str:
    """The corners of a rectangle around (x, y), closed; `w` and `h` are half its width and height."""
    return _pairs((x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h), (x - w, y - h))


def _draw_rounded_box(x: float, y: float, w: float, h: float, r: float) -> str:
    """The path of a rectangle around (x, y) with round corners; `w` and `h` are half its width and height."""
    d = f"M{_pairs((x - w + r, y - h))}"
    for across, down in ((1, -1), (1, 1), (-1, 1), (-1, -1)):
        flat = [(x + across * (w - far), y + down * h) for far in (r, 0.45 * r)]
        steep = [(x + across * w, y + down * (h - far)) for far in (0.45 * r, r)]
        # The path reaches every second corner along a vertical side.
        enter, *bend = [*flat, *steep][:: -1 if across == down else 1]
        d += f"L{_pairs(enter)}C{_pairs(*bend)}"
    return d + "Z"
