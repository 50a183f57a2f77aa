"""The map of the course in notebook 00 says what the notebooks themselves say."""

import re

import pytest
from reading import NOTEBOOKS, named, read

MAP = next(cell.source for cell in read(named("00")).cells if cell.id == "course-map")
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
    assert named(number).name == file
    first = read(named(number)).cells[0].source
    assert f"**{question}**" in first
    long, short = minutes.split(" / ")
    assert f"{long} minutes with the exercises, {short} minutes without" in first


def test_the_lecture_takes_forty_minutes():
    lecture = next(line for line in MAP.splitlines() if "The lecture, 40 minutes" in line)
    assert sum(map(int, re.findall(r"\((\d+)\)", lecture))) == 40
