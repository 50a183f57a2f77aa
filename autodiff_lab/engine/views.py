"""The hook for views: a tape or graph finds the function that draws it, without importing the drawing package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

View = Callable[..., Any]
_find_view: Callable[[str], View] | None = None


def find_views_by(find: Callable[[str], View]) -> None:
    """Take the function that finds a view by its name; the package hands it over when it is imported."""
    global _find_view
    _find_view = find


def view(name: str) -> View:
    """Find the function that shows something: ``view("draw_tape")(tape)``.

    Raises
    ------
    LookupError
        If nobody has said where views are: the engine is used without its package.
    """
    if _find_view is None:
        raise LookupError(f"there is no view {name!r}: import autodiff_lab, which says where its views are")
    return _find_view(name)
