"""The types of a run in JavaScript, made from those in Python.

The dataclasses and named tuples of `autodiff_lab/trace/model` are the one definition of a trace. From them comes
`trace_types.js`: a JSDoc type for each, which `tsc --checkJs` reads, and a table by which `read` in `trace.js` adds
what JSON leaves out. It is one file, so that a type and its defaults cannot differ; and it is JavaScript, so that the
player needs no compiler. It also has types for the dictionaries that the player is given besides: its payload, and the
layouts.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import types
import typing
from typing import Any, Literal, NotRequired, Union

from autodiff_lab.figures.graph import cells, fit, layout_types
from autodiff_lab.text.dataclass_json import Entries, field_types, is_named_tuple, plain
from autodiff_lab.trace.model import equation, number, trace
from autodiff_lab.widgets.player import payload
from tests.addresses import ROOT

PATH = ROOT / "autodiff_lab" / "widgets" / "player" / "js" / "trace_types.js"

# JavaScript has a type `Number`, and TypeScript reads that name as `number`.
NAMES = {"Number": "Num"}

HEAD = """\
/**
 * The types of a run, and what JSON leaves out of it. Made by `python -m tests.generate types` from the dataclasses of
 * autodiff_lab/trace/model: change them, and make this anew.
 *
 * @typedef {number | string | Entries[] | null} Entries The numbers of an array, nested; "nan", "inf" and "-inf" are
 *   strings, and null stands for an array too large to keep.
 */
