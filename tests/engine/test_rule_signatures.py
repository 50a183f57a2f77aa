"""Composed rules have NumPy's own signature: its names in its order, so that arguments are passed on as they are."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff_lab import grad, jacfwd, jacrev, vmap
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
    if op.kind == "composed"
    and not isinstance(key, str)
    and key is not np.asarray
    and not takes_any_number(op.fn)
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
        (
            lambda x: np.moveaxis(a=x, source=[0, 1], destination=[1, 0]),
            lambda x: np.moveaxis(x, 0, 1),
        ),
        (
            lambda x: np.tensordot(x, b=[[1.0, 2.0], [3.0, 4.0]], axes=([1], [0])),
            lambda x: np.tensordot(x, X, 1),
        ),
        (lambda x: np.dot([[1.0, 2.0], [3.0, 4.0]], x), lambda x: np.dot(X, x)),
        (
            lambda x: np.clip(x, a_min=[[0.0, 0.0], [3.5, 0.0]], a_max=9.0),
            lambda x: np.clip(x, 0.0, np.inf),
        ),
    ],
)
def test_names_and_lists_come_to_the_same(
    by_name: Callable[[Any], Any], by_position: Callable[[Any], Any]
) -> None:
    weights = np.array([[1.0, -2.0], [0.0, 0.5]])
    found = grad(lambda x: np.sum(by_name(x) * weights))(X)
    np.testing.assert_array_equal(found, grad(lambda x: np.sum(by_position(x) * weights))(X))


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("shift", [1, -2, True, np.uint8(1), np.array(3)], ids=str)
def test_a_roll_is_rolled_back(shift: Any, axis: int | None) -> None:
    found = grad(lambda x: np.sum(np.roll(x, shift, axis) * X))(X)
    np.testing.assert_array_equal(found, np.roll(X, -int(shift), axis))


@pytest.mark.parametrize(
    ("shift", "axis"),
    [
        ((1, 2), None),
        ((1, 2), (0, 1)),
        ([1, 2], [0, 1]),
        (np.array([1, 2]), (0, 1)),
        ((1, 2), 1),
        ((1,), -1),
        (2, -2),
    ],
    ids=str,
)
def test_a_roll_in_both_modes_and_in_a_batch(shift: Any, axis: Any) -> None:
    def rolled(x: Any) -> Any:
        return np.roll(x * x, shift, axis)

    np.testing.assert_array_equal(jacfwd(rolled)(X), jacrev(rolled)(X))
    np.testing.assert_array_equal(
        vmap(rolled)(np.stack([X, 2 * X])), np.stack([rolled(X), rolled(2 * X)])
    )


def test_positions_that_are_remembered_belong_to_the_arguments_they_were_found_for() -> None:
    for count in (1, 2, True, 1):
        for axis in (0, 1):
            found = grad(lambda x, count=count, axis=axis: np.sum(np.repeat(x, count, axis) ** 2))(
                X
            )
            np.testing.assert_array_equal(found, 2 * int(count) * X)
    for turns in (1, 2, 1, 3):
        found = grad(lambda x, turns=turns: np.sum(np.rot90(x, turns) * X))(X)
        np.testing.assert_array_equal(found, np.rot90(X, -turns))
