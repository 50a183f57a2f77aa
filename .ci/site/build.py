"""Build the website: the notebooks as pages whose players play, and a reference from the docstrings.

    python .ci/site/build.py OUT [--pyodide FOLDER]        needs: pip install -e . -r .ci/site/requirements.txt

No text is written twice: lessons, glossary, misconceptions and the page for lecturers come from `notebooks/`, what
works where and how fast from `tests/`, and the reference from the docstrings. JupyterLite, to which the pages link, is
built separately (`.ci/lite/build.py`) and goes into OUT/lite. On the start page a visitor can run a function of their
own; the Python for it (Pyodide) comes from its public address or, in a test, from a folder.
"""

from __future__ import annotations

import argparse
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
"""The public names, grouped by purpose."""


class Lesson(NamedTuple):
    """A lesson, as the start page and the table of contents list it."""

    page: str
    title: str
    question: str

    @property
    def short(self) -> str:
        """The title up to its colon."""
        return self.title.partition(":")[0]


def f(x1, x2):
    a = np.log(x1)
    b = x1 * x2
    s = a + b
    c = np.sin(x2)
    return s - c


def write_sources(folder: Path, pyodide: Path | None) -> None:
    """Write the sources of the site into a folder; the box's Python comes from `pyodide`, if that is given."""
    shutil.copytree(ROOT / "notebooks", folder, ignore=shutil.ignore_patterns(".*", "*.jsonl"))
    shutil.copy(HERE / "conf.py", folder)
    for name in ("_static", "_templates"):
        shutil.copytree(HERE / name, folder / name)
    # The site has no pages for lectures, which are slides.
    lecturers = folder / "for_lecturers.md"
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
    pages = {
        "index": start_page(box),
        "reference": reference(),
        "where_it_works": where_it_works(),
        "versions": versions(),
    }
    for name, lines in pages.items():
        (folder / f"{name}.md").write_text("\n".join(lines), encoding="utf-8")
    shutil.copy(ROOT / "tests" / "benchmarks" / "README.md", folder / "how_fast.md")


def lessons() -> Iterator[tuple[str, list[Lesson]]]:
    """Yield the parts of the course, each with its lessons, as the map in the first notebook lists them."""
    paths = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
    numbered = {path.name[:2]: path for path in paths}
    first = paths[0]
    cells = nbformat.read(first, as_version=4).cells
    course_map = next(cell.source for cell in cells if cell.id == "course-map")
    rows = re.findall(r"^\| (?:\*\*([^*]+)\*\*|\[(\d\d) · )", course_map, re.MULTILINE)
    parts: dict[str, list[str]] = {}
    part = ""
    for heading, number in rows:
        if heading:
            part = heading
            # the map, which is in the first notebook, doesn't list that one
            parts[part] = [] if parts else [first.name[:2]]
        else:
            parts[part].append(number)
    for part, numbers in parts.items():
        yield part, [read_lesson(numbered[number]) for number in numbers]


def read_lesson(path: Path) -> Lesson:
    """Read a lesson's title and question from the first cell of its notebook."""
    source = nbformat.read(path, as_version=4).cells[0].source
    title, question = re.match(r"# (.*)\n\n\*\*(.*)\*\*\n", source).groups()
    return Lesson(path.stem, title, question)


def start_page(box: str) -> Iterator[str]:
    """Write the start page: an introduction, a large player, the box for a visitor's function, and the lessons."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    about = re.match(r"# [^\n]*\n\n(.+?\.) ", readme, re.DOTALL)[1].replace("\n", " ")
    with tempfile.TemporaryDirectory() as folder:
        saved = ad.play(f, 2.0, 5.0).save_html(Path(folder) / "player.html")
        page = saved.read_text(encoding="utf-8")
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
        '<a href="lite/lab/index.html?path=00_start_here.ipynb">Open it as a notebook</a>',
        "```",
        "",
    )
    yield "````{container} parts"
    for part, listed in parts:
        yield from ("```{container} part", f"**{part}**", "")
        for lesson in listed:
            yield f"- [{lesson.short}]({lesson.page}.ipynb)<br>{lesson.question}"
        yield from ("```", "")
    yield from ("````", "")
    contents = {part: {lesson.page: lesson.short for lesson in listed} for part, listed in parts}
    contents["To look things up"] = TO_LOOK_UP
    for caption, pages in contents.items():
        yield from ("```{toctree}", f":caption: {caption}", ":hidden:", "")
        for page, title in pages.items():
            yield f"{title} <{page}>"
        yield from ("```", "")


def reference() -> Iterator[str]:
    """Write the reference: the public names, grouped by purpose."""
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
            "   :toctree: reference",
            "   :nosignatures:",
            "",
            *(f"   {name}" for name in names.split()),
            "```",
            "",
        )
    listed = " ".join(REFERENCE.values()).split()
    if sorted(listed) != sorted(ad.__all__):
        difference = set(listed) ^ set(ad.__all__)
        sys.exit(
            f"the reference and autodiff_lab.__all__ differ in {difference}: correct REFERENCE in {__file__}"
        )


def where_it_works() -> Iterator[str]:
    """Write what works where, from tests/README.md, without its links to the tests."""
    text = (ROOT / "tests" / "README.md").read_text(encoding="utf-8")
    section = re.compile(r"^## What works where\n\n(.+?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
    linked = section.search(text)[1]
    about_links = "Each claim links to the test that checks it, in"
    if about_links not in linked:
        sys.exit(f"tests/README.md no longer has {about_links!r}: correct {__file__}")
    linked = linked.replace(about_links, "Each claim has a test that checks it, in")
    yield from ("# What works where", "", re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", linked))


def versions() -> Iterator[str]:
    """Write the list of the site's versions: the newest, and one for each release."""
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
        "--pyodide",
        type=Path,
        metavar="FOLDER",
        help="take Python from this folder, not the network",
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
