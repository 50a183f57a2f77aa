"""The exercises of notebook 12 about the loss: its gradient, its way down, and gradients that are wrong or too long."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_lab.lessons.checks import Exercise, plain
from autodiff_lab.lessons.lesson_12 import sandbox
from autodiff_lab.lessons.lesson_12.variants import loss_instance, overshoot_instance

# 1. softmax and cross-entropy


def _gradient(formula: str = "(p - y) / len(p)") -> str:
    return f"""\
def gradient_of_scores(p, y):
    return {formula}"""


ONE, TWO = "one flower, all scores equal", "two flowers"
_RIGHT = sandbox.expected_score_gradients()
_FIRST = _RIGHT[ONE][0]

ex_12_1 = Exercise(
    expects="a function gradient_of_scores(p, y) that returns an array of the shape of p",
    expected=_RIGHT,
    observe=sandbox.find_score_gradients,
    cases="There is a row for each flower, and in it a number for each score.",
    reference=_gradient(),
    misconceptions={
        _gradient("p - y"): (
            {ONE: _RIGHT[ONE], TWO: tuple(tuple(2 * g for g in row) for row in _RIGHT[TWO])},
            "That is right for one flower. The loss is a mean over all of them.",
        ),
        _gradient("(y - p) / len(p)"): (
            {ONE: (tuple(-g for g in _FIRST),)},
            "The sign is turned round. If the score of the right class rises, the loss falls.",
        ),
        _gradient("-y / p / len(p)"): (
            {ONE: ((-3.0, 0.0, 0.0),)},
            "That is the gradient with respect to the probabilities p. One step further back are the scores, and a "
            "score moves all three probabilities.",
        ),
        _gradient("y * (p - 1) / len(p)"): (
            {ONE: ((_FIRST[0], 0.0, 0.0),)},
            "The entry of the true class is right. The other scores have a derivative too: they stand in the "
            "denominator of every p.",
        ),
        _gradient("(p - y).mean(axis=0)"): (
            {ONE: _FIRST},
            "That is the gradient with respect to b, where all flowers are added up. Each score has a derivative "
            "of its own.",
        ),
        _gradient("(p - y) / p.size"): (
            {ONE: (tuple(g / 3 for g in _FIRST),)},
            "You divided by the number of all entries. The loss is a mean over the flowers: divide by len(p).",
        ),
    },
    hints=(
        "For one flower of class c the loss is log Σ exp(zₖ) − z_c. Differentiate both parts with respect to zᵢ.",
        "The derivative of the first part is the probability pᵢ. The derivative of z_c is 1 for i = c, else 0.",
        "Per flower that is p − y. The mean over n flowers divides by n, and len(p) is n.",
    ),
    praise="The probabilities minus the truth. Exponentials and logarithms have cancelled.",
)

# 2. the series

ex_12_2 = Exercise(
    expects="a number, the loss at this epoch",
    make=loss_instance,
    draws={"rate": (0.05, 0.08, 0.12), "epoch": (5, 15, 20, 25)},
    hints=(
        "Begin with zeros. In each turn: the gradient where you are, then the new parameters from the old ones.",
        "At epoch 0 the loss is ln 3, before any update. At epoch 10 there have been ten.",
        'In the loop: gradient = ad.grad(loss)(parameters), and then a new dictionary with "w" and "b".',
    ),
    praise="The gradient was one line. You have added the loop, the rate and the start.",
)

# 3. a bug that trains


def _comparison(
    quotient: str = "(f(x + step) - f(x - step)) / (2 * h)",
    answer: str = "np.max(np.abs(claimed - quotients)) / np.max(np.abs(quotients))",
    step: str = "step = np.zeros(len(x))\n        step[k] = h",
) -> str:
    return f"""\
