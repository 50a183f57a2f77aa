"""Weights: how many points an exercise is worth, read from a CSV file for `autodiff-lab grade --weights`."""

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from autodiff_lab.classroom.grading.pages import exercise_number
from autodiff_lab.classroom.grading.verdicts import Row, printable
from autodiff_lab.jupyter.notebooks import TutorialError
from autodiff_lab.lessons.checks.course import lessons

TITLES = ["exercise", "points"]
EXAMPLE = "Its first line is `exercise,points`; below it is a line for each exercise, such as `03 ex 2,5`."

# The points of exercises, by lesson and name; an exercise that isn't among them is worth one point.
Weights = Mapping[tuple[str, str], int]


class WeightsError(TutorialError):
    """The weights cannot be read; the message says why and what to write instead."""


def exercise_title(number: str, exercise: str) -> str:
    """Return the title of an exercise in the tables of grades.

    >>> exercise_title("03", "ex_2")
    '03 ex 2'
    """
    return f"{number} ex {exercise_number(exercise)}"


def read_weights(path: Path) -> dict[tuple[str, str], int]:
    """Read weights from a CSV file with the columns ``exercise`` and ``points``, with commas or semicolons.

    Raises
    ------
    WeightsError
        If there is no such file, or a line of it isn't an exercise and a whole number of points.
    """
    where = f"the file of weights {printable(str(path))}"
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise WeightsError(
            f"{where} cannot be read ({problem}). Name a CSV file after --weights. {EXAMPLE}"
        ) from None
    separator = ";" if ";" in text.partition("\n")[0] else ","
    lines = [
        [cell.strip() for cell in line]
        for line in csv.reader(io.StringIO(text), delimiter=separator)
    ]
    if not lines or [title.casefold() for title in lines[0]] != TITLES:
        raise WeightsError(f"{where} doesn't begin with the titles of its columns. {EXAMPLE}")
    known = {}  # from an exercise's title to its lesson and name
    for lesson in lessons():
        for name in lesson.exercises():
            known[exercise_title(lesson.number, name)] = lesson.slug, name
    weights: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines[1:], 2):
        if not any(line):
            continue
        title = line[0]
        points = line[1] if len(line) == len(TITLES) else ""
        if title not in known:
            raise WeightsError(
                f"line {number} of {where}: there is no exercise {printable(title)!r}. Write an exercise as in the "
                f"first line of grades-exercises.csv: {', '.join(list(known)[:3])}, …"
            )
        if known[title] in weights:
            raise WeightsError(
                f"line {number} of {where}: {title} has points already. Delete one of the two lines."
            )
        if not (points.isascii() and points.isdecimal()):
            raise WeightsError(
                f"line {number} of {where}: the points of {title} are {printable(points)!r}. Write a whole number, "
                "0 or more."
            )
        weights[known[title]] = int(points)
    return weights


def points_for(row: Row, weights: Weights) -> int:
    """Return how many points the exercises passed in a hand-in are worth."""
    passed = [name for name, answer in row.answers.items() if answer.state == "passed"]
    return sum(weights.get((row.lesson, name), 1) for name in passed)


def most_points(row: Row, weights: Weights) -> int:
    """Return the most points that a hand-in can get: those of all exercises of its lesson."""
    return sum(weights.get((row.lesson, name), 1) for name in row.exercises)
