"""Run one handed-in notebook inside the walls, cell by cell, and write down the verdict of each exercise.

    python -m autodiff_lab.classroom.grading.examiner NOTEBOOK

There is no kernel: the cells run in IPython, in this very process, one after the other, whatever the cell before did.
What the cells print is thrown away; the findings leave as lines of JSON through the standard output as it was before
the first cell. The first line says that the examiner itself has begun: whatever fails before it is no hand-in's fault.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from autodiff_lab.lessons.checks.exercise import Exercise, Reply

__all__ = ["examine", "lesson_of"]

MAX_SHOWN_CHARACTERS = 1000
"""Characters of an answer, or of a reply to it, that go into the report."""


def lesson_of(cells: list[str]) -> str | None:
    """Find the number of the lesson whose checks a notebook's code imports: ``"03"``.

    >>> lesson_of(["import numpy as np", "from autodiff_lab.lessons import lesson_03 as check"])
    '03'
    """
    found = re.search(r"autodiff_lab\.lessons(?:\s+import\s+|\.)lesson_(\d\d)\b", "\n".join(cells))
    return found[1] if found else None


def code_of(notebook: bytes) -> list[str]:
    """Read the code cells of a notebook file.

    Raises
    ------
    ValueError
        If the file is not a notebook that can be read.
    """
    try:
        document = json.loads(notebook.decode())
        cells = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
        return ["".join(cell["source"]) for cell in cells]
    except (ValueError, LookupError, TypeError, RecursionError) as problem:
        raise ValueError(f"this is not a notebook that can be read ({type(problem).__name__})") from problem


def examine(cells: list[str]) -> Iterator[dict[str, Any]]:
    """Run code cells, and yield the verdict of each exercise and the error of each cell that raises.

    Yields
    ------
    dict
        ``{"exercise": "ex_03_2", "status": "passed", "hint": ""}`` for each answer that was looked at, the hint being
        that of the wrong answer that was recognised; with ``"not yet"`` also the `reply` and, as `answer`, the cell;
        ``{"raised": "ValueError", "cell": 4}`` for each cell that raises, counted from 1; and at the end
        ``{"end": True, "changed": False}``, where `changed` says that some function of the checks is another one.

    Examples
    --------
    >>> list(examine(["1 / 0", "1 + 1"]))
    [{'raised': 'ZeroDivisionError', 'cell': 1}, {'end': True, 'changed': False}]
    """
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    seen: list[dict[str, Any]] = []
    asked = Exercise.__call__

    def watched(exercise: Exercise, *answers: Any, seed: Any = None) -> Reply:
        reply = asked(exercise, *answers, seed=seed)
        finding = {"exercise": exercise.name, "status": reply.status, "hint": _find_hint(exercise, reply, seed)}
        if reply.status == "not yet":
            finding |= {"reply": reply.text[:MAX_SHOWN_CHARACTERS], "answer": source[:MAX_SHOWN_CHARACTERS]}
        seen.append(finding)
        return reply

    before = _identify_judges()
    Exercise.__call__ = watched  # type: ignore[method-assign]
    try:
        for number, source in enumerate(cells, 1):
            problem = _run_cell(shell, source)
            yield from seen
            seen.clear()
            if problem:
                yield {"raised": problem, "cell": number}
        untouched = Exercise.__call__ is watched
    finally:
        Exercise.__call__ = asked  # type: ignore[method-assign]
    yield {"end": True, "changed": not untouched or _identify_judges() != before}


def _run_cell(shell: Any, source: str) -> str:
    """Run a cell, whatever it prints; return the name of what it raises, or nothing."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        try:
            result = shell.run_cell(source, store_history=False)
            problem = result.error_before_exec or result.error_in_exec
        except BaseException as inner:  # IPython lets some of them through
            problem = inner
    return type(problem).__name__ if problem is not None else ""


def _find_hint(exercise: Exercise, reply: Reply, seed: Any) -> str:
    """Find the hint of the wrong answer that the check has recognised."""
    if reply.status != "not yet":
        return ""
    return next((m.hint for m in exercise.instance(seed).misconceptions if reply.text.endswith(m.hint)), "")


def _identify_judges() -> dict[Any, Any]:
    """Identify the functions that decide about answers, to see whether they are the same afterwards."""
    from autodiff_lab.lessons.checks import compare, exercise

    places = {"Exercise": vars(Exercise), "comparing": vars(compare), "exercise": vars(exercise)}
    return {
        (place, name): id(thing)
        for place, names in places.items()
        for name, thing in names.items()
        if callable(thing) and name != "__call__"
    }


def main(path: str) -> None:
    """Examine one notebook; tell through what was the standard output, and keep the cells from it."""
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    print(json.dumps({"begin": True}), file=told, flush=True)
    for finding in examine(code_of(Path(path).read_bytes())):
        print(json.dumps(finding), file=told, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
