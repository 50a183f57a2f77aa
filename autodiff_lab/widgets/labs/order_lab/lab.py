"""The controller of the lab OrderLab: the cells of a small graph send their adjoints in any order.

The partials are the engine's. A wrong order lets a cell send before it has received all of its adjoint.
"""

import functools
from collections.abc import Iterable, Iterator, Sequence
from functools import partialmethod
from itertools import pairwise
from typing import Any, Self

import numpy as np

from autodiff_lab.lessons.examples.paths import count_paths
from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.numbers import number
from autodiff_lab.trace.faulty_engines import FAULTS
from autodiff_lab.trace.recorded_run import SweepEvent
from autodiff_lab.trace.reverse_steps import seed_adjoints, send
from autodiff_lab.trace.wording.explanations import explain_remark
from autodiff_lab.transforms.gradients import grad
from autodiff_lab.transforms.recording import record
from autodiff_lab.widgets.labs.canvas import Point, Sheet, draw_bar, draw_rule
from autodiff_lab.widgets.labs.lab import STEP_BUTTONS, Button, Choice, Lab, Play, Slider
from autodiff_lab.widgets.labs.phrases import count_noun

CELLS = ("x", "a", "b", "c", "y")
# The cells that have something to send, in the order of the tape read backwards.
OPERATIONS = CELLS[:0:-1]
POINT = 2.0

WIDTH, HEIGHT = 900, 412
BOX_WIDTH, BOX_HEIGHT = 116, 60
PLACES = {"x": (10, 116), "a": (198, 116), "b": (372, 48), "c": (372, 184), "y": (544, 116)}
MADE_OF = {"x": "input", "a": "x²", "b": "a²", "c": "a²", "y": "b + c"}
LIST_LEFT, BELOW = 706, 284
SHOWN = 8
# The left edges of the text next to the chain, and of its bars.
COUNTS, BARS = 470, 692

ADDS, OVERWRITES, RECURSION = WAYS = (
    "you choose, += adds",
    "you choose, = overwrites",
    "recursion, path by path",
)


def f(x: Any) -> Any:
    """Return (x²)² + (x²)²; the inner square is computed once and used twice."""
    a = np.square(x)
    b = np.square(a)
    c = np.square(a)
    return b + c


@functools.cache
def record_tape() -> Any:
    """Record the tape of `f` at x = 2."""
    return record(f, POINT)[1]


@functools.cache
def slope() -> float:
    """Return the slope of `f` at 2, which a sweep in any valid order gives.

    >>> slope()
    64.0
    """
    return float(grad(f)(POINT))


@functools.cache
def list_users() -> dict[str, tuple[str, ...]]:
    """List for each cell the cells that use it, which must send before it.

    >>> list_users()["a"]
    ('b', 'c')
    """
    parents = record_tape().parents
    return {
        name: tuple(user for k, user in enumerate(CELLS) if i in parents[k])
        for i, name in enumerate(CELLS)
    }


def sweep_in_order(order: Sequence[str], overwrites: bool = False) -> Iterator[SweepEvent]:
    """Sweep in a given order of the cells: each sends once, and sends the adjoint that it has at that moment.

    >>> [float(list(sweep_in_order(order))[-1].sent[0].after) for order in ("ybca", "ycba")]
    [64.0, 64.0]
    >>> [float(move.sent[0].after) for move in sweep_in_order("ybac") if move.line == 1]
    [32.0]
    """
    tape = record_tape()
    adjoints = seed_adjoints(tape)
    for i in map(CELLS.index, order):
        adjoint = adjoints[i]
        events = [] if adjoint is None else send(tape, i, adjoint, adjoints, overwrites)
        yield SweepEvent(i, adjoint, tuple(sent for event in events for sent in event.sent))


@functools.cache
def sweep_by_recursion() -> tuple[SweepEvent, ...]:
    """Sweep by recursion along every path, which sends the whole adjoint each time: the player's fault "recursion".

    >>> [float(move.sent[0].after) for move in sweep_by_recursion()][-1]
    96.0
    """
    return tuple(FAULTS["recursion"](record_tape()))


