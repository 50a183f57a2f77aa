"""A learner who answers everything well: the whole notebook, run with the reference answers."""

import re

import pytest

from .normalise import execute
from .reading import NOTEBOOKS, answered, lessons, named, read, shown, tags

LESSONS = dict(lessons())


@pytest.mark.parametrize("number", LESSONS)
def test_every_exercise_passes_with_its_reference_answer(number):
    solved = execute(answered(read(named(number)), LESSONS[number]))
    reports = [shown(cell) for cell in solved.cells if "exercise" in tags(cell)]
    assert len(reports) == len(LESSONS[number])
    assert all(report.startswith("✓ ") for report in reports), "\n".join(reports)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_committed_notebook_is_unanswered(path):
    cells = [cell for cell in read(path).cells if "exercise" in tags(cell)]
    for cell in cells:
        assert shown(cell).startswith("… "), f"cell {cell.id} shows {shown(cell)!r}"
    asked = re.findall(r"^check\.(\w+)\(", "\n".join(cell.source for cell in cells), flags=re.M)
    assert asked == list(LESSONS.get(path.stem[:2], {})), "each exercise once, in the order of the lesson"
