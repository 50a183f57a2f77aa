"""`no_recording` affects only its own thread and its own block."""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autodiff_lab as ad
from autodiff_lab import grad, jacfwd, jvp, no_recording, record
from autodiff_lab.engine.errors import LeakError
from autodiff_lab.engine.levels import open_levels, pauses
from autodiff_lab.systems.gradient_tape import GradientTape, Variable


def slope_by_jvp(f: Any) -> Any:
    return lambda x: jvp(f, (x,), (1.0,))[1]


MODES = [grad, slope_by_jvp, jacfwd, lambda f: lambda x: record(f, x, sites=True)[1] and grad(f)(x)]


@pytest.fixture(autouse=True)
def _all_is_left() -> Iterator[None]:
    yield
    assert pauses == [] and open_levels == []


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    with no_recording():
        yield


class Quiet:
    def __enter__(self) -> None:
        self.block = no_recording()
        self.block.__enter__()

    def __exit__(self, *exception: Any) -> None:
        self.block.__exit__(*exception)


def squares(x: Any) -> Iterator[Any]:
    with no_recording():
        while True:
            yield x * x


def in_thread(f: Any) -> Any:
    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(f()))
    thread.start()
    thread.join(10)
    return answers[0]


@pytest.mark.parametrize("mode", MODES)
def test_a_generator_suspended_in_the_block_pauses_only_itself(mode: Any) -> None:
    def f(x: Any) -> Any:
        numbers = squares(x)
        constant = next(numbers)
        y = x * x
        constant = constant + next(numbers)
        return y + np.sin(x) * 0 + constant * x

    assert mode(f)(3.0) == 6.0 + 18.0


@pytest.mark.parametrize("mode", MODES)
def test_generators_that_are_left_in_another_order(mode: Any) -> None:
    def f(x: Any) -> Any:
        one, two = squares(x), squares(x)
        next(one), next(two)
        one.close()
        y = x * x + next(two)
        with no_recording():
            two.close()
            z = x * x
        return y + z + x * x

    assert mode(f)(3.0) == 12.0


@pytest.mark.parametrize(
    "way", [no_recording, quietly, Quiet], ids=["itself", "a generator around it", "a class"]
)
@pytest.mark.parametrize("mode", MODES)
def test_the_block_belongs_to_whoever_enters_it(mode: Any, way: Any) -> None:
    def constants(x: Any) -> Iterator[Any]:
        with way():
            yield x * x
            yield x * x

    def f(x: Any) -> Any:
        with way():
            c = x * x
        with contextlib.ExitStack() as stack:
            stack.enter_context(way())
            d = x * x
        numbers = constants(x)
        e = next(numbers) + (x * x) / (x * x) * next(numbers)
        return x * x + (c + d + e) * x

    assert mode(f)(3.0) == pytest.approx(6.0 + 36.0)


@pytest.mark.parametrize("mode", MODES)
def test_as_a_decorator(mode: Any) -> None:
    square = no_recording()(lambda x: x * x)
    assert mode(lambda x: square(x) * x)(3.0) == 9.0


@pytest.mark.parametrize("mode", MODES)
def test_a_generator_that_is_never_ended(mode: Any) -> None:
    kept = []

    def f(x: Any) -> Any:
        kept.append(squares(x))
        next(kept[-1])
        return x * x

    gc.disable()  # it is closed with its last reference
    try:
        assert mode(f)(3.0) == 6.0
        assert mode(lambda x: x * x)(3.0) == 6.0
        assert len(pauses) == len(kept)
        kept.clear()
        assert pauses == []
    finally:
        gc.enable()


@pytest.mark.parametrize("mode", [grad, slope_by_jvp])
def test_a_generator_that_ends_late_opens_no_level_again(mode: Any) -> None:
    kept = []

    def f(x: Any) -> Any:
        numbers = squares(x)
        next(numbers)
        kept.append((numbers, x))
        return x * x

    mode(f)(3.0)
    numbers, x = kept.pop()
    numbers.close()
    with pytest.raises(LeakError):
        x * x


@pytest.mark.parametrize("mode", MODES)
def test_another_thread_records_meanwhile(mode: Any) -> None:
    def f(x: Any) -> Any:
        with no_recording():
            there = in_thread(lambda: x * x)
            here = x * x
        return there + here

    assert mode(f)(3.0) == 6.0


@pytest.mark.parametrize("mode", MODES)
def test_a_block_in_another_thread(mode: Any) -> None:
    def f(x: Any) -> Any:
        def constant() -> Any:
            with no_recording():
                return x * x

        return in_thread(constant) + in_thread(lambda: x * x)

    assert mode(f)(3.0) == 6.0


@pytest.mark.parametrize("mode", MODES)
def test_a_generator_that_goes_on_in_another_thread(mode: Any) -> None:
    def f(x: Any) -> Any:
        numbers = squares(x)
        return next(numbers) + in_thread(lambda: next(numbers) + x * x) + x * x

    assert mode(f)(3.0) == 12.0


@pytest.mark.parametrize("mode", MODES)
def test_an_exception_in_the_block_ends_it(mode: Any) -> None:
    def f(x: Any) -> Any:
        numbers = squares(x)
        next(numbers)
        for leave in (lambda: numbers.throw(ZeroDivisionError), lambda: inside(x)):
            with contextlib.suppress(ZeroDivisionError):
                leave()
        return x * x

    def inside(x: Any) -> None:
        with no_recording():
            raise ZeroDivisionError(x * x)

    assert mode(f)(3.0) == 6.0


@pytest.mark.parametrize("mode", MODES)
def test_a_coroutine(mode: Any) -> None:
    class Once:
        def __await__(self) -> Any:
            yield

    def f(x: Any) -> Any:
        async def constant() -> Any:
            with no_recording():
                await Once()
                return x * x

        going = constant()
        going.send(None)
        y = x * x
        with pytest.raises(StopIteration) as ended:
            going.send(None)
        return y + ended.value.value

    assert mode(f)(3.0) == 6.0


@pytest.mark.parametrize("mode", ["reverse", "forward", "value"])
def test_a_program_computes_anew_what_is_not_recorded(mode: str) -> None:
    def f(x: Any) -> Any:
        with no_recording():
            scale = x * x
        return scale * x

    compiled = ad.program(f, 3.0, mode=mode)
    assert compiled(2.0) == (8.0 if mode == "value" else (8.0, 4.0))


def test_a_gradient_tape() -> None:
    x = Variable(3.0)

    def threes() -> Iterator[Any]:
        with no_recording():
            while True:
                yield x * x

    with GradientTape() as tape:
        numbers = threes()
        y = next(numbers) + x * x + next(numbers)
        numbers.close()
    assert float(tape.gradient(y, x).numpy()) == 6.0
