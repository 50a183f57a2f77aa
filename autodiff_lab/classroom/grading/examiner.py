"""The examiner: runs one handed-in notebook inside the walls, cell by cell, and reports what the checks observe.

    python -m autodiff_lab.classroom.grading.examiner NOTEBOOK SECRET

There is no kernel: the cells run in IPython, in this very process, one after the other, whatever the cell before did.
What the cells print is thrown away; the findings leave as lines of JSON through the standard output as it was before
the first cell, behind the word in the file SECRET, which is gone before the first cell runs. The first line says that
the examiner itself has begun: whatever fails before it is no hand-in's fault. The second has the code of the cells, so
that nobody outside has to read a file that a stranger wrote.
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

# Characters of a reply that go into the report, or of the answer.
MAX_SHOWN_CHARACTERS = 1000

# Characters of code in a notebook, as JSON: far more than anybody writes, and half of what may be said.
MAX_CODE_CHARACTERS = 1_000_000


def lesson_of(cells: list[str]) -> str | None:
    """Find which lesson's checks the cells to be examined import: ``"tape"``.

    >>> lesson_of(["import numpy as np", "from autodiff_lab.lessons import tape as check"])
    'tape'
    """
    imports = re.finditer(r"autodiff_lab\.lessons(?:\s+import\s+|\.)(\w+)", "\n".join(cells))
    return next((found[1] for found in imports if found[1] in SLUGS), None)


def code_of(notebook: bytes) -> list[str]:
    """Read the code cells that are to be examined from a handed-in notebook file.

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
        for each answer that was looked at: what was said to it, and `encode_observation` of what it was judged by;
        ``{"raised": "ValueError", "cell": 4}`` for each cell that raises; cells are counted from 1; and at the end
        ``{"end": True, "changed": []}``. `changed` names the definitions of the checks that are no longer what they
        were before the first cell; a cell behind which there are such is told with ``{"changed": …, "cell": 4}``.

    Examples
    --------
    >>> list(examine(["1 / 0", "1 + 1"]))
    [{'raised': 'ZeroDivisionError', 'cell': 1}, {'end': True, 'changed': []}]
    """
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    seen: list[dict[str, Any]] = []
    before: dict[str, tuple[Any, ...]] = {}
    asked = Exercise.__call__

    def watched(exercise: Exercise, *answers: Any, seed: Any = None) -> Reply:
        changed = name_changes(before)
        reply = asked(exercise, *answers, seed=seed)
        finding: dict[str, Any] = {
            "exercise": exercise.key,
            "status": reply.status,
            "changed": changed,
        }
        finding |= {"reply": reply.text[:MAX_SHOWN_CHARACTERS], "seed": exercise.choose_seed(seed)}
        seen.append(finding | {"observed": encode_observation(reply.observed)})
        return reply

    lesson = lesson_of(cells)
    if lesson:
        # before its definitions are listed
        importlib.import_module(f"autodiff_lab.lessons.{lesson}")
    Exercise.__call__ = watched  # type: ignore[method-assign, assignment]
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
        Exercise.__call__ = asked  # type: ignore[method-assign]
    yield {"end": True, "changed": changed}


def _run_cell(shell: Any, source: str) -> str:
    """Run a cell, whatever it prints; return the name of what it raises, or nothing."""
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
    return type(problem).__name__ if problem is not None else ""


def main(path: str, secret: str) -> None:
    """Run the examiner on one notebook: findings go to the original standard output, which the cells cannot reach."""
    told, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    token, write = Path(secret).read_text(), os.write
    Path(secret).unlink()

    def tell(finding: dict[str, Any]) -> None:
        write(told, f"{token} {json.dumps(finding)}\n".encode())

    tell({"begin": True})
    try:
        cells = code_of(Path(path).read_bytes())
    except ValueError as problem:
        tell({"unreadable": str(problem)})
        return
    if len(json.dumps(cells)) > MAX_CODE_CHARACTERS:
        tell(
            {
                "unreadable": f"the code is longer than {MAX_CODE_CHARACTERS} characters, and was not run"
            }
        )
        return
    tell({"cells": cells})
    if lesson_of(cells) is None:  # nothing else is run
        return
    for finding in examine(cells):
        tell(finding)


if __name__ == "__main__":
    main(*sys.argv[1:])
