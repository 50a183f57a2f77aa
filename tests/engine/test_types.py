"""Types of numbers: casts are recorded, integers have derivative 0, and single precision stays single."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff_lab import (
    grad,
    hessian,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    program,
    record,
    value_and_grad,
)
from autodiff_lab.engine.errors import BranchChanged

SINGLE = np.array([1.5, -2.0, 3.0], dtype=np.float32)


def cancelling(x: Any) -> Any:
    """Right in double precision only: in single, 1 + 1e-9 is 1."""
    return np.log(np.sum(x.astype(np.float64) * 1e-9 + 1) - 3)


def test_a_cast_is_recorded() -> None:
    x = np.ones(3, dtype=np.float32)
    value, slope = value_and_grad(cancelling)(x)
    assert value == cancelling(x) and np.isfinite(value)
    np.testing.assert_allclose(slope, np.full(3, 1 / 3), rtol=1e-6)
    assert slope.dtype == np.float32
    np.testing.assert_allclose(jacfwd(cancelling)(x), slope, rtol=1e-6)
    assert jvp(cancelling, (x,), (x,))[1] == pytest.approx(1.0)
    assert record(cancelling, x)[1].replay(x) == value
    compiled, gradient = program(cancelling, x)(x)
    assert compiled == value
    np.testing.assert_array_equal(gradient, slope)


@pytest.mark.parametrize(
    "x", [SINGLE, SINGLE.astype(float), np.float32(1.5), 1.5], ids=["f4s", "f8s", "f4", "f8"]
)
@pytest.mark.parametrize("to", [np.float16, np.float32, np.float64])
def test_values_and_adjoints_change_type_there_and_back(x: Any, to: Any) -> None:
    def f(x: Any) -> Any:
        y = x.astype(to)
        assert y.dtype == to and y.value.dtype == to
        return np.sum(y * y)

    x = np.float64(x) if isinstance(x, float) else x
    slope = grad(f)(x)
    assert getattr(slope, "dtype", np.float64) == x.dtype
    np.testing.assert_array_equal(slope, 2 * x)  # numbers that every type can hold
    np.testing.assert_array_equal(np.sum(jvp(f, (x,), (np.ones_like(x),))[1]), np.sum(2 * x))
    np.testing.assert_array_equal(hessian(f)(x), 2 * np.eye(np.size(x)).reshape(np.shape(x) * 2))
    np.testing.assert_array_equal(program(f, x)(x)[1], slope)


def test_a_cast_to_the_same_type_leaves_no_line() -> None:
    assert len(record(lambda x: x.astype(float), 3.0)[1]) == 1
    assert str(record(lambda x: x.astype("f4"), 3.0)[1]).count("astype(v0, dtype=float32)") == 1


# Whole numbers

STEPS = {
    "int(np.floor(x))": lambda x: x * int(np.floor(x)),
    "floor, astype": lambda x: x * np.floor(x).astype(int),
    "astype(int)": lambda x: x * x.astype(int),
    "of a step, computed with": lambda x: x * int(np.floor(x) * 2 - np.ceil(x) + 1),
    "range": lambda x: x * sum(range(1 + int(np.trunc(x)))),
    "an index": lambda x: x * np.arange(9.0)[np.floor(x).astype(int)],
    "a list's index": lambda x: x * [5.0, 6.0, 7.0, 8.0][int(np.floor(x))],
    "float(np.sign(x))": lambda x: x * float(np.sign(x)),
    "astype(bool)": lambda x: x * x.astype(bool),
}


@pytest.mark.parametrize("name", list(STEPS))
def test_steps_become_whole_numbers_in_every_mode(name: str) -> None:
    f, x = STEPS[name], np.float64(2.3)
    slope = f(x) / x
    assert record(f, x)[0] == f(x)
    assert grad(f)(x) == jvp(f, (x,), (1.0,))[1] == jacfwd(f)(x) == pytest.approx(slope)
    assert grad(grad(f))(x) == 0.0
    for mode in ("reverse", "forward"):
        assert program(f, x, mode=mode)(2.4) == (f(np.float64(2.4)), pytest.approx(slope))


@pytest.mark.parametrize(
    "name", [name for name in STEPS if "sign" not in name and "bool" not in name]
)
def test_another_step_takes_nothing_from_the_one_before(name: str) -> None:
    """The tape and the program say so, or compute the step anew."""
    f, there = STEPS[name], np.float64(3.3)
    for again in (record(f, 2.3)[1].replay, program(f, 2.3, mode="value")):
        try:
            assert again(there) == f(there)
        except BranchChanged:
            continue


def test_an_array_of_whole_numbers() -> None:
    def f(x: Any) -> Any:
        return np.sum(x * np.floor(x).astype(int) + x[np.array([0, 1]).astype(int)].sum())

    x = np.array([1.5, -2.5, 3.5])
    np.testing.assert_array_equal(grad(f)(x), jacfwd(f)(x))
    np.testing.assert_array_equal(grad(lambda x: np.sum(x * x.astype(np.int8)))(x), [1, -2, 3])
    np.testing.assert_array_equal(
        program(lambda x: np.sum(x * x.astype(int)), x)(x + 1)[1], [2, -1, 4]
    )


def test_what_is_no_number_has_no_whole_one() -> None:
    for mode in (grad, jacfwd):
        with pytest.raises(ValueError, match="NaN"):
            mode(lambda x: x * int(np.floor(x)))(np.nan)


# Jacobians of single precision


@pytest.mark.parametrize("shape", [(3,), (), (0,), (2, 2)], ids=str)
@pytest.mark.parametrize("way", [jacfwd, jacrev, jacobian])
def test_jacobians_keep_single_precision(way: Any, shape: tuple[int, ...]) -> None:
    x = np.resize(SINGLE, shape)[()]
    for f in (lambda x: x * x, np.sum, lambda x: np.stack([np.sum(x), np.sum(x * x)])):
        block = way(f)(x)
        assert block.dtype == np.float32, f
        assert block.shape == np.shape(f(x)) + np.shape(x)
    assert way(lambda p: p["a"] * p["b"])({"a": x, "b": x})["b"].dtype == np.float32


def test_a_jacobian_by_rows_has_the_types_of_its_inputs() -> None:
    blocks = jacrev(lambda a, b: a * b, argnums=(0, 1))(SINGLE, SINGLE.astype(float))
    assert [block.dtype for block in blocks] == [np.float32, np.float64]
    slopes = grad(lambda x: np.sum(jacrev(lambda x: x**3)(x)))(SINGLE)
    np.testing.assert_array_equal(slopes, 6 * SINGLE)
    assert slopes.dtype == np.float32


# pow


@pytest.mark.parametrize("mode", [grad, jacfwd])
def test_pow_with_a_modulus_is_refused_in_plain_words(mode: Any) -> None:
    with pytest.raises(
        TypeError, match=r"^pow\(x, n, m\) has no derivative rule\. Write pow\(x, n\) % m"
    ):
        mode(lambda x: pow(x, 2, 3))(2.0)
    assert mode(lambda x: pow(x, 2) % 3)(2.0) == 4.0
