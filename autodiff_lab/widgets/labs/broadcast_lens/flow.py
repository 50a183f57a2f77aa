"""The flow in BroadcastLens: a small array, the large one that it is broadcast to or summed from, and their adjoints.

All numbers come from the engine. The wrong rule differs from the correct one only in the treatment of shapes.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_lab.engine.broadcasting import keepdims_shape
from autodiff_lab.transforms.gradients import grad
from autodiff_lab.widgets.labs.phrases import list_some

Shape = tuple[int, ...]

SHAPES: dict[str, Shape] = {
    str(s): s for s in ((), (3,), (1, 3), (2, 1), (3, 1), (2, 3), (3, 3), (2, 3, 3))
}
AXES: dict[str, Any] = {str(axis): axis for axis in (0, 1, 2, (0, 1), (0, 2), (1, 2))} | {
    "all": None
}

# For each program the sign between A and B, and the term that is summed over all places.
OPS: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "Σ (A + B)²": ("+", lambda a, b: np.square(a + b)),
    "Σ (A − B)²": ("−", lambda a, b: np.square(a - b)),
    "Σ A · B": ("·", lambda a, b: a * b),
}
OVER_AXES = "Σ (sum of A over axes)²"


class Refused(ValueError):
    """Error: NumPy can't combine arrays of these shapes or sum over these axes; the message explains why."""


@dataclass(frozen=True)
class Flow:
    """The flow between two arrays: it assigns an entry of the small one to every place of the large one.

    Attributes
    ----------
    operand : str
        The operand whose gradient is shown, "A" or "B".
    small, large : ndarray
        Values.
    homes : ndarray of int
        In the shape of `large`: the number of the small entry that each place uses, or to which it is added.
    lands : ndarray of int or None
        Like `homes`, but for the backward pass under the chosen rule. None if the adjoints are not summed.
    small_back, large_back : ndarray
        The adjoints of the small entries and of the large places.
    other : ndarray or None
        The other operand at every place; None if the large array was summed instead of the small one copied.
    """

    operand: str
    small: np.ndarray
    large: np.ndarray
    homes: np.ndarray
    lands: np.ndarray | None
    small_back: np.ndarray
    large_back: np.ndarray
    other: np.ndarray | None = None

    @property
    def copies(self) -> bool:
        """Whether the forward pass copies the small array; otherwise it sums the large one."""
        return self.other is not None

    @property
    def gradient(self) -> np.ndarray:
        """The gradient of the operand under the chosen rule."""
        if self.lands is None:
            return self.large_back
        if self.copies:
            return self.small_back
        return np.ravel(self.small_back)[self.lands]

    @property
    def truth(self) -> np.ndarray:
        """The correct gradient of the operand, by the engine."""
        return self.small_back if self.copies else self.large_back

    @property
    def fits(self) -> bool:
        """Whether the gradient under the chosen rule has the shape of the operand."""
        return self.gradient.shape == self.truth.shape

    @property
    def right(self) -> bool:
        """Whether the gradient under the chosen rule has the correct shape and the correct numbers."""
        return self.fits and np.allclose(self.gradient, self.truth, rtol=1e-12)

    @property
    def small_name(self) -> str:
        """The name of the small array: that of the operand that is broadcast, or S for the sum."""
        return self.operand if self.copies else "S"

    def name_entry(self, entry: int) -> str:
        """Write an entry of the small array as in Python: ``B[0, 2]``."""
        return self.small_name + _write_index(entry, self.small.shape)

    def places(self, entry: int) -> list[int]:
        """List the places to which a small entry is copied, or from which it is summed, numbered row by row."""
        return np.flatnonzero(self.homes == entry).tolist()

    def places_back(self, entry: int) -> list[int]:
        """List the places that exchange adjoints with a small entry in the backward pass."""
        if self.lands is None:
            return []
        return np.flatnonzero(self.lands == entry).tolist()

    def list_terms(self, entry: int) -> list[float]:
        """List the adjoints of the places where a small entry is used."""
        return self.large_back[self.homes == entry].tolist()

    def sent(self, entry: int) -> float:
        """Return the adjoint of a small entry."""
        return float(self.small_back.flat[entry])

    def write_places(self, places: list[int]) -> str:
        """Write places of the large array as indices."""
        return list_some([_write_index(k, self.large.shape) or "the only place" for k in places])


def _write_index(k: int, shape: Shape) -> str:
    """Write the index of an entry, counted row by row; empty for a scalar."""
    if not shape:
        return ""
    index = np.unravel_index(k, shape)
    return f"[{', '.join(str(int(i)) for i in index)}]"


