"""Serialize frozen dataclasses as JSON's dictionaries and lists, and read them back; defaults are left out.

A field that has its default is not written. Values of one type, the pooled one, are written once: a list of them, and
the place in this list wherever one stands.
"""

import dataclasses
import functools
import types
import typing
from typing import Any

from autodiff_lab.text.numbers import spell_nonfinite

# A float, nested tuples of floats, or None for an array too large to keep.
Entries = float | tuple | None


def entries(x: Any) -> Entries:
    """Turn the nested lists of numbers that JSON has into nested tuples of floats."""
    return tuple(entries(entry) for entry in x) if isinstance(x, list) else float(x)


class Pool:
    """The pool of a dataclass's values that JSON has once each, with the place of every value in it.

    >>> pool = Pool(str)
    >>> pool.place("a"), pool.place("b"), pool.place("a"), pool.values
    (0, 1, 0, ['a', 'b'])
    """

    def __init__(self, kind: type, values: list[Any] | None = None) -> None:
        self.kind = kind
        self.values = values or []
        self._places: dict[Any, int] = {}

    def place(self, x: Any) -> int:
        """Tell where `x` stands in the pool of values to serialize, and put it there the first time."""
        if x not in self._places:
            self._places[x] = len(self.values)
            self.values.append(x)
        return self._places[x]


def plain(x: Any, pool: Pool | None = None) -> Any:
    """Serialize a dataclass as dictionaries and lists; `pool` collects the values that are to be written once."""
    if pool is not None and isinstance(x, pool.kind):
        return pool.place(x)
    if dataclasses.is_dataclass(x):
        values = ((key, getattr(x, field.name), field.default) for key, (_, field) in _fields(type(x)).items())
        return {key: plain(value, pool) for key, value, default in values if value != default}
    if isinstance(x, tuple):
        return [plain(entry, pool) for entry in x]
    return spell_nonfinite(x)


@functools.cache
def _fields(cls: Any) -> dict[str, tuple[Any, dataclasses.Field]]:
    """The fields of a dataclass with their types, resolved, by what they are called in JSON."""
    hints = typing.get_type_hints(cls)
    return {field.metadata.get("key", field.name): (hints[field.name], field) for field in dataclasses.fields(cls)}


def build(kind: Any, data: Any, pool: Pool | None = None) -> Any:
    """Make a value of type `kind` from its serialized form, JSON data; the types of the fields say how."""
    if kind == Entries:
        return data if data is None else entries(data)
    if pool is not None and kind is pool.kind:
        return pool.values[data]
    if dataclasses.is_dataclass(kind):
        given = ((field.name, hint, data[key]) for key, (hint, field) in _fields(kind).items() if key in data)
        return kind(**{name: build(hint, value, pool) for name, hint, value in given})
    if hasattr(kind, "_make"):
        return kind._make(tuple(entry) if isinstance(entry, list) else entry for entry in data)
    if typing.get_origin(kind) is tuple:
        return tuple(build(typing.get_args(kind)[0], entry, pool) for entry in data)
    if isinstance(kind, types.UnionType):
        return None if data is None else build(typing.get_args(kind)[0], data, pool)
    return data
