"""The types of a layout, as `layout_graph` returns it and the player's JavaScript receives it."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

# A value that leaves a group of a long run: its line, and its name and value as text. If an adjoint reaches it, also
# that adjoint as text, and the steps of the whole run at which it first arrives and at which it is complete.
LeavingValue = tuple[int, str, str] | tuple[int, str, str, str, int, int]


class Place(TypedDict):
    """A point in a layout, in points from its top left corner."""

    x: float
    y: float


class Size(TypedDict):
    """A size in a layout, in points."""

    width: float
    height: float


class Box(TypedDict):
    """A box in a layout: its centre, width and height, and for a tape line also the first line of its text.

    That text is the `head`: the name, which is bold, and the operation. The cells of a `bare` box have no numbers, and
    the value's cells are next to the derivative's.
    """

    x: float
    y: float
    w: float
    h: float
    head: NotRequired[list[str]]
    bare: NotRequired[bool]


class Edge(TypedDict):
    """An edge in a layout: its SVG path from the operand to the operation, and the boxes at its `ends`.

    A `label` may be written over the middle of the path; it is None for an edge without one.
    """

    path: str
    label: Place | None
    ends: NotRequired[list[str]]
    shapes: NotRequired[str]


class GroupLayout(TypedDict):
    """A group in a nested layout: its title, its size in words (`said`), and the layout of its inside.

    `whole` is the full title, if `title` is shortened. `outs` lists the lines whose values leave the group, and `more`
    is the number of those that aren't listed. An `input` of a long run is a group that can't be opened.
    """

    title: NotRequired[str]
    said: NotRequired[str]
    whole: NotRequired[str]
    outs: NotRequired[list[int] | list[LeavingValue]]
    more: NotRequired[int]
    input: NotRequired[bool]
    layout: NotRequired[Layout]


class Layout(TypedDict):
    """A layout of a graph: its boxes and edges by id, and its size in points.

    `groups` has the groups of a nested layout, at every depth. In a long run, `names` has the names of the lines at
    which edges between groups begin. `shape`, `ease` and `step` distinguish alternative layouts: `step` is the largest
    size that the box of a line and those of its operands take up together. A `note` for the reader is set if careful
    placing took too long, and the boxes are placed roughly.
    """

    width: float
    height: float
    nodes: dict[str, Box]
    edges: dict[str, Edge]
    shape: NotRequired[Literal["row", "column", "fold"]]
    ease: NotRequired[float]
    step: NotRequired[Size]
    note: NotRequired[str]
    groups: NotRequired[dict[str, GroupLayout]]
    names: NotRequired[dict[int, str]]
