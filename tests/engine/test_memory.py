"""The memory of a tape is freed at once, without the cyclic garbage collector."""

from __future__ import annotations

import gc
import tracemalloc
import weakref
from typing import Any

import numpy as np
import pytest

from autodiff_lab import (
    checkpoint,
    custom_gradient,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    record,
    trace_nonfinite,
    value_and_grad,
    vjp,
)


@pytest.fixture(autouse=True, scope="module")
def nothing_from_before() -> None:
    """What other tests have left in this process is not searched again for each of these."""
    gc.collect()
    gc.freeze()


def baydin(x1: Any, x2: Any) -> Any:
    return np.log(x1) + x1 * x2 - np.sin(x2)


def probe(run: Any) -> list[Any]:
    """Weak references to arrays that lived on a tape, once what `run` returned is gone."""
    refs: list[Any] = []

    def f(x: Any) -> Any:
        y = np.sin(x)
        refs.append(weakref.ref(y.value))
        z = y * x
        refs.append(weakref.ref(z.value))
        if np.sum(z) > -np.inf:
            z = z + np.where(x > 0, x, 0.0)
        return np.sum(z)

    run(f, np.ones(3))
    return refs


own = custom_gradient(vjp=lambda g, y, x: g * 2)(lambda x: x * 2)

RUNS = {
    "jacfwd": lambda f, x: jacfwd(f)(x),
    "jacrev": lambda f, x: jacrev(f)(x),
    "linearize": lambda f, x: linearize(f, x)[1](x),
    "replay": lambda f, x: record(f, x)[1].replay(x),
    "gradient of replay": lambda f, x: grad(record(f, x)[1].replay)(x),
    "released": lambda f, x: record(f, x)[1].free_values(),
    "a rule of one's own": lambda f, x: grad(lambda x: f(own(x)))(x),
    "trace_nonfinite": lambda f, x: trace_nonfinite(f, x),
    "record": lambda f, x: record(f, x),
    "record with sites": lambda f, x: record(f, x, sites=True),
    "grad": lambda f, x: grad(f)(x),
    "value_and_grad": lambda f, x: value_and_grad(f)(x),
    "vjp": lambda f, x: vjp(f, x)[1](1.0),
    "jvp": lambda f, x: jvp(f, (x,), (x,)),
    "half a sweep": lambda f, x: (
        lambda tape: next(tape.sweep(tape.output, 1.0, [None] * len(tape)))
    )(record(f, x)[1]),
    "printing": lambda f, x: str(record(f, x)[1]),
}


@pytest.mark.parametrize("name", list(RUNS))
def test_a_dropped_result_frees_its_tape_at_once(name: str) -> None:
    gc.collect()
    gc.disable()
    try:
        assert [ref() for ref in probe(RUNS[name])] == [None, None]
    finally:
        gc.enable()


def test_a_nested_derivative_frees_its_tapes_at_once() -> None:
    refs: list[Any] = []

    def f(x: Any) -> Any:
        y = np.sin(x)
        bottom = y
        while not isinstance(bottom, np.ndarray):
            bottom = bottom.value
        refs.append(weakref.ref(bottom))
        return np.sum(y * x)

    gc.collect()
    gc.disable()
    try:
        del f.__defaults__
        jvp(grad(f), (np.ones(3),), (np.ones(3),))
        grad(lambda x: np.sum(grad(f)(x)))(np.ones(3))
        hessian(f)(np.ones(3))
        hvp(f, (np.ones(3),), (np.ones(3),))
        jacrev(jacrev(f))(np.ones(3))
        assert [ref() for ref in refs] == [None] * 5
    finally:
        gc.enable()


def test_a_kept_tape_keeps_its_values() -> None:
    _, tape = record(lambda x: np.sin(x) * x, np.ones(3))
    ref = weakref.ref(tape.values[1])
    gc.collect()
    assert ref() is not None
    del tape
    assert ref() is None


def test_a_tape_makes_no_cycles() -> None:
    gc.collect()
    gc.disable()
    try:
        for _ in range(5):
            grad(baydin)(2.0, 5.0)
            record(baydin, 2.0, 5.0, sites=True)
            jvp(baydin, (2.0, 5.0), (1.0, 0.0))
            hvp(baydin, (2.0, 5.0), (1.0, 0.0))
            grad(lambda x: np.linalg.det(x) + np.sum(np.sort(x, axis=None)[:2]) * np.prod(x))(
                np.eye(2) * 2
            )
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_a_sweep_that_keeps_nothing_leaves_nothing_behind() -> None:
    """Each adjoint is dropped as soon as it has been sent on; at no time do many of them live."""

    def f(x: Any) -> Any:
        for _ in range(50):
            x = np.sin(x)
        return x

    _, tape = record(f, np.ones(10))
    adjoints: list[Any] = [None] * len(tape)
    for _ in tape.sweep(tape.output, np.ones(10), adjoints, keep=False):
        assert sum(a is not None for a in adjoints) == 1
    assert adjoints[0] is not None
    assert all(a is None for a in adjoints[1:])


def peak(run: Any) -> float:
    """The most memory that was allocated at one time, in arrays of 20 000 numbers."""
    tracemalloc.start()
    try:
        run(np.ones(20_000))
        return tracemalloc.get_traced_memory()[1] / (8 * 20_000)
    finally:
        tracemalloc.stop()


def test_a_gradient_needs_little_more_memory_than_its_tape() -> None:
    def layer(x: Any) -> Any:
        for _ in range(25):
            x = np.tanh(x)
        return x

    def layers(layer: Any) -> Any:
        return grad(lambda x: np.sum(layer(layer(layer(layer(x))))))

    assert peak(layers(layer)) < 108
    assert peak(layers(checkpoint(layer))) < 37  # the second result beside the first among them
