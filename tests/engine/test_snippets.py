"""Fifty programs as people write them: the derivative is right, or the error says what to write instead."""

from __future__ import annotations

import re
import zlib
from typing import Any

import numpy as np
import pytest

from autodiff_lab import AutodiffError, jvp, program, value_and_grad
from autodiff_lab.transforms import pytree

from .snippets import SNIPPETS, Snippet


def select(refused: bool) -> Any:
    chosen = {name: each for name, each in SNIPPETS.items() if bool(each.refused) == refused}
    return pytest.mark.parametrize(
        "each", [pytest.param(each, id=name) for name, each in chosen.items()]
    )


def require(each: Snippet) -> None:
    if each.needs:
        pytest.importorskip(each.needs)


def direction(parameters: Any, seed: int) -> Any:
    generator = np.random.default_rng(seed)
    return pytree.map_leaves(lambda x: generator.standard_normal(np.shape(x))[()], parameters)


def moved(parameters: Any, step: float, along: Any) -> Any:
    leaves = zip(pytree.flatten(parameters), pytree.flatten(along), strict=True)
    return pytree.unflatten(parameters, [x + step * d for x, d in leaves])


def test_there_are_fifty() -> None:
    assert len(SNIPPETS) == 50


@select(refused=False)
def test_the_derivative_is_right(each: Snippet) -> None:
    """Against plain NumPy's value and central differences, in both modes, and compiled."""
    require(each)
    along = direction(each.parameters, zlib.crc32(each.f.__name__.encode()))
    value, gradient = value_and_grad(each.f)(each.parameters)
    assert value == pytest.approx(each.f(each.parameters), rel=1e-10)
    pairs = zip(pytree.flatten(gradient), pytree.flatten(along), strict=True)
    slope = sum(np.sum(g * d) for g, d in pairs)
    h = 1e-6
    difference = (
        each.f(moved(each.parameters, h, along)) - each.f(moved(each.parameters, -h, along))
    ) / (2 * h)
    assert slope == pytest.approx(difference, rel=1e-5, abs=1e-5)
    assert jvp(each.f, (each.parameters,), (along,))[1] == pytest.approx(slope, rel=1e-7, abs=1e-7)
    compiled = program(each.f, each.parameters)(each.parameters)
    np.testing.assert_allclose(compiled[0], value, rtol=1e-9)
    for a, b in zip(pytree.flatten(compiled[1]), pytree.flatten(gradient), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9)


@select(refused=True)
@pytest.mark.parametrize("way", ["reverse", "forward"])
def test_the_error_says_what_to_write(each: Snippet, way: str) -> None:
    require(each)
    assert np.isfinite(each.f(each.parameters)), "NumPy can run it"
    with pytest.raises(AutodiffError) as caught:
        if way == "reverse":
            value_and_grad(each.f)(each.parameters)
        else:
            jvp(each.f, (each.parameters,), (direction(each.parameters, 1),))
    assert re.search(each.refused, str(caught.value), re.DOTALL), caught.value
