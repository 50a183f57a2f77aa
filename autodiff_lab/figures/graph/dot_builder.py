"""DOT builder: it adds the nodes and edges of a tape to a graph, for a picture or only for its layout."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import graphviz

from autodiff_lab.figures.graph.boxes import GroupBox
from autodiff_lab.trace.model import Group

# In a graph whose edges pass more ranks than this in total, values are repeated next to their use instead of
# drawing edges that pass more than _FAR ranks.
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
        Any object with the methods `node` and `edge`.
    lines : sequence of Line
        The tape. Of a line inside a group, only the operands are read.
    style : GraphStyle or BoxSizes
        It has a method for each kind of part, which returns the attributes of the part.
    groups : sequence of Group or GroupBox
        The lines that share one box; every other line has a box to itself.
    last : sequence of int
        The last line that uses each line, if there are groups; see `find_last_uses`.
    within : range, optional
        Only these lines are drawn. A value from another line is repeated next to each operation that uses it. A group
        lists such values in its own box.
    single : float
        If more values than this go from one group to another, they share one edge.
    omit : callable
        Returns whether a constant operand is left out.
    """
    within = range(len(lines)) if within is None else within
    box = name_boxes(within, groups)
    inside = {i: group for group in groups for i in range(group.first, group.end)}
    far = _find_far_operands(lines, box) if len(within) == len(lines) else set()
    graph.is_large = bool(far)
    leaving = {group: outputs(group, last) for group in groups}
    # The lines whose values go from one group to another, by the names of the two boxes.
    between: dict[tuple[str, str], set[int]] = {}
    for i in inside:
        for operand in lines[i].operands:
            if operand.line in inside:
                between.setdefault((box[operand.line], box[i]), set()).add(operand.line)
    drawn: set[tuple[int, str]] = set()

    def add_edges_into_group(i: int, group: Any) -> None:
        for operand in lines[i].operands:
            tail = operand.line
            # A value goes into a group once, however often it is used there.
            if tail not in box or box[tail] == box[i] or (tail, box[i]) in drawn:
                continue
            together = between.get((box[tail], box[i]), set())
            if len(together) > single:
                look = style.several(len(together), tail, group)
                drawn.update((one, box[i]) for one in together)
            else:
                is_one_of_several = tail in inside and len(leaving[inside[tail]]) > 1
                look = style.flow(tail, is_one_of_several, group)
                drawn.add((tail, box[i]))
            graph.edge(box[tail], box[i], **look)

    def add_line(i: int, line: Any) -> None:
        graph.node(f"n{i}", **style.node(i, line))
        for slot, operand in enumerate(line.operands):
            look = {}
            if operand.line is None:
                if omit(operand):
                    continue
                tail = f"c{i}_{slot}"
                graph.node(tail, **style.constant(i, slot, operand))
            elif operand.line not in box or (i, slot) in far:
                tail = f"s{i}_{slot}"
                graph.node(tail, **style.again(tail, i, operand.line))
            else:
                tail = box[operand.line]
                if far:
                    # Edges between lines are kept straight; the repeated values move aside.
                    look = {"weight": "8"}
            graph.edge(tail, f"n{i}", **style.edge(i, slot, line, operand), **look)

    for i in within:
        if i not in inside:
            add_line(i, lines[i])
            continue
        group = inside[i]
        if group.first == i:
            graph.node(box[i], **style.group(group, leaving[group]))
        add_edges_into_group(i, group)


def name_boxes(lines: range, groups: Sequence[Any]) -> dict[int, str]:
    """Name the DOT node of each line of the tape: its own, or that of its group."""
    own = {i: f"n{i}" for i in lines}
    return own | {i: f"g{group.first}" for group in groups for i in range(group.first, group.end)}


def _find_far_operands(lines: Sequence[Any], box: dict[int, str]) -> set[tuple[int, int]]:
    """Find the operands whose edges would cross a large picture: the line and the slot of each.

    There are none in a graph that Graphviz can lay out quickly. Graphviz adds a point on every rank that an edge
    passes, and its running time grows faster than the square of their number.
    """
    rank: dict[str, int] = {}
    for i, line in enumerate(lines):
        before = [
            rank[box[o.line]] for o in line.operands if o.line is not None and box[o.line] != box[i]
        ]
        rank[box[i]] = max(rank.get(box[i], 0), 1 + max(before, default=-1))
    ranks_passed = {
        (i, slot): rank[box[i]] - rank[box[operand.line]]
        for i, line in enumerate(lines)
        for slot, operand in enumerate(line.operands)
        if operand.line is not None and box[i] == f"n{i}"
    }
    if sum(ranks_passed.values()) <= _MAX_RANKS_PASSED:
        return set()
    return {operand for operand, passed in ranks_passed.items() if passed > _FAR}


def outputs(group: Any, last: Sequence[int]) -> list[int]:
    """List the lines whose edges leave a group's DOT node: a later line uses them, or they are the result."""
    return [i for i in range(group.first, group.end) if last[i] >= group.end]


def escape_text(text: str) -> str:
    """Escape plain text, such as a tooltip, as an attribute in DOT, where backslashes have a meaning."""
    return graphviz.escape("".join(char if char.isprintable() else "�" for char in text))
