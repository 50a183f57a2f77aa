"""A list of closures: the document's printed text line by line, its names and records, and none of its defects."""

from __future__ import annotations

import functools
import io
import json
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autodiff_lab as ad
from autodiff_lab.engine.errors import InputError, LeakError, ShapeError
from autodiff_lab.systems.closures import Recording, Variable, grad

TRACES = json.loads((Path(__file__).parents[1] / "data" / "reference_cases.json").read_text())[
    "seed_traces"
]

DOCUMENT = """\
v-1 = 2.0
v0 = 5.0
v1 = log(v-1)
v2 = v-1 * v0
v3 = v1 + v2
v4 = sin(v0)
v5 = v3 - v4
dl_d {'v5': 1.0}
Tape(inputs=['v3', 'v4'], outputs=['v5'], propagate=<function ops_sub.<locals>.propagate at 0x7fd7a2c8c0d0>)
v9 = v6 * v7
v10 = v6 * v8
Tape(inputs=['v0'], outputs=['v4'], propagate=<function ops_sin.<locals>.propagate at 0x7fd7a2c8c378>)
v12 = v10 * v11
Tape(inputs=['v1', 'v2'], outputs=['v3'], propagate=<function ops_add.<locals>.propagate at 0x7fd7a234e7b8>)
v15 = v9 * v13
v16 = v9 * v14
Tape(inputs=['v-1', 'v0'], outputs=['v2'], propagate=<function ops_mul.<locals>.propagate at 0x7fd7a3982ae8>)
v17 = v16 * v0
v18 = v16 * v-1
v19 = v12 + v18
Tape(inputs=['v-1'], outputs=['v1'], propagate=<function ops_log.<locals>.propagate at 0x7fd7a3982c80>)
v21 = v15 * v20
v22 = v17 + v21
dv5_dv5 = v6
dv5_dv3 = v9
dv5_dv4 = v10
dv5_dv0 = v19
dv5_dv1 = v15
dv5_dv2 = v16
dv5_dv-1 = v22
"""
ADDRESS = re.compile(r"<function ops_(\w+)\.<locals>\.propagate at 0x\w+>")
ROWS = {"sub": "subtract", "mul": "multiply"}


def document_0(lines: list[str]) -> tuple[Recording, Variable, Variable, Variable]:
    """Run the document's example; its printed text goes to `lines`."""
    tape = Recording(show=lines.append)
    x, y = tape.constant(2.0, name="v-1"), tape.constant(5.0, name="v0")
    return tape, x, y, Variable.log(x) + x * y - Variable.sin(y)


def seed(x1: Any, x2: Any) -> Any:
    return np.log(x1) + x1 * x2 - np.sin(x2)


# The document


def test_the_printed_text_is_the_documents_line_by_line() -> None:
    lines: list[str] = []
    _, x, y, f = document_0(lines)
    dx, dy = grad(f, [x, y])
    expected = ADDRESS.sub(
        lambda found: f"<function {ROWS.get(found[1], found[1])}.propagate>", DOCUMENT
    )
    assert lines == expected.splitlines()
    assert [line for line in lines if "Tape" not in line and "d" not in line] == [
        *TRACES["seed0_forward_print"],
        *TRACES["seed0_backward_print"],
    ]
    assert lines[-7:] == [f"dv5_d{v} = {name}" for v, name in TRACES["seed0_grad_names"].items()]
    assert (repr(f), repr(dx), repr(dy)) == ("11.652071455223084", "5.5", "1.7163378145367738")


def test_a_sweep_prints_to_the_screen_unless_told_otherwise() -> None:
    screen = io.StringIO()
    with redirect_stdout(screen):
        tape = Recording()
        x = tape.constant(2.0)
        tape.show = None
        y = x * x
        tape.show = print
        grad(y, [x])
    assert screen.getvalue().startswith("v1 = 2.0\ndl_d {'v2': 1.0}\n")
    stream = io.StringIO()
    Recording(show=functools.partial(print, file=stream)).constant(2, "x")
    assert stream.getvalue() == "x = 2.0\n"


