"""Gradebooks for Moodle and Canvas, for hand-ins named as in their downloads; and tables for spreadsheets."""

import csv
import io
import re
from collections.abc import Sequence

from autodiff_lab.classroom.grading.feedback import moodle_comment
from autodiff_lab.classroom.grading.names import MOODLE
from autodiff_lab.classroom.grading.students import Class, Work
from autodiff_lab.classroom.grading.verdicts import Row
from autodiff_lab.classroom.grading.weights import Weights, exercise_title
from autodiff_lab.lessons.order import number_of

# Where a spreadsheet may see the beginning of a formula: at the beginning of a cell, or after any character that
# separates cells in some country; with or without spaces and quotation marks.
FORMULA = re.compile(r'(^|[;,|\t\r\n])([\s"]*)(?=[=+\-@＝＋－＠])')

# The same, but a run of them at once: an entity ends in a semicolon, which separates cells.
FORMULAS = re.compile(r'(^|[;,|\t\r\n])([\s"]*[=+\-@＝＋－＠])+')


def moodle_csv(everybody: Class) -> str:
    """Write Moodle's gradebook, an offline grading worksheet; an empty string if no file name is Moodle's.

    A grade is the number of points in all notebooks. It is left empty if a lecturer has to look at something first.
    *Feedback comments* are HTML.

    >>> from autodiff_lab.classroom.grading.students import collect_class
    >>> row = Row("Ada L_7_assignsubmission_file/03.ipynb", "tape", "ran", ("ex_1",))
    >>> print(moodle_csv(collect_class([row])).splitlines()[1])
    Participant 7,Ada L,0,1,,"<p>0 of 1 exercises passed.</p>..."
    """
    head = (
        "Identifier",
        "Full name",
        "Grade",
        "Maximum grade",
        "Last modified (grade)",
        "Feedback comments",
    )
    lines = []
    for work in _works_in(everybody, "Moodle"):
        is_open = any(_is_open(row) for row in work.best.values())
        comment = escape_formulas_in_html(moodle_comment(work, everybody))
        grade = "" if is_open else work.points
        lines.append(
            (f"Participant {work.student.number}", work.name, grade, everybody.most, "", comment)
        )
    return write_csv(head, lines)


def canvas_csv(everybody: Class) -> str:
    """Write Canvas's gradebook for *Import Gradebook*, a column per notebook; empty if no file name is Canvas's.

    >>> from autodiff_lab.classroom.grading.students import collect_class
    >>> row = Row("lovelaceada_late_7_8_03.ipynb", "tape", "ran", ("ex_1",))
    >>> print(canvas_csv(collect_class([row])).splitlines()[2])
    lovelaceada,7,,,,0
    """
    notebooks = [f"Notebook {number_of(slug)}" for slug in everybody.worth]
    head = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", *notebooks)
    lines: list[Sequence[object]] = []
    for work in _works_in(everybody, "Canvas"):
        best = work.best
        grades = [
            "" if slug not in best or _is_open(best[slug]) else work.points_in(best[slug])
            for slug in everybody.worth
        ]
        lines.append((work.name, work.student.number, "", "", "", *grades))
    if not lines:
        return ""
    return write_csv(head, [("Points Possible", "", "", "", "", *everybody.worth.values()), *lines])


def _works_in(everybody: Class, system: str) -> list[Work]:
    """List the works that have a grade and a number of Moodle or Canvas, sorted by that number."""
    works = [work for work in everybody.works if work.student.system == system and work.best]
    return sorted(works, key=lambda work: (work.student.number, work.name))


def _is_open(row: Row) -> bool:
    """Return whether a lecturer must decide: the row has doubts, or the file's name could be another student's."""
    found = MOODLE.match(row.file)
    is_ambiguous = found and MOODLE.match(row.file.partition("/")[0], found.end())
    return bool(row.doubts or is_ambiguous)


def exercises_csv(everybody: Class) -> str:
    """Write the points of each student in each exercise as CSV: 0 if it isn't passed yet, empty if not attempted.

    A passed exercise is worth 1 point, or as many as `Class.weights` gives it. If a lecturer has to look at a
    notebook before its points are final, its columns are empty.

    >>> from autodiff_lab.classroom.grading.students import collect_class
    >>> from autodiff_lab.classroom.grading.verdicts import Answer
    >>> row = Row("ada/03.ipynb", "tape", "ran", ("ex_1", "ex_2"), {"ex_2": Answer("passed")})
    >>> print(exercises_csv(collect_class([row])))
    student,number,late,look at this,passed,of,03 ex 1,03 ex 2
    ada,,,,1,2,,1
    <BLANKLINE>
    """
    rows = [row for work in everybody.works for row in work.best.values()]
    columns = {row.lesson: row.exercises for row in rows}  # they are the same for all
    exercises = [(slug, name) for slug in everybody.worth for name in columns.get(slug, ())]
    titles = [exercise_title(number_of(slug), name) for slug, name in exercises]
    lines = []
    for work in everybody.works:
        best = work.best
        points = [_points(best.get(slug), name, everybody.weights) for slug, name in exercises]
        late = "late" if work.late else ""
        doubts = "; ".join(work.doubts)
        lines.append(
            (work.name, work.student.number, late, doubts, work.points, everybody.most, *points)
        )
    return write_csv(("student", "number", "late", "look at this", "passed", "of", *titles), lines)


def _points(row: Row | None, exercise: str, weights: Weights) -> int | str:
    if row is None or row.doubts or exercise not in row.answers:
        return ""
    if row.answers[exercise].state != "passed":
        return 0
    return weights.get((row.lesson, exercise), 1)


def missing_csv(everybody: Class) -> str:
    """Write the people on the roster who handed in nothing as CSV; an empty string if there are none."""
    return write_csv(
        ("name", "number"), [(listed.name, listed.number) for listed in everybody.missing]
    )


def write_csv(head: Sequence[object], lines: Sequence[Sequence[object]]) -> str:
    """Write grades as CSV for a gradebook or spreadsheet; an empty string if there are no lines.

    Text that a spreadsheet would run as a formula is escaped, because students choose the names of their files.
    """
    if not lines:
        return ""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(head)
    for line in lines:
        writer.writerow(map(_escape_formula, line))
    return text.getvalue()


def _escape_formula(cell: object) -> object:
    r"""Write an apostrophe before each text that a spreadsheet could run as a formula.

    >>> print(_escape_formula("x;=1+1;y"))
    x;'=1+1;y
    """
    return FORMULA.sub(r"\1\2'", cell) if isinstance(cell, str) else cell


def escape_formulas_in_html(html: str) -> str:
    r"""Replace the characters that could begin a formula by HTML entities, which look the same.

    >>> print(escape_formulas_in_html("<p>a &lt;=1, -2</p>"))
    <p>a &lt;&#61;1, &#45;2</p>
    """
    return FORMULAS.sub(lambda found: re.sub("[=+\\-@＝＋－＠]", _entity, found[0]), html)


def _entity(found: re.Match[str]) -> str:
    return f"&#{ord(found[0])};"
