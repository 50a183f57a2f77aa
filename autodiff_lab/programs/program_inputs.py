"""The inputs of a compiled program: which leaves of the arguments they are, and the test that a call's inputs fit.

Arguments may be nested, as for `value_and_grad`. Floats, arrays of floats, and everything in an argument that the
derivative is taken with respect to, are inputs. Anything else (a count, a switch, an array of labels) is compiled in as
a constant, and a call with another value needs another program.
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
        shape = np.shape(self.value)
        dtype = self.value.dtype
        kind = f"an array of shape {shape}" if shape else "a number"
        return kind if dtype == np.float64 else f"{kind} ({dtype})"


class Inputs(NamedTuple):
    """The inputs of a compiled program, found in the arguments of one call.

    Attributes
    ----------
    names : list of str
        The parameters, as they are called in the source.
    leaves : list of Input
    args : list
        The arguments, with a `Leaf` in place of each input.
    plain : list
        The arguments, with each input converted to the number or array that the engine would use.
    key : tuple
        Equal for two calls that one version can serve: the structure, shapes and types of the inputs, and what is
        compiled in.
    keys : dict
        Dict keys that cannot be written as text in the source, by the names that they get there.
    """

    names: list[str]
    leaves: list[Input]
    args: list[Any]
    plain: list[Any]
    key: tuple[Any, ...]
    keys: dict[str, Any]


def read_inputs(f: Callable[..., Any], args: Sequence[Any], argnums: Any) -> Inputs:
    """Find a compiled program's inputs among the leaves of its arguments; at `argnums`, all leaves are inputs.

    Raises
    ------
    InputError
        If an argument is itself being differentiated, or cannot be compared with that of a later call.
    """
    which = resolve_argnums(argnums, args, f)
    labels = argument_names(f, len(args))
    taken = set(TAKEN)
    names = [take_name(label, taken) for label in labels]
    leaves: list[Input] = []
    key: list[Any] = []
    keys: dict[str, Any] = {}
    lifted = []
    plain = []
    for k, x in enumerate(args):
        x_lifted = []
        x_plain = []
        paths = _source_paths(names[k], x, keys, taken)
        for leaf, label, path in zip(
            pytree.flatten(x), pytree.paths(labels[k], x), paths, strict=True
        ):
            if k not in which and not _is_input(leaf):
                key.append(_freeze_argument(leaf, label))
                x_lifted.append(leaf)
                x_plain.append(leaf)
                continue
            if isinstance(leaf, Traced):
                raise InputError(
                    f"{label} is being differentiated, but a program is compiled for plain numbers and arrays. "
                    "Differentiate first and compile the derivative: program(grad(f), …, mode='value')."
                )
            value = as_value(leaf, f"the input {label}")
            if value is leaf and isinstance(value, np.ndarray):
                value = value.copy()
            name = path if path == names[k] else take_name(path, taken)
            leaves.append(Input(name, path, value))
            key.append((np.shape(value), value.dtype.char))
            x_lifted.append(Leaf(value))
            x_plain.append(float(value) if type(value) is np.float64 else value)
        key.append(_structure(x))
        lifted.append(pytree.unflatten(x, x_lifted))
        plain.append(pytree.unflatten(x, x_plain))
    return Inputs(names, leaves, lifted, plain, tuple(key), keys)


def find_difference(these: Inputs, those: Inputs) -> tuple[Input, Input] | None:
    """Find the first input whose path or kind differs between two calls of a compiled program; None if none does."""
    for a, b in zip(these.leaves, those.leaves, strict=False):
        if (a.path, a.kind) != (b.path, b.kind):
            return a, b
    return None


def _source_paths(path: str, x: Any, keys: dict[str, Any], taken: set[str]) -> list[str]:
    """The expressions for the leaves of an argument, ``x['a'][0]``; a key that can't be written gets a name."""
    entries = pytree.children(x)
    if entries is None:
        return [path]
    found = []
    for key, entry in entries:
        found += _source_paths(f"{path}[{key_text(key, keys, taken)}]", entry, keys, taken)
    return found


