"""The definitions of the checks, recorded before a hand-in runs, to detect a hand-in that changes them.

They are compared at each answer, so a change is detected even if the notebook restores them later. A change
to NumPy, to Python or to this process isn't detected.
"""

import sys
import types
from collections.abc import Iterator
from typing import Any

from autodiff_lab.lessons.checks.exercise import Exercise

LESSONS = "autodiff_lab.lessons."
# Attributes that change whenever a learner works.
STATE = ("attempts", "passed", "hints_given", "_session", "_new_names")


def list_definitions() -> dict[str, tuple[Any, ...]]:
    """List the definitions (functions, exercises, constants) of the loaded lessons, each with its parts.

    >>> sorted(name for name in list_definitions() if name.startswith("checks.compare.is_r"))
    ['checks.compare.is_rounded']
    """
    found = {}
    loaded = [name for name in sys.modules if name.startswith(LESSONS)]
    for module in loaded:
        for name, thing in list(vars(sys.modules[module]).items()):
            parts = {name: thing}
            is_own_class = isinstance(thing, type) and thing.__module__ == module
            if is_own_class or isinstance(thing, Exercise):
                parts = {f"{name}.{part}": value for part, value in vars(thing).items()}
            for place, value in parts.items():
                attribute = place.rpartition(".")[2]
                if attribute in STATE or place.startswith("__"):
                    continue
                found[f"{module.removeprefix(LESSONS)}.{place}"] = tuple(_take_apart(value))
    return found


def _take_apart(thing: Any) -> Iterator[Any]:
    """Yield the parts of a definition: objects, and the repr of data that can be changed in place."""
    yield thing
    function = getattr(thing, "fget", None) or getattr(thing, "__func__", thing)
    if isinstance(function, types.FunctionType):
        yield from (function, function.__code__, function.__defaults__, function.__kwdefaults__)
    elif isinstance(thing, dict | list | tuple):
        yield repr(thing)


def name_changes(before: dict[str, tuple[Any, ...]]) -> list[str]:
    """Name the definitions of checks that a hand-in has changed, at most three."""
    now = list_definitions()
    changed = [name for name, parts in before.items() if not _are_same(parts, now.get(name, ()))]
    return changed[:3]


def _are_same(parts: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    """Return whether both hold the same objects. Only plain strings are compared by ==, which nothing can redefine."""
    if len(parts) != len(others):
        return False
    for a, b in zip(parts, others, strict=True):
        are_equal_texts = type(a) is type(b) is str and a == b
        if a is not b and not are_equal_texts:
            return False
    return True
