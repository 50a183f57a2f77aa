"""What flows in BroadcastLens: a small array, the larger one it is copied into or added up from, and what comes back.

Every number here is the engine's. A wrong rule differs from the right one in what is done with shapes, nothing else.
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

# Of each program the sign between A and B, and what is added up of every place.
OPS: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "Σ (A + B)²": ("+", lambda a, b: np.square(a + b)),
    "Σ (A − B)²": ("−", lambda a, b: np.square(a - b)),
    "Σ A · B": ("·", lambda a, b: a * b),
}
OVER_AXES = "Σ (sum of A over axes)²"


class Refused(ValueError):
    """An error: nothing can flow between arrays of these shapes; the message says what NumPy refuses."""


@dataclass(frozen=True)
class Flow:
    """The flow between two arrays: for every place of the larger one, the entry of the smaller one it belongs to.

    Attributes
    ----------
    operand : str
        Whose gradient is asked for, "A" or "B".
    small, large : ndarray
        Values.
    homes : ndarray of int
        Of the shape of `large`: the number of the small entry that is used there, or that this place is added to.
    lands : ndarray of int or None
        On the way back: like `homes`, under the rule that is asked for. None if nothing is brought home.
    small_back, large_back : ndarray
        Adjoints: what the sweep has at the small entries and at the large places.
    other : ndarray or None
        The other operand at every place; None if the large one was added up, instead of the small one copied.
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
        """Whether the flow copies the small array on the way forward; otherwise it adds the large one up."""
        return self.other is not None

    @property
    def gradient(self) -> np.ndarray:
        """The gradient that flows back to the operand, under the rule for broadcasting that is asked for."""
        if self.lands is None:
            return self.large_back
        return self.small_back if self.copies else np.ravel(self.small_back)[self.lands]

    @property
    def truth(self) -> np.ndarray:
        """The gradient that flows back to the operand as the engine has it, whichever rule is asked for."""
        return self.small_back if self.copies else self.large_back

    @property
    def fits(self) -> bool:
        """Whether the gradient that flows back has the shape of its operand."""
        return self.gradient.shape == self.truth.shape

    @property
    def right(self) -> bool:
        """Whether the gradient that flows back is the engine's, in shape and in numbers."""
        return self.fits and np.allclose(self.gradient, self.truth, rtol=1e-12)

    @property
    def small_name(self) -> str:
        """The name of the small array in a flow: the operand that is broadcast, or S for the sum."""
        return self.operand if self.copies else "S"

    def name_entry(self, entry: int) -> str:
        """Name an entry of a flow's small array, as Python writes it: ``B[0, 2]``."""
        return self.small_name + _write_index(entry, self.small.shape)

    def places(self, entry: int) -> list[int]:
        """List the places that a small entry flows to, or that were added up in it; numbered row by row."""
        return np.flatnonzero(self.homes == entry).tolist()

    def places_back(self, entry: int) -> list[int]:
        """List the places that a small entry exchanges with as the adjoints flow back."""
        return [] if self.lands is None else np.flatnonzero(self.lands == entry).tolist()

    def list_terms(self, entry: int) -> list[float]:
        """List the adjoints that flow back from the places where a small entry is used."""
        return self.large_back[self.homes == entry].tolist()

    def sent(self, entry: int) -> float:
        """The adjoint that a small entry has as the adjoints flow back."""
        return float(self.small_back.flat[entry])

    def write_places(self, places: list[int]) -> str:
        """Write places of a flow's large array as indices."""
        return list_some([_write_index(k, self.large.shape) or "the only place" for k in places])


def _write_index(k: int, shape: Shape) -> str:
    """Write the index of an entry, counted row by row; the only entry of a number has none."""
    return f"[{', '.join(str(int(i)) for i in np.unravel_index(k, shape))}]" if shape else ""


def make_values(name: str, shape: Shape) -> np.ndarray:
    """Make the numbers that flow through the broadcast lens: 1, 2, 3, … in A, or a few small ones in B.

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
    """Run a program of the broadcast lens and its sweep, and return what flows.

    Raises
    ------
    Refused
        If the shapes do not fit together, or there is no such axis, or the wrong rule cannot be carried out.

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
    (_, term), full = OPS[program], _align_shapes(a, b)
    inputs = [make_values("A", a), make_values("B", b)]
    k = "AB".index(operand)
    small = inputs[k]

    def loss(x: Any, y: Any) -> Any:
        return np.sum(term(x, y))

    spread = [np.broadcast_to(x, full).copy() for x in inputs]
    # every copy is a separate input, so their adjoints are never added up
    back = np.asarray(grad(loss, argnums=k)(*spread))
    summed = np.asarray(grad(loss, argnums=k)(*inputs))
    homes = _number_entries(small.shape, full)
    lands = None if wrong and small.shape != full else homes
    return Flow(operand, small, spread[k], homes, lands, summed, back, other=spread[1 - k])


def _flow_of_sums(a: Shape, axes: Any, wrong: bool) -> Flow:
    named = range(len(a)) if axes is None else axes if isinstance(axes, tuple) else (axes,)
    missing = [axis for axis in named if axis >= len(a)]
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
    if wrong:  # as NumPy aligns it by itself: at the right
        try:
            lands = _number_entries(small.shape, a)
        except ValueError:
            raise Refused(
                f"The sum has shape {small.shape} and A has {a}. NumPy aligns them at the right and finds that they "
                "don't fit, so this time the wrong rule raises an error. Try a square A."
            ) from None
    return Flow("A", small, large, homes, lands, small_back, large_back)


def _number_entries(shape: Shape, full: Shape) -> np.ndarray:
    """For every place of `full` the number of the entry that NumPy reads there."""
    return np.broadcast_to(np.arange(int(np.prod(shape))).reshape(shape), full)


def _align_shapes(a: Shape, b: Shape) -> Shape:
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        pairs = zip(reversed(a), reversed(b), strict=False)
        k, (m, n) = next(
            (k, pair) for k, pair in enumerate(pairs) if pair[0] != pair[1] and 1 not in pair
        )
        where = ("last axis", "axis before the last", "third axis from the right")[k]
        raise Refused(
            f"NumPy aligns {a} and {b} at the right. At the {where}, {m} meets {n}; they differ and neither is 1, so "
            "they can't be broadcast. Choose another shape."
        ) from None


def _axes(n: int) -> str:
    return (
        "no axis"
        if n == 0
        else "axis 0 only"
        if n == 1
        else f"the axes {', '.join(map(str, range(n)))}"
    )
