"""Boxes of a graph: the texts in them, and their sizes, as wide as the widest text that a box shows at any step."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from autodiff_lab.figures.graph import cells
from autodiff_lab.text import notation
from autodiff_lab.text.messages import message, plural_message
from autodiff_lab.trace.model import Group, Line, Number, Operand, Trace
from autodiff_lab.trace.outline import Section

# The font size of a drawing, in points.
SIZE = 14

# A group's box lists at most so many of the values that leave it.
MAX_OUTPUTS = 3

_NODE_ROWS, _NODE_HEIGHT, _SMALL_HEIGHT = 3, 0.95, 0.4
# In a player, for three or four rows.
_PLAYER_HEIGHT = 0.86
_MAX_NAME, _MAX_READING = 16, 12
_GROUP_ROW, _GROUP_MARGIN = 21, 10
# Widths as shares of the font size: of a narrow character, and of others by their columns in a terminal.
_NARROW = "₀₁₂₃₄₅₆₇₈₉₋⁰¹²³⁴⁵⁶⁷⁸⁹⁻.,·:;|!il[]() "
_NARROW_WIDTH = 0.42
_WIDTHS = (0.0, 0.68, 1.02)

# Room before the title of a group, for the sign that says it can be opened.
_OPENING_SIGN = "  "


def node_heading(trace: Trace, i: int, line: Line) -> tuple[str, str]:
    """The first line of text in a node's box: the operation, and the line's name on the tape."""
    return line.symbol, _join_nonempty(line.display_name, trace.name_result(i), separator=" = ")


def player_heading(trace: Trace, i: int, line: Line) -> tuple[str, str]:
    """The first line of text in a node's box in the player: its name, in bold, and what it computes.

    The name is the learner's, followed by the operation with its constants: ``("b", "2 ×")``. A line
    without such a name shows what it computes, or if that is long, its operation and its name on the tape.
    """
    name = line.assigned_name or trace.name_result(i)
    name = notation.shorten(name, _MAX_NAME)
    shape = str(line.value.shape) if line.value.shape and not line.value.is_small else ""
    if line.kind == "input":
        return _with_turn(name or line.display_name, line), shape
    constants = ", ".join(
        operand.value.in_node for operand in line.operands if is_in_heading(operand)
    )
    if constants and line.operands[0].line is None and notation.is_infix(line.op):
        operation = _join_nonempty(constants, line.symbol)
    else:
        operation = _join_nonempty(line.symbol, constants)
    if name:
        return _with_turn(name, line), _join_nonempty(operation, shape)
    if len(line.reading) <= _MAX_READING:
        return line.reading, shape
    return operation, _join_nonempty(line.display_name, shape)


def _join_nonempty(*texts: str, separator: str = " ") -> str:
    return separator.join(text for text in texts if text)


def _with_turn(name: str, line: Line) -> str:
    """The name of a line, numbered if several lines have it."""
    return f"{name} {line.occurrence}" if line.occurrence else name


def is_in_heading(operand: Operand) -> bool:
    """Whether an operand is only text in the box that uses it, without a box of its own: a constant number."""
    return operand.line is None and not operand.value.shape


def text_width(text: str, bold: bool = False) -> float:
    """Estimate the width of text in a box, in points, a little generously.

    It is an estimate so that box sizes don't depend on the installed fonts.
    """
    width = 0.0
    for char in text:
        if char in _NARROW:
            width += _NARROW_WIDTH
        else:
            width += _WIDTHS[notation.display_width(char)]
    return width * SIZE * (1.1 if bold else 1.0)


def node_texts(trace: Trace) -> Iterator[tuple[int, str, str]]:
    """Yield every text that a node's box needs room for below its heading, at any step: line, kind of value, text.

    A small array has cells instead of a text; see `cells`.
    """
    for i, kind, number in node_numbers(trace):
        # A large array has its range as a text below its strip. Without cells, the value itself is a text.
        if not number.is_small or not trace.lines[i].value.has_cells:
            yield i, kind, number.in_box
    for i, truth in enumerate(trace.truth):
        if truth is not None:
            yield i, "truth", message("node true", value=truth.in_box)
    for step in trace.steps:
        if step.tangents and not has_cells(step.tangents):
            yield step.line, "tangent", ", ".join(tangent.in_box for tangent in step.tangents)


def node_numbers(trace: Trace) -> Iterator[tuple[int, str, Number]]:
    """Yield the numbers that a box shows at any step: line, kind of value, number; without tangents shown as text."""
    for i, line in enumerate(trace.lines):
        yield i, "value", line.value
    for step in trace.steps:
        if step.adjoint is not None:
            yield step.line, "adjoint", step.adjoint
        for send in step.sends:
            yield send.parent, "adjoint", send.after
        if has_cells(step.tangents):
            yield step.line, "tangent", step.tangents[0]


def has_cells(tangents: Sequence[Number]) -> bool:
    """Whether the tangents of a line are drawn as cells: only a single one is, several are listed as text."""
    return len(tangents) == 1 and tangents[0].has_cells


def count_contributions(trace: Trace) -> Counter[int]:
    """Count the contributions that each line of a trace receives in the whole run."""
    return Counter(send.parent for step in trace.steps for send in step.sends)


def say_size(group: Group | Section) -> str:
    """The text in a group's box with the number of its operations or inputs, and of a loop's iterations."""
    if isinstance(group, Section) and group.has_only_inputs:
        return plural_message("inputs", group.size)
    operations = plural_message("operations", group.size)
    if group.turns > 1:
        return message("times", n=group.turns, operations=operations)
    return operations


class GroupBox(NamedTuple):
    """The texts in a closed group's box, which give it its size: title, number of operations, values it uses."""

    title: str
    first: int
    end: int
    subtitle: str
    full_title: str = ""


