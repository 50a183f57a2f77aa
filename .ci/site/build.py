"""Build the website: the notebooks as pages whose players play, and a reference from the docstrings.

    python .ci/site/build.py OUT [--pyodide FOLDER]        needs: pip install -e . -r .ci/site/requirements.txt

Nothing here is written a second time: lessons, glossary, misconceptions and the page for lecturers come from
`notebooks/`, what works where and how fast from `tests/`, the reference from the docstrings. JupyterLite, to which the
pages link, is built by itself and goes into OUT/lite. The start page has a box for a visitor's own function, with
Python (Pyodide) in it: from its public address or, for a test, from a folder.
"""

from __future__ import annotations

import argparse
import functools
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import function_box
import nbformat
import numpy as np
import ziamath
from fontTools.ttLib import TTFont

import autodiff_lab as ad

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
sys.path.append(str(ROOT))

from tests.addresses import offline_address, project, releases  # noqa: E402

REPOSITORY = project()["urls"]["Repository"]
HOME = project()["urls"]["Homepage"]

TO_LOOK_UP = {
    "glossary": "Glossary",
    "misconceptions": "Misconceptions",
    "reference": "Reference",
    "installing": "Installing",
    "where_it_works": "What works where",
    "how_fast": "How fast it is",
    "for_lecturers": "For lecturers",
    "versions": "Versions",
}

REFERENCE = {
    "Derivatives": """grad value_and_grad vjp jvp elementwise_grad jacobian jacrev jacfwd hessian hvp linearize vmap
        record""",
    "Rules and checks": """custom_gradient stop_gradient no_recording checkpoint check_grads trace_nonfinite policy
        AutodiffError BranchChanged CheckError DetachedWarning""",
    "Looking at a run": "play Player watch play_defaults lecture_style draw table Table Trace Tape Variable Dual",
    "Programs": "program Program formula Formula Symbol",
    "Training": "Optimizer GradientDescent Momentum Adam load_iris",
    "Plots": "plot_tangent plot_descent plot_jacobian plot_hessian plot_matrix Plot style_plots",
}
"""The public names, by what they are for."""


class Lesson(NamedTuple):
    """What the start page and the contents say of a lesson."""

    page: str
    title: str
    question: str

    @property
    def short(self) -> str:
        """The title without what follows its colon."""
        return self.title.partition(":")[0]


def f(x1, x2):
    a = np.log(x1)
    b = x1 * x2
    s = a + b
    c = np.sin(x2)
    return s - c


def write_sources(folder: Path, pyodide: Path | None) -> None:
    """Write all that Sphinx reads into a folder; the box has Python from `pyodide`, if that is given."""
    shutil.copytree(ROOT / "notebooks", folder, ignore=shutil.ignore_patterns(".*", "*.jsonl"))
    shutil.copy(HERE / "conf.py", folder)
    for name in ("_static", "_templates"):
        shutil.copytree(HERE / name, folder / name)
    lecturers = folder / "for_lecturers.md"  # lectures are for a lecture hall, and no pages
    text = lecturers.read_text(encoding="utf-8")
    lecturers.write_text(
        text.replace("](lectures)", f"]({REPOSITORY}/tree/main/notebooks/lectures)"),
        encoding="utf-8",
    )
    font = TTFont(Path(ziamath.__file__).parent / "fonts" / "STIXTwoMath-Regular.ttf")
    font.flavor = "woff2"
    font.save(folder / "_static" / "math.woff2")
    shutil.copy(ROOT / "notebooks" / "pictures" / "player.png", folder / "_static")
    box = function_box.write(folder / "_static" / "box", pyodide)
    start = functools.partial(start_page, box)
    for name, page in {
        "index": start,
        "reference": reference,
        "where_it_works": where_it_works,
        "versions": versions,
    }.items():
        (folder / f"{name}.md").write_text("\n".join(page()), encoding="utf-8")
    shutil.copy(ROOT / "tests" / "benchmarks" / "README.md", folder / "how_fast.md")


def lessons() -> Iterator[tuple[str, list[Lesson]]]:
    """Go through the parts of the course, as the map in the first notebook has them, each with its lessons."""
    numbered = {
        path.name[:2]: path for path in sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
    }
    first, *_ = numbered.values()
    course = next(
        cell.source for cell in nbformat.read(first, as_version=4).cells if cell.id == "course-map"
    )
    parts: dict[str, list[str]] = {}
    for part, number in re.findall(r"^\| (?:\*\*([^*]+)\*\*|\[(\d\d) · )", course, re.MULTILINE):
        if part:
            parts[part] = [] if parts else [first.name[:2]]
        else:
            parts[list(parts)[-1]].append(number)
    for part, numbers in parts.items():
        paths = [numbered[number] for number in numbers]
        firsts = [nbformat.read(path, as_version=4).cells[0].source for path in paths]
        found = [re.match(r"# (.*)\n\n\*\*(.*)\*\*\n", first).groups() for first in firsts]
        yield part, [Lesson(path.stem, *said) for path, said in zip(paths, found, strict=True)]


