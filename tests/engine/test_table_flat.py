"""Rows without a derivative: flat functions, comparisons, functions of shape."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

from autodiff_lab import grad, jacfwd, jvp
from autodiff_lab.engine.dispatch import TABLE

from .samples import FLAT, QUESTIONS, Call, title

pytestmark = pytest.mark.filterwarnings("error")  # a rule that warns at an ordinary point is wrong


@pytest.mark.parametrize("key", list(FLAT), ids=title)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0,)], ids=str)
def test_flat_rows_answer_as_numpy_does(key: Any, shape: tuple[int, ...]) -> None:
    args = [np.resize(v, shape)[()] for v in FLAT[key]]
    expected, seen = key(*args), []

    def f(*xs: Any) -> Any:
        seen.append(key(*xs))
        return np.sum(sum(x * 2 for x in xs)) if TABLE[key].kind != "flat" else np.sum(key(*xs))

    gradients = grad(f, argnums=tuple(range(len(args))))(*args)
    for g in gradients:
        np.testing.assert_array_equal(g, np.full(shape, 0.0 if TABLE[key].kind == "flat" else 2.0))
    if TABLE[key].kind != "flat":  # a plain answer, not a traced value
        np.testing.assert_array_equal(seen[0], expected)
        assert type(seen[0]) is type(expected)
    jvp(f, args, args)
    np.testing.assert_array_equal(seen[1], expected)


OPERATORS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


@pytest.mark.parametrize("key", [k for k in FLAT if TABLE[k].symbol in OPERATORS], ids=title)
def test_comparisons_work_from_both_sides(key: Any) -> None:
    a, b = (np.array(v) for v in FLAT[key])
    symbol = TABLE[key].symbol
    for x, y in ((a, b), (a[0], b[0])):
        assert np.array_equal(_seen(lambda v, y=y: key(v, y), x), key(x, y))
        assert np.array_equal(_seen(lambda v, x=x: key(x, v), y), key(x, y))
        assert np.array_equal(_seen(lambda v, y=y: OPERATORS[symbol](v, y), x), key(x, y))
        assert np.array_equal(_seen(lambda v, x=x: OPERATORS[symbol](x, v), y), key(x, y))


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(c, id=f"{title(k)}-{i}")
        for k, calls in QUESTIONS.items()
        for i, c in enumerate(calls)
    ],
)
def test_questions_answer_as_numpy_does(call: Call) -> None:
    """In both modes, and from within a nested derivative; the answer is plain and stops no derivative."""
    expected = call.f(*call.args)
    for answer in _answers(call):
        for a, b in zip(_parts(answer), _parts(expected), strict=True):
            np.testing.assert_array_equal(a, b)
            assert type(a) is type(b)


def _answers(call: Call) -> list[Any]:
    answers = []

    def f(x: Any) -> Any:
        answers.append(call.f(x))
        return np.sum(x * x)

    (x,) = call.args
    np.testing.assert_allclose(grad(f)(x), 2 * x)
    assert jvp(f, (x,), (x,))[1] == pytest.approx(2 * np.sum(x * x))
    np.testing.assert_allclose(grad(lambda x: np.sum(grad(f)(x)))(x), 2.0 * np.ones(np.shape(x)))
    np.testing.assert_allclose(jacfwd(f)(x), 2 * x)
    return answers


def _parts(answer: Any) -> Any:
    return answer if isinstance(answer, tuple) else (answer,)


def _seen(question: Any, x: Any) -> Any:
    answers = []

    def f(v: Any) -> Any:
        answers.append(question(v))
        return np.sum(v)

    grad(f)(x)
    return answers[0]
