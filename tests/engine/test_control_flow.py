"""Programs with branches and loops, and the learner's other habits; Duals made by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff_lab import Dual, grad, jvp

A = np.array([[1.0, 2.0], [3.0, 4.0]])
V = np.array([1.0, -2.0, 3.0])


def both(f: Any, x: float) -> float:
    """The derivative in both modes, which must agree exactly in type and closely in value."""
    reverse, forward = grad(f)(x), jvp(f, (x,), (1.0,))[1]
    assert reverse == pytest.approx(forward, rel=1e-15)
    assert type(reverse) is type(forward) is float
    return reverse


def test_control_flow_follows_the_values() -> None:
    def f(x: Any) -> Any:
        if x > 2 and x != 5:
            return x * x
        return 3 * x if 1 < x <= 2 else -x

    assert [both(f, x) for x in (3.0, 5.0, 2.0, 0.0)] == [6.0, -1.0, 3.0, -1.0]
    assert both(lambda x: x * 2 if x else x * 3, 0.0) == 3.0
    assert both(lambda x: x * 2 if x else x * 3, 1.0) == 2.0


def test_loops_over_an_array() -> None:
    def f(x: Any) -> Any:
        total = 0.0
        for k, v in enumerate(x):
            total = total + v**k
        return total + len(x) + x.size * x.ndim + x.shape[0]

    np.testing.assert_array_equal(grad(f)(np.array([2.0, 3.0, 4.0])), [0.0, 1.0, 8.0])


def test_a_variable_as_key_and_in_a_list() -> None:
    def f(x: Any) -> Any:
        prices = {x: 3.0}
        assert x in [x]
        assert x is not None
        assert (x == None) is False  # noqa: E711 — a learner's habit; it must not break or be traced
        return prices[x] * x

    assert both(f, 2.0) == 3.0


def test_in_place_operators_on_a_variable_rebind_the_name() -> None:
    def f(x: Any) -> Any:
        y = x
        y += x
        y *= x
        y -= 1.0
        y /= 2.0
        y **= 2
        return y  # (x² − 1/2)²

    assert both(f, 2.0) == pytest.approx(2 * 3.5 * 4.0)


def test_duals_by_hand() -> None:
    x, y = Dual(2.0, 1.0), Dual(5.0)
    z = np.log(x) + x * y - np.sin(y)
    assert (z.value, z.tangent) == (pytest.approx(11.652071455223084), pytest.approx(5.5))
    assert repr(Dual(3.0, 1.0) * 2) == "Dual(6.0, 2.0)"
    assert repr(Dual(3) ** 2) == "Dual(9.0, 0.0)"
    assert "np." not in repr(Dual(np.ones(2), np.ones(2)) * 2)
    assert (Dual(3.0, 1.0) > 2) is True or (Dual(3.0, 1.0) > 2) == np.True_
    assert grad(lambda t: (Dual(t, 1.0) ** 3).tangent)(2.0) == 12.0
