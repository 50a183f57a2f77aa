"""What a program is given beside floats: it is compiled in, and a call with another one never gets the first answer."""

from __future__ import annotations

import collections
import dataclasses
import functools
import types
from typing import Any

import numpy as np
import pytest

from autodiff_lab import value_and_grad
from autodiff_lab.engine.errors import InputError, ShapeError
from autodiff_lab.programs import program


def test_the_order_of_a_dict_counts() -> None:
    """A function may loop over it; `list(d.values())` is another list then."""

    def f(d: Any) -> Any:
        first, second = list(d.values())
        return first * second * second

    turned = {"b": 3.0, "a": 2.0}
    strict = program(f, {"a": 2.0, "b": 3.0})
    with pytest.raises(
        ShapeError,
        match=r"d\['a'\], d\['b'\] in this order, but was called with d\['b'\], d\['a'\]",
    ):
        strict(turned)
    flexible = program(f, {"a": 2.0, "b": 3.0}, on_branch="rerecord")
    for d in (turned, {"a": 1.0, "b": 5.0}, turned):
        assert flexible(d) == value_and_grad(f)(d)
    assert flexible.versions == 2


def test_keys_that_are_equal_and_of_two_types() -> None:
    def f(d: Any) -> Any:
        return sum(x * len(str(key)) for key, x in d.items())

    p = program(f, {1: 2.0}, on_branch="rerecord")
    assert p({True: 2.0}) == value_and_grad(f)({True: 2.0})


@dataclasses.dataclass
class Settings:
    scale: int = 2
    steps: list[int] = dataclasses.field(default_factory=lambda: [1, 2])


class Slotted:
    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps = [1, 2]


class Knot:
    """An object that holds itself."""

    def __init__(self) -> None:
        self.steps, self.me = [1, 2], self


def total(x: Any, numbers: Any) -> Any:
    return x * sum(numbers)


def along(x: Any, settings: Any) -> Any:
    return x * sum(settings.steps)


def choose(x: Any, settings: Any) -> Any:
    return x * settings.scale


CHANGES: dict[str, tuple[Any, Any, Any]] = {
    "set": (total, lambda: {1, 2}, lambda s: s.add(5)),
    "deque": (total, lambda: collections.deque([1, 2]), lambda s: s.append(5)),
    "counter": (total, lambda: collections.Counter({1: 1, 2: 1}), lambda s: s.update({5: 1})),
    "bytearray": (total, lambda: bytearray(b"ab"), lambda s: s.append(5)),
    "list": (total, lambda: [1, 2], lambda s: s.append(5)),
    "array of integers": (total, lambda: np.array([1, 2]), lambda a: a.__setitem__(0, 7)),
    "array of objects": (
        along,
        lambda: types.SimpleNamespace(steps=np.array([1, 2], dtype=object)),
        lambda s: s.steps.__setitem__(0, 7),
    ),
    "dataclass": (along, Settings, lambda s: s.steps.append(5)),
    "attribute": (choose, Settings, lambda s: setattr(s, "scale", 7)),
    "namespace": (along, lambda: types.SimpleNamespace(steps=[1, 2]), lambda s: s.steps.append(5)),
    "slots": (along, Slotted, lambda s: s.steps.append(5)),
    "knot": (along, Knot, lambda s: s.steps.append(5)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_was_changed_in_place_is_noticed(name: str) -> None:
    f, make, change = CHANGES[name]
    given = make()
    strict, flexible = program(f, 1.0, given), program(f, 1.0, given, on_branch="rerecord")
    for again in (given, make()):  # another object with the same contents is the same argument
        assert strict(2.0, again) == flexible(2.0, again) == value_and_grad(f)(2.0, again)
    change(given)
    with pytest.raises(ShapeError, match="compiled in"):
        strict(2.0, given)
    assert flexible(2.0, given) == value_and_grad(f)(2.0, given)


def test_functions_are_compiled_in() -> None:
    def square(x: Any) -> Any:
        return x * x

    p = program(lambda x, g: g(x), 1.0, square)
    assert p(3.0, square) == (9.0, 6.0)
    with pytest.raises(ShapeError, match="compiled in"):
        p(3.0, np.tanh)
    q = program(lambda x, g: g(x), 1.0, functools.partial(np.power, 2.0))
    assert q(3.0, functools.partial(np.power, 2.0))[0] == 8.0


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"numbers is a generator, .* Pass what the function needs from it"
    ):
        program(total, 1.0, (k for k in range(3)))
