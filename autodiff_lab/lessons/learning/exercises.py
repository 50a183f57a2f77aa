"""The exercises of `learning`: the learner's gradients, gradient check and updates, on iris and on a small network."""

import functools
import itertools
from typing import Any

import numpy as np

from autodiff_lab import grad, load_iris
from autodiff_lab.lessons.checks import (
    Crashed,
    Instance,
    Refused,
    attempt,
    plain,
    run_cases,
    summarize,
    vet_code,
)
from autodiff_lab.lessons.checks.compare import Finding
from autodiff_lab.systems.iris import Epoch, categorical_cross_entropy, reg, train_arrays
from autodiff_lab.systems.perceptron import FIXED_START, XOR, loss, network, two_moons
from autodiff_lab.systems.wengert import Var

CHANGED = "this only by changing an array that you were given: work on a copy"

# The gradient of softmax and cross-entropy

SCORES = {
    "one flower, all scores equal": (np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0]])),
    "two flowers": (
        np.array([[1.0, 2.0, 3.0], [0.5, -1.0, 0.0]]),
        np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    ),
    "four flowers": (np.arange(12.0).reshape(4, 3) % 5 / 2, np.eye(3)[[2, 0, 1, 1]]),
}


def cross_entropy(z: Any, y: Any) -> Any:
    """The mean cross-entropy of softmax(z), for scores z and labels y of shape (n, 3)."""
    return np.sum(y * (np.log(np.sum(np.exp(z), axis=1, keepdims=True)) - z)) / len(y)


def expected_score_gradients() -> dict[str, Any]:
    """Exercise 1: the gradients of cross-entropy of softmax with respect to the scores, by the engine."""
    return {case: plain(grad(cross_entropy)(z, y)) for case, (z, y) in SCORES.items()}


def find_score_gradients(gradient_of_scores: Any) -> Any:
    """Exercise 1: the same gradients by the learner's formula, from probabilities and labels."""

    def run(names: dict[str, Any], z: Any, y: Any) -> Any:
        p = np.exp(z) / np.sum(np.exp(z), axis=1, keepdims=True)
        given = p.copy(), y.copy()
        found = gradient_of_scores(*given)
        return found if all(map(np.array_equal, given, (p, y))) else Finding(CHANGED)

    return run_cases(run, SCORES, gradient_of_scores)


# The series


@functools.lru_cache(maxsize=64)
def iris_run(rate: float, epochs: int, clear: bool = True) -> tuple[Epoch, ...]:
    """The first epochs of a training of softmax regression on iris, with arrays."""
    return tuple(itertools.islice(train_arrays(rate=rate, clear=clear), epochs))


# A number and a word


def read_pair(answer: Any) -> Any:
    """Exercise 3b: a number and a word in any spelling; heavy ball means momentum.

    >>> read_pair([1, "Heavy-ball momentum"]), read_pair((0.5, " B)"))
    ((1.0, 'momentum'), (0.5, 'b'))
    """
    parts = plain(answer)
    if not isinstance(parts, tuple):
        return parts
    return tuple(_word(part) if isinstance(part, str) else part for part in parts)


def _word(text: str) -> str:
    word = " ".join(text.casefold().replace("-", " ").strip(" .()").split())
    return "momentum" if word in {"heavy ball", "heavy ball momentum"} else word


# A gradient compared with differences

POINT = np.array([1.0, -0.5, 2.0])


def _curved(x: Any) -> Any:
    return np.exp(x[0]) * x[1] + x[2] ** 3 - x[0] * x[2]


def _negated(x: Any) -> Any:
    return -_curved(x)


def _of_two(x: Any) -> Any:
    return x[0] * x[1] ** 2


BELOW = "below 0.000001"
SLOPES = grad(_curved)(POINT)
LARGEST = float(np.max(np.abs(SLOPES)))
PAIR = np.array([1.0, 3.0])
LONG_STEP = 0.1
# A function, a point, a claimed gradient, and its largest error relative to the largest element of the gradient.
CLAIMS: dict[str, tuple[Any, Any, Any, str | float]] = {
    "the gradient itself": (_curved, POINT, SLOPES, BELOW),
    "three times the gradient": (_curved, POINT, 3 * SLOPES, 2.0),
    "one entry too small": (_curved, POINT, SLOPES - np.array([0.0, 0.0, 1.0]), 1.0 / LARGEST),
    "one entry too large": (_curved, POINT, SLOPES + np.array([0.0, 2.0, 0.0]), 2.0 / LARGEST),
    "one entry too large, where the largest is negative": (
        _negated, POINT, np.array([0.0, 2.0, 0.0]) - SLOPES, 2.0 / LARGEST,
    ),
    "a function of two inputs": (_of_two, PAIR, grad(_of_two)(PAIR) + np.array([0.9, 0.0]), 0.1),
}  # fmt: skip
WITH_STEP = "the gradient itself, with h = 0.1"


