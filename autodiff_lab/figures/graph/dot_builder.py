"""DOT builder: adds the nodes and edges of a tape to a graph, for a picture or for its layout only."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import graphviz

from autodiff_lab.figures.graph.boxes import GroupBox
from autodiff_lab.trace.model import Group

_MAX_RANKS_PASSED = 1300
_FAR = 6


def add_graph(
    graph: Any,
    lines: Sequence[Any],
    style: Any,
    groups: Sequence[Group] | Sequence[GroupBox],
    last: Sequence[int] = (),
    within: range | None = None,
    single: float = math.inf,
    omit: Callable[[Any], bool] = lambda operand: False,
) -> None:
    """Build the DOT of a tape: add its nodes and edges to a graph, in the order of the tape.

    Parameters
    ----------
    graph : graphviz.Digraph
        Whatever has `node` and `edge`.
    lines : sequence of Line
        The tape; of the lines inside of groups only the operands are read.
    style : GraphStyle or BoxSizes
        The attributes of each part.
    groups : sequence of Group or GroupBox
        Which lines stand together in one box; each of the others has its own.
    last : sequence of int
        The last line that uses each line, if there are groups; see `find_last_uses`.
    within : range, optional
        Only these lines are drawn. A value from elsewhere is written again, beside the operation that uses it; a group
        says itself which ones it uses.
    single : float
        So many values that go from one group to another have a way each; more of them have one together.
    omit : callable
        Whether a constant operand is not drawn.
    """
    within = range(len(lines)) if within is None else within
    box = name_boxes(within, groups)
    inside = {i: group for group in groups for i in range(group.first, group.end)}
    far = _far(lines, box) if len(within) == len(lines) else set()
    graph.is_large = bool(far)
    drawn: set[tuple[int, str]] = set()
    leaving = {group: outputs(group, last) for group in groups}
    between: dict[tuple[str, str], set[int]] = {}
    for i in inside:
        for operand in lines[i].operands:
            if operand.line in inside:
                between.setdefault((box[operand.line], box[i]), set()).add(operand.line)

    for i in within:
        line = lines[i]
        if i in inside:
            group = inside[i]
            if group.first == i:
                graph.node(box[i], **style.group(group, leaving[group]))
            for tail in (operand.line for operand in line.operands):
                # A value goes into a group once, however often it is used there.
                if tail not in box or box[tail] == box[i] or (tail, box[i]) in drawn:
                    continue
                together = between.get((box[tail], box[i]), ())
                if len(together) > single:
                    look = style.several(len(together), tail, group)
                else:
                    together = {tail}
                    look = style.flow(
                        tail, tail in inside and len(leaving[inside[tail]]) > 1, group
                    )
                drawn.update((one, box[i]) for one in together)
                graph.edge(box[tail], box[i], **look)
            continue
        graph.node(f"n{i}", **style.node(i, line))
        for slot, operand in enumerate(line.operands):
            if operand.line is None and omit(operand):
                continue
            look = {}
            if operand.line is None:
                tail = f"c{i}_{slot}"
                graph.node(tail, **style.constant(i, slot, operand))
            elif operand.line not in box or (i, slot) in far:
                tail = f"s{i}_{slot}"
                graph.node(tail, **style.again(tail, i, operand.line))
            else:
                tail = box[operand.line]
                # The main way stays straight; what joins it stands aside.
                look = {"weight": "8"} if far else {}
            graph.edge(tail, f"n{i}", **style.edge(i, slot, line, operand), **look)


def name_boxes(lines: range, groups: Sequence[Any]) -> dict[int, str]:
    """Name the DOT node that each line of the tape stands in: its own, or that of its group."""
    own = {i: f"n{i}" for i in lines}
    return own | {i: f"g{group.first}" for group in groups for i in range(group.first, group.end)}


def _far(lines: Sequence[Any], box: dict[int, str]) -> set[tuple[int, int]]:
    """The ways on which a value is written again beside its use, since a line from its box would cross the picture.

    There are none in a picture that Graphviz can arrange at once: it puts a point on every rank that an edge passes,
    and the time it takes grows faster than the square of their number.
    """
    rank: dict[str, int] = {}
    for i, line in enumerate(lines):
        before = [
            rank[box[o.line]] for o in line.operands if o.line is not None and box[o.line] != box[i]
        ]
        rank[box[i]] = max(rank.get(box[i], 0), 1 + max(before, default=-1))
    ways = {
        (i, slot): rank[box[i]] - rank[box[operand.line]]
        for i, line in enumerate(lines)
        for slot, operand in enumerate(line.operands)
        if operand.line is not None and box[i] == f"n{i}"
    }
    if sum(ways.values()) <= _MAX_RANKS_PASSED:
        return set()
    return {way for way, passed in ways.items() if passed > _FAR}


def outputs(group: Any, last: Sequence[int]) -> list[int]:
    """List the lines whose edges leave a group's DOT node: a later line uses them, or they are the result."""
    return [i for i in range(group.first, group.end) if last[i] >= group.end]


def escape_text(text: str) -> str:
    """Escape plain text, such as a tooltip, as an attribute in DOT, where backslashes have a meaning."""
    return graphviz.escape("".join(char if char.isprintable() else "�" for char in text))
