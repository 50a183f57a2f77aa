"""The exercises of notebook 06 about sums and products of many terms: what merging saves, and what it breaks."""

from __future__ import annotations

import math

import numpy as np

from autodiff_lab.lessons.checks import Crashed, Exercise, Instance
from autodiff_lab.lessons.lesson_06 import sandbox
from autodiff_lab.lessons.lesson_06.sandbox import ALIAS, BOTH, COUNT, OTHER, TWICE
from autodiff_lab.widgets.labs.feed_graph.programs import GraphBuilder

# 5a. a sum that changes under its user


def run_aliased_sum(x: float, y: float, z: float, k: float, flatten: str) -> tuple[float, float]:
    """The values of s and u in s = x + y, u = s * k, t = s + z, as a graph has them that flattens so.

    >>> run_aliased_sum(1.0, 2.0, 3.0, 10.0, "mutate"), run_aliased_sum(1.0, 2.0, 3.0, 10.0, "copy")
    ((6.0, 60.0), (3.0, 30.0))
    """
    built = GraphBuilder(("s = x + y", f"u = s * {k!r}", "t = s + z"), flatten)
    for _ in built.lines:
        built.next()
    named = built.named
    return tuple(built.graph.run([named["s"], named["u"]], {named["x"]: x, named["y"]: y, named["z"]: z}))


def _alias(x: float = 1.0, y: float = 2.0, z: float = 3.0, k: float = 10.0) -> Instance:
    right, meant = run_aliased_sum(x, y, z, k, "mutate"), run_aliased_sum(x, y, z, k, "copy")
    wrong = {
        meant: "That is what the three lines mean. But t is no new node: z was handed to s. Which node uses s?",
        (meant[0], right[1]): "u uses s as it is when the graph is run. If u sees the longer sum, then s is the "
        "longer sum.",
        (right[0], meant[1]): "s has three inputs when the graph is run, you saw that. And u was built before: but "
        "it holds s, and not a value of s.",
        f"answer = {(meant[0], right[0])}": (
            (meant[0], right[0]),
            "These look like s and t. Asked are s and u: the first sum, and the product.",
        ),
    }
    return Instance(right, wrong)


ex_06_5a = Exercise(
    expects="a pair of numbers, the values of s and of u",
    make=_alias,
    draws={"x": (1.0, 2.0, 4.0), "y": (3.0, 5.0, 6.0), "z": (1.0, 7.0, 9.0), "k": (2.0, 10.0, 100.0)},
    hints=(
        "merging_add(s, z) finds that s is a sum. What does it do with s, and what does it return?",
        "t is s. Write down the inputs of this one node, and then compute.",
        "Nothing was computed when u was built. When the graph is run, s is x + y + z.",
    ),
    praise="The line that does the damage comes after the line that suffers it. No error, no warning, a wrong number.",
)

# 5b. the same without damage


def _flat(gather: str, before: str = "") -> str:
    return f"""\
def flat_add(a, b):
    inputs = []
    for x in (a, b):
        {gather}
    {before}return Operator("add", *inputs)"""


SPREAD = """if isinstance(x, Operator) and x.kind == "add":
            inputs += x.inputs
        else:
            inputs.append(x)"""
EXPECTED = sandbox.expected_sums()

ex_06_5b = Exercise(
    expects="a function flat_add(a, b) that returns a new node",
    expected=EXPECTED,
    observe=sandbox.sum_flat,
    reference=_flat(SPREAD),
    misconceptions={
        "def flat_add(a, b):\n    return merging_add(a, b)": (
            {ALIAS: (6.0, 60.0, 6.0, False)},
            "s is 6 and u is 60, as before: a node that others hold was changed. Make a new node, and leave the old "
            "ones alone.",
        ),
        'def flat_add(a, b):\n    return Operator("add", a, b)': (
            {ALIAS: EXPECTED[ALIAS], COUNT: 5.0},
            "Nothing is damaged, and nothing is saved: x + y + z needs 5 nodes. Take the inputs of a sum in the "
            "place of the sum.",
        ),
        'def flat_add(a, b):\n    inputs = a.inputs or [a]\n    inputs += [b]\n    return Operator("add", *inputs)': (
            {ALIAS: (6.0, 60.0, 6.0, True)},
            "The node is new, and s is 6 all the same: `inputs = a.inputs` is the list of a itself, not a copy, "
            "and += writes into it.",
        ),
        _flat("inputs += x.inputs or [x]"): (
            {ALIAS: EXPECTED[ALIAS], COUNT: 4.0, BOTH: EXPECTED[BOTH], OTHER: (6.0, 3.0)},
            "You took the inputs of a product into a sum: x * y + z became x + y + z. Only a sum may be opened.",
        ),
        'def flat_add(a, b):\n    if isinstance(a, Operator) and a.kind == "add":\n'
        '        return Operator("add", *a.inputs, b)\n    return Operator("add", a, b)': (
            {ALIAS: EXPECTED[ALIAS], COUNT: 4.0, BOTH: (7.0, 3.0)},
            "A sum on the left is opened, and one on the right is not.",
        ),
        _flat(SPREAD, "inputs = list(dict.fromkeys(inputs))\n    "): (
            {COUNT: 4.0, BOTH: (6.0, 3.0), TWICE: (3.0, 2.0)},
            "An input that stands there twice is counted once. s + s is twice s: keep the places.",
        ),
    },
    hints=(
        "Collect the inputs of the new node in a list of your own, and hand them to Operator at the end.",
        "If x is a sum, its inputs go into the list, else x itself. Is a product a sum?",
        "inputs += x.inputs copies the entries of that list into yours, and leaves the other list as it is.",
    ),
    praise="t has the inputs x, y, z, and s has still x and y. The old sum is not needed any more unless you "
    "hold it, and then it is there.",
)