def start_page(box: str) -> Iterator[str]:
    """Write the start page: what this is, one large player that plays, a box for one's own, and where to go."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    about = re.match(r"# [^\n]*\n\n(.+?\.) ", readme, re.DOTALL)[1].replace("\n", " ")
    with tempfile.TemporaryDirectory() as folder:
        page = (
            ad.play(f, 2.0, 5.0).save_html(Path(folder) / "player.html").read_text(encoding="utf-8")
        )
    player = re.search(r"<main>\n(.*)\n</main>", page, re.DOTALL)[1]
    parts = list(lessons())
    yield from ("---", "html_theme.sidebar_secondary.remove: true", "---", "")
    yield from (
        "# Automatic differentiation you can watch",
        "",
        "```{container} about",
        about,
        "```",
        "",
    )
    yield from ("````{raw} html", f'<div class="box-first">{player}</div>', box, "````", "")
    yield from (
        "```{container} launch",
        '<a class="live" href="00_start_here.html">Read the first lesson</a>',
    )
    yield from (
        '<a href="lite/lab/index.html?path=00_start_here.ipynb">Open it as a notebook</a>',
        "```",
        "",
    )
    yield "````{container} parts"
    for part, there in parts:
        yield from ("```{container} part", f"**{part}**", "")
        yield from (
            f"- [{lesson.short}]({lesson.page}.ipynb)<br>{lesson.question}" for lesson in there
        )
        yield from ("```", "")
    yield from ("````", "")
    contents = {part: {lesson.page: lesson.short for lesson in there} for part, there in parts}
    for caption, pages in (contents | {"To look things up": TO_LOOK_UP}).items():
        yield from ("```{toctree}", f":caption: {caption}", ":hidden:", "")
        yield from (*(f"{title} <{page}>" for page, title in pages.items()), "```", "")


def reference() -> Iterator[str]:
    """Write the reference: the public names, grouped by what they are for."""
    yield from (
        "# Reference",
        "",
        "Everything is a name of `autodiff_lab`: `import autodiff_lab as ad`.",
        "",
    )
    for title, names in REFERENCE.items():
        yield from (
            f"## {title}",
            "",
            "```{eval-rst}",
            ".. currentmodule:: autodiff_lab",
            ".. autosummary::",
        )
        yield from (
            "   :toctree: reference",
            "   :nosignatures:",
            "",
            *(f"   {name}" for name in names.split()),
            "```",
            "",
        )
    listed = " ".join(REFERENCE.values()).split()
    if sorted(listed) != sorted(ad.__all__):
        sys.exit(
            f"the reference and autodiff_lab.__all__ differ in {set(listed) ^ set(ad.__all__)}"
        )


def where_it_works() -> Iterator[str]:
    """Write what works where, from the page that links each row with its test."""
    text = (ROOT / "tests" / "README.md").read_text(encoding="utf-8")
    table = re.search(r"^## What works where\n\n(.+?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)[
        1
    ]
    table = table.replace("Each link leads to the test that holds it, in", "Each has a test, in")
    yield from ("# What works where", "", re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", table))


def versions() -> Iterator[str]:
    """Write which versions of these pages there are: the newest, and one of each release."""
    found = releases()
    newest = ad.__version__
    state = "" if newest in dict(found) else ", which is not released yet"
    yield from (
        "# Versions",
        "",
        f"The pages at [{HOME.removeprefix('https://')}]({HOME}) document the newest version of the "
        f"repository: {newest}{state}. Each page names its version at its end.",
        "",
    )
    if not found:
        yield "From the first release on, each release keeps its own pages here."
        return
    yield from ("Each release keeps its own pages, with its own browser lab:", "")
    for version, date in found:
        pages = f"[{version}]({HOME}v{version}/)"
        offline = f"[all of it as one zip]({offline_address(version)})"
        yield f"- {pages}, released on {date}: {offline}, to be used without a network"


def main() -> None:
    """Build the site into a folder, and stop at every warning."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--pyodide", type=Path, metavar="FOLDER", help="take Python from here, not from its address"
    )
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        write_sources(source, arguments.pyodide)
        options = ["-W", "--keep-going", "-q", "-b", "html", "-d", str(Path(folder) / "doctrees")]
        done = subprocess.run([sys.executable, "-m", "sphinx", *options, str(source), str(out)])
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
