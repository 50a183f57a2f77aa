"""Births of NaN and infinity: why a step of a run computes a number that isn't finite from numbers that are.

A NaN or an infinity is born in a value, a contribution or a tangent if that is worse than everything it is computed
from. Later steps only pass a NaN on, so they get no explanation.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff_lab.text import numbers
from autodiff_lab.text.messages import join_items, join_sentences, message
from autodiff_lab.text.notation import atom
from autodiff_lab.trace.model import Line, Number, Step
from autodiff_lab.trace.recorded_run import (
    NotSeen,
    OutputTuple,
    RawContribution,
    RecordedRun,
    SweepEvent,
    entries_of,
)
from autodiff_lab.trace.wording import equations
from autodiff_lab.transforms.nonfinite import is_born, severity


def explain_value(
    lines: Sequence[Line],
    i: int,
    value: Any,
    operands: Sequence[Any],
    arguments: Sequence[float] = (),
) -> str:
    """Explain the birth of a NaN or an infinity in the value of a line; empty if there is none.

    It is empty as well if the value of an operand is unknown (`NotSeen`), because the NaN may have been born there.
    `arguments` are the numbers that the operation got in addition to its operands. An infinity among them isn't born
    in the line: ``masked_fill(x, mask, -inf)``.
    """
    line = lines[i]
    if line.kind == "input" or any(isinstance(operand, NotSeen) for operand in operands):
        return ""
    elements = entries_of(value)
    sources = [entries_of(operand) for operand in operands]
    if not is_born(elements, *sources, *arguments):
        return ""
    slots = {"kind": _name_kind(elements), "name": line.clear_name, "reading": line.reading}
    if any(isinstance(x, OutputTuple) for x in (value, *operands)):
        return message("born in", **slots)
    if not np.ndim(value):
        values = equations.substitute_values(line)
        if not values or any(np.ndim(x) for x in operands):
            return message("born in", **slots)
        return message("born in value", **slots, values=values, value=numbers.number(value))
    index = _find_first(value, *operands)
    at = str([*index])
    there = []
    for operand, x in zip(line.operands, operands, strict=True):
        if operand.line is not None and _broadcasts_to(x, value):
            element = np.broadcast_to(x, np.shape(value))[index]
            name = lines[operand.line].clear_name
            there.append(message("is there", name=name, value=numbers.number(element)))
    if not there:
        return message("born in entry", **slots, entry=at)
    # An operand that is used twice is named once.
    return message("born in entry of", **slots, entry=at, operands=join_items(dict.fromkeys(there)))


def explain_line(run: RecordedRun, lines: Sequence[Line], i: int) -> str:
    """Explain the birth of a NaN or an infinity in the value of a line of a recorded run; empty if there is none."""
    line = run.read_line(i)
    operands = [operand.value for operand in line.operands]
    return explain_value(lines, i, line.value, operands, line.arguments)


def explain_contribution(
    run: RecordedRun, lines: Sequence[Line], event: SweepEvent, sent: RawContribution
) -> str:
    """Explain the birth of a NaN or an infinity in what a line sends back; empty if there is none.

    It can be born in the product of the line's adjoint with the local partial, or in the sum of the contributions.
    """
    line = lines[event.line]
    adjoint = event.adjoint
    if adjoint is None or isinstance(adjoint, NotSeen):
        return ""
    contribution = sent.contribution
    if is_born(entries_of(contribution), entries_of(adjoint)):
        is_tuple = isinstance(adjoint, OutputTuple) or isinstance(contribution, OutputTuple)
        partial = None if is_tuple else run.read_partial(event.line, sent.slot)
        what = message("arrived at", name=line.clear_name)
        return explain_product(line, what, adjoint, partial, contribution)
    before = sent.before
    after = sent.after
    # The adjoints of several outputs are collected in a tuple, without adding them up.
    if before is None or isinstance(after, OutputTuple):
        return ""
    if not is_born(after, before, contribution):
        return ""
    index = _find_first(after, before, contribution)
    old, new, total = (numbers.number(np.asarray(x)[index]) for x in (before, contribution, after))
    return message(
        "born in sum",
        name=lines[sent.parent].clear_name,
        before=old,
        sum=f"{old} + {atom(new)}",
        value=total,
    )


def explain_product(line: Line, what: str, rate: Any, partial: Any, product: Any) -> str:
    """Explain the birth of a NaN or an infinity in the product of an adjoint or a tangent with a local partial.

    `rate` is the adjoint or tangent, and `what` its name in the sentence.
    """
    kind = _name_kind(entries_of(product))
    through_map = message("born in map", kind=kind, name=line.clear_name, reading=line.reading)
    if partial is None or isinstance(partial, OutputTuple):
        return through_map
    # The adjoint of a reduction along an axis has fewer axes than the weights, so the two can't be paired here.
    if np.shape(rate) == line.value.shape != () and np.ndim(rate) < np.ndim(partial):
        return through_map
    rates, partials = np.broadcast_arrays(rate, partial)
    with np.errstate(all="ignore"):
        products = np.asarray(rates * partials)
    if not is_born(products, rate):
        return message("born in sum of products", kind=kind, what=what)
    index = _find_first(products, rates)
    factor, weight, value = (numbers.number(x[index]) for x in (rates, partials, products))
    said = message(
        "born in product",
        what=what,
        rate=factor,
        partial=weight,
        product=f"{factor} × {atom(weight)}",
        value=value,
    )
    return message("at entry", entry=str([*index]), said=said) if index else said


def join_outcome(outcome: str, birth: str) -> str:
    """Add the birth of a NaN or an infinity to the outcome of a step; a step without an outcome stays without."""
    return join_sentences(outcome, birth) if outcome else ""


def find_first(steps: Sequence[Step]) -> Step | None:
    """Find the first step of a run in which a NaN or an infinity is born; None if all numbers are finite."""
    return next((step for step in steps if step.birth), None)


def warn_of_first(steps: Sequence[Step]) -> str:
    """Write the warning that a NaN or an infinity is born in a run; empty if all its numbers are finite."""
    first = find_first(steps)
    return "" if first is None else message("not finite", birth=first.birth)


def warn_of_first_value(run: RecordedRun, lines: Sequence[Line]) -> str:
    """Write the warning that a NaN or an infinity is born in a value of a long run; empty if there is none.

    It needs no steps, because only some steps of a long run are made.
    """
    for i in range(run.n_inputs, len(run)):
        if is_finite(lines[i].value):
            continue
        birth = explain_line(run, lines, i)
        if birth:
            return message("not finite", birth=birth)
    return ""


def is_finite(x: Number) -> bool:
    """Whether all elements of a displayed number are finite."""
    return severity(np.asarray(x.value, dtype=float)) == 0


def _find_first(result: Any, *sources: Any) -> tuple[int, ...]:
    """The index of the first element that is worse than the same element of all sources.

    If there is none, it is the index of the first element that isn't finite.
    """
    grades = _grade(result)
    is_bad = grades > 0
    known = [np.broadcast_to(_grade(x), grades.shape) for x in sources if _broadcasts_to(x, result)]
    if known:
        is_worse = grades > np.max(known, axis=0)
        if is_worse.any():
            is_bad = is_worse
    return tuple(int(k) for k in np.argwhere(is_bad)[0])


def _grade(x: Any) -> np.ndarray:
    """The `severity` of each element: 2 for a NaN, 1 for an infinity, 0 for a finite number."""
    elements = np.asarray(x, dtype=float)
    return np.where(np.isnan(elements), 2, np.where(np.isinf(elements), 1, 0))


def _broadcasts_to(x: Any, result: Any) -> bool:
    """Whether an operand has the shape of the result, or one that is broadcast to it."""
    try:
        return bool(np.broadcast_shapes(np.shape(x), np.shape(result)) == np.shape(result))
    except ValueError:
        return False


def _name_kind(x: Any) -> str:
    return message("a NaN" if severity(x) == 2 else "an infinity")
