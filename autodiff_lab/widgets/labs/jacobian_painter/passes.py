"""The passes through JacobianPainter's programs: a JVP pushes a tangent forward, a VJP pulls an adjoint back.

The work of a pass is counted, not computed by a formula: the engine differentiates while an outer tape is recording,
and the multiplications on that tape are counted.
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
# The operations that count once for each element of their result; matmul counts once for each product in its sums.
BY_ENTRY = ("multiply", "divide", "power")


class Pass(NamedTuple):
    """A JVP or a VJP: its mode, its seed, its result, and the number of its multiplications."""

    mode: str
    seed: tuple[float, ...]
    result: tuple[float, ...]
    multiplications: int

    @property
    def entry(self) -> int | None:
        """The index of the basis vector that was the seed; None if the seed was another vector."""
        nonzero = [(k, x) for k, x in enumerate(self.seed) if x != 0]
        if len(nonzero) != 1:
            return None
        k, x = nonzero[0]
        return k if x == 1 else None


@functools.lru_cache(maxsize=512)
def take_pass(of: Program, mode: str, seed: tuple[float, ...]) -> Pass:
    """Do a JVP or a VJP through a program that has already been run, and count the multiplications of the pass alone.

    >>> from autodiff_lab.widgets.labs.jacobian_painter.programs import find_program
    >>> take_pass(find_program("document 1", 2, 2), "reverse", (1.0, 0.0)).result
    (2.0, 1.0)
    """

    def derivative(x: Any, seed: Any) -> Any:
        if mode == FORWARD:
            _, push_forward = linearize(of.function, x)
            return push_forward(seed)
        _, pull_back = vjp(of.function, x)
        return pull_back(seed)[0]

    result, tape = record(derivative, np.array(of.point), np.array(seed))
    multiplications = count_multiplications(tape) - count_run(of)
    return Pass(mode, seed, tuple(map(float, result)), multiplications)


@functools.cache
def count_run(of: Program) -> int:
    """Count the multiplications of a program itself, without any JVP or VJP."""
    _, tape = record(of.function, np.array(of.point))
    return count_multiplications(tape)


def count_multiplications(tape: Tape) -> int:
    """Count the multiplications on a tape; a division or a power counts as one.

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
