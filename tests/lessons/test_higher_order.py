"""`higher_order`: its machines give the reference's numbers, right and wrong, and other good answers pass too."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from autodiff_lab import grad, hessian, hvp
from autodiff_lab.lessons import higher_order as check
from autodiff_lab.lessons.higher_order.exercises import (
    CURVATURES,
    NESTED,
    course,
    nesting,
    truncated,
)

from .test_every_exercise import in_the_notebook, submit

VALLEY = (lambda x: np.log((x - 7.0) ** 2 + 10.0), 7.0, 5.5)
LOPSIDED = (lambda x: np.exp(x) - 2.0 * x, float(np.log(2.0)), 1.2)
CASES = json.loads((Path(__file__).parents[1] / "data" / "reference_cases.json").read_text())
WITH_A_LIST = """
def together(a, b):
    mine = [t.tag for t in (a, b) if isinstance(t, Tagged)]
    tag = sorted(mine)[-1]
    split = lambda t: (t.value, t.tangent) if getattr(t, "tag", None) == tag else (t, 0.0)
    return tag, split(a), split(b)


def D_tagged(f, x):
    tag = next(tags)
    result = f(Tagged(x, 1.0, tag))
    return result.tangent if getattr(result, "tag", None) == tag else 0.0
"""
BY_COLUMNS = """
import autodiff_lab as ad


def reverse_over_reverse(f, x, v):
    return sum(ad.grad(lambda x, k=k: ad.grad(f)(x)[k])(x) * v[k] for k in range(len(v)))


