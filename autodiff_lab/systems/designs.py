"""Three tape designs (partials, closures, operations) behind one small interface.

A program f of numbers can be recorded as *partials* (Wengert cells), as *closures*, or as *operations* that can be run
again (the engine's tape). The gradient is the same:

>>> at = np.array([3.0, 1.0])
>>> for name, design in DESIGNS.items():
...     run = design(lambda x, y: np.sin(x) + x * y, entry_views(at))
...     print(f"{name:<27} {run.value:.4f} {run.gradient()[0]:.12f}")
partials                    3.1411 0.010007503400
closures                    3.1411 0.010007503400
operations                  3.1411 0.010007503400
operations, inputs copied   3.1411 0.010007503400
operations, inputs checked  3.1411 0.010007503400

``side_by_side.py`` compares what they store for it, and what else they can do.
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
    """The inputs for a tape design: views of an array's elements, which change when the array is written to."""
    return [inputs[k, ...] for k in range(len(inputs))]


class Run(Protocol):
    """The interface of a tape design: a program that has been recorded in it.

    Attributes
    ----------
    inputs, result
        The design's own objects for the inputs and for the result of the program.
    value : float
        The result as a number.
    closures : int
        How many closures are alive.
    shares : bool
        Whether a number that several operations need is stored only once.
    """

    inputs: Sequence[Any]
    result: Any
    value: float
    closures: int = 0
    shares: bool = False

    def gradient(self) -> list[float]:
        """The derivative with respect to each input, by a sweep over what the tape design has stored."""

    def hessian(self) -> list[list[float]]:
        """Differentiate the gradient again; raises an exception if the tape design can't do that."""

    def replay(self, inputs: Sequence[float]) -> float:
        """Replay the recorded program at other inputs, as far as the tape design can, and return the result.

        A design that stores values, not operations, has nothing to run, so it returns the old result.
        """
        for x, number in zip(self.inputs, inputs, strict=True):
            x.value = number
        return float(self.result.value)

    def list_stored(self, program: Tape) -> Iterator[list[tuple[str, Any]]]:
        """The named numbers that the tape design stores for each operation of `program`, a tape of the same run."""


class Partials(Run):
    """The tape design of Wengert cells (document 3): a cell stores its local partials."""

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
            # A sensitivity is a float, so this raises an AttributeError: the design can't do it.
            sensitivity.backprop()  # type: ignore[attr-defined]
            rows.append([x.sensitivity for x in self.inputs])
        return rows

    def list_stored(self, program: Tape) -> Iterator[list[tuple[str, Any]]]:
        line_of = {id(self.result): program.output}
        stored: dict[Any, list[tuple[str, Any]]] = {}
        # Cells have no names, so go through both records in parallel, from the result to the inputs.
        for cell in reversed(self.result.tape):
            line: Any = line_of[id(cell)]
            parents = [j for j in program.parents[line] if j >= 0]
            stored[line] = []
            for (operand, partial), j in zip(cell.links, parents, strict=True):
                line_of[id(operand)] = j
                stored[line].append((f"∂{program.name(line)}/∂{program.name(j)}", partial))
        return (stored.get(line, []) for line in range(program.n_inputs, len(program)))


class Closures(Run):
    """The tape design of closures (document 0): a record stores a closure, which holds what its rule will read."""

    shares = True

    def __init__(self, f: Program, inputs: list[np.ndarray]) -> None:
        self.recording = Recording(show=None)
        names = [f"v{k - len(inputs) + 1}" for k in range(len(inputs))]
        self.inputs = [
            self.recording.constant(x, name) for x, name in zip(inputs, names, strict=True)
        ]
        self.result = _run_program(f, self.inputs, NamedVariable)
        self.value = float(self.result.value)
        self.closures = len(self.recording)

    def gradient(self) -> list[float]:
        return [float(g.value) for g in grad(self.result, self.inputs)]

    def hessian(self) -> list[list[float]]:
        gradient = grad(self.result, self.inputs)
        return [[float(h.value) for h in grad(g, self.inputs)] for g in gradient]

    def list_stored(self, program: Tape) -> Iterator[list[tuple[str, Any]]]:
        return (_find_rule_reads(program, line) for line in range(program.n_inputs, len(program)))


