"""The tests that walk the table: every row has samples, and every elementwise row holds against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff_lab import check_grads, grad, jvp, record, stop_gradient, vjp
from autodiff_lab.engine.dispatch import TABLE

from ..about import about
from .jacobians import assert_derivatives, one_array
from .samples import (
    CALLS,
    ELEMENTWISE,
    FLAT,
    QUESTIONS,
    REFUSED,
    SMALL_WHOLE_NUMBERS,
    all_calls,
    callable_of,
    title,
)

pytestmark = pytest.mark.filterwarnings("error")  # a rule that warns at an ordinary point is wrong

ROWS = pytest.mark.parametrize("key", list(ELEMENTWISE), ids=title)
BINARY = pytest.mark.parametrize(
    "key", [k for k, args in ELEMENTWISE.items() if len(args) == 2], ids=title
)
SHAPES = [
    ((), (3,)),
    ((3,), ()),
    ((2, 3), (3,)),
    ((3,), (2, 3)),
    ((2, 1), (1, 3)),
    ((1, 3), (2, 1)),
    ((1,), (2, 3)),
]


def sample(key: Any, *shapes: tuple[int, ...]) -> tuple[Any, ...]:
    """The sample values of an elementwise row, in these shapes."""
    return tuple(np.resize(v, s)[()] for v, s in zip(ELEMENTWISE[key], shapes, strict=True))


def alike(key: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    return sample(key, *[shape] * len(ELEMENTWISE[key]))


# The table and the samples


KNOWN = {**ELEMENTWISE, **FLAT, **QUESTIONS, **CALLS}
THROUGH = {
    "einsum",
    "convolve",
    "norm",
    "concatenate",
    "logabsdet",
    "sign of det",
    "eigh",
    "qr",
    "svdvals",
    "over",
}
# rows reached through another's samples; a test below holds it
THROUGH |= {"stop_gradient", "nan_to_num", "logsumexp"}


def test_every_row_has_a_sample() -> None:
    missing = [
        title(key)
        for key in TABLE
        if key not in KNOWN and key not in REFUSED and key not in THROUGH
    ]
    assert not missing, f"add sample arguments to tests/engine/samples for: {', '.join(missing)}"
    assert not [title(key) for key in KNOWN if key not in TABLE], (
        "samples for rows that the table does not have"
    )
    empty = [title(key) for key, given in KNOWN.items() if not given]
    assert not empty, f"no sample calls for: {', '.join(empty)}"


def test_every_sample_is_filed_by_kind() -> None:
    kinds = {
        "elementwise": [ELEMENTWISE],
        "flat": [FLAT],
        "comparison": [FLAT, QUESTIONS],
        "shape": [FLAT, QUESTIONS],
    }
    rows = [(key, op) for key, op in TABLE.items() if key not in REFUSED and key not in THROUGH]
    assert not [
        title(key)
        for key, op in rows
        if not any(key in home for home in kinds.get(op.kind, [CALLS]))
    ]


def test_rows_without_a_public_name_are_reached_through_others() -> None:
    seen = set()
    for _, call in all_calls():
        tape = record(one_array(call.f), *call.args)[1]
        seen |= {op.name for op in tape.ops if op} | {c.op.name for c in tape.comparisons}
    record(lambda x: stop_gradient(x) * x, 1.0)
    # whose rule has a row of its own for equal values
    vectors = grad(lambda a: np.sum(np.linalg.eigh(a)[1] ** 3))
    seen |= {op.name for op in record(vectors, np.diag([2.0, 2.0]))[1].ops if op}
    assert THROUGH - {"stop_gradient"} <= seen | (THROUGH - set(TABLE))


@ROWS
def test_one_rule_per_operand(key: Any) -> None:
    assert len(TABLE[key].partials) == len(ELEMENTWISE[key])


# Elementwise rows


@ROWS
def test_value_is_numpys(key: Any) -> None:
    f = callable_of(key)
    for shape in [(), (1,), (3,), (2, 3), (1, 1), (0,), (2, 0)]:
        with about(f"the shape {shape}"):
            args = alike(key, shape)
            expected = f(*args)
            value, tape = record(TABLE[key], *args)
            np.testing.assert_array_equal(value, expected, strict=shape != ())
            np.testing.assert_array_equal(record(f, *args)[0], expected)  # through NumPy's own name
            np.testing.assert_array_equal(jvp(f, args, args)[0], expected)
            assert tape.ops[tape.output].name == title(key)


@ROWS
def test_derivatives(key: Any) -> None:
    f = callable_of(key)
    assert_derivatives(f, alike(key, ()))
    assert_derivatives(f, alike(key, (3,)))


@ROWS
def test_third_order(key: Any) -> None:
    check_grads(callable_of(key), alike(key, ()), order=3)


@ROWS
def test_derivative_with_the_other_operands_constant(key: Any) -> None:
    f = callable_of(key)
    args = alike(key, (3,))
    for k in range(len(args)):
        if len(args) > 1:
            assert_derivatives(lambda x, k=k: f(*args[:k], x, *args[k + 1 :]), (args[k],))
            other = [a[0] for a in args]
            assert_derivatives(lambda x, k=k, o=other: f(*o[:k], x, *o[k + 1 :]), (other[k],))


@BINARY
def test_broadcasting(key: Any) -> None:
    f = callable_of(key)
    for shapes in SHAPES:
        with about(f"the shapes {shapes}"):
            args = sample(key, *shapes)
            assert_derivatives(f, args)
            gradients = vjp(f, *args)[1](np.ones((2, 3) if any(len(s) == 2 for s in shapes) else 3))
            assert tuple(np.shape(g) for g in gradients) == shapes


@BINARY
def test_the_same_operand_twice(key: Any) -> None:
    f = callable_of(key)
    for shape in [(), (3,)]:
        with about(f"the shape {shape}"):
            x = sample(key, shape, shape)[0]
            x = np.abs(x) if key is np.power else x
            assert_derivatives(lambda x: f(x, x), (x,))


@ROWS
def test_arrays_of_one_and_of_none(key: Any) -> None:
    f = callable_of(key)
    for shape in [(1,), (1, 1), (0,), (0, 2)]:
        with about(f"the shape {shape}"):
            args = alike(key, shape)
            _, pullback = vjp(f, *args)
            assert [np.shape(g) for g in pullback(np.ones(shape))] == [shape] * len(args)
            assert np.shape(jvp(f, args, [np.ones(shape)] * len(args))[1]) == shape
            assert_derivatives(f, args)


@BINARY
def test_an_empty_array_and_a_number(key: Any) -> None:
    f = callable_of(key)
    a, b = sample(key, (0,), ())
    gradients = vjp(f, a, b)[1](np.zeros(0))
    assert np.shape(gradients[0]) == (0,)
    assert gradients[1] == 0.0


@ROWS
@pytest.mark.parametrize("shape", [(), (3,)], ids=str)
def test_float32_stays_float32(key: Any, shape: tuple[int, ...]) -> None:
    f = callable_of(key)
    args = tuple(np.asarray(a, dtype=np.float32)[()] for a in alike(key, shape))
    one = np.ones(shape, dtype=np.float32)[()]
    y, pullback = vjp(f, *args)
    assert y.dtype == np.float32
    assert [g.dtype for g in pullback(one)] == [np.float32] * len(args), "reverse"
    assert [x.dtype for x in jvp(f, args, [one] * len(args))] == [np.float32] * 2, "forward"


@ROWS
def test_integers_become_floats(key: Any) -> None:
    f = callable_of(key)
    low = 0 if key in SMALL_WHOLE_NUMBERS else 2
    args = [np.arange(2, 5) * (low > 0) + 5 * k for k in range(len(ELEMENTWISE[key]))]
    floats = [a.astype(float) for a in args]
    got, expected = (vjp(f, *a) for a in (args, floats))
    np.testing.assert_array_equal(got[0], expected[0])
    for a, b in zip(got[1](np.ones(3)), expected[1](np.ones(3)), strict=True):
        np.testing.assert_array_equal(a, b, strict=True)
    as_python_int = vjp(f, *[int(a[0]) for a in args])
    np.testing.assert_array_equal(as_python_int[0], got[0][0])
