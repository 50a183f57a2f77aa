"""Every rule is a formula: as text, as LaTeX, and as Python source that gives the same number."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest

from autodiff_lab import Symbol
from autodiff_lab.engine.dispatch import TABLE

from .samples import ELEMENTWISE, FLAT, callable_of, special, title

pytestmark = pytest.mark.filterwarnings("error")  # a rule that warns at an ordinary point is wrong

ROWS = pytest.mark.parametrize("key", list(ELEMENTWISE), ids=title)


def sample(key: Any, *shapes: tuple[int, ...]) -> tuple[Any, ...]:
    """The sample values of an elementwise row, in these shapes."""
    return tuple(np.resize(v, s)[()] for v, s in zip(ELEMENTWISE[key], shapes, strict=True))


def alike(key: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    return sample(key, *[shape] * len(ELEMENTWISE[key]))


def formulas(key: Any) -> list[Any]:
    names = [Symbol(n) for n in ("y", "a", "b", "c")]
    return [
        TABLE[key].local_partial(k, *names[: len(ELEMENTWISE[key]) + 1])
        for k in range(len(ELEMENTWISE[key]))
    ]


def well_formed(latex: str) -> bool:
    """Braces balance, \\left has its \\right, and nothing of Python is left over."""
    depths = list(
        itertools.accumulate(
            (c == "{") - (c == "}") for c in latex.replace(r"\{", "").replace(r"\}", "")
        )
    )
    left, right = (len(re.findall(rf"\\{side}(?![a-z])", latex)) for side in ("left", "right"))
    return (
        min(depths, default=0) >= 0
        and depths[-1:] in ([], [0])
        and left == right
        and not re.search(r"\*|np\.|None|Symbol|unless", latex)
    )


@ROWS
def test_the_partial_is_a_formula(key: Any) -> None:
    for formula in formulas(key):
        if isinstance(formula, Symbol):
            assert re.search(r"\b[yabc]\b", formula.text())
            assert well_formed(formula.latex()), formula.latex()
            assert "np.float64" not in formula.text() + formula.python() + formula.latex()
        else:
            assert isinstance(formula, float)


@ROWS
@pytest.mark.parametrize("shape", [(), (3,)], ids=str)
def test_the_formula_as_python_gives_the_partial(key: Any, shape: tuple[int, ...]) -> None:
    args = alike(key, shape)
    y = callable_of(key)(*args)
    names = {"np": np, "special": special.special, "y": y, **dict(zip("abc", args, strict=False))}
    for k, formula in enumerate(formulas(key)):
        expected = TABLE[key].local_partial(k, y, *args)
        got = eval(formula.python(), names) if isinstance(formula, Symbol) else formula
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    "key", [*ELEMENTWISE, *(k for k in FLAT if TABLE[k].kind != "shape")], ids=title
)
def test_the_function_itself_is_a_formula(key: Any) -> None:
    args = {**ELEMENTWISE, **FLAT}[key]
    f = callable_of(key)
    formula = f(*[Symbol(n) for n in "abc"[: len(args)]])
    numbers = [np.float64(a[1]) for a in args]
    assert well_formed(formula.latex())
    names = {"np": np, "special": special.special, **dict(zip("abc", numbers, strict=False))}
    np.testing.assert_array_equal(eval(formula.python(), names), f(*numbers))
