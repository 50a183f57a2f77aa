"""Functions in the generated source of a program: one, or several where one would be too long to compile."""

from collections.abc import Iterable, Sequence
from itertools import chain, count
from typing import NamedTuple

from .names import MARK, mark_name
from .operands import Statement

# Statements in one function. Python's compiler takes any number, at a price in memory that grows with them.
PART_STATEMENTS = 4_000


class Function(NamedTuple):
    """A function of the generated source."""

    name: str
    parameters: Sequence[str]
    lines: str

    @property
    def text(self) -> str:
        """The generated function as Python text."""
        return indent(f"def {self.name}({', '.join(self.parameters)}):\n{self.lines}", 1) + "\n"


def split_functions(
    name: str,
    parameters: Sequence[str],
    known: set[str],
    head: list[str],
    body: Sequence[Statement],
    result: Statement,
    reuse: bool,
) -> list[Function]:
    """Split a program's statements into functions that Python can compile; the last one is the program.

    Parameters
    ----------
    name : str
    parameters : sequence of str
        Of the function itself.
    known : set of str
        Names that every part may be given: the inputs.
    head : list of str
        Lines that take the arguments apart.
    body : sequence of Statement
    result : Statement
        The last of them: ``return …``.
    reuse : bool
        Whether a name is used again when its value is no longer needed, in the statements themselves.
    """
    if len(body) <= PART_STATEMENTS * 3 // 2:
        return [_make_function(name, parameters, head, [*body, result], reuse)]
    parts = [
        body[start : start + PART_STATEMENTS] for start in range(0, len(body), PART_STATEMENTS)
    ]
    # an array may be written to later on: it stays where it was made, so the first part that defines a name counts
    home = {name: k for k in reversed(range(len(parts))) for s in parts[k] for name in s.defines}
    needs = [
        dict.fromkeys(chain.from_iterable(s.names for s in part)) for part in (*parts, [result])
    ]
    sent: dict[tuple[int, int], list[str]] = {}
    for k, wanted in enumerate(needs):
        for value in wanted:
            source = home.get(value, k)
            if source != k:
                sent.setdefault((source, k), []).append(value)
    made, lines = [], [*head]
    bag = "_" if not any(value.startswith("_") for value in known) else "carried_"
    for k, part in enumerate(parts):
        incoming = sorted(source for source, there in sent if there == k)
        carried = [f"{bag}{source + 1}_{k + 1}" for source in incoming]
        given = [*(value for value in needs[k] if value in known), *carried]
        opened = [
            _unpack_carried(sent[source, k], values)
            for source, values in zip(incoming, carried, strict=True)
        ]
        targets = sorted(there for source, there in sent if source == k)
        end = ", ".join(f"({_join_tuple(map(mark_name, sent[k, t]))})" for t in targets) or "None"
        lines_of_part = [*opened, *part, Statement(f"return {end}".split(MARK))]
        part_name = f"{name}_part_{k + 1}"
        made.append(_make_function(part_name, given, [], lines_of_part, reuse))
        call = f"{part_name}({', '.join(given)})"
        lines.append(
            f"{', '.join(f'{bag}{k + 1}_{t + 1}' for t in targets)} = {call}" if targets else call
        )
    last = len(parts)
    lines += [
        _unpack_carried(sent[k, last], f"{bag}{k + 1}_{last + 1}").text
        for k in range(last)
        if (k, last) in sent
    ]
    lines.append(result.text)
    return [*made, Function(name, parameters, "\n".join(lines))]


def _make_function(
    name: str,
    parameters: Sequence[str],
    head: Sequence[str],
    body: Sequence[Statement],
    reuse: bool,
) -> Function:
    if reuse:
        _reuse_names(body)
    return Function(name, parameters, "\n".join([*head, *(s.text for s in body)]))


def _reuse_names(body: Sequence[Statement]) -> None:
    """Rename what the statements of a function define: a name is used again when its value is no longer needed.

    Fewer values are alive at a time, so memory is used again while it is near; and up to 255 names are reached by
    shorter instructions. A name is free from the line behind the last one that reads its value, so no line loses a
    value that it needs: the line that reads a value for the last time may already put its own under that name.
    """
    last = {name: k for k, s in enumerate(body) for name in s.names}
    gone: list[list[str]] = [[] for _ in body]  # the names that a line is the last to use
    for name in dict.fromkeys(name for s in body for name in s.defines):
        gone[last[name]].append(name)
    place: dict[str, str] = {}
    free: list[str] = []
    unused = (f"_{k}" for k in count(1) if f"_{k}" not in last)
    for s, used_up in zip(body, gone, strict=True):
        free += [place[n] for n in used_up if n not in s.defines]
        for n in s.defines:
            if n not in place:
                place[n] = free.pop() if free else next(unused)
        s.rename(place)
        for n in used_up:
            if n in s.defines:
                free.append(place[n])
            del place[n]


def indent(lines: str, depth: int) -> str:
    """Indent the lines of a generated function, all but the first, by so many steps."""
    return lines.replace("\n", "\n" + "    " * depth)


def _unpack_carried(values: Sequence[str], bag: str) -> Statement:
    """What was carried over, under its names again."""
    return Statement(f"{_join_tuple(map(mark_name, values))} = {bag}".split(MARK), tuple(values))


def _join_tuple(values: Iterable[str]) -> str:
    values = list(values)
    return ", ".join(values) + "," * (len(values) == 1)
