"""The exercises of notebook 04 about order: which cell waits for which; the same operand twice; calls of backward."""

from __future__ import annotations

from typing import Any

from autodiff_lab.lessons.checks import Crashed, Exercise, Refused, TookTooLong, describe, plain
from autodiff_lab.lessons.lesson_04.sandbox import AGAIN, DOUBLINGS, GOOD, expected_orders, order_programs
from autodiff_lab.lessons.lesson_04.variants import thrice, used_twice

# 6. valid orders

VALID = ("ybca", "ycba")
WRONG, MISSING, YOURS = "wrong orders in your list", "valid orders that are missing", "your orders"


def read_orders(answer: Any) -> Any:
    """How many of these orders are valid, however they are written."""
    found = plain(sorted(answer) if isinstance(answer, set) else answer)
    if isinstance(found, tuple):
        found = tuple("".join(map(str, order)) if isinstance(order, tuple) else order for order in found)
    if not isinstance(found, tuple) or not all(isinstance(order, str) for order in found):
        return Refused(f"You gave {describe(answer)}.")
    given = sorted({"".join(char for char in order.lower() if char.isalpha()) for order in found} - {""})
    odd = next((order for order in given if sorted(order) != sorted(VALID[0])), None)
    if odd is not None:
        return Refused(f"An order has each of y, b, c and a once, and {describe(odd)} does not.")
    wrong = len(set(given) - set(VALID))
    return {WRONG: wrong, MISSING: len(set(VALID) - set(given)), YOURS: tuple(given)}


ex_04_6 = Exercise(
    expects="a list of orders, each a text such as 'a b c y'",
    expected={WRONG: 0, MISSING: 0, YOURS: VALID},
    observe=read_orders,
    reference='answer = ["y b c a", "y c b a"]',
    misconceptions={
        ("y b c a",): "That one is valid, and it is one that a tape could give. Is it the only one? Which cells wait "
        "for each other, and which do not?",
        ("y c b a",): "That one is valid: it is the tape, read backwards. There is another. Which cells do not wait "
        "for each other?",
        ("y b c a", "y c b a", "y b a c", "y c a b"): "You let every cell wait for one consumer. a has two, and waits "
        "for both.",
        ("a b c y", "a c b y"): "These are the orders in which the program may run. The sweep goes the other way.",
        'answer = ["y b c a", "y c b a", "y b a c"]': (
            {WRONG: 1, MISSING: 0},
            "Both valid orders are there, and one that is not: in it a cell sends before all its consumers have.",
        ),
        "import itertools\nanswer = [' '.join(order) for order in itertools.permutations('ybca')]": (
            {WRONG: 22},
            "These are all 24. A common belief: any order will do, for sums may be taken in any order. Sums may; but "
            "a cell has to have its sum before it sends. Try some of them in the lab.",
        ),
    },
    hints=(
        "Which cell can be first? Only one that waits for no other.",
        "a went into b and into c, so it waits for both.",
        "y first, a last. What is left to choose?",
    ),
    praise="y comes first and a last. b and c do not use each other, so either may come before the other.",
)

# 7. a topological order


def _order(
    seen: str = "        if cell in seen:\n            return\n        seen.add(cell)\n",
    visits: str = "        for operand, _ in cell.links:\n            visit(operand)\n        order.append(cell)\n",
    end: str = "order",
) -> str:
    return f"""\
def topological_order(result):
    order, seen = [], set()

    def visit(cell):
{seen}{visits}
    visit(result)
    return {end}"""


FIRST, _, _, _, BESIDE, *_, MANY = expected_orders()
BREADTH_FIRST = """\
def topological_order(result):
    found = [result]
    for cell in found:
        found += [operand for operand in dict(cell.links) if operand not in found]
    return found[::-1]"""
ENTERED_LATE = """\
        for operand, _ in cell.links:
            visit(operand)
        if cell not in order:
            order.append(cell)
"""