def _structure(x: Any) -> Any:
    """The containers around the leaves; a dict with its keys in order, because a function may loop over it."""
    entries = pytree.children(x)
    if entries is None:
        return None
    return (type(x), tuple((type(k), k, _structure(entry)) for k, entry in entries))


def _is_input(leaf: Any) -> bool:
    if isinstance(leaf, np.ndarray):
        return bool(leaf.dtype.kind == "f")
    return isinstance(leaf, (float, np.floating, Traced))


def _freeze_argument(leaf: Any, label: str) -> Any:
    try:
        return freeze(leaf)
    except TypeError as problem:
        raise InputError(
            f"{label} is a {type(leaf).__name__}, which would be compiled into the program, but a later call couldn't "
            f"tell whether it is still the same ({problem}). Pass what the function needs from it instead: numbers, "
            "arrays, lists."
        ) from None


# Objects of these types are compared by identity. A function is compiled in as it was, like a global.
IDENTITIES = (type, FunctionType, BuiltinFunctionType, ModuleType, Enum, np.ufunc, np.dtype)

# Types whose values are hashable and equal only if they are the same value.
HASHABLE = (int, bool, str, bytes, complex, type(None), type(Ellipsis), range)


def freeze(x: Any, around: tuple[int, ...] = ()) -> Any:
    """Make a hashable key for a value that is compiled in; keys are equal for equal values of the same type.

    For an object, the key consists of what `pickle` would store: its class and, recursively, its attributes. `around`
    has the ids of the objects on the way to this one, so that the recursion ends even if an object contains itself.

    Raises
    ------
    TypeError
        If an object can't be taken apart, as with `pickle`.
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
        return (float, x.hex())  # unlike ==, this tells 0.0 from -0.0, and nan equals nan
    if kind in HASHABLE or isinstance(x, IDENTITIES):
        return (kind, x)
    if isinstance(x, np.generic):
        return (kind, x.dtype.str, x.tobytes())
    if id(x) in around:
        return (kind, around.index(id(x)))
    reduced = x.__reduce_ex__(4)
    if isinstance(reduced, str):  # the name of a global object, of which there is only one
        return (kind, id(x))
    parts = [list(part) if isinstance(part, Iterator) else part for part in reduced]
    return (kind, *(freeze(part, (*around, id(x))) for part in parts))


def write_conditions(args: Sequence[Any], names: Sequence[str]) -> list[str] | None:
    """Write, as Python, the conditions under which a call's arguments fit a program without conversion.

    Returns None if an argument is of a kind for which no such condition can be written.
    """
    found: list[str] = []
    for x, name in zip(args, names, strict=True):
        conditions = _write_conditions_of(x, name)
        if conditions is None:
            return None
        found += conditions
    return found


def _write_conditions_of(x: Any, path: str) -> list[str] | None:
    if isinstance(x, Leaf):
        return _write_leaf_condition(x.value, path)
    if x is None or isinstance(x, bool):
        return [f"{path} is {x}"]
    kind = type(x).__name__
    if type(x) in (int, str):
        return [f"type({path}) is {kind} and {path} == {x!r}"]
    if type(x) is dict and x:
        if not all(type(key) is str and is_plain_key(key) for key in x):
            return None
        keys = ", ".join(map(repr, x))
        contents = f"(*{path},) == ({keys},) and {{*map(type, {path})}} == {{str}}"
    elif type(x) in (list, tuple, dict):
        contents = f"len({path}) == {len(x)}"
    else:
        return None
    found = [f"type({path}) is {kind} and {contents}"]
    for key, entry in pytree.children(x) or ():
        conditions = _write_conditions_of(entry, f"{path}[{key!r}]")
        if conditions is None:
            return None
        found += conditions
    return found


def _write_leaf_condition(value: Any, path: str) -> list[str] | None:
    """The condition on one input; None for a type that is rare enough to go through the dispatch."""
    if type(value) is np.float64:
        return [f"type({path}) is float"]
    if type(value) is np.ndarray and value.dtype == np.float64:
        is_double = f"type({path}) is ndarray and {path}.dtype == float64"
        return [f"{is_double} and {path}.shape == {value.shape}"]
    return None
