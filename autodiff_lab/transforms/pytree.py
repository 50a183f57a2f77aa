"""Pytrees: nested tuples, lists and dicts, flattened into leaves and rebuilt."""

from collections.abc import Callable
from typing import Any

from ..engine.errors import ShapeError


def children(tree: Any) -> list[tuple[Any, Any]] | None:
    """The entries of a pytree's top container as (key, entry); None for a leaf. Dicts in the order of insertion."""
    if isinstance(tree, dict):
        return list(tree.items())
    if isinstance(tree, (list, tuple)):
        return list(enumerate(tree))
    return None


def flatten(tree: Any) -> list[Any]:
    """The leaves of a pytree, from left to right.

    >>> flatten({"w": [1.0, 2.0], "b": 3.0})
    [1.0, 2.0, 3.0]
    """
    entries = children(tree)
    return [tree] if entries is None else [leaf for _, entry in entries for leaf in flatten(entry)]


def unflatten(like: Any, leaves: list[Any]) -> Any:
    """A pytree of the structure of `like`, with these leaves.

    >>> unflatten({"w": [0, 0], "b": 0}, [1.0, 2.0, 3.0])
    {'w': [1.0, 2.0], 'b': 3.0}
    """
    remaining = iter(leaves)
    return map_leaves(lambda _: next(remaining), like)


def map_leaves(function: Callable[[Any], Any], tree: Any) -> Any:
    """Apply a function to each leaf of a pytree, from left to right, and keep its structure."""
    if type(tree) is dict:
        return {key: map_leaves(function, entry) for key, entry in tree.items()}
    # An OrderedDict, a defaultdict, …: keep its type, and its other attributes.
    if isinstance(tree, dict):
        return fill_dict(tree, {key: map_leaves(function, entry) for key, entry in tree.items()})
    if not isinstance(tree, (list, tuple)):
        return function(tree)
    entries = [map_leaves(function, entry) for entry in tree]
    return type(tree)(*entries) if hasattr(tree, "_fields") else type(tree)(entries)


def fill_dict(like: Any, entries: dict[Any, Any]) -> Any:
    """A dict of the class of `like`, with its attributes (such as a default factory) and these entries."""
    import copy  # rarely needed, so not imported with the package

    made = copy.copy(like)
    for key, entry in entries.items():
        made[key] = entry
    return made


def paths(name: str, tree: Any) -> list[str]:
    """The path of each leaf of a pytree, as you would write it in Python: ``x``, ``x[0]``, ``p['w']``."""
    entries = children(tree)
    if entries is None:
        return [name]
    return [path for key, entry in entries for path in paths(f"{name}[{key!r}]", entry)]


def match_leaves(tree: Any, like: Any, name: str) -> list[Any]:
    """Flatten a pytree to its leaves; raise an error if its structure differs from that of `like`."""
    here, there = children(tree), children(like)
    if there is None:
        if here is not None and not hasattr(tree, "shape"):
            raise ShapeError(
                f"{name} is a {type(tree).__name__}, but one number or array is needed there."
            )
        return [tree]
    if (
        here is not None
        and isinstance(tree, dict)
        and isinstance(like, dict)
        and tree.keys() == like.keys()
    ):
        here = [(key, tree[key]) for key, _ in there]
    if here is None or [key for key, _ in here] != [key for key, _ in there]:
        raise ShapeError(
            f"{name} does not have the structure of what it belongs to: "
            f"expected {type(like).__name__} with entries {[key for key, _ in there]}."
        )
    pairs = zip(here, there, strict=True)
    return [leaf for (key, a), (_, b) in pairs for leaf in match_leaves(a, b, f"{name}[{key!r}]")]
