"""A line of the tape in a trace: an input or an operation, and its operands."""

from dataclasses import dataclass
from typing import Literal

from autodiff_lab.text import notation
from autodiff_lab.trace.model.number import Number
from autodiff_lab.trace.model.source import ModuleCall, Span, Turn


@dataclass(frozen=True)
class Operand:
    """One operand of a line in a `Trace`, with the local partial that carries the adjoint back to it.

    `line` and `partial` are None for a constant. `partial` is an array of weights for a reduction. It is None also
    where the adjoint goes back through a map that has no table of partials, which `formula` then writes or names.
    If that map is too long to be written, or has no formula, `formula_is_name` is true and `formula` is words.
    `edge` is what the edge of a graph says, and `edge_title` the whole of it where `edge` is shortened;
    `edge_reading` says it in the learner's names, where those differ. `shapes` is
    what it says of an array: its shape, and where broadcasting copies it to the shape of the line's result, so that it
    `is_copied`, the shape of its copies. Of a small array from which a reduction or an index makes fewer entries,
    `goes_to` has for each entry the number of the entry of the result that it goes to, or −1 if it goes to none.
    `partial_reads` are the lines whose values the partial is computed from.
    """

    line: int | None
    name: str
    value: Number
    partial: Number | None = None
    formula: str = ""
    latex: str = ""
    edge: str = ""
    edge_title: str = ""
    shapes: str = ""
    is_copied: bool = False
    formula_is_name: bool = False
    edge_reading: str = ""
    goes_to: tuple[int, ...] = ()
    partial_reads: tuple[int, ...] = ()

    @property
    def parent(self) -> int:
        """The line of a `Trace` that this operand is; a constant is none."""
        assert self.line is not None, "a constant is no line"
        return self.line

    @property
    def known_partial(self) -> Number:
        """The local partial of this operand of a line in a `Trace`, which has one."""
        assert self.partial is not None, "this operand has no table of partials"
        return self.partial


@dataclass(frozen=True)
class Line:
    """One line of a `Trace`: an input (`kind` is ``"input"``, `label` its parameter) or an ``"operation"``.

    `text` is the engine's own spelling (``"v-1 * v0"``), `symbol` what a node of the graph shows (``"×"``), and
    `latex` the operation in LaTeX. As people write it, the line has the `display_name` ``"v₂"`` and computes
    `expression` (``"v₋₁ · v₀"``), or with the names of the inputs `source_expression` (``"x1 · x2"``). `where` has the
    outermost frame first. `sweep_id` is 0 for what the program does itself, and counts the sweeps of inner
    derivatives, whose operations are on the tape as well. `turns` are those of the loops that were running, the
    outermost first.

    The learner's source calls the value `assigned_name`: that is an input's label, and the target of the assignment
    whose right-hand side the line is. A result that has none is called as in pictures: ``"y"``. Of several lines of
    this name in one source, it is number `occurrence`. `reading` is the operation in these names. `modules` are the
    calls of a framework's modules that were running, the outermost first.
    """

    name: str
    kind: Literal["input", "operation"]
    value: Number
    label: str = ""
    op: str = ""
    symbol: str = ""
    text: str = ""
    operands: tuple[Operand, ...] = ()
    where: tuple[Span, ...] = ()
    latex: str = ""
    display_name: str = ""
    expression: str = ""
    source_expression: str = ""
    adjoint_name: str = ""
    tangent_name: str = ""
    sweep_id: int = 0
    turns: tuple[Turn, ...] = ()
    assigned_name: str = ""
    occurrence: int = 0
    reading: str = ""
    modules: tuple[ModuleCall, ...] = ()

    @property
    def line_operands(self) -> list[Operand]:
        """The operands of this line of a `Trace` that are lines themselves; the others are constants."""
        return [operand for operand in self.operands if operand.line is not None]

    @property
    def is_scalar(self) -> bool:
        """Whether this line of a `Trace` computes a number from numbers: neither it nor a line it uses is an array."""
        return not (self.value.shape or any(operand.value.shape for operand in self.line_operands))

    @property
    def learner_name(self) -> str:
        """What the learner calls this line of a `Trace`; its `display_name` on the tape, where that is nothing."""
        return self.assigned_name or self.display_name

    @property
    def clear_name(self) -> str:
        """The learner's name for this line of a `Trace`, and where several have it the one on the tape: ``s (v₃)``."""
        return (
            f"{self.assigned_name} ({self.display_name})" if self.occurrence else self.learner_name
        )

    @property
    def row_name(self) -> str:
        """The name of this line of a `Trace`, as tables show it: ``v₅``, and for an operation the learner's too."""
        named = self.kind == "operation" and self.assigned_name
        return f"{self.display_name} = {self.assigned_name}" if named else self.display_name

    @property
    def label_or_name(self) -> str:
        """The label of this line of a `Trace`, if it is an input's and no name of the tape; else `display_name`."""
        return (
            self.label
            if self.label and notation.format_name(self.label) == self.label
            else self.display_name
        )
