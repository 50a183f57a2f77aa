"""The exercises of notebook 05 about all the designs: what each keeps, and what can be done with it."""

from __future__ import annotations

import numpy as np

from autodiff_lab.lessons.checks import Crashed, Exercise, in_small_letters
from autodiff_lab.lessons.lesson_05 import sandbox
from autodiff_lab.lessons.lesson_05.sandbox import THIRD
from autodiff_lab.lessons.lesson_05.variants import ledger, two_runs
from autodiff_lab.systems.side_by_side import compare

# 3. the ledger

ex_05_3 = Exercise(
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
        "exp′ = y and √′ = 1/(2y) are written with the result y; sin′, log′ and tanh′ = 1/cosh² with the operand.",
    ),
    praise="What has to be kept is decided by the formula of the partial, not by how many partials there are.",
)

# 4. which survives

DESIGNS = "partials, closures, operations, operations with copied inputs, operations with checked inputs"
SURVIVAL = tuple(column.mutated.verdict for column in compare(sandbox.by_hand_example, 3.0, 1.0, written=0.0).columns)


ex_05_4 = Exercise(
    expects="five words, each 'survives', 'changes' or 'raises'",
    expected=SURVIVAL,
    observe=lambda answer: in_small_letters(answer, "survives", "changes", "raises"),
    reference=f"answer = {list(SURVIVAL)!r}",
    misconceptions={
        ("survives",) * 5: "The run is over, but the sweep reads what was kept. Which designs keep numbers of their "
        "own, and which look into the array?",
        ("changes",) * 5: "Not all of them look into the array again. Which has made its numbers already, and which "
        "has a copy?",
        ("raises",) * 5: "To raise an error one has to notice. Only one of the five compares the array with what it "
        "was.",
        ("survives", "survives", "changes", "survives", "raises"): "A closure holds on to things, not to what stood "
        "in them. If the thing is a place in an array, the closure reads it when it is called, and that is in the "
        "sweep.",
        ("changes", "changes", "changes", "survives", "raises"): "A cell's partials were worked out while the program "
        "ran. They are numbers, and nobody writes into them.",
        ("changes", "survives", "survives", "survives", "survives"): "You have it the other way round. Which designs "
        "need the inputs again in the sweep?",
    },
    hints=(
        "For each design ask: when the sweep needs cos x, is there a number, or is x looked up?",
        "Partials are made during the run. Closures and operations are read during the sweep.",
        "A copy is not written to. A check compares, and refuses.",
    ),
    praise="A reference to the array is the cheapest to keep. It is also what other code can change.",
)

# 5. two runs mixed


ex_05_5 = Exercise(
    expects="a pair of numbers, the derivatives with respect to x and y as the closures give them",
    make=two_runs,
    draws={"x": (1.0, 2.5, 3.0), "y": (2.0, 3.0, 4.0, 6.0), "written": (0.0, 0.5, 1.5)},
    tolerance=1e-4,
    hints=(
        "The sweep calls two closures: that of the product, then that of the sine. What does each hold?",
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


HERE = next(iter(sandbox.expected_hessians()))

ex_05_6 = Exercise(
    expects="four functions of a Variable, sin_again, cos_again, reciprocal and log_again",
    expected=sandbox.expected_hessians(),
    observe=sandbox.differentiate_again,
    cases="Of second derivatives the first row is the gradient of ∂f/∂x, the second that of ∂f/∂y.",
    reference=_again(),
    misconceptions={
        _again(sin="[Variable(np.cos(a.value))]", log="[Variable(1 / a.value)]"): (
            {HERE: ((None, 1.0), (1.0, None))},
            "These are the old rules: right numbers, and nobody wrote down where they came from. A partial must come "
            "out of an operation on a.",
        ),
        _again(log="[Variable(1 / a.value)]"): (
            {HERE: ((None, 1.0), (1.0, -0.9589242746631385))},
            "The sine is done. The logarithm's partial is still a bare number in a new Variable. Let reciprocal make "
            "it.",
        ),
        _again(sin="[Variable(np.cos(a.value))]"): (
            {HERE: ((-0.25, 1.0), (1.0, None))},
            "The logarithm is done. The sine's partial is still a bare number in a new Variable. Let cos_again make "
            "it.",
        ),
        _again(cos="[Variable(-np.sin(a.value))]"): (
            {HERE: sandbox.expected_hessians()[HERE], THIRD: (0.25, None)},
            "Right to the second derivative, and no further: the cosine's own partial is a bare number in a new "
            "Variable.",
        ),
        _again(inverse="[Variable(-1 / a.value**2)]"): (
            {HERE: sandbox.expected_hessians()[HERE], THIRD: (None, -np.cos(2.0))},
            "Right to the second derivative, and no further: the reciprocal's own partial is a bare number in a new "
            "Variable.",
        ),
        _again(cos="[-sin_again(a)]"): (
            {HERE: Crashed("TypeError", "unary -")},
            "This machine knows +, - and * between two Variables, and no sign. Write minus_one * … for it.",
        ),
        _again(log="[1 / a]"): (
            {HERE: Crashed("TypeError", "'int' and 'Variable'")},
            "A plain number met a Variable, and this machine knows only two Variables: minus_one * … for −1 times, "
            "reciprocal(…) for 1 divided by.",
        ),
        _again(cos="[sin_again(a)]"): (
            {HERE: ((-0.25, 1.0), (1.0, 0.9589242746631385))},
            "One sign is wrong, and it is in the lower right corner: what is the derivative of the cosine?",
        ),
        _again(inverse="[minus_one * reciprocal(a)]"): (
            {HERE: ((-0.5, 1.0), (1.0, -0.9589242746631385))},
            "The upper left corner is wrong: the derivative of 1/a is −1/a², and the square is missing.",
        ),
        _again(cos="[minus_one * Variable(np.sin(a.value))]", inverse="[Variable(-1 / a.value**2)]").replace(
            "lambda: [reciprocal(a)]", "[reciprocal(a)]"
        ): (
            {HERE: Crashed("TypeError", "not callable")},
            "remember wants a function that gives the partials when the sweep asks. Write lambda: before the list.",
        ),
        _again(sin="[np.cos(a.value)]", log="[1 / a.value]"): (
            {HERE: Crashed("AttributeError", "no attribute 'value'")},
            "A partial is multiplied with a Variable and has to be one. And it must know where it came from: let "
            "cos_again and reciprocal make it.",
        ),
    },
    hints=(
        "The partial of the sine at a is the cosine at a. Which of your functions gives it, as a Variable with a past?",
        "sin_again: lambda: [cos_again(a)]. The cosine's partial is minus_one times something.",
        "The partial of 1/a is −(1/a)(1/a): three Variables multiplied. That of the logarithm is the reciprocal.",
    ),
    praise="The classes, the operators and grad are as they were. What stood in the way was two rules, not the design.",
)
