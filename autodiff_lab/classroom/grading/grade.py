"""Grade a folder of handed-in notebooks, several at a time, each in its own sandbox: `autodiff-lab grade`.

A notebook that is broken, endless or too large spoils only its own row. Answers are judged outside the sandbox,
from the observations made inside. That shows who got stuck where, but it doesn't stop a determined cheater.
"""

import hashlib
import json
import os
import secrets
import sys
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path

from autodiff_lab import __version__
from autodiff_lab.classroom.grading.confinement import Done, Limits, run_confined, why_no_sandbox
from autodiff_lab.classroom.grading.hand_ins import HandIn, find_hand_ins, read_file
from autodiff_lab.classroom.grading.verdicts import Row, complete_row, mark_as_not_run, printable
from autodiff_lab.jupyter.notebooks import TutorialError
from autodiff_lab.lessons.checks.course import lessons
from autodiff_lab.lessons.checks.progress_file import FILE, VARIABLE


class GradingError(TutorialError):
    """The hand-ins of this folder cannot be graded here; the message says why and what to do."""


def check_sandbox(limits: Limits, *, sandbox: bool = True) -> None:
    """Grade an empty notebook first, so that no student is blamed for a problem with this machine.

    Raises
    ------
    GradingError
        If there is no sandbox, or it doesn't work, or Python cannot even start within the limits.
    """
    missing = why_no_sandbox() if sandbox else ""
    if missing:
        raise GradingError(
            f"{missing}, and without it a hand-in could do all that you can do here. Nothing was run.\n"
            "Install bubblewrap 0.8 or newer (Linux; on Debian and Ubuntu: sudo apt install bubblewrap). If you trust "
            "all students who handed in, --unconfined runs their notebooks with your own rights."
        )
    try:
        source = f"from autodiff_lab.lessons import {lessons()[0].slug} as check"
        notebook = json.dumps({"cells": [{"cell_type": "code", "source": source}]}).encode()
        done, token = _run_examiner({"notebook.ipynb": notebook}, limits, sandbox=sandbox)
        row = complete_row(Row("", "", ""), done, token, limits)
    except OSError as problem:
        row = mark_as_not_run(Row("", "", ""), str(problem))
    if row.ended != "ran":
        reason = row.ended.rpartition("fault: ")[2]
        message = (
            f"not even an empty notebook can be graded on this machine: {reason}.\nNo hand-in was run. "
            f"Each may take {limits.seconds:g} s and {limits.megabytes} MB: see --seconds and --megabytes."
        )
        if sandbox:
            message += " The sandbox needs bubblewrap 0.8 or newer, and user namespaces."
        raise GradingError(message)


def grade(
    folder: Path,
    limits: Limits | None = None,
    *,
    jobs: int | None = None,
    sandbox: bool = True,
    known: Mapping[str, Row] | None = None,
    leave_out: Collection[Path] = (),
    tell: Callable[[Row], None] = lambda _: None,
    show: Callable[[Row], None] = lambda _: None,
) -> list[Row]:
    """Grade every notebook in `folder`, and return a row for each file, in the order of their names.

    If others that ran at the same time may have influenced how a notebook ended, it runs again alone.

    Parameters
    ----------
    folder : Path
        Notebooks, or one folder of notebooks for each student.
    limits : Limits, optional
    jobs : int, optional
        How many notebooks run at a time; by default the number of processors.
    sandbox : bool
        Whether each notebook runs in a sandbox; if so, call `check_sandbox` first.
    known : mapping, optional
        Rows of an earlier run by `file`; those whose files haven't changed are reused.
    leave_out : collection of Path
        Files in the folder that were not handed in.
    tell : callable
        Called with each row as soon as it is known.
    show : callable
        Called with each row in the order of the file names, as soon as it and all before it are known.

    Raises
    ------
    FileNotFoundError
        If there is no such folder, or no notebook in it.
    """
    hand_ins = find_hand_ins(folder, leave_out)
    lessons()  # loaded here, because threads would load them at the same time
    jobs = jobs or os.cpu_count() or 1
    limits = limits or Limits()
    known = known or {}

    def grade_one(hand_in: HandIn) -> Row:
        file = printable(str(hand_in.path.relative_to(folder)))
        if hand_in.problem:
            return Row(file, "", hand_in.problem)
        try:
            return _grade_notebook(hand_in.path, file, folder, known.get(file), limits, sandbox)
        except Exception as problem:  # whatever happens to one hand-in, the others keep their rows
            return mark_as_not_run(Row(file, "", ""), f"{type(problem).__name__}: {problem}")

    rows: dict[HandIn, Row] = {}
    to_show = deque(hand_ins)

    def finish(hand_in: HandIn, row: Row) -> None:
        rows[hand_in] = row
        tell(row)
        while to_show and to_show[0] in rows:
            show(rows[to_show.popleft()])

    again = []
    with ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(grade_one, hand_in): hand_in for hand_in in hand_ins}
        try:
            for done in as_completed(running):
                row = done.result()
                is_new = row is not known.get(row.file)
                had_company = min(jobs, len(hand_ins)) > 1
                if row.crowded and is_new and had_company:
                    again.append(running[done])
                else:
                    finish(running[done], row)
        except BaseException:
            # After Ctrl-C or with a full disk, the notebooks that are still waiting must not start.
            pool.shutdown(cancel_futures=True)
            raise
    for hand_in in again:
        finish(hand_in, grade_one(hand_in))
    return [rows[hand_in] for hand_in in hand_ins]


def _grade_notebook(
    path: Path, file: str, folder: Path, known: Row | None, limits: Limits, sandbox: bool
) -> Row:
    try:
        files = {"notebook.ipynb": read_file(path)}
        with suppress(ValueError):  # the progress file has the seed of the student's own numbers
            files[FILE] = read_file(path.with_name(FILE))
    except ValueError as problem:
        return Row(file, "", str(problem))
    contents = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    digest = hashlib.sha256(repr((__version__, limits, sandbox, contents)).encode()).hexdigest()
    if known and known.digest == digest and known.judged:
        return known
    done, token = _run_examiner(files, limits, hidden=[folder], sandbox=sandbox)
    return complete_row(Row(file, "", "", digest=digest), done, token, limits)


def _run_examiner(
    files: Mapping[str, bytes], limits: Limits, *, hidden: Sequence[Path] = (), sandbox: bool
) -> tuple[Done, str]:
    """Run the examiner on ``notebook.ipynb``; return how it ended, and the secret with which its lines begin."""
    token = secrets.token_hex(16)
    command = [
        sys.executable,
        "-m",
        "autodiff_lab.classroom.grading.examiner",
        "notebook.ipynb",
        "secret",
    ]
    files = {**files, "secret": token.encode()}
    done = run_confined(
        command, files, limits, hidden=hidden, variables={VARIABLE: FILE}, sandbox=sandbox
    )
    return done, token
