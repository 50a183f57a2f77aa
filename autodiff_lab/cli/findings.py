"""What a check of the set-up finds: one line of the report, and the command that mends what is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..jupyter.kernel import python_command

__all__ = ["Finding", "good", "note", "pip_install", "problem"]


@dataclass(frozen=True)
class Finding:
    """One line of the report; a note or a problem comes with the line that mends it."""

    state: Literal["ok", "note", "problem"]
    text: str
    mend: str = ""


def good(text: str) -> Finding:
    """Return a finding that all is well."""
    return Finding("ok", text)


def note(text: str, mend: str) -> Finding:
    """Return a finding of something that works, but not as it could."""
    return Finding("note", text, mend)


def problem(text: str, mend: str) -> Finding:
    """Return a finding of something that does not work."""
    return Finding("problem", text, mend)


def pip_install(*what: str) -> str:
    """Return the command that installs something into this Python."""
    return " ".join([python_command(), "-m pip install", *what])
