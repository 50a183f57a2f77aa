import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_lab.text import notation


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (2, "2"),
        (2.0, "2"),
        (-3.0, "−3"),
        (0.0, "0"),
        (-0.0, "0"),
        (math.log(2), "0.6931"),
        (-0.28366218546322625, "−0.2837"),
        (10.693147180559945, "10.6931"),
        (0.5, "0.5"),
        (0.1 + 0.2, "0.3"),
        (2.00000001, "2.0000"),
        (0.0005, "0.0005"),
        (1.3e-5, "1.3e−5"),
        (-1.23456e-7, "−1.235e−7"),
        (123456.5, "123456.5"),
        (1234567.5, "1.235e6"),
        (1e20, "1e20"),
        (float("nan"), "NaN"),
        (float("inf"), "∞"),
        (-float("inf"), "−∞"),
        (np.float64(0.25), "0.25"),
        (np.float32(1.5), "1.5"),
        (np.int64(7), "7"),
    ],
)
def test_a_number_is_written_in_few_digits(x, text):
    assert notation.number(x) == text


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (np.array(2.5), "2.5"),
        (np.array([1.0, 2.0, 3.0]), "[1 2 3]"),
        (np.array([[1.0, -2.0], [3.5, np.nan]]), "[[1 −2] [3.5 NaN]]"),
        (np.arange(7.0), "(7,) array, min 0, max 6"),
        (np.zeros((128, 64)), "(128, 64) array, all 0"),
        (np.array([np.inf] + [1.0] * 9), "(10,) array, all 1, 1 not finite"),
        (np.full(9, np.nan), "(9,) array, no finite entry"),
        (np.zeros((0, 3)), "(0, 3) array"),
    ],
)
def test_an_array_is_written_short(x, text):
    assert notation.number(x) == text


@given(st.floats(-1e307, 1e307) | st.sampled_from([math.nan, math.inf, -math.inf]))
def test_every_number_is_short_and_close(x):
    text = notation.number(x)
    assert len(text) <= 12
    assert "-" not in text
    if math.isfinite(x):
        assert float(text.replace("−", "-")) == pytest.approx(x, rel=1e-3, abs=5e-5)


def test_a_name_is_written_with_signs():
    assert notation.format_name("v-1") == "v₋₁"
    assert notation.format_name("v") == "v"
    assert notation.format_adjoint("v0") == "v\N{COMBINING MACRON}₀"
    assert notation.latex_adjoint("v-1") == r"\bar{v}_{-1}"
    assert notation.latex("x1") == "x_{1}"
    assert notation.latex("p['w']") == r"\text{p['w']}"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("v3 - v4", "v₃ − v₄"),
        ("3.0 * v1", "3 · v₁"),
        ("v1 ** 2", "v₁²"),
        ("v1 ** -2", "v₁⁻²"),
        ("v-1 ** v0", "v₋₁ ** v₀"),
        ("sin(v0)", "sin v₀"),
        ("sin(v0) * v1", "sin(v₀) · v₁"),
        ("-v1", "−v₁"),
        ("sum(v1, axis=-1)", "sum(v₁, axis=−1)"),
        ("v1[0]", "v₁[0]"),
    ],
)
def test_an_expression_reads_as_in_a_textbook(expression, text):
    assert notation.format_expression(expression) == text
