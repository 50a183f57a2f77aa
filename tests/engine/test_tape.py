"""The tape's columns, and the sweep over them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff_lab import grad, record
from autodiff_lab.engine.errors import LeakError

A = np.array([[1.0, 2.0], [3.0, 4.0]])


def baydin(x1: Any, x2: Any) -> Any:
    return np.log(x1) + x1 * x2 - np.sin(x2)


def test_columns() -> None:
    _, tape = record(lambda x, y: np.sum(x * 3.0, axis=0) + y, A, 5.0)
    assert [op and op.name for op in tape.ops] == [None, None, "multiply", "sum", "add"]
    assert tape.parents == [(), (), (0, -1), (2,), (3, 1)]
    assert [len(a) for a in tape.args] == [0, 0, 2, 1, 2]
    assert tape.args[2][0] is tape.values[0]
    assert tape.args[2][1] == 3.0
    assert set(tape.kwargs) == {3}
    assert tape.kwargs[3]["axis"] == 0
    assert tape.output == 4
    assert tape.n_inputs == 2
    assert tape.call_stacks is None
    assert len(tape) == 5


def test_an_input_is_no_operation_and_a_constant_result_has_no_line() -> None:
    _, tape = record(lambda x, y: x * y, 2.0, 5.0)
    assert tape.operation(2).name == "multiply" and tape.output_line == 2
    with pytest.raises(LookupError, match=r"v0 is an input"):
        tape.operation(1)
    _, constant = record(lambda x: 3.0, 2.0)
    with pytest.raises(LookupError, match="does not depend on its inputs"):
        _ = constant.output_line


def test_values_are_numbers_or_arrays_with_axes() -> None:
    def f(x: Any, a: Any) -> Any:
        y = (
            np.sum(a) * x[()]
            + np.mean(a)
            + a[0, 0]
            + np.reshape(a[:1, :1], ())
            + np.where(x > 0, x, 1)
        )
        z = np.matmul(a[0], a[0]) + np.transpose(y) + np.broadcast_to(y, ()) + np.stack([y, y])[0]
        return np.square(z) + np.array(2.0) * z + z * np.float64(1) + np.array(3.0)

    _, tape = record(f, np.array(2.0), A)
    for i, value in enumerate(tape.values):
        assert type(value) is np.float64 or (type(value) is np.ndarray and value.ndim), (
            tape.expression(i),
            type(value),
        )
    assert not any(isinstance(x, np.ndarray) and x.ndim == 0 for args in tape.args for x in args)


def test_comparisons_are_noted() -> None:
    def f(x: Any) -> Any:
        while x < 10:
            x = x * 3
        return x if x > 20 else -x

    _, tape = record(f, 2.0)
    assert [(c.line, c.op.symbol, bool(c.outcome)) for c in tape.comparisons] == [
        (1, "<", True), (2, "<", True), (3, "<", False), (3, ">", False)
    ]  # fmt: skip
    assert [c.parents for c in tape.comparisons] == [(0, -1), (1, -1), (2, -1), (2, -1)]


def test_the_sweep_shows_its_state() -> None:
    _, tape = record(baydin, 2.0, 5.0)
    adjoints: list[Any] = [None] * 7
    sweep = tape.sweep(tape.output, 1.0, adjoints)
    assert adjoints == [None] * 7
    seen = [(i, [None if a is None else round(float(a), 4) for a in adjoints]) for i in sweep]
    assert seen == [
        (6, [None, None, None, None, 1.0, -1.0, 1.0]),
        (5, [None, -0.2837, None, None, 1.0, -1.0, 1.0]),
        (4, [None, -0.2837, 1.0, 1.0, 1.0, -1.0, 1.0]),
        (3, [5.0, 1.7163, 1.0, 1.0, 1.0, -1.0, 1.0]),
        (2, [5.5, 1.7163, 1.0, 1.0, 1.0, -1.0, 1.0]),
    ]


def test_the_sweep_agrees_with_grad_and_each_ops_pullback() -> None:
    def f(w: Any, b: Any) -> Any:
        return np.mean(np.tanh(w @ np.ones(2) + b) ** 2) * np.sum(w[0])

    args = (A, 0.5)
    _, tape = record(f, *args)
    adjoints: list[Any] = [None] * len(tape)
    by_hand: dict[int, Any] = {tape.output: np.float64(1.0)}
    for i in tape.sweep(tape.output, 1.0, adjoints):
        for k, j in enumerate(tape.parents[i]):
            if j >= 0:
                part = tape.ops[i].pullback(
                    k, by_hand[i], tape.values[i], tape.args[i], tape.kwargs.get(i, {})
                )
                by_hand[j] = part if j not in by_hand else by_hand[j] + part
    for k, g in enumerate(grad(f, (0, 1))(*args)):
        np.testing.assert_array_equal(g, adjoints[k])
        np.testing.assert_array_equal(g, by_hand[k])


def test_keep_or_drop_the_adjoints() -> None:
    _, tape = record(baydin, 2.0, 5.0)
    adjoints: list[Any] = [None] * 7
    for i in tape.sweep(6, 1.0, adjoints, keep=False):
        assert adjoints[i] is None
    assert adjoints[:2] == [5.5, 1.7163378145367738]


def test_a_recorded_tape_is_closed() -> None:
    box: list[Any] = []
    _, tape = record(lambda x: box.append(x) or x * 2, 2.0)
    assert not tape.open
    before = len(tape)
    with pytest.raises(LeakError):
        box[0] * 3
    assert len(tape) == before


def test_outputs_of_record() -> None:
    assert type(record(lambda x: x * 2, 1)[0]) is float
    assert type(record(lambda x: x * 2, np.float32(1))[0]) is np.float32
    assert type(record(lambda x: x * 2, np.ones(2))[0]) is np.ndarray
