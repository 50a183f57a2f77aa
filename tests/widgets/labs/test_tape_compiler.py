"""TapeCompiler: the lines that each pass removes, that nothing else changes, and a guard that fires."""

import re

import numpy as np
import pytest

from autodiff_lab import program, value_and_grad
from autodiff_lab.widgets.labs import TapeCompiler
from autodiff_lab.widgets.labs.tape_compiler.lab import EXAMPLES, TOGGLES, course

COURSE, TWICE, UNUSED, WHILE = EXAMPLES
SETTINGS = [{"dead": bool(k & 1), "ones": bool(k & 2), "shared": bool(k & 4)} for k in range(8)]


def at(name, **controls):
    lab = TapeCompiler()
    lab.set(program=name)
    lab.set(**controls)
    return lab


def test_ten_recorded_lines_become_cos_neg_add_reciprocal_add():
    snap = at(COURSE).snapshot()
    assert snap["recorded"] == (5, 10) and snap["operations"] == (5, 5)
    back = snap["source"].splitlines()[6:8]
    assert [line.strip() for line in back] == ["y_bar = -math.cos(y) + x", "x_bar = y + 1 / x"]
    left = [line["recorded"] for line in snap["tape"] if line["backward"] and not line["removed"]]
    assert left == ["cos(y)", "v4_bar * t1", "t2 + t4", "1 / x", "t3 + t6"]
    assert snap["answer"] == (11.652071455223084, (5.5, 1.7163378145367738))
    assert snap["answer"] == snap["engine"]


def test_what_is_shown_is_the_program_of_the_package():
    assert at(COURSE).snapshot()["source"] == program(course, 2.0, 5.0, argnums=(0, 1)).source


@pytest.mark.parametrize("name", list(EXAMPLES))
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_no_pass_changes_the_answer(name, setting):
    lab = at(name, **setting)
    value, slopes = value_and_grad(EXAMPLES[name].f, argnums=(0, 1))(lab.x, EXAMPLES[name].y)
    snap = lab.snapshot()
    found, found_slopes = snap["answer"]
    np.testing.assert_allclose([found, *found_slopes], [value, *slopes], rtol=1e-14)
    assert "as the engine finds" in lab.sentence()
    for toggle, on in setting.items():
        assert on or snap["removed"][toggle] == 0


@pytest.mark.parametrize(
    ("name", "toggle"), [(COURSE, "ones"), (TWICE, "shared"), (UNUSED, "dead"), (UNUSED, "ones")]
)
def test_each_pass_has_a_program_that_shows_it(name, toggle):
    off = dict.fromkeys(TOGGLES, False)
    without = at(name, **off).snapshot()
    alone = at(name, **{**off, toggle: True}).snapshot()
    assert not any(without["removed"].values())
    assert alone["removed"][toggle] > 0
    assert sum(alone["operations"]) < sum(without["operations"])


def test_the_guard_fires_when_the_loop_ends_earlier():
    lab = at(WHILE)
    assert lab.snapshot()["answer"] == (11.390625, (45.5625, 11.390625))
    lab.set(x=1.6)
    snap = lab.snapshot()
    assert snap["guard"] == "v4 < 10 was True, and is False" and snap["answer"] is None
    assert "record again" in lab.sentence()
    lab.press("record")
    snap = lab.snapshot()
    value, slopes = snap["answer"]
    np.testing.assert_allclose([value, *slopes], [10.48576, 32.768, 10.48576], rtol=1e-14)
    assert not lab.can("record")


def test_no_guard_where_nothing_was_compared():
    for name in (COURSE, TWICE, UNUSED):
        for x in np.linspace(0.5, 3.0, 26):
            assert at(name, x=x).snapshot()["guard"] == ""


def test_a_loop_without_end_is_not_recorded():
    lab = at(WHILE, x=0.8)
    assert "never end" in lab.sentence() and not lab.can("record")
    assert lab.snapshot()["engine"] is None


def test_long_programs_are_cut_and_counted():
    lab = at(WHILE, x=1.2)
    lab.press("record")
    assert "more lines" in lab.picture()
    assert "more lines" not in at(COURSE).picture()


def test_no_line_moves_when_a_pass_is_switched():
    """And the first switch is that of the pass that takes something from the tape of the beginning."""
    lab = TapeCompiler()
    assert lab.controls[0].name == "ones" and lab.snapshot()["removed"]["ones"] == 5
    lines = re.findall(r"y=\"([\d.]+)\"[^>]*><tspan [^>]*>\w+ += ", lab.picture())
    lab.set(ones=False)
    assert len(lines) == 15
    assert lines == re.findall(r"y=\"([\d.]+)\"[^>]*><tspan [^>]*>\w+ += ", lab.picture())
