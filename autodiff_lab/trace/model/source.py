"""The learner's source in a trace: functions, places in their text, and iterations of their loops."""

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class Source:
    """A function in the source map: its dedented text, and its `first_line` in the file or cell.

    `ran` counts how often each line ran; for the head of a loop, the number of iterations. A line that
    is known not to have run has 0, and a line without a count has −1. `ran` is empty if every line ran
    once, or if nothing is known.
    """

    name: str
    first_line: int
    text: tuple[str, ...]
    ran: tuple[int, ...] = ()


class Span(NamedTuple):
    """A range of text that a source map points to: 0-based lines and character columns in `Source.text`."""

    source: int
    line: int
    column: int
    end_line: int
    end_column: int


class Turn(NamedTuple):
    """An iteration of a loop that ran: number `n` of `count`. The loop's head is line `line` (0-based) of a source."""

    source: int
    line: int
    n: int
    count: int  # type: ignore[assignment]  # it hides tuple.count


class ModuleCall(NamedTuple):
    """A call of a framework's module during which a line was recorded: the module's `path`, and the call's number `n`.

    `frames` is the number of frames of the learner's code around the call.
    """

    path: str
    n: int
    frames: int
