"""TrainRoom: the reference series, the switches and what they do, and a run that is left and gone on with."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from autodiff_lab.systems.iris import train_arrays
from autodiff_lab.widgets.labs import TrainRoom
from autodiff_lab.widgets.labs.train_room.lab import CELLS_A_PRESS, REBIND

REFERENCE = json.loads((Path(__file__).parents[2] / "data" / "reference_cases.json").read_text())[
    "series"
]
SERIES = REFERENCE["iris_softmax"]["series"]


def trained(epochs=161, **settings):
    lab = TrainRoom()
    lab.set(epochs=epochs, **settings)
    while lab.can("train"):
        lab.press("train")
    return lab


@pytest.fixture(scope="module")
def whole():
    """A run as it ends, trained once; that pressing Train comes to the same, other tests see in shorter runs."""
    return TrainRoom().still()


def test_the_flowers_are_split(whole):
    snap = whole.snapshot()
    assert (snap["trained"], snap["tested"]) == (112, 38)


def test_the_losses_are_the_reference(whole):
    snap = whole.snapshot()
    assert [entry["epoch"] for entry in SERIES] == list(range(0, 161, 10))
    for entry in SERIES:
        assert snap["losses"][entry["epoch"]] == pytest.approx(
            float(entry["loss"]), rel=0, abs=1e-9
        )
        assert snap["all_right"][entry["epoch"]] == entry["test_correct"]
    assert snap["epoch"] == 160 and "31 of 38 test flowers" in whole.sentence()


def test_scalars_and_arrays_have_one_gradient(whole):
    for scalars, arrays in zip(whole.run.epochs, train_arrays(), strict=False):
        for a, b in zip(scalars.gradient, arrays.gradient, strict=True):
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-12)
    assert whole.snapshot()["gradients"][0] == pytest.approx(
        np.sqrt(
            sum(
                np.sum(np.array(REFERENCE["iris_softmax"][f"first_gradient_{k}"], float) ** 2)
                for k in "Wb"
            )
        )
    )


def test_the_tape_grows_only_where_names_are_bound_anew(whole):
    assert len(set(whole.snapshot()["all_cells"])) == 1
    cells = trained(12, update=REBIND, stable=False).snapshot()["all_cells"]
    assert cells == [5169 + 15 * k for k in range(12)]
    grown = trained(12, update=REBIND)
    assert set(np.diff(grown.snapshot()["all_cells"])) == {15}
    assert "15 cells longer than an epoch ago" in grown.sentence()
    assert grown.snapshot()["losses"] == pytest.approx(whole.snapshot()["losses"][:12], rel=1e-12)


def test_without_zero_grad_it_trains_with_a_wrong_gradient(whole):
    lab = trained(21, zero_grad=False)
    snap = lab.snapshot()
    assert snap["loss"] == pytest.approx(0.176201, abs=1e-6)
    assert whole.snapshot()["losses"][20] == pytest.approx(0.745727, abs=1e-6)
    assert snap["error"] > 1 and "not the gradient of this loss" in lab.sentence()
    assert whole.snapshot()["error"] == 0.0 and "not the gradient" not in whole.sentence()


def test_twice_the_learning_rate_ends_higher(whole):
    by_arrays = [epoch.loss for epoch in itertools.islice(train_arrays(rate=0.2), 161)]
    assert (
        by_arrays[-1] == pytest.approx(0.962261, abs=1e-6)
        and by_arrays[-1] > whole.snapshot()["loss"]
    )
    assert trained(15, rate="0.2").snapshot()["losses"] == pytest.approx(by_arrays[:15], rel=1e-12)


def test_at_a_high_rate_only_the_naive_softmax_loses_the_loss():
    lost, kept = trained(30, rate="10", stable=False), trained(30, rate="10")
    assert lost.snapshot()["is_lost"] and len(lost.run.epochs) == 3 and not lost.can("train")
    assert "no longer finite" in lost.sentence() and "not finite, epoch 2" in lost.picture()
    assert not kept.snapshot()["is_lost"] and len(kept.run.epochs) == 30


def test_a_run_can_be_stopped_and_resumed(whole):
    lab = TrainRoom()
    lab.set(epochs=30)
    for _ in range(3):
        lab.press("train")
    left = len(lab.run.epochs)
    assert 0 < left < 30 and "not finished" in lab.picture()
    assert f"{left} of 30 epochs" in lab.picture()
    while lab.can("train"):
        lab.press("train")
    assert lab.snapshot()["losses"] == whole.snapshot()["losses"][:30]
    assert "30 of 30 epochs, done" in lab.picture()
    lab.set(epochs=40)
    assert lab.can("train") and len(lab.run.epochs) == 30, "more epochs go on with the same run"


def test_a_press_is_short_however_long_the_tape():
    lab = TrainRoom()
    lab.press("restart")
    lab.press("train")
    per_epoch = lab.snapshot()["cells"]
    assert (len(lab.run.epochs) - 1) * per_epoch < CELLS_A_PRESS <= len(lab.run.epochs) * per_epoch


def test_another_setting_begins_a_run_and_keeps_the_old_in_view():
    lab = trained(10)
    losses = lab.snapshot()["losses"]
    lab.set(rate="0.2")
    snap = lab.snapshot()
    assert snap["losses"] == [] and snap["before"]["losses"] == losses
    assert "the run before" in lab.picture()
    lab.press("train")
    lab.set(zero_grad=False)
    lab.set(zero_grad=True)
    assert len(lab.snapshot()["before"]["losses"]) > 1, "a run that never began is not kept"
    lab.press("restart")
    assert not lab.can("restart")


def test_the_table_says_what_the_picture_shows(whole):
    text = whole.table().text()
    assert "0.3353" in text and "5281" in text and len(text.splitlines()) < 24
    begun = TrainRoom()
    begun.press("restart")
    assert "none yet" in begun.table().text()


def test_where_nothing_moves_a_whole_run_is_shown():
    begun = trained(10)
    assert begun.still() is begun
    begun.set(rate="0.2")
    assert not begun.run.epochs and "10 of 10 epochs, done" in begun.still().picture()


def test_it_opens_with_the_whole_run_of_the_document(whole):
    lab = TrainRoom()
    assert "161 of 161 epochs, done" in lab.picture() and "31 of 38 test flowers" in lab.picture()
    lab.set(zero_grad=False)
    assert "0 of 161 epochs, not begun" in lab.picture() and "the run before" in lab.picture()
    assert lab.snapshot()["before"] == whole.run.columns()
    assert "Which of the four curves" in lab.sentence()


def test_fewer_epochs_begin_again():
    lab = TrainRoom()
    lab.set(epochs=200)
    assert len(lab.run.epochs) == 161 and lab.can("train")
    lab.set(epochs=160)
    assert lab.run.epochs == [] and len(lab.snapshot()["before"]["losses"]) == 161


def test_what_one_run_has_trained_is_no_part_of_another():
    lab = trained(10, rate="0.5")
    other = TrainRoom()
    other.set(epochs=20, rate="0.5")
    assert other.run.epochs == []
    other.press("train")
    assert len(lab.run.epochs) == 10 and other.run.epochs == lab.run.epochs[: len(other.run.epochs)]


def test_the_code_of_an_epoch_follows_the_switches():
    lab = TrainRoom()
    for setting, line in (
        ({}, "p.value -= 0.1 * g"),
        ({"update": REBIND}, "p = p - 0.1 * g"),
        ({"zero_grad": False}, "g += gradient"),
        ({"stable": False}, "-log(softmax(z)[c])"),
        ({"rate": "0.5"}, "p = p - 0.5 * g"),
    ):
        lab.set(**setting)
        assert line in lab.picture()
