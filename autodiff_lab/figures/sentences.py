"""What happens at each step, in plain words.

Each function looks only at the lines and at what was sent; all of the words a learner reads about a step are here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np

from autodiff_lab.figures.notation import atom, factor, number, pretty_adjoint, pretty_tangent, readable
from autodiff_lab.figures.trace import Line, Number, Operand, Send

_LONG = 48
_MOST = 4
_COUNT = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def opening(title: str, lines: Sequence[Line]) -> str:
    """Say what there is to see before the first step."""
    at = ", ".join(f"{line.label} = {line.value.text}" for line in lines if line.kind == "input")
    return f"Nothing is recorded yet. Step forward to run {title}{f' at {at}' if at else ''}."


def opening_forward(title: str, lines: Sequence[Line], shown: Sequence[str]) -> str:
    """Say what there is to see before the first step forward; `shown` are the directions, written out."""
    at = ", ".join(f"{line.label} = {line.value.text}" for line in lines if line.kind == "input")
    moving = f"in the direction {shown[0]}" if len(shown) == 1 else f"in {_count(len(shown))} directions at once"
    return (
        f"Nothing is computed yet. Step forward to run {title} at {at} {moving}: each value brings its tangent along."
    )


def recorded(lines: Sequence[Line], i: int) -> str:
    """Say what a line of the tape records: v₂ = x1 · x2 = 2 · 5 = 10."""
    line = lines[i]
    if line.kind == "input":
        return f"{line.shown} is the input {line.label or line.shown} = {line.value.text}."
    with_values = substituted(line)
    parts = [line.shown, line.meaning, *([with_values] if with_values else []), line.value.text]
    return " = ".join(parts) + "."


def pushed(
    lines: Sequence[Line], i: int, tangents: Sequence[tuple[Number, ...]], directions: Sequence[str], through: str
) -> str:
    """Say what a line computes forward: its value, and its tangent in each direction."""
    line = lines[i]
    value, own = recorded(lines, i).removesuffix("."), pretty_tangent(line.name)
    if len(directions) > 1:
        shown = list(zip(directions, tangents[i], strict=True))
        rates = ", ".join(f"{tangent.text} along {name}" for name, tangent in shown[:_MOST])
        more = f", and {_count(len(shown) - _MOST)} more" if len(shown) > _MOST else ""
        return f"{value}; with it its tangents {own}: {rates}{more}."
    tangent = tangents[i][0].text
    if line.kind == "input":
        if _all_zero(tangents[i][0]):
            return f"{value}; the direction holds it still: {own} = 0."
        return f"{value}; the direction moves it: {own} = {tangent}."
    moving = [operand for operand in line.operands if operand.line is not None]
    scalar = not line.value.shape and all(o.partial and not o.value.shape for o in moving)
    if not scalar:
        how = through or " + ".join(
            f"{factor(partial_formula(o) or 'weights')} · {pretty_tangent(o.name)}" for o in moving if o.partial
        )
        how = f"the sum of {how}" if is_reduced(line) else how
        return f"{value}; with it {own} = {f'{how} = ' if how else ''}{tangent}."
    terms = " + ".join(
        f"{atom(o.partial.text) if k else o.partial.text} · {atom(tangents[o.line][0].text)}"
        for k, o in enumerate(moving)
    )
    return f"{value}; with it {own} = {terms} = {tangent}."


def seeded(lines: Sequence[Line], i: int, seed: Number) -> str:
    """Say how the sweep starts."""
    name = _named(lines, i)
    if seed.shape:
        return (
            f"Start the sweep: {name} is the result, an array; each of its entries gets the adjoint 1, "
            "so their sum is differentiated."
        )
    return f"Start the sweep: {name} is the result, so its adjoint is {seed.text}."


def swept(
    lines: Sequence[Line],
    i: int,
    adjoint: Number,
    sends: Sequence[Send],
    waiting: Mapping[int, Sequence[int]],
) -> str:
    """Say what a line sends to its parents, and who still waits for more.

    Parameters
    ----------
    lines : sequence of Line
    i : int
        The line that sends.
    adjoint : Number
        Its adjoint.
    sends : sequence of Send
        What it sends.
    waiting : mapping of int to sequence of int
        For each parent, the lines that will send to it later; a line once for each operand.
    """
    line = lines[i]
    subject = f"{line.shown} = {line.meaning}"
    if not sends:
        return f"{subject} sends nothing back: its derivative is 0 wherever it has one."
    said = []
    for n, send in enumerate(sends[:_MOST]):
        name = lines[send.parent].shown
        who = subject if n == 0 else line.shown
        now = send.after.text
        if send.replaces and send.before is not None:
            now = f"{now}, in the place of {send.before.text}"
        elif send.before is not None and not send.after.shape:
            now = f"{send.before.text} + {atom(send.contribution.text)} = {now}"
        said.append(
            f"{who} sends {_arithmetic(line, adjoint, send)} to {_named(lines, send.parent)}; {name} now holds {now}."
        )
    if len(sends) > _MOST:
        said.append(f"It sends to {_count(len(sends) - _MOST)} more in the same way.")
    parents = list(dict.fromkeys(send.parent for send in sends))[:_MOST]
    said += [_more(lines, parent, waiting[parent]) for parent in parents if waiting.get(parent)]
    return " ".join(said)


def constant_note(value: Number | None) -> str:
    """Say that the result depends on no input."""
    what = f"is {value.text}, which" if value is not None else "is None: the function returns nothing, so it"
    return f"The result {what} does not depend on the inputs: there is nothing to sweep, and each derivative is 0."


def array_note(lines: Sequence[Line], result: int | None) -> str:
    """Say what reverse mode does with an array."""
    if result is None or not lines[result].value.shape:
        return ""
    return f"The result is an array of shape {lines[result].value.shape}: the sum of its entries is differentiated."


def substituted(line: Line) -> str:
    """Write the operation with its operands' values: ``2 · 5``; empty if that says no more than the result does."""
    text = _with_numbers(line.text, line.operands)
    return text if text not in (line.meaning, line.expression, line.value.text) and len(text) <= _LONG else ""


