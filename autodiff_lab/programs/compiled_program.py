"""The object that `program` returns."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..engine.errors import BranchChanged, InputError
from ..transforms.recording import name_of, resolve_argnums
from .advice import again_and_again, refused, worth_it
from .arguments import Inputs, read_inputs
from .listing import Line
from .optimize import PASSES
from .version import Operations, Order, Version, compiled

__all__ = ["Program", "program"]

LONG = 100_000
"""Lines from which on it is worth asking whether compiling was worth it."""


class Program:
    """A compiled derivative: call it like ``value_and_grad(f)``, print it to read it.

    Attributes
    ----------
    source : str
        The Python that runs, between a test of the arguments and a second try in NumPy's arithmetic.
    operations : Operations
        How many operations it has on the way forward and on the way back.
    recorded : Operations
        How many lines the tape had, before cleaning; on the way back the seed is one of them.
    seconds : dict
        What recording, cleaning, writing and compiling took, in seconds of the processor.
    lines : list of Line
        Each line of the tape, and what became of it.
    """

    def __init__(self, order: Order) -> None:
        self._order = order
        self._versions: dict[Version, None] = {}  # in the order of their last use, with the current one at the end
        self._current: Version
        self._has_advised = False

    def __call__(self, *args: Any) -> Any:
        """Run on new arguments; each program has its own, see `_take`."""
        return self._door(*args)

    @property
    def source(self) -> str:
        """The Python that runs."""
        return self._current.source

    @property
    def operations(self) -> Operations:
        """Operations on the way forward and on the way back."""
        return self._current.operations

    @property
    def recorded(self) -> Operations:
        """Lines of the tape, before cleaning."""
        return self._current.recorded

    @property
    def seconds(self) -> dict[str, float]:
        """What each step of making it took."""
        return self._current.seconds

    @property
    def lines(self) -> list[Line]:
        """Each line of the tape, and what became of it; empty for very long programs."""
        return self._current.lines

    @property
    def constants(self) -> dict[str, Any]:
        """The arrays that the source names, by name; they cannot be written to."""
        return dict(self._current.constants)

    @property
    def versions(self) -> int:
        """For how many kinds of arguments and ways through the branches it is compiled now."""
        return len(self._versions)

    @property
    def microseconds_per_operation(self) -> float:
        """What compiling cost per operation of the function."""
        return sum(self.seconds.values()) / max(self._current.of_f, 1) * 1e6

    def __str__(self) -> str:
        head = [f"{name} = {_shown(x)}" for name, x in self._current.constants.items()]
        return "\n".join([*head, "", self.source]) if head else self.source

    def __repr__(self) -> str:
        done, had = self.operations, self.recorded
        return (
            f"program({name_of(self._order.f)}, mode={self._order.mode!r}): {done.forward} operations forward and "
            f"{done.backward} backward, of {had.forward} and {had.backward} recorded"
        )

    def save(self, path: str | Path) -> list[Path]:
        """Write the program into a file that needs NumPy and nothing else; the files written are returned.

        Large arrays go into an ``.npz`` file beside it.
        """
        from .save import saved

        return saved(self._current, Path(path))

    # The way in

    def _add(self, args: Sequence[Any]) -> Version:
        version = compiled(self._order, args)
        start = time.process_time()
        before = list(self._versions)
        self._take(version)
        version.seconds["compiling"] = time.process_time() - start
        for unused in before[: max(0, len(before) + 1 - self._order.max_versions)]:
            self._versions.pop(unused, None)
            if not self._has_advised:
                self._has_advised = True
                again_and_again([*before, version])
        return version

    def _take(self, version: Version) -> None:
        """Make this the version that is tried first: its function becomes what calling this object calls."""
        self._current = version
        self._versions.pop(version, None)
        self._versions[version] = None
        if not hasattr(version, "_entry"):
            version._entry = version.entry(self._door, self._another)  # type: ignore[attr-defined]
        type(self).__call__ = staticmethod(version._entry)  # type: ignore[assignment, attr-defined]

    def _known(self, inputs: Inputs) -> list[Version]:
        """The versions for arguments of this kind, the one used last first."""
        return [version for version in reversed(list(self._versions)) if version.inputs.key == inputs.key]

    def _read(self, args: Sequence[Any]) -> Inputs:
        order = self._order
        return read_inputs(order.f, args, resolve_argnums(order.argnums, args, order.f))

    def _door(self, *args: Any, **kwargs: Any) -> Any:
        """Calls that are not what the current version was compiled for at first sight."""
        if kwargs:
            raise InputError(f"A program takes its arguments by position, and was given {', '.join(kwargs)} by name.")
        if len(args) != len(self._current.inputs.names):
            raise InputError(
                f"{name_of(self._order.f)} was compiled for {len(self._current.inputs.names)} arguments "
                f"({', '.join(self._current.inputs.names)}), and was called with {len(args)}."
            )
        inputs = self._read(args)
        known = self._known(inputs)
        if not known:
            if not self._order.rerecord:
                raise refused(self._current.inputs, inputs, name_of(self._order.f))
            return self._add(args).run(inputs.plain)
        version = known[0]
        try:
            result = version.run(inputs.plain)
        except BranchChanged:
            if not self._order.rerecord:
                raise
            return self._another(*args)
        if version is not self._current:
            self._take(version)
        return result

    def _another(self, *args: Any) -> Any:
        """The program went another way: a version that has gone that way, or a new one."""
        inputs = self._read(args)
        for version in self._known(inputs):
            if version is not self._current:
                try:
                    result = version.run(inputs.plain)
                except BranchChanged:
                    continue
                self._take(version)
                return result
        return self._add(args).run(inputs.plain)


def program(
    f: Callable[..., Any],
    *example_args: Any,
    mode: str = "reverse",
    argnums: int | Sequence[int] = 0,
    passes: Iterable[str] = PASSES,
    on_branch: str = "raise",
    reuse_buffers: bool = False,
    max_versions: int = 32,
) -> Program:
    """Record a derivative once, and write it down as Python that runs at the speed of Python written by hand.

    Parameters
    ----------
    f : callable
        As for :func:`value_and_grad`.
    *example_args : number, array, or nested tuples, lists and dicts of these
        What to record with. Floats, arrays of floats, and all in the arguments that `argnums` names, are inputs;
        whatever else there is (a count, labels) is compiled in.
    mode : {"reverse", "forward", "value"}
        What a call returns: ``(value, gradient)`` as :func:`value_and_grad` does; ``(value, jacobian)``, the second
        as :func:`jacfwd` does; or what `f` returns. With ``"value"``, `f` may itself take derivatives: the ``hvp`` of
        something.
    argnums : int or sequence of int
        Which arguments to differentiate by.
    passes : iterable of str
        The cleaning to do, of ``"copies"``, ``"constants"``, ``"identities"``, ``"signs"``, ``"small first"``,
        ``"sharing"``, ``"dead code"``.
    on_branch : {"raise", "rerecord"}
        What to do where `f` would go another way than recorded, or has arguments of another shape.
    reuse_buffers : bool
        Write intermediate arrays into the same memory at each call. Results are never in it. Calls at the same time,
        from other threads or from within a call, get memory of their own.
    max_versions : int
        With ``on_branch="rerecord"``: how many versions to keep, for so many kinds of arguments and ways through the
        branches. When there is one more, that which was not used for the longest time is let go, and a warning says
        once why there are so many.

    Raises
    ------
    BranchChanged
        By a call: a comparison that the course of `f` depended on comes out differently.
    ShapeError, InputError
        By a call: the arguments are not of the kind that was recorded.

    Notes
    -----
    Values are those of the engine, but for the last bits: ``math`` and NumPy may round a function differently, a square
    is ``x * x``, x · (1 / z) is x / z (which also goes on where 1 / z would overflow), and a product of a large array
    with two small ones multiplies the small ones first. Sums keep their order. x + 0 is x, where NumPy
    makes a negative zero positive. Arrays that `f` closes over are copied when the program is compiled, and so is
    whatever else `f` reads: a function that rolls dice is recorded with one throw.

    What runs is the source, with names used again, or left out, where that is faster.

    Examples
    --------
    >>> import numpy as np
    >>> def f(x1, x2):
    ...     return np.log(x1) + x1 * x2 - np.sin(x2)
    >>> g = program(f, 2.0, 5.0, argnums=(0, 1))
    >>> print(g)
    def f(x1, x2):
        v1 = math.log(x1)
        v2 = x1 * x2
        v3 = v1 + v2
        v4 = math.sin(x2)
        v5 = v3 - v4
        x2_bar = -math.cos(x2) + x1
        x1_bar = x2 + 1 / x1
        return v5, (x1_bar, x2_bar)
    >>> g(2.0, 5.0)
    (11.652071455223084, (5.5, 1.7163378145367738))
    >>> g.recorded, g.operations
    (Operations(forward=5, backward=10), Operations(forward=5, backward=5))
    """
    passes = tuple(passes)
    for given, known, what in (
        ((mode,), ("reverse", "forward", "value"), "mode"),
        ((on_branch,), ("raise", "rerecord"), "on_branch"),
        (passes, PASSES, "passes"),
    ):
        for x in given:
            if x not in known:
                raise InputError(f"{what} was given {x!r}; it takes {', '.join(map(repr, known))}.")
    if not isinstance(max_versions, int) or max_versions < 1:
        raise InputError(f"max_versions is {max_versions!r}; it takes a whole number, 1 or more.")
    order = Order(f, mode, argnums, passes, on_branch == "rerecord", reuse_buffers, max_versions)
    made: Program = type("Program", (Program,), {"__doc__": Program.__doc__, "__module__": __name__})(order)
    version = made._add(example_args)
    if sum(version.recorded) > LONG:
        worth_it(made, version)
    return made


def _shown(x: np.ndarray) -> str:
    if x.ndim == 0:
        return f"np.array({x.item()!r})"
    return f"np.array({x.tolist()!r})" if x.size <= 8 else f"...  # an array of shape {x.shape}, {x.dtype}"
