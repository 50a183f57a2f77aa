"""What a lecturer reads after grading: a row for each notebook, and what the class as a whole has met."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from autodiff_lab.classroom.confined import walls
from autodiff_lab.classroom.grading import Row
from autodiff_lab.figures.notation import escape
from autodiff_lab.lessons.course import lessons
from autodiff_lab.lessons.exercise import MARKS

__all__ = ["csv_text", "html_page", "write_report"]

COLUMNS = ("who", "file", "notebook", "passed", "attempted", "exercises", "how it went", "wrong answers met")
OPEN = "not attempted"


def write_report(rows: Sequence[Row], folder: Path, *, overwrite: bool = False) -> tuple[Path, Path]:
    """Write ``grades.csv`` and ``grades.html`` into a folder and return their paths.

    Raises
    ------
    FileExistsError
        If they are there already and `overwrite` is not asked for: somebody may have written into them.
    """
    paths = report_paths(folder, overwrite=overwrite)
    folder.mkdir(parents=True, exist_ok=True)
    # With the mark at its beginning a spreadsheet takes the text for what it is, UTF-8.
    paths[0].write_text(csv_text(rows), encoding="utf-8-sig", newline="")
    paths[1].write_text(html_page(rows), encoding="utf-8")
    return paths


def report_paths(folder: Path, *, overwrite: bool = False) -> tuple[Path, Path]:
    """Where the report will be; see `write_report` for the error."""
    paths = folder / "grades.csv", folder / "grades.html"
    there = [path for path in paths if path.exists()]
    if there and not overwrite:
        raise FileExistsError(f"{there[0]} is there already; name another folder with --out, or say --overwrite")
    return paths


def csv_text(rows: Sequence[Row]) -> str:
    """The table as CSV, one line for each notebook.

    Cells that a spreadsheet would take for a formula are written as text: a file's name is its author's to choose.

    >>> print(csv_text([Row("ada/03.ipynb", "03", "ran", ("ex_03_1",), {"ex_03_1": "passed"})]).splitlines()[1])
    ada,ada/03.ipynb,03,1,1,1,ran,
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for row in rows:
        met = " | ".join(f"{_number(name)}: {hint}" for name, hint in row.met.items())
        counts = row.passed, row.attempted, len(row.exercises)
        writer.writerow([*map(_as_text, (row.who, row.file, row.lesson)), *counts, *map(_as_text, (row.ended, met))])
    return text.getvalue()


def _as_text(cell: str) -> str:
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _number(exercise: str) -> str:
    return exercise.removeprefix("ex_").replace("_", ".")


def html_page(rows: Sequence[Row]) -> str:
    """The table as one page that needs nothing else: for each lesson who did what, and which wrong answers were met."""
    titles = {lesson.number: lesson.title for lesson in lessons()}
    parts = []
    for lesson in sorted({row.lesson for row in rows}, key=lambda number: (number not in titles, number)):
        mine = [row for row in rows if row.lesson == lesson]
        title = f"{lesson} · {titles[lesson]}" if lesson in titles else "Notebooks that could not be placed"
        parts.append(f"<h2>{escape(title)}</h2>{_table(mine)}{_met_by_the_class(mine)}")
    done = sum(row.passed for row in rows)
    said = (
        f"{len(rows)} notebooks, {done} exercises passed. Each ran in a process of its own; there was {walls()}. "
        "A row says what the notebook's own process said."
    )
    legend = " · ".join(f"{MARKS[state]} {state}" for state in ("passed", "not yet", OPEN))
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Grades</title>'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
        f"<style>{STYLE}</style><h1>What was handed in</h1><p>{escape(said)}</p><p>{escape(legend)}</p>"
        f"{''.join(parts)}</html>\n"
    )


def _table(rows: Sequence[Row]) -> str:
    exercises = next((row.exercises for row in rows if row.exercises), ())
    heads = ["who", *(_number(name) for name in exercises), "passed", "how it went"]
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    body = "".join(map(_line, rows))
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _line(row: Row) -> str:
    cells = []
    for name in row.exercises:
        state = row.states.get(name, OPEN)
        said = row.met.get(name, "")
        title = f"{state}: {said}" if said else state
        mark = f'<span aria-hidden="true">{MARKS[state]}</span><span class="read">{escape(title)}</span>'
        cells.append(f'<td class="{state.split()[0]}" title="{escape(title)}">{mark}</td>')
    count = f"{row.passed} of {len(row.exercises)}" if row.exercises else ""
    who = f'<th scope="row" title="{escape(row.file)}">{escape(row.who)}</th>'
    return f"<tr>{who}{''.join(cells)}<td>{count}</td><td>{escape(row.ended)}</td></tr>"


def _met_by_the_class(rows: Sequence[Row]) -> str:
    """The wrong answers that were recognised, the most frequent first: what to talk about next time."""
    met = Counter((name, hint) for row in rows for name, hint in row.met.items())
    if not met:
        return ""
    items = "".join(
        f"<li><b>{_number(name)}</b>, {count} of {len(rows)}: {escape(hint)}</li>"
        for (name, hint), count in met.most_common()
    )
    return f"<h3>Wrong answers that were met</h3><ul>{items}</ul>"


STYLE = """
:root { color-scheme: light dark; --line: #8888; --good: #00664c; --bad: #9a3b00; }
@media (prefers-color-scheme: dark) { :root { --good: #4fd3a7; --bad: #ffa36b; } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left; vertical-align: top; }
thead th { white-space: nowrap; }
td.passed { color: var(--good); text-align: center; }
td.not { text-align: center; }
td.not:not([title^="not attempted"]) { color: var(--bad); font-weight: bold; }
.read { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; white-space: nowrap; }
"""
