"""Softmax regression on iris: the reference series in scalars and in arrays, the length of the tape, and the data."""

from __future__ import annotations

import itertools
import json
import math
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autodiff_lab import check_grads
from autodiff_lab.data import FILE, SHA256, load_iris
from autodiff_lab.engine.errors import AutodiffError
from autodiff_lab.systems.iris import (
    Epoch,
    Parameters,
    categorical_cross_entropy,
    softmax,
    train_arrays,
    train_scalars,
)
from autodiff_lab.systems.wengert import var

SERIES = json.loads((Path(__file__).parents[1] / "data" / "reference_cases.json").read_text())[
    "series"
]["iris_softmax"]
PUBLISHED_CELLS = 5169
"""The document's program, softmax unstabilised, parameters as leaves."""


def epochs(training: Any, count: int) -> list[Epoch]:
    return list(itertools.islice(training, count))


@cache
def in_scalars() -> list[Epoch]:
    return epochs(train_scalars(), 161)


@cache
def in_arrays() -> list[Epoch]:
    return epochs(train_arrays(), 161)


# The series


@pytest.mark.parametrize("run", [in_scalars, in_arrays])
def test_the_reference_series(run: Any) -> None:
    found = run()
    assert [entry["epoch"] for entry in SERIES["series"]] == list(range(0, 161, 10))
    for entry in SERIES["series"]:
        epoch = found[entry["epoch"]]
        assert epoch.number == entry["epoch"]
        assert epoch.loss == pytest.approx(float(entry["loss"]), rel=0, abs=1e-9)
        assert epoch.correct == entry["test_correct"]
    assert found[0].loss == pytest.approx(math.log(3), rel=1e-14)


def test_both_ways_have_the_same_gradient() -> None:
    for scalars, arrays in zip(in_scalars(), in_arrays(), strict=True):
        for a, b in zip(scalars.gradient, arrays.gradient, strict=True):
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-12)


def test_the_first_gradient_by_hand() -> None:
    """At zero every probability is 1/3, so for the biases it is Σ (1/3 − y) / n."""
    expected = [1 / 336, -1 / 168, 1 / 336]
    np.testing.assert_allclose(in_scalars()[0].gradient.b, expected, rtol=1e-12)
    np.testing.assert_allclose(in_arrays()[0].gradient.b, expected, rtol=1e-12)


def test_the_learning_rate_is_used() -> None:
    loss = epochs(train_arrays(rate=0.2), 161)[160].loss
    assert loss == pytest.approx(0.962261, abs=1e-6)
    scalars, arrays = (
        epochs(train(rate=0.2), 2)[1].loss for train in (train_scalars, train_arrays)
    )
    assert scalars == pytest.approx(arrays, rel=1e-12)


@pytest.mark.parametrize("train", [train_scalars, train_arrays])
def test_gradients_never_cleared_train_although_wrong(train: Any) -> None:
    run = epochs(train(clear=False), 21)
    assert run[20].loss == pytest.approx(0.176201, abs=1e-6)
    np.testing.assert_allclose(
        run[2].step.b, sum(epoch.gradient.b for epoch in run[:3]), rtol=1e-14
    )


# The length of the tape


def test_cells_stay_as_many_when_parameters_are_leaves() -> None:
    # log_softmax: one more for each flower
    assert {epoch.cells for epoch in in_scalars()} == {PUBLISHED_CELLS + 112}
    assert {epoch.cells for epoch in epochs(train_scalars(stable=False), 5)} == {PUBLISHED_CELLS}


def test_rebound_parameters_add_fifteen_cells_an_epoch() -> None:
    rebound = epochs(train_scalars(rebind=True, stable=False), 12)
    assert [epoch.cells for epoch in rebound] == [PUBLISHED_CELLS + 15 * k for k in range(12)]
    for one, other in zip(rebound, in_scalars(), strict=False):
        assert one.loss == pytest.approx(other.loss, rel=1e-13)


def test_arrays_have_no_cells() -> None:
    assert {epoch.cells for epoch in in_arrays()} == {None}


# Progress, stopping, going on


@pytest.mark.parametrize("train", [train_scalars, train_arrays])
@pytest.mark.parametrize("clear", [True, False])
def test_training_goes_on_where_it_was_left(train: Any, clear: bool) -> None:
    whole = epochs(train(clear=clear), 6)
    training = train(clear=clear)
    left = epochs(training, 3)[-1]
    training.close()
    for there, here in zip(whole[3:], epochs(train(clear=clear, after=left), 3), strict=True):
        assert (there.number, there.loss, there.correct) == (here.number, here.loss, here.correct)


