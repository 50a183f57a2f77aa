"""Which inputs and seeds are accepted, and how all others are refused."""

from __future__ import annotations

import dataclasses
import re
import types
from typing import Any

import numpy as np
import pytest

from autodiff_lab import AutodiffError, grad, jvp, record, value_and_grad, vjp
from autodiff_lab.engine.errors import InputError, ShapeError

from .misuses import ARRAY, NUMBER

# Inputs


@dataclasses.dataclass
class Parameters:
    w: float
    b: float


BAD_INPUTS = {
    "complex": (1j, r"complex.*real and the imaginary part"),
    "complex128": (np.complex128(1j), r"complex.*real and the imaginary part"),
    "complex array": (np.ones(2, complex), r"complex.*real and the imaginary part"),
    "bool": (True, r"yes or no.*1\.0 or 0\.0"),
    "numpy bool": (np.True_, r"yes or no.*1\.0 or 0\.0"),
    "bool array": (np.array([True]), r"dtype bool.*dtype=float"),
    "str": ("2.0", r"'2\.0' \(str\).*Pass a float"),
    "None": (None, r"None.*Pass a float"),
    "object": (object(), r"object.*Pass a float"),
    "object array": (np.array([1.0, None]), r"dtype object.*dtype=float"),
    "str array": (np.array(["a"]), r"dtype <U1.*dtype=float"),
    "set": ({1.0}, r"set.*Pass a float"),
    "function": (np.sin, r"Pass a float"),
    "a str in a list": ([1.0, "b"], r"\[1\].*str"),
    "None in a dict": (
        {"w": None},
        r"\['w'\].*None.*Leave None out of the inputs.*partial\(f, bias=None\)",
    ),
    "a dataclass": (Parameters(1.0, 2.0), r"Parameters.*vars\(p\).*Parameters\(\*\*parts\)"),
    "an object in a list": ([types.SimpleNamespace(w=1.0)], r"\[0\].*vars\(p\)"),
    "datetime": (np.array(["2020-01-01"], "datetime64[D]"), r"datetime64"),
}


@pytest.mark.parametrize("kind", list(BAD_INPUTS))
@pytest.mark.parametrize("way", ["grad", "value_and_grad", "vjp", "record", "jvp"])
def test_input(kind: str, way: str) -> None:
    x, says = BAD_INPUTS[kind]
    ways = {
        "grad": lambda: grad(lambda weight: 1.0)(x),
        "value_and_grad": lambda: value_and_grad(lambda weight: 1.0)(x),
        "vjp": lambda: vjp(lambda weight: 1.0, x),
        "record": lambda: record(lambda weight: 1.0, x),
        "jvp": lambda: jvp(lambda weight: 1.0, (x,), (x,)),
    }
    with pytest.raises(InputError) as error:
        ways[way]()
    assert re.search(says, str(error.value), re.DOTALL), error.value
    assert "weight" in str(error.value) or way == "jvp"


def test_complex_arithmetic_is_refused_at_an_inner_level() -> None:
    with pytest.raises((AutodiffError, TypeError)):
        grad(lambda x: grad(lambda y: x * y * np.complex128(1j))(1.0))(1.0)


@pytest.mark.parametrize(
    ("f", "args", "says"),
    [
        (
            lambda a, b, c: a,
            (1.0, 2.0),
            r"\(a, b, c\) needs a number .* 2 were given: there is none for c\.$",
        ),
        (lambda a, b, c=1.0: a, (1.0,), r"\(a, b, c\) .* 1 was given: there is none for b\.$"),
        (lambda a: a, (1.0, 2.0, 3.0), r"\(a\) .* 3 were given: 2 too many\.$"),
    ],
)
@pytest.mark.parametrize(
    "run", [record, lambda f, *args: grad(f)(*args), lambda f, *args: jvp(f, args, args)]
)
def test_a_forgotten_number_and_one_too_many_are_named(
    run: Any, f: Any, args: Any, says: str
) -> None:
    with pytest.raises(InputError, match=says):
        run(f, *args)


def test_a_call_inside_of_the_function_keeps_its_own_error() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional") as error:
        grad(lambda x: (lambda a, b: a)(x))(1.0)
    assert not isinstance(error.value, AutodiffError)


# Seeds and structures


