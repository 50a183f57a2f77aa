"""Three tape designs (partials, closures, operations) behind one small interface.

A program f of numbers can be recorded as *partials* (Wengert cells), as *closures*, and as *operations* that can be
carried out again (the engine's tape). The gradient is the same:

>>> at = np.array([3.0, 1.0])
>>> for name, design in DESIGNS.items():
...     run = design(lambda x, y: np.sin(x) + x * y, entry_views(at))
...     print(f"{name:<27} {run.value:.4f} {run.gradient()[0]:.12f}")
partials                    3.1411 0.010007503400
closures                    3.1411 0.010007503400
operations                  3.1411 0.010007503400
operations, inputs copied   3.1411 0.010007503400
operations, inputs checked  3.1411 0.010007503400

What each keeps for that, and what it can do besides, is asked in ``side_by_side.py``.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from ..engine import printing
from ..engine.dispatch import NO_OPTIONS
from ..engine.errors import InputError, MutationError
from ..engine.tape import Tape
from ..engine.variable import Variable
from ..transforms.jacobians import hessian
from ..transforms.recording import sweep_tape
from ..transforms.signatures import name_of
from ..transforms.symbol import Symbol
from .closures import Recording, grad
from .closures import Variable as NamedVariable
from .wengert import Cell, var

__all__ = ["DESIGNS", "Design", "Program", "Run", "entry_views"]

Program = Callable[..., Any]


def entry_views(inputs: np.ndarray) -> list[np.ndarray]:
    """The inputs for a tape design: views of an array's entries, which change when the array is written to."""
    return [inputs[k, ...] for k in range(len(inputs))]


class Run(Protocol):
    """The interface of a tape design: a program that has been recorded in it.

    Attributes
    ----------
    inputs, result
        Where the design keeps the inputs, and the result of the program.
    value : float
        The result as a number.
    closures : int
        How many closures are alive.
    shares : bool
        Whether a number kept for several operations is kept once.
    """

    inputs: Sequence[Any]
    result: Any
    value: float
    closures: int = 0
    shares: bool = False

    def gradient(self) -> list[float]:
        """Sweep back over what the tape design has kept: the derivative with respect to each input."""

    def hessian(self) -> list[list[float]]:
        """Differentiate the gradient again, if the tape design can; an exception says why it cannot."""

    def replay(self, inputs: Sequence[float]) -> float:
        """Replay the recorded program at other inputs, as far as the tape design can, and read off the result.

        A design that keeps values, not operations, has nothing to run: the result stays the old one.
        """
        for x, number in zip(self.inputs, inputs, strict=True):
            x.value = number
        return float(self.result.value)

    def list_stored(self, program: Tape) -> Iterator[list[tuple[str, Any]]]:
        """What the tape design keeps for the derivative of each operation of `program`, a tape of the same run."""


class Partials(Run):
    """Of three designs the one of Wengert cells (document 3): a cell keeps its local partials."""

    def __init__(self, f: Program, inputs: list[np.ndarray]) -> None:
        self.inputs = [var(x) for x in inputs]
        self.result = _run_program(f, self.inputs, Cell)
        self.value: float = self.result.value

    def gradient(self) -> list[float]:
        self.result.backprop()
        return [x.sensitivity for x in self.inputs]

    def hessian(self) -> list[list[float]]:
        rows = []
        for sensitivity in self.gradient():
            sensitivity.backprop()  # type: ignore[attr-defined]  # a float; that it fails is the answer
            rows.append([x.sensitivity for x in self.inputs])
        return rows

    def list_stored(self, program: Tape) -> Iterator[list[tuple[str, Any]]]:
        line_of = {id(self.result): program.output}
        kept: dict[Any, list[tuple[str, Any]]] = {}
        # cells have no names: walk down both records in step
        for cell in reversed(self.result.tape):
            line: Any = line_of[id(cell)]
            parents = [j for j in program.parents[line] if j >= 0]
            line_of |= {id(x): j for (x, _), j in zip(cell.links, parents, strict=True)}
            names = [f"∂{program.name(line)}/∂{program.name(j)}" for j in parents]
            kept[line] = [(name, dx) for name, (_, dx) in zip(names, cell.links, strict=True)]
        return (kept.get(line, []) for line in range(program.n_inputs, len(program)))


class Closures(Run):
    """The design of closures (document 0): a record keeps a closure, which holds whatever its rule will read."""

    shares = True

    def __init__(self, f: Program, inputs: list[np.ndarray]) -> None:
        self.recording = Recording(show=None)
        self.inputs = [
            self.recording.constant(x, f"v{k - len(inputs) + 1}") for k, x in enumerate(inputs)
        ]
        self.result = _run_program(f, self.inputs, NamedVariable)
        self.value, self.closures = float(self.result.value), len(self.recording)

    def gradient(self) -> list[float]:
        return [float(g.value) for g in grad(self.result, self.inputs)]

    def hessian(self) -> list[list[float]]:
        return [
            [float(h.value) for h in grad(g, self.inputs)] for g in grad(self.result, self.inputs)
        ]

    def list_stored(self, program: Tape) -> Iterator[list[tuple[str, Any]]]:
        return (_find_rule_reads(program, line) for line in range(program.n_inputs, len(program)))


