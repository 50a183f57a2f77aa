"""Runs of TapeWatch's programs: what the tape has recorded and answered, and what would give it a missing slope."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.engine.errors import AutodiffError
from autodiff_lab.systems import gradient_tape
from autodiff_lab.systems.eager import Tensor
from autodiff_lab.widgets.labs.tape_watch.programs import NEVER, PROGRAMS, Program, Settings, write_program


class Recording(NamedTuple):
    """The result of a program: its lines with a mark each, the tape's records, and two answers (or refusals)."""

    source: tuple[tuple[str, str], ...]
    records: tuple[str, ...]
    watched: tuple[tuple[str, str], ...]
    answers: tuple[Any, Any]


@functools.lru_cache(maxsize=4096)
def record_program(at: Settings) -> Recording:
    """Run the text that is shown, and ask the tape twice."""
    lines, program = write_program(at), PROGRAMS[at.program]
    ends = next(k for k, line in enumerate(lines) if line.startswith("tape.gradient"))
    scope: dict[str, Any] = {**vars(gradient_tape), "np": np}
    exec("\n".join(lines[:ends]), scope)
    tape = scope["tape"]
    for name in ("x", "y"):
        if scope[name].number in tape.names:
            tape.names[scope[name].number] = name  # a constant has no name of its own
    recorded = {id(record.result): f"v{place + 1}" for place, record in tape.records.items()}

    def mark(line: str) -> str:
        name = line.strip().partition(" = ")[0]
        if name not in dict(program.lines):
            return ""
        return recorded.get(id(scope[name]), "not recorded" if isinstance(scope[name], Tensor) else "a plain number")

    watched = []
    for name in program.sources:
        thing = scope[name]
        is_watched = getattr(thing, "number", None) in tape.names
        watched.append((name, "watched" if is_watched else recorded.get(id(thing), "unknown")))
    records = tuple(str(tape).splitlines())
    answers = tuple(_ask("\n".join(lines[ends:]), scope, program) for _ in range(2))
    return Recording(tuple((line, mark(line)) for line in lines), records, tuple(watched), (answers[0], answers[1]))


def _ask(question: str, scope: dict[str, Any], program: Program) -> Any:
    try:
        slopes = eval(question, scope)
    except AutodiffError as problem:
        return f"{type(problem).__name__}: {problem}"
    numbers = (None if g is None else float(g.numpy()) for g in slopes)
    return tuple(zip(program.sources, numbers, strict=True))


def find_remedies(at: Settings) -> dict[str, list[str]]:
    """Find the least changes that would give each missing slope; for a slope that nothing gives, none."""
    found = dict(record_program(replace(at, zeros=False)).answers[0])
    return {name: list(_find_least(at, name)) for name, slope in found.items() if slope is None}


def _find_least(at: Settings, name: str) -> Iterator[str]:
    changes = [(words, moved) for words, moved in _list_changes(name) if replace(at, **moved) != at]
    for size in range(1, len(changes) + 1):
        helped = False
        for chosen in itertools.combinations(changes, size):
            moved = {control: value for _, each in chosen for control, value in each.items()}
            answer = record_program(replace(at, zeros=False, **moved)).answers[0]
            if not isinstance(answer, str) and dict(answer)[name] is not None:
                helped = True
                yield " and ".join(words for words, _ in chosen)
        if helped:
            return


def _list_changes(name: str) -> list[tuple[str, dict[str, Any]]]:
    of = "x" if name == "m" else name
    return [
        (f"watch {of}", {f"watch_{of}": True}),
        (f"make {of} a trainable Variable", {f"{of}_is": "a Variable"}),
        (f"keep {of} out of NumPy", {f"numpy_{of}": False}),
        ("do not stop recording", {"pause": NEVER}),
        ("let the tape watch what is read", {"accessed": True}),
    ]
