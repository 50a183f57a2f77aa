"""Build the website: the notebooks as pages whose players play, and a reference from the docstrings.

    python .ci/site/build.py OUT        needs: pip install -e . -r .ci/site/requirements.txt

Nothing here is written a second time: lessons, glossary, misconceptions and the page for lecturers come from
`notebooks/`, the words of the start page from the README, the reference from the docstrings.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import autodiff_lab as ad

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent

PARTS = {"The machine": "00 01 02 03 04", "The systems": "05 06 07 08", "Using it": "09 10 11 12 13"}
"""The parts of the course, by the numbers of the lessons; those that follow are *Going far*."""

GROUPS = {
    "Derivatives": ("transforms", "engine"),
    "Looking at a run": ("trace", "figures.graph", "figures.tables", "widgets"),
    "Programs": ("programs",),
    "The systems of the lessons": ("systems", "optimize", "data"),
    "Plots": ("figures.plots",),
}
"""The groups of the reference, by the rooms that the public names come from."""


def f(x1, x2):
    a = np.log(x1)
    b = x1 * x2
    s = a + b
    c = np.sin(x2)
    return s - c


def write_sources(folder: Path) -> None:
    """Write all that Sphinx reads into a folder."""
    shutil.copytree(ROOT / "notebooks", folder, ignore=shutil.ignore_patterns(".*", "*.jsonl"))
    shutil.copy(HERE / "conf.py", folder)
    for name in ("_static", "_templates"):
        shutil.copytree(HERE / name, folder / name)
    numbered = {path.name[:2]: path.stem for path in sorted(folder.glob("[0-9][0-9]_*.ipynb"))}
    (folder / "index.md").write_text(start_page(numbered), encoding="utf-8")
    (folder / "reference.md").write_text("\n".join(reference_page()), encoding="utf-8")
    (folder / "where_it_works.md").write_text(works_page(), encoding="utf-8")


def start_page(numbered: dict[str, str]) -> str:
    """Write the start page: what this is, one large player that plays, and where to go."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    about = re.match(r"# [^\n]*\n\n(.+?)\n\n", readme, re.DOTALL)[1].replace("\n", " ")
    start = re.search(r"^## Start\n\n(.+?)(?=^## )", readme, re.DOTALL | re.MULTILINE)[1]
    start = re.sub(r"\]\(notebooks/", "](", start)
    page = ad.play(f, 2.0, 5.0).save_html
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(page(Path(folder) / "player.html")).read_text(encoding="utf-8")
    player = re.search(r"<main>\n(.*)\n</main>", whole, re.DOTALL)[1]
    lines = ["# Automatic differentiation you can watch", "", about, "", "````{raw} html", player, "````", ""]
    lines += ["Press ▶. Then [play a function of your own](00_start_here.ipynb#cell-id=mine), or read on:", ""]
    taken = set()
    parts = {title: numbers.split() for title, numbers in PARTS.items()}
    parts["Going far"] = [number for number in numbered if number not in " ".join(PARTS.values())]
    for title, numbers in parts.items():
        there = [number for number in numbers if number in numbered and number not in taken]
        taken.update(there)
        lines += ["```{toctree}", f":caption: {title}", ":maxdepth: 1", "", *(numbered[n] for n in there), "```", ""]
    lines += ["```{toctree}", ":caption: To look things up", ":maxdepth: 1", "", "glossary", "misconceptions"]
    lines += [
        "reference",
        "where_it_works",
        "for_lecturers",
        "installing",
        "```",
        "",
        "## On your own machine",
        "",
        start,
    ]
    return "\n".join(lines)


def reference_page() -> Iterator[str]:
    """Write the reference: the public names, grouped by what they are for."""
    yield from ("# Reference", "", "Everything is a name of `autodiff_lab`: `import autodiff_lab as ad`.", "")
    rooms = {name: getattr(getattr(ad, name), "__module__", "").removeprefix("autodiff_lab.") for name in ad.__all__}
    for title, wanted in GROUPS.items():
        names = [name for name, room in rooms.items() if room.startswith(wanted)]
        if not names:
            continue
        yield from (f"## {title}", "", "```{eval-rst}", ".. currentmodule:: autodiff_lab", ".. autosummary::")
        yield from ("   :toctree: reference", "   :nosignatures:", "", *(f"   {name}" for name in names), "```", "")
    left = [name for name, room in rooms.items() if not room.startswith(tuple(sum(map(tuple, GROUPS.values()), ())))]
    if left:
        sys.exit(f"in no group of the reference: {', '.join(left)}")


def works_page() -> str:
    """Write what works where, from the page that links each row with its test."""
    text = (ROOT / "tests" / "README.md").read_text(encoding="utf-8")
    table = re.search(r"^## What works where\n\n(.+?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)[1]
    return "# What works where\n\n" + re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", table)


def main() -> None:
    """Build the site into a folder, and stop at every warning."""
    out = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        write_sources(source)
        options = ["-W", "--keep-going", "-q", "-b", "html"]
        done = subprocess.run([sys.executable, "-m", "sphinx", *options, str(source), str(out)], env=None)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
