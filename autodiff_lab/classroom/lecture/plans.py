"""Lecture plans, in plain Markdown: what to ask, where to show it, the usual wrong answer, and the right one.

The plans stand beside the notebooks, in ``plans/``. A slide, a row of the table for lecturers and a part of the
speaker's page are made from each stop::

    ## Which input moves the result more at (2, 5)?

    5 minutes · [00, section 2](../00_start_here.ipynb#cell-id=first-play)

    **Show** the first player, forward only, then slowly back.

    **Many say** `x2`, since 5 is larger.

    **Answer** It is `x1`: 5.5 against 1.7163.
"""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import nbformat

from autodiff_lab.jupyter.notebooks import TutorialError, installed_notebooks

_PLACE = re.compile(r"^(\d+) minutes? · \[(\d\d), section (\d+)\]\(([^)#]+)#cell-id=([\w-]+)\)$", re.MULTILINE)
_PART = re.compile(r"^\*\*(Show|Many say|Answer)\*\* (.+?)(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)


class LectureError(TutorialError):
    """A lecture plan, or a notebook for it, cannot be found or read; the message says why and what to do."""


@dataclass(frozen=True)
class Stop:
    """A stop of a lecture plan: one question, one slide.

    Attributes
    ----------
    question : str
        What the room is asked before anything is shown.
    minutes : int
    lesson, section : str
        The numbers of the notebook and of its section.
    notebook : Path
    cell_id : str
        The cell that is shown: its output is on the slide.
    show, many_say, answer : str
        What to do there; the usual wrong answer; the right one. Markdown, perhaps empty.
    """

    question: str
    minutes: int
    lesson: str
    section: str
    notebook: Path
    cell_id: str
    show: str = ""
    many_say: str = ""
    answer: str = ""

    @property
    def cell(self) -> Any:
        """The notebook cell that this stop of the lecture plan shows, as it was saved.

        Raises
        ------
        LectureError
            If the notebook has no such cell.
        """
        for cell in _cells_of(self.notebook):
            if cell.id == self.cell_id:
                return cell
        raise LectureError(f"{self.notebook.name} has no cell {self.cell_id}; see “{self.question}”")


@dataclass(frozen=True)
class Plan:
    """A lecture plan: its title, introduction, stops and end.

    Attributes
    ----------
    name : str
        As the command is given it: ``"40"``.
    title, introduction, end : str
        Markdown; `end` is what remains to be said after the last stop, perhaps nothing.
    stops : tuple of Stop
    """

    name: str
    title: str
    introduction: str
    stops: tuple[Stop, ...]
    end: str = ""

    @property
    def minutes(self) -> int:
        """How many minutes the lecture plan takes."""
        return sum(stop.minutes for stop in self.stops)

    @property
    def plain_title(self) -> str:
        """The title of the lecture plan without Markdown's signs."""
        return re.sub(r"[*`]", "", self.title)

    def timed_stops(self) -> Iterator[tuple[int, Stop]]:
        """Yield the stops of the lecture plan, each with the minute in which it begins."""
        return zip(accumulate((stop.minutes for stop in self.stops), initial=0), self.stops, strict=False)


def read_cells(notebook: Path) -> list[Any]:
    """Read the cells of a notebook that a lecture plan names, or that a lecture is made from.

    Raises
    ------
    LectureError
        If it is none.
    """
    try:
        return nbformat.read(notebook, as_version=4).cells
    except (OSError, ValueError, AttributeError, nbformat.ValidationError) as problem:
        raise LectureError(f"{notebook} cannot be read as a notebook ({problem})") from problem


_cells_of = functools.lru_cache(maxsize=32)(read_cells)


def list_plans() -> dict[str, Path]:
    """List the lecture plans that come with the tutorial, by the names that `autodiff-lab lecture --plan` takes.

    >>> list(list_plans())[:2]
    ['40', '90']
    """
    paths = sorted((installed_notebooks() / "plans").glob("*.md"))
    return {path.stem.removesuffix("_minutes"): path for path in paths}


def find_plan(name: str) -> Plan:
    """Find and read a lecture plan: by its name, or a Markdown file of one's own.

    Raises
    ------
    LectureError
        If there is none, or it cannot be read; the message says what a plan looks like.
    """
    known = list_plans()
    if name in known:
        return read_plan(known[name])
    path = Path(name)
    if path.suffix == ".md" and path.is_file():
        return read_plan(path)
    raise LectureError(
        f"there is no plan {name}. There are {', '.join(known)}; or name a file of your own: --plan my.md"
    )


def read_plan(path: Path) -> Plan:
    """Read a lecture plan from its file; the notebooks that it names are beside it, or the installed ones."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise LectureError(f"{path} cannot be read ({problem})") from problem
    head, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
    title = re.match(r"# (.+)\n", head)
    if not title or not parts:
        raise LectureError(f"{path} is no plan: it begins with “# its title”, and each stop with “## a question”")
    last, _, end = parts[-1].partition("\n---\n")
    stops = tuple(_read_stop(part, path) for part in (*parts[:-1], last))
    name = path.stem.removesuffix("_minutes")
    return Plan(name, title[1].strip(), head[title.end() :].strip(), stops, end.strip())


def _read_stop(part: str, path: Path) -> Stop:
    question, _, rest = part.partition("\n")
    place = _PLACE.search(rest)
    if not place:
        raise LectureError(
            f"{path}: “{question}” does not say how long and where. Write a line such as\n"
            "5 minutes · [00, section 2](../00_start_here.ipynb#cell-id=first-play)"
        )
    minutes, lesson, section, file, cell_id = place.groups()
    notebook = path.parent / file
    if not notebook.is_file():
        notebook = installed_notebooks() / Path(file).name
    if not notebook.is_file():
        raise LectureError(f"{path}: there is no notebook {file}; see “{question}”")
    said = {key.lower().replace(" ", "_"): " ".join(text.split()) for key, text in _PART.findall(rest)}
    return Stop(question.strip(), int(minutes), lesson, section, notebook.resolve(), cell_id, **said)
