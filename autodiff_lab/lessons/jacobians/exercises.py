"""The exercises of `jacobians`: Jacobians by columns, by rows, and by coloured passes."""

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab import Dual, Variable, jacobian, jacrev, jvp, vjp
from autodiff_lab.lessons.checks import (
    Crashed,
    Instance,
    attempt,
    describe,
    names_in,
    plain,
    summarize,
    vet_code,
)

Function = Callable[[Any], Any]

CASES: dict[str, tuple[Function, tuple[float, ...]]] = {
    "one input, three results": (lambda x: np.stack([x[0] ** 2, np.sin(x[0]), 3 * x[0]]), (2.0,)),
    "three inputs, one result": (lambda x: np.stack([x[0] * x[1] + np.exp(x[2])]), (2.0, 5.0, 0.5)),
    "document 1": (
        lambda x: np.stack([x[0] + x[1] + np.log(x[0]), x[0] / x[1] + (x[0] - x[1]) ** 2]),
        (1.0, 2.0),
    ),
    "two inputs, three results": (
        lambda x: np.stack([x[0] * x[1], x[1] ** 2, 5 + 0 * x[0]]),
        (3.0, 2.0),
    ),
}
WAYS = ("by columns", "by rows")
UNTOUCHED = "whether x is left as it was"
RUNS_OF_F = "how often f is run by rows, for two inputs and three results"
MADE_OF = ("what my_jacfwd is made of", "what my_jacrev is made of")
PUSHES = "pushes"
PULLS = "pulls"
READY_MADE = "a ready-made Jacobian"
DIFFERENCES = "values of f alone"


def count_runs(f: Function) -> tuple[Function, list[type]]:
    """Exercises 2 and 4: the same function, and a list of the types of the arguments with which it is called."""
    runs: list[type] = []

    def counting(x: Any) -> Any:
        runs.append(type(x))
        return f(x)

    return counting, runs


def made_of(code: types.FunctionType, runs: list[type]) -> str:
    """Exercise 2: how the learner's Jacobian was made: by pushes, pulls, differences, or a ready-made Jacobian."""
    names = set(names_in(code.__code__))
    if names & {"jacfwd", "jacrev", "jacobian", "hessian"}:
        return READY_MADE
    if Dual in runs or (Variable in runs and "linearize" in names):
        return PUSHES
    return PULLS if Variable in runs else DIFFERENCES


def expected_jacobians() -> dict[str, Any]:
    """Exercise 2: the package's Jacobians; a tape is recorded once, however many rows are pulled from it."""
    matrices = {case: plain(jacobian(f)(np.array(x))) for case, (f, x) in CASES.items()}
    found = {f"{case}, {way}": matrix for way in WAYS for case, matrix in matrices.items()}
    found |= {UNTOUCHED: True, RUNS_OF_F: 1.0}
    return found | dict(zip(MADE_OF, (PUSHES, PULLS), strict=True))


def find_jacobians(my_jacfwd: Any, my_jacrev: Any) -> Any:
    """Exercise 2: the learner's Jacobians by columns and by rows, how they were made, and how often f was run."""
    vet_code(my_jacfwd, my_jacrev)
    found: dict[str, Any] = {UNTOUCHED: True}
    for way, code, made in zip(WAYS, (my_jacfwd, my_jacrev), MADE_OF, strict=True):
        for case, (f, x) in CASES.items():
            f, runs = count_runs(f)
            given = np.array(x)
            found[f"{case}, {way}"] = seen = summarize(attempt(code, f, given))
            found[UNTOUCHED] &= np.array_equal(given, x)
            if isinstance(seen, Crashed) and seen.never_ends:
                return found
        if not isinstance(seen, Crashed):
            found[made] = made_of(code, runs)
    found[RUNS_OF_F] = float(len(runs))  # of the last case, by rows
    return found


# Three colours


def chain(x: Any) -> Any:
    """Exercise 4: Broyden's tridiagonal function: each result depends on one input and its two neighbours."""
    before, after = np.concatenate([[0.0], x[:-1]]), np.concatenate([x[1:], [0.0]])
    return (3 - 2 * x) * x - before - 2 * after + 1


PASSES = "how often f is run, for 30 inputs"
RIGHT = "how many of the 88 entries on the three diagonals are right"
ELSEWHERE = "how many entries elsewhere are not 0"
SEVEN = "the first two rows for 7 inputs"
ON_DIAGONALS = np.abs(np.subtract.outer(np.arange(30), np.arange(30))) <= 1


def expected_compressed() -> dict[str, Any]:
    """Exercise 4: a tridiagonal Jacobian by three runs, correct on its diagonals and 0 elsewhere."""
    rows = plain(jacobian(chain)(_point(7))[:2])
    return {PASSES: 3.0, RIGHT: float(ON_DIAGONALS.sum()), ELSEWHERE: 0.0, SEVEN: rows}


