"""The lecturers' page: its evenings take the time they say, and every place and command that it names is there."""

import re

import pytest

from autodiff_lab.classroom.lecture.kit import list_lectures
from autodiff_lab.cli.main import build_parser

from .reading import ROOT, numbered, read

PAGE = (ROOT / "notebooks" / "for_lecturers.md").read_text(encoding="utf-8")
PLACE = r"\[(\d\d), section (\d+)\]\(([^)#]+)#cell-id=([\w-]+)\)"
ROW = re.compile(rf"^\| (.*?) ?\| (\d+) \| {PLACE} \| (.+?) \| (.*?) ?\|$", re.MULTILINE)
ROWS = ROW.findall(PAGE)


def test_each_of_four_evenings_takes_ninety_minutes():
    minutes = []
    for evening, length, *_ in ROWS:
        if evening:
            minutes.append(0)
        minutes[-1] += int(length)
    assert minutes == [90, 90, 90, 90]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[5])
def test_a_place_is_where_it_says(row):
    _, _, lesson, section, file, cell_id, *_ = row
    assert numbered(lesson).name == file
    where, sections = "", {}
    for cell in read(numbered(lesson)).cells:
        if cell.cell_type == "markdown":
            for heading in re.findall(r"^## (\d+) · ", cell.source, re.MULTILINE):
                where = heading
        sections[cell.id] = where
    assert sections.get(cell_id) == section, f"cell {cell_id} is in section {sections.get(cell_id)}"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[5])
def test_a_question_has_its_wrong_answer_and_the_right_one(row):
    *_, question, said = row
    assert question == "What was new to you?" or re.search(r"\S → \S", said), question


def test_the_commands_and_lectures_it_names_exist():
    (commands,) = (
        action for action in build_parser()._actions if action.choices and "check" in action.choices
    )
    assert set(re.findall(r"`autodiff-lab (\w+)", PAGE)) <= set(commands.choices)
    assert set(re.findall(r"\b\d+_minutes", PAGE)) == set(list_lectures())
