"""Calling a program: other inputs, other branches, other shapes, points where `math` raises, threads."""

from __future__ import annotations

import collections
import pickle
import threading
import warnings
from typing import Any

import numpy as np
import pytest

from autodiff_lab import BranchChanged, custom_gradient, grad, jvp, value_and_grad
from autodiff_lab.engine.dispatch import TABLE
from autodiff_lab.engine.errors import InputError, ShapeError
from autodiff_lab.engine.primitives import Op
from autodiff_lab.programs import compiled_program, program


def powers(x: Any) -> Any:
    y = x
    while y < 10:
        y = y * x
    return y


def test_another_branch_stops_with_the_learners_line() -> None:
    p = program(powers, 1.5)
    assert p(1.52) == value_and_grad(powers)(1.52)
    with pytest.raises(BranchChanged, match=r"v4 < 10 was True \(line \d+: while y < 10:\)"):
        p(1.6)


def test_or_is_recorded_again() -> None:
    p = program(powers, 1.5, on_branch="rerecord")
    for x in (1.5, 1.6, 1.5, 1.2, 1.6, 20.0, 1.2):
        assert p(x) == value_and_grad(powers)(x)
    assert p.versions == 4


def test_what_rules_compare_is_no_decision() -> None:
    """relu, abs and max choose inside an operation: one program serves both sides."""

    def f(x: Any) -> Any:
        return np.sum(np.maximum(x, 0.0) ** 2 + np.abs(x)) + np.max(x) + np.linalg.norm(x)

    x = np.array([1.0, -2.0, 3.0])
    p = program(f, x)
    for point in (x, -x, x[::-1].copy(), 0 * x):
        value, gradient = p(point)
        expected, g = value_and_grad(f)(point)
        assert value == pytest.approx(expected, rel=1e-15)
        np.testing.assert_allclose(gradient, g, rtol=1e-15)


@pytest.mark.parametrize(
    "f,x,other",
    [
        (lambda x: x * 2 if x > 0 else -x, 1.0, -1.0),
        (lambda x: x * 2 if x else x + 1, 1.0, 0.0),
        (lambda x: np.sum(x * 2) if np.all(x > 0) else np.sum(x), np.ones(2), -np.ones(2)),
        (
            lambda x: np.sum(np.sort(x) * np.arange(3.0)),
            np.array([1.0, 2, 3]),
            np.array([3.0, 1, 2]),
        ),
        (lambda x: x[np.argmax(x)], np.array([1.0, 2, 3]), np.array([3.0, 1, 2])),
        (lambda x: np.sum(x[x > 1.5]), np.array([1.0, 2, 3]), np.array([3.0, 1, 2])),
        (lambda x: np.median(x), np.array([1.0, 2, 3]), np.array([3.0, 1, 2])),
        (lambda x: max(x[0], x[1]), np.array([1.0, 2.0]), np.array([3.0, 1.0])),
        (lambda x: np.interp(x, [0.0, 1.0, 2.0], [0.0, 1.0, 3.0]), 0.5, 1.5),
        (lambda x: np.prod(x), np.array([1.0, 2.0]), np.array([0.0, 2.0])),
        (lambda x: float((x > 0).astype(int)) * x, 1.0, -1.0),
    ],
)
def test_a_decision_is_never_frozen_in_silence(f: Any, x: Any, other: Any) -> None:
    p = program(f, x)
    np.testing.assert_allclose(p(x)[1], grad(f)(x))
    with pytest.raises(BranchChanged):
        p(other)
    again = program(f, x, on_branch="rerecord")
    for point in (other, x):
        np.testing.assert_allclose(again(point)[1], grad(f)(point))


