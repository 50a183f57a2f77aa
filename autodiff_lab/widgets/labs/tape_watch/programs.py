"""The programs of TapeWatch: written as Python by the settings, and run with a gradient tape."""

import functools
import itertools
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.engine.errors import AutodiffError
from autodiff_lab.systems import gradient_tape
from autodiff_lab.systems.eager import Tensor


class Program(NamedTuple):
    """A program: its lines ``name = expression``, the target, and the sources."""

    lines: tuple[tuple[str, str], ...]
    target: str
    sources: tuple[str, ...] = ("x", "y")


PROGRAMS = {
    "z = x² + y²": Program((("a", "{x} ** 2"), ("b", "{y} ** 2"), ("z", "a + b")), "z"),
    "z = y², and x² beside it": Program((("a", "{x} ** 2"), ("z", "{y} ** 2")), "z"),
    "m = x · x, z = m · m": Program((("m", "{x} * {x}"), ("z", "m * m")), "z", ("x", "y", "m")),
    "two targets, x² and 1 / x": Program((("a", "{x} ** 2"), ("b", "1 / {x}")), "[a, b]"),
    "z = x · y + sin x": Program((("a", "{x} * {y}"), ("b", "np.sin({x})"), ("z", "a + b")), "z"),
}
KINDS = {
    "a Variable": "Variable({})",
    "a constant": "constant({})",
    "a fixed Variable": "Variable({}, trainable=False)",
}
NEVER = "never"
PAUSES = (NEVER, "in the first line", "in the second line", "in the last line")


@dataclass(frozen=True)
class Settings:
    """The settings of a program: how x and y are made, watched and read."""

    program: str
    x: float
    y: float
    x_is: str
    y_is: str
    watch_x: bool
    watch_y: bool
    numpy_x: bool
    numpy_y: bool
    pause: str
    accessed: bool = True
    persistent: bool = False
    zeros: bool = False


def write_program(at: Settings) -> list[str]:
    """Write a program with a gradient tape as lines of Python; the last one or two compute the gradient."""
    program = PROGRAMS[at.program]
    through = {"x": "x.numpy()" if at.numpy_x else "x", "y": "y.numpy()" if at.numpy_y else "y"}
    lines = [f"x = {KINDS[at.x_is].format(at.x)}", f"y = {KINDS[at.y_is].format(at.y)}"]
    options = ["persistent=True"] * at.persistent + ["watch_accessed_variables=False"] * (
        not at.accessed
    )
    head = f"with GradientTape({', '.join(options)}) as tape:"
    lines += (
        [head]
        if len(head) < 50
        else ["with GradientTape(", f"    {', '.join(options)}", ") as tape:"]
    )
    told_of = ["x"] * at.watch_x + ["y"] * at.watch_y
    lines += [f"    tape.watch([{', '.join(told_of)}])"] * bool(told_of)
    quiet = {NEVER: None, PAUSES[1]: 0, PAUSES[2]: 1, PAUSES[3]: len(program.lines) - 1}[at.pause]
    for k, (name, expression) in enumerate(program.lines):
        line = f"{name} = {expression.format(**through)}"
        lines += (
            ["    with tape.stop_recording():", f"        {line}"]
            if k == quiet
            else [f"    {line}"]
        )
    asked = f"tape.gradient({program.target}, [{', '.join(program.sources)}]"
    return [
        *lines,
        *([f"{asked},", '    unconnected_gradients="zero")'] if at.zeros else [f"{asked})"]),
    ]


# Gradients by source; or None, and the message of the error that was raised instead.
Answer = tuple[dict[str, float | None] | None, str]


@functools.lru_cache(maxsize=4096)
def record_program(at: Settings) -> tuple[dict[str, Any], list[Answer]]:
    """Run a program with a gradient tape, compute the gradient twice, and return a description and both answers.

    The description has for each line of the `source` its name on the tape, the `records`, and for each source whether
    it is `watched`, unknown, or the result of a record.
    """
    lines = write_program(at)
    program = PROGRAMS[at.program]
    ends = next(k for k, line in enumerate(lines) if line.startswith("tape.gradient"))
    scope: dict[str, Any] = {**vars(gradient_tape), "np": np}
    exec("\n".join(lines[:ends]), scope)
    tape = scope["tape"]
    for name in ("x", "y"):
        if scope[name].number in tape.names:
            tape.names[scope[name].number] = name  # a constant has no name on the tape
    recorded = {id(record.result): f"v{place + 1}" for place, record in tape.records.items()}

    marks = {}
    for name, _ in program.lines:
        otherwise = "not recorded" if isinstance(scope[name], Tensor) else "a plain number"
        marks[name] = recorded.get(id(scope[name]), otherwise)
    watched = {name: recorded.get(id(scope[name]), "unknown") for name in program.sources}
    watched |= {
        name: "watched" for name in watched if getattr(scope[name], "number", None) in tape.names
    }

    def ask() -> Answer:
        try:
            slopes = eval("\n".join(lines[ends:]), scope)
        except AutodiffError as problem:
            return None, f"{type(problem).__name__}: {problem}"
        numbers = (None if g is None else float(g.numpy()) for g in slopes)
        return dict(zip(program.sources, numbers, strict=True)), ""

    source = [[line, marks.get(line.strip().partition(" = ")[0], "")] for line in lines]
    return {"source": source, "records": str(tape).splitlines(), "watched": watched}, [ask(), ask()]


def find_remedies(at: Settings) -> dict[str, list[str]]:
    """Find the smallest changes of the settings that would give each gradient that is None; there may be none."""
    at = replace(at, zeros=False)
    return {name: _find_least(at, name) for name, slope in _ask_once(at).items() if slope is None}


def _ask_once(at: Settings) -> dict[str, float | None]:
    return record_program(at)[1][0][0] or {}


def _find_least(at: Settings, name: str) -> list[str]:
    of = "x" if name == "m" else name
    changes: list[tuple[str, str, Any]] = [
        (f"watch {of}", f"watch_{of}", True),
        (f"make {of} a trainable Variable", f"{of}_is", "a Variable"),
        (f"keep {of} out of NumPy", f"numpy_{of}", False),
        ("do not stop recording", "pause", NEVER),
        ("let the tape watch what is read", "accessed", True),
    ]
    changes = [
        (words, control, value)
        for words, control, value in changes
        if getattr(at, control) != value
    ]
    for size in range(1, len(changes) + 1):
        helping = []
        for chosen in itertools.combinations(changes, size):
            changed = replace(at, **{control: value for _, control, value in chosen})
            if _ask_once(changed).get(name) is not None:
                helping.append(" and ".join(words for words, _, _ in chosen))
        if helping:
            return helping
    return []
