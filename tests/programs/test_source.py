"""What a program looks like, and what cleaning does to it."""

from __future__ import annotations

import ast
import inspect
import math
from typing import Any

import numpy as np
import pytest

from autodiff_lab import grad, hvp, jvp, value_and_grad
from autodiff_lab.engine.errors import InputError
from autodiff_lab.programs import PASSES, Operations, program


def f(x1: Any, x2: Any) -> Any:
    return np.log(x1) + x1 * x2 - np.sin(x2)


def test_the_seed_example_reads_as_a_person_would_write_it() -> None:
    p = program(f, 2.0, 5.0, argnums=(0, 1))
    assert str(p) == p.source
    assert p.source.splitlines() == [
        "def f(x1, x2):",
        "    v1 = math.log(x1)",
        "    v2 = x1 * x2",
        "    v3 = v1 + v2",
        "    v4 = math.sin(x2)",
        "    v5 = v3 - v4",
        "    x2_bar = -math.cos(x2) + x1",
        "    x1_bar = x2 + 1 / x1",
        "    return v5, (x1_bar, x2_bar)",
    ]
    assert p(2.0, 5.0) == value_and_grad(f, (0, 1))(2.0, 5.0)


def test_ten_recorded_backward_lines_become_five_operations() -> None:
    p = program(f, 2.0, 5.0, argnums=(0, 1))
    assert (p.recorded, p.operations) == (Operations(5, 10), Operations(5, 5))
    assert "5 operations forward and 5 backward, of 5 and 10 recorded" in repr(p)
    back = [line for line in p.lines if line.backward]
    assert [line.recorded.split("(")[0] for line in back if not line.removed_by] == [
        *("cos", "v4_bar * t1"),  # which becomes a minus
        *("t2 + t4", "1 / x1", "t3 + t6"),
    ]
    assert [line.removed_by for line in back if line.removed_by] == ["constants"] * 2 + [
        "identities"
    ] * 3
    assert (
        next(line.written for line in back if line.recorded == "cos(x2)")
        == "x2_bar = -math.cos(x2) + x1"
    )


def test_each_pass_can_be_left_out() -> None:
    def g(x: Any) -> Any:
        unused = np.exp(x)
        del unused
        return np.sin(x) * np.sin(x) + 0.0 + x * 1.0

    def counts(*passes: str) -> int:
        p = program(g, 0.5, mode="value", passes=passes)
        assert p(0.7) == pytest.approx(g(0.7), rel=1e-15)
        return sum(p.operations)

    assert counts() == 7
    assert counts("dead code") == 6
    assert counts("sharing") == 6
    assert counts("identities") == 5
    assert counts(*PASSES) == 3
    with pytest.raises(InputError, match="passes can't be 'magic'"):
        program(g, 0.5, passes=("magic",))


def test_what_could_change_a_value_stays() -> None:
    p = program(lambda x: x * 0.0 + (x + 1e16) + 1.0, 1.0, mode="value")
    assert np.isnan(p(np.inf))
    assert p(1.0) == 1.0 * 0.0 + (1.0 + 1e16) + 1.0
    half = program(lambda x: np.copysign(1.0, x * -0.0 - 0.0), 1.0, mode="value")
    assert half(1.0) == -1.0


def test_constants_are_copied_and_keep_their_names() -> None:
    weights = np.array([1.0, 2.0, 3.0])
    p = program(lambda x: np.sum(weights * x), np.ones(3))
    assert "weights * x" in p.source
    before = p(np.ones(3))
    weights[:] = 0.0
    assert p(np.ones(3))[0] == before[0] == 6.0
    with pytest.raises(ValueError, match="read-only"):
        p.constants["weights"][0] = 1.0


