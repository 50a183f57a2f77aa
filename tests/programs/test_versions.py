"""A program that is compiled again and again keeps a bounded number of versions, and says once what makes it do so."""

from __future__ import annotations

import gc
import inspect
import re
import threading
import warnings
import weakref
from typing import Any

import numpy as np
import pytest

from autodiff_lab import value_and_grad
from autodiff_lab.engine.errors import InputError
from autodiff_lab.programs import program

QUIET = pytest.mark.filterwarnings("ignore:The program of")


class Squares:
    """Σ x² n, and how often it was run: once for each time it is recorded."""

    def __init__(self) -> None:
        self.runs = 0
        self.__name__ = "squares"

    def __call__(self, x: Any, n: int = 1) -> Any:
        self.runs += 1
        return np.sum(x * x) * n


@QUIET
def test_the_version_that_is_longest_unused_is_let_go() -> None:
    f = Squares()
    p = program(f, np.ones(1), on_branch="rerecord", max_versions=3)
    for size in (2, 3, 1, 4):  # 1 is used again before 4 comes, so it is 2 that goes
        assert p(np.ones(size))[0] == size
    assert (p.versions, f.runs) == (3, 4)
    for size in (1, 3, 4):
        p(np.ones(size))
    assert f.runs == 4
    value, gradient = p(np.ones(2))
    assert (value, gradient.tolist(), f.runs) == (2.0, [2.0, 2.0], 5)


@QUIET
def test_the_memory_of_a_version_goes_with_it() -> None:
    def f(x: Any, table: Any) -> Any:
        return np.sum(x[table])

    tables = [np.roll(np.arange(10), k) for k in range(5)]
    x = np.arange(10.0)
    p = program(f, x, tables[0], on_branch="rerecord", max_versions=2)
    alive = []
    for table in tables:
        p(x, table)
        alive.append([weakref.ref(constant) for constant in p.constants.values()])
    assert all(alive)
    gc.collect()
    assert [any(constant() is not None for constant in each) for each in alive] == [
        False,
        False,
        False,
        True,
        True,
    ]


@QUIET
def test_branches_count_too() -> None:
    def powers(x: Any) -> Any:
        y = x
        while y < 10:
            y = y * x
        return y

    p = program(powers, 1.5, on_branch="rerecord", max_versions=2)
    for x in (1.5, 1.6, 1.2, 1.5, 4.0, 1.6, 1.1):
        assert p(x) == value_and_grad(powers)(x)
        assert p.versions <= 2


def choosing(x: Any) -> Any:
    for k in range(5):
        if x < k:
            return x * k
    return x


SQUARES = Squares()


@pytest.mark.parametrize(
    ("f", "calls", "message"),
    [
        (
            SQUARES,
            [(np.ones(k),) for k in range(1, 5)],
            r"The program of squares was compiled 3 times.*keeps only the 2 versions used last \(max_versions\).* "
            r"x changed from an array of shape \(2,\) to an array of shape \(3,\)\. .*padding",
        ),
        (
            SQUARES,
            [(1.0, n) for n in range(4)],
            r"an argument that is not a float and so is compiled in\. .*3\.0 for 3",
        ),
        (
            choosing,
            [(0.5 + k,) for k in range(4)],
            r"keeps taking other branches\. Use np\.where",
        ),
    ],
)
def test_a_warning_names_the_cause_and_the_remedy_once(
    f: Any, calls: list[Any], message: str
) -> None:
    p = program(f, *calls[0], on_branch="rerecord", max_versions=2)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for args in calls * 2:
            line = inspect.currentframe().f_lineno + 1  # type: ignore[union-attr]
            p(*args)
    (said,) = caught
    assert re.search(message, str(said.message))
    assert (said.filename, said.lineno) == (__file__, line)


def test_nothing_is_said_up_to_the_bound() -> None:
    p = program(Squares(), np.ones(1), on_branch="rerecord", max_versions=4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for size in (1, 2, 3, 4) * 2:
            p(np.ones(size))
    assert p.versions == 4


@QUIET
def test_threads_may_drive_each_other_s_versions_out() -> None:
    p = program(Squares(), np.ones(1), on_branch="rerecord", max_versions=2)
    wrong: list[Any] = []

    def work(start: int) -> None:
        for k in range(40):
            size = 1 + (start + k) % 5
            try:
                value, gradient = p(np.full(size, 2.0))
            except Exception as problem:
                wrong.append(problem)
            else:
                if value != 4.0 * size or gradient.tolist() != [4.0] * size:
                    wrong.append((size, value, gradient))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


@pytest.mark.parametrize("bound", [0, -1, None, 2.5])
def test_a_bound_that_keeps_nothing(bound: Any) -> None:
    with pytest.raises(
        InputError, match=r"max_versions is .*; it must be a whole number, 1 or more"
    ):
        program(np.sin, 1.0, max_versions=bound)