def test_five_records_before_the_sweep_and_fifteen_after() -> None:
    tape, x, y, f = document_0([])
    assert len(tape) == len(tape.records) == TRACES["seed0_tape_len_before_after"][0] == 5
    grad(f, [x, y])
    assert len(tape) == len(tape.records) == TRACES["seed0_tape_len_before_after"][1] == 15
    assert tape.variable(0.0).name == "v23"


def test_names_that_print_nothing_are_partials_and_the_seed() -> None:
    tape, x, y, f = document_0([])
    grad(f, [x, y])
    printed = {record.outputs[0] for record in tape.records} | {"v-1", "v0"}
    silent = {name: float(v.value) for name, v in tape.named.items() if name not in printed}
    assert silent == {
        "v6": 1.0,
        "v7": 1.0,
        "v8": -1.0,
        "v11": np.cos(5.0),
        "v13": 1.0,
        "v14": 1.0,
        "v20": 0.5,
    }


def test_a_partial_knows_where_it_comes_from() -> None:
    tape, x, y, f = document_0([])
    grad(f, [x, y])
    behind = {
        record.outputs[0]: [(p.inputs, p.outputs) for p in record.partials]
        for record in tape.records
    }
    assert {name: made for name, made in behind.items() if made} == {
        "v12": [(["v0"], ["v11"])],
        "v21": [(["v-1"], ["v20"])],
    }


# The defects of the document's listing


def test_an_operation_that_does_not_feed_the_result() -> None:
    _, x, y, f = document_0([])
    np.exp(x) * y
    assert [g.value for g in grad(f, [x, y])] == [5.5, 1.7163378145367738]


def test_grad_twice_gives_the_same_twice() -> None:
    _, x, y, f = document_0([])
    assert [[g.value for g in grad(f, [x, y])] for _ in range(3)] == [[5.5, 1.7163378145367738]] * 3


def test_inputs_may_be_called_v1_and_v2() -> None:
    tape = Recording(show=None)
    x, y = tape.constant(2.0, name="v1"), tape.constant(5.0, name="v2")
    assert [g.value for g in grad(seed(x, y), [x, y])] == [5.5, 1.7163378145367738]
    assert {name for record in tape.records[:5] for name in record.outputs} == {
        "v3",
        "v4",
        "v5",
        "v6",
        "v7",
    }


def test_a_name_in_use_is_refused() -> None:
    tape = Recording(show=None)
    x = tape.constant(2.0)
    x * x
    with pytest.raises(InputError, match=r"already a variable named 'v2', with the value 4\.0"):
        tape.constant(3.0, name="v2")


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: x * 3, 3.0),
        (lambda x: 3 * x, 3.0),
        (lambda x: x + 3, 1.0),
        (lambda x: 3 - x, -1.0),
        (lambda x: 3 / x, -0.75),
        (lambda x: x / 4, 0.25),
        (lambda x: 3**x, 9 * np.log(3)),
        (lambda x: np.float64(2) * x, 2.0),
        (lambda x: -x, -1.0),
        (lambda x: x - x, 0.0),
        (lambda x: x / x, 0.0),
        (lambda x: x * x, 4.0),
        (lambda x: 3 % x, -1.0),
    ],
)
def test_constants_on_both_sides_and_operands_that_repeat(f: Any, expected: float) -> None:
    x = Recording(show=None).constant(2.0)
    (dx,) = grad(f(x), [x])
    assert dx.value == pytest.approx(expected, rel=1e-15)


def test_division_of_two_inputs() -> None:
    tape = Recording(show=None)
    x, y = tape.constant(1.25), tape.constant(-0.5)
    assert [g.value for g in grad(x / y, [x, y])] == [-2.0, -5.0]


