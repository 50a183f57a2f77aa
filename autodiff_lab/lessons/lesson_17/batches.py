"""The exercises of notebook 17 on many examples: batching rules, a Jacobian from `vmap`, and its axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_lab.lessons.checks import Crashed, Exercise, plain
from autodiff_lab.lessons.lesson_17 import sandbox
from autodiff_lab.lessons.lesson_17.sandbox import LOOPS, SWEEPS

# 4. batching rules


def _batches(total: str = "total(x, axis + 1, n)", copied: str = "copy(x, axis + 1, n)") -> str:
    return f"def sum_batched(x, axis, n):\n    return {total}\n\n\ndef copy_batched(x, axis, n):\n    return {copied}"


_SUMS, _FIRST, _SECOND, _COPIES, _ = sandbox.expected_batches()

ex_17_4 = Exercise(
    expects="two functions of x, axis and n",
    expected=sandbox.expected_batches(),
    observe=sandbox.find_batches,
    cases="I gave your rules batches of two examples.",
    reference=_batches(),
    misconceptions={
        _batches(total="total(x, axis, n)"): (
            {_SUMS: (5.0, 7.0, 9.0)},
            "The examples were added up, and their entries should be. Axis 0 of an example is axis 1 of the batch.",
        ),
        _batches(copied="copy(x, axis, n)"): (
            {_COPIES: ((1.0, 4.0), (1.0, 4.0))},
            "The copies lie along the batch axis. Leave that one in front: the new axis is one further back.",
        ),
        _batches(total="total(total(x, 0, n), 0, n)"): (
            {_SUMS: 21.0},
            "All examples ended in one number. Each has a sum of its own.",
        ),
        _batches(total="total(x, -1, n)", copied="copy(x, -1, n)"): (
            {_FIRST: ((1.0, 5.0), (9.0, 13.0))},
            "The last axis fits these examples, but not every axis is the last. Count one further: axis + 1.",
        ),
        _batches(total="total(x, 1, n)"): (
            {_SECOND: ((2.0, 4.0), (10.0, 12.0))},
            "Axis 1 is right for axis 0 of an example only. In general it is one further back: axis + 1.",
        ),
    },
    hints=(
        "The batch axis is axis 0 now. What was axis 0 of an example is axis 1.",
        "Both are the primitive itself, with axis + 1.",
    ),
    praise="A batching rule is a sentence about axes. The elementwise primitives need none.",
)

# 5. jacrev

_JACREV = "ad.vmap(lambda w: pull(w)[0])(np.eye(len(value)))"


def _jacrev(rows: str = _JACREV) -> str:
    return f"def my_jacrev(f, x):\n    value, pull = ad.vjp(f, x)\n    return {rows}"


def _gives(written: str, name: str) -> dict[str, Any]:
    """What some other `jacrev` gives for one of the functions."""
    import autodiff_lab

    names: dict[str, Any] = {"ad": autodiff_lab, "np": np}
    exec(written, names)
    return {name: sandbox.find_jacobians(names["my_jacrev"])[name]}


_TALL, _WIDE = sandbox.FUNCTIONS
_LOOP = """\
def my_jacrev(f, x):
    value, pull = ad.vjp(f, x)
    return np.stack([ad.vjp(f, x)[1](w)[0] for w in np.eye(len(value))])"""

ex_17_5 = Exercise(
    expects="a function my_jacrev(f, x) that returns the Jacobian as an array",
    expected=sandbox.expected_jacobians(),
    observe=sandbox.find_jacobians,
    cases="I asked for the Jacobians of two functions, and counted how often they ran and the tape was swept.",
    reference=_jacrev(),
    misconceptions={
        _jacrev("pull(np.ones(len(value)))[0]"): (
            _gives(_jacrev("pull(np.ones(len(value)))[0]"), _TALL),
            "That is one pull, of ones: the sum of the rows. Each row needs a seed of its own, a row of np.eye.",
        ),
        _jacrev("ad.vmap(lambda w: pull(w)[0])(np.eye(len(x)))"): (
            {_TALL: Crashed("ShapeError", "")},
            "A seed of a pullback has the shape of the result. The unit matrix has as many rows as there are results, "
            "len(value).",
        ),
        _jacrev("ad.vmap(pull)(np.eye(len(value)))"): (
            _gives(_jacrev("ad.vmap(pull)(np.eye(len(value)))"), _TALL),
            "The numbers are right, inside a tuple with one entry: a pullback has one for each argument. Take [0].",
        ),
        _jacrev("ad.vmap(lambda w: pull(w)[0])(np.eye(len(value))).T"): (
            _gives(_jacrev("ad.vmap(lambda w: pull(w)[0])(np.eye(len(value))).T"), _TALL),
            "This is the transpose. The batch axis counts the seeds, so the rows are rows already.",
        ),
        _LOOP: (
            {LOOPS: "7 times"},
            "The numbers are right, and the function ran again for each row. One record is enough: hand all seeds to "
            "the one pullback, by vmap.",
        ),
        _jacrev("np.stack([pull(w)[0] for w in np.eye(len(value))])"): (
            {SWEEPS: "5 times"},
            "The numbers are right, and the tape was swept once for each row. Hand all seeds over at once, by ad.vmap.",
        ),
    },
    hints=(
        "pull(w)[0] is one row. Map it over all seeds at once: ad.vmap(lambda w: pull(w)[0]).",
        "The seeds are the rows of np.eye(m), with m the number of results: len(value).",
    ),
    praise="One run, one sweep, all rows. jax.jacrev is the same two lines, with pytrees.",
)

# 6. axes


def _from_the_front(answer: Any) -> Any:
    """Axis -1 of an array is its last: weights and labels have one axis, inputs two."""
    found = plain(answer)
    if not isinstance(found, tuple) or len(found) != 3:
        return found
    return tuple(k + n if k in range(-n, 0) else k for k, n in zip(found, (1, 2, 1), strict=True))


ex_17_6 = Exercise(
    expects="three entries, each None or an axis, such as (0, 0, 0)",
    expected=(None, 1, 0),
    observe=_from_the_front,
    misconceptions={
        (None, 0, 0): "With axis 0 of inputs the examples would be its rows, and there are two. They are its columns.",
        (0, 1, 0): "All examples share the weights: they have no axis of examples.",
        (0, 0, 0): "All examples share the weights, and the examples are the columns of inputs.",
        (None, 1, None): "Each example has its own label: labels have an axis of examples, too.",
        (None, 1, 1): "labels have one axis only, axis 0.",
        (None, 0, None): "The examples are the columns of inputs, and each of them has its own label.",
    },
    hints=(
        "What do all examples share? It gets None.",
        "The examples are counted by axis 1 of inputs, and by axis 0 of labels.",
    ),
    praise="in_axes says where the examples are, so no array has to be turned around before.",
)
