"""One version of a program: for arguments of one kind, and one way through the branches."""

from __future__ import annotations

import gc
import inspect
import math
import re
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from types import FunctionType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from ..engine.dispatch import FLOAT64
from ..engine.errors import BranchChanged
from ..engine.values import to_output
from ..transforms import pytree
from ..transforms.recording import resolve_argnums
from .arguments import TAKEN, Inputs, conditions, read_inputs, safe_name
from .codegen import Writer
from .listing import Line, Listing
from .optimize import cleaned
from .python_names import IN_NUMPY
from .split_functions import Function, functions, indented
from .trace_derivative import traced

__all__ = ["Operations", "Order", "Version", "compiled", "in_numpy"]

LARGEST_LISTED = 20_000
"""Programs with more lines than this do not keep the listing of what became of each."""

WITH_OUT = re.compile(r"^((?:\w+ = )?np\.(?!maximum|minimum)\w+\(.*), out=(\w+\))$", re.MULTILINE)
"""A line that calls a ufunc with a buffer to write into."""


class Operations(NamedTuple):
    """How many operations there are on the way forward, and on the way back."""

    forward: int
    backward: int


class Order(NamedTuple):
    """What was asked for: see `program`."""

    f: Callable[..., Any]
    mode: str
    argnums: int | Sequence[int]
    passes: tuple[str, ...]
    rerecord: bool
    reuse_buffers: bool
    max_versions: int


class Version:
    """A compiled program for arguments of one kind, going one way.

    Attributes
    ----------
    inputs : Inputs
    functions : list of Function
        The text. The last function is the program, the others are its parts.
    constants : dict
        The arrays it needs, by name.
    buffers : dict
        The shapes of the arrays it writes into again and again.
    recorded, operations : Operations
        On the tape, and in the program.
    seconds : dict
        What recording, cleaning, writing and compiling took.
    """

    def __init__(self, order: Order, inputs: Inputs) -> None:
        self.order, self.inputs = order, inputs
        self.functions: list[Function] = []
        self.constants: dict[str, Any] = {}
        self.own_functions: dict[str, Any] = {}
        self.objects: dict[str, Any] = {}
        self.buffers: dict[str, tuple[int, ...]] = {}
        self.recorded = self.operations = Operations(0, 0)
        self.of_f = 0
        self.seconds: dict[str, float] = {}
        self._listing: Listing | None = None
        self.namespace: dict[str, Any] = {}
        self._spare: list[tuple[np.ndarray, ...]] = []
        self._run: Any = None
        self._again: Any = None

    @property
    def source(self) -> str:
        """The functions as text."""
        return "\n\n".join(function.text(function.shown) for function in self.functions)

    @cached_property
    def lines(self) -> list[Line]:
        """Each line of the tape, and what became of it; empty for very long programs."""
        told = [] if self._listing is None else self._listing.told()
        self._listing = None
        return told

    def take_buffers(self) -> tuple[np.ndarray, ...]:
        """Arrays to write into that no call is using: calls in other threads, or within this one, have others."""
        try:
            return self._spare.pop()
        except IndexError:
            return tuple(np.empty(shape) for shape in self.buffers.values())

    def call(self, function: Any, args: Sequence[Any]) -> Any:
        """Call with buffers, if there are any, and give them back."""
        if not self.buffers:
            return function(*args)
        mine = self.take_buffers()
        try:
            return function(*args, *mine)
        finally:
            self._spare.append(mine)

    def run(self, args: Sequence[Any]) -> Any:
        """Run on arguments that are known to fit."""
        if self._run is None:
            self._run = self._executed()
        try:
            return self.call(self._run, args)
        except (ArithmeticError, ValueError):
            return self.run_in_numpy(args)

    def run_in_numpy(self, args: Sequence[Any]) -> Any:
        """Run in NumPy's arithmetic, which gives infinity and nan where Python's raises."""
        if self._run is None:
            self._run = self._executed()
        if self._again is None:
            doubles = all(getattr(leaf.value, "dtype", FLOAT64) == FLOAT64 for leaf in self.inputs.leaves)
            self._again = in_numpy(self.namespace, [function.name for function in self.functions], doubles)
        numbers = [pytree.map_leaves(lambda x: np.float64(x) if type(x) is float else x, x) for x in args]
        return pytree.map_leaves(
            lambda y: to_output(y) if isinstance(y, np.generic) else y, self.call(self._again, numbers)
        )

    def _executed(self) -> Any:
        for function in self.functions:
            if function.name not in self.namespace:
                self._define(function.name, function.text(function.shown), self.namespace)
        return self.namespace[self.functions[-1].name]

    def _define(self, name: str, text: str, where: dict[str, Any]) -> Any:
        exec(compile(text, f"<program {name}>", "exec"), where)
        return where[name]

    def entry(self, door: Callable[..., Any], another: Callable[..., Any]) -> Any:
        """The function that a call of the program is: the test that the arguments fit, then the program itself."""
        inputs, main = self.inputs, self.functions[-1]
        names = ", ".join(inputs.names)
        tests = conditions(inputs.args, inputs.names)
        if tests is None:
            return door
        lines, after = main.running, ""
        if len(self.functions) > 1:
            for part in self.functions[:-1]:
                self._define(part.name, part.text(part.running), self.namespace)
            self._run = self._executed()
            lines = f"return _main({', '.join([*inputs.names, *self.buffers])})"
        if self.buffers:  # positions are read faster than names
            lines = f"{', '.join(self.buffers)}, = _mine = _take()\n" + WITH_OUT.sub(r"\1, \2", lines)
            after = "        finally:\n            _spare.append(_mine)\n"
        text = f"def {main.name}({names}):\n    if {' and '.join(tests) or 'True'}:\n        try:"
        text += indented(f"\n{lines}", 3) + "\n"
        text += f"        except (ArithmeticError, ValueError):\n            return _in_numpy(({names},))\n"
        if self.order.rerecord:
            text += f"        except BranchChanged:\n            return _another({names})\n"
        text += f"{after}    return _door({names})\n"
        hidden = {"_door": door, "_another": another, "_in_numpy": self.run_in_numpy}
        hidden |= {"_take": self.take_buffers, "_spare": self._spare, "_main": self._run}
        if "BranchChanged(" not in text:  # found once, not looked up at each call
            for module, short in ((math, "math"), (np, "np")):
                called = re.compile(rf"{short}(?<!\w{short})\.(?=(\w+)[(.])")  # begins with letters: found at once
                for name in set(called.findall(text)):
                    hidden[f"{short}_{name}"] = getattr(module, name)
                text = called.sub(f"{short}_", text)
        return self._define(main.name, text, {**self.namespace, **hidden})


