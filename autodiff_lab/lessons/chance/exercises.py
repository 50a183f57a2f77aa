"""The exercises of `chance`: the learner's estimators of slopes, run on fixed samples.

The expected numbers come from closed forms: of a loaded die, of a normal distribution, and of a softmax.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab import grad
from autodiff_lab.lessons.checks import plain, run_cases

# 1. The average that we meant

LOADS = {"a load of 0": (0.0,), "a load of 0.2": (0.2,)}


def expected_averages() -> dict[str, Any]:
    """Exercise 1: the expectation of a throw, 3.5 + 3 · load, and its slope, which is 3 everywhere."""
    return {case: plain((3.5 + 3.0 * load, 3.0)) for case, (load,) in LOADS.items()}


def run_averages(expectation: Any) -> Any:
    """Exercise 1: the value and the slope of the learner's `expectation`."""

    def run(names: dict[str, Any], load: float) -> Any:
        return plain((float(expectation(load)), float(grad(expectation)(load))))

    return run_cases(run, LOADS, expectation, listing=("ad", "np", "faces", "chances"))


# 2. The score function

DIE = "the die thrown 1, 6, 3, with a load of 0.1"
NORMAL = "the squares of 0.5 and 2, from a normal distribution around 1"


def log_die(face: Any, load: Any) -> Any:
    """The logarithm of a face's probability: 1/6 + load for a six, and equal shares of the rest for the others."""
    return np.log(1 / 6 + load * np.array([-0.2, -0.2, -0.2, -0.2, -0.2, 1.0]))[face - 1]


def log_normal(x: Any, p: Any) -> Any:
    """The logarithm of a normal density with mean `p` and standard deviation 1, up to a constant."""
    return -((x - p) ** 2) / 2


def square(x: Any) -> Any:
    """The square of each sample."""
    return x**2


def as_thrown(x: Any) -> Any:
    """The face itself."""
    return x


SCORED: dict[str, tuple[Callable[..., Any], Callable[..., Any], Any, float]] = {
    DIE: (as_thrown, log_die, np.array([1, 6, 3]), 0.1),
    NORMAL: (square, log_normal, np.array([0.5, 2.0]), 1.0),
}


def expected_scores() -> dict[str, Any]:
    """Exercise 2: f times the slope of the log probability, one estimate per sample, by closed forms."""
    other, six = -0.2 / (1 / 6 - 0.02), 1.0 / (1 / 6 + 0.1)
    return {
        DIE: plain(np.array([1 * other, 6 * six, 3 * other])),
        NORMAL: plain(np.array([0.25 * (0.5 - 1.0), 4.0 * (2.0 - 1.0)])),
    }


def run_scores(by_score: Any) -> Any:
    """Exercise 2: the same estimates by the learner's `by_score`."""
    return run_cases(
        lambda names, *case: plain(by_score(*case)), SCORED, by_score, listing=("ad", "np")
    )


# 3. Through the samples


def shift(noise: Any, p: Any) -> Any:
    """A sample with mean `p`: the noise, shifted by `p`."""
    return p + noise


def stretch(noise: Any, p: Any) -> Any:
    """A sample with standard deviation `p`: the noise, scaled by `p`."""
    return p * noise


SHIFTED = "squares of 1 + noise, with respect to the 1; the noise is −0.5, 1"
STRETCHED = "sines of 2 · noise, with respect to the 2; the noise is −0.5, 1, 0.25"
NOISES = {SHIFTED: np.array([-0.5, 1.0]), STRETCHED: np.array([-0.5, 1.0, 0.25])}
PATHS: dict[str, tuple[Callable[..., Any], Callable[..., Any], Any, float]] = {
    SHIFTED: (square, shift, NOISES[SHIFTED], 1.0),
    STRETCHED: (lambda x: np.sin(x), stretch, NOISES[STRETCHED], 2.0),
}


def expected_paths() -> dict[str, Any]:
    """Exercise 3: the slope of each sample's value, by the chain rule on paper."""
    shifted, stretched = NOISES[SHIFTED], NOISES[STRETCHED]
    return {
        SHIFTED: plain(2.0 * (1.0 + shifted)),
        STRETCHED: plain(np.cos(2.0 * stretched) * stretched),
    }


def run_paths(by_path: Any) -> Any:
    """Exercise 3: the same slopes by the learner's `by_path`."""
    return run_cases(
        lambda names, *case: plain(by_path(*case)), PATHS, by_path, listing=("ad", "np")
    )


# 4. Better than the others

VALUES = {
    "values 1, 2, 6": (np.array([1.0, 2.0, 6.0]),),
    "values 10, 12": (np.array([10.0, 12.0]),),
    "values 0, 0, 0, 1": (np.array([0.0, 0.0, 0.0, 1.0]),),
}


def expected_advantages() -> dict[str, Any]:
    """Exercise 4: each value minus the mean of the others."""
    found = {}
    for case, (values,) in VALUES.items():
        means_of_others = [np.delete(values, k).mean() for k in range(len(values))]
        found[case] = plain(values - np.array(means_of_others))
    return found


def run_advantages(advantages: Any) -> Any:
    """Exercise 4: the same differences by the learner's `advantages`."""
    return run_cases(
        lambda names, values: plain(advantages(values.copy())), VALUES, advantages, listing=("np",)
    )


# 5. A loss for the tape

PLAYS = {
    "equal chances, machines 0, 2, 2": (
        np.zeros(3),
        np.array([0, 2, 2]),
        np.array([1.0, -0.5, 2.0]),
    ),
    "unequal chances, machines 1, 1, 0, 2": (
        np.array([1.0, 0.0, -1.0]),
        np.array([1, 1, 0, 2]),
        np.array([0.5, 1.0, -1.0, 2.0]),
    ),
}


def expected_surrogates() -> dict[str, Any]:
    """Exercise 5: the mean of advantage times score; the score of a softmax is the one-hot choice minus the chances."""
    found = {}
    for case, (logits, arms, advantage) in PLAYS.items():
        chances = np.exp(logits) / np.sum(np.exp(logits))
        found[case] = plain(np.mean(advantage[:, None] * (np.eye(3)[arms] - chances), axis=0))
    return found


def run_surrogates(surrogate: Any) -> Any:
    """Exercise 5: the gradient of the learner's `surrogate` with respect to the logits."""

    def run(names: dict[str, Any], logits: Any, arms: Any, advantage: Any) -> Any:
        return plain(grad(lambda logits: surrogate(logits, arms, advantage))(logits))

    return run_cases(run, PLAYS, surrogate, listing=("ad", "np", "log_chances"))
