"""OrderLab: you say which cell sends next, and see which orders give the slope."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial, partialmethod
from typing import Any

from autodiff_lab.text.notation import number
from autodiff_lab.trace.reverse_steps import SweepEvent
from autodiff_lab.trace.wording.explanations import explain_remark
from autodiff_lab.widgets.labs.lab import STEP_BUTTONS, Button, Choice, Lab, Play, Slider
from autodiff_lab.widgets.labs.order_lab import sweeps
from autodiff_lab.widgets.labs.order_lab.picture import draw, write_adjoint
from autodiff_lab.widgets.labs.order_lab.sweeps import CELLS, OPERATIONS
from autodiff_lab.widgets.labs.table import Grid, grid

ADDS, OVERWRITES, RECURSION = WAYS = ("you choose, += adds", "you choose, = overwrites", "recursion, path by path")


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

    def __init__(self) -> None:
        self._tried: dict[tuple[str, str], float | None] = {}
        super().__init__()

    def change(self, name: str) -> None:
        """Begin again in another way."""
        if name == "way":
            self.begin()

    def _send(self, name: str) -> None:
        """Let a cell send."""
        self._go_to(sweeps.sweep_in_order([*self.order, name], self.way == OVERWRITES))

    y, c, b, a = map(partial(partialmethod, _send), OPERATIONS)

    def next(self) -> None:
        """Let the recursion go one call further."""
        self._go_to(sweeps.sweep_by_recursion()[: len(self.moves) + 1])

    def back(self) -> None:
        """Take back the last move."""
        self.moves = self.moves[:-1]

    def begin(self) -> None:
        """Forget this order; what came of those that were tried stays."""
        self.moves: tuple[SweepEvent, ...] = ()

    def _go_to(self, moves: Iterable[SweepEvent]) -> None:
        """Let so much be sent, and keep what came of an order that is complete."""
        self.moves = tuple(moves)
        if self.complete:
            order = "recursion" if self.way == RECURSION else " ".join(self.order)
            self._tried[order, "=" if self.way == OVERWRITES else "+="] = self.held["x"]

    def can(self, name: str) -> bool:
        """Every cell sends once; a recursion chooses for itself."""
        if name in OPERATIONS:
            return self.way != RECURSION and name not in self.order
        if name == "next":
            return self.way == RECURSION and not self.complete
        return bool(self.moves)

    def still(self) -> OrderLab:
        """A wrong order, to its end."""
        return OrderLab().copy(*"ybac")

    @property
    def order(self) -> list[str]:
        """Which cells have sent."""
        return [CELLS[move.line] for move in self.moves]

    @property
    def complete(self) -> bool:
        """Whether there is nothing left to send."""
        return len(self.moves) == len(sweeps.sweep_by_recursion() if self.way == RECURSION else OPERATIONS)

    @property
    def held(self) -> dict[str, float | None]:
        """What each cell holds."""
        held: dict[str, float | None] = {**dict.fromkeys(CELLS), "y": 1.0}
        for move in self.moves:
            held |= {CELLS[sent.parent]: float(sent.after) for sent in move.sent}
        return held

    def snapshot(self) -> dict[str, Any]:
        """The cells with what they hold and have sent, what was tried, and the counts for the doublings."""
        moves, order, held, cells = self.moves, self.order, self.held, {}
        for i, (name, users) in enumerate(sweeps.list_users().items()):
            # A recursion sends to one operand at a time.
            sent = [move.adjoint for move in moves if move.line == i and (not move.sent or move.sent[0].slot == 0)]
            before = users if self.way == RECURSION or name not in order else order[: order.index(name)]
            cells[name] = {
                "value": float(sweeps.record_tape().values[i]),
                "holds": held[name],
                "sent": [None if adjoint is None else float(adjoint) for adjoint in sent],
                "early": [user for user in users if user not in before],
                "waits": [user for user in users if user not in order],
            }
        paths, calls, visits = sweeps.count_paths(self.k)
        return {
            "way": self.way,
            "order": order,
            "cells": cells,
            "starved": [name for name, cell in cells.items() if cell["early"]],
            "complete": self.complete,
            "slope": held["x"],
            "right": sweeps.slope(),
            "arrows": [
                [CELLS[move.line], CELLS[one.parent], float(one.contribution)] for move in moves for one in move.sent
            ],
            "tried": [[order, sign, x] for (order, sign), x in self._tried.items()],
            "doublings": self.k,
            "paths": paths,
            "calls": calls,
            "visits": visits,
        }

    def sentence(self) -> str:
        """What the last move did, and at the end what came of the order."""
        if not self.moves:
            if self.way == RECURSION:
                return "A function calls itself for every operand, as soon as something arrives. Press Next call."
            return "y holds the seed 1. Which cell may send first, and which cells must wait?"
        snap, last = self.snapshot(), self.moves[-1]
        said = " ".join([self._about(last, snap), *(explain_remark((), *remark) for remark in last.remarks)])
        if not self.complete:
            return said
        end = ": this order is valid" if snap["slope"] == snap["right"] else f" instead of {number(snap['right'])}"
        return f"{said} All is sent, and x holds {write_adjoint(snap['slope'])}{end}."

    def _about(self, move: SweepEvent, snap: dict[str, Any]) -> str:
        name, cells = CELLS[move.line], snap["cells"]
        if not move.sent:
            return f"{name} has nothing to send: nothing has arrived there yet. Its turn is over."
        sent = [(CELLS[one.parent], one) for one in move.sent]
        said = [f"{_write_product(move.adjoint, one.contribution)} to {to}" for to, one in sent]
        now = [f"{to} now holds {number(one.after)}" for to, one in sent]
        lost = [f"{number(one.before)} is lost" for _, one in sent if one.replaces]
        late = [to for to, _ in sent if cells[to]["sent"]]
        text = f"{name} sends {' and '.join(said)}; {', '.join(dict.fromkeys(now + lost))}."
        if early := cells[name]["early"]:
            text += f" Too early: {' and '.join(early)} {'have' if len(early) > 1 else 'has'} not sent yet."
        if late and self.way != RECURSION:
            text += f" Too late: {late[0]} has sent already, and this goes no further."
        return text

    def table(self) -> Grid:
        """The cells."""
        snap = self.snapshot()
        rows = [
            (
                name,
                cell["value"],
                write_adjoint(cell["holds"]),
                ", then ".join(map(write_adjoint, cell["sent"])) or "·",
                ", ".join(cell["waits"]) or "none",
                ", ".join(cell["early"]) or "none",
            )
            for name, cell in snap["cells"].items()
        ]
        heads = ("cell", "value", "adjoint", "has sent", "waits for", "did not wait for")
        return grid(f"y = (x²)² + (x²)², order {' '.join(snap['order']) or 'not begun'}", heads, rows)

    def picture(self) -> str:
        """The graph with what is held and sent, the orders that were tried, and the count of paths."""
        return draw(self.snapshot())


def _write_product(adjoint: float, contribution: float) -> str:
    """Adjoint times partial, as numbers; the partial is what makes the contribution."""
    return f"{number(adjoint)} × {number(contribution / adjoint)} = {number(contribution)}"