@pytest.mark.parametrize(
    "names",
    [
        *(
            "v1, v2",
            "math, np",
            "lambda_, float",
            "v1_bar, t1",
            "ndarray, float64",
            "np_sin, math_sin",
            "_1, _entry",
        )
    ],
)
def test_names_of_the_learner_never_clash(names: str) -> None:
    space: dict[str, Any] = {"N": np}
    a, b = names.split(", ")
    exec(f"def v3({names}):\n    return N.sin({a}) * {b} + {a} * {b} * {b}", space)
    p = program(space["v3"], 0.5, 2.0, argnums=(0, 1))
    expected = value_and_grad(space["v3"], (0, 1))(0.7, 1.5)
    np.testing.assert_allclose(
        [p(0.7, 1.5)[0], *p(0.7, 1.5)[1]], [expected[0], *expected[1]], rtol=1e-15
    )
    ast.parse(p.source)


def test_an_array_that_the_function_itself_changes() -> None:
    def g(x: Any) -> Any:
        scale = np.ones(3)
        y = scale * x
        scale[:] = 2.0
        return np.sum(y * scale)

    p = program(g, np.ones(3))
    assert p(np.ones(3))[0] == value_and_grad(g)(np.ones(3))[0] == 6.0


def test_forward_mode_names_tangents() -> None:
    def g(x: Any) -> Any:
        return np.sin(x) * x

    p = program(g, 0.7, mode="forward")
    assert "v1_dot = math.cos(x)" in p.source
    np.testing.assert_allclose(p(0.9), jvp(g, (0.9,), (1.0,)), rtol=1e-15)
    both = program(lambda x, y: np.sin(x) * y, 0.7, 2.0, mode="forward", argnums=(0, 1))
    np.testing.assert_allclose(
        both(0.9, 3.0)[1], grad(lambda x, y: np.sin(x) * y, (0, 1))(0.9, 3.0), rtol=1e-15
    )


def test_a_program_of_a_derivative() -> None:
    def rosenbrock(x: Any) -> Any:
        return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    x, v = np.linspace(-1, 1, 7), np.linspace(2, 3, 7)
    p = program(lambda x, v: hvp(rosenbrock, (x,), (v,)), x, v, mode="value")
    np.testing.assert_allclose(p(v, x), hvp(rosenbrock, (v,), (x,)), rtol=1e-14)
    third = program(grad(grad(grad(lambda x: x**4 * np.sin(x)))), 0.5, mode="value")
    assert third(0.7) == pytest.approx(grad(grad(grad(lambda x: x**4 * np.sin(x))))(0.7), rel=1e-13)


def test_small_factors_are_multiplied_first() -> None:
    def g(x: Any) -> Any:
        a, b = np.sin(x), np.cos(x)
        return np.outer(x, x) * a * b

    x = np.linspace(0.1, 1.0, 5)
    p = program(g, x, mode="value")
    np.testing.assert_allclose(p(x + 1), g(x + 1), rtol=1e-15)
    assert (
        program(g, x, mode="value", passes=[q for q in PASSES if q != "small first"]).source
        != p.source
    )


def test_a_line_that_stands_for_another_keeps_its_sign() -> None:
    """Two terms with the same derivative: what is shared must not be turned round for one of them."""

    def g(x: Any) -> Any:
        return 1.0 / (2.0 + np.cos(x)) + 1.0 / (2.0 + np.cos(x))

    p = program(g, 1.0)
    np.testing.assert_allclose([*p(0.7)], value_and_grad(g)(0.7), rtol=1e-14)


def test_what_is_printed_is_what_runs() -> None:
    """Nothing is changed on the way from the text to what a call runs, not even in a program too long to be read."""

    def long(x: Any) -> Any:
        y = x
        for _ in range(100):
            y = np.sin(y) * x + 0.5 * y
        return np.sum(y)

    for point in (0.7, np.array([0.7, 0.2])):
        p = program(long, point)
        space = {"math": math, "np": np, **p.constants}
        exec(p.source, space)
        value, slope = space["long"](point)
        assert value == p(point)[0]
        np.testing.assert_array_equal(slope, p(point)[1])
        written = [line.written for line in p.lines if line.written]
        assert len(written) > 200
        assert all(text in p.source for text in written)


def test_a_call_takes_the_arguments_by_their_names() -> None:
    assert str(inspect.signature(program(f, 2.0, 5.0))) == "(x1, x2)"
