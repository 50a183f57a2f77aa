"""Make everything that is generated and committed, or check that it is what would be made now.

    python -m tests.generate             make it
    python -m tests.generate --check     write nothing; exit with 1 where something differs
    python -m tests.generate badges      one kind alone; the kinds are listed below
    python -m tests.generate --release 0.1.0    give this version its date, and make what changes with a release

numbers
    The notebooks' numbers, in their file names and in the links to them, from the order of the course
    (`notebooks/numbers.py`).
types
    The types and defaults of a trace in JavaScript, from its dataclasses (`javascript_types.py`).
bundle
    The widgets' JavaScript and CSS in as many files as are loaded, by esbuild (`.ci/javascript/bundle.mjs`). It needs
    Node, and `npm ci` once.
badges
    The badge in the first cell of each notebook (`notebooks/badges.py`).
addresses
    What the README and the page for lecturers link to and let one install, and CITATION.cff (`addresses.py`).
table
    The notebooks, their questions and minutes in the README and in the map of the first one, from their first cells.
outputs
    The notebooks' outputs and their normal form (`notebooks/normalise.py`, which also does a single notebook).
pictures
    The README's pictures (`notebooks/pictures.py`), compared in what is the same on every machine.

What is measured is not made here: `python -m tests.benchmarks --write`, and `.ci/student_costs.py`.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import nbformat

from autodiff_lab.widgets.bundle import BUNDLES
from tests.addresses import ROOT, START, date_release, update_addresses
from tests.javascript_types import update_types
from tests.notebooks import normalise
from tests.notebooks.badges import update_badges
from tests.notebooks.numbers import update_numbers

README = ROOT / "README.md"
TABLE = re.compile(r"^\| notebook \| its question \|.*?(?=\n\n)", re.MULTILINE | re.DOTALL)


def update_bundle(*, check: bool) -> list[str]:
    """Bundle the widgets' JavaScript and CSS; return which bundles differed.

    Raises
    ------
    SystemExit
        If there is no Node, or esbuild is not installed.
    """
    node = shutil.which("node")
    if node is None or not (ROOT / "node_modules" / "esbuild").is_dir():
        sys.exit(
            "The bundles are made with Node 20.19 or newer, and the tools that `npm ci` installs here."
        )
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder)
        subprocess.run([node, ROOT / ".ci" / "javascript" / "bundle.mjs", fresh], check=True)
        names = sorted({path.name for place in (fresh, BUNDLES) for path in place.glob("*")})
        found = [
            name for name in names if _read_if_there(BUNDLES / name) != _read_if_there(fresh / name)
        ]
        if not check:
            for name in found:
                (BUNDLES / name).unlink(missing_ok=True)
            for path in fresh.iterdir():  # not the folder: a temporary one is closed to others
                shutil.copy(path, BUNDLES / path.name)
    return [f"autodiff_lab/widgets/bundles/{name} differs from the sources" for name in found]


def _read_if_there(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def update_table(*, check: bool) -> list[str]:
    """Write the notebooks into the README, and into the map of the notebook `start_here`; return what differed."""
    readme = README.read_text(encoding="utf-8")
    fresh = with_table(readme)
    if fresh != readme and not check:
        README.write_text(fresh, encoding="utf-8")
    found = (
        ["README.md: its table of notebooks differs from their first cells"]
        if fresh != readme
        else []
    )
    start = ROOT / "notebooks" / START
    notebook = nbformat.read(start, as_version=4)
    course = next(cell for cell in notebook.cells if cell.id == "course-map")
    course.source, before = with_map(course.source), course.source
    if course.source != before:
        found.append(f"{START}: its map of the course differs from the notebooks' first cells")
        if not check:
            start.write_text(nbformat.writes(notebook, version=4) + "\n", encoding="utf-8")
    return found


def first_cells() -> Iterator[tuple[Path, str, str, str, str]]:
    """Go through the lessons: the file, its title, its question, its minutes, and the numbers of what comes before."""
    for path in sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        first = nbformat.read(path, as_version=4).cells[0].source
        title, question, time, before = (
            re.search(pattern, first, re.MULTILINE)[1]
            for pattern in (
                r"^# (.*)$",
                r"^\*\*(.*)\*\*$",
                r"^\| \*\*Time\*\* \| (.*) \|$",
                r"^\| \*\*Before\*\* \| (.*) \|$",
            )
        )
        numbers = sorted(set(re.findall(r"\[(\d\d)", before)))
        yield path, title, question, " / ".join(re.findall(r"\d+", time)), ", ".join(numbers)


def with_map(text: str) -> str:
    """Return the map with titles, questions, minutes and what comes before, as the first cells have them."""
    for path, title, question, minutes, before in first_cells():
        short = title.partition(":")[0]
        row = re.compile(rf"^\| \[{title[:2]} · [^|]*\| [^|]* \| [^|]* \| [^|]* \|$", re.MULTILINE)
        new = f"| [{short}]({path.name}) | {question} | {minutes} | {before} |"
        text = row.sub(lambda _, new=new: new, text)
    return text


def with_table(readme: str) -> str:
    """Return the text of the README with the table as the notebooks' first cells have it."""
    rows = ["| notebook | its question | minutes |", "|:--|:--|--:|"]
    for path, title, question, minutes, _ in first_cells():
        rows.append(f"| [{title}](notebooks/{path.name}) | {question} | {minutes} |")
    return TABLE.sub(lambda _: "\n".join(rows), readme)


