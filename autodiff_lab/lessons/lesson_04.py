"""Exercises of notebook 04, the adjoint flow."""

from __future__ import annotations

from typing import Any

from autodiff_lab.lessons.comparing import Refused, describe, plain
from autodiff_lab.lessons.course import lesson
from autodiff_lab.lessons.exercise import Exercise, Misconception
from autodiff_lab.lessons.flow_bench import (
    DOUBLINGS,
    GOOD,
    expected_orders,
    expected_slopes,
    ordered,
    swept,
)
from autodiff_lab.lessons.flow_instances import annotated, by_hand, calls_and_cells, over_which, thrice, used_twice
from autodiff_lab.lessons.running import Crashed, TookTooLong

progress, seed = lesson("04", "The adjoint flow: fan-out, order, DAG vs tape")

# 1. paths and cells

ex_04_1 = Exercise(
    "ex_04_1",
    expects="a pair of whole numbers, (calls, cells)",
    make=calls_and_cells,
    draws={"k": (9, 10, 11, 12, 13, 14)},
    hints=(
        "The output above has both counts for the first few k. How does each go on?",
        "The calls are 3, 7, 15, 31: one less than a power of two. The cells are 2, 3, 4, 5.",
        "2 ** (k + 1) - 1 calls, and k + 1 cells.",
    ),
    praise="One count doubles where the other grows by one. Factoring a sum is all that lies between them.",
)

# 2. one graph, annotated twice

ex_04_2 = Exercise(
    "ex_04_2",
    expects="two lists, of three numbers and of four, ([dc/db, dd/db, de/db], [de/dc, de/dd, de/db, de/da])",
    make=annotated,
    draws={"a": (2.0, 3.0, 4.0, 5.0), "b": (1.0, 2.0, 3.0)},
    hints=(
        "From b: c grows as fast as b, and so does d. Then e = c · d, in which both grow.",
        "From e: the slope of c · d in c is the value of d. From c go on to a and to b, from d to b.",
        "b is reached in two ways in both lists. Multiply along each way, and add the two products.",
    ),
    praise="de/db is in both lists. The first walk says nothing about a; the second has found every input at once.",
)

# 3. the sweep over consumers


def _sweep(
    term: str = "adjoint[consumer] * partial",
    seed: str = "1.0 if cell is result else ",
    order: str = "reversed(cells)",
    total: str = "sum({})",
    end: str = "adjoint",
) -> str:
    added = total.format(f"{term} for consumer, partial in consumers[cell]")
    return f"""\
def adjoints_from(result, cells):
    consumers = {{cell: [] for cell in cells}}
    for cell in cells:
        for operand, partial in cell.links:
            consumers[operand].append((cell, partial))
    adjoint = {{}}
    for cell in {order}:
        adjoint[cell] = {seed}{added}
    return {end}"""


SENT = """\
def adjoints_from(result, cells):
    adjoint = dict.fromkeys(cells, 0.0)
    adjoint[result] = 1.0
    for cell in reversed(cells):
        for operand, partial in cell.links:
            adjoint[operand] {} adjoint[cell] * partial
    return adjoint"""
OLAH, *_, TWICE = expected_slopes()

