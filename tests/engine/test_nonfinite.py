"""trace_nonfinite finds the line where the first NaN or infinity is born, and both its factors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff_lab import trace_nonfinite

# NumPy's own, at the points that are asked about
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def guarded(x: Any) -> Any:
    y = x * 1.0
    root = np.sqrt(y)
    return np.where(y > 0, root, 0.0)


def overflowing(x: Any) -> Any:
    y = x + 1.0
    z = np.exp(y)
    return z / (1.0 + z)


def test_backward_with_both_factors() -> None:
    found = trace_nonfinite(guarded, 0.0)
    assert found is not None
    assert (found.phase, found.name, found.expression) == ("backward", "v2", "sqrt(v1)")
    assert found.factors == ("0.0", "inf")
    assert np.isnan(found.value)
    assert found.source.endswith("root = np.sqrt(y)")
    assert "test_nonfinite.py" in found.source
    assert "0.0 × inf = nan" in str(found)
    assert str(found).startswith("backward: through v2 = sqrt(v1)")


def test_forward_with_its_operands() -> None:
    found = trace_nonfinite(overflowing, 1000.0)
    assert found is not None
    assert (found.phase, found.name, found.expression) == ("forward", "v2", "exp(v1)")
    assert found.factors == ("1001.0",)
    assert found.value == np.inf
    assert found.source.endswith("z = np.exp(y)")
    assert "v2 = exp(v1) is inf, from 1001.0" in str(found)


def test_a_whole_division() -> None:
    found = trace_nonfinite(lambda x: np.sum(x / (x - x)), np.array([1.0, 2.0]))
    assert found is not None
    assert found.expression == "v0 / v1"
    assert len(found.factors) == 2


def test_nothing_to_find() -> None:
    assert trace_nonfinite(guarded, 1.0) is None
    assert trace_nonfinite(lambda x: 3.0, 1.0) is None
    assert trace_nonfinite(lambda x: np.sum(x**2), np.ones(3)) is None


def test_an_input_that_is_not_finite_is_found_first() -> None:
    found = trace_nonfinite(lambda x, y: x * y, 1.0, np.nan)
    assert found is not None
    assert (found.phase, found.line) == ("forward", 1)


def test_in_an_array_and_through_a_matrix_product() -> None:
    def f(x: Any) -> Any:
        y = np.sqrt(x)
        return np.sum(np.ones((2, 3)) @ y)

    found = trace_nonfinite(f, np.array([1.0, 0.0, 4.0]))
    assert found is not None
    assert (found.phase, found.expression) == ("backward", "sqrt(v0)")
    assert found.factors == ("[2., 2., 2.]", "[0.5, inf, 0.25]")
    assert found.source.endswith("y = np.sqrt(x)")


def test_a_rule_that_is_not_elementwise_is_named() -> None:
    found = trace_nonfinite(
        lambda x: np.linalg.inv(x)[0, 0] * 1e300, np.array([[1e-200, 0.0], [0.0, 1.0]])
    )
    assert found is not None
    assert found.phase in ("forward", "backward")
    assert "np.float64" not in str(found)


@pytest.mark.parametrize(
    "f", [lambda x: np.log(x), lambda x: 1 / x, lambda x: x**-0.5, lambda x: np.arctanh(x + 1)]
)
def test_poles(f: Any) -> None:
    found = trace_nonfinite(f, 0.0)
    assert found is not None
    assert found.phase == "forward"
    assert found.source