@dataclass(frozen=True)
class BoxSizes:
    """The sizes of boxes, from the widest texts in them, as attributes for Graphviz: all that a layout needs.

    Parameters
    ----------
    lines : sequence of Line
    widths : sequence of float
        The widths of operations and inputs, in inches.
    derivatives : callable
        For a line whose value leaves a group, the longest texts shown next to the value, one of each kind.
    headings : sequence of (str, str)
        The first line of text in each box.
    height : float
        The height of a node with all its rows, in inches.
    heights : mapping of int to float
        The heights of nodes that have cells, by their lines, in inches.
    """

    lines: Sequence[Line]
    widths: Sequence[float]
    derivatives: Callable[[int], Sequence[str]]
    headings: Sequence[tuple[str, str]] = ()
    height: float = _NODE_HEIGHT
    heights: Mapping[int, float] = field(default_factory=dict)

    @classmethod
    def of(cls, trace: Trace, player: bool = False, bare: bool = False) -> BoxSizes:
        """Measure the box sizes for a trace: each box is wide enough for every text it shows at any step.

        The boxes of a `player` have its headings. They have room for numbers of the usual length, so that
        they keep their size while a slider moves, and for a contribution before it is added. The cells
        of arrays have room for their numbers, unless they are `bare`.
        """
        heading, least, margin, height = node_heading, 0.6, 0.24, _NODE_HEIGHT
        if player:
            heading, least, margin, height = player_heading, 1.1, 0.16, _PLAYER_HEIGHT
        headings = [heading(trace, i, line) for i, line in enumerate(trace.lines)]
        widest = [
            text_width(f"{bold} " if soft else bold, True) + text_width(soft)
            for bold, soft in headings
        ]
        longest: list[dict[str, str]] = [{} for _ in trace.lines]
        for i, kind, text in node_texts(trace):
            widest[i] = max(widest[i], text_width(text, True))
            longest[i][kind] = max(longest[i].get(kind, ""), text, key=len)
        heights: dict[int, float] = {}
        sent = count_contributions(trace) if player else Counter()
        for i, line in enumerate(trace.lines):
            if not line.value.has_cells:
                continue
            widest[i] = max(widest[i], cells.box_width(line.value.shape, bare))
            heights[i] = cells.box_height(line.value.shape, sent[i], bare) / 72
        widths = [max(least, width / 72 + margin) for width in widest]

        def derivatives(i: int) -> list[str]:
            texts = longest[i]
            return [texts[kind] for kind in ("adjoint", "tangent") if kind in texts]

        return cls(trace.lines, widths, derivatives, headings, height, heights)

    def node(self, i: int, line: Line, rows: int = _NODE_ROWS) -> dict[str, str]:
        """The box size of a line of the tape, with one row each for the heading, the value and the derivative."""
        if i in self.heights:
            height = self.heights[i]
            if rows < _NODE_ROWS:
                height = cells.box_height(line.value.shape, rows=rows - 1) / 72
            return _size(self.widths[i], height)
        share = (rows - 1) / (_NODE_ROWS - 1)
        return _size(self.widths[i], _SMALL_HEIGHT + (self.height - _SMALL_HEIGHT) * share)

    def constant(self, i: int, slot: int, operand: Operand) -> dict[str, str]:
        """The box size of a constant operand, next to the operation that uses it."""
        shape = operand.value.shape
        if self.heights and operand.value.is_small:
            width, height = cells.size_of_cells(shape)
            return _size((width + cells.BESIDE_CELLS) / 72, (height + cells.AROUND) / 72)
        return _small_size(operand.value.in_node)

    def again(self, node: str, user: int, tail: int) -> dict[str, str]:
        """The box size of a value that is repeated next to the operation that uses it."""
        return _small_size(self.lines[tail].label_or_name)

    def edge(self, i: int, slot: int, line: Line, operand: Operand) -> dict[str, str]:
        """The id of an operand's edge and the text of its label, which a layout leaves room for like for box sizes."""
        return {"id": f"e{i}_{slot}", "said": operand.edge or operand.shapes}

    def flow(self, tail: int, named: bool, head: GroupBox) -> dict[str, str]:
        """The text at a value's edge into a group's box: its name, if it is `named` or an array, and its shape."""
        line = self.lines[tail]
        shapes = line.value.flowing()
        name = line.display_name if named or shapes else ""
        look = {"id": f"f{tail}_{head.first}", "said": name}
        if shapes:
            look["shapes"] = shapes
        return look

    def several(self, count: int, tail: int, head: GroupBox) -> dict[str, str]:
        """The text at an edge that stands for several values between the boxes of two groups."""
        return {"id": f"m{tail}_{head.first}_{count}", "said": message("values together", n=count)}

    def group(self, group: GroupBox, outputs: Sequence[int]) -> dict[str, str]:
        """The box size of a closed group, with rows for its title and the values that leave it."""
        texts = [group.title + _OPENING_SIGN, group.subtitle]
        for i in outputs[:MAX_OUTPUTS]:
            line = self.lines[i]
            texts.append("  ".join([line.label_or_name, line.value.in_node, *self.derivatives(i)]))
        if len(outputs) > MAX_OUTPUTS:
            texts.append(message("and more", n=len(outputs) - MAX_OUTPUTS))
        width = max(text_width(text, bold=k != 1) for k, text in enumerate(texts))
        return _size(width / 72 + 0.3, (_GROUP_ROW * len(texts) + _GROUP_MARGIN) / 72)


def _size(width: float, height: float) -> dict[str, str]:
    """A size in Graphviz's attributes; the width is rounded up to tenths of an inch, so that more graphs are alike."""
    return {"width": f"{math.ceil(10 * width) / 10:.1f}", "height": f"{height:.2f}"}


def _small_size(text: str) -> dict[str, str]:
    return _size(max(0.4, text_width(text) / 72 + 0.2), _SMALL_HEIGHT)
