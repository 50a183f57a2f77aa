"""What happens at each step, in plain words.

Each function looks only at the lines and at what was sent; all of the words a learner reads about a step are here.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence

from autodiff_lab.figures.notation import atom, number, pretty, pretty_adjoint, readable
from autodiff_lab.figures.trace import Line, Number, Operand, Send

_LONG = 48
_MOST = 4
_COUNT = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def recorded(lines: Sequence[Line], i: int) -> str:
    """Say what a line of the tape records: v₂ = x1 · x2 = 2 · 5 = 10."""
    line = lines[i]
    if line.kind == "input":
        return f"{pretty(line.name)} is the input {line.label or pretty(line.name)} = {line.value.text}."
    parts = [pretty(line.name), readable(line.text, _labels(lines))]
    with_numbers = _with_numbers(line.text, line.operands)
    if with_numbers not in ("", parts[1], line.value.text) and len(with_numbers) <= _LONG:
        parts.append(with_numbers)
    return " = ".join([*parts, line.value.text]) + "."


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
    subject = f"{pretty(line.name)} = {readable(line.text, _labels(lines))}"
    if not sends:
        return f"{subject} sends nothing back: its derivative is 0 wherever it has one."
    said = []
    for n, send in enumerate(sends[:_MOST]):
        name = pretty(lines[send.parent].name)
        who = subject if n == 0 else pretty(line.name)
        now = send.after.text
        if send.before is not None and not send.after.shape:
            now = f"{send.before.text} + {atom(send.contribution.text)} = {now}"
        said.append(
            f"{who} sends {_arithmetic(line, adjoint, send)} to {_named(lines, send.parent)}; {name} now holds {now}."
        )
    if len(sends) > _MOST:
        said.append(f"It sends to {_count(len(sends) - _MOST)} more in the same way.")
    parents = list(dict.fromkeys(send.parent for send in sends))[:_MOST]
    said += [_more(lines, parent, waiting[parent]) for parent in parents if waiting.get(parent)]
    return " ".join(said)


def result_note(lines: Sequence[Line], result: int | None, value: Number | None) -> str:
    """Say what is unusual about the result, if anything."""
    if result is None:
        what = f"is {value.text}, which" if value is not None else "is None: the function returns nothing, so it"
        return f"The result {what} does not depend on the inputs: there is nothing to sweep, and each derivative is 0."
    shape = lines[result].value.shape
    if shape:
        return f"The result is an array of shape {shape}: the sum of its entries is differentiated."
    return ""


def _labels(lines: Sequence[Line]) -> dict[str, str]:
    """The learner's names of the inputs, unless one of them looks like a name of the tape."""
    inputs = itertools.takewhile(lambda line: line.kind == "input", lines)
    return {line.name: line.label for line in inputs if line.label and pretty(line.label) == line.label}


def _named(lines: Sequence[Line], i: int) -> str:
    line = lines[i]
    label = _labels(lines[i : i + 1]).get(line.name)
    return f"{label} ({pretty(line.name)})" if label else pretty(line.name)


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
        how = f"its adjoint through the {formula}" if formula.startswith("transpose of") else formula
        return f"{how} = {contribution}"
    if adjoint.shape or operand.partial.shape or send.contribution.shape:
        formula = readable(operand.formula) if operand.formula else operand.partial.text
        product = f"{pretty_adjoint(line.name)} · {_factor(formula)}"
        if adjoint.shape != send.contribution.shape:
            # The operand was copied to fit; the adjoint of copying is adding.
            return f"the sum of {product} over its copies = {contribution}"
        return f"{product} = {contribution}"
    factor = _with_numbers(operand.formula, line.operands, {line.name: line.value.text})
    if not operand.formula or len(factor) > _LONG:
        factor = operand.partial.text
    return f"{adjoint.text} · {_factor(factor)} = {contribution}"


def _factor(text: str) -> str:
    """Put a sum, a quotient or a negative number in parentheses, so that it can stand after a multiplication sign."""
    if re.fullmatch(r"\([^()]*\)", text):
        return text
    return f"({text})" if text.startswith(("−", "-")) or re.search(r" [+−/] ", text) else text


def _more(lines: Sequence[Line], parent: int, later: Sequence[int]) -> str:
    names = [pretty(lines[i].name) for i in dict.fromkeys(reversed(later))]
    if len(names) > _MOST:
        where = f"{_count(len(names))} other lines"
    else:
        where = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    who = _labels(lines[parent : parent + 1]).get(lines[parent].name, pretty(lines[parent].name))
    contributions = "contribution is" if len(later) == 1 else "contributions are"
    return f"{who} is also used in {where}: {_count(len(later))} more {contributions} still to come."


def _count(n: int) -> str:
    return _COUNT[n] if n < len(_COUNT) else number(n)