class OrderLab(Lab):
    """A lab on the order of a sweep: the cells of (x²)² + (x²)² send one by one, or a recursion follows every path.

    >>> lab = OrderLab()
    >>> for cell in "ybac":
    ...     lab.press(cell)
    >>> lab.snapshot()["slope"], lab.snapshot()["right"], lab.snapshot()["starved"]
    (32.0, 64.0, ['a'])
    """

    about = "Let the cells send, one after the other. Find the orders that bring 64 to x."
    controls = (
        *(Button(name, f"{name} sends") for name in OPERATIONS),
        *STEP_BUTTONS[1:],
        Choice("way", "which cell sends next", WAYS, more=True),
        Button("next", "Next call", more=True),
        Play("next", 1200, more=True),
        Slider("k", "doublings, below", 1, 8, 1, 3, more=True),
    )
    way: str
    k: int
    moves: tuple[SweepEvent, ...]

    def __init__(self) -> None:
        self._tried: dict[tuple[str, str], float | None] = {}
        super().__init__()

    def change(self, name: str) -> None:
        """Begin a new order when another way of sending is chosen: by `+=`, by `=`, or by recursion."""
        if name == "way":
            self.begin()

    def _send(self, name: str) -> None:
        """Let a cell send."""
        self._go_to(sweep_in_order([*self.order, name], self.way == OVERWRITES))

    # The buttons of the cells.
    y = partialmethod(_send, "y")
    c = partialmethod(_send, "c")
    b = partialmethod(_send, "b")
    a = partialmethod(_send, "a")

    def next(self) -> None:
        """Do one more call of the recursion."""
        self._go_to(sweep_by_recursion()[: len(self.moves) + 1])

    def back(self) -> None:
        """Undo the last move."""
        self.moves = self.moves[:-1]

    def begin(self) -> None:
        """Begin a new order of the cells; the results of the orders that were tried stay in the list."""
        self.moves = ()

    def _go_to(self, moves: Iterable[SweepEvent]) -> None:
        """Go to a state after some moves, and store the result if the order is complete."""
        self.moves = tuple(moves)
        if self._is_complete:
            order = "recursion" if self.way == RECURSION else " ".join(self.order)
            self._tried[order, "=" if self.way == OVERWRITES else "+="] = self.held["x"]

    def can(self, name: str) -> bool:
        """Return True if a button can be pressed: each cell sends once; a recursion chooses the cells itself."""
        if name in OPERATIONS:
            return self.way != RECURSION and name not in self.order
        if name == "next":
            return self.way == RECURSION and not self._is_complete
        return bool(self.moves)

    def still(self) -> Self:
        """Return a lab for a static page: the wrong order y b a c, carried to its end."""
        return type(self)().copy(*"ybac")

    @property
    def order(self) -> list[str]:
        """The cells that have sent so far, in order."""
        return [CELLS[move.line] for move in self.moves]

    @property
    def _is_complete(self) -> bool:
        """Whether every cell has sent, so that the order is complete."""
        return len(self.moves) == len(sweep_by_recursion() if self.way == RECURSION else OPERATIONS)

    @property
    def held(self) -> dict[str, float | None]:
        """The adjoint of each cell after the moves so far; None if nothing has arrived."""
        held: dict[str, float | None] = {**dict.fromkeys(CELLS), "y": 1.0}
        for move in self.moves:
            held |= {CELLS[sent.parent]: float(sent.after) for sent in move.sent}
        return held

    def snapshot(self) -> dict[str, Any]:
        """Return what each cell holds and has sent, the orders that were tried, and the counts of paths and calls."""
        order = self.order
        held = self.held
        cells = {}
        for i, (name, users) in enumerate(list_users().items()):
            # A recursion sends to one operand at a time, so only the move to the first operand counts.
            sent = [
                move.adjoint
                for move in self.moves
                if move.line == i and (not move.sent or move.sent[0].slot == 0)
            ]
            before: Sequence[str] = users
            if self.way != RECURSION and name in order:
                before = order[: order.index(name)]
            cells[name] = {
                "value": float(record_tape().values[i]),
                "holds": held[name],
                "sent": [None if adjoint is None else float(adjoint) for adjoint in sent],
                "early": [user for user in users if user not in before],
                "waits": [user for user in users if user not in order],
            }
        paths, calls, visits = count_paths(self.k)
        return {
            "order": order,
            "cells": cells,
            "starved": [name for name, cell in cells.items() if cell["early"]],
            "complete": self._is_complete,
            "slope": held["x"],
            "right": slope(),
            "arrows": [
                [CELLS[move.line], CELLS[one.parent], float(one.contribution)]
                for move in self.moves
                for one in move.sent
            ],
            "tried": [[order, sign, x] for (order, sign), x in self._tried.items()],
            "paths": paths,
            "calls": calls,
            "visits": visits,
        }

    def sentence(self) -> str:
        """Describe what the last cell sent, whether too early or too late, and at the end the slope."""
        if not self.moves:
            if self.way == RECURSION:
                return "A function calls itself for every operand as soon as a contribution arrives. Press Next call."
            return "y holds the seed 1. Which cell may send first, and which cells must wait?"
        snap = self.snapshot()
        last = self.moves[-1]
        remarks = [explain_remark((), *remark) for remark in last.remarks]
        said = " ".join([self._about(last, snap), *remarks])
        if not self._is_complete:
            return said
        is_valid = snap["slope"] == snap["right"]
        end = ": this order is valid" if is_valid else f" instead of {number(snap['right'])}"
        return f"{said} Every cell has sent, and x holds {_write_adjoint(snap['slope'])}{end}."

    def _about(self, move: SweepEvent, snap: dict[str, Any]) -> str:
        """Describe a move: what its cell sends, what is lost, and what is too early or too late."""
        name = CELLS[move.line]
        cells = snap["cells"]
        if not move.sent:
            return f"{name} has nothing to send, because nothing has arrived there yet. It won't get another turn."
        sent = [(CELLS[one.parent], one) for one in move.sent]
        said = [f"{_write_product(move.adjoint, one.contribution)} to {to}" for to, one in sent]
        now = [f"{to} now holds {number(one.after)}" for to, one in sent]
        lost = [f"{number(one.before)} is lost" for _, one in sent if one.replaces]
        late = [to for to, _ in sent if cells[to]["sent"]]
        text = f"{name} sends {' and '.join(said)}; {', '.join(dict.fromkeys(now + lost))}."
        early = cells[name]["early"]
        if early:
            verb = "have" if len(early) > 1 else "has"
            text += f" Too early: {' and '.join(early)} {verb} not sent yet."
        if late and self.way != RECURSION:
            text += f" Too late: {late[0]} has already sent its adjoint, so this goes no further."
        return text

    def table(self) -> Grid:
        """List each cell with its adjoint, what it has sent, and the cells for which it waits."""
        snap = self.snapshot()
        rows = [
            (
                name,
                cell["value"],
                _write_adjoint(cell["holds"]),
                ", then ".join(map(_write_adjoint, cell["sent"])) or "·",
                ", ".join(cell["waits"]) or "none",
                ", ".join(cell["early"]) or "none",
            )
            for name, cell in snap["cells"].items()
        ]
        heads = ("cell", "value", "adjoint", "has sent", "waits for", "did not wait for")
        order = " ".join(snap["order"]) or "not begun"
        return grid(f"y = (x²)² + (x²)², order {order}", heads, rows)

    def picture(self) -> str:
        """Draw the graph with adjoints and contributions, the orders that were tried, and paths against cells."""
        snap = self.snapshot()
        title = "Five cells with values and adjoints, the orders that were tried, and paths against cells"
        sheet = Sheet(WIDTH, HEIGHT, title)
        sheet.text(10, 24, "y = (x²)² + (x²)²", bold=True)
        sheet.text(198, 24, f"sent so far: {' '.join(snap['order']) or 'none'}", "soft_ink")
        sheet.text(LIST_LEFT - 42, 24, self.way, "soft_ink", "end", 14)
        for operand, consumers in list_users().items():
            for consumer in consumers:
                _draw_edge(sheet, operand, consumer, snap)
        for name, cell in snap["cells"].items():
            _draw_cell(sheet, name, cell, snap)
        _draw_tried(sheet, snap)
        _draw_paths(sheet, self.k)
        split = COUNTS + 20.0
        height_below = float(HEIGHT - BELOW)
        graph = (0.0, 0.0, 688.0, BELOW - 2.0)
        orders = (690.0, 0.0, 210.0, BELOW - 2.0)
        chain = (0.0, BELOW, split, height_below)
        bars = (split, BELOW, 410.0, height_below)
        sheet.fold([graph], [orders], [chain], [bars])
        return sheet.svg()


