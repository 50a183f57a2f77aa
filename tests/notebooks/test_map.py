"""The map of the course in the notebook `start_here` agrees with the notebooks."""

import re

import pytest

from .reading import NOTEBOOKS, ROOT, named, numbered, read

MAP = next(cell.source for cell in read(named("start_here")).cells if cell.id == "course-map")
ROWS = {
    number: (file, question, minutes)
    for number, file, question, minutes in re.findall(
        r"^\| \[(\d\d) · [^\]]*\]\(([^)]+)\) \| ([^|]+) \| ([^|]+) \|", MAP, re.MULTILINE
    )
}


def test_every_notebook_is_on_the_map():
    assert sorted(ROWS) == [path.name[:2] for path in NOTEBOOKS if not path.name.startswith("00")]


@pytest.mark.parametrize("number", ROWS)
def test_a_row_says_what_the_notebook_says(number):
    file, question, minutes = ROWS[number]
    assert numbered(number).name == file
    first = read(numbered(number)).cells[0].source
    assert f"**{question}**" in first
    long, short = minutes.split(" / ")
    assert f"{long} minutes with the exercises, {short} minutes without" in first


def test_the_engineers_hour_takes_an_hour():
    """It is on the lecturers' page, with the other plans, and all its stops are existing notebooks."""
    page = (ROOT / "notebooks" / "for_lecturers.md").read_text(encoding="utf-8")
    (hour,) = re.findall(r"^## Alone, in an hour\n(.*?)^## ", page, re.MULTILINE | re.DOTALL)
    assert sum(map(int, re.findall(r"\((\d+)(?: minutes)?\)", hour))) == 60
    stops = re.findall(r"\[(\d\d)\]\(([^)#]+)\)", hour)
    assert len(stops) == 5 and all(numbered(number).name == file for number, file in stops)


def test_plans_are_for_those_who_teach():
    """The first notebook has one reader, who learns; it says where the plans of a lecture are."""
    assert "](for_lecturers.md)" in MAP
    assert not re.search(r"\(\d+\)", MAP), "minutes of a plan"


def test_the_notebooks_are_in_four_parts():
    parts = re.findall(r"^\| (?:\*\*([^*]+)\*\*|\[(\d\d) · )", MAP, re.MULTILINE)
    assert [name for name, _ in parts if name] == [
        "The machine",
        "The systems",
        "Using it",
        "Going far",
    ]
    assert parts[0][0], "the first row names a part"
    assert [number for _, number in parts if number] == sorted(ROWS)
