"""A picture of a notebook shows the words and numbers of its figure, each to the last digit."""

import base64
import io
import linecache
import re
from xml.etree import ElementTree

import matplotlib
import matplotlib.pyplot as plt
import nbformat
import pytest
from IPython.display import display
from matplotlib.figure import Figure

import autodiff_lab
from autodiff_lab.figures.plots import style

from .normalise import NOTEBOOKS

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))


def list_texts(svg):
    """List the texts in an SVG picture, in order; matplotlib indents the parts of a power."""
    texts = [
        element for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("}text")
    ]
    return ["".join(piece.strip("\n ") for piece in text.itertext()) for text in texts]


def shown_svg(figure):
    """Return the SVG that a notebook shows of a figure."""
    return base64.b64decode(re.search(r'base64,([^"]+)', style._show(figure))[1]).decode()


def source_svg(figure):
    """Return the SVG that matplotlib itself writes of a figure."""
    file = io.StringIO()
    figure.savefig(file, format="svg")
    return file.getvalue()


@pytest.fixture
def drawn(monkeypatch):
    """The figures that were made since the list was emptied, whether by pyplot, by the package or inside a widget."""
    figures = []
    begin = Figure.__init__

    def note(self, *args, **kwargs):
        begin(self, *args, **kwargs)
        figures.append(self)

    monkeypatch.setattr(Figure, "__init__", note)
    return figures


def run_cells(path, monkeypatch):
    """Run the code cells of a notebook one by one; yield the number of each."""
    names = {"__name__": "__main__", "display": display}
    for k, cell in enumerate(nbformat.read(path, as_version=4).cells):
        if cell.cell_type == "code":
            file = f"<cell {k} of {path.stem}>"
            lines = cell.source.splitlines(keepends=True)
            monkeypatch.setitem(linecache.cache, file, (len(cell.source), None, lines, file))
            exec(compile(cell.source, file, "exec"), names)
            yield k


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("default")
def test_every_plot_of_a_notebook(path, drawn, monkeypatch):
    monkeypatch.chdir(path.parent)
    monkeypatch.setattr(plt, "show", plt.close)
    with matplotlib.rc_context():
        for k in run_cells(path, monkeypatch):
            for figure in drawn:
                assert list_texts(shown_svg(figure)) == list_texts(source_svg(figure)), f"cell {k}"
            drawn.clear()


def test_every_digit_of_ticks_and_words_is_kept():
    label = 'slope 1.716, style="a:  b", d="M 1.2345 2"'
    with matplotlib.rc_context():
        autodiff_lab.style_plots()
        figure = Figure()
        axes = figure.subplots()
        axes.plot([0, 0.001, 0.002], [1.001, 1.002, 1.003], label=label)
        axes.legend()
        shown = list_texts(shown_svg(figure))
        assert shown == list_texts(source_svg(figure))
    assert {"0.00125", "1.0015", label} <= set(shown)


def test_a_plot_keeps_its_own_description():
    plot = autodiff_lab.plot_tangent(lambda x: x**2, 3.0)
    assert f'alt="{plot.description}"' in style._show(plot)
