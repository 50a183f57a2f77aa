"""TrainRoom: the softmax regression of document 3 while it trains, with the switches that go wrong in practice."""

from __future__ import annotations

from typing import Any

from autodiff_lab.data import load_iris
from autodiff_lab.text.notation import number
from autodiff_lab.widgets.labs.lab import Button, Choice, Lab, Play, Slider, Toggle
from autodiff_lab.widgets.labs.table import Grid, grid
from autodiff_lab.widgets.labs.train_room.picture import draw
from autodiff_lab.widgets.labs.train_room.runs import IN_PLACE, REBIND, Run, measure_error, measure_length

RATES = ("0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10")
CELLS_A_PRESS = 15_000
"""How much is computed before the page is drawn again: three epochs, or one where the tape has grown long."""
ROWS = 17
LOST = (
    " The loss is not finite any more: an exponential has overflowed, or a probability was rounded to 0 and its "
    "logarithm taken."
)


class TrainRoom(Lab):
    """A lab on training: softmax regression on iris, stopped, gone on with, and compared with the run before.

    >>> lab = TrainRoom()  # opens with a whole run; for a shorter one it begins again
    >>> lab.set(epochs=11)
    >>> while lab.can("train"):
    ...     lab.press("train")
    >>> snap = lab.snapshot()
    >>> snap["epoch"], f"{snap['loss']:.9f}", snap["right"], snap["tested"]
    (10, '0.866841920', 26, 38)
    """

    title = "TrainRoom"
    about = "Change a setting, say what will be different, and press Train. The last run stays in grey."
    controls = (
        Toggle("zero_grad", "zero_grad", True),
        Choice("rate", "learning rate", RATES, "0.1"),
        Choice("update", "update", (IN_PLACE, REBIND)),
        Toggle("stable", "stable softmax", True),
        Play("train", 200, "Train"),
        Slider("epochs", "epochs", 10, 1000, 1, 161),
        Button("train", "A few epochs", more=True),
        Button("restart", "Begin again", more=True),
    )

    def __init__(self) -> None:
        self._before: Run | None = None
        super().__init__()
        self.run.train(self.epochs)

    def begin(self) -> None:
        """Begin a run with these settings."""
        self.run = Run(self.rate, self.zero_grad, self.update, self.stable)

    def change(self, name: str) -> None:
        """Begin a new run with other settings, or for fewer epochs; more of them go on with the same."""
        if name != "epochs" or self.epochs < len(self.run.epochs):
            self.restart()

    def train(self) -> None:
        """Go on for a moment."""
        self.run.train(self.epochs, CELLS_A_PRESS)

    def restart(self) -> None:
        """Train from the beginning; what was there is kept for comparison."""
        if self.run.epochs:
            self._before = self.run
        self.begin()

    def can(self, name: str) -> bool:
        """Train until all epochs are done."""
        if name == "restart":
            return bool(self.run.epochs)
        return len(self.run.epochs) < self.epochs and not self.run.is_lost

    def still(self) -> TrainRoom:
        """A run as it ends, where none has begun."""
        if self.run.epochs:
            return self
        shown = self.copy()
        shown.set(epochs=min(self.epochs, 161))
        shown.run.train(shown.epochs)
        return shown

    def snapshot(self) -> dict[str, Any]:
        """The run and what it is at now, and the run before it."""
        iris, now = load_iris(), self.run.epochs[-1] if self.run.epochs else None
        return {
            **self.settings,
            "trained": len(iris.train.labels),
            "tested": len(iris.test.labels),
            "epoch": now.number if now else None,
            "loss": now.loss if now else None,
            "right": now.correct if now else None,
            "cells": now.cells if now else None,
            "is_lost": self.run.is_lost,
            "error": measure_error(now) if now else None,
            **self.run.columns(),
            "before": self._before.columns() if self._before else None,
        }

    def sentence(self) -> str:
        """Where the run is, and what is wrong with it."""
        snap = self.snapshot()
        if snap["epoch"] is None:
            return (
                f"{snap['trained']} flowers to train on, {snap['tested']} to test with; all 15 parameters are 0. Which "
                "of the four curves will leave the grey one? Decide, then press Train."
            )
        said = (
            f"Epoch {snap['epoch']}: the loss is {number(snap['loss'])}, {snap['right']} of {snap['tested']} test "
            f"flowers are right, {snap['cells']} cells on the tape."
        )
        if snap["is_lost"]:
            said += LOST
        elif snap["error"] > 1e-9:
            off = number(snap["error"])
            said += f" What is subtracted is not the gradient of this loss: it is off by {off} times its length."
        if self.update == REBIND and len(snap["all_cells"]) > 1:
            grown = snap["all_cells"][-1] - snap["all_cells"][-2]
            said += f" The tape is {grown} cells longer than an epoch ago: it reaches back to the first one."
        return said

    def table(self) -> Grid:
        """Some of the epochs, the last among them."""
        epochs = self.run.epochs
        every = next(n for n in (1, 2, 5, 10, 20, 50, 100) if len(epochs) <= n * ROWS)
        shown = [e for e in epochs if e.number % every == 0 or e is epochs[-1]]
        rows = [
            (str(e.number), e.loss, e.correct, e.cells or 0, measure_length(e.gradient), measure_length(e.step))
            for e in shown
        ]
        tested = len(load_iris().test.labels)
        heads = ("epoch", "loss", f"right of {tested}", "cells", "length of the gradient", "of what is used")
        return grid(f"Learning rate {self.rate}, update {self.update}", heads, rows or [("none yet", *[""] * 5)])

    def picture(self) -> str:
        """The loss on the left; tape, accuracy and gradient on the right; below how far the run has come."""
        return draw(self.snapshot())
