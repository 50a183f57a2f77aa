"""One line of a program, with its names told apart from the rest: so they can be read off, and exchanged, at once."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["MARK", "Statement", "marked"]

MARK = "\0"
"""Stands on both sides of a name while a line is put together; no text of Python holds it."""


def marked(name: str) -> str:
    """A name, between marks."""
    return f"\0{name}\0"


class Statement(NamedTuple):
    """One line of a function: its text, the names it defines, and the tape's line it ends.

    The text is kept in pieces, cut at the marks: every other one, from the second on, is a name.
    """

    pieces: list[str]
    defines: tuple[str, ...] = ()
    line: int = -1

    @property
    def text(self) -> str:
        """The line as Python."""
        return "".join(self.pieces)

    @property
    def names(self) -> list[str]:
        """The names it reads or defines, in the order in which they stand there."""
        return self.pieces[1::2]
