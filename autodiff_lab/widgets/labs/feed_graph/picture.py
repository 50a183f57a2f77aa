"""The picture of FeedGraph: boxes with values and adjoints, arrows, and a counter on each node that waits."""

from collections.abc import Sequence
from typing import Any

from autodiff_lab.systems.static_graph import Node
from autodiff_lab.text.notation import display_width, symbol
from autodiff_lab.text.numbers import number
from autodiff_lab.widgets.labs.canvas import Point, Sheet, draw_heads, draw_rule

WIDTH, HEIGHT = 930, 420
LEFT, TOP, BOX_WIDTH, BOX_HEIGHT = 22, 76, 132, 66
ACROSS, DOWN, FLOORS = 170, 88, 4
GAP = (DOWN - BOX_HEIGHT) / 2
RADIUS = 12
# The left edge of the panel next to the graph, and the y coordinate at which the gradients begin.
PANEL, GRADIENTS = 694, 210

# The average width of a character of size 15.
CHARACTER_WIDTH = 8.2


class Places:
    """The places of the nodes' boxes. A node gets its place when it is made, and keeps it."""

    def __init__(self) -> None:
        self.cells: dict[str, tuple[int, int]] = {}

    def place_nodes(self, nodes: Sequence[Node]) -> None:
        """Find places for new nodes: to the right of their operands, and at the same level."""
        new = [node for node in nodes if node.name not in self.cells]
        first = (FLOORS - len(new)) // 2 if not self.cells else FLOORS - 1
        for k, node in enumerate(new):
            above = [self.cells[x.name] for x in node.operands if x.name in self.cells]
            column = 1 + max((cell[0] for cell in above), default=-1)
            level = sum(cell[1] for cell in above) / len(above) if above else first + k
            self.cells[node.name] = (column, self._free(column, level))

    def _free(self, column: int, wanted: float) -> int:
        """Find the free level of a column that is nearest to the wanted one."""
        free = (level for level in range(FLOORS) if (column, level) not in self.cells.values())
        return min(free, key=lambda level: abs(level - wanted))

    def route(self, operand: str, name: str, tail: Point, head: Point) -> list[Point]:
        """Find the points of an arrow: it is straight, but passes between boxes instead of behind one."""
        points = [tail]
        for column in range(self.cells[operand][0] + 1, self.cells[name][0]):
            left = LEFT + ACROSS * column
            (x0, y0), (x1, y1) = points[-1], head
            at = [y0 + (y1 - y0) * (x - x0) / (x1 - x0) for x in (left, left + BOX_WIDTH)]
            tops = [TOP + DOWN * level for other, level in self.cells.values() if other == column]
            if any(max(at) > top - 4 and min(at) < top + BOX_HEIGHT + 4 for top in tops):
                wanted = sum(at) / 2
                between = _find_gap(wanted)
                points += [(left - GAP, between), (left + BOX_WIDTH + GAP, between)]
        return [*points, head]

    def corner(self, name: str) -> Point:
        """Return the upper left corner of a node's box."""
        column, level = self.cells[name]
        return LEFT + ACROSS * column, TOP + DOWN * level


def _find_gap(wanted: float) -> float:
    """Find the y coordinate of the gap between two levels that is nearest to the wanted one."""
    gaps = [TOP + DOWN * k - GAP for k in range(FLOORS + 1)]
    return min(gaps, key=lambda y: abs(y - wanted))


def draw(snap: dict[str, Any], places: Places) -> str:
    """Draw the picture of FeedGraph from a snapshot of the lab."""
    title = "A static graph: its nodes with values, adjoints and counters, and the queue"
    sheet = Sheet(WIDTH, HEIGHT, title)
    _draw_head(sheet, snap)
    edges = [
        (operand, name, k)
        for name, node in snap["nodes"].items()
        for k, operand in enumerate(node["operands"])
    ]
    # Active edges are drawn last, so that they are on top.
    for operand, name, place in sorted(edges, key=lambda edge: _is_active(snap, *edge[:2])):
        _draw_edge(sheet, snap, places, operand, name, place)
    for name in snap["nodes"]:
        _draw_node(sheet, snap, name, places.corner(name))
    _draw_queue(sheet, snap)
    _draw_gradients(sheet, snap)
    sheet.cut(PANEL - 6)
    return sheet.svg()


