"""Frozen dataclasses to JSON's dictionaries and lists, and back."""

from __future__ import annotations

import dataclasses
import functools
import math
import types
import typing
from typing import Any

Entries = float | tuple | None
"""A float, nested tuples of floats, or None for an array too large to keep."""


def entries(x: Any) -> Entries:
    """Give nested lists of numbers as nested tuples of floats."""
    return tuple(entries(entry) for entry in x) if isinstance(x, list) else float(x)


def spelled(x: Any) -> Any:
    """Write what JSON has no number for as a string."""
    if isinstance(x, tuple | list):
        return tuple(spelled(entry) for entry in x)
    if isinstance(x, float) and not math.isfinite(x):
        return "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"
    return x


def plain(x: Any) -> Any:
    """Give a dataclass as dictionaries and lists."""
    if dataclasses.is_dataclass(x):
        return {name: plain(getattr(x, name)) for name in _fields(type(x))}
    if isinstance(x, tuple):
        return [plain(entry) for entry in x]
    return spelled(x)


@functools.cache
def _fields(cls: Any) -> dict[str, Any]:
    """The fields of a dataclass with their types resolved."""
    hints = typing.get_type_hints(cls)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


def build(kind: Any, data: Any) -> Any:
    """Make a value of type `kind` from JSON data; the types of the fields say how."""
    if kind == Entries:
        return data if data is None else _numbers(data)
    if dataclasses.is_dataclass(kind):
        return kind(**{name: build(hint, data[name]) for name, hint in _fields(kind).items() if name in data})
    if typing.get_origin(kind) is tuple:
        return tuple(build(typing.get_args(kind)[0], entry) for entry in data)
    if isinstance(kind, types.UnionType):
        return None if data is None else build(typing.get_args(kind)[0], data)
    return data


def _numbers(data: Any) -> Entries:
    return tuple(_numbers(entry) for entry in data) if isinstance(data, list) else float(data)