def compress_jacobian(tridiagonal_jacobian: Any) -> Any:
    """Exercise 4: the learner's compressed Jacobian of Broyden's function, element by element."""
    vet_code(tridiagonal_jacobian)
    f, runs = count_runs(chain)
    seen = attempt(tridiagonal_jacobian, f, _point(30))
    if isinstance(seen, Crashed):
        return {PASSES: seen}
    matrix = _matrix(seen, 30)
    if matrix is None:
        return {PASSES: float(len(runs)), RIGHT: describe(seen)}
    is_right = np.isclose(matrix, jacobian(chain)(_point(30)), rtol=1e-9, atol=1e-12)
    small = attempt(tridiagonal_jacobian, chain, _point(7))
    rows = _matrix(small, 7)
    return {
        PASSES: float(len(runs)),
        RIGHT: float(is_right[ON_DIAGONALS].sum()),
        ELSEWHERE: float(np.count_nonzero(matrix[~ON_DIAGONALS])),
        SEVEN: summarize(small) if rows is None else plain(rows[:2]),
    }


def _point(n: int) -> Any:
    return np.linspace(-1.0, 2.0, n)


def _matrix(seen: Any, n: int) -> Any:
    """A learner's result as an (n, n) array, or None if it isn't one."""
    try:
        matrix = np.asarray(seen, dtype=float)
    except (TypeError, ValueError):
        return None
    return matrix if matrix.shape == (n, n) else None


# With numbers of one's own

Pairs = tuple[tuple[int, int], ...]
Matrix = tuple[tuple[float, ...], ...]


def choose_modes(pairs: Pairs = ((1, 3), (3, 1), (1000, 1), (2, 1000), (5, 5))) -> Instance:
    """Exercise 1: the mode with fewer passes, for each pair of inputs and results."""

    def choose(fewer_inputs: str, fewer_results: str, equal: str) -> tuple[str, ...]:
        modes = []
        for n, m in pairs:
            if n < m:
                modes.append(fewer_inputs)
            elif m < n:
                modes.append(fewer_results)
            else:
                modes.append(equal)
        return tuple(modes)

    right = choose("forward", "reverse", "either")
    mistakes = {
        "all reverse": choose("reverse", "reverse", "reverse"),
        "the more expensive": choose("reverse", "forward", "either"),
        "square ones reverse": choose("forward", "reverse", "reverse"),
        "square ones forward": choose("forward", "reverse", "forward"),
        "all forward": choose("forward", "forward", "forward"),
    }
    return Instance(right, mistakes=mistakes)


def sum_rows(a: float = 1.0, b: float = 1.0) -> Instance:
    """Exercise 3: the result of pulling ones back through (a·x1 + b·x2, x1 − x2), and the seed for its second row."""

    def both(x: Any) -> Any:
        return np.stack([a * x[0] + b * x[1], x[0] - x[1]])

    x = np.array([3.0, 4.0])
    value, pullback = vjp(both, x)
    (summed,) = pullback(np.ones(2))
    first, second = jacrev(both)(x)
    tangent = jvp(both, (x,), (np.ones(2),))[1]
    seed = (0.0, 1.0)
    mistakes = {
        "both rows": ((first, second), seed),
        "first row": (first, seed),
        "second row": (second, seed),
        "values": (value, seed),
        "rows added across": (tangent, seed),
        "seed of the first row": (summed, (1.0, 0.0)),
        "seed of ones": (summed, (1.0, 1.0)),
        "row as the seed": (summed, second),
    }
    return Instance(plain((summed, seed)), mistakes=mistakes)


def differentiate_square(
    A: Matrix = ((2.0, 1.0), (0.5, 3.0)), dA: Matrix = ((1.0, 0.0), (2.0, -1.0))
) -> Instance:
    """Exercise 5: the derivative of A² in the direction dA, by the engine's JVP."""
    at, along = np.array(A), np.array(dA)
    right = plain(jvp(lambda X: X @ X, (at,), (along,))[1])
    mistakes = {
        "A before dA": 2 * at @ along,
        "dA before A": 2 * along @ at,
        "first factor held": at @ along,
        "second factor held": along @ at,
        "entry by entry": 2 * at * along,
        "difference of squares": (at + along) @ (at + along) - at @ at,
    }
    return Instance(right, mistakes=mistakes)


def count_multiplications(widths: tuple[int, ...] = (100, 20, 10, 1)) -> Instance:
    """Exercise 6: the multiplications in a product of local Jacobians, starting from the input and from the result."""
    n, p, q, m = widths
    forward = q * p * n + m * q * n
    reverse = m * q * p + m * p * n
    mistakes = {
        "exchanged": (reverse, forward),
        "one tangent": (q * p + m * q, reverse),
        "a lost factor": (forward, m * q + m * p),
        "all widths": (n * p * q * m,) * 2,
        "equal work": (forward, forward),
    }
    return Instance((forward, reverse), mistakes=mistakes)
