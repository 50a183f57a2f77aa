"""A hook for views: a tape or graph finds the function that draws it, without importing any drawing code."""

from collections.abc import Callable
from typing import Any

View = Callable[..., Any]
_find_view: Callable[[str], View] | None = None


def find_views_by(find: Callable[[str], View]) -> None:
    """Set the function that finds views (drawings, tables) by name; `import autodiff_lab` sets it."""
    global _find_view
    _find_view = find


def view(name: str) -> View:
    """Find a view by name, the function that shows a tape or a graph: ``view("draw_tape")(tape)``.

    Raises
    ------
    LookupError
        If no function was set with `find_views_by`, because only the engine was imported.
    """
    if _find_view is None:
        raise LookupError(
            f"There is no view {name!r} yet. Write `import autodiff_lab`, which provides the views."
        )
    return _find_view(name)
