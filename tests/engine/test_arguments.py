"""Arguments: nested containers, argument numbers, keywords, extra results, anything that can be called."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict, defaultdict, namedtuple
from typing import Any

import numpy as np
import pytest

from autodiff_lab import (
    elementwise_grad,
    grad,
    hessian,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    program,
    record,
    value_and_grad,
    vjp,
)
from autodiff_lab.engine.errors import InputError, ShapeError

A = np.array([[1.0, 2.0], [3.0, 4.0]])
V = np.array([1.0, -2.0, 3.0])

Point = namedtuple("Point", "x y")


@pytest.mark.parametrize(
    "tree,loss",
    [
        ([1.0, 2.0], lambda p: p[0] * p[1]),
        ((1.0, 2.0), lambda p: p[0] * p[1]),
        ({"a": 1.0, "b": 2.0}, lambda p: p["a"] * p["b"]),
        (Point(1.0, 2.0), lambda p: p.x * p.y),
        ([(1.0, {"w": 2.0})], lambda p: p[0][0] * p[0][1]["w"]),
    ],
    ids=["list", "tuple", "dict", "namedtuple", "nested"],
)
def test_nested_containers(tree: Any, loss: Any) -> None:
    gradient = grad(loss)(tree)
    assert str(gradient) == str(tree).replace("1.0", "_").replace("2.0", "1.0").replace("_", "2.0")
    assert type(gradient) is type(tree)
    value, pullback = vjp(lambda p: p, tree)
    assert value == tree
    assert pullback(tree) == (tree,)
    assert jvp(loss, (tree,), (gradient,)) == (2.0, 5.0)
    assert jvp(lambda p: p, (tree,), (gradient,)) == (tree, gradient)
    second = jvp(grad(loss), (tree,), (gradient,))[1]
    assert second == tree  # the Hessian swaps the two entries, and the gradient is swapped already


class Settings(dict):
    """A dict with something beside its entries."""

    def __init__(self, note: str, **entries: Any) -> None:
        super().__init__(**entries)
        self.note = note


def test_a_dict_of_a_class_of_its_own_keeps_it() -> None:
    ordered = OrderedDict(b=2.0, a=1.0)
    missing = defaultdict(float, a=1.0, b=2.0)
    settings = Settings("mine", a=1.0, b=2.0)

    def loss(p: Any) -> Any:
        assert not isinstance(p, defaultdict) or p["c"] == 0.0, (
            "it is made as the learner's own would make it"
        )
        return p["a"] * p["b"] if not isinstance(p, Settings) or p.note == "mine" else 0.0

    for tree in (ordered, missing, settings):
        gradient = grad(loss)(tree)
        assert type(gradient) is type(tree)
        assert {key: gradient[key] for key in ("a", "b")} == {"a": 2.0, "b": 1.0}
        assert jvp(loss, (tree,), (gradient,))[1] == 5.0
        value, pullback = vjp(lambda p: p, tree)
        assert type(value) is type(pullback(tree)[0]) is type(tree)
        value, gradient = program(loss, tree)(tree)
        assert value == 2.0
        assert type(gradient) is type(program(lambda p: p, tree, mode="value")(tree)) is type(tree)
        assert {key: gradient[key] for key in ("a", "b")} == {"a": 2.0, "b": 1.0}
    assert list(grad(loss)(ordered)) == ["b", "a"]
    assert grad(loss)(missing)["nothing"] == 0.0
    assert grad(loss)(settings).note == "mine"
    assert ordered == OrderedDict(b=2.0, a=1.0)


class Layers(list):
    """A list of a class of its own."""


def test_a_program_returns_lists_and_tuples_of_their_class() -> None:
    for tree in (Layers([1.0, 2.0]), Point(1.0, 2.0), [1.0, 2.0]):
        gradient = program(lambda p: p[0] * p[1], tree)(tree)[1]
        assert type(gradient) is type(grad(lambda p: p[0] * p[1])(tree)) is type(tree)
        assert list(gradient) == [2.0, 1.0]


def test_the_parts_of_a_dataclass_are_inputs() -> None:
    """What the message for an object proposes."""

    @dataclasses.dataclass
    class Model:
        w: Any
        b: Any

        def __call__(self, x: Any) -> Any:
            return self.w * x + self.b

    assert grad(lambda parts: Model(**parts)(3.0))(vars(Model(2.0, 1.0))) == {"w": 3.0, "b": 1.0}


def test_containers_of_arrays_and_numbers() -> None:
    layers = [{"W": A, "b": V[:2]}, {"W": A + 1, "b": 0.5}]

    def loss(layers: Any, x: Any) -> Any:
        for layer in layers:
            x = np.tanh(layer["W"] @ x + layer["b"])
        return np.sum(x)

    gradient = grad(loss)(layers, V[:2])
    assert [list(g) for g in gradient] == [["W", "b"], ["W", "b"]]
    assert [np.shape(g[k]) for g in gradient for k in g] == [(2, 2), (2,), (2, 2), ()]
    assert type(gradient[1]["b"]) is float
    np.testing.assert_allclose(
        sum(np.sum(gradient[i][k] * layers[i][k]) for i in range(2) for k in ("W", "b")),
        jvp(lambda layers: loss(layers, V[:2]), (layers,), (layers,))[1],
    )


def test_empty_containers() -> None:
    assert grad(lambda x, rest: x * 2, argnums=(0, 1))(1.0, {"a": [], "b": ()}) == (
        2.0,
        {"a": [], "b": ()},
    )


def test_results_in_containers() -> None:
    def polar(r: Any, t: Any) -> Any:
        return {"x": r * np.cos(t), "y": [r * np.sin(t), 1.0]}

    value, pullback = vjp(polar, 2.0, 0.0)
    assert value == {"x": 2.0, "y": [0.0, 1.0]}
    assert pullback({"x": 1.0, "y": [0.0, 5.0]}) == (1.0, 0.0)
    assert pullback({"x": 0.0, "y": [1.0, 5.0]}) == (0.0, 2.0)
    assert jvp(polar, (2.0, 0.0), (0.0, 1.0)) == (value, {"x": 0.0, "y": [2.0, 0.0]})


def test_one_result_twice_and_an_input_as_result() -> None:
    def f(x: Any) -> Any:
        y = x * 3
        return y, y, x, 7.0

    assert vjp(f, 2.0)[1]((1.0, 10.0, 100.0, 1000.0)) == (133.0,)


@pytest.mark.parametrize(
    "argnums,expected",
    [
        (0, 6.0),
        (1, 3.0),
        (2, 2.0),
        (-1, 2.0),
        (-3, 6.0),
        ((0, -1), (6.0, 2.0)),
        ([2, 0], (2.0, 6.0)),
        ((), ()),
        ((1,), (3.0,)),
    ],
    ids=str,
)
def test_argnums(argnums: Any, expected: Any) -> None:
    f = lambda a, b, c: a * b * c * 1.0  # noqa: E731
    assert grad(f, argnums)(1.0, 2.0, 3.0) == expected
    assert value_and_grad(f, argnums=argnums)(1.0, 2.0, 3.0) == (6.0, expected)


@pytest.mark.parametrize("argnums", [1, -2, (0, 1), 5])
def test_argnums_that_ask_for_too_much(argnums: Any) -> None:
    with pytest.raises(
        InputError, match=r"argnums asks for argument .* called with 1 positional argument\b"
    ):
        grad(lambda x: x, argnums)(1.0)


@pytest.mark.parametrize("argnums", [(0, 0), (0, -1)], ids=str)
def test_an_argument_asked_for_twice_is_not_zero(argnums: Any) -> None:
    try:
        gradients = grad(lambda x: x * x, argnums)(3.0)
    except InputError as error:
        assert "twice" in str(error) or "more than once" in str(error)
    else:
        assert gradients == (6.0, 6.0)


@pytest.mark.parametrize("argnums", [1.0, "x", None], ids=str)
def test_argnums_that_are_no_positions(argnums: Any) -> None:
    with pytest.raises((InputError, TypeError), match="argnums"):
        grad(lambda x: x * x, argnums)(3.0)


def test_argnums_may_be_a_numpy_integer() -> None:
    assert grad(lambda x, y: x * y, np.int64(1))(3.0, 4.0) == 3.0


BY_ARGUMENT: dict[str, Any] = {
    "grad": grad,
    "value_and_grad": lambda f, argnums: lambda *x: value_and_grad(f, argnums)(*x)[1],
    "jacfwd": jacfwd,
    "jacrev": jacrev,
    "jacobian": jacobian,
    "elementwise_grad": elementwise_grad,
    "hessian": lambda f, argnums: hessian(lambda *x: 0.5 * f(*x) ** 2, argnums),
    "program": lambda f, argnums: lambda *x: program(f, *x, argnums=argnums)(*x)[1],
}


def product_of_three(a: Any, b: Any, c: Any = 5.0) -> Any:
    return a * b * c


@pytest.mark.parametrize("name", list(BY_ARGUMENT))
def test_a_position_is_counted_from_either_end_by_every_transform(name: str) -> None:
    transform, point = BY_ARGUMENT[name], (2.0, 3.0, 7.0)
    expected = [21.0, 14.0, 6.0]
    if name == "hessian":
        expected = [slope**2 for slope in expected]
    for k in range(3):
        for same in (k, k - 3, np.int64(k), np.int8(k - 3)):
            assert transform(product_of_three, same)(*point) == pytest.approx(expected[k]), same
    # the last that was passed, not the last that there is
    short = transform(product_of_three, -1)(2.0, 3.0)
    assert short == pytest.approx(100.0 if name == "hessian" else 10.0)
    for beyond in (3, -4, np.int64(3)):
        with pytest.raises(
            InputError, match=r"argnums asks for argument .* called with 3 positional arguments"
        ):
            transform(product_of_three, beyond)(*point)
    with pytest.raises(InputError, match="argnums"):
        transform(product_of_three, 1.0)(*point)


def test_several_positions_in_every_transform() -> None:
    for name in ("grad", "value_and_grad", "jacfwd", "jacrev", "jacobian", "program"):
        transform = BY_ARGUMENT[name]
        for argnums in ((2, 0), (-1, -3), [2, 0], range(2, -1, -2)):
            found = transform(product_of_three, argnums)(2.0, 3.0, 7.0)
            assert tuple(map(float, found)) == (6.0, 21.0), (name, argnums)
        again = transform(product_of_three, (1, 1, -2))(2.0, 3.0, 7.0)
        assert tuple(map(float, again)) == (14.0, 14.0, 14.0), name
    with pytest.raises(InputError, match="the position of one argument"):
        elementwise_grad(product_of_three, (0, 1))(2.0, 3.0, 7.0)


def test_keywords_and_defaults() -> None:
    def f(x: Any, *powers: int, scale: float = 1.0, **more: float) -> Any:
        return scale * sum(x**p for p in powers) + more.get("shift", 0.0)

    assert grad(f)(2.0, 2, 3) == 16.0
    assert grad(f)(2.0, 2, scale=10.0) == 40.0
    assert value_and_grad(f)(2.0, 2, scale=10.0, shift=1.0) == (41.0, 40.0)
    assert grad(lambda x, y=3.0: x * y)(2.0) == 3.0
    with pytest.raises(InputError, match="by position"):
        grad(lambda x: x)(x=1.0)


def test_arguments_that_are_not_differentiated_may_be_anything() -> None:
    def f(x: Any, name: str, flag: bool, extra: Any) -> Any:
        return x * len(name) if flag and extra is None else x

    assert grad(f)(2.0, "four", True, None) == 4.0


def test_wrappers_keep_the_name() -> None:
    def loss(x: Any) -> Any:
        """What it costs."""
        return x

    assert grad(loss).__name__ == value_and_grad(loss).__name__ == "loss"


class Shifted:
    """A callable object, and a bound method."""

    def __call__(self, x: Any) -> Any:
        return x * x

    def method(self, x: Any) -> Any:
        return x * x * x


def test_anything_callable() -> None:
    from functools import partial

    assert grad(Shifted())(3.0) == 6.0
    assert grad(Shifted().method)(2.0) == 12.0
    assert grad(partial(lambda a, x: a * x, 7.0))(2.0) == 7.0
    assert grad(np.sin)(0.0) == 1.0
    assert grad(np.sum)(2.0) == 1.0
    _, tape = record(Shifted(), 3.0)
    assert tape.input_names == ["x"]
    assert str(record(np.sin, 0.0)[1]).startswith("v0 = 0.0")


def test_has_aux() -> None:
    f = lambda x: (x * x, {"double": 2 * x, "list": [x, 3.0]})  # noqa: E731
    assert value_and_grad(f, has_aux=True)(3.0) == ((9.0, {"double": 6.0, "list": [3.0, 3.0]}), 6.0)
    assert grad(f, has_aux=True)(3.0) == (6.0, {"double": 6.0, "list": [3.0, 3.0]})
    assert grad(lambda x: (x * x, ()), has_aux=True)(3.0) == (6.0, ())
    # the extra keeps its derivative
    inner = grad(lambda x: grad(lambda y: (x * y * y, x * y), has_aux=True)(x)[1])
    assert inner(3.0) == 6.0
    for bad in (lambda x: x, lambda x: (x, 1.0, 2.0), lambda x: [x, 1.0]):
        with pytest.raises(ShapeError, match="pair"):
            grad(bad, has_aux=True)(1.0)


@pytest.mark.parametrize(
    "extra",
    ["a note", None, True, {"epoch": 3, "name": "run"}, np.array([True, False]), np.arange(3)],
    ids=str,
)
def test_the_extra_result_may_be_anything(extra: Any) -> None:
    gradient, got = grad(lambda x: (x * x, extra), has_aux=True)(3.0)
    assert gradient == 6.0
    assert str(got) == str(extra)
