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
        The Python that runs. Around it, a call first checks its arguments, and runs the program again in NumPy's
        arithmetic if Python's raises (at a division by zero, for example).
    operations : Operations
        How many operations its forward and its backward pass have.
    recorded : Operations
        How many lines the tape had before optimization; the backward pass includes the seed.
    seconds : dict
        The processor time that recording, cleaning, writing and compiling took.
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

    # A call runs the entry of the current version directly. A method in between would add a fifth to the time of a
    # program of ten numbers. Python looks up `__call__` on the class, where this slot returns each program's own entry.
    __slots__ = ("__call__", "__dict__", "__weakref__")

    def __init__(self, options: Options) -> None:
        self._options = options
        # least recently used first, the current one last
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
        """The lines of the tape, each with what the compiled program made of it; empty for very long programs."""
        return self._current.lines

    @property
    def constants(self) -> dict[str, Any]:
        """The constant arrays in the program's source, by name; they are read-only."""
        return dict(self._current.constants)

    @property
    def versions(self) -> int:
        """How many versions are kept now: one for each kind of arguments and each path through the branches."""
        return len(self._versions)

    @property
    def microseconds_per_operation(self) -> float:
        """The time it took to compile the program, in microseconds for each operation of the function."""
        return sum(self.seconds.values()) / max(self._current.function_operations, 1) * 1e6

    def __str__(self) -> str:
        constants = self._current.constants
        if not constants:
            return self.source
        definitions = [f"{name} = {_array_text(x)}" for name, x in constants.items()]
        return "\n".join([*definitions, "", self.source])

    def __repr__(self) -> str:
        written, recorded = self.operations, self.recorded
        return (
            f"program({name_of(self._options.f)}, mode={self._options.mode!r}): {written.forward} operations forward "
            f"and {written.backward} backward, of {recorded.forward} and {recorded.backward} recorded"
        )

    def _read(self, args: Sequence[Any]) -> Inputs:
        return read_inputs(self._options.f, args, self._options.argnums)

    def _add(self, inputs: Inputs) -> Version:
        """Compile a version, and drop the least recently used ones if there are too many."""
        version = Version(self._options, inputs)
        self.__signature__ = Signature(
            [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in inputs.names]
        )
        start = time.process_time()
        before = list(self._versions)
        self._activate(version)
        version.seconds["compiling"] = time.process_time() - start
        excess = max(0, len(before) + 1 - self._options.max_versions)
        for unused in before[:excess]:
            self._versions.pop(unused, None)
            if not self._has_warned:
                self._has_warned = True
                _warn_many_versions(before[-1], version)
        return version

    def _activate(self, version: Version) -> None:
        """Make this the current version: its entry becomes the `__call__` of this program."""
        self._current = version
        self._versions.pop(version, None)
        self._versions[version] = None
        version.entry = version.entry or version.make_entry(self._dispatch, self._switch_version)
        self.__call__ = version.entry

    def _dispatch(self, *args: Any, **kwargs: Any) -> Any:
        """Run a call whose arguments failed the quick test of the current version.

        The quick test is strict: an integer where a float was recorded fails it, but is converted here and accepted.
        """
        name = name_of(self._options.f)
        compiled_for = self._current.inputs
        if kwargs:
            raise InputError(
                f"A program takes its arguments by position only, but {', '.join(kwargs)} was passed by name. "
                f"Write them in the order {', '.join(compiled_for.names)}."
            )
        if len(args) != len(compiled_for.names):
            raise InputError(
                f"{name} was compiled for {len(compiled_for.names)} arguments ({', '.join(compiled_for.names)}), "
                f"but was called with {len(args)}."
            )
        inputs = self._read(args)
        if inputs.key == compiled_for.key or self._options.rerecord:
            return self._run_matching(inputs)
        raise _explain_mismatch(name, compiled_for, inputs)

    def _switch_version(self, *args: Any) -> Any:
        """Run a call in another version, because the function takes another branch than in the current one."""
        return self._run_matching(self._read(args), but=self._current)

    def _run_matching(self, inputs: Inputs, but: Version | None = None) -> Any:
        """Run the version whose kind of inputs and path through the branches fit; compile one if there is none.

        The most recently used version is tried first; `but` is not tried.
        """
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
    """Compile a derivative: record it once and write it as Python that runs as fast as if written by hand.

    Parameters
    ----------
    f : callable
        As for :func:`value_and_grad`.
    *example_args : number, array, or nested tuples, lists and dicts of these
        The arguments to record with. Floats, arrays of floats, and everything in the arguments named by `argnums`
        are inputs. Anything else (a count, labels) is compiled in as a constant.
    mode : {"reverse", "forward", "value"}
        What a call returns: ``(value, gradient)``, the gradient as from :func:`value_and_grad`;
        ``(value, jacobian)``, the Jacobian as from :func:`jacfwd`; or what `f` returns. With ``"value"``, `f` may
        itself take derivatives, for example with ``hvp``.
    argnums : int or sequence of int
        Which arguments to differentiate with respect to.
    passes : iterable of str
        Which optimizations to apply, out of ``"copies"``, ``"constants"``, ``"identities"``, ``"signs"``,
        ``"small first"``, ``"sharing"``, ``"dead code"``; by default all of them.
    on_branch : {"raise", "rerecord"}
        What to do if `f` would take another branch than recorded, or gets arguments of another shape: raise an error,
        or record and compile another version.
    max_versions : int
        With ``on_branch="rerecord"``: how many versions to keep, each for one kind of arguments and one path through
        the branches. When there are more, the least recently used one is dropped. The first time this happens, a
        warning explains why there are so many.

    Returns
    -------
    Program
        Takes the arguments of `f`, by position.

    Raises
    ------
    InputError
        If an option has an unknown value, or an argument cannot be an input or be compiled in.
    BranchChanged
        When the program is called: a comparison that decided a branch of `f` comes out differently.
    ShapeError, InputError
        When the program is called: the arguments are not of the kind that was recorded.

    See Also
    --------
    Program : A compiled derivative.
    value_and_grad : The value and the gradient.

    Notes
    -----
    Values agree with the engine's except for the last bits, because

    - ``math`` and NumPy may round a function differently;
    - a square is written as ``x * x``;
    - x · (1 / z) is written as x / z, which stays finite where 1 / z would overflow;
    - a product of a large array with two small ones multiplies the small ones first;
    - x + 0 is written as x, whereas NumPy turns a negative zero into a positive one.

    Sums keep their order. Arrays that `f` closes over are copied when the program is compiled. Everything else that `f`
    reads is fixed then too: random numbers, for example, are drawn once, during recording.

    The printed source is exactly what runs. A program of more than 200 lines isn't meant to be read line by line, so it
    is written for speed: a number that is used once is written where it is used, and a name is reused as soon as its
    value is no longer needed.

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
        raise InputError(f"max_versions is {max_versions!r}; it must be a whole number, 1 or more.")
    options = Options(f, mode, argnums, passes, on_branch == "rerecord", max_versions)
    compiled = Program(options)
    compiled._add(compiled._read(example_args))
    return compiled


def _check_choices(option: str, given: Sequence[Any], known: Sequence[str]) -> None:
    for x in given:
        if x not in known:
            choices = ", ".join(map(repr, known))
            raise InputError(f"{option} can't be {x!r}. Write one of {choices}.")


def _explain_mismatch(name: str, compiled_for: Inputs, inputs: Inputs) -> ShapeError:
    """The error for a call whose arguments are not of the kind that a program was compiled for."""
    paths = [leaf.path for leaf in compiled_for.leaves]
    paths_now = [leaf.path for leaf in inputs.leaves]
    if paths != paths_now and sorted(paths) == sorted(paths_now):
        return ShapeError(
            f"{name} was compiled for {', '.join(paths)} in this order, but was called with {', '.join(paths_now)}. "
            "The order of a dict's keys counts, because a function may loop over them. Pass the keys in the first "
            "order, or compile with on_branch='rerecord', which makes another version."
        )
    difference = find_difference(compiled_for, inputs)
    if difference:
        before, now = difference
        return ShapeError(
            f"{name} was compiled for {before.path} as {before.kind}, but was called with {now.path} as {now.kind}. "
            "Compile another program for it, or compile this one with on_branch='rerecord', which then does so "
            "automatically."
        )
    return ShapeError(
        f"{name} was compiled for arguments of another structure, or with another value of an argument that is not a "
        "float: only floats and arrays of floats are inputs, everything else is compiled in. Pass a float (3.0 for "
        "3), or compile with on_branch='rerecord', which compiles another version when needed."
    )


def _warn_many_versions(before: Version, last: Version) -> None:
    """Warn that a compiled program has more versions than it keeps: what varies between calls, and what to write."""
    options = last.options
    difference = find_difference(before.inputs, last.inputs)
    if before.inputs.key == last.inputs.key:
        advice = "Its arguments are always of the same kind, but it keeps taking other branches. "
        advice += (
            "Use np.where in place of the `if`, or call value_and_grad, which needs no compiling."
        )
    elif difference:
        earlier, now = difference
        advice = f"Between the last two, {earlier.path} changed from {earlier.kind} to {now.kind}. "
        advice += "Bring the arguments to a few shapes, for example by padding."
    else:
        advice = "The last two differ in structure, or in an argument that is not a float and so is compiled in. "
        advice += "A number to compute with becomes an input if it is a float: write 3.0 for 3."
    # The warning should point at the line that called the program, so skip generated functions and our own.
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and (
        frame.f_globals.get("__name__", "").startswith(__package__)
        or frame.f_code.co_filename.startswith("<program ")
    ):
        frame, level = frame.f_back, level + 1
    warnings.warn(
        f"The program of {name_of(options.f)} was compiled {options.max_versions + 1} times, but keeps only the "
        f"{options.max_versions} versions used last (max_versions), so from now on it may compile the same version "
        f"more than once. {advice} If you need all of these versions, raise max_versions.",
        stacklevel=level,
    )


def _array_text(x: np.ndarray) -> str:
    if x.size <= 8:
        return f"np.array({x.tolist()!r})"
    return f"...  # an array of shape {x.shape}, {x.dtype}"
