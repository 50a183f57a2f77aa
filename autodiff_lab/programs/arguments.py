"""What a program is called with: which leaves of the arguments are its inputs, and what they must look like.

Arguments may be nested as `value_and_grad` takes them. A float, an array of floats, and everything in an argument that
is differentiated by, is an input. Whatever else there is (a count, a switch, an array of labels) is compiled in, and a
call with another one is a call of another program.
"""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..engine.dispatch import Traced
from ..engine.errors import InputError
from ..engine.values import as_value
from ..transforms import pytree
from ..transforms.recording import argument_names
from .trace_derivative import Leaf

__all__ = ["Input", "Inputs", "read_inputs", "safe_name"]

TAKEN = {*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "math", "np", "BranchChanged", "ndarray", "float64"}
TAKEN |= {"_door", "_another", "_in_numpy", "_main"}  # what a call goes through
TAKEN |= {"Path", "FunctionType", "SimpleNamespace", "namedtuple", "_arrays", "_checked"}  # in a file of its own


class Input(NamedTuple):
    """One leaf: what the source calls it, how it is reached from the arguments, and its value when compiled."""

    name: str
    path: str
    value: Any


class Inputs(NamedTuple):
    """The arguments of one call, read.

    Attributes
    ----------
    names : list of str
        The parameters, as the source spells them.
    leaves : list of Input
    args : tuple
        The arguments, with a `Leaf` for each input.
    plain : tuple
        The arguments, inputs converted as the engine converts them.
    key : tuple
        What two calls of one program have in common: structure, shapes, types, and what is compiled in.
    keys : dict
        The keys of dicts that cannot be written in the source, by the names that they have there.
    """

    names: list[str]
    leaves: list[Input]
    args: tuple[Any, ...]
    plain: tuple[Any, ...]
    key: tuple[Any, ...]
    keys: dict[str, Any]


def read_inputs(f: Callable[..., Any], args: Sequence[Any], which: Sequence[int]) -> Inputs:
    """Find the inputs among the leaves of the arguments."""
    labels = argument_names(f, len(args))
    taken = set(TAKEN)
    names = [safe_name(label, taken) for label in labels]
    leaves: list[Input] = []
    key: list[Any] = []
    keys: dict[str, Any] = {}
    lifted, plain = [], []
    for k, x in enumerate(args):
        whole = pytree.children(x) is None
        paths = iter(zip(pytree.paths(labels[k], x), _paths(names[k], x, keys, taken), strict=True))

        def read(leaf: Any, k: int = k, whole: bool = whole, paths: Any = paths) -> tuple[Any, Any]:
            label, path = next(paths)
            if k not in which and not _is_input(leaf):
                key.append(_compiled_in(leaf, label))
                return leaf, leaf
            if isinstance(leaf, Traced):
                raise InputError(
                    f"{label} is being differentiated, and a program is compiled for plain numbers and arrays. "
                    "Differentiate first and compile the derivative: program(grad(f), …, mode='value')."
                )
            value = as_value(leaf, f"the input {label}")
            value = value.copy() if value is leaf and isinstance(value, np.ndarray) else value
            leaves.append(Input(names[k] if whole else safe_name(path, taken), path, value))
            key.append((np.shape(value), value.dtype.char))
            return Leaf(value), float(value) if type(value) is np.float64 else value

        key.append(_structure(x))
        both = pytree.map_leaves(read, x)
        lifted.append(_part(both, x, 0))
        plain.append(_part(both, x, 1))
    return Inputs(names, leaves, tuple(lifted), tuple(plain), tuple(key), keys)


def _paths(path: str, x: Any, keys: dict[str, Any], taken: set[str]) -> list[str]:
    """How the source reaches each leaf; a key that it cannot write gets a name."""
    entries = pytree.children(x)
    if entries is None:
        return [path]
    found = []
    for key, entry in entries:
        found += _paths(f"{path}[{key_text(key, keys, taken)}]", entry, keys, taken)
    return found


