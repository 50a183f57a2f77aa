"""Equations: each step as lines of arithmetic, in pieces that a view can colour.

The functions `write_…` use symbols and the names of the tape. The functions `calculate_…` give one
line of numbers, with the learner's names. `explanations` says the same in words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from autodiff_lab.text.messages import join_items, message, message_parts
from autodiff_lab.text.notation import (
    atom,
    factor,
    format_adjoint,
    format_expression,
    format_tangent,
)
from autodiff_lab.text.numbers import number
from autodiff_lab.trace.model import Contribution, Equation, Line, Number, Operand, ResultSeed

Piece = tuple[str, str]


class WayForward(NamedTuple):
    """How tangents go through an operation without local partials, in an equation.

    `text` is the map written out, or only its name, if it `is_name`.
    """

    text: str = ""
    is_name: bool = False


EQUALS, PLUS, TIMES, DOT = ((sign, "") for sign in "=+×·")
_GAP = ("p", "   ")

# The most directions or lines that are listed; the rest are counted.
MAX_LISTED = 4
_MAX_FORMULA_LENGTH = 48


# A line is recorded


def write_line(line: Line) -> tuple[Equation, ...]:
    """Write the equation that a line of the tape records, in symbols: v₂ = v₋₁ · v₀ = 2 · 5 = 10."""
    pieces = [("n", line.display_name), EQUALS, ("p", line.expression)]
    pieces += _write_values(line)
    pieces += [EQUALS, ("w", line.value.in_node)]
    return (join_pieces(pieces),)


def calculate_line(line: Line) -> Equation:
    """Write the equation that a line records, in the learner's names: ``b = x1 · x2 = 2 · 5 = 10``."""
    pieces = [("n", line.learner_name)]
    if line.operands:
        pieces += [EQUALS, ("p", line.reading)]
    pieces += _write_values(line)
    pieces += [EQUALS, ("w", line.value.in_node)]
    return join_pieces(pieces)


def _write_values(line: Line) -> list[Piece]:
    """The operation with its operands' values, ``= 2 · 5``; nothing for an input."""
    values = substitute_values(line) if line.operands else ""
    return [EQUALS, ("v", values)] if values else []


# The sweep


def write_seed(line: Line, seed: Number) -> tuple[Equation, ...]:
    """Write the equation with which the sweep starts, in symbols: v̄₅ = 1, the seed."""
    adjoint = ("a", format_adjoint(line.name))
    return (join_pieces([adjoint, EQUALS, ("r", seed.in_node), _note("the seed")]),)


def calculate_seed(line: Line, seed: Number) -> Equation:
    """Write the equation with which the sweep starts: ``∂y/∂y = 1``, or ``∂Σy/∂y = 1`` for an array."""
    name = line.display_name if line.occurrence else line.learner_name
    differentiated = f"Σ{name}" if seed.shape else name
    return join_pieces([("a", f"∂{differentiated}/∂{name}"), EQUALS, ("r", seed.in_node)])


def write_one_seed(
    line: Line, before: Number | None, seed: Number, after: Number
) -> tuple[Equation, ...]:
    """Write the equation of the seed of one result of several, in symbols: v̄₅ = 1, its seed."""
    bar = ("a", format_adjoint(line.name))
    return (join_pieces([bar, EQUALS, *_write_one_seed(before, seed, after)]),)


def calculate_one_seed(line: Line, before: Number | None, seed: Number, after: Number) -> Equation:
    """Write the equation of the seed of one result of several, in numbers: ``loss: 1, its seed``."""
    return join_pieces([_head(line), *_write_one_seed(before, seed, after)])


def _write_one_seed(before: Number | None, seed: Number, after: Number) -> list[Piece]:
    """The adjoint of a result once it has its seed; a result that is returned twice gets two seeds."""
    pieces: list[Piece] = []
    if before is not None:
        pieces = [("a", before.in_node), PLUS, ("a", seed.in_node), EQUALS]
    return [*pieces, ("r", after.in_node), ("c", message("its seed"))]


