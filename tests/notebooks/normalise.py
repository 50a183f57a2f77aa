"""Execute the notebooks and write them in their one normal form.

    python -m tests.notebooks.normalise              execute and rewrite every notebook
    python -m tests.notebooks.normalise --check      execute, write nothing, fail with a diff where a file differs
    python -m tests.notebooks.normalise --metadata-only    rewrite the outputs that are there, execute nothing

Run it after every change to a notebook. What it leaves in the file depends on the notebook and the package alone: no
widget state, no timings, no Python version, no cell metadata but tags, slides and what is folded. An output is folded
if a reader would find in it what the text has just asked: those between a **Predict** and the next text, and those with
the tag `answers-an-exercise`. JupyterLab unfolds it when the cell is run. Four tags change what it does:

nbval-ignore-output
    The output may differ between machines (an SVG differs between Graphviz versions): it is committed, and `--check`
    compares only which kinds of output there are.
machine-output
    The output is about this machine (paths, versions): it is not committed.
answers-an-exercise
    The output shows the answer to an exercise just above or below it: it is folded.
hide-input
    The code is folded: on a slide its output is shown alone.
"""

from __future__ import annotations

import argparse
import copy
import difflib
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}

# A live widget's view is a number in a kernel that is gone; the figure beside it is what a reader sees.
VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"
NOT_COMMITTED = {VIEW}
# Nor can its key be found again: without one the figure waits for nobody.
KEY = re.compile(r'(?<=^settle\(figure, ")[0-9a-f]+(?=")', re.MULTILINE)

PROMPT = "**Predict"
ANSWER = "answers-an-exercise"
HIDDEN_CODE = "hide-input"


def execute(notebook: Any, folder: Path = NOTEBOOKS, kernel: Any = None) -> Any:
    """Return an executed copy; raise where a cell raises. A kernel that is given runs on afterwards."""
    notebook = copy.deepcopy(notebook)
    client = NotebookClient(
        notebook,
        km=kernel,
        timeout=120,
        kernel_name="python3",
        # Read by `normalise`, which commits none of it.
        store_widget_state=True,
        record_timing=False,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()
    return notebook


def normalise(notebook: Any) -> Any:
    """Bring a notebook into normal form, in place."""
    models = notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})
    notebook.metadata = nbformat.from_dict(
        {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    )
    for cell in notebook.cells:
        tags = cell.metadata.get("tags")
        cell.metadata = nbformat.from_dict(kept_metadata(cell))
        cell.source = "\n".join(line.rstrip() for line in cell.source.strip("\n").split("\n"))
        if cell.cell_type == "code":
            cell.outputs = [] if "machine-output" in (tags or []) else _joined(cell.outputs)
            for output in cell.outputs:
                view = output.get("data", {}).get(VIEW)
                if view:
                    output.data.update(pictured(models, view["model_id"]))
                for kind in NOT_COMMITTED & set(output.get("data", {})):
                    del output.data[kind]
                if "<img" in output.get("data", {}).get("text/html", ""):
                    # the same picture, for who reads no HTML: in the live output
                    output.data.pop("image/png", None)
                if "text/html" in output.get("data", {}):
                    output.data["text/html"] = KEY.sub("", output.data["text/html"])
            cell.outputs = [output for output in cell.outputs if output.get("data") != {}]
    for cell in answering(notebook):
        cell.metadata["jupyter"] = {"outputs_hidden": True}
        # JupyterLab shows the first line of what is folded, and it is often the answer. An empty output has none.
        cell.outputs.insert(0, nbformat.v4.new_output("display_data"))
    return notebook


def kept_metadata(cell: Any) -> dict[str, Any]:
    """Return what a cell's metadata keeps: its tags, its place among slides, and whether its code is folded."""
    kept = {name: cell.metadata[name] for name in ("slideshow", "tags") if cell.metadata.get(name)}
    if HIDDEN_CODE in kept.get("tags", []):
        kept["jupyter"] = {"source_hidden": True}
    return kept


def pictured(models: dict[str, Any], model_id: str) -> dict[str, str]:
    """Return what a container of widgets shows in its `Output`: the picture below the sliders of `interact`."""
    state = models.get(model_id, {}).get("state", {})
    shown = {
        kind: data
        for output in state.get("outputs", [])
        for kind, data in output.get("data", {}).items()
    }
    for child in state.get("children", []):
        shown |= pictured(models, child.removeprefix("IPY_MODEL_"))
    return shown


def answering(notebook: Any) -> Iterator[Any]:
    """Go through the code cells whose outputs answer what the text has asked."""
    asked = False
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        if cell.cell_type != "code":
            asked = PROMPT in cell.source
        elif cell.outputs and "exercise" not in tags and (asked or ANSWER in tags):
            yield cell


def _joined(outputs: Sequence[Any]) -> list[Any]:
    """Join stream outputs that follow each other: how a kernel cuts them up is a matter of timing."""
    joined: list[Any] = []
    for output in outputs:
        last = joined[-1] if joined else {}
        if output.output_type == "stream" and last.get("name") == output.get("name"):
            last.text += output.text
        else:
            joined.append(output)
    return joined


def written(notebook: Any) -> str:
    """Return the text of the file."""
    return nbformat.writes(notebook, version=4) + "\n"


def comparable(notebook: Any) -> str:
    """Return what two machines must agree on, as text to be compared line by line."""
    notebook = copy.deepcopy(notebook)
    for cell in notebook.cells:
        if "nbval-ignore-output" in cell.metadata.get("tags", []):
            cell.outputs = [
                nbformat.v4.new_output(
                    output.output_type, data=dict.fromkeys(sorted(output.data), "…")
                )
                for output in cell.outputs
                if "data" in output
            ]
    return written(notebook)


def difference(path: Path) -> str:
    """Execute a committed notebook and return how a fresh one differs from it; the empty string if it does not."""
    committed = nbformat.read(path, as_version=4)
    fresh = normalise(execute(committed, path.parent))
    lines = difflib.unified_diff(
        comparable(committed).splitlines(),
        comparable(fresh).splitlines(),
        f"{path.name} as committed",
        f"{path.name} executed now",
        lineterm="",
        n=4,
    )
    return "\n".join(line if len(line) < 400 else f"{line[:400]} …" for line in lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Normalise or check the notebooks that are named, or all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "paths", nargs="*", type=Path, help="notebooks (default: all in notebooks/)"
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if a notebook differs"
    )
    parser.add_argument(
        "--metadata-only", action="store_true", help="execute nothing; keep the outputs as they are"
    )
    options = parser.parse_args(argv)
    differs = 0
    for path in options.paths or sorted(
        [*NOTEBOOKS.glob("*.ipynb"), *NOTEBOOKS.glob("lectures/*.ipynb")]
    ):
        if options.check:
            found = difference(path)
            print(found or f"{path.name}: in normal form, and its outputs are those of a fresh run")
            differs += bool(found)
        else:
            notebook = nbformat.read(path, as_version=4)
            text = written(
                normalise(notebook if options.metadata_only else execute(notebook, path.parent))
            )
            path.write_text(text, encoding="utf-8")
            done = "written" if options.metadata_only else "executed and written"
            print(f"{path.name}: {done}, {len(text.encode()) / 1000:.0f} kB")
    if differs:
        print(
            f"\n{differs} of the notebooks differ. To write them anew: python -m tests.notebooks.normalise"
        )
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
