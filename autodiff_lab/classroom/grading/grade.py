"""Grade a folder of handed-in notebooks, each run behind walls: `autodiff-lab grade`.

A notebook that is broken, endless or too large costs its own row and nothing else. What a row says is what the
notebook's own process said: it shows who was stuck where; it is no proof against somebody who sets out to cheat.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from autodiff_lab.classroom.grading.confinement import Done, Limits, run_confined, why_no_walls
from autodiff_lab.classroom.grading.examiner import MAX_SHOWN_CHARACTERS, code_of, lesson_of
from autodiff_lab.jupyter.notebooks import TutorialError
from autodiff_lab.lessons.checks.course import lessons
from autodiff_lab.lessons.checks.exercise import Exercise
from autodiff_lab.lessons.checks.progress import FILE, VARIABLE

__all__ = ["GradingError", "Limits", "Row", "check_walls", "find_notebooks", "grade", "printable"]

MAX_NOTEBOOK_BYTES = 20_000_000
"""Bytes: no notebook of the course comes near, and a larger file is not opened."""


class GradingError(TutorialError):
    """Nothing can be graded here; the message says why and what to do."""


@dataclass(frozen=True)
class Row:
    """The result of one handed-in notebook: a row of the report.

    Attributes
    ----------
    file : str
        Its path below the folder, `printable`.
    lesson : str
        Its number; empty where that cannot be told.
    ended : str
        How it went, in words: ``"ran"``, ``"ran; 2 cells raise (the first: cell 4, NameError)"``, ``"out of time"``, …
    exercises : tuple of str
        The names of the lesson's exercises, in order.
    states : dict
        For each exercise that was tried, ``"passed"`` or ``"not yet"``.
    met : dict
        For each exercise with a wrong answer that was recognised and not put right: its hint.
    unknown : dict
        For each exercise with a wrong answer that was not recognised: what was said to it, and the cell.
    judged : bool
        False where the hand-in could not be run for a reason that is not its own.
    """

    file: str
    lesson: str
    ended: str
    exercises: tuple[str, ...] = ()
    states: dict[str, str] = field(default_factory=dict)
    met: dict[str, str] = field(default_factory=dict)
    unknown: dict[str, tuple[str, str]] = field(default_factory=dict)
    judged: bool = True

    @property
    def who(self) -> str:
        """Whose it is: the folder it lies in, or else the file's name."""
        parts = Path(self.file).parts
        return parts[0] if len(parts) > 1 else Path(self.file).stem

    @property
    def passed(self) -> int:
        """How many exercises are passed."""
        return sum(state == "passed" for state in self.states.values())

    @property
    def attempted(self) -> int:
        """How many exercises were tried."""
        return len(self.states)


def printable(text: str) -> str:
    r"""Escape control characters and lone surrogates, which a terminal would obey or refuse.

    >>> print(printable("ada\x1b[2J\nbob \u202e \udce9"))
    ada\x1b[2J\nbob \u202e \udce9
    """
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def find_notebooks(folder: Path) -> list[Path]:
    """Find the notebooks in a folder and the folders below it, without what Jupyter keeps for itself.

    Raises
    ------
    FileNotFoundError
        If there is no such folder, or no notebook in it.
    """
    found = (path for path in folder.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)
    paths = sorted(path for path in found if not _is_folder(path))
    if not paths:
        raise FileNotFoundError(f"there are no notebooks (*.ipynb) in {printable(str(folder))}")
    return paths


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:  # in a folder that may not be entered; its row says so
        return False


