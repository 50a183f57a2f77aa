"""The steps of forward mode: directions for the inputs, and the engine's own pushforward, line by line."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from autodiff_lab.engine.errors import InputError, ShapeError
from autodiff_lab.engine.fast_sweep import sweep_fast
from autodiff_lab.engine.tape import Tape
from autodiff_lab.engine.values import as_shaped
from autodiff_lab.text import notation
from autodiff_lab.text.messages import join_items, join_sentences, message
from autodiff_lab.trace import births, memory_usage, partials, quiz
from autodiff_lab.trace.model import (
    Direction,
    Equation,
    Line,
    Meter,
    Number,
    Question,
    Step,
    TangentTerm,
    Trace,
)
from autodiff_lab.trace.recorded_run import size_of
from autodiff_lab.trace.reverse_steps import seed_adjoints, share_of
from autodiff_lab.trace.wording import equations, explanations
from autodiff_lab.trace.wording.equations import WayForward
from autodiff_lab.transforms import recording
from autodiff_lab.transforms.nonfinite import is_born

# One tangent for each input.
Seeds = tuple[Any, ...]

# An operand's slot, its line, and its share of the tangent of the line that uses it.
_Share = tuple[int, int, Any]

# The most inputs whose products of partial and tangent are written as a sum.
_MAX_TERMS = 4


def read_directions(tape: Tape, direction: Any) -> list[tuple[str, Seeds]]:
    """Read the directions of the forward steps: the name of each, and its seeds, one tangent for each input.

    Raises
    ------
    InputError
        If a direction names an input that doesn't exist.
    ShapeError
        If there are too many or too few tangents, or one doesn't have the shape of its input.
    """
    names = tape.input_names
    if direction is None:
        direction = names[0]
    if isinstance(direction, str) and direction == "all" and "all" not in names:
        direction = list(names)
    batch = direction if isinstance(direction, list) else [direction]
    return [_read_direction(tape, one) for one in batch]


def _read_direction(tape: Tape, direction: Any) -> tuple[str, Seeds]:
    names = tape.input_names
    name = direction if isinstance(direction, str) else "custom"
    if isinstance(direction, str):
        direction = {direction: None}
    elif not isinstance(direction, Mapping):
        given = direction if isinstance(direction, tuple) else (direction,)
        if len(given) != len(names):
            raise ShapeError(
                f"The direction has {len(given)} tangents, and the inputs are {len(names)}: {', '.join(names)}. "
                "Write a tuple with one tangent for each."
            )
        direction = dict(zip(names, given, strict=True))
    for key in direction:
        if key not in names:
            raise InputError(f"The direction names {key!r}, and the inputs are {', '.join(names)}.")
    seeds = []
    for label, value in zip(names, tape.values[: tape.n_inputs], strict=True):
        tangent = direction.get(label, np.zeros(np.shape(value)))
        if tangent is None:
            tangent = np.ones(np.shape(value))
        seeds.append(as_shaped(tangent, value, f"the tangent of {label}"))
    return name, tuple(seeds)


def describe_direction(tape: Tape, name: str, seeds: Seeds) -> Direction:
    """Describe a direction of the forward steps, written out as ``ẋ1 = 1, ẋ2 = 0``."""
    numbers = tuple(map(Number.of, seeds))
    written = [
        f"{notation.format_tangent(label)} = {number.text}"
        for label, number in zip(tape.input_names, numbers, strict=True)
    ]
    return Direction(name, join_items(written), numbers)


def _tangents(tape: Tape, seeds: Sequence[Seeds]) -> list[Any]:
    """Compute the tangent of every line; None for a line that depends on no input.

    Several directions are followed together. Their tangents then have a leading axis, with one element for each.
    """
    if len(seeds) == 1:
        return recording.push_tangents(tape, seeds[0])
    stacked = [np.stack(tangents) for tangents in zip(*seeds, strict=True)]
    return recording.push_tangents(tape, stacked, len(seeds))


def forward_steps(
    tape: Tape, lines: tuple[Line, ...], named: Sequence[tuple[str, Seeds]]
) -> Iterator[Step]:
    """Make the steps of forward mode: one for each line, with its value and its tangents."""
    seeds = [seeds for _, seeds in named]
    tangents = _tangents(tape, seeds)
    shown = [_numbers(tape, i, tangents[i], len(seeds)) for i in range(len(tape))]
    # With several directions, the operands' shares aren't shown.
    shares: list[list[_Share]] = [[] for _ in range(len(tape))]
    if len(seeds) == 1:
        shares = [list(_find_shares(tape, i, tangents)) for i in range(len(tape))]
    sizes = [size_of(x) for line_shares in shares for _, _, x in line_shares]
    largest = max(sizes, default=0.0)
    kept = memory_usage.count_needed_forward(tape, len(seeds))
    freed = memory_usage.find_freed_forward(tape)
    has_questions = len(seeds) == 1 and quiz.is_askable(tape)
    names = [name for name, _ in named]
    products = 0
    for i, line in enumerate(lines):
        pushes = []
        for slot, j, x in shares[i]:
            term = equations.term_forward(line.operands[slot], shown[j][0])
            pushes.append(TangentTerm(slot, j, Number.of(x), term, share_of(x, largest)))
        moving = [j for j in tape.parents[i] if j >= 0 and tangents[j] is not None]
        products += len(seeds) * len(moving)
        # The map in the names of the tape, and in the learner's names.
        way = _through_map(tape, i, line, {})
        own_way = _through_map(tape, i, line, equations.name_operands(lines, i))
        questions: list[Question] = []
        if has_questions:
            questions += quiz.about_value(tape, i, line)
            questions += quiz.about_tangent(tape, lines, i, tangents)
        birth = join_sentences(
            births.explain_value(lines, i, tape.values[i], tape.args[i]),
            *(_explain_birth(tape, lines, i, tangents, share) for share in shares[i]),
        )
        said = explanations.explain_tangents(lines, i, shown, names, own_way)
        yield Step(
            "forward",
            i,
            sentence=join_sentences(said, birth),
            equations=equations.write_tangents(lines, i, shown, names, way),
            arithmetic=equations.calculate_tangents(lines, i, shown, names, own_way),
            tangents=shown[i],
            pushes=tuple(pushes),
            meter=Meter(max(0, i + 1 - tape.n_inputs), products, *kept[i]),
            freed_lines=freed[i],
            questions=tuple(questions),
            birth=birth,
            announcement=explanations.announce_line(lines, i, "needs operands and tangents"),
            outcome=births.join_outcome(explanations.tell_tangents(lines, i, shown, names), birth),
        )


def _explain_birth(
    tape: Tape,
    lines: Sequence[Line],
    i: int,
    tangents: Sequence[Any],
    share: _Share,
) -> str:
    """Explain the birth of a NaN or an infinity in an operand's share of a tangent; empty if there is none."""
    slot, j, x = share
    if not is_born(x, tangents[j]):
        return ""
    what = message("tangent of", name=lines[j].clear_name)
    partial = partials.local_partial(tape, i, slot)
    return births.explain_product(lines[i], what, tangents[j], partial, x)


