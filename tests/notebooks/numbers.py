"""Number the notebooks by their order in the course: their files, every link to them, and the words of those links.

`autodiff_lab.lessons.order` has the order, and it is the only place where it is written by hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat

from autodiff_lab.lessons import order
from tests.addresses import ROOT

# What may name a notebook's file.
FOLDERS = ("notebooks", "autodiff_lab", "tests", "binder", ".ci")
SUFFIXES = {".ipynb", ".md", ".py", ".js", ".html", ".toml"}


def renumber(text: str) -> str:
    """Return the text with each notebook's present number in file names, and in the words of the links to them.

    >>> old = "12_" + "tape.ipynb"
    >>> renumber(f"[notebook 12]({old}), [12, section 2]({old}#cell-id=read), [the tape]({old})")
    '[notebook 03](03_tape.ipynb), [03, section 2](03_tape.ipynb#cell-id=read), [the tape](03_tape.ipynb)'
    """
    slugs = "|".join(order.SLUGS)
    link = rf"(?<=\[)((?:[Nn]otebook )?)\d\d(?=[^\]\d][^\]]*\]\(|\]\()([^\]]*\]\([^)]*?)\b\d\d_({slugs})\.ipynb"
    text = re.sub(
        link,
        lambda found: f"{found[1]}{order.number_of(found[3])}{found[2]}00_{found[3]}.ipynb",
        text,
    )
    # A page of the website has the notebook's name.
    return re.sub(
        rf"\b\d\d_({slugs})(?=\.(?:ipynb|html)\b)",
        lambda found: Path(order.file_name(found[1])).stem,
        text,
    )


def update_numbers(*, check: bool, root: Path = ROOT) -> list[str]:
    """Rename the notebooks whose place has changed, and write their numbers anew; return what differed."""
    found = []
    for path in sorted((root / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        slug = path.stem[3:]
        if slug not in order.SLUGS:
            found.append(f"{path.name}: {slug} has no row in autodiff_lab/lessons/order.py")
        elif path.name != order.file_name(slug):
            found.append(f"{path.name} is to be {order.file_name(slug)}")
            if not check:
                path.rename(path.with_name(order.file_name(slug)))
    for path in _files(root):
        text = path.read_text(encoding="utf-8")
        fresh = _renumber_notebook(path, text) if path.suffix == ".ipynb" else renumber(text)
        if fresh != text:
            found.append(f"{path.relative_to(root).as_posix()}: it has old numbers")
            if not check:
                path.write_text(fresh, encoding="utf-8")
    return found


def _files(root: Path) -> Iterator[Path]:
    yield from (path for path in (root / "README.md", root / "CONTRIBUTING.md") if path.is_file())
    for folder in FOLDERS:
        yield from (
            path
            for path in sorted((root / folder).rglob("*"))
            if path.suffix in SUFFIXES and path.is_file()
        )


def _renumber_notebook(path: Path, text: str) -> str:
    notebook = nbformat.reads(text, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = renumber(cell.source)
    slug = path.stem[3:]
    if slug in order.SLUGS:
        first = notebook.cells[0]
        first.source = re.sub(r"^# \d\d · ", f"# {order.number_of(slug)} · ", first.source)
    return nbformat.writes(notebook, version=4) + "\n"
