"""The exercise of notebook 08 about a branch in a static graph, on the learner's own nodes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab import value_and_grad
from autodiff_lab.lessons.checks import Crashed, Exercise, call_case, run_cases

LISTING = ("Op", "COMPUTE", "GRADIENT", "gradient", "cond")
Choose = Callable[[Any, Any, Any], Any]


def _log_or_square(x: Any, log: Any, cond: Choose) -> Any:
    return cond(x > 0, log(x), x * x)


def _plain_number(x: Any, log: Any, cond: Choose) -> Any:
    return cond(x > 0, x * x, 5.0)


def _computed_condition(x: Any, log: Any, cond: Choose) -> Any:
    return cond(x * x < 4, x + x, x * x * x)


def _nested(x: Any, log: Any, cond: Choose) -> Any:
    inner = cond(x < -4, x + x, x * x * x)
    return cond(x > 0, log(x), inner) * x


def _bare_condition(x: Any, log: Any, cond: Choose) -> Any:
    return cond(x, x * 2, x * x)


PROGRAMS = {
    "cond(x > 0, log x, x · x) at 2": (_log_or_square, 2.0),
    "cond(x > 0, log x, x · x) at -3": (_log_or_square, -3.0),
    "cond(x > 0, x · x, 5) at -1": (_plain_number, -1.0),
    "cond(x · x < 4, x + x, x · x · x) at 3": (_computed_condition, 3.0),
    "cond(x > 0, log x, cond(x < -4, x + x, x · x · x)) · x at -2": (_nested, -2.0),
    "cond(x, x · 2, x · x) at 3": (_bare_condition, 3.0),
}
VALUE, SLOPE = "{}, its value", "{}, its slope"
POSITIVE, NEGATIVE, *_, BARE = PROGRAMS
LOGARITHMS = "of the number of logarithms computed at -3"


def _chosen(condition: Any, a: Any, b: Any) -> Any:
    return a if condition else b


def _quiet_log(x: Any) -> Any:
    """Python computes both operands of `_chosen`; of a negative number there is no logarithm to be had."""
    return np.log(x) if x > 0 else math.nan


def expected_branches() -> dict[str, Any]:
    """Values and slopes by the tape, which needs no cond, and no logarithm too many."""
    found: dict[str, Any] = {}
    for case, (program, x) in PROGRAMS.items():
        both = value_and_grad(lambda x, program=program: program(x, _quiet_log, _chosen))(x)
        found |= dict(zip((VALUE.format(case), SLOPE.format(case)), both, strict=True))
    return found | {LOGARITHMS: 0.0}


def run_branches(run: Any, cond_gradient: Any) -> Any:
    """Values and slopes by the learner's graph, and what it computed on the way."""
    logarithms: list[float] = []

    def counted(x: Any) -> Any:
        logarithms.append(x)
        return np.log(x)

    def answer(names: dict[str, Any], program: Any, at: float, asked: Callable[[Any, Any], Any] | None) -> Any:
        names["GRADIENT"]["cond"], names["COMPUTE"]["log"] = cond_gradient, counted
        logarithms.clear()
        x = names["Op"]("x")
        values = run(
            [(asked or names["gradient"])(program(x, lambda t: t.operation("log", t), names["cond"]), x)], {x: at}
        )
        return values[0] if isinstance(values, list | tuple) and len(values) == 1 else values

    def count_logarithms(names: dict[str, Any]) -> float:
        answer(names, *PROGRAMS[NEGATIVE], _itself)
        return float(len(logarithms))

    cases: dict[str, tuple[Any, ...]] = {}
    for case, (program, at) in PROGRAMS.items():
        cases[VALUE.format(case)] = (answer, program, at, _itself)
        cases[SLOPE.format(case)] = (answer, program, at, None)
    cases[LOGARITHMS] = (count_logarithms,)
    return run_cases(call_case, cases, run, cond_gradient, listing=LISTING, machine="graph")


def _itself(y: Any, x: Any) -> Any:
    return y


