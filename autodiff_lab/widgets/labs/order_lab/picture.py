"""The picture of OrderLab: five cells that hold and send, the orders that were tried, and paths against cells."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from autodiff_lab.text.notation import number
from autodiff_lab.widgets.labs.canvas import Point, Sheet
from autodiff_lab.widgets.labs.marks import draw_bar, draw_rule
from autodiff_lab.widgets.labs.order_lab.sweeps import CELLS, list_users, record_tape

WIDTH, HEIGHT = 900, 408
BOX_WIDTH, BOX_HEIGHT = 116, 60
PLACES = {"x": (10, 116), "a": (198, 116), "b": (372, 48), "c": (372, 184), "y": (544, 116)}
MADE_OF = {"x": "input", "a": "x²", "b": "a²", "c": "a²", "y": "b + c"}
LIST_LEFT, BELOW = 706, 284
SHOWN = 8
COUNTS, BARS = 470, 692
"""Where the words beside the chain begin, and their bars."""


def draw(snap: dict[str, Any]) -> str:
    """Draw the picture of OrderLab, from a snapshot of it."""
    title = "Five cells with values and adjoints, the orders that were tried, and paths against cells"
    sheet = Sheet(WIDTH, HEIGHT, title)
    sheet.text(10, 24, "y = (x²)² + (x²)²", bold=True)
    sheet.text(198, 24, f"sent so far: {' '.join(snap['order']) or 'none'}", "soft_ink")
    sheet.text(LIST_LEFT - 42, 24, snap["way"], "soft_ink", "end", 14)
    for operand, consumers in list_users().items():
        for consumer in consumers:
            _draw_edge(sheet, operand, consumer, snap)
    for name, cell in snap["cells"].items():
        _draw_cell(sheet, name, cell, snap)
    _draw_tried(sheet, snap)
    _draw_paths(sheet, snap)
    return sheet.svg()


def _draw_edge(sheet: Sheet, operand: str, consumer: str, snap: dict[str, Any]) -> None:
    """Draw a link with its partial; once something was sent, an arrow back with the contributions."""
    (x0, y0), (x1, y1) = PLACES[operand], PLACES[consumer]
    tail, head = (x0 + BOX_WIDTH + 2, y0 + BOX_HEIGHT / 2), (x1 - 2, y1 + BOX_HEIGHT / 2)
    x, y = (tail[0] + head[0]) / 2, (tail[1] + head[1]) / 2
    x += -8 if operand == "a" else 8 if operand in "bc" else 0
    y += -18 if "b" in (operand, consumer) else 30 if "c" in (operand, consumer) else -8
    sent = [number(contribution) for *ends, contribution in snap["arrows"] if ends == [consumer, operand]]
    if not sent:
        sheet.arrow(tail, head, "line", 1.5)
        sheet.text(x, y, f"× {_partial(operand, consumer)}", "soft_ink", "middle", 14)
        return
    last = snap["arrows"][-1][:2] == [consumer, operand]
    sheet.arrow(head, tail, "adjoint", 3.5 if last else 2, "7 4")
    sheet.text(x, y, " + ".join(sent), "adjoint", "middle", 14, bold=True)


def _partial(operand: str, consumer: str) -> str:
    tape, i = record_tape(), CELLS.index(consumer)
    slot = tape.parents[i].index(CELLS.index(operand))
    return number(tape.ops[i].local_partial(slot, tape.values[i], *tape.args[i]))


def _draw_cell(sheet: Sheet, name: str, cell: dict[str, Any], snap: dict[str, Any]) -> None:
    x, y = PLACES[name]
    starved, last = bool(cell["early"]) or len(cell["sent"]) > 1, snap["order"][-1:] == [name]
    role = "adjoint" if starved else "ink" if last else "line"
    paper, width = "adjoint_paper" if starved else "paper", 3.5 if starved or last else 1.5
    sheet.box(x, y, BOX_WIDTH, BOX_HEIGHT, role, paper, width)
    sheet.text(x + 10, y + 22, name, bold=True)
    sheet.text(x + BOX_WIDTH - 10, y + 22, MADE_OF[name], "soft_ink", "end", 14)
    sheet.text(x + 10, y + 46, number(cell["value"]), "value", bold=True)
    held = "·" if cell["holds"] is None else number(cell["holds"])
    sheet.text(x + BOX_WIDTH - 10, y + 46, held, "adjoint", "end", bold=True)
    if name != "x":
        said, role = _describe_state(cell)
        sheet.text(x + BOX_WIDTH / 2, y + BOX_HEIGHT + 18, said, role, "middle", 14, starved)


def write_adjoint(x: float | None) -> str:
    """Write what a cell holds or has sent."""
    return "nothing" if x is None else number(x)


def _describe_state(cell: dict[str, Any]) -> tuple[str, str]:
    if not cell["sent"]:
        return (f"waits for {', '.join(cell['waits'])}", "soft_ink") if cell["waits"] else ("may send", "ink")
    sent = ", then ".join(map(write_adjoint, cell["sent"]))
    if cell["early"]:
        return f"starved: {sent if cell['sent'] == [None] else f'sent {sent}'}", "adjoint"
    return f"sent {sent}", "adjoint" if len(cell["sent"]) > 1 else "ink"


def _draw_tried(sheet: Sheet, snap: dict[str, Any]) -> None:
    """List the orders that were carried through, the latest at the bottom."""
    sheet.path([(LIST_LEFT - 16, 10), (LIST_LEFT - 16, BELOW - 16)], "faint", 1)
    sheet.text(LIST_LEFT, 24, "order", "soft_ink", size=14)
    sheet.text(WIDTH - 26, 24, "x gets", "soft_ink", "end", 14)
    if not snap["tried"]:
        sheet.text(LIST_LEFT, 52, "none tried yet", "soft_ink", size=14)
    for k, (order, sign, x) in enumerate(snap["tried"][-SHOWN:]):
        y, right = 52 + 26 * k, x == snap["right"]
        sheet.text(LIST_LEFT, y, order if sign == "+=" else f"{order}, with =")
        sheet.text(WIDTH - 26, y, "·" if x is None else number(x), "value" if right else "adjoint", "end", bold=True)
        sheet.text(WIDTH - 6, y, "✓" if right else "✗", "value" if right else "adjoint", "end")


def _draw_paths(sheet: Sheet, snap: dict[str, Any]) -> None:
    """Draw x doubled again and again: a chain of cells, and three bars."""
    draw_rule(sheet, 10, WIDTH - 10, BELOW, "faint")
    many = snap["doublings"]
    sheet.text(10, BELOW + 26, f"Another program: x + x, {many} time{'s' * (many > 1)} over", bold=True)
    apart = (COUNTS - 80) / 8
    places = [(20 + apart * k, BELOW + 74) for k in range(many + 1)]
    for here, there in pairwise(places):
        for bend in (-1, 1):
            sheet.path(_bend(here, there, bend * 18), "line", 1.5)
    for k, place in enumerate(places):
        sheet.dot(*place, "ink", 7)
        if k in (0, many):
            sheet.text(place[0], place[1] + 26, "y" if k else "x", "ink", "middle", bold=True)
    for y, said, count, role in (
        (BELOW + 20, "paths from y to x", snap["paths"], "adjoint"),
        (BELOW + 54, "calls, if each path is followed", snap["calls"], "adjoint"),
        (BELOW + 88, "cells that a sweep visits", snap["visits"], "value"),
    ):
        sheet.text(COUNTS, y + 15, said, "ink", size=14)
        draw_bar(sheet, BARS, y, 150 * count / snap["calls"], role, str(count), 20, bold=True)


def _bend(here: Point, there: Point, height: float) -> list[Point]:
    """Bend a line from one dot to the next."""
    (x0, y0), (x1, _) = here, there
    return [(x0 + (x1 - x0) * t / 12, y0 + 4 * height * t / 12 * (1 - t / 12)) for t in range(13)]