"""

PLAIN = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
    Any: "any",
}


def write_types() -> str:
    """Return the text of `trace_types.js`."""
    records = list_records(trace.Trace)
    members = [member for module in (layout_types, payload) for member in vars(module).values()]
    dictionaries = dict.fromkeys(member for member in members if typing.is_typeddict(member))
    table = {name_of(record): describe(record) for record in records}
    parts = [
        HEAD,
        *map(write_typedef, [*records, *dictionaries]),
        write_constant(
            "MAX_CELLS_PER_SIDE",
            number.MAX_CELLS_PER_SIDE,
            "The most rows and columns in `Num.cells`.",
        ),
        write_constant(
            "MAX_SLICES", number.MAX_SLICES, "The most slices of an array in `Num.cells`."
        ),
        write_constant(
            "EQUATION_KINDS",
            equation.KINDS,
            "What the letters of `Equation.form` stand for.",
            "@type {Record<string, string>}",
        ),
        write_constant(
            "FIT",
            {name: value for name, value in vars(fit).items() if name.isupper()},
            "By what a layout is chosen: the constants of autodiff_lab/figures/graph/fit.py.",
        ),
        write_constant(
            "MAX_SMALL_SIDE", number.MAX_SMALL_SIDE, "The most rows and columns of a small array."
        ),
        write_constant(
            "STRIP",
            {"ROWS": number.MAX_STRIP_ROWS, "COLUMNS": number.MAX_STRIP_COLUMNS},
            "The most rows and columns of cells that a larger array has.",
        ),
        write_constant(
            "CELLS",
            {name: value for name, value in vars(cells).items() if name.isupper()},
            "How large the cells of an array are: the constants of autodiff_lab/figures/graph/cells.py.",
        ),
        write_constant(
            "RECORDS",
            table,
            "How JSON has each record: with its fields as a list in this `order`, or as an object without those that",
            "have their default. `inside` are the fields that hold a record, or in brackets a list of them.",
            "@type {Record<string, {order?: string[], defaults: Record<string, any>,",
            "  inside: Record<string, string | string[]>}>}",
        ),
    ]
    return "\n".join(parts)


def write_constant(name: str, value: Any, *comment: str) -> str:
    """Write a constant that the script exports."""
    return "\n".join(
        [
            "/**",
            *(f" * {line}" for line in comment),
            " */",
            f"export const {name} = {write(value)};\n",
        ]
    )


def update_types(*, check: bool) -> list[str]:
    """Write the types of a run in JavaScript; return whether they differed."""
    fresh = write_types()
    differs = not PATH.exists() or PATH.read_text(encoding="utf-8") != fresh
    if differs and not check:
        PATH.write_text(fresh, encoding="utf-8")
    return (
        [f"{PATH.relative_to(ROOT).as_posix()} differs from the dataclasses of trace/model"]
        if differs
        else []
    )


def list_records(kind: Any) -> list[Any]:
    """List the dataclasses and named tuples that a type is made of, those inside of others first."""
    found: list[Any] = []
    if dataclasses.is_dataclass(kind) or is_named_tuple(kind):
        inside = [record for hint in field_types(kind).values() for record in list_records(hint)]
        found = [*inside, kind]
    elif kind != Entries:
        found = [record for hint in typing.get_args(kind) for record in list_records(hint)]
    return list(dict.fromkeys(found))


def name_of(record: Any) -> str:
    """Return what a Python type is called in JavaScript."""
    return NAMES.get(record.__name__, record.__name__)


def write_typedef(kind: Any) -> str:
    """Write the JSDoc type of a dataclass, a named tuple or a typed dictionary."""
    is_record = not typing.is_typeddict(kind)
    hints = field_types(kind) if is_record else typing.get_type_hints(kind, include_extras=True)
    summary = (inspect.getdoc(kind) or "").partition("\n\n")[0].replace("\n", "\n * ")
    lines = ["/**", f" * {summary}", f" * @typedef {{object}} {name_of(kind)}"]
    for name, hint in hints.items():
        optional = typing.get_origin(hint) is NotRequired
        hint = typing.get_args(hint)[0] if optional else hint
        lines.append(f" * @property {{{write_type(hint)}}} {f'[{name}]' if optional else name}")
    return "\n".join([*lines, " */\n"])


def write_type(hint: Any) -> str:
    """Write a Python type in TypeScript.

    >>> write_type(tuple[int, ...]), write_type(str | None), write_type(dict[int, list[float]])
    ('number[]', 'string | null', 'Record<number, number[]>')
    >>> write_type(Literal["row", "fold"]), write_type(tuple[int, str]), write_type(tuple[int | None, ...])
    ('"row" | "fold"', '[number, string]', '(number | null)[]')
    """
    if hint == Entries:
        return "Entries"
    if hint in PLAIN:
        return PLAIN[hint]
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return " | ".join(json.dumps(arg) for arg in args)
    if origin in (types.UnionType, Union):
        return " | ".join(map(write_type, args))
    if origin is list or (origin is tuple and args[-1] is ...):
        inner = write_type(args[0])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if origin is tuple:
        return f"[{', '.join(map(write_type, args))}]"
    if origin is dict:
        return f"Record<{', '.join(map(write_type, args))}>"
    return name_of(hint)


def describe(record: Any) -> dict[str, Any]:
    """Describe how JSON has a record: see `RECORDS` in the file that is written."""
    hints = field_types(record)
    inside = {name: found for name, hint in hints.items() if (found := record_inside(hint))}
    if is_named_tuple(record):
        return {"order": list(hints), "defaults": {}, "inside": inside}
    fields = [
        field for field in dataclasses.fields(record) if field.default is not dataclasses.MISSING
    ]
    return {"defaults": {field.name: plain(field.default) for field in fields}, "inside": inside}


def record_inside(hint: Any) -> str | list[str] | None:
    """Return the record that a field holds by its name, in a list if it holds many; None if it holds none."""
    found = list_records(hint)
    if not found or (dataclasses.is_dataclass(hint) or is_named_tuple(hint)):
        return name_of(hint) if found else None
    args = [arg for arg in typing.get_args(hint) if arg not in (type(None), ...)]
    if len(args) != 1:
        raise TypeError(f"A field may hold a record, none, or a list of records, and not {hint}.")
    inner = record_inside(args[0])
    return [str(inner)] if typing.get_origin(hint) is tuple else inner


def write(value: Any, indent: str = "") -> str:
    """Write an object as Prettier does."""
    if isinstance(value, dict) and value:
        inner = f"{indent}  "
        rows = [f"{inner}{name}: {write(one, inner)},\n" for name, one in value.items()]
        return f"{{\n{''.join(rows)}{indent}}}"
    return json.dumps(value, ensure_ascii=False)
