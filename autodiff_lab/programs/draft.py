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
        What an array is to be called.
    number : bool
        Whether the program holds it as a Python number.
    text : str
        How it is written; empty until it has been.
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
        self.entry: Any = value if isinstance(value, (int, float)) else None
        if (
            type(value) is np.ndarray
            and value.size
            and value.dtype == np.float64
            and (value == value.flat[0]).all()
        ):
            self.entry = float(value.flat[0])


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
        Which pass removed a line.
    live : bytearray
        1 for the lines that are written.
    uses, consumer : list of int
        How often a line is used by live ones, by a check, or as a result; and the last line that uses it.
    results : list
        The leaves of what a call returns: line numbers and constants.
    checks : list of (line, Decision)
        The comparisons that must come out as recorded.
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
        self.uses, self.consumer = [0] * len(self.ops), [-1] * len(self.ops)
        self.results: list[Any] = []
        self.checks: list[tuple[Any, Any]] = []
        self.seen: dict[Any, int] = {}
        self.shared: set[int] = set()  # lines that stand for others which compute the same
        self._named = dict(named)
        self._numbers: dict[Any, Constant] = {}
        self._arrays: dict[Any, tuple[Any, Constant]] = {}

    def constant(self, x: Any) -> Constant:
        """The draft's constant of that value; arrays are copied, so that what is done to them later changes nothing."""
        if isinstance(x, np.ndarray):
            small = x.nbytes <= MAX_COPIED_BYTES  # a tape keeps a large one once
            stored: Any = (x.dtype.str, x.shape, x.tobytes()) if small else id(x)
            held = self._arrays.get(stored)
            if held is None:
                frozen = x.copy("K")
                frozen.flags.writeable = False
                held = self._arrays[stored] = (x, Constant(frozen, self._name_of(x)))
            return held[1]
        x = _to_plain_number(x)
        key: Any = (type(x), x, str(x)) if x == 0 else (type(x), x)  # 0.0 and -0.0 are two
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = Constant(x)
        return found

    def _name_of(self, x: np.ndarray) -> str:
        """What the function calls that array, if it has a name for it that is still free."""
        for name, named in self._named.items():
            if named.dtype == x.dtype and named.shape == x.shape and np.array_equal(named, x):
                del self._named[name]
                return name
        return ""

    def shape(self, ref: Any) -> tuple[int, ...]:
        """The shape of an operand in the draft, which is a line or a constant."""
        return shape_of(ref.value if type(ref) is Constant else self.values[ref])

    def value(self, ref: Any) -> Any:
        """The value that an operand of the draft, a line or a constant, had when it was recorded."""
        return ref.value if type(ref) is Constant else self.values[ref]

    def serves_only(self, line: int, user: int) -> bool:
        """Whether a line of the draft serves one other line only, `user`: then it may be rewritten for that one."""
        if line in self.shared:
            return False
        users, at = self._users, self.at
        while len(users[line]) == 1 and users[line][0] < user and at[users[line][0]] == at[line]:
            line = users[line][0]
        return users[line] == [user]

    @cached_property
    def _users(self) -> list[list[int]]:
        """The lines of the tape that use each; a result or a decision counts as one behind the last."""
        users: list[list[int]] = [[] for _ in self.ops]
        for i, parents in enumerate(self.tape.parents):
            for j in parents:
                if j >= 0:
                    users[j].append(i)
        leaves = pytree.flatten(self.trace.result)
        results = [
            leaf.index for leaf in leaves if isinstance(leaf, Variable) and leaf.tape is self.tape
        ]
        for line in (*results, *(decision.line for decision in self.tape.decisions)):
            users[line].append(len(users))
        return users

    def can_stand_for(self, i: int, ref: Any) -> bool:
        """Whether an operand has the shape and type of line i's result, and so can replace that line in the draft."""
        y, x = self.values[i], self.value(ref)
        kind = type(y)
        if kind is np.float64:
            return type(x) is np.float64 or (type(x) is float and type(ref) is Constant)
        return (
            kind is type(x)
            and getattr(y, "shape", ()) == getattr(x, "shape", ())
            and y.dtype == x.dtype
        )


def _to_plain_number(x: Any) -> Any:
    """A number as one of Python's own or NumPy's, though a learner's class may inherit from these."""
    if type(x) in (float, int, bool, np.float64):
        return x
    if isinstance(x, np.generic):
        return np.asarray(x)[()]
    if isinstance(x, float):
        return float.__float__(x)
    return int.__index__(x) if isinstance(x, int) else x


@cache
def is_number(kind: type) -> bool:
    """Whether constants and lines of this type are Python numbers in a draft, not arrays."""
    return issubclass(kind, (float, int, np.bool_))
