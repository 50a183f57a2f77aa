"""Explanations: a sentence for each step, in plain words.

Each function depends only on the lines and on what was sent; the wording is in the catalogue.
"""

import re
from collections.abc import Container, Sequence

import numpy as np

from autodiff_lab.engine.printing import format_call
from autodiff_lab.engine.tape import Tape
from autodiff_lab.text.messages import (
    join_items,
    join_sentences,
    join_with_and,
    message,
    number_word,
    plural_message,
)
from autodiff_lab.text.notation import atom, factor, format_adjoint, format_tangent
from autodiff_lab.text.numbers import number
from autodiff_lab.trace.model import Contribution, Line, Number, Operand, RaisedError
from autodiff_lab.trace.recorded_run import RecordedRun
from autodiff_lab.trace.wording import equations
from autodiff_lab.trace.wording.equations import WayForward


def opening(title: str, lines: Sequence[Line]) -> str:
    """Explain in words what there is to see before the first step of a run."""
    at = _at(lines)
    return message("opening at", title=title, at=at) if at else message("opening", title=title)


def opening_forward(title: str, lines: Sequence[Line], shown: Sequence[str]) -> str:
    """Explain in words what there is to see before the first step forward; `shown` are the directions."""
    if len(shown) == 1:
        return message("opening forward", title=title, at=_at(lines), direction=shown[0])
    return message(
        "opening forward, several", title=title, at=_at(lines), n=number_word(len(shown))
    )


def _at(lines: Sequence[Line]) -> str:
    return join_items(
        f"{line.label} = {line.value.in_node}" for line in lines if line.kind == "input"
    )


def explain_line(lines: Sequence[Line], i: int) -> str:
    """Explain in a sentence what a line of the tape records: v₂ = x1 · x2 = 2 · 5 = 10."""
    turn = announce_turn(lines, i)
    if lines[i].kind == "input":
        return join_sentences(turn, _say_input("input", lines[i]))
    return join_sentences(turn, _explain_operation(lines, i))


def announce_turn(lines: Sequence[Line], i: int) -> str:
    """Start the explanation of a line that begins an iteration of a loop: ``Iteration 2 of 5:``; else empty."""
    turns = lines[i].turns
    if not turns or (i and lines[i - 1].turns == turns):
        return ""
    outer, *inner = turns
    said = [message("iteration first", n=outer.n, count=outer.count)]
    said += [message("iteration", n=turn.n, count=turn.count) for turn in inner]
    return message("iteration begins", turns=join_items(said))


def announce_line(lines: Sequence[Line], i: int, needs: str = "needs operands") -> str:
    """Announce in a sentence what a line will be computed from; empty for an input."""
    line = lines[i]
    if not line.line_operands:
        return ""
    names = list(dict.fromkeys(lines[operand.parent].clear_name for operand in line.line_operands))
    listed = names[: equations.MAX_LISTED]
    more = len(names) - len(listed)
    if more:
        listed.append(message("other lines", n=number_word(more)))
    said = plural_message(needs, len(names), name=line.clear_name, operands=join_with_and(listed))
    return join_sentences(announce_turn(lines, i), said, *_explain_circumstances(lines, i))


def tell_recorded(lines: Sequence[Line], i: int) -> str:
    """Tell in words the value of a line that has been recorded, and what the tape keeps of it."""
    line = lines[i]
    if not line.line_operands:
        return ""
    equation = f"{line.clear_name} = {line.reading}"
    said = message("is recorded", name=line.clear_name, value=line.value.in_node, equation=equation)
    return join_sentences(announce_turn(lines, i), said, *_explain_circumstances(lines, i))


def _explain_operation(lines: Sequence[Line], i: int) -> str:
    return join_sentences(
        message("recorded", equation=_equation(lines[i])), *_explain_circumstances(lines, i)
    )


def _explain_circumstances(lines: Sequence[Line], i: int) -> list[str]:
    """Say which operands are broadcast, and whether a recorded sweep begins."""
    line = lines[i]
    said: list[str] = []
    for operand in line.line_operands:
        if not operand.is_copied:
            continue
        sentence = _explain_copy(lines, line, operand)
        if sentence not in said:
            said.append(sentence)
    # The line before is compared first: it is nearly always of the same sweep, and a run may be long.
    may_begin = line.sweep_id and lines[i - 1].sweep_id != line.sweep_id
    if may_begin and all(earlier.sweep_id != line.sweep_id for earlier in lines[:i]):
        said.append(message("inner sweep begins"))
    return said


