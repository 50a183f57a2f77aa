"""The report on graded notebooks, as CSV and HTML: a row for each, and the most frequent mistakes of the class."""

import errno
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import quote

from autodiff_lab.classroom.grading.feedback import FOLDER, write_feedback
from autodiff_lab.classroom.grading.grade import GradingError
from autodiff_lab.classroom.grading.gradebooks import (
    canvas_csv,
    exercises_csv,
    missing_csv,
    moodle_csv,
    write_csv,
)
from autodiff_lab.classroom.grading.journal import JOURNAL, load_key, open_journal, sign_row
from autodiff_lab.classroom.grading.pages import (
    NOT_ATTEMPTED,
    escape_lines,
    exercise_number,
    lesson_titles,
    write_page,
)
from autodiff_lab.classroom.grading.rosters import Listed
from autodiff_lab.classroom.grading.students import Class, collect_class
from autodiff_lab.classroom.grading.summary import summary_page
from autodiff_lab.classroom.grading.verdicts import Answer, Row, printable
from autodiff_lab.classroom.grading.weights import Weights
from autodiff_lab.lessons.checks.exercise import MARKS
from autodiff_lab.text.notation import escape

# The student's name for each file.
Names = Mapping[str, str]

COLUMNS = (
    "who",
    "file",
    "notebook",
    "passed",
    "attempted",
    "exercises",
    "how it went",
    "doubts",
    "wrong answers met",
)
SUMMARY = "summary.html"
GRADEBOOKS = {"grades-moodle.csv": moodle_csv, "grades-canvas.csv": canvas_csv}
TABLES = {"grades-exercises.csv": exercises_csv, "missing.csv": missing_csv}
# How many recognised wrong answers are listed for each lesson: as many as there is time to discuss in class.
MOST = 5
SANDBOX = {
    True: "in a bubblewrap sandbox",
    False: "without a sandbox (--unconfined), with all your rights",
}


@contextmanager
def open_report(
    folder: Path,
    *,
    overwrite: bool = False,
    resume: bool = False,
    sandbox: bool = True,
    roster: Sequence[Listed] | None = None,
    weights: Weights | None = None,
) -> Iterator[Callable[[Row], None]]:
    """Open the grading report, ``grades.csv`` and ``grades.html``, in a folder; yield a function that adds a row.

    Each row is written to ``grades.csv``, and in full to ``grades.jsonl``, as soon as it is added. At the
    end, even after an error, the rows of ``grades.csv`` are sorted by name, and the other files are
    written: the summary, a feedback page for each student, and tables. With a roster they show who is
    missing, and with weights how many points each student has.

    Raises
    ------
    FileExistsError
        If the folder has a report already, which somebody may have edited, and both `overwrite` and `resume` are false.
    GradingError
        If the report cannot be written.
    """
    paths = report_paths(folder)
    key = load_key()
    existing = [path for path in report_files(folder) if os.path.lexists(path)]
    if existing and not (overwrite or resume):
        raise FileExistsError(
            f"{existing[0]} is there already; name another folder with --out, or say --resume (to grade what is new) "
            "or --overwrite"
        )
    rows: list[Row] = []
    with ExitStack() as files:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for path in existing:
                if path.name == FOLDER:
                    _empty_feedback(path)
                elif overwrite or path.name != JOURNAL:
                    path.unlink()
            # With a byte order mark, a spreadsheet reads the text as UTF-8.
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
            # A line break comes first, in case an interrupted run left an unfinished line.
            journal.write(f"\n{sign_row(row, key)}")
            table.flush()
            journal.flush()

        try:
            yield add
        finally:
            rows.sort(key=lambda row: row.file)
            everybody = collect_class(rows, roster, weights)
            # Write the same lines again: sorted, and with names that are unique in the whole class.
            table.seek(0)
            table.write(csv_text(rows, everybody.names))
            table.truncate()
            page.write(html_page(rows, everybody.names, sandbox=sandbox))
            _write_other_files(folder, everybody)


def _empty_feedback(folder: Path) -> None:
    """Delete the feedback pages of an earlier run.

    Raises
    ------
    NotADirectoryError
        If the path is a link or a file, so not a folder that an earlier run made.
    """
    if folder.is_symlink() or not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, f"{folder.name} is not a folder")
    for path in folder.glob("*.html"):
        path.unlink()


