"""A value that escapes from a derivative raises an error; an error inside a derivative leaves nothing behind."""

from __future__ import annotations

import contextlib
import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest

from autodiff_lab import (
    check_grads,
    checkpoint,
    custom_gradient,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    no_recording,
    record,
    trace_nonfinite,
    value_and_grad,
    vjp,
)
from autodiff_lab.engine.errors import LeakError
from autodiff_lab.engine.levels import open_levels

MODES = {
    "grad": lambda f, x: grad(f)(x),
    "vjp": lambda f, x: vjp(f, x)[1](1.0)[0],
    "jvp": lambda f, x: jvp(f, (x,), (1.0,))[1],
}
USES = {
    "arithmetic": lambda x: x * 2,
    "reflected": lambda x: 2 - x,
    "power": lambda x: x**2,
    "ufunc": lambda x: np.sin(x),
    "function": lambda x: np.sum(x),
    "method": lambda x: x.sum(),
    "comparison": lambda x: x > 0,
    "truth": lambda x: bool(np.reshape(x, ())) if x.ndim else bool(x),
    "array on the left": lambda x: np.ones(2) * x,
    "stack": lambda x: np.stack([x, x]),
    "two leaked ones": lambda x: x + x,
    "in a later gradient": lambda x: grad(lambda y: np.sum(y * x))(1.0),
    "in a later jvp": lambda x: jvp(lambda y: y + x, (1.0,), (1.0,)),
    "as the point of a later gradient": lambda x: grad(lambda y: np.sum(y * y))(x),
    "returned from a later gradient": lambda x: grad(lambda y: x)(1.0),
    "returned from a later vjp": lambda x: vjp(lambda y: x, 1.0),
    "returned from a later jvp": lambda x: jvp(lambda y: x, (1.0,), (1.0,)),
    "returned from a later record": lambda x: record(lambda y: x, 1.0),
}


@pytest.mark.parametrize("mode", list(MODES))
@pytest.mark.parametrize("use", list(USES))
def test_an_escaped_value_raises(use: str, mode: str) -> None:
    box: list[Any] = []
    MODES[mode](lambda x: box.append(x) or x * 2, 3.0)
    with pytest.raises(LeakError) as error:
        USES[use](box[0])
    assert "already ended" in str(error.value)
    assert "return" in str(error.value).lower()


def test_an_escaped_array_raises_when_indexed_or_iterated() -> None:
    box: list[Any] = []
    grad(lambda x: box.append(x) or np.sum(x))(np.ones(3))
    for use in (
        lambda x: x[0],
        lambda x: list(x),
        lambda x: x.T,
        lambda x: x @ x,
        lambda x: x.reshape(3, 1),
    ):
        with pytest.raises(LeakError):
            use(box[0])


def test_an_escaped_value_still_shows_itself() -> None:
    box: list[Any] = []
    grad(lambda x: box.append(x) or x * 2)(3.0)
    assert "3.0" in repr(box[0])
    assert box[0].value == 3.0


def test_a_value_of_an_outer_level_may_be_used_inside() -> None:
    assert grad(lambda x: value_and_grad(lambda y: x * y)(x)[0])(3.0) == 6.0


# Nothing is left behind


@pytest.mark.parametrize("mode", list(MODES))
def test_an_exception_leaves_nothing_behind(mode: str) -> None:
    box: list[Any] = []

    def breaks(x: Any) -> Any:
        box.append(x)
        raise ZeroDivisionError("the learner's own")

    with pytest.raises(ZeroDivisionError, match="the learner's own"):
        MODES[mode](lambda x: MODES[mode](lambda y: breaks(x * y), 1.0), 2.0)
    with pytest.raises(LeakError):
        box[0] * 2
    assert MODES[mode](lambda x: x * MODES[mode](lambda y: x * y, 1.0), 4.0) == 8.0


class Stop(Exception):
    pass


def _breaking(x: Any) -> Any:
    if np.sum(x * x) is not None:
        raise Stop
    return x


