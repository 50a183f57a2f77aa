"""Write a course's two sets of notebooks, the students' and the teacher's: `autodiff-lab course`.

The students' set is the tutorial without the lecturers' page, the lectures, and the saved outputs that would
give away an answer; students see those when they run the cell. In the teacher's set, each exercise's cell has
a good answer, followed by the hints that students can ask for and the wrong answers that the check recognises.
"""

import copy
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat

from autodiff_lab.jupyter.notebooks import Copied, copy_notebooks, installed_notebooks
from autodiff_lab.lessons.checks.course import lessons
from autodiff_lab.lessons.checks.exercise import Exercise

FOR_LECTURERS, LECTURES = "for_lecturers.md", "lectures"
LINK = re.compile(rb"\[([^]]*)\]\(for_lecturers\.md[^)]*\)")


def write_students_set(folder: Path) -> Copied:
    """Write the students' notebooks into a folder; files that exist are left as they are.

    Raises
    ------
    TutorialError
        If the folder cannot be written to.
    """

    def make_students_file(path: Path) -> bytes | None:
        # The lecturers' notes contain the answers.
        if path.name == FOR_LECTURERS or path.parent.name == LECTURES:
            return None
        if path.suffix != ".ipynb":
            return LINK.sub(rb"\1", path.read_bytes())
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            # An output is folded in the tutorial because it gives away an answer.
            if cell.metadata.get("jupyter", {}).get("outputs_hidden"):
                cell.outputs = []
                cell.metadata.jupyter = {}
        return LINK.sub(rb"\1", (nbformat.writes(notebook) + "\n").encode())

    return copy_notebooks(installed_notebooks(), folder, make_students_file)


def write_course(folder: Path) -> dict[str, Copied]:
    """Write a course's notebooks into ``folder/student`` and ``folder/teacher``; files that exist are left as they are.

    Raises
    ------
    TutorialError
        If the folder cannot be written to.
    """
    exercises = {lesson.slug: lesson.exercises() for lesson in lessons()}

    def make_teachers_file(path: Path) -> bytes:
        if path.suffix != ".ipynb":
            return path.read_bytes()
        slug = path.stem[3:]  # without the lesson's number, as in 04_adjoint_flow
        notebook = nbformat.read(path, as_version=4)
        notebook = make_teacher_notebook(notebook, exercises.get(slug, {}))
        return (nbformat.writes(notebook) + "\n").encode()

    return {
        "student": write_students_set(folder / "student"),
        "teacher": copy_notebooks(installed_notebooks(), folder / "teacher", make_teachers_file),
    }


def fill_answers(notebook: Any, exercises: Mapping[str, Exercise]) -> Any:
    r"""Return a copy of a course notebook in which each exercise is answered with its reference answer.

    >>> from autodiff_lab.lessons.start_here import ex_1
    >>> cells = [nbformat.v4.new_code_cell("answer = ...\n\ncheck.ex_1(answer)")]
    >>> print(fill_answers(nbformat.v4.new_notebook(cells=cells), {"ex_1": ex_1}).cells[0].source)
    answer = -0.2837
    <BLANKLINE>
    check.ex_1(answer)
    """
    notebook = copy.deepcopy(notebook)
    for cell in notebook.cells:
        exercise = find_exercise(cell, exercises)
        if exercise is not None:
            cell.source = f"{exercise.reference}\n\n{exercise.call}"
    return notebook


def find_exercise(cell: Any, exercises: Mapping[str, Exercise]) -> Exercise | None:
    """Return the exercise that a cell of a course notebook checks; None if it checks none."""
    if cell.cell_type != "code":
        return None
    for name, exercise in exercises.items():
        if re.search(rf"check\.{name}\(", cell.source):
            return exercise
    return None


def make_teacher_notebook(notebook: Any, exercises: Mapping[str, Exercise]) -> Any:
    """Make the teacher's copy of a course notebook: good answers, and below each its hints and recognised mistakes."""
    notebook = fill_answers(notebook, exercises)
    cells = []
    for cell in notebook.cells:
        cells.append(cell)
        exercise = find_exercise(cell, exercises)
        if exercise is None:
            continue
        # The saved output is that of the unanswered exercise.
        cell.outputs = []
        cell.execution_count = None
        notes_id = f"{cell.id}-notes"[:64]  # nbformat allows 64 characters
        cells.append(nbformat.v4.new_markdown_cell(write_notes(exercise), id=notes_id))
    notebook.cells = cells
    return notebook


def write_notes(exercise: Exercise) -> str:
    """Write the teacher's notes on an exercise of the course, as Markdown: its hints and recognised wrong answers."""
    parts = [f"**For the teacher: {exercise.title}**"]
    if exercise.is_varied:
        parts.append(
            "Each student may get different numbers (`check.seed`); these are the numbers in the text."
        )
    if exercise.hints:
        # Markdown numbers the items of a list, whatever numbers they are written with.
        hints = "\n".join(f"1. {hint}" for hint in exercise.hints)
        parts.append(f"Hints, one after the other:\n\n{hints}")
    if exercise.misconceptions:
        mistakes = "\n\n".join(
            f"```python\n{each.written.strip()}\n```\n\n> {each.hint}"
            for each in exercise.misconceptions
        )
        parts.append(f"Wrong answers that are recognised, each with its hint:\n\n{mistakes}")
    return "\n\n".join(parts)
