"""Plots: their numbers are the engine's, their words say what there is to see, and their bytes do not change."""

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
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure
from matplotlib.text import Text

from autodiff_lab import grad, hessian, jacobian
from autodiff_lab.engine.errors import InputError, ShapeError
from autodiff_lab.figures.plots import (
    difference_errors,
    plot_cost,
    plot_descent,
    plot_error,
    plot_hessian,
    plot_jacobian,
    plot_matrix,
    plot_tangent,
)
from autodiff_lab.figures.themes import DARK, LIGHT
from autodiff_lab.figures.trace import Trace

from .conftest import contrast, example


def softmax(x):
    return np.exp(x) / np.sum(np.exp(x))


def valley(x, y):
    return (1 - x) ** 2 + 20 * (y - x * x) ** 2


def tridiagonal(x):
    n = len(x)
    return np.stack([x[k] ** 2 - sum(x[j] for j in (k - 1, k + 1) if 0 <= j < n) for k in range(n)])


def two(x1, x2):
    return np.stack([x1 + x2 + np.log(x1), x1 / x2 + (x1 - x2) ** 2])


def downhill(f, start, rate, steps):
    path = [start]
    for _ in range(steps):
        slopes = grad(f, tuple(range(len(start))))(*path[-1])
        path.append(tuple(x - rate * g for x, g in zip(path[-1], slopes, strict=True)))
    return path


PLOTS = {
    "error": lambda **o: plot_error(example, 2.0, 5.0, argnum=1, **o),
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
    "cost": lambda **o: plot_cost(lambda x: np.sum(softmax(x) ** 2), np.arange(5.0), **o),
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


# What holds for every plot


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
    monkeypatch.setattr(Text, "draw", lambda text, *args: drawn.update({text: None}) or draw(text, *args))
    canvas.draw()
    page, renderer = figure.bbox, canvas.get_renderer()
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in drawn if text in texts_of(figure)]
    assert boxes
    for text, box in boxes:
        assert page.x0 - 1 <= box.x0 and box.x1 <= page.x1 + 1, text
        assert page.y0 - 1 <= box.y0 and box.y1 <= page.y1 + 1, text
    for (a, box), (b, other) in itertools.combinations(boxes, 2):
        wide = min(box.x1, other.x1) - max(box.x0, other.x0)
        high = min(box.y1, other.y1) - max(box.y0, other.y0)
        assert wide <= 1 or high <= 1, (a, b)


def test_the_same_bytes_every_time_whatever_a_reader_s_own_settings(name):
    expected = svg_of(name)
    own = {"font.size": 30, "axes.facecolor": "pink", "svg.fonttype": "none", "lines.linewidth": 9, "axes.grid": False}
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
    with pytest.raises(InputError, match="theme is 'auto', 'light' or 'dark'"):
        PLOTS[name](theme="sepia")


def test_a_larger_bitmap():
    figure = plot_matrix(np.eye(3))
    small, large = (int.from_bytes(figure.png(scale)[16:20], "big") for scale in (1.0, 2.0))
    assert abs(large - 2 * small) <= 1


# Error against step size


def test_the_errors_of_the_example():
    """The numbers that the first notebook quotes."""
    steps = [1e-8, 10**-4.5, 1e-15, 1e-17, 1e-20]
    errors = difference_errors(example, 2.0, 5.0, argnum=1, steps=steps)
    assert f"{errors['forward'][0]:.1e}" == "7.5e-09"
    assert f"{errors['central'][1]:.1e}" == "2.0e-11"
    assert f"{errors['forward'][2]:.1e}" == "3.5e-02"
    assert errors["forward"][3] == 1.0
    assert errors["complex"][4] == 0.0


def test_the_slopes_of_truncation():
    errors = difference_errors(np.exp, 1.0, steps=[1e-2, 1e-3])
    assert np.log10(errors["forward"][0] / errors["forward"][1]) == pytest.approx(1, abs=0.01)
    assert np.log10(errors["central"][0] / errors["central"][1]) == pytest.approx(2, abs=0.01)


def test_the_complex_step_breaks_on_abs():
    errors = difference_errors(abs, 2.0, steps=[1e-8], methods=["complex"])
    assert errors["complex"][0] == 1.0
    assert "Complex: smallest error 1.0e+00" in plot_error(abs, 2.0).description


def test_an_error_curve_shows_the_errors():
    figure = plot_error(example, 2.0, 5.0, argnum=1)
    errors = difference_errors(example, 2.0, 5.0, argnum=1)
    lines = {line.get_label().split()[0]: line for line in figure.axes[0].lines if " " in line.get_label()}
    for method in ("forward", "central", "complex"):
        x, y = lines[method].get_data()
        assert np.array_equal(x, errors["step"])
        assert np.array_equal(y, np.maximum(errors[method], 1e-17))
    styles = {(line.get_linestyle(), line.get_marker()) for line in lines.values()}
    assert len(styles) == 3
    assert {"slope 1", "slope 2"} <= {text.get_text() for text in figure.axes[0].texts}


