"""TransposeBench: the linear lines are the engine's tangents, their transposes its gradient."""

import re

import numpy as np
import pytest

from autodiff_lab import grad, linearize
from autodiff_lab.widgets.labs import TransposeBench
from autodiff_lab.widgets.labs.transpose_bench.lab import (
    HEIGHT,
    PROGRAMS,
    ROW,
    TOP,
    linearize_program,
)

POINTS = ((2.0, 5.0), (0.5, 6.0), (4.0, 0.5))
every_program = pytest.mark.parametrize("program", PROGRAMS)


def whole(program, x1=2.0, x2=5.0):
    lab = TransposeBench()
    lab.set(program=program, x1=x1, x2=x2)
    while lab.can("next"):
        lab.press("next")
    return lab


@every_program
@pytest.mark.parametrize("point", POINTS)
def test_at_the_end_stands_the_gradient(program, point):
    snap = whole(program, *point).snapshot()
    expected = grad(PROGRAMS[program], (0, 1))(*point)
    assert snap["gradient"] == pytest.approx(expected, rel=1e-12)
    assert snap["engine"] == pytest.approx(expected, rel=1e-12)


@every_program
@pytest.mark.parametrize("point", POINTS)
def test_the_linear_lines_are_the_engines_linear_map(program, point):
    found = linearize_program(program, *point)
    _, push = linearize(PROGRAMS[program], *point)
    for direction in np.eye(2):
        moving = dict(zip(found.inputs, direction, strict=True))
        for line in found.lines:
            moving[line.name] = sum(factor * moving[name] for factor, name in line.terms)
        assert moving[found.lines[-1].name] == pytest.approx(push(*direction))


def test_a_line_with_two_tangents_becomes_two_lines():
    lab = TransposeBench()
    for _ in range(5 + 4):
        lab.press("next")
    assert lab.snapshot()["linear"][1] == "v̇₂ = 5 · ẋ1 + 2 · ẋ2"
    assert lab.snapshot()["transposed"][-2:] == ["x̄1 += 5 · v̄₂", "x̄2 += 2 · v̄₂"]
    assert "has 2 terms and becomes x̄1 += 5 · v̄₂ and x̄2 += 2 · v̄₂" in lab.sentence()


def test_an_input_that_is_used_three_times_gets_three_lines():
    snap = whole("x1 · x1 + x2 · sin x1").snapshot()
    assert sum(line.startswith("x̄1 +=") for line in snap["transposed"]) == 3


def test_step_by_step():
    lab = TransposeBench()
    assert lab.snapshot()["linear"] == [] and "v̇₁" in lab.sentence()
    lab.press("next")
    assert lab.snapshot()["linear"] == ["v̇₁ = 0.5 · ẋ1"] and lab.snapshot()["transposed"] == []
    for _ in range(4):
        lab.press("next")
    assert "transpose it" in lab.sentence() and lab.snapshot()["gradient"] is None
    lab.set(x1=4.0)
    assert lab.snapshot()["linear"][0] == "v̇₁ = 0.25 · ẋ1", "another point keeps the lines"
    lab.press("back")
    assert len(lab.snapshot()["linear"]) == 4
    lab.set(program="(x1 + x2) · sin x1")
    assert lab.done == 0


@every_program
def test_all_lines_have_room(program):
    lines = linearize_program(program, 2.0, 5.0).lines
    rows = sum(len(line.transposed) for line in lines)
    assert TOP + 8 + ROW * rows < HEIGHT + ROW


def test_no_text_is_smaller_than_twelve():
    sizes = re.findall(r'font-size="([\d.]+)"', whole("ln x1 + x1 · x2 − sin x2").picture())
    assert sizes and min(map(float, sizes)) >= 12
