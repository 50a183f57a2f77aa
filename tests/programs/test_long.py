"""Long tapes: compiled in pieces, in bounded time, without deep expressions."""

from __future__ import annotations

import ast
import gc
import subprocess
import sys
import time
import weakref
from typing import Any

import numpy as np
import pytest

from autodiff_lab import BranchChanged, value_and_grad
from autodiff_lab.programs import program


def sines(n: int) -> Any:
    def f(x: Any) -> Any:
        y = x
        for _ in range(n // 4):
            y = np.sin(y) * x + 0.5 * y
        return y

    return f


def test_a_loop_of_a_thousand_operations() -> None:
    f = sines(1_000)
    p = program(f, 0.7)
    assert p.operations.forward == 1_000
    value, slope = value_and_grad(f)(0.8)
    assert p(0.8) == (pytest.approx(value, rel=1e-13), pytest.approx(slope, rel=1e-11))


def test_a_hundred_thousand_operations() -> None:
    f = sines(100_000)
    start = time.process_time()
    p = program(f, 0.7)
    assert time.process_time() - start < 60
    # a bound for a busy machine; the benchmarks have the real one
    assert p.microseconds_per_operation < 150
    value, slope = value_and_grad(f)(0.7)
    assert p(0.7) == (pytest.approx(value, rel=1e-10), pytest.approx(slope, rel=1e-8))


def test_a_branch_in_a_program_of_several_functions() -> None:
    def f(x: Any) -> Any:
        y = x
        for k in range(3_000):
            y = np.sin(y) * x + 0.5 * y
            if k == 2_000 and y > 0.5:
                y = y * 2
        return y

    p = program(f, 0.7)
    assert "f_part_2" in p.source
    assert p(0.8) == (
        pytest.approx(f(0.8), rel=1e-12),
        pytest.approx(value_and_grad(f)(0.8)[1], rel=1e-9),
    )
    with pytest.raises(BranchChanged, match=r"was True"):
        p(-0.8)


def test_what_was_recorded_is_let_go_at_once() -> None:
    """Nothing that was recorded waits for the garbage collector, not even with the listing still to be read."""
    recorded = []

    def f(x: Any) -> Any:
        y = v = np.sin(x)
        while hasattr(v, "value"):
            v = v.value
        recorded.append(weakref.ref(v))
        return np.sum(y * y * 2.0)

    gc.collect()
    gc.disable()
    try:
        p = program(f, np.ones(5))
        assert recorded[0]() is None
    finally:
        gc.enable()
    assert [line.recorded for line in p.lines][:3] == ["sin(x)", "v1 * v1", "v2 * 2.0"]


def test_long_sums_are_not_folded_into_each_other() -> None:
    """Python's parser gives up on deep expressions."""

    def f(x: Any) -> Any:
        total = 0.0
        for k in range(2_000):
            total = total + x * k
        return total

    p = program(f, 1.0)
    assert p(2.0) == value_and_grad(f)(2.0)
    assert max(map(len, p.source.splitlines())) < 300
    wide = program(lambda xs: sum(a * b for a in xs for b in xs), [1.0, 2.0, 3.0] * 10)
    assert wide([1.0] * 30)[0] == 900.0
    ast.parse(wide.source)


def test_the_compiler_is_loaded_on_first_use() -> None:
    code = "import autodiff_lab, sys; print(any('programs' in name for name in sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
