"""Gradient tapes, as TensorFlow's: record eager operations, then run the backward pass over them.

``with GradientTape() as tape:`` records each operation that has a watched operand. ``tape.gradient(target, sources)``
runs the backward pass over the operations between sources and target. The backward pass itself consists of eager
operations, so an outer tape records it too. That is all that higher derivatives need.
"""

from __future__ import annotations

import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..engine.errors import InputError, ReleasedError
from ..engine.levels import open_levels
from ..engine.primitives import Op
from ..engine.printing import format_call, format_value
from ..engine.values import as_shaped, ones, zeros
from ..transforms import pytree
from .eager import Eager, Recorder, Tensor, Variable, constant, custom_gradient
from .rewinding import READ, Record, Sweep, tensor_name, unused_name

__all__ = ["GradientTape", "Tensor", "Variable", "constant", "custom_gradient"]


class GradientTape(Recorder):
    """A gradient tape: a context manager that records eager operations and computes their gradient.

    Parameters
    ----------
    persistent : bool
        Keep the records after a gradient, so that :meth:`gradient` can be called more than once.
    watch_accessed_variables : bool
        Watch each trainable Variable that is read. If False, watch only what is passed to :meth:`watch`.

    See Also
    --------
    grad : The gradient alone.
    Graph : A graph that is built before it is run.

    Examples
    --------
    >>> x, y = Variable(2.0), Variable(3.0)
    >>> with GradientTape() as tape:
    ...     z = x**2 + y**2
    >>> tape.gradient(z, [x, y])
    [Tensor(4.0), Tensor(6.0)]
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        super().__init__()
        self.open = False
        self.persistent = persistent
        self.watch_accessed_variables = watch_accessed_variables
        self.reset()

    # Recording

    def __enter__(self) -> GradientTape:
        if self in open_levels:
            raise InputError(
                "This tape is already recording. To nest tapes, make another GradientTape()."
            )
        if self._rewound:
            self.reset()
        self.thread = threading.get_ident()
        open_levels.append(self)
        self.open = True
        return self

    def __exit__(self, *exception: Any) -> None:
        self._stop()

    def _stop(self) -> None:
        self.open = False
        if self in open_levels:
            open_levels.remove(self)

    def watch(self, objects: Any) -> None:
        """Make the gradient tape watch these tensors and Variables; containers may be nested."""
        for x in _flatten_eager(objects, "objects"):
            if x.dtype.kind == "f":
                self._watch(x)

    def _watch(self, x: Any) -> None:
        if x.number not in self.made_by:
            self.made_by[x.number] = None
            self.names[x.number] = unused_name(getattr(x, "name", None), self.names)
        if isinstance(x, Variable):
            self._variables[x.number] = x

    def note_read(self, variable: Variable, tensor: Tensor) -> None:
        """Watch a trainable Variable that has been read, and record on the gradient tape that it was read."""
        if self.watch_accessed_variables and variable.trainable and variable.dtype.kind == "f":
            self._watch(variable)
        if variable.number in self.made_by:
            self.record(READ, (variable,), {}, tensor)

    def watches(self, operands: tuple[Any, ...]) -> bool:
        """Whether the gradient tape watches one of these operands, or a value that one was computed from."""
        return any(isinstance(x, Eager) and x.number in self.made_by for x in operands)

    def record(
        self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any], result: Tensor
    ) -> None:
        """Record on the gradient tape an eager operation that has been computed."""
        place = len(self.records)
        self.made_by[result.number] = place
        self.records[place] = Record.of(op, operands, static, result)

    def watched_variables(self) -> tuple[Variable, ...]:
        """The Variables that the gradient tape watches, in the order in which they were first watched."""
        return tuple(self._variables.values())

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Pause recording: results computed in this block are constants to the gradient tape."""
        if not self.open:
            raise InputError(
                "This tape is not recording, so it can't pause. Write stop_recording() inside `with tape:`."
            )
        self.open = False
        try:
            yield
        finally:
            self.open = self in open_levels

    def reset(self) -> None:
        """Clear the gradient tape: it has no records and watches nothing."""
        self.records: dict[int, Record] = {}
        # By the number of a tensor: the place of its record; None if it is watched and wasn't computed.
        self.made_by: dict[int, int | None] = {}
        self._variables: dict[int, Variable] = {}
        self.names: dict[int, str] = {}
        self._rewound = False

    # Rewinding

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: str = "none",
    ) -> Any:
        """Rewind the gradient tape: for each source Σ ∂target/∂source, summed over all elements of all targets.

        Parameters
        ----------
        target, sources : Tensor, Variable, or nested tuples, lists and dicts of these
        output_gradients : optional
            Weights for the sum, with the structure and shapes of `target`. Ones if not given.
        unconnected_gradients : {"none", "zero"}
            The gradient of a source that the target doesn't depend on, as far as the tape has recorded.

        Returns
        -------
        Tensors in the structure of `sources`; None for a source that is not watched.

        Raises
        ------
        ReleasedError
            On the second call, unless the tape is persistent.
        InputError
            If a target or source is neither a tensor nor a Variable, or the policy is unknown.
        ShapeError
            If `output_gradients` don't have the shapes of `target`.
        """
        otherwise = _unconnected_policy(unconnected_gradients)
        sweep = self.sweep(target, sources, output_gradients)
        deque(sweep.steps(), maxlen=0)
        adjoints = sweep.adjoints

        def gradient_of(x: Any) -> Any:
            return adjoints[x.number] if x.number in adjoints else otherwise(x)

        return pytree.map_leaves(gradient_of, sources)

    def sweep(self, target: Any, sources: Any, output_gradients: Any = None) -> Sweep:
        """The gradient tape's sweep, to be run step by step: ``for step in tape.sweep(z, x).steps(): …``."""
        targets = _flatten_eager(target, "target")
        source_leaves = _flatten_eager(sources, "sources")
        weights = [None] * len(targets)
        if output_gradients is not None:
            weights = pytree.match_leaves(output_gradients, target, "output_gradients")
        paths = pytree.paths("output_gradients", target)
        seeds = []
        for y, weight, path in zip(targets, weights, paths, strict=True):
            seed = ones(y.value) if weight is None else as_shaped(weight, y.value, path)
            seeds.append(constant(seed))
        sweep = Sweep(self.made_by, self.names, self._take_records(), targets, source_leaves)
        for y, seed in zip(targets, seeds, strict=True):
            sweep.seed(y, seed)
        return sweep

    def jacobian(self, target: Any, sources: Any, unconnected_gradients: str = "none") -> Any:
        """The Jacobian of one target by a gradient tape: for each source a block ``target.shape + source.shape``."""
        otherwise = _unconnected_policy(unconnected_gradients)
        if len(_flatten_eager(target, "target")) != 1 or not isinstance(target, Eager):
            raise InputError(
                "jacobian takes one target. Join several with np.stack, or call it once for each."
            )
        leaves = _flatten_eager(sources, "sources")
        records = self._take_records()
        # one row for each element of the target: the adjoints of the sources, by their numbers
        rows: list[dict[int, Tensor]] = []
        for unit in np.eye(target.size, dtype=target.dtype):
            sweep = Sweep(self.made_by, self.names, records, [target], leaves)
            sweep.seed(target, constant(unit.reshape(target.shape)))
            deque(sweep.steps(), maxlen=0)
            rows.append(sweep.adjoints)

        def block(x: Any) -> Any:
            is_connected = any(x.number in row for row in rows)
            if rows and not is_connected and otherwise(x) is None:
                return None
            if not rows:
                return constant(np.zeros((*target.shape, *x.shape)))
            gradients = [row[x.number] if x.number in row else zeros(x) for row in rows]
            return constant(np.reshape(np.stack(gradients), (*target.shape, *x.shape)))

        return pytree.map_leaves(block, sources)

    def _take_records(self) -> dict[int, Record]:
        """Return the records for a sweep; unless the tape is persistent, it stops recording and frees them."""
        if self._rewound:
            raise ReleasedError(
                "This tape has already computed a gradient and freed its records. Compute all gradients in one call, "
                "tape.gradient(target, [x, y]), or make the tape with GradientTape(persistent=True)."
            )
        if self.persistent:
            return self.records
        self._stop()
        records = self.records
        self.records = {}
        self._rewound = True
        return records

    # Reading

    def __str__(self) -> str:
        def text(x: Any) -> str:
            if isinstance(x, Eager) and x.number in self.made_by:
                return tensor_name(x.number, self.made_by, self.names)
            return format_value(x.value if isinstance(x, Eager) else x)

        def line(r: Record) -> str:
            call = format_call(r.op.name, r.op.symbol, list(map(text, r.operands)), dict(r.static))
            return f"{text(r.result)} = {call} = {format_value(r.result.value)}"

        return "\n".join(map(line, self.records.values()))


def _flatten_eager(objects: Any, role: str) -> list[Any]:
    """The tensors and Variables in a container; raises an InputError for anything else."""
    leaves = pytree.flatten(objects)
    for x, path in zip(leaves, pytree.paths(role, objects), strict=True):
        if not isinstance(x, Eager):
            raise InputError(
                f"{path} is {x!r}, but a tape records only tensors and Variables. Either the number was never a "
                "tensor, or .numpy() or .value made it a plain number on the way. Start from a Variable(…), or from a "
                "constant(…) that you pass to tape.watch(), and compute with the tensor itself."
            )
        if role != "target" and x.dtype.kind != "f":
            warnings.warn(
                f"{x!r} holds {x.dtype}, which has no derivative: its gradient is None. Use floats: write 5.0 for 5.",
                stacklevel=4,
            )
    return leaves


def _unconnected_policy(policy: str) -> Callable[[Any], Any]:
    """Return the function that makes the gradient of a source that the target doesn't depend on."""
    if policy not in ("none", "zero"):
        raise InputError(f"unconnected_gradients is {policy!r}; write 'none' or 'zero'.")
    if policy == "none":
        return lambda x: None
    return lambda x: constant(zeros(x))
