"""What holds for every plot: its words say what there is to see, it can be read, and its bytes do not change."""

import base64
import functools
import itertools
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text

from autodiff_lab.engine.errors import InputError
from autodiff_lab.figures.plots import (
    plot_descent,
    plot_hessian,
    plot_jacobian,
    plot_matrix,
    plot_tangent,
)
from autodiff_lab.figures.style.themes import DARK, LIGHT

from ..example import contrast, example
from .plotted import downhill, softmax, tridiagonal, two, valley

PLOTS = {
    "tangent": lambda **o: plot_tangent(lambda x: x * np.sin(x), 2.0, **o),
    "field": lambda **o: plot_tangent(example, 2.0, 5.0, span=1.5, **o),
    "path": lambda **o: plot_descent(valley, downhill(valley, (-1.2, 1.0), 0.008, 20), **o),
    "path on a curve": lambda **o: plot_descent(lambda x: x**2, [2.0, 1.0, 0.5], **o),
    "Jacobian": lambda **o: plot_jacobian(two, 1.0, 2.0, **o),
    "Jacobian of eight": lambda **o: plot_jacobian(softmax, np.arange(8.0) / 2, **o),
    "Hessian": lambda **o: plot_hessian(example, 2.0, 5.0, **o),
    "heat map": lambda **o: plot_jacobian(tridiagonal, np.linspace(0.5, 2, 30), **o),
    "heat map with signs": lambda **o: plot_jacobian(tridiagonal, np.linspace(0.5, 2, 15), **o),
    "sparsity": lambda **o: plot_jacobian(tridiagonal, np.linspace(0.5, 2, 30), sparsity=True, **o),
    "long names": lambda **o: plot_jacobian(
        lambda p: p["weights"] * p["bias"], {"weights": np.ones(3), "bias": 2.0}, **o
    ),
    "not finite": lambda **o: plot_matrix([[1.0, np.nan], [np.inf, -2.0]], title="Some", **o),
    "pole": lambda **o: plot_tangent(lambda x: 1 / x, 1.0, **o),
}


@functools.cache
def made(name, theme="auto"):
    return PLOTS[name](theme=theme)


@functools.cache
def svg_of(name, theme="auto"):
    return made(name, theme).svg()


@pytest.fixture(params=PLOTS)
def name(request):
    return request.param


def texts_of(figure):
    return [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]


def test_every_plot_is_a_figure_with_words(name):
    figure = made(name)
    assert isinstance(figure, Figure)
    assert re.fullmatch(r"[A-Z].{40,}\.", figure.description, re.DOTALL)
    assert repr(figure).startswith("<plot: ")
    assert "<lambda>" not in figure.description + figure.axes[0].get_title(loc="left")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_type_is_large_and_can_be_read(name, theme):
    colours = {"light": LIGHT, "dark": DARK}[theme]
    for text in texts_of(made(name, theme)):
        assert text.get_fontsize() * 96 / 72 >= 14, text
        assert contrast(to_hex(text.get_color()), colours.paper) >= 4.5, text


def test_nothing_is_cut_off_and_no_text_runs_into_another(name, monkeypatch):
    figure, drawn = PLOTS[name](), {}
    canvas, draw = FigureCanvasAgg(figure), Text.draw
    # A figure has more labels than it draws: those of ticks beyond the end of an axis stay in the drawer.
    monkeypatch.setattr(
        Text, "draw", lambda text, *args: drawn.update({text: None}) or draw(text, *args)
    )
    canvas.draw()
    page, renderer = figure.bbox, canvas.get_renderer()
    boxes = [
        (text.get_text(), text.get_window_extent(renderer))
        for text in drawn
        if text in texts_of(figure)
    ]
    assert boxes
    for text, box in boxes:
        assert page.x0 - 1 <= box.x0 and box.x1 <= page.x1 + 1, text
        assert page.y0 - 1 <= box.y0 and box.y1 <= page.y1 + 1, text
    for (a, box), (b, other) in itertools.combinations(boxes, 2):
        wide = min(box.x1, other.x1) - max(box.x0, other.x0)
        high = min(box.y1, other.y1) - max(box.y0, other.y0)
        assert wide <= 1 or high <= 1, (a, b)


def test_a_plot_has_the_same_bytes_under_any_own_settings(name):
    expected = svg_of(name)
    own = {
        "font.size": 30,
        "axes.facecolor": "pink",
        "svg.fonttype": "none",
        "lines.linewidth": 9,
        "axes.grid": False,
    }
    with matplotlib.rc_context(own):
        before = dict(matplotlib.rcParams)
        assert PLOTS[name]().svg() == expected
        assert dict(matplotlib.rcParams) == before


def test_a_notebook_gets_a_picture_with_its_words():
    figure = made("Jacobian")
    bundle = figure._repr_mimebundle_()
    assert set(bundle) == {"text/html", "image/png", "text/plain"}
    assert f'alt="{figure.description}"' in bundle["text/html"]
    assert base64.b64decode(bundle["image/png"]) == figure.png() == PLOTS["Jacobian"]().png()


def test_an_automatic_theme_follows_the_page(name):
    svg = svg_of(name)
    ElementTree.fromstring(svg)
    rule = re.search(r"@media \(prefers-color-scheme:dark\)\{svg\{(.*?)\}\}", svg)[1]
    assert f"--paper:{DARK.paper}" in rule
    assert f"--ink:{DARK.ink}" in rule
    for role in ("paper", "ink"):
        assert getattr(LIGHT, role).lower() not in re.sub(r"var\([^)]*\)", "", svg)


def test_another_theme_is_the_whole_picture():
    assert "var(" not in svg_of("tangent", "dark")
    assert DARK.paper.lower() in svg_of("tangent", "dark")
    assert LIGHT.paper.lower() not in svg_of("tangent", "dark")


def test_without_pyplot():
    """Plots work beside a reader's own matplotlib, and leave no figure open in pyplot."""
    code = (
        "import sys; from autodiff_lab.figures.plots import plot_matrix; plot_matrix([[1.0]]).png();"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_figures_do_not_load_matplotlib():
    code = (
        "import sys; import autodiff_lab as ad; ad.draw(lambda x: x * x, 3.0); ad.table(lambda x: x * x, 3.0);"
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_theme_that_does_not_exist(name):
    with pytest.raises(InputError, match="theme must be 'auto', 'light' or 'dark'"):
        PLOTS[name](theme="sepia")


def test_a_larger_bitmap():
    figure = plot_matrix(np.eye(3))
    small, large = (int.from_bytes(figure.png(scale)[16:20], "big") for scale in (1.0, 2.0))
    assert abs(large - 2 * small) <= 1
