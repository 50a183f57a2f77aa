"""Births of NaN and infinity: why a step of a run makes a number that is not finite out of numbers that are.

A value, a contribution or a tangent is the birthplace if it is worse than all that it is made of: what a NaN touches
becomes NaN as well, and of that there is nothing to tell.
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

    If nobody saw an operand, it may have been born there, and nothing is said; nor if one of the `arguments`, which are
    the numbers that the line was given beside its operands, is as far from finite: ``masked_fill(x, mask, -inf)``.
    """
    line = lines[i]
    entries = [entries_of(operand) for operand in operands]
    unseen = any(isinstance(operand, NotSeen) for operand in operands)
    if line.kind == "input" or unseen or not is_born(entries_of(value), *entries, *arguments):
        return ""
    slots = {
        "kind": _name_kind(entries_of(value)),
        "name": line.clear_name,
        "reading": line.reading,
    }
    if any(isinstance(x, OutputTuple) for x in (value, *operands)):
        return message("born in", **slots)
    if not np.ndim(value):
        values = equations.substitute_values(line)
        if not values or any(np.ndim(x) for x in operands):
            return message("born in", **slots)
        return message("born in value", **slots, values=values, value=numbers.number(value))
    entry = _find_first(value, *operands)
    told = []
    for operand, x in zip(line.operands, operands, strict=True):
        if operand.line is not None and _spreads(x, value):
            there = numbers.number(np.broadcast_to(x, np.shape(value))[entry])
            told.append(message("is there", name=lines[operand.line].clear_name, value=there))
    at = str([*entry])
    if not told:
        return message("born in entry", **slots, entry=at)
    return message("born in entry of", **slots, entry=at, operands=join_items(dict.fromkeys(told)))


def explain_line(run: RecordedRun, lines: Sequence[Line], i: int) -> str:
    """Explain the birth of a NaN or an infinity in the value of a line of a recorded run; empty if there is none."""
    line = run.read_line(i)
    return explain_value(
        lines, i, line.value, [operand.value for operand in line.operands], line.arguments
    )


def explain_contribution(
    run: RecordedRun, lines: Sequence[Line], event: SweepEvent, sent: RawContribution
) -> str:
    """Explain the birth of a NaN or an infinity in what a line sends back, by its factors; empty if there is none."""
    line, parent, adjoint = lines[event.line], lines[sent.parent], event.adjoint
    _, _, contribution, before, after, _ = sent
    if adjoint is None or isinstance(adjoint, NotSeen):
        return ""
    if is_born(entries_of(contribution), entries_of(adjoint)):
        is_tuple = isinstance(adjoint, OutputTuple) or isinstance(contribution, OutputTuple)
        partial = None if is_tuple else run.read_partial(event.line, sent.slot)
        return explain_product(
            line, message("arrived at", name=line.clear_name), adjoint, partial, contribution
        )
    # what an output sends to its operation is put beside the others
    if isinstance(after, OutputTuple):
        return ""
    if before is not None and is_born(after, before, contribution):
        entry = _find_first(after, before, contribution)
        old, new, total = (
            numbers.number(np.asarray(x)[entry]) for x in (before, contribution, after)
        )
        return message(
            "born in sum",
            name=parent.clear_name,
            before=old,
            sum=f"{old} + {atom(new)}",
            value=total,
        )
    return ""


def explain_product(line: Line, what: str, rate: Any, partial: Any, product: Any) -> str:
    """Explain the birth of a NaN or an infinity in a product: a rate (`what` it is) times a local partial."""
    kind = _name_kind(entries_of(product))
    through_map = message("born in map", kind=kind, name=line.clear_name, reading=line.reading)
    if partial is None or isinstance(partial, OutputTuple):
        return through_map
    # What arrives at a reduction along an axis has an axis less than the weights that it is multiplied with.
    if np.shape(rate) == line.value.shape != () and np.ndim(rate) < np.ndim(partial):
        return through_map
    one, other = np.broadcast_arrays(rate, partial)
    with np.errstate(all="ignore"):
        each = one * other
    if not is_born(each, rate):
        return message("born in sum of products", kind=kind, what=what)
    entry = _find_first(each, one)
    factor, weight, made = (numbers.number(x[entry]) for x in (one, other, np.asarray(each)))
    written = f"{factor} × {atom(weight)}"
    told = message(
        "born in product", what=what, rate=factor, partial=weight, product=written, value=made
    )
    return message("at entry", entry=str([*entry]), said=told) if entry else told


def join_outcome(outcome: str, birth: str) -> str:
    """Add the birth of a NaN or an infinity to the outcome of a step, if it has one: else its sentence says it."""
    return join_sentences(outcome, birth) if outcome else ""


def find_first(steps: Sequence[Step]) -> Step | None:
    """Find the first step of a run in which a NaN or an infinity is born; None if all numbers are finite."""
    return next((step for step in steps if step.birth), None)


def warn_of_first(steps: Sequence[Step]) -> str:
    """Say from the start that a NaN or an infinity is born in a run; nothing if all its numbers are finite."""
    first = find_first(steps)
    return "" if first is None else message("not finite", birth=first.birth)


def warn_of_first_value(run: RecordedRun, lines: Sequence[Line]) -> str:
    """Say that a NaN or an infinity is born in a value of a long run, whose steps are not all at hand."""
    for i in range(run.n_inputs, len(run)):
        if is_finite(lines[i].value):
            continue
        birth = explain_line(run, lines, i)
        if birth:
            return message("not finite", birth=birth)
    return ""


def is_finite(x: Number) -> bool:
    """Whether all entries of a displayed number are finite: no NaN and no infinity has been born in it."""
    return severity(np.asarray(x.value, dtype=float)) == 0


def _find_first(result: Any, *sources: Any) -> tuple[int, ...]:
    """The first entry of the result that is worse than the same entry of its sources; the first that is not finite."""
    grades = _grade(result)
    known = [np.broadcast_to(_grade(x), grades.shape) for x in sources if _spreads(x, result)]
    worse = grades > np.max(known, axis=0) if known else grades > 0
    where = np.argwhere(worse if worse.any() else grades > 0)
    return tuple(int(k) for k in where[0])


def _grade(x: Any) -> np.ndarray:
    """How bad each entry is, as `severity` says of the worst."""
    entries = np.asarray(x, dtype=float)
    return np.where(np.isnan(entries), 2, np.where(np.isinf(entries), 1, 0))


def _spreads(x: Any, result: Any) -> bool:
    """Whether an operand has an entry for each of the result's: its shape, or one that is copied to it."""
    try:
        return bool(np.broadcast_shapes(np.shape(x), np.shape(result)) == np.shape(result))
    except ValueError:
        return False


def _name_kind(x: Any) -> str:
    return message("a NaN" if severity(x) == 2 else "an infinity")
