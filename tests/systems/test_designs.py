"""The three designs: one gradient, and what each stores, survives and can do, as it comes out when tried."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autodiff_lab as ad
from autodiff_lab.engine.errors import InputError, MutationError, ShapeError
from autodiff_lab.systems.designs import DESIGNS, entry_views
from autodiff_lab.systems.side_by_side import Column, Comparison, compare

THREE = ["partials", "closures", "operations"]


def document_0(x1: Any, x2: Any) -> Any:
    return np.log(x1) + x1 * x2 - np.sin(x2)


def neuron(w: Any, x: Any, b: Any) -> Any:
    return np.tanh(w * x + b)


def by_name(comparison: Comparison) -> dict[str, Column]:
    return {column.design: column for column in comparison.columns}


# One program, one gradient


PROGRAMS = [
    (document_0, (2.0, 5.0)),
    (neuron, (0.5, 2.0, 0.1)),
    (lambda x, y: np.sin(x) + x * y, (3.0, 1.0)),
    (lambda x: x * x * x, (3.0,)),
    (lambda x, y: 3 / x - y**2 + np.where(x > y, x, y * y), (1.5, 0.5)),
    (lambda x, unused: np.exp(x) * np.floor(x) + 2, (1.5, 0.5)),
]


@pytest.mark.parametrize(("f", "inputs"), PROGRAMS)
@pytest.mark.parametrize("name", DESIGNS)
def test_every_design_has_the_engines_value_and_gradient(
    name: str, f: Any, inputs: tuple[float, ...]
) -> None:
    run = DESIGNS[name](f, entry_views(np.array(inputs)))
    value, gradient = ad.value_and_grad(f, argnums=tuple(range(len(inputs))))(*inputs)
    assert run.value == pytest.approx(value, rel=1e-15)
    for _ in range(2):
        assert run.gradient() == pytest.approx(gradient, rel=1e-13)


@given(st.floats(0.2, 3), st.floats(-3, 3))
def test_the_designs_agree_anywhere(a: float, b: float) -> None:
    gradients = [
        design(document_0, entry_views(np.array([a, b]))).gradient() for design in DESIGNS.values()
    ]
    for gradient in gradients[1:]:
        assert gradient == pytest.approx(gradients[0], rel=1e-12, abs=1e-12)


# What is stored


def test_the_ledger_of_a_neuron() -> None:
    columns = by_name(compare(neuron, 0.5, 2.0, 0.1))
    assert [columns[name].numbers for name in THREE] == [5, 3, 6]
    assert [columns[name].bytes for name in THREE] == [40, 24, 48]
    assert [columns[name].closures for name in THREE] == [0, 3, 0]


def test_the_ledger_says_what_of_which_operation() -> None:
    comparison = compare(neuron, 0.5, 2.0, 0.1)
    y = math.tanh(1.1)
    assert comparison.program == ("v1 = v-2 * v-1", "v2 = v1 + v0", "v3 = tanh(v2)")
    partials, closures, operations = (
        [(s.names, s.numbers) for s in c.ledger] for c in comparison.columns[:3]
    )
    assert partials == [
        (("∂v1/∂v-2", "∂v1/∂v-1"), (2.0, 0.5)),
        (("∂v2/∂v1", "∂v2/∂v0"), (1.0, 1.0)),
        (("∂v3/∂v2",), (pytest.approx(1 - y * y),)),
    ]
    assert closures == [(("v-2", "v-1"), (0.5, 2.0)), ((), ()), (("v2",), (pytest.approx(1.1),))]
    assert operations == [
        (("v-2", "v-1", "v1"), (0.5, 2.0, 1.0)),
        (("v1", "v0", "v2"), (1.0, 0.1, 1.1)),
        (("v2", "v3"), (1.1, pytest.approx(y))),
    ]


def test_what_a_closure_keeps_is_read_off_its_rule() -> None:
    """A quotient reads the divisor and the result; log reads its operand, exp its result, a sum nothing."""
    comparison = compare(lambda a, b: np.log(a / b) + np.exp(a), 1.0, 2.0)
    names = [stored.names for stored in by_name(comparison)["closures"].ledger]
    assert comparison.program[0] == "v1 = v-1 / v0"
    assert names == [("v0", "v1"), ("v1",), ("v3",), ()]
    assert by_name(comparison)["closures"].numbers == 3


def test_an_operation_off_the_result_is_no_cell() -> None:
    def f(x: Any, y: Any) -> Any:
        np.exp(x * y)
        return x * 3

    comparison = compare(f, 1.0, 2.0)
    partials, closures, operations = comparison.columns[:3]
    assert comparison.program == ("v1 = v-1 * v0", "v2 = exp(v1)", "v3 = v-1 * 3")
    assert [stored.numbers for stored in partials.ledger] == [(), (), (3.0,)]
    assert [stored.names for stored in operations.ledger] == [
        ("v-1", "v0", "v1"),
        ("v1", "v2"),
        ("v-1", "constant", "v3"),
    ]
    assert closures.closures == 3


def test_an_operand_that_repeats_has_two_partials() -> None:
    (partials, *_) = compare(lambda x: x * x, 3.0).columns
    assert (partials.ledger[0].numbers, partials.numbers) == ((3.0, 3.0), 2)


# What survives, what can be differentiated again, what can be replayed


def test_what_came_of_each_trial() -> None:
    columns = by_name(compare(document_0, 2.0, 5.0, written=1.0))
    verdicts = {
        name: (c.mutated.verdict, c.again.verdict, c.replay.verdict) for name, c in columns.items()
    }
    assert verdicts == {
        "partials": ("survives", "no", "no"),
        "closures": ("changes", "yes", "no"),
        "operations": ("changes", "yes", "yes"),
        "operations, inputs copied": ("survives", "yes", "yes"),
        "operations, inputs checked": ("raises", "yes", "yes"),
    }


def test_after_writing_the_sweep_mixes_the_numbers_of_two_runs() -> None:
    columns = by_name(compare(lambda x, y: np.sin(x) * y, 2.0, 5.0, written=0.0))
    assert columns["partials"].mutated.numbers == columns["partials"].gradient
    assert columns["closures"].mutated.numbers == columns["operations"].mutated.numbers
    # ∂/∂y still of the old x
    assert columns["closures"].mutated.numbers == (0.0, pytest.approx(math.sin(2.0)))


def test_a_design_that_only_reads_results_survives() -> None:
    columns = by_name(compare(lambda x: np.exp(x), 2.0))
    assert {
        column.mutated.verdict for name, column in columns.items() if "checked" not in name
    } == {"survives"}


def test_writing_is_done_to_the_learners_own_array() -> None:
    x = np.array([2.0, 5.0])
    runs = {name: design(document_0, entry_views(x)) for name, design in DESIGNS.items()}
    before = runs["partials"].gradient()
    x[:] = 0.5
    assert runs["partials"].gradient() == runs["operations, inputs copied"].gradient() == before
    assert (
        runs["closures"].gradient() == runs["operations"].gradient() == [2.5, 0.5 - math.cos(0.5)]
    )
    with pytest.raises(MutationError, match="was written to after the run"):
        runs["operations, inputs checked"].gradient()
    x[:] = [2.0, 5.0]
    assert runs["operations, inputs checked"].gradient() == before


def test_the_gradient_differentiated_again_is_the_hessian() -> None:
    columns = by_name(compare(document_0, 2.0, 5.0))
    for name in ("closures", "operations"):
        assert columns[name].again.numbers == (
            (-0.25, 1.0),
            (1.0, pytest.approx(-0.9589242746631385, rel=1e-15)),
        )
    assert (
        columns["partials"].again.says
        == "AttributeError: 'float' object has no attribute 'backprop'"
    )


def test_replay_elsewhere() -> None:
    columns = by_name(compare(document_0, 2.0, 5.0, elsewhere=(1.0, 3.0)))
    expected = 3 - math.sin(3)
    assert columns["operations"].replay.numbers == (pytest.approx(expected),)
    for name in ("partials", "closures"):
        # the old value, whatever is put in
        assert columns[name].replay.numbers == (pytest.approx(11.652071455223084),)


def test_replay_where_the_program_goes_another_way() -> None:
    columns = by_name(compare(lambda x: x * x if x > 1 else x, 2.0, elsewhere=(0.5,)))
    assert columns["operations"].replay.verdict == "no"
    assert columns["operations"].replay.says.startswith(
        "BranchChanged: When this tape was recorded"
    )


def test_a_wrong_second_derivative_would_be_noticed() -> None:
    class Sloppy(DESIGNS["closures"]):  # type: ignore[misc]
        def hessian(self) -> list[list[float]]:
            return [[0.0]]

    (column,) = compare(lambda x: x * x, 3.0, designs={"sloppy": Sloppy}).columns
    assert column.again.verdict == "wrong"


# Plain data


def test_the_snapshot_is_plain_data() -> None:
    comparison = compare(document_0, 2.0, 5.0)
    snapshot = comparison.snapshot()
    assert json.loads(json.dumps(snapshot))["columns"][0]["design"] == "partials"
    assert snapshot["columns"][1]["ledger"][0] == {"names": ("v-1",), "numbers": (2.0,)}
    assert "np.float64" not in repr(snapshot)


def test_the_table_has_a_row_for_each_design() -> None:
    comparison = compare(document_0, 2.0, 5.0)
    heading, *rows = comparison.rows()
    assert [row[0] for row in rows] == list(DESIGNS)
    assert {len(row) for row in rows} == {len(heading)}
    assert len(comparison.table().splitlines()) == 1 + len(DESIGNS)


# Misuse


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(InputError, match="at least one input"):
        compare(lambda: 1.0)
    with pytest.raises(ShapeError, match="number by number"):
        compare(np.sum, np.ones(3))
    with pytest.raises(InputError, match="nothing was recorded"):
        compare(lambda x: 3.0, 1.0)
    with pytest.raises(ShapeError):
        compare(lambda x, y: np.stack([x, y]), 1.0, 2.0)
