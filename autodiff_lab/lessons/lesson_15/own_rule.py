"""A row of the learner's own in notebook 15, and what every interpreter makes of it."""

import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab import CheckError, Trace, check_grads, custom_gradient, formula, grad, jvp, program, record
from autodiff_lab.lessons.checks import Crashed, attempt, describe, plain, summarize, vet_code

POINTS = ((0.7, 1.3), (1.9, 0.4), (3.0, 2.5))


def saturation(x: Any, k: Any) -> Any:
    """The operation of exercise 15.4, without a rule of its own."""
    return x / (x + k)


def expected_row() -> dict[str, Any]:
    """Every derivative, from the operations that the row replaces."""
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
    """What all interpreters make of a row with the learner's two partials."""
    vet_code(by_x, by_k)
    made = custom_gradient(partials=(by_x, by_k))(saturation)
    at = POINTS[0]
    both = grad(made, argnums=(0, 1))
    trials: dict[str, Callable[[], Any]] = {
        "reverse, both slopes": lambda: both(*at),
        "forward, the tangent along x": lambda: jvp(made, at, (1.0, 0.0))[1],
        "twice, the slope of the slope in x": lambda: grad(grad(made))(*at),
        "as a formula, read at the same point": lambda: _read(formula(both, "x", "k").python, made, at),
        "compiled, both slopes": lambda: program(made, *at, argnums=(0, 1))(*at)[1],
        "in the player, the numbers on its two edges": lambda: [
            operand.partial.value for operand in Trace.of(made, *at).lines[-1].operands if operand.partial
        ],
        "against differences": lambda: _against_differences(made, *POINTS),
    }
    return _until_one_crashes(trials)


def follow_invention(my_function: Any, my_partial: Any) -> Any:
    """What all interpreters make of an operation that nobody here has seen before."""
    vet_code(my_function, my_partial)
    made = custom_gradient(partials=my_partial)(_named(my_function))
    points = [x for x, _ in POINTS]

    def lines() -> str:
        value, tape = record(made, points[0])
        made_one = len(tape) == 2 and isinstance(value, float) and tape.output == 1
        return "one line" if made_one else f"{len(tape) - 1} lines"

    def values() -> str:
        found = [float(my_function(x)) for x in points]
        return "numbers that differ" if len(set(found)) == 3 and all(map(math.isfinite, found)) else describe(found)

    def alike(other: Callable[[float], Any]) -> str:
        pairs = [(float(other(x)), float(grad(made)(x))) for x in points]
        return "agrees" if np.allclose(*zip(*pairs, strict=True), rtol=1e-9, atol=1e-12) else describe(pairs[0])

    trials: dict[str, Callable[[], Any]] = {
        "on the tape": lines,
        "the values at three points": values,
        "against differences": lambda: _against_differences(made, *((x,) for x in points)),
        "as a formula": lambda: alike(lambda x: _read(formula(grad(made), "x").python, made, (x,))),
        "compiled": lambda: alike(lambda x: program(made, points[0])(x)[1]),
    }
    return _until_one_crashes(trials)


def _named(function: types.FunctionType) -> types.FunctionType:
    """The function under a name that can stand in a formula, which ``<lambda>`` cannot."""
    if function.__name__.isidentifier():
        return function
    parts = (function.__code__, function.__globals__, "my_function", function.__defaults__, function.__closure__)
    return types.FunctionType(*parts)


def _until_one_crashes(trials: dict[str, Callable[[], Any]]) -> dict[str, Any]:
    """Run one trial after the other; what crashes once would crash again."""
    found: dict[str, Any] = {}
    for case, trial in trials.items():
        found[case] = attempt(lambda trial: _say(trial()), trial)
        if isinstance(found[case], Crashed):
            break
    return found


def _read(source: str, made: Any, at: tuple[float, ...]) -> Any:
    """The value of a formula, with the operation itself under its name, as NumPy's functions are under theirs."""
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
