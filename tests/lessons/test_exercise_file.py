"""The file of a lesson's exercises: wrong answers as data, as code, and as a change to the reference."""

import inspect
import tomllib
from pathlib import Path

import pytest

import autodiff_lab.lessons
from autodiff_lab.lessons.checks import Crashed, Instance
from autodiff_lab.lessons.checks.course import lessons
from autodiff_lab.lessons.checks.exercise_file import read_exercises
from autodiff_lab.lessons.checks.variants import every_draw

REFERENCE = """
[ex_99_1]
expects = "a function double(x)"
praise = "Well."
reference = '''
def double(x):
    return x + x'''
"""


def read(tmp_path, text, **checks):
    """The exercises of a file with this text."""
    path = tmp_path / "exercises.toml"
    path.write_text(f'title = "Exercises of a test"\n{text}', encoding="utf-8")
    return read_exercises(path, checks)[1]


def test_change_is_applied_to_the_reference(tmp_path):
    wrong = "[[ex_99_1.wrong]]\nchange.'x + x' = 'x * x'\nseen.\"at 3\" = 9.0\nhint = 'That is the square.'"
    (known,) = read(tmp_path, REFERENCE + wrong)["ex_99_1"].misconceptions
    assert known.written == "def double(x):\n    return x * x"
    assert known.seen == {"at 3": 9.0}


@pytest.mark.parametrize("old", ["x - x", "x"])
def test_change_of_text_that_is_not_there_once_is_refused(tmp_path, old):
    with pytest.raises(ValueError, match="exactly once"):
        read(tmp_path, REFERENCE + f"[[ex_99_1.wrong]]\nchange.'{old}' = 'y'\nseen = 1\nhint = ''")


def test_answer_is_seen_as_the_check_sees_it(tmp_path):
    text = "[ex_99_1]\nexpects = ''\npraise = ''\nexpected = 2\n[[ex_99_1.wrong]]\nanswer = [1, 2]\nhint = 'two'"
    (known,) = read(tmp_path, text, ex_99_1={"observe": sum})["ex_99_1"].misconceptions
    assert (known.written, known.seen) == ("answer = (1.0, 2.0)", 3)


def test_mistakes_of_an_instance_have_their_words(tmp_path):
    def double(x=3.0):
        return Instance(2 * x, mistakes={"squared": x * x, "in words": -x}, words={"twice": 2 * x})

    text = """
    [ex_99_1]
    expects = ''
    praise = ''
    draws.x = [4.0, 5.0]
    reference = 'answer = 2 * {x}'
    [[ex_99_1.wrong]]
    name = 'squared'
    hint = '{x} squared is {answer}, not {twice}.'
    [[ex_99_1.wrong]]
    name = 'in words'
    code = 'answer = "{answer}"'
    hint = 'Words.'
    """
    exercise = read(tmp_path, text, ex_99_1={"make": double})["ex_99_1"]
    (instance,) = (
        each for each in every_draw(exercise.make, exercise.draws) if each.given.x == 5.0
    )
    squared, in_words = instance.misconceptions
    assert instance.reference == "answer = 2 * 5.0"
    assert (squared.written, squared.hint) == ("answer = 25.0", "5.0 squared is 25.0, not 10.0.")
    assert (in_words.written, in_words.seen) == ('answer = "-5.0"', -5.0)


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.number)
def test_every_mistake_with_a_hint_can_be_made(lesson):
    folder = Path(autodiff_lab.lessons.__file__).parent / lesson.slug
    content = tomllib.loads((folder / "exercises.toml").read_text(encoding="utf-8"))
    for name, exercise in lesson.exercises().items():
        if exercise.is_varied:
            instances = every_draw(inspect.unwrap(exercise.make), exercise.draws)
            made = {mistake for instance in instances for mistake in instance.mistakes}
            assert made == {entry["name"] for entry in content[name]["wrong"]}, name


def test_choices_are_the_words_of_an_answer(tmp_path):
    text = "[ex_99_1]\nexpects = 'a letter'\npraise = ''\nexpected = ['b']\nchoices = ['a', 'b']"
    exercise = read(tmp_path, text)["ex_99_1"]
    assert exercise(["(B)"]).passed
    assert "'c' is none of a, b." in exercise(["c"]).text


def test_errors_and_nothing_have_their_tables(tmp_path):
    wrong = """
    [[ex_99_1.wrong]]
    code = 'pass'
    seen."a" = { crashed = "TypeError", saying = "None", theirs = false }
    seen."b" = [{ none = true }, 1.0]
    hint = ''
    """
    (known,) = read(tmp_path, REFERENCE + wrong)["ex_99_1"].misconceptions
    assert known.seen == {"a": Crashed("TypeError", "None", is_theirs=False), "b": (None, 1.0)}


def test_check_of_an_unknown_exercise_is_refused(tmp_path):
    with pytest.raises(KeyError, match="ex_99_2"):
        read(tmp_path, REFERENCE, ex_99_2={"observe": abs})


@pytest.mark.parametrize(
    "words",
    [
        "hint = 'praise and expects are missing'",
        "expects = ''\npraise = ''\n[[ex_99_1.wrong]]\nname = 'twice'\nhint = 'a stray { in it'",
        "expects = ''\npraise = ''\n[[ex_99_1.wrong]]\nname = 'twice'\nhint = 'there is no {y}'",
        "expects = ''\npraise = ''\n[[ex_99_1.wrong]]\nname = 'thrice'\nhint = ''",
    ],
    ids=["a key", "a brace", "data", "a mistake"],
)
def test_wrong_words_name_their_exercise(tmp_path, words):
    def make(x=2.0):
        return Instance(x, mistakes={"twice": 2 * x})

    with pytest.raises(ValueError, match="ex_99_1 in "):
        read(tmp_path, f"[ex_99_1]\n{words}", ex_99_1={"make": make})


def test_broken_file_names_its_line(tmp_path):
    with pytest.raises(tomllib.TOMLDecodeError, match="line 3"):
        read(tmp_path, "[ex_99_1]\nexpects = a function")
