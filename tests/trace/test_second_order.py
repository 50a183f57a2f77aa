"""Second order: the operations of an inner sweep are on the tape, as a stretch of their own."""

import numpy as np
import pytest

from autodiff_lab import Trace, grad, hvp, record


def cube(x):
    return x * x * x


def wave(x):
    return np.sin(x) * x


def of_two(x, y):
    return x * x * np.exp(y)


def stretches(trace):
    return [line.sweep_id for line in trace.lines]


def test_the_sweep_of_the_inner_gradient_is_a_second_stretch():
    trace = Trace.of(grad(cube), 2.0)
    assert stretches(trace) == [0] * 3 + [1] * 6
    assert (trace.value.value, trace.gradient[0].value) == (12.0, 12.0)
    assert trace.note == "v₃ … v₈: an inner sweep, itself recorded (six operations)."
    begins = [step.line for step in trace.steps if "Here the backward pass" in step.sentence]
    assert begins == [3]
    assert Trace.from_json(trace.to_json()) == trace


def test_a_third_derivative_has_a_third_stretch():
    trace = Trace.of(grad(grad(cube)), 2.0)
    assert sorted(set(stretches(trace))) == [0, 1, 2]
    assert stretches(trace) == sorted(stretches(trace))
    assert (trace.value.value, trace.gradient[0].value) == (12.0, 6.0)


def test_the_program_may_go_on_behind_the_sweep():
    trace = Trace.of(lambda x: grad(wave)(x) * x, 2.0)
    assert stretches(trace) == [0] * 3 + [1] * 5 + [0]
    call, product = trace.lines[3].where[-1], trace.lines[8].where[-1]
    assert call != product and (call.source, product.source) == (0, 0)


@pytest.mark.parametrize("vector", [(1.0, 0.0), (0.3, -2.0)])
def test_a_hessian_vector_product(vector):
    a, b = vector
    trace = Trace.of(lambda x, y: hvp(of_two, (x, y), (a, b))[0], 2.0, 0.5)
    assert trace.value.value == hvp(of_two, (2.0, 0.5), (a, b))[0]
    assert 1 in stretches(trace) and stretches(trace) == sorted(stretches(trace))


def test_without_an_inner_derivative_there_is_one_stretch(example_trace):
    assert set(stretches(example_trace)) == {0}
    assert example_trace.note == ""
    assert record(cube, 2.0)[1].written_by_sweep == {}


def test_the_derivative_is_called_by_its_name():
    trace = Trace.of(grad(cube), 2.0)
    assert (trace.title, trace.function) == ("cube′(x)", "cube′")
    assert trace.steps[-1].equations[-1].text == "∂cube′/∂x = 12"
    assert Trace.of(grad(grad(cube)), 2.0).title == "cube′′(x)"
    assert trace.sources[0].text[0] == "def cube(x):"


def test_second_order_forward_too():
    trace = Trace.of(grad(wave), 2.0, mode="forward")
    assert trace.tangent[0].value == pytest.approx(2 * np.cos(2.0) - 2.0 * np.sin(2.0), rel=1e-14)
    assert stretches(trace) == stretches(Trace.of(grad(wave), 2.0))
    assert "Here the backward pass" not in trace.steps[3].sentence.partition("; with it")[0]