forward_over_reverse = lambda f, x, v: ad.hvp(f, (x,), (v,))
reverse_over_forward = lambda f, x, v: ad.grad(lambda x: ad.jvp(f, (x,), (v,))[1])(x)
"""


@pytest.fixture(scope="module")
def names():
    return in_the_notebook("higher_order", check.ex_2.reference)


@pytest.mark.parametrize("case", CASES["nested_cases"], ids=lambda case: case["name"])
def test_the_learners_two_machines_on_the_reference_cases(case, names):
    for name, wanted in (("D_tagged", case["value"]), ("D", case["untagged_wrong"])):
        if isinstance(wanted, float):
            scope = {**names, "D": names[name]}
            assert float(eval(case["python_expr"], scope)) == pytest.approx(
                wanted, rel=1e-14, abs=0
            ), name


def test_2_5_16_without_tags_and_1_8_24_with_them(names):
    first = list(itertools.islice(NESTED.values(), 3))
    assert [program(names["D"]) for program in first] == [2.0, 5.0, 16.0]
    assert [program(names["D_tagged"]) for program in first] == [1.0, 8.0, 24.0]


def test_the_learners_tape_gives_the_derivatives_of_the_cube(names):
    names["tape"].clear()
    x = names["Variable"](3.0)
    y, found = x * x * x, []
    for _ in range(4):
        found.append(names["number"](y))
        y = names["grad"](y, x)
    assert found == CASES["higher_order"]["x_cubed_3"][:4] and y is None


def test_the_derivatives_of_tanh_to_order_six():
    f, found = np.tanh, []
    for _ in range(7):
        found.append(float(f(0.5)))
        f = grad(f)
    assert found == pytest.approx(CASES["higher_order"]["tanh_0.5"], rel=1e-12)


def test_the_product_of_the_text():
    found = hvp(course, (np.array([2.0, 5.0]),), (np.array([1.0, 2.0]),))
    assert found == pytest.approx([1.75, -0.9178485493262769], rel=1e-14)


def test_other_good_answers_pass():
    assert submit("higher_order", check.ex_2, WITH_A_LIST).passed
    answer = "def derivative(f, x):\n    y = one * x\n    found = grad(f(y), y)\n    return found or Variable(0.0)"
    assert submit("higher_order", check.ex_4, answer).passed


def test_a_product_by_columns_is_told_how_often_it_runs_f():
    said = submit("higher_order", check.ex_5, BY_COLUMNS).text
    assert "I expect “reverse over reverse”, and I see “reverse over reverse, 2 runs of f”" in said
    assert "which derivative is outside and which inside in reverse_over_reverse" in said


def test_a_step_that_stops_goes_downhill_in_every_case():
    for case, (gradient, _) in CURVATURES.items():
        assert np.dot(check.ex_7.expected[case], gradient) < 0, case


def test_positive_curvature_solves_newtons_system():
    positive = {
        case: data for case, data in CURVATURES.items() if np.all(np.linalg.eigvalsh(data[1]) > 0)
    }
    assert len(positive) == 3
    for case, (gradient, matrix) in positive.items():
        solved = np.linalg.solve(matrix, -np.array(gradient))
        np.testing.assert_allclose(check.ex_7.expected[case], solved, rtol=1e-9)


def test_endless_products_are_stopped():
    endless = "def truncated_cg(gradient, hessian_times):\n    while True:\n        hessian_times(gradient)"
    assert "more than 50 products" in submit("higher_order", check.ex_7, endless).text


@pytest.mark.parametrize("centre,width", list(itertools.product(*check.ex_6.draws.values())))
def test_convexity_ends_where_the_second_derivative_turns(centre, width):
    convex, left, right = check.ex_6.make(centre=centre, width=width).expected
    bend = grad(grad(lambda x: np.log((x - centre) ** 2 + width)))
    assert not convex
    for end, inwards in ((left, 1e-6), (right, -1e-6)):
        assert bend(end + inwards) > 0 > bend(end - inwards)


def test_a_plain_array_belongs_to_no_derivative():
    assert nesting(np.ones(2)) == "no derivative"


@pytest.mark.parametrize(("curve", "order"), [(VALLEY, 3), (LOPSIDED, 2)])
def test_newtons_digits_triple_where_the_third_derivative_is_0(curve, order):
    f, bottom, x = curve
    slope, bend = grad(f), grad(grad(f))
    assert (abs(grad(bend)(bottom)) < 1e-12) is (order == 3)
    errors = [abs(x - bottom)]
    while errors[-1] > 1e-3:
        x -= slope(x) / bend(x)
        errors.append(abs(x - bottom))
    found = np.log(errors[-1] / errors[-2]) / np.log(errors[-2] / errors[-3])
    assert found == pytest.approx(order, abs=0.3)


# What the notebook's folded answers say is found by moving


@pytest.mark.parametrize(("degrees", "sign"), [(35, 1), (125, -1)])
def test_hv_lies_on_the_line_of_v_in_two_directions(degrees, sign):
    v = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
    product = hvp(course, (np.array([2.0, 5.0]),), (v,))
    assert product @ v / np.linalg.norm(product) == pytest.approx(sign, abs=1e-3)


def saddle(x):
    return 0.5 * (x[0] ** 2 - 1.0) ** 2 + 0.5 * x[1] ** 2


def newton_step(x):
    return np.linalg.solve(hessian(saddle)(x), -grad(saddle)(x))


def downhill_step(x):
    s = truncated(grad(saddle)(x), lambda p: hvp(saddle, (x,), (p,)))
    while saddle(x + s) > saddle(x):
        s = s / 2.0
    return s


def end_of(step, start):
    x = np.array([start, 1.0])
    for _ in range(8):
        x = x + step(x)
    return x


@pytest.mark.parametrize(
    ("start", "end"), [(0.05, 0.0), (0.4, 0.0), (0.5, -1.0), (0.6, 1.0), (1.0, 1.0)]
)
def test_newtons_method_ends_on_the_saddle_or_in_either_minimum(start, end):
    assert end_of(newton_step, start) == pytest.approx([end, 0.0], abs=1e-3)


@pytest.mark.parametrize("start", np.arange(1, 21) / 20)
def test_truncated_steps_end_in_the_near_minimum(start):
    assert end_of(downhill_step, start) == pytest.approx([1.0, 0.0], abs=1e-3)
