"""Put the badge that launches a notebook on Binder into its first cell.

`tests/addresses.py` makes the address. The picture lies beside the notebooks: a page that shows it asks nobody for it.
"""

from __future__ import annotations

import re
from pathlib import Path

import nbformat

from tests.addresses import ROOT, launch

BADGE = re.compile(r"^\[!\[[^\]]*\]\([^)]*pictures/launch\.svg\)\]\([^)]*\)$", re.MULTILINE)


def with_badge(text: str, notebook: str, root: Path = ROOT) -> str:
    """Return the first cell with its badge below the table that describes the notebook."""
    if BADGE.search(text):
        return BADGE.sub(launch(notebook, root=root), text)
    rows = [*re.finditer(r"^\|.*$", text, re.MULTILINE)]
    return f"{text[: rows[-1].end()]}\n\n{launch(notebook, root=root)}{text[rows[-1].end() :]}"


def update_badges(*, check: bool, root: Path = ROOT) -> list[str]:
    """Write the badges into the lessons that lack them or have another address; return which."""
    found = []
    for path in sorted((root / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        first = notebook.cells[0]
        first.source, before = with_badge(first.source, path.name, root), first.source
        if first.source != before:
            found.append(f"{path.name}: its badge is missing, or leads elsewhere")
            if not check:
                path.write_text(nbformat.writes(notebook, version=4) + "\n", encoding="utf-8")
    return found
