"""Composed rules have NumPy's own signature: its names in its order, so that arguments are passed on as they are."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff_lab import grad
from autodiff_lab.engine.dispatch import TABLE
from autodiff_lab.engine.errors import MutationError

X = np.array([[1.0, 2.0], [3.0, 4.0]])

BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    return list(inspect.signature(function).parameters.values())


def takes_any_number(function: Callable[..., Any]) -> bool:
    return any(p.kind is p.VAR_POSITIONAL for p in parameters_of(function))


COMPOSED = {
    key.__name__: (key, op.fn)
    for key, op in TABLE.items()
    if op.kind == "composed" and not isinstance(key, str) and key is not np.asarray and not takes_any_number(op.fn)
}


@pytest.mark.parametrize("name", sorted(COMPOSED))
def test_a_composed_rule_has_the_names_that_numpy_has(name: str) -> None:
    function, rule = COMPOSED[name]
    theirs = [p.name for p in parameters_of(function)]
    by_position = [p.name for p in parameters_of(rule) if p.kind in BY_POSITION]
    assert by_position == theirs[: len(by_position)]
    by_name = {p.name for p in parameters_of(rule) if p.kind is inspect.Parameter.KEYWORD_ONLY}
    assert by_name <= set(theirs)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.take(x, [0], 0, np.zeros((1, 2))),
        lambda x: np.take(x, [0], axis=0, out=np.zeros((1, 2))),
        lambda x: np.dot(x, x, np.zeros((2, 2))),
        lambda x: np.clip(x, 0.0, 1.0, np.zeros((2, 2))),
        lambda x: np.var(x, 0, None, np.zeros(2)),
    ],
)
def test_an_array_to_write_into_is_found_wherever_it_stands(call: Callable[[Any], Any]) -> None:
    with pytest.raises(MutationError):
        grad(lambda x: np.sum(call(x)))(X)


@pytest.mark.parametrize(
    ("by_name", "by_position"),
    [
        (lambda x: np.roll(a=x, shift=1, axis=0), lambda x: np.roll(x, 1, 0)),
        (lambda x: np.flip(m=x, axis=[0, 1]), lambda x: np.flip(x)),
        (lambda x: np.moveaxis(a=x, source=[0, 1], destination=[1, 0]), lambda x: np.moveaxis(x, 0, 1)),
        (lambda x: np.tensordot(x, b=[[1.0, 2.0], [3.0, 4.0]], axes=([1], [0])), lambda x: np.tensordot(x, X, 1)),
        (lambda x: np.dot([[1.0, 2.0], [3.0, 4.0]], x), lambda x: np.dot(X, x)),
        (lambda x: np.clip(x, a_min=[[0.0, 0.0], [3.5, 0.0]], a_max=9.0), lambda x: np.clip(x, 0.0, np.inf)),
    ],
)
def test_names_and_lists_come_to_the_same(by_name: Callable[[Any], Any], by_position: Callable[[Any], Any]) -> None:
    weights = np.array([[1.0, -2.0], [0.0, 0.5]])
    found = grad(lambda x: np.sum(by_name(x) * weights))(X)
    np.testing.assert_array_equal(found, grad(lambda x: np.sum(by_position(x) * weights))(X))


def test_positions_that_are_remembered_belong_to_the_arguments_they_were_found_for() -> None:
    for shift in (1, 2, True, 1):
        for axis in (None, 0, 1):
            found = grad(lambda x, shift=shift, axis=axis: np.sum(np.roll(x, shift, axis) * X))(X)
            np.testing.assert_array_equal(found, np.roll(X, -int(shift), axis))
