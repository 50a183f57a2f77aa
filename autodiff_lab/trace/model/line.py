"""A line of the tape in a trace: an input or an operation, and its operands."""

from dataclasses import dataclass
from typing import Literal

from autodiff_lab.text import notation
from autodiff_lab.trace.model.number import Number
from autodiff_lab.trace.model.source import ModuleCall, Span, Turn


@dataclass(frozen=True)
class Operand:
    """One operand of a line in a `Trace`, with the local partial that carries the adjoint back to it.

    Attributes
    ----------
    line : int or None
        The line that the operand is; None for a constant.
    name : str
        The operand's name on the tape.
    value : Number
        The operand's value.
    partial : Number or None
        The local partial; for a reduction, the array of weights. None for a constant, and for an
        operation whose adjoint goes back through a map instead, such as a matrix product.
    formula, latex : str
        The partial or the map as a formula. If the map has no formula or a very long one,
        `formula_is_name` is true, and `formula` names the map in words.
    edge, edge_title, edge_reading : str
        The label of the edge in a graph; the whole label, if `edge` is shortened; and the label in
        the learner's names, if these differ.
    shapes : str
        The shape of an array, and the shape it is broadcast to if it `is_copied`.
    goes_to : tuple of int
        For a small array that a reduction or an index makes smaller: for each element, the position
        of the element of the result that it goes to; −1 for none.
    partial_reads : tuple of int
        The lines whose values the partial is computed from.
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
        """The line of a `Trace` that this operand is; only for an operand that isn't a constant."""
        assert self.line is not None, "a constant isn't a line"
        return self.line

    @property
    def known_partial(self) -> Number:
        """The local partial of this operand of a line in a `Trace`; only for an operand that has one."""
        assert self.partial is not None, "this operand has no local partial"
        return self.partial


@dataclass(frozen=True)
class Line:
    """One line of a `Trace`: an input (`kind` is ``"input"``, `label` its parameter) or an ``"operation"``.

    The operation is written in several ways:

    - `text` is the engine's own spelling (``"v-1 * v0"``), `latex` the same in LaTeX
    - `symbol` is what a node of the graph shows (``"×"``)
    - `expression` is typeset with the names of the tape (``"v₋₁ · v₀"``); `display_name` (``"v₂"``) is
      the name of the line in this style
    - `source_expression` has the labels of the inputs (``"x1 · x2"``)
    - `reading` has the names from the learner's source

    In the learner's source the value is called `assigned_name`: the label of an input, or the target of
    the assignment that computes it. A result without a name is called as in pictures: ``"y"``. If several
    lines have this name, `occurrence` numbers them.

    `where` has the places in the source, `turns` the iterations of the loops that were running, and
    `modules` the running calls of a framework's modules; in each, the outermost is first. `sweep_id`
    is 0 for the program's own operations. A backward pass of an inner derivative is on the tape as
    well; its operations have a number above 0.
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
        """Whether this line of a `Trace` computes a number from numbers, with no array involved."""
        if self.value.shape:
            return False
        return not any(operand.value.shape for operand in self.line_operands)

    @property
    def learner_name(self) -> str:
        """The learner's name for this line of a `Trace`, or if there is none, its `display_name`."""
        return self.assigned_name or self.display_name

    @property
    def clear_name(self) -> str:
        """The learner's name for this line of a `Trace`; if several lines share it, ``s (v₃)`` tells them apart."""
        if self.occurrence:
            return f"{self.assigned_name} ({self.display_name})"
        return self.learner_name

    @property
    def row_name(self) -> str:
        """The name of this line of a `Trace` in a table: ``v₅``, or ``v₅ = y`` if the learner named the operation."""
        if self.kind == "operation" and self.assigned_name:
            return f"{self.display_name} = {self.assigned_name}"
        return self.display_name

    @property
    def label_or_name(self) -> str:
        """The label of this line of a `Trace`, or `display_name` if it has none or the label is a tape name."""
        is_plain = notation.format_name(self.label) == self.label
        return self.label if self.label and is_plain else self.display_name