def _write_product(adjoint: float, contribution: float) -> str:
    """Write a contribution as a product of numbers: adjoint times partial."""
    return f"{number(adjoint)} × {number(contribution / adjoint)} = {number(contribution)}"


# The picture


def _draw_edge(sheet: Sheet, operand: str, consumer: str, snap: dict[str, Any]) -> None:
    """Draw an edge with its partial, or with the contributions once something was sent along it."""
    (x0, y0), (x1, y1) = PLACES[operand], PLACES[consumer]
    tail = (x0 + BOX_WIDTH + 2, y0 + BOX_HEIGHT / 2)
    head = (x1 - 2, y1 + BOX_HEIGHT / 2)
    x, y = _place_label(operand, consumer, tail, head)
    sent = [
        number(contribution)
        for *ends, contribution in snap["arrows"]
        if ends == [consumer, operand]
    ]
    if not sent:
        sheet.arrow(tail, head, "line", 1.5)
        sheet.text(x, y, f"× {_partial(operand, consumer)}", "soft_ink", "middle", 14)
        return
    last = snap["arrows"][-1][:2] == [consumer, operand]
    sheet.arrow(head, tail, "adjoint", 3.5 if last else 2, "7 4")
    sheet.text(x, y, " + ".join(sent), "adjoint", "middle", 14, bold=True)


