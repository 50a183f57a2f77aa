"""The vmap transform: a function of one example runs once on a batch, by a batching rule for each operation.

To the function, a :class:`Batched` value looks like that of one example; internally it has the batch axis in front.
The batching rules are short: an elementwise operation aligns the axes, a reduction or a linear map works on axes
shifted by one, and a product takes a stack of matrices. Any other operation runs once for each example, and its results
are stacked.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, NoReturn

import numpy as np

from ..engine.broadcasting import align_axes, normalize_axes, shape_of
from ..engine.dispatch import TABLE, Level, apply
from ..engine.errors import InputError, ShapeError, UnsupportedError
from ..engine.frames import is_asked_by_masked_array
from ..engine.operators import Overloaded
from ..engine.primitives import Op
from ..engine.rules.kinks import unknown_slope
from ..engine.rules.products import einsum_batch
from ..engine.rules.shapes import put_along, taken_along
from ..engine.values import as_operand, innermost_value, refuse_subclass, to_output
from . import pytree
from .recording import check_result
from .signatures import argument_names, name_of


def vmap(
    f: Callable[..., Any], in_axes: int | Sequence[int | None] | None = 0
) -> Callable[..., Any]:
    """Vectorize a function over an axis of its arguments: it is written for one example, and runs once on a batch.

    Parameters
    ----------
    f : callable
        Takes and returns numbers, arrays, or pytrees of them.
    in_axes : int, None, or a sequence with one of these for each argument
        The axis of an argument that runs over the examples; None for an argument that all examples share. For a pytree,
        the axis is that of each of its arrays.

    Returns
    -------
    callable
        Takes arguments with one more axis, all of the same length n; returns results of shape ``(n, *shape of one)``.
        Keyword arguments that are arrays, or pytrees of arrays, are mapped over their first axis; all others, such as
        ``axis=1``, are passed on unchanged. Bind an array that all examples share: ``vmap(partial(f, table=table))``.

    Raises
    ------
    InputError
        If `in_axes` is not an axis, has another length than the arguments, or contains no axis at all.
    ShapeError
        If an argument doesn't have the axis, the lengths differ, or an ``if`` comes out differently for two examples.
    UnsupportedError
        If an operation has results of different shapes for different examples, or an index differs between examples.

    See Also
    --------
    jacrev : The Jacobian by rows.

    Notes
    -----
    As in JAX (Bradbury and others, *JAX: composable transformations*, 2018). There are two differences: an operation
    without a batching rule is run once for each example, and an ``if`` is allowed if it comes out the same for all
    examples. JAX raises an error in both cases.

    Examples
    --------
    Per-example gradients of a loss, of shape ``(3, 2)`` for 3 examples and 2 weights:

    >>> import numpy as np
    >>> from autodiff_lab import grad
    >>> def loss(w, x, wanted):
    ...     return (w @ x - wanted) ** 2
    >>> xs, wanted = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([1.0, 2.0, 3.0])
    >>> vmap(grad(loss), in_axes=(None, 0, 0))(np.zeros(2), xs, wanted)
    array([[-2.,  0.],
           [ 0., -4.],
           [-6., -6.]])
    """

    @wraps(f)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        # Keywords with arrays are mapped over their first axis; all others are options, the same for all examples.
        named = {name: x for name, x in kwargs.items() if _holds_array(x)}
        axes = [*_axis_of_each(in_axes, len(args), f, bool(named)), *(0 for _ in named)]
        names = [*argument_names(f, len(args)), *named]
        given = (*args, *named.values())
        fronts = [
            _to_front(x, axis, name) for x, axis, name in zip(given, axes, names, strict=True)
        ]
        level = Batch(_count_examples(f, axes, names, fronts, named))
        inputs = []
        for axis, front in zip(axes, fronts, strict=True):
            if axis is not None:
                front = pytree.map_leaves(lambda x: Batched(x, level), front)
            inputs.append(front)

        def call(*inputs: Any) -> Any:
            mapped_keywords = dict(zip(named, inputs[len(args) :], strict=True))
            return f(*inputs[: len(args)], **{**kwargs, **mapped_keywords})

        result = level.run(call if kwargs else f, inputs)

        def collect(y: Any) -> Any:
            if not (type(y) is Batched and y.level is level):
                y = check_result(y)
            return to_output(level.with_axis(y))

        return pytree.map_leaves(collect, result)

    return mapped


def _holds_array(x: Any) -> bool:
    """Whether a keyword argument is an array, or a pytree with nothing but arrays in it."""
    leaves = pytree.flatten(x)
    return bool(leaves) and all(shape_of(leaf) != () for leaf in leaves)


def _count_examples(
    f: Callable[..., Any],
    axes: Sequence[int | None],
    names: Sequence[str],
    fronts: Sequence[Any],
    named: Mapping[str, Any],
) -> int:
    """The number of examples: the length of the first axis, which has to be the same for all mapped arrays."""
    sizes: dict[str, int] = {}
    for axis, name, front in zip(axes, names, fronts, strict=True):
        if axis is None:
            continue
        for path, x in zip(pytree.paths(name, front), pytree.flatten(front), strict=True):
            sizes[path] = shape_of(x)[0]
    if len(set(sizes.values())) == 1 and 0 not in sizes.values():
        return next(iter(sizes.values()))
    found = ", ".join(f"{path} has {n}" for path, n in sizes.items()) or "there is none"
    hint = ""
    if named:
        keyword = next(iter(named))
        hint = (
            f" An array that all examples share is bound first: partial({name_of(f)}, {keyword}=…)."
        )
    raise ShapeError(
        f"vmap({name_of(f)}) needs the same number of examples, at least one: {found}.{hint}"
    )


def _axis_of_each(in_axes: Any, count: int, f: Callable[..., Any], named: bool) -> list[int | None]:
    """The axis of each positional argument."""
    is_single = in_axes is None or hasattr(in_axes, "__index__")
    given = [in_axes] * count if is_single else in_axes
    try:
        axes = [None if axis is None else operator.index(axis) for axis in given]
    except TypeError:
        raise InputError(
            f"in_axes is {in_axes!r}; it takes an axis (0, 1, …), None for an argument that all examples share, or a "
            "tuple with one of these for each argument."
        ) from None
    if len(axes) != count:
        raise InputError(
            f"in_axes has {len(axes)} entries, and {name_of(f)} was called with {count} positional arguments."
        )
    if all(axis is None for axis in axes) and not named:
        raise InputError(
            f"vmap({name_of(f)}) has no axis to map over: give in_axes an axis for one argument at least."
        )
    return axes


def _to_front(tree: Any, axis: int | None, name: str) -> Any:
    """Move the axis of the examples to the front, in each array of a pytree."""

    def move(x: Any) -> Any:
        x = as_operand(x)
        shape = shape_of(x)
        if axis is not None and not -len(shape) <= axis < len(shape):
            raise ShapeError(
                f"vmap was to map over axis {axis} of {name}, of which a part has shape {shape}. Give in_axes an axis "
                "that there is, or None for an argument that all examples share."
            )
        return x if axis == 0 else np.moveaxis(x, axis, 0)  # type: ignore[arg-type]

    return tree if axis is None else pytree.map_leaves(move, tree)


class Batch(Level):
    """The level of one call of a vmapped function, which handles operations by their batching rules."""

    pausable = False

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size

    def process(self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """Apply one operation to all examples of the vmapped batch, by its batching rule."""
        own = [type(x) is Batched and x.level is self for x in operands]
        options = [x for option in static.values() for x in pytree.flatten(option)]
        if any(isinstance(x, Batched) for x in options):
            raise UnsupportedError(
                f"{op.name} was given a position that differs from example to example. Choose elements with np.where, "
                "or multiply by ones and zeros."
            )
        if op.kind == "shape":
            shaped = (
                np.zeros(x.shape, x.dtype) if mine else x
                for x, mine in zip(operands, own, strict=True)
            )
            return op.fn(*shaped, **static)
        y = None
        if op.inside is None:
            y = self._apply_batching_rule(op, operands, own, static)
        if y is None:
            y = self._run_each(op, operands, own, static)
        return Batched(y, self)

    def _apply_batching_rule(
        self, op: Op, operands: tuple[Any, ...], own: Sequence[bool], static: Mapping[str, Any]
    ) -> Any:
        """Compute an operation on the whole batch at once; None if it has no batching rule."""
        values = [x.value if mine else x for x, mine in zip(operands, own, strict=True)]
        shapes = [shape_of(x) for x in operands]
        if op.kind == "elementwise" or op in ELEMENTWISE:
            return apply(op, _align(values, own, shapes), static)
        if op.weights is not None:
            return _reduce(op, values[0], len(shapes[0]), static)
        if op in ALONG_THE_LAST_AXIS:
            return apply(op, tuple(map(self.with_axis, operands)), static)
        if op in PRODUCTS:
            return PRODUCTS[op](values, own, shapes, **static)
        if op.kind == "linear" and op.batched is not None:
            full = tuple(map(self.with_axis, operands))
            like = tuple(map(np.zeros, shapes))
            return op.batched(self.size, as_operand(op.fn(*like, **static)), like, full, static)
        return None

    def with_axis(self, x: Any) -> Any:
        """The value with the batch axis of vmap in front; a value that all examples share is broadcast along it."""
        if type(x) is Batched and x.level is self:
            return x.value
        return np.broadcast_to(x, (self.size, *shape_of(x)))

    def _run_each(
        self, op: Op, operands: Any, own: Sequence[bool], static: Mapping[str, Any]
    ) -> Any:
        """Compute an operation once for each example, and stack the results."""
        results = []
        for b in range(self.size):
            of_example = tuple(
                x.value[b] if mine else x for x, mine in zip(operands, own, strict=True)
            )
            results.append(apply(op, of_example, static))
        for y in results:
            if isinstance(y, (tuple, list)) or shape_of(y) != shape_of(results[0]):
                raise UnsupportedError(
                    f"{op.name} has no batching rule: its result has another shape for each example. Keep the shape, "
                    "with np.where, or call it for each example in a loop."
                )
        return np.stack(results)


def _align(
    values: Sequence[Any], own: Sequence[bool], shapes: Sequence[tuple[int, ...]]
) -> tuple[Any, ...]:
    """Insert axes of length 1 after the batch axis, so that operands broadcast as they do for one example."""
    longest = max(shapes, key=len)
    return tuple(
        align_axes(x, shape, longest) if mine else x
        for x, mine, shape in zip(values, own, shapes, strict=True)
    )


def _reduce(op: Op, x: Any, n: int, static: Mapping[str, Any]) -> Any:
    """Reduce along the same axes as for one example; the batch axis in front shifts each of them by one."""
    if n == 0:
        return x
    axis = static.get("axis")
    if axis is None and not static.get("keepdims"):
        return apply(op, (np.reshape(x, (shape_of(x)[0], -1)),), {**static, "axis": 1})
    shifted = tuple(a + 1 for a in normalize_axes(axis, n))
    return apply(op, (x,), {**static, "axis": shifted[0] if len(shifted) == 1 else shifted})


def _multiply_matrices(values: Any, own: Any, shapes: Any) -> Any:
    """Compute a stack of matrix products; a vector becomes a row on the left, a column on the right."""
    left, right = shapes
    is_row = len(left) == 1
    is_column = len(right) == 1
    full = [(1, *left) if is_row else left, (*right, 1) if is_column else right]
    matrices = [
        np.reshape(x, (*shape_of(x)[:1], *shape) if mine else shape)
        for x, mine, shape in zip(values, own, full, strict=True)
    ]
    y = np.matmul(*_align(matrices, own, full))
    if is_column:
        y = y[..., 0]
        return y[..., 0] if is_row else y
    return y[..., 0, :] if is_row else y


PRODUCTS: dict[Op, Callable[..., Any]] = {
    TABLE[np.matmul]: _multiply_matrices,
    TABLE["einsum"]: lambda values, own, shapes, subscripts: einsum_batch(values, own, subscripts),
}
ALONG_THE_LAST_AXIS = {taken_along, put_along}
# Primitives that compute each element on its own, in addition to those of the kind "elementwise".
ELEMENTWISE = {
    *(
        op
        for key, op in TABLE.items()
        if isinstance(key, np.ufunc) and op.kind in ("flat", "comparison")
    ),
    *(
        TABLE[key]
        for key in (np.where, "unless", "over", np.round, np.around, "as integers", np.ldexp)
    ),
    unknown_slope,
}


class Batched(Overloaded):
    """A traced value in vmap: the values of all examples in the batch, with the shape of a single one."""

    __slots__ = ("level", "value")
    of_many = True

    def __init__(self, value: Any, level: Batch) -> None:
        self.value, self.level = value, level

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one example in the vmapped batch, without the batch axis."""
        return shape_of(self.value)[1:]

    def __bool__(self) -> bool:
        if self.shape == () and isinstance(self.level, Batch):
            answers = {bool(answer) for answer in innermost_value(self.value).flat}
            if len(answers) == 1:
                return answers.pop()
            raise ShapeError(
                "An `if` comes out differently for the examples of this vmap. Compute both branches and choose: "
                "np.where(condition, a, b)."
            )
        return super().__bool__()

    def _raise_detached(self, what: str, instead: str | None) -> NoReturn:
        raise UnsupportedError(
            f"{what} of {self!r} would be the same for all examples. Use NumPy functions of the value that vmap "
            "supports (np.where, np.max, np.sum, …), or call the function for each example in a loop."
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        if is_asked_by_masked_array():
            raise refuse_subclass(np.ma.MaskedArray)
        self._raise_detached("A plain array", "")

    def __repr__(self) -> str:
        return f"Batched({self.level.size} examples of shape {self.shape})"
