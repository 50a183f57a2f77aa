"""The timed cases, as tests: in the plain run each executes once and must find what was derived by hand.

``pytest tests/benchmarks --benchmark-enable`` times them; ``python -m tests.benchmarks`` prints the ratios.
"""

from __future__ import annotations

import gc
import math
from contextlib import closing
from functools import partial
from typing import Any

import numpy as np
import pytest

from .__main__ import (
    CLAIM,
    FRONT,
    MARKS,
    README,
    bound,
    main,
    program_range,
    reason_against,
    written,
)
from .clock import import_prices, printed, seconds, timed
from .hands import BY_HAND, HANDS, call_of, flat, missing
from .work import Work, chain, works
from .worker import Worker

WORKS = {work.name: work for work in [*works(), chain(10_000)]}
# the others take seconds to load
IN_TESTS = ["engine", "program", "closures", "micrograd", "autograd"]


@pytest.fixture(scope="module", autouse=True)
def a_young_heap() -> None:
    """Keep pytest's own objects out of every garbage collection that the timed code causes."""
    gc.collect()
    gc.freeze()


@pytest.mark.parametrize("name", list(WORKS))
@pytest.mark.parametrize("who", [BY_HAND, *IN_TESTS])
def test_speed(benchmark: Any, name: str, who: str) -> None:
    work = WORKS[name]
    why = None if who == BY_HAND else reason_against(work, who)
    if why is not None:
        pytest.skip(f"{who}: {why}")
    benchmark.group = work.name
    found = benchmark(call_of(who, work))
    np.testing.assert_allclose(
        flat(found, who, work.task), flat(work.hand_written()), rtol=1e-9, atol=1e-12
    )


def times_as_long(slow: tuple[str, Work], fast: tuple[str, Work], limit: float) -> float:
    """How many times as long one hand takes at its work as another at its own: the best of rounds in turn.

    Others on the machine can only add to a time, so the least of each is nearest to the truth. Where that is over the
    limit, more rounds follow, and in the end it is over the limit only if the code is.
    """
    clocks = {"slow": partial(seconds, call_of(*slow)), "fast": partial(seconds, call_of(*fast))}
    least = dict.fromkeys(clocks, math.inf)
    for _ in range(10):
        for name, rounds in timed(clocks, 12, 0.01, 3.0).items():
            least[name] = min(least[name], *rounds)
        if least["slow"] < limit * least["fast"]:
            break
    return least["slow"] / least["fast"]


def test_a_chain_is_faster_than_closures() -> None:
    assert times_as_long(("engine", chain(1_000)), ("closures", chain(1_000)), 1.3) < 1.3


def test_time_per_operation_hardly_grows_with_the_length() -> None:
    assert times_as_long(("engine", chain(100_000)), ("engine", chain(1_000)), 400) < 400


@pytest.mark.parametrize("name", ["1000 operations on arrays of 10", "MLP 64-64-10, batch 128"])
def test_arrays_cost_little_more_than_by_hand(name: str) -> None:
    assert times_as_long(("engine", WORKS[name]), (BY_HAND, WORKS[name]), 5) < 5


LIBRARIES = {"autodiff_lab", *(library for _, library in HANDS.values() if library)}


@pytest.mark.parametrize("name", [BY_HAND, *HANDS])
def test_a_hand_has_loaded_its_own_library_alone(name: str) -> None:
    if name in HANDS and missing(name) is not None:
        pytest.skip(str(missing(name)))
    own = {
        BY_HAND: set(),
        "engine": {"autodiff_lab"},
        "program": {"autodiff_lab"},
        "closures": set(),
    }
    with closing(Worker(name, WORKS["ln x1 + x1·x2 − sin x2"])) as worker:
        assert worker.start.modules & LIBRARIES == own.get(name, {HANDS.get(name, (None, name))[1]})
        np.testing.assert_allclose(worker.start.found, [5.5, 1.7163378145367738], rtol=1e-9)
        assert worker.seconds(2) > 0


def test_memory_is_managed_as_it_is_for_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "1")
    code = "import os; print([name for name in os.environ if name.startswith('MALLOC')])"
    assert printed(code) == "[]"


def test_the_table_prints(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--quick", "--rows", "10,000"])
    head, rule, *rows = [
        line for line in capsys.readouterr().out.splitlines() if line.startswith("|")
    ]
    assert [row.split(" | ")[0] for row in rows] == [
        "| chain of 10,000 operations",
        "| … bytes per operation",
    ]
    assert {line.count("|") for line in (head, rule, *rows)} == {len(HANDS) + 3}


def test_an_import_is_a_ratio_too(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--quick", "--rows", "import"])
    (row,) = [
        line for line in capsys.readouterr().out.splitlines() if line.startswith("| `import`")
    ]
    assert "× NumPy" in row and " ms" not in row


def test_a_loaded_module_costs_nothing_to_import() -> None:
    prices = import_prices(["numpy", "math", "autodiff_lab"], 1)
    assert all(time >= 0 and (space is None or space >= 0) for time, space in prices.values())
    assert prices["math"][0] < prices["autodiff_lab"][0]


def test_the_front_page_says_what_the_table_says() -> None:
    table = README.read_text(encoding="utf-8").split(MARKS[0])[1].split(MARKS[1])[0]
    assert CLAIM.findall(FRONT.read_text(encoding="utf-8")) == [program_range(table)]


def test_what_was_asked_stands_beside_what_was_measured() -> None:
    assert bound(1.5, "× hand", 1.234) == "1.5 × hand: 1.23"
    assert bound(1.5, "× hand", 12.34) == "1.5 × hand: 12 **missed**"


def test_the_readme_has_a_place_for_the_table() -> None:
    text = README.read_text(encoding="utf-8")
    assert written(written(text, "| new |"), "| newer |").count("| newer |") == 1
    assert text.startswith(written(text, "").split(MARKS[0])[0])
