"""Where something stands in the learner's source, and how often that ran: parts of a `Trace`, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Span(NamedTuple):
    """A stretch of a source: 0-based lines and character columns into `Source.text`."""

    source: int
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Source:
    """The text of one function, dedented; `first_line` is where it stands in its file or cell.

    `ran` has for each line how often it ran, and for the head of a loop how often that turned; 0 if it is known not to
    have run, −1 where there is nothing to say. It is empty if every line ran once, or if nothing is known.
    """

    name: str
    first_line: int
    text: tuple[str, ...]
    ran: tuple[int, ...] = ()


class Turn(NamedTuple):
    """Turn `n` of `count` of the loop whose head is line `line` (0-based) of a source."""

    source: int
    line: int
    n: int
    count: int
