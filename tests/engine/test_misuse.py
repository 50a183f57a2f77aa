"""Every misuse raises, in both modes and in any nesting, and the message says what to write instead."""

from __future__ import annotations

import contextlib
import copy
import math
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff_lab import AutodiffError, grad, jvp, record, value_and_grad, vjp
from autodiff_lab.engine import errors
from autodiff_lab.engine.errors import (
    DetachedError,
    DetachedWarning,
    InputError,
    LeakError,
    ShapeError,
)
from autodiff_lab.engine.values import Traced

from ..about import about
from .misuses import ARRAY, MISUSES, NUMBER

# Running them: a scalar result is asked for where the program gives an array, so that only the misuse can stop it.


def total(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def g(x: Any) -> Any:
        y = f(x)
        return np.sum(y) if isinstance(y, Traced) and y.shape != () else y

    return g


def ones(x: Any) -> Any:
    return np.ones(np.shape(x))[()]


WAYS: dict[str, Callable[[Any, Any], Any]] = {
    "grad": lambda f, x: grad(total(f))(x),
    "jvp": lambda f, x: jvp(f, (x,), (ones(x),)),
    "vjp": lambda f, x: vjp(f, x),
    "record": lambda f, x: record(f, x),
    "value_and_grad": lambda f, x: value_and_grad(total(f))(x),
    "grad of grad": lambda f, x: grad(lambda x: np.sum(grad(total(f))(x)))(x),
    "jvp of grad": lambda f, x: jvp(grad(total(f)), (x,), (ones(x),)),
    "grad of jvp": lambda f, x: grad(lambda x: np.sum(jvp(total(f), (x,), (ones(x),))[1]))(x),
    "grad inside": lambda f, x: grad(
        lambda y: np.sum(x * 0) + total(lambda z: grad(total(f))(z))(y)
    )(x),
}


def chain(error: BaseException | None) -> list[BaseException]:
    """An error with what it came from: NumPy wraps some of ours, and a traceback shows both."""
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


@pytest.mark.parametrize("way", ["grad", "jvp", "vjp", "record"])
def test_a_misuse_raises_the_error_that_explains_it(way: str) -> None:
    for name, misuse in MISUSES.items():
        with about(name):
            x = ARRAY if misuse.array else NUMBER
            with pytest.raises(Exception) as caught:
                WAYS[way](misuse.f, x)
            found = [e for e in chain(caught.value) if isinstance(e, misuse.error)]
            assert found, f"raised {caught.value!r}"
            message = str(found[0])
            assert re.search(misuse.says, message, re.DOTALL), message
            if isinstance(found[0], AutodiffError):
                # a learner may have written this one
                assert "np.float64(" not in message.replace("np.float64(x)", "")
                assert len(message) < 600
                assert message[-1] in ".)x" or "\n" in message


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(list(MISUSES)),
    st.sampled_from(list(WAYS)),
    st.sampled_from([None, "after", "before", "square"]),
    st.floats(0.1, 3.0),
)
def test_no_misuse_returns_a_number(
    name: str, way: str, dressing: str | None, number: float
) -> None:
    """In any mode and nesting, with other operations before and after it."""
    misuse = MISUSES[name]
    x = np.full(3, number) if misuse.array else number
    program = {
        None: misuse.f,
        "before": lambda x: misuse.f(np.exp(x)),
        "after": lambda x: _scaled(misuse.f(x), x),
        "square": lambda x: misuse.f(x * x + 1.0),
    }[dressing]
    if name.startswith("returns") and dressing == "after":
        return  # what comes after would be another program: a yes, for one, may be multiplied with
    with pytest.raises(Exception):  # noqa: B017 — whichever; not a number is what counts
        WAYS[way](program, x)


def _scaled(y: Any, x: Any) -> Any:
    return y * x


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
@pytest.mark.parametrize("way", ["grad", "jvp"])
def test_a_copy_is_the_same_value_or_an_error(duplicate: Any, way: str) -> None:
    """``copy.deepcopy(parameters)`` in a loss must not make constants of them."""
    try:
        got = WAYS[way](lambda x: duplicate(x) * x, 3.0)
    except (AutodiffError, TypeError, pickle.PicklingError):
        return
    assert got in (6.0, (9.0, 6.0))


# The family


def test_one_family() -> None:
    family = [getattr(errors, name) for name in errors.__all__]
    assert all(issubclass(e, AutodiffError) for e in family)
    assert issubclass(DetachedError, TypeError)
    assert issubclass(InputError, TypeError)
    assert issubclass(ShapeError, ValueError)
    assert issubclass(LeakError, RuntimeError)


def test_an_error_of_the_learners_own_is_not_changed() -> None:
    class Mine(Exception):
        pass

    def f(x: Any) -> Any:
        raise Mine("here")

    for way in ("grad", "jvp", "vjp", "record"):
        with pytest.raises(Mine, match="here"):
            WAYS[way](f, 1.0)


def test_messages_name_the_value() -> None:
    with pytest.raises(DetachedError, match=r"Variable\(v1 = 4\.0\)"):
        grad(lambda x: math.sin(x * x))(2.0)
    with pytest.raises(DetachedError, match=r"Dual\(4\.0, 4\.0\)"):
        jvp(lambda x: math.sin(x * x), (2.0,), (1.0,))


def test_going_on_after_a_misuse() -> None:
    def f(x: Any) -> Any:
        with contextlib.suppress(DetachedError):
            math.sin(x)
        return x * x

    with pytest.warns(DetachedWarning, match=r"math\.sin\(x\)"):
        assert grad(f)(3.0) == 6.0
