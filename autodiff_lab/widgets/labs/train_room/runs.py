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

    def train(self, until: int, cells: float = math.inf) -> None:
        """Train up to `until` epochs in all, at most so many cells' worth at a time, and one epoch at least."""
        done = 0
        while done < cells and len(self.epochs) < until and not self.is_lost:
            with np.errstate(all="ignore"):
                epoch = next(self._training)
            self.epochs.append(epoch)
            self._lengths.append((measure_length(epoch.gradient), measure_length(epoch.step)))
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


@functools.lru_cache(maxsize=4)
def finish_run(settings: Settings, epochs: int) -> Run:
    """Train a run to its end."""
    run = Run(settings)
    run.train(epochs)
    return run
