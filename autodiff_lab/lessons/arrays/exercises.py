"""The exercises of `arrays`: the learner's own array cells, compared with the engine.

A learner's function there uses the notebook's `Array`, `total`, list `tape` and `adjoints_from`. A check builds small
programs of the learner's own cells and compares the adjoints with the engine's.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab import grad, record
from autodiff_lab.engine.broadcasting import unbroadcast as engine_unbroadcast
from autodiff_lab.lessons.checks import Instance, plain, run_cases, split_parts
from autodiff_lab.lessons.checks.compare import Finding, describe

CELLS: dict[str, Any] = {
    "listing": ("Array", "tape", "total", "adjoints_from"),
    "machine": "cells",
    "empty": ("tape",),
}
ADJOINT = "{}, the adjoint of {}"
VALUE = "{}, its value"
CHANGED = "this only by changing an array that you were given: work on a copy"

A = np.array([[2.0, 1.0], [0.5, 3.0]])
B = np.array([[1.0, -2.0], [4.0, 0.25]])
WIDE = np.array([[1.0, -1.0, 2.0], [0.5, 3.0, -2.0]])
TALL = np.array([[1.0, 0.0, 2.0, -1.0], [3.0, 1.0, -1.0, 0.5], [2.0, -2.0, 1.0, 4.0]])
WEIGHTS = np.array([[1.0, 2.0, -1.0, 0.5], [3.0, -2.0, 1.0, 4.0]])
CUBE = np.array([[2.0, 1.0, 0.0], [0.5, 3.0, -1.0], [1.0, 0.0, 4.0]])

# Adding back

SHAPES = (
    ((2, 3), (3,)),
    ((2, 3), (2, 1)),
    ((2, 3), ()),
    ((2, 3), (1, 3)),
    ((2, 3), (2, 3)),
    ((4, 2, 3), (2, 1)),
)


def _distinct(shape: tuple[int, ...]) -> np.ndarray:
    """Return an array of powers of two, so that every sum shows which elements were added."""
    return (2.0 ** np.arange(np.prod(shape, dtype=int))).reshape(shape)


def sum_back(g: np.ndarray, shape: tuple[int, ...]) -> Any:
    """Exercise 1: add an adjoint back to the shape before broadcasting, as the engine does."""
    return engine_unbroadcast(g, np.zeros(shape))


def sum_back_shapes(unbroadcast: Any) -> Any:
    """Exercise 1: the adjoint that `unbroadcast` returns for each pair of shapes.

    >>> sum_back_shapes(sum_back)["from (2, 3) to (3,)"]
    (9.0, 18.0, 36.0)
    """

    def run(names: dict[str, Any], have: tuple[int, ...], want: tuple[int, ...]) -> Any:
        g = _distinct(have)
        found = unbroadcast(g, want)
        if not np.array_equal(g, _distinct(have)):
            return Finding(CHANGED)
        # The sweep adds adjoints with +, which would concatenate lists.
        if isinstance(found, list | tuple):
            return Finding(f"{describe(found)}, and the sweep below adds arrays")
        return found

    cases = {f"from {have} to {want}": (have, want) for have, want in SHAPES}
    return run_cases(run, cases, unbroadcast)


# The links of a cell


def find_fault(names: dict[str, Any], cell: Any) -> Finding | None:
    """Exercises 4 and 6: the first fault of a learner's cell that would stop a sweep, or None."""
    if not isinstance(cell, names["Array"]):
        return Finding(f"{describe(cell)}, and no Array")
    for link in cell.links:
        if not isinstance(link, tuple | list) or len(link) != 2:
            return Finding(
                f"a link that is {describe(link)}, and no pair of an operand and its pullback"
            )
        operand, pullback = link
        if not isinstance(operand, names["Array"]):
            return Finding(
                f"a link to {describe(operand)}: the operand is the Array itself, not its value"
            )
        if not callable(pullback):
            return Finding(f"a link with {describe(pullback)}, and no function of g")
        sent = pullback(np.ones(cell.value.shape))
        if not isinstance(sent, np.ndarray):
            return Finding(
                f"{describe(sent)} from a pullback, which returns an array of the shape of its operand"
            )
    return None


# Matrix products

PRODUCTS = {
    "the sum of A @ B, both (2, 2)": (A, B, np.ones((2, 2))),
    "a weighted sum of A @ B, (2, 3) @ (3, 4)": (WIDE, TALL, WEIGHTS),
}


