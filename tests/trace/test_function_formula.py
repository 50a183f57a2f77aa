"""The formula of a program: what the engine's own operations and rules give when they are run on names."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff_lab import grad, jacrev, jvp, record
from autodiff_lab.engine.errors import InputError, UnsupportedError
from autodiff_lab.trace.wording.function_formula import formula

from ..figures.example import example


def logistic(steps):
    def f(x):
        for _ in range(steps):
            x = 4 * x * (1 - x)
        return x

    return f


def test_the_example():
    found = formula(example)
    assert found.text == str(found) == "log(x1) + x1 * x2 - sin(x2)"
    assert found.python == "np.log(x1) + x1 * x2 - np.sin(x2)"
    assert found.latex == r"\log x_{1} + x_{1} \, x_{2} - \sin x_{2}"
    assert found._repr_latex_() == rf"$\displaystyle {found.latex}$"
    assert found.size == 9
    assert repr(found) == "Formula('log(x1) + x1 * x2 - sin(x2)')"


PROGRAMS = {
    "example": example,
    "its gradient": grad(example),
    "its gradient by the other": grad(example, 1),
    "its second derivative": grad(grad(example)),
    "its mixed derivative": grad(grad(example), 1),
    "its derivative along a diagonal": lambda a, b: jvp(example, (a, b), (1.0, 2.0))[1],
    "rows of a Jacobian": jacrev(lambda a, b: a / b + (a - b) ** 2),
    "a loop": lambda a, b: logistic(3)(a) - b,
    "its gradient through the loop": grad(lambda a, b: logistic(3)(a) - b),
    "one of two": lambda a, b: np.where(a > b, a * b, a / b),
    "a maximum": grad(lambda a, b: np.maximum(a, b) * np.exp(-b)),
    "numbers": lambda a, b: 2 - a / -3.0 + b**0.5 - 1e-9,
}


@pytest.mark.parametrize("f", PROGRAMS.values(), ids=PROGRAMS)
@settings(deadline=None, max_examples=20)
@given(a=st.floats(0.1, 5), b=st.floats(0.1, 5))
def test_its_python_computes_what_the_program_computes(f, a, b):
    written = eval(formula(f, "a", "b").python, {"np": np, "a": a, "b": b})
    assert written == pytest.approx(f(a, b), rel=1e-10, abs=1e-10)


def test_names_are_the_function_s_own_or_the_caller_s():
    assert formula(lambda width, height: width * height).text == "width * height"
    assert formula(lambda x, y: x * y, "a", "b").text == "a * b"
    assert formula(lambda x, n=3: x**n).text == "x ** 3"
    assert formula(lambda x, y: x * y, "a", 0.5).text == "a * 0.5"
    assert formula(lambda p: p["w"] * p["x"][1], {"w": "w", "x": ["x0", "x1"]}).text == "w * x1"


def test_what_is_not_differentiated_stays_in_the_formula():
    """A name beside a derivative is a constant to it; it must not swallow the derivative's own values."""
    assert formula(grad(lambda x, y: y * x * x)).text == "y * x + x * y"
    assert formula(grad(lambda x, y: np.log(y))).text == "0"


def test_several_results():
    found = formula(lambda x, y: (x + y, x * y))
    assert found.text == "(x + y, x * y)"
    assert found.latex == r"\left(x + y,\; x \, y\right)"
    assert eval(found.python, {"x": 2.0, "y": 3.0}) == (5.0, 6.0)


def test_an_exponent_belongs_to_the_whole_of_its_base():
    assert formula(lambda x: np.exp(-x) ** 2).latex == r"\left(e^{-x}\right)^{2}"
    assert formula(lambda x: np.square(np.sin(x))).latex == r"\left(\sin x\right)^{2}"
    assert formula(lambda x: np.sin(x**2)).latex == r"\sin\left(x^{2}\right)"


def test_a_constant():
    found = formula(lambda x: 1e-9)
    assert (found.text, found.latex, found.size) == ("1e-09", r"1 \cdot 10^{-9}", 1)


def looks(x):
    return x if x > 0 else -x


def loops(x):
    while x < 10:
        x = x * x
    return x


def detached(x):
    return math.sin(x)


