"""The notebooks as the tests read them: cells, their text, and copies with answers filled in."""

from __future__ import annotations

import dis
import functools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType
from typing import Any

import nbformat

from autodiff_lab.classroom.course import fill_answers  # noqa: F401 — what the tests read with, they answer with
from autodiff_lab.lessons.checks import course
from autodiff_lab.lessons.checks.exercise import Exercise
from autodiff_lab.lessons.order import SLUGS, file_name

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
"""The lessons, each with a number and a question."""
PAGES = sorted(set((ROOT / "notebooks").glob("*.ipynb")) - set(NOTEBOOKS))
"""What one looks things up in, all text: the glossary, and what people get wrong."""


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def named(slug: str) -> Path:
    """The notebook with this slug: ``named("tape")``."""
    return ROOT / "notebooks" / file_name(slug)


def numbered(number: str) -> Path:
    """The notebook with this number, as the words of a link have it: ``numbered("03")``."""
    return named(SLUGS[int(number)])


def tags(cell: Any) -> list[str]:
    return cell.metadata.get("tags", [])


def lessons() -> Iterator[tuple[str, dict[str, Exercise]]]:
    """Every lesson by its slug, with its exercises in the order in which they are written."""
    for lesson in course.lessons():
        yield lesson.slug, lesson.exercises()


def exercises() -> list[tuple[str, Exercise]]:
    return [(slug, exercise) for slug, found in lessons() for exercise in found.values()]


@functools.cache
def listing(slug: str) -> str:
    """The code that a notebook's exercises depend on: its cells tagged ``listing``, in order."""
    cells = read(named(slug)).cells
    return "\n\n".join(cell.source for cell in cells if "listing" in tags(cell))


def shown(cell: Any) -> str:
    """All that a cell shows as text."""
    parts = []
    for output in cell.get("outputs", []):
        parts.append(output.get("text", "") or output.get("data", {}).get("text/plain", ""))
    return "\n".join(parts)


def without_still_pictures(cells: Sequence[Any]) -> list[Any]:
    """Leave out what looks the same whatever a learner answers, as the notebooks' own test runs it.

    That is a cell whose output is not compared and in which no name comes from an exercise, not even by way of another
    cell; and no later cell needs what it binds.
    """
    theirs: set[str] = set()
    of_a_learner: list[bool] = []
    for cell in cells:
        bound, used = names(cell)
        of_a_learner.append("exercise" in tags(cell) or bool(used & theirs))
        theirs = theirs | bound if of_a_learner[-1] else theirs - bound
    needed: set[str] = set()
    kept: list[Any] = []
    for cell, his in zip(reversed(cells), reversed(of_a_learner), strict=True):
        bound, used = names(cell)
        if his or "nbval-ignore-output" not in tags(cell) or bound & needed:
            needed = (needed - bound) | used
            kept.insert(0, cell)
    return kept


def names(cell: Any) -> tuple[set[str], set[str]]:
    """The notebook's names that a cell binds, and those that it uses as it finds them."""
    bound: set[str] = set()
    used: set[str] = set()
    source = re.sub(r"^[%!].*", "", cell.source, flags=re.M) if cell.cell_type == "code" else ""
    codes = [compile(source, cell.id, "exec")]
    for code in codes:
        for step in dis.get_instructions(code):
            if step.opname in ("STORE_NAME", "STORE_GLOBAL"):
                bound.add(step.argval)
            elif step.opname in ("LOAD_NAME", "LOAD_GLOBAL") and step.argval not in bound:
                used.add(step.argval)
        codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return bound, used
