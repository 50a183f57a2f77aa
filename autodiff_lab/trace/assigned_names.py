"""Assigned names: the names that assignments in the learner's source give to the values on the tape."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from autodiff_lab.text import notation
from autodiff_lab.trace.model import Span, Turn

Expression = ast.expr | ast.AugAssign
_SEQUENCES = (ast.Tuple, ast.List)


class Name(NamedTuple):
    """An assigned name. If several values have the same name, `occurrence` numbers them from 1; otherwise it is 0."""

    text: str
    occurrence: int = 0


class Assignment(NamedTuple):
    """An assignment in the learner's source, from an expression to a name.

    If the expression `is_call`, it may record several operations, and the last of them computes its value.
    """

    name: str
    is_call: bool


def find_assignments(function: ast.AST) -> Iterator[tuple[Expression, Assignment]]:
    r"""Find the assignments in a syntax tree, each with its expression; for ``a += x``, that is the whole statement.

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
    """Match a target with the expression assigned to it; element by element, if both are tuples or lists."""
    if isinstance(target, _SEQUENCES) and isinstance(value, _SEQUENCES):
        elements = (*target.elts, *value.elts)
        has_star = any(isinstance(element, ast.Starred) for element in elements)
        if len(target.elts) == len(value.elts) and not has_star:
            for pair in zip(target.elts, value.elts, strict=True):
                yield from _match_target(*pair)
    elif isinstance(value, ast.IfExp):
        yield from _match_target(target, value.body)
        yield from _match_target(target, value.orelse)
    elif isinstance(target, ast.Name) and is_clear(target.id):
        yield value, Assignment(target.id, isinstance(value, ast.Call))


def is_clear(name: str) -> bool:
    """Whether an assigned name is worth showing: it isn't ``_``, nor like a name of the tape, such as ``v1``."""
    return name != "_" and notation.format_name(name) == name


def name_lines(
    inputs: Sequence[str],
    spans: Sequence[Sequence[Span]],
    turns: Sequence[Sequence[Turn]],
    assignments: Mapping[Span, Assignment],
) -> list[Name]:
    """Name each line of a tape by the assignments in the source; the name is empty if there is none.

    Parameters
    ----------
    inputs : sequence of str
        The names of the inputs, which are the first lines.
    spans, turns : sequences
        For each line, its places in the source, and the iterations of the loops that were running;
        outermost first.
    assignments : mapping of Span to Assignment
    """
    # For each line, the source that its name is from, and the name. Other sources may use the same name.
    found: list[tuple[int, str]] = [(0, name if is_clear(name) else "") for name in inputs]
    for i in range(len(inputs), len(spans)):
        where = spans[i]
        given = assignments.get(where[-1]) if where else None
        if given is None or (given.is_call and _is_same_call(i, spans, turns)):
            found.append((0, ""))
        else:
            found.append((where[-1].source, given.name))
    totals = Counter(found)
    counts = Counter[tuple[int, str]]()
    names = []
    for key in found:
        _, name = key
        counts[key] += 1
        is_shared = bool(name) and totals[key] > 1
        names.append(Name(name, counts[key] if is_shared else 0))
    return names


def _is_same_call(i: int, spans: Sequence[Sequence[Span]], turns: Sequence[Sequence[Turn]]) -> bool:
    """Whether the line after line `i` was recorded by the same call."""
    if i + 1 == len(spans):
        return False
    is_same_place = spans[i + 1][: len(spans[i])] == spans[i]
    is_same_iteration = turns[i + 1][: len(turns[i])] == turns[i]
    return is_same_place and is_same_iteration