ex_04_3 = Exercise(
    "ex_04_3",
    takes=("adjoints_from",),
    expects="a function adjoints_from(result, cells) that returns a dictionary, the adjoint of each cell",
    expected=expected_slopes(),
    observe=swept,
    cases="These are the adjoints of the inputs.",
    reference=_sweep(),
    misconceptions=(
        Misconception(
            _sweep(order="cells"),
            {OLAH: Crashed("KeyError")},
            "You ask for the adjoint of a cell that has none yet. If you collect from consumers, walk from the last "
            "cell to the first, for they were made later. If you send to operands, begin with 0.0 for every cell.",
        ),
        Misconception(
            _sweep(total="[{}][-1] if consumers[cell] else 0.0"),
            {OLAH: (2.0, 3.0)},
            "Of several consumers you keep what one of them sends. All of it arrives, so all of it is added.",
        ),
        Misconception(
            SENT.format("="),
            {OLAH: (2.0, 2.0)},
            "You send, which is a good way too, but = throws away what another consumer has sent before. Write +=.",
        ),
        Misconception(
            _sweep(total="sum({}) / max(1, len(consumers[cell]))"),
            {OLAH: (2.0, 2.5)},
            "You share the sum out among the consumers. Nothing is divided: each of them uses the whole value.",
        ),
        Misconception(
            _sweep(seed=""),
            {OLAH: (0.0, 0.0)},
            "Nothing has come through to the inputs. Does the result, which has no consumers, begin with 1? And do you "
            "walk from the last cell to the first?",
        ),
        Misconception(
            _sweep(term="partial"),
            {OLAH: (1.0, 2.0)},
            "You add the partials of the links alone. A consumer passes on how much the result depends on *it*: "
            "multiply by its adjoint.",
        ),
        Misconception(
            _sweep().replace(
                "        for operand, partial in cell.links", "        for operand, partial in dict(cell.links).items()"
            ),
            {OLAH: (2.0, 5.0), TWICE: (16.0,)},
            "It fails where a cell goes into one operation twice: these are two links, and you keep one of them. Let "
            "the consumers' list hold both.",
        ),
        Misconception(
            _sweep(end="adjoint[cells[0]]"),
            {OLAH: 2.0},
            "You return one number. Return the whole dictionary: the check looks up the inputs itself.",
        ),
    ),
    hints=(
        "First turn the links round: go through all cells, and enter each of them in the lists of its operands.",
        "consumers = {cell: [] for cell in cells}, and then consumers[operand].append((cell, partial)) for every link.",
        "Then for cell in reversed(cells): 1.0 for the result, and for any other cell the sum of "
        "adjoint[consumer] * partial over its list.",
    ),
    praise="No path was followed, and all are in it: each cell adds up once, for every path that leads through.",
)

# 4. seven adjoints

ex_04_4 = Exercise(
    "ex_04_4",
    expects="seven numbers, (v4, v3, v2, v0, v0, v-1, v-1), in the order in which they change",
    make=by_hand,
    draws={"x1": (1.0, 2.0, 4.0, 5.0), "x2": (2.0, 3.0, 4.0, 5.0)},
    tolerance=5e-4,
    hints=(
        "v5 = v3 − v4 speaks first. What does it send to v4, and what to v3?",
        "v4 = sin v0 sends its adjoint times cos x2. Then the sum passes on what it has.",
        "v2 = v-1 · v0 sends x1 to v0, which is added to what the sine has sent, and x2 to v-1. The logarithm sends "
        "1/x1 to v-1.",
    ),
    praise="Two inputs, two additions: there is a sum wherever a value was used twice, and nowhere else.",
)

# 5. which sum

ex_04_5 = Exercise(
    "ex_04_5",
    expects="a pair of numbers, (the sum over all five operations, the sum over the consumers of x1)",
    make=over_which,
    draws={"x1": (1.0, 2.0, 4.0, 5.0), "x2": (2.0, 3.0, 4.0, 5.0)},
    hints=(
        "You need ∂f/∂v for each operation, which the sweep has, and dv/dx1 for each, which slopes_of gives.",
        "adjoint = adjoints_from(v5, tape); slope = slopes_of(tape, v_1); then sum(adjoint[v] * slope[v] for v in …).",
        "The five operations are tape[2:]. The consumers of v_1 are v1 and v2, with the partials on their links.",
    ),
    praise="The consumers say it all. Whoever comes after them has heard of x1 from them, and is in their adjoints.",
)

# 6. valid orders

VALID = ("ybca", "ycba")
WRONG, MISSING, YOURS = "wrong orders in your list", "valid orders that are missing", "your orders"


def orders(answer: Any) -> Any:
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
    "ex_04_6",
    expects="a list of orders, each a text such as 'a b c y'",
    expected={WRONG: 0, MISSING: 0, YOURS: VALID},
    observe=orders,
    reference='answer = ["y b c a", "y c b a"]',
    misconceptions=(
        Misconception(
            'answer = ["y b c a"]',
            {YOURS: ("ybca",)},
            "That one is valid, and it is one that a tape could give. Is it the only one? Which cells wait for each "
            "other, and which do not?",
        ),
        Misconception(
            'answer = ["y c b a"]',
            {YOURS: ("ycba",)},
            "That one is valid: it is the tape, read backwards. There is another. Which cells do not wait for each "
            "other?",
        ),
        Misconception(
            'answer = ["y b c a", "y c b a", "y b a c", "y c a b"]',
            {YOURS: ("ybac", "ybca", "ycab", "ycba")},
            "You let every cell wait for one consumer. a has two, and waits for both.",
        ),
        Misconception(
            'answer = ["a b c y", "a c b y"]',
            {YOURS: ("abcy", "acby")},
            "These are the orders in which the program may run. The sweep goes the other way.",
        ),
        Misconception(
            'answer = ["y b c a", "y c b a", "y b a c"]',
            {WRONG: 1, MISSING: 0},
            "Both valid orders are there, and one that is not: in it a cell sends before all its consumers have.",
        ),
        Misconception(
            "import itertools\nanswer = [' '.join(order) for order in itertools.permutations('ybca')]",
            {WRONG: 22},
            "These are all 24. A common belief: any order will do, for sums may be taken in any order. Sums may; but a "
            "cell has to have its sum before it sends. Try some of them in the lab.",
        ),
    ),
    hints=(
        "Who can be first? Only a cell that waits for nobody.",
        "a went into b and into c, so it waits for both.",
        "y first, a last. What is left to choose?",
    ),
    praise="Between y and a there is freedom, since b and c have nothing to do with each other.",
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