def _draw_head(sheet: Sheet, snap: dict[str, Any]) -> None:
    x = 10.0
    for k, line in enumerate(snap["lines"]):
        is_built = k < snap["built"]
        sheet.text(x, 24, line, "ink" if is_built else "soft_ink", bold=is_built)
        x += CHARACTER_WIDTH * display_width(line) + 30
    sheet.text(PANEL - 24, 24, f"flatten {snap['flatten']}", "soft_ink", "end")
    fed = ", ".join(f"{name} = {number(x)}" for name, x in snap["fed"].items())
    sheet.text(10, 48, f"{snap['count']} nodes; to be fed: {fed or 'nothing'}", "soft_ink")
    phase = {
        "": "",
        "forward": "forward: ○ waits for operands",
        "backward": "backward: ○ waits for contributions",
    }
    sheet.text(PANEL - 24, 48, phase[snap["phase"]], _role(snap), "end")


def _role(snap: dict[str, Any]) -> str:
    return {"forward": "value", "backward": "adjoint"}.get(snap["phase"], "ink")


def _draw_edge(
    sheet: Sheet, snap: dict[str, Any], places: Places, operand: str, name: str, place: int
) -> None:
    """Draw an arrow from an operand to its user; in a sweep, from the user that sends to the operand."""
    x1, y1 = places.corner(name)
    if operand == name:
        x, y = x1 + BOX_WIDTH / 2, y1
        sheet.path([(x + 30, y), (x + 30, y - 20), (x - 30, y - 20)], "adjoint", 2.5)
        sheet.arrow((x - 30, y - 20), (x - 30, y - 1), "adjoint")
        return
    tail, head = find_ends(snap["nodes"], places, operand, name, place)
    way = places.route(operand, name, tail, head)
    is_backward = snap["phase"] == "backward"
    role, width, dash = "line", 1.5, ""
    if _is_active(snap, operand, name):
        role, width, dash = _role(snap), 3.5, "7 4" if is_backward else ""
    elif is_backward and _has_sent(snap, name):
        role = "adjoint"
    if is_backward:
        way = way[::-1]  # an adjoint is sent from the user to its operand
    sheet.path(way, "paper", width + 6)  # where two edges cross, the lower one has a gap
    sheet.path(way[:-1], role, width, dash)
    sheet.arrow(way[-2], way[-1], role, width, dash)


def find_ends(
    nodes: dict[str, dict[str, Any]], places: Places, operand: str, name: str, place: int
) -> tuple[Point, Point]:
    """Find where an arrow begins and ends; no two arrows at a box share a place.

    The arrows at a side of a box are in the order of the boxes at their other ends, so that they don't cross at once.
    """
    x0, y0 = places.corner(operand)
    x1, y1 = places.corner(name)
    users = [
        (other, k)
        for other, node in nodes.items()
        for k, x in enumerate(node["operands"])
        if x == operand
    ]
    users.sort(key=lambda user: (places.corner(user[0])[1], user[1]))
    operands = sorted(
        enumerate(nodes[name]["operands"]), key=lambda each: (places.corner(each[1])[1], each[0])
    )
    tail = (x0 + BOX_WIDTH, y0 + BOX_HEIGHT * (users.index((name, place)) + 1) / (len(users) + 1))
    head = (x1 - 3, y1 + BOX_HEIGHT * (operands.index((place, operand)) + 1) / (len(operands) + 1))
    return tail, head


def _is_active(snap: dict[str, Any], operand: str, name: str) -> bool:
    """Return True if a value or an adjoint is sent along an edge at this step."""
    sender = {"forward": operand, "backward": name}.get(snap["phase"])
    return snap["now"] is not None and snap["now"] == sender


