"""The results of a function that returns several, in tuples, lists or dicts: list them, and choose one."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..engine.errors import InputError
from ..engine.tape import Tape
from ..engine.values import REAL_KINDS, Traced
from ..engine.variable import Variable
from . import pytree

# The keys that lead to a result from the outside in.
ResultPath = tuple[Any, ...]

# The value of `result` that follows all results at once.
ALL = "all"


def list_results(returned: Any) -> dict[ResultPath, Any] | None:
    """List the results in what a function returned, by their paths; None if it returned a single result.

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
    """Choose the result to follow, and return its index in `paths`.

    Parameters
    ----------
    name : str
        What the function is called.
    paths, leaves : sequence
        The results, see `list_results`.
    wanted : optional
        A key, or a tuple of keys from the outside in. If not given, the first number that depends on the inputs, by
        convention the loss. If no number does, the first array that does; if no array does either, the first number,
        and then the first result.
    tape : Tape

    Raises
    ------
    InputError
        If there is no such result, or none at all; the message says what to write.
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
    return not depends, bool(_shape_of(leaf))


def _shape_of(leaf: Any) -> tuple[int, ...]:
    return np.shape(leaf.value if isinstance(leaf, Traced) else leaf)


def means_all(name: str, paths: Sequence[ResultPath], wanted: Any, seed: Any) -> bool:
    """Return whether all results are followed at once: because of ``result="all"``, or because seeds are given.

    Without seeds, a result whose key is ``"all"`` is followed alone.

    Raises
    ------
    InputError
        If seeds are given together with the key of a single result.
    """
    if seed is None:
        return bool(wanted == ALL and paths and (ALL,) not in paths)
    if wanted is None or wanted == ALL:
        return True
    raise InputError(
        f"{name} is followed from result={wanted!r} alone, whose seed is 1. Write result='all' to give a "
        "seed to each result, or leave out seed."
    )


def read_seeds(name: str, results: Mapping[ResultPath, Any], seed: Any) -> list[Any]:
    """Read the seeds of all results: for each an array or a number of its shape, 1 if none are given.

    Parameters
    ----------
    name : str
        What the function is called.
    results : mapping
        The results, see `list_results`.
    seed : optional
        Numbers in the structure that the function returned. One number is broadcast to all entries of an array.

    Raises
    ------
    InputError
        If there is not one seed for each result, or one has another shape; the message says what to write.

    >>> loss, pred = read_seeds("f", {("loss",): 2.0, ("pred",): np.zeros(2)}, {"loss": 1, "pred": 0.5})
    >>> float(loss), pred
    (1.0, array([0.5, 0.5]))
    """
    shapes = {path: _shape_of(leaf) for path, leaf in results.items()}
    if seed is None:
        return [np.ones(shape)[()] for shape in shapes.values()]
    given = dict(_walk_like([*shapes], (), seed)) if pytree.children(seed) is not None else None
    if given is None or given.keys() != shapes.keys():
        raise InputError(
            f"{name} returns {len(shapes)} results, and each needs a seed; {_describe_difference(shapes, given)}. "
            f"Write them as the results are returned: seed={_spell_ones([*shapes])}."
        )
    return [_fit_seed(name, path, given[path], shape) for path, shape in shapes.items()]


def _walk_like(paths: Sequence[ResultPath], path: ResultPath, tree: Any) -> Any:
    """Walk through a tree of seeds, no deeper than `paths`: a list at the path of a result is an array."""
    entries = pytree.children(tree)
    if path in paths or entries is None:
        yield path, tree
        return
    fields = getattr(tree, "_fields", None)
    for key, entry in entries:
        yield from _walk_like(paths, (*path, fields[key] if fields else key), entry)


def _describe_difference(
    shapes: Mapping[ResultPath, Any], given: Mapping[ResultPath, Any] | None
) -> str:
    if given is None:
        return "seed is a single value"
    missing = [spell_path(path) for path in shapes if path not in given]
    if missing:
        return f"there is none for {', '.join(missing)}"
    unknown = [spell_path(path) for path in given if path not in shapes]
    return f"there is no result {', '.join(unknown)}"


def _fit_seed(name: str, path: ResultPath, given: Any, shape: tuple[int, ...]) -> Any:
    seed = np.asarray(given, dtype=float)
    if seed.shape not in ((), shape):
        kind = f"an array of shape {shape}" if shape else "a number"
        ones = f"np.ones({shape})" if shape else "1.0"
        raise InputError(
            f"The seed of the result {spell_path(path)} of {name} has the shape {seed.shape}, and the result "
            f"is {kind}. Write a seed like {ones}."
        )
    return np.broadcast_to(seed, shape).copy()[()]


def _spell_ones(paths: Sequence[ResultPath]) -> str:
    """Spell a seed of 1 for each result, as the results are returned.

    >>> _spell_ones([("loss",), ("pred",)]), _spell_ones([(0,), (1, "a")])
    ("{'loss': 1.0, 'pred': 1.0}", "(1.0, {'a': 1.0})")
    """
    if paths == [()]:
        return "1.0"
    inside: dict[Any, list[ResultPath]] = {}
    for key, *rest in paths:
        inside.setdefault(key, []).append(tuple(rest))
    spelled = {key: _spell_ones(rests) for key, rests in inside.items()}
    if [*spelled] == [*range(len(spelled))]:
        return f"({', '.join(spelled.values())}{',' * (len(spelled) == 1)})"
    return f"{{{', '.join(f'{key!r}: {ones}' for key, ones in spelled.items())}}}"