FIRST, *_, MANY = expected_orders()
ENTERED_LATE = """\
        for operand, _ in cell.links:
            visit(operand)
        if cell not in order:
            order.append(cell)
"""

ex_04_7 = Exercise(
    "ex_04_7",
    takes=("topological_order",),
    expects="a function topological_order(result) that returns a list of cells",
    expected=expected_orders(),
    observe=ordered,
    reference=_order(),
    misconceptions=(
        Misconception(
            _order(seen=""),
            {FIRST: "a cell is there twice"},
            "A cell that is used twice is visited twice, and once more for everything behind it. Nobody but you keeps "
            "account of where you have been: keep a set.",
        ),
        Misconception(
            _order(
                visits="        order.append(cell)\n        for operand, _ in cell.links:\n            visit(operand)\n"
            ),
            {FIRST: "a cell before its operands"},
            "You enter a cell before its operands. Visit the operands first; when they are all there, enter the cell.",
        ),
        Misconception(
            _order(
                seen="",
                visits=ENTERED_LATE,
            ),
            {FIRST: GOOD, MANY: Crashed(TookTooLong.__name__)},
            f"On small programs the order is right. For x doubled {DOUBLINGS} times you never get there: your function "
            "goes along every path. Turn away a cell that was seen before, before you visit its operands once more.",
        ),
        Misconception(
            _order(end="list(reversed(tape))").replace("visit(result)", "visit"),
            {FIRST: "backwards, every cell before its operands"},
            "That is the tape read backwards, the order of the sweep. I ask for the order of the program, made from "
            "the links alone.",
        ),
        Misconception(
            "def topological_order(result):\n    return list(tape)",
            {FIRST: GOOD, "x + y, and x * y for nothing": "a cell is there that the result does not need"},
            "The tape is in a good order, but it holds everything that was ever made. I ask for the cells that the "
            "result needs, found along the links.",
        ),
        Misconception(
            _order(end="visit(result)"),
            {FIRST: "no list of cells, but None"},
            "visit gives nothing back. Return the list that it has filled.",
        ),
    ),
    hints=(
        "A cell may be entered when all of its operands are. So visit these first.",
        "Write a function visit(cell) inside: if the cell was seen, return; else note it, visit every operand, and "
        "then append the cell to the list.",
        "seen is a set, order a list: seen.add(cell) comes before the operands, order.append(cell) after them.",
    ),
    praise="This is what an engine on a graph does before its sweep. One on a tape need not: the program has done it.",
)

# 8. one operation, the same operand twice

ex_04_8 = Exercise(
    "ex_04_8",
    expects="three numbers, the slopes of x − x, of x / x and of x · x",
    make=used_twice,
    draws={"x": (2.0, 3.0, 4.0, 5.0, 8.0)},
    hints=(
        "x − x is 0 wherever x is. So what is its slope? And what is x / x?",
        "Each operation has two places, and x stands in both: two contributions, which are added.",
        "1 − 1, then 1/x − x/x², then x + x.",
    ),
    praise="A partial belongs to a place, not to the cell that happens to stand there.",
)

# 9. three times backward

ex_04_9 = Exercise(
    "ex_04_9",
    expects="three numbers, what a.grad holds after one call, after two and after three",
    make=thrice,
    draws={
        "program": ("a + b + c", "a + b + c + d", "a * b + c", "a * c + b", "(a + b) * c", "(a + b) * c + d"),
    },
    hints=(
        "Only the result is set to 1 anew. What does the cell between a and the result hold after the second call?",
        "It holds twice what it should, and sends all of it to a, where something is already.",
        "With one cell between, its adjoint is 1, 2, 3 times the right one, and a gets the first, then the second, "
        "then the third on top.",
    ),
    praise="Each level between piles up what the level above it has piled up. One call is right, and only one.",
)
