"""The map of the course in notebook 00 says what the notebooks themselves say."""

import re

import pytest

from .reading import NOTEBOOKS, named, read

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


@pytest.mark.parametrize("path, minutes", [("The lecture, 40 minutes", 40), ("The engineer's hour", 60)])
def test_a_path_takes_as_long_as_it_says(path, minutes):
    way = next(line for line in MAP.splitlines() if path in line)
    assert sum(map(int, re.findall(r"\((\d+)\)", way))) == minutes
