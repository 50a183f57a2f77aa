"""Write the report on graded notebooks, as CSV and HTML: a row for each, and the mistakes of the whole class."""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from autodiff_lab.classroom.grading.grade import GradingError, Row, printable
from autodiff_lab.lessons.checks.course import lessons
from autodiff_lab.lessons.checks.exercise import MARKS
from autodiff_lab.text.notation import escape

__all__ = ["csv_text", "html_page", "open_report", "report_paths"]

COLUMNS = ("who", "file", "notebook", "passed", "attempted", "exercises", "how it went", "wrong answers met")
NOT_ATTEMPTED = "not attempted"
WALLS = {True: "behind the walls of bubblewrap", False: "without walls (--unconfined), with all your rights"}


@contextmanager
def open_report(folder: Path, *, overwrite: bool = False, walls: bool = True) -> Iterator[Callable[[Row], None]]:
    """Open ``grades.csv`` and ``grades.html`` in a folder; yield a function that adds a row.

    Each row is in ``grades.csv`` as soon as it is added. At the end, however it comes, its rows are put into the order
    of their names, and ``grades.html`` is written.

    Raises
    ------
    FileExistsError
        If they are there already and `overwrite` is not asked for: somebody may have written into them.
    GradingError
        If they cannot be written.
    """
    paths = report_paths(folder)
    there = [path for path in paths if os.path.lexists(path)]
    if there and not overwrite:
        raise FileExistsError(f"{there[0]} is there already; name another folder with --out, or say --overwrite")
    rows: list[Row] = []
    with ExitStack() as files:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for path in there:
                path.unlink()
            # With the mark at its beginning a spreadsheet takes the text for what it is, UTF-8.
            table = files.enter_context(paths[0].open("x", encoding="utf-8-sig", newline=""))
            page = files.enter_context(paths[1].open("x", encoding="utf-8"))
            table.write(csv_text([]))
            table.flush()
        except OSError as problem:
            raise GradingError(
                f"the grades cannot be written into {printable(str(folder))} ({problem.strerror}). Nothing was run.\n"
                "Name a folder that you can write to: --out DIR"
            ) from problem

        def add(row: Row) -> None:
            rows.append(row)
            table.write(csv_text([row]).partition("\r\n")[2])
            table.flush()

        try:
            yield add
        finally:
            rows.sort(key=lambda row: row.file)
            table.seek(0)
            table.write(csv_text(rows))  # the same lines, and so as long as what it covers
            page.write(html_page(rows, walls=walls))


def report_paths(folder: Path) -> tuple[Path, Path]:
    """Return the paths of the report: CSV, HTML."""
    return folder / "grades.csv", folder / "grades.html"