class Operations(Run):
    """The design of the engine's tape (and document 2): a line keeps its operation, operands and result.

    One table keeps the rules. A rule may read less than a line keeps: the operands alone, the result alone, or nothing.
    """

    shares = True

    def __init__(self, f: Program, inputs: list[np.ndarray]) -> None:
        self.tape = Tape()
        variables = [self.tape.input(x) for x in inputs]
        self.result = self.tape.run(lambda *inputs: _run_program(f, inputs, Variable), variables)
        self.tape.output, self.value = self.result.index, float(self.result.value)

    def gradient(self) -> list[float]:
        return [float(g) for g in sweep_tape(self.tape, [self.result], [np.float64(1.0)])]

    def hessian(self) -> list[list[float]]:
        inputs = [float(x) for x in self.tape.values[: self.tape.n_inputs]]
        return [
            list(row)
            for row in hessian(self.tape.replay, argnums=tuple(range(len(inputs))))(*inputs)
        ]

    def replay(self, inputs: Sequence[float]) -> float:
        return float(self.tape.replay(*inputs))

    def list_stored(self, program: Tape) -> Iterator[list[tuple[str, Any]]]:
        tape = self.tape
        for line in range(program.n_inputs, len(program)):
            operands = [
                (_line_name(tape, j), x)
                for j, x in zip(tape.parents[line], tape.args[line], strict=True)
            ]
            yield [*operands, (_line_name(tape, line), tape.values[line])]


class CopiedOperations(Operations):
    """The tape design with a copy of the inputs, as a tape of :func:`autodiff_lab.record` has."""

    def __init__(self, f: Program, inputs: list[np.ndarray]) -> None:
        super().__init__(f, [np.float64(x) for x in inputs])  # type: ignore[misc]


class CheckedOperations(Operations):
    """The tape design with a fingerprint of the inputs (as a version counter): it refuses changed inputs."""

    def __init__(self, f: Program, inputs: list[np.ndarray]) -> None:
        super().__init__(f, inputs)
        self.places, self.fingerprint = inputs, [x.tobytes() for x in inputs]

    def gradient(self) -> list[float]:
        if [x.tobytes() for x in self.places] != self.fingerprint:
            raise MutationError(
                "An input was written to after the run, and the sweep needs the number that stood there. Take the "
                "gradient first, or write into a copy of the array."
            )
        return super().gradient()


Design = Callable[[Program, list[np.ndarray]], Run]

# The three designs, and two ways to make the third safe. Each is called with the program and the inputs' places.
DESIGNS: dict[str, Design] = {
    "partials": Partials,
    "closures": Closures,
    "operations": Operations,
    "operations, inputs copied": CopiedOperations,
    "operations, inputs checked": CheckedOperations,
}


def _run_program(f: Program, inputs: Sequence[Any], kind: type) -> Any:
    result = f(*inputs)
    if not isinstance(result, kind):
        raise InputError(
            f"{name_of(f)} returned {printing.format_value(result)}, which was not computed from its inputs, so "
            "nothing is recorded. Return one number that depends on them."
        )
    return result


def _line_name(program: Tape, line: int) -> str:
    return program.name(line) if line >= 0 else "constant"


def _find_rule_reads(program: Tape, line: int) -> list[tuple[str, Any]]:
    """Find the numbers that a line's pullback reads: run its rule on Symbols, and see which are in the formula."""
    parents, op, args = program.parents[line], program.ops[line], program.args[line]
    symbols = [Symbol(f"operand {k}") for k in range(len(args))]
    y, g = Symbol("result"), Symbol("adjoint")
    assert op is not None, "an input has no rule"
    formulas = [
        op.pullback(k, g, y, tuple(symbols), program.kwargs.get(line, NO_OPTIONS))
        for k in range(len(args))
    ]
    read = [
        leaf
        for formula, j in zip(formulas, parents, strict=True)
        if j >= 0
        for leaf in _leaves(formula)
    ]
    rows = zip(symbols, parents, args, strict=True)
    kept = [(_line_name(program, j), x) for s, j, x in rows if any(s is r for r in read)]
    return kept + [(program.name(line), program.values[line])] * any(y is r for r in read)


def _leaves(formula: Any) -> Iterator[Symbol]:
    if isinstance(formula, Symbol):
        if formula.op is None:
            yield formula
        for part in formula.operands:
            yield from _leaves(part)
