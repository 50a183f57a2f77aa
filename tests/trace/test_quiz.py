"""The questions of a trace: the right answers are the trace's own, the wrong ones are the mistakes they are called."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from autodiff_lab import Trace
from autodiff_lab.trace.quiz import KINDS, MAX_LINES

from .test_model import FUNCTIONS


def asked(trace, kind):
    return [
        question for step in trace.steps for question in step.questions if question.kind == kind
    ]


def mistakes(question):
    return {
        name: [m.value for m in question.mistakes if m.kind == name]
        for name, _ in question.mistakes
    }


def test_questions_about_the_example(example_trace):
    assert [(q.ask, q.answer.text) for q in asked(example_trace, "value")] == [
        ("a = log x1 = ?", "0.6931"),
        ("b = x1 · x2 = ?", "10"),
        ("s = a + b = ?", "10.6931"),
        ("c = sin x2 = ?", "−0.9589"),
        ("y = s − c = ?", "11.6521"),
    ]
    partials, adjoints = (
        [q.answer.text for q in asked(example_trace, kind)] for kind in ("partial", "adjoint")
    )
    assert partials == ["1", "−1", "0.2837", "1", "1", "5", "2", "0.5"]
    assert adjoints == ["1", "−1", "−0.2837", "1", "1", "5", "1.7163", "5.5"]
    assert asked(example_trace, "adjoint")[6].ask == "x2: −0.2837 + 1 × ∂b/∂x2 = ?"


def test_the_usual_mistakes_have_their_numbers(example_trace):
    cosine = mistakes(asked(example_trace, "partial")[2])
    assert cosine == {
        "output": [pytest.approx(np.cos(np.sin(5.0)))],
        "point": [pytest.approx(np.cos(2.0))],
        "sign": [-np.cos(5.0)],
    }
    after_sine = mistakes(asked(example_trace, "adjoint")[2])
    assert after_sine["incoming"] == [np.cos(5.0)]
    assert after_sine["output"] == [-np.cos(np.sin(5.0))]
    fan_out = mistakes(asked(example_trace, "adjoint")[6])
    assert fan_out["overwrote"] == [2.0]
    assert fan_out["missing"] == [-np.cos(-5.0)]
    assert fan_out["sign"][0] == pytest.approx(-np.cos(5.0) * -1 - 2.0 - 2 * np.cos(5.0))
    assert mistakes(asked(example_trace, "value")[4])["swapped"] == [
        pytest.approx(-11.652071455223084)
    ]


def test_questions_about_tangents(example_function):
    trace = Trace.of(example_function, 2.0, 5.0, mode="forward", direction="x2")
    questions = asked(trace, "tangent")
    assert [q.answer.text for q in questions] == ["0", "2", "2", "0.2837", "1.7163"]
    assert mistakes(questions[4])["part"] == [2.0, -np.cos(5.0)]
    assert mistakes(questions[1])["rate"] == [7.0]


@pytest.mark.parametrize(("f", "args"), FUNCTIONS)
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_answers_are_what_the_step_shows(f, args, mode):
    trace = Trace.of(f, *args, mode=mode)
    for step in trace.steps:
        shown = [trace.lines[step.line].value, *step.tangents]
        shown += [send.after for send in step.sends]
        shown += [operand.partial for operand in trace.lines[step.line].operands]
        for question in step.questions:
            assert question.answer in shown
            assert question.answer.shape == ()
    kinds = {m.kind for step in trace.steps for q in step.questions for m in q.mistakes}
    assert kinds == {hint.kind for hint in trace.hints} <= set(KINDS)


@given(st.floats(0.1, 5), st.floats(-5, 5))
def test_a_wrong_answer_is_never_the_right_one(a, b):
    assume(abs(b) > 1e-3)
    trace = Trace.of(lambda x, y: np.log(x) * y + np.sin(y * y) / x, a, b)
    for step in trace.steps:
        for question in step.questions:
            for mistake in question.mistakes:
                assert not np.isclose(mistake.value, question.answer.value, rtol=1e-6, atol=0)


def test_long_runs_faulty_ones_and_arrays_ask_nothing():
    def long(x):
        for _ in range(MAX_LINES):
            x = np.sin(x)
        return x

    for trace in (
        Trace.of(long, 1.0),
        Trace.of(lambda x: x * x, 3.0, fault="overwrite"),
        Trace.of(lambda x: np.sum(x * x), np.ones(3)),
        Trace.of(lambda x, y: x * y, 2.0, 5.0, mode="forward", direction="all"),
    ):
        assert not [step for step in trace.steps if any(q.kind != "value" for q in step.questions)]
        assert trace.mode == "forward" or not trace.hints


def test_an_operation_that_refuses_other_points_is_still_asked():
    from autodiff_lab import custom_gradient

    @custom_gradient(partials=lambda y, x: 2 * x)
    def only_at_three(x):
        if x != 3:
            raise ValueError("not here")
        return x * x

    trace = Trace.of(lambda x, y: only_at_three(x) * y, 3.0, 2.0)
    assert trace.gradient[0].value == 12.0
    assert asked(trace, "partial")[-1].answer.text == "6"