def update_outputs(*, check: bool) -> list[str]:
    """Execute and normalise all notebooks; return what differed."""
    failed = normalise.main(["--check"] if check else [])
    return ["notebooks differ from a fresh run, as said above"] if failed else []


def update_pictures(*, check: bool) -> list[str]:
    """Make the README's pictures; return what differed."""
    from tests.notebooks import pictures  # asks for Playwright

    if not check:
        pictures.make_pictures(pictures.PICTURES)
        return []
    with tempfile.TemporaryDirectory() as folder:
        fresh = pictures.make_pictures(Path(folder))
        found = (
            (path.name, pictures.difference(pictures.PICTURES / path.name, path)) for path in fresh
        )
        return [f"{name} {difference}" for name, difference in found if difference]


STEPS: dict[str, Callable[..., list[str]]] = {
    "numbers": update_numbers,
    "types": update_types,
    "bundle": update_bundle,
    "badges": update_badges,
    "addresses": update_addresses,
    "table": update_table,
    "outputs": update_outputs,
    "pictures": update_pictures,
}
"""In this order: the bundle has the types, badges and tables have the new numbers, and outputs, which carry bundles,
are written into notebooks that have badges."""


def main(argv: Sequence[str] | None = None) -> int:
    """Make or check what is asked for, or everything."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "kinds", nargs="*", metavar="KIND", help=f"{', '.join(STEPS)} (default: all)"
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 where something differs"
    )
    parser.add_argument(
        "--release", metavar="VERSION", help="give VERSION its date, then make badges and addresses"
    )
    options = parser.parse_args(argv)
    if options.release:
        try:
            date_release(options.release)
        except ValueError as error:
            parser.error(str(error))
        options.kinds = ["badges", "addresses"]
    if not set(options.kinds) <= set(STEPS):
        parser.error(
            f"there is no {', '.join(sorted({*options.kinds} - {*STEPS}))}; a kind is one of {', '.join(STEPS)}"
        )
    differs = False
    chosen = [kind for kind in STEPS if kind in options.kinds or not options.kinds]
    for kind in chosen:
        found = STEPS[kind](check=options.check)
        differs = differs or bool(found)
        state = "differs" if options.check else "written anew"
        print(
            f"{kind}: {state if found else 'as it should be' if options.check else 'done'}",
            *found,
            sep="\n  ",
        )
    if differs and options.check:
        print("\nTo make it anew: python -m tests.generate")
    return int(differs and options.check)


if __name__ == "__main__":
    sys.exit(main())
