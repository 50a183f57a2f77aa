"""The exercises of `compilation`: the learner's compiler, guard, loop and rules."""

import itertools
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab import (
    CheckError,
    Trace,
    Variable,
    check_grads,
    custom_gradient,
    formula,
    grad,
    jvp,
    program,
    record,
)
from autodiff_lab import value_and_grad as engine
from autodiff_lab.lessons.checks import (
    Crashed,
    Refused,
    attempt,
    borrow_names,
    describe,
    plain,
    summarize,
    vet_code,
)
from autodiff_lab.lessons.checks.compare import in_small_letters
from autodiff_lab.lessons.examples.loops import until_ten

# A tape, compiled

INPUTS = 100
FIRST = (2.0, 5.0)
AGREE = "and at 100 random inputs"
PROGRAMS: dict[str, Callable[..., Any]] = {
    "ln x1 + x1 · x2 − sin x2": lambda x1, x2: np.log(x1) + x1 * x2 - np.sin(x2),
    "x1 · x1 · x2": lambda x1, x2: x1 * x1 * x2,
    "tan(x1 / x2) · 3": lambda x1, x2: np.tan(x1 / x2) * 3.0,
    "exp(x1 − x2), which is used three times": lambda x1, x2: (lambda e: e * e + e / x1)(
        np.exp(x1 - x2)
    ),
    "x1 · sin x1, which has one input": lambda x1: x1 * np.sin(x1),
    "x1 · x1, before a sine that is not used": lambda x1: (x1 * x1, np.sin(x1))[0],
}


def _point_and_engine(f: Callable[..., Any]) -> tuple[tuple[float, ...], Callable[..., Any]]:
    """The inputs for a program, and the engine's function for its value and its slope or slopes."""
    if f.__code__.co_argcount == 1:
        return FIRST[:1], engine(f)
    return FIRST, engine(f, argnums=(0, 1))


def expected_compiled() -> dict[str, Any]:
    """Exercise 1: the values and the slopes of the programs, by the engine."""
    found: dict[str, Any] = {}
    for name, f in PROGRAMS.items():
        at, ours = _point_and_engine(f)
        found[name] = plain(ours(*at))
        found[f"{name}, {AGREE}"] = INPUTS
    return found


def compile_and_run(compile_tape: Any) -> Any:
    """Exercise 1: the results of the learner's compiled programs at the recorded inputs and at a hundred others."""
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
    """The function that the compiled source defines, or a sentence if the compiler returned no source."""
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


def answer_at(k: int) -> str:
    """Exercise 2: the name of the case that is the guarded answer at the k-th input."""
    is_repeated = VISITED[k] in VISITED[:k]
    return f"value and slope at x = {VISITED[k]}{', again' if is_repeated else ''}"


def recordings_after(k: int) -> str:
    """Exercise 2: the name of the case that is the number of recordings up to the k-th input."""
    return f"recordings after x = {VISITED[k]}"


def expected_guarded() -> dict[str, Any]:
    """Exercise 2: the loop's values and slopes; one guarded tape works for 1.5 and 1.55, another for 1.6 and 1.62."""
    found: dict[str, Any] = {
        answer_at(k): plain(engine(until_ten)(x)) for k, x in enumerate(VISITED)
    }
    return found | {recordings_after(1): 1, recordings_after(3): 2}


def run_guarded(guard: Any, rerecording: Any) -> Any:
    """Exercise 2: the learner's guard and driver on the loop, with the recordings counted."""
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
        return Refused(
            f"Your guard {came} when it was asked for its line. It makes text, which asks later."
        )

    found: dict[str, Any] = {}
    with borrow_names(rerecording, guard=guard):
        run = attempt(rerecording, f)
        for k, x in enumerate(VISITED):
            found[answer_at(k)] = went = summarize(attempt(run, x))
            found[recordings_after(k)] = count
            if isinstance(went, Crashed):
                break
    return found


