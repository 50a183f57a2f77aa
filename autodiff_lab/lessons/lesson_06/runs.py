"""The exercises of notebook 06 about building, running and sweeping a graph."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff_lab.lessons.checks import Crashed, Exercise, Instance
from autodiff_lab.lessons.lesson_06 import sandbox
from autodiff_lab.lessons.lesson_06.sandbox import BATCH, FLAT, MADE, RUN, VALUES
from autodiff_lab.transforms.gradients import grad

# 1. the loop that runs a graph


def _run(waiting: str = "len(node.inputs)", first: str = "waiting[node] == 0", then: str = "waiting[user] == 0") -> str:
    return f"""\
def run(targets, feed):
    nodes = needed(targets)
    waiting = {{node: {waiting} for node in nodes}}
    users = {{node: [] for node in nodes}}
    for node in nodes:
        for x in node.inputs:
            users[x].append(node)

    queue = [node for node in nodes if {first}]
    while queue:
        node = queue.pop(0)
        compute(node, feed)
        for user in users[node]:
            waiting[user] -= 1
            if {then}:
                queue.append(user)

    return [node.value for node in targets]"""


SQUARE, WITH_CONSTANT, ONE_OPERAND, FAN, *_ = sandbox.expected_runs()

ex_06_1 = Exercise(
    expects="a function run(targets, feed) that returns a list of values",
    expected=sandbox.expected_runs(),
    observe=sandbox.run_programs,
    cases="It is run at x = 2, y = 3.",
    reference=_run(),
    misconceptions={
        _run(first="isinstance(node, Placeholder)"): (
            {SQUARE: 4.0, WITH_CONSTANT: None},
            "A sum with a constant in it got no value: the constant was never on the queue, so the sum still waits "
            "for it. Which other nodes have no inputs?",
        ),
        _run(first="True"): (
            {SQUARE: Crashed("TypeError")},
            "An operation was on the queue from the beginning, and was computed before its inputs had a value. Only "
            "nodes that wait for nothing may begin.",
        ),
        _run(then="True"): (
            {SQUARE: 4.0, ONE_OPERAND: math.log(2.0), FAN: Crashed("TypeError")},
            "A user was put on the queue when the first of its inputs was done, and the second had no value yet. "
            "Look at its counter.",
        ),
        _run(then="waiting[user] == 1"): (
            {SQUARE: 4.0, ONE_OPERAND: None, FAN: Crashed("TypeError")},
            "At 1 a node still waits for one input. How many are missing when it may be computed?",
        ),
        _run(waiting="len(set(node.inputs))"): (
            {SQUARE: 4.0, FAN: sandbox.expected_runs()[FAN], FLAT: Crashed("TypeError")},
            "An input that stands in two places is counted once here, and further down it is subtracted twice. "
            "Count places.",
        ),
        _run(waiting="1"): (
            {SQUARE: None, WITH_CONSTANT: None},
            "No node is at 0 in the beginning, so the queue is empty and nothing is computed. How many inputs does "
            "a placeholder wait for?",
        ),
    },
    hints=(
        "A node may be computed when all its inputs have their values. The counter says how many have not.",
        "In the beginning no node has a value: each waits for all its inputs. Which ones wait for none?",
        "A counter begins at the number of inputs. The other two blanks ask the same question of it.",
    ),
    praise="No line of it sorts the graph: the order comes from counting. This is Kahn's algorithm, of 1962.",
)

# 2. the first example of the document

PRINTED = 46.63906


def _product_and_log(a: Any, b: Any) -> Any:
    return a * b + np.log(a + b)


def _example(a: float = 10.0, b: float = 4.0) -> Instance:
    value = float(_product_and_log(a, b))
    right = (value, math.isclose(value, PRINTED, rel_tol=1e-6))
    slope = float(grad(_product_and_log)(a, b))
    wrong = {
        (PRINTED, True): "That is what the document prints. What does your own `run` give?",
        (value, True): "Your number is right. Now compare it with the printed one: they are two numbers, and a "
        "function has one value at a point.",
        (a * b + math.log10(a + b), False): "You took the logarithm to the base 10. In this course, and in NumPy, log "
        "is the natural one.",
        (a * b + math.log(a) + math.log(b), False): "You took the logarithms one by one. The logarithm of a sum is "
        "not the sum of the logarithms.",
        (slope, False): "That is the derivative with respect to a. Asked for is the value.",
    }
    return Instance(right, wrong)


ex_06_2 = Exercise(
    expects="a pair: the value of f as a number, and True or False",
    make=_example,
    draws={"a": (2.0, 3.0, 5.0, 8.0, 12.0), "b": (3.0, 6.0, 7.0, 9.0)},
    tolerance=1e-4,
    hints=(
        "Your graph f is built already. Feed it.",
        "run([f], {a: …, b: …}) gives a list with one value. Is it 46.63906?",
    ),
    praise="The same graph, another number. If the inputs were whole numbers, the document's formula and its output "
    "disagree, by 4; the page does not tell which of the two it ran.",
)

# 3. a batch


def _feed(line: str) -> str:
    return f"def feed_all(values):\n    {line}"


ex_06_3 = Exercise(
    expects="a function feed_all(values) that returns the value of wave_out for each of the values",
    expected=sandbox.expected_batch(),
    observe=sandbox.feed_batch,
    reference=_feed("return run([wave_out], {wave_in: np.array(values)})[0]"),
    misconceptions={
        "def feed_all(values):\n    results = []\n    for value in values:\n        x = Placeholder('x')\n"
        "        results += run([sin(x) * x], {x: value})\n    return results": (
            {VALUES: sandbox.expected_batch()[VALUES], MADE: 10.0},
            "The values are right, and for each of them you built the graph anew: ten operations. wave_out is there "
            "already; feed wave_in.",
        ),
        _feed("return [np.sin(value) * value for value in values]"): (
            {VALUES: sandbox.expected_batch()[VALUES], RUN: False},
            "The values are right, and wave_out was not asked for them: you wrote its formula once more. Run the "
            "graph.",
        ),
        _feed("return run([wave_out], {wave_in: values[0]})[0]"): (
            {VALUES: float(sandbox.wave(BATCH[0]))},
            "That is the first of the five only.",
        ),
        _feed("return run([wave_out], {'x': np.array(values)})[0]"): (
            {VALUES: Crashed("ValueError", "was not fed")},
            "The key of the dictionary is the placeholder itself, wave_in. Its name is for people: two placeholders "
            "may have the same.",
        ),
        _feed("return wave_out.value"): (
            {VALUES: None},
            "wave_out has no value, because it was not run. Building does not compute.",
        ),
        _feed("return sin(np.array(values)) * np.array(values)"): (
            {MADE: 2.0},
            "That built two new operations and computed nothing. What is asked are numbers, and the graph is there.",
        ),
    },
    hints=(
        "feed is a dictionary from placeholders to numbers. NumPy's functions take arrays where they take numbers.",
        "Either run once for each value, with the same wave_out each time, or once with an array.",
        "run([wave_out], {wave_in: np.array(values)}) gives a list with one array in it.",
    ),
    praise="Five values, no new node. What is built once can be fed for ever; that is what the graph is for.",
)

# 4. the Jacobian of any node


def _any(zero: str = "[*ys, *xs]", back: str = "[y]") -> str:
    return f"""\
