"""Compiled programs: `program` compiles a derivative to a `Program`, which chooses a version for each call."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from ..engine.errors import BranchChanged, InputError, ShapeError
from ..transforms.signatures import name_of
from .compiled_version import Line, Operations, Options, Version
from .optimization_passes import PASSES
from .program_inputs import Inputs, find_difference, read_inputs


class Program:
    """A compiled program of a derivative: call it like ``value_and_grad(f)``, print it to read it.

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

    See Also
    --------
    program : Compile a derivative.

    Examples
    --------
    >>> import autodiff_lab as ad
    >>> square = ad.program(lambda x: x * x, 2.0)
    >>> square(3.0)
    (9.0, 6.0)
    """

    # A call runs the entry of the current version, without a method in between: that would cost a fifth of a program of
    # ten numbers. Each program holds its entry in this slot, where Python looks for what a call runs.
    __slots__ = ("__call__", "__dict__", "__weakref__")

    def __init__(self, options: Options) -> None:
        self._options = options
        # in the order of their last use, with the current one at the end
        self._versions: dict[Version, None] = {}
        self._current: Version
        self._has_warned = False
        self.__call__ = self._dispatch  # see `_activate`

    @property
    def source(self) -> str:
        """The Python source of the compiled program, in its current version."""
        return self._current.source

    @property
    def operations(self) -> Operations:
        """How many operations the compiled program has, forward and backward."""
        return self._current.operations

    @property
    def recorded(self) -> Operations:
        """How many lines the tape of the compiled program had before optimization, forward and backward."""
        return self._current.recorded

    @property
    def seconds(self) -> dict[str, float]:
        """The seconds that recording, cleaning, writing and compiling this program took."""
        return self._current.seconds

    @property
    def lines(self) -> list[Line]:
        """What became of each line of the tape in the compiled program; empty for very long programs."""
        return self._current.lines

    @property
    def constants(self) -> dict[str, Any]:
        """Of a `Program`, the constant arrays by their names in its source; they cannot be written to."""
        return dict(self._current.constants)

    @property
    def versions(self) -> int:
        """How many versions the compiled program has now: one for each kind of arguments and path through branches."""
        return len(self._versions)

    @property
    def microseconds_per_operation(self) -> float:
        """The time it took to compile the program, in microseconds for each operation of the function."""
        return sum(self.seconds.values()) / max(self._current.function_operations, 1) * 1e6

    def __str__(self) -> str:
        head = [f"{name} = {_array_text(x)}" for name, x in self._current.constants.items()]
        return "\n".join([*head, "", self.source]) if head else self.source

    def __repr__(self) -> str:
        done, had = self.operations, self.recorded
        return (
            f"program({name_of(self._options.f)}, mode={self._options.mode!r}): {done.forward} operations forward and "
            f"{done.backward} backward, of {had.forward} and {had.backward} recorded"
        )

    def _read(self, args: Sequence[Any]) -> Inputs:
        return read_inputs(self._options.f, args, self._options.argnums)

    def _add(self, inputs: Inputs) -> Version:
        """Compile a version, and let go those that are unused for the longest time."""
        version = Version(self._options, inputs)
        self.__signature__ = Signature(
            [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in inputs.names]
        )
        start = time.process_time()
        before = list(self._versions)
        self._activate(version)
        version.seconds["compiling"] = time.process_time() - start
        for unused in before[: max(0, len(before) + 1 - self._options.max_versions)]:
            self._versions.pop(unused, None)
            if not self._has_warned:
                self._has_warned = True
                _warn_many_versions(before[-1], version)
        return version

    def _activate(self, version: Version) -> None:
        """Make this the version that is tried first: its function becomes what calling this object calls."""
        self._current = version
        self._versions.pop(version, None)
        self._versions[version] = None
        version.entry = version.entry or version.make_entry(self._dispatch, self._switch_version)
        self.__call__ = version.entry

    def _dispatch(self, *args: Any, **kwargs: Any) -> Any:
        """Run a call that is not, at first sight, what the current version was compiled for."""
        name, compiled_for = name_of(self._options.f), self._current.inputs
        if kwargs:
            raise InputError(
                f"A program takes its arguments by position, and was given {', '.join(kwargs)} by name."
            )
        if len(args) != len(compiled_for.names):
            raise InputError(
                f"{name} was compiled for {len(compiled_for.names)} arguments ({', '.join(compiled_for.names)}), "
                f"and was called with {len(args)}."
            )
        inputs = self._read(args)
        if inputs.key == compiled_for.key or self._options.rerecord:
            return self._run_matching(inputs)
        differ = find_difference(compiled_for, inputs)
        paths, paths_now = (
            [leaf.path for leaf in found.leaves] for found in (compiled_for, inputs)
        )
        if paths != paths_now and sorted(paths) == sorted(paths_now):
            raise ShapeError(
                f"{name} was compiled for {', '.join(paths)} in this order, and was called with "
                f"{', '.join(paths_now)}. The order of a dict counts, for a function may loop over it. Pass the keys "
                "in the first order, or compile with on_branch='rerecord', which makes another version."
            )
        if differ:
            raise ShapeError(
                f"{name} was compiled for {differ[0].path} as {differ[0].kind}, and was called with {differ[1].path} "
                f"as {differ[1].kind}. Compile another program for that, or this one with on_branch='rerecord', which "
                "does so by itself."
            )
        raise ShapeError(
            f"{name} was compiled for arguments of another structure, or with another value of what is not a float: "
            "only floats and arrays of floats are inputs, all else is compiled in. on_branch='rerecord' compiles as "
            "needed."
        )

    def _switch_version(self, *args: Any) -> Any:
        """Run a call that the current version has stopped, since the function goes another way."""
        return self._run_matching(self._read(args), but=self._current)

    def _run_matching(self, inputs: Inputs, but: Version | None = None) -> Any:
        """Run the version for these inputs that goes their way, looked for from the one used last; or a new one."""
        for version in reversed(list(self._versions)):
            if version is but or version.inputs.key != inputs.key:
                continue
            try:
                result = version.run(inputs.plain)
            except BranchChanged:
                if not self._options.rerecord:
                    raise
                continue
            if version is not self._current:
                self._activate(version)
            return result
        return self._add(inputs).run(inputs.plain)


def program(
    f: Callable[..., Any],
    *example_args: Any,
    mode: str = "reverse",
    argnums: int | Sequence[int] = 0,
    passes: Iterable[str] = PASSES,
    on_branch: str = "raise",
    max_versions: int = 32,
) -> Program:
    """Compile a derivative to a program: recorded once, written as Python that runs as fast as if written by hand.

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
    max_versions : int
        With ``on_branch="rerecord"``: how many versions to keep, for so many kinds of arguments and ways through the
        branches. When there is one more, that which was not used for the longest time is let go, and a warning says
        once why there are so many.

    Returns
    -------
    Program
        Takes the arguments of `f`.

    Raises
    ------
    BranchChanged
        By a call: a comparison that the course of `f` depended on comes out differently.
    ShapeError, InputError
        By a call: the arguments are not of the kind that was recorded.

    See Also
    --------
    Program : A compiled derivative.
    value_and_grad : The value and the gradient.

    Notes
    -----
    Values are those of the engine, but for the last bits: ``math`` and NumPy may round a function differently, a square
    is ``x * x``, x · (1 / z) is x / z (which also goes on where 1 / z would overflow), and a product of a large array
    with two small ones multiplies the small ones first. Sums keep their order. x + 0 is x, where NumPy
    makes a negative zero positive. Arrays that `f` closes over are copied when the program is compiled, and so is
    whatever else `f` reads: a function that rolls dice is recorded with one throw.

    What is printed is what runs. In a program of more than 200 lines, which nobody reads line by line, a number that is
    used once stands where it is used, and a name is used again when its value is no longer needed: that is faster.

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
    _check_choices("mode", (mode,), ("reverse", "forward", "value"))
    _check_choices("on_branch", (on_branch,), ("raise", "rerecord"))
    _check_choices("passes", passes, PASSES)
    if not isinstance(max_versions, int) or max_versions < 1:
        raise InputError(f"max_versions is {max_versions!r}; it takes a whole number, 1 or more.")
    options = Options(f, mode, argnums, passes, on_branch == "rerecord", max_versions)
    made = Program(options)
    made._add(made._read(example_args))
    return made