def make_values(name: str, shape: Shape) -> np.ndarray:
    """Make the values of an operand: 1, 2, 3, … for A, and a few small numbers for B.

    >>> make_values("B", (3,))
    array([0.1, 0.2, 0.3])
    """
    size = int(np.prod(shape))
    if name == "A":
        return np.arange(1.0, size + 1).reshape(shape)
    special = {(): [1.5], (2, 1): [0.5, -0.5], (3, 1): [0.5, 0.2, 1.0]}
    return np.array(special.get(shape, [k / 10 for k in range(1, size + 1)])).reshape(shape)


@functools.lru_cache(maxsize=512)
def run_flow(program: str, a: Shape, b: Shape, axes: Any, operand: str, wrong: bool) -> Flow:
    """Run a program and its sweep, and return the flow.

    Raises
    ------
    Refused
        If the shapes do not fit together, if there is no such axis, or if the wrong rule raises an error itself.

    Examples
    --------
    >>> run_flow("Σ (A + B)²", (2, 3), (3,), 0, "B", wrong=False).gradient
    array([10.4, 14.8, 19.2])
    >>> run_flow("Σ (A + B)²", (2, 3), (3,), 0, "B", wrong=True).gradient.shape
    (2, 3)
    """
    if program == OVER_AXES:
        return _flow_of_sums(a, axes, wrong)
    return _flow_of_copies(program, a, b, operand, wrong)


def _flow_of_copies(program: str, a: Shape, b: Shape, operand: str, wrong: bool) -> Flow:
    _, term = OPS[program]
    full = _align_shapes(a, b)
    inputs = [make_values("A", a), make_values("B", b)]
    k = "AB".index(operand)
    small = inputs[k]

    def loss(x: Any, y: Any) -> Any:
        return np.sum(term(x, y))

    spread = [np.broadcast_to(x, full).copy() for x in inputs]
    # each copy is a separate input, so the adjoints of the copies are not summed
    back = np.asarray(grad(loss, argnums=k)(*spread))
    summed = np.asarray(grad(loss, argnums=k)(*inputs))
    homes = _number_entries(small.shape, full)
    lands = None if wrong and small.shape != full else homes
    return Flow(operand, small, spread[k], homes, lands, summed, back, other=spread[1 - k])


def _flow_of_sums(a: Shape, axes: Any, wrong: bool) -> Flow:
    named = axes if isinstance(axes, tuple) else (axes,)
    missing = [axis for axis in named if axis is not None and axis >= len(a)]
    if missing:
        raise Refused(
            f"A has shape {a}, so it has {_axes(len(a))}, and there is no axis {missing[0]} to sum over. Choose "
            "another axis or another shape."
        )
    large = make_values("A", a)
    small = np.asarray(np.sum(large, axis=axes))
    small_back = np.asarray(grad(lambda s: np.sum(np.square(s)))(small[()]))
    large_back = np.asarray(grad(lambda x: np.sum(np.square(np.sum(x, axis=axes))))(large[()]))
    homes = lands = _number_entries(keepdims_shape(a, axes), a)
    if wrong:  # without keepdims, NumPy aligns the shapes at the right
        try:
            lands = _number_entries(small.shape, a)
        except ValueError:
            raise Refused(
                f"The sum has shape {small.shape} and A has {a}. NumPy aligns them at the right and finds that they "
                "don't fit, so this time the wrong rule raises an error. Try a square A."
            ) from None
    return Flow("A", small, large, homes, lands, small_back, large_back)


def _number_entries(shape: Shape, full: Shape) -> np.ndarray:
    """Return for each place of `full` the number of the entry that NumPy broadcasts to it."""
    return np.broadcast_to(np.arange(int(np.prod(shape))).reshape(shape), full)


def _align_shapes(a: Shape, b: Shape) -> Shape:
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        pairs = zip(reversed(a), reversed(b), strict=False)
        conflicts = [(k, m, n) for k, (m, n) in enumerate(pairs) if m != n and 1 not in (m, n)]
        k, m, n = conflicts[0]
        where = ("last axis", "axis before the last", "third axis from the right")[k]
        raise Refused(
            f"NumPy aligns {a} and {b} at the right. At the {where}, {m} meets {n}; they differ and neither is 1, so "
            "they can't be broadcast. Choose another shape."
        ) from None


def _axes(n: int) -> str:
    if n == 0:
        return "no axis"
    if n == 1:
        return "axis 0 only"
    return f"the axes {', '.join(map(str, range(n)))}"
