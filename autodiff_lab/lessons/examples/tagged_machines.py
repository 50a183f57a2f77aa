"""Two machines for nested derivatives, run side by side: the engine's dual numbers, and dual numbers without tags.

A program is written once, with `Watched` numbers and a derivative `D`. Both machines compute every operation, and it is
stored as a line. The engine's dual numbers have a tag for the derivative they belong to; the others have one ε for all
derivatives.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from autodiff_lab.engine.dual import Dual
from autodiff_lab.engine.levels import Level
from autodiff_lab.text.numbers import number
from autodiff_lab.transforms.gradients import jvp

# The coefficients of 1, ε₁, ε₂ and ε₁ε₂.
Four = tuple[float, float, float, float]


class Untagged:
    """A dual number without a tag for the derivative its ε belongs to; its parts may be dual numbers themselves.

    >>> x, y = Untagged(4.0, 1.0), Untagged(1.0, 1.0)
    >>> (x * y).value, (x * y).tangent
    (4.0, 5.0)
    """

    def __init__(self, value: Any, tangent: Any) -> None:
        self.value, self.tangent = value, tangent

    def __add__(self, other: Any) -> Untagged:
        (a, da), (b, db) = parts(self), parts(other)
        return Untagged(a + b, da + db)

    def __mul__(self, other: Any) -> Untagged:
        (a, da), (b, db) = parts(self), parts(other)
        return Untagged(a * b, da * b + a * db)

    __radd__, __rmul__ = __add__, __mul__


def parts(thing: Any) -> tuple[Any, Any]:
    """Split an untagged dual number into value and tangent; a plain number has the tangent 0.

    >>> parts(3.0)
    (3.0, 0.0)
    """
    if isinstance(thing, Untagged):
        return thing.value, thing.tangent
    return thing, 0.0


class Flat(NamedTuple):
    """The coefficients of an untagged dual number: of 1, of ε, and that of ε², which was dropped."""

    value: float
    tangent: float
    dropped: float = 0.0


@dataclass(frozen=True)
class Line:
    """One line of a run: the text of an operation, and its result on the machine with tags and on the one without."""

    text: str
    # ``marked`` (a derivative begins), ``taken`` (a derivative ends), or empty for an operation.
    kind: str
    # The derivative, 1 or 2, whose ε is added or removed; 0 for an operation.
    level: int
    tagged: Four
    # Four numbers if dual numbers are nested: then the two ε are told apart by their level.
    untagged: Flat | Four
    # If the ε of two derivatives merge: the share of each operand in the coefficient of ε.
    merged: tuple[float, float] | None = None


@dataclass
class Watched:
    """A number that is computed on both machines, with tags and without, and its expression as text."""

    run: Run
    text: str
    tagged: Any
    untagged: Any
    # The derivatives that have added an ε to the untagged number, which the number itself doesn't store.
    marks: frozenset[int] = frozenset()

    def __add__(self, other: Watched) -> Watched:
        return self.run.operate(operator.add, self, other, f"({self.text} + {other.text})")

    def __mul__(self, other: Watched) -> Watched:
        return self.run.operate(operator.mul, self, other, f"{self.text} · {other.text}")


class Run:
    """A run of a nested derivative ``program(D, x, y)`` on both machines, tagged and untagged: its lines and result.

    >>> run = Run(lambda D, x, y: D(lambda x: x * D(lambda y: x * y, y), x), 4.0, 1.0)
    >>> run.result.tagged, run.result.untagged, len(run.lines)
    (8.0, 5.0, 6)
    """

    def __init__(self, program: Callable[..., Watched], x: float, y: float) -> None:
        self.lines: list[Line] = []
        self._levels: list[Level] = []
        at = (Watched(self, number(point), point, point) for point in (x, y))
        self.result = program(self._differentiate, *at)

    def _differentiate(self, f: Callable[[Watched], Watched], at: Watched) -> Watched:
        """Differentiate `f` on both machines: add an ε to the point, run `f`, and take the coefficient of ε."""
        level = len(self._levels) + 1
        letter = "xy"[level - 1]
        inside: list[Watched] = []

        def marked(moving: Dual) -> Any:
            self._levels.append(moving.level)
            x = Watched(self, letter, moving, Untagged(at.untagged, 1.0), frozenset({level}))
            self._note("marked", x, level)
            inside.append(f(x))
            return inside[0].tagged

        _, tangent = jvp(marked, (at.tagged,), (1.0,))
        _, taken = parts(inside[0].untagged)
        marks = at.marks if isinstance(taken, Untagged) else frozenset()
        found = Watched(
            self, f"d/d{letter}({_strip_brackets(inside[0].text)})", tangent, taken, marks
        )
        self._note("taken", found, level)
        return found

    def operate(self, fn: Callable[[Any, Any], Any], a: Watched, b: Watched, text: str) -> Watched:
        """Compute one operation on both machines, tagged and untagged, and store whether two ε merge."""
        marks = a.marks | b.marks
        result = Watched(self, text, fn(a.tagged, b.tagged), fn(a.untagged, b.untagged), marks)
        x, dx = map(_number, parts(a.untagged))
        y, dy = map(_number, parts(b.untagged))
        _, share_of_a = parts(fn(Untagged(x, dx), y))
        _, share_of_b = parts(fn(x, Untagged(y, dy)))
        shares = (share_of_a, share_of_b)
        dropped = fn(x + dx, y + dy) - fn(x, y) - sum(shares)
        self._note("", result, merged=shares if len(marks) > 1 else None, dropped=dropped)
        return result

    def _note(
        self,
        kind: str,
        x: Watched,
        level: int = 0,
        merged: tuple[float, float] | None = None,
        dropped: float = 0.0,
    ) -> None:
        value, tangent = parts(x.untagged)
        is_nested = isinstance(value, Untagged) or isinstance(tangent, Untagged)
        untagged = (*parts(value), *parts(tangent)) if is_nested else Flat(value, tangent, dropped)
        tagged = list_coefficients(x.tagged, self._levels)
        self.lines.append(Line(_strip_brackets(x.text), kind, level, tagged, untagged, merged))


def list_coefficients(number: Any, levels: list[Level]) -> Four:
    """List the coefficients of 1, ε₁, ε₂ and ε₁ε₂ in a number of the tagged machine, which is the engine.

    >>> seen = []
    >>> _ = jvp(lambda x: seen.append(list_coefficients(x * x, [x.level])) or x, (3.0,), (1.0,))
    >>> seen
    [(9.0, 6.0, 0.0, 0.0)]
    """

    def split(thing: Any, level: Level) -> tuple[Any, Any]:
        mine = isinstance(thing, Dual) and thing.level is level
        return (thing.value, thing.tangent) if mine else (thing, 0.0)

    without, before = split(number, levels[1]) if len(levels) > 1 else (number, 0.0)
    one, first, second, both = map(float, (*split(without, levels[0]), *split(before, levels[0])))
    return one, first, second, both


def _number(thing: Any) -> float:
    """A number as a float; for a dual number, its value."""
    return _number(thing.value) if isinstance(thing, Untagged) else float(thing)


def _strip_brackets(text: str) -> str:
    """Remove the brackets around a sum, which it only needs as a factor."""
    return text[1:-1] if re.fullmatch(r"\([^()]*\)", text) else text