def write_total(seeds: Sequence[ResultSeed]) -> str:
    """Write the sum of several results for an equation, each multiplied by its seed: ``loss + 0.5·pred``.

    >>> halves, one = Number.of([0.5, 0.5]), Number.of(1.0)
    >>> write_total([ResultSeed(0, 5, "loss", one, 1.0), ResultSeed(1, 6, "pred", halves, 0.5)])
    'loss + 0.5·Σpred'
    """
    return " + ".join(map(_write_weighted, seeds))


def _write_weighted(one: ResultSeed) -> str:
    if one.weight is None:
        return f"Σ({message('seed word')}·{one.name})"
    name = f"Σ{one.name}" if one.seed.shape else one.name
    return name if one.weight == 1 else f"{atom(number(one.weight))}·{name}"


def write_sweep(
    lines: Sequence[Line], i: int, adjoint: Number, sends: Sequence[Contribution]
) -> tuple[Equation, ...]:
    """Write the equations of what a line sends, in symbols.

    v̄₀ = not reached + v̄₄ · ∂v₄/∂v₀ = (−1) × cos v₀ = (−1) × 0.2837 = −0.2837.
    """
    if not sends:
        own = ("a", format_adjoint(lines[i].name))
        return (join_pieces([own, EQUALS, ("a", adjoint.in_node), _note("nothing is sent back")]),)
    return tuple(join_pieces(_write_contribution(lines, i, adjoint, send)) for send in sends)


def _write_contribution(
    lines: Sequence[Line], i: int, adjoint: Number, send: Contribution
) -> list[Piece]:
    line = lines[i]
    parent = lines[send.parent]
    operand = line.operands[send.slot]
    bar = ("a", format_adjoint(line.name))
    # What had arrived before; each side of the equation but the last repeats it.
    held: list[Piece] = []
    if send.before is None:
        first = [("m", message("not reached")), PLUS]
    elif send.replaces:
        first = [("m", message("lost", value=send.before.in_node)), ("p", "  ")]
    else:
        held = [("a", send.before.in_node), PLUS]
        first = held
    pieces = [("a", format_adjoint(parent.name)), EQUALS, *first]
    end = [EQUALS, ("r", send.after.in_node)]
    if operand.partial is None:
        return [*pieces, *write_term(line, adjoint, send), *end]
    pieces += [bar, DOT, ("p", f"∂{line.display_name}/∂{parent.display_name}")]
    formula = partial_formula(operand)
    is_scalar = not (adjoint.shape or operand.partial.shape)
    if is_scalar:
        known = ("a", atom(adjoint.in_node))
        if formula != operand.partial.text:
            pieces += [EQUALS, *held, known, TIMES, ("p", factor(formula))]
        pieces += [EQUALS, *held, known, TIMES, ("p", atom(operand.partial.text))]
    elif formula:
        pieces += [EQUALS, *held, bar, TIMES, ("p", factor(formula))]
    how = tell_resizing(line, adjoint, send)
    if how:
        pieces.append(("c", message(f"{how} to the shape", shape=send.contribution.shape)))
    return [*pieces, *end]


def calculate_contribution(
    lines: Sequence[Line], i: int, adjoint: Number, sends: Sequence[Contribution]
) -> Equation:
    """Write the equation of what a line sends and the sum it makes, in numbers: ``x2: −0.2837 + 1 × 2 = 1.7163``."""
    if not sends:
        return join_pieces([_head(lines[i]), ("c", message("nothing is sent back"))])
    (send,) = sends
    adds = send.before is not None and not send.replaces
    pieces = [_head(lines[send.parent])]
    if send.before is not None and adds:
        pieces += [("a", send.before.in_node), PLUS]
    pieces += write_term(lines[i], adjoint, send, name_operands(lines, i), follows=adds)
    pieces += [EQUALS, ("r", send.after.in_node)]
    if send.before is not None and send.replaces:
        pieces.append(("m", f"  {message('lost', value=send.before.in_node)}"))
    return join_pieces(pieces)