# 6. how many nodes


def _formulas(flat: str = "n + 1", pairs: str = "2 * n - 1") -> str:
    return f"def flat(n):\n    return {flat}\n\n\ndef pairs(n):\n    return {pairs}"


ex_06_6 = Exercise(
    expects="two functions of n, flat(n) and pairs(n)",
    expected=sandbox.expected_counts(),
    observe=sandbox.count_terms,
    cases="The first number is of flat, the second of pairs.",
    reference=_formulas(),
    misconceptions={
        _formulas("1", "n - 1"): (
            {"n = 3": (1.0, 2.0)},
            "You counted the operations. The terms are nodes as well.",
        ),
        _formulas(pairs="2 * n"): (
            {"n = 3": (4.0, 6.0)},
            "flat is right. With n terms there are n − 1 plus signs: how many additions of two?",
        ),
        _formulas("n", "2 * n - 1"): (
            {"n = 3": (3.0, 5.0)},
            "pairs is right. In flat the sum itself is missing: it is a node too.",
        ),
        _formulas("2 * n - 1", "n + 1"): (
            {"n = 3": (5.0, 4.0)},
            "The two are exchanged: flattening saves nodes.",
        ),
        _formulas("4", "5"): (
            {"n = 2": (4.0, 5.0), "n = 3": (4.0, 5.0)},
            "That is right for three terms. Write it with n.",
        ),
    },
    hints=(
        "Count for n = 2 and n = 3 on paper. What does one more term add?",
        "The terms are nodes too. How many sums come on top of them, if one sum takes all, and if each takes two?",
    ),
    praise="For long sums about half of the nodes are saved. For two terms, none.",
)

# 7. partials by place


def _three(
    sin: str = "[np.cos(x)]",
    cos: str = "[-np.sin(x)]",
    mul: str = "[math.prod(values[:k] + values[k + 1 :]) for k in range(len(values))]",
) -> str:
    return f"""\
def sin_partials(x):
    return {sin}


def cos_partials(x):
    return {cos}


def mul_partials(*values):
    return {mul}"""


RIGHT = sandbox.expected_partials()
SIN, COS, ZERO, ZEROS, SQUARE, FOUR, _ = RIGHT

ex_06_7 = Exercise(
    expects="three functions, sin_partials(x), cos_partials(x) and mul_partials(*values), that return lists",
    expected=RIGHT,
    observe=sandbox.find_partials,
    cases="There is one partial for each input.",
    reference=_three(),
    misconceptions={
        _three(mul="[math.prod(values) / v for v in values]"): (
            {SIN: RIGHT[SIN], COS: RIGHT[COS], ZERO: Crashed("ZeroDivisionError")},
            "Dividing the whole product by one factor takes it out again, unless it is 0. Multiply the others.",
        ),
        _three(mul="[math.prod(v for v in values if v != x) for x in values]"): (
            {SIN: RIGHT[SIN], COS: RIGHT[COS], ZERO: RIGHT[ZERO], ZEROS: (0.0, 2.0, 2.0)},
            "You left out every factor that has the same value. Two factors may be equal: leave out one place.",
        ),
        _three(mul="[values[1], values[0]]"): (
            {SIN: RIGHT[SIN], COS: RIGHT[COS], ZERO: (0.0, 2.0), SQUARE: RIGHT[SQUARE]},
            "That is the product of two. A flat product has as many partials as factors.",
        ),
        _three(cos="[np.sin(x)]"): (
            {SIN: RIGHT[SIN], COS: (math.sin(0.5),)},
            "The cosine falls where the sine is positive: a sign is missing.",
        ),
        _three(sin="[np.sin(x)]", cos="[np.cos(x)]"): (
            {SIN: (math.sin(0.5),), COS: (math.cos(0.5),)},
            "These are the values. Asked are the local partials: how fast does the value change?",
        ),
        _three(sin="np.cos(x)", cos="-np.sin(x)"): (
            {SIN: float(np.cos(0.5)), COS: float(-np.sin(0.5))},
            "Return a list, also for one input: the sweep goes through inputs and partials together.",
        ),
    },
    hints=(
        "The partial of a product in one factor is the product of all the others.",
        "Of all the other places, not of all the other values: values[:k] and values[k + 1:].",
        "A list with one entry for each k in range(len(values)). math.prod multiplies a list; of an empty one it is 1.",
    ),
    praise="No division, so a 0 does no harm; and by place, so a factor may stand there twice.",
)
