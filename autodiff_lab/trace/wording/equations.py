"""Equations: each step as lines of arithmetic, in pieces that a view can colour.

What is *written* is in symbols, with the names of the tape. What is *calculated* is one line in numbers, with the
learner's names. `explanations` says the same in words.
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
    """How tangents go through an operation that has no local partials: its map, or where it `is_name` only its name."""

    text: str = ""
    is_name: bool = False


EQUALS, PLUS, TIMES, DOT = ((sign, "") for sign in "=+×·")
_GAP = ("p", "   ")

# So many directions or lines are listed; of more it is said how many they are.
MAX_LISTED = 4
_MAX_FORMULA_LENGTH = 48


# A line is recorded


def write_line(line: Line) -> tuple[Equation, ...]:
    """Write the equation that a line of the tape records, in symbols: v₂ = v₋₁ · v₀ = 2 · 5 = 10."""
    pieces = [("n", line.display_name), EQUALS, ("p", line.expression), *_write_values(line)]
    return (join_pieces([*pieces, EQUALS, ("w", line.value.text)]),)


def calculate_line(line: Line) -> Equation:
    """Write the equation that a line records, in the learner's names: ``b = x1 · x2 = 2 · 5 = 10``."""
    pieces = [("n", line.learner_name), *([EQUALS, ("p", line.reading)] if line.operands else [])]
    return join_pieces([*pieces, *_write_values(line), EQUALS, ("w", line.value.in_node)])


def _write_values(line: Line) -> list[Piece]:
    values = substitute_values(line) if line.operands else ""
    return [EQUALS, ("v", values)] if values else []


# The sweep


def write_seed(line: Line, seed: Number) -> tuple[Equation, ...]:
    """Write the equation with which the sweep starts, in symbols: v̄₅ = 1, the seed."""
    return (
        join_pieces(
            [("a", format_adjoint(line.name)), EQUALS, ("r", seed.text), _note("the seed")]
        ),
    )


def calculate_seed(line: Line, seed: Number) -> Equation:
    """Write the equation with which the sweep starts: ``∂y/∂y = 1``; of an array, that of its sum ``Σy``."""
    name = line.display_name if line.occurrence else line.learner_name
    return join_pieces(
        [("a", f"∂{'Σ' if seed.shape else ''}{name}/∂{name}"), EQUALS, ("r", seed.in_node)]
    )


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
    """What the adjoint of a result is after its seed; one that is returned twice has two."""
    sum_ = [] if before is None else [("a", before.in_node), PLUS, ("a", seed.in_node), EQUALS]
    return [*sum_, ("r", after.in_node), ("c", message("its seed"))]


