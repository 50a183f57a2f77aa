"""`autodiff-lab grade`: run a folder of handed-in notebooks, each behind walls, and say what was done in each.

A notebook that is broken, endless or hostile costs its own row and nothing else. What a row says is what the notebook's
own process said: it shows who was stuck where; it is no proof against somebody who sets out to cheat.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autodiff_lab.classroom.confined import Done, run_confined
from autodiff_lab.classroom.examiner import code_of, lesson_of
from autodiff_lab.lessons.course import lessons
from autodiff_lab.lessons.exercise import Exercise
from autodiff_lab.lessons.progress import FILE, VARIABLE

__all__ = ["Limits", "Row", "grade", "handed_in"]

LARGEST = 20_000_000
"""Bytes: no notebook of the course comes near, and a larger file is not opened."""


@dataclass(frozen=True)
class Limits:
    """What one notebook may take: `seconds` by the clock, `megabytes` of memory."""

    seconds: float = 120
    megabytes: int = 2000


@dataclass(frozen=True)
class Row:
    """What one handed-in notebook shows.

    Attributes
    ----------
    file : str
        Its path below the folder.
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
    """

    file: str
    lesson: str
    ended: str
    exercises: tuple[str, ...] = ()
    states: dict[str, str] = field(default_factory=dict)
    met: dict[str, str] = field(default_factory=dict)

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


def handed_in(folder: Path) -> list[Path]:
    """The notebooks in a folder and the folders below it, without what Jupyter keeps for itself."""
    found = (path for path in folder.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)
    return sorted(path for path in found if path.is_file() and not path.is_symlink())


def grade(
    folder: Path, limits: Limits | None = None, *, jobs: int | None = None, tell: Callable[[Row], None] = lambda _: None
) -> list[Row]:
    """Run every notebook in `folder` and return a row for each, in the order of their names.

    Parameters
    ----------
    folder : Path
        Notebooks, or one folder of notebooks for each student.
    limits : Limits, optional
    jobs : int, optional
        How many run at a time; by default as many as there are processors.
    tell : callable
        Called with each row when it is there.

    Raises
    ------
    FileNotFoundError
        If there is no such folder, or no notebook in it.
    """
    paths = handed_in(folder)
    if not folder.is_dir() or not paths:
        raise FileNotFoundError(f"there are no notebooks (*.ipynb) in {folder}")
    exercises = {lesson.number: lesson.exercises() for lesson in lessons()}

    def one(path: Path) -> Row:
        try:
            row = _row(path, folder, exercises, limits or Limits())
        except Exception as problem:  # whatever a file does to us, the others keep their rows
            row = Row(str(path.relative_to(folder)), "", f"could not be looked at ({type(problem).__name__})")
        tell(row)
        return row

    with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        return list(pool.map(one, paths))


def _row(path: Path, folder: Path, exercises: dict[str, dict[str, Exercise]], limits: Limits) -> Row:
    file = str(path.relative_to(folder))
    if path.stat().st_size > LARGEST:
        return Row(file, "", f"larger than {LARGEST // 1_000_000} MB, not opened")
    try:
        cells = code_of(path)
    except ValueError as problem:
        return Row(file, "", str(problem))
    lesson = lesson_of(cells)
    if lesson not in exercises:
        return Row(file, lesson or "", "asks for the checks of no lesson of this course")
    names = tuple(exercises[lesson])
    with tempfile.TemporaryDirectory(prefix="autodiff-lab-") as place:
        shutil.copyfile(path, Path(place, "notebook.ipynb"))
        seeds = path.with_name(FILE)
        if seeds.is_file() and seeds.stat().st_size < LARGEST:  # a student's own numbers go by the seed in it
            shutil.copyfile(seeds, Path(place, FILE))
        command = [sys.executable, "-m", "autodiff_lab.classroom.examiner", "notebook.ipynb"]
        kept = {VARIABLE: str(Path(place, FILE)), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        done = run_confined(
            command, Path(place), seconds=limits.seconds, megabytes=limits.megabytes, hidden=[folder], variables=kept
        )
    return _read(Row(file, lesson, "", names), done, limits)


def _read(row: Row, done: Done, limits: Limits) -> Row:
    """Make a row of what the examiner said. A line that is not the examiner's is passed over."""
    states: dict[str, str] = {}
    met: dict[str, str] = {}
    raised: list[tuple[int, str]] = []
    end: dict[str, Any] = {}
    for finding in _lines(done.said):
        name, status = finding.get("exercise"), finding.get("status")
        if name in row.exercises and status in ("passed", "not yet") and states.get(name) != "passed":
            states[name] = status
            met.pop(name, None)
            if finding.get("hint"):
                met[name] = str(finding["hint"])[:1000]
        elif isinstance(finding.get("cell"), int):
            raised.append((finding["cell"], str(finding.get("raised"))[:80]))
        elif "end" in finding:
            end = finding
    return Row(row.file, row.lesson, _ended(done, raised, end, limits), row.exercises, states, met)


def _lines(said: bytes) -> Iterable[dict[str, Any]]:
    for line in said.decode(errors="replace").splitlines():
        try:
            finding = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(finding, dict):
            yield finding


def _ended(done: Done, raised: Sequence[tuple[int, str]], end: dict[str, Any], limits: Limits) -> str:
    if done.ended == "out of time":
        return f"out of time after {limits.seconds:g} s; what came before counts"
    if not end:
        return "it ended before its last cell (out of memory, or it left); what came before counts"
    if end.get("changed"):
        return "it changes the checks themselves: look at it yourself"
    if raised:
        count = "1 cell raises" if len(raised) == 1 else f"{len(raised)} cells raise"
        return f"ran; {count} (the first: cell {raised[0][0]}, {raised[0][1]})"
    return "ran"