def _numbers(tape: Tape, i: int, tangent: Any, count: int) -> tuple[Number, ...]:
    """Describe the tangents of a line, one for each direction; they are 0 if the line depends on no input."""
    if tangent is None:
        return (Number.of(np.zeros(np.shape(tape.values[i]))),) * count
    if count == 1:
        return (Number.of(tangent),)
    return tuple(Number.of(one) for one in tangent)


def _find_shares(tape: Tape, i: int, tangents: Sequence[Any]) -> Iterator[_Share]:
    """Yield the share of a line's tangent that each operand contributes: the tangent if only that operand moved."""
    for slot, j in enumerate(tape.parents[i]):
        if j < 0 or tangents[j] is None:
            continue
        alone: list[Any] = [None] * len(tape.parents[i])
        alone[slot] = tangents[j]
        share = recording.push_line(tape, i, tuple(alone))
        if share is not None:
            yield slot, j, share


def _through_map(tape: Tape, i: int, line: Line, names: Mapping[str, str]) -> WayForward:
    """Write how tangents go through a line whose rule has no local partials.

    A linear map is applied to the tangents themselves; a product becomes a sum with one tangent in each term.
    """
    op = tape.ops[i]
    if op is None or op.weights is not None or op.kind in ("elementwise", "flat"):
        return WayForward()
    moving = [operand.name for operand in line.line_operands]
    dots = {name: notation.format_tangent(names.get(name, name)) for name in moving}
    if op.kind == "linear":
        return WayForward(notation.format_expression(line.text, dots))
    if op.kind == "multilinear" and len(set(moving)) == len(moving):
        terms = [
            notation.format_expression(line.text, {**names, name: dots[name]}) for name in moving
        ]
        return WayForward(" + ".join(terms))
    return WayForward(message("pushforward of", op=op.name), is_name=True)


def compare_with_gradient(
    tape: Tape, trace: Trace, named: Sequence[tuple[str, Seeds]], tangent: tuple[Number, ...]
) -> Equation | None:
    """Compare the tangent after the last forward step with the gradient from a reverse sweep.

    None if there is an array among the inputs or the result, or if the comparison would be too long.
    """
    if any(np.ndim(x) for x in (tape.values[tape.output_line], *tape.values[: tape.n_inputs])):
        return None
    adjoints = seed_adjoints(tape)
    sweep_fast(tape, tape.output_line, adjoints)
    gradient = [0.0 if adjoint is None else float(adjoint) for adjoint in adjoints[: tape.n_inputs]]
    names = [name for name, _ in named]
    if all(name in tape.input_names for name in names):
        partials = [Number.of(gradient[tape.input_names.index(name)]) for name in names]
        return equations.same_partials(
            trace.derivative_name, list(zip(names, tangent, partials, strict=True))
        )
    if len(named) > 1 or len(gradient) > _MAX_TERMS:
        return None
    seeds = named[0][1]
    total = sum(float(seed) * partial for seed, partial in zip(seeds, gradient, strict=True))
    terms = [
        (Number.of(partial), Number.of(seed)) for partial, seed in zip(gradient, seeds, strict=True)
    ]
    return equations.same_number(trace.result_name, tangent[0], terms, Number.of(total))
