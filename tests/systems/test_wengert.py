"""Wengert cells: the document's example to the last digit, the whole scalar table, and none of the listing's slips."""

from __future__ import annotations

import gc
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autodiff_lab as ad
from autodiff_lab.engine.dispatch import TABLE
from autodiff_lab.engine.errors import InputError, ShapeError, UnsupportedError
from autodiff_lab.systems import wengert
from autodiff_lab.systems.wengert import FUNCTIONS, Bin, Cell, Un, Var, cos, exp, sin, var

TRACES = json.loads((Path(__file__).parents[1] / "data" / "reference_cases.json").read_text())[
    "seed_traces"
]


def sensitivities(f: Any, *inputs: float) -> list[float]:
    cells = [var(x) for x in inputs]
    f(*cells).backprop()
    return [x.sensitivity for x in cells]


# The document


def test_the_documents_example_to_the_last_digit() -> None:
    x, y = var(3), var(1)
    result = sin(x) + x * y
    result.backprop()
    assert result.value == TRACES["seed3_value"] == 3.1411200080598674
    assert (
        [x.sensitivity, y.sensitivity] == TRACES["seed3_sensitivities"] == [0.010007503399554585, 3]
    )
    assert repr((result.value, x.sensitivity)) == "(3.1411200080598674, 0.010007503399554585)"


def test_the_tape_prints_as_in_the_document() -> None:
    x, y = var(3), var(1)
    result = sin(x) + x * y
    assert repr(result.tape) == "Tape([Var, Unary, Var, Binary, Binary])"
    assert [cell.kind for cell in result.tape] == TRACES["seed3_tape_kinds"]
    assert (result.tape[0], result.tape[2], result.tape[-1]) == (x, y, result)


def test_cells_hold_links_and_local_partials() -> None:
    x, y = var(3), var(1)
    total = sin(x) + x * y
    sin_x, x_times_y = total.x, total.y
    assert (type(sin_x), sin_x.x, sin_x.dx) == (Un, x, np.cos(3.0))
    assert (type(x_times_y), x_times_y.x, x_times_y.y, x_times_y.dx, x_times_y.dy) == (
        Bin,
        x,
        y,
        1.0,
        3.0,
    )
    assert (total.dx, total.dy) == (1.0, 1.0)


def test_the_partial_is_taken_where_the_function_is_evaluated() -> None:
    """The listing's slip, cos(1) at x = 3, gives 1.5403 instead."""
    assert sensitivities(lambda x, y: sin(x) + x * y, 3, 1)[0] != pytest.approx(
        np.cos(1) + 1, abs=1
    )


def test_the_partial_of_a_product_is_the_other_factor_not_one() -> None:
    """In the document it is 1 only because y is."""
    assert sensitivities(lambda x, y: x * y, 3, 2) == [2, 3]


# The table


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_of_the_table(name: str) -> None:
    function = getattr(wengert, name)
    assert function is getattr(np, name)
    inputs = (0.3, 0.7)[: function.nin] if name != "arccosh" else (1.5,)
    expected = ad.grad(function, argnums=tuple(range(function.nin)))(*inputs)
    assert sensitivities(function, *inputs) == pytest.approx(expected, rel=1e-15)
    assert float(function(*map(var, inputs)).value) == pytest.approx(function(*inputs), rel=1e-15)


def test_no_function_of_the_table_is_missing() -> None:
    rows = [
        key for key, op in TABLE.items() if op.kind == "elementwise" and not isinstance(key, str)
    ]
    numpys = {
        key.__name__ for key in rows if getattr(np, key.__name__, None) is key
    }  # SciPy's come when it is imported
    assert sorted(FUNCTIONS) == sorted(numpys)
    assert len(FUNCTIONS) > 40


@pytest.mark.parametrize(
    "f",
    [
        lambda x, y: x * 3 + 3 * x - 2 + y,
        lambda x, y: 3 / x - y / 2 + x / y,
        lambda x, y: x**2 + 2**x + x**y + x**-1.5,
        lambda x, y: abs(-x) * +y % 0.4,
        lambda x, y: np.float64(2) * x + True * y,
        lambda x, y: np.where(x > y, x * y, x + y) + np.floor(x) * y,
        lambda x, y: np.clip(x, 0.0, 1.0) * np.sinc(y),
        lambda x, y: x * y if x < y else x - y,
        lambda x, y: x * x - x + x / x,
        lambda x, y: sum([x, y, x]) * max(x, y),
    ],
)
def test_operators_constants_and_control_flow(f: Any) -> None:
    expected = ad.grad(f, argnums=(0, 1))(1.3, 0.7)
    assert sensitivities(f, 1.3, 0.7) == pytest.approx(expected, rel=1e-14)


def test_a_constant_operand_makes_a_unary_cell() -> None:
    x = var(2)
    assert [type(cell) for cell in (x * 3, 3 * x, x / 2, 2 - x, np.maximum(x, 0))] == [Un] * 5
    assert type(x * x) is Bin


def test_values_are_plain_floats() -> None:
    x = var(np.float64(2))
    cells = [x, sin(x), x * np.float64(3), x / 3, x**2, x + 1, 1 - x, exp(x) * x]
    assert [type(cell.value) for cell in cells] == [float] * len(cells)
    assert repr(sin(var(0)) + 1) == "Unary(1.0)"