def _write_other_files(folder: Path, everybody: Class) -> None:
    """Write the summary, the tables, and a feedback page for each student."""
    feedback = write_feedback(everybody)
    texts = {name: write(everybody) for name, write in (GRADEBOOKS | TABLES).items()}
    texts[SUMMARY] = summary_page(everybody, feedback, report_paths(folder)[1].name)
    texts |= {f"{FOLDER}/{each.file}": each.page for each in feedback.values()}
    (folder / FOLDER).mkdir(exist_ok=True)
    for name, text in texts.items():
        if not text:
            continue
        # Spreadsheets need the byte order mark, as in grades.csv; the importers of gradebooks don't.
        encoding = "utf-8-sig" if name in TABLES else "utf-8"
        with (folder / name).open("x", encoding=encoding, newline="") as file:
            file.write(text)


def report_paths(folder: Path) -> tuple[Path, Path]:
    """Return the paths of the grading report: ``grades.csv`` and ``grades.html``."""
    return folder / "grades.csv", folder / "grades.html"


def report_files(folder: Path) -> list[Path]:
    """Return the paths of all files of a grading report, and of its folder of feedback."""
    return [
        *report_paths(folder),
        *(folder / name for name in (JOURNAL, SUMMARY, FOLDER, *GRADEBOOKS, *TABLES)),
    ]


def default_folder(hand_ins: Path) -> Path:
    """Return the folder for the report: next to the hand-ins, not in their folder, where others may write.

    >>> print(default_folder(Path("class", "homework")).as_posix())
    class/homework-grades
    """
    place = hand_ins if hand_ins.name and hand_ins.name != ".." else hand_ins.resolve()
    return place.parent / f"{place.name}-grades"


def csv_text(rows: Sequence[Row], names: Names | None = None) -> str:
    """Write the grading report as CSV, one line for each notebook; `names` are those of `Class`.

    >>> print(csv_text([Row("ada/03.ipynb", "tape", "ran", ("ex_1",), {"ex_1": Answer("passed")})]).splitlines()[1])
    ada,ada/03.ipynb,tape,1,1,1,ran,,
    """
    names = collect_class(rows).names if names is None else names
    lines = []
    for row in rows:
        recognised = [
            f"{exercise_number(name)}: {answer.hint}"
            for name, answer in row.answers.items()
            if answer.hint
        ]
        lines.append(
            (
                names[row.file],
                row.file,
                row.lesson,
                row.passed,
                row.attempted,
                len(row.exercises),
                row.ended,
                "; ".join(row.doubts),
                " | ".join(recognised),
            )
        )
    return write_csv(COLUMNS, lines)


def html_page(rows: Sequence[Row], names: Names | None = None, *, sandbox: bool = True) -> str:
    """Write the grading report as an HTML page: for each lesson the most frequent mistakes, a table, every answer.

    `names` are those of `Class`.
    """
    names = collect_class(rows).names if names is None else names
    titles = lesson_titles()
    parts = []
    for lesson in sorted({row.lesson for row in rows}, key=[*titles, ""].index):
        mine = [row for row in rows if row.lesson == lesson]
        title = titles.get(lesson, "Files that could not be placed")
        groups = _group_answers(mine)
        parts.append(
            f"<h2>{escape(title)}</h2>{_recognised_answers(mine)}"
            f"{_table(mine, groups, names)}{_answers(mine, groups, names)}"
        )
    done = sum(row.passed for row in rows)
    said = (
        f"{len(rows)} files, {done} exercises passed. Each notebook ran in a process of its own, {SANDBOX[sandbox]}. "
        "What its checks observed there was judged outside: that is evidence, not proof."
    )
    legend = " · ".join(f"{MARKS[state]} {state}" for state in ("passed", "not yet", NOT_ATTEMPTED))
    return write_page(
        "What was handed in", f"<p>{escape(said)}</p><p>{escape(legend)}</p>{''.join(parts)}"
    )


def _recognised_answers(rows: Sequence[Row]) -> str:
    """List the recognised wrong answers, most frequent first, to discuss in the next class."""
    met = Counter(
        (name, each.hint) for row in rows for name, each in row.answers.items() if each.hint
    )
    if not met:
        return ""
    items = "".join(
        f"<li><b>{exercise_number(name)}</b>, {count} of {len(rows)}: {escape(hint)}</li>"
        for (name, hint), count in met.most_common(MOST)
    )
    return f"<h3>What went wrong most</h3><ol>{items}</ol>"


