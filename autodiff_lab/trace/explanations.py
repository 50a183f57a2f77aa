"""Explanations: a sentence for each step, in plain words.

Each function looks only at the lines and at what was sent; their words are in the catalogue.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import count, groupby
from operator import itemgetter
from typing import Any

import numpy as np

from autodiff_lab.text.messages import (
    join_items,
    join_sentences,
    join_with_and,
    matches_message,
    message,
    number_word,
    plural_message,
    template,
)
from autodiff_lab.text.notation import atom, factor, format_adjoint, format_expression, format_tangent
from autodiff_lab.trace.model import Contribution, Line, Number, Operand, Source

_MAX_FORMULA_LENGTH = 48
_MAX_LISTED = 4


def opening(title: str, lines: Sequence[Line]) -> str:
    """Say what there is to see before the first step."""
    at = _at(lines)
    return message("opening at", title=title, at=at) if at else message("opening", title=title)


def opening_forward(title: str, lines: Sequence[Line], shown: Sequence[str]) -> str:
    """Say what there is to see before the first step forward; `shown` are the directions, written out."""
    if len(shown) == 1:
        return message("opening forward", title=title, at=_at(lines), direction=shown[0])
    return message("opening forward, several", title=title, at=_at(lines), n=number_word(len(shown)))


def _at(lines: Sequence[Line]) -> str:
    return join_items(f"{line.label} = {line.value.text}" for line in lines if line.kind == "input")


def explain_line(lines: Sequence[Line], i: int) -> str:
    """Say what a line of the tape records: v₂ = x1 · x2 = 2 · 5 = 10."""
    line = lines[i]
    if line.kind == "input":
        return message("input", **_input_slots(line))
    return join_sentences(announce_turn(lines, i), _explain_operation(lines, i))


def announce_turn(lines: Sequence[Line], i: int) -> str:
    """Say which turn of a loop begins with a line, if one does: ``Turn 2 of 5:``."""
    turns = lines[i].turns
    if not turns or (i and lines[i - 1].turns == turns):
        return ""
    said = [message("turn" if k else "turn first", n=turn.n, count=turn.count) for k, turn in enumerate(turns)]
    return message("turn begins", turns=join_items(said))


def _explain_operation(lines: Sequence[Line], i: int) -> str:
    line = lines[i]
    first = line.sweep_id and all(earlier.sweep_id != line.sweep_id for earlier in lines[:i])
    copied = dict.fromkeys(_explain_copy(lines, line, operand) for operand in line.operands if operand.is_copied)
    return join_sentences(
        message("recorded", equation=_equation(line)), *copied, message("inner sweep begins") if first else ""
    )


def _explain_copy(lines: Sequence[Line], line: Line, operand: Operand) -> str:
    """Say that broadcasting copies an operand: ``w (v₀), of shape (3,), is copied to (2, 3)``."""
    if operand.line is None:
        return ""
    key = "operand copied" if operand.value.shape else "number copied"
    return message(key, name=_full_name(lines, operand.line), shape=operand.value.shape, to=line.value.shape)


def _input_slots(line: Line) -> dict[str, str]:
    return {"name": line.display_name, "label": line.label or line.display_name, "value": line.value.text}


def _equation(line: Line) -> str:
    """What an operation computes, as an equation."""
    with_values = substitute_values(line)
    return " = ".join(
        [line.display_name, line.source_expression, *([with_values] if with_values else []), line.value.text]
    )


def explain_tangents(
    lines: Sequence[Line], i: int, tangents: Sequence[tuple[Number, ...]], directions: Sequence[str], through: str
) -> str:
    """Say what a line computes forward: its value, and its tangent in each direction."""
    return join_sentences(announce_turn(lines, i), _explain_tangents(lines, i, tangents, directions, through))


def _explain_tangents(
    lines: Sequence[Line], i: int, tangents: Sequence[tuple[Number, ...]], directions: Sequence[str], through: str
) -> str:
    line = lines[i]
    own = format_tangent(line.name)
    if len(directions) > 1:
        shown = list(zip(directions, tangents[i], strict=True))
        rates = join_items(
            message("rate along", tangent=tangent.text, name=name) for name, tangent in shown[:_MAX_LISTED]
        )
        if len(shown) > _MAX_LISTED:
            rates = message("rates, cut", rates=rates, n=number_word(len(shown) - _MAX_LISTED))
        if line.kind == "input":
            return message("input tangents", **_input_slots(line), tangent=own, rates=rates)
        return message("with its tangents", equation=_equation(line), tangent=own, rates=rates)
    tangent = tangents[i][0].text
    if line.kind == "input":
        key = "input stays" if _all_zero(tangents[i][0]) else "input moves"
        return message(key, **_input_slots(line), tangent=own, rate=tangent)
    moving = [operand for operand in line.operands if operand.line is not None]
    scalar = not line.value.shape and all(o.partial and not o.value.shape for o in moving)
    if not scalar:
        how = through or " + ".join(
            f"{factor(partial_formula(o) or message('weights'))} · {format_tangent(o.name)}"
            for o in moving
            if o.partial
        )
        how = message("the sum of", terms=how) if is_reduced(line) else how
        equation = " = ".join([own, *([how] if how else []), tangent])
        return message("with its tangent", equation=_equation(line), tangent=equation)
    terms = " + ".join(
        f"{atom(o.partial.text) if k else o.partial.text} · {atom(tangents[o.line][0].text)}"
        for k, o in enumerate(moving)
    )
    return message("with its tangent", equation=_equation(line), tangent=f"{own} = {terms} = {tangent}")


def explain_seed(lines: Sequence[Line], i: int, seed: Number) -> str:
    """Say how the sweep starts."""
    name = _full_name(lines, i)
    return message("seeded array", name=name) if seed.shape else message("seeded", name=name, seed=seed.text)


def explain_sweep(
    lines: Sequence[Line], i: int, adjoint: Number, sends: Sequence[Contribution], later: Sequence[int] = ()
) -> str:
    """Say what a line sends to a parent, and who still waits for more.

    Parameters
    ----------
    lines : sequence of Line
    i : int
        The line that sends.
    adjoint : Number
        Its adjoint.
    sends : sequence of Contribution
        What it sends; one contribution, or none.
    later : sequence of int
        The lines that will send to the same parent later; a line once for each operand.
    """
    who = f"{lines[i].display_name} = {lines[i].source_expression}"
    if not sends:
        return message("sends nothing back", line=who)
    (send,) = sends
    slots = {
        "who": who,
        "what": _arithmetic(lines[i], adjoint, send),
        "parent": _full_name(lines, send.parent),
        "name": lines[send.parent].display_name,
        "now": send.after.text,
    }
    if send.replaces and send.before is not None:
        said = message("sends in place", **slots, before=send.before.text)
    else:
        if send.before is not None and not send.after.shape:
            slots["now"] = f"{send.before.text} + {atom(send.contribution.text)} = {send.after.text}"
        said = message("sends", **slots)
    return join_sentences(said, _name_waiting(lines, i, send.parent, later) if later else "")


def constant_note(value: Number | None) -> str:
    """Say that the result depends on no input."""
    return message("nothing returned") if value is None else message("constant", value=value.text)


def counts_note(tape: Any) -> str:
    """Say which integers stay constant, and why."""
    named = [f"{name} = {tape.constant_arguments[name]!r}" for name in tape.count_arguments]
    return plural_message("counts", len(named), names=join_items(named)) if named else ""


def way_notes(sources: Sequence[Source]) -> list[str]:
    """Say of each source which of its lines did not run, and which ran several times."""
    notes = []
    for source in sources:
        said = []
        for n, stretch in groupby(zip(source.ran, count(source.first_line), strict=False), key=itemgetter(0)):
            rows = [row for _, row in stretch]
            if n not in (-1, 1):
                said.append(
                    plural_message("line ran" if n else "line missed", len(rows), line=rows[0], last=rows[-1], n=n)
                )
        notes += [message("the way of", name=source.name, ways=template("semicolon").join(said))] if said else []
    return notes


def array_note(lines: Sequence[Line], result: int | None) -> str:
    """Say what reverse mode does with an array."""
    if result is None or not lines[result].value.shape:
        return ""
    return message("array result", shape=lines[result].value.shape)


def sweeps_note(lines: Sequence[Line]) -> str:
    """Say which lines the sweeps of inner derivatives have written."""
    said = []
    for sweep in sorted({line.sweep_id for line in lines} - {0}):
        names = [line.display_name for line in lines if line.sweep_id == sweep]
        which = names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}"
        said.append(message("a recorded sweep", lines=which, n=number_word(len(names))))
    return join_sentences(*said)


def substitute_values(line: Line) -> str:
    """Write the operation with its operands' values: ``2 · 5``; empty if that says no more than the result does."""
    text = _put_values(line.text, line.operands)
    return (
        text
        if text not in (line.source_expression, line.expression, line.value.text) and len(text) <= _MAX_FORMULA_LENGTH
        else ""
    )