def _place_label(operand: str, consumer: str, tail: Point, head: Point) -> Point:
    """Find the place of an edge's label: near the middle of the edge, and clear of the line."""
    x = (tail[0] + head[0]) / 2
    y = (tail[1] + head[1]) / 2
    if operand == "a":
        x -= 8
    elif operand in ("b", "c"):
        x += 8
    if "b" in (operand, consumer):
        return x, y - 18
    if "c" in (operand, consumer):
        return x, y + 30
    return x, y - 8


def _partial(operand: str, consumer: str) -> str:
    tape = record_tape()
    i = CELLS.index(consumer)
    slot = tape.parents[i].index(CELLS.index(operand))
    return number(tape.ops[i].local_partial(slot, tape.values[i], *tape.args[i]))


def _draw_cell(sheet: Sheet, name: str, cell: dict[str, Any], snap: dict[str, Any]) -> None:
    x, y = PLACES[name]
    is_starved = bool(cell["early"]) or len(cell["sent"]) > 1
    is_last = snap["order"][-1:] == [name]
    if is_starved:
        sheet.box(x, y, BOX_WIDTH, BOX_HEIGHT, "adjoint", "adjoint_paper", 3.5)
    elif is_last:
        sheet.box(x, y, BOX_WIDTH, BOX_HEIGHT, "ink", "paper", 3.5)
    else:
        sheet.box(x, y, BOX_WIDTH, BOX_HEIGHT, "line", "paper", 1.5)
    sheet.text(x + 10, y + 22, name, bold=True)
    sheet.text(x + BOX_WIDTH - 10, y + 22, MADE_OF[name], "soft_ink", "end", 14)
    sheet.text(x + 10, y + 46, number(cell["value"]), "value", bold=True)
    held = "·" if cell["holds"] is None else number(cell["holds"])
    sheet.text(x + BOX_WIDTH - 10, y + 46, held, "adjoint", "end", bold=True)
    if name != "x":
        said, role = _describe_state(cell)
        sheet.text(x + BOX_WIDTH / 2, y + BOX_HEIGHT + 18, said, role, "middle", 14, is_starved)


def _write_adjoint(x: float | None) -> str:
    """Write an adjoint as a number, or "nothing" if there is none."""
    return "nothing" if x is None else number(x)


