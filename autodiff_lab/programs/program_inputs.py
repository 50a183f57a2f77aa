"""The inputs of a compiled program: which leaves of the arguments they are, and what they must look like.

Arguments may be nested as `value_and_grad` takes them. A float, an array of floats, and everything in an argument that
is differentiated by, is an input. Whatever else there is (a count, a switch, an array of labels) is compiled in, and a
call with another one is a call of another program.
"""

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from ..engine.errors import InputError
from ..engine.values import Traced, as_value
from ..transforms import pytree
from ..transforms.signatures import argument_names, resolve_argnums
from .codegen.names import TAKEN, is_plain_key, key_text, take_name
from .recorded_derivative import Leaf


class Input(NamedTuple):
    """An input of a compiled program: its name in the source, its path in the arguments, its value when compiled."""

    name: str
    path: str
    value: Any

    @property
    def kind(self) -> str:
        """The shape and type of a program's input in words: ``an array of shape (3,)``, ``a number (float32)``."""
        shape, dtype = np.shape(self.value), self.value.dtype
        what = f"an array of shape {shape}" if shape else "a number"
        return what if dtype == np.float64 else f"{what} ({dtype})"


class Inputs(NamedTuple):
    """The inputs of a compiled program, found in the arguments of one call.

    Attributes
    ----------
    names : list of str
        The parameters, as the source spells them.
    leaves : list of Input
    args : list
        The arguments, with a `Leaf` for each input.
    plain : list
        The arguments, inputs converted as the engine converts them.
    key : tuple
        What two calls of one program have in common: structure, shapes, types, and what is compiled in.
    keys : dict
        The keys of dicts that cannot be written in the source, by the names that they have there.
    """

    names: list[str]
    leaves: list[Input]
    args: list[Any]
    plain: list[Any]
    key: tuple[Any, ...]
    keys: dict[str, Any]


def read_inputs(f: Callable[..., Any], args: Sequence[Any], argnums: Any) -> Inputs:
    """Find a compiled program's inputs among the leaves of its arguments; at `argnums`, all leaves are inputs."""
    which = resolve_argnums(argnums, args, f)
    labels = argument_names(f, len(args))
    taken = set(TAKEN)
    names = [take_name(label, taken) for label in labels]
    leaves: list[Input] = []
    key: list[Any] = []
    keys: dict[str, Any] = {}
    lifted, plain = [], []
    for k, x in enumerate(args):
        pairs = []
        paths = _source_paths(names[k], x, keys, taken)
        for leaf, label, path in zip(
            pytree.flatten(x), pytree.paths(labels[k], x), paths, strict=True
        ):
            if k not in which and not _is_input(leaf):
                key.append(_freeze_argument(leaf, label))
                pairs.append((leaf, leaf))
                continue
            if isinstance(leaf, Traced):
                raise InputError(
                    f"{label} is being differentiated, and a program is compiled for plain numbers and arrays. "
                    "Differentiate first and compile the derivative: program(grad(f), …, mode='value')."
                )
            value = as_value(leaf, f"the input {label}")
            value = value.copy() if value is leaf and isinstance(value, np.ndarray) else value
            leaves.append(Input(path if path == names[k] else take_name(path, taken), path, value))
            key.append((np.shape(value), value.dtype.char))
            pairs.append((Leaf(value), float(value) if type(value) is np.float64 else value))
        key.append(_structure(x))
        lifted.append(pytree.unflatten(x, [leaf for leaf, _ in pairs]))
        plain.append(pytree.unflatten(x, [value for _, value in pairs]))
    return Inputs(names, leaves, lifted, plain, tuple(key), keys)


def find_difference(these: Inputs, those: Inputs) -> tuple[Input, Input] | None:
    """Find the first input whose path or kind differs between two calls of a compiled program; None if none does."""
    pairs = zip(these.leaves, those.leaves, strict=False)
    return next(((a, b) for a, b in pairs if (a.path, a.kind) != (b.path, b.kind)), None)


def _source_paths(path: str, x: Any, keys: dict[str, Any], taken: set[str]) -> list[str]:
    """The paths by which the source reaches the leaves of an argument; a key that it cannot write gets a name."""
    entries = pytree.children(x)
    if entries is None:
        return [path]
    found = []
    for key, entry in entries:
        found += _source_paths(f"{path}[{key_text(key, keys, taken)}]", entry, keys, taken)
    return found


