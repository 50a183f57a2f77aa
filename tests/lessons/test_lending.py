"""Lending: a notebook continues with the learner's code if it passes, and with a correct answer otherwise."""

import ast
import contextlib
import io
import math
import re

import matplotlib.pyplot as plt
import pytest

from autodiff_lab.lessons.checks.exercise import Exercise

from ..about import about
from ..notebooks.reading import named, names, read, shown, tags
from .test_class_answers import HANDED_IN, LESSONS

LENT = {
    number: [
        name
        for name in found
        if f"check.{name}.lend(" in "".join(c.source for c in read(named(number)).cells)
    ]
    for number, found in LESSONS.items()
}
# Cells that show how an answer is written: another program, another formula, or another number of nodes.
WRITTEN_BY_THE_LEARNER = {"compile-run", "loss-slopes", "capstone-program"}
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")

ADD_ONE = "def add(x, by=STEP):\n    return x + by"


def exercise():
    return Exercise(
        "ex_97_1",
        takes=("add",),
        expects="a function",
        expected={"of 3": 4.0},
        observe=lambda add: {"of 3": float(add(3))},
        reference=ADD_ONE.replace("STEP", "1"),
        praise="Yes.",
    )


def test_what_passes_is_used_as_it_is():
    def mine(x):
        return 1 + x

    assert exercise().lend(mine) is mine


@pytest.mark.parametrize("broken", [..., lambda x: x, lambda x: ..., None, 3, lambda: 1 / 0])
def test_what_does_not_pass_is_replaced_and_said_so(broken, capsys):
    lent = exercise().lend(broken)
    assert lent(3) == 4
    assert capsys.readouterr().out == "add: lent by the check, until yours pass\n"


def test_lending_is_no_attempt():
    one = exercise()
    one.lend(...)
    assert one.attempts == 0 and not one.passed


def test_what_is_lent_lives_among_the_learners_names():
    names = {"STEP": 5}
    exec("def add(x):\n    ...", names)
    one = exercise()
    one.reference = "def add(x):\n    return x + STEP"
    assert one.lend(names["add"])(1) == 6
    names["STEP"] = 7
    assert one.lend(names["add"])(1) == 8


def needed_cells(number):
    """The code cells of a notebook that use what it lends, those that these need, and all whose output is compared."""
    cells = [cell for cell in read(named(number)).cells if cell.cell_type == "code"]
    lent = {name for exercise in LENT[number] for name in LESSONS[number][exercise].takes}
    before = -1
    while len(lent) != before:  # also a class that stands above the exercise and calls what is lent
        before = len(lent)
        for bound, used in map(names, cells):
            lent |= bound if used & lent else set()
    needed, kept = set(), []
    for cell in reversed(cells):
        bound, used = names(cell)
        if used & lent or bound & needed or "nbval-ignore-output" not in tags(cell):
            needed |= used
            kept.insert(0, cell)
    return kept


def run_cell(source, scope):
    """Run a cell as a notebook does, and return what it prints and what its last line is, as text."""
    tree = ast.parse(re.sub(r"^[%!].*", "", source, flags=re.M))
    last = (
        ast.Expression(tree.body.pop().value)
        if tree.body and isinstance(tree.body[-1], ast.Expr)
        else None
    )
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "<cell>", "exec"), scope)
        value = eval(compile(last, "<cell>", "eval"), scope) if last else None
    plt.close("all")
    return f"{printed.getvalue()}{'' if value is None else repr(value)}"


def say_the_same(one, other):
    """Whether two texts differ in the last digits of their numbers at most."""
    if NUMBER.sub("#", one).split() != NUMBER.sub("#", other).split():
        return False
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=1e-6, abs_tol=1e-9) for a, b in pairs)


@pytest.mark.parametrize("number", [number for number, lent in LENT.items() if lent])
def test_the_notebook_goes_on_with_every_right_answer(number, monkeypatch):
    """What passes a check works in the cells that use it later, and they say what they say with the reference."""
    monkeypatch.chdir(named(number).parent)
    cells = needed_cells(number)
    for k in range(max(len(HANDED_IN[number][name]["right"]) for name in LENT[number])):
        right = {name: HANDED_IN[number][name]["right"] for name in LENT[number]}
        with about(f"the right answers {k}"):
            go_on_with(cells, {name: answers[k % len(answers)] for name, answers in right.items()})


def go_on_with(cells, answers):
    """Run these cells with a learner's answers, and compare what they say from the first exercise on."""
    scope = {"__name__": "__main__", "display": lambda *shown: None}
    said_by_reference = False
    for cell in cells:
        asked = next((name for name in answers if f"check.{name}(" in cell.source), None)
        source = f"{cell.source}\n{answers[asked]}" if asked else cell.source
        with about(f"cell {cell.id}:\n{source}"):
            said = run_cell(source, scope)
            assert "lent by the check" not in said
            if said_by_reference and cell.id not in WRITTEN_BY_THE_LEARNER and is_compared(cell):
                assert say_the_same(said, shown(cell)), f"{said}\n\ninstead of\n\n{shown(cell)}"
        said_by_reference = said_by_reference or asked is not None


def is_compared(cell):
    return not {"exercise", "nbval-ignore-output"} & set(tags(cell)) and ".lend(" not in cell.source
