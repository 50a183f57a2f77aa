"""The tests that walk the table: every row has samples, and every elementwise row holds against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff_lab import jvp, record, vjp
from autodiff_lab.engine.dispatch import TABLE

from .jacobians import assert_derivatives
from .samples import CALLS, ELEMENTWISE, FLAT, title

pytestmark = pytest.mark.filterwarnings("error")  # a rule that warns at an ordinary point is wrong

ROWS = pytest.mark.parametrize("key", list(ELEMENTWISE), ids=title)
BINARY = pytest.mark.parametrize("key", [k for k, args in ELEMENTWISE.items() if len(args) == 2], ids=title)
SHAPES = [((), (3,)), ((3,), ()), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 1), (1, 3)), ((1, 3), (2, 1)), ((1,), (2, 3))]


def sample(key: Any, *shapes: tuple[int, ...]) -> tuple[Any, ...]:
    """The sample values of an elementwise row, in these shapes."""
    return tuple(np.resize(v, s)[()] for v, s in zip(ELEMENTWISE[key], shapes, strict=True))


def alike(key: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    return sample(key, *[shape] * len(ELEMENTWISE[key]))


# The table and the samples


def test_every_row_has_a_sample() -> None:
    expected = {**ELEMENTWISE, **FLAT, **CALLS}
    missing = [title(key) for key in TABLE if key not in expected]
    assert not missing, f"add sample arguments to tests/engine/samples.py for: {', '.join(missing)}"
    assert not [title(key) for key in expected if key not in TABLE], "samples for rows that the table does not have"


def test_every_sample_is_filed_by_kind() -> None:
    kinds = {"elementwise": ELEMENTWISE, "flat": FLAT, "comparison": FLAT, "shape": FLAT}
    assert not [title(key) for key, op in TABLE.items() if key not in kinds.get(op.kind, CALLS)]


@ROWS
def test_one_rule_per_operand(key: Any) -> None:
    assert len(TABLE[key].partials) == len(ELEMENTWISE[key])


# Elementwise rows


@ROWS
@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 3), (1, 1), (0,), (2, 0)], ids=str)
def test_value_is_numpys(key: Any, shape: tuple[int, ...]) -> None:
    args = alike(key, shape)
    expected = key(*args)
    value, tape = record(TABLE[key], *args)
    np.testing.assert_array_equal(value, expected, strict=shape != ())
    np.testing.assert_array_equal(record(key, *args)[0], expected)  # through NumPy's own name
    np.testing.assert_array_equal(jvp(key, args, args)[0], expected)
    assert tape.ops[tape.output].name == title(key)


@ROWS
def test_derivatives(key: Any) -> None:
    assert_derivatives(key, alike(key, ()))
    assert_derivatives(key, alike(key, (3,)))


@ROWS
def test_derivative_with_the_other_operands_constant(key: Any) -> None:
    args = alike(key, (3,))
    for k in range(len(args)):
        if len(args) > 1:
            assert_derivatives(lambda x, k=k: key(*args[:k], x, *args[k + 1 :]), (args[k],))
            other = [a[0] for a in args]
            assert_derivatives(lambda x, k=k, o=other: key(*o[:k], x, *o[k + 1 :]), (other[k],))


@BINARY
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_broadcasting(key: Any, shapes: tuple[tuple[int, ...], ...]) -> None:
    args = sample(key, *shapes)
    assert_derivatives(key, args)
    gradients = vjp(key, *args)[1](np.ones((2, 3) if any(len(s) == 2 for s in shapes) else 3))
    assert tuple(np.shape(g) for g in gradients) == shapes


@BINARY
@pytest.mark.parametrize("shape", [(), (3,)], ids=str)
def test_the_same_operand_twice(key: Any, shape: tuple[int, ...]) -> None:
    x = sample(key, shape, shape)[0]
    x = np.abs(x) if key is np.power else x
    assert_derivatives(lambda x: key(x, x), (x,))


@ROWS
@pytest.mark.parametrize("shape", [(1,), (1, 1), (0,), (0, 2)], ids=str)
def test_arrays_of_one_and_of_none(key: Any, shape: tuple[int, ...]) -> None:
    args = alike(key, shape)
    _, pullback = vjp(key, *args)
    assert [np.shape(g) for g in pullback(np.ones(shape))] == [shape] * len(args)
    assert np.shape(jvp(key, args, [np.ones(shape)] * len(args))[1]) == shape
    assert_derivatives(key, args)


@BINARY
def test_an_empty_array_and_a_number(key: Any) -> None:
    a, b = sample(key, (0,), ())
    gradients = vjp(key, a, b)[1](np.zeros(0))
    assert np.shape(gradients[0]) == (0,)
    assert gradients[1] == 0.0


@ROWS
@pytest.mark.parametrize("shape", [(), (3,)], ids=str)
def test_float32_stays_float32(key: Any, shape: tuple[int, ...]) -> None:
    args = tuple(np.asarray(a, dtype=np.float32)[()] for a in alike(key, shape))
    one = np.ones(shape, dtype=np.float32)[()]
    y, pullback = vjp(key, *args)
    assert y.dtype == np.float32
    assert [g.dtype for g in pullback(one)] == [np.float32] * len(args), "reverse"
    assert [x.dtype for x in jvp(key, args, [one] * len(args))] == [np.float32] * 2, "forward"


@ROWS
def test_integers_become_floats(key: Any) -> None:
    args = [np.arange(2, 5) + 5 * k for k in range(len(ELEMENTWISE[key]))]
    floats = [a.astype(float) for a in args]
    got, expected = (vjp(key, *a) for a in (args, floats))
    np.testing.assert_array_equal(got[0], expected[0])
    for a, b in zip(got[1](np.ones(3)), expected[1](np.ones(3)), strict=True):
        np.testing.assert_array_equal(a, b, strict=True)
    as_python_int = vjp(key, *[int(a[0]) for a in args])
    np.testing.assert_array_equal(as_python_int[0], got[0][0])
