"""What a class hands in: for each exercise right answers in unusual form, and wrong ones that a hurried student gives.

They are data beside the exercises: ``autodiff_lab/lessons/tape/answers.toml`` holds, for each exercise, what is
written into the notebook's cell instead of the unanswered one. A wrong answer may say what the reply must
mention.
"""

import tomllib
from pathlib import Path

import pytest

from ..notebooks.reading import lessons
from .test_every_exercise import submit

ANSWERS = Path(__file__).parents[2] / "autodiff_lab" / "lessons"
LESSONS = dict(lessons())
HANDED_IN = {
    number: tomllib.loads((ANSWERS / number / "answers.toml").read_text(encoding="utf-8"))
    for number in LESSONS
}
EXERCISES = [
    pytest.param(number, exercise, id=name)
    for number, found in LESSONS.items()
    for name, exercise in found.items()
]


@pytest.mark.parametrize("number", LESSONS)
def test_each_exercise_has_answers_of_a_class(number):
    handed_in = HANDED_IN[number]
    assert list(handed_in) == list(LESSONS[number])
    for name, answers in handed_in.items():
        assert set(answers) == {"right", "wrong"}, name
        assert len(set(answers["right"])) >= 3, name
        assert len({wrong["answer"] for wrong in answers["wrong"]}) >= 5, name
        assert all(set(wrong) <= {"answer", "says"} for wrong in answers["wrong"]), name


@pytest.mark.parametrize(("number", "exercise"), EXERCISES)
def test_a_right_answer_in_unusual_form_passes(number, exercise):
    for written in HANDED_IN[number][exercise.name]["right"]:
        reply = submit(number, exercise, written)
        assert reply.passed, f"{written}\n\n{reply}"


@pytest.mark.parametrize(("number", "exercise"), EXERCISES)
def test_a_hurried_answer_does_not_pass(number, exercise):
    for wrong in HANDED_IN[number][exercise.name]["wrong"]:
        reply = submit(number, exercise, wrong["answer"])
        assert reply.status == "not yet", f"{wrong['answer']}\n\n{reply}"
        assert wrong.get("says", "") in reply.text, f"{wrong['answer']}\n\n{reply}"
