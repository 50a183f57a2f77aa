"""Exercises of notebook 05, three ways to remember."""

from __future__ import annotations

import math
from typing import Any

from autodiff_lab.lessons.comparing import plain
from autodiff_lab.lessons.course import lesson
from autodiff_lab.lessons.exercise import Exercise, Misconception
from autodiff_lab.lessons.memory_bench import (
    by_hand_example,
    differentiated_again,
    expected_by_hand,
    expected_cells,
    expected_hessians,
    swept_by_hand,
    swept_cells,
)
from autodiff_lab.lessons.memory_instances import ledger, two_runs
from autodiff_lab.lessons.running import Crashed
from autodiff_lab.systems.side_by_side import compare

progress, seed = lesson("05", "Three ways to remember: partials, closures, replay")

# 1. the slip in the founding document

AT_3_1, AT_2_5 = "sin(x) + x * y at (3, 1)", "sin(x) + x * y at (2, 5)"


def _by_hand(sine: str = "np.cos(a)", left: str = "b", right: str = "a", end: str = "x, y, Y") -> str:
    return f"""\
def by_hand(a, b):
    x, y = Var(a), Var(b)
    sin_x = Un(np.sin(a), x, {sine})
    x_times_y = Bin(a * b, x, y, {left}, {right})
    Y = Bin(sin_x.value + x_times_y.value, sin_x, x_times_y, 1.0, 1.0)
    return {end}"""


ex_05_1 = Exercise(
    "ex_05_1",
    takes=("by_hand",),
    expects="a function by_hand(a, b) that makes the cells and returns x, y, Y",
    expected=expected_by_hand(),
    observe=swept_by_hand,
    cases="These are the value, the slope in x and the slope in y.",
    reference=_by_hand(),
    misconceptions=(
        Misconception(
            _by_hand("np.cos(1.0)", "1.0", "3.0"),
            {AT_3_1: (3.1411200080598674, 1.5403023058681398, 3.0)},
            "That is the listing with its slip. A local partial is taken where the function was evaluated. Where was "
            "the sine evaluated?",
        ),
        Misconception(
            _by_hand("np.cos(3.0)", "1.0", "3.0"),
            {AT_3_1: (3.1411200080598674, 0.010007503399554585, 3.0), AT_2_5: (10.909297426825681, 0.01000750, 3.0)},
            "At (3, 1) it is right now: you have mended the document's listing. At (2, 5) it is wrong, because the "
            "partials are still typed in as numbers. Write them with a and b.",
        ),
        Misconception(
            _by_hand("np.cos(a)", "1.0", "3.0"),
            {AT_3_1: (3.1411200080598674, 0.010007503399554585, 3.0), AT_2_5: (10.909297426825681, 0.58385316, 3.0)},
            "The sine is mended. The partials of x * y are 1 and 3 at (3, 1) only: there they happen to be y and x.",
        ),
        Misconception(
            _by_hand("np.cos(a)", "a", "b"),
            {AT_3_1: (3.1411200080598674, math.cos(3) + 3, 1.0)},
            "The partials of the product are the wrong way round. How fast does x * y grow when x grows by a little?",
        ),
        Misconception(
            _by_hand("np.sin(a)"),
            {AT_3_1: (3.1411200080598674, math.sin(3) + 1, 3.0)},
            "In the place of the partial you put the value of the sine. A cell keeps both, and they are two numbers.",
        ),
        Misconception(
            _by_hand(end="Y"),
            {AT_3_1: 3.1411200080598674},
            "Return all three, x, y, Y: the check reads the sensitivities of x and of y.",
        ),
    ),
    hints=(
        "Three partials are asked for. Each is a derivative you know, with the numbers a and b put in.",
        "d sin(x)/dx at x = a; d(xy)/dx and d(xy)/dy at (a, b).",
        "The partials of the product are b and a, in this order. That of the sine is a cosine, and not of 1.",
    ),
    praise="A partial that is typed in is right at one point at best. From here on the operation works it out itself.",
)

# 2. two more kinds of cells


def _two(
    exp: str = "Un(np.exp(x.value), x, np.exp(x.value))",
    left: str = "1 / y.value",
    right: str = "-x.value / y.value**2",
    div: str = "Bin(x.value / y.value, x, y, {}, {})",
) -> str:
    return f"""\
def exponential(x):
    return {exp}


def quotient(x, y):
    return {div.format(left, right)}"""


EXP, DIV, *_ = expected_cells()