def largest_relative_error(f: Any, x: Any, claimed: Any, h: float) -> float:
    """Exercise 3a: the largest error of a claimed gradient's elements, divided by the largest central difference.

    >>> round(largest_relative_error(lambda x: x[0] ** 3, np.array([1.0]), np.array([3.0]), 0.1), 6)
    0.003322
    """
    quotients = [(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(len(x))]
    return float(np.max(np.abs(claimed - quotients)) / np.max(np.abs(quotients)))


def compare_claims(worst_error: Any) -> Any:
    """Exercise 3a: the learner's `worst_error` of correct and wrong gradients, and its input afterwards."""
    vet_code(worst_error)
    found: dict[str, Any] = {}
    for case, (f, at, claimed, _) in CLAIMS.items():
        x = at.copy()
        error = summarize(attempt(worst_error, lambda x, f=f: float(f(x)), x, claimed.copy()))
        found[case] = _name_if_tiny(error)
        found.setdefault("x afterwards", plain(x))
        if isinstance(error, Crashed) and error.never_ends:
            return found
    error = summarize(
        attempt(worst_error, lambda x: float(_curved(x)), POINT.copy(), SLOPES.copy(), LONG_STEP)
    )
    return found | {WITH_STEP: _name_if_tiny(error)}


def _name_if_tiny(error: Any) -> Any:
    return BELOW if isinstance(error, float) and abs(error) < 1e-6 else error


def expected_comparison() -> dict[str, Any]:
    """Exercise 3a: the errors of correct and wrong gradients, relative to the largest element."""
    errors = {case: error for case, (_, _, _, error) in CLAIMS.items()}
    with_step = largest_relative_error(_curved, POINT, SLOPES, LONG_STEP)
    return errors | {WITH_STEP: with_step, "x afterwards": plain(POINT)}


# The update on cells

EPOCHS = 4
FLOWERS = (0, 40, 80, 100)
RATE = 0.02


def update_leaves(w: Any, b: Any, rate: float) -> None:
    """Exercise 4: an update that changes the parameters in place, so that they stay leaves."""
    for parameter in itertools.chain(b, *w):
        parameter.value -= rate * parameter.sensitivity


def run_updates(update: Any) -> Any:
    """Exercise 4: the losses and the lengths of the tape over a few epochs with four flowers, by the given update."""
    vet_code(update)
    iris = load_iris()
    xs = iris.train.features[list(FLOWERS)].tolist()
    truth = np.eye(3)[iris.train.labels[list(FLOWERS)]].tolist()
    w: Any = [[Var(0.0) for _ in range(4)] for _ in range(3)]
    b: Any = [Var(0.0) for _ in range(3)]

    def forward() -> Any:
        return categorical_cross_entropy(truth, [reg(x, w, b, stable=False) for x in xs])

    losses, cells = [], []
    for _ in range(EPOCHS):
        result = attempt(forward)
        if isinstance(result, Crashed):
            return result
        if not hasattr(result, "sweep"):
            return Refused("After your update no parameter is a cell.")
        losses.append(result.value)
        cells.append(float(sum(1 for _ in result.sweep())))
        went = attempt(update, w, b, RATE)
        if isinstance(went, Crashed):
            return went
    return {"the losses": tuple(losses), "cells on the tape": tuple(cells)}


# The network

NETWORKS = {
    "XOR": (FIXED_START, XOR),
    "six points of two moons": (FIXED_START, two_moons(points=3)),
}


def find_w2_gradients(w2_gradient: Any) -> Any:
    """Exercise 5: the learner's gradients with respect to W2, for the network on two data sets."""

    def run(names: dict[str, Any], params: Any, task: Any) -> Any:
        hidden = np.tanh(task.x @ params["W1"] + params["b1"])
        given = hidden, network(params, task.x), task.t
        copies = [array.copy() for array in given]
        found = w2_gradient(*copies)
        return found if all(map(np.array_equal, copies, given)) else Finding(CHANGED)

    return run_cases(run, NETWORKS, w2_gradient)


def expected_w2_gradients() -> dict[str, Any]:
    """Exercise 5: the gradients of the network's loss with respect to W2 on two data sets, by the engine."""
    return {
        case: plain(grad(loss)(params, task)["W2"]) for case, (params, task) in NETWORKS.items()
    }


# With numbers of one's own


def train_softmax(rate: float = 0.07, epoch: int = 10) -> Instance:
    """Exercise 2: the loss of the iris training at an epoch, which is the loss after that many updates.

    The notebook never trains with this rate, so none of the losses that it prints is the answer.
    """
    run = iris_run(rate, epoch + 2)
    right = run[epoch].loss
    kept = iris_run(rate, epoch + 1, clear=False)[epoch].loss
    mistakes = {
        "one update missing": run[epoch - 1].loss,
        "one update too many": run[epoch + 1].loss,
        "no update": run[0].loss,
        "gradients kept": kept,
        "sum over the flowers": 112 * right,
    }
    return Instance(right, mistakes=mistakes)
