"""The tape that records a derivative, and the answers of comparisons on it.

A comparison is two things at once. A rule computes with its answer (``(a > b) * 1.0``): then the answer is a line of
the program, and follows the inputs. A learner's ``if`` asks for it: then it is a decision, and the program has to check
it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..engine.dispatch import NO_OPTIONS, TABLE, Op, apply, as_operand
from ..engine.errors import AutodiffError
from ..engine.frames import INTERNAL_MODULES, describe_line
from ..engine.tape import Tape
from ..engine.values import copy_constant
from ..engine.variable import Variable

__all__ = ["Answer", "Decision", "OuterTape"]

WHICH_ONE = {"argmax", "argmin", "argsort", "nonzero", "flatnonzero", "argwhere", "searchsorted", "digitize"}
WHICH_ONE |= {"argpartition"}
"""Questions whose answers are positions: they are used as indices, so asking is deciding."""


class Decision(NamedTuple):
    """An answer that the program's course depended on: the line that computes it, what it was, and who asked."""

    before: int  # the line that was recorded next
    line: int
    outcome: Any
    asked: str


class Answer(Variable):
    """What a comparison says: data as long as it is computed with, a decision once it is asked for."""

    __slots__ = ()

    def decided(self) -> Any:
        """The plain answer; from now on the program depends on it."""
        self.tape.decide(self)  # type: ignore[attr-defined]
        return self.value

    def __bool__(self) -> bool:
        if self.shape != ():
            return super().__bool__()
        return bool(self.decided())

    def __index__(self) -> int:
        return self.decided().__index__()  # type: ignore[no-any-return]

    def __int__(self) -> int:
        return int(self.decided())

    def __float__(self) -> float:
        return float(self.decided())

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.decided(), dtype=dtype)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.decided(), name)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method == "__call__" and ufunc in TABLE and not kwargs:
            return apply(TABLE[ufunc], tuple(map(as_operand, inputs)))
        return getattr(ufunc, method)(*(x.decided() if isinstance(x, Answer) else x for x in inputs), **kwargs)

    def __array_function__(self, func: Callable[..., Any], types: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        unheard = self.tape.caught
        try:
            return super().__array_function__(func, types, args, kwargs)
        except AutodiffError:  # what has no row is asked of the plain answers
            self.tape.caught = unheard
            return func(*map(_decided, args), **{name: _decided(x) for name, x in kwargs.items()})

    def astype(self, dtype: Any) -> Any:
        """The answers as numbers, 1 for yes."""
        return self * 1.0 if np.dtype(dtype).kind == "f" else self.decided().astype(dtype)

    def __invert__(self) -> Any:
        return np.logical_not(self)

    def __and__(self, other: Any) -> Any:
        return np.logical_and(self, other)

    def __or__(self, other: Any) -> Any:
        return np.logical_or(self, other)

    def __xor__(self, other: Any) -> Any:
        return np.logical_xor(self, other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__


class OuterTape(Tape):
    """A tape on which comparisons are lines as well, and functions with a rule of their own are taken apart."""

    __slots__ = ("decisions", "known")
    pausable = False  # what a learner does not record is computed anew all the same

    def __init__(self) -> None:
        super().__init__()
        self.decisions: list[Decision] = []
        self.known: dict[int, Any] = {}  # lines that hold a constant: the seed

    def constant_line(self, value: Any) -> Variable:
        """A line that is a constant, so that what is computed from it can be seen."""
        v = self.append(None, (), (), value, NO_OPTIONS)
        self.known[v.index] = value
        return v

    def process(self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """Compute one operation and write its line."""
        plain, lines = [], []
        for x in operands:
            own = isinstance(x, Variable) and x.tape is self
            plain.append(x.value if own else copy_constant(x))
            lines.append(x.index if own else -1)
        args = tuple(plain)
        if op.kind == "shape":
            return op.fn(*args, **static)
        if op.inside is not None:
            apart = self._taken_apart(op, operands)
            if apart is not None:
                return apart
        if static:
            static = {name: copy_constant(_decided(x)) for name, x in static.items()}
        value = op.fn(*args, **static)
        if type(value) is float:  # of a learner's own function
            value = np.float64(value)
        if op.kind != "comparison":
            return self.append(op, args, tuple(lines), as_operand(value), static)
        answer = Answer()
        answer.tape, answer.value = self, as_operand(value) if not isinstance(value, tuple) else value
        answer.index = self.append(op, args, tuple(lines), answer.value, static).index
        return answer.decided() if op.name in WHICH_ONE else answer

    def _taken_apart(self, op: Op, operands: tuple[Any, ...]) -> Any:
        """What the function does inside, recorded; None if something in there has no row in the table."""
        before, decisions, unheard = len(self.ops), len(self.decisions), self.caught
        try:
            return as_operand(op.inside(*operands))  # type: ignore[misc]
        except AutodiffError:
            for column in (self.ops, self.args, self.parents, self.values):
                del column[before:]
            for line in [i for i in self.kwargs if i >= before]:
                del self.kwargs[line]
            del self.decisions[decisions:]
            self.caught = unheard
            return None

    def decide(self, answer: Answer) -> None:
        """Note that the program's course depends on this answer."""
        if self.open and all(d.line != answer.index for d in self.decisions[-3:]):
            value = answer.value.copy() if isinstance(answer.value, np.ndarray) else answer.value
            self.decisions.append(Decision(len(self.ops), answer.index, value, _asked()))


def _decided(x: Any) -> Any:
    if isinstance(x, Answer):
        return x.decided()
    if type(x) in (tuple, list):
        return type(x)(map(_decided, x))
    return x


_ON_THE_WAY = (*INTERNAL_MODULES, f"{__name__}.", "contextlib.")


def _asked() -> str:
    """The learner's line that is running, as ``line 3: while y < 10:``; empty where it is the sweep that asks."""
    frame = sys._getframe(2)
    while frame is not None:
        module = f"{frame.f_globals.get('__name__', '')}."
        if module.startswith("autodiff_lab.programs.") and not module.startswith(_ON_THE_WAY):
            return ""  # whoever called the program: beyond, there is only the line with `program(...)`
        if not module.startswith(_ON_THE_WAY):
            return describe_line(frame)
        frame = frame.f_back  # type: ignore[assignment]
    return ""
