"""The types of the player's payload: the JSON in which its script gets a run."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from autodiff_lab.figures.graph.layout_types import Layout


class ForwardRun(TypedDict):
    """A forward run in the player's payload; `name` is its direction in the menu.

    `trace` has only the fields that differ from the reverse run. Its list of numbers lacks the first `shared_numbers`,
    which are the same in both runs. Tangents in several directions at once need wider boxes, so such a run has its own
    `layouts`.
    """

    name: str
    trace: dict[str, Any]
    shared_numbers: int
    layouts: NotRequired[list[Layout]]


class OtherExcerpt(TypedDict):
    """An excerpt of a long run in the player's payload, which the script can show without a request to Python."""

    trace: dict[str, Any]
    layouts: list[Layout]


class EdgeCurve(TypedDict):
    """The curve of an edge in the player's payload: an operation near the value of one operand, the others constant.

    `y` has the values at evenly spaced points from `start` to `end`, with None where the value is not finite.
    """

    start: float
    end: float
    y: list[float | None]


class Payload(TypedDict):
    """The player's payload: a trace as `Trace.to_dict` returns it, the layouts of its graph, and the forward runs.

    If there are no forward runs, `no_forward` is the reason. `words` are the texts of the script's interface, by their
    keys. A short run also has the `curves` of its edges, by the names of the edges in a layout. A long run has the
    layout of the `whole`, `others` (the excerpts that need no request) and `no_others`, the sentence that is shown
    where another excerpt is missing.
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
