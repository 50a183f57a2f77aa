"""Tiny, huge and nearly cancelling operands: where NumPy's value is finite, the slope is right in nearly all digits."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from autodiff_lab import grad, jvp, vjp
from autodiff_lab.engine.dispatch import TABLE

from .samples import callable_of, title
from .samples.extremes import EXTREMES, mp

DIGITS = 1e-12
LEAST, LARGEST = np.finfo(float).smallest_normal, np.finfo(float).max


def true_slope(f: Any, k: int, point: tuple[float, ...]) -> Any:
    """∂f/∂(operand k), by a difference in mpmath's arithmetic; the step is relative, so that it fits every size."""
    exact = [mp.mpf(x) for x in point]
    return mp.diff(lambda t: f(*exact[:k], exact[k] * (1 + t), *exact[k + 1 :]), 0) / exact[k]


def points(key: Any, k: int) -> Iterator[tuple[tuple[float, ...], Any]]:
    f, *values = EXTREMES[key]
    for point in itertools.product(*values):
        if np.isfinite(callable_of(key)(*point)):
            slope = true_slope(f, k, point)
            if abs(slope) <= LARGEST:
                yield point, slope


def forward(f: Any, x: Any) -> Any:
    return jvp(f, (x,), (np.ones(np.shape(x))[()],))[1]


def reverse(f: Any, x: Any) -> Any:
    return vjp(f, x)[1](np.ones(np.shape(x))[()])[0]


def test_every_elementwise_row_has_extremes() -> None:
    missing = [
        title(key) for key, op in TABLE.items() if op.kind == "elementwise" and key not in EXTREMES
    ]
    assert not missing, (
        f"add extreme points to tests/engine/samples/extremes.py for: {', '.join(missing)}"
    )
    assert not [title(key) for key in EXTREMES if key not in TABLE], (
        "extreme points for rows that there are not"
    )


# NumPy says where an intermediate number is infinite
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "key,k",
    [
        pytest.param(key, k, id=f"{title(key)}-{k}")
        for key, row in EXTREMES.items()
        for k in range(len(row) - 1)
    ],
)
def test_the_slope_is_right_at_extremes(key: Any, k: int) -> None:
    cases = list(points(key, k))
    assert len(cases) >= 6
    columns = [np.array(column) for column in zip(*(point for point, _ in cases), strict=True)]
    f = callable_of(key)
    found = {"reverse, an array": reverse, "forward, an array": forward}
    for mode, slopes in {
        name: way(partly(f, columns, k), columns[k]) for name, way in found.items()
    }.items():
        assert_slopes(mode, cases, slopes)
    for mode, way in (("reverse", reverse), ("forward", forward)):
        assert_slopes(mode, cases, [way(partly(f, point, k), point[k]) for point, _ in cases])


def partly(f: Any, point: Any, k: int) -> Any:
    """The function of operand k alone: beside a slope that is infinite a tangent of 0 would give NaN."""
    return lambda x: f(*point[:k], x, *point[k + 1 :])


def assert_slopes(mode: str, cases: Any, slopes: Any) -> None:
    wrong = [
        f"at {point}: {slope}, true {mp.nstr(true, 17)}"
        for (point, true), slope in zip(cases, slopes, strict=True)
        if not (
            np.isfinite(slope)
            and abs(mp.mpf(float(slope)) - true) <= DIGITS * max(abs(true), LEAST)
        )
    ]
    assert not wrong, (
        f"{mode}: {len(wrong)} of {len(cases)} slopes are wrong, {'; '.join(wrong[:5])}"
    )


SECOND: dict[Any, list[float]] = {
    np.expm1: [-40.0, 1e-8, 3.0],
    np.log1p: [1e-8, 3.0, 1e8],
    np.arcsin: [1e-8, 0.45, 0.55, 1 - 1e-8],
    np.arccos: [1e-8, 0.45, 0.55, 1 - 1e-8],
    np.arctan: [1e-8, 3.0, 1e8],
    np.tanh: [1e-8, 0.5, 20.0, 100.0],
    np.arcsinh: [1e-8, 0.5, 1e10],
    np.arccosh: [1 + 1e-8, 1.5, 1e10],
    np.arctanh: [1e-8, 0.45, 0.55, 1 - 1e-8],
}


@pytest.mark.parametrize(
    "key,x", [pytest.param(f, x, id=f"{title(f)} at {x}") for f in SECOND for x in SECOND[f]]
)
@pytest.mark.parametrize("outer", [forward, reverse])
@pytest.mark.parametrize("inner", [forward, reverse])
def test_a_guarded_slope_keeps_its_second_derivative(
    key: Any, x: float, outer: Any, inner: Any
) -> None:
    true = mp.diff(lambda t: EXTREMES[key][0](mp.mpf(x) * (1 + t)), 0, 2) / mp.mpf(x) ** 2
    assert outer(lambda x: inner(key, x), x) == pytest.approx(float(true), rel=DIGITS, abs=0)


def test_derivatives_of_tanh_at_0_and_far_out() -> None:
    third = grad(grad(grad(np.tanh)))
    assert third(0.0) == -2.0  # a guard with a kink at 0 would give 0
    assert [third(x) for x in (-800.0, 800.0)] == [0.0, 0.0]