def write_total(seeds: Sequence[ResultSeed]) -> str:
    """Write the sum of several results for an equation, each times its seed: ``loss + 0.5·pred``.

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
        return (join_pieces([own, EQUALS, ("a", adjoint.text), _note("nothing is sent back")]),)
    return tuple(join_pieces(_write_contribution(lines, i, adjoint, send)) for send in sends)


def _write_contribution(
    lines: Sequence[Line], i: int, adjoint: Number, send: Contribution
) -> list[Piece]:
    line, parent, operand = lines[i], lines[send.parent], lines[i].operands[send.slot]
    bar = ("a", format_adjoint(line.name))
    held = [] if send.before is None or send.replaces else [("a", send.before.text), PLUS]
    first = held or [("m", message("not reached")), PLUS]
    if send.before is not None and send.replaces:
        first = [("m", message("lost", value=send.before.text)), ("p", "  ")]
    pieces = [("a", format_adjoint(parent.name)), EQUALS, *first]
    end = [EQUALS, ("r", send.after.text)]
    if operand.partial is None:
        return [*pieces, *write_term(line, adjoint, send), *end]
    pieces += [bar, DOT, ("p", f"∂{line.display_name}/∂{parent.display_name}")]
    formula = partial_formula(operand)
    if adjoint.shape or operand.partial.shape:
        pieces += [EQUALS, *held, bar, TIMES, ("p", factor(formula))] if formula else []
    else:
        known = ("a", atom(adjoint.text))
        if formula != operand.partial.text:
            pieces += [EQUALS, *held, known, TIMES, ("p", factor(formula))]
        pieces += [EQUALS, *held, known, TIMES, ("p", atom(operand.partial.text))]
    how = tell_resizing(line, adjoint, send)
    return [
        *pieces,
        *([("c", message(f"{how} to the shape", shape=send.contribution.shape))] if how else []),
        *end,
    ]


def calculate_contribution(
    lines: Sequence[Line], i: int, adjoint: Number, sends: Sequence[Contribution]
) -> Equation:
    """Write the equation of what a line sends and the sum it makes, in numbers: ``x2: −0.2837 + 1 × 2 = 1.7163``."""
    if not sends:
        return join_pieces([_head(lines[i]), ("c", message("nothing is sent back"))])
    (send,) = sends
    held, gone = [], []
    if send.before is not None and send.replaces:
        gone = [("m", f"  {message('lost', value=send.before.in_node)}")]
    elif send.before is not None:
        held = [("a", send.before.in_node), PLUS]
    term = write_term(lines[i], adjoint, send, name_operands(lines, i), bool(held))
    return join_pieces(
        [_head(lines[send.parent]), *held, *term, EQUALS, ("r", send.after.in_node), *gone]
    )


def write_term(
    line: Line,
    adjoint: Number,
    send: Contribution,
    names: Mapping[str, str] = {},
    follows: bool = True,
) -> list[Piece]:
    """Write a contribution as a term of an equation: of numbers ``(−1) × 0.2837``, else how it comes about.

    `names` has the learner's names by those of the tape; a term that `follows` a sum has its sign in parentheses.
    """
    operand, bar = line.operands[send.slot], ("a", format_adjoint(names.get(line.name, line.name)))
    if operand.partial is None:
        # The formula of a map is the whole contribution.
        way = write_map(line, operand, names)
        return (
            fill_with_pieces("through", bar=[bar], map=[("c", way)])
            if operand.formula_is_name
            else [("p", way)]
        )
    if not (adjoint.shape or operand.partial.shape):
        return [
            ("a", atom(adjoint.text) if follows else adjoint.text),
            TIMES,
            ("p", atom(operand.partial.text)),
        ]
    formula = partial_formula(operand, names)
    product = [bar, TIMES, ("p", factor(formula) if formula else message("partials"))]
    how = tell_resizing(line, adjoint, send)
    return fill_with_pieces(f"term {how}", term=product) if how else product


def write_constant(name: str, value: Number | None, inputs: Sequence[str]) -> Equation:
    """Write the equation of a result that depends on no input: ``y = 7``, and that this is so."""
    shown = "None" if value is None else value.text
    note = message("depends on nothing", names=join_items(inputs))
    return join_pieces([("n", name), EQUALS, ("w", shown), ("c", note)])


def gradient(
    f: str,
    lines: Sequence[Line],
    adjoints: Mapping[int, Number],
    truth: Mapping[int, Number] | None = None,
) -> Equation:
    """Write the equations of the gradient, after the last step of the sweep.

    An input that nothing reached has derivative 0. Of a faulty sweep the `truth` stands beside each.
    """
    found = []
    for i, line in enumerate(takewhile(lambda line: line.kind == "input", lines)):
        pieces = [
            ("g", f"∂{f}/∂{line.label}"),
            EQUALS,
            ("r", adjoints[i].in_node if i in adjoints else "0"),
        ]
        pieces += [] if i in adjoints else [("c", message("never reached"))]
        pieces += (
            []
            if truth is None
            else [("c", message("true value", value=truth[i].text if i in truth else "0"))]
        )
        found.append(pieces)
    return join_pieces(_join_groups(found, _GAP))


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

    `through` says how tangents go through a line that has no local partials. Of several directions the symbols stand
    in the first equation only, and each has one with its numbers.
    """
    line = lines[i]
    own = ("t", format_tangent(line.name))
    note: list[Piece] = []
    middles: list[list[Piece]] = [[] for _ in directions]
    if line.kind == "input":
        head = [own, EQUALS, ("t", format_tangent(line.label))] if line.label else [own]
        note = [_note("the direction")]
    elif way := _write_way_through(line, through):
        head = [own, EQUALS, *way]
    else:
        symbols = (
            (f"∂{line.display_name}/∂{lines[o.parent].display_name}", o.name)
            for o in line.line_operands
        )
        head = [
            own,
            EQUALS,
            *_join_products([(partial, format_tangent(name)) for partial, name in symbols], DOT),
        ]
        if line.is_scalar:
            middles = [
                _write_products(line, rates, len(directions) == 1)
                for rates in _list_rates(line, tangents)
            ]
        elif sums := _write_sum_of_arrays(line):
            middles = [[EQUALS, *sums] for _ in directions]
    if len(directions) == 1:
        found = [[*head, *middles[0], EQUALS, ("u", tangents[i][0].text), *note]]
    else:
        found = [[*head, *note]]
        for name, middle, tangent in list(zip(directions, middles, tangents[i], strict=True))[
            :MAX_LISTED
        ]:
            found.append(
                [("c", f"  {format_tangent(name)}: "), own, *middle, EQUALS, ("u", tangent.text)]
            )
    return (*write_line(line), *map(join_pieces, found))


