"""Unforeseen wrong answers: the reply names the form, the place or the case, and doesn't give the answer away."""

import pytest

from autodiff_lab.lessons import (
    adjoint_flow,
    compilation,
    control_flow,
    differentiation,
    dual_numbers,
    jacobians,
    printing_tape,
    start_here,
    static_graphs,
    tensorflow,
    verification,
    ways_to_remember,
)
from autodiff_lab.lessons.checks.compare import agrees

from .test_every_exercise import submit

TUPLES = """
def dual_mul(a, b):
    return a.value * b.value, a.tangent * b.value + a.value * b.tangent


def dual_div(a, b):
    return a.value / b.value, (a.tangent * b.value - a.value * b.tangent) / b.value**2
"""

LAST_IS_RESULT = """
def adjoints_from(result, cells):
    adjoint = dict.fromkeys(cells, 0.0)
    adjoint[cells[-1]] = 1.0
    for cell in reversed(cells):
        for operand, partial in cell.links:
            adjoint[operand] += adjoint[cell] * partial
    return adjoint
"""

RAISES_AT_ONCE = f"""
{compilation.ex_2.reference}


def guard(tape, asked):
    if question(tape, asked) != bool(asked.outcome):
        raise Changed
"""

ADDRESS = """
def minimize(loss, variables, learning_rate):
    raise ValueError(f"no {object()}")
"""


@pytest.mark.parametrize(
    ("exercise", "answer", "said"),
    [
        (start_here.ex_1, 5.0, "You gave 5. That is not it."),
        (differentiation.ex_2, 1e-8, "I expect a pair of steps"),
        (
            differentiation.ex_5,
            (1.3090816,) * 2,
            "Write check.ex_5(by_formula, by_difference, by_ad)",
        ),
        (dual_numbers.ex_3, (0.125, 8, 1, 1), "only the fourth is not right"),
        (dual_numbers.ex_3, (0, 0.125, 8, 1, 1.125), "I expect four numbers"),
        (
            printing_tape.ex_1,
            [*printing_tape.ex_1.expected[:6], "v5 = v4 - v3"],
            "only the seventh is not right",
        ),
        (
            ways_to_remember.ex_5,
            ["survives"] * 4 + ["changes"],
            "the second is the first that is not right",
        ),
        (static_graphs.ex_2, (44.07, False), "Of the 2, only the first is not right."),
        (tensorflow.ex_4, (6, None, None, 6, None, 0), "only the sixth is not right"),
        (control_flow.ex_1, (4, 5), "The numbers are right, but their order is not."),
        (control_flow.ex_1, (7, 9), "Of the 2, neither is right."),
        (control_flow.ex_2, (31.548, 60, "a"), "The sides are the wrong way round"),
        (dual_numbers.ex_3, (-0.03125, 2, 0.25, 0.21875), "the column for the other seed"),
        (
            ways_to_remember.ex_5,
            ["survive"] * 5,
            "'survive' is none of survives, changes, raises. I expect five words",
        ),
        (jacobians.ex_1, ["forward", "reverse", "reverse", "forward", "both"], "'both' is none of"),
        (compilation.ex_6, "dfacez", "'z' is none of a, b, c, d, e, f"),
    ],
    ids=lambda thing: getattr(thing, "name", None),
)
def test_an_unforeseen_answer_gets_a_specific_reply(exercise, answer, said):
    reply = exercise(answer)
    assert reply.status == "not yet" and said in reply.text


@pytest.mark.parametrize(
    ("exercise", "answer"),
    [
        (control_flow.ex_2, (60.0, 50 / 10**0.2, "(A)")),
        (verification.ex_1, ("v₁", 0, "inf")),
        (verification.ex_1, ("V1 ", 0.0, float("inf"))),
        (compilation.ex_6, "D, F, A, C, E, B"),
        (compilation.ex_6, list("DFACEB")),
    ],
)
def test_an_answer_in_other_letters_passes(exercise, answer):
    assert exercise(answer).passed


@pytest.mark.parametrize(
    ("number", "exercise", "written", "said"),
    [
        ("dual_numbers", dual_numbers.ex_1, TUPLES, "no Dual, but (10, 29)"),
        ("adjoint_flow", adjoint_flow.ex_3, LAST_IS_RESULT, "x + y, and then x * y for nothing"),
        (
            "compilation",
            compilation.ex_2,
            RAISES_AT_ONCE,
            "Your guard raised Changed when it was asked for its line",
        ),
        (
            "compilation",
            compilation.ex_5,
            "my_function, my_partial = np.sin, np.cos",
            "Write a function of your own",
        ),
    ],
    ids=["02.1", "04.3", "15.2", "15.5"],
)
def test_unforeseen_code_gets_a_specific_reply(number, exercise, written, said):
    reply = submit(number, exercise, written)
    assert reply.status == "not yet" and said in reply.text


def test_a_function_without_a_name_has_a_formula():
    code = "my_function, my_partial = lambda x: np.exp(-x * x), lambda y, x: -2 * x * y"
    assert submit("compilation", compilation.ex_5, code).passed


@pytest.mark.parametrize("culprit", ["'tanh'", "np.tanh", "'the absolute value'"])
def test_a_wrong_word_is_not_answered_with_the_right_one(culprit):
    reply = submit(
        "differentiation",
        differentiation.ex_4,
        f"{differentiation.ex_4.reference}\nculprit = {culprit}",
    )
    assert "one of exp, abs, sin, sqrt, log" in reply.text
    assert submit(
        "differentiation",
        differentiation.ex_4,
        f"{differentiation.ex_4.reference}\nculprit = np.abs",
    ).passed


def test_no_code_ran_where_none_was_asked():
    code = "def both_gradients(tape, z, x, y):\n    return 4.0, 6.0"
    assert "rewound for the first time" in submit("tensorflow", tensorflow.ex_5, code).text


def test_a_message_has_no_address():
    text = submit("tensorflow", tensorflow.ex_6, ADDRESS).text
    assert "ValueError: no <object object>" in text


def test_code_without_an_end_is_tried_once():
    code = "calls = []\ndef dual_mul(a, b):\n    calls.append(a)\n    while True: pass\n\n\ndual_div = dual_mul"
    names_of = {}

    def observe(*functions):
        names_of.update(functions[0].__globals__)
        return dual_numbers.ex_1.observe(*functions)

    exercise = type(dual_numbers.ex_1)(
        "ex_98_3",
        takes=("dual_mul", "dual_div"),
        expects="two functions",
        praise="Well.",
        expected={},
        observe=observe,
    )
    submit("dual_numbers", exercise, code)
    assert len(names_of["calls"]) == 1


@pytest.mark.parametrize(
    "exercise", [static_graphs.ex_1, static_graphs.ex_4, static_graphs.ex_7, tensorflow.ex_2]
)
def test_the_last_hint_leaves_something_to_write(exercise):
    for line in exercise.reference.splitlines():
        for part in (line.strip(), line.partition("= ")[2], line.partition("return ")[2]):
            assert len(part) < 12 or part not in exercise.hints[-1]


def test_agreement_is_not_loosened():
    assert not agrees(
        (0.125, 8.0, 1.0, 1.0), dual_numbers.ex_3.expected, dual_numbers.ex_3.tolerance
    )
