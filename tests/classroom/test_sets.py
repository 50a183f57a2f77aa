"""The two sets of notebooks of a course: the students' and the teacher's."""

import re

import nbformat
import pytest

from autodiff_lab.__main__ import main
from autodiff_lab.jupyter.notebooks import installed_notebooks
from autodiff_lab.lessons.checks.course import lessons

NAMES = sorted(path.name for path in installed_notebooks().glob("*.ipynb"))
EXERCISES = {lesson.slug: lesson.exercises() for lesson in lessons()}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course")
    assert main(["course", "--out", str(folder)]) == 0
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_the_students_notebook_has_no_answer(course, name):
    text = (course / "student" / name).read_text(encoding="utf-8")
    original = nbformat.read(installed_notebooks() / name, as_version=4)
    for cell, own in zip(nbformat.reads(text, as_version=4).cells, original.cells, strict=True):
        assert cell.source == re.sub(r"\[([^]]*)\]\(for_lecturers\.md\)", r"\1", own.source)
        folded = own.metadata.get("jupyter", {}).get("outputs_hidden")
        assert cell.get("outputs") == ([] if folded else own.get("outputs")), (
            "a saved output answers what is asked"
        )
    for exercise in EXERCISES.get(name[3:].removesuffix(".ipynb"), {}).values():
        for notebook in (nbformat.reads(text, as_version=4),):
            asked = [
                cell.source for cell in notebook.cells if f"check.{exercise.name}(" in cell.source
            ]
            assert exercise.reference.strip() not in "\n".join(asked)


@pytest.mark.parametrize("name", NAMES)
def test_a_teachers_notebook_has_answers_hints_and_mistakes(course, name):
    notebook = nbformat.read(course / "teacher" / name, as_version=4)
    nbformat.validate(notebook)
    text = "\n".join(cell.source for cell in notebook.cells)
    for exercise in EXERCISES.get(name[3:].removesuffix(".ipynb"), {}).values():
        for said in (
            exercise.reference.strip(),
            *exercise.hints,
            *(each.hint for each in exercise.misconceptions),
        ):
            assert said in text, (exercise.name, said)


def test_pictures_travel_along(course):
    assert (course / "student" / "pictures").is_dir() and (course / "teacher" / "pictures").is_dir()


def test_the_page_for_lecturers_is_not_for_students(course):
    """The lecturers' page contains the questions of a lecture and their answers."""
    page = "for_lecturers.md"
    assert (course / "teacher" / page).read_bytes() == (installed_notebooks() / page).read_bytes()
    assert not list((course / "student").rglob(page)) and not list(
        (course / "student").rglob("lectures/*")
    )
    assert list((course / "teacher").glob("lectures/*.ipynb"))
    texts = [path.read_text(encoding="utf-8") for path in (course / "student").glob("*.ipynb")]
    assert not any(page in text for text in texts), "nor does a link lead to it"


def test_nothing_is_overwritten(course, capsys):
    mine = course / "student" / NAMES[0]
    before = mine.read_text(encoding="utf-8")
    mine.write_text("mine", encoding="utf-8")
    assert main(["course", "--out", str(course)]) == 0
    assert mine.read_text(encoding="utf-8") == "mine"
    assert f"Kept 1 file as you left it: {NAMES[0]}" in capsys.readouterr().out
    mine.write_text(before, encoding="utf-8")