def _describe_state(cell: dict[str, Any]) -> tuple[str, str]:
    """Describe in a few words whether a cell waits or has sent; return the text and the role of its colour."""
    if not cell["sent"] and cell["waits"]:
        return f"waits for {', '.join(cell['waits'])}", "soft_ink"
    if not cell["sent"]:
        return "may send", "ink"
    sent = ", then ".join(map(_write_adjoint, cell["sent"]))
    if cell["early"] and cell["sent"] == [None]:
        return f"starved: {sent}", "adjoint"
    if cell["early"]:
        return f"starved: sent {sent}", "adjoint"
    if len(cell["sent"]) > 1:
        return f"sent {sent}", "adjoint"
    return f"sent {sent}", "ink"


def _draw_tried(sheet: Sheet, snap: dict[str, Any]) -> None:
    """List the orders that were completed, the latest at the bottom."""
    sheet.path([(LIST_LEFT - 16, 10), (LIST_LEFT - 16, BELOW - 16)], "faint", 1)
    sheet.text(LIST_LEFT, 24, "order", "soft_ink", size=14)
    sheet.text(WIDTH - 26, 24, "x gets", "soft_ink", "end", 14)
    if not snap["tried"]:
        sheet.text(LIST_LEFT, 52, "none tried yet", "soft_ink", size=14)
    for k, (order, sign, x) in enumerate(snap["tried"][-SHOWN:]):
        y = 52 + 26 * k
        is_right = x == snap["right"]
        role = "value" if is_right else "adjoint"
        sheet.text(LIST_LEFT, y, order if sign == "+=" else f"{order}, with =")
        sheet.text(
            WIDTH - 26,
            y,
            "·" if x is None else number(x),
            role,
            "end",
            bold=True,
        )
        sheet.text(WIDTH - 6, y, "✓" if is_right else "✗", role, "end")


def _draw_paths(sheet: Sheet, many: int) -> None:
    """Draw a chain of cells that doubles x repeatedly, and bars for the numbers of paths, calls and cells."""
    draw_rule(sheet, 10, WIDTH - 10, BELOW, "faint")
    sheet.text(
        10,
        BELOW + 26,
        f"Why cell by cell? Here x is doubled {count_noun(many, 'time')}:",
        bold=True,
    )
    lines = [
        f"{_name_cell(k, many)} = {_name_cell(k - 1, many)} + {_name_cell(k - 1, many)}"
        for k in (1, 2, many)
    ]
    written = dict.fromkeys(lines[:2] if many > 1 else lines[:1])
    rest = {1: "", 2: "", 3: f",  {lines[2]}"}.get(many, f", …  {lines[2]}")
    sheet.text(10, BELOW + 48, ",  ".join(written) + rest, "soft_ink", size=14)
    apart = min((COUNTS - 70) / many, 92)
    places = [(26 + apart * k, BELOW + 82) for k in range(many + 1)]
    for here, there in pairwise(places):
        for bend in (-1, 1):
            sheet.path(_bend(here, there, bend * 15), "adjoint", 2)
    for k, (x, y) in enumerate(places):
        sheet.box(x - 13, y - 13, 26, 26, "ink", "paper", 2)
        sheet.text(x, y + 5, _name_cell(k, many), "ink", "middle", 14)
    ways = " × ".join(["2"] * many) if many > 1 else "2"
    sheet.text(
        10,
        BELOW + 118,
        f"Each + uses a cell twice: {ways}{f' = {2**many}' if many > 1 else ''} ways back.",
        size=14,
    )
    paths, calls, visits = count_paths(many)
    for y, said, count, role in (
        (BELOW + 14, "ways from y back to x", paths, "adjoint"),
        (BELOW + 48, "calls, walking every way", calls, "adjoint"),
        (BELOW + 82, "cells, each visited once", visits, "value"),
    ):
        sheet.text(COUNTS + 26, y + 15, said, "ink", size=14)
        draw_bar(sheet, BARS, y, 150 * count / calls, role, str(count), 20, bold=True)


def _name_cell(k: int, many: int) -> str:
    """Name the k-th cell of the chain: x, then a, b, c, …, and y for the result."""
    if k == 0:
        return "x"
    if k == many:
        return "y"
    return "abcdefg"[k - 1]


def _bend(here: Point, there: Point, height: float) -> list[Point]:
    """Return the points of a curved line between two cells."""
    (x0, y0), (x1, _) = here, there
    return [(x0 + (x1 - x0) * t / 12, y0 + 4 * height * t / 12 * (1 - t / 12)) for t in range(13)]
