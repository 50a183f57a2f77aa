"""The glossary and the page of what people get wrong lead to the cells that they speak of."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import pytest

from .reading import NOTEBOOKS, PAGES, named, numbered, read, shown
from .test_linter import without_code
from .test_prose import decimals, html_text, is_shown

LINK = re.compile(r"\[(\d\d)(?:, section (\d+))?(?:: [^\]]+)?\]\(([^)#]+)#cell-id=([a-z0-9-]+)\)")
ENTRY = re.compile(r"^\*\*([^*]+)\*\*: (.+?) → (.+)$", flags=re.M)
SAYING = re.compile(
    r"^### (\d+) · “(.+)”\n\n<details>\n<summary>What is true</summary>\n\n(.+?)\n\n</details>\n\nIn the course: (.+)$",
    flags=re.M,
)


class Place(NamedTuple):
    """Where a link says that it leads."""

    number: str
    section: str
    file: str
    cell: str


class Section(NamedTuple):
    """The cells from one numbered heading to the next; before the first there is no number."""

    number: str
    cells: list


def text(name: str) -> str:
    (path,) = (path for path in PAGES if path.stem == name)
    return "\n\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")


def places(links: str) -> list[Place]:
    return [Place(*found) for found in LINK.findall(links)]


TERMS = [(term, said, places(links)) for term, said, links in ENTRY.findall(text("glossary"))]
SAYINGS = [
    (int(k), said, truth, places(links))
    for k, said, truth, links in SAYING.findall(text("misconceptions"))
]
EVERY_PLACE = [pytest.param(found, id=str(entry)) for entry, *_, found in TERMS + SAYINGS]


def sections(number: str) -> Iterator[Section]:
    section = Section("", [])
    for cell in read(numbered(number)).cells:
        headings = (
            re.findall(r"^## (?:(\d+) · )?", cell.source, flags=re.M)
            if cell.cell_type == "markdown"
            else []
        )
        if headings:
            if not cell.source.startswith("## "):
                # the text above the heading still belongs to the section before
                section.cells.append(cell)
            yield section
            section = Section(headings[-1], [])
        section.cells.append(cell)
    yield section


def leads_to(place: Place) -> Section:
    """The section of the link, which has to hold its cell."""
    for section in sections(place.number):
        if section.number == place.section and place.cell in [cell.id for cell in section.cells]:
            return section
    raise AssertionError(
        f"{place.cell} is not in section {place.section or '(none)'} of notebook {place.number}"
    )


def all_of(cell) -> str:
    return f"{cell.source}\n{shown(cell)}"


def test_the_pages_are_found_from_the_first_notebook():
    first = "\n".join(cell.source for cell in read(named("start_here")).cells)
    for page in PAGES:
        assert f"]({page.name})" in first
        assert "](00_start_here.ipynb)" in text(page.stem)


def test_nothing_is_missing():
    assert [k for k, *_ in SAYINGS] == list(range(1, len(SAYINGS) + 1)), (
        "counted through, from group to group"
    )
    assert len(SAYINGS) >= 33 and text("misconceptions").count("### ") == len(SAYINGS)
    assert len(TERMS) == text("glossary").count("\n\n**") > 80
    assert all(found for *_, found in TERMS + SAYINGS)
    both = text("glossary") + text("misconceptions")
    assert both.count("#cell-id=") == sum(len(found) for *_, found in TERMS + SAYINGS)


def test_no_two_links_side_by_side_have_the_same_words():
    for line in (text("glossary") + text("misconceptions")).splitlines():
        words = re.findall(r"\[([^\]]+)\]\([^)]*#cell-id=", line)
        assert len(set(words)) == len(words), line


@pytest.mark.parametrize("found", EVERY_PLACE)
def test_a_link_leads_to_where_it_says(found):
    for place in found:
        assert place.file == numbered(place.number).name
        assert leads_to(place)


def test_the_terms_are_sorted_and_each_letter_has_a_heading():
    terms = [term.casefold() for term, *_ in TERMS]
    assert terms == sorted(set(terms))
    letters = re.findall(r"^## (.)$", text("glossary"), flags=re.M)
    assert letters == sorted({term[0].upper() for term in terms})
    assert re.findall(r"\[(.)\]\(#\1\)", text("glossary")) == letters
    for letter, part in zip(
        letters, re.split(r"^## .$", text("glossary"), flags=re.M)[1:], strict=True
    ):
        assert all(term[0].upper() == letter for term, *_ in ENTRY.findall(part))


@pytest.mark.parametrize("term, said, found", TERMS, ids=[term for term, *_ in TERMS])
def test_a_term_is_used_where_its_link_leads(term, said, found):
    for place in found:
        used = "\n".join(all_of(cell) for cell in leads_to(place).cells)
        assert term.casefold() in used.casefold()


@pytest.mark.parametrize("k, said, truth, found", SAYINGS, ids=[f"saying {k}" for k, *_ in SAYINGS])
def test_a_misconception_is_dissolved_by_something_that_runs(k, said, truth, found):
    """The link leads to a cell with an output, and the numbers on the page are numbers of that notebook's outputs."""
    numbers = set()
    for place in found:
        cells = read(numbered(place.number)).cells
        assert next(shown(cell) for cell in cells if cell.id == place.cell), (
            "nothing to see in this cell"
        )
        numbers |= {
            float(n) for cell in cells for n in decimals(shown(cell) + " " + html_text(cell))
        }
    for number in decimals(f"{said} {truth}"):
        assert is_shown(number, numbers), number


def test_under_each_misconception_stands_a_program_with_its_output_folded():
    (path,) = (path for path in PAGES if path.stem == "misconceptions")
    cells = read(path).cells
    for k, said, *_ in SAYINGS:
        (at,) = (i for i, cell in enumerate(cells) if f"### {k} · “{said}”" in cell.source)
        program = cells[at + 1]
        assert program.cell_type == "code" and program.id == f"program-{k}"
        assert program.metadata["jupyter"]["outputs_hidden"]
        assert shown(program).strip()


def test_the_lessons_of_the_links_are_spread_over_the_course():
    """What people get wrong comes up in every notebook that teaches something new."""
    linked = {place.number for *_, found in TERMS + SAYINGS for place in found}
    assert linked >= {path.name[:2] for path in NOTEBOOKS} - {"00"}


def test_each_notebook_links_to_the_next():
    for here, following in pairwise(NOTEBOOKS):
        title = re.search(r"^# (.+?)(?:: .*)?$", read(following).cells[0].source, flags=re.M)[1]
        (last,) = (cell.source for cell in read(here).cells if cell.id == "next")
        assert re.search(
            rf"\[{re.escape(title)}[^\]]*\]\({re.escape(following.name)}\)", without_code(last)
        ), here.name
