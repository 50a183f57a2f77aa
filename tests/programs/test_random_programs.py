"""Random array programs with axes of length 1: compiled, batched and measured, their gradients are the engine's."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from .random_programs import Case, find_mismatch, write_program

PROGRAMS_A_TEST = 50
"""So many in one test: one by one they would take longer to collect than to run."""


def assert_agrees(case: Case) -> None:
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wrong = find_mismatch(case)
    except Exception as problem:
        problem.add_note(str(case))
        raise
    assert not wrong, f"{wrong}\n{case}"


@pytest.mark.parametrize("start", range(0, 300, PROGRAMS_A_TEST))
def test_random_array_programs(start: int) -> None:
    """Where this fails, ``write_program(seed)`` is the program, and its text is printed."""
    for seed in range(start, start + PROGRAMS_A_TEST):
        assert_agrees(write_program(seed))


def test_a_kept_axis_that_is_indexed() -> None:
    """What is scattered into the kept axis was once added into an array of another shape."""

    def source(*lines: str) -> str:
        return "\n    ".join(["def f(X):", *lines]) + "\n"

    sources = [
        source(
            "r = np.sum(X, axis=0, keepdims=True)[0]",
            "z = np.tanh(r) * np.exp(-r * r) + np.sin(r) / (1 + r * r)",
            "return np.sum(z) + np.sum(X * X / (1 + np.sum(z)))",
        ),
        source("return np.sum(np.sum(X, keepdims=True)[0] ** 2) + np.sum(X ** 3)"),
        source(
            "return np.sum(np.sum(X, axis=1, keepdims=True)[:, 0] ** 2) + np.sum(X[:1] ** 3) + np.sum(X[0, ::-1])"
        ),
    ]
    first = np.arange(6.0).reshape(2, 3) + 1
    for text in sources:
        assert_agrees(Case(-1, text, ("X",), (first,), (np.cos(first),)))