# A loop, forward and backward

ITERATED = (1.5, 1.6, 3.0, 12.0)


def expected_loop() -> dict[str, Any]:
    """Exercise 3: the value and the slope of the loop where it runs five times, four times, twice and not at all."""
    return {_value_and_slope_at(x): plain(engine(until_ten)(x)) for x in ITERATED}


def run_loop(there_and_back: Any) -> Any:
    """Exercise 3: the value and the slope by the learner's two loops, for plain numbers."""
    vet_code(there_and_back)
    if "ad" in there_and_back.__code__.co_names:
        return Refused(
            "Your function calls the engine. Here the two loops and the stack have to find the slope alone."
        )
    return {_value_and_slope_at(x): summarize(attempt(there_and_back, x)) for x in ITERATED}


def _value_and_slope_at(x: float) -> str:
    return f"value and slope at x = {x:g}"


# A rule by the learner

POINTS = ((0.7, 1.3), (1.9, 0.4), (3.0, 2.5))


def saturation(x: Any, k: Any) -> Any:
    """Exercise 4: the function x / (x + k), made of operations that have rules."""
    return x / (x + k)


def expected_row() -> dict[str, Any]:
    """Exercise 4: the derivatives of x / (x + k), by the rules of its operations."""
    at = POINTS[0]
    slopes = plain(grad(saturation, argnums=(0, 1))(*at))
    return {
        "reverse, both slopes": slopes,
        "forward, the tangent along x": slopes[0],
        "twice, the slope of the slope in x": grad(grad(saturation))(*at),
        "as a formula, read at the same point": slopes,
        "compiled, both slopes": slopes,
        "in the player, the numbers on its two edges": slopes,
        "against differences": "agrees",
    }


def follow_row(by_x: Any, by_k: Any) -> Any:
    """Exercise 4: the derivatives that each interpreter gives for a rule with the learner's two partials."""
    vet_code(by_x, by_k)
    made = custom_gradient(partials=(by_x, by_k))(saturation)
    at = POINTS[0]
    # The first trace loads texts; done here, that does not count towards the step limit of the learner's code.
    Trace.of(saturation, *at)
    both = grad(made, argnums=(0, 1))
    trials: dict[str, Callable[[], Any]] = {
        "reverse, both slopes": lambda: both(*at),
        "forward, the tangent along x": lambda: jvp(made, at, (1.0, 0.0))[1],
        "twice, the slope of the slope in x": lambda: grad(grad(made))(*at),
        "as a formula, read at the same point": lambda: _read(
            formula(both, "x", "k").python, made, at
        ),
        "compiled, both slopes": lambda: program(made, *at, argnums=(0, 1))(*at)[1],
        "in the player, the numbers on its two edges": lambda: [
            operand.partial.value
            for operand in Trace.of(made, *at).lines[-1].operands
            if operand.partial
        ],
        "against differences": lambda: _against_differences(made, *POINTS),
    }
    return _until_one_crashes(trials)


def follow_invention(my_function: Any, my_partial: Any) -> Any:
    """Exercise 5: whether each interpreter gives the right result for the learner's own function and its partial."""
    vet_code(my_function, my_partial)
    made = custom_gradient(partials=my_partial)(_rename_function(my_function))
    points = [x for x, _ in POINTS]

    def lines() -> str:
        value, tape = record(made, points[0])
        made_one = len(tape) == 2 and isinstance(value, float) and tape.output == 1
        return "one line" if made_one else f"{len(tape) - 1} lines"

    def values() -> str:
        found = [float(my_function(x)) for x in points]
        if len(set(found)) == 3 and all(map(math.isfinite, found)):
            return "numbers that differ"
        return describe(found)

    def smoothness() -> str:
        jump = _find_jump(lambda x: float(my_function(x)))
        if jump:
            return f"the function {jump}"
        jump = _find_jump(lambda x: float(my_partial(my_function(x), x)))
        if jump:
            return f"the partial {jump}"
        return "no jump"

    def alike(other: Callable[[float], Any]) -> str:
        pairs = [(float(other(x)), float(grad(made)(x))) for x in points]
        theirs, ours = zip(*pairs, strict=True)
        return "agrees" if np.allclose(theirs, ours, rtol=1e-9, atol=1e-12) else describe(pairs[0])

    trials: dict[str, Callable[[], Any]] = {
        "on the tape": lines,
        "the values at three points": values,
        "between 0.5 and 4": smoothness,
        "against differences": lambda: _against_differences(made, *((x,) for x in points)),
        "as a formula": lambda: alike(lambda x: _read(formula(grad(made), "x").python, made, (x,))),
        "compiled": lambda: alike(lambda x: program(made, points[0])(x)[1]),
    }
    return _until_one_crashes(trials)