def expected_products() -> dict[str, Any]:
    """Exercise 4: the adjoints of A and B in two matrix products, by the engine.

    >>> expected_products()["the sum of A @ B, both (2, 2), the adjoint of A"]
    ((-1.0, 4.25), (-1.0, 4.25))
    """
    found = {
        case: plain(grad(lambda x, y, w=weights: np.sum((x @ y) * w), argnums=(0, 1))(a, b))
        for case, (a, b, weights) in PRODUCTS.items()
    }
    values = {VALUE.format(case): plain(a @ b) for case, (a, b, _) in PRODUCTS.items()}
    return split_parts(found, ADJOINT, "AB") | values


def multiply_matrices(matmul: Any) -> Any:
    """Exercise 4: the adjoints of A and B in two matrix products, by the learner's cell."""
    values: dict[str, Any] = {}

    def run(
        names: dict[str, Any], a: np.ndarray, b: np.ndarray, weights: np.ndarray, case: str
    ) -> Any:
        left, right, factor = map(names["Array"], (a, b, weights))
        product = matmul(left, right)
        fault = find_fault(names, product)
        if fault is not None:
            return fault
        values[VALUE.format(case)] = plain(product.value)
        adjoint = names["adjoints_from"](names["total"](product * factor))
        return [adjoint.get(left), adjoint.get(right)]

    cases = {case: (*data, case) for case, data in PRODUCTS.items()}
    return split_parts(run_cases(run, cases, matmul, **CELLS), ADJOINT, "AB") | values


# The inverse

INVERSES = {
    "the sum of the inverse of a (2, 2)": (A, np.ones((2, 2))),
    "a weighted sum of the inverse of a (3, 3)": (CUBE, np.arange(1.0, 10.0).reshape(3, 3)),
}


def expected_inverses() -> dict[str, Any]:
    """Exercise 6: the adjoint of the matrix that is inverted, by the engine."""
    found = {
        case: plain(grad(lambda x, w=w: np.sum(np.linalg.inv(x) * w))(a))
        for case, (a, w) in INVERSES.items()
    }
    return found | {
        VALUE.format(case): plain(np.linalg.inv(a)) for case, (a, _) in INVERSES.items()
    }


def invert_matrices(inverse: Any) -> Any:
    """Exercise 6: the adjoint of the matrix that is inverted, by the learner's cell."""
    values: dict[str, Any] = {}

    def run(names: dict[str, Any], a: np.ndarray, weights: np.ndarray, case: str) -> Any:
        matrix, factor = names["Array"](a), names["Array"](weights)
        inverted = inverse(matrix)
        fault = find_fault(names, inverted)
        if fault is not None:
            return fault
        values[VALUE.format(case)] = plain(inverted.value)
        return names["adjoints_from"](names["total"](inverted * factor)).get(matrix)

    cases = {case: (*data, case) for case, data in INVERSES.items()}
    return run_cases(run, cases, inverse, **CELLS) | values


# One attention head

_NUMBERS = np.random.default_rng(11)
# Queries, keys, values, and the adjoint of the result.
HEADS: dict[str, tuple[np.ndarray, ...]] = {
    f"{queries} queries, {keys} keys": tuple(
        np.round(_NUMBERS.normal(size=shape), 1)
        for shape in ((queries, width), (keys, width), (keys, out), (queries, out))
    )
    for queries, keys, width, out in ((2, 3, 2, 2), (4, 4, 3, 5))
}