ex_04_7 = Exercise(
    expects="a function topological_order(result) that returns a list of cells",
    expected=expected_orders(),
    observe=order_programs,
    reference=_order(),
    misconceptions={
        _order(seen=""): (
            {FIRST: "a cell is there twice"},
            "A cell that is used twice is visited twice, and once more for everything behind it. Keep a set "
            "of the cells that you have visited.",
        ),
        _order(
            visits="        order.append(cell)\n        for operand, _ in cell.links:\n            visit(operand)\n"
        ): (
            {FIRST: "a cell before its operands"},
            "You enter a cell before its operands. Visit the operands first; when they are all there, enter the cell.",
        ),
        _order(seen="", visits=ENTERED_LATE): (
            {FIRST: GOOD, MANY: Crashed(TookTooLong.__name__)},
            f"On small programs the order is right. For x doubled {DOUBLINGS} times you never get there: your "
            "function goes along every path. Turn away a cell that was seen before, before you visit its operands "
            "once more.",
        ),
        _order(end="list(reversed(tape))").replace("visit(result)", "visit"): (
            {FIRST: "backwards, every cell before its operands"},
            "That is the tape read backwards, the order of the sweep. I ask for the order of the program, made from "
            "the links alone.",
        ),
        BREADTH_FIRST: (
            {FIRST: GOOD, MANY: GOOD, BESIDE: "a cell before its operands"},
            "Level by level is not enough: in c + log(c) the sum meets c and log(c) together, and c has to come "
            "first. A cell may be entered when all of its operands are.",
        ),
        _order().replace("(result):", "(result, seen=set()):").replace("order, seen = [], set()", "order = []"): (
            {FIRST: AGAIN},
            "The first call is right. Python makes a default, such as seen=set(), once, when it reads the def, and "
            "the next call finds in it what this one has left. Make a new one inside.",
        ),
        "def topological_order(result):\n    return list(tape)": (
            {FIRST: GOOD, "x + y, and x * y for nothing": "a cell is there that the result does not need"},
            "The tape is in a good order, but it holds everything that was ever made. I ask for the cells that the "
            "result needs, found along the links.",
        ),
        _order(end="visit(result)"): (
            {FIRST: "no list of cells, but None"},
            "visit gives nothing back. Return the list that it has filled.",
        ),
    },
    hints=(
        "A cell may be entered when all of its operands are. So visit these first.",
        "Write a function visit(cell) inside: if the cell was seen, return; else note it, visit every operand, and "
        "then append the cell to the list.",
        "seen is a set, order a list: seen.add(cell) comes before the operands, order.append(cell) after them.",
    ),
    praise="An engine with a graph does this before each sweep. On a tape the cells are in such an order already.",
)

# 8. one operation, the same operand twice

ex_04_8 = Exercise(
    expects="three numbers, the slopes of x − x, of x / x and of x · x",
    make=used_twice,
    draws={"x": (2.0, 3.0, 4.0, 5.0, 8.0)},
    hints=(
        "x − x is 0 wherever x is. So what is its slope? And what is x / x?",
        "Each operation has two places, and x stands in both: two contributions, which are added.",
        "1 − 1, then 1/x − x/x², then x + x.",
    ),
    praise="The partial depends on the operand's place in the operation, even if the same cell stands in both places.",
)

# 9. three times backward

ex_04_9 = Exercise(
    expects="three numbers, what a.grad holds after one call, after two and after three",
    make=thrice,
    draws={
        "program": ("a + b + c", "a + b + c + b", "a * b + c", "a * c + b", "(a + b) * c", "(a + b) * c + b"),
    },
    hints=(
        "Only the result is set to 1 anew. What does the cell between a and the result hold after the second call?",
        "It holds twice what it should, and sends all of it to a, where something is already.",
        "With one cell between, its adjoint is 1, 2, 3 times the right one, and a gets the first, then the second, "
        "then the third on top.",
    ),
    praise="The cell between keeps its old adjoint and sends it again. Only the first number is the derivative.",
)