def csv_text(rows: Sequence[Row]) -> str:
    """Write the table as CSV, one line for each notebook.

    Cells that a spreadsheet would take for a formula are written as text: a file's name is its author's to choose.

    >>> print(csv_text([Row("ada/03.ipynb", "03", "ran", ("ex_03_1",), {"ex_03_1": "passed"})]).splitlines()[1])
    ada,ada/03.ipynb,03,1,1,1,ran,
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for row in rows:
        met = " | ".join(f"{_exercise_number(name)}: {hint}" for name, hint in row.met.items())
        counts = row.passed, row.attempted, len(row.exercises)
        writer.writerow(
            [*map(_escape_formula, (row.who, row.file, row.lesson)), *counts, *map(_escape_formula, (row.ended, met))]
        )
    return text.getvalue()


def _escape_formula(cell: str) -> str:
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _exercise_number(exercise: str) -> str:
    return exercise.removeprefix("ex_").replace("_", ".")


def html_page(rows: Sequence[Row], *, walls: bool = True) -> str:
    """Write the table as one HTML page: for each lesson who did what, and which wrong answers were met."""
    titles = {lesson.number: lesson.title for lesson in lessons()}
    parts = []
    for lesson in sorted({row.lesson for row in rows}, key=lambda number: (number not in titles, number)):
        mine = [row for row in rows if row.lesson == lesson]
        title = f"{lesson} · {titles[lesson]}" if lesson in titles else "Notebooks that could not be placed"
        parts.append(f"<h2>{escape(title)}</h2>{_table(mine)}{_recognised_answers(mine)}{_unrecognised_answers(mine)}")
    done = sum(row.passed for row in rows)
    said = (
        f"{len(rows)} notebooks, {done} exercises passed. Each ran in a process of its own, {WALLS[walls]}. "
        "A row says what the notebook's own process said."
    )
    legend = " · ".join(f"{MARKS[state]} {state}" for state in ("passed", "not yet", NOT_ATTEMPTED))
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Grades</title>'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
        f"<style>{STYLE}</style><h1>What was handed in</h1><p>{escape(said)}</p><p>{escape(legend)}</p>"
        f"{''.join(parts)}</html>\n"
    )


def _table(rows: Sequence[Row]) -> str:
    exercises = next((row.exercises for row in rows if row.exercises), ())
    heads = ["who", "how it went", "passed", *(_exercise_number(name) for name in exercises)]
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    body = "".join(map(_table_row, rows))
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _table_row(row: Row) -> str:
    cells = []
    for name in row.exercises:
        state = row.states.get(name, NOT_ATTEMPTED)
        said = row.met.get(name) or row.unknown.get(name, ("",))[0]
        title = f"{state}: {said}" if said else state
        mark = f'<span aria-hidden="true">{MARKS[state]}</span><span class="read">{escape(title)}</span>'
        cells.append(f'<td class="{state.split()[0]}" title="{escape(title)}">{mark}</td>')
    count = f"{row.passed} of {len(row.exercises)}" if row.exercises else ""
    who = f'<th scope="row" title="{escape(row.file)}">{escape(row.who)}</th>'
    return f"<tr>{who}<td>{escape(row.ended)}</td><td>{count}</td>{''.join(cells)}</tr>"


def _recognised_answers(rows: Sequence[Row]) -> str:
    """List the wrong answers that were recognised, the most frequent first: what to talk about next time."""
    met = Counter((name, hint) for row in rows for name, hint in row.met.items())
    if not met:
        return ""
    items = "".join(
        f"<li><b>{_exercise_number(name)}</b>, {count} of {len(rows)}: {escape(hint)}</li>"
        for (name, hint), count in met.most_common()
    )
    return f"<h3>Wrong answers that were met</h3><ul>{items}</ul>"


def _unrecognised_answers(rows: Sequence[Row]) -> str:
    """List the wrong answers that were not recognised, each as it was written, with what was said to it."""
    items = "".join(
        f"<li><b>{_exercise_number(name)}</b>, {escape(row.who)}: {escape(reply)}"
        f"<pre>{_escape_lines(answer)}</pre></li>"
        for row in rows
        for name, (reply, answer) in row.unknown.items()
    )
    return f"<h3>Answers that were not recognised</h3><ul>{items}</ul>" if items else ""


def _escape_lines(code: str) -> str:
    return "\n".join(map(escape, code.split("\n")))


STYLE = """
:root { color-scheme: light dark; --line: #8888; --good: #00664c; --bad: #9a3b00; }
@media (prefers-color-scheme: dark) { :root { --good: #4fd3a7; --bad: #ffa36b; } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left; vertical-align: top; }
thead th { white-space: nowrap; }
tbody th { overflow-wrap: anywhere; min-width: 8rem; }
th + td { min-width: 12rem; overflow-wrap: anywhere; }
pre { overflow-x: auto; margin: .25rem 0 .75rem; font-size: .875rem; }
td.passed { color: var(--good); text-align: center; }
td.not { text-align: center; }
td.not:not([title^="not attempted"]) { color: var(--bad); font-weight: bold; }
.read { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; white-space: nowrap; }
"""
