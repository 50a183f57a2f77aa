"""NaNDetective: the row that makes the first NaN, with both factors, for each program and its repair."""

import math
import re

import numpy as np
import pytest

from autodiff_lab import grad, trace_nonfinite
from autodiff_lab.widgets import labs
from autodiff_lab.widgets.labs import NaNDetective
from autodiff_lab.widgets.labs.nan_detective.lab import MOST_LETTERS, PROGRAMS, SENDS

WHERE, DOUBLE, NORM, SQUARES, SOFTPLUS, LOGADDEXP, SIGMOID, TANH, ENTROPY = PROGRAMS
MAKES_NAN = (WHERE, NORM, SOFTPLUS, SIGMOID, ENTROPY)
REPAIRED = (DOUBLE, SQUARES, LOGADDEXP, TANH)


def at(program, x=None):
    lab = NaNDetective()
    lab.set(program=program)
    if x is not None:
        lab.set(x=x)
    return lab


def typed(expression, x):
    lab = NaNDetective()
    lab.set(expression=expression)
    lab.set(x=x)
    return lab


def gradient(lab):
    """The adjoint of x after the whole sweep."""
    while lab.can("back"):
        lab.press("back")
    return lab.snapshot()["adjoints"][0]


def test_a_lab_with_capitals_in_a_row_is_found_by_its_name():
    assert labs.NaNDetective is NaNDetective
    assert labs.VCurve.__module__.endswith("v_curve.lab")


def test_where_does_not_shield_and_a_second_where_does():
    assert math.isnan(gradient(at(WHERE))) and gradient(at(DOUBLE)) == 0
    lab = at(WHERE)
    lab.press("jump")
    guilty = lab.snapshot()["guilty"]
    assert (guilty["row"], guilty["operation"]) == ("v1", "log(v0)")
    assert (guilty["adjoint"], guilty["partial"]) == (0.0, math.inf) and math.isnan(
        guilty["product"]
    )
    assert "0 × ∞ = NaN" in lab.sentence() and "0 × ∞ = NaN" in lab.picture()
    assert lab.snapshot()["result"] == 0, "the value gave no sign"


def test_a_smooth_function_and_a_program_that_is_not():
    assert math.isnan(gradient(at(NORM))) and gradient(at(SQUARES)) == 0
    lab = at(NORM)
    lab.press("jump")
    guilty = lab.snapshot()["guilty"]
    assert guilty["operation"] == "sqrt(v3)" and (guilty["adjoint"], guilty["partial"]) == (
        0.0,
        math.inf,
    )


def test_softplus_at_800():
    assert math.isnan(gradient(at(SOFTPLUS))) and gradient(at(LOGADDEXP)) == 1
    lab = at(SOFTPLUS)
    assert "Not finite: v₁ = ∞" in lab.sentence(), "the value gives a sign here, before the sweep"
    lab.press("jump")
    assert lab.snapshot()["guilty"]["operation"] == "exp(v0)"


def test_sigmoid_far_out_has_the_right_value_and_no_slope():
    lab = at(SIGMOID)
    assert lab.snapshot()["result"] == 0 and math.isnan(gradient(lab))
    assert gradient(at(TANH)) == 0


def test_an_infinity_is_found_before_the_nan_that_it_leads_to():
    lab = at(ENTROPY)
    lab.press("jump")
    guilty = lab.snapshot()["guilty"]
    assert (guilty["adjoint"], guilty["partial"], guilty["product"]) == (1.0, -math.inf, -math.inf)
    assert "What arrived at y is 1, its local partial is −∞: 1 × (−∞) is −∞." in lab.sentence()
    assert math.isnan(gradient(lab))


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("x", ["0", "0.125", "-3", "2", "40"])
def test_the_adjoints_are_the_engines(program, x):
    lab = at(program, x)
    f, _, others = PROGRAMS[program]
    with np.errstate(all="ignore"):
        assert gradient(lab) == pytest.approx(grad(f)(float(x), *others), nan_ok=True)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_engines_row_is_guilty_where_values_are_finite(program):
    lab = at(program)
    lab.press("jump")
    with np.errstate(all="ignore"):
        found = trace_nonfinite(
            PROGRAMS[program].run, PROGRAMS[program].trap, *PROGRAMS[program].others
        )
    guilty = lab.snapshot()["guilty"]
    assert (guilty is not None) == (program in MAKES_NAN) == (found is not None)
    if found and found.phase == "backward":
        assert (guilty["row"], guilty["operation"]) == (found.name, found.expression)


