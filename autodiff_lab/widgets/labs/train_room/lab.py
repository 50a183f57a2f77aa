"""TrainRoom: the softmax regression of document 3 while it trains, with the switches that go wrong in practice."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_lab.data import load_iris
from autodiff_lab.systems.iris import Epoch, Parameters, train_scalars
from autodiff_lab.text.notation import number
from autodiff_lab.text.table import Grid
from autodiff_lab.widgets.labs.lab import Button, Choice, Lab, Play, Slider, Toggle
from autodiff_lab.widgets.labs.table import grid
from autodiff_lab.widgets.labs.train_room.picture import drawn

RATES = ("0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10")
IN_PLACE, REBIND = "in place", "bind the name anew"
CELLS_A_PRESS = 15_000
"""How much is computed before the page is drawn again: three epochs, or one where the tape has grown long."""
ROWS = 17


@dataclass(frozen=True)
class Settings:
    """What a run depends on."""

    rate: str = "0.1"
    zero_grad: bool = True
    update: str = IN_PLACE
    stable: bool = True


class Run:
    """One training from the beginning, as far as it has come. It can be left alone and gone on with at any time."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.epochs: list[Epoch] = []
        self._lengths: list[tuple[float, float]] = []  # of the gradients and of what is used: measured once
        self._training = train_scalars(
            rate=float(settings.rate),
            clear=settings.zero_grad,
            rebind=settings.update == REBIND,
            stable=settings.stable,
        )

    @property
    def is_lost(self) -> bool:
        """Whether the loss is no longer finite. It will not be again."""
        return bool(self.epochs) and not math.isfinite(self.epochs[-1].loss)

    def go_on(self, until: int, cells: float = math.inf) -> None:
        """Train up to `until` epochs in all, at most so many cells' worth at a time, and one epoch at least."""
        done = 0
        while done < cells and len(self.epochs) < until and not self.is_lost:
            with np.errstate(all="ignore"):
                epoch = next(self._training)
            self.epochs.append(epoch)
            self._lengths.append((length(epoch.gradient), length(epoch.step)))
            done += epoch.cells or 0

    def columns(self) -> dict[str, list[float]]:
        """What is drawn over the epochs."""
        return {
            "losses": [epoch.loss for epoch in self.epochs],
            "all_right": [epoch.correct for epoch in self.epochs],
            "all_cells": [epoch.cells or 0 for epoch in self.epochs],
            "gradients": [gradient for gradient, _ in self._lengths],
            "steps": [step for _, step in self._lengths],
        }


