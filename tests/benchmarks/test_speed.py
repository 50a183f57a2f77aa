"""The timed cases, as tests: in the plain run each executes once and must find the right gradient.

``pytest tests/benchmarks --benchmark-enable`` times them; ``python -m tests.benchmarks`` prints the ratios.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

from .work import HANDS, STAGES, chain, example

WORKS = {"example": example, "chain-1000": lambda: chain(1_000), "chain-100000": lambda: chain(100_000)}


@pytest.fixture(scope="module", autouse=True)
def a_young_heap() -> Iterator[None]:
    """Keep pytest's own objects out of every garbage collection that the timed code causes."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.parametrize("hand", HANDS)
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", list(WORKS))
def test_speed(benchmark: Any, name: str, stage: str, hand: str) -> None:
    work = WORKS[name]()
    benchmark.group = f"{work.name}: {stage}"
    found = benchmark(work.prepare[stage, hand]())
    if stage != "record":
        assert tuple(found) == pytest.approx(work.gradient, rel=1e-9)


@pytest.mark.parametrize("hand", ["engine", "hand"])
def test_speed_of_forward_mode(benchmark: Any, hand: str) -> None:
    work = example()
    benchmark.group = f"{work.name}: forward, two directions"
    assert tuple(benchmark(work.prepare["forward", hand]())) == pytest.approx(work.gradient, rel=1e-12)


def test_the_table_prints(capsys: pytest.CaptureFixture[str]) -> None:
    from .__main__ import main

    main(["--quick"])
    out = capsys.readouterr().out
    assert out.count("\n|") >= 8
    assert "chain of 100 operations" in out
