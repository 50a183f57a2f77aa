"""What the learner builds in notebook 15, run for a check: a compiler of tapes, a guard."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab import Variable, record
from autodiff_lab import value_and_grad as engine
from autodiff_lab.lessons.checks import (
    Crashed,
    Refused,
    attempt,
    borrow_names,
    describe,
    in_small_letters,
    plain,
    summarize,
    vet_code,
)

# A tape, compiled

INPUTS = 100
FIRST = (2.0, 5.0)
AGREE = "and at 100 random inputs"
PROGRAMS: dict[str, Callable[..., Any]] = {
    "ln x1 + x1 · x2 − sin x2": lambda x1, x2: np.log(x1) + x1 * x2 - np.sin(x2),
    "x1 · x1 · x2": lambda x1, x2: x1 * x1 * x2,
    "tan(x1 / x2) · 3": lambda x1, x2: np.tan(x1 / x2) * 3.0,
    "exp(x1 − x2), which is used three times": lambda x1, x2: (lambda e: e * e + e / x1)(np.exp(x1 - x2)),
    "x1 · sin x1, which has one input": lambda x1: x1 * np.sin(x1),
    "x1 · x1, before a sine that is not used": lambda x1: (x1 * x1, np.sin(x1))[0],
}


def _point_and_engine(f: Callable[..., Any]) -> tuple[tuple[float, ...], Callable[..., Any]]:
    """Where a program is recorded, and what the engine makes of it: one slope as a number, two as a pair."""
    if f.__code__.co_argcount == 1:
        return FIRST[:1], engine(f)
    return FIRST, engine(f, argnums=(0, 1))


def expected_compiled() -> dict[str, Any]:
    """Value and slopes by the engine."""
    found: dict[str, Any] = {}
    for name, f in PROGRAMS.items():
        at, ours = _point_and_engine(f)
        found[name] = plain(ours(*at))
        found[f"{name}, {AGREE}"] = INPUTS
    return found


def compile_and_run(compile_tape: Any) -> Any:
    """The learner's source for a few tapes, run at one input and at a hundred."""
    vet_code(compile_tape, listing=("ad", "np", "name", "written", "forward_lines"))
    found: dict[str, Any] = {}
    inputs = np.random.default_rng(14).uniform(0.5, 3.0, (INPUTS, 2)).tolist()
    for name, f in PROGRAMS.items():
        at, ours = _point_and_engine(f)
        _, tape = record(f, *at)
        compiled = attempt(_load, compile_tape, tape)
        if isinstance(compiled, Crashed | str):
            return found | {name: compiled}
        found[name] = attempt(_find_value_and_slopes, compiled, at)
        if isinstance(found[name], Crashed):
            return found
        points = [x[: len(at)] for x in inputs]
        found[f"{name}, {AGREE}"] = sum(_same(attempt(compiled, *x), ours(*x)) for x in points)
    return found


def _load(compile_tape: Any, tape: Any) -> Any:
    """The function that the source defines; what came back instead, in words."""
    source = compile_tape(tape)
    if not isinstance(source, str):
        return f"no source, but {describe(source)}"
    names: dict[str, Any] = {"np": np}
    exec(source, names)
    return names["compiled"]


def _find_value_and_slopes(compiled: Any, at: tuple[float, ...]) -> Any:
    value, slopes = compiled(*at)
    return summarize((value, slopes))


def _same(found: Any, wanted: Any) -> bool:
    try:
        return bool(np.allclose(np.hstack(found), np.hstack(wanted), rtol=1e-9, atol=0))
    except (TypeError, ValueError):
        return False


# A guard

VISITED = (1.5, 1.55, 1.6, 1.62, 1.5)


def until_ten(x: Any) -> Any:
    """The loop of the notebook."""
    y = x
    while y < 10:
        y = y * x
    return y


def answer_at(k: int) -> str:
    """The name of a case: the answer at the k-th input."""
    return f"value and slope at x = {VISITED[k]}" + (", again" if VISITED[k] in VISITED[:k] else "")


def recordings_after(k: int) -> str:
    """The name of a case: how often was recorded up to the k-th input."""
    return f"recordings after x = {VISITED[k]}"


def expected_guarded() -> dict[str, Any]:
    """What the engine finds, and that one tape serves 1.5 and 1.55, another 1.6 and 1.62."""
    found: dict[str, Any] = {answer_at(k): plain(engine(until_ten)(x)) for k, x in enumerate(VISITED)}
    return found | {recordings_after(1): 1, recordings_after(3): 2}


def run_guarded(guard: Any, rerecording: Any) -> Any:
    """The learner's guard and driver on the loop, with the recordings counted."""
    listing = ("ad", "np", "Changed", "load", "with_guards", "question")
    vet_code(guard, rerecording, listing=listing)
    count = 0

    def f(x: Any) -> Any:
        nonlocal count
        count += isinstance(x, Variable)
        return until_ten(x)

    _, tape = record(until_ten, VISITED[0])
    line = attempt(guard, tape, tape.comparisons[0])
    if not isinstance(line, str):
        came = f"raised {line.kind}" if isinstance(line, Crashed) else f"returned {describe(line)}"
        return Refused(f"Your guard {came} when it was asked for its line. It makes text, which asks later.")

    found: dict[str, Any] = {}
    with borrow_names(rerecording, guard=guard):
        run = attempt(rerecording, f)
        for k, x in enumerate(VISITED):
            found[answer_at(k)] = went = summarize(attempt(run, x))
            found[recordings_after(k)] = count
            if isinstance(went, Crashed):
                break
    return found


# Six machines


def read_letters(answer: Any) -> Any:
    """Six letters, in one text or apart."""
    parts = [letter for letter in answer if letter.isalpha()] if isinstance(answer, str) else answer
    return in_small_letters(parts, *"abcdef")
