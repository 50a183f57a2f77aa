"""The tape: the recorded operations of one run, and the reverse sweep over them.

A tape consists of columns: parallel lists with one entry for each line, appended as the program runs. The order in
which lines are written is already topological, so nothing is sorted and nothing recurses; the sweep is a loop from the
last line to the first. Printing, drawing and sweeping read the same columns.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from types import CodeType
from typing import Any, NamedTuple, NoReturn

import numpy as np

from . import printing, rules  # noqa: F401 — rules fills the table
from .dispatch import NO_OPTIONS, Level
from .errors import BranchChanged, EndlessError, ReleasedError, ShapeError, UnsupportedError
from .frames import find_user_frame, is_user_frame
from .primitives import Op
from .values import as_operand, as_shaped, copy_constant, to_output
from .variable import Variable
from .views import view

# The most lines of a run recorded for display; recording that many takes some seconds.
MAX_TAPE_LINES = 100_000

# The most numbers that these lines may hold; in double precision that is 800 MB.
MAX_TAPE_VALUES = 100_000_000


class Comparison(NamedTuple):
    """A comparison (``x < 10``) that a tape noted beside its lines, because the program may have branched on it."""

    line: int
    op: Op
    operands: tuple[Any, ...]
    parents: tuple[int, ...]
    static: Mapping[str, Any]
    outcome: Any


class Tape(Level):
    """The engine's tape of one run: one line per input and operation, in order (a Wengert list).

    The tape copies array constants, so a program may overwrite an array that it has used. Arrays that you read from
    `.value` belong to the tape, so don't write into them, nor into the inputs while `grad` runs.

    Parameters
    ----------
    sites : bool
        Note for each line where in the user's code it was recorded.
    most : int or None
        The most lines it may have, if `sites` is set; None for any number.

    Attributes
    ----------
    ops : list of Op or None
        The operation of each line; None for an input. Inputs come first.
    args : list of tuple
        The values of the operands when the operation ran.
    parents : list of tuple of int
        The line that each operand came from; -1 for a constant.
    values : list
        The result of each line: ``numpy.float64`` or array.
    kwargs : dict
        Static arguments (``axis``, ``shape``, …) of the lines that have any.
    call_stacks : list of tuple or None
        For each line, the frames of the user's code that recorded it, outermost first, as ``(code, instruction)``;
        None without ``sites=True``. The next three attributes are used only with it, too.
    max_lines : int or None
        The most lines it may have (`most`); None for any number. `n_values` counts the numbers in their values.
    written_by_sweep : dict
        The lines that the sweep of an inner derivative wrote, with the number of that derivative.
    execution_log : tuple of Event or None
        Which lines of the user's code ran, in which order; None if that is unknown.
    comparisons : list of Comparison
        The comparisons made, in order.
    input_names : list of str
        What the function calls its inputs.
    constant_arguments : dict
        The arguments that are not inputs, by name. `count_arguments` has the names of the integers among them that the
        run needed as an index or a count.
    detached_lines : tuple of int
        The lines that were to become plain numbers, as in ``range(n)``.
    output : int or None
        The line of the result; None if the result does not depend on the inputs (it is then `constant`).

    See Also
    --------
    record : Run a function and keep its tape.
    Variable : A traced value in reverse mode.

    Examples
    --------
    >>> from autodiff_lab import record
    >>> value, tape = record(lambda x, y: x * y + x, 2.0, 5.0)
    >>> print(tape)
    v-1 = 2.0
    v0 = 5.0
    v1 = v-1 * v0    = 10.0
    v2 = v1 + v-1    = 12.0
    y = v2 = 12.0
    """

    max_lines: int | None = MAX_TAPE_LINES
    call_stacks: list[tuple[tuple[CodeType, int], ...]] | None
    execution_log: Any = None
    constant_arguments: Mapping[str, Any] = NO_OPTIONS
    count_arguments: tuple[str, ...] = ()
    detached_lines: tuple[int, ...] = ()
    n_inputs = n_values = 0
    output: int | None = None
    constant: Any = None
    is_freed = False

    def __init__(self, sites: bool = False, most: int | None = MAX_TAPE_LINES) -> None:
        super().__init__()
        self.fast = not sites
        self.ops: list[Op | None] = []
        self.args: list[tuple[Any, ...]] = []
        self.parents: list[tuple[int, ...]] = []
        self.values: list[Any] = []
        self.kwargs: dict[int, Mapping[str, Any]] = {}
        self.comparisons: list[Comparison] = []
        self.input_names: list[str] = []
        self.written_by_sweep: dict[int, float] = {}
        self.call_stacks = [] if sites else None
        if sites:
            self.max_lines = most

    @property
    def has_fast_path(self) -> bool:
        """Whether this tape records only its lines, so that operators may write them without the dispatch."""
        return self.call_stacks is None

    # Recording

    def input(self, value: Any, name: str = "") -> Variable:
        """Write an input line on the tape and return its Variable."""
        self.input_names.append(name)
        self.n_inputs += 1
        if self.fast:
            return self.write(None, (), (), value)
        return self.append(None, (), (), value)

    def append(
        self,
        op: Op | None,
        args: tuple[Any, ...],
        parents: tuple[int, ...],
        value: Any,
        static: Mapping[str, Any] = NO_OPTIONS,
    ) -> Variable:
        """Write one line at the end of the tape and return its Variable."""
        if self.call_stacks is not None:
            self._note_site(op, value)
        if static:
            self.kwargs[len(self.ops)] = static
        return self.write(op, args, parents, value)

    def write(
        self, op: Op | None, args: tuple[Any, ...], parents: tuple[int, ...], value: Any
    ) -> Variable:
        """Write one line at the end of the tape's columns, and nothing else; return its Variable."""
        ops = self.ops
        v = Variable()
        v.value = value
        v.tape = self
        v.index = len(ops)
        ops.append(op)
        self.args.append(args)
        self.parents.append(parents)
        self.values.append(value)
        return v

    def _note_site(self, op: Op | None, value: Any) -> None:
        """Note where in the user's code the next line is recorded; raise an error if the tape is full."""
        self.n_values += getattr(value, "size", 1)
        if self.max_lines is not None:
            is_full = len(self.ops) >= self.max_lines or self.n_values > MAX_TAPE_VALUES
            if is_full:
                raise EndlessError(_describe_endless_run(self))
        self.call_stacks.append(() if op is None else _user_call_stack(self))  # type: ignore[union-attr]

    def process(self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """Compute one operation on Variables of this tape, and write its line or note its comparison."""
        if len(operands) == 1:  # then it belongs to this tape
            args: tuple[Any, ...] = (operands[0].value,)
            parents: tuple[int, ...] = (operands[0].index,)
        else:
            seen, lines = [], []
            for x in operands:
                own = type(x) is Variable and x.tape is self
                seen.append(x.value if own else copy_constant(x))
                lines.append(x.index if own else -1)
            args, parents = tuple(seen), tuple(lines)
        if static:
            static = {name: copy_constant(x) for name, x in static.items()}
        value = op.fn(*args, **static)
        if not op.rules:
            if op.kind == "shape":
                return value
            if op.kind == "comparison":
                self.comparisons.append(Comparison(len(self.ops), op, args, parents, static, value))
                return value
        return self.append(op, args, parents, as_operand(value), static)

    # The reverse sweep

    def sweep(self, line: int, seed: Any, adjoints: list[Any], keep: bool = True) -> Iterator[int]:
        """The reverse sweep over the tape from `line`, one line at a time.

        Parameters
        ----------
        line : int
            Where to start: the line of the result.
        seed : number or array
            Its adjoint, in the shape of its value.
        adjoints : list
            One entry for each line, all None: "no adjoint yet", which is not the same as 0. This is the state of the
            sweep, and you may read it between steps. For a sweep from several results at once, put the seeds of the
            others in it beforehand; `line` is the last of them.
        keep : bool
            Keep the adjoint of a line after sweeping it, to look at; False drops it, to save memory.

        Yields
        ------
        int
            The line that has just sent its contributions to its parents. Lines without an adjoint are skipped.

        Notes
        -----
        For each parent j of line i: v̄ⱼ += v̄ᵢ · ∂vᵢ/∂vⱼ (Griewank and Walther, *Evaluating Derivatives*, 2008,
        section 3.2). Sums are formed out of place, because two parents may have been given the same array.
        `grad` uses a faster version of the same loop, in ``fast_sweep.py``.

        Examples
        --------
        >>> from autodiff_lab import record
        >>> value, tape = record(lambda x: x * x, 3.0)
        >>> adjoints = [None] * len(tape)
        >>> [tape.name(i) for i in tape.sweep(tape.output, 1.0, adjoints)]
        ['v1']
        >>> float(adjoints[0])
        6.0
        """
        self.require_values()
        adjoints[line] = seed
        for i in range(line, self.n_inputs - 1, -1):
            g = adjoints[i]
            if g is None:
                continue
            op: Any = self.ops[i]
            static = self.kwargs.get(i, NO_OPTIONS)
            for k, j in enumerate(self.parents[i]):
                if j < 0:  # a constant
                    continue
                contribution = op.pullback(k, g, self.values[i], self.args[i], static)
                if contribution is None:  # no derivative flows to this operand
                    continue
                adjoints[j] = contribution if adjoints[j] is None else adjoints[j] + contribution
            if not keep:
                adjoints[i] = None
            yield i

    # Running again

    def replay(self, *inputs: Any) -> Any:
        """Run the operations on the tape again with new inputs, without the program. You can differentiate this, too.

        Parameters
        ----------
        *inputs : number or array
            One for each input line, in the shape recorded.

        Raises
        ------
        BranchChanged
            If a recorded comparison comes out differently, so the program might take a different branch.
        UnsupportedError
            If a ``no_recording`` block used values of the tape, because its operations were not recorded.

        Notes
        -----
        What the program computed from ``x.value`` is a constant on the tape, and stays as it was.

        Examples
        --------
        >>> from autodiff_lab import grad, record
        >>> value, tape = record(lambda x: x * x + 1, 3.0)
        >>> tape.replay(5.0), grad(tape.replay)(5.0)
        (26.0, 10.0)
        """
        self.require_values()
        if self.computed_paused:
            raise UnsupportedError(
                "The recorded function used its inputs in a `no_recording` block, and the tape has only the numbers "
                "that came out, which belong to the old inputs. Record the function again at the new inputs, or write "
                "ad.stop_gradient(…) in place of the block: replay can run that again."
            )
        if len(inputs) != self.n_inputs:
            raise ShapeError(
                f"The tape has {self.n_inputs} inputs, and replay was given {len(inputs)}."
            )
        new: list[Any] = []
        for i, x in enumerate(inputs):
            label = f"the input {self.input_names[i] or self.name(i)}"
            new.append(as_shaped(x, self.values[i], label))

        def operands(args: tuple[Any, ...], parents: tuple[int, ...]) -> list[Any]:
            return [new[j] if j >= 0 else x for j, x in zip(parents, args, strict=True)]

        comparisons = iter(self.comparisons)
        comparison = next(comparisons, None)
        for i in range(self.n_inputs, len(self.ops) + 1):
            while comparison is not None and comparison.line == i:
                compared = operands(comparison.operands, comparison.parents)
                outcome = comparison.op.fn(*compared, **comparison.static)
                if not np.array_equal(outcome, comparison.outcome):
                    self._raise_branch_changed(comparison, outcome)
                comparison = next(comparisons, None)
            if i < len(self.ops):
                op = self.ops[i]
                assert op is not None, "the inputs come first"
                again = operands(self.args[i], self.parents[i])
                new.append(as_operand(op.fn(*again, **self.kwargs.get(i, NO_OPTIONS))))
        return to_output(self.constant if self.output is None else new[self.output])

    def _raise_branch_changed(self, comparison: Comparison, outcome: Any) -> NoReturn:
        names = self._format_operands(comparison.parents, comparison.operands)
        text = printing.format_call(
            comparison.op.name, comparison.op.symbol, names, comparison.static
        )
        raise BranchChanged(
            f"When this tape was recorded, {text} was {printing.format_value(comparison.outcome)}; with the new inputs "
            f"it is {printing.format_value(outcome)}, so the program would take another branch. Record it again "
            "at the new inputs."
        )

    def free_values(self) -> None:
        """Free every value on the tape; its lines can still be read, but not swept or replayed."""
        self.args = []
        self.values = []
        self.comparisons = []
        self.is_freed = True

    def require_values(self) -> None:
        """Raise an error if the values of this tape were freed."""
        if self.is_freed:
            raise ReleasedError(
                "The values of this tape were freed. Record the function again, or do not call free_values()."
            )

    @property
    def nbytes(self) -> int:
        """The memory that the tape's values take, in bytes; an array that several lines share counts once."""
        arrays = {id(x): getattr(x, "nbytes", 8) for row in (*self.args, self.values) for x in row}
        return sum(arrays.values())

    # Reading

    def __len__(self) -> int:
        return len(self.ops)

    def operation(self, line: int) -> Op:
        """The operation of a line of the tape.

        Raises
        ------
        LookupError
            If the line is an input.
        """
        op = self.ops[line]
        if op is None:
            raise LookupError(f"{self.name(line)} is an input of the tape, not an operation.")
        return op

    @property
    def output_line(self) -> int:
        """The line of the tape that computes the result.

        Raises
        ------
        LookupError
            If the result does not depend on the inputs, so no line computes it.
        """
        if self.output is None:
            raise LookupError(
                "The result of this tape does not depend on its inputs, so no line computes it."
            )
        return self.output

    def name(self, line: int) -> str:
        """The name of a tape line: v1, v2, … for operations; …, v-1, v0 for inputs (Griewank and Walther)."""
        return f"v{line - self.n_inputs + 1}"

    def expression(self, line: int) -> str:
        """What a line of the tape computes, as text: ``"v-1 * v0"``. For an input, its name in the function."""
        op = self.ops[line]
        if op is None:
            return self.input_names[line]
        operands = self._format_operands(self.parents[line], self.args[line])
        return printing.format_call(op.name, op.symbol, operands, self.kwargs.get(line, NO_OPTIONS))

    def _format_operands(self, parents: tuple[int, ...], args: tuple[Any, ...]) -> list[str]:
        """The operands of an operation as text: tape names such as ``v1`` for lines, values for constants."""
        return [
            self.name(j) if j >= 0 else printing.format_value(x)
            for j, x in zip(parents, args, strict=True)
        ]

    def draw(self, **options: Any) -> Any:
        """Draw the tape as a graph, with the options of :func:`autodiff_lab.draw`.

        Examples
        --------
        >>> from autodiff_lab import record
        >>> value, tape = record(lambda x: x * x, 3.0)
        >>> tape.draw(direction="TB")
        <drawing of tape(x)>
        """
        self.require_values()
        return view("draw_tape")(self, **options)

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None, **_: Any
    ) -> dict[str, str]:
        """What a notebook shows: the graph, with the evaluation trace beside it. Elsewhere, `print` the tape."""
        if self.is_freed:
            return {"text/plain": repr(self)}
        shown: dict[str, str] = view("show_tape")(self)
        return shown

    def __str__(self) -> str:
        """The evaluation trace as text: one line per input and operation, and the result."""
        self.require_values()
        left = [f"{self.name(i)} = {self.expression(i)}" for i in range(self.n_inputs, len(self))]
        width = max(map(len, left), default=0)
        shown = [printing.format_value(x) for x in self.values]
        rows = [f"{name} = {x!r}, a constant" for name, x in self.constant_arguments.items()]
        rows += [f"{self.name(i)} = {shown[i]}" for i in range(self.n_inputs)]
        for text, value in zip(left, shown[self.n_inputs :], strict=True):
            rows.append(f"{text:<{width}}    = {value}")
        if self.output is not None:
            rows.append(f"y = {self.name(self.output)} = {shown[self.output]}")
        return "\n".join(rows)

    def __repr__(self) -> str:
        return f"Tape({self.n_inputs} inputs, {len(self) - self.n_inputs} operations)"


