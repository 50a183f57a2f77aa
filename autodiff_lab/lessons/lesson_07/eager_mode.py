"""The exercises of notebook 07 about the package's tape: what it hears, how often it answers, and `minimize`."""

from __future__ import annotations

from typing import Any

from autodiff_lab.lessons.checks import Crashed, Exercise, in_small_letters, plain
from autodiff_lab.lessons.lesson_07.sandbox import AT_ONCE, BESIDE, STEPS, WHERE, after, rewind_tape, run_minimize
from autodiff_lab.lessons.lesson_07.variants import table_instance

# 4. the truth table


ex_07_4 = Exercise(
    expects="six cells, each a number or None",
    make=table_instance,
    draws={"x": (1.5, 2.0, 2.5, 3.0, 4.0, 5.0), "accessed": (True, False)},
    hints=(
        "For each of the six ask two questions. Is it watched? Is every step from it to z on the tape?",
        "Watched: trainable Variables that are read (if watch_accessed_variables is True), and what watch() was told.",
        "Two of the six are lost on the way: one becomes a plain number, one is squared while recording is stopped.",
    ),
    praise="Every None had a reason that you can name. The tape cannot name it: it has no record.",
)

# 5. rewound once

_TWICE, _AFTERWARDS = "the two gradients", "what the tape says to one question more"


def _both(body: str) -> str:
    return f"def both_gradients(tape, z, x, y):\n    {body}"


ex_07_5 = Exercise(
    expects="a function both_gradients(tape, z, x, y) that returns two gradients",
    expected={_TWICE: (4.0, 6.0), _AFTERWARDS: "ReleasedError"},
    observe=rewind_tape,
    reference=_both("return tape.gradient(z, [x, y])"),
    misconceptions={
        _both("return tape.gradient(z, x), tape.gradient(z, y)"): (
            {_TWICE: Crashed("ReleasedError")},
            "The second question comes to an empty tape: each record was let go as soon as it had been rewound.",
        ),
        _both("tape.persistent = True\n    return tape.gradient(z, x), tape.gradient(z, y)"): (
            {_TWICE: (4.0, 6.0), _AFTERWARDS: "rewound once more"},
            "The numbers are right, and now the tape holds on to all its records. Here one rewinding is enough.",
        ),
        _both("return tape.gradient([z, z], [x, y])"): (
            {_TWICE: (8.0, 12.0)},
            "One source list is right. But two targets are added, so everything came out twice as large.",
        ),
        _both("dx = tape.gradient(z, x)\n    tape.reset()\n    return dx, tape.gradient(z, y)"): (
            {_TWICE: (4.0, None)},
            "reset() makes the tape new: it may be asked again, and it has heard nothing. So the answer is None.",
        ),
    },
    hints=(
        "How often may the tape be rewound? And how many gradients does one rewinding compute?",
        "The second argument of tape.gradient may be a list, a tuple or a dictionary of sources.",
    ),
    praise="One rewinding serves all sources, and the records are gone afterwards: that keeps the memory small.",
)

# 6. None or zero

NONE_OR_ZERO = ("zero", "none", "zero", "none")


def read_policies(answer: Any) -> Any:
    """Words in small letters; None and 0 themselves will do."""
    seen = plain(answer)
    if not isinstance(seen, tuple):
        return seen
    spelled = {None: "none", 0.0: "zero"}
    said = [spelled.get(part, part) if part is None or isinstance(part, float) else part for part in seen]
    return in_small_letters(
        [part.lower().replace("zeros", "zero") if isinstance(part, str) else part for part in said], *NONE_OR_ZERO[:2]
    )


