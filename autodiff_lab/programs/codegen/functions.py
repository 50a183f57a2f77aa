"""Functions in the generated source of a program: one, or several where one would be too long to compile."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, count
from typing import NamedTuple

from .names import MARK, mark_name
from .statements import Statement

# Statements in one function. Python's compiler takes any number, at a price in memory that grows with them.
PART_STATEMENTS = 4_000

# Statements from which on names are used again in the lines that run.
MIN_REUSING_STATEMENTS = 200

# So many lines are written into each other at most in the lines that run; with more, they run no faster.
MAX_INLINED_LINES = 4


class Function(NamedTuple):
    """A generated function: the lines that are shown, and those that run, with fewer names where that is faster."""

    name: str
    parameters: Sequence[str]
    shown: str
    running: str

    def text(self, lines: str) -> str:
        """The generated function as Python text, around the lines that are shown or those that run."""
        return indent(f"def {self.name}({', '.join(self.parameters)}):\n{lines}", 1) + "\n"


def split_functions(
    name: str,
    parameters: Sequence[str],
    known: set[str],
    head: list[str],
    body: Sequence[Statement],
    result: Statement,
    arrays: bool,
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
    arrays : bool
        Whether there are any: they are let go of as soon as possible.
    """
    if len(body) <= PART_STATEMENTS * 3 // 2:
        return [_make_function(name, parameters, head, [*body, result], arrays)]
    parts = [body[start : start + PART_STATEMENTS] for start in range(0, len(body), PART_STATEMENTS)]
    # an array may be written to later on: it stays where it was made, so the first part that defines a name counts
    home = {name: k for k in reversed(range(len(parts))) for s in parts[k] for name in s.defines}
    needs = [dict.fromkeys(chain.from_iterable(s.names for s in part)) for part in (*parts, [result])]
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
        opened = [_unpack_carried(sent[source, k], values) for source, values in zip(incoming, carried, strict=True)]
        targets = sorted(there for source, there in sent if source == k)
        end = ", ".join(f"({_join_tuple(map(mark_name, sent[k, t]))})" for t in targets) or "None"
        lines_of_part = [*opened, *part, Statement(f"return {end}".split(MARK))]
        part_name = f"{name}_part_{k + 1}"
        made.append(_make_function(part_name, given, [], lines_of_part, arrays))
        call = f"{part_name}({', '.join(given)})"
        lines.append(f"{', '.join(f'{bag}{k + 1}_{t + 1}' for t in targets)} = {call}" if targets else call)
    last = len(parts)
    lines += [_unpack_carried(sent[k, last], f"{bag}{k + 1}_{last + 1}").text for k in range(last) if (k, last) in sent]
    lines.append(result.text)
    return [*made, Function(name, parameters, "\n".join(lines), "\n".join(lines))]


def _make_function(
    name: str, parameters: Sequence[str], head: Sequence[str], body: Sequence[Statement], arrays: bool
) -> Function:
    """One function: what is shown, and what runs."""
    runs = body if arrays else _inline_single_uses(body)
    if arrays or len(runs) > MIN_REUSING_STATEMENTS:
        runs = _reuse_names(runs)
    shown, running = ("\n".join([*head, *(s.text for s in lines)]) for lines in (body, runs))
    return Function(name, parameters, shown, running)


def _inline_single_uses(body: Sequence[Statement]) -> list[Statement]:
    """Inline, in the statements of a function, each name that is used once: its expression stands where it is used."""
    uses = Counter(chain.from_iterable([s.pieces[1::2] for s in body]))
    waiting: dict[str, str] = {}  # expressions
    sizes: dict[str, int] = {}  # how many lines each is made of
    lines = []
    for s in body:
        pieces, defines, size = s.pieces, s.defines, 1
        for name in pieces[1::2]:
            if name in sizes:
                size += sizes[name]
        waits = size <= MAX_INLINED_LINES and len(defines) == 1 and uses[defines[0]] == 2 and pieces[2][:3] == " = "
        if size > 1:
            pieces = pieces.copy()
            pieces[1::2] = [waiting.get(name) or mark_name(name) for name in pieces[1::2]]
            s = Statement("".join(pieces).split(MARK), defines)
        if waits:
            waiting[defines[0]], sizes[defines[0]] = f"({MARK.join(s.pieces[2:])[3:]})", size
        else:
            lines.append(s)
    return lines


def _reuse_names(body: Sequence[Statement]) -> list[Statement]:
    """Reuse names in the statements of a function, each as soon as its value has been used for the last time.

    Fewer values are alive at a time, so memory is used again while it is near; and up to 255 names are reached by
    shorter instructions.
    """
    last = {name: k for k, s in enumerate(body) for name in s.pieces[1::2]}
    gone: list[list[str]] = [[] for _ in body]  # the names that a line is the last to use
    for name in dict.fromkeys(name for s in body for name in s.defines):
        gone[last[name]].append(name)
    place: dict[str, str] = {}
    free: list[str] = []
    unused = (f"_{k}" for k in count(1) if f"_{k}" not in last)
    lines = []
    for s, used_up in zip(body, gone, strict=True):
        defines = s.defines
        free += [place[n] for n in used_up if n not in defines]
        for n in defines:
            if n not in place:
                place[n] = free.pop() if free else next(unused)
        pieces = s.pieces.copy()
        pieces[1::2] = [place.get(n, n) for n in pieces[1::2]]
        lines.append(Statement(pieces, defines))
        for n in used_up:
            if n in defines:
                free.append(place[n])
            del place[n]
    return lines


def indent(lines: str, depth: int) -> str:
    """Indent the lines of a generated function, all but the first, by so many steps."""
    return lines.replace("\n", "\n" + "    " * depth)


def _unpack_carried(values: Sequence[str], bag: str) -> Statement:
    """What was carried over, under its names again."""
    return Statement(f"{_join_tuple(map(mark_name, values))} = {bag}".split(MARK), tuple(values))


def _join_tuple(values: Iterable[str]) -> str:
    values = list(values)
    return ", ".join(values) + "," * (len(values) == 1)
