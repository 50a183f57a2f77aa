"""From statements to functions: one, or several in a row where one would be too long to compile at a stretch."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from .writing import Statement

__all__ = ["PART", "Function", "functions"]

PART = 4_000
"""Statements in one function. Python's compiler takes any number, at a price in memory that grows with them."""

FEW = 200
"""Statements from which on names are used again in the lines that run."""

LONGEST_BREATH = 200
"""Characters of an expression that is still written into another one in the lines that run."""


class Function(NamedTuple):
    """One function of a program: its text, and the lines that run, in fewer names where that is faster."""

    name: str
    text: str
    body: list[str]


def functions(
    name: str,
    parameters: Sequence[str],
    known: set[str],
    head: list[str],
    body: Sequence[Statement],
    result: Statement,
    arrays: bool,
) -> list[Function]:
    """The functions that make up a program; the last one is called.

    Parameters
    ----------
    name : str
    parameters : sequence of str
        Of the function itself.
    known : set of str
        Names that every part may be given: the inputs and the buffers.
    head : list of str
        Lines that take the arguments apart.
    body : sequence of Statement
    result : Statement
        Its text stands behind ``return``.
    arrays : bool
        Whether there are any: they are let go of as soon as possible.
    """
    lines = [*head]
    if len(body) <= PART * 3 // 2:
        end = result._replace(text=f"return {result.text}")
        text = _function(name, parameters, [*lines, *(s.text for s in body), end.text])
        return [Function(name, text, [*lines, *_running(body, end, arrays)])]
    parts = [body[start : start + PART] for start in range(0, len(body), PART)]
    home: dict[str, int] = {}
    for k, part in enumerate(parts):
        for s in part:
            for defined in s.defines:  # an array may be written to later on: it stays where it was made
                home.setdefault(defined, k)
    needs: list[dict[str, None]] = [dict.fromkeys(r for s in part for r in s.reads) for part in parts]
    needs.append(dict.fromkeys(result.reads))
    sent: dict[tuple[int, int], list[str]] = {}
    for k, wanted in enumerate(needs):
        for value in wanted:
            source = home.get(value, k)
            if source != k:
                sent.setdefault((source, k), []).append(value)
    to: dict[int, list[int]] = {}
    for source, k in sent:
        to.setdefault(source, []).append(k)
    made = []
    bag = "_" if not any(value.startswith("_") for value in known) else "carried_"
    for k, part in enumerate(parts):
        incoming = sorted(source for source, there in sent if there == k) if k < len(parts) else []
        carried = [f"{bag}{source + 1}_{k + 1}" for source in incoming]
        given = [value for value in needs[k] if value in known]
        inside = [f"{_tuple(sent[source, k])} = {values}" for source, values in zip(incoming, carried, strict=True)]
        targets = sorted(to.get(k, []))
        values = tuple(value for t in targets for value in sent[k, t])
        end = Statement(f"return {', '.join(_bag(sent[k, t]) for t in targets) or None}", values, (), -1)
        part_name = f"{name}_part_{k + 1}"
        text = _function(part_name, [*given, *carried], [*inside, *(s.text for s in part), end.text])
        opened = [
            Statement(line, (), tuple(sent[source, k]), -1) for line, source in zip(inside, incoming, strict=True)
        ]
        body = _running([*opened, *part], end, arrays)
        made.append(Function(part_name, text, [f"def {part_name}({', '.join([*given, *carried])}):", *body]))
        call = f"{part_name}({', '.join([*given, *carried])})"
        lines.append(f"{', '.join(f'{bag}{k + 1}_{t + 1}' for t in targets)} = {call}" if targets else call)
    last = len(parts)
    lines += [f"{_tuple(sent[k, last])} = {bag}{k + 1}_{last + 1}" for k in range(last) if (k, last) in sent]
    lines.append(f"return {result.text}")
    return [*made, Function(name, _function(name, parameters, lines), lines)]


def _running(body: Sequence[Statement], end: Statement, arrays: bool) -> list[str]:
    if arrays or len(body) > FEW:
        return in_few_names(body, end)
    return in_one_breath(body, end)


NAME = re.compile(r"\b[^\W\d]\w*")


def in_one_breath(body: Sequence[Statement], end: Statement) -> list[str]:
    """The same lines, with what is used once written where it is used: it need not be put away under a name."""
    count = Counter(name for s in (*body, end) for name in NAME.findall(s.text.partition("\n")[0]))
    waiting: dict[str, str] = {}
    lines = []
    for s in (*body, end):
        first, mark, rest = s.text.partition("\n")
        text = NAME.sub(lambda found: waiting.pop(found.group(), None) or found.group(), first)
        name = s.defines[0] if len(s.defines) == 1 else ""
        if name and count[name] == 2 and text.startswith(f"{name} = ") and len(text) <= LONGEST_BREATH:
            waiting[name] = f"({text.removeprefix(f'{name} = ')})"
        else:
            lines.append(text + mark + rest)
    return lines


def in_few_names(body: Sequence[Statement], end: Statement) -> list[str]:
    """The same lines with a name used again as soon as what it stood for has been used for the last time.

    Fewer values are alive at a time, so memory is used again while it is near; and up to 255 names are reached by
    shorter instructions.
    """
    last = {name: k for k, s in enumerate((*body, end)) for name in (*s.reads, *s.defines)}
    place: dict[str, str] = {}
    free: list[str] = []
    count, lines = 0, []

    def new(found: re.Match[str]) -> str:
        name = found.group()
        return place.get(name) or name

    for k, s in enumerate((*body, end)):
        gone = [n for n in set(s.reads) if last[n] == k and n in place and n not in s.defines]
        free += [place[n] for n in gone]
        for n in s.defines:
            if n not in place:
                while not free:
                    count += 1
                    free += [f"_{count}"] if f"_{count}" not in last else []
                place[n] = free.pop()
        first, mark, rest = s.text.partition("\n")  # behind the first line of a check stands a message
        lines.append(NAME.sub(new, first) + mark + rest)
        for n in gone:
            del place[n]
        free += [place.pop(n) for n in s.defines if last[n] == k and n in place]
    return lines


def _function(name: str, parameters: Sequence[str], lines: Sequence[str]) -> str:
    body = "\n".join(["    " + line.replace("\n", "\n    ") if "\n" in line else "    " + line for line in lines])
    return f"def {name}({', '.join(parameters)}):\n{body}\n"


def _tuple(values: Sequence[str]) -> str:
    return ", ".join(values) + "," * (len(values) == 1)


def _bag(values: Sequence[str]) -> str:
    return f"({_tuple(values)})"
