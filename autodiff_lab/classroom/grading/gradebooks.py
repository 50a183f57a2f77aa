"""Gradebooks: the grades as Moodle and Canvas import them, for hand-ins named as in their downloads."""

import csv
import io
import re
from collections.abc import Sequence
from typing import Any

from autodiff_lab.classroom.grading.verdicts import Row
from autodiff_lab.lessons.order import SLUGS, number_of

# A folder or file of *Download all submissions*; the number is the participant's. What follows it is the student's own
# choice: only the first number counts, and where there is another, the grade is left open.
MOODLE = re.compile(r"(?P<name>[^/]+?)_(?P<id>\d+)_assignsubmission_file")
# A file of *Download Submissions*; the numbers are the user's and the file's.
CANVAS = re.compile(r"(?P<name>\w+?)_(?:late_)?(?P<id>\d+)_\d+_", re.IGNORECASE)
# Where in a cell a spreadsheet may see the beginning of a formula: at the cell's, or behind a character that separates
# cells for those who read commas as another character; with or without spaces and quotation marks.
FORMULA = re.compile(r'(^|[;,|\t\r\n])([\s"]*)(?=[=+\-@＝＋－＠])')

# For each student, by number and name, the grade in each lesson; empty where there is something to look at.
Grades = dict[tuple[str, str], dict[str, Any]]


def moodle_csv(rows: Sequence[Row]) -> str:
    """Write Moodle's gradebook, an offline grading worksheet, with the columns it imports; nothing if no name fits.

    A grade is the number of exercises passed, in all notebooks; where there is something to look at, it is left open.

    >>> row = Row("Ada L_7_assignsubmission_file/03.ipynb", "tape", "ran", ("ex_1",))
    >>> print(moodle_csv([row]).splitlines()[1])
    Participant 7,Ada L,0,1,
    """
    students, most = _grades(rows, MOODLE)
    lines = [
        (f"Participant {number}", name, "" if "" in mine.values() else sum(mine.values()), sum(most.values()), "")
        for (number, name), mine in students.items()
    ]
    return write_csv(("Identifier", "Full name", "Grade", "Maximum grade", "Last modified (grade)"), lines)


def canvas_csv(rows: Sequence[Row]) -> str:
    """Write Canvas's gradebook for *Import Gradebook*, a column for each notebook; nothing if no name fits.

    >>> row = Row("lovelaceada_late_7_8_03.ipynb", "tape", "ran", ("ex_1",))
    >>> print(canvas_csv([row]).splitlines()[2])
    lovelaceada,7,,,,0
    """
    students, most = _grades(rows, CANVAS)
    lines = [
        (name, number, *[""] * 3, *(mine.get(each, "") for each in most)) for (number, name), mine in students.items()
    ]
    head = (
        "Student",
        "ID",
        "SIS User ID",
        "SIS Login ID",
        "Section",
        *(f"Notebook {number_of(slug)}" for slug in most),
    )
    return write_csv(head, [("Points Possible", *[""] * 4, *most.values()), *lines] if lines else [])


def _grades(rows: Sequence[Row], names: re.Pattern[str]) -> tuple[Grades, dict[str, int]]:
    """Find each student's best grade in each lesson, and how many exercises the lessons have."""
    students: Grades = {}
    lengths = {row.lesson: len(row.exercises) for row in rows if row.exercises}
    most = {slug: lengths[slug] for slug in SLUGS if slug in lengths}
    for row in sorted(rows, key=lambda row: (not row.doubts, row.passed)):
        found = names.match(row.file)
        if found and row.exercises and row.judged:
            is_open = row.doubts or MOODLE.match(row.file.partition("/")[0], found.end())
            students.setdefault((found["id"], found["name"]), {})[row.lesson] = "" if is_open else row.passed
    return dict(sorted(students.items())), most


def write_csv(head: Sequence[object], lines: Sequence[Sequence[object]]) -> str:
    """Write grades as CSV for a gradebook or spreadsheet, formulas escaped; nothing if there are no lines.

    What a spreadsheet would take for a formula is written as text: a file's name is its author's to choose.
    """
    text = io.StringIO()
    csv.writer(text).writerows([head, *(map(_escape_formula, line) for line in lines)] if lines else [])
    return text.getvalue()


def _escape_formula(cell: object) -> object:
    r"""Write an apostrophe before whatever a spreadsheet may take for a formula.

    >>> print(_escape_formula("x;=1+1;y"))
    x;'=1+1;y
    """
    return FORMULA.sub(r"\1\2'", cell) if isinstance(cell, str) else cell
