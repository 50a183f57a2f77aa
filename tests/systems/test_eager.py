"""Eager tensors and Variables, rules of one's own, and what is refused."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import pytest

import autodiff_lab as ad
from autodiff_lab.engine.errors import DetachedError, InputError, MutationError, ShapeError
from autodiff_lab.systems.gradient_tape import GradientTape, Variable, constant, custom_gradient

from .tapes import plain

# Variables


def test_assign() -> None:
    w = Variable([1.0, 2.0], name="w")
    assert w.assign([3.0, 4.0]) is w
    assert w.assign_sub(constant(1.0)).assign_add(np.array([0.0, 1.0])).numpy().tolist() == [
        2.0,
        4.0,
    ]
    assert w.assign([1, 2]).dtype == np.float64
    assert repr(w) == "Variable('w', [1., 2.])"
    assert f"{w[0]:.3f} {w[0]}" == "1.000 Tensor(1.0)"


def test_a_variable_is_not_the_array_it_was_made_from() -> None:
    start = np.ones(2)
    w = Variable(start)
    start[:] = 5.0
    w.numpy()[:] = 5.0
    for held in (w.assign([1.0, 1.0]), constant(start)):
        with pytest.raises(ValueError, match="read-only"):
            held.value[:] = 5.0
    another = copy.deepcopy(w)
    another.assign_add(1.0)
    assert w.numpy().tolist() == [1.0, 1.0]


def test_assign_refuses_what_does_not_fit() -> None:
    w, n = Variable([1.0, 2.0], name="w"), Variable(5)
    with pytest.raises(
        ShapeError, match=r"the value for Variable\('w', \[1., 2.\]\) has shape \(3,\)"
    ):
        w.assign(np.ones(3))
    with pytest.raises(InputError, match=r"float64, but the Variable holds int64.*Variable\(5.0\)"):
        n.assign(2.5)
    with pytest.raises(ShapeError):
        n.assign([1, 2])
    assert n.assign(7).numpy() == 7 and n.dtype == np.int64
    assert w.numpy().tolist() == [1.0, 2.0]


def test_to_set_the_value_is_to_assign() -> None:
    w, v = Variable(2.0, name="w"), Variable([2.0, 1.0], name="v")
    with GradientTape() as tape:
        y = w**2 + np.sum(v * v)
    slope, slopes = tape.gradient(y, [w, v])
    w.value -= 0.1 * slope
    v.value = v.value - 0.1 * slopes
    assert type(w.value) is np.float64 and w.value == 1.6
    assert type(v.value) is np.ndarray and v.value.tolist() == [1.6, 0.8]
    start = np.ones(2)
    v.value = start
    start[:] = 5.0
    assert v.numpy().tolist() == [1.0, 1.0]
    with pytest.raises(
        ShapeError, match=r"the value for Variable\('v', \[1., 1.\]\) has shape \(3,\)"
    ):
        v.value = np.ones(3)
    with pytest.raises(InputError, match=r"float64, but the Variable holds int64.*Variable\(5.0\)"):
        Variable(5).value = constant(2.5)
    with pytest.raises(MutationError, match=r"write `a = np.subtract\(a, x\)`"):
        v.value -= slopes


def test_a_result_stays_when_its_variable_is_set_anew() -> None:
    w = Variable(2.0)
    with GradientTape() as tape:
        y = w**2
    w.value = 5.0
    assert plain(tape.gradient(y, w)) == 4.0


def test_a_tensor_never_changes() -> None:
    x = constant(2.0)
    with pytest.raises(
        MutationError, match=r"Tensor\(2.0\) can't be given another value.*w.assign_sub"
    ):
        x.value -= 1.0
    assert x.numpy() == 2.0


# A rule of one's own


def test_custom_gradient_is_bound_when_it_runs() -> None:
    @custom_gradient
    def clipped(x: Any, low: Any) -> Any:
        return x * 1.0, lambda g: (np.where(g > low, low, g), None)

    x = Variable(2.0)
    with GradientTape(persistent=True) as tape:
        loose, tight = clipped(x, 100.0) * 7, clipped(x, 0.5) * 7
    assert plain([loose, tape.gradient(loose, x), tape.gradient(tight, x)]) == [14.0, 7.0, 0.5]
    assert [r.op.name for r in tape.records.values()].count("clipped") == 2


def test_custom_gradient_to_second_order() -> None:
    @custom_gradient
    def softplus(x: Any) -> Any:
        e = np.exp(x)
        return np.log(1 + e), lambda g: g * (1 - 1 / (1 + e))

    x = Variable(0.5)
    with GradientTape() as outer:
        with GradientTape() as inner:
            y = softplus(x)
        first = inner.gradient(y, x)
    s = 1 / (1 + math.exp(-0.5))
    assert plain([first, outer.gradient(first, x)]) == pytest.approx([s, s * (1 - s)], rel=1e-13)


def test_custom_gradient_of_the_wrong_shape() -> None:
    @custom_gradient
    def total(x: Any) -> Any:
        return np.sum(x), lambda g: g

    x = Variable([1.0, 2.0])
    with GradientTape() as tape:
        y = total(x)
    with pytest.raises(
        ShapeError, match=r"The gradient rule of total gave a contribution of shape \(\)"
    ):
        tape.gradient(y, x)


def test_a_rule_of_the_engine() -> None:
    double = ad.custom_gradient(vjp=lambda g, y, x: 3 * g)(lambda x: 2 * x)
    x = Variable(1.0)
    with GradientTape() as tape:
        y = ad.checkpoint(np.sin)(x) + double(x)
    assert plain(tape.gradient(y, x)) == pytest.approx(math.cos(1.0) + 3, rel=1e-15)


# Misuse


@pytest.mark.parametrize("source", [2.0, "x", None, np.ones(2), [Variable(1.0), 3.0]])
def test_a_source_that_no_tape_can_watch(source: Any) -> None:
    x = Variable(1.0)
    with GradientTape() as tape:
        y = x * 2
    with pytest.raises(
        InputError,
        match=r"sources(\[1\])? is .*Variable\(…\), or from a constant\(…\) that you pass",
    ):
        tape.gradient(y, source)
    with pytest.raises(InputError, match="objects"):
        tape.watch(source)


def test_wrong_output_gradients() -> None:
    x = Variable([1.0, 2.0])
    with GradientTape(persistent=True) as tape:
        y = x * 2
    with pytest.raises(
        ShapeError, match=r"output_gradients has shape \(3,\), but it must have the shape \(2,\)"
    ):
        tape.gradient(y, x, output_gradients=np.ones(3))
    with pytest.raises(ShapeError, match="structure"):
        tape.gradient([y, y], x, output_gradients=[np.ones(2)])
    with pytest.raises(InputError, match="complex"):
        tape.gradient(y, x, output_gradients=np.ones(2) * 1j)


def test_wrong_policy() -> None:
    x = Variable(1.0)
    with GradientTape() as tape:
        y = x * 2
    for ask in (tape.gradient, tape.jacobian):
        with pytest.raises(
            InputError, match=r"unconnected_gradients is 'ZERO'; write 'none' or 'zero'"
        ):
            ask(y, x, unconnected_gradients="ZERO")


@pytest.mark.parametrize("make", [constant, Variable])
def test_complex_numbers(make: Any) -> None:
    with pytest.raises(InputError, match="complex"):
        make(1j)
    with pytest.raises(InputError, match="complex"):
        make(1.0) * 1j


@pytest.mark.parametrize("make", [constant, Variable])
def test_what_would_lose_the_derivative(make: Any) -> None:
    x = make(1.0)
    for lose in (
        float,
        math.sin,
        int,
        np.asarray,
        lambda x: np.array([x, x]),
        lambda x: constant([x, x]),
    ):
        with pytest.raises(DetachedError, match=r"\.value"):
            lose(x)
    a = np.zeros(2)
    with pytest.raises(MutationError):
        a += x
    with pytest.raises(MutationError):
        make([1.0, 2.0])[0] = 3.0


def test_a_value_of_the_engine_is_no_constant() -> None:
    with pytest.raises(InputError, match="another derivative is tracing"):
        ad.grad(lambda x: constant(x) * x)(2.0)


def test_a_tape_in_itself() -> None:
    with GradientTape() as tape:
        with pytest.raises(InputError, match="already recording"), tape:
            pass
        with (
            tape.stop_recording(),
            pytest.raises(InputError, match="not recording"),
            tape.stop_recording(),
        ):
            pass
    with pytest.raises(InputError, match="with tape"), tape.stop_recording():
        pass


def test_jacobian_takes_one_target() -> None:
    x = Variable(1.0)
    with GradientTape() as tape:
        y = x * 2
    with pytest.raises(InputError, match="one target"):
        tape.jacobian([y, y], x)
