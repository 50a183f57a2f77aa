"""The report on graded notebooks, as CSV and HTML: a row for each, and the mistakes of the whole class."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import quote

from autodiff_lab.classroom.grading.grade import GradingError
from autodiff_lab.classroom.grading.gradebooks import canvas_csv, moodle_csv, write_csv
from autodiff_lab.classroom.grading.journal import JOURNAL, load_key, open_journal, sign_row
from autodiff_lab.classroom.grading.verdicts import Answer, Row, printable
from autodiff_lab.lessons.checks.course import lessons
from autodiff_lab.lessons.checks.exercise import MARKS
from autodiff_lab.text.notation import escape

COLUMNS = ("who", "file", "notebook", "passed", "attempted", "exercises", "how it went", "doubts", "wrong answers met")
GRADEBOOKS = {"grades-moodle.csv": moodle_csv, "grades-canvas.csv": canvas_csv}
# How many of the wrong answers a page begins with: what there is time to talk about.
MOST = 5
NOT_ATTEMPTED = "not attempted"
WALLS = {True: "behind the walls of bubblewrap", False: "without walls (--unconfined), with all your rights"}


@contextmanager
def open_report(
    folder: Path, *, overwrite: bool = False, resume: bool = False, walls: bool = True
) -> Iterator[Callable[[Row], None]]:
    """Open the grading report, ``grades.csv`` and ``grades.html``, in a folder; yield a function that adds a row.

    Each row is in ``grades.csv``, and with all that is known in ``grades.jsonl``, as soon as it is added. At the end,
    however it comes, the rows of ``grades.csv`` are put into the order of their names, and the other files are written.

    Raises
    ------
    FileExistsError
        If they are there already and neither `overwrite` nor `resume` is asked for: somebody may have edited them.
    GradingError
        If they cannot be written.
    """
    paths = report_paths(folder)
    key = load_key()
    there = [path for path in report_files(folder) if os.path.lexists(path)]
    if there and not (overwrite or resume):
        raise FileExistsError(
            f"{there[0]} is there already; name another folder with --out, or say --resume (to grade what is new) "
            "or --overwrite"
        )
    rows: list[Row] = []
    with ExitStack() as files:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for path in there:
                if overwrite or path.name != JOURNAL:
                    path.unlink()
            # With the mark at its beginning a spreadsheet takes the text for what it is, UTF-8.
            table = files.enter_context(paths[0].open("x", encoding="utf-8-sig", newline=""))
            page = files.enter_context(paths[1].open("x", encoding="utf-8"))
            journal = files.enter_context(open_journal(folder))
        except OSError as problem:
            raise GradingError(
                f"the grades cannot be written into {printable(str(folder))} ({problem.strerror}). Nothing was run.\n"
                "Name a folder that you can write to: --out DIR"
            ) from problem
        except ValueError as problem:
            raise GradingError(
                f"{printable(str(folder / JOURNAL))} is {problem}: somebody else may have put it there. Nothing was "
                "run.\nName another folder with --out DIR, or say --overwrite"
            ) from problem

        def add(row: Row) -> None:
            head, _, line = csv_text([row]).partition("\r\n")
            table.write(line if rows else f"{head}\r\n{line}")
            rows.append(row)
            journal.write(f"\n{sign_row(row, key)}")  # a line before it that was cut short costs only itself
            table.flush()
            journal.flush()

        try:
            yield add
        finally:
            rows.sort(key=lambda row: row.file)
            table.seek(0)
            table.write(csv_text(rows))  # the same lines, and so as long as what it covers
            page.write(html_page(rows, walls=walls))
            for name, write in GRADEBOOKS.items():
                if text := write(rows):
                    with (folder / name).open("x", encoding="utf-8", newline="") as gradebook:
                        gradebook.write(text)


def report_paths(folder: Path) -> tuple[Path, Path]:
    """Return the paths of the grading report: ``grades.csv`` and ``grades.html``."""
    return folder / "grades.csv", folder / "grades.html"


def report_files(folder: Path) -> list[Path]:
    """Return the paths of all files of a grading report."""
    return [*report_paths(folder), *(folder / name for name in (JOURNAL, *GRADEBOOKS))]


def default_folder(hand_ins: Path) -> Path:
    """Return the folder for the report on a folder of hand-ins: beside it, as in it others may write.

    >>> print(default_folder(Path("class", "homework")).as_posix())
    class/homework-grades
    """
    place = hand_ins if hand_ins.name and hand_ins.name != ".." else hand_ins.resolve()
    return place.parent / f"{place.name}-grades"


def csv_text(rows: Sequence[Row]) -> str:
    """Write the grading report as CSV, one line for each notebook.

    >>> print(csv_text([Row("ada/03.ipynb", "tape", "ran", ("ex_1",), {"ex_1": Answer("passed")})]).splitlines()[1])
    ada,ada/03.ipynb,tape,1,1,1,ran,,
    """
    lines = []
    for row in rows:
        met = " | ".join(f"{_exercise_number(name)}: {each.hint}" for name, each in row.answers.items() if each.hint)
        counts = row.passed, row.attempted, len(row.exercises)
        lines.append((row.who, row.file, row.lesson, *counts, row.ended, "; ".join(row.doubts), met))
    return write_csv(COLUMNS, lines)


def _exercise_number(exercise: str) -> str:
    return exercise.removeprefix("ex_").replace("_", ".")


def html_page(rows: Sequence[Row], *, walls: bool = True) -> str:
    """Write the grading report as an HTML page: for each lesson the most frequent mistakes, a table, every answer."""
    titles = {lesson.slug: f"{lesson.number} · {lesson.title}" for lesson in lessons()}
    parts = []
    for lesson in sorted({row.lesson for row in rows}, key=[*titles, ""].index):
        mine = [row for row in rows if row.lesson == lesson]
        title = titles.get(lesson, "Files that could not be placed")
        parts.append(f"<h2>{escape(title)}</h2>{_recognised_answers(mine)}{_table(mine)}{_answers(mine)}")
    done = sum(row.passed for row in rows)
    said = (
        f"{len(rows)} files, {done} exercises passed. Each notebook ran in a process of its own, {WALLS[walls]}. "
        "What its checks observed there was judged outside: evidence, and no proof."
    )
    legend = " · ".join(f"{MARKS[state]} {state}" for state in ("passed", "not yet", NOT_ATTEMPTED))
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Grades</title>'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
        f"<style>{STYLE}</style><h1>What was handed in</h1><p>{escape(said)}</p><p>{escape(legend)}</p>"
        f"{''.join(parts)}</html>\n"
    )


def _recognised_answers(rows: Sequence[Row]) -> str:
    """List the wrong answers that were recognised, the most frequent first: what to talk about next time."""
    met = Counter((name, each.hint) for row in rows for name, each in row.answers.items() if each.hint)
    if not met:
        return ""
    items = "".join(
        f"<li><b>{_exercise_number(name)}</b>, {count} of {len(rows)}: {escape(hint)}</li>"
        for (name, hint), count in met.most_common(MOST)
    )
    return f"<h3>What went wrong most</h3><ol>{items}</ol>"


def _table(rows: Sequence[Row]) -> str:
    exercises = next((row.exercises for row in rows if row.exercises), ())
    heads = ["who", "how it went", "passed", *(_exercise_number(name) for name in exercises)]
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    body = "".join(map(_table_row, rows))
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _table_row(row: Row) -> str:
    cells = []
    for name in row.exercises:
        answer = row.answers.get(name, Answer(NOT_ATTEMPTED))
        said = answer.hint or (answer.reply if answer.state == "not yet" else "")
        title = escape(f"{answer.state}: {said}" if said else answer.state)
        mark = f'<span aria-hidden="true">{MARKS[answer.state]}</span><span class="read">{title}</span>'
        if name in row.answers:
            mark = f'<a href="#{_anchor(row, name)}">{mark}</a>'
        cells.append(f'<td class="{answer.state.split()[0]}" title="{title}">{mark}</td>')
    count = f"{row.passed} of {len(row.exercises)}" if row.exercises else ""
    who = f'<th scope="row" title="{escape(row.file)}">{escape(row.who)}</th>'
    doubts = "".join(f"<br><strong>Look at this: {escape(doubt)}.</strong>" for doubt in row.doubts)
    return f"<tr>{who}<td>{escape(row.ended)}{doubts}</td><td>{count}</td>{''.join(cells)}</tr>"


def _answers(rows: Sequence[Row]) -> str:
    """List every answer, folded away by exercise, the wrong ones first, the same mistakes together."""
    parts = []
    for name in next((row.exercises for row in rows if row.exercises), ()):
        tried = [row for row in rows if name in row.answers]
        tried.sort(key=lambda row: (row.answers[name].state, row.answers[name].hint))  # "not yet" before "passed"
        passed = sum(row.answers[name].state == "passed" for row in tried)
        counts = f"{passed} passed, {len(tried) - passed} not yet, {len(rows) - len(tried)} not attempted"
        items = "".join(_answer(row, name, row.answers[name]) for row in tried)
        parts.append(f"<details><summary><b>{_exercise_number(name)}</b>: {counts}</summary>{items}</details>")
    return f"<h3>All answers</h3>{''.join(parts)}" if parts else ""


def _answer(row: Row, name: str, answer: Answer) -> str:
    times = f", {answer.attempts} attempts" if answer.attempts > 1 else ""
    code = "\n".join(map(escape, answer.code.split("\n")))
    return (
        f'<section id="{_anchor(row, name)}"><h4>{MARKS[answer.state]} {escape(row.who)}: {answer.state}{times}</h4>'
        f"<pre>{code}</pre><p>{escape(answer.reply)}</p></section>"
    )


def _anchor(row: Row, exercise: str) -> str:
    return f"{exercise}-{quote(row.file)}"


STYLE = """
:root { color-scheme: light dark; --line: #8888; --good: #00664c; --bad: #9a3b00; }
@media (prefers-color-scheme: dark) { :root { --good: #4fd3a7; --bad: #ffa36b; } }
html { background: Canvas; color: CanvasText; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left; vertical-align: top; }
thead th { white-space: nowrap; }
tbody th { overflow-wrap: anywhere; min-width: 12rem; }
th + td { min-width: 12rem; overflow-wrap: anywhere; }
strong { color: var(--bad); }
td a { color: inherit; display: block; }
summary { cursor: pointer; padding: .25rem 0; }
section { border-left: 3px solid var(--line); margin: .5rem 0 1rem; padding-left: .75rem; overflow-wrap: anywhere; }
section:target { border-color: currentColor; }
h4, section p { margin: 0; }
pre { white-space: pre-wrap; margin: .25rem 0; font-size: .875rem; }
td.passed { color: var(--good); text-align: center; }
td.not { text-align: center; }
td.not:not([title^="not attempted"]) { color: var(--bad); font-weight: bold; }
.read { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; white-space: nowrap; }
"""
