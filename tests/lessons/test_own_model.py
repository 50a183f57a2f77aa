"""`own_model`: the saved runs are those of the notebook's programs, and the text's statements about them are true."""

import importlib.util
import json
from typing import Any

import numpy as np
import pytest

import autodiff_lab as ad
from autodiff_lab.lessons.own_model import runs
from autodiff_lab.lessons.own_model.drawing import sending_order
from autodiff_lab.lessons.own_model.exercises import LOST

from ..notebooks.own_model import fresh_runs


@pytest.fixture(autouse=True)
def without_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read what was saved, also where PyTorch is installed."""
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "torch" else find_spec(name)
    )


@pytest.fixture(scope="module")
def saved() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(runs.FILE.read_text(encoding="utf-8"))
    return found


def read_saved(saved: dict[str, Any], key: str) -> Any:
    return runs.from_json_data(saved[key]["returned"])


def test_every_run_of_the_notebook_is_saved_and_of_this_very_program(saved: dict[str, Any]) -> None:
    run_or_load = runs.run_or_load

    def load(program: Any, *args: Any) -> Any:
        run_or_load(program, *args)  # it raises if the program is another
        found: dict[str, Any] = saved[runs.key_of(program, args)]["returned"]
        return found

    assert fresh_runs(load).keys() == saved.keys()


def test_the_file_is_small_enough_for_the_wheel() -> None:
    assert runs.FILE.stat().st_size < 150_000


def test_a_changed_program_is_not_given_the_saved_run() -> None:
    def squares() -> None:
        """Not the notebook's."""

    with pytest.raises(runs.NoSavedRunError, match=r"You have changed squares.*pip install torch"):
        runs.run_or_load(squares)


def test_arguments_without_a_saved_run_are_told() -> None:
    def deep(spread: float, residual: bool) -> None:
        """Not the notebook's."""

    with pytest.raises(
        runs.NoSavedRunError, match=r"no run of deep with these arguments.*pip install torch"
    ):
        runs.run_or_load(deep, 0.3333, False)


def test_order_and_number_are_those_of_the_tape_backwards(saved: dict[str, Any]) -> None:
    player = read_saved(saved, "squares()")
    assert sending_order(player) == ["y", "c", "b", "a"]
    assert player.trace.gradient[0].value == 64.0


def test_the_lost_layers_are_those_of_exercise_1(saved: dict[str, Any]) -> None:
    report = read_saved(saved, "lost()")
    names = {name.split(".")[0] for name in report.grid.data()["parameter"]}
    assert names == LOST
    assert "hint = self.side(h).detach()" in repr(report) and "it is frozen" in repr(report)


def test_the_nan_is_born_where_exercise_2_has_it(saved: dict[str, Any]) -> None:
    numbers, told = read_saved(saved, "born()")
    assert numbers == "loss 9.0, slopes [nan, 1.5, 0.75]"
    assert "in the backward pass is in what root" in told and "0 × ∞ is NaN" in told


def test_gradients_vanish_by_pytorchs_start_and_are_repaired(saved: dict[str, Any]) -> None:
    def factor(key: str) -> float:
        sizes = read_saved(saved, key)
        return float((sizes[0] / sizes[19]) ** (1 / 19))

    assert factor("deep(0, False)") == pytest.approx(1 / np.sqrt(3), abs=0.02)
    flattest = min(
        (0.05, 0.07, 0.1, 0.125, 0.15, 0.2, 0.3),
        key=lambda s: abs(np.log(factor(f"deep({s}, False)"))),
    )
    assert flattest == 0.15
    assert 0.9 < factor("deep(0.125, False)") < 1.0 < factor("deep(0.3, False)")
    assert factor("deep(0.05, True)") == pytest.approx(1.07, abs=0.01)


def test_a_saved_player_has_no_sliders_and_makes_a_page(
    saved: dict[str, Any], tmp_path: Any
) -> None:
    player = read_saved(saved, next(key for key in saved if key.startswith("two_layers")))
    assert player.controls == [] and player.trace.engine.startswith("PyTorch")
    assert "hidden.weight" in player.save_html(tmp_path / "run.html").read_text(encoding="utf-8")
    again = runs.from_json_data(runs.run_to_json_data(lambda: player))
    assert isinstance(again, ad.Player) and again.trace == player.trace
