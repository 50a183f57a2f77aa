"""The fast reverse sweep: the same numbers as `Tape.sweep`, the readable version, in two thirds of the time."""

from __future__ import annotations

from typing import Any

import numpy as np

from .broadcasting import unbroadcast
from .primitives import NO_OPTIONS, unit_partial
from .tape import SWEEPS, Tape


def sweep_fast(
    tape: Tape, line: int, adjoints: list[Any], keep: bool = False, use_up: bool = False
) -> None:
    """Sweep a tape backward from `line` to its inputs, adding to the list of adjoints.

    It is faster than `Tape.sweep` because it leaves out the call of `Op.pullback` for elementwise operations, the
    product with a partial that is 1, the comparison of shapes for numbers, and ``rule(y, *operands)``, which takes
    three times as long as ``rule(y, operands[0], operands[1])``.

    Parameters
    ----------
    tape : Tape
    line : int
        Where to start: the last line that has an adjoint.
    adjoints : list
        The adjoint of each line of the tape: the seeds of the results, and None for all other lines.
    keep : bool
        Keep the adjoint of a line after sweeping it; by default it is dropped to save memory.
    use_up : bool
        Also drop the values of each line after sweeping it, for a tape that is not needed again. The next arrays then
        reuse this memory, which is faster than memory that has not been used lately.
    """
    tape.require_values()
    ops = tape.ops
    args = tape.args
    parents = tape.parents
    values = tape.values
    kwargs = tape.kwargs
    float64 = np.float64
    for i in range(line, tape.n_inputs - 1, -1):
        g = adjoints[i]
        if g is None:
            continue
        op: Any = ops[i]
        operands = args[i]
        y = values[i]
        partials = op.partials
        k = -1
        for j in parents[i]:
            k += 1
            if j < 0:
                continue
            if partials is not None:
                rule = partials[k]
                if rule is unit_partial:
                    c = g
                elif len(operands) == 2:
                    c = g * rule(y, operands[0], operands[1])
                elif len(operands) == 1:
                    c = g * rule(y, operands[0])
                else:
                    c = g * rule(y, *operands)
                kind = type(c)
                if kind is not float64 and (kind is float or c.shape != operands[k].shape):
                    c = unbroadcast(c, operands[k])
            else:
                c = op.pullback(k, g, y, operands, kwargs.get(i, NO_OPTIONS))
                if c is None:
                    continue
            have = adjoints[j]
            adjoints[j] = c if have is None else have + c
        if not keep:
            adjoints[i] = None
        if use_up:
            args[i] = values[i] = None  # type: ignore[call-overload]


SWEEPS[sweep_fast.__code__] = "tape"