def _write_way_through(line: Line, through: WayForward) -> list[Piece]:
    """How tangents go through a line that has no local partials; nothing for one that has them."""
    if not through.text and all(operand.partial for operand in line.line_operands):
        return []
    return [("c" if through.is_name else "p", through.text or "0")]


def _list_rates(line: Line, tangents: Sequence[Sequence[Number]]) -> list[tuple[Number, ...]]:
    """For each direction the tangents of the operands."""
    return list(zip(*(tangents[operand.parent] for operand in line.line_operands), strict=True))


def _write_products(line: Line, rates: Sequence[Number], with_formulas: bool) -> list[Piece]:
    """The local partials times the tangents of the operands, in numbers; before that the partials as formulas."""
    shown = [atom(rate.text) for rate in rates]
    partials = [operand.known_partial.text for operand in line.line_operands]
    written = [partial_formula(operand) for operand in line.line_operands]
    products = [EQUALS, *_join_products(zip(map(atom, partials), shown, strict=True))]
    if not with_formulas or written == partials:
        return products
    return [EQUALS, *_join_products(zip(map(factor, written), shown, strict=True)), *products]


def _write_sum_of_arrays(
    line: Line, names: Mapping[str, str] = {}, sign: Piece = TIMES, unknown: str = ""
) -> list[Piece]:
    """The local partials times the tangents of the operands, of arrays: in formulas, see `write_rate`."""
    written = [partial_formula(operand, names) or unknown for operand in line.line_operands]
    if not all(written):
        return []
    rates = [
        format_tangent(names.get(operand.name, operand.name)) for operand in line.line_operands
    ]
    terms = _join_products(zip(map(factor, written), rates, strict=True), sign)
    return fill_with_pieces("the sum of", terms=terms) if is_reduced(line) else terms


def calculate_tangents(
    lines: Sequence[Line],
    i: int,
    tangents: Sequence[Sequence[Number]],
    directions: Sequence[str],
    through: WayForward,
) -> Equation:
    """Write the equation of a value and its rate: ``b: 2 · 5 = 10, rate 5 × 1 + 2 × 0 = 5``; or only several rates."""
    line = lines[i]
    shown = (substitute_values(line) or line.reading) if line.operands else ""
    pieces = [_head(line), *([("v", shown), EQUALS] if shown else []), ("w", line.value.in_node)]
    if len(directions) == 1:
        how = line.operands and (
            _write_way_through(line, through) or write_rate(lines, i, tangents)
        )
        pieces += [
            ("c", message("rate")),
            *([*how, EQUALS] if how else []),
            ("u", tangents[i][0].in_node),
        ]
        return join_pieces(pieces)
    each = zip(directions, tangents[i], strict=True)
    rates = [[("t", f"{name}: "), ("u", tangent.in_node)] for name, tangent in each]
    pieces += [
        ("c", message("rates")),
        *_join_groups(rates[:MAX_LISTED], ("p", message("separator"))),
    ]
    return join_pieces(pieces + [("p", "…")] * (len(rates) > MAX_LISTED))


