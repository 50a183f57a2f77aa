"""The exercises of `implicit`: slopes of solutions, compared with those of converged loops.

The expected numbers come from the loops themselves, differentiated through every iteration until they converge.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab import grad, hessian, jacobian, jvp, record
from autodiff_lab.engine.errors import ShapeError
from autodiff_lab.lessons.checks import Instance, describe, plain, run_cases
from autodiff_lab.lessons.checks.run_code import STEPS

Step = Callable[[Any, Any], Any]
ITERATIONS = 150


def unrolled(step: Step, start: Any) -> Callable[[Any], Any]:
    """Return the function of x that iterates a loop until long after it has converged."""

    def run(x: Any) -> Any:
        z = start
        for _ in range(ITERATIONS):
            z = step(z, x)
        return z

    return run


# Roots

ROOTS: dict[str, tuple[Callable[[Any, Any], Any], float, float]] = {
    "z − cos(x z) = 0 at x = 1": (lambda z, x: z - np.cos(x * z), 0.7390851332151607, 1.0),
    "z² − x = 0 at x = 9, z = 3": (lambda z, x: z * z - x, 3.0, 9.0),
    "z² − x = 0 at x = 9, z = −3": (lambda z, x: z * z - x, -3.0, 9.0),
    "z³ + x z − 2 = 0 at x = 1, z = 1": (lambda z, x: z**3 + x * z - 2.0, 1.0, 1.0),
}


def expected_slopes() -> dict[str, Any]:
    """Exercise 1: the slopes of four roots, the first by differentiating its loop, the others by hand."""
    cosine = float(grad(unrolled(lambda z, x: np.cos(x * z), 1.0))(1.0))
    return dict(zip(ROOTS, (cosine, 1 / 6, -1 / 6, -1 / 4), strict=True))


def slope_roots(root_slope: Any) -> Any:
    """Exercise 1: the slopes of four roots by the learner's `root_slope`."""
    return run_cases(lambda names, F, z, x: root_slope(F, z, x), ROOTS, root_slope, listing=("ad",))


# Fixed points of several numbers

CHAIN = np.array([[0.1, 0.6, 0.0], [0.3, 0.2, 0.6], [0.0, 0.3, -0.1]])
LOOPS: dict[str, tuple[Step, Any, Any, Any]] = {
    "tanh(W z + x), three numbers": (
        lambda z, x: np.tanh(CHAIN @ z + x),
        np.zeros(3),
        np.array([0.5, -0.3, 0.2]),
        np.array([1.0, 0.0, 2.0]),
    ),
    "two states, three parameters": (
        lambda z, x: np.cos(z[::-1]) * x[:2] + 0.1 * x[2] * z,
        np.zeros(2),
        np.array([0.4, 0.7, 0.5]),
        np.array([1.0, -2.0, 0.5]),
    ),
}
THREE, TWO = LOOPS


def expected_tangents() -> dict[str, Any]:
    """Exercise 2: the tangents of two fixed points, pushed through every iteration of their loops."""
    return {
        case: plain(jvp(unrolled(step, start), (x,), (dx,))[1])
        for case, (step, start, x, dx) in LOOPS.items()
    }


def push_solutions(push: Any) -> Any:
    """Exercise 2: the tangents of the same fixed points by the learner's `push`, at the solutions."""
    cases = {
        case: (step, unrolled(step, start)(x), x, dx)
        for case, (step, start, x, dx) in LOOPS.items()
    }
    return run_cases(lambda names, *at: push(*at), cases, push, listing=("ad", "np"))


def _differentiate(solution: Any, x: Any) -> Any:
    return grad(lambda x: np.sum(solution(x) ** 3))(x)


def _differentiate_twice(solution: Any, x: Any) -> Any:
    return jvp(grad(lambda x: np.sum(solution(x) ** 3)), (x,), (np.ones(len(x)),))[1]


HESSIAN = "the Hessian of Σ z³ times (1, 1, 1) for tanh(W z + x), three numbers"
LINES = "lines on the tape of a solution: its input, and itself"


def list_looks() -> dict[str, tuple[Callable[[Any, Any], Any], Step, Any, Any]]:
    """Exercise 3: for each case a function that looks at a solution, and the loop whose solution it is."""
    looks: dict[str, tuple[Callable[[Any, Any], Any], Step, Any, Any]] = {}
    for case, (step, start, x, _) in LOOPS.items():
        looks[f"the solution of {case}"] = (lambda solution, x: solution(x)), step, start, x
        looks[f"the gradient of Σ z³ for {case}"] = _differentiate, step, start, x
    looks[LINES] = (lambda solution, x: float(len(record(solution, x)[1]))), *LOOPS[THREE][:3]
    return looks | {HESSIAN: (_differentiate_twice, *LOOPS[THREE][:3])}