# The functions that sweep a tape, with the name of the variable that holds the tape.
SWEEPS: dict[CodeType, str] = {Tape.sweep.__code__: "self"}


def _user_call_stack(tape: Tape) -> tuple[tuple[CodeType, int], ...]:
    """The running frames of the user's code, outermost first. A sweep among the callers is noted on the tape."""
    frames = []
    frame = sys._getframe(3)
    while frame is not None:
        if frame.f_code is Level.run.__code__ and frame.f_locals["self"] is tape:
            break
        swept = SWEEPS.get(frame.f_code)
        if swept is not None:
            tape.written_by_sweep.setdefault(len(tape.ops), frame.f_locals[swept].number)
        if is_user_frame(frame):
            frames.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back  # type: ignore[assignment]
    return tuple(reversed(frames))


def _describe_endless_run(tape: Tape) -> str:
    """The error message for a run that has outgrown its tape: how far it got, where it is, and what to do."""
    frame = find_user_frame()
    recorded = f"{len(tape) - tape.n_inputs:,} operations"
    if tape.n_values > MAX_TAPE_VALUES:
        recorded += f" with {tape.n_values:,} numbers"
    return (
        f"This run has recorded {recorded} and has not ended, which is too much to show. It has reached line "
        f"{frame.f_lineno} of {frame.f_code.co_name}. If a loop there never ends, bound it: write "
        "`for _ in range(100):` instead of `while`, with a `break`. If it only takes long, show a shorter run; grad "
        "and vjp have no limit."
    )