def write_term(
    line: Line,
    adjoint: Number,
    send: Contribution,
    names: Mapping[str, str] = {},
    follows: bool = True,
) -> list[Piece]:
    """Write a contribution as a term of an equation: in numbers, ``(−1) × 0.2837``, or for arrays as a formula.

    `names` maps the names of the tape to the learner's. If the term `follows` a plus sign, a negative
    number at its start is put into parentheses.
    """
    operand = line.operands[send.slot]
    bar = ("a", format_adjoint(names.get(line.name, line.name)))
    if operand.partial is None:
        # The formula of a map is the whole contribution.
        map_text = write_map(line, operand, names)
        if operand.formula_is_name:
            return fill_with_pieces("through", bar=[bar], map=[("c", map_text)])
        return [("p", map_text)]
    if not (adjoint.shape or operand.partial.shape):
        known = atom(adjoint.in_node) if follows else adjoint.in_node
        return [("a", known), TIMES, ("p", atom(operand.partial.text))]
    formula = partial_formula(operand, names)
    product = [bar, TIMES, ("p", factor(formula) if formula else message("partials"))]
    how = tell_resizing(line, adjoint, send)
    return fill_with_pieces(f"term {how}", term=product) if how else product


def write_constant(name: str, value: Number | None, inputs: Sequence[str]) -> Equation:
    """Write the equation of a result that depends on no input, and a note that says so: ``y = 7``."""
    shown = "None" if value is None else value.in_node
    note = message("depends on nothing", names=join_items(inputs))
    return join_pieces([("n", name), EQUALS, ("w", shown), ("c", note)])


def gradient(
    f: str,
    lines: Sequence[Line],
    adjoints: Mapping[int, Number],
    truth: Mapping[int, Number] | None = None,
) -> Equation:
    """Write the equations of the gradient, after the last step of the sweep.

    An input that no adjoint has reached has derivative 0. For a faulty sweep, `truth` has the correct
    adjoints; each is written after the faulty one.
    """
    each = []
    for i, line in enumerate(takewhile(lambda line: line.kind == "input", lines)):
        pieces = [("g", f"∂{f}/∂{line.label}"), EQUALS]
        if i in adjoints:
            pieces.append(("r", adjoints[i].in_node))
        else:
            pieces += [("r", "0"), ("c", message("never reached"))]
        if truth is not None:
            true_value = truth[i].text if i in truth else "0"
            pieces.append(("c", message("true value", value=true_value)))
        each.append(pieces)
    return join_pieces(_join_groups(each, _GAP))


# Forward


def write_tangents(
    lines: Sequence[Line],
    i: int,
    tangents: Sequence[tuple[Number, ...]],
    directions: Sequence[str],
    through: WayForward,
) -> tuple[Equation, ...]:
    """Write the equations of a value and its tangents, in symbols and in numbers.

    v̇₂ = ∂v₂/∂v₋₁ · v̇₋₁ + ∂v₂/∂v₀ · v̇₀ = v₀ × 1 + v₋₁ × 0 = 5 × 1 + 2 × 0 = 5.

    `through` says how tangents go through a line that has no local partials. For several directions,
    the first equation has the symbols, and one equation for each direction has the numbers.
    """
    line = lines[i]
    own = ("t", format_tangent(line.name))
    is_single = len(directions) == 1
    note: list[Piece] = []
    # For each direction, what stands between the symbols and the tangent.
    middles: list[list[Piece]] = [[] for _ in directions]
    if line.kind == "input":
        head = [own, EQUALS, ("t", format_tangent(line.label))] if line.label else [own]
        note = [_note("the direction")]
    elif way := _write_way_through(line, through):
        head = [own, EQUALS, *way]
    else:
        head = [own, EQUALS, *_write_chain_rule(lines, i)]
        if line.is_scalar:
            rates_by_direction = _list_rates(line, tangents)
            middles = [_write_products(line, rates, is_single) for rates in rates_by_direction]
        elif sums := _write_sum_of_arrays(line):
            middles = [[EQUALS, *sums] for _ in directions]
    if is_single:
        equation = [*head, *middles[0], EQUALS, ("u", tangents[i][0].in_node), *note]
        return (*write_line(line), join_pieces(equation))
    found = [[*head, *note]]
    each = list(zip(directions, middles, tangents[i], strict=True))
    for name, middle, tangent in each[:MAX_LISTED]:
        label = ("c", f"  {format_tangent(name)}: ")
        found.append([label, own, *middle, EQUALS, ("u", tangent.in_node)])
    return (*write_line(line), *map(join_pieces, found))