@contextmanager
def collector_resting() -> Iterator[None]:
    """Keep the garbage collector from reading a growing tape again and again: nothing on it is garbage yet."""
    was_running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_running:
            gc.enable()


@collector_resting()
def compiled(order: Order, args: Sequence[Any]) -> Version:
    """Record, clean, write."""
    clock = [time.process_time()]
    several = not hasattr(order.argnums, "__index__")
    which = resolve_argnums(order.argnums, args, order.f)
    inputs = read_inputs(order.f, args, which)
    trace = traced(order.f, inputs.args, which, several, order.mode, [leaf.name for leaf in inputs.leaves])
    clock.append(time.process_time())
    draft = cleaned(trace, order.passes, _arrays_around(order.f))
    clock.append(time.process_time())
    version = Version(order, inputs)
    taken = {*TAKEN, *inputs.names, *inputs.keys, *(leaf.name for leaf in inputs.leaves), "_entry", "_run"}
    name = getattr(order.f, "__name__", type(order.f).__name__)
    name = safe_name(name if name.isidentifier() else "f", taken)
    writer = Writer(draft, inputs.leaves, taken, order.reuse_buffers)
    writer.write()
    types = _types(order, inputs, which, len(draft.results))
    result = writer.returned(types)
    inside = [leaf for leaf in inputs.leaves if leaf.name != leaf.path]
    used = {name for s in (*writer.statements, result) for name in s.names} if inside else ()
    head = [f"{leaf.name} = {leaf.path}" for leaf in inside if leaf.name in used]
    version.buffers = writer.buffers.shapes if writer.buffers is not None else {}
    known = {leaf.name for leaf in inputs.leaves} | set(version.buffers)
    version.functions = functions(
        name,
        [*inputs.names, *version.buffers],
        known,
        head,
        writer.statements,
        result,
        not all(writer.numbers),
    )
    version.constants, version.own_functions = writer.constants, writer.functions
    version.objects = {**inputs.keys, **writer.objects}
    version.namespace = {
        "math": math,
        "np": np,
        "BranchChanged": BranchChanged,
        "ndarray": np.ndarray,
        "float64": FLOAT64,
        **version.constants,
        **version.own_functions,
        **version.objects,
    }
    known_lines = trace.tape.known
    lines = [i for i, op in enumerate(trace.tape.ops) if op is not None or i in known_lines]
    version.recorded = _counted(lines, trace.turn)
    version.operations = _counted([i for i in lines if draft.live[i] and draft.ops[i] is not None], trace.turn)
    version.of_f = trace.operations
    if len(lines) <= LARGEST_LISTED:
        version._listing = Listing(lines, draft, writer)
    clock.append(time.process_time())
    steps = ("recording", "cleaning", "writing")
    version.seconds = {step: b - a for step, a, b in zip(steps, clock, clock[1:], strict=False)}
    return version


def _counted(lines: Sequence[int], turn: int) -> Operations:
    """How many of these lines, which are in order, stand before the way back, and how many on it."""
    forward = bisect_left(lines, turn)
    return Operations(forward, len(lines) - forward)


def _types(order: Order, inputs: Inputs, which: Sequence[int], count: int) -> list[Any]:
    """The type that each result is handed out in: a gradient has that of its input."""
    if order.mode != "reverse":
        return [None] * count
    leaves = [leaf for k in which for leaf in pytree.flatten(inputs.args[k])]
    return [None, *(leaf.value.dtype if leaf.value.dtype != FLOAT64 else None for leaf in leaves)]


def _arrays_around(f: Callable[..., Any]) -> dict[str, np.ndarray]:
    """The arrays that a function closes over, by name."""
    try:
        around = inspect.getclosurevars(f)
    except (TypeError, ValueError):
        return {}
    names = {**around.globals, **around.nonlocals}
    return {name: x for name, x in names.items() if isinstance(x, np.ndarray) and name not in TAKEN}


def in_numpy(namespace: dict[str, Any], names: Sequence[str], doubles: bool) -> Any:
    """The last of these functions, with NumPy's numbers for Python's and NumPy's functions under `math`'s names."""
    other = {**namespace, "math": SimpleNamespace(**IN_NUMPY), "float": np.float64}
    for name in names:
        code = namespace[name].__code__
        if doubles:
            code = code.replace(co_consts=tuple(np.float64(c) if type(c) is float else c for c in code.co_consts))
        other[name] = FunctionType(code, other)
    return other[names[-1]]
