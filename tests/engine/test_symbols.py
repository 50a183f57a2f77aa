"""Formulas: a rule, or a user's function, evaluated on symbols."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff_lab import Symbol
from autodiff_lab.engine.dispatch import TABLE
from autodiff_lab.engine.errors import AutodiffError, DetachedError, UnsupportedError

x, y, v0, vm1 = Symbol("x"), Symbol("y"), Symbol("v0"), Symbol("v-1")


@pytest.mark.parametrize(
    "formula,text,latex",
    [
        (x, "x", "x"),
        (v0, "v0", "v_{0}"),
        (vm1, "v-1", "v_{-1}"),
        (np.cos(v0), "cos(v0)", r"\cos v_{0}"),
        (np.cos(2 * x), "cos(2 * x)", r"\cos\left(2 \, x\right)"),
        (1 / vm1, "1 / v-1", r"\frac{1}{v_{-1}}"),
        (x * 2.0, "x * 2", r"x \cdot 2"),
        (x * y, "x * y", r"x \, y"),
        (x * -2.0, "x * (-2)", r"x \, \left(-2\right)"),
        (x + -2.0, "x + (-2)", None),
        (1 - x * x, "1 - x * x", r"1 - x \, x"),
        (x - (y - 1), "x - (y - 1)", r"x - \left(y - 1\right)"),
        (x / (y / 2), "x / (y / 2)", r"\frac{x}{\frac{y}{2}}"),
        ((x + 1) * y, "(x + 1) * y", r"\left(x + 1\right) \, y"),
        (-x, "-x", "-x"),
        (-(x + y), "-(x + y)", r"-\left(x + y\right)"),
        ((-x) ** 2, "(-x) ** 2", r"\left(-x\right)^{2}"),
        (-(x**2), "-x ** 2", "-x^{2}"),
        ((x**y) ** 2, "(x ** y) ** 2", r"\left(x^{y}\right)^{2}"),
        (x ** (y**2), "x ** y ** 2", "x^{y^{2}}"),
        (x ** (-y), "x ** (-y)", "x^{-y}"),
        ((x / y) ** 2, "(x / y) ** 2", r"\left(\frac{x}{y}\right)^{2}"),
        (np.sqrt(x), "sqrt(x)", r"\sqrt{x}"),
        (np.exp(-x), "exp(-x)", "e^{-x}"),
        (np.absolute(x), "absolute(x)", r"\left|x\right|"),
        (np.square(x + 1), "square(x + 1)", r"\left(x + 1\right)^{2}"),
        (np.sign(x), "sign(x)", r"\operatorname{sign}\left(x\right)"),
        (x > 0, "(x > 0)", "[x > 0]"),
        ((x > 0) * y, "(x > 0) * y", r"[x > 0] \, y"),
        (x * 1, "x", "x"),
        (1 * x + 0, "x", "x"),
        (x**1 / 1 - 0, "x", "x"),
    ],
)
def test_formula(formula: Symbol, text: str, latex: str | None) -> None:
    assert formula.text() == text
    if latex is not None:
        assert formula.latex() == latex


@pytest.mark.parametrize(
    "key,k,text,latex",
    [
        (np.add, 0, None, None),
        (np.multiply, 0, "b", "b"),
        (np.divide, 0, "1 / b", r"\frac{1}{b}"),
        (np.divide, 1, "-y / b", r"\frac{-y}{b}"),
        (np.power, 0, "b * a ** (b - 1)", r"b \, a^{b - 1}"),
        (np.power, 1, "y * log(a)", None),
        (np.log, 0, "1 / a", r"\frac{1}{a}"),
        (np.sin, 0, "cos(a)", r"\cos a"),
        (np.cos, 0, "-sin(a)", r"-\sin a"),
        (np.tan, 0, "1 + y * y", r"1 + y \, y"),
        (np.tanh, 0, "(1 / cosh(a)) ** 2", r"\left(\frac{1}{\cosh a}\right)^{2}"),
        (np.exp, 0, "y", "y"),
        (np.sqrt, 0, "0.5 / y", r"\frac{0.5}{y}"),
        (np.absolute, 0, "sign(a)", r"\operatorname{sign}\left(a\right)"),
        (np.maximum, 0, "(a > b) + (a == b) / 2", None),
    ],
)
def test_partials_as_formulas(key: Any, k: int, text: str | None, latex: str | None) -> None:
    names = [Symbol("y"), Symbol("a"), Symbol("b")][: len(TABLE[key].partials) + 1]
    formula = TABLE[key].local_partial(k, *names)
    if text is None:
        assert formula == 1.0
    else:
        assert formula.text() == text
        assert latex is None or formula.latex() == latex


def test_the_learners_own_function() -> None:
    def f(x1: Any, x2: Any) -> Any:
        return np.log(x1) + x1 * x2 - np.sin(x2)

    formula = f(Symbol("x1"), Symbol("x2"))
    assert formula.text() == "log(x1) + x1 * x2 - sin(x2)"
    assert formula.latex() == r"\log x_{1} + x_{1} \, x_{2} - \sin x_{2}"
    assert eval(formula.python(), {"np": np, "x1": 2.0, "x2": 5.0}) == f(2.0, 5.0)


@pytest.mark.parametrize(
    "key",
    [np.sum, np.matmul, "getitem", np.stack, np.sign, np.less],
    ids=lambda key: getattr(key, "__name__", key),
)
def test_only_elementwise_rows_have_local_partials(key: Any) -> None:
    with pytest.raises(
        UnsupportedError, match=r"no array of local partials.*pullback.*pushforward"
    ):
        TABLE[key].local_partial(0, x, x)


def test_a_symbol_decides_nothing() -> None:
    with pytest.raises(DetachedError, match=r"np\.where"):
        if x > 0:
            pass
    with pytest.raises(DetachedError):
        float(x)
    with pytest.raises(AutodiffError):
        np.array([x, x])
    assert repr(x + 1) == "Symbol('x + 1')"
    assert "Symbol" in repr([x])


OPERATIONS: dict[str, Any] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "**": lambda a, b: np.absolute(a) ** b,
    "neg": lambda a, b: -a,
    "pow2": lambda a, b: a**2,
    "pow-1": lambda a, b: a**-1.0,
    "sin": lambda a, b: np.sin(a),
    "square": lambda a, b: np.square(a),
    "reciprocal": lambda a, b: np.reciprocal(a),
    "sign": lambda a, b: np.sign(a),
    "less": lambda a, b: (a < b) * 1.5,
    "equal": lambda a, b: (a == b) + 0.5,
    "maximum": lambda a, b: np.maximum(a, b),
}

programs = st.lists(
    st.tuples(st.sampled_from(list(OPERATIONS)), st.integers(0, 9), st.integers(0, 9)),
    min_size=1,
    max_size=6,
)
NUMBERS = [np.float64(v) for v in (0.7, -1.3, 2.0, -0.5, 3)]


def values(program: list[tuple[str, int, int]], inputs: list[Any]) -> list[Any]:
    """Every value of a straight-line program over inputs and plain numbers; the last one is its result."""
    found = [*inputs, np.float64(2), np.float64(-3), np.float64(0.5)]
    for name, i, j in program:
        found.append(OPERATIONS[name](found[-1 - i % len(found)], found[-1 - j % len(found)]))
    return found


def run(program: list[tuple[str, int, int]], inputs: list[Any]) -> Any:
    return values(program, inputs)[-1]


@settings(max_examples=300, deadline=None)
@given(programs)
def test_python_source_evaluates_to_the_same_number(program: list[tuple[str, int, int]]) -> None:
    """Brackets where they are needed, and nothing regrouped: the same operations, so the same bits."""
    with np.errstate(all="ignore"):
        formula = run(program, [Symbol("a"), Symbol("b"), Symbol("c")])
        for numbers in (NUMBERS[:3], NUMBERS[2:]):
            expected = run(program, numbers)
            if not isinstance(formula, Symbol):
                np.testing.assert_array_equal(formula, expected)
                continue
            got = eval(formula.python(), {"np": np, **dict(zip("abc", numbers, strict=True))})
            np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    "f",
    [
        lambda a, b, c: a + (b + c),
        lambda a, b, c: a + (b - c),
        lambda a, b, c: a * (b * c),
        lambda a, b, c: a * (b / c),
        lambda a, b, c: a - (b - c),
        lambda a, b, c: a / (b * c),
        lambda a, b, c: (a**b) ** c,
        lambda a, b, c: -((a > b) * c),
    ],
)
def test_python_source_keeps_the_grouping(f: Any) -> None:
    """(0.1 + 0.2) + 0.3 is not 0.1 + (0.2 + 0.3) to the last bit, and source that runs must not change it."""
    source = f(*map(Symbol, "abc")).python()
    for numbers in ((0.1, 0.2, 0.3), (1e16, 1.0, 1.0), (1.1, 0.7, 1.3), (1e200, 1e200, 1e-200)):
        with np.errstate(all="ignore"):
            values = dict(zip("abc", map(np.float64, numbers), strict=True))
            assert eval(source, {"np": np, **values}) == f(*values.values()), source


def test_constants_that_are_not_finite_are_source_too() -> None:
    x = Symbol("x")
    assert (x + np.nan).python() == "x + np.nan"
    assert (x * np.float64(np.inf)).text().removesuffix(")").endswith("inf")
    for f in (
        lambda x: np.clip(x, None, 1.5),
        lambda x: np.clip(x, 1.5, None),
        lambda x: np.maximum(x, -np.inf),
    ):
        assert eval(f(x).python(), {"np": np, "x": 2.0}) == f(2.0)


@settings(max_examples=300, deadline=None)
@given(programs)
def test_text_reads_as_the_same_formula(program: list[tuple[str, int, int]]) -> None:
    """The text is Python too, apart from ``np.``; sums and products may be regrouped in it."""
    with np.errstate(all="ignore"):
        formula = run(program, [Symbol("a"), Symbol("b"), Symbol("c")])
    if not isinstance(formula, Symbol):
        return
    functions = {
        name: getattr(np, name)
        for name in ("sin", "square", "reciprocal", "sign", "maximum", "absolute")
    }
    with np.errstate(all="ignore"):
        numbers = values(program, NUMBERS[:3])
        if not np.all(np.abs(numbers) < 1e4):  # regrouping may then lose every digit
            return
        got = eval(formula.text(), {**functions, **dict(zip("abc", NUMBERS, strict=False))})
    np.testing.assert_allclose(got, numbers[-1], rtol=1e-6, atol=1e-6)


def test_a_cast_is_written_as_the_type_it_gives() -> None:
    x = Symbol("x")
    for cast, dtype in ((x.astype(np.float32), "float32"), ((x * 2).astype(int), "int64")):
        inside = "x" if dtype == "float32" else "x * 2"
        assert cast.text() == f"{dtype}({inside})"
        assert eval(cast.python(), {"np": np, "x": 2.7}) == getattr(np, dtype)(
            eval(inside, {"x": 2.7})
        )
        assert cast.latex().startswith(rf"\operatorname{{{dtype}}}\left(x")
    assert x.astype(float) is x