@pytest.mark.parametrize(
    ("args", "options", "message"),
    [
        ((np.ones(2),), {}, "For arrays, compare directions with check_grads"),
        ((1.0,), {"argnum": 1}, "argument 1 of 1"),
        ((1.0,), {"methods": ["backward"]}, "methods is 'forward', 'central' or 'complex'"),
    ],
)
def test_bad_input_for_an_error_curve(args, options, message):
    with pytest.raises(InputError, match=re.escape(message)):
        plot_error(np.sin, *args, **options)


def test_where_the_derivative_is_0_the_error_is_absolute():
    assert plot_error(np.cos, 0.0).axes[0].get_ylabel() == "absolute error of the derivative"
    assert difference_errors(np.cos, 0.0, steps=[0.1])["forward"][0] == pytest.approx(0.05, rel=0.01)


def test_an_array_has_no_error_curve():
    with pytest.raises(InputError, match="an error is that of one number"):
        plot_error(lambda x: x * np.ones(3), 1.0)


# Tangents, gradients, paths


def test_a_tangent_touches_with_the_slope_of_the_engine():
    def f(x):
        return x * np.sin(x)

    axes = plot_tangent(f, 2.0).axes[0]
    tangent = next(line for line in axes.lines if "slope" in line.get_label())
    (x0, x1), (y0, y1) = tangent.get_data()
    assert (y1 - y0) / (x1 - x0) == pytest.approx(grad(f)(2.0), rel=1e-12)
    assert y0 + (2.0 - x0) * grad(f)(2.0) == pytest.approx(f(2.0))


def test_the_arrows_are_the_gradient():
    figure = plot_tangent(example, 2.0, 5.0, span=1.5)
    assert "(5.5, 1.7163)" in figure.axes[0].get_title(loc="left")
    field = next(c for c in figure.axes[0].collections if hasattr(c, "U") and np.size(c.U) > 1)
    for (x, y), u, v in zip(field.XY, field.U, field.V, strict=True):
        a, b = grad(example, (0, 1))(float(x), float(y))
        assert u * b == pytest.approx(v * a, abs=1e-9)
        assert u * a + v * b > 0


def test_a_point_may_be_an_array():
    by_array = plot_tangent(lambda x: x[0] ** 2 + 3 * x[1], np.array([1.0, 2.0]))
    assert "At x[0] = 1, x[1] = 2 the value is 7 and the gradient is (2, 3)" in by_array.description


def test_a_gap_in_a_function_is_a_gap_in_its_curve():
    axes = plot_tangent(np.log, 1.0).axes[0]
    y = axes.lines[0].get_ydata()
    assert np.isnan(y[:10]).all()
    assert np.isfinite(y[-10:]).all()


def test_a_path_is_drawn_as_it_was_walked():
    path = downhill(valley, (-1.2, 1.0), 0.008, 20)
    figure = plot_descent(valley, path)
    line = max(figure.axes[0].lines, key=lambda line: len(line.get_xdata()))
    assert np.array_equal(np.column_stack(line.get_data()), path)
    assert "It starts at x = -1.2, y = 1".replace("-", "−") in figure.description
    assert "Path of 20 steps on valley" in figure.description


def test_a_path_of_numbers_hops_on_the_curve():
    axes = plot_descent(lambda x: x**2, [2.0, 1.0, 0.5]).axes[0]
    hops = next(line for line in axes.lines if len(line.get_xdata()) == 3)
    assert list(hops.get_ydata()) == [4.0, 1.0, 0.25]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: plot_tangent(lambda x: x, np.ones(3)), InputError, "A picture has room for one number or two"),
        (lambda: plot_tangent(lambda x: x * np.ones(2), 1.0), InputError, "returns an array of shape (2,)"),
        (lambda: plot_tangent(lambda x: x, 1.0, span=(2, 1)), InputError, "is not a reach, a pair (from, to)"),
        (lambda: plot_descent(valley, [[1.0, 2.0, 3.0]]), ShapeError, "shape (1, 3)"),
        (lambda: plot_descent(valley, []), ShapeError, "one point at least"),
    ],
)
def test_bad_input_for_a_landscape(make, error, message):
    with pytest.raises(error, match=re.escape(message)):
        make()


# Matrices


def written(figure, m, n):
    texts = [text.get_text().replace("−", "-") for text in figure.axes[0].texts]
    return np.array([float(text) for text in texts]).reshape(m, n)