def substituted_partial(line: Line, slot: int) -> str:
    """Write a local partial that is a number with the operands' values: ``cos 5``; its value where that is too long."""
    operand = line.operands[slot]
    text = _with_numbers(operand.formula, line.operands, {line.name: line.value.text})
    return operand.partial.text if not operand.formula or len(text) > _LONG else text


def partial_formula(operand: Operand) -> str:
    """Write a local partial as a formula, or else as its entries; empty if both are long."""
    formula, entries = readable(operand.formula), operand.partial.text
    if formula and len(formula) <= _LONG:
        return formula
    return "" if operand.partial.shape and not entries.startswith("[") else entries


def resized(line: Line, adjoint: Number, send: Send) -> str:
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


def _named(lines: Sequence[Line], i: int) -> str:
    line = lines[i]
    return line.shown if line.called == line.shown else f"{line.called} ({line.shown})"


def _with_numbers(expression: str, operands: Sequence[Operand], own: Mapping[str, str] = {}) -> str:
    """Put the operands' values in the place of their names: ``v-1 * v0`` becomes ``2 · 5``.

    Empty if there is an array that is too large to be written out.
    """
    if any(operand.value.shape and not operand.value.text.startswith("[") for operand in operands):
        return ""
    values = {operand.name: operand.value.text for operand in operands if operand.line is not None} | dict(own)
    if not re.fullmatch(r"\w+\([^()]*\)", expression):
        values = {name: atom(text) for name, text in values.items()}
    return readable(expression, values)


def _arithmetic(line: Line, adjoint: Number, send: Send) -> str:
    """``−1 · cos 5 = −0.2837``; for arrays the formula ``v̄₂ · cos v₁ = [1 2 3]``; for a linear map the map."""
    operand = line.operands[send.slot]
    contribution = send.contribution.text
    if operand.partial is None:
        formula = readable(operand.formula)
        how = f"its adjoint through the {formula}" if is_name(formula) else formula
        return f"{how} = {contribution}"
    if adjoint.shape or operand.partial.shape or send.contribution.shape:
        formula = partial_formula(operand) or f"∂{line.shown}/∂{readable(operand.name)}"
        product = f"{pretty_adjoint(line.name)} · {factor(formula)}"
        # An operand was copied to fit: the adjoint of copying is adding. Of adding, in a reduction, it is copying.
        how = {
            "": product,
            "summed": f"the sum of {product} over its copies",
            "spread": f"{product}, spread over the entries,",
        }
        return f"{how[resized(line, adjoint, send)]} = {contribution}"
    return f"{adjoint.text} · {factor(substituted_partial(line, send.slot))} = {contribution}"


def is_name(formula: str) -> bool:
    """Whether a way back is not written out, but named: ``transpose of cumsum``."""
    return formula.startswith(("transpose of ", "pullback of "))


def _more(lines: Sequence[Line], parent: int, later: Sequence[int]) -> str:
    names = [lines[i].shown for i in dict.fromkeys(reversed(later))]
    if len(names) > _MOST:
        where = f"{_count(len(names))} other lines"
    else:
        where = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    contributions = "contribution is" if len(later) == 1 else "contributions are"
    return f"{lines[parent].called} is also used in {where}: {_count(len(later))} more {contributions} still to come."


def _count(n: int) -> str:
    return _COUNT[n] if n < len(_COUNT) else number(n)
