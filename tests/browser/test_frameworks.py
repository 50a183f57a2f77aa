"""A run of another engine on a page: who ran it, and the names of its parameters, are shown whole."""

from dataclasses import replace

import numpy as np
import pytest

from autodiff_lab import record
from autodiff_lab.trace.tape_reader import run_of_tape
from autodiff_lab.transforms.recording import Outcome
from autodiff_lab.widgets.player.widget import play_recorded

from .player_page import PlayerOnPage

ENGINE = "PyTorch 2.13.0"
NAMES = ["encoder.hidden.weight", "encoder.hidden.bias"]


def net(weight, bias):
    return np.sum(np.tanh(weight * 2.0 + bias))


@pytest.fixture
def saved(tmp_path):
    """A page of a run that says that PyTorch has run it; for that, none has to be installed."""
    value, tape = record(net, np.linspace(0.1, 0.9, 4), np.ones(4))
    run = run_of_tape(tape, net, Outcome(value))
    run = replace(
        run, engine=ENGINE, input_names=NAMES, title="a training step of EncoderWithALongName"
    )
    return play_recorded(run, net).save_html(tmp_path / "run.html")


IS_CUT = "(node) => node.scrollWidth > node.clientWidth + 1"


@pytest.mark.parametrize("width", [1366, 930])
def test_the_engine_and_the_names_of_parameters_are_whole(width, saved, new_page):
    page = new_page(offline=True, width=width, height=768)
    page.goto(saved.as_uri())
    root = PlayerOnPage(page).root
    engine = root.locator(".adl-title .adl-engine")
    assert engine.inner_text() == f"run by {ENGINE}"
    assert not engine.evaluate(IS_CUT)
    box, bar = engine.bounding_box(), root.locator(".adl-bar").bounding_box()
    assert box["y"] + box["height"] <= bar["y"] + bar["height"], "it fits into the bar"
    names = root.locator(".adl-tape tbody th[scope=row]")
    assert names.all_inner_texts()[:2] == NAMES
    for k, name in enumerate(NAMES):
        assert names.nth(k).get_attribute("title") == name
        assert width < 1000 or not names.nth(k).evaluate(IS_CUT)


def test_a_run_of_our_own_says_no_engine(new_page, tmp_path):
    value, tape = record(net, np.ones(4), np.ones(4))
    path = play_recorded(run_of_tape(tape, net, Outcome(value)), net).save_html(
        tmp_path / "own.html"
    )
    page = new_page(offline=True)
    page.goto(path.as_uri())
    assert PlayerOnPage(page).root.locator(".adl-title").inner_text() == "net(weight, bias)"