def write_rate(
    lines: Sequence[Line],
    i: int,
    tangents: Sequence[Sequence[Number]],
    sign: Piece = TIMES,
    unknown: str = "",
) -> list[Piece]:
    """Write the side of an equation that a tangent equals: partials times tangents, in numbers or in formulas.

    A formula of arrays that is too long is called `unknown`; nothing is written if that is empty.
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
    return f"{atom(operand.partial.text)} × {atom(tangent.text)}"


def derivatives(
    f: str,
    result: str,
    labels: Sequence[str],
    directions: Sequence[str],
    tangents: Sequence[Number],
) -> Equation:
    """Write the equations that forward mode ends with: a partial for each direction along one input, or a rate."""
    names = [f"∂{f}/∂{name}" if name in labels else format_tangent(result) for name in directions]
    found = [
        [("g", name), EQUALS, ("u", tangent.text)]
        for name, tangent in zip(names, tangents, strict=True)
    ]
    return join_pieces(_join_groups(found, _GAP))


def same_partials(f: str, pairs: Sequence[tuple[str, Number, Number]]) -> Equation:
    """Write the equations in which forward and reverse mode agree on partial derivatives: ∂f/∂x1 = 5.5 = 5.5."""
    found = [
        [("g", f"∂{f}/∂{name}"), EQUALS, ("u", forward.text), EQUALS, ("r", reverse.text)]
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
        [("a", atom(partial.text)), TIMES, ("t", atom(seed.text))] for partial, seed in terms
    ]
    pieces = [
        ("g", format_tangent(result)),
        EQUALS,
        ("u", tangent.text),
        EQUALS,
        *_join_groups(products, PLUS),
        EQUALS,
    ]
    return join_pieces([*pieces, ("r", total.text), _note("forward and from the gradient")])


# Pieces


def _head(line: Line) -> Piece:
    return "n", f"{line.learner_name}: "


def _note(key: str) -> Piece:
    """A remark behind an equation."""
    return "c", f"  {message(key)}"


def _join_groups(groups: Iterable[Sequence[Piece]], between: Piece) -> list[Piece]:
    """Put a piece between groups of pieces."""
    return [
        piece for k, group in enumerate(groups) for piece in ([between, *group] if k else group)
    ]


def _join_products(factors: Iterable[tuple[str, str]], sign: Piece = TIMES) -> list[Piece]:
    """Write the sum of partials times tangents."""
    return _join_groups([[("p", partial), sign, ("t", rate)] for partial, rate in factors], PLUS)


def fill_with_pieces(key: str, **slots: list[Piece]) -> list[Piece]:
    """Fill a string of the catalogue with pieces of an equation; neighbours that are words become one."""
    filled: list[Piece] = []
    parts = (
        part if isinstance(part, list) else [("c", part)] for part in message_parts(key, **slots)
    )
    for piece in (piece for part in parts for piece in part):
        if filled and filled[-1][0] == piece[0] == "c":
            filled[-1] = ("c", filled[-1][1] + piece[1])
        else:
            filled.append(piece)
    return filled


def join_pieces(pieces: Sequence[Piece]) -> Equation:
    """Join pieces to an equation."""
    return Equation(
        "".join(kind for kind, _ in pieces), tuple(text for kind, text in pieces if kind.isalpha())
    )


# Right-hand sides: operations, local partials and maps, in names and in numbers


def name_operands(lines: Sequence[Line], i: int) -> dict[str, str]:
    """The names in the equation of line `i`: what the learner calls it and its operands, by their tape names."""
    own = [i, *(operand.parent for operand in lines[i].line_operands)]
    return {lines[j].name: lines[j].learner_name for j in own}


def write_map(line: Line, operand: Operand, names: Mapping[str, str]) -> str:
    """Write for an equation an adjoint's path back through a map, in the learner's `names`: ``h̄ @ x.T``."""
    bar = format_adjoint(names.get(line.name, line.name))
    return format_expression(operand.formula, names).replace(line.adjoint_name, bar)


def substitute_values(line: Line) -> str:
    """Put the operands' values into the equation of a line: ``2 · 5``; empty if that says no more than the result."""
    text = _put_values(line.text, line.operands)
    known = (line.reading, line.source_expression, line.expression, line.value.text)
    return "" if text in known or len(text) > _MAX_FORMULA_LENGTH else text


def substitute_partial(line: Line, slot: int) -> str:
    """Put the operands' values into a local partial of an equation: ``cos 5``; its value where that is too long."""
    operand = line.operands[slot]
    text = _put_values(operand.formula, line.operands, {line.name: line.value.text})
    return (
        operand.known_partial.text
        if not operand.formula or len(text) > _MAX_FORMULA_LENGTH
        else text
    )


def partial_formula(operand: Operand, names: Mapping[str, str] | None = None) -> str:
    """Write a local partial for an equation: as a formula, or else as its entries; empty if both are long."""
    formula, partial = format_expression(operand.formula, names), operand.known_partial
    if formula and len(formula) <= _MAX_FORMULA_LENGTH:
        return formula
    return "" if partial.shape and not partial.lists_entries else partial.text


def tell_resizing(line: Line, adjoint: Number, send: Contribution) -> str:
    """Tell for an equation if the adjoint is ``"summed"`` or ``"spread"`` to the operand's shape; ``""`` if neither."""
    to, come = send.contribution.shape, adjoint.shape
    if to == come or line.operands[send.slot].partial is None:
        return ""
    return "spread" if (len(to), math.prod(to)) > (len(come), math.prod(come)) else "summed"


def is_reduced(line: Line) -> bool:
    """Whether the equation of a line has a sum of what the line is given, weighted by the partials."""
    return any(
        o.partial is not None
        and len(o.value.shape) > len(line.value.shape)
        and o.partial.shape == o.value.shape
        for o in line.operands
    )


def _put_values(expression: str, operands: Sequence[Operand], own: Mapping[str, str] = {}) -> str:
    """Put the operands' values instead of their names: ``v-1 * v0`` becomes ``2 · 5``.

    Empty if there is an array that is too large to be written out.
    """
    if any(operand.value.shape and not operand.value.lists_entries for operand in operands):
        return ""
    values = {
        operand.name: operand.value.text for operand in operands if operand.line is not None
    } | dict(own)
    if not re.fullmatch(r"\w+\([^()]*\)", expression):
        values = {name: atom(text) for name, text in values.items()}
    return format_expression(expression, values)