def _check_choices(option: str, given: Sequence[Any], known: Sequence[str]) -> None:
    for x in given:
        if x not in known:
            raise InputError(f"{option} was given {x!r}; it takes {', '.join(map(repr, known))}.")


def _warn_many_versions(before: Version, last: Version) -> None:
    """Warn that a compiled program has more versions than it keeps: what varies between calls, and what to write."""
    options, differ = last.options, find_difference(before.inputs, last.inputs)
    if before.inputs.key == last.inputs.key:
        advice = "Its arguments are of one kind, and again and again it goes another way through its branches. "
        advice += "Choose with np.where what an `if` chooses now, or take value_and_grad, which needs no compiling."
    elif differ:
        advice = f"Last {differ[0].path} was {differ[0].kind}, and then {differ[1].kind}. "
        advice += "Bring the arguments to a few shapes, by padding for example."
    else:
        advice = "Last the arguments differed in structure, or in what is not a float: that is compiled in. "
        advice += "A number to compute with becomes an input if it is a float: 3.0 for 3."
    # the line that called the program, behind generated functions and our own
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and (
        frame.f_globals.get("__name__", "").startswith(__package__)
        or frame.f_code.co_filename.startswith("<program ")
    ):
        frame, level = frame.f_back, level + 1
    warnings.warn(
        f"The program of {name_of(options.f)} was compiled {options.max_versions + 1} times, and keeps the "
        f"{options.max_versions} versions used last (max_versions): from now on it may compile one that it had before. "
        f"{advice} If all of them are meant, raise max_versions.",
        stacklevel=level,
    )


def _array_text(x: np.ndarray) -> str:
    return (
        f"np.array({x.tolist()!r})"
        if x.size <= 8
        else f"...  # an array of shape {x.shape}, {x.dtype}"
    )
