"""A graph in which everything depends on much: it is laid out with care if that is done in time, else in haste."""

import subprocess

import numpy as np
import pytest

from autodiff_lab import Trace, play
from autodiff_lab.figures.graph import draw as graphs
from autodiff_lab.figures.graph import render
from autodiff_lab.figures.graph.layout import layout_graph


def dense(x, y):
    rng = np.random.default_rng(0)
    values = [x, y]
    for _ in range(160):
        a, b = rng.integers(0, len(values), 2)
        values.append(values[a] * 0.5 + values[b] * 0.1)
    return sum(values[-5:])


@pytest.fixture(scope="module")
def trace():
    return Trace.of(dense, 0.5, 0.25)


@pytest.fixture
def no_patience(monkeypatch):
    monkeypatch.setattr(render, "LAYOUT_TIMEOUT_S", 0.0)


def test_only_a_dense_graph_is_watched(trace):
    assert graphs.graph(trace).is_large
    assert not graphs.graph(Trace.of(lambda x: x * x, 3.0)).is_large
    assert not graphs.graph(trace, group="loop").is_large


def test_at_the_limit_it_is_drawn_in_haste_and_says_so(trace, no_patience):
    graph = graphs.graph(trace)
    assert "placed roughly" not in str(graph)
    svg = render.render(graph)
    assert svg.startswith(b"<?xml") and graph.layout_timed_out
    assert str(graph).endswith("so they are placed roughly.")
    assert graph.copy().layout_timed_out and graph.copy().title == graph.title


def test_once_in_haste_it_is_not_tried_again(trace, no_patience, monkeypatch):
    graph = graphs.graph(trace)
    render.render(graph)
    monkeypatch.setattr(subprocess, "run", lambda *args, **kwargs: pytest.fail("tried again"))
    assert render._draw(graph, "json0")
    monkeypatch.setattr(render, "_draw", lambda digraph, format: b"drawn")
    assert render.render(graph, "png", scale=2.0) == b"drawn"


def test_a_layout_in_haste_has_every_place(trace, no_patience):
    places = layout_graph(trace)
    assert "placed roughly" in places["note"]
    assert {f"n{i}" for i in range(len(trace.lines))} <= set(places["nodes"])
    assert "note" not in layout_graph(Trace.of(lambda x: x * x, 3.0))


def test_with_patience_it_is_drawn_with_care(monkeypatch):
    monkeypatch.setattr(render, "LAYOUT_TIMEOUT_S", 600.0)
    graph = graphs.graph(Trace.of(lambda x: x * x + x, 3.0))
    careful = graph.copy()
    careful.is_large = True
    assert render.render(careful, "json0") == render.render(graph, "json0"), (
        "another process draws the same"
    )
    assert not careful.layout_timed_out


def test_the_player_hands_the_note_on(no_patience):
    assert "placed roughly" in play(dense, 0.5, 0.25, group=None).payload["layouts"][0]["note"]
    assert "note" not in play(dense, 0.5, 0.25).payload["layouts"][0], "in groups it is not dense"