def _explain_copy(lines: Sequence[Line], line: Line, operand: Operand) -> str:
    """Say that broadcasting copies an operand: ``w (v₀), of shape (3,), is broadcast to (2, 3)``."""
    key = "operand copied" if operand.value.shape else "number copied"
    return message(
        key, name=lines[operand.parent].clear_name, shape=operand.value.shape, to=line.value.shape
    )


def _say_input(key: str, line: Line, **slots: str) -> str:
    """Say what an input is, with its name on the tape if its label could be confused with another line."""
    label = line.label or line.display_name
    kind = "input value" if line.clear_name == line.label else "named input value"
    given = message(kind, name=line.display_name, label=label, value=line.value.in_node)
    return message(key, input=given, **slots)


def _equation(line: Line) -> str:
    """What an operation computes, as an equation: ``b = x1 · x2 = 2 · 5 = 10``."""
    in_values = equations.substitute_values(line)
    sides = [line.clear_name, line.reading, in_values, line.value.in_node]
    return " = ".join(side for side in sides if side)


def explain_tangents(
    lines: Sequence[Line],
    i: int,
    tangents: Sequence[tuple[Number, ...]],
    directions: Sequence[str],
    through: WayForward,
) -> str:
    """Explain in a sentence what a line computes forward: its value, and its tangent in each direction."""
    line = lines[i]
    tangent = tangents[i][0]
    own = format_tangent(line.learner_name)
    is_input = line.kind == "input"
    if len(directions) > 1:
        slots = {"tangent": own, "rates": _list_rates(directions, tangents[i])}
        key = "input tangents" if is_input else "with its tangents"
    elif is_input:
        slots = {"tangent": own, "rate": tangent.in_node}
        stays = tangent.value is not None and not np.any(np.array(tangent.value, dtype=float))
        key = "input stays" if stays else "input moves"
    else:
        sides = [own, _say_rate(lines, i, tangents, through), tangent.in_node]
        slots = {"tangent": " = ".join(side for side in sides if side)}
        key = "with its tangent"
    turn = announce_turn(lines, i)
    if is_input:
        return join_sentences(turn, _say_input(key, line, **slots))
    return join_sentences(turn, message(key, equation=_equation(line), **slots))


def tell_tangents(
    lines: Sequence[Line], i: int, tangents: Sequence[tuple[Number, ...]], directions: Sequence[str]
) -> str:
    """Tell in words the value of a line that has been computed forward, and how fast the value changes."""
    line = lines[i]
    if not line.line_operands:
        return ""
    slots = {
        "name": line.clear_name,
        "value": line.value.in_node,
        "tangent": format_tangent(line.learner_name),
    }
    if len(directions) > 1:
        said = message("changes at rates", rates=_list_rates(directions, tangents[i]), **slots)
    else:
        said = message("changes at a rate", rate=tangents[i][0].in_node, **slots)
    return join_sentences(announce_turn(lines, i), said)


def _list_rates(directions: Sequence[str], tangents: Sequence[Number]) -> str:
    each = zip(directions, tangents, strict=True)
    said = [message("rate along", tangent=rate.in_node, name=name) for name, rate in each]
    rates = join_items(said[: equations.MAX_LISTED])
    more = len(said) - equations.MAX_LISTED
    return message("rates, cut", rates=rates, n=number_word(more)) if more > 0 else rates


def _say_rate(
    lines: Sequence[Line], i: int, tangents: Sequence[tuple[Number, ...]], through: WayForward
) -> str:
    if through.text or not all(operand.partial for operand in lines[i].line_operands):
        return through.text
    rate = equations.write_rate(lines, i, tangents, equations.DOT, message("weights"))
    return equations.join_pieces(rate).text


def explain_seed(lines: Sequence[Line], i: int, seed: Number) -> str:
    """Explain in a sentence how the sweep starts."""
    name = lines[i].clear_name
    if seed.shape:
        return message("seeded array", name=name)
    return message("seeded", name=name, seed=seed.in_node)


