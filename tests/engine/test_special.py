"""SciPy's special functions: differentiable as soon as they are imported, and never imported by the package."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import mpmath
import numpy as np
import pytest

from autodiff_lab import Symbol, grad, jvp, record

special = pytest.importorskip("scipy.special")

MEETING = """
import sys
import autodiff_lab as ad
from autodiff_lab.engine.dispatch import TABLE
assert not any(name.partition(".")[0] == "scipy" for name in sys.modules)
assert "polygamma" not in TABLE
from scipy.special import {name}
print(ad.{way})
"""


@pytest.mark.parametrize(
    "way", ["grad({name})(0.5)", "jvp({name}, (0.5,), (1.0,))[1]", "hessian({name})(0.5)"]
)
@pytest.mark.parametrize("name", ["erf", "expit", "gammaln", "psi"])
def test_the_rows_come_with_the_first_value_that_meets_scipy(name: str, way: str) -> None:
    source = MEETING.format(name=name, way=way.format(name=name))
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    exact = {
        "erf": mpmath.erf,
        "expit": lambda x: 1 / (1 + mpmath.exp(-x)),
        "gammaln": mpmath.loggamma,
    }
    order = 2 if "hessian" in way else 1
    assert float(done.stdout) == pytest.approx(
        float(mpmath.diff(exact.get(name, mpmath.digamma), 0.5, order)), rel=1e-10
    )


@pytest.mark.parametrize("x", [0.3, 2.0, 7.5, -1.5])
def test_derivatives_of_gammaln_to_the_fourth_order(x: float) -> None:
    f: Any = special.gammaln
    for n in range(4):
        f = grad(f) if n % 2 else (lambda x, f=f: jvp(f, (x,), (1.0,))[1])
        assert f(x) == pytest.approx(float(mpmath.psi(n, x)), rel=1e-11)


def test_nothing_times_the_logarithm_of_nothing_has_slope_0() -> None:
    """A label of 0 beside a probability of 0; any other label has an infinite slope there."""
    with np.errstate(over="ignore"):
        for label, slope in ((0.0, 0.0), (1.0, np.inf), (-1.0, -np.inf)):
            assert grad(lambda p, label=label: special.xlogy(label, p))(0.0) == slope
            assert (
                jvp(lambda p, label=label: special.xlog1py(label, p), (-1.0,), (1.0,))[1] == slope
            )


def test_derivatives_of_log_ndtr_far_out() -> None:
    """To the right it is flat; to the left its slope is -x and its second derivative -1, up to 1 / x ** 2."""
    second = grad(grad(special.log_ndtr))
    assert (
        [grad(special.log_ndtr)(x) for x in (40.0, 1e3)]
        == [second(40.0), second(1e3)]
        == [0.0, 0.0]
    )
    assert grad(special.log_ndtr)(-1e4) == pytest.approx(1e4, rel=1e-7)
    assert second(-30.0) == pytest.approx(
        float(mpmath.diff(lambda x: mpmath.log(mpmath.ncdf(x)), -30, 2)), rel=1e-8
    )


@pytest.mark.filterwarnings("error")
def test_second_derivatives_beside_a_guard() -> None:
    """At 0, and in an array some entries of which lie beyond the guard."""
    points = [-2.0, 0.0, 3.0, 60.0]
    for f, exact in (
        (special.erfcx, lambda x: mpmath.exp(x * x) * mpmath.erfc(x)),
        (special.log_ndtr, lambda x: mpmath.log(mpmath.ncdf(x))),
    ):
        with mpmath.workdps(60):
            expected = [float(mpmath.diff(exact, x, 2)) for x in points[:3]]
        second = grad(lambda x, f=f: np.sum(grad(lambda x: np.sum(f(x)))(x)))
        np.testing.assert_allclose(second(np.array(points))[:3], expected, rtol=1e-10)
        assert [second(x) for x in points[:3]] == pytest.approx(expected, rel=1e-10)


def test_arrays_stay_arrays_and_are_broadcast() -> None:
    x = np.array([[0.5, 1.5], [-0.4, 3.0]])
    np.testing.assert_allclose(
        grad(lambda x: np.sum(special.expit(x) ** 2))(x),
        2 * special.expit(x) ** 2 * special.expit(-x),
    )
    _, tape = record(lambda x: special.erf(x), x)
    assert "erf(v0)" in str(tape)


def test_a_formula_has_scipys_names() -> None:
    x = Symbol("x")
    assert special.erf(x).text() == "erf(x)"
    assert special.gammaln(2 * x).python() == "special.gammaln(2 * x)"
    assert special.expit(x).latex() == r"\operatorname{expit}\left(x\right)"