@pytest.mark.parametrize(
    ("f", "said"),
    [
        (looks, "`if (x > 0):` cannot be decided"),
        (loops, "`if (x < 10):`"),
        (detached, "In place of\n    return math.sin(x)\nwrite\n    return np.sin(x)"),
    ],
)
def test_a_program_that_asks_for_values_has_no_formula(f, said):
    with pytest.raises(UnsupportedError, match=re.escape(said)) as caught:
        formula(f)
    assert f"{f.__name__} cannot be written as one formula" in str(caught.value)
    assert f"table({f.__name__}, …)" in str(caught.value)


@pytest.mark.parametrize(
    "f",
    [
        lambda W, x: W @ x,
        lambda x: x[0] * x[1],
        lambda p: p["w"] * 2,
        lambda A: np.linalg.det(A),
        lambda x: np.sum(x, axis=1),
        lambda x: np.concatenate([x, x]),
        lambda x: sum(v * v for v in x),
        lambda x: {"a": 1}[x],
        lambda x: x * (1 // 0),
    ],
)
def test_a_program_of_arrays_has_no_formula(f):
    with pytest.raises(
        UnsupportedError, match=r"each name in it stands for a single number.*table\(<lambda>, …\)"
    ):
        formula(f)


def test_a_formula_with_star_args_has_the_named_arguments():
    def total(*xs):
        return sum(x * x for x in xs)

    for f in (total, grad(total), lambda x, *more: x * x):
        with pytest.raises(
            InputError, match=r"takes any number of arguments.*formula\(f, 'x1', 'x2'\)"
        ):
            formula(f)
    assert formula(total, "a", "b").text == "a * a + b * b"


@pytest.mark.parametrize("constant", [np.nan, np.inf, -np.inf, np.float32(np.inf), 2.0, 3])
def test_a_constant_result_is_python_too(constant):
    alone, beside = formula(lambda x: constant, "x"), formula(lambda x: (x, constant), "x")
    np.testing.assert_equal(eval(alone.python, {"np": np}), constant)
    np.testing.assert_equal(eval(beside.python, {"np": np, "x": 1.0}), (1.0, constant))
    assert "np" not in alone.text


def test_what_python_says_of_missing_arguments_stays():
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'"):
        formula(lambda x, y: x * y, "x")
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument"):
        formula(lambda x, *, k: x * k)


def test_a_formula_swells_and_a_tape_does_not():
    sizes = [formula(logistic(n)).size for n in range(1, 6)]
    assert sizes == [7, 19, 43, 91, 187]
    assert [len(record(logistic(n), 0.3)[1]) for n in range(1, 6)] == [4, 7, 10, 13, 16]
    with pytest.raises(
        UnsupportedError, match=r"would have 6,291,451 signs.*A tape keeps each of them once"
    ):
        formula(logistic(20))


@pytest.mark.parametrize(
    "turns,turn",
    [(200, lambda x, i: i - x), (200, lambda x, i: x**2), (66, lambda x, i: np.cos(x * 1.01) + i)],
)
def test_a_deep_formula_is_written_once(turns, turn):
    """If each operation wrote its operand twice, this would take 2 to the power of the number of turns."""

    def f(x):
        for i in range(1, turns):
            x = turn(x, i)
        return x

    found = formula(f, "x")
    assert found.latex.count("x") == found.text.count("x") == found.python.count("x") == 1


def test_a_formula_too_deep_to_be_written():
    def deep(x):
        for _ in range(2000):
            x = np.sin(x)
        return x

    with pytest.raises(UnsupportedError, match="2001 operations inside one another"):
        formula(deep)


@pytest.mark.parametrize(
    ("f", "names", "message"),
    [
        (example, ("x 1", "y"), "'x 1' can't be the name"),
        (lambda x: None, (), "Give it a `return`"),
        (lambda x: (x, None), (), "returned None"),
    ],
)
def test_bad_input(f, names, message):
    with pytest.raises(InputError, match=re.escape(message)):
        formula(f, *names)


def test_running_on_names_warns_of_nothing(recwarn):
    assert formula(lambda x: np.log(x - 1) / (x - 1)).text == "log(x - 1) / (x - 1)"
    assert not recwarn.list


def test_a_formula_of_numbers_alone_says_what_to_write():
    def outer(x):
        def inner(y):
            return x * y * y + x

        return inner(2.0) - x

    assert formula(outer).text == "x * 2 * 2 + x - x"
    with pytest.raises(
        InputError, match=r"formula\(outer, 2\.0\) names no argument.*formula\(outer, 'x'\)"
    ):
        formula(outer, 2.0)