def announce_seed(lines: Sequence[Line], i: int) -> str:
    """Announce in a sentence where the sweep starts."""
    return message("sweep starts", name=lines[i].clear_name)


def announce_one_seed(lines: Sequence[Line], i: int, n: int) -> str:
    """Announce in a sentence that one of the results where the sweep starts gets its seed."""
    return plural_message("gets its seed", n, name=lines[i].clear_name)


def explain_one_seed(lines: Sequence[Line], i: int, seed: Number, after: Number) -> str:
    """Explain in a sentence the seed of one of the results where the sweep starts."""
    slots = {"name": lines[i].clear_name, "seed": seed.in_node, "now": after.in_node}
    return message("seeded of several", **slots)


def announce_sweep(
    lines: Sequence[Line], i: int, adjoint: Number, sends: Sequence[Contribution]
) -> str:
    """Announce in a sentence what a line is about to send to a parent, without the value of the product."""
    who = f"{lines[i].clear_name} = {lines[i].reading}"
    if not sends:
        return message("sends nothing back", line=who)
    (send,) = sends
    what = _product(lines, i, adjoint, send)
    return message("will send", who=who, what=what, parent=lines[send.parent].clear_name)


def explain_sweep(
    lines: Sequence[Line],
    i: int,
    adjoint: Number,
    sends: Sequence[Contribution],
    later: Sequence[int],
) -> str:
    """Explain in words what a line sends to a parent, and which lines will send more to it later.

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
        The lines that will send to the same parent later; a line is repeated for each operand.
    """
    who = f"{lines[i].clear_name} = {lines[i].reading}"
    if not sends:
        return message("sends nothing back", line=who)
    (send,) = sends
    parent = lines[send.parent]
    what = _arithmetic(lines, i, adjoint, send)
    now = send.after.in_node
    slots = {"who": who, "what": what, "parent": parent.clear_name, "name": parent.learner_name}
    if send.replaces and send.before is not None:
        said = message("sends in place", **slots, now=now, before=send.before.in_node)
    else:
        if send.before is not None and not send.after.shape:
            now = f"{send.before.in_node} + {atom(send.contribution.in_node)} = {now}"
        said = message("sends", **slots, now=now)
    return join_sentences(said, _name_waiting(lines, i, send.parent, later) if later else "")


def explain_remark(lines: Sequence[Line], key: str, named: Sequence[int]) -> str:
    """Explain in a sentence what is wrong at a step of a faulty sweep."""
    return message(key, names=" and ".join(dict.fromkeys(lines[j].clear_name for j in named)))


def opening_of_run(
    title: str, lines: Sequence[Line], reason: str, raised: RaisedError | None
) -> str:
    """Explain before the first step what there is to see.

    For a run without steps, explain why there are none; `reason` says why the result is a constant.
    """
    if reason:
        return message("opening constant", reason=reason)
    if raised is not None and all(line.kind == "input" for line in lines):
        return message("opening raised", title=title, kind=raised.kind)
    return opening(title, lines)


def constant_note(value: Number | None, reason: str) -> str:
    """Explain in a note on the run that the result depends on no input, and the `reason`."""
    if value is None:
        return message("nothing returned")
    return message("constant", value=value.in_node, reason=reason)


def explain_constant(
    run: RecordedRun, lines: Sequence[Line], value: Number | None, read: Container[str]
) -> str:
    """Explain in a sentence why a result depends on no input.

    `read` has the names that the function's source reads.
    """
    if value is None:
        return message("returns nothing")
    names = run.input_names
    # The label of an input within a list or a dict starts with its parameter: "params['w']".
    parameters = {re.split(r"[\[.]", label)[0] for label in names}
    if not any(parameter in read for parameter in parameters):
        return message("unused input", names=join_items(names))
    if len(run) > run.n_inputs:
        return message("computed in vain", line=_equation(lines[-1]))
    if run.comparisons:
        first = run.comparisons[0]
        pairs = zip(first.parents, first.operands, strict=True)
        operands = [lines[j].clear_name if j >= 0 else number(x) for j, x in pairs]
        said = format_call(first.op.name, first.op.symbol, operands, {})
        return message("only compared", names=join_items(names), comparison=said)
    return message("taken out", names=join_items(names))


