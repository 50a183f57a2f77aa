"""A test that looks at many things: where it fails, it says at which of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def about(thing: str) -> Iterator[None]:
    """Note on whatever is raised inside what it was about."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"This was about {thing}")
        raise
