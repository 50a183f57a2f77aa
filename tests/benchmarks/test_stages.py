"""The stages of a gradient, timed apart: running the function in plain NumPy, recording it, sweeping, and all of it.

Beside them stands the derivative written by hand.

``pytest tests/benchmarks/test_stages.py --benchmark-enable`` times them; in the plain run each executes once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff_lab import grad, record

from .hands import flat
from .work import Work, chain, works

WORKS = {work.name: work for work in (*works(), chain(100_000)) if work.task == "gradient"}


def stages(work: Work) -> dict[str, Callable[[], Any]]:
    """What is timed, by name; each returns the gradient, or what it is made from."""

    def f(*inputs: Any) -> Any:
        return work.f(np, *work.constants, *inputs)

    _, tape = record(f, *work.args)

    def sweep() -> list[Any]:
        adjoints: list[Any] = [None] * len(tape)
        deque(tape.sweep(tape.output or 0, np.float64(1.0), adjoints, keep=False), maxlen=0)
        return adjoints[: tape.n_inputs]

    every = tuple(range(len(work.args)))
    return {
        "running": lambda: f(*map(np.asarray, work.args)),
        "recording": lambda: record(f, *work.args)[1],
        "sweeping": sweep,
        "gradient": lambda: grad(f, every)(*work.args),
        "by hand": work.hand_written,
    }


@pytest.mark.parametrize("stage", ["running", "recording", "sweeping", "gradient", "by hand"])
@pytest.mark.parametrize("name", list(WORKS))
def test_stage(benchmark: Any, name: str, stage: str) -> None:
    work = WORKS[name]
    benchmark.group = name
    found = benchmark(stages(work)[stage])
    if stage == "running":
        assert np.shape(found) == ()
    elif stage == "recording":
        assert len(found) > len(work.args) + (
            work.operations - 1 if name.startswith("chain") else 4
        )
    else:
        np.testing.assert_allclose(flat(found), flat(work.hand_written()), rtol=1e-9, atol=1e-12)
