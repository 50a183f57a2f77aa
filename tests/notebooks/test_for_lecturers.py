"""The lecturers' page and its plans: they take the time they say, and every place that they name is there."""

import re

import pytest

from autodiff_lab.classroom.lecture.plans import find_plan, list_plans
from autodiff_lab.cli.main import build_parser

from .reading import ROOT, numbered, read

PAGE = (ROOT / "notebooks" / "for_lecturers.md").read_text(encoding="utf-8")
PLANS = {name: find_plan(name) for name in list_plans()}
STOPS = [(name, stop) for name, plan in PLANS.items() for stop in plan.stops]


def test_there_are_three_plans():
    names = [heading.partition(":")[0] for heading in re.findall(r"^## (.*)$", PAGE, re.MULTILINE)]
    assert names[-3:] == ["40 minutes", "90 minutes", "4 × 90 minutes"]
    titles = re.findall(r"^##+ (.*)$", PAGE, re.MULTILINE)
    assert set(PLANS) == {"40", "90", "first_evening", "second_evening", "third_evening", "fourth_evening"}
    assert all(plan.title in titles for plan in PLANS.values())


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_takes_the_time_it_says(name):
    assert PLANS[name].minutes == (40 if name == "40" else 90)
    assert all(stop.minutes >= 1 for stop in PLANS[name].stops)


def test_the_page_has_a_row_for_each_stop():
    rows = re.findall(r"^\| (\d+) \| \[(\d\d), section (\d+)\]", PAGE, re.MULTILINE)
    told = {(str(stop.minutes), stop.lesson, stop.section) for _, stop in STOPS}
    assert len(rows) == len(STOPS) >= 30 and set(rows) == told


@pytest.mark.parametrize("name, stop", STOPS, ids=lambda part: getattr(part, "cell_id", part))
def test_a_stop_leads_where_it_says(name, stop):
    assert numbered(stop.lesson).name == stop.notebook.name
    where, sections, exercises = "", {}, set()
    for cell in read(numbered(stop.lesson)).cells:
        if cell.cell_type == "markdown":
            for heading in re.findall(r"^## (\d+) · ", cell.source, re.MULTILINE):
                where = heading
            exercises |= set(re.findall(r"^### Exercise (\d+\w?) ", cell.source, re.MULTILINE))
        sections[cell.id] = where
    assert sections.get(stop.cell_id) == stop.section, f"cell {stop.cell_id} is in section {sections.get(stop.cell_id)}"
    told = f"{stop.show} {stop.answer}"
    for other, *named_sections in re.findall(r"(?:(\d\d), )?sections? (\d+)(?: to (\d+))?", told):
        assert other or set(named_sections) - {""} <= set(sections.values()), f"{stop.notebook} has no {named_sections}"
    here = set(re.findall(r"\d+\w?", " ".join(re.findall(r"exercises? ([\d., and\w]+)", told))))
    assert here <= exercises, f"{here - exercises} are not in {stop.notebook}"


def test_the_labs_that_plans_name_are_in_those_notebooks():
    for _, stop in STOPS:
        for lab in re.findall(r"\b[A-Z][a-z]+[A-Z]\w+", stop.show):
            assert f"{lab}()" in "".join(cell.source for cell in read(numbered(stop.lesson)).cells), (
                f"{lab}, {stop.question}"
            )


def test_the_commands_it_names_exist():
    (commands,) = (action for action in build_parser()._actions if action.choices and "check" in action.choices)
    assert set(re.findall(r"`autodiff-lab (\w+)", PAGE)) <= set(commands.choices)


def test_the_forty_minutes_begin_in_the_first_notebook():
    lessons = [stop.lesson for stop in PLANS["40"].stops]
    assert lessons[0] == "00" and lessons[:-2] == sorted(lessons[:-2])
