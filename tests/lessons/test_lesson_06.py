"""Notebook 06: what the graph in the notebook can do, and what its first exercise asks of `run`."""

import pytest

from autodiff_lab.lessons.lesson_06 import ex_06_1

from .test_every_exercise import in_the_notebook, submit


@pytest.mark.parametrize(
    ("written", "value", "slope"), [("1 + x", 5, 1), ("1 - x", -3, -1), ("2 * x", 8, 2), ("8 / x", 2, -0.5)]
)
def test_a_plain_number_may_stand_on_the_left(written, value, slope):
    names = in_the_notebook("06", f"x = Variable(4.0)\ny = {written}\nvalues = run([y], {{}})\nbackward([y])")
    assert names["values"] == [value] and names["x"].grad == slope


def test_run_gives_a_value_for_each_target():
    returned = "return [node.value for node in targets]"
    assert returned in ex_06_1.reference
    for instead in ("return targets[0].value", "return [node.value]"):
        reply = submit("06", ex_06_1, ex_06_1.reference.replace(returned, instead))
        assert not reply.passed and "two targets" in reply.text
