"""TagInspector: the coefficients of every line on both machines, and the place where two marks become one."""

import json
from pathlib import Path

import pytest

from autodiff_lab import grad, jvp
from autodiff_lab.lessons.examples.tagged_machines import Run, Untagged
from autodiff_lab.widgets.labs import TagInspector
from autodiff_lab.widgets.labs.tag_inspector.lab import PROGRAMS

CASES = {
    case["name"]: case
    for case in json.loads(
        (Path(__file__).parents[2] / "data" / "reference_cases.json").read_text()
    )["nested_cases"]
}
SUM, PRODUCT, SQUARE, MIXED, INDEPENDENT, _, SECOND, BOXED = PROGRAMS


def whole(program, **values):
    lab = TagInspector()
    lab.set(program=program, **values)
    while lab.can("next"):
        lab.press("next")
    return lab


@pytest.mark.parametrize(
    ("program", "case"),
    [(SUM, "nested_sum_closure"), (PRODUCT, "nested_prod_closure"), (SQUARE, "nested_prod_square")],
)
def test_the_numbers_of_the_reference_cases(program, case):
    assert whole(program).snapshot()["result"] == CASES[case]["untagged_wrong"]
    assert whole(program, tags=True).snapshot()["result"] == CASES[case]["value"]


def test_untagged_2_5_16_and_tagged_1_8_24():
    first = (SUM, PRODUCT, SQUARE)
    assert [whole(program).snapshot()["result"] for program in first] == [2.0, 5.0, 16.0]
    assert [whole(program, tags=True).snapshot()["result"] for program in first] == [1.0, 8.0, 24.0]


@pytest.mark.parametrize(
    "derivative",
    [lambda f, x: grad(f)(x), lambda f, x: jvp(f, (x,), (1.0,))[1]],
    ids=["grad", "jvp"],
)
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("point", [(1.0, 1.0), (2.5, 4.0), (6.0, 1.5)])
def test_with_tags_it_is_the_slope(program, point, derivative):
    x, y = point
    assert whole(program, tags=True, x=x, y=y).snapshot()["result"] == PROGRAMS[program].program(
        derivative, x, y
    )


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("point", [(1.0, 1.0), (2.5, 4.0), (6.0, 1.5)])
def test_without_tags_it_is_what_a_machine_without_tags_gives(program, point):
    """A second machine of three lines, without a watcher."""

    def derivative(f, x):
        result = f(Untagged(x, 1.0))
        return result.tangent if isinstance(result, Untagged) else 0.0

    x, y = point
    assert whole(program, x=x, y=y).snapshot()["result"] == PROGRAMS[program].program(
        derivative, x, y
    )


def test_every_dual_with_its_coefficients():
    lab = whole(PRODUCT, tags=True)
    assert dict(zip(lab.snapshot()["lines"], lab.snapshot()["numbers"], strict=True)) == {
        "x": (4.0, 1.0, 0.0, 0.0),
        "y": (1.0, 0.0, 1.0, 0.0),
        "x · y": (4.0, 1.0, 4.0, 1.0),
        "d/dy(x · y)": (4.0, 1.0, 0.0, 0.0),
        "x · d/dy(x · y)": (16.0, 8.0, 0.0, 0.0),
        "d/dx(x · d/dy(x · y))": (8.0, 0.0, 0.0, 0.0),
    }


def test_the_mixed_partial_stands_before_both():
    numbers = whole(MIXED, tags=True).snapshot()["numbers"]
    assert numbers[5] == (72.0, 48.0, 108.0, 72.0)
    assert whole(MIXED).snapshot()["result"] == 0.0


def test_the_merging_step_and_no_other_is_framed():
    merged = {program: whole(program).snapshot()["merged"] for program in PROGRAMS}
    assert merged == {SUM: [2], PRODUCT: [2], SQUARE: [2, 3], MIXED: [3, 4, 5], BOXED: [2]} | {
        program: [] for program in PROGRAMS if program not in (SUM, PRODUCT, SQUARE, MIXED, BOXED)
    }
    assert "merged: 1 + 4 = 5" in whole(PRODUCT).picture()
    assert "merged" not in whole(PRODUCT, tags=True).picture()
    assert whole(PRODUCT, tags=True).snapshot()["merged"] == []


def test_it_opens_one_press_before_two_marks_meet():
    lab = TagInspector()
    assert lab.snapshot()["lines"] == ["x", "y"] and lab.snapshot()["merged"] == []
    assert "x · d/dy(x + y)" in lab.picture(), "the lines that have not run can be read"
    lab.press("next")
    assert lab.snapshot()["merged"] == [2] and "merged: 1 + 1 = 2" in lab.picture()
    lab.set(tags=True)
    assert lab.snapshot()["lines"] == ["x", "y", "x + y"], "the tags leave the lines where they are"
    assert "the slope is 1" in TagInspector().still().picture()
    assert "the slope" not in whole(SUM, tags=True).picture() and "the slope" not in lab.picture()


def test_where_nothing_meets_nothing_goes_wrong():
    for program in (INDEPENDENT, SECOND):
        lab = whole(program)
        assert lab.snapshot()["result"] == lab.snapshot()["slope"]
        assert "no two marks ever met" in lab.sentence()
    assert whole(INDEPENDENT).snapshot()["result"] == 0.0


def test_the_sentence_names_both_shares():
    lab = TagInspector()
    lab.set(program=PRODUCT)
    for _ in range(3):
        lab.press("next")
    assert (
        "1 comes from the left operand, 4 from the right one, and 5 no longer says"
        in lab.sentence()
    )


def test_another_program_brings_its_points_and_begins_again():
    lab = whole(SUM)
    lab.set(program=SQUARE)
    assert lab.snapshot()["point"] == (3.0, 2.0) and lab.snapshot()["lines"] == []


def test_at_most_as_many_lines_as_there_is_room_for():
    assert (
        max(len(Run(nested.program, nested.x, nested.y).lines) for nested in PROGRAMS.values()) <= 8
    )


def test_the_same_right_number_may_be_an_accident():
    """x · d/dy(x · y) at x = 1: the slope is 2, and the merged number happens to be 2 as well."""
    lab = whole(PRODUCT, x=1.0, y=1.0)
    assert lab.snapshot()["result"] == lab.snapshot()["slope"] == 2.0
    assert "a coincidence" in lab.sentence()
