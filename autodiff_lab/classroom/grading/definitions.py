"""The definitions of the checks, recorded before a hand-in runs, to notice when it changes the checks that judge it.

This notices what a notebook does to the exercises and the checks, even if it restores them later, since it is asked for
at each answer. It does not notice a change to NumPy, to Python or to this very process.
"""

import sys
import types
from collections.abc import Iterator
from typing import Any

from autodiff_lab.lessons.checks.exercise import Exercise

ROOM = "autodiff_lab.lessons."
# What changes by itself while a learner works.
STATE = ("attempts", "passed", "hints_given", "_session", "_new_names")


def list_definitions() -> dict[str, tuple[Any, ...]]:
    """List the definitions (functions, exercises, constants) of the loaded lessons, each with all that it consists of.

    >>> sorted(name for name in list_definitions() if name.startswith("checks.compare.is_r"))
    ['checks.compare.is_rounded']
    """
    found = {}
    for module in [name for name in sys.modules if name.startswith(ROOM)]:
        for name, thing in list(vars(sys.modules[module]).items()):
            is_ours = isinstance(thing, Exercise) or (
                isinstance(thing, type) and thing.__module__ == module
            )
            parts = (
                {f"{name}.{part}": value for part, value in vars(thing).items()}
                if is_ours
                else {name: thing}
            )
            for place, value in parts.items():
                if place.rpartition(".")[2] not in STATE and not place.startswith("__"):
                    found[f"{module.removeprefix(ROOM)}.{place}"] = tuple(_take_apart(value))
    return found


def _take_apart(thing: Any) -> Iterator[Any]:
    """Yield what a definition consists of: objects, and the text of data that can be changed in place."""
    yield thing
    function = getattr(thing, "fget", None) or getattr(thing, "__func__", thing)
    if isinstance(function, types.FunctionType):
        yield from (function, function.__code__, function.__defaults__, function.__kwdefaults__)
    elif isinstance(thing, dict | list | tuple):
        yield repr(thing)


def name_changes(before: dict[str, tuple[Any, ...]]) -> list[str]:
    """Name the definitions of checks that a hand-in has changed, at most three."""
    now = list_definitions()
    return [name for name, parts in before.items() if not _are_same(parts, now.get(name, ()))][:3]


def _are_same(parts: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    """Whether these are the same objects; equality is asked of our own text only."""
    pairs = zip(parts, others, strict=False)
    return len(parts) == len(others) and all(
        a is b or (type(a) is type(b) is str and a == b) for a, b in pairs
    )