def test_division_by_zero_is_infinite_as_in_numpy() -> None:
    with np.errstate(divide="ignore"):
        assert (var(1) / 0).value == (var(1) / var(0)).value == np.inf


@given(
    st.lists(st.sampled_from(["sin", "+", "*", "-", "/"]), max_size=12),
    st.floats(0.5, 3),
    st.floats(0.5, 3),
)
def test_any_program_has_the_engines_gradient(steps: list[str], a: float, b: float) -> None:
    def f(x: Any, y: Any) -> Any:
        z = x * y
        for step in steps:
            z = {"sin": lambda z: np.sin(z), "+": lambda z: z + x, "*": lambda z: z * y}.get(
                step, lambda z: z
            )(z)
            z = {"-": lambda z: 1 - z * z, "/": lambda z: x / (2 + np.cos(z))}.get(
                step, lambda z: z
            )(z)
        return z

    expected = ad.grad(f, argnums=(0, 1))(a, b)
    assert sensitivities(f, a, b) == pytest.approx(expected, rel=1e-9, abs=1e-12)


# The sweep


def test_backprop_again_gives_the_same_answer() -> None:
    x = var(2.0)
    y = x * x * x
    for _ in range(3):
        y.backprop()
        assert (x.sensitivity, y.sensitivity) == (12.0, 1.0)


def test_backprop_of_an_interior_cell_and_of_a_variable() -> None:
    x = var(2.0)
    square = x * x
    cube = square * x
    cube.backprop()
    square.backprop()
    assert x.sensitivity == 4.0
    x.backprop()
    assert (x.sensitivity, repr(x.tape)) == (1.0, "Tape([Var])")


def test_an_unused_variable_has_sensitivity_0_and_no_tape_entry() -> None:
    x, unused = var(2.0), var(5.0)
    y = exp(x)
    exp(unused)
    y.backprop()
    assert (unused.sensitivity, unused in list(y.tape)) == (0.0, False)


def test_the_sweep_can_be_stepped() -> None:
    x, y = var(3), var(1)
    sweep = (sin(x) + x * y).sweep()
    seen = [(next(sweep).kind, x.sensitivity, y.sensitivity) for _ in range(5)]
    assert seen == [
        ("Binary", 0.0, 0.0),
        ("Binary", 1.0, 3.0),
        ("Var", 1.0, 3.0),
        ("Unary", 1 + np.cos(3.0), 3.0),
        ("Var", 1 + np.cos(3.0), 3.0),
    ]
    assert next(sweep, None) is None


def test_a_diamond_is_walked_once() -> None:
    x = var(1.0)
    y = x
    for _ in range(60):
        y = y + y  # 2⁶⁰ paths
    y.backprop()
    assert (x.sensitivity, len(y.tape)) == (2.0**60, 61)


def test_a_chain_of_a_hundred_thousand_cells() -> None:
    x = y = var(1.0)
    for _ in range(100_000):
        y = y * 1.00001
    start = time.process_time()
    y.backprop()
    assert len(y.tape) == 100_001
    assert x.sensitivity == pytest.approx(1.00001**100_000)
    assert time.process_time() - start < 5
    assert repr(y.tape) == f"Tape([Var, {'Unary, ' * 9}… 99988 more …, Unary, Unary, Unary])"
    del y
    gc.collect()  # letting go of it does not recurse either


def test_cells_make_no_cycles() -> None:
    def cells_alive() -> set[int]:
        return {id(cell) for cell in gc.get_objects() if isinstance(cell, Cell)}

    gc.collect()
    of_other_tests = cells_alive()  # what a kept traceback holds on to, for example
    gc.disable()
    try:
        for _ in range(10):
            x = var(1.0)
            (sin(x) * x + x).backprop()
        del x
        assert cells_alive() <= of_other_tests
    finally:
        gc.enable()


# Parameters


def test_parameters_may_stay_leaves_or_be_rebound() -> None:
    leaf, name = var(1.0), var(1.0)
    lengths = []
    for _ in range(4):
        squares = leaf * leaf, name * name
        for square in squares:
            square.backprop()
        lengths.append(tuple(len(square.tape) for square in squares))
        leaf.value -= 0.1 * leaf.sensitivity
        name -= 0.1 * name.sensitivity
    assert leaf.value == name.value == pytest.approx(0.8**4)
    assert (type(leaf), type(name)) == (Var, Un)
    assert lengths == [(2, 2), (2, 3), (2, 4), (2, 5)]


# Misuse


def test_what_is_not_one_real_number_is_refused() -> None:
    with pytest.raises(ShapeError, match="number by number"):
        var(np.ones(3))
    with pytest.raises(ShapeError, match="a cell holds one number"):
        var(1.0) * np.ones(3)
    with pytest.raises(InputError):
        var("3")
    with pytest.raises(InputError, match="complex"):
        var(1.0) * 1j
    with pytest.raises(ad.AutodiffError, match="lose its derivative"):
        ad.grad(var)(1.0)


def test_three_cells_are_too_many_for_one() -> None:
    with pytest.raises(UnsupportedError, match="given 3 cells"):
        np.clip(var(1.0), var(0.0), var(2.0))


def test_what_would_lose_the_derivative_is_refused() -> None:
    import math

    with pytest.raises(ad.AutodiffError, match=r"np\.sin"):
        math.sin(var(1.0))
    with pytest.raises(ad.AutodiffError, match=r"np\.stack"):
        np.array([var(1.0), var(2.0)])
    assert cos(0.0) == 1.0
