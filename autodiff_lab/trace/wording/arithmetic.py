"""Arithmetic: each step as one line in the learner's names, the numbers first.

`equations` says the same in symbols, with the names of the tape.
"""

from __future__ import annotations

from collections.abc import Sequence

from autodiff_lab.text.messages import matches_message, message
from autodiff_lab.text.notation import atom, factor, format_adjoint, format_tangent
from autodiff_lab.trace.model import Contribution, Equation, Line, Number
from autodiff_lab.trace.wording.equations import EQUALS, PLUS, TIMES, Piece, fill_with_pieces, join_pieces, join_terms
from autodiff_lab.trace.wording.formulas import (
    is_name,
    is_reduced,
    name_operands,
    partial_formula,
    substitute_values,
    tell_resizing,
    write_map,
)

_MAX_DIRECTIONS = 4


def calculate_line(line: Line) -> Equation:
    """What a line records: ``b = x1 · x2 = 2 · 5 = 10``."""
    pieces = [("n", line.learner_name)]
    if line.operands:
        values = substitute_values(line)
        pieces += [EQUALS, ("p", line.reading), *([EQUALS, ("v", values)] if values else [])]
    return join_pieces([*pieces, EQUALS, ("w", line.value.in_node)])


def calculate_seed(line: Line, seed: Number) -> Equation:
    """Where the sweep starts: ``∂y/∂y = 1``; of an array the sum is differentiated: ``∂Σy/∂y = [1 1]``."""
    name = line.display_name if line.occurrence else line.learner_name
    return join_pieces([("a", f"∂{'Σ' if seed.shape else ''}{name}/∂{name}"), EQUALS, ("r", seed.in_node)])


def calculate_contribution(lines: Sequence[Line], i: int, adjoint: Number, sends: Sequence[Contribution]) -> Equation:
    """What a line sends, and what that makes of what was there: ``x2: −0.2837 + 1 × 2 = 1.7163``."""
    if not sends:
        return join_pieces([_head(lines[i]), ("c", message("nothing is sent back"))])
    (send,) = sends
    lost = send.before if send.replaces else None
    held = [] if send.before is None or send.replaces else [("a", send.before.in_node), PLUS]
    pieces = [_head(lines[send.parent]), *held, *_write_term(lines, i, adjoint, send, bool(held))]
    gone = [("m", f"  {message('lost', value=lost.in_node)}")] if lost else []
    return join_pieces([*pieces, EQUALS, ("r", send.after.in_node), *gone])


def _write_term(lines: Sequence[Line], i: int, adjoint: Number, send: Contribution, follows: bool) -> list[Piece]:
    """The contribution itself: of numbers the product, of arrays how it comes about."""
    line, operand = lines[i], lines[i].operands[send.slot]
    bar = ("a", format_adjoint(line.learner_name))
    if operand.partial is None:
        way = write_map(lines, i, operand)
        return fill_with_pieces("through", bar=[bar], map=[("c", way)]) if is_name(way) else [("p", way)]
    if not (adjoint.shape or operand.partial.shape):
        return [("a", atom(adjoint.text) if follows else adjoint.text), TIMES, ("p", atom(operand.partial.text))]
    formula = partial_formula(operand, name_operands(lines, i))
    product: list[Piece] = [bar, TIMES, ("p", factor(formula) if formula else message("partials"))]
    how = tell_resizing(line, adjoint, send)
    return fill_with_pieces(f"term {how}", term=product) if how else product


def calculate_tangents(
    lines: Sequence[Line], i: int, tangents: Sequence[Sequence[Number]], directions: Sequence[str], through: str
) -> Equation:
    """A value and how fast it moves: ``b: 2 · 5 = 10, rate 5 × 1 + 2 × 0 = 5``; along several directions the rates."""
    line = lines[i]
    shown = (substitute_values(line) or line.reading) if line.operands else ""
    pieces = [_head(line), *([("v", shown), EQUALS] if shown else []), ("w", line.value.in_node)]
    if len(directions) == 1:
        how = _write_rate(lines, i, tangents, through)
        pieces += [("c", message("rate")), *([*how, EQUALS] if how else []), ("u", tangents[i][0].in_node)]
        return join_pieces(pieces)
    pieces += [("c", message("rates"))]
    for k, (name, tangent) in enumerate(list(zip(directions, tangents[i], strict=True))[:_MAX_DIRECTIONS]):
        pieces += [("p", message("separator"))] if k else []
        pieces += [("t", f"{name}: "), ("u", tangent.in_node)]
    return join_pieces(pieces + [("p", "…")] * (len(directions) > _MAX_DIRECTIONS))


def _write_rate(lines: Sequence[Line], i: int, tangents: Sequence[Sequence[Number]], through: str) -> list[Piece]:
    """What a tangent is made of; nothing for an input, which is given its own."""
    line = lines[i]
    moving = [operand for operand in line.operands if operand.line is not None]
    if not moving:
        return []
    if through or any(operand.partial is None for operand in moving):
        return [("c" if matches_message("pushforward of", through) else "p", through or "0")]
    if not (line.value.shape or any(operand.value.shape for operand in moving)):
        return join_terms(
            [
                [("p", atom(o.partial.text) if k else o.partial.text), TIMES, ("t", atom(tangents[o.line][0].text))]
                for k, o in enumerate(moving)
            ]
        )
    names = name_operands(lines, i)
    formulas = [partial_formula(operand, names) for operand in moving]
    if not all(formulas):
        return []
    terms = join_terms(
        [
            [("p", factor(how)), TIMES, ("t", format_tangent(names[o.name]))]
            for how, o in zip(formulas, moving, strict=True)
        ]
    )
    return fill_with_pieces("the sum of", terms=terms) if is_reduced(line) else terms


def _head(line: Line) -> Piece:
    return "n", f"{line.learner_name}: "
