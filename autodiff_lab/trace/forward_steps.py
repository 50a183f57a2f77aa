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


def read_directions(tape: Tape, direction: Any) -> list[tuple[str, Seeds]]:
    """For forward steps, read the directions in which tangents are followed: the name and the seeds of each one.

    Raises
    ------
    InputError
        If there is no such input.
    ShapeError
        If there are too many or too few tangents, or one has not the shape of its input.
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
        tangent = np.ones(np.shape(value)) if tangent is None else tangent
        seeds.append(as_shaped(tangent, value, f"the tangent of {label}"))
    return name, tuple(seeds)


def describe_direction(tape: Tape, name: str, seeds: Seeds) -> Direction:
    """Describe a direction of the forward steps, written out as ``ẋ1 = 1, ẋ2 = 0``."""
    numbers = tuple(map(Number.of, seeds))
    pairs = zip(tape.input_names, numbers, strict=True)
    shown = join_items(
        f"{notation.format_tangent(label)} = {number.text}" for label, number in pairs
    )
    return Direction(name, shown, numbers)


def _tangents(tape: Tape, seeds: Sequence[Seeds]) -> list[Any]:
    """Give the tangents of every line; of several directions together, along a leading axis. None: nothing moves it."""
    if len(seeds) == 1:
        return recording.push_tangents(tape, seeds[0])
    return recording.push_tangents(
        tape, [np.stack(column) for column in zip(*seeds, strict=True)], len(seeds)
    )


def forward_steps(
    tape: Tape, lines: tuple[Line, ...], named: Sequence[tuple[str, Seeds]]
) -> Iterator[Step]:
    """Make the steps of forward mode: one for each line, with its value and its tangents."""
    seeds = [seeds for _, seeds in named]
    tangents = _tangents(tape, seeds)
    shown = [_numbers(tape, i, tangents[i], len(seeds)) for i in range(len(tape))]
    brought = [
        () if len(seeds) > 1 else tuple(_bring_by_operands(tape, i, tangents))
        for i in range(len(tape))
    ]
    largest = max(
        (size_of(contribution) for each in brought for _, _, contribution in each), default=0.0
    )
    kept, forgotten = (
        memory_usage.count_needed_forward(tape, len(seeds)),
        memory_usage.find_forgotten(tape),
    )
    askable, products = len(seeds) == 1 and quiz.is_askable(tape), 0
    for i, line in enumerate(lines):
        pushes = []
        for slot, j, x in brought[i]:
            term = equations.term_forward(line.operands[slot], shown[j][0])
            pushes.append(TangentTerm(slot, j, Number.of(x), term, share_of(x, largest)))
        products += len(seeds) * sum(
            1 for j in tape.parents[i] if j >= 0 and tangents[j] is not None
        )
        how, names = _through_map(tape, i, line, {}), [name for name, _ in named]
        told = _through_map(tape, i, line, equations.name_operands(lines, i))
        asked = (
            [*quiz.about_value(tape, i, line), *quiz.about_tangent(tape, lines, i, tangents)]
            if askable
            else []
        )
        birth = births.explain_value(lines, i, tape.values[i], tape.args[i])
        birth = join_sentences(
            birth, *(_explain_birth(tape, lines, i, tangents, each) for each in brought[i])
        )
        said = explanations.explain_tangents(lines, i, shown, names, told)
        yield Step(
            "forward",
            i,
            sentence=join_sentences(said, birth),
            equations=equations.write_tangents(lines, i, shown, names, how),
            arithmetic=equations.calculate_tangents(lines, i, shown, names, told),
            tangents=shown[i],
            pushes=tuple(pushes),
            meter=Meter(max(0, i + 1 - tape.n_inputs), products, *kept[i]),
            freed_lines=forgotten[i],
            questions=tuple(asked),
            birth=birth,
            announcement=explanations.announce_line(lines, i, "needs operands and tangents"),
            outcome=births.join_outcome(explanations.tell_tangents(lines, i, shown, names), birth),
        )


def _explain_birth(
    tape: Tape,
    lines: Sequence[Line],
    i: int,
    tangents: Sequence[Any],
    brought: tuple[int, int, Any],
) -> str:
    """Why a NaN or an infinity is born in what an operand brings to a tangent; empty if none is."""
    slot, j, x = brought
    if not is_born(x, tangents[j]):
        return ""
    what = message("tangent of", name=lines[j].clear_name)
    return births.explain_product(
        lines[i], what, tangents[j], partials.local_partial(tape, i, slot), x
    )


def _numbers(tape: Tape, i: int, tangent: Any, count: int) -> tuple[Number, ...]:
    if tangent is None:
        return (Number.of(np.zeros(np.shape(tape.values[i]))),) * count
    return tuple(map(Number.of, tangent)) if count > 1 else (Number.of(tangent),)


def _bring_by_operands(
    tape: Tape, i: int, tangents: Sequence[Any]
) -> Iterator[tuple[int, int, Any]]:
    """What each operand brings by itself: its slot, its line, its share of the tangent."""
    for slot, j in enumerate(tape.parents[i]):
        if j >= 0 and tangents[j] is not None:
            alone = tuple(tangents[j] if k == slot else None for k in range(len(tape.parents[i])))
            brought = recording.push_line(tape, i, alone)
            if brought is not None:
                yield slot, j, brought


def _through_map(tape: Tape, i: int, line: Line, names: Mapping[str, str]) -> WayForward:
    """How tangents go through a line that has no table of partials: the map itself, with a dot over what moves."""
    op = tape.ops[i]
    moving = [operand.name for operand in line.line_operands]
    dots = {name: notation.format_tangent(names.get(name, name)) for name in moving}
    if op is None or op.weights is not None or op.kind in ("elementwise", "flat"):
        return WayForward()
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
    """Compare the tangent after the last forward step with the gradient that a sweep finds; of numbers only."""
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
    if len(named) > 1 or len(gradient) > 4:
        return None
    seeds = named[0][1]
    total = sum(float(seed) * partial for seed, partial in zip(seeds, gradient, strict=True))
    terms = [
        (Number.of(partial), Number.of(seed)) for partial, seed in zip(gradient, seeds, strict=True)
    ]
    return equations.same_number(trace.result_name, tangent[0], terms, Number.of(total))
