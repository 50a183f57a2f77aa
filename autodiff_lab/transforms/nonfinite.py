"""Finding the first NaN or infinity of a run or its sweep: tape line, source line, and the factors."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine.dispatch import NO_OPTIONS
from ..engine.printing import format_value
from ..engine.tape import Tape
from ..engine.values import ones
from .recording import record


@dataclass(frozen=True)
class NonFinite:
    """Where the first non-finite value (NaN or infinity) of a run or its sweep appeared.

    Attributes
    ----------
    phase : {"forward", "backward"}
    line : int
        The line of the tape that computed it.
    name, expression : str
        The name and the expression of that line.
    value : number or array
        The value, or the contribution to an adjoint.
    factors : tuple of str
        In the forward pass, the operands. In the backward pass, the adjoint and the local partial, whose product it is.
    source : str
        The user's line of code, as ``file:line: text``; empty if it isn't known.
    """

    phase: str
    line: int
    name: str
    expression: str
    value: Any
    factors: tuple[str, ...]
    source: str

    def __str__(self) -> str:
        if self.phase == "forward":
            found = f"{self.name} = {self.expression} is {format_value(self.value)}, from {', '.join(self.factors)}"
        else:
            product = f"{' × '.join(self.factors)} = {format_value(self.value)}"
            found = f"through {self.name} = {self.expression}: {product}"
        return f"{self.phase}: {found}" + (f"\n  {self.source}" if self.source else "")


def severity(x: Any) -> int:
    """How far from finite a number or the worst element of an array is: 0 finite, 1 infinite, 2 NaN."""
    if np.all(np.isfinite(x)):
        return 0
    return 2 if np.any(np.isnan(x)) else 1


def is_born(result: Any, *sources: Any) -> bool:
    """Whether a NaN or an infinity first appears in a result: the result is further from finite than all its sources.

    >>> is_born(np.inf, 0.0), is_born(np.inf, 2.0, np.inf), is_born(np.nan, 0.0, np.inf)
    (True, False, True)
    """
    grade = severity(result)
    return grade > 0 and grade > max(map(severity, sources), default=0)


def trace_nonfinite(f: Callable[..., Any], *args: Any) -> NonFinite | None:
    """Trace the first non-finite value of `f` or its reverse sweep, a NaN or infinity; None if there is none.

    Parameters
    ----------
    f : callable
        Returns one number (a scalar).
    *args : number, array, or nested tuples, lists and dicts of these
        The arguments to run it with.

    Returns
    -------
    NonFinite or None
        Where the first one appeared: its phase, line and expression; None if all numbers are finite.

    See Also
    --------
    check_grads : Compare derivatives with finite differences.
    policy : The convention at kinks and ties.

    Examples
    --------
    >>> import numpy as np
    >>> with np.errstate(all="ignore"):
    ...     found = trace_nonfinite(lambda x: np.where(x > 0, np.log(x), 0.0), 0.0)
    >>> found.phase, found.name, found.expression
    ('forward', 'v1', 'log(v0)')
    """
    _, tape = record(f, *args, sites=True, most=None)
    for i in range(len(tape)):
        if severity(tape.values[i]):
            operands = tuple(format_value(x) for x in tape.args[i])
            return _describe_nonfinite("forward", tape, i, tape.values[i], operands)
    if tape.output is None:
        return None
    adjoints: list[Any] = [None] * len(tape)
    sweep = tape.sweep(tape.output, ones(tape.values[tape.output]), adjoints)
    for i in sweep:
        op = tape.operation(i)
        for k, j in enumerate(tape.parents[i]):
            if j < 0 or adjoints[j] is None or not severity(adjoints[j]):
                continue
            y, operands = tape.values[i], tape.args[i]
            contribution = op.pullback(k, adjoints[i], y, operands, tape.kwargs.get(i, NO_OPTIONS))
            partial = f"{op.name}, transposed"
            if op.partials:
                partial = format_value(op.local_partial(k, y, *operands))
            factors = (format_value(adjoints[i]), partial)
            return _describe_nonfinite("backward", tape, i, contribution, factors)
    return None


def _describe_nonfinite(
    phase: str, tape: Tape, line: int, value: Any, factors: tuple[str, ...]
) -> NonFinite:
    source = ""
    frames = tape.call_stacks[line] if tape.call_stacks else ()
    if frames:
        code, instruction = frames[-1]
        for start, stop, number in code.co_lines():
            if number and start <= instruction < stop:
                text = linecache.getline(code.co_filename, number).strip()
                source = f"{code.co_filename}:{number}: {text}" if text else ""
                break
    return NonFinite(phase, line, tape.name(line), tape.expression(line), value, factors, source)
