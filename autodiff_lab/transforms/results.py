"""The results of a function that returns several, in tuples, lists or dicts: list them, and choose one."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine.errors import InputError
from ..engine.tape import Tape
from ..engine.values import REAL_KINDS, Traced
from ..engine.variable import Variable
from . import pytree

# The keys that lead to a result from the outside in.
ResultPath = tuple[Any, ...]


def list_results(returned: Any) -> dict[ResultPath, Any] | None:
    """List the results in what a function returned, by their paths; None if that is one result itself.

    Anything but a number or an array (a string, None) is left out. In a named tuple, a field's name is its key.

    >>> list_results((2.0, {"pred": 3.0, "name": "fit"})), list_results(2.0)
    ({(0,): 2.0, (1, 'pred'): 3.0}, None)
    """
    if pytree.children(returned) is None:
        return None
    return dict(_walk((), returned))


def _walk(path: ResultPath, tree: Any) -> Any:
    entries = pytree.children(tree)
    if entries is None:
        if _is_number(tree):
            yield path, tree
        return
    fields = getattr(tree, "_fields", None)
    for key, entry in entries:
        yield from _walk((*path, fields[key] if fields else key), entry)


def _is_number(x: Any) -> bool:
    if isinstance(x, Traced):
        return True
    return not isinstance(x, (bool, np.bool_)) and np.asarray(x).dtype.kind in REAL_KINDS


def spell_path(path: ResultPath) -> str:
    """Spell the path of a result as one writes it after ``result=``.

    >>> spell_path(("loss",)), spell_path((1, "pred"))
    ("'loss'", "(1, 'pred')")
    """
    return repr(path[0] if len(path) == 1 else path)


def choose_result(
    name: str, paths: Sequence[ResultPath], leaves: Sequence[Any], wanted: Any, tape: Tape
) -> int:
    """Choose the result that is meant: the place of its path.

    Parameters
    ----------
    name : str
        What the function is called.
    paths, leaves : sequence
        The results, see `list_results`.
    wanted : optional
        A key, or a tuple of keys from the outside in. If not given, the first number that depends on the inputs: by
        convention that is the loss, and what comes with it is on the tape as well. Where no number does, the first
        array, and then the first result.
    tape : Tape

    Raises
    ------
    InputError
        If there is no such result, or none at all; it says what to write.
    """
    if not paths:
        raise InputError(
            f"{name} returned no number and no array, so there is nothing to differentiate. Return one."
        )
    if wanted is None:
        return min(range(len(paths)), key=lambda k: (*_rank(leaves[k], tape), k))
    path = wanted if isinstance(wanted, tuple) else (wanted,)
    matching = [k for k, known in enumerate(paths) if known == path]
    if matching:
        return matching[0]
    inside = [known for known in paths if known[: len(path)] == path]
    there = ", ".join(f"result={spell_path(known)}" for known in (inside or paths)[:8])
    if inside:
        raise InputError(
            f"{name} returns several results at {wanted!r}. Choose one of them: {there}."
        )
    raise InputError(
        f"{name} has no result {spell_path(path)}. Choose one of its results: {there}."
    )


def _rank(leaf: Any, tape: Tape) -> tuple[bool, bool]:
    depends = type(leaf) is Variable and leaf.tape is tape
    return not depends, bool(np.ndim(leaf.value if isinstance(leaf, Traced) else leaf))