def test_a_jacobian_is_written_out():
    figure = plot_jacobian(two, 1.0, 2.0)
    assert np.array_equal(written(figure, 2, 2), [[2, 1], [-1.5, 1.75]])
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["x1", "x2"]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["y[0]", "y[1]"]


def test_a_hessian_is_written_out():
    found = written(plot_hessian(example, 2.0, 5.0), 2, 2)
    assert found == pytest.approx(np.array(hessian(example, (0, 1))(2.0, 5.0)), rel=1e-3)


def test_eight_by_eight_is_written_out_and_nine_is_a_heat_map():
    eight = plot_jacobian(softmax, np.arange(8.0))
    assert written(eight, 8, 8) == pytest.approx(jacobian(softmax)(np.arange(8.0)), rel=1e-3, abs=6e-5)
    assert len(eight.axes) == 1
    nine = plot_jacobian(softmax, np.arange(9.0))
    assert len(nine.axes) == 2
    # The signs are there as signs too, not as colours only.
    assert [text.get_text() for text in nine.axes[0].texts] == ["−"] * 72


@pytest.mark.parametrize(
    ("f", "args", "shape"),
    [
        (lambda w, x: w @ x, (np.ones((2, 3)), np.ones(3)), (2, 9)),
        (lambda x: np.sum(x), (np.ones(4),), (1, 4)),
        (lambda p: (p["a"] * 2, p["a"] * p["b"]), ({"a": 1.0, "b": np.ones(2)},), (3, 3)),
        (lambda x, y: {"s": x + y, "t": [x * y, x]}, (1.0, 2.0), (3, 2)),
    ],
)
def test_rows_are_results_and_columns_arguments(f, args, shape):
    figure = plot_jacobian(f, *args)
    assert figure.description.startswith(f"Jacobian, {shape[0]} row")
    assert f"and {shape[1]} column" in figure.description


def test_a_jacobian_of_nested_results_has_the_right_entries():
    def f(p, y):
        return p["a"] * y, np.stack([p["b"][0] * y, p["b"][1] * p["a"]])

    found = written(plot_jacobian(f, {"a": 2.0, "b": np.array([3.0, 5.0])}, 7.0), 3, 4)
    # By a, b[0], b[1], y.
    assert np.array_equal(found, [[7, 0, 0, 2], [0, 7, 0, 3], [5, 0, 2, 0]])


def test_a_pattern_says_where_there_is_something():
    figure = plot_jacobian(tridiagonal, np.linspace(0.5, 2, 30), sparsity=True)
    assert "88 of 900 entries are not 0; they lie between diagonal −1 and diagonal 1." in figure.description
    assert np.asarray(figure.axes[0].images[0].get_array()).sum() == 88


def test_what_is_0_has_the_colour_of_the_page_and_nothing_else_has():
    figure = plot_matrix([[0.0, 1e-12, -1e-12], [1.0, np.nan, -1.0]])
    alpha = np.asarray(figure.axes[0].images[0].get_array())[..., 3]
    assert alpha[0, 0] == 0
    assert (alpha.ravel()[1:] > 0.1).all()
    assert alpha[1, 0] == alpha[1, 2] == alpha.max()


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_numbers_can_be_read_on_the_strongest_colours(theme):
    figure = plot_matrix([[1.0, -1.0]])
    for colour in np.asarray(figure.axes[0].images[0].get_array())[0]:
        paper = np.array(to_rgba(theme.paper)[:3])
        mixed = to_hex(colour[:3] * colour[3] + paper * (1 - colour[3]))
        assert contrast(theme.ink, mixed) >= 4.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"matrix": [1.0, 2.0]}, "has shape (2,)"),
        ({"matrix": np.empty((0, 3))}, "has shape (0, 3)"),
        ({"matrix": np.eye(2), "rows": ["a"]}, "rows has 1 names, and the matrix has 2 rows"),
    ],
)
def test_bad_input_for_a_matrix(options, message):
    with pytest.raises(ShapeError, match=re.escape(message)):
        plot_matrix(**options)


# Cost


def test_bars_are_the_costs_of_the_trace():
    def f(x):
        return np.sum(softmax(x) ** 2)

    figure = plot_cost(f, np.arange(5.0))
    costs = [Trace.of(f, np.arange(5.0), mode="forward").cost, Trace.of(f, np.arange(5.0)).cost]
    for axes, field in zip(figure.axes, ("passes", "operations", "kept"), strict=True):
        assert [bar.get_width() for bar in axes.patches] == [getattr(cost, field) for cost in costs]
        assert len({bar.get_hatch() for bar in axes.patches}) == 2
    assert costs[0].passes == 5
    assert "forward: 5 passes" in figure.description
    known = plot_cost({"one": costs[0], "two": costs[1]})
    assert [bar.get_width() for bar in known.axes[0].patches] == [5, 1]
