"""What the player's script is given of a run, as JSON."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from autodiff_lab.figures.graph.layout_types import Layout


class ForwardRun(TypedDict):
    """A run forward in the player's payload, in the direction that the menu calls `name`.

    `trace` has what differs from the run in reverse. The numbers of both begin alike: with so many `shared_numbers`.
    Tangents in many directions at once need wider boxes, so that such a run has `layouts` of its own.
    """

    name: str
    trace: dict[str, Any]
    shared_numbers: int
    layouts: NotRequired[list[Layout]]


class OtherExcerpt(TypedDict):
    """An excerpt of a long run in the player's payload that can be shown without asking for it."""

    trace: dict[str, Any]
    layouts: list[Layout]


class EdgeCurve(TypedDict):
    """The curve of an edge in the player's payload: an operation about the value of one operand, the others held.

    It has the values `y` at evenly spaced points from `start` to `end`; None where there is no finite one.
    """

    start: float
    end: float
    y: list[float | None]


class Payload(TypedDict):
    """The player's payload: a trace as `Trace.to_dict` gives it, the layouts of its graph, and the runs forward.

    `no_forward` says why there is none. `words` are the script's own, by their keys. A short run has the `curves` of
    its edges, by the names that these have in a layout. Of a long run it has the layout of the `whole`, the `others` of
    its excerpts that are at hand, and what is said where one is not: `no_others`.
    """

    trace: dict[str, Any]
    layouts: list[Layout]
    forward: list[ForwardRun]
    no_forward: str
    words: dict[str, str]
    curves: NotRequired[dict[str, EdgeCurve]]
    others: NotRequired[list[OtherExcerpt]]
    no_others: NotRequired[str]
    whole: NotRequired[Layout]