def _write_chain_rule(lines: Sequence[Line], i: int) -> list[Piece]:
    """The chain rule for the tangent of a line, in symbols: ∂v₂/∂v₋₁ · v̇₋₁ + ∂v₂/∂v₀ · v̇₀."""
    line = lines[i]
    products = []
    for operand in line.line_operands:
        partial = f"∂{line.display_name}/∂{lines[operand.parent].display_name}"
        products.append((partial, format_tangent(operand.name)))
    return _join_products(products, DOT)


def _write_way_through(line: Line, through: WayForward) -> list[Piece]:
    """How tangents go through a line that has no local partials; nothing for one that has them."""
    if not through.text and all(operand.partial for operand in line.line_operands):
        return []
    return [("c" if through.is_name else "p", through.text or "0")]


def _list_rates(line: Line, tangents: Sequence[Sequence[Number]]) -> list[tuple[Number, ...]]:
    """For each direction, the tangents of the operands."""
    operand_tangents = [tangents[operand.parent] for operand in line.line_operands]
    return list(zip(*operand_tangents, strict=True))


def _write_products(line: Line, rates: Sequence[Number], with_formulas: bool) -> list[Piece]:
    """The local partials times the tangents of the operands, in numbers.

    With `with_formulas`, the same products with the partials as formulas come first.
    """
    shown = [atom(rate.in_node) for rate in rates]
    partials = [operand.known_partial.text for operand in line.line_operands]
    in_numbers = _join_products(zip(map(atom, partials), shown, strict=True))
    formulas = [partial_formula(operand) for operand in line.line_operands]
    if not with_formulas or formulas == partials:
        return [EQUALS, *in_numbers]
    in_formulas = _join_products(zip(map(factor, formulas), shown, strict=True))
    return [EQUALS, *in_formulas, EQUALS, *in_numbers]


def _write_sum_of_arrays(
    line: Line, names: Mapping[str, str] = {}, sign: Piece = TIMES, unknown: str = ""
) -> list[Piece]:
    """The local partials times the tangents of the operands, as formulas of arrays; see `write_rate`."""
    products = []
    for operand in line.line_operands:
        formula = partial_formula(operand, names) or unknown
        if not formula:
            return []
        rate = format_tangent(names.get(operand.name, operand.name))
        products.append((factor(formula), rate))
    terms = _join_products(products, sign)
    return fill_with_pieces("the sum of", terms=terms) if is_reduced(line) else terms


def calculate_tangents(
    lines: Sequence[Line],
    i: int,
    tangents: Sequence[Sequence[Number]],
    directions: Sequence[str],
    through: WayForward,
) -> Equation:
    """Write the equation of a value and its rate: ``b: 2 · 5 = 10, rate 5 × 1 + 2 × 0 = 5``.

    For several directions the rates are listed, without their arithmetic.
    """
    line = lines[i]
    pieces = [_head(line)]
    shown = (substitute_values(line) or line.reading) if line.operands else ""
    if shown:
        pieces += [("v", shown), EQUALS]
    pieces.append(("w", line.value.in_node))
    if len(directions) == 1:
        pieces.append(("c", message("rate")))
        if line.operands:
            how = _write_way_through(line, through) or write_rate(lines, i, tangents)
            pieces += [*how, EQUALS] if how else []
        pieces.append(("u", tangents[i][0].in_node))
        return join_pieces(pieces)
    each = zip(directions, tangents[i], strict=True)
    rates = [[("t", f"{name}: "), ("u", tangent.in_node)] for name, tangent in each]
    pieces.append(("c", message("rates")))
    pieces += _join_groups(rates[:MAX_LISTED], ("p", message("separator")))
    if len(rates) > MAX_LISTED:
        pieces.append(("p", "…"))
    return join_pieces(pieces)


