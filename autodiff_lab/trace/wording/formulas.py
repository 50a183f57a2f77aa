"""Formulas: operations, local partials and maps in names and in numbers, for `explanations` and `equations`."""

import math
import re
from collections.abc import Mapping, Sequence

from autodiff_lab.text.messages import matches_message
from autodiff_lab.text.notation import atom, format_adjoint, format_expression
from autodiff_lab.trace.model import Contribution, Line, Number, Operand

MAX_LISTED = 4
"""So many directions or lines are listed; of more it is said how many they are."""
_MAX_FORMULA_LENGTH = 48


def name_operands(lines: Sequence[Line], i: int) -> dict[str, str]:
    """The names in the formula of line `i`: what the learner calls it and its operands, by their tape names."""
    own = [i, *(operand.line for operand in lines[i].line_operands)]
    return {lines[j].name: lines[j].learner_name for j in own}


def write_map(line: Line, operand: Operand, names: Mapping[str, str]) -> str:
    """Write the formula of an adjoint's path back through a map, in the learner's `names`: ``h̄ @ x.T``."""
    bar = format_adjoint(names.get(line.name, line.name))
    return format_expression(operand.formula, names).replace(line.adjoint_name, bar)


def substitute_values(line: Line) -> str:
    """Put the operands' values into the formula of a line: ``2 · 5``; empty if that says no more than the result."""
    text = _put_values(line.text, line.operands)
    known = (line.reading, line.source_expression, line.expression, line.value.text)
    return "" if text in known or len(text) > _MAX_FORMULA_LENGTH else text


def substitute_partial(line: Line, slot: int) -> str:
    """Put the operands' values into the formula of a local partial: ``cos 5``; its value where that is too long."""
    operand = line.operands[slot]
    text = _put_values(operand.formula, line.operands, {line.name: line.value.text})
    return operand.partial.text if not operand.formula or len(text) > _MAX_FORMULA_LENGTH else text


def partial_formula(operand: Operand, names: Mapping[str, str] | None = None) -> str:
    """Write the formula of a local partial, or else its entries; empty if both are long."""
    formula, entries = format_expression(operand.formula, names), operand.partial.text
    if formula and len(formula) <= _MAX_FORMULA_LENGTH:
        return formula
    return "" if operand.partial.shape and not entries.startswith("[") else entries


def tell_resizing(line: Line, adjoint: Number, send: Contribution) -> str:
    """Tell for a formula if the adjoint is ``"summed"`` or ``"spread"`` to the operand's shape; empty if neither."""
    to, come = send.contribution.shape, adjoint.shape
    if to == come or line.operands[send.slot].partial is None:
        return ""
    return "spread" if (len(to), math.prod(to)) > (len(come), math.prod(come)) else "summed"


def is_reduced(line: Line) -> bool:
    """Whether the formula of a line is a sum of what it is given, weighted by the partials."""
    return any(
        o.partial is not None and len(o.value.shape) > len(line.value.shape) and o.partial.shape == o.value.shape
        for o in line.operands
    )


def is_name(formula: str) -> bool:
    """Whether a formula does not write a map out, but only names it: ``transpose of cumsum``."""
    return matches_message("transpose of", formula) or matches_message("pullback of", formula)


def _put_values(expression: str, operands: Sequence[Operand], own: Mapping[str, str] = {}) -> str:
    """Put the operands' values instead of their names: ``v-1 * v0`` becomes ``2 · 5``.

    Empty if there is an array that is too large to be written out.
    """
    if any(operand.value.shape and not operand.value.text.startswith("[") for operand in operands):
        return ""
    values = {operand.name: operand.value.text for operand in operands if operand.line is not None} | dict(own)
    if not re.fullmatch(r"\w+\([^()]*\)", expression):
        values = {name: atom(text) for name, text in values.items()}
    return format_expression(expression, values)