@pytest.mark.parametrize(
    "call",
    [
        lambda: vjp(np.sum, ARRAY)[1](ARRAY),
        lambda: vjp(np.sin, ARRAY)[1](1.0),
        lambda: vjp(np.sin, ARRAY)[1](np.ones(2)),
        lambda: vjp(np.sin, ARRAY)[1](np.ones((3, 1))),
        lambda: vjp(np.sin, NUMBER)[1](np.ones(1)),
        lambda: jvp(np.sin, (ARRAY,), (1.0,)),
        lambda: jvp(np.sin, (ARRAY,), (np.ones((1, 3)),)),
        lambda: jvp(np.sin, (NUMBER,), (np.ones(1),)),
    ],
)
def test_seed_of_the_wrong_shape(call: Any) -> None:
    with pytest.raises(
        ShapeError, match=r"tangent.* has shape \(.*\), but it must have the shape \(.*\)"
    ):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: vjp(lambda x: (x, x), 1.0)[1](1.0),
        lambda: vjp(lambda x: (x, x), 1.0)[1]((1.0,)),
        lambda: vjp(lambda x: (x, x), 1.0)[1]((1.0, 1.0, 1.0)),
        lambda: vjp(lambda x: {"a": x}, 1.0)[1]({"b": 1.0}),
        lambda: vjp(lambda x: [x, [x]], 1.0)[1]([1.0, 1.0]),
        lambda: vjp(lambda x: x, 1.0)[1]((1.0,)),
        lambda: vjp(np.sin, ARRAY)[1]([1.0, 1.0, 1.0]),
        lambda: vjp(lambda x: {"a": x, "b": x}, 1.0)[1]([1.0, 1.0]),
        lambda: jvp(lambda p: p[0], ([1.0, 2.0],), (1.0,)),
        lambda: jvp(lambda p: p[0], ([1.0, 2.0],), ([1.0],)),
        lambda: jvp(lambda p: p["a"], ({"a": 1.0},), ({"b": 1.0},)),
        lambda: jvp(lambda x: x, (1.0,), ([1.0],)),
        lambda: jvp(lambda x, y: x, (1.0, 2.0), (1.0,)),
        lambda: jvp(lambda x: x, (1.0,), ()),
    ],
)
def test_seed_of_the_wrong_structure(call: Any) -> None:
    with pytest.raises(ShapeError):
        call()


@pytest.mark.parametrize("bad", [None, "1", 1j, True, np.array([True] * 3)], ids=str)
def test_seed_that_is_no_number(bad: Any) -> None:
    x = ARRAY if isinstance(bad, np.ndarray) else NUMBER
    with pytest.raises(InputError, match="cotangent"):
        vjp(np.sin, x)[1](bad)
    with pytest.raises(InputError, match="tangent"):
        jvp(np.sin, (x,), (bad,))


def test_a_dict_in_another_order_is_the_same_structure() -> None:
    _, pullback = vjp(lambda p: {"s": p["a"] + p["b"], "d": p["a"] - p["b"]}, {"a": 1.0, "b": 2.0})
    assert pullback({"d": 10.0, "s": 1.0}) == ({"a": 11.0, "b": -9.0},)
    assert (
        jvp(lambda p: p["a"] - p["b"], ({"a": 1.0, "b": 2.0},), ({"b": 1.0, "a": 10.0},))[1] == 9.0
    )


def test_jvp_wants_tuples() -> None:
    with pytest.raises(InputError, match=r"jvp\(f, \(x,\), \(t,\)\)"):
        jvp(np.sin, 1.0, 1.0)


@pytest.mark.parametrize(
    "f,described",
    [
        (lambda x: x, r"an array of shape \(3,\)"),
        (lambda x: np.stack([x, x]), r"an array of shape \(2, 3\)"),
        (lambda x: np.reshape(np.sum(x), (1,)), r"an array of shape \(1,\)"),
        (lambda x: (np.sum(x), np.sum(x)), r"a tuple of 2 results"),
        (lambda x: {"loss": np.sum(x)}, r"a dict of 1 results?"),
        (lambda x: [np.sum(x)], r"a list of 1 results?"),
        (lambda x: ARRAY, r"an array of shape \(3,\)"),
    ],
)
def test_gradient_of_something_that_is_not_one_number(f: Any, described: str) -> None:
    def loss(x: Any) -> Any:
        return f(x)

    with pytest.raises(ShapeError, match=rf"loss returned {described}.*np\.sum.*vjp"):
        grad(loss)(ARRAY)


def test_record_of_several_results() -> None:
    with pytest.raises(ShapeError, match=r"tuple.*np\.stack\(\[\.\.\.\]\).*vjp"):
        record(lambda x: (x, x), 1.0)