ex_07_6 = Exercise(
    expects='four words, each "none" or "zero"',
    expected=NONE_OR_ZERO,
    observe=read_policies,
    misconceptions={
        ("zero", "none", "zero", "zero"): "The fourth: momentum remembers. With the gradient 0 it rolls on; with None "
        "the parameter stays put.",
        ("zero", "zero", "zero", "none"): "The second: 0 is also the gradient of a parameter that is connected and "
        "happens to lie at the bottom. Then the two cannot be told apart.",
        ("none", "none", "zero", "none"): "The first: a sum of squares with None in it is a TypeError. The derivative "
        "with respect to an unused parameter is 0.",
        ("zero", "none", "none", "none"): "The third: a matrix needs a number in every place, and the derivative of 3 "
        "is a number: 0.",
        ("zero",) * 4: "A zero everywhere is convenient, and hides two things: a parameter that is not connected, and "
        "one that should be left alone.",
        ("none",) * 4: "None is careful, and there are places where you compute with the gradient: a None in a sum or "
        "in a matrix stops the program.",
    },
    hints=(
        "None is a remark about the tape, 0 is a slope. Which of the two does each situation ask for?",
        "Where you go on computing with it you need a number. Where a decision hangs on it you need the remark.",
    ),
    praise="In 1 and 3 you need the derivative, which is 0. In 2 and 4 you need to know what was recorded: None.",
)

# 7. minimize

_IMPORT = "from autodiff_lab.systems.gradient_tape import GradientTape"


def _minimize(
    step: str = "variable.assign_sub(learning_rate * gradient)",
    guard: str = "if gradient is not None:\n            ",
    grads: str = "tape.gradient(value, variables)",
    before: str = "",
    inside: str = "value = loss()",
) -> str:
    return f"""\
{_IMPORT}


def minimize(loss, variables, learning_rate):
{before}    with GradientTape() as tape:
        {inside}
    for gradient, variable in zip({grads}, variables, strict=True):
        {guard}{step}"""


def _shrinking(factor: float) -> dict[str, Any]:
    """What the loss is after each step if each multiplies it by this factor: it begins with 68."""
    return {after(k): 68 * factor**k for k in range(STEPS + 1)}


ex_07_7 = Exercise(
    expects="a function minimize(loss, variables, learning_rate) that changes the Variables and returns nothing",
    expected={WHERE: 4.6} | _shrinking(0.64) | {BESIDE: 1.0, AT_ONCE: (4.0, 9.5)},
    observe=run_minimize,
    reference=_minimize(),
    misconceptions={
        _minimize(step="variable.assign_add(learning_rate * gradient)"): (
            {after(1): 68 * 1.44},
            "The loss grows. The gradient points uphill, and you want to go down.",
        ),
        _minimize(step="variable = variable - learning_rate * gradient"): (
            {WHERE: 5.0},
            "Nothing moves, for one of two reasons. `variable = …` gives the name to a new tensor, and the Variable "
            "keeps its value: write variable.assign_sub(…). Or every gradient is None, because loss() was called "
            "outside of the `with`, where no tape records: call it inside.",
        ),
        _minimize(inside="value = loss"): (
            {WHERE: Crashed("InputError", "target is")},
            "You recorded the function itself and did not call it. Write value = loss(), with brackets.",
        ),
        _minimize(step="variable.assign(learning_rate * gradient)"): (
            {after(1): 6.92},
            "You put the step instead of the value. Subtract it from what the Variable holds: assign_sub.",
        ),
        _minimize(step="variable.assign_sub(gradient)"): (
            {WHERE: 1.0},
            "The learning rate is missing. Without it a step jumps to the other side of the valley, exactly as high.",
        ),
        _minimize(guard=""): (
            {after(1): Crashed("TypeError", "NoneType")},
            "One of the Variables is not used by the loss, and its gradient is None. Leave such a Variable alone.",
        ),
        f"{_IMPORT}\n\n\ndef minimize(loss, variables, learning_rate):\n    for variable in variables:\n"
        "        with GradientTape() as tape:\n            value = loss()\n"
        "        gradient = tape.gradient(value, variable)\n        if gradient is not None:\n"
        "            variable.assign_sub(learning_rate * gradient)": (
            {after(STEPS): 68 * 0.64**STEPS, AT_ONCE: (4.0, 9.6)},
            "Each Variable is changed before the gradient with respect to the next one is taken, so that gradient "
            "belongs to another point. This loss does not show it; the loss w * b does. First all gradients, then all "
            "updates.",
        ),
    },
    hints=(
        "compute_gradients: call loss() inside of `with GradientTape() as tape:`, and ask the tape outside.",
        "apply_gradients: go through gradients and Variables together. A gradient may be None.",
        "variable.assign_sub(learning_rate * gradient), if gradient is not None.",
    ),
    praise="68 · 0.64ᵏ, to the last digit: after each step 0.8 of the way to the bottom is left, and 0.64 of the loss.",
)