def _answer(
    chosen: str = "value(a if value(condition) else b)",
    sent: str = "None, cond(condition, grad, 0.0), cond(condition, 0.0, grad)",
) -> str:
    return f"""\
def run(targets, feed):
    values = dict(feed)

    def value(node):
        if node not in values:
            if not node.inputs:
                values[node] = node.value
            elif node.kind == "cond":
                condition, a, b = node.inputs
                values[node] = {chosen}
            else:
                values[node] = COMPUTE[node.kind](*[value(i) for i in node.inputs])
        return values[node]

    return [value(node) for node in targets]


def cond_gradient(op, grad):
    condition, a, b = op.inputs
    return {sent}"""


_AT_2, _AT_3 = SLOPE.format(POSITIVE), SLOPE.format(NEGATIVE)

ex_08_6 = Exercise(
    expects="two functions, run(nodes, feed) and cond_gradient(op, grad)",
    expected=expected_branches(),
    observe=run_branches,
    reference=_answer(),
    misconceptions={
        _answer("{True: value(a), False: value(b)}[bool(value(condition))]"): (
            {VALUE.format(NEGATIVE): 9.0, LOGARITHMS: 1.0},
            "The value is right, and on the way the logarithm of -3 was computed. Ask for the value of the branch "
            "that was chosen, and of no other.",
        ),
        _answer("value(a) if condition else value(b)"): (
            {VALUE.format(POSITIVE): Crashed("TypeError", "no value yet")},
            "You asked the node condition whether it is true. Ask for its value: value(condition).",
        ),
        _answer("value(b if value(condition) else a)"): (
            {VALUE.format(POSITIVE): 4.0},
            "The branches are the wrong way round: a is for True.",
        ),
        _answer(sent="None, grad, grad"): (
            {_AT_2: 4.5, VALUE.format(POSITIVE): math.log(2)},
            "Both branches were sent the whole gradient, as if both had run. The one that did not run must get 0, and "
            "which one that is is known only in the run: so what is sent has to be a cond too.",
        ),
        _answer(sent="None, cond(condition, 0.0, grad), cond(condition, grad, 0.0)"): (
            {_AT_2: 4.0, VALUE.format(POSITIVE): math.log(2)},
            "The gradient goes to the branch that did not run.",
        ),
        _answer(sent="None, grad, grad * 0.0"): (
            {_AT_2: 0.5, _AT_3: -1 / 3},
            "The first branch always gets everything. At 2 that is right, and at -3 it is not.",
        ),
        _answer(sent="(None, grad, 0.0) if condition else (None, 0.0, grad)"): (
            {VALUE.format(POSITIVE): math.log(2), _AT_2: Crashed("TypeError", "no value yet")},
            "This if would have to be decided while the graph is built, and there is no number yet. Let the graph "
            "decide: with cond.",
        ),
        _answer(sent="cond(condition, grad, 0.0), cond(condition, 0.0, grad)"): (
            {VALUE.format(POSITIVE): math.log(2), _AT_2: Crashed("ValueError")},
            "Cond has three inputs, and you return two gradients. For the condition send None: nothing flows there.",
        ),
        _answer(sent="grad, cond(condition, grad, 0.0), cond(condition, 0.0, grad)"): (
            {SLOPE.format(BARE): 3.0},
            "Both branches get what they should, and the condition gets something too. A comparison lets nothing "
            "pass, so it did no harm there; in cond(x, x * 2, x * x) the condition is x itself, and its slope came "
            "out 1 too large. The condition chooses, and nothing flows to it: None.",
        ),
    },
    hints=(
        "In run: value(…) computes a node and all it needs. Of which of the two branches do you call it?",
        "Only the value of the condition can tell. values[node] = value(a if … else b).",
        "In the gradient each branch gets a cond: the gradient if it is the one that ran, else 0.0.",
    ),
    praise="Both branches are in the graph, and each run takes one. The gradient has a cond as well.",
)