def softmax_rows(s: Any) -> Any:
    """Exercise 8: the softmax of each row of the scores of an attention head."""
    e = np.exp(s - np.max(s, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def attention(q: Any, k: Any, v: Any) -> Any:
    """Exercise 8: one attention head, softmax(Q Kᵀ / √d) V.

    >>> attention(np.zeros((1, 2)), np.ones((2, 2)), np.array([[1.0], [3.0]]))
    array([[2.]])
    """
    return softmax_rows(q @ k.T / np.sqrt(q.shape[1])) @ v


def pull_attention(g: Any, q: Any, k: Any, v: Any, p: Any) -> Any:
    """Exercise 8: the adjoints of an attention head's queries, keys and values, by the engine."""
    return grad(lambda *qkv: np.sum(attention(*qkv) * g), argnums=(0, 1, 2))(q, k, v)


def pull_heads(attention_pullback: Any) -> Any:
    """Exercise 8: the adjoints of queries, keys and values that a pullback gives for each attention head."""

    def run(names: dict[str, Any], q: Any, k: Any, v: Any, g: Any) -> Any:
        given = (g, q, k, v, softmax_rows(q @ k.T / np.sqrt(q.shape[1])))
        copies = [array.copy() for array in given]
        found = attention_pullback(*copies)
        if not all(map(np.array_equal, copies, given)):
            return Finding(CHANGED)
        if isinstance(found, list | tuple) and len(found) != 3:
            return Finding(f"{len(found)} things in place of the three to_Q, to_K, to_V")
        return found

    return split_parts(run_cases(run, HEADS, attention_pullback), ADJOINT, "QKV")


# Lines on a tape


def operations(program: Callable[..., Any], *inputs: Any) -> int:
    """Exercise 7: the number of operations that a program records."""
    _, tape = record(program, *inputs)
    return len(tape) - tape.n_inputs


def squares_of_product(a: Any, b: Any) -> Any:
    """Exercise 7: Σ (A @ B)², as a program of two arrays."""
    return np.sum(np.square(a @ b))


def squares_of_product_by_numbers(a: Any, b: Any) -> Any:
    """Exercise 7: Σ (A @ B)² as a program of two lists of rows, number by number.

    >>> operations(squares_of_product_by_numbers, [[1.0, 2.0]], [[3.0], [4.0]]), operations(squares_of_product, A, B)
    (4, 3)
    """
    loss = None
    for row in a:
        for j in range(len(b[0])):
            entry = row[0] * b[0][j]
            for k in range(1, len(row)):
                entry = entry + row[k] * b[k][j]
            term = entry * entry
            loss = term if loss is None else loss + term
    return loss


# With numbers of one's own

Numbers = tuple[float, ...]


def differentiate_mean_and_variance(x: Numbers = (1.0, 2.0, 4.0, 8.0)) -> Instance:
    """Exercise 2: the gradient of mean + variance.

    >>> differentiate_mean_and_variance().expected
    (-1.125, -0.625, 0.375, 2.375)
    """
    values = np.array(x)
    n, centred = len(x), values - np.mean(values)
    right = plain(grad(lambda v: np.mean(v) + np.var(v))(values))
    mistakes = {
        "variance alone": grad(np.var)(values),
        "mean alone": grad(np.mean)(values),
        "mean not divided": 1 + 2 * centred / n,
        "variance not divided": 1 / n + 2 * centred,
        "divided by one less": grad(lambda v: np.mean(v) + np.var(v, ddof=1))(values),
        "mean of squares": grad(lambda v: np.mean(v) + np.mean(v * v))(values),
        "sign of the variance": 1 / n - 2 * centred / n,
    }
    return Instance(right, mistakes=mistakes)


def differentiate_gather(
    index: tuple[int, ...] = (0, 0, 2), weights: Numbers = (1.0, 10.0, 100.0)
) -> Instance:
    """Exercise 3: the adjoint of an array of three from which some entries are picked, and some twice.

    >>> differentiate_gather().expected
    (11.0, 0.0, 100.0)
    """
    w = np.array(weights)
    right = plain(grad(lambda x: np.sum(w * x[list(index)]))(np.zeros(3)))
    last, first, count = np.zeros(3), np.zeros(3), np.zeros(3)
    last[list(index)] = w
    first[list(index[::-1])] = w[::-1]
    np.add.at(count, list(index), 1.0)
    mistakes = {
        "last one kept": last,
        "first one kept": first,
        "the weights": weights,
        "mean of the contributions": np.array(right) / np.maximum(count, 1),
        "counts": count,
        "picked weights": w[list(index)],
    }
    return Instance(right, mistakes=mistakes)


def differentiate_trace(a: tuple[Numbers, Numbers] = ((2.0, 1.0), (0.5, 3.0))) -> Instance:
    """Exercise 5: the gradient of trace(A @ A).

    >>> differentiate_trace().expected
    ((4.0, 1.0), (2.0, 6.0))
    """
    matrix = np.array(a)
    right = plain(grad(lambda x: np.trace(x @ x))(matrix))
    mistakes = {
        "A as a number": 2 * matrix,
        "one place": matrix.T,
        "one transposed": matrix + matrix.T,
        "the square itself": matrix @ matrix,
        "diagonal only": 2 * np.diag(np.diag(matrix)),
    }
    return Instance(right, mistakes=mistakes)


def count_lines(m: int = 2, k: int = 3, n: int = 4) -> Instance:
    """Exercise 7: the number of operations of Σ (A @ B)², as a program of numbers and as one of arrays.

    >>> count_lines().expected
    (55.0, 3.0)
    """
    a, b = np.ones((m, k)), np.ones((k, n))
    numbers = operations(squares_of_product_by_numbers, a.tolist(), b.tolist())
    arrays = operations(squares_of_product, a, b)
    mistakes = {
        "exchanged": (arrays, numbers),
        "numbers twice": (numbers, numbers),
        "k additions": (m * n * 2 * k + 2 * m * n, arrays),
        "multiplications only": (m * n * k + m * n, arrays),
        "inputs of both": (numbers + m * k + k * n, arrays + 2),
        "inputs of the first": (numbers + m * k + k * n, arrays),
    }
    return Instance(
        plain((numbers, arrays)), reference=f"answer = ({numbers}, {arrays})", mistakes=mistakes
    )
