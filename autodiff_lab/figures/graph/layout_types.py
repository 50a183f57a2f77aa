"""The form of a layout: what `layout_graph` returns, and what the player's script is given."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

# A value that leaves a group of a long run: its line, its name and its value, both as they are shown; and where an
# adjoint reaches it, that adjoint, and the steps of the whole run at which it begins and is complete.
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
    """A box in a layout: its centre, its width and its height; of a line also the first line of its text.

    The `head` has the name, which is bold, and the operation. The cells of a `bare` box have no numbers, and those of
    a value and of its derivative stand beside each other.
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
    """A group in a nested layout: its title (the `whole` of it, where it is cut), its size in words, and its inside.

    `outs` are the lines whose values leave it, and `more` how many are not listed. An `input` of a long run is a
    group that does not open.
    """

    title: NotRequired[str]
    said: NotRequired[str]
    whole: NotRequired[str]
    outs: NotRequired[list[int] | list[LeavingValue]]
    more: NotRequired[int]
    input: NotRequired[bool]
    layout: NotRequired[Layout]


class Layout(TypedDict):
    """A layout of a graph: its boxes and edges by their ids, and how large it is, in points.

    `groups` are those of a nested layout, at every depth; `names` are of a long run the lines that edges between groups
    lead from. `shape`, `ease` and `step` tell its alternatives apart: `step` is how large the boxes of a line and of
    its operands are together, at most. A `note` says if it was made in haste.
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
