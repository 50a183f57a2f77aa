"""What `style_plots` does for the plots that a reader makes."""

import base64
import re
import sys

import graphviz
import matplotlib
import nbformat
import pytest

from autodiff_lab.figures.graph.reader_graph import show_graph
from autodiff_lab.figures.plots import style_plots
from tests.notebooks.normalise import execute, normalise

PLOT = """
plt.plot([1, 2], [3, 4], label="a line")
plt.xlabel("steps")
plt.title("Loss")
plt.show()"""
SLIDER = """
from ipywidgets import interact
@interact(x=(0.0, 2.0))
def line(x):
    plt.plot([0, x])
    plt.show()"""

GRAPH = """
import graphviz
graph = graphviz.Digraph()
graph.node("x", "x1 = 2", color="red")
graph.edge("x", "y", label="0.5")
graph"""


def test_it_sets_size_of_type_and_colours():
    with matplotlib.rc_context():
        style_plots()
        assert matplotlib.rcParams["font.size"] == 11
        assert matplotlib.rcParams["axes.prop_cycle"].by_key()["color"][0] == "#0069A6"


@pytest.fixture(scope="module")
def outputs():
    sources = [
        "import matplotlib.pyplot as plt\nimport autodiff_lab as ad\nad.style_plots()",
        PLOT,
        SLIDER,
        PLOT,
        GRAPH,
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    return [cell.outputs for cell in normalise(execute(notebook)).cells]


def test_a_plot_is_a_picture_that_follows_the_page(outputs):
    (output,) = outputs[1]
    assert set(output.data) == {"text/html", "text/plain"}
    assert 'alt="Plot, Loss, steps"' in output.data["text/html"]


def test_the_same_plot_is_the_same_bytes(outputs):
    assert outputs[1][0].data == outputs[3][0].data | {"text/plain": outputs[1][0].data["text/plain"]}


def test_below_a_slider_the_picture_stays_in_the_file(outputs):
    (output,) = outputs[2]
    assert "<img" in output.data["text/html"]
    assert not any("widget" in kind for kind in output.data)


def test_a_graph_is_a_picture_that_follows_the_page_with_and_without_dot(outputs):
    (output,) = outputs[4]
    page = output.data["text/html"]
    svg = base64.b64decode(re.search(r"base64,([^\"]+)", page)[1]).decode()
    assert (
        'alt="Graph: x1 = 2, y, 0.5. Arrows: x1 = 2 → y."' in page
        and output.data["text/plain"] == "<graph: x1 = 2, y, 0.5>"
    )
    assert "prefers-color-scheme:dark" in svg and 'stroke="red"' in svg and "DejaVu Sans" in svg


def test_what_only_graphviz_can_draw_is_said_where_there_is_none(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    digraph = graphviz.Digraph()
    digraph.edge("v1", "v2")
    assert "<img" in show_graph(digraph)["text/html"]
    digraph.edge("v1", "v1")
    said = show_graph(digraph)
    assert set(said) == {"text/plain"} and "v1 -> v1" in said["text/plain"] and "Graphviz" in said["text/plain"]
