"""The lecturers' page: its plans take the time they say, and every place that they name is there."""

import re

import pytest

from autodiff_lab.cli.main import build_parser

from .reading import ROOT, named, read

PAGE = (ROOT / "notebooks" / "for_lecturers.md").read_text(encoding="utf-8")
PLANS = {
    heading: section
    for heading, section in re.findall(r"^##+ ([^\n]*)\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    if "| min |" in section
}
PLACE = r"\[(\d\d), section (\d+)\]\(([^)#]+)#cell-id=([\w-]+)\)"
ROWS = re.findall(rf"^\| (\d+) \| {PLACE} \| (.*) \|$", PAGE, re.MULTILINE)


def test_there_are_three_plans():
    names = [heading.partition(":")[0] for heading in re.findall(r"^## (.*)$", PAGE, re.MULTILINE)]
    assert names[-3:] == ["40 minutes", "90 minutes", "3 × 90 minutes"]
    assert [heading.partition(":")[0] for heading in PLANS] == ["40 minutes", "90 minutes", "First", "Second", "Third"]


@pytest.mark.parametrize("heading", PLANS)
def test_a_plan_takes_the_time_it_says(heading):
    minutes = [int(number) for number in re.findall(r"^\| (\d+) \|", PLANS[heading], re.MULTILINE)]
    assert sum(minutes) == (40 if heading.startswith("40") else 90)
    assert len(minutes) == len(re.findall(r"^\| [^m:]", PLANS[heading], re.MULTILINE)), "a row without its minutes"


def test_every_row_of_a_plan_is_read_by_these_tests():
    assert len(ROWS) == sum(len(re.findall(r"^\| \d+ \|", plan, re.MULTILINE)) for plan in PLANS.values()) >= 30


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[1]}-{row[2]}-{row[4]}")
def test_a_row_leads_where_it_says(row):
    _, number, section, file, cell_id, told = row
    assert named(number).name == file
    where, sections, exercises = "", {}, set()
    for cell in read(named(number)).cells:
        if cell.cell_type == "markdown":
            for heading in re.findall(r"^## (\d+) · ", cell.source, re.MULTILINE):
                where = heading
            exercises |= set(re.findall(r"^### Exercise (\d\d\.\d+\w?) ", cell.source, re.MULTILINE))
        sections[cell.id] = where
    assert sections.get(cell_id) == section, f"cell {cell_id} is in section {sections.get(cell_id)}"
    for other, *named_sections in re.findall(r"(?:(\d\d), )?sections? (\d+)(?: to (\d+))?", told):
        assert other or set(named_sections) - {""} <= set(sections.values()), f"{file} has no {named_sections}"
    here = set(re.findall(r"\d\d\.\d+\w?", " ".join(re.findall(r"exercises? [\d., and\w]+", told))))
    assert here <= exercises, f"{here - exercises} are not in {file}"


def test_the_commands_it_names_exist():
    (commands,) = (action for action in build_parser()._actions if action.choices and "check" in action.choices)
    assert set(re.findall(r"`autodiff-lab (\w+)", PAGE)) <= set(commands.choices)


def test_the_forty_minutes_go_through_the_course_from_the_first_notebook_to_its_end():
    (plan,) = (plan for heading, plan in PLANS.items() if heading.startswith("40"))
    stops = [number for _, number, *_ in re.findall(rf"^\| (\d+) \| {PLACE}", plan, re.MULTILINE)]
    assert stops[0] == stops[-1] == "00", "it begins and ends where a reader begins"
    assert stops[:-1] == sorted(set(stops)) and len(stops) == 8
