"""The programs of BranchRecorder: each chooses its way by the value of its input; all run for x between 1.3 and 4.

The lab shows their text, so they are written as a learner writes them: without types and without a docstring.
"""
# ruff: noqa: D103

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

LOW, HIGH, STEP = 1.3, 4.0, 0.02


def until_ten(x):
    y = x
    while y < 10:
        y = y * x
    return y


def bent(x):
    if x > 2:
        return x * 2
    return x * x


def growth(x):
    if x < 0.4:
        return 1 + x
    half = growth(x / 2)
    return half * half


def root(x):
    t = x
    while t * t > x + 0.1:
        t = (t + x / t) / 2
    return t


def stairs(x):
    y = 0.0
    while y < x:
        y = y + 1
    return y


def pierced(x):
    if x == 2:
        return 4 + 0 * x
    return x * x


class Program(NamedTuple):
    """A function, and what it is meant to be, if that is something else than what it computes."""

    run: Callable[[Any], Any]
    meant: Callable[[Any], Any] | None = None
    meant_as: str = ""


PROGRAMS = {
    "while: multiply until 10": Program(until_ten),
    "if: a bend at 2": Program(bent),
    "recursion: eˣ by halving": Program(growth, np.exp, "eˣ"),
    "while: Babylonian root": Program(root, np.sqrt, "√x"),
    "steps: count up to x": Program(stairs),
    "if: one point apart": Program(pierced),
}
