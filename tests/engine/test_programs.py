"""Random programs over the table: reverse, forward, replay, Jacobians and central differences agree."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from hypothesis import assume, given, settings

from autodiff_lab import grad, jacfwd, jacrev, jvp, linearize, record, vjp
from autodiff_lab.engine.dispatch import TABLE

from .programs import INSTRUCTIONS, C, Instruction, programs, run, smooth_here

Case = tuple[list[Instruction], tuple[Any, ...]]


def test_every_differentiable_row_is_in_some_program() -> None:
    seen = set()
    for name in INSTRUCTIONS:
        for a in (0.3, C + 0.1):
            _, tape = record(lambda a, b, n=name: run([(n, 1, 0)], a, b), a, -0.7)
            grown = record(
                lambda a, b, n=name: grad(lambda a: run([(n, 1, 0)], a, b))(a) * 1.0, a, -0.7
            )[1]
            seen |= {op.name for t in (tape, grown) for op in t.ops if op}
    rows = {
        op.name
        for op in TABLE.values()
        if op.kind in ("elementwise", "linear", "multilinear", "general")
    }
    # it is for equal eigenvalues, where no program is smooth: test_kinks.py goes through it
    rows.remove("over")
    assert rows <= seen, f"add an instruction for {sorted(rows - seen)}"


@settings(max_examples=250, deadline=None)
@given(programs())
def test_modes_agree_with_central_differences(case: Case) -> None:
    program, inputs = case
    assume(smooth_here(program, inputs))
    f = lambda *xs: run(program, *xs)  # noqa: E731
    rng = np.random.default_rng(0)
    tangents = tuple(rng.standard_normal(np.shape(x))[()] for x in inputs)
    gradients = grad(f, (0, 1))(*inputs)
    assert [np.shape(g) for g in gradients] == [np.shape(x) for x in inputs]
    value, forward = jvp(f, inputs, tangents)
    reverse = sum(np.sum(g * t) for g, t in zip(gradients, tangents, strict=True))
    np.testing.assert_allclose(value, f(*inputs), rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(forward, reverse, rtol=1e-9, atol=1e-10)
    scale = max(1.0, abs(reverse))

    def quotient(h: float) -> float:
        up, down = ([x + s * h * t for x, t in zip(inputs, tangents, strict=True)] for s in (1, -1))
        return (f(*up) - f(*down)) / (2 * h)

    # Richardson: the error of the first is of order h², of the combination h⁴
    difference = (4 * quotient(1e-4) - quotient(2e-4)) / 3
    assert abs(difference - reverse) < 1e-5 * scale


@settings(max_examples=100, deadline=None)
@given(programs())
def test_all_nestings_agree(case: Case) -> None:
    """Second derivatives along a line, by four nestings; third by two of them."""
    program, inputs = case
    assume(smooth_here(program, inputs))
    rng = np.random.default_rng(1)
    tangents = tuple(rng.standard_normal(np.shape(x))[()] for x in inputs)

    def along(t: Any) -> Any:
        return run(program, *(x + t * d for x, d in zip(inputs, tangents, strict=True)))

    modes = {"fwd": lambda f: lambda t: jvp(f, (t,), (1.0,))[1], "rev": grad}
    for order in (2, 3):
        results = {}
        for path in itertools.product(modes, repeat=order):
            f = along
            for mode in path:
                f = modes[mode](f)
            results[path] = f(0.0)
        values = np.array(list(results.values()))
        np.testing.assert_allclose(
            values, values[0], rtol=1e-8, atol=1e-8 * (1 + abs(values[0])), err_msg=str(results)
        )


@settings(max_examples=100, deadline=None)
@given(programs())
def test_sweeping_a_recorded_program_is_its_gradient(case: Case) -> None:
    program, inputs = case
    f = lambda *xs: run(program, *xs)  # noqa: E731
    value, tape = record(f, *inputs)
    gradients = vjp(f, *inputs)[1](1.0)
    adjoints: list[Any] = [None] * len(tape)
    if tape.output is not None:
        for i in tape.sweep(tape.output, np.float64(1.0), adjoints):
            assert adjoints[i] is not None
            assert np.shape(adjoints[i]) == np.shape(tape.values[i])
    for k, g in enumerate(gradients):
        np.testing.assert_array_equal(g, 0.0 if adjoints[k] is None else adjoints[k])
    assert "np.float64" not in str(tape)
    # composed functions round differently
    np.testing.assert_allclose(value, f(*inputs), rtol=1e-14, atol=1e-14)


@settings(max_examples=120, deadline=None)
@given(programs())
def test_replay_and_jacobians_agree_with_the_gradient(case: Case) -> None:
    """The tape replayed nearby is the program there; both Jacobians and the linear map are the gradient."""
    program, inputs = case
    assume(smooth_here(program, inputs))
    f = lambda *xs: run(program, *xs)  # noqa: E731
    rng = np.random.default_rng(2)
    tangents = tuple(rng.standard_normal(np.shape(x))[()] for x in inputs)
    nearby = tuple(x + 1e-6 * t for x, t in zip(inputs, tangents, strict=True))
    _, tape = record(f, *inputs)
    np.testing.assert_allclose(tape.replay(*nearby), f(*nearby), rtol=1e-12, atol=1e-13)
    for a, b in zip(grad(tape.replay, (0, 1))(*nearby), grad(f, (0, 1))(*nearby), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10)
    expected = grad(f, (0, 1))(*inputs)
    for blocks in (jacfwd(f, (0, 1))(*inputs), jacrev(f, (0, 1))(*inputs)):
        for a, b in zip(blocks, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10)
    pushed = linearize(f, *inputs)[1](*tangents)
    np.testing.assert_allclose(
        pushed, sum(np.sum(g * t) for g, t in zip(expected, tangents, strict=True)), atol=1e-9
    )
