"""What `style_plots` does for the plots that a reader makes."""

import base64
import io
import re
from xml.etree import ElementTree

import matplotlib
import nbformat
import pytest
from matplotlib.figure import Figure

from autodiff_lab.figures.plots import style, style_plots
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
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in sources]
    )
    return [cell.outputs for cell in normalise(execute(notebook)).cells]


def test_a_plot_is_a_picture_that_follows_the_page(outputs):
    (output,) = outputs[1]
    assert set(output.data) == {"text/html", "text/plain"}
    assert 'alt="Plot, Loss, steps"' in output.data["text/html"]


def test_the_same_plot_is_the_same_bytes(outputs):
    assert outputs[1][0].data == outputs[3][0].data | {
        "text/plain": outputs[1][0].data["text/plain"]
    }


def test_a_plot_is_kept_in_fewer_bytes_with_all_that_is_drawn():
    figure, file = Figure(), io.StringIO()
    figure.subplots().plot([0.0, 0.123456, 2.0], [1.0, -2.0, 1e-3], "o--", label="fallen")
    figure.savefig(file, format="svg")
    kept = base64.b64decode(re.search(r"base64,([^\"]+)", style._show(figure))[1]).decode()

    def drawn(svg, tag):
        elements = [e for e in ElementTree.fromstring(svg).iter() if e.tag.endswith(tag)]
        return [[float(n) for n in re.findall(r"-?\d+\.?\d*", e.get("d", ""))] for e in elements]

    assert len(kept) < 0.7 * len(file.getvalue())
    assert len(drawn(kept, "use")) == len(drawn(file.getvalue(), "use"))
    for ours, whole in zip(drawn(kept, "path"), drawn(file.getvalue(), "path"), strict=True):
        assert ours == pytest.approx(whole, abs=0.051)


def test_words_stay_words_and_name_fonts_of_every_machine():
    with matplotlib.rc_context():
        style_plots()
        figure = Figure()
        figure.subplots().set(xlabel="steps of 1", yscale="log", title="0.5 of them")
        kept = base64.b64decode(re.search(r"base64,([^\"]+)", style._show(figure))[1]).decode()
    words = "".join(ElementTree.fromstring(kept).itertext())
    assert "steps of 1" in words and "0.5 of them" in words
    assert "'DejaVu Sans',Verdana" in kept


def test_below_a_slider_the_picture_stays_in_the_file(outputs):
    (output,) = outputs[2]
    assert "<img" in output.data["text/html"]
    assert not any("widget" in kind for kind in output.data)


def test_a_graph_follows_the_page_with_and_without_dot(outputs):
    (output,) = outputs[4]
    page = output.data["text/html"]
    svg = base64.b64decode(re.search(r"base64,([^\"]+)", page)[1]).decode()
    assert (
        'alt="Graph: x1 = 2, y, 0.5. Arrows: x1 = 2 → y."' in page
        and output.data["text/plain"] == "<graph: x1 = 2, y, 0.5>"
    )
    assert "prefers-color-scheme:dark" in svg and 'stroke="red"' in svg and "DejaVu Sans" in svg
