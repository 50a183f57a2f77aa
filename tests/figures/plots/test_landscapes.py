"""Tangents, gradients and paths downhill: the engine's slopes, drawn where they belong."""

import re

import numpy as np
import pytest

from autodiff_lab import grad
from autodiff_lab.engine.errors import InputError, ShapeError
from autodiff_lab.figures.plots import plot_descent, plot_tangent

from ..example import example
from .plotted import downhill, valley


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
        (
            lambda: plot_tangent(lambda x: x, np.ones(3)),
            InputError,
            "A plot has room for one or two numbers",
        ),
        (
            lambda: plot_tangent(lambda x: x * np.ones(2), 1.0),
            InputError,
            "returns an array of shape (2,)",
        ),
        (
            lambda: plot_tangent(lambda x: x, 1.0, span=(2, 1)),
            InputError,
            "is not a reach, a pair (from, to)",
        ),
        (lambda: plot_descent(valley, [[1.0, 2.0, 3.0]]), ShapeError, "shape (1, 3)"),
        (lambda: plot_descent(valley, []), ShapeError, "at least one point"),
    ],
)
def test_bad_input_for_a_landscape(make, error, message):
    with pytest.raises(error, match=re.escape(message)):
        make()
