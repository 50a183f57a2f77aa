"""`dag_or_tape`: other good answers pass too, near misses do not, and the text's numbers are those of its code."""

import pytest

from autodiff_lab.lessons import dag_or_tape as check
from autodiff_lab.lessons.dag_or_tape.exercises import count_over_tape

from ..notebooks.reading import named, read
from .test_every_exercise import in_the_notebook, submit

COUNTED = """
def topological_order(result):
    waits, found = {}, [result]
    for cell in found:
        for operand, _ in cell.links:
            waits[operand] = waits.get(operand, 0) + 1
            if waits[operand] == 1:
                found.append(operand)
    order = [result]
    for cell in order:
        for operand, _ in cell.links:
            waits[operand] -= 1
            if not waits[operand]:
                order.append(operand)
    return order[::-1]
"""


@pytest.mark.parametrize(
    "written",
    [COUNTED, COUNTED.replace("return order[::-1]", "return tuple(order[::-1])")],
    ids=["list", "tuple"],
)
def test_another_topological_order_passes(written):
    reply = submit("dag_or_tape", check.ex_1, written)
    assert reply.passed, reply


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (COUNTED.replace("order[::-1]", "order"), "That is the tape read backwards"),
        (COUNTED.replace("order[::-1]", "order[:0:-1]"), "a cell is missing"),
        (COUNTED.replace("waits[operand] == 1", "True"), "goes along every path"),
    ],
)
def test_a_near_miss_is_told_from_it(written, said):
    reply = submit("dag_or_tape", check.ex_1, written)
    assert reply.status == "not yet" and said in " ".join(reply.text.split()), reply


def test_the_tape_is_given_back():
    names = in_the_notebook(
        "dag_or_tape", f"{check.ex_1.reference}\nmine = tape\nmine.append('mine')"
    )
    assert check.ex_1(*(names[each] for each in check.ex_1.takes)).passed
    assert names["tape"] is names["mine"] and names["tape"][-1] == "mine"


@pytest.mark.parametrize("x", [2.0, 3.0, 8.0])
def test_what_the_count_leaves_is_what_the_notebooks_code_leaves(x):
    names = in_the_notebook("dag_or_tape", "")
    (program,) = (
        cell.source for cell in read(named("dag_or_tape")).cells if cell.id == "dag-or-tape-run"
    )
    exec(program.partition("\nprint(")[0].replace("Cell(2)", f"Cell({x})"), names)
    taken, at_x = count_over_tape(x).expected
    adjoint = names["sweep_by_counting"](names["f"], names["tape"])
    assert adjoint[names["x"]] == pytest.approx(at_x)
    # The product waits, so neither it nor the square has sent: f and the sine are the two that have.
    _, log_x, _, for_nothing, _, _ = names["tape"]
    assert [adjoint[cell] for cell in (log_x, for_nothing)] == [0.0, 0.0] and taken == 2


def test_the_answers_of_the_curriculum():
    assert check.ex_3.expected == (0.0, 0.0, 6.0)
    assert check.ex_4.expected == (1.0, 3.0, 6.0)