def _has_sent(snap: dict[str, Any], name: str) -> bool:
    """Return True if a node has already sent its adjoint back."""
    node = snap["nodes"][name]
    return node["waits"] == 0 and node["adjoint"] is not None and name not in snap["queue"]


def _draw_node(sheet: Sheet, snap: dict[str, Any], name: str, at: Point) -> None:
    node = snap["nodes"][name]
    x, y = at
    ready = name in snap["queue"]
    now = name == snap["now"]
    role = _role(snap) if ready or now else "line"
    paper = "constant_paper" if node["kind"] == "constant" else "paper"
    sheet.box(x, y, BOX_WIDTH, BOX_HEIGHT, role, paper, 3 if now else 2)
    sheet.text(x + 16, y + 21, ", ".join(node["names"]) or name, "ink", bold=True)
    kind = symbol(node["kind"]) if node["computes"] else node["kind"]
    sheet.text(x + BOX_WIDTH - 8, y + 21, kind if kind not in name else "", "soft_ink", "end", 14)
    if node["value"] is None:
        sheet.text(x + 16, y + 40, "no value", "soft_ink", size=14)
    else:
        sheet.text(x + 16, y + 40, number(node["value"]), "value", bold=True)
    if node["adjoint"] is not None:
        sheet.text(x + 16, y + 58, number(node["adjoint"]), "adjoint", bold=True)
    if snap["phase"] == "backward":
        _draw_counter(sheet, snap, node, (x + BOX_WIDTH, y + BOX_HEIGHT))
    else:
        _draw_counter(sheet, snap, node, (x, y))


def _draw_counter(sheet: Sheet, snap: dict[str, Any], node: dict[str, Any], at: Point) -> None:
    """Draw how many operands or contributions a node waits for; between two passes, how many operands it has."""
    waits = node["waits"]
    if snap["phase"] and waits is None:
        return
    count = node["degrees"][0] if waits is None else waits
    role = "soft_ink" if not snap["phase"] else _role(snap)
    sheet.dot(*at, "paper", RADIUS)
    sheet.dot(*at, role, RADIUS, hollow=True)
    sheet.text(at[0], at[1] + 5, str(count), role, "middle", bold=True)


def _draw_queue(sheet: Sheet, snap: dict[str, Any]) -> None:
    sheet.text(PANEL, 48, "queue" if snap["queue"] else "queue: empty", "ink", bold=True)
    x, y = float(PANEL), 60.0
    for name in snap["queue"]:
        wide = CHARACTER_WIDTH * display_width(name) + 22
        if x + wide > WIDTH:
            x = float(PANEL)
            y += 38
        sheet.box(x, y, wide, 30, _role(snap), "paper", 2)
        sheet.text(x + wide / 2, y + 20, name, "ink", "middle")
        x += wide + 10


def _draw_gradients(sheet: Sheet, snap: dict[str, Any]) -> None:
    """Draw the gradients that sweeps since the last run have found, with a row for each output."""
    ends = [PANEL + 100 + 66 * k for k in range(len(snap["inputs"]))]
    sheet.text(PANEL, GRADIENTS, "gradients", "ink", bold=True)
    draw_rule(sheet, PANEL, WIDTH - 4, GRADIENTS + 32)
    heads = [(x, f"for {name}", "end") for x, name in zip(ends, snap["inputs"], strict=True)]
    draw_heads(sheet, GRADIENTS + 24, heads)
    for k, (target, row) in enumerate(snap["rows"].items()):
        y = GRADIENTS + 54 + 26 * k
        sheet.text(PANEL, y, target, "ink", size=14)
        for x, g in zip(ends, row, strict=True):
            sheet.text(x, y, "nothing" if g is None else number(g), "adjoint", "end", 14, bold=True)
    if not snap["rows"]:
        hint = f"press Backward, from {snap['target']}"
        sheet.text(PANEL, GRADIENTS + 54, hint, "soft_ink", size=14)