@pytest.mark.parametrize("program", MAKES_NAN)
def test_up_to_the_guilty_row_every_adjoint_is_finite(program):
    lab = at(program)
    while lab.snapshot()["guilty"] is None:
        assert all(a is None or math.isfinite(a) for a in lab.snapshot()["adjoints"])
        assert "✗</text>" not in lab.picture()
        lab.press("back")
    stepped = lab.snapshot()
    jumped = at(program)
    jumped.press("jump")
    assert repr(jumped.snapshot()) == repr(stepped) and not jumped.can("jump")
    assert "✗</text>" in jumped.picture() and "Born here" in jumped.sentence()
    assert "first non-finite" in str(jumped)


@pytest.mark.parametrize("program", REPAIRED)
def test_without_a_culprit_the_jump_goes_to_the_end_and_says_so(program):
    lab = at(program)
    lab.press("jump")
    assert "every adjoint was finite" in lab.sentence() and lab.snapshot()["guilty"] is None
    assert not lab.can("back") and lab.can("begin")


def test_beside_the_trap_all_is_well():
    lab = at(WHERE, "1/2")
    lab.press("jump")
    assert lab.snapshot()["guilty"] is None
    assert lab.snapshot()["adjoints"][0] == 2.0


def test_a_program_begins_at_its_own_point_and_reads_entries():
    lab = at(SOFTPLUS)
    assert lab.snapshot()["x"] == 800.0
    lab.set(x="ten")
    assert "'ten' is not a number" in lab.sentence() and lab.snapshot()["x"] == 800.0
    lab.set(x="10")
    assert lab.snapshot()["x"] == 10.0 and lab.snapshot()["done"] == 0


def test_a_sum_that_overflows_is_found_too():
    lab = typed("1e308 * x + 1e308 * x", "0.001")
    lab.press("jump")
    assert lab.snapshot()["guilty"]["product"] == 1e308
    assert "x held 1e308, and the sum 1e308 + 1e308 is ∞." in lab.sentence()


def test_a_program_of_ones_own():
    lab = typed("arccos(cos(x))", "0")
    assert lab.snapshot()["program"] == "arccos(cos(x))" and "arccos(cos(x)) at x = 0" in str(lab)
    lab.press("jump")
    guilty = lab.snapshot()["guilty"]
    assert (guilty["row"], guilty["adjoint"], guilty["partial"]) == ("v2", 1.0, -math.inf)
    lab.set(program=WHERE)
    assert lab.snapshot()["program"] == WHERE and lab.expression == ""


def test_a_nonfinite_value_may_have_finite_adjoints():
    lab = typed("log(x)", "-1")
    lab.press("jump")
    assert lab.snapshot()["guilty"] is None
    assert "every adjoint was finite, though not every value" in lab.sentence()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sin(", "is not an expression"),
        ("y * 2", "is not supported here"),
        ("2.0", "doesn't compute anything from x"),
        ("x", "doesn't compute anything from x"),
        ("sin(sin(sin(sin(sin(sin(sin(x)))))))", "has 8 rows, but the lab has room for only 7"),
    ],
)
def test_what_cannot_be_followed_is_said_and_nothing_changes(text, said):
    lab = typed("sqrt(x * x)", "0")
    before = lab.snapshot()
    lab.set(expression=text)
    assert said in lab.sentence() and repr(lab.snapshot()) == repr(before)


def test_the_still_shows_the_culprit():
    assert NaNDetective().still().snapshot()["guilty"]["operation"] == "log(v0)"


def test_what_is_typed_keeps_the_name_of_its_input():
    lab = typed("arccos(cos(x))", 0.0)
    assert lab.table().rows[0][1].text == "x"


def test_each_product_is_a_step_and_what_a_row_has_sent_stays():
    lab = at(SQUARES, "3")
    while lab.can("back"):
        lab.press("back")
    assert lab.snapshot()["of"] == 6, "three rows send, each twice"
    assert "1 × 3 = 3 to x; 1 × 3 = 3 to x" in str(lab) and "v₃ = result" in lab.picture()


def test_one_press_from_the_culprit_and_a_short_tape_is_large():
    lab = NaNDetective()
    assert lab.controls[0].name == "jump" and type_size(lab) > type_size(at(NORM))
    lab.press("jump")
    assert "✗</text>" in lab.picture()


def type_size(lab):
    return float(re.search(r'font-size="([\d.]+)"[^>]*>x</text>', lab.picture())[1])


def test_what_a_row_sends_does_not_leave_the_picture():
    lab = typed("(x + 1e-9) * (x * 1e-9)", "0.00012345")
    while lab.can("back"):
        lab.press("back")
    sent = re.findall(rf'x="{SENDS}.0"[^>]*>([^<]+)</text>', lab.picture())
    assert "…" in "".join(sent) and max(map(len, sent)) <= MOST_LETTERS