def test_a_constant_is_printed_and_takes_no_name() -> None:
    lines: list[str] = []
    tape = Recording(lines.append)
    x = tape.constant(2, "x")
    np.float64(3) * x + 1
    assert lines == ["x = 2.0", "v1 = 3.0 * x", "v2 = v1 + 1"]


def test_an_unused_input_has_gradient_zero() -> None:
    tape, x, _, f = document_0([])
    unused = tape.constant(7.0, "unused")
    (zero,) = grad(f, [unused])
    assert (repr(zero), [g.value for g in grad(zero, [x])]) == ("0.0", [0.0])


def test_the_result_and_intermediate_variables_may_be_asked_for() -> None:
    tape = Recording(show=None)
    x = tape.constant(3.0)
    square = x * x
    f = square * square
    assert [g.value for g in grad(f, [f, square, x])] == [1.0, 18.0, 108.0]


def test_numbers_are_plain_floats() -> None:
    tape = Recording(show=None)
    x = tape.constant(np.float64(2))
    (dx,) = grad(np.exp(x) / 3, [x])
    assert [type(v.value) for v in tape.named.values()] == [float] * len(tape.named)
    assert repr([x, dx]) == f"[2.0, {float(np.exp(2.0) / 3)!r}]"


def test_division_by_zero_is_infinite_as_in_numpy() -> None:
    tape = Recording(show=None)
    with np.errstate(divide="ignore"):
        assert (tape.constant(1.0) / tape.constant(0)).value == np.inf
        assert (tape.constant(1.0) / 0).value == np.inf


# No global state, and misuse


def test_two_recordings_know_nothing_of_each_other() -> None:
    one, other = Recording(show=None), Recording(show=None)
    assert (one.constant(1.0).name, other.constant(1.0).name) == ("v1", "v1")
    one.constant(2.0) * 2
    assert (len(one), len(other)) == (1, 0)


def test_reset_starts_afresh_and_refuses_what_was_before() -> None:
    tape, x, _, f = document_0([])
    tape.reset()
    assert (len(tape), tape.named) == (0, {})
    z = tape.constant(3.0)
    assert z.name == "v1"
    with pytest.raises(LeakError, match="before reset"):
        z * x
    with pytest.raises(LeakError, match=r"v5 = 11\.65"):
        grad(f, [z])


def test_an_array_or_a_value_of_another_derivative_is_refused() -> None:
    tape = Recording(show=None)
    with pytest.raises(ShapeError, match="number by number"):
        tape.constant([1.0, 2.0] @ np.eye(2))
    with pytest.raises(ShapeError, match="single numbers"):
        tape.constant(1.0) * np.ones(2)
    with pytest.raises(InputError, match="dtype complex"):
        tape.constant(1j, "x")
    with pytest.raises(InputError, match="yes or no"):
        tape.constant(True)
    with pytest.raises(ad.AutodiffError, match="lose its derivative"):
        ad.grad(lambda x: tape.constant(x))(1.0)


def test_grad_of_what_is_not_recorded_is_refused() -> None:
    tape = Recording(show=None)
    x = tape.constant(1.0)
    for loss, results in ((3.0, [x]), (x, [Recording(show=None).constant(1.0)]), (x, [2.0])):
        with pytest.raises(InputError, match="Variables of one Recording"):
            grad(loss, results)


def test_a_function_without_a_row_leaves_the_recording_usable() -> None:
    tape = Recording(show=None)
    x = tape.constant(2.0)
    with pytest.raises(ad.AutodiffError):
        np.gcd(x, 2)
    assert [g.value for g in grad(x * x, [x])] == [4.0]


def test_a_long_program() -> None:
    tape = Recording(show=None)
    x = y = tape.constant(1.0)
    for _ in range(10_000):
        y = y * 1.0
    assert [g.value for g in grad(y, [x])] == [1.0]
