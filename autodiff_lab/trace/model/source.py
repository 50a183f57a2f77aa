"""The learner's source in a trace: functions, places in their text, and turns of their loops."""

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class Source:
    """A function in the source map: its text, dedented; `first_line` is where it stands in its file or cell.

    `ran` has for each line how often it ran, and for the head of a loop how often that turned; 0 if it is known not to
    have run, −1 where there is nothing to say. It is empty if every line ran once, or if nothing is known.
    """

    name: str
    first_line: int
    text: tuple[str, ...]
    ran: tuple[int, ...] = ()


class Span(NamedTuple):
    """A stretch of text that a source map points to: 0-based lines and character columns into `Source.text`."""

    source: int
    line: int
    column: int
    end_line: int
    end_column: int


class Turn(NamedTuple):
    """An executed turn of a loop: turn `n` of `count`, of the loop whose head is line `line` (0-based) of a source."""

    source: int
    line: int
    n: int
    count: int  # type: ignore[assignment]  # it hides the method of tuples


class ModuleCall(NamedTuple):
    """A call of a module that was running at a line: its `path` in the model, and the number of the call.

    So many `frames` of the learner's code were around it.
    """

    path: str
    n: int
    frames: int
