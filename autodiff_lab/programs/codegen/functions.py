"""Functions in the generated source of a program: one, or several if one would be too long to compile."""

from collections.abc import Iterable, Sequence
from itertools import count
from typing import NamedTuple

from .names import MARK, mark_name
from .operands import Statement

# Statements in one function. Python could compile more, but its compiler would need more memory.
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
        The parameters of the program.
    known : set of str
        The names of the inputs, which are passed to every part that uses them.
    head : list of str
        Lines that unpack the inputs from the arguments.
    body : sequence of Statement
    result : Statement
        The last statement: ``return …``.
    reuse : bool
        Whether a name is reused when its value is no longer needed; this renames the given statements in place.
    """
    if len(body) <= PART_STATEMENTS * 3 // 2:
        return [_make_function(name, parameters, head, [*body, result], reuse)]
    starts = range(0, len(body), PART_STATEMENTS)
    parts = [body[start : start + PART_STATEMENTS] for start in starts]
    last = len(parts)
    sent = _find_carried_values([*parts, [result]])
    prefix = "carried_" if any(value.startswith("_") for value in known) else "_"

    def carried_name(source: int, target: int) -> str:
        return f"{prefix}{source + 1}_{target + 1}"

    functions = []
    main_lines = [*head]
    for k, part in enumerate(parts):
        sources = sorted(source for source, target in sent if target == k)
        targets = sorted(target for source, target in sent if source == k)
        unpacking = [
            _unpack_carried(sent[source, k], carried_name(source, k)) for source in sources
        ]
        returned = [f"({_join_tuple(map(mark_name, sent[k, target]))})" for target in targets]
        ending = Statement(f"return {', '.join(returned) or 'None'}".split(MARK))
        part_parameters = [value for value in _names_in(part) if value in known]
        part_parameters += [carried_name(source, k) for source in sources]
        part_name = f"{name}_part_{k + 1}"
        call = f"{part_name}({', '.join(part_parameters)})"
        if targets:
            call = f"{', '.join(carried_name(k, target) for target in targets)} = {call}"
        main_lines.append(call)
        part_body = [*unpacking, *part, ending]
        functions.append(_make_function(part_name, part_parameters, [], part_body, reuse))
    for k in range(last):
        if (k, last) in sent:
            main_lines.append(_unpack_carried(sent[k, last], carried_name(k, last)).text)
    main_lines.append(result.text)
    return [*functions, Function(name, parameters, "\n".join(main_lines))]


def _find_carried_values(parts: Sequence[Sequence[Statement]]) -> dict[tuple[int, int], list[str]]:
    """Find the values that one part of a program computes and another reads, by the numbers of both parts."""
    # A scattered array is defined in one statement and written to in the next, so the first definition counts.
    home: dict[str, int] = {}
    for k, part in enumerate(parts):
        for statement in part:
            for value in statement.defines:
                home.setdefault(value, k)
    sent: dict[tuple[int, int], list[str]] = {}
    for k, part in enumerate(parts):
        for value in _names_in(part):
            source = home.get(value, k)
            if source != k:
                sent.setdefault((source, k), []).append(value)
    return sent


def _names_in(part: Sequence[Statement]) -> list[str]:
    """All names in the statements, each once, in the order in which they first occur."""
    return list(dict.fromkeys(name for statement in part for name in statement.names))


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
    """Rename the values that a function computes, so that a name is reused when its value is no longer needed.

    This saves time in two ways. Fewer values are alive at a time, so memory is reused while it is still in the cache;
    and Python has shorter instructions for the first 256 local names. A statement reads its operands before it assigns
    its result, so the statement that reads a value for the last time may already reuse that value's name.
    """
    last_use = {name: k for k, s in enumerate(body) for name in s.names}
    # for each statement, the names that are not used after it
    ending: list[list[str]] = [[] for _ in body]
    for name in dict.fromkeys(name for s in body for name in s.defines):
        ending[last_use[name]].append(name)
    new_names: dict[str, str] = {}
    free: list[str] = []
    unused = (f"_{k}" for k in count(1) if f"_{k}" not in last_use)
    for s, used_up in zip(body, ending, strict=True):
        free += [new_names[name] for name in used_up if name not in s.defines]
        for name in s.defines:
            if name not in new_names:
                new_names[name] = free.pop() if free else next(unused)
        s.rename(new_names)
        for name in used_up:
            if name in s.defines:
                free.append(new_names[name])
            del new_names[name]


def indent(lines: str, depth: int) -> str:
    """Indent all lines of a generated function but the first, by `depth` levels."""
    return lines.replace("\n", "\n" + "    " * depth)


def _unpack_carried(values: Sequence[str], carried: str) -> Statement:
    """The statement that gives values carried over from another part their names again."""
    return Statement(
        f"{_join_tuple(map(mark_name, values))} = {carried}".split(MARK), tuple(values)
    )


def _join_tuple(values: Iterable[str]) -> str:
    values = list(values)
    return ", ".join(values) + "," * (len(values) == 1)
