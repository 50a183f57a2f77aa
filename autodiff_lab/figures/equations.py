"""The arithmetic of each step, in pieces that a view can colour: values, adjoints, what is not there yet.

`sentences` says the same in words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autodiff_lab.figures.notation import atom, factor, pretty_adjoint, readable
from autodiff_lab.figures.sentences import is_name, partial_formula, resized, substituted
from autodiff_lab.figures.trace import Equation, Line, Number, Send

KINDS = {
    "n": "name",
    "p": "plain",
    "v": "value",
    "w": "value-result",
    "a": "adjoint",
    "r": "result",
    "m": "missing",
    "c": "note",
    "g": "gradient",
}
"""What the letters of `Equation.form` stand for; the player's style sheet has a colour for each."""

_Piece = tuple[str, str]
_EQUALS, _PLUS, _TIMES, _DOT = ((sign, "") for sign in "=+×·")


def recorded(line: Line) -> tuple[Equation, ...]:
    """What a line of the tape records: v₂ = v₋₁ · v₀ = 2 · 5 = 10."""
    pieces = [("n", line.shown), _EQUALS, ("p", line.expression)]
    with_values = substituted(line) if line.operands else ""
    if with_values:
        pieces += [_EQUALS, ("v", with_values)]
    return (_equation([*pieces, _EQUALS, ("w", line.value.text)]),)


def seeded(line: Line, seed: Number) -> tuple[Equation, ...]:
    """How the sweep starts."""
    note = "  the seed: the result with respect to itself"
    return (_equation([("a", pretty_adjoint(line.name)), _EQUALS, ("r", seed.text), ("c", note)]),)


def swept(lines: Sequence[Line], i: int, adjoint: Number, sends: Sequence[Send]) -> tuple[Equation, ...]:
    """What a line sends: v̄₀ = not reached + v̄₄ · ∂v₄/∂v₀ = (−1) × cos v₀ = (−1) × 0.2837 = −0.2837."""
    if not sends:
        own = ("a", pretty_adjoint(lines[i].name))
        return (_equation([own, _EQUALS, ("a", adjoint.text), ("c", "  nothing is sent back")]),)
    return tuple(_equation(_sent(lines, i, adjoint, send)) for send in sends)


def gradient(f: str, lines: Sequence[Line], adjoints: Mapping[int, Number]) -> Equation | None:
    """What the sweep was for; None without inputs. An input that nothing reached has derivative 0."""
    pieces: list[_Piece] = []
    for i, line in enumerate(lines):
        if line.kind != "input":
            break
        shown = adjoints[i].text if i in adjoints else "0"
        pieces += [("p", "   ")] if pieces else []
        pieces += [("g", f"∂{f}/∂{line.label}"), _EQUALS, ("r", shown)]
        pieces += [] if i in adjoints else [("c", " (never reached)")]
    return _equation(pieces) if pieces else None


def _sent(lines: Sequence[Line], i: int, adjoint: Number, send: Send) -> list[_Piece]:
    line, parent, operand = lines[i], lines[send.parent], lines[i].operands[send.slot]
    bar = ("a", pretty_adjoint(line.name))
    held = [] if send.before is None else [("a", send.before.text), _PLUS]
    pieces = [("a", pretty_adjoint(parent.name)), _EQUALS, *(held or [("m", "not reached"), _PLUS])]
    if operand.partial is None:
        formula = readable(operand.formula)
        # The formula of a map is the whole contribution.
        pieces += [bar, ("c", f" through the {formula}")] if is_name(formula) else [("p", formula)]
        return [*pieces, _EQUALS, ("r", send.after.text)]
    pieces += [bar, _DOT, ("p", f"∂{line.shown}/∂{parent.shown}")]
    formula = partial_formula(operand)
    if adjoint.shape or operand.partial.shape:
        pieces += [_EQUALS, *held, bar, _TIMES, ("p", factor(formula))] if formula else []
    else:
        known = ("a", atom(adjoint.text))
        if formula != operand.partial.text:
            pieces += [_EQUALS, *held, known, _TIMES, ("p", factor(formula))]
        pieces += [_EQUALS, *held, known, _TIMES, ("p", atom(operand.partial.text))]
    how = resized(line, adjoint, send)
    pieces += [("c", f" {how} to the shape {send.contribution.shape}")] if how else []
    return [*pieces, _EQUALS, ("r", send.after.text)]


def _equation(pieces: Sequence[_Piece]) -> Equation:
    return Equation("".join(kind for kind, _ in pieces), tuple(text for kind, text in pieces if kind.isalpha()))
