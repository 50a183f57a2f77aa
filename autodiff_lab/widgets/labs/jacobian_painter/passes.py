"""The passes through JacobianPainter's programs: one tangent pushed forward, or one adjoint pulled back.

The work of a pass is not computed by a formula. The engine takes the derivative while an outer tape is recording, and
what that tape has written down is counted.
"""

import functools
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.engine.tape import Tape
from autodiff_lab.transforms.gradients import vjp
from autodiff_lab.transforms.jacobians import linearize
from autodiff_lab.transforms.recording import record
from autodiff_lab.widgets.labs.jacobian_painter.programs import Program

FORWARD, REVERSE = "forward", "reverse"
# The operations that count once for each entry of their result; a product of matrices counts its inner sum too.
BY_ENTRY = ("multiply", "divide", "power")


class Pass(NamedTuple):
    """One pass of the Jacobian painter, a JVP or a VJP: its mode, its seed, what came out, and its multiplications."""

    mode: str
    seed: tuple[float, ...]
    result: tuple[float, ...]
    multiplications: int

    @property
    def entry(self) -> int | None:
        """Which basis vector was the seed of this pass, a JVP or a VJP, counted from 0; None for another seed."""
        units = [k for k, x in enumerate(self.seed) if x == 1]
        return units[0] if len(units) == 1 and np.count_nonzero(self.seed) == 1 else None


@functools.lru_cache(maxsize=512)
def take_pass(of: Program, mode: str, seed: tuple[float, ...]) -> Pass:
    """Take one pass, a JVP or a VJP, through a program that has been run and recorded; count its multiplications.

    >>> from autodiff_lab.widgets.labs.jacobian_painter.programs import find_program
    >>> take_pass(find_program("document 1", 2, 2), "reverse", (1.0, 0.0)).result
    (2.0, 1.0)
    """

    def derivative(x: Any, seed: Any) -> Any:
        if mode == FORWARD:
            return linearize(of.function, x)[1](seed)
        return vjp(of.function, x)[1](seed)[0]

    result, tape = record(derivative, np.array(of.point), np.array(seed))
    return Pass(mode, seed, tuple(map(float, result)), count_multiplications(tape) - count_run(of))


@functools.cache
def count_run(of: Program) -> int:
    """Count the multiplications of one of JacobianPainter's programs itself, without any JVP or VJP."""
    return count_multiplications(record(of.function, np.array(of.point))[1])


def count_multiplications(tape: Tape) -> int:
    """Count the multiplications on the tape of a run, a JVP or a VJP; a division counts as one, and so does a power.

    >>> count_multiplications(record(lambda x: (x * x) @ x / 2, np.array([1.0, 2.0, 3.0]))[1])
    7
    """
    count = 0
    for op, operands, value in zip(tape.ops, tape.args, tape.values, strict=True):
        if op is not None and op.name in BY_ENTRY:
            count += np.size(value)
        elif op is not None and op.name == "matmul":
            count += np.size(value) * np.shape(operands[0])[-1]
    return count
