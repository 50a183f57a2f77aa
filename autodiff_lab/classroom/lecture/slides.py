"""The slides of a notebook, from Jupyter's slideshow metadata; without it, each text cell begins a slide."""

import copy
from pathlib import Path
from typing import Any

import nbformat

from autodiff_lab.jupyter.notebooks import TutorialError

KINDS = ("slide", "subslide", "fragment", "skip", "notes")


class LectureError(TutorialError):
    """A notebook for a lecture cannot be found or read; the message says why and what to do."""


def read_notebook(path: Path) -> Any:
    """Read the notebook of a lecture.

    Raises
    ------
    LectureError
        If it cannot be read.
    """
    try:
        return nbformat.read(path, as_version=4)
    except (OSError, ValueError, AttributeError, nbformat.ValidationError) as problem:
        raise LectureError(f"{path} cannot be read as a notebook ({problem})") from problem


def slide_type(cell: Any) -> str:
    """Return a cell's slide type from Jupyter's slideshow metadata: ``"slide"``, ``"notes"``, … or an empty string.

    >>> slide_type(nbformat.v4.new_code_cell(metadata={"slideshow": {"slide_type": "slide"}}))
    'slide'
    """
    kind = cell.metadata.get("slideshow", {}).get("slide_type", "")
    return kind if kind in KINDS else ""


def has_slides(notebook: Any) -> bool:
    """Return whether the notebook defines its own slides; notes alone don't count."""
    return any(slide_type(cell) in ("slide", "subslide") for cell in notebook.cells)


def with_slides(notebook: Any) -> Any:
    """Return a copy of a notebook with slides: its own, or one for each text cell and the code below it.

    >>> cells = [nbformat.v4.new_markdown_cell("Why?"), nbformat.v4.new_code_cell("1 + 1")]
    >>> [slide_type(cell) for cell in with_slides(nbformat.v4.new_notebook(cells=cells)).cells]
    ['slide', 'fragment']
    """
    notebook = copy.deepcopy(notebook)
    if has_slides(notebook):
        return notebook
    for cell in notebook.cells:
        if not slide_type(cell):
            kind = "slide" if cell.cell_type == "markdown" else "fragment"
            cell.metadata["slideshow"] = {"slide_type": kind}
    if notebook.cells:
        notebook.cells[0].metadata["slideshow"] = {"slide_type": "slide"}
    return notebook