def worst_error(f, x, claimed, h=1e-5):
    quotients = np.zeros(len(x))
    for k in range(len(x)):
        {step}
        quotients[k] = {quotient}
    return {answer}"""


def _seen_of(source: str) -> dict[str, Any]:
    scope: dict[str, Any] = {"np": np}
    exec(source, scope)
    return sandbox.compare_claims(scope["worst_error"])


_WANTED = sandbox.expected_comparison()
_EXACT = "the gradient itself"
_IN_PLACE = """\
def worst_error(f, x, claimed, h=1e-5):
    quotients = np.zeros(len(x))
    for k in range(len(x)):
        x[k] += h
        right = f(x)
        x[k] -= 2 * h
        quotients[k] = (right - f(x)) / (2 * h)
    return np.max(np.abs(claimed - quotients)) / np.max(np.abs(quotients))"""
_TIMES, _SMALL, _LARGE = "three times the gradient", "one entry too small", "one entry too large"

ex_12_3a = Exercise(
    expects="a function worst_error(f, x, claimed) that returns a number",
    expected=_WANTED,
    observe=sandbox.compare_claims,
    cases="The number is the worst error of an entry, divided by the size of the largest entry.",
    reference=_comparison(),
    misconceptions={
        _comparison(answer="np.max(np.abs(claimed - quotients))"): (
            {_SMALL: 1.0, _LARGE: 2.0},
            "That is the error as it is. An error of 1 is small where gradients are of size 1000: divide by the "
            "largest entry.",
        ),
        _comparison(answer="np.max(claimed - quotients) / np.max(np.abs(quotients))"): (
            {_TIMES: _WANTED[_TIMES], _LARGE: _WANTED[_LARGE]},
            "An entry that is too small is not found: its difference is negative. Take the size of the difference.",
        ),
        _comparison(answer="np.mean(np.abs(claimed - quotients)) / np.max(np.abs(quotients))"): (
            {_SMALL: _WANTED[_SMALL] / 3, _LARGE: _WANTED[_LARGE] / 3},
            "The mean hides one wrong entry among many right ones. The question is the worst one.",
        ),
        _comparison(step="step = h"): (
            {_EXACT: _seen_of(_comparison(step="step = h"))[_EXACT]},
            "All entries move at once, and you see the derivative along the diagonal. Move one entry, leave the "
            "others.",
        ),
        _comparison(quotient="(f(x + step) - f(x - step)) / h"): (
            {_TIMES: 0.5},
            "From x − h to x + h the distance is 2h.",
        ),
        _comparison(quotient="(f(x + step) - f(x)) / h"): (
            {_EXACT: _seen_of(_comparison(quotient="(f(x + step) - f(x)) / h"))[_EXACT]},
            "That is a forward difference: its error is too large to tell a right gradient. Go to both sides of x.",
        ),
        _comparison(answer="np.max(np.abs(claimed - quotients) / np.abs(quotients))"): (
            {_SMALL: _seen_of(_comparison(answer="np.max(np.abs(claimed - quotients) / np.abs(quotients))"))[_SMALL]},
            "You divide each error by its own entry, and near 0 that is anything. Divide the largest error by the "
            "largest quotient.",
        ),
        _IN_PLACE: (
            {_EXACT: _seen_of(_IN_PLACE)[_EXACT]},
            "After an entry has been moved it must be where it was: here x keeps the moves of all entries. Add the "
            "step to a copy.",
        ),
    },
    hints=(
        "For each entry k: a vector of zeros with h in place k; then f to the right of x and to the left of it.",
        "The central difference is (f(x + step) − f(x − step)) / (2h).",
        "Of all the differences to what is claimed take the largest in size, and divide by the largest quotient.",
    ),
    praise="A falling loss cannot replace this comparison.",
)


def read_pair(answer: Any) -> Any:
    """A number and a word; capitals and brackets do not matter, and a heavy ball is momentum.

    >>> read_pair([1, "Heavy-ball momentum"]), read_pair((0.5, " B)"))
    ((1.0, 'momentum'), (0.5, 'b'))
    """
    parts = plain(answer)
    if not isinstance(parts, tuple):
        return parts
    return tuple(_word(part) if isinstance(part, str) else part for part in parts)


def _word(text: str) -> str:
    word = " ".join(text.casefold().replace("-", " ").strip(" .()").split())
    return "momentum" if word in {"heavy ball", "heavy ball momentum", "momentum"} else word


_BETA = "a ← β a + g, x ← x − η a"

ex_12_3b = Exercise(
    expects='a pair, β and a name, such as (0.5, "Adam")',
    expected=(1.0, "momentum"),
    observe=read_pair,
    reference='answer = (1.0, "momentum")',
    misconceptions={
        (0.0, "gradient descent"): "With β = 0 nothing of the past is in the step: that is the run with zero_grad.",
        (0.9, "momentum"): "It is momentum. With 0.9 a gradient would fade: after ten steps a third of it is left. "
        "What fades here?",
        (1.0, "gradient descent"): "β is right. A step that remembers all former steps has another name than one that "
        "remembers none.",
        (1.0, "adam"): "β is right. But nothing is divided by the size of the gradients here, as Adam does.",
    },
    hints=(
        f"Write the two lines as {_BETA}. What is a after the first epoch, after the second, after the third?",
        "a is g₀, then g₀ + g₁, then g₀ + g₁ + g₂. Which β makes that of β a + g?",
        "The method is the one that Polyak's heavy ball stands for: it rolls on in the direction it has.",
    ),
    praise="Momentum with β = 1: a heavy ball that rolls without friction.",
)

# 4. too long a step

ex_12_4 = Exercise(
    expects='a pair, a factor and a letter, such as (0.5, "a")',
    make=overshoot_instance,
    observe=read_pair,
    draws={"rate": (0.15, 0.18, 0.25, 0.3, 0.35, 0.4)},
    tolerance=1e-3,
    hints=(
        "Where the loss bends most it is nearly a parabola, λ/2 · d², d counted from the bottom.",
        "The derivative there is λ d. One step leads from d to d − rate · λ d.",
        "d − rate · λ d = (1 − rate · λ) d. If the factor is below −1 you land on the other side, and further away.",
    ),
    praise="Up to 1/λ a step stays on its side, up to 2/λ it goes over the bottom and still comes closer, beyond 2/λ "
    "each step leads further away. Along the other directions the loss bends less, and the same step is not too long.",
)