def jacobian_any(ys, xs):
    rows = []
    for y in ys:
        zero_grad({zero})
        backward({back})
        rows.append([x.grad for x in xs])
    return rows"""


INTERIOR, TWO_OUTPUTS, _, APART = sandbox.expected_jacobians()
E_SQUARED = math.exp(2.0)

ex_06_4 = Exercise(
    expects="a function jacobian_any(ys, xs) that returns a list of rows",
    expected=sandbox.expected_jacobians(),
    observe=sandbox.find_jacobians,
    cases="It is taken at x = 2, y = 3.",
    reference=_any(),
    misconceptions={
        _any(back="ys, only=y"): (
            {INTERIOR: ((0.0,), (2 * E_SQUARED**2,))},
            "The row of h is 0, as in the document: h is used by h * h, so it is not on the queue, and nothing gives "
            "it a 1. For which targets would h be the output?",
        ),
        _any(back="ys"): (
            {INTERIOR: ((2 * E_SQUARED**2,), (2 * E_SQUARED**2,)), TWO_OUTPUTS: ((4.0, 3.0), (4.0, 3.0))},
            "Every row is the same one: the sweep begins at all the ys. Begin at one of them.",
        ),
        _any(zero="[]"): (
            {TWO_OUTPUTS: ((3.0, 2.0), (4.0, 3.0))},
            "The second row holds the first one as well: adjoints are added to what is there. Clear them before each "
            "sweep.",
        ),
        _any(zero="[y]"): (
            {TWO_OUTPUTS: ((3.0, 2.0), (1.0, 1.0)), APART: ((E_SQUARED, 0.0), (E_SQUARED, 1 / 3))},
            "log(y) does not need x. So its row finds at x what the sweep before has left there. Clear that too.",
        ),
        _any(zero="xs"): (
            {TWO_OUTPUTS: ((3.0, 2.0), (1.0, 1.0)), INTERIOR: ((E_SQUARED,), (E_SQUARED * (1 + 2 * E_SQUARED),))},
            "You cleared the xs, and h on the way kept its adjoint of the first sweep. It is sent on again.",
        ),
    },
    hints=(
        "backward begins at the nodes that none of the needed ones uses. Which targets make y such a node?",
        "needed([y]) goes down from y, and never to the users of y. So in backward([y]) only y is at 0.",
        "So the sweep is given one y. Before it, clear whatever an earlier sweep may have reached: all ys, and all xs.",
    ),
    praise="A node is an output if none of the nodes that the targets need uses it. That depends on the targets.",
)