def key_text(key: Any, keys: dict[str, Any], taken: set[str]) -> str:
    """A key of a dict as Python, or its name: what a learner's object says of itself never gets into a source.

    Nor does a text with more in it than words: the source is searched for names with dots and parentheses.
    """
    if type(key) in (int, bool, type(None)) or (type(key) is str and re.fullmatch(r"[\w ]*", key)):
        return repr(key)
    name = next((name for name, known in keys.items() if known is key), None)
    if name is None:
        name = safe_name("key", taken)
        keys[name] = key
    return name


def _part(pairs: Any, like: Any, which: int) -> Any:
    """One of the two trees in a tree of pairs."""
    if pytree.children(like) is None:
        return pairs[which]
    if isinstance(like, dict):
        return {k: _part(pairs[k], x, which) for k, x in like.items()}
    parts = [_part(p, x, which) for p, x in zip(pairs, like, strict=True)]
    return type(like)(*parts) if hasattr(like, "_fields") else type(like)(parts)


def _structure(x: Any) -> Any:
    entries = pytree.children(x)
    if entries is None:
        return None
    return (type(x), frozenset((k, _structure(e)) for k, e in entries))


def _is_input(leaf: Any) -> bool:
    if isinstance(leaf, np.ndarray):
        return leaf.dtype.kind == "f"
    return isinstance(leaf, (float, np.floating, Traced))


def _compiled_in(leaf: Any, label: str) -> Any:
    if isinstance(leaf, np.ndarray):
        return (leaf.shape, leaf.dtype.str, leaf.tobytes())
    return (type(leaf), leaf) if getattr(leaf, "__hash__", None) else (type(leaf), id(leaf))


def safe_name(wanted: str, taken: set[str]) -> str:
    """A name that Python accepts and nobody else has; it is taken from now on."""
    name = identifier(wanted)
    while name in taken or name.startswith(("np_", "math_")):  # under these the functions of NumPy are bound
        name = f"{name}_" if name in taken else f"_{name}"
    taken.add(name)
    return name


def identifier(wanted: str) -> str:
    """The nearest name that Python accepts, in the form in which Python compares names (NFKC)."""
    name = re.sub(r"\W+", "_", unicodedata.normalize("NFKC", wanted)).strip("_") or "x"
    name = "".join(c if f"x{c}".isidentifier() else "_" for c in name)
    return name if name.isidentifier() else f"_{name}"


def conditions(args: Sequence[Any], names: Sequence[str]) -> list[str] | None:
    """What has to hold for a call to be taken at once, as Python; None if that is not quickly said."""
    found: list[str] = []

    def look(x: Any, path: str) -> bool:
        if isinstance(x, Leaf):
            value = x.value
            if type(value) is np.float64:
                found.append(f"type({path}) is float")
            elif type(value) is np.ndarray and value.dtype == np.float64:
                found.append(f"type({path}) is ndarray and {path}.dtype is float64 and {path}.shape == {value.shape}")
            else:
                return False
            return True
        entries = pytree.children(x)
        if entries is None:
            if x is None or isinstance(x, bool):
                found.append(f"{path} is {x}")
            elif type(x) in (int, str):
                found.append(f"type({path}) is {type(x).__name__} and {path} == {x!r}")
            else:
                return False
            return True
        if type(x) not in (dict, list, tuple):
            return False
        kind = type(x).__name__
        if kind == "dict" and not all(type(k) is int or (type(k) is str and re.fullmatch(r"[\w ]*", k)) for k in x):
            return False
        keys = f"{path}.keys() == {{{', '.join(map(repr, x))}}}" if kind == "dict" and x else ""
        found.append(f"type({path}) is {kind} and {keys or f'len({path}) == {len(x)}'}")
        return all(look(entry, f"{path}[{key!r}]") for key, entry in entries)

    return found if all(look(x, name) for x, name in zip(args, names, strict=True)) else None