# For each exercise, groups of identical answers: a lecturer reads each answer only once.
Groups = dict[str, list[list[Row]]]


def _group_answers(rows: Sequence[Row]) -> Groups:
    """Group the rows with identical answers: wrong ones first, and those with the same mistake together.

    Answers are identical if they have the same verdict and the same code, apart from trailing spaces.
    """
    groups: Groups = {}
    for name in next((row.exercises for row in rows if row.exercises), ()):
        same: dict[tuple[str, ...], list[Row]] = {}
        for row in rows:
            if name in row.answers:
                answer = row.answers[name]
                code = "\n".join(line.rstrip() for line in answer.code.strip().split("\n"))
                same.setdefault((answer.state, answer.hint, answer.reply, code), []).append(row)
        # "not yet" comes before "passed"
        keys = sorted(same, key=lambda key: (key[0], key[1], -len(same[key])))
        groups[name] = [same[key] for key in keys]
    return groups


def _table(rows: Sequence[Row], groups: Groups, names: Names) -> str:
    exercises = next((row.exercises for row in rows if row.exercises), ())
    heads = ["who", "how it went", "passed", *(exercise_number(name) for name in exercises)]
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    anchors = {
        (row.file, name): _anchor(group[0], name)
        for name, same in groups.items()
        for group in same
        for row in group
    }
    body = "".join(_table_row(row, anchors, names) for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _table_row(row: Row, anchors: Mapping[tuple[str, str], str], names: Names) -> str:
    cells = []
    for name in row.exercises:
        answer = row.answers.get(name, Answer(NOT_ATTEMPTED))
        said = answer.hint or (answer.reply if answer.state == "not yet" else "")
        title = escape(f"{answer.state}: {said}" if said else answer.state)
        mark = f'<span aria-hidden="true">{MARKS[answer.state]}</span><span class="read">{title}</span>'
        if name in row.answers:
            mark = f'<a href="#{anchors[row.file, name]}">{mark}</a>'
        cells.append(f'<td class="{answer.state.split()[0]}" title="{title}">{mark}</td>')
    count = f"{row.passed} of {len(row.exercises)}" if row.exercises else ""
    who = f'<th scope="row" title="{escape(row.file)}">{escape(names[row.file])}</th>'
    doubts = "".join(f"<br><strong>Look at this: {escape(doubt)}.</strong>" for doubt in row.doubts)
    return f"<tr>{who}<td>{escape(row.ended)}{doubts}</td><td>{count}</td>{''.join(cells)}</tr>"


def _answers(rows: Sequence[Row], groups: Groups, names: Names) -> str:
    """List every answer, folded by exercise; identical answers once, with the names of all who gave them."""
    parts = []
    for name, same in groups.items():
        tried = [row for group in same for row in group]
        passed = sum(row.answers[name].state == "passed" for row in tried)
        counts = f"{passed} passed, {len(tried) - passed} not yet, {len(rows) - len(tried)} not attempted"
        items = "".join(_answer(group, name, names) for group in same)
        parts.append(
            f"<details><summary><b>{exercise_number(name)}</b>: {counts}</summary>{items}</details>"
        )
    return f"<h3>All answers</h3>{''.join(parts)}" if parts else ""


def _answer(group: Sequence[Row], name: str, names: Names) -> str:
    """Write the answer that every student in this group gave."""
    answer = group[0].answers[name]
    count = f"{len(group)} identical answers, " if len(group) > 1 else ""
    givers = ", ".join(escape(_with_attempts(row, name, names)) for row in group)
    return (
        f'<section id="{_anchor(group[0], name)}"><h4>{MARKS[answer.state]} {count}{answer.state}: {givers}</h4>'
        f"<pre>{escape_lines(answer.code)}</pre><p>{escape(answer.reply)}</p></section>"
    )


def _with_attempts(row: Row, name: str, names: Names) -> str:
    attempts = row.answers[name].attempts
    who = names[row.file]
    return f"{who} ({attempts} attempts)" if attempts > 1 else who


def _anchor(row: Row, exercise: str) -> str:
    return f"{exercise}-{quote(row.file)}"
