"""Error against step size: the numbers are those of the differences, and the words say what was compared."""

import re

import numpy as np
import pytest

from autodiff_lab.engine.errors import InputError
from autodiff_lab.figures.plots import difference_errors, plot_error

from ..example import example


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