def test_an_epoch_is_plain_data() -> None:
    epoch = next(train_scalars())
    assert [type(epoch.loss), type(epoch.correct), type(epoch.cells)] == [float, int, int]
    assert (epoch.parameters.w.shape, epoch.gradient.b.shape) == ((3, 4), (3,))
    np.testing.assert_allclose(epoch.parameters.w, -0.1 * epoch.gradient.w)


def test_epochs_are_not_changed_by_what_comes_later() -> None:
    for train in (train_scalars, train_arrays):
        training = train()
        first = next(training)
        kept = Parameters(*(p.copy() for p in first.parameters))
        next(training)
        for now, before in zip(first.parameters, kept, strict=True):
            np.testing.assert_array_equal(now, before)


def test_a_scalar_epoch_takes_hundredths_of_a_second() -> None:
    training = train_scalars()
    next(training)
    start = time.process_time()
    epochs(training, 5)
    assert (time.process_time() - start) / 5 < 0.2  # 0.012 on a quiet machine


# The program


def test_the_program_runs_on_numbers_as_well() -> None:
    loss = categorical_cross_entropy([[1, 0, 0]], [softmax([1.0, 2.0, 3.0])])
    assert loss == pytest.approx(-math.log(math.exp(1) / sum(map(math.exp, (1, 2, 3)))), rel=1e-15)
    check_grads(
        lambda a, b: categorical_cross_entropy([[0, 1]], [softmax([a, b], stable=False)]),
        (0.3, -0.2),
        order=2,
    )


def test_a_stable_softmax_does_not_overflow() -> None:
    cells = [var(1000), var(1001)]
    p, _ = softmax(cells)
    p.backprop()
    assert p.value == pytest.approx(1 / (1 + math.e))
    assert cells[0].sensitivity == pytest.approx(p.value * (1 - p.value))
    with np.errstate(over="ignore", invalid="ignore"):
        assert math.isnan(softmax([var(1000), var(1001)], stable=False)[0].value)


def test_at_a_large_rate_only_the_stable_loss_stays_finite() -> None:
    """After two steps of this length a score lies so far below another that its probability is rounded to 0."""
    stable, arrays = (epochs(train(rate=10.0), 8) for train in (train_scalars, train_arrays))
    for a, b in zip(stable, arrays, strict=True):
        assert a.loss == pytest.approx(b.loss, rel=1e-9)
    with np.errstate(all="ignore"):
        losses = [epoch.loss for epoch in epochs(train_scalars(rate=10.0, stable=False), 4)]
    assert (
        np.isfinite(losses[:2]).all()
        and not np.isfinite(losses[2:]).any()
        and math.isnan(losses[3])
    )


# The data


def test_every_fourth_flower_is_for_testing() -> None:
    flowers = load_iris()
    rows = [line.split(",") for line in FILE.read_text().splitlines()[1:]]
    assert [len(sample.labels) for sample in (flowers.train, flowers.test)] == [112, 38]
    for sample, chosen in (
        (flowers.test, rows[::4]),
        (flowers.train, [r for k, r in enumerate(rows) if k % 4]),
    ):
        np.testing.assert_array_equal(
            sample.features, [[float(x) for x in row[:4]] for row in chosen]
        )
        assert [flowers.species[k] for k in sample.labels] == [row[4] for row in chosen]
    assert flowers.feature_names[0] == "sepal_length_cm"


def test_the_hash_is_the_references() -> None:
    assert SHA256 in SERIES["dataset"]


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    changed = tmp_path / "iris.csv"
    changed.write_text(FILE.read_text().replace("5.1,3.5", "5.2,3.5", 1))
    with pytest.raises(AutodiffError, match="is not this tutorial's iris table"):
        load_iris(changed)


def test_line_ends_do_not_matter(tmp_path: Path) -> None:
    windows = tmp_path / "iris.csv"
    windows.write_bytes(FILE.read_bytes().replace(b"\n", b"\r\n"))
    np.testing.assert_array_equal(load_iris(windows).train.features, load_iris().train.features)


def test_the_shared_arrays_cannot_be_written_to() -> None:
    with pytest.raises(ValueError, match="read-only"):
        load_iris().train.features[0, 0] = 1.0