def substitute_partial(line: Line, slot: int) -> str:
    """Write a local partial that is a number with the operands' values: ``cos 5``; its value where that is too long."""
    operand = line.operands[slot]
    text = _put_values(operand.formula, line.operands, {line.name: line.value.text})
    return operand.partial.text if not operand.formula or len(text) > _MAX_FORMULA_LENGTH else text


def partial_formula(operand: Operand) -> str:
    """Write a local partial as a formula, or else as its entries; empty if both are long."""
    formula, entries = format_expression(operand.formula), operand.partial.text
    if formula and len(formula) <= _MAX_FORMULA_LENGTH:
        return formula
    return "" if operand.partial.shape and not entries.startswith("[") else entries


def tell_resizing(line: Line, adjoint: Number, send: Contribution) -> str:
    """Tell whether the adjoint is ``"summed"`` to the operand's shape, or ``"spread"`` to it; empty if neither."""
    to, come = send.contribution.shape, adjoint.shape
    if to == come or line.operands[send.slot].partial is None:
        return ""
    return "spread" if (len(to), math.prod(to)) > (len(come), math.prod(come)) else "summed"


def _all_zero(number: Number) -> bool:
    return number.value is not None and not np.any(np.array(number.value, dtype=float))


def is_reduced(line: Line) -> bool:
    """Whether the line sums up what it is given, weighted by the partials."""
    return any(
        o.partial is not None and len(o.value.shape) > len(line.value.shape) and o.partial.shape == o.value.shape
        for o in line.operands
    )


