"""The tape as text: what ``print(tape)`` shows, and that it never shows NumPy's own type names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff_lab import Symbol, Tape, grad, jvp, record
from autodiff_lab.engine.errors import ReleasedError

A = np.array([[1.0, 2.0], [3.0, 4.0]])


def baydin(x1: Any, x2: Any) -> Any:
    return np.log(x1) + x1 * x2 - np.sin(x2)


def lines(tape: Tape) -> list[str]:
    """The printed trace with runs of spaces made one, so that a test shows words, not columns."""
    return [" ".join(line.split()) for line in str(tape).splitlines()]


def test_the_example() -> None:
    value, tape = record(baydin, 2.0, 5.0)
    assert value == 11.652071455223084
    assert lines(tape) == [
        "v-1 = 2.0",
        "v0 = 5.0",
        "v1 = log(v-1) = 0.6931471805599453",
        "v2 = v-1 * v0 = 10.0",
        "v3 = v1 + v2 = 10.693147180559945",
        "v4 = sin(v0) = -0.9589242746631385",
        "v5 = v3 - v4 = 11.652071455223084",
        "y = v5 = 11.652071455223084",
    ]
    assert repr(tape) == "Tape(2 inputs, 5 operations)"
    assert [tape.expression(i) for i in range(len(tape))] == [
        "x1", "x2", "log(v-1)", "v-1 * v0", "v1 + v2", "sin(v0)", "v3 - v4"
    ]  # fmt: skip


def test_the_columns_are_aligned() -> None:
    text = str(record(baydin, 2.0, 5.0)[1])
    assert len({line.rindex("=") for line in text.splitlines()[2:-1]}) == 1
    assert not any(line != line.rstrip() for line in text.splitlines())


@pytest.mark.parametrize(
    "f,args,expected",
    [
        (
            lambda x: 3 * x - 2 / x,
            (2.0,),
            [
                "v0 = 2.0",
                "v1 = 3 * v0 = 6.0",
                "v2 = 2 / v0 = 1.0",
                "v3 = v1 - v2 = 5.0",
                "y = v3 = 5.0",
            ],
        ),
        (
            lambda x: x * np.float64(3.0),
            (2.0,),
            ["v0 = 2.0", "v1 = v0 * 3.0 = 6.0", "y = v1 = 6.0"],
        ),
        (
            lambda x: -(x**2),
            (3.0,),
            ["v0 = 3.0", "v1 = v0 ** 2 = 9.0", "v2 = -v1 = -9.0", "y = v2 = -9.0"],
        ),
        (
            lambda x: abs(x) + np.maximum(x, 0.5),
            (2.0,),
            [
                "v0 = 2.0",
                "v1 = absolute(v0) = 2.0",
                "v2 = maximum(v0, 0.5) = 2.0",
                "v3 = v1 + v2 = 4.0",
                "y = v3 = 4.0",
            ],
        ),
        (lambda x: x, (2,), ["v0 = 2.0", "y = v0 = 2.0"]),
        (lambda x: 7.0, (2,), ["v0 = 2.0"]),
        (
            lambda x: x[0] + x[-1],
            (np.array([1.0, 2.0]),),
            [
                "v0 = [1., 2.]",
                "v1 = v0[0] = 1.0",
                "v2 = v0[-1] = 2.0",
                "v3 = v1 + v2 = 3.0",
                "y = v3 = 3.0",
            ],
        ),
        (
            lambda x: x[1:, None],
            (np.array([1.0, 2.0]),),
            ["v0 = [1., 2.]", "v1 = v0[1:, None] = [[2.]]", "y = v1 = [[2.]]"],
        ),
        (
            lambda x: x[..., ::-1],
            (np.array([1.0, 2.0]),),
            ["v0 = [1., 2.]", "v1 = v0[..., ::-1] = [2., 1.]", "y = v1 = [2., 1.]"],
        ),
        (
            lambda x: x[[0, 0]],
            (np.array([1.0, 2.0]),),
            ["v0 = [1., 2.]", "v1 = v0[[0, 0]] = [1., 1.]", "y = v1 = [1., 1.]"],
        ),
        (
            lambda x: x[np.array([True, False])],
            (np.array([1.0, 2.0]),),
            ["v0 = [1., 2.]", "v1 = v0[[ True, False]] = [1.]", "y = v1 = [1.]"],
        ),
        (
            lambda a, b: np.stack([a, b, 1.0]),
            (1.0, 2.0),
            [
                "v-1 = 1.0",
                "v0 = 2.0",
                "v1 = stack([v-1, v0, 1.0]) = [1., 2., 1.]",
                "y = v1 = [1., 2., 1.]",
            ],
        ),
        (
            lambda a: np.stack([a, a], axis=1),
            (np.ones(1),),
            ["v0 = [1.]", "v1 = stack([v0, v0], axis=1) = [[1., 1.]]", "y = v1 = [[1., 1.]]"],
        ),
        (
            lambda a, b: a @ b,
            (A, np.ones(2)),
            [
                "v-1 = [[1., 2.], [3., 4.]]",
                "v0 = [1., 1.]",
                "v1 = v-1 @ v0 = [3., 7.]",
                "y = v1 = [3., 7.]",
            ],
        ),
        (
            lambda b: A @ b,
            (np.ones(2),),
            ["v0 = [1., 1.]", "v1 = [[1., 2.], [3., 4.]] @ v0 = [3., 7.]", "y = v1 = [3., 7.]"],
        ),
        (
            lambda a: a.reshape(2, 2).T,
            (np.arange(4.0),),
            [
                "v0 = [0., 1., 2., 3.]",
                "v1 = reshape(v0, (2, 2)) = [[0., 1.], [2., 3.]]",
                "v2 = transpose(v1) = [[0., 2.], [1., 3.]]",
                "y = v2 = [[0., 2.], [1., 3.]]",
            ],
        ),
        (
            lambda a: np.transpose(a, (1, 0)),
            (A,),
            [
                "v0 = [[1., 2.], [3., 4.]]",
                "v1 = transpose(v0, (1, 0)) = [[1., 3.], [2., 4.]]",
                "y = v1 = [[1., 3.], [2., 4.]]",
            ],
        ),
        (
            lambda a: np.sum(a, axis=0),
            (A,),
            ["v0 = [[1., 2.], [3., 4.]]", "v1 = sum(v0, axis=0) = [4., 6.]", "y = v1 = [4., 6.]"],
        ),
        (
            lambda a: np.sum(a),
            (A,),
            ["v0 = [[1., 2.], [3., 4.]]", "v1 = sum(v0) = 10.0", "y = v1 = 10.0"],
        ),
        (
            lambda a: a.sum(),
            (A,),
            ["v0 = [[1., 2.], [3., 4.]]", "v1 = sum(v0) = 10.0", "y = v1 = 10.0"],
        ),
        (
            lambda a: a.mean(axis=1, keepdims=True),
            (A,),
            [
                "v0 = [[1., 2.], [3., 4.]]",
                "v1 = mean(v0, axis=1, keepdims=True) = [[1.5], [3.5]]",
                "y = v1 = [[1.5], [3.5]]",
            ],
        ),
        (
            lambda a: np.broadcast_to(a, (2, 1)),
            (1.5,),
            [
                "v0 = 1.5",
                "v1 = broadcast_to(v0, (2, 1)) = [[1.5], [1.5]]",
                "y = v1 = [[1.5], [1.5]]",
            ],
        ),
        (
            lambda a: np.where(a > 1.5, a, 0.0),
            (np.array([1.0, 2.0]),),
            ["v0 = [1., 2.]", "v1 = where([False, True], v0, 0.0) = [0., 2.]", "y = v1 = [0., 2.]"],
        ),
        (
            lambda p: p["w"] * p["b"][1],
            ({"w": 2.0, "b": (1.0, 3.0)},),
            ["v-2 = 2.0", "v-1 = 1.0", "v0 = 3.0", "v1 = v-2 * v0 = 6.0", "y = v1 = 6.0"],
        ),
    ],
)
def test_print(f: Any, args: tuple[Any, ...], expected: list[str]) -> None:
    _, tape = record(f, *args)
    assert lines(tape) == expected


AWKWARD = {
    "axis": lambda a: np.sum(a, axis=np.int64(0)),
    "axes": lambda a: np.sum(a, axis=(np.int64(0), np.int64(1))),
    "shape": lambda a: np.reshape(a, (np.int64(4), np.int64(1))),
    "shape of another": lambda a: np.broadcast_to(a, (*np.array([3]), *a.shape)),
    "transpose": lambda a: np.transpose(a, np.argsort([1, 0])),
    "index": lambda a: a[np.int64(0), np.int64(1)],
    "slice": lambda a: a[np.int64(0) : np.int64(1)],
    "list of indices": lambda a: a[[np.int64(0), np.int64(1)]],
    "constant": lambda a: a * np.float64(2) + np.float32(1) - np.int64(3),
    "nested constant": lambda a: np.stack([a, np.ones((2, 2)) * np.float64(2)]),
    "inside another derivative": lambda a: np.sum(a) * 2,
}


@pytest.mark.parametrize("name", list(AWKWARD))
@pytest.mark.parametrize("mode", ["plain", "inside grad", "inside jvp"])
def test_never_the_name_of_a_numpy_type(name: str, mode: str) -> None:
    texts = []

    def f(a: Any) -> Any:
        value, tape = record(AWKWARD[name], a)
        texts.extend([str(tape), repr(tape), *map(tape.expression, range(len(tape)))])
        return np.sum(value)

    if mode == "plain":
        f(A)
    elif mode == "inside grad":
        grad(f)(A)
    else:
        jvp(f, (A,), (A,))
    for text in texts:
        assert "np." not in text
        assert "array(" not in text
        assert "dtype" not in text


def test_a_long_array_is_shortened() -> None:
    _, tape = record(lambda x: x * 2, np.arange(1000.0))
    assert max(map(len, str(tape).splitlines())) < 150


def test_names() -> None:
    _, tape = record(lambda a, b, c, d: a * b * c * d, 1.0, 2.0, 3.0, 4.0)
    assert [tape.name(i) for i in range(len(tape))] == ["v-3", "v-2", "v-1", "v0", "v1", "v2", "v3"]


@pytest.mark.parametrize(
    "f,args,names",
    [
        (baydin, (2.0, 5.0), ["x1", "x2"]),
        (lambda p: p["w"], ({"w": 1.0, "b": [2.0, 3.0]},), ["p['w']", "p['b'][0]", "p['b'][1]"]),
        (lambda *xs: xs[0], (1.0, 2.0), ["xs[0]", "xs[1]"]),
        (lambda a, *rest: a, (1.0, 2.0, 3.0), ["a", "rest[0]", "rest[1]"]),
        (lambda a, b=2.0: a, (1.0,), ["a"]),
        (np.multiply, (1.0, 2.0), None),
    ],
)
def test_input_names(f: Any, args: tuple[Any, ...], names: list[str] | None) -> None:
    _, tape = record(f, *args)
    if names is None:  # nobody knows what a function written in C calls its arguments
        assert len(set(tape.input_names)) == 2
        assert all(tape.input_names)
    else:
        assert tape.input_names == names
    assert tape.n_inputs == len(tape.input_names)


def test_a_value_can_be_printed_with_so_many_digits() -> None:
    texts: list[str] = []

    def f(x: Any) -> Any:
        texts.extend([f"{x * x:.3f}", f"{x:6.2e}", f"{x}", format(x, ">4")])
        return x * x

    assert grad(f)(2.0) == 4.0, "to read a value changes nothing"
    assert texts == ["4.000", "2.00e+00", "Variable(v0 = 2.0)", " 2.0"]
    texts.clear()
    assert jvp(f, (2.0,), (1.0,)) == (4.0, 4.0)
    assert texts[0] == "4.000"
    texts.clear()
    assert grad(grad(f))(2.0) == 2.0
    assert texts[0] == "4.000"


def test_a_symbol_is_printed_as_it_is_whatever_the_digits() -> None:
    assert f"{Symbol('x'):.3f}" == str(Symbol("x"))


def test_printing_a_freed_tape_says_what_to_do() -> None:
    tape = record(lambda x: x * x, 3.0)[1]
    tape.free_values()
    with pytest.raises(ReleasedError, match="Record the function again"):
        str(tape)
    assert repr(tape) == "Tape(1 inputs, 1 operations)"
