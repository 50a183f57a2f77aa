"""Serialize frozen dataclasses as JSON's dictionaries and lists, and read them back; defaults are left out.

A dataclass is a dictionary with the names of its fields, without those that have their default. A named tuple is a
list, in the order of its fields. Values of one type can be pooled: each is written once, in a list, and is replaced by
its index in this list wherever it occurs.
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
    """Turn nested lists of numbers, as read from JSON, into nested tuples of floats."""
    return tuple(entries(entry) for entry in x) if isinstance(x, list) else float(x)


class Pool:
    """The pool of a dataclass's values that are written to JSON once each, with the index of every value.

    >>> pool = Pool(str)
    >>> pool.place("a"), pool.place("b"), pool.place("a"), pool.values
    (0, 1, 0, ['a', 'b'])
    """

    def __init__(self, kind: type, values: list[Any] | None = None) -> None:
        self.kind = kind
        self.values = values or []
        self._places: dict[Any, int] = {}

    def place(self, x: Any) -> int:
        """Return the index of `x` in the pool of values to serialize; the first time, add it."""
        if x not in self._places:
            self._places[x] = len(self.values)
            self.values.append(x)
        return self._places[x]


def plain(x: Any, pool: Pool | None = None) -> Any:
    """Serialize a dataclass as dictionaries and lists; `pool` collects the values that are to be written once."""
    if pool is not None and isinstance(x, pool.kind):
        return pool.place(x)
    if dataclasses.is_dataclass(x):
        data = {}
        for field in dataclasses.fields(x):
            value = getattr(x, field.name)
            if value != field.default:
                data[field.name] = plain(value, pool)
        return data
    if isinstance(x, tuple):
        return [plain(entry, pool) for entry in x]
    return spell_nonfinite(x)


@functools.cache
def field_types(cls: Any) -> dict[str, Any]:
    """The types of the fields of a dataclass or a named tuple, by name, resolved."""
    hints = typing.get_type_hints(cls)
    names = (
        cls._fields if is_named_tuple(cls) else [field.name for field in dataclasses.fields(cls)]
    )
    return {name: hints[name] for name in names}


def is_named_tuple(kind: Any) -> bool:
    """Whether a type is a named tuple, which JSON has as a list, not as a dictionary like a dataclass."""
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


def build(kind: Any, data: Any, pool: Pool | None = None) -> Any:
    """Make a value of type `kind` from its serialized form, JSON data; the types of the fields say how.

    Raises
    ------
    ValueError
        If a dictionary has a key that is not the name of a field.
    """
    if kind == Entries:
        return data if data is None else entries(data)
    if pool is not None and kind is pool.kind:
        return pool.values[data]
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = field_types(kind)
        if unknown := sorted(data.keys() - hints.keys()):
            raise ValueError(f"{kind.__name__} has no field {unknown[0]!r}")
        return kind(**{name: build(hints[name], value, pool) for name, value in data.items()})
    if is_named_tuple(kind):
        pairs = zip(field_types(kind).values(), data, strict=True)
        return kind(*(build(hint, entry, pool) for hint, entry in pairs))
    if typing.get_origin(kind) is tuple:
        inner, *others = typing.get_args(kind)
        kinds = [inner] * len(data) if others == [...] else [inner, *others]
        return tuple(build(one, entry, pool) for one, entry in zip(kinds, data, strict=True))
    if isinstance(kind, types.UnionType):
        return None if data is None else build(typing.get_args(kind)[0], data, pool)
    return data