def expected_rule() -> dict[str, Any]:
    """Exercise 3: solutions and gradients of the converged loops, and a tape of two lines."""
    found = {
        case: plain(look(unrolled(step, start), x))
        for case, (look, step, start, x) in list_looks().items()
    }
    return found | {LINES: 2.0}


def use_rule(implicit: Any) -> Any:
    """Exercise 3: values, gradients and tapes of the learner's implicit solutions."""

    def run(names: dict[str, Any], look: Any, step: Step, start: Any, x: Any) -> Any:
        return look(implicit(step, start), x)

    # A rule that runs hundreds of iterations is correct too, and its own derivative takes millions of steps.
    return run_cases(run, list_looks(), implicit, listing=("ad", "np", "settle"), steps=5 * STEPS)


# The adjoint by the same loop


Pull = Callable[[Any], tuple[Any, Any]]
MIX = np.array([[0.3, -0.5, 0.1], [0.4, 0.2, 0.3], [-0.2, 0.1, 0.5]])
# As in the notebook's network: the state has a row of units for each point.
ROWS: tuple[Step, Any, Any] = (
    lambda z, x: np.tanh(z @ MIX + x),
    np.zeros((2, 3)),
    np.array([[0.5, -0.3, 0.2], [0.1, 0.4, -0.6]]),
)
# A wrong loop fails faster on the smaller state, so that one comes first.
ADJOINTS = {f"the adjoint w for {case}": LOOPS[case][:3] for case in (TWO, THREE)}
ADJOINTS |= {"the adjoint w for a state of 2 rows with 3 units each": ROWS}
# As in the notebook's spirals, where each iteration removes only a fiftieth of the error.
SLOW: tuple[Step, Any, Any] = (lambda z, x: 0.97 * z[::-1] + x, np.zeros(2), np.array([0.1, 0.2]))
ADJOINTS["the adjoint w for a loop that forgets slowly"] = SLOW
LARGEST = "the adjoints that were sent back"
GROW = "grow without end"


def _find_state_and_jacobian(step: Step, start: Any, x: Any) -> tuple[Any, np.ndarray, np.ndarray]:
    """The solution z, and there the Jacobians of one step with respect to z and x, as matrices."""
    z = unrolled(step, start)(x)
    A, B = jacobian(step, argnums=(0, 1))(z, x)
    return z, A.reshape(z.size, -1), B.reshape(z.size, -1)


def _make_adjoint(z: Any) -> Any:
    return np.arange(1.0, 1.0 + z.size).reshape(z.shape)


def expected_adjoints() -> dict[str, Any]:
    """Exercise 7: the adjoints of four fixed points, solved as linear systems."""
    found = {}
    for case, loop in ADJOINTS.items():
        z, A, _ = _find_state_and_jacobian(*loop)
        w = np.linalg.solve(np.eye(z.size) - A.T, _make_adjoint(z).ravel())
        found[case] = plain(w.reshape(z.shape))
    return found


def settle_adjoints(adjoint: Any) -> Any:
    """Exercise 7: the adjoints of four fixed points by the learner's loop, and whether they grew without end."""
    largest = 0.0

    def make_pullback(step: Step, start: Any, x: Any) -> tuple[Pull, Any]:
        z, A, B = _find_state_and_jacobian(step, start, x)

        def pullback(w: Any) -> tuple[Any, Any]:
            nonlocal largest
            if np.shape(w) != z.shape:
                raise ShapeError(
                    f"pullback takes an adjoint of the state's shape {z.shape}, and got {describe(w)}"
                )
            largest = max(largest, float(np.max(np.abs(w))))
            return (A.T @ np.ravel(w)).reshape(z.shape), (B.T @ np.ravel(w)).reshape(np.shape(x))

        return pullback, _make_adjoint(z)

    cases = {case: make_pullback(*loop) for case, loop in ADJOINTS.items()}
    found = run_cases(
        lambda names, *at: adjoint(*at), cases, adjoint, listing=("ad", "np", "settle")
    )
    return found | {LARGEST: GROW if largest > 1e6 else "stay small"}


# Best fits

