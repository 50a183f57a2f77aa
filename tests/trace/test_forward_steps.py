"""Forward mode as a trace: values with their tangents, which are the engine's own."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_lab import Trace, grad, jvp, record
from autodiff_lab.engine.errors import InputError, ShapeError
from autodiff_lab.trace import memory_usage

from .test_model import ARRAYS, FUNCTIONS, f_matrix


def columns(trace):
    """For each direction, the tangents of all lines."""
    return [[step.tangents[k].value for step in trace.steps] for k in range(len(trace.directions))]


def test_the_columns_of_the_example(example_function):
    one = Trace.of(example_function, 2.0, 5.0, mode="forward", direction="x1")
    other = Trace.of(example_function, 2.0, 5.0, mode="forward", direction="x2")
    assert columns(one) == [[1, 0, 0.5, 5, 5.5, 0, 5.5]]
    assert columns(other) == [[0, 1, 0, 2, 2, np.cos(5.0), 1.7163378145367738]]
    both = Trace.of(example_function, 2.0, 5.0, mode="forward", direction="all")
    assert columns(both) == columns(one) + columns(other)


def test_both_modes_agree(example_function, example_trace):
    forward = Trace.of(example_function, 2.0, 5.0, mode="forward", direction="all")
    assert [t.value for t in forward.tangent] == [a.value for a in example_trace.gradient]
    assert forward.agreement.text == (
        "∂example/∂x1 = 5.5 = 5.5   ∂example/∂x2 = 1.7163 = 1.7163  forward, and in reverse"
    )
    slanted = Trace.of(example_function, 2.0, 5.0, mode="forward", direction=(1.0, 0.5))
    assert slanted.tangent[0].value == 5.5 + 1.7163378145367738 / 2
    assert slanted.agreement.text.startswith("ẏ = 6.3582 = 5.5 × 1 + 1.7163 × 0.5 = 6.3582")


@pytest.mark.parametrize(("f", "args"), FUNCTIONS)
def test_tangents_are_those_of_jvp(f, args):
    rng = np.random.default_rng(4)
    direction = tuple(rng.normal(size=np.shape(x))[()] for x in args)
    trace = Trace.of(f, *args, mode="forward", direction=direction)
    tangent = jvp(f, args, direction)[1]
    assert trace.result is None or trace.tangent[0].value == pytest.approx(tangent, rel=1e-14)
    assert trace.value == Trace.of(f, *args).value
    assert Trace.from_json(trace.to_json()) == trace


def test_every_line_has_the_tangent_that_jvp_gives_it(example_function):
    parts = [
        lambda x1, x2: np.log(x1),
        lambda x1, x2: x1 * x2,
        lambda x1, x2: np.log(x1) + x1 * x2,
        lambda x1, x2: np.sin(x2),
    ]
    trace = Trace.of(example_function, 2.0, 5.0, mode="forward", direction=(0.3, -1.1))
    for part, step in zip(parts, trace.steps[2:], strict=False):
        assert step.tangents[0].value == jvp(part, (2.0, 5.0), (0.3, -1.1))[1]


@given(st.floats(-3, 3), st.floats(-3, 3))
def test_a_batch_is_its_directions_one_by_one(a, b):
    f, args = (lambda x, y: np.tanh(x * y) / (1 + y * y)), (0.7, -1.3)
    batch = Trace.of(f, *args, mode="forward", direction=[(a, b), {"y": 1.0}, "x"])
    singles = [
        Trace.of(f, *args, mode="forward", direction=one)
        for one in ((a, b), (0.0, 1.0), (1.0, 0.0))
    ]
    for k, single in enumerate(singles):
        np.testing.assert_allclose(columns(batch)[k], columns(single)[0], rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize(("f", "args"), FUNCTIONS)
def test_what_operands_bring_adds_up(f, args):
    trace = Trace.of(f, *args, mode="forward")
    for step in trace.steps:
        if step.pushes and all(p.contribution.value is not None for p in step.pushes):
            total = sum(np.array(p.contribution.value) for p in step.pushes)
            np.testing.assert_allclose(
                np.broadcast_to(total, step.tangents[0].shape), step.tangents[0].value, rtol=1e-13
            )


def test_steps_of_the_example_forward(example_function):
    trace = Trace.of(example_function, 2.0, 5.0, mode="forward", direction="x2")
    assert [step.phase for step in trace.steps] == ["forward"] * 7
    assert trace.opening.endswith(
        "in the direction ẋ1 = 0, ẋ2 = 1: each value brings its tangent along."
    )
    assert [step.sentence for step in trace.steps] == [
        "The input x1 is 2; the direction holds it still: ẋ1 = 0.",
        "The input x2 is 5; the direction moves it: ẋ2 = 1.",
        "a = log x1 = log 2 = 0.6931; with it ȧ = 0.5 · 0 = 0.",
        "b = x1 · x2 = 2 · 5 = 10; with it ḃ = 5 · 0 + 2 · 1 = 2.",
        "s = a + b = 0.6931 + 10 = 10.6931; with it ṡ = 1 · 0 + 1 · 2 = 2.",
        "c = sin x2 = sin 5 = −0.9589; with it ċ = 0.2837 · 1 = 0.2837.",
        "y = s − c = 10.6931 − (−0.9589) = 11.6521; with it ẏ = 1 · 2 + (−1) · 0.2837 = 1.7163.",
    ]
    assert [e.text for e in trace.steps[5].equations] == [
        "v₄ = sin v₀ = sin 5 = −0.9589",
        "v̇₄ = ∂v₄/∂v₀ · v̇₀ = cos v₀ × 1 = 0.2837 × 1 = 0.2837",
    ]
    assert trace.steps[-1].equations[-1].text == "∂example/∂x2 = 1.7163"


@pytest.mark.parametrize(
    ("f", "args"), [*FUNCTIONS, (np.cumsum, (np.ones(3),)), (np.mean, (np.ones((2, 3)),))]
)
def test_arithmetic_ends_in_the_tangent(f, args):
    for step in Trace.of(f, *args, mode="forward").steps:
        ends = [e.text for e in step.equations if "v̇" in e.text and "direction" not in e.text]
        assert not ends or ends[-1].endswith(f" = {step.tangents[0].in_node}")


def test_maps_and_reductions_are_written_as_what_they_are():
    trace = Trace.of(f_matrix, *ARRAYS, mode="forward", direction="x")
    said = {line.op: step.sentence for line, step in zip(trace.lines, trace.steps, strict=True)}
    assert "with it v̇₁ = ẇ @ x + w @ ẋ = " in said["matmul"]
    assert "the sum of " in said["mean"]
    every_entry = Trace.of(lambda x: x * x, np.ones(3), mode="forward")
    assert "with it ẏ = x · ẋ + x · ẋ = " in every_entry.steps[-1].sentence


def test_array_inputs_move_in_every_entry():
    trace = Trace.of(
        lambda x: np.sum(x * x), np.array([1.0, 2.0, 3.0]), mode="forward", direction="x"
    )
    assert trace.tangent[0].value == 12.0


def test_a_result_that_needs_no_input_has_no_tangent():
    trace = Trace.of(lambda x: 3.0, 2.0, mode="forward")
    assert trace.tangent == () and trace.agreement is None
    assert "every derivative is 0" in trace.note


def test_forward_mode_sums_nothing_up():
    assert "sum of its entries" in Trace.of(lambda x: x * 2, np.ones(3)).note
    assert Trace.of(lambda x: x * 2, np.ones(3), mode="forward").note == ""


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"mode": "sideways"}, InputError, "no mode 'sideways'"),
        ({"direction": "x"}, InputError, "belongs to forward mode"),
        ({"mode": "forward", "direction": "z"}, InputError, "names 'z', and the inputs are x, y"),
        (
            {"mode": "forward", "direction": (1.0,)},
            ShapeError,
            "1 tangents, and the inputs are 2: x, y",
        ),
        (
            {"mode": "forward", "direction": {"x": np.ones(3)}},
            ShapeError,
            "the tangent of x has shape",
        ),
    ],
)
def test_bad_directions_are_named(options, error, message):
    with pytest.raises(error, match=message):
        Trace.of(lambda x, y: x * y, 2.0, 5.0, **options)


def test_forward_mode_needs_an_input():
    with pytest.raises(InputError, match="this function takes no input"):
        Trace.of(lambda: 3.0, mode="forward")


# ---- what it costs, and what has to be remembered


@pytest.mark.parametrize(("f", "args"), FUNCTIONS)
def test_what_the_tape_holds_is_what_the_engine_says(f, args):
    _, tape = record(f, *args)
    trace = Trace.from_tape(tape, f)
    assert memory_usage.count_held(tape)[-1].bytes == tape.nbytes == trace.cost.bytes
    kept = [step.meter.kept for step in trace.steps]
    recorded = len(trace.lines)
    assert kept[:recorded] == sorted(kept[:recorded])
    assert kept[recorded:] == sorted(kept[recorded:], reverse=True)


def test_forward_mode_forgets_what_nothing_needs():
    def f(x):
        _ = x * 3.0
        return x * x

    assert memory_usage.find_freed_forward(record(f, 2.0)[1]) == [(), (), (0, 1)]


def test_the_cost_of_the_example(example_function, example_trace):
    assert example_trace.cost == (1, 5, 8, 7, 56)
    assert [step.meter.kept for step in example_trace.steps] == [
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        7,
        7,
        6,
        5,
        5,
        4,
        4,
        3,
        2,
    ]
    forward = Trace.of(example_function, 2.0, 5.0, mode="forward")
    assert forward.cost == (2, 10, 16, 6, 48)
    assert Trace.of(example_function, 2.0, 5.0, mode="forward", direction="all").cost[:3] == (
        1,
        5,
        16,
    )
    assert forward.steps[-1].meter == (5, 8, 2, 16)


def test_forward_mode_forgets_and_reverse_mode_does_not():
    def chain(x):
        for _ in range(50):
            x = np.sin(x)
        return x

    assert Trace.of(chain, 1.0).cost.kept == 51
    assert Trace.of(chain, 1.0, mode="forward").cost.kept == 2


def test_a_gradient_forward_takes_a_pass_for_every_entry():
    X = np.ones((4, 5))
    assert Trace.of(np.sum, X, mode="forward").cost.passes == 20
    assert Trace.of(np.sum, X).cost.passes == 1
    assert grad(np.sum)(X).shape == (4, 5)


@pytest.mark.parametrize(("f", "args"), FUNCTIONS)
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_values_are_let_go_once_and_make_up_the_difference(f, args, mode):
    trace = Trace.of(f, *args, mode=mode)
    gone = [line for step in trace.steps for line in step.freed_lines]
    assert len(gone) == len(set(gone))
    for before, after in itertools.pairwise(trace.steps):
        if after.phase != "record":
            assert bool(after.freed_lines) >= (after.meter.kept < before.meter.kept)
    assert trace.result not in gone or mode == "reverse"


def test_the_sweep_lets_go_of_every_line_but_the_inputs(example_trace):
    """Each at its last contribution."""
    gone = [step.freed_lines for step in example_trace.steps[7:]]
    assert gone == [(), (), (6,), (5,), (), (4,), (), (3,), (2,)]


def test_the_sweep_lets_go_also_of_lines_it_passes_over():
    def f(x):
        y = x * x
        np.exp(x)
        return y

    assert [step.freed_lines for step in Trace.of(f, 3.0).steps] == [(), (), (), (), (), (1, 2)]


def test_forward_mode_lets_go_as_it_runs(example_function):
    trace = Trace.of(example_function, 2.0, 5.0, mode="forward")
    assert [step.freed_lines for step in trace.steps] == [(), (), (), (0,), (2, 3), (1,), (4, 5)]
