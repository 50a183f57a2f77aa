"""Run the PyTorch programs of the notebook `own_model`, and keep what they return.

python -m tests.notebooks.own_model
"""

from __future__ import annotations

import json
import linecache
from collections.abc import Callable
from typing import Any
from unittest import mock

import matplotlib

from autodiff_lab.lessons.own_model import runs

from .reading import named, read, tags


def fresh_runs(one: Callable[..., Any] = runs.run_to_json_data) -> dict[str, Any]:
    """Run the notebook's cells, with PyTorch, and return what its programs return, as ``runs.json`` has it."""
    found: dict[str, Any] = {}

    def keep(program: Callable[..., Any], *args: Any) -> Any:
        returned = one(program, *args)
        found[runs.key_of(program, args)] = {
            "program": runs.digest_of(program),
            "returned": returned,
        }
        return runs.from_json_data(returned)

    matplotlib.use("agg")
    scope: dict[str, Any] = {"__name__": "__main__"}
    for cell in read(named("own_model")).cells:
        if cell.cell_type != "code" or "exercise" in tags(cell) or ".lend(" in cell.source:
            continue
        if (
            "run_or_load" not in cell.source
            and "def " not in cell.source
            and "import" not in cell.source
        ):
            continue
        file = f"<{cell.id}>"
        # Without its source no program could be told from another, and no line would have a place.
        linecache.cache[file] = (
            len(cell.source),
            None,
            cell.source.splitlines(keepends=True),
            file,
        )
        with mock.patch.object(runs, "run_or_load", keep):
            exec(compile(cell.source, file, "exec"), scope)
    return found


def write(found: dict[str, Any]) -> None:
    """Write ``runs.json``, a line for each run."""
    lines = [
        f"{json.dumps(key, ensure_ascii=False)}: {_shorten(found[key])}" for key in sorted(found)
    ]
    runs.FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _shorten(run: dict[str, Any]) -> str:
    return json.dumps(run, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


if __name__ == "__main__":
    write(fresh_runs())
    print(f"{runs.FILE.name}: {runs.FILE.stat().st_size:,} bytes")