def _full_name(lines: Sequence[Line], i: int) -> str:
    line = lines[i]
    return (
        line.display_name if line.label_or_name == line.display_name else f"{line.label_or_name} ({line.display_name})"
    )


def _put_values(expression: str, operands: Sequence[Operand], own: Mapping[str, str] = {}) -> str:
    """Put the operands' values in the place of their names: ``v-1 * v0`` becomes ``2 · 5``.

    Empty if there is an array that is too large to be written out.
    """
    if any(operand.value.shape and not operand.value.text.startswith("[") for operand in operands):
        return ""
    values = {operand.name: operand.value.text for operand in operands if operand.line is not None} | dict(own)
    if not re.fullmatch(r"\w+\([^()]*\)", expression):
        values = {name: atom(text) for name, text in values.items()}
    return format_expression(expression, values)


def _arithmetic(line: Line, adjoint: Number, send: Contribution) -> str:
    """``−1 · cos 5 = −0.2837``; for arrays the formula ``v̄₂ · cos v₁ = [1 2 3]``; for a linear map the map."""
    operand = line.operands[send.slot]
    contribution = send.contribution.text
    if operand.partial is None:
        formula = format_expression(operand.formula)
        how = message("its adjoint through", map=formula) if is_name(formula) else formula
        return f"{how} = {contribution}"
    if adjoint.shape or operand.partial.shape or send.contribution.shape:
        formula = partial_formula(operand) or f"∂{line.display_name}/∂{format_expression(operand.name)}"
        product = f"{format_adjoint(line.name)} · {factor(formula)}"
        # An operand was copied to fit: the adjoint of copying is adding. Of adding, in a reduction, it is copying.
        key = {"": "", "summed": "summed over copies", "spread": "spread over entries"}[
            tell_resizing(line, adjoint, send)
        ]
        return f"{message(key, product=product) if key else product} = {contribution}"
    return f"{adjoint.text} · {factor(substitute_partial(line, send.slot))} = {contribution}"


def is_name(formula: str) -> bool:
    """Whether a way back is not written out, but named: ``transpose of cumsum``."""
    return matches_message("transpose of", formula) or matches_message("pullback of", formula)


def _name_waiting(lines: Sequence[Line], i: int, parent: int, later: Sequence[int]) -> str:
    users = list(dict.fromkeys(reversed(later)))
    many = len(users) > _MAX_LISTED
    where = (
        message("other lines", n=number_word(len(users)))
        if many
        else join_with_and(
            [message("another operand", name=lines[j].display_name) if j == i else lines[j].display_name for j in users]
        )
    )
    return plural_message(
        "still to come", len(later), n=number_word(len(later)), name=lines[parent].label_or_name, where=where
    )