EVERYTHING = {
    "grad": lambda f: grad(f)(2.0),
    "jvp": lambda f: jvp(f, (2.0,), (1.0,)),
    "jacfwd": lambda f: jacfwd(f)(2.0),
    "jacrev": lambda f: jacrev(f)(2.0),
    "hessian": lambda f: hessian(f)(2.0),
    "hvp": lambda f: hvp(f, (2.0,), (1.0,)),
    "linearize": lambda f: linearize(f, 2.0)[1](1.0),
    "checkpoint": lambda f: grad(checkpoint(f))(2.0),
    "own rule": lambda f: grad(custom_gradient(vjp=lambda g, y, x: g)(f))(2.0),
    "broken rule": lambda f: grad(custom_gradient(vjp=lambda g, y, x: f(x))(np.sin))(2.0),
    "trace_nonfinite": lambda f: trace_nonfinite(f, 2.0),
    "check_grads": lambda f: check_grads(f, (2.0,)),
    "inside another": lambda f: grad(lambda x: x * jvp(lambda y: f(x * y), (1.0,), (1.0,))[1])(2.0),
}


@pytest.mark.parametrize("name", list(EVERYTHING))
def test_an_exception_closes_every_level(name: str) -> None:
    with pytest.raises(Stop):
        EVERYTHING[name](_breaking)
    assert open_levels == []
    EVERYTHING[name](np.sin)
    assert open_levels == []


def test_an_exception_frees_the_tape() -> None:
    refs = []

    def breaks(x: Any) -> Any:
        y = np.sin(x)
        refs.append(weakref.ref(y.value))
        raise ZeroDivisionError

    gc.disable()
    try:
        for transform in (
            grad(breaks),
            lambda x: record(breaks, x),
            lambda x: jvp(breaks, (x,), (x,)),
        ):
            with contextlib.suppress(ZeroDivisionError):
                transform(np.ones(3))
            assert refs.pop()() is None
    finally:
        gc.enable()


def test_an_exception_in_the_sweep_leaves_the_tape_usable() -> None:
    _, tape = record(lambda x: np.sin(x) * x, 2.0)
    with pytest.raises(Exception):  # noqa: B017 — whichever: a seed that cannot be multiplied
        list(tape.sweep(tape.output, "no number", [None] * len(tape)))
    adjoints: list[Any] = [None] * len(tape)
    list(tape.sweep(tape.output, 1.0, adjoints))
    assert adjoints[0] == pytest.approx(np.sin(2.0) + 2 * np.cos(2.0))


def test_an_abandoned_sweep_leaves_the_tape_usable() -> None:
    _, tape = record(lambda x: np.sin(x) * x, 2.0)
    next(tape.sweep(tape.output, 1.0, [None] * len(tape)))
    adjoints: list[Any] = [None] * len(tape)
    list(tape.sweep(tape.output, 1.0, adjoints))
    assert adjoints[0] == pytest.approx(np.sin(2.0) + 2 * np.cos(2.0))


def test_threads_do_not_disturb_each_other() -> None:
    n, rounds = 8, 15
    start, wrong = threading.Barrier(n), []

    def work(k: int) -> None:
        x = 0.2 + k / n
        start.wait()
        try:
            for _ in range(rounds):
                second = grad(lambda x: jvp(lambda y: np.sin(y) * x, (x,), (1.0,))[1])(x)
                if not np.isclose(second, np.cos(x) - x * np.sin(x), rtol=1e-13):
                    wrong.append((k, second))
                block = jacfwd(jacrev(lambda u: np.sin(u) * u))(np.full(2, x))
                if not np.allclose(block[0, 0, 0], 2 * np.cos(x) - x * np.sin(x), rtol=1e-13):
                    wrong.append((k, block))
                with no_recording():
                    if not np.isclose(grad(checkpoint(np.sin))(x), np.cos(x)):
                        wrong.append((k, "no_recording"))
                _, tape = record(lambda x: sum((x * i for i in range(50)), 0.0), x)
                if len(tape) != 101:
                    wrong.append((k, len(tape)))
        except Exception as error:
            wrong.append((k, error))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
