"""Equations: the arithmetic of each step, in pieces that a view can colour.

`explanations` says the same in words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autodiff_lab.text.messages import matches_message, message
from autodiff_lab.text.messages import message_parts as pieces_of
from autodiff_lab.text.notation import atom, factor, format_adjoint, format_expression, format_tangent
from autodiff_lab.trace.model import Contribution, Equation, Line, Number, Operand
from autodiff_lab.trace.wording.formulas import is_name, is_reduced, partial_formula, substitute_values, tell_resizing

KINDS = {
    "n": "name",
    "p": "plain",
    "v": "value",
    "w": "value-result",
    "a": "adjoint",
    "r": "result",
    "t": "tangent",
    "u": "tangent-result",
    "m": "missing",
    "c": "note",
    "g": "gradient",
}
"""What the letters of `Equation.form` stand for; the player's style sheet has a colour for each."""

Piece = tuple[str, str]
EQUALS, PLUS, TIMES, DOT = ((sign, "") for sign in "=+×·")


def write_line(line: Line) -> tuple[Equation, ...]:
    """What a line of the tape records: v₂ = v₋₁ · v₀ = 2 · 5 = 10."""
    pieces = [("n", line.display_name), EQUALS, ("p", line.expression)]
    with_values = substitute_values(line) if line.operands else ""
    if with_values:
        pieces += [EQUALS, ("v", with_values)]
    return (join_pieces([*pieces, EQUALS, ("w", line.value.text)]),)


def write_seed(line: Line, seed: Number) -> tuple[Equation, ...]:
    """How the sweep starts."""
    return (join_pieces([("a", format_adjoint(line.name)), EQUALS, ("r", seed.text), _note("the seed")]),)


def write_sweep(lines: Sequence[Line], i: int, adjoint: Number, sends: Sequence[Contribution]) -> tuple[Equation, ...]:
    """What a line sends: v̄₀ = not reached + v̄₄ · ∂v₄/∂v₀ = (−1) × cos v₀ = (−1) × 0.2837 = −0.2837."""
    if not sends:
        own = ("a", format_adjoint(lines[i].name))
        return (join_pieces([own, EQUALS, ("a", adjoint.text), _note("nothing is sent back")]),)
    return tuple(join_pieces(_write_contribution(lines, i, adjoint, send)) for send in sends)


def write_tangents(
    lines: Sequence[Line], i: int, tangents: Sequence[tuple[Number, ...]], directions: Sequence[str], through: str
) -> tuple[Equation, ...]:
    """A value and its tangents: v̇₂ = ∂v₂/∂v₋₁ · v̇₋₁ + ∂v₂/∂v₀ · v̇₀ = v₀ × 1 + v₋₁ × 0 = 5 × 1 + 2 × 0 = 5.

    `through` says how tangents go through a line that has no local partials.
    """
    line = lines[i]
    own, single = ("t", format_tangent(line.name)), len(directions) == 1
    if line.kind == "input":
        head = [own, EQUALS, ("t", format_tangent(line.label))] if line.label else [own]
        moves = [_note("the direction")]
        return (*write_line(line), *_for_each([*head], [[]] * len(directions), tangents[i], directions, moves))
    moving = [operand for operand in line.operands if operand.line is not None]
    head = [own, EQUALS]
    if through or any(operand.partial is None for operand in moving):
        head += [("c" if matches_message("pushforward of", through) else "p", through or "0")]
        return (*write_line(line), *_for_each(head, [[]] * len(directions), tangents[i], directions))
    symbols = [
        [("p", f"∂{line.display_name}/∂{lines[o.line].display_name}"), DOT, ("t", format_tangent(o.name))]
        for o in moving
    ]
    head += join_terms(symbols)
    arrays = bool(line.value.shape) or any(o.value.shape for o in moving)
    formulas = [partial_formula(operand) for operand in moving]
    if arrays:
        terms = [
            [("p", factor(how)), TIMES, ("t", format_tangent(o.name))] for how, o in zip(formulas, moving, strict=True)
        ]
        written = fill_with_pieces("the sum of", terms=join_terms(terms)) if is_reduced(line) else join_terms(terms)
        middle = [[EQUALS, *written]] if all(formulas) else [[]]
        return (*write_line(line), *_for_each(head, middle * len(directions), tangents[i], directions))
    middles = []
    for k in range(len(directions)):
        rates = [("t", atom(tangents[o.line][k].text)) for o in moving]
        values = [[("p", atom(o.partial.text)), TIMES, rate] for o, rate in zip(moving, rates, strict=True)]
        named = [[("p", factor(how)), TIMES, rate] for how, rate in zip(formulas, rates, strict=True)]
        middle = [EQUALS, *join_terms(named)] if single and formulas != [o.partial.text for o in moving] else []
        middles.append([*middle, EQUALS, *join_terms(values)])
    return (*write_line(line), *_for_each(head, middles, tangents[i], directions))


_MAX_DIRECTIONS = 4


def _for_each(
    head: list[Piece],
    middles: Sequence[list[Piece]],
    tangents: Sequence[Number],
    directions: Sequence[str],
    note: Sequence[Piece] = (),
) -> list[Equation]:
    """One equation for each direction; the symbols stand in the first only."""
    if len(directions) == 1:
        return [join_pieces([*head, *middles[0], EQUALS, ("u", tangents[0].text), *note])]
    written = [join_pieces([*head, *note])]
    for name, middle, tangent in list(zip(directions, middles, tangents, strict=True))[:_MAX_DIRECTIONS]:
        written.append(
            join_pieces([("c", f"  {format_tangent(name)}: "), head[0], *middle, EQUALS, ("u", tangent.text)])
        )
    return written


