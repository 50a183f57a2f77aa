"""Programs of the kinds that people differentiate: with plain NumPy here, with HIPS autograd where it is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff_lab import grad, jvp, value_and_grad
from autodiff_lab.programs import program

from .examples import EXAMPLES

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

ALL = pytest.mark.parametrize(
    "example", [pytest.param(module, id=name) for name, module in EXAMPLES.items()]
)


def ours(example: Any) -> Any:
    return lambda parameters: example.loss(np, parameters)


def direction_of(example: Any) -> dict[str, Any]:
    draws = np.random.default_rng(1)
    return {name: draws.standard_normal(np.shape(x))[()] for name, x in example.PARAMETERS.items()}


def along(example: Any, gradient: Any) -> float:
    return float(sum(np.sum(gradient[name] * t) for name, t in direction_of(example).items()))


@ALL
def test_both_modes_agree_with_differences(example: Any) -> None:
    f, direction = ours(example), direction_of(example)
    value, gradient = value_and_grad(f)(example.PARAMETERS)
    assert value == pytest.approx(f(example.PARAMETERS), rel=1e-13)
    slope = along(example, gradient)
    assert jvp(f, (example.PARAMETERS,), (direction,))[1] == pytest.approx(slope, rel=1e-9)

    def quotient(h: float) -> Any:
        up, down = (
            {n: x + s * h * direction[n] for n, x in example.PARAMETERS.items()} for s in (1, -1)
        )
        return (f(up) - f(down)) / (2 * h)

    # Richardson's extrapolation
    assert (4 * quotient(1e-5) - quotient(2e-5)) / 3 == pytest.approx(slope, rel=1e-6)


@ALL
def test_second_derivatives_of_both_orders_of_nesting_agree(example: Any) -> None:
    f, direction = ours(example), direction_of(example)
    forward_over_reverse = jvp(grad(f), (example.PARAMETERS,), (direction,))[1]
    reverse_over_reverse = grad(
        lambda p: sum(np.sum(g * direction[n]) for n, g in grad(f)(p).items())
    )
    for name, expected in reverse_over_reverse(example.PARAMETERS).items():
        scale = float(np.max(np.abs(expected)))
        assert np.isfinite(scale)
        np.testing.assert_allclose(
            forward_over_reverse[name], expected, rtol=1e-8, atol=1e-10 * scale
        )


# Which cells the smoke comes from depends on the wind: a program cannot index with what it computes.
@pytest.mark.parametrize(
    "example", [pytest.param(m, id=name) for name, m in EXAMPLES.items() if name != "fluid"]
)
def test_the_compiled_program_agrees(example: Any) -> None:
    value, gradient = value_and_grad(ours(example))(example.PARAMETERS)
    compiled_value, compiled = program(ours(example), example.PARAMETERS)(example.PARAMETERS)
    assert compiled_value == pytest.approx(value, rel=1e-12)
    for name, expected in gradient.items():
        np.testing.assert_allclose(compiled[name], expected, rtol=1e-9, atol=1e-12)


@ALL
def test_a_step_against_the_gradient_lowers_the_loss(example: Any) -> None:
    value, gradient = value_and_grad(ours(example))(example.PARAMETERS)
    length = np.sqrt(sum(np.sum(g * g) for g in gradient.values()))
    stepped = {name: x - 1e-3 / length * gradient[name] for name, x in example.PARAMETERS.items()}
    assert ours(example)(stepped) < value - 0.5e-3 * length


@ALL
def test_hips_autograd_agrees(example: Any) -> None:
    hips = pytest.importorskip("autograd")
    numpy_of_hips = pytest.importorskip("autograd.numpy")
    expected_value, expected = hips.value_and_grad(lambda p: example.loss(numpy_of_hips, p))(
        example.PARAMETERS
    )
    value, gradient = value_and_grad(ours(example))(example.PARAMETERS)
    assert value == pytest.approx(float(expected_value), rel=1e-12)
    for name, theirs in expected.items():
        scale = float(np.max(np.abs(theirs)))
        np.testing.assert_allclose(gradient[name], theirs, rtol=1e-9, atol=1e-11 * scale)