ex_05_2 = Exercise(
    "ex_05_2",
    takes=("exponential", "quotient"),
    expects="two functions, exponential(x) and quotient(x, y), that return a cell each",
    expected=expected_cells(),
    observe=swept_cells,
    cases="These are the value, the slope in x and the slope in y.",
    reference=_two(),
    misconceptions=(
        Misconception(
            _two(exp="Un(np.exp(x.value), x, x.value * np.exp(x.value - 1))"),
            {EXP: (math.exp(0.5), 0.5 * math.exp(-0.5), 0.0)},
            "You used the rule for powers, and there x is below. In exp(x) it is above: exp is its own derivative.",
        ),
        Misconception(
            _two(exp="Un(np.exp(x.value), x, x.value)"),
            {EXP: (math.exp(0.5), 0.5, 0.0)},
            "The partial you gave to exp is its input. It is its output: exp is its own derivative.",
        ),
        Misconception(
            _two(right="x.value / y.value**2"),
            {DIV: (1.5, 0.5, 0.75)},
            "exp is right. A growing divisor makes a quotient smaller: one partial has the wrong sign.",
        ),
        Misconception(
            _two(right="-x.value / y.value"),
            {DIV: (1.5, 0.5, -1.5)},
            "exp is right. The derivative of 1/y is −1/y², and the square is missing.",
        ),
        Misconception(
            _two(left="-x.value / y.value**2", right="1 / y.value"),
            {DIV: (1.5, -0.75, 0.5)},
            "exp is right. The partials of the quotient are the wrong way round: Bin takes x's first.",
        ),
        Misconception(
            _two(div="Un(x.value / y.value, x, {0})"),
            {DIV: (1.5, 0.5, 0.0)},
            "exp is right. y never hears of the quotient: an Un cell has one link. This one needs two.",
        ),
        Misconception(
            _two(exp="np.exp(x.value)", div="x.value / y.value"),
            {EXP: math.exp(0.5)},
            "exponential returns a bare number. A number has no links, and the sweep ends before it. Return a cell.",
        ),
        Misconception(
            _two(exp="Un(np.exp(x), x, np.exp(x))"),
            {EXP: Crashed("TypeError")},
            "np.exp was given a cell, and it knows numbers only. The number is x.value.",
        ),
    ),
    hints=(
        "Look at sine and times. Each line says three things: the value, the operands, the partials as numbers.",
        "The partials of x / y are 1 / y in x and −x / y² in y. That of exp(x) is exp(x).",
        "exponential: Un(np.exp(x.value), x, …). In quotient a Bin, with 1 / y.value as its first partial.",
    ),
    praise="backprop was not touched, and it did not notice: it multiplies and adds, whatever the operations were.",
)

# 3. the ledger

ex_05_3 = Exercise(
    "ex_05_3",
    expects="three whole numbers, (partials, operand slots, values in closures)",
    make=ledger,
    draws={
        "program": (
            "exp(w * x) + b",
            "w * x + b * x",
            "sqrt(w * x) - b",
            "(w + x) * tanh(b)",
            "exp(w) * x - b",
            "sin(w * x) - b",
            "w * x * w * b",
            "tanh(w + x + b)",
        )
    },
    hints=(
        "Write the program as one operation per line. How many operands does each line have?",
        "A partial for each operand, and a slot for each operand. For the closures write each partial as a formula, "
        "and see which values occur in it: those of a sum are 1, those of u · v are v and u.",
        "tanh′ = 1 − y², exp′ = y and √′ = 1/(2y) are written with the result y; sin′ and log′ with the operand.",
    ),
    praise="What has to be kept is decided by the formula of the partial, not by how many partials there are.",
)

# 4. which survives

DESIGNS = "partials, closures, operations, operations with copied inputs, operations with checked inputs"
SURVIVAL = tuple(column.mutated.verdict for column in compare(by_hand_example, 3.0, 1.0, written=0.0).columns)


def _words(answer: Any) -> Any:
    """Words without regard to capitals."""
    found = plain(answer)
    return tuple(w.lower() if isinstance(w, str) else w for w in found) if isinstance(found, tuple) else found


ex_05_4 = Exercise(
    "ex_05_4",
    expects="five words, each 'survives', 'changes' or 'raises'",
    expected=SURVIVAL,
    observe=_words,
    reference=f"answer = {list(SURVIVAL)!r}",
    misconceptions=(
        Misconception(
            'answer = ["survives"] * 5',
            ("survives",) * 5,
            "The run is over, but the sweep is not: it reads what was kept. Who kept numbers of their own, and who "
            "kept a way to the array?",
        ),
        Misconception(
            'answer = ["changes"] * 5',
            ("changes",) * 5,
            "Not all of them look into the array again. Which has made its numbers already, and which has a copy?",
        ),
        Misconception(
            'answer = ["raises"] * 5',
            ("raises",) * 5,
            "To raise an error one has to notice. Only one of the five compares the array with what it was.",
        ),
        Misconception(
            'answer = ["survives", "survives", "changes", "survives", "raises"]',
            ("survives", "survives", "changes", "survives", "raises"),
            "A closure holds on to things, not to what stood in them. If the thing is a place in an array, the closure "
            "reads it when it is called, and that is in the sweep.",
        ),
        Misconception(
            'answer = ["changes", "changes", "changes", "survives", "raises"]',
            ("changes", "changes", "changes", "survives", "raises"),
            "A cell's partials were worked out while the program ran. They are numbers, and nobody writes into them.",
        ),
        Misconception(
            'answer = ["changes", "survives", "survives", "survives", "survives"]',
            ("changes", "survives", "survives", "survives", "survives"),
            "You have it the other way round. Who needs the inputs again when the sweep comes?",
        ),
    ),
    hints=(
        "For each design ask: when the sweep needs cos x, is there a number, or does somebody look at x?",
        "Partials are made during the run. Closures and operations are read during the sweep.",
        "A copy is not written to. A check compares, and refuses.",
    ),
    praise="The cheapest to keep is a way to the array. It is also the one that somebody else can change.",
)