def check_walls(limits: Limits, *, walls: bool = True) -> None:
    """Grade an empty notebook, so that what does not work here is not put down to any student.

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
        done = _run_examiner(b'{"cells": []}', {}, limits, walls=walls)
        reason = "" if any("end" in finding for finding in _parse_findings(done.said)) else _why_it_did_not_begin(done)
    except OSError as problem:
        reason = str(problem)
    if reason:
        raise GradingError(
            f"not even an empty notebook can be graded on this machine: {printable(reason)}.\nNo hand-in was run. "
            f"Each is given {limits.seconds:g} s and {limits.megabytes} MB: see --seconds and --megabytes."
            + (" The walls need bubblewrap 0.8 or newer, and user namespaces." if walls else "")
        )


def _why_it_did_not_begin(done: Done) -> str:
    return done.complaint or (f"exit status {done.code}" if done.ended == "by itself" else done.ended)


def grade(
    folder: Path,
    limits: Limits | None = None,
    *,
    jobs: int | None = None,
    walls: bool = True,
    tell: Callable[[Row], None] = lambda _: None,
) -> list[Row]:
    """Run every notebook in `folder` and return a row for each, in the order of their names.

    Parameters
    ----------
    folder : Path
        Notebooks, or one folder of notebooks for each student.
    limits : Limits, optional
    jobs : int, optional
        How many run at a time; by default as many as there are processors.
    walls : bool
        Whether each runs behind walls; see `check_walls`, which is to be called before.
    tell : callable
        Called with each row when it is there, in the order in which they end.

    Raises
    ------
    FileNotFoundError
        If there is no such folder, or no notebook in it.
    """
    paths = find_notebooks(folder)
    exercises = {lesson.number: lesson.exercises() for lesson in lessons()}

    def one(path: Path) -> Row:
        file = printable(str(path.relative_to(folder)))
        try:
            return _grade_notebook(path, file, folder, exercises, limits or Limits(), walls)
        except Exception as problem:  # whatever happens to one, the others keep their rows
            return _mark_as_not_run(Row(file, "", ""), f"{type(problem).__name__}: {problem}")

    rows = {}
    with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        running = {pool.submit(one, path): path for path in paths}
        try:
            for done in as_completed(running):
                rows[running[done]] = done.result()
                tell(done.result())
        except BaseException:  # Ctrl-C, or a disk that is full: do not begin what is still waiting
            pool.shutdown(cancel_futures=True)
            raise
    return [rows[path] for path in paths]


def _grade_notebook(
    path: Path, file: str, folder: Path, exercises: Mapping[str, Mapping[str, Exercise]], limits: Limits, walls: bool
) -> Row:
    try:
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode):
            return Row(file, "", "a link or a device and not a file, not opened")
        if found.st_size > MAX_NOTEBOOK_BYTES:
            return Row(file, "", f"larger than {MAX_NOTEBOOK_BYTES // 1_000_000} MB, not opened")
        notebook = path.read_bytes()
    except OSError as problem:
        return Row(file, "", f"the file cannot be read ({problem.strerror})")
    try:
        cells = code_of(notebook)
    except ValueError as problem:
        return Row(file, "", str(problem))
    lesson = lesson_of(cells)
    if lesson is None or lesson not in exercises:
        return Row(file, lesson or "", "asks for the checks of no lesson of this course")
    row = Row(file, lesson, "", tuple(exercises[lesson]))
    return _complete_row(
        row, _run_examiner(notebook, _read_progress(path), limits, hidden=[folder], walls=walls), limits
    )


def _read_progress(notebook: Path) -> dict[str, bytes]:
    """Read the student's file of progress beside the notebook: their own numbers go by the seed in it."""
    path = notebook.with_name(FILE)
    try:
        found = path.lstat()
        return {FILE: path.read_bytes()} if stat.S_ISREG(found.st_mode) and found.st_size < MAX_NOTEBOOK_BYTES else {}
    except OSError:
        return {}


def _run_examiner(
    notebook: bytes, seeds: Mapping[str, bytes], limits: Limits, *, hidden: Sequence[Path] = (), walls: bool
) -> Done:
    command = [sys.executable, "-m", "autodiff_lab.classroom.grading.examiner", "notebook.ipynb"]
    files = {"notebook.ipynb": notebook, **seeds}
    return run_confined(command, files, limits, hidden=hidden, variables={VARIABLE: FILE}, walls=walls)


def _mark_as_not_run(row: Row, reason: str) -> Row:
    return replace(row, ended=f"not run, and not its own fault: {printable(reason)[:200]}", judged=False)


def _complete_row(row: Row, done: Done, limits: Limits) -> Row:
    """Complete a row by what the examiner said. A line that is not the examiner's is passed over."""
    states: dict[str, str] = {}
    met: dict[str, str] = {}
    unknown: dict[str, tuple[str, str]] = {}
    raised: list[tuple[int, str]] = []
    begun, end = False, {}
    for finding in _parse_findings(done.said):
        name, status = finding.get("exercise"), finding.get("status")
        if name in row.exercises and status in ("passed", "not yet") and states.get(name) != "passed":
            states[name] = status
            met.pop(name, None)
            unknown.pop(name, None)
            if finding.get("hint"):
                met[name] = _clip(finding["hint"])
            elif status == "not yet":
                unknown[name] = _clip(finding.get("reply")), _clip(finding.get("answer"))
        elif isinstance(finding.get("cell"), int):
            raised.append((finding["cell"], printable(str(finding.get("raised")))[:80]))
        elif "end" in finding:
            end = finding
        begun = begun or "begin" in finding
    if not begun:
        return _mark_as_not_run(row, _why_it_did_not_begin(done))
    return replace(row, ended=_describe_end(done, raised, end, limits), states=states, met=met, unknown=unknown)


def _clip(said: object) -> str:
    """Cut what a hand-in said to what a report can hold, line by line `printable`."""
    return "\n".join(map(printable, str(said)[:MAX_SHOWN_CHARACTERS].split("\n")))


def _parse_findings(said: bytes) -> Iterable[dict[str, Any]]:
    for line in said.decode(errors="replace").splitlines():
        try:
            finding = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(finding, dict):
            yield finding


def _describe_end(done: Done, raised: Sequence[tuple[int, str]], end: Mapping[str, Any], limits: Limits) -> str:
    if done.ended != "by itself":
        allowed = {
            "out of time": f" after {limits.seconds:g} s",
            "out of memory": f": more than {limits.megabytes} MB",
            "too many processes": f": more than {limits.processes}",
        }
        return f"{done.ended}{allowed[done.ended]}; what came before counts"
    if not end:
        return "it ended before its last cell (out of memory, or it left); what came before counts"
    if end.get("changed"):
        return "it changes the checks themselves: look at it yourself"
    if raised:
        count = "1 cell raises" if len(raised) == 1 else f"{len(raised)} cells raise"
        return f"ran; {count} (the first: cell {raised[0][0]}, {raised[0][1]})"
    return "ran"
