"""A lecturer's notes in a notebook: the cells with Jupyter's slide type ``notes``, which only the lecturer sees."""

import copy
import re
from collections.abc import Mapping
from typing import Any

import nbformat

from autodiff_lab.classroom.course import find_exercise, write_notes
from autodiff_lab.classroom.lecture.slides import slide_type
from autodiff_lab.lessons.checks.exercise import Exercise

_ANSWER = re.compile(r"\*\*Answer\*\* (.+?)(?=\n\n|\Z)", re.DOTALL)
_MINUTES = re.compile(r"(\d+) min\b")


def read_minutes(notebook: Any) -> list[int]:
    """Return the minutes that a lecture's notes plan for each slide, in order; notes without minutes are left out.

    >>> notes = nbformat.v4.new_markdown_cell("**3 min**", metadata={"slideshow": {"slide_type": "notes"}})
    >>> read_minutes(nbformat.v4.new_notebook(cells=[notes]))
    [3]
    """
    notes = (cell.source for cell in notebook.cells if slide_type(cell) == "notes")
    return [int(found[1]) for found in map(_MINUTES.search, notes) if found]


def read_answer(notes: str) -> str:
    r"""Return the answer in a lecturer's notes, as Markdown, or an empty string if there is none.

    >>> read_answer("**Many say** x2.\n\n**Answer** It is `x1`.")
    'It is `x1`.'
    """
    found = _ANSWER.search(notes)
    return " ".join(found[1].split()) if found else ""


def add_exercise_notes(notebook: Any, exercises: Mapping[str, Exercise]) -> Any:
    """Return a copy of a lesson in which notes follow each exercise: a good answer, hints, and recognised mistakes."""
    notebook = copy.deepcopy(notebook)
    cells = []
    for cell in notebook.cells:
        cells.append(cell)
        exercise = find_exercise(cell, exercises)
        if exercise is None:
            continue
        text = f"{write_notes(exercise)}\n\nA good answer:\n\n```python\n{exercise.reference}\n```"
        metadata = {"slideshow": {"slide_type": "notes"}}
        cells.append(
            nbformat.v4.new_markdown_cell(text, id=f"{cell.id}-notes"[:64], metadata=metadata)
        )
    notebook.cells = cells
    return notebook