def results_note(
    results: Sequence[str], chosen: int | None, total: str = "", terms: str = ""
) -> str:
    """Explain in a note on the run which of several results is differentiated, and how to choose another.

    If all are, `total` is the name of their sum, and `terms` writes it out.
    """
    if len(results) < 2:
        return ""
    others = [f"result={path}" for k, path in enumerate(results) if k != chosen]
    shown = join_items(others[: equations.MAX_LISTED])
    if len(others) > equations.MAX_LISTED:
        shown += ", …"
    if chosen is not None:
        return message("other results", result=results[chosen], others=shown)
    named = "" if total == terms else message("total is", total=total, terms=terms)
    return join_sentences(message("all results", total=total, others=shown), named)


def raised_warning(raised: RaisedError, name: str) -> str:
    """Warn before the first step that an exception ends the run, and quote the exception."""
    key = "raised" if raised.where else "raised, no source"
    return message(key, kind=raised.kind, text=raised.text, name=name)


def counts_note(tape: Tape) -> str:
    """Explain in a note on the run which integers stay constant, and why."""
    named = [f"{name} = {tape.constant_arguments[name]!r}" for name in tape.count_arguments]
    if not named:
        return ""
    return plural_message("counts", len(named), names=join_items(named))


def array_note(lines: Sequence[Line], result: int | None) -> str:
    """Explain in a note on the run what reverse mode does with a result that is an array."""
    if result is None or not lines[result].value.shape:
        return ""
    return message("array result", shape=lines[result].value.shape)


def sweeps_note(lines: Sequence[Line]) -> str:
    """Explain in a note on the run which lines the sweeps of inner derivatives have written."""
    said = []
    for sweep in sorted({line.sweep_id for line in lines} - {0}):
        names = [line.display_name for line in lines if line.sweep_id == sweep]
        which = names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}"
        said.append(message("a recorded sweep", lines=which, n=number_word(len(names))))
    return join_sentences(*said)


def _arithmetic(lines: Sequence[Line], i: int, adjoint: Number, send: Contribution) -> str:
    """``−1 · cos 5 = −0.2837``; for arrays the formula ``c̄ · cos x = [1 2 3]``; for a linear map the map."""
    return f"{_product(lines, i, adjoint, send)} = {send.contribution.in_node}"


def _product(lines: Sequence[Line], i: int, adjoint: Number, send: Contribution) -> str:
    """``−1 · cos 5``: what is sent, before it is worked out."""
    line = lines[i]
    operand = line.operands[send.slot]
    names = equations.name_operands(lines, i)
    if operand.partial is None:
        map_text = equations.write_map(line, operand, names)
        return message("its adjoint through", map=map_text) if operand.formula_is_name else map_text
    is_scalar = not (adjoint.shape or operand.partial.shape or send.contribution.shape)
    if is_scalar:
        return f"{adjoint.in_node} · {factor(equations.substitute_partial(line, send.slot))}"
    formula = equations.partial_formula(operand, names)
    if not formula:
        formula = f"∂{line.learner_name}/∂{lines[send.parent].learner_name}"
    product = f"{format_adjoint(line.learner_name)} · {factor(formula)}"
    resized = equations.tell_resizing(line, adjoint, send)
    return message(_RESIZED[resized], product=product) if resized else product


# The adjoint of broadcasting an operand is a sum over its copies; the adjoint of a sum is broadcasting.
_RESIZED = {"summed": "summed over copies", "spread": "spread over entries"}


def _name_waiting(lines: Sequence[Line], i: int, parent: int, later: Sequence[int]) -> str:
    """Say how many contributions to a parent are still to come, and from which lines."""
    users = list(dict.fromkeys(reversed(later)))
    if len(users) > equations.MAX_LISTED:
        where = message("other lines", n=number_word(len(users)))
    else:
        names = []
        for j in users:
            name = lines[j].clear_name
            names.append(message("another operand", name=name) if j == i else name)
        where = join_with_and(names)
    return plural_message(
        "still to come",
        len(later),
        n=number_word(len(later)),
        name=lines[parent].learner_name,
        where=where,
    )
