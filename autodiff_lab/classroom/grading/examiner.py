"""The examiner: it runs one handed-in notebook in the sandbox, cell by cell, and reports what the checks observe.

    python -m autodiff_lab.classroom.grading.examiner NOTEBOOK SECRET

There is no kernel: the cells run in IPython, in this process, one after the other, even if an earlier one
raised. What they print is dropped. The findings are lines of JSON on the original standard output. Each
line begins with the word in the file SECRET, which is deleted before the first cell runs. The first line
says that the examiner has started: if something fails before it, the hand-in isn't to blame. The second
line has the code of the cells, so that no program outside the sandbox has to parse a stranger's file.
"""

import importlib
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from autodiff_lab.classroom.grading.definitions import list_definitions, name_changes
from autodiff_lab.classroom.grading.observations import encode_observation
from autodiff_lab.lessons.checks.exercise import Exercise, Reply
from autodiff_lab.lessons.order import SLUGS

# The most characters of an answer, or of the reply to it, that go into the report.
MAX_SHOWN_CHARACTERS = 1000

# The most characters of code in a notebook, as JSON: far more than anybody writes, and half of the output that the
# grading program keeps.
MAX_CODE_CHARACTERS = 1_000_000


def lesson_of(cells: list[str]) -> str | None:
    """Return the slug of the lesson whose checks the cells import, or None.

    >>> lesson_of(["import numpy as np", "from autodiff_lab.lessons import tape as check"])
    'tape'
    """
    imports = re.finditer(r"autodiff_lab\.lessons(?:\s+import\s+|\.)(\w+)", "\n".join(cells))
    return next((found[1] for found in imports if found[1] in SLUGS), None)


def code_of(notebook: bytes) -> list[str]:
    """Read the code cells of a handed-in notebook file.

    Raises
    ------
    ValueError
        If the file is not a notebook that can be read.
    """
    try:
        document = json.loads(notebook.decode())
        cells = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
        return ["".join(cell["source"]) for cell in cells]
    except (ValueError, LookupError, TypeError, RecursionError, MemoryError) as problem:
        raise ValueError(
            f"this is not a notebook that can be read ({type(problem).__name__})"
        ) from problem


def examine(cells: list[str]) -> Iterator[dict[str, Any]]:
    """Examine code cells: run them, and yield what the checks observed of each answer, and each cell's error.

    Yields
    ------
    dict
        ``{"exercise": "tape.ex_2", "cell": 4, "status": "passed", "reply": …, "seed": …, "observed": …, "changed": …}``
        for each answer that was checked: the reply to it, and `encode_observation` of what was observed.
        ``{"raised": "ValueError", "cell": 4}`` for each cell that raises; cells are counted from 1.
        ``{"changed": [...], "cell": 4}`` for each cell after which definitions of the checks differ from
        those before the first cell; `changed` names them. ``{"end": True, "changed": []}`` at the end.

    Examples
    --------
    >>> list(examine(["1 / 0", "1 + 1"]))
    [{'raised': 'ZeroDivisionError', 'cell': 1}, {'end': True, 'changed': []}]
    """
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    seen: list[dict[str, Any]] = []
    before: dict[str, tuple[Any, ...]] = {}
    original_call = Exercise.__call__

    def watched_call(exercise: Exercise, *answers: Any, seed: Any = None) -> Reply:
        changed = name_changes(before)
        reply = original_call(exercise, *answers, seed=seed)
        finding = {
            "exercise": exercise.key,
            "status": reply.status,
            "changed": changed,
            "reply": reply.text[:MAX_SHOWN_CHARACTERS],
            "seed": exercise.choose_seed(seed),
            "observed": encode_observation(reply.observed),
        }
        seen.append(finding)
        return reply

    lesson = lesson_of(cells)
    if lesson:
        # Imported here, so that its definitions are listed before the first cell runs.
        importlib.import_module(f"autodiff_lab.lessons.{lesson}")
    Exercise.__call__ = watched_call  # type: ignore[method-assign, assignment]
    before |= list_definitions()
    try:
        for number, source in enumerate(cells, 1):
            problem = _run_cell(shell, source)
            yield from ({**finding, "cell": number} for finding in seen)
            seen.clear()
            if problem:
                yield {"raised": problem, "cell": number}
            changed = name_changes(before)
            if changed:
                yield {"changed": changed, "cell": number}
        changed = name_changes(before)
    finally:
        Exercise.__call__ = original_call  # type: ignore[method-assign]
    yield {"end": True, "changed": changed}


def _run_cell(shell: Any, source: str) -> str:
    """Run a cell, drop its printed output, and return the name of the exception it raises, or an empty string."""
    with (
        open(os.devnull, "w", encoding="utf-8") as nowhere,
        redirect_stdout(nowhere),
        redirect_stderr(nowhere),
    ):
        try:
            result = shell.run_cell(source, store_history=False)
            problem = result.error_before_exec or result.error_in_exec
        except BaseException as inner:  # IPython lets some of them through
            problem = inner
    if problem is None:
        return ""
    return type(problem).__name__


def main(path: str, secret: str) -> None:
    """Run the examiner on one notebook; write the findings to the original standard output, hidden from the cells."""
    report = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    token = Path(secret).read_text()
    Path(secret).unlink()
    write = os.write  # kept, because a cell may replace os.write

    def write_finding(finding: dict[str, Any]) -> None:
        write(report, f"{token} {json.dumps(finding)}\n".encode())

    write_finding({"begin": True})
    try:
        cells = code_of(Path(path).read_bytes())
    except ValueError as problem:
        write_finding({"unreadable": str(problem)})
        return
    if len(json.dumps(cells)) > MAX_CODE_CHARACTERS:
        too_long = f"the code is longer than {MAX_CODE_CHARACTERS} characters, and was not run"
        write_finding({"unreadable": too_long})
        return
    write_finding({"cells": cells})
    if lesson_of(cells) is None:  # a notebook without checks is not run
        return
    for finding in examine(cells):
        write_finding(finding)


if __name__ == "__main__":
    main(*sys.argv[1:])
