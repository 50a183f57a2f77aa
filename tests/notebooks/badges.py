"""Put the badge that launches a notebook on Binder into its first cell.

The address is made from the repository that `pyproject.toml` names and from the file's own name, so after a fork or a
move that one line is changed and `python -m tests.generate` is run again. The picture lies beside the notebooks: a page
that shows it asks nobody for it.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import nbformat

ROOT = Path(__file__).resolve().parents[2]
START = "00_start_here.ipynb"
BADGE = re.compile(r"^\[!\[[^\]]*\]\([^)]*pictures/launch\.svg\)\]\([^)]*\)$", re.MULTILINE)


def repository() -> str:
    """The repository on GitHub, as ``owner/name``."""
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    return urlsplit(urls["Repository"]).path.strip("/")


def badge(notebook: str, folder: str = "") -> str:
    """The badge of a notebook: the first opens in JupyterLab, the others by themselves, as a lecture wants them."""
    view = "lab" if notebook == START else "doc"
    target = f"https://mybinder.org/v2/gh/{repository()}/main?urlpath={view}/tree/notebooks/{notebook}"
    return f"[![Launch on Binder]({folder}pictures/launch.svg)]({target})"


def with_badge(text: str, notebook: str) -> str:
    """The first cell with its badge, under the table that says what the notebook is about."""
    if BADGE.search(text):
        return BADGE.sub(badge(notebook), text)
    rows = [*re.finditer(r"^\|.*$", text, re.MULTILINE)]
    return f"{text[: rows[-1].end()]}\n\n{badge(notebook)}{text[rows[-1].end() :]}"


def update_badges(*, check: bool) -> list[str]:
    """Write the badges into the lessons that lack them or have another address; return which."""
    found = []
    for path in sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        first = notebook.cells[0]
        first.source, before = with_badge(first.source, path.name), first.source
        if first.source != before:
            found.append(f"{path.name}: its badge is missing, or leads elsewhere")
            if not check:
                path.write_text(nbformat.writes(notebook, version=4) + "\n", encoding="utf-8")
    return found
