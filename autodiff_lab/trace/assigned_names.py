"""Assigned names: what the learner's source calls the value of each line, by the assignments in it."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from autodiff_lab.text import notation
from autodiff_lab.trace.model import Span, Turn

Expression = ast.expr | ast.AugAssign


class Name(NamedTuple):
    """An assigned name, and which of several values assigned to that name this is, from 1; 0 if it is the only one."""

    text: str
    occurrence: int = 0


class Assignment(NamedTuple):
    """An assignment in the learner's source: an expression whose value gets a name.

    A call may record several operations, of which the last is its value; any other expression records one itself.
    """

    name: str
    is_call: bool


def find_assignments(function: ast.AST) -> Iterator[tuple[Expression, Assignment]]:
    r"""Find the assignments in a syntax tree: each expression that is given a name; of ``a += x`` the statement.

    >>> found = find_assignments(ast.parse("a = b = f(x)\nc, d = x * 2, -x\na += 1\ne.f = x[0]"))
    >>> [(ast.unparse(expression), each.name) for expression, each in found]
    [('f(x)', 'a'), ('x * 2', 'c'), ('-x', 'd'), ('a += 1', 'a')]
    """
    for node in ast.walk(function):
        if isinstance(node, ast.AugAssign):
            yield from _match_target(node.target, node)
        elif isinstance(node, ast.Assign):
            yield from _match_target(node.targets[0], node.value)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            yield from _match_target(node.target, node.value)


def _match_target(target: ast.expr, value: Expression) -> Iterator[tuple[Expression, Assignment]]:
    """Match a target with what it is given; element by element, where both sides are written out."""
    many = (ast.Tuple, ast.List)
    if isinstance(target, many) and isinstance(value, many) and len(target.elts) == len(value.elts):
        if not any(isinstance(element, ast.Starred) for element in (*target.elts, *value.elts)):
            for pair in zip(target.elts, value.elts, strict=True):
                yield from _match_target(*pair)
    elif isinstance(value, ast.IfExp):
        yield from _match_target(target, value.body)
        yield from _match_target(target, value.orelse)
    elif isinstance(target, ast.Name) and is_clear(target.id):
        yield value, Assignment(target.id, isinstance(value, ast.Call))


def is_clear(name: str) -> bool:
    """Whether an assigned name says something, and cannot be taken for a name of the tape such as ``v1``."""
    return notation.format_name(name) == name != "_"


def name_lines(
    inputs: Sequence[str],
    spans: Sequence[Sequence[Span]],
    turns: Sequence[Sequence[Turn]],
    assignments: Mapping[Span, Assignment],
) -> list[Name]:
    """Name each line of a tape by the assignments in the source; ``""`` where none gives its value a name.

    Parameters
    ----------
    inputs : sequence of str
        What the inputs are called, which are the first lines.
    spans, turns : sequences
        For each line where it stands, outermost first, and the turns of the loops that were running.
    assignments : mapping of Span to Assignment
    """
    found: list[tuple[int, str]] = [(0, name if is_clear(name) else "") for name in inputs]
    for i in range(len(inputs), len(spans)):
        where = spans[i]
        given = assignments.get(where[-1]) if where else None
        if given is None or (given.is_call and _goes_on(i, spans, turns)):
            found.append((0, ""))
        else:
            found.append((where[-1].source, given.name))
    totals, counts, names = Counter(found), Counter[tuple[int, str]](), []
    for key in found:
        counts[key] += 1
        names.append(Name(key[1], counts[key] if key[1] and totals[key] > 1 else 0))
    return names


def _goes_on(i: int, spans: Sequence[Sequence[Span]], turns: Sequence[Sequence[Turn]]) -> bool:
    """Whether the next line is recorded by the same call."""
    after = spans[i + 1][: len(spans[i])] if i + 1 < len(spans) else ()
    return after == spans[i] and turns[i + 1][: len(turns[i])] == turns[i]
