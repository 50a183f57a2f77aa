"""The draft of a program: the recorded lines and their constants while they are optimized, before they are written."""

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any

import numpy as np

from ..engine.broadcasting import shape_of
from ..engine.primitives import Op
from ..engine.values import MAX_COPIED_BYTES
from ..engine.variable import Variable
from ..transforms import pytree
from .recorded_derivative import RecordedDerivative


class Constant:
    """A constant of a program's draft: an operand that does not depend on the inputs; equal numbers are one constant.

    Attributes
    ----------
    value : number or array
    name : str
        The name that the source should use for an array.
    number : bool
        Whether it is a Python number in the program.
    text : str
        Its text in the source; empty until it is written for the first time.
    entry : number or None
        The value of all elements if they are equal; None if they differ.
    """

    __slots__ = ("entry", "name", "number", "text", "value")

    def __init__(self, value: Any, name: str = "") -> None:
        self.value = value
        self.name = name
        self.text = ""
        kind: type = type(value)
        self.number = is_number(kind)
        self.entry: Any = None
        if isinstance(value, (int, float)):
            self.entry = value
        elif type(value) is np.ndarray and value.dtype == np.float64 and value.size:
            first = value.flat[0]
            if (value == first).all():
                self.entry = float(first)


class Draft:
    """The draft of a program while it is optimized: the columns of a tape, and what became of each line.

    Attributes
    ----------
    ops : list of Op or None
    operands : list of tuple
        Each operand is the number of a line, or a `Constant`.
    at : list
        The replacement of each recorded line: itself, an earlier line, or a `Constant`.
    fate : dict
        The pass that removed a line, by the number of the line.
    live : bytearray
        1 for the lines that are written.
    uses, consumer : list of int
        How often a line is used by live lines, by a check, or as a result; and the last line that uses it.
    results : list
        The leaves of what a call returns: line numbers and constants.
    checks : list of (line, Decision)
        The comparisons that must come out as recorded.
    seen : dict
        The first line that computes a subexpression, by what it computes.
    shared : set of int
        The lines that replaced others which compute the same.
    """

    def __init__(self, trace: RecordedDerivative, named: Mapping[str, np.ndarray]) -> None:
        tape = trace.tape
        self.trace = trace
        self.tape = tape
        self.values = list(tape.values)
        self.static = tape.kwargs
        self.names = dict(trace.names)
        self.ops: list[Op | None] = list(tape.ops)
        self.operands: list[tuple[Any, ...]] = []
        self.at: list[Any] = []
        self.fate: dict[int, str] = {}
        self.live = bytearray(len(self.ops))
        self.uses = [0] * len(self.ops)
        self.consumer = [-1] * len(self.ops)
        self.results: list[Any] = []
        self.checks: list[tuple[Any, Any]] = []
        self.seen: dict[Any, int] = {}
        self.shared: set[int] = set()
        self._named = dict(named)
        self._numbers: dict[Any, Constant] = {}
        self._arrays: dict[Any, tuple[Any, Constant]] = {}

    def constant(self, x: Any) -> Constant:
        """The draft's constant with this value; an array is copied, so that writing into it later has no effect."""
        if isinstance(x, np.ndarray):
            return self._constant_array(x)
        x = _to_plain_number(x)
        # 0.0 and -0.0 are equal, but two constants.
        key: Any = (type(x), x, str(x)) if x == 0 else (type(x), x)
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = Constant(x)
        return found

    def _constant_array(self, x: np.ndarray) -> Constant:
        # A tape holds a large array only once, so its identity is enough.
        is_small = x.nbytes <= MAX_COPIED_BYTES
        key: Any = (x.dtype.str, x.shape, x.tobytes()) if is_small else id(x)
        found = self._arrays.get(key)
        if found is None:
            frozen = x.copy("K")
            frozen.flags.writeable = False
            # `x` is kept alive, because another array could get its id.
            found = self._arrays[key] = (x, Constant(frozen, self._name_of(x)))
        return found[1]

    def _name_of(self, x: np.ndarray) -> str:
        """The name under which the function closes over this array, or "" if that is taken or there is none."""
        for name, named in self._named.items():
            if named.dtype == x.dtype and named.shape == x.shape and np.array_equal(named, x):
                del self._named[name]
                return name
        return ""

    def shape(self, ref: Any) -> tuple[int, ...]:
        """The shape of an operand, which is a line or a constant of the draft."""
        return shape_of(ref.value if type(ref) is Constant else self.values[ref])

    def value(self, ref: Any) -> Any:
        """The value that an operand (a line or a constant of the draft) had when it was recorded."""
        return ref.value if type(ref) is Constant else self.values[ref]

    def serves_only(self, line: int, user: int) -> bool:
        """Whether `user` is the only line of the draft that uses `line`, which may then be rewritten for it."""
        if line in self.shared:
            return False
        users = self._users
        # A line that a pass has replaced by its operand, such as x · 1 by x, uses nothing itself: skip it.
        while len(users[line]) == 1:
            only_user = users[line][0]
            if only_user >= user or self.at[only_user] != self.at[line]:
                break
            line = only_user
        return users[line] == [user]

    @cached_property
    def _users(self) -> list[list[int]]:
        """The lines that use each line of the tape; a result or a decision counts as a line after the last one."""
        users: list[list[int]] = [[] for _ in self.ops]
        for i, parents in enumerate(self.tape.parents):
            for j in parents:
                if j >= 0:
                    users[j].append(i)
        after_last = len(users)
        for leaf in pytree.flatten(self.trace.result):
            if isinstance(leaf, Variable) and leaf.tape is self.tape:
                users[leaf.index].append(after_last)
        for decision in self.tape.decisions:
            users[decision.line].append(after_last)
        return users

    def can_stand_for(self, i: int, ref: Any) -> bool:
        """Whether an operand has the shape and type of line i's result, and so can replace that line in the draft."""
        y = self.values[i]
        x = self.value(ref)
        if type(y) is np.float64:
            return type(x) is np.float64 or (type(x) is float and type(ref) is Constant)
        if type(y) is not type(x):
            return False
        same_shape = getattr(y, "shape", ()) == getattr(x, "shape", ())
        return bool(same_shape and y.dtype == x.dtype)


def _to_plain_number(x: Any) -> Any:
    """Convert a number of a user's class, which may inherit from float or int, to one of Python's or NumPy's own."""
    if type(x) in (float, int, bool, np.float64):
        return x
    if isinstance(x, np.generic):
        return np.asarray(x)[()]
    if isinstance(x, float):
        return float.__float__(x)
    if isinstance(x, int):
        return int.__index__(x)
    return x


@cache
def is_number(kind: type) -> bool:
    """Whether constants and lines of this type are Python numbers in the program, not arrays."""
    return issubclass(kind, (float, int, np.bool_))
