"""Jacobians and Hessians: every entry in its place, as a number, a colour or a mark."""

import re

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgba

from autodiff_lab import hessian, jacobian
from autodiff_lab.engine.errors import ShapeError
from autodiff_lab.figures.plots import plot_hessian, plot_jacobian, plot_matrix
from autodiff_lab.figures.style.themes import DARK, LIGHT

from ..example import contrast, example
from .plotted import softmax, tridiagonal, two


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
    assert written(eight, 8, 8) == pytest.approx(
        jacobian(softmax)(np.arange(8.0)), rel=1e-3, abs=6e-5
    )
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
    assert (
        "88 of 900 entries are not 0; they lie between diagonal −1 and diagonal 1."
        in figure.description
    )
    assert np.asarray(figure.axes[0].images[0].get_array()).sum() == 88


def test_only_0_has_the_colour_of_the_page():
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
