"""Runs of TrainRoom: a training that can be stopped and gone on with, and what is measured in it."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

from autodiff_lab.systems.iris import Epoch, Parameters, train_scalars

IN_PLACE, REBIND = "in place", "bind the name anew"


@dataclass(frozen=True)
class Settings:
    """What a run depends on."""

    rate: str
    zero_grad: bool
    update: str
    stable: bool


class Training:
    """What the training with some settings comes to: computed once, as far as anybody has gone in it."""

    def __init__(self, settings: Settings) -> None:
        self.epochs: list[Epoch] = []
        self.lengths: list[tuple[float, float]] = []  # of the gradients, and of what is used in their place
        self._going_on = train_scalars(
            rate=float(settings.rate),
            clear=settings.zero_grad,
            rebind=settings.update == REBIND,
            stable=settings.stable,
        )

    def compute(self, epochs: int) -> None:
        """Go on until there are so many epochs."""
        while len(self.epochs) < epochs:
            with np.errstate(all="ignore"):
                epoch = next(self._going_on)
            self.epochs.append(epoch)
            self.lengths.append((measure_length(epoch.gradient), measure_length(epoch.step)))


start_training = functools.lru_cache(maxsize=4)(Training)


class Run:
    """One training from the beginning, as far as it has come. It can be left alone and gone on with at any time."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._training = start_training(settings)
        self._length = 0

    @property
    def epochs(self) -> list[Epoch]:
        """The epochs so far."""
        return self._training.epochs[: self._length]

    @property
    def is_lost(self) -> bool:
        """Whether the loss is no longer finite. It will not be again."""
        return bool(self.epochs) and not math.isfinite(self.epochs[-1].loss)

    def train(self, until: int, cells: float = math.inf) -> None:
        """Train up to `until` epochs in all, at most so many cells' worth at a time, and one epoch at least."""
        done = 0
        while done < cells and self._length < until and not self.is_lost:
            self._length += 1
            self._training.compute(self._length)
            done += self.epochs[-1].cells or 0

    def columns(self) -> dict[str, list[float]]:
        """What is drawn over the epochs."""
        return {
            "losses": [epoch.loss for epoch in self.epochs],
            "all_right": [epoch.correct for epoch in self.epochs],
            "all_cells": [epoch.cells or 0 for epoch in self.epochs],
            "gradients": [gradient for gradient, _ in self._training.lengths[: self._length]],
            "steps": [step for _, step in self._training.lengths[: self._length]],
        }


def measure_length(vector: Parameters) -> float:
    """Measure the length of a gradient, over all parameters.

    >>> measure_length(Parameters(np.array([[3.0]]), np.array([4.0])))
    5.0
    """
    return math.sqrt(sum(float(np.sum(part * part)) for part in vector))


def measure_error(epoch: Epoch) -> float:
    """Measure how far what is subtracted is from the gradient, in lengths of the gradient."""
    apart = Parameters(*(s - g for s, g in zip(epoch.step, epoch.gradient, strict=True)))
    return measure_length(apart) / (measure_length(epoch.gradient) or math.nan)


def finish_run(settings: Settings, epochs: int) -> Run:
    """Train a run to its end."""
    run = Run(settings)
    run.train(epochs)
    return run