EDGES = np.linspace(0.5, 4.0, 33).tolist()
SMALL = 1e-6


def _find_jump(function: Callable[[float], float]) -> str:
    """Say where a function of one number jumps or is not finite, or return an empty text; jumps are found by bisection.

    >>> _find_jump(lambda x: abs(x - 2)), _find_jump(lambda x: float(x > 2.5)), _find_jump(lambda x: 1 / (x - 0.5))
    ('', 'jumps near x = 2.5', 'is not finite at x = 0.5')
    """
    at_edges = []
    for x in EDGES:
        at_edges.append(_value_or_nan(function, x))
        if not math.isfinite(at_edges[-1]):
            return f"is not finite at x = {x:.3g}"
    largest_change = SMALL * max(1.0, *map(abs, at_edges))
    for low, high in itertools.pairwise(zip(EDGES, at_edges, strict=True)):
        for _ in range(25):
            middle = (low[0] + high[0]) / 2
            between = middle, _value_or_nan(function, middle)
            is_left = abs(between[1] - low[1]) > abs(high[1] - between[1])
            low, high = (low, between) if is_left else (between, high)
        if not abs(high[1] - low[1]) <= largest_change:
            return f"jumps near x = {high[0]:.3g}"
    return ""


def _value_or_nan(function: Callable[[float], float], x: float) -> float:
    try:
        return function(x)
    except (ValueError, ZeroDivisionError, OverflowError):
        return math.nan


def _rename_function(function: types.FunctionType) -> types.FunctionType:
    """The function under a name that is valid in a formula, which ``<lambda>`` is not."""
    if function.__name__.isidentifier():
        return function
    parts = (
        function.__code__,
        function.__globals__,
        "my_function",
        function.__defaults__,
        function.__closure__,
    )
    return types.FunctionType(*parts)


def _until_one_crashes(trials: dict[str, Callable[[], Any]]) -> dict[str, Any]:
    """Run the trials one after another, up to the first that crashes; the others would crash too."""
    found: dict[str, Any] = {}
    for case, trial in trials.items():
        found[case] = attempt(lambda trial: _say(trial()), trial)
        if isinstance(found[case], Crashed):
            break
    return found


def _read(source: str, made: Any, at: tuple[float, ...]) -> Any:
    """Evaluate a formula, which calls the learner's operation by its name."""
    names = {"np": np, made.__name__: made, **dict(zip("xk", at, strict=False))}
    return eval(source, names)


def _against_differences(made: Any, *points: tuple[float, ...]) -> str:
    try:
        for at in points:
            check_grads(made, at, order=2)
    except CheckError:
        return "does not agree"
    return "agrees"


def _say(found: Any) -> Any:
    return found if isinstance(found, str) else summarize(found)


# Six machines


def read_letters(answer: Any) -> Any:
    """Exercise 6: six letters for six machines, given as one text or as a list."""
    parts = [letter for letter in answer if letter.isalpha()] if isinstance(answer, str) else answer
    return in_small_letters(parts, *"abcdef")
