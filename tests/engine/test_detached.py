"""The error about a lost derivative, when the user catches it with `except`: it becomes a warning."""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_lab as ad
from autodiff_lab import (
    DetachedWarning,
    custom_gradient,
    grad,
    hessian,
    jacfwd,
    jvp,
    no_recording,
    record,
    vjp,
)

from .misuses_of_functions import NO_ROW

pytestmark = pytest.mark.filterwarnings("error::autodiff_lab.DetachedWarning")


def safe_log(x: Any) -> Any:
    try:
        return math.log(x)
    except TypeError:
        return x * 2


def safe_write(x: Any) -> Any:
    a = np.zeros(1)
    try:
        a += x
    except Exception:
        return x * 3
    return a[0]


def safe_call(x: Any) -> Any:
    try:
        return NO_ROW(x)
    except TypeError:
        return x * 3


SAFE = {"float": safe_log, "in place": safe_write, "no row": safe_call}

WAYS: dict[str, Callable[[Any], Any]] = {
    "grad": lambda f: grad(f)(3.0),
    "value_and_grad": lambda f: ad.value_and_grad(f)(3.0),
    "vjp": lambda f: vjp(f, 3.0),
    "record": lambda f: record(f, 3.0),
    "record with sites": lambda f: record(f, 3.0, sites=True),
    "jvp": lambda f: jvp(f, (3.0,), (1.0,)),
    "jacfwd": lambda f: jacfwd(f)(3.0),
    "jacrev": lambda f: ad.jacrev(f)(3.0),
    "hessian": lambda f: hessian(f)(3.0),
    "hvp": lambda f: ad.hvp(f, (3.0,), (1.0,)),
    "grad of grad": lambda f: grad(grad(f))(3.0),
    "grad of jvp": lambda f: grad(lambda x: jvp(f, (x,), (1.0,))[1])(3.0),
    "linearize": lambda f: ad.linearize(f, 3.0),
    "play": lambda f: ad.play(f, 3.0),
    "program": lambda f: ad.program(f, 3.0),
    "program, forward": lambda f: ad.program(f, 3.0, mode="forward"),
    "program, value": lambda f: ad.program(f, 3.0, mode="value"),
}


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("f", list(SAFE.values()), ids=list(SAFE))
def test_an_error_that_was_caught_is_a_warning_once_a_call(f: Any, way: str) -> None:
    raising = {"float": 3, "in place": 4, "no row": 3}[
        next(name for name, g in SAFE.items() if g is f)
    ]
    for _ in range(2):  # each call warns, though Python shows a warning of one place once
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            WAYS[way](f)
        found = [w for w in caught if issubclass(w.category, DetachedWarning)]
        assert len(found) == 1
        assert found[0].filename == __file__
        assert found[0].lineno == f.__code__.co_firstlineno + raising - 1
        assert f"({f.__name__}, line {found[0].lineno}: " in str(found[0].message)


@pytest.mark.parametrize("way", list(WAYS))
def test_the_warning_can_be_made_an_error(way: str) -> None:
    with pytest.raises(
        DetachedWarning,
        match=r"safe_log, line \d+: return math\.log\(x\)\)(?s:.*)write\s+return np\.log",
    ):
        WAYS[way](safe_log)
    assert grad(lambda x: x * x)(3.0) == 6.0


def test_a_result_that_does_not_depend_on_it_stays_right() -> None:
    def f(x: Any) -> Any:
        safe_log(x)
        return x * x

    with pytest.warns(DetachedWarning) as caught:
        assert grad(f)(3.0) == 6.0
        assert jvp(f, (3.0,), (1.0,)) == (9.0, 6.0)
        assert ad.program(f, 3.0)(4.0) == (16.0, 8.0)
    assert len(caught) == 3


def test_an_error_caught_or_about_others_gets_no_note() -> None:
    with pytest.raises(TypeError, match=r"np\.sin\(x\)"):
        grad(math.sin)(3.0)

    def inside(x: Any) -> Any:  # what is caught is of a derivative in which x does not take part
        try:
            return grad(math.sin)(1.0) * x
        except TypeError:
            return x * x

    def paused(x: Any) -> Any:
        with no_recording():
            return safe_log(x) * 0 + x.value

    assert grad(inside)(3.0) == 6.0
    assert record(paused, 3.0)[0] == 3.0
    assert safe_log(3.0) == math.log(3.0)


def test_a_failing_inner_derivative_is_reported_by_the_outer() -> None:
    def f(x: Any) -> Any:
        try:
            return grad(lambda y: math.sin(x * y))(1.0)
        except TypeError:
            return x * 2

    with pytest.raises(DetachedWarning, match=r"math\.sin\(x \* y\)"):
        grad(f)(3.0)


def test_a_function_with_its_own_rule_may_use_any_code() -> None:
    square = custom_gradient(partials=lambda y, x: 2 * x)(lambda x: math.pow(x, 2))
    assert ad.program(square, 3.0)(4.0) == (16.0, 8.0)
    assert grad(square)(3.0) == 6.0


def test_a_comparison_in_a_program_is_plain_without_a_row() -> None:
    def f(x: Any) -> Any:
        yes = x > np.array([1.0, 2.0])
        return x * float(np.packbits(yes)[0])

    assert ad.program(f, 3.0)(4.0) == (4.0 * 192, 192.0)


def test_plain_numbers_are_left_alone() -> None:
    assert grad(lambda x: operator.mul(x, safe_log(3.0)))(2.0) == math.log(3.0)
