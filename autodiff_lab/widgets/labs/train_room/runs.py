"""Runs of TrainRoom: a training that can be stopped and gone on with, and what is measured in it."""

import functools
import math
from collections.abc import Iterator

import numpy as np

from autodiff_lab.systems.iris import Epoch, Parameters, train_scalars

IN_PLACE, REBIND = "in place", "bind the name anew"
Measured = tuple[Epoch, float, float]
"""An epoch, and the lengths of its gradient and of what is used in its place."""


@functools.lru_cache(maxsize=4)
def start_training(rate: str, zero_grad: bool, update: str, stable: bool) -> tuple[list[Measured], Iterator[Epoch]]:
    """Start a run with some settings: the epochs that have been computed, and the generator of all others.

    What one run has computed another with the same settings need not compute again.
    """
    return [], train_scalars(rate=float(rate), clear=zero_grad, rebind=update == REBIND, stable=stable)


class Run:
    """A run of the train room as far as it has come; it can be left alone and gone on with at any time."""

    def __init__(self, rate: str, zero_grad: bool, update: str, stable: bool) -> None:
        self._computed, self._others = start_training(rate, zero_grad, update, stable)
        self._length = 0

    @property
    def epochs(self) -> list[Epoch]:
        """The epochs of this run so far."""
        return [epoch for epoch, *_ in self._computed[: self._length]]

    @property
    def is_lost(self) -> bool:
        """Whether this run is lost: its loss is no longer finite, and will not be again."""
        return bool(self._length) and not math.isfinite(self.epochs[-1].loss)

    def train(self, until: int, cells: float = math.inf) -> None:
        """Go on with a run, up to `until` epochs in all, for at most so many tape cells, and one epoch at least."""
        done = 0
        while done < cells and self._length < until and not self.is_lost:
            if self._length == len(self._computed):
                with np.errstate(all="ignore"):
                    epoch = next(self._others)
                self._computed.append((epoch, measure_length(epoch.gradient), measure_length(epoch.step)))
            self._length += 1
            done += self.epochs[-1].cells or 0

    def columns(self) -> dict[str, list[float]]:
        """What is measured in each epoch of a run: loss, right answers, tape cells, gradient and step."""
        measured = self._computed[: self._length]
        return {
            "losses": [epoch.loss for epoch, _, _ in measured],
            "all_right": [epoch.correct for epoch, _, _ in measured],
            "all_cells": [epoch.cells or 0 for epoch, _, _ in measured],
            "gradients": [gradient for _, gradient, _ in measured],
            "steps": [step for _, _, step in measured],
        }


def measure_length(vector: Parameters) -> float:
    """Measure the length of a run's gradient, over all parameters.

    >>> measure_length(Parameters(np.array([[3.0]]), np.array([4.0])))
    5.0
    """
    return math.sqrt(sum(float(np.sum(part * part)) for part in vector))


def measure_error(epoch: Epoch) -> float:
    """Measure how far the step that a run subtracts is from the gradient, in lengths of the gradient."""
    apart = Parameters(*(s - g for s, g in zip(epoch.step, epoch.gradient, strict=True)))
    return measure_length(apart) / (measure_length(epoch.gradient) or math.nan)