def join_terms(terms: Sequence[Sequence[Piece]]) -> list[Piece]:
    """Put a plus between terms."""
    return [piece for k, term in enumerate(terms) for piece in ([PLUS, *term] if k else term)]


def derivatives(
    f: str, result: str, labels: Sequence[str], directions: Sequence[str], tangents: Sequence[Number]
) -> Equation:
    """What the run forward was for: a partial derivative for each direction along one input, or else a rate."""
    pieces: list[Piece] = []
    for name, tangent in zip(directions, tangents, strict=True):
        pieces += [("p", "   ")] if pieces else []
        pieces += [("g", f"∂{f}/∂{name}" if name in labels else format_tangent(result)), EQUALS, ("u", tangent.text)]
    return join_pieces(pieces)


def same_partials(f: str, pairs: Sequence[tuple[str, Number, Number]]) -> Equation:
    """Forward and in reverse, the same: ∂f/∂x1 = 5.5 = 5.5."""
    pieces: list[Piece] = []
    for name, forward, reverse in pairs:
        pieces += [("p", "   ")] if pieces else []
        pieces += [("g", f"∂{f}/∂{name}"), EQUALS, ("u", forward.text), EQUALS, ("r", reverse.text)]
    return join_pieces([*pieces, _note("forward and reverse")])


def same_number(result: str, tangent: Number, terms: Sequence[tuple[Number, Number]], total: Number) -> Equation:
    """Forward a rate, in reverse the gradient times the direction: ẏ = 6.3582 = 5.5 × 1 + 1.7163 × 0.5 = 6.3582."""
    products = [[("a", atom(partial.text)), TIMES, ("t", atom(seed.text))] for partial, seed in terms]
    pieces = [("g", format_tangent(result)), EQUALS, ("u", tangent.text), EQUALS, *join_terms(products), EQUALS]
    return join_pieces([*pieces, ("r", total.text), _note("forward and from the gradient")])


def term(line: Line, adjoint: Number, send: Contribution) -> str:
    """The product that a contribution is: ``(−1) × 0.2837``; for arrays and maps how it comes about."""
    operand = line.operands[send.slot]
    bar = format_adjoint(line.name)
    if operand.partial is None:
        formula = format_expression(operand.formula)
        return message("through", bar=bar, map=formula) if is_name(formula) else formula
    if adjoint.shape or operand.partial.shape:
        formula = partial_formula(operand)
        how, product = (
            tell_resizing(line, adjoint, send),
            f"{bar} × {factor(formula) if formula else message('partials')}",
        )
        return message(f"term {how}", term=product) if how else product
    return f"{atom(adjoint.text)} × {atom(operand.partial.text)}"


def term_forward(operand: Operand, tangent: Number) -> str:
    """The product that an operand brings to a tangent: ``0.2837 × 1``."""
    rate = format_tangent(operand.name)
    if operand.partial is None:
        return rate
    if tangent.shape or operand.partial.shape:
        formula = partial_formula(operand)
        return f"{factor(formula) if formula else message('partials')} × {rate}"
    return f"{atom(operand.partial.text)} × {atom(tangent.text)}"


def gradient(
    f: str, lines: Sequence[Line], adjoints: Mapping[int, Number], truth: Mapping[int, Number] | None = None
) -> Equation | None:
    """What the sweep was for; None without inputs. An input that nothing reached has derivative 0.

    Of a faulty sweep the `truth` stands beside each.
    """
    pieces: list[Piece] = []
    for i, line in enumerate(lines):
        if line.kind != "input":
            break
        shown = adjoints[i].text if i in adjoints else "0"
        pieces += [("p", "   ")] if pieces else []
        pieces += [("g", f"∂{f}/∂{line.label}"), EQUALS, ("r", shown)]
        pieces += [] if i in adjoints else [("c", message("never reached"))]
        pieces += [] if truth is None else [("c", message("true value", value=truth[i].text if i in truth else "0"))]
    return join_pieces(pieces) if pieces else None


def _write_contribution(lines: Sequence[Line], i: int, adjoint: Number, send: Contribution) -> list[Piece]:
    line, parent, operand = lines[i], lines[send.parent], lines[i].operands[send.slot]
    bar = ("a", format_adjoint(line.name))
    held = [] if send.before is None or send.replaces else [("a", send.before.text), PLUS]
    first = [("m", message("lost", value=send.before.text)), ("p", "  ")] if send.replaces and send.before else held
    pieces = [("a", format_adjoint(parent.name)), EQUALS, *(first or [("m", message("not reached")), PLUS])]
    if operand.partial is None:
        formula = format_expression(operand.formula)
        # The formula of a map is the whole contribution.
        pieces += fill_with_pieces("through", bar=[bar], map=[("c", formula)]) if is_name(formula) else [("p", formula)]
        return [*pieces, EQUALS, ("r", send.after.text)]
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
    pieces += [("c", message(f"{how} to the shape", shape=send.contribution.shape))] if how else []
    return [*pieces, EQUALS, ("r", send.after.text)]


def _note(key: str) -> Piece:
    """A remark behind an equation."""
    return "c", f"  {message(key)}"


def fill_with_pieces(key: str, **slots: list[Piece]) -> list[Piece]:
    """A string of the catalogue among the pieces of an equation; neighbours that are words become one."""
    filled: list[Piece] = []
    for piece in (p for part in pieces_of(key, **slots) for p in ([("c", part)] if isinstance(part, str) else part)):
        if filled and filled[-1][0] == piece[0] == "c":
            filled[-1] = ("c", filled[-1][1] + piece[1])
        else:
            filled.append(piece)
    return filled


def join_pieces(pieces: Sequence[Piece]) -> Equation:
    """Make an equation of its pieces."""
    return Equation("".join(kind for kind, _ in pieces), tuple(text for kind, text in pieces if kind.isalpha()))