# 5. two runs mixed


ex_05_5 = Exercise(
    "ex_05_5",
    expects="a pair of numbers, the slope in x and the slope in y as the closures give them",
    make=two_runs,
    draws={"x": (1.0, 2.5, 3.0), "y": (2.0, 3.0, 4.0, 6.0), "written": (0.0, 0.5, 1.5)},
    tolerance=1e-4,
    hints=(
        "Two closures speak: that of the product, then that of the sine. What does each hold?",
        "The product's closure holds v1 = sin x, a result of the run, and y, a place in the array. The sine's holds x.",
        "To y goes the old sine. To x goes y as it is now, times the cosine of x as it is now.",
    ),
    praise="One part is of the old run, the other of the new numbers: together they are no gradient. And nothing "
    "warned you.",
)

# 6. differentiated again


def _again(
    sin: str = "[cos_again(a)]",
    cos: str = "[minus_one * sin_again(a)]",
    inverse: str = "[minus_one * reciprocal(a) * reciprocal(a)]",
    log: str = "[reciprocal(a)]",
) -> str:
    return f"""\
def sin_again(a):
    return remember(np.sin(a.value), [a], lambda: {sin})


def cos_again(a):
    return remember(np.cos(a.value), [a], lambda: {cos})


def reciprocal(a):
    return remember(1 / a.value, [a], lambda: {inverse})


def log_again(a):
    return remember(np.log(a.value), [a], lambda: {log})"""


HERE = next(iter(expected_hessians()))

ex_05_6 = Exercise(
    "ex_05_6",
    takes=("sin_again", "cos_again", "reciprocal", "log_again"),
    expects="four functions of a Variable, sin_again, cos_again, reciprocal and log_again",
    expected=expected_hessians(),
    observe=differentiated_again,
    cases="The first row is the gradient of ∂f/∂x, the second that of ∂f/∂y.",
    reference=_again(),
    misconceptions=(
        Misconception(
            _again(sin="[Variable(np.cos(a.value))]", log="[Variable(1 / a.value)]"),
            {HERE: ((None, 1.0), (1.0, None))},
            "These are the old rules: right numbers, and nobody wrote down where they came from. A partial must come "
            "out of an operation on a.",
        ),
        Misconception(
            _again(log="[Variable(1 / a.value)]"),
            {HERE: ((None, 1.0), (1.0, -0.9589242746631385))},
            "The sine is done. The logarithm's partial is still a bare number in a new Variable. Let reciprocal "
            "make it.",
        ),
        Misconception(
            _again(sin="[Variable(np.cos(a.value))]"),
            {HERE: ((-0.25, 1.0), (1.0, None))},
            "The logarithm is done. The sine's partial is still a bare number in a new Variable. Let cos_again "
            "make it.",
        ),
        Misconception(
            _again(cos="[sin_again(a)]"),
            {HERE: ((-0.25, 1.0), (1.0, 0.9589242746631385))},
            "One sign is wrong, and it is in the lower right corner: what is the derivative of the cosine?",
        ),
        Misconception(
            _again(inverse="[minus_one * reciprocal(a)]"),
            {HERE: ((-0.5, 1.0), (1.0, -0.9589242746631385))},
            "The upper left corner is wrong: the derivative of 1/a is −1/a², and the square is missing.",
        ),
        Misconception(
            _again(cos="[minus_one * Variable(np.sin(a.value))]", inverse="[Variable(-1 / a.value**2)]").replace(
                "lambda: [reciprocal(a)]", "[reciprocal(a)]"
            ),
            {HERE: Crashed("TypeError", "not callable")},
            "remember wants a function that gives the partials when the sweep asks. Write lambda: before the list.",
        ),
        Misconception(
            _again(sin="[np.cos(a.value)]", log="[1 / a.value]"),
            {HERE: Crashed("AttributeError", "no attribute 'value'")},
            "A partial is multiplied with a Variable and has to be one. And it must know where it came from: let "
            "cos_again and reciprocal make it.",
        ),
    ),
    hints=(
        "The partial of the sine at a is the cosine at a. Which of your functions gives it, as a Variable with a past?",
        "sin_again: lambda: [cos_again(a)]. The cosine's partial is minus_one times something.",
        "The partial of 1/a is −(1/a)(1/a): three Variables multiplied. That of the logarithm is the reciprocal.",
    ),
    praise="The classes, the operators and grad are as they were. What stood in the way was two rules, not the design.",
)