class TrainRoom(Lab):
    """Softmax regression on iris: train it, stop it, go on, and compare with the run before.

    >>> lab = TrainRoom()
    >>> lab.set(epochs=11)
    >>> while lab.can("train"):
    ...     lab.press("train")
    >>> snap = lab.snapshot()
    >>> snap["epoch"], f"{snap['loss']:.9f}", snap["right"], snap["tested"]
    (10, '0.866841920', 26, 38)
    """

    title = "TrainRoom"
    about = "Press Train, and again to pause. Another setting begins a new run; the last one stays for comparison."
    controls = (
        Choice("rate", "learning rate", RATES),
        Slider("epochs", "epochs", 10, 1000, 1),
        Toggle("zero_grad", "zero_grad"),
        Choice("update", "update", (IN_PLACE, REBIND)),
        Toggle("stable", "stable softmax"),
        Play("train", 200, "Train"),
        Button("train", "A few epochs"),
        Button("restart", "Begin again"),
    )
    rate: str
    zero_grad: bool
    update: str
    stable: bool

    def __init__(self) -> None:
        for name, value in vars(Settings()).items():
            setattr(self, name, value)
        self.epochs = 161.0
        self._run = Run(Settings())
        self._before: Run | None = None

    @property
    def settings(self) -> Settings:
        """Where the controls stand."""
        return Settings(**{name: getattr(self, name) for name in vars(Settings())})

    @property
    def run(self) -> Run:
        """The run with these settings; with others it is a new one."""
        if self._run.settings != self.settings:
            self.restart()
        return self._run

    def train(self) -> None:
        """Go on for a moment."""
        self.run.go_on(int(self.epochs), CELLS_A_PRESS)

    def restart(self) -> None:
        """Train from the beginning; what was there is kept for comparison."""
        if self._run.epochs:
            self._before = self._run
        self._run = Run(self.settings)

    def can(self, name: str) -> bool:
        """Train until all epochs are done."""
        if name == "restart":
            return bool(self.run.epochs)
        return len(self.run.epochs) < self.epochs and not self.run.is_lost

    def still(self) -> TrainRoom:
        """A run as it ends, where none has begun."""
        if self.run.epochs:
            return self
        shown = TrainRoom()
        shown.set(**vars(self.settings), epochs=min(self.epochs, 161))
        shown._run = _finished(self.settings, int(shown.epochs))
        return shown

    def snapshot(self) -> dict[str, Any]:
        """The run and what it is at now, and the run before it."""
        run, before, iris = self.run, self._before, load_iris()
        now = run.epochs[-1] if run.epochs else None
        return {
            "settings": {
                "rate": self.rate,
                "zero_grad": self.zero_grad,
                "in_place": self.update == IN_PLACE,
                "stable": self.stable,
            },
            "trained": len(iris.train.labels),
            "tested": len(iris.test.labels),
            "epochs": int(self.epochs),
            "epoch": now.number if now else None,
            "loss": now.loss if now else None,
            "right": now.correct if now else None,
            "cells": now.cells if now else None,
            "is_lost": run.is_lost,
            "error": _error(now) if now else None,
            **run.columns(),
            "before": before.columns() if before else None,
        }

    def sentence(self) -> str:
        """Where the run is, and what is wrong with it."""
        snap = self.snapshot()
        if snap["epoch"] is None:
            return (
                f"{snap['trained']} flowers to train on, {snap['tested']} to test with; all 15 parameters are 0. What "
                "will the first loss be? Decide, then press Train."
            )
        at = f"Epoch {snap['epoch']}: the loss is {number(snap['loss'])}, "
        said = [f"{at}{snap['right']} of {snap['tested']} test flowers are right, {snap['cells']} cells on the tape."]
        if snap["is_lost"]:
            said.append(
                "The loss is not finite any more: an exponential has overflowed, or a probability was rounded to 0 and "
                "its logarithm taken."
            )
        elif snap["error"] > 1e-9:
            said.append(
                f"What is subtracted is not the gradient of this loss: it is off by {number(snap['error'])} times "
                "its length."
            )
        if self.update == REBIND and len(snap["all_cells"]) > 1:
            grown = snap["all_cells"][-1] - snap["all_cells"][-2]
            said.append(f"The tape is {grown} cells longer than an epoch ago: it reaches back to the first one.")
        return " ".join(said)

    def table(self) -> Grid:
        """Some of the epochs, the last among them."""
        snap, run = self.snapshot(), self.run
        every = next(n for n in (1, 2, 5, 10, 20, 50, 100) if len(run.epochs) <= n * ROWS)
        rows = [
            (str(e.number), e.loss, float(e.correct), float(e.cells or 0), length(e.gradient), length(e.step))
            for e in run.epochs
            if e.number % every == 0 or e is run.epochs[-1]
        ]
        heads = ("epoch", "loss", f"right of {snap['tested']}", "cells", "length of the gradient", "of what is used")
        return grid(f"Learning rate {self.rate}, update {self.update}", heads, rows or [("none yet", *[""] * 5)])

    def picture(self) -> str:
        """The loss on the left; tape, accuracy and gradient on the right; below how far the run has come."""
        return drawn(self.snapshot())


def length(vector: Parameters) -> float:
    """The length of a gradient, over all parameters.

    >>> length(Parameters(np.array([[3.0]]), np.array([4.0])))
    5.0
    """
    return math.sqrt(sum(float(np.sum(part * part)) for part in vector))


def _error(epoch: Epoch) -> float:
    """How far what is subtracted is from the gradient, in lengths of the gradient."""
    apart = Parameters(*(s - g for s, g in zip(epoch.step, epoch.gradient, strict=True)))
    return length(apart) / (length(epoch.gradient) or math.nan)


@functools.lru_cache(maxsize=4)
def _finished(settings: Settings, epochs: int) -> Run:
    run = Run(settings)
    run.go_on(epochs)
    return run