def write_rate(
    lines: Sequence[Line],
    i: int,
    tangents: Sequence[Sequence[Number]],
    sign: Piece = TIMES,
    unknown: str = "",
) -> list[Piece]:
    """Write the right-hand side of a tangent's equation: partials times tangents, in numbers or as formulas.

    `unknown` replaces the formula of an array if that is too long. If `unknown` is empty too, nothing
    is written.
    """
    line = lines[i]
    if not line.is_scalar:
        return _write_sum_of_arrays(line, name_operands(lines, i), sign, unknown)
    rates = [atom(tangents[operand.parent][0].text) for operand in line.line_operands]
    first, *others = [operand.known_partial.text for operand in line.line_operands]
    return _join_products(zip([first, *map(atom, others)], rates, strict=True), sign)


def term_forward(operand: Operand, tangent: Number) -> str:
    """Write the term that an operand adds to the equation of a tangent: ``0.2837 × 1``."""
    rate = format_tangent(operand.name)
    if operand.partial is None:
        return rate
    if tangent.shape or operand.partial.shape:
        formula = partial_formula(operand)
        return f"{factor(formula) if formula else message('partials')} × {rate}"
    return f"{atom(operand.partial.text)} × {atom(tangent.in_node)}"


def derivatives(
    f: str,
    result: str,
    labels: Sequence[str],
    directions: Sequence[str],
    tangents: Sequence[Number],
) -> Equation:
    """Write the final equations of forward mode: one partial for each direction along an input, else a rate."""
    names = [f"∂{f}/∂{name}" if name in labels else format_tangent(result) for name in directions]
    found = [
        [("g", name), EQUALS, ("u", tangent.in_node)]
        for name, tangent in zip(names, tangents, strict=True)
    ]
    return join_pieces(_join_groups(found, _GAP))


def same_partials(f: str, pairs: Sequence[tuple[str, Number, Number]]) -> Equation:
    """Write the equations in which forward and reverse mode agree on partial derivatives: ∂f/∂x1 = 5.5 = 5.5."""
    found = [
        [("g", f"∂{f}/∂{name}"), EQUALS, ("u", forward.in_node), EQUALS, ("r", reverse.in_node)]
        for name, forward, reverse in pairs
    ]
    return join_pieces([*_join_groups(found, _GAP), _note("forward and reverse")])


def same_number(
    result: str, tangent: Number, terms: Sequence[tuple[Number, Number]], total: Number
) -> Equation:
    """Write the equation in which forward mode's rate agrees with the gradient times the direction.

    ẏ = 6.3582 = 5.5 × 1 + 1.7163 × 0.5 = 6.3582.
    """
    products = [
        [("a", atom(partial.text)), TIMES, ("t", atom(seed.in_node))] for partial, seed in terms
    ]
    pieces = [("g", format_tangent(result)), EQUALS, ("u", tangent.in_node)]
    pieces += [EQUALS, *_join_groups(products, PLUS)]
    pieces += [EQUALS, ("r", total.in_node)]
    return join_pieces([*pieces, _note("forward and from the gradient")])


# Pieces


def _head(line: Line) -> Piece:
    return "n", f"{line.learner_name}: "


def _note(key: str) -> Piece:
    """A remark after an equation."""
    return "c", f"  {message(key)}"


def _join_groups(groups: Iterable[Sequence[Piece]], between: Piece) -> list[Piece]:
    """Put a piece between groups of pieces."""
    joined: list[Piece] = []
    for group in groups:
        if joined:
            joined.append(between)
        joined += group
    return joined


def _join_products(factors: Iterable[tuple[str, str]], sign: Piece = TIMES) -> list[Piece]:
    """Write the sum of partials times tangents."""
    return _join_groups([[("p", partial), sign, ("t", rate)] for partial, rate in factors], PLUS)