TARGET = np.array([1.0, -2.0])
FITS: dict[str, tuple[Callable[[Any, Any], Any], Any, float]] = {
    "Σ (w − a)² + λ Σ w² with a = (1, −2), at λ = 1": (
        lambda w, lam: np.sum((w - TARGET) ** 2) + lam * np.sum(w**2),
        np.zeros(2),
        1.0,
    ),
    "Σ (eʷ − a w) + λ (w₀ + w₁)² with a = (1, 3), at λ = 0.5": (
        lambda w, lam: np.sum(np.exp(w) - np.array([1.0, 3.0]) * w) + lam * np.sum(w) ** 2,
        np.zeros(2),
        0.5,
    ),
}


def find_best(loss: Callable[[Any, Any], Any], w: Any, lam: Any) -> Any:
    """Exercise 5: the best weights by Newton's method, in steps that can be differentiated."""
    for _ in range(30):
        w = w - np.linalg.solve(hessian(loss)(w, lam), grad(loss)(w, lam))
    return w


def expected_fits() -> dict[str, Any]:
    """Exercise 5: the slopes of the best weights with respect to λ, through every step of Newton's method."""
    return {
        case: plain(jvp(lambda lam, loss=loss, w=w: find_best(loss, w, lam), (lam,), (1.0,))[1])
        for case, (loss, w, lam) in FITS.items()
    }


def slope_fits(slope_of_best: Any) -> Any:
    """Exercise 5: the slopes of the best weights with respect to λ by the learner's `slope_of_best`."""
    cases = {case: (loss, find_best(loss, w, lam), lam) for case, (loss, w, lam) in FITS.items()}
    return run_cases(
        lambda names, *at: slope_of_best(*at), cases, slope_of_best, listing=("ad", "np")
    )


# Best shares of a budget

COVARIANCE = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, -0.3], [0.0, -0.3, 1.5]])
SHARES: dict[str, tuple[Callable[[Any, Any], Any], Any, Any]] = {
    "½ Σ z² − x · z, four shares": (
        lambda z, x: 0.5 * np.sum(z**2) - np.sum(x * z),
        np.full(4, 0.25),
        np.array([0.3, 0.1, 0.6, 0.4]),
    ),
    "½ z · Q z − x · z, three shares": (
        lambda z, x: 0.5 * z @ (COVARIANCE @ z) - np.sum(x * z),
        np.full(3, 1 / 3),
        np.array([0.2, 0.7, 0.1]),
    ),
    "Σ z ln z − x · z, three shares": (
        lambda z, x: np.sum(z * np.log(z)) - np.sum(x * z),
        np.full(3, 1 / 3),
        np.array([0.5, -0.2, 0.1]),
    ),
}


def find_shares(cost: Callable[[Any, Any], Any], z: Any, x: Any) -> tuple[Any, Any]:
    """Exercise 6: the best shares and their price by Newton's method, which keeps to the budget in every step."""
    border = np.ones((len(z), 1))
    price = 0.0
    for _ in range(30):
        system = np.block([[hessian(cost)(z, x), border], [border.T, np.zeros((1, 1))]])
        step = np.linalg.solve(system, np.append(-grad(cost)(z, x), 1.0 - np.sum(z)))
        z, price = z + step[:-1], step[-1]
    return z, price


def expected_shares() -> dict[str, Any]:
    """Exercise 6: the Jacobians of the best shares: the inverse Hessian, minus what would change the budget."""
    found = {}
    for case, (cost, start, x) in SHARES.items():
        z, _ = find_shares(cost, start, x)
        inverse = np.linalg.inv(hessian(cost)(z, x))
        paid = inverse.sum(axis=1)
        found[case] = plain(inverse - np.outer(paid, paid) / paid.sum())
    return found


def slope_shares(slope_of_shares: Any) -> Any:
    """Exercise 6: the Jacobians of the best shares by the learner's `slope_of_shares`."""
    cases = {
        case: (cost, *find_shares(cost, start, x), x) for case, (cost, start, x) in SHARES.items()
    }
    return run_cases(
        lambda names, *at: slope_of_shares(*at), cases, slope_of_shares, listing=("ad", "np")
    )


# With numbers of one's own


def count_turns(rate: float = 0.9, digits: int = 6) -> Instance:
    """Exercise 4: after how many iterations the relative error rateⁿ of a slope is below 10 to the −digits.

    >>> count_turns().expected
    132
    """
    exact = digits / -math.log10(rate)
    mistakes = {
        "one iteration": 1,
        "one iteration a digit": digits,
        "one iteration short": math.floor(exact),
        "natural logarithm": math.ceil(digits / -math.log(rate)),
        "one iteration too many": math.ceil(exact) + 1,
        "division by 1 − rate": round(digits / (1 - rate)),
    }
    return Instance(math.ceil(exact), mistakes=mistakes)
