"""Feedback for each student: a page to hand back, and a short version for Moodle's *Feedback comments*.

A page has only the student's own files. It doesn't show the lecturer's list of things to look at, because
those are questions, not verdicts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from autodiff_lab.classroom.grading.names import Student, own_part
from autodiff_lab.classroom.grading.pages import (
    NOT_ATTEMPTED,
    escape_lines,
    exercise_number,
    lesson_titles,
    write_page,
)
from autodiff_lab.classroom.grading.students import Class, Work
from autodiff_lab.classroom.grading.verdicts import Answer, Row
from autodiff_lab.lessons.checks.exercise import MARKS
from autodiff_lab.text.notation import escape

FOLDER = "feedback"
# The most bytes of a student's name in a file name; file systems allow 255 for the whole file name.
MAX_NAME_BYTES = 150
NOT_FINAL = "These points are not final: your teacher will look at this."


@dataclass(frozen=True)
class Feedback:
    """A feedback page.

    Attributes
    ----------
    file : str
        The name of its file.
    page : str
        HTML.
    """

    file: str
    page: str


def write_feedback(everybody: Class) -> dict[Student, Feedback]:
    """Write the feedback page of each student."""
    taken: set[str] = set()
    return {
        work.student: Feedback(_file_name(work.student, taken), feedback_page(work, everybody))
        for work in everybody.works
    }


def _file_name(student: Student, taken: set[str]) -> str:
    """Choose a file name that no other student has, even if case is ignored, and add it to those taken.

    For a student from Moodle it is a name that *Upload multiple feedback files in a zip* accepts.

    >>> _file_name(Student("../Ada L", "7", "Moodle"), set())
    'Ada L_7_assignsubmission_file_feedback.html'
    >>> taken = set()
    >>> _file_name(Student("ada"), taken), _file_name(Student("Ada"), taken)
    ('ada-feedback.html', 'Ada-feedback (2).html')
    """
    letters = "".join(each if each.isalnum() or each in " .,-()" else "-" for each in student.name)
    name = letters.encode()[:MAX_NAME_BYTES].decode(errors="ignore").strip(" .-") or "student"
    if student.system == "Moodle":
        stem = f"{name}_{student.number}_assignsubmission_file_feedback"
    else:
        stem = f"{name}-{student.number}-feedback" if student.number else f"{name}-feedback"
    count = 1
    file = f"{stem}.html"
    while file.casefold() in taken:
        count += 1
        file = f"{stem} ({count}).html"
    taken.add(file.casefold())
    return file


def feedback_page(work: Work, everybody: Class) -> str:
    """Write one student's feedback as HTML: the points, and each exercise with its cell and the reply to it."""
    titles = lesson_titles()
    best = work.best
    parts = [f"<p>{escape(_say_points(work, everybody))}</p>"]
    for row in work.rows:
        title = titles.get(row.lesson, own_part(row.file))
        parts.append(f"<h2>{escape(title)}</h2>")
        parts.append(f"<p>{escape(own_part(row.file))}: {escape(_say_end(row))}</p>")
        if row.lesson in best and row is not best[row.lesson]:
            parts.append("<p>Another file of yours counts for this notebook.</p>")
        for name in row.exercises:
            answer = row.answers.get(name, Answer(NOT_ATTEMPTED))
            parts.append(_exercise(name, answer))
    missing = [titles[slug] for slug in everybody.worth if slug not in best]
    if missing:
        items = "".join(f"<li>{escape(title)}</li>" for title in missing)
        parts.append(f"<h2>No points yet in</h2><ul>{items}</ul>")
    return write_page(f"Feedback for {work.name}", "".join(parts))


def _exercise(name: str, answer: Answer) -> str:
    head = f"<h3>{MARKS[answer.state]} {exercise_number(name)}: {escape(answer.state)}</h3>"
    if answer.state == NOT_ATTEMPTED:
        return f"<section>{head}</section>"
    reply = f"<p class=lines>{escape_lines(answer.reply)}</p>"
    code = f"<pre>{escape_lines(answer.code)}</pre>" if answer.code else ""
    return f"<section>{head}{code}{reply}</section>"


def _say_points(work: Work, everybody: Class) -> str:
    said = f"{work.points} of {everybody.most} {everybody.unit}"
    said += "." if everybody.weights else " passed."
    if work.late:
        said += " Handed in late."
    if work.doubts:
        said += f" {NOT_FINAL}"
    return said


def _say_end(row: Row) -> str:
    if not row.judged:
        return "it could not be run here, through no fault of yours"
    return row.ended


def moodle_comment(work: Work, everybody: Class) -> str:
    """Write short feedback as HTML, for Moodle's column *Feedback comments*.

    >>> row = Row("Ada L_7_assignsubmission_file/03.ipynb", "tape", "ran", ("ex_1", "ex_2"), {"ex_1": Answer("passed")})
    >>> work = Work(Student("Ada L"), (row,), "Ada L")
    >>> print(moodle_comment(work, Class((work,), {"tape": 2})))
    <p>1 of 2 exercises passed.</p><p><b>03 · The tape, line by line</b><br>✓ passed: 1<br>… not attempted: 2</p>
    """
    titles = lesson_titles()
    parts = [f"<p>{escape(_say_points(work, everybody))}</p>"]
    for slug, row in work.best.items():
        lines = [f"<b>{escape(titles[slug])}</b>"]
        if row.ended != "ran":
            lines.append(escape(row.ended))
        passed = [
            name
            for name in row.exercises
            if name in row.answers and row.answers[name].state == "passed"
        ]
        if passed:
            lines.append(f"{MARKS['passed']} passed: {_list_numbers(passed)}")
        for name in row.exercises:
            if name in row.answers and name not in passed:
                reply = "<br>".join(map(escape, row.answers[name].reply.split("\n")))
                lines.append(f"{MARKS['not yet']} {exercise_number(name)}: {reply}")
        left = [name for name in row.exercises if name not in row.answers]
        if left:
            lines.append(f"{MARKS[NOT_ATTEMPTED]} not attempted: {_list_numbers(left)}")
        parts.append(f"<p>{'<br>'.join(lines)}</p>")
    placed = {row.file for row in work.best.values()}
    others = [row for row in work.rows if row.file not in placed and not row.exercises]
    parts += [f"<p>{escape(own_part(row.file))}: {escape(_say_end(row))}</p>" for row in others]
    return "".join(parts)


def _list_numbers(exercises: Sequence[str]) -> str:
    return ", ".join(map(exercise_number, exercises))
