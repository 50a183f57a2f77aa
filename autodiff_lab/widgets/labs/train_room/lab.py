"""The controller of the lab TrainRoom: switches such as zero_grad, a button to go on, and the curves of the run."""

import functools
import math
from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np

from autodiff_lab.data import load_iris
from autodiff_lab.systems.iris import Epoch, Parameters, train_scalars
from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.numbers import number
from autodiff_lab.widgets.labs.canvas import Axes, Sheet, draw_legend, make_ticks
from autodiff_lab.widgets.labs.lab import Button, Choice, Lab, Play, Slider, Toggle

IN_PLACE, REBIND = "in place", "bind the name anew"
# The columns of measurements in each epoch; the last two are the lengths of its gradient and of the step used instead.
COLUMNS = ("losses", "all_right", "all_cells", "gradients", "steps")
Measured = tuple[Epoch, tuple[float, ...]]

# The possible ends of a scale; it changes only when a curve would leave it.
TOPS = (1.2, 3, 12, 30, 120, 300, 1200, 3000, 12000, 30000, 120000)
LOSS = (50, 32, 490, 288)
LEFT, WIDTH = 620, 270

RATES = ("0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10")
# Tape cells to compute before the page is drawn again: three epochs, or one if the tape has become long.
CELLS_A_PRESS = 15_000
ROWS = 17


@functools.lru_cache(maxsize=4)
def start_training(
    rate: str, zero_grad: bool, update: str, stable: bool
) -> tuple[list[Measured], Iterator[Epoch]]:
    """Start a run; return a list for the epochs that are computed, and the generator of all others.

    Runs with the same settings share both, so that no epoch is computed twice.
    """
    rebind = update == REBIND
    epochs = train_scalars(rate=float(rate), clear=zero_grad, rebind=rebind, stable=stable)
    return [], epochs


class Run:
    """A training run, which can be paused and continued at any time."""

    def __init__(self, rate: str, zero_grad: bool, update: str, stable: bool) -> None:
        self._computed, self._others = start_training(rate, zero_grad, update, stable)
        self._length = 0

    @property
    def epochs(self) -> list[Epoch]:
        """The epochs of the run so far."""
        return [epoch for epoch, _ in self._computed[: self._length]]

    @property
    def is_lost(self) -> bool:
        """Whether the run is lost: the loss is no longer finite, and will not become finite again."""
        return bool(self._length) and not math.isfinite(self.epochs[-1].loss)

    def train(self, until: int, cells: float = math.inf) -> None:
        """Continue the run up to `until` epochs in all, or until `cells` more tape cells are used."""
        done = 0
        while done < cells and self._length < until and not self.is_lost:
            if self._length == len(self._computed):
                with np.errstate(all="ignore"):
                    epoch = next(self._others)
                measured = (
                    epoch.loss,
                    epoch.correct,
                    epoch.cells or 0,
                    measure_length(epoch.gradient),
                    measure_length(epoch.step),
                )
                self._computed.append((epoch, measured))
            self._length += 1
            done += self.epochs[-1].cells or 0

    def columns(self) -> dict[str, list[float]]:
        """Return the columns of the run: loss, correct answers, tape cells, and the lengths of gradient and step."""
        rows = [row for _, row in self._computed[: self._length]]
        return {name: [row[k] for row in rows] for k, name in enumerate(COLUMNS)}


def measure_length(vector: Parameters) -> float:
    """Measure the length of a gradient over all parameters.

    >>> measure_length(Parameters(np.array([[3.0]]), np.array([4.0])))
    5.0
    """
    return math.sqrt(sum(float(np.sum(part * part)) for part in vector))


def measure_error(epoch: Epoch) -> float:
    """Measure the distance between the step and the gradient, relative to the length of the gradient."""
    differences = [s - g for s, g in zip(epoch.step, epoch.gradient, strict=True)]
    length = measure_length(epoch.gradient)
    if length == 0:
        return math.nan
    return measure_length(Parameters(*differences)) / length


