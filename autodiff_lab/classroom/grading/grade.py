"""Grade a folder of handed-in notebooks, several at a time, each run behind walls: `autodiff-lab grade`.

A notebook that is broken, endless or too large costs its own row and nothing else. Answers are judged outside the
walls, by what was observed inside: that shows who was stuck where; it is no proof against somebody who wants to cheat.
"""

import hashlib
import os
import secrets
import stat
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from autodiff_lab import __version__
from autodiff_lab.classroom.grading.confinement import Done, Limits, run_confined, why_no_walls
from autodiff_lab.classroom.grading.examiner import code_of, lesson_of
from autodiff_lab.classroom.grading.verdicts import Row, complete_row, mark_as_not_run, printable
from autodiff_lab.jupyter.notebooks import TutorialError
from autodiff_lab.lessons.checks.course import lessons, list_moved
from autodiff_lab.lessons.checks.progress_file import FILE, VARIABLE

# Bytes: no notebook of the course comes near, and a larger file is not opened.
MAX_NOTEBOOK_BYTES = 20_000_000


class GradingError(TutorialError):
    """The hand-ins of this folder cannot be graded here; the message says why and what to do."""


def find_notebooks(folder: Path) -> list[Path]:
    """Find the handed-in notebooks that are to be graded, in a folder and all folders below it.

    What Jupyter keeps for itself, its checkpoints, is left out.

    Raises
    ------
    FileNotFoundError
        If there is no such folder, or no notebook in it.
    """
    found = (path for path in folder.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)
    # Of what lies in a folder that may not be entered nothing is known; its row says so.
    paths = sorted(path for path in found if os.path.islink(path) or not os.path.isdir(path))
    if not paths:
        raise FileNotFoundError(f"there are no notebooks (*.ipynb) in {printable(str(folder))}")
    return paths


def check_walls(limits: Limits, *, walls: bool = True) -> None:
    """Grade an empty notebook first, so that what does not work on this machine is not blamed on a student.

    Raises
    ------
    GradingError
        If there are no walls, they do not stand, or Python does not even begin within the limits.
    """
    missing = why_no_walls() if walls else ""
    if missing:
        raise GradingError(
            f"{missing}, and without it a hand-in could do all that you can do here. Nothing was run.\n"
            "Install bubblewrap 0.8 or newer (Linux; on Debian and Ubuntu: sudo apt install bubblewrap). If you trust "
            "all who handed in, --unconfined runs their notebooks with your own rights."
        )
    try:
        done, token = _run_examiner({"notebook.ipynb": b'{"cells": []}'}, limits, walls=walls)
        row = complete_row(Row("", "", ""), done, token, [], {}, limits)
    except OSError as problem:
        row = mark_as_not_run(Row("", "", ""), str(problem))
    if row.ended != "ran":
        reason = row.ended.rpartition("fault: ")[2]
        raise GradingError(
            f"not even an empty notebook can be graded on this machine: {reason}.\nNo hand-in was run. "
            f"Each is given {limits.seconds:g} s and {limits.megabytes} MB: see --seconds and --megabytes."
            + (" The walls need bubblewrap 0.8 or newer, and user namespaces." if walls else "")
        )


def grade(
    folder: Path,
    limits: Limits | None = None,
    *,
    jobs: int | None = None,
    walls: bool = True,
    known: Mapping[str, Row] | None = None,
    tell: Callable[[Row], None] = lambda _: None,
    show: Callable[[Row], None] = lambda _: None,
) -> list[Row]:
    """Grade every notebook in `folder`, and return a row for each, in the order of their names.

    Parameters
    ----------
    folder : Path
        Notebooks, or one folder of notebooks for each student.
    limits : Limits, optional
    jobs : int, optional
        How many run at a time; by default as many as there are processors.
    walls : bool
        Whether each runs behind walls; see `check_walls`, which is to be called before.
    known : mapping, optional
        Rows of an earlier run by `file`; where nothing has changed since, they are taken as they are.
    tell : callable
        Called with each row when it is there, in the order in which they end.
    show : callable
        Called with each row in the order of their names, as soon as it and those before it are there.

    Raises
    ------
    FileNotFoundError
        If there is no such folder, or no notebook in it.
    """
    paths = find_notebooks(folder)
    lessons()  # loaded before there are threads that would do it at the same time

    def one(path: Path) -> Row:
        file = printable(str(path.relative_to(folder)))
        try:
            return _grade_notebook(path, file, folder, (known or {}).get(file), limits or Limits(), walls)
        except Exception as problem:  # whatever happens to one, the others keep their rows
            return mark_as_not_run(Row(file, "", ""), f"{type(problem).__name__}: {problem}")

    rows: dict[Path, Row] = {}
    to_show = deque(paths)
    with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        running = {pool.submit(one, path): path for path in paths}
        try:
            for done in as_completed(running):
                rows[running[done]] = done.result()
                tell(done.result())
                while to_show and to_show[0] in rows:
                    show(rows[to_show.popleft()])
        except BaseException:  # Ctrl-C, or a disk that is full: do not begin what is still waiting
            pool.shutdown(cancel_futures=True)
            raise
    return [rows[path] for path in paths]


def _grade_notebook(path: Path, file: str, folder: Path, known: Row | None, limits: Limits, walls: bool) -> Row:
    try:
        files = {"notebook.ipynb": _read_file(path)}
        with suppress(ValueError):  # the student's own numbers go by the seed in their progress
            files[FILE] = _read_file(path.with_name(FILE))
        cells = code_of(files["notebook.ipynb"])
    except ValueError as problem:
        return Row(file, "", str(problem))
    digest = hashlib.sha256(repr((__version__, limits, walls, files)).encode()).hexdigest()
    if known and known.digest == digest and known.judged:
        return known
    number = lesson_of(cells) or ""
    exercises = next((lesson.exercises() for lesson in lessons() if lesson.number == number), None)
    if exercises is None:
        return Row(file, number, "asks for the checks of no lesson of this course")
    asked = "\n".join(cells)
    exercises |= {each.name: each for formerly, each in list_moved().items() if f"check.{formerly}(" in asked}
    row = Row(file, number, "", tuple(exercises), digest=digest)
    done, token = _run_examiner(files, limits, hidden=[folder], walls=walls)
    try:
        return complete_row(row, done, token, cells, exercises, limits)
    except Exception:  # the examiner writes no such lines
        return replace(row, ended="what it says cannot be read", doubts=("it wrote to the report itself",))


def _read_file(path: Path) -> bytes:
    """Read a handed-in file.

    Raises
    ------
    ValueError
        If it is none, too large, or cannot be read; the message says which.
    """
    try:
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode):
            raise ValueError("a link or a device and not a file, not opened")
        if found.st_size > MAX_NOTEBOOK_BYTES:
            raise ValueError(f"larger than {MAX_NOTEBOOK_BYTES // 1_000_000} MB, not opened")
        return path.read_bytes()
    except OSError as problem:
        raise ValueError(f"the file cannot be read ({problem.strerror})") from problem


def _run_examiner(
    files: Mapping[str, bytes], limits: Limits, *, hidden: Sequence[Path] = (), walls: bool
) -> tuple[Done, str]:
    """Run the examiner on ``notebook.ipynb``; return what was said, and the word before each line of its own."""
    token = secrets.token_hex(16)
    command = [sys.executable, "-m", "autodiff_lab.classroom.grading.examiner", "notebook.ipynb", "secret"]
    files = {**files, "secret": token.encode()}
    return run_confined(command, files, limits, hidden=hidden, variables={VARIABLE: FILE}, walls=walls), token
