"""The timed cases, as tests: in the plain run each executes once and must find what was derived by hand.

``pytest tests/benchmarks --benchmark-enable`` times them; ``python -m tests.benchmarks`` prints the ratios.
"""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

from .__main__ import MARKS, README, bound, main, reason_against, written
from .clock import import_price, timed
from .hands import flat, hand
from .work import Work, chain, works

WORKS = {work.name: work for work in [*works(), chain(10_000)]}
IN_TESTS = ["engine", "program", "closures", "micrograd", "autograd"]  # the others take seconds to load


@pytest.fixture(scope="module", autouse=True)
def a_young_heap() -> None:
    """Keep pytest's own objects out of every garbage collection that the timed code causes."""
    gc.collect()
    gc.freeze()


@pytest.mark.parametrize("name", list(WORKS))
@pytest.mark.parametrize("who", ["hand", *IN_TESTS])
def test_speed(benchmark: Any, name: str, who: str) -> None:
    work = WORKS[name]
    if who != "hand" and (why := reason_against(work, who)):
        pytest.skip(f"{who}: {why}")
    benchmark.group = work.name
    found = benchmark(work.hand_written if who == "hand" else work.call(hand(who)))
    np.testing.assert_allclose(flat(found, who, work.task), flat(work.hand_written()), rtol=1e-9, atol=1e-12)


def fastest(*works: Work, who: tuple[str, ...]) -> list[float]:
    """The best of twelve rounds, of each hand at its work: what a busy machine disturbs least."""
    calls = {
        f"{k}": work.hand_written if name == "hand" else work.call(hand(name))
        for k, (work, name) in enumerate(zip(works, who, strict=True))
    }
    return [min(rounds) for rounds in timed(calls, 12, 0.01, 3.0).values()]


def test_a_chain_is_faster_than_closures() -> None:
    engine, closures = fastest(chain(1_000), chain(1_000), who=("engine", "closures"))
    assert engine < 1.3 * closures


def test_time_per_operation_hardly_grows_with_the_length() -> None:
    long, short = fastest(chain(100_000), chain(1_000), who=("engine", "engine"))
    assert long / 100 < 4 * short


@pytest.mark.parametrize("name", ["1000 operations on arrays of 10", "MLP 64-64-10, batch 128"])
def test_arrays_cost_little_more_than_by_hand(name: str) -> None:
    engine, by_hand = fastest(WORKS[name], WORKS[name], who=("engine", "hand"))
    assert engine < 5 * by_hand


def test_the_table_prints(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--quick"])
    out = capsys.readouterr().out
    assert out.count("\n|") == 2 + len(WORKS) + 2  # head and rule; the work; a chain's memory, and the import


def test_a_loaded_module_costs_nothing_to_import() -> None:
    prices = [import_price(module, 1) for module in ("numpy", "math", "autodiff_lab")]
    assert all(time >= 0 and (space is None or space >= 0) for time, space in prices)
    (nothing, _), _, (package, _) = prices
    assert nothing < package


def test_what_was_asked_stands_beside_what_was_measured() -> None:
    assert bound(1.5, "× hand", 1.234) == "1.5 × hand: 1.23"
    assert bound(1.5, "× hand", 12.34) == "1.5 × hand: 12 **missed**"


def test_the_readme_has_a_place_for_the_table() -> None:
    text = README.read_text(encoding="utf-8")
    assert written(written(text, "| new |"), "| newer |").count("| newer |") == 1
    assert text.startswith(written(text, "").split(MARKS[0])[0])
