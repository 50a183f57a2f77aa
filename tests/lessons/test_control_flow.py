"""`control_flow`: other correct answers pass, others are refused, and the learner's graph is restored."""

import pytest

from autodiff_lab import grad
from autodiff_lab.lessons.checks.variants import every_draw
from autodiff_lab.lessons.control_flow import ex_1, ex_2, ex_3, ex_5, ex_6, ex_7
from autodiff_lab.lessons.control_flow.exercises import count_operations, programs
from autodiff_lab.lessons.examples.ball import flight, landing
from autodiff_lab.lessons.examples.loops import until_ten

from .test_every_exercise import in_the_notebook, submit

RATIO = "import numpy as np\nanswer = (0, 1)\n"


@pytest.mark.parametrize("x", [1.3, 1.5, 1.6, 3.0])
def test_the_tape_is_as_long_as_the_loop_of_plain_python(x):
    turns, y = 0, x
    while y < 10:
        turns, y = turns + 1, y * x
    assert count_operations(x) == (turns, turns + 1)
    assert until_ten(x) == y


def test_the_switch_of_every_learner_lies_where_it_is_said_to():
    for instance in every_draw(ex_2.make, ex_2.draws):
        (n,) = instance.given
        left, right, _ = instance.expected
        x = 10 ** (1 / n)
        assert left == pytest.approx((n + 1) * x**n, rel=1e-6)
        assert right == pytest.approx(n * x ** (n - 1), rel=1e-6)
        assert left > right


def test_numbers_of_ones_own_are_two_different_tapes():
    for instance in every_draw(ex_1.make, ex_1.draws):
        assert instance.expected[0] > instance.expected[1]


@pytest.mark.parametrize(
    "ratio",
    [
        "def ratio(x):\n    return 1 + x / 2 + x * x / 6 if abs(x) < 1e-4 else np.expm1(x) / x",
        "def ratio(x):\n    total, term = 0.0, 1.0\n    for k in range(1, 40):\n"
        "        total, term = total + term, term * x / (k + 1)\n    return total",
    ],
)
def test_other_good_ways_to_write_the_ratio(ratio):
    assert submit("control_flow", ex_3, RATIO + ratio).passed


@pytest.mark.parametrize("a", [0.0, 0.1, 0.25])
@pytest.mark.parametrize("x", [-2.0, -0.5, 0.0, 0.5, 2.0])
def test_the_three_programs_are_one_function(a, x):
    first, second, third, zero = (float(f(x)) for f in programs(a))
    assert first == second == pytest.approx(third, abs=1e-15)
    assert zero == pytest.approx(0.0, abs=1e-15)


GOOD_LOOPS = {
    "until t stands still": "t, before = (start + x / start) / 2, start\n    while abs(t - before) > 1e-12 * t:\n"
    "        t, before = (t + x / t) / 2, t\n    return t",
    "two turns more": "t = start\n    while abs(t * t - x) > 1e-9 * x:\n        t = (t + x / t) / 2\n"
    "    t = (t + x / t) / 2\n    return (t + x / t) / 2",
    "many turns": "t = start\n    for _ in range(40):\n        t = (t + x / t) / 2\n    return t",
}


@pytest.mark.parametrize("body", GOOD_LOOPS.values(), ids=list(GOOD_LOOPS))
def test_other_good_loops(body):
    assert submit("control_flow", ex_5, f"def root(x, start):\n    {body}").passed


def test_the_root_is_not_taken_from_the_table():
    reply = submit("control_flow", ex_5, "def root(x, start):\n    return np.sqrt(x)")
    assert not reply.passed and "by the loop" in reply.text


def test_the_check_gives_the_graph_back():
    names = in_the_notebook("control_flow", ex_6.reference)
    names["GRADIENT"]["Cond"] = mine = object()
    before = dict(names["GRADIENT"]), dict(names["COMPUTE"])
    assert ex_6(names["run"], names["cond_gradient"]).passed
    assert (names["GRADIENT"], names["COMPUTE"]) == before
    assert names["GRADIENT"]["Cond"] is mine


def test_a_run_that_never_ends_is_stopped_once():
    written = ex_6.reference.replace(
        "    values = dict(feed)\n", "    values = dict(feed)\n    while True: pass\n", 1
    )
    reply = submit("control_flow", ex_6, written)
    assert "still running" in reply.text


def test_a_rule_that_is_repaired_repairs_the_program_too():
    """This is allowed: with a rule that never divides by 0, the text's program has no NaN."""
    written = (
        "GRADIENT['log'] = lambda op, grad: (grad / cond(op.inputs[0] > 0, op.inputs[0], 1.0),)\n"
        "def shielded(x):\n    return cond(x > 0, log(x), x)"
    )
    assert submit("control_flow", ex_7, written).passed


def test_the_slope_of_the_last_point_has_the_wrong_sign():
    """Section 3 on the ball: the jumps carry it further, and between them it falls back."""

    def last_point(angle):
        return flight(angle)[0][-1]

    assert last_point(0.3) > last_point(0.2) + 5
    assert grad(last_point)(0.2) < -3 and grad(landing)(0.2) > 70


@pytest.mark.parametrize(("iterations", "enough"), [(15, False), (16, True)])
def test_sixteen_iterations_are_enough_for_the_picture(iterations, enough):
    """The folded answer of section 10: the slider's loop at the left end of the picture."""
    names = in_the_notebook("control_flow", ex_6.reference)
    x = y = names["Op"]("x")
    for _ in range(iterations):
        y = names["cond"](y < 10, y * x, y)
    assert (names["run"]([y], {x: 1.15})[0] == until_ten(1.15)) is enough
