"""The exercises of notebook 13 about choices: a rule for ties, and what is to be clipped."""

from __future__ import annotations

from autodiff_lab.lessons.checks import Exercise
from autodiff_lab.lessons.lesson_13 import sandbox
from autodiff_lab.lessons.lesson_13.sandbox import DOCUMENTED, LIMITED, TIES
from autodiff_lab.lessons.lesson_13.variants import clip_instance

# 5. a rule for ties


def _share(body: str, said: str = "Split the adjoint evenly among the largest entries.") -> str:
    doc = f'    """{said}"""\n' if said else ""
    return f"def share(x):\n{doc}    {body}"


PAIR, NO_TIE, FOUR, _ = TIES

ex_13_5 = Exercise(
    expects="a function share(x) that returns one share for each entry",
    expected=sandbox.fair(),
    observe=sandbox.judge_shares,
    reference=_share("won = x == np.max(x)\n    return won / np.sum(won)"),
    misconceptions={
        _share("return 1.0 * (x == np.max(x))", "Every largest entry gets all of it."): (
            {PAIR: "the adjoints of the entries add up to 2 times that of the maximum"},
            "Every winner gets everything: two winners, and the adjoint has doubled. If both entries grow by 1, the "
            "maximum grows by 1, not by 2.",
        ),
        _share("return (x == np.max(x)) / 2", "Half for each of the two largest."): (
            {FOUR: "the adjoints of the entries add up to 2 times that of the maximum"},
            "That is right for two winners. Four may tie, or there may be only one.",
        ),
        _share("return np.ones(len(x)) / len(x)", "Everybody gets the same."): (
            {NO_TIE: "an entry that is not the largest gets a share"},
            "An entry that is not the largest can move a little and the maximum does not notice. Its share is 0.",
        ),
        _share(
            "won = x == np.max(x)\n    return 1.0 * won if np.sum(won) == 1 else 0.0 * x", "At a tie nobody gets any."
        ): (
            {PAIR: "the adjoints of the entries add up to 0 times that of the maximum"},
            "At a tie all is lost. Move all the tied entries together: the maximum moves with them.",
        ),
        _share("return np.argmax(x)", "The first of the largest gets all."): (
            {PAIR: "0 for 3 entries: one share for each is needed"},
            "That is the position of the winner. Asked for is an array of shares, with a 1 in that position.",
        ),
        _share("won = x == np.max(x)\n    return won / np.sum(won)", ""): (
            {PAIR: sandbox.fair()[PAIR], DOCUMENTED: "is missing, or too short to say what is done at a tie"},
            "The rule is fair. It is a choice among several, so whoever uses it has to be told: say in a docstring, "
            "in a sentence, what happens at a tie.",
        ),
    },
    hints=(
        "Who may get a share? Those with x == np.max(x).",
        "Whatever you choose, the shares have to add up to 1. Even shares do; so does all for the first one.",
        "won = x == np.max(x), divided by how many there are. And a docstring that says so.",
    ),
    praise="All for the first would have passed too. There is no right choice here, only fair ones, and one that is "
    "written down.",
)

# 6. what a clip sends back

ex_13_6 = Exercise(
    expects="two gradients of three numbers each, ((…), (…))",
    make=clip_instance,
    draws={"e1": (-4.0, -2.0, -1.5, 3.0), "e2": (0.3, -0.4, 0.7, 0.25), "e3": (5.0, 0.6, -0.2, 2.5)},
    hints=(
        "Draw the clip: flat, then a line of slope 1 from −1 to 1, then flat again.",
        "For each error ask: if it moves a little, does the clipped error move? That is the first gradient.",
        "The square adds a factor, the clipped error. It multiplies what the clip lets through.",
    ),
    praise="The large errors are the ones that should be corrected, and nothing comes back to them.",
)

# 7. clip the gradient instead


def _limited(rule: str = "vjp=lambda g, y, x: np.clip(g, -1.0, 1.0)", body: str = "x") -> str:
    decorator = f"@custom_gradient({rule})\n" if rule else ""
    return f"{decorator}def clip_gradient(x):\n    return {body}"


OUT, LOSS, HUNDRED = LIMITED

ex_13_7 = Exercise(
    expects="a function clip_gradient(x) with a rule of its own",
    expected=sandbox.expected(sandbox.limit_adjoint, LIMITED),
    observe=lambda clip_gradient: sandbox.try_cases(clip_gradient, LIMITED),
    reference=_limited(),
    misconceptions={
        _limited("", "np.clip(x, -1.0, 1.0)"): (
            {OUT: (-1.0, 0.3, 1.0), LOSS: (0.0, 0.3, 0.0)},
            "That clips the errors, which is the bug. The value is to pass unchanged; what comes back is clipped.",
        ),
        _limited(""): (
            {OUT: (-2.0, 0.3, 5.0), LOSS: (-2.0, 0.3, 5.0)},
            "The value passes, and so does everything that comes back. Give the function a rule that clips what "
            "arrives: custom_gradient(vjp=…).",
        ),
        _limited("vjp=lambda g, y, x: np.clip(x, -1.0, 1.0)"): (
            {LOSS: (-1.0, 0.3, 1.0), HUNDRED: (-1.0, 0.3, 1.0)},
            "In the loss that looks right, because there the adjoint happens to be the error. Clip g, what arrives, "
            "and not x.",
        ),
        _limited("vjp=lambda g, y, x: g * np.clip(x, -1.0, 1.0)"): (
            {LOSS: (2.0, 0.09, 5.0)},
            "You multiplied the adjoint by the clipped operand, as if that were a local partial. A partial does not "
            "see the adjoint; a vjp does. Return g itself, clipped.",
        ),
        _limited(body="np.clip(x, -1.0, 1.0)"): (
            {OUT: (-1.0, 0.3, 1.0), HUNDRED: (1.0, 1.0, 1.0)},
            "The rule is right. But the value is clipped too, and should pass unchanged.",
        ),
    },
    hints=(
        "The function returns its operand. All the rest is in the rule.",
        "custom_gradient(vjp=lambda g, y, x: …): g is the adjoint that arrives, and what you return goes on to x.",
    ),
    praise="No function has this derivative. It is a decision about learning, and it stands where it can be seen.",
)
