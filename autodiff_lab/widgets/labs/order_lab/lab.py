"""OrderLab: you say which cell sends next, and see which orders give the slope."""

from __future__ import annotations

from functools import cache, lru_cache, partial, partialmethod
from typing import Any

from autodiff_lab.text.notation import number
from autodiff_lab.trace.reverse_steps import SweepEvent
from autodiff_lab.trace.wording.explanations import explain_remark
from autodiff_lab.widgets.labs.lab import STEP_BUTTONS, Button, Choice, Lab, Play, Slider
from autodiff_lab.widgets.labs.order_lab import sweeps
from autodiff_lab.widgets.labs.order_lab.picture import draw
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

    title = "OrderLab"
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
        self._order += (name,)
        self._note()

    y, c, b, a = map(partial(partialmethod, _send), OPERATIONS)

    def next(self) -> None:
        """Let the recursion go one call further."""
        self._calls += 1
        self._note()

    def back(self) -> None:
        """Take back the last move."""
        self._order, self._calls = self._order[:-1], max(0, self._calls - 1)

    def begin(self) -> None:
        """Forget this order; what came of those that were tried stays."""
        self._order: tuple[str, ...] = ()
        self._calls = 0

    def _note(self) -> None:
        """Keep what came of an order that is complete."""
        if self.complete:
            order = "recursion" if self.way == RECURSION else " ".join(self._order)
            self._tried[order, "=" if self.way == OVERWRITES else "+="] = self._held()["x"]

    def can(self, name: str) -> bool:
        """Every cell sends once; a recursion chooses for itself."""
        if name in OPERATIONS:
            return self.way != RECURSION and name not in self._order
        if name == "next":
            return self.way == RECURSION and not self.complete
        return bool(self.moves)

    def still(self) -> OrderLab:
        """A wrong order, to its end."""
        wrong = OrderLab()
        for name in "ybac":
            wrong.press(name)
        return wrong

    @property
    def moves(self) -> tuple[SweepEvent, ...]:
        """What was sent so far."""
        return _recursion()[: self._calls] if self.way == RECURSION else _moves(self._order, self.way == OVERWRITES)

    @property
    def complete(self) -> bool:
        """Whether there is nothing left to send."""
        return len(self.moves) == (len(_recursion()) if self.way == RECURSION else len(OPERATIONS))

    def _held(self) -> dict[str, float | None]:
        """What each cell holds."""
        held: dict[str, float | None] = {**dict.fromkeys(CELLS), "y": 1.0}
        for move in self.moves:
            held |= {CELLS[sent.parent]: float(sent.after) for sent in move.sent}
        return held

    def snapshot(self) -> dict[str, Any]:
        """The cells with what they hold and have sent, what was tried, and the counts for the doublings."""
        moves, held = self.moves, self._held()
        order = [CELLS[move.line] for move in moves]
        sent: dict[str, list[float | None]] = {name: [] for name in CELLS}
        for move in moves:
            if not move.sent or move.sent[0].slot == 0:  # a recursion sends to one operand at a time
                sent[CELLS[move.line]].append(None if move.adjoint is None else float(move.adjoint))
        cells = {
            name: {
                "value": float(sweeps.record_tape().values[i]),
                "holds": held[name],
                "has sent": bool(sent[name]),
                "sent": sent[name],
                "early": self._early(name, order),
                "waits": [user for user in sweeps.list_users()[name] if user not in order],
            }
            for i, name in enumerate(CELLS)
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

    def _early(self, name: str, order: list[str]) -> list[str]:
        """The users for which a cell did not wait."""
        if self.way == RECURSION or name not in order:
            return []
        return [user for user in sweeps.list_users()[name] if user not in order[: order.index(name)]]

    def sentence(self) -> str:
        """What the last move did, and at the end what came of the order."""
        if not self.moves:
            if self.way == RECURSION:
                return "A function calls itself for every operand, as soon as something arrives. Press Next call."
            return "y holds the seed 1. Which cell may send first, and which cells must wait?"
        snap, last = self.snapshot(), self.moves[-1]
        said = " ".join([self._about(last, snap), *(explain_remark((), *remark) for remark in last.remarks)])
        return f"{said} {_verdict(snap)}" if self.complete else said

    def _about(self, move: SweepEvent, snap: dict[str, Any]) -> str:
        name = CELLS[move.line]
        early = snap["cells"][name]["early"]
        if not move.sent:
            return f"{name} has nothing to send: nothing has arrived there yet. Its turn is over."
        said = [f"{_product(move, k)} to {CELLS[one.parent]}" for k, one in enumerate(move.sent)]
        now = [f"{CELLS[one.parent]} now holds {number(one.after)}" for one in move.sent]
        lost = [f"{number(one.before)} is lost" for one in move.sent if one.replaces]
        late = [CELLS[one.parent] for one in move.sent if snap["cells"][CELLS[one.parent]]["has sent"]]
        text = f"{name} sends {' and '.join(said)}; {', '.join(dict.fromkeys(now + lost))}."
        if early:
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
                _write(cell["holds"]),
                ", then ".join(map(_write, cell["sent"])) or "·",
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


@lru_cache(maxsize=256)
def _moves(order: tuple[str, ...], overwrites: bool) -> tuple[SweepEvent, ...]:
    return tuple(sweeps.sweep_in_order(order, overwrites))


@cache
def _recursion() -> tuple[SweepEvent, ...]:
    return tuple(sweeps.sweep_by_recursion())


def _product(move: SweepEvent, k: int) -> str:
    """Adjoint times partial, as numbers; the partial is what makes the contribution."""
    one = move.sent[k]
    return f"{number(move.adjoint)} × {number(one.contribution / move.adjoint)} = {number(one.contribution)}"


def _write(x: float | None) -> str:
    return "nothing" if x is None else number(x)


def _verdict(snap: dict[str, Any]) -> str:
    if snap["slope"] == snap["right"]:
        return f"All is sent, and x holds {_write(snap['slope'])}: this order is valid."
    return f"All is sent, and x holds {_write(snap['slope'])} instead of {number(snap['right'])}."