@pytest.mark.parametrize(
    "f,x",
    [
        (np.log, 0.0),
        (np.log, -1.0),
        (lambda x: 1 / x, 0.0),
        (lambda x: 2.0 / (x * x), 0.0),
        (np.exp, 1000.0),
        (lambda x: x**3, 1e200),
        (lambda x: x**0.5, 0.0),
        (lambda x: x**0.5, -2.0),
        (lambda x: x**x, -0.5),
        (np.sqrt, 0.0),
        (np.sqrt, -1.0),
        (np.sin, np.inf),
        (lambda x: np.cosh(x) % 2.0, 800.0),
        (np.arctanh, 1.0),
        (lambda x: np.arcsin(x) * x, 2.0),
        (lambda x: 1 / np.where(x > 0, x, 0.0), -1.0),
        (lambda x: np.maximum(x, 0.0), np.nan),
        (lambda x: np.clip(x, 0.0, 1.0), np.nan),
        (lambda x: np.hypot(x, 0.0), 0.0),
        (lambda x: x // (x * 0.0), 1.0),
    ],
)
@pytest.mark.parametrize("mode", ["reverse", "forward", "value"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_infinities_and_nan_are_numpys(f: Any, x: float, mode: str) -> None:
    """Where `math` raises, the program goes on as the engine does."""
    p = program(f, 0.5, mode=mode, on_branch="rerecord")
    engine = {
        "value": lambda: float(f(np.float64(x))),
        "reverse": lambda: value_and_grad(f)(x),
        "forward": lambda: jvp(f, (x,), (1.0,)),
    }
    expected = engine[mode]()
    np.testing.assert_array_equal(p(x), expected)
    p(0.5)
    np.testing.assert_array_equal(p(x), expected)


def test_numbers_of_other_types_are_welcome_and_shapes_are_not() -> None:
    p = program(lambda x: x * x, 3.0)
    assert (
        p(4)
        == p(np.float64(4.0))
        == p(np.float32(4.0) * np.float64(1))
        == p(np.array(4.0))
        == (16.0, 8.0)
    )
    for wrong in (np.ones(1), [1.0], np.ones((2, 2))):
        with pytest.raises(ShapeError, match="compiled for"):
            p(wrong)
    with pytest.raises(InputError, match="real numbers"):
        p("three")
    with pytest.raises(TypeError, match="takes 1 positional argument but 2"):
        p(1.0, 2.0)
    assert p(x=4.0) == p(4.0)
    q = program(lambda x: np.sum(x * x), np.ones(3), on_branch="rerecord")
    for shape in ((3,), (2, 2), (3,), ()):
        value, gradient = q(np.full(shape, 2.0))
        assert np.shape(gradient) == shape
        assert value == 4.0 * np.ones(shape).size
    assert q.versions == 3
    single = program(lambda x: np.sum(x * x), np.ones(3))
    with pytest.raises(ShapeError, match=r"shape \(3,\), .* shape \(3,\) \(float32\)"):
        single(np.ones(3, dtype=np.float32))
    assert single(np.ones(3, dtype=int))[0] == 3.0
    assert single(np.ones(3, dtype=">f8"))[0] == 3.0


def test_containers_and_what_is_compiled_in() -> None:
    Layer = collections.namedtuple("Layer", "w b")

    def f(p: Any, x: Any, n: int, flag: bool) -> Any:
        for _ in range(n):
            x = np.tanh(p["layer"].w @ x + p["layer"].b)
        return np.sum(x) * p["scale"][0] if flag else x[0]

    p = {"layer": Layer(np.eye(2) / 2, np.array([0.1, 0.2])), "scale": [2.0, 3.0]}
    x = np.array([0.3, -0.4])
    compiled = program(f, p, x, 2, True)
    value, gradient = compiled(p, x * 2, 2, True)
    expected, g = value_and_grad(f)(p, x * 2, 2, True)
    assert value == pytest.approx(expected, rel=1e-15)
    assert type(gradient["layer"]).__name__ == "Layer"
    np.testing.assert_allclose(gradient["layer"].w, g["layer"].w, rtol=1e-14)
    assert gradient["scale"] == pytest.approx(g["scale"])
    with pytest.raises(ShapeError, match="compiled in"):
        compiled(p, x, 3, True)
    every = program(f, p, x, 2, True, on_branch="rerecord")
    for n in (1, 2, 3):
        assert every(p, x, n, True)[0] == pytest.approx(f(p, x, n, True), rel=1e-15)


def test_results_are_the_callers_own() -> None:
    c = np.array([1.0, 2.0])
    x = np.array([3.0, 4.0])
    for f in (
        lambda x: x,
        lambda x: x[::-1],
        lambda x: x + 0.0,
        lambda x: (x * c)[:1],
        lambda x: (x * 2).T,
    ):
        p = program(f, x, mode="value")
        first = p(x)
        kept = first.copy()
        p(x * 7)
        np.testing.assert_array_equal(first, kept)
        first[...] = -1
        np.testing.assert_array_equal(x, [3.0, 4.0])
        np.testing.assert_array_equal(p(x), kept)
    _, (a, b) = program(lambda x, y: np.sum(x + y), x, x + 1, argnums=(0, 1))(x, x)
    a[0] = 9
    assert b[0] == 1.0
    value, same = program(lambda x: (x * 2, x * 2), x, mode="value")(x)
    value[0] = 0
    assert same[0] == 6.0


def test_threads_share_one_program() -> None:
    def f(x: Any) -> Any:
        y = x
        for _ in range(20):
            y = np.sin(y) * x + 0.5 * y
        return np.sum(y)

    p = program(f, np.linspace(0, 1, 50))
    inputs = [np.linspace(0, 1 + k, 50) for k in range(8)]
    expected = [value_and_grad(f)(x) for x in inputs]
    wrong: list[int] = []

    def work(k: int) -> None:
        for _ in range(100):
            value, gradient = p(inputs[k])
            right = value == pytest.approx(expected[k][0], rel=1e-13)
            if not right or not np.allclose(gradient, expected[k][1], rtol=1e-12):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_rules_of_ones_own_are_taken_apart_or_called() -> None:
    @custom_gradient(partials=lambda y, x: 1 / (1 + np.exp(-x)))
    def softplus(x: Any) -> Any:
        return np.logaddexp(0.0, x)

    @custom_gradient(partials=lambda y, x: 3 * x * x)
    def opaque(x: Any) -> Any:
        return float(x) ** 3

    p = program(lambda x: softplus(x) * 2, 1.0)
    assert "np.logaddexp" in p.source
    assert p(800.0) == (1600.0, 2.0)
    q = program(lambda x: opaque(x) * 2, 1.0)
    assert "opaque(x)" in q.source
    assert q(2.0) == (16.0, 24.0)


def test_a_call_inside_a_derivative_says_what_to_do() -> None:
    p = program(lambda x: x * x, 3.0)
    with pytest.raises(InputError, match="Differentiate first"):
        grad(lambda x: p(x)[0])(2.0)


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_a_result_that_is_no_number_is_refused(mode: str) -> None:
    with pytest.raises(InputError, match=r"returned None. Give it a `return`"):
        program(lambda x: None, 2.0, mode=mode)
    with pytest.raises(InputError, match="the result is 'two'"):
        program(lambda x: "two", 2.0, mode=mode)


def test_nothing_warns_at_ordinary_points() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert program(lambda x: np.where(x > 0, np.sqrt(x), 0.0), 4.0)(4.0) == (2.0, 0.25)


def test_a_question_of_the_sweep_is_not_said_to_be_the_learners():
    """The slope of a product asks whether a factor is 0; no line of the learner's does."""
    source = program(lambda x: np.prod(x), np.array([2.0, 3.0])).source
    assert "BranchChanged" in source and "(line" not in source


ENTRIES = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])


@pytest.mark.parametrize(
    "position",
    [
        *(
            lambda i: i + 1,
            lambda i: 2 * i - 1,
            lambda i: i // 2,
            lambda i: i % 3,
            lambda i: -i,
            lambda i: i**2,
        ),
        *(
            lambda i: i & 1,
            lambda i: i | 2,
            lambda i: i ^ 1,
            lambda i: ~i,
            lambda i: i << 1,
            lambda i: i >> 1,
        ),
        *(
            lambda i: 1 & i,
            lambda i: divmod(i, 2)[1],
            lambda i: divmod(5, i + 1)[0],
            lambda i: abs(i),
            round,
        ),
        *(
            lambda i: np.clip(i, 0, 3),
            lambda i: np.minimum(i, 2),
            lambda i: np.where(i > 1, i, 0),
            lambda i: [i, 0],
        ),
        *(
            lambda i: (i == 1).astype(int),
            lambda i: (i > 1) + 1,
            lambda i: slice(i, None),
            lambda i: slice(i + 2, i, -1),
        ),
        *(
            lambda i: i.astype(np.uint8) + 1,
            lambda i: np.cumsum([i, 1]),
            lambda i: {1: 0, 2: 3}[i],
            lambda i: (None, i),
        ),
        *(
            lambda i: np.arange(6) > i,
            lambda i: np.arange(6) % (i + 1) == 0,
            lambda i: max(i, 0),
            lambda i: (i / 2).astype(int),
        ),
    ],
)
def test_integers_that_depend_on_the_inputs(position: Any) -> None:
    """What an index is made of is computed; the index itself is a decision, which another input may turn."""

    def f(x: Any) -> Any:
        i = position(np.floor(x[1]).astype(int))
        return np.sum(ENTRIES[i] * x[0]) + np.sum(np.sin(x)[i] ** 2)

    x = np.array([0.5, 1.5, 2.5, 0.1, 0.2, 0.3])
    strict, flexible = program(f, x), program(f, x, on_branch="rerecord")
    for point in (x, x * 1.01, x + 1.0, x):
        expected, slope = value_and_grad(f)(point)
        value, gradient = flexible(point)
        assert value == pytest.approx(expected, rel=1e-14)
        np.testing.assert_allclose(gradient, slope, rtol=1e-14)
    np.testing.assert_allclose(strict(x * 1.01)[1], value_and_grad(f)(x * 1.01)[1], rtol=1e-14)
    if not np.array_equal(ENTRIES[position(np.int64(1))], ENTRIES[position(np.int64(2))]):
        with pytest.raises(BranchChanged):
            strict(x + 1.0)


def test_integers_in_arithmetic_are_data() -> None:
    """No index, no decision: one program serves all inputs."""

    def f(x: Any) -> Any:
        steps = np.floor(x).astype(int)
        return (
            np.sum((steps + 1) * x)
            + np.sum((x > 0).astype(int)) * x[0]
            + np.sum((x > 0).astype(np.float32) * x)
        )

    x = np.array([0.5, -1.5, 2.5])
    p = program(f, x)
    for point in (x, -x, x + 3.0):
        expected, slope = value_and_grad(f)(point)
        value, gradient = p(point)
        assert value == pytest.approx(expected, rel=1e-14)
        np.testing.assert_allclose(gradient, slope, rtol=1e-14)
    steps = program(lambda x: np.floor(x).astype(int) + 1, x, mode="value")(x + 1.0)
    assert (steps.dtype, steps.tolist()) == (np.int64, [2, 0, 4])


@pytest.mark.parametrize("point", [1.5, np.array([1.5, -2.5])])
def test_an_integer_operand_stays_an_integer(point: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """`np.ldexp` takes no 3.0 for 3; beside a rule of NumPy's an integer may become a float."""
    rule = (lambda y, x, n: np.exp2(1.0 * n), None)
    monkeypatch.setitem(TABLE, np.ldexp, Op("ldexp", np.ldexp, "elementwise", rule))

    def f(x: Any) -> Any:
        return np.sum(np.ldexp(x, 3) * 2 + np.ldexp(x, np.floor(x).astype(int) + 1))

    p = program(f, point, on_branch="rerecord")
    for x in (point, point * 2):
        expected, slope = value_and_grad(f)(x)
        value, gradient = p(x)
        assert value == pytest.approx(expected, rel=1e-14)
        np.testing.assert_allclose(gradient, slope, rtol=1e-14)


def test_an_array_from_a_pickle_runs_at_once(monkeypatch):
    """Its dtype is equal to float64 and another object, as that of what joblib or another process hands over."""
    x = pickle.loads(pickle.dumps(np.array([1.0, 2.0, 3.0])))
    assert x.dtype is not np.dtype(float)
    square = program(lambda x: np.sum(x * x), x)

    def read(*_):
        raise AssertionError("the arguments were looked at leaf by leaf")

    monkeypatch.setattr(compiled_program, "read_inputs", read)
    value, slope = square(x)
    assert value == 14.0 and slope.tolist() == [2.0, 4.0, 6.0]