def _structure(x: Any) -> Any:
    """The containers around the leaves; a dict with its keys in order, for a function may loop over it."""
    entries = pytree.children(x)
    return (
        None
        if entries is None
        else (type(x), tuple((type(k), k, _structure(e)) for k, e in entries))
    )


def _is_input(leaf: Any) -> bool:
    return (
        leaf.dtype.kind == "f"
        if isinstance(leaf, np.ndarray)
        else isinstance(leaf, (float, np.floating, Traced))
    )


def _freeze_argument(leaf: Any, label: str) -> Any:
    try:
        return freeze(leaf)
    except TypeError as problem:
        raise InputError(
            f"{label} is a {type(leaf).__name__}, and is compiled into the program. Whether it is still the same at "
            f"the next call cannot be seen ({problem}). Pass what the function needs of it: numbers, arrays, lists."
        ) from None


# Types of objects that are what they are as long as they live; functions are compiled in as they were, like globals.
IDENTITIES = (type, FunctionType, BuiltinFunctionType, ModuleType, Enum, np.ufunc, np.dtype)


def freeze(x: Any, around: tuple[int, ...] = ()) -> Any:
    """Make a hashable key of what is an argument but no input of a program: equal for equal values of one type.

    An object is what `pickle` would keep of it: its class and its attributes, all the way down. `around` are the
    objects that it was reached through, so that one that holds itself comes to an end.
    """
    kind = type(x)
    if kind is dict:
        return tuple((freeze(k, around), freeze(v, around)) for k, v in x.items())
    if kind in (tuple, list, set, frozenset):
        return (kind, *(freeze(entry, around) for entry in x))
    if kind is slice:
        return (slice, freeze(x.start), freeze(x.stop), freeze(x.step))
    if kind is np.ndarray:
        contents = freeze(x.ravel().tolist(), around) if x.dtype.hasobject else x.tobytes()
        return (x.shape, x.dtype.str, contents)
    if kind is float:
        return (float, x.hex())  # 0.0 and -0.0 are two, and nan is one
    if kind in (int, bool, str, bytes, complex, type(None), type(Ellipsis), range) or isinstance(
        x, IDENTITIES
    ):
        return (kind, x)
    if isinstance(x, np.generic):
        return (kind, x.dtype.str, x.tobytes())
    if id(x) in around:
        return (kind, around.index(id(x)))
    reduced = x.__reduce_ex__(4)
    if isinstance(reduced, str):  # the name of something that there is once
        return (kind, id(x))
    parts = [list(part) if isinstance(part, Iterator) else part for part in reduced]
    return (kind, *(freeze(part, (*around, id(x))) for part in parts))


def write_conditions(args: Sequence[Any], names: Sequence[str]) -> list[str] | None:
    """Write, as Python, the conditions on inputs under which a program runs at once; None if they are too many."""
    found = [
        test for x, name in zip(args, names, strict=True) for test in _write_conditions_of(x, name)
    ]
    return None if None in found else found  # type: ignore[return-value]


def _write_conditions_of(x: Any, path: str) -> list[str | None]:
    kind = type(x).__name__
    if isinstance(x, Leaf):
        if type(x.value) is np.float64:
            return [f"type({path}) is float"]
        if type(x.value) is np.ndarray and x.value.dtype == np.float64:
            return [
                f"type({path}) is ndarray and {path}.dtype == float64 and {path}.shape == {x.value.shape}"
            ]
    elif x is None or isinstance(x, bool):
        return [f"{path} is {x}"]
    elif type(x) in (int, str):
        return [f"type({path}) is {kind} and {path} == {x!r}"]
    elif type(x) in (list, tuple) or (
        type(x) is dict and all(type(k) is str and is_plain_key(k) for k in x)
    ):
        keys = ", ".join(map(repr, x)) if type(x) is dict else ""
        size = (
            f"(*{path},) == ({keys},) and {{*map(type, {path})}} == {{str}}"
            if keys
            else f"len({path}) == {len(x)}"
        )
        found: list[str | None] = [f"type({path}) is {kind} and {size}"]
        for key, entry in pytree.children(x) or ():
            found += _write_conditions_of(entry, f"{path}[{key!r}]")
        return found
    return [None]