def fill_with_pieces(key: str, **slots: list[Piece]) -> list[Piece]:
    """Fill a string of the catalogue with pieces of an equation; neighbouring notes become one piece."""
    pieces: list[Piece] = []
    for part in message_parts(key, **slots):
        pieces += part if isinstance(part, list) else [("c", part)]
    merged: list[Piece] = []
    for kind, text in pieces:
        if merged and kind == "c" and merged[-1][0] == "c":
            merged[-1] = ("c", merged[-1][1] + text)
        else:
            merged.append((kind, text))
    return merged


def join_pieces(pieces: Sequence[Piece]) -> Equation:
    """Join pieces to an equation."""
    form = "".join(kind for kind, _ in pieces)
    # A sign such as "=" is its own kind, and has no text.
    texts = tuple(text for kind, text in pieces if kind.isalpha())
    return Equation(form, texts)


# Right-hand sides: operations, local partials and maps, in names and in numbers


def name_operands(lines: Sequence[Line], i: int) -> dict[str, str]:
    """Map the tape names of line `i` and its operands to the learner's names, for an equation."""
    own = [i, *(operand.parent for operand in lines[i].line_operands)]
    return {lines[j].name: lines[j].learner_name for j in own}


def write_map(line: Line, operand: Operand, names: Mapping[str, str]) -> str:
    """Write the contribution that goes back through a map, for an equation in the learner's `names`: ``h̄ @ x.T``."""
    bar = format_adjoint(names.get(line.name, line.name))
    return format_expression(operand.formula, names).replace(line.adjoint_name, bar)


def substitute_values(line: Line) -> str:
    """Put the operands' values into the equation of a line: ``2 · 5``.

    Empty if that is too long, or repeats what the equation says anyway.
    """
    text = _put_values(line.text, line.operands)
    known = (line.reading, line.source_expression, line.expression, line.value.text)
    if text in known or len(text) > _MAX_FORMULA_LENGTH:
        return ""
    return text


def substitute_partial(line: Line, slot: int) -> str:
    """Put the operands' values into a local partial of an equation: ``cos 5``; if too long, its value."""
    operand = line.operands[slot]
    text = _put_values(operand.formula, line.operands, {line.name: line.value.text})
    if not operand.formula or len(text) > _MAX_FORMULA_LENGTH:
        return operand.known_partial.text
    return text


def partial_formula(operand: Operand, names: Mapping[str, str] | None = None) -> str:
    """Write a local partial for an equation: as a formula, or else its elements; empty if both are too long."""
    formula = format_expression(operand.formula, names)
    if formula and len(formula) <= _MAX_FORMULA_LENGTH:
        return formula
    partial = operand.known_partial
    is_too_large = bool(partial.shape) and not partial.lists_entries
    return "" if is_too_large else partial.text


def tell_resizing(line: Line, adjoint: Number, send: Contribution) -> str:
    """Tell for an equation whether the adjoint is ``"summed"`` or ``"spread"`` to the operand's shape, or ``""``."""
    sent_shape, own_shape = send.contribution.shape, adjoint.shape
    if sent_shape == own_shape or line.operands[send.slot].partial is None:
        return ""
    sent_size = (len(sent_shape), math.prod(sent_shape))
    own_size = (len(own_shape), math.prod(own_shape))
    return "spread" if sent_size > own_size else "summed"


def is_reduced(line: Line) -> bool:
    """Whether the equation of a line sums up the elements of an operand, weighted by the partials."""
    for operand in line.operands:
        has_weights = operand.partial is not None and operand.partial.shape == operand.value.shape
        if has_weights and len(operand.value.shape) > len(line.value.shape):
            return True
    return False


def _put_values(expression: str, operands: Sequence[Operand], own: Mapping[str, str] = {}) -> str:
    """Replace the operands' names by their values: ``v-1 * v0`` becomes ``2 · 5``.

    Empty if an operand is an array too large to be written out.
    """
    if any(operand.value.shape and not operand.value.lists_entries for operand in operands):
        return ""
    values = {operand.name: operand.value.text for operand in operands if operand.line is not None}
    values |= own
    # The arguments of a single call need no parentheses of their own.
    if not re.fullmatch(r"\w+\([^()]*\)", expression):
        values = {name: atom(text) for name, text in values.items()}
    return format_expression(expression, values)