class TrainRoom(Lab):
    """A lab on training: softmax regression on iris, which can be paused, continued, and compared with the run before.

    >>> lab = TrainRoom()  # opens with a whole run; for a shorter one it begins again
    >>> lab.set(epochs=11)
    >>> while lab.can("train"):
    ...     lab.press("train")
    >>> snap = lab.snapshot()
    >>> snap["epoch"], f"{snap['loss']:.9f}", snap["right"], snap["tested"]
    (10, '0.866841920', 26, 38)
    """

    about = (
        "Change a setting, say what will be different, and press Train. The last run stays in grey."
    )
    controls = (
        Toggle("zero_grad", "zero_grad", True),
        Choice("rate", "learning rate", RATES, "0.1"),
        Choice("update", "update", (IN_PLACE, REBIND)),
        Toggle("stable", "stable softmax", True),
        Play("train", 200, label="Train"),
        Slider("epochs", "epochs", 10, 1000, 1, 161),
        Button("train", "A few epochs", more=True),
        Button("restart", "Begin again", more=True),
    )
    zero_grad: bool
    rate: str
    update: str
    stable: bool
    epochs: int

    def __init__(self) -> None:
        self._before: Run | None = None
        super().__init__()
        self.run.train(self.epochs)

    def begin(self) -> None:
        """Begin a run with these settings."""
        self.run = Run(self.rate, self.zero_grad, self.update, self.stable)

    def change(self, name: str) -> None:
        """Begin a new run if other settings or fewer epochs are chosen; with more epochs the run continues."""
        if name != "epochs" or self.epochs < len(self.run.epochs):
            self.restart()

    def train(self) -> None:
        """Train for a few more epochs, as many as fit between two updates of the picture."""
        self.run.train(self.epochs, CELLS_A_PRESS)

    def restart(self) -> None:
        """Train from the beginning; the previous run stays in grey for comparison."""
        if self.run.epochs:
            self._before = self.run
        self.begin()

    def can(self, name: str) -> bool:
        """Return True if a button can be pressed; training ends with the last epoch, or if the loss isn't finite."""
        if name == "restart":
            return bool(self.run.epochs)
        return len(self.run.epochs) < self.epochs and not self.run.is_lost

    def still(self) -> Self:
        """Return a lab for a static page: a complete run, if none has begun."""
        if self.run.epochs:
            return self
        shown = self.copy()
        shown.set(epochs=min(self.epochs, 161))
        shown.run.train(shown.epochs)
        return shown

    def snapshot(self) -> dict[str, Any]:
        """Return the run with the numbers of its last epoch, and the run before."""
        iris = load_iris()
        now = self.run.epochs[-1] if self.run.epochs else None
        return {
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
        """Describe loss, correct test flowers and tape cells, and what is wrong with the steps."""
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
            said += (
                " The loss is no longer finite: an exponential has overflowed, or a probability was rounded to 0 "
                "and its logarithm taken."
            )
        elif snap["error"] > 1e-9:
            off = number(snap["error"])
            said += f" What is subtracted is not the gradient of this loss: it is off by {off} times its length."
        if self.update == REBIND and len(snap["all_cells"]) > 1:
            grown = snap["all_cells"][-1] - snap["all_cells"][-2]
            said += f" The tape is {grown} cells longer than an epoch ago: it reaches back to the first one."
        return said

    def table(self) -> Grid:
        """List some epochs of the run, including the last, with loss, cells and gradient."""
        rows = [
            (str(k), *measured)
            for k, measured in enumerate(zip(*self.run.columns().values(), strict=True))
        ]
        every = next(n for n in (1, 2, 5, 10, 20, 50, 100) if len(rows) <= n * ROWS)
        shown = [row for k, row in enumerate(rows) if k % every == 0 or row is rows[-1]]
        tested = len(load_iris().test.labels)
        heads = (
            "epoch",
            "loss",
            f"right of {tested}",
            "cells",
            "length of the gradient",
            "of what is used",
        )
        caption = f"Learning rate {self.rate}, update {self.update}"
        return grid(caption, heads, shown or [("none yet", "", "", "", "", "")])

    def picture(self) -> str:
        """Draw the loss on the left, tape, test flowers and gradient on the right, and below them an epoch as code."""
        snap = self.snapshot()
        title = "Loss, length of the tape, accuracy and length of the gradient, over the epochs"
        sheet = Sheet(900, 412, title)
        before = snap["before"] or {}
        last = max(self.epochs - 1, 1)
        done = len(snap["losses"])
        if snap["is_lost"]:
            state = "stopped"
        elif done >= self.epochs:
            state = "done"
        elif done:
            state = "not finished"
        else:
            state = "not begun"
        _draw_loss(sheet, snap, before, last, f"{done} of {self.epochs} epochs, {state}")
        cells, right, norm = "how many cells?", "how many?", "how long?"
        if snap["losses"]:
            cells = f"{snap['cells']} cells"
            right = f"{snap['right']} of {snap['tested']} test flowers"
            norm = f"length {number(snap['gradients'][-1])}"
        small: tuple[tuple[str, str, str, list[tuple[list[float], str, str]]], ...] = (
            (f"tape: {cells}", "all_cells", "ink", []),
            (f"right: {right}", "all_right", "value", []),
            (f"gradient: {norm}", "gradients", "adjoint", [(snap["steps"], "tangent", "6 3")]),
        )
        for row, (title, column, role, others) in enumerate(small):
            curves = [
                (snap[column], role, ""),
                *others,
                (before.get(column, []), "soft_ink", "5 4"),
            ]
            top = snap["tested"] if column == "all_right" else None
            _draw_small(sheet, row, title, curves, last, top)
        sheet.text(LEFT + WIDTH, 404, "dashed: what is used instead", "tangent", "end", 14)
        self._draw_code(sheet)
        sheet.cut(560)
        return sheet.svg()

    def _draw_code(self, sheet: Sheet) -> None:
        """Draw the code of an epoch with the chosen settings: three short lines of Python, side by side."""
        loss = "-log_softmax(z)[c]" if self.stable else "-log(softmax(z)[c])"
        step = "g = gradient" if self.zero_grad else "g += gradient"
        update = f"p = p - {self.rate} * g"
        if self.update == IN_PLACE:
            update = f"p.value -= {self.rate} * g"
        for x, text in ((LOSS[0], loss), (LOSS[0] + 188, step), (LOSS[0] + 324, update)):
            sheet.code(x, 390, [(text, "ink")], size=14)


# The picture


def _draw_loss(
    sheet: Sheet, snap: dict[str, Any], before: dict[str, Any], last: int, progress: str
) -> None:
    left, top, width, _ = LOSS
    highest = _choose_top(snap["losses"] or before.get("losses", []))
    axes = Axes(sheet, LOSS, (0, last), (0, highest))
    every = next(n for n in (2, 5, 10, 20, 40, 50, 100, 200) if last <= 6 * n)
    axes.scales(
        make_ticks(range(0, last + 1, every)),
        make_ticks(highest * k / 4 for k in range(5)),
        "epoch",
    )
    sheet.text(left, top - 10, "loss", "value", bold=True)
    sheet.text(left + width, top - 10, progress, "ink", "end", 14)
    if before.get("losses"):
        draw_legend(sheet, left + 70, top - 10, "the run before", "soft_ink", 2, "5 4")
        axes.curve(enumerate(before["losses"]), "soft_ink", 2, "5 4")
    axes.curve(enumerate(snap["losses"]), "value", 2.5)
    if snap["is_lost"]:
        x, _ = axes.at(snap["epoch"], 0)
        axes.marker(snap["epoch"], "adjoint", width=2)
        text_x = min(x + 8, left + width - 150)
        sheet.text(text_x, top + 62, f"not finite, epoch {snap['epoch']}", "adjoint", bold=True)
    elif snap["losses"]:
        sheet.dot(*axes.at(snap["epoch"], snap["loss"]), "value")
    _, chance = axes.at(0, math.log(3))
    sheet.path([(left, chance), (left + width, chance)], "line", 1, "2 3")
    sheet.text(left + width - 4, chance - 6, "ln 3", "soft_ink", "end", size=14)


def _draw_small(
    sheet: Sheet,
    row: int,
    title: str,
    curves: Sequence[tuple[Sequence[float], str, str]],
    last: int,
    top: float | None,
) -> None:
    y = 32 + 124 * row
    top = top or _choose_top([value for values, _, _ in curves for value in values])
    axes = Axes(sheet, (LEFT, y, WIDTH, 84), (0, last), (0, top))
    sheet.text(LEFT, y - 10, title, curves[0][1], size=15, bold=True)
    axes.scales([], make_ticks((0, top)))
    for values, role, dash in reversed(curves):
        axes.curve(enumerate(values), role, 2, dash)
    now, role, _ = curves[0]
    if now and math.isfinite(now[-1]):
        sheet.dot(*axes.at(len(now) - 1, now[-1]), role, 4)


def _choose_top(values: Sequence[float]) -> float:
    largest = max(filter(math.isfinite, values), default=1.0)
    return next((top for top in TOPS if largest <= top), largest)