class Operations(Run):
    """The design of the engine's tape (and of document 2): a line stores its operation, operands and result.

    The rules are in one table. A rule may read less than a line stores: only the operands, only the result, or nothing.
    """

    shares = True

    def __init__(self, f: Program, inputs: list[np.ndarray]) -> None:
        self.tape = Tape()
        variables = [self.tape.input(x) for x in inputs]
        self.result = self.tape.run(lambda *inputs: _run_program(f, inputs, Variable), variables)
        self.tape.output = self.result.index
        self.value = float(self.result.value)

    def gradient(self) -> list[float]:
        return [float(g) for g in sweep_tape(self.tape, [self.result], [np.float64(1.0)])]

    def hessian(self) -> list[list[float]]:
        inputs = [float(x) for x in self.tape.values[: self.tape.n_inputs]]
        every_input = tuple(range(len(inputs)))
        rows = hessian(self.tape.replay, argnums=every_input)(*inputs)
        return [list(row) for row in rows]

    def replay(self, inputs: Sequence[float]) -> float:
        return float(self.tape.replay(*inputs))

    def list_stored(self, program: Tape) -> Iterator[list[tuple[str, Any]]]:
        tape = self.tape
        for line in range(program.n_inputs, len(program)):
            names = [_line_name(tape, j) for j in tape.parents[line]]
            operands = list(zip(names, tape.args[line], strict=True))
            yield [*operands, (_line_name(tape, line), tape.values[line])]


class CopiedOperations(Operations):
    """The design of the engine's tape with a copy of the inputs, as :func:`autodiff_lab.record` makes one."""

    def __init__(self, f: Program, inputs: list[np.ndarray]) -> None:
        super().__init__(f, [np.float64(x) for x in inputs])  # type: ignore[misc]


class CheckedOperations(Operations):
    """The design of the engine's tape with a fingerprint of the inputs; the gradient raises an error if they changed.

    A version counter, as in PyTorch, does the same with less work.
    """

    def __init__(self, f: Program, inputs: list[np.ndarray]) -> None:
        super().__init__(f, inputs)
        self.views = inputs
        self.fingerprint = [x.tobytes() for x in inputs]

    def gradient(self) -> list[float]:
        if [x.tobytes() for x in self.views] != self.fingerprint:
            raise MutationError(
                "An input was written to after the run, but the sweep needs the number that was there before. Take the "
                "gradient first, or write into a copy of the array."
            )
        return super().gradient()


Design = Callable[[Program, list[np.ndarray]], Run]

# The three designs, and two ways to make the third safe. Each is called with the program and the inputs' views.
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
            "nothing was recorded. Return one number that depends on them."
        )
    return result


def _line_name(program: Tape, line: int) -> str:
    return program.name(line) if line >= 0 else "constant"


def _find_rule_reads(program: Tape, line: int) -> list[tuple[str, Any]]:
    """Find the numbers that a line's pullback reads: run its rule on Symbols, and see which are in the formula."""
    op = program.ops[line]
    assert op is not None, "an input has no rule"
    parents = program.parents[line]
    args = program.args[line]
    static = program.kwargs.get(line, NO_OPTIONS)
    symbols = tuple([Symbol(f"operand {k}") for k in range(len(args))])
    y = Symbol("result")
    g = Symbol("adjoint")
    # Symbols are compared by identity, because == makes another Symbol.
    read: set[int] = set()
    for k, j in enumerate(parents):
        formula = op.pullback(k, g, y, symbols, static)
        if j >= 0:
            read |= {id(leaf) for leaf in _leaves(formula)}
    found = []
    for symbol, j, x in zip(symbols, parents, args, strict=True):
        if id(symbol) in read:
            found.append((_line_name(program, j), x))
    if id(y) in read:
        found.append((program.name(line), program.values[line]))
    return found


def _leaves(formula: Any) -> Iterator[Symbol]:
    """The Symbols in a formula that stand for a number, not for an operation."""
    if isinstance(formula, Symbol):
        if formula.op is None:
            yield formula
        for part in formula.operands:
            yield from _leaves(part)
