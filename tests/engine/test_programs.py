"""Random straight-line programs over the table: reverse, forward and central differences agree.

A program is a list of instructions over a growing list of values, so operands repeat, values fan out, and some lines
feed nothing. Values stay small, because products and powers are squashed, and kinks are kept at a distance.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from autodiff_lab import grad, jvp, record, vjp
from autodiff_lab.engine.dispatch import TABLE

C = np.array([[0.5, -1.0, 0.3], [0.2, 0.4, -0.7], [1.0, 0.1, 0.6]])
SLOPES: list[float] = []  # how far the operands of kinks and choices are from where they change

Instruction = tuple[str, int, int]


def far(a: Any, b: Any) -> None:
    """Note how near two operands come to a tie, so that a difference quotient across it can be left out."""
    a, b = (_bottom(v) for v in (a, b))
    SLOPES.append(float(np.min(np.abs(np.subtract(a, b)), initial=np.inf)))


def _bottom(v: Any) -> Any:
    while hasattr(v, "value"):
        v = v.value
    return v


def _chosen(f: Any) -> Any:
    def g(a: Any, b: Any) -> Any:
        far(a, b)
        return f(a, b)

    return g


# Each works on numbers and on arrays of shape (3, 3), in any mixture, and gives one or the other.
INSTRUCTIONS: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: np.tanh(a * b),
    "divide": lambda a, b: a / (2 + np.square(b)),
    "reflected": lambda a, b: 2 - a,
    "constant left": lambda a, b: 3 * a,
    "constant array": lambda a, b: C * a,
    "power": lambda a, b: (1.5 + np.sin(a)) ** np.cos(b),
    "whole power": lambda a, b: np.sin(a) ** 3,
    "two to the": lambda a, b: 2.0 ** np.sin(a),
    "negative": lambda a, b: -a,
    "square": lambda a, b: np.tanh(np.square(a)),
    "reciprocal": lambda a, b: np.reciprocal(2 + np.cos(a)),
    "exp": lambda a, b: np.exp(-np.square(np.sin(a))),
    "log": lambda a, b: np.log(1 + np.square(a)),
    "sqrt": lambda a, b: np.sqrt(1 + np.square(a)),
    "sin": lambda a, b: np.sin(a),
    "cos": lambda a, b: np.cos(a),
    "tan": lambda a, b: np.tan(np.tanh(a)),
    "tanh": lambda a, b: np.tanh(a),
    "absolute": _chosen(lambda a, b: np.absolute(a - b)),
    "maximum": _chosen(lambda a, b: np.maximum(a, b)),
    "minimum": _chosen(lambda a, b: np.minimum(a, b)),
    "sign": _chosen(lambda a, b: np.sign(a - b) * a),
    "where": _chosen(lambda a, b: np.where(a > b, np.sin(a), b)),
    "branch": _chosen(lambda a, b: a if np.all(_bottom(a) > _bottom(b)) else b * 2),
    "mask": _chosen(lambda a, b: a * (a > b)),
    "sum": lambda a, b: np.tanh(np.sum(a)),
    "sum along": lambda a, b: np.broadcast_to(np.sum(a * C, axis=0, keepdims=True), (3, 3)),
    "mean": lambda a, b: np.mean(a),
    "mean along": lambda a, b: (a * C).mean(axis=1) + C,
    "reshape": lambda a, b: np.reshape(np.reshape(a * C, (9,))[::-1], (3, 3)),
    "transpose": lambda a, b: (a * C).T,
    "swapaxes": lambda a, b: np.swapaxes(a + C, 0, 1),
    "broadcast": lambda a, b: np.broadcast_to(a, (3, 3)),
    "stack": lambda a, b: np.mean(np.stack([a, b * 2, a]) if np.shape(a) == np.shape(b) else np.stack([a, a]), axis=0),
    "getitem": lambda a, b: (a + C)[1, 2],
    "repeated index": lambda a, b: (a + C)[[0, 2, 0], [1, 1, 1]] * C,
    "matmul": lambda a, b: np.tanh((a + C) @ (b * C)),
    "matrix vector": lambda a, b: np.tanh((a * C) @ (b + C)[:, 0]) + C,
    "dot": lambda a, b: np.tanh((a * C)[0] @ (b * C)[1]),
}

instructions = st.tuples(st.sampled_from(sorted(INSTRUCTIONS)), st.integers(0, 5), st.integers(0, 5))
scalars = st.floats(-2, 2).map(lambda v: round(v, 3))


@st.composite
def programs(draw: Any) -> tuple[list[Instruction], tuple[Any, ...]]:
    numbers = draw(st.lists(scalars, min_size=9, max_size=9))
    x = np.array(numbers).reshape(3, 3) if draw(st.booleans()) else numbers[0]
    return draw(st.lists(instructions, min_size=1, max_size=8)), (x, draw(scalars))


def run(program: list[Instruction], *inputs: Any) -> Any:
    """The result of the program: the sum of its last two values, so that a dead line is likely but not certain."""
    values = list(inputs)
    for name, i, j in program:
        values.append(INSTRUCTIONS[name](values[-1 - i % len(values)], values[-1 - j % len(values)]))
    return np.sum(values[-1]) + np.sum(values[-2])


def smooth_here(program: list[Instruction], inputs: tuple[Any, ...], margin: float = 1e-3) -> bool:
    SLOPES.clear()
    value = run(program, *inputs)
    return bool(np.isfinite(value)) and min(SLOPES, default=np.inf) > margin


def test_every_differentiable_row_is_in_some_program() -> None:
    seen = set()
    for name in INSTRUCTIONS:
        for a in (0.3, C + 0.1):
            _, tape = record(lambda a, b, n=name: run([(n, 1, 0)], a, b), a, -0.7)
            grown = record(lambda a, b, n=name: grad(lambda a: run([(n, 1, 0)], a, b))(a) * 1.0, a, -0.7)[1]
            seen |= {op.name for t in (tape, grown) for op in t.ops if op}
    rows = {op.name for op in TABLE.values() if op.kind in ("elementwise", "linear", "multilinear")}
    assert rows <= seen, f"add an instruction for {sorted(rows - seen)}"


@settings(max_examples=400, deadline=None)
@given(programs())
def test_modes_agree_with_central_differences(case: tuple[list[Instruction], tuple[Any, ...]]) -> None:
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


@settings(max_examples=150, deadline=None)
@given(programs())
def test_all_nestings_agree(case: tuple[list[Instruction], tuple[Any, ...]]) -> None:
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
        np.testing.assert_allclose(values, values[0], rtol=1e-8, atol=1e-8 * (1 + abs(values[0])), err_msg=str(results))


@settings(max_examples=150, deadline=None)
@given(programs())
def test_sweeping_a_recorded_program_is_its_gradient(case: tuple[list[Instruction], tuple[Any, ...]]) -> None:
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
    assert value == f(*inputs)
