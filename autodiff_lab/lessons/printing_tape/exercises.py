"""The exercises of `printing_tape`: small programs, recorded on the learner's own tape."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from autodiff_lab import value_and_grad
from autodiff_lab.lessons.checks import call_case, plain, run_cases
from autodiff_lab.lessons.checks.exercise_file import read_exercises

TAPE: dict[str, Any] = {
    "listing": (
        "Variable",
        "Tape",
        "gradient_tape",
        "reset_tape",
        "remember",
        "grad",
        "ops_mul",
        "ops_add",
        "ops_sub",
    ),
    "machine": "tape",
}


# Of ln x + x·y − sin y at (2, 5).
GRADIENT = (5.5, 1.7163378145367738)
AS_TYPED = str.maketrans("\N{MINUS SIGN}\N{EN DASH}₋×·₀₁₂₃₄₅", "---**012345")


def read_printed_lines(answer: Any) -> Any:
    """Exercise 1: the tape's printed lines without spaces, with numbers and signs written in a single form."""
    lines = answer.strip().splitlines() if isinstance(answer, str) else plain(answer)
    if not isinstance(lines, list | tuple) or not all(isinstance(line, str) for line in lines):
        return lines
    squeezed = (
        "".join(line.translate(AS_TYPED).split()).replace("np.", "").replace("ln(", "log(")
        for line in lines
    )
    return tuple(re.sub(r"=(\d+)\.?0*$", r"=\1.0", line) for line in squeezed)


def make_inputs(
    names: dict[str, Any], *values: float, called: tuple[str, ...] = ("v-1", "v0")
) -> list[Any]:
    """Empty the learner's tape, and return new inputs with these values and names."""
    names["reset_tape"]()
    return [names["Variable"](value, name) for value, name in zip(values, called, strict=False)]


def find_slopes(names: dict[str, Any], program: Callable[..., Any], *values: float) -> Any:
    """The value and the slopes of a program at these inputs, by the learner's `grad`."""
    inputs = make_inputs(names, *values)
    result = program(*inputs)
    if not isinstance(result, names["Variable"]):
        return plain(result)  # the exercise file has a hint for None and for a plain number
    return plain((result, *names["grad"](result, inputs)))


def run_example(x: Any, y: Any, between: Callable[[], Any] = lambda: None) -> Any:
    """Exercises 4 and 5b: ln x + x·y − sin y; `between` is called before the sine is recorded."""
    total = x.log() + x * y
    between()
    return total - y.sin()


def tells_dropped_ones_apart(names: dict[str, Any]) -> bool:
    """Exercise 5b: whether Variables with the same name and value, each dropped after its use, have different keys."""
    (y,) = make_inputs(names, 5.0)
    for _ in range(MANY):
        _ = names["Variable"](2.0, "x") + y
    return len({line.inputs[0] for line in names["gradient_tape"]}) == MANY


def divide(ops_div: Any) -> Any:
    """Exercise 2: the value and the slopes of x / y by the learner's `ops_div`, alone and as part of a product."""
    programs = {"x / y": lambda x, y: ops_div(x, y), "(x / y) * x": lambda x, y: ops_div(x, y) * x}
    cases = {case: (f, 1.25, -0.5) for case, f in programs.items()}
    return run_cases(find_slopes, cases, ops_div, **TAPE)


DEAD_ENDS = {
    "an operation that is not used": GRADIENT,
    "grad called twice": (GRADIENT, GRADIENT),
    "an input that is not used": (4.5, None),
}


def sweep_past_dead_ends(grad_repaired: Any) -> Any:
    """Exercise 4: the learner's gradients with an unused operation or input, and when taken twice."""

    def with_dead_end(names: dict[str, Any]) -> Any:
        x, y = make_inputs(names, 2.0, 5.0)
        return grad_repaired(run_example(x, y, between=lambda: x * y), [x, y])

    def twice(names: dict[str, Any]) -> Any:
        x, y = make_inputs(names, 2.0, 5.0)
        result = run_example(x, y)
        return [grad_repaired(result, [x, y]) for _ in range(2)]

    def with_unused_input(names: dict[str, Any]) -> Any:
        x, y = make_inputs(names, 2.0, 5.0)
        return grad_repaired(x * x + x.log(), [x, y])

    cases = dict(zip(DEAD_ENDS, [(with_dead_end,), (twice,), (with_unused_input,)], strict=True))
    return run_cases(call_case, cases, grad_repaired, **TAPE)


MANY = 50
IDENTITIES = {
    "inputs named v1 and v2": GRADIENT,
    "two inputs of the same value": (2.5, 2.0 - math.cos(2.0)),
    "an input and a product of the same name and value": (2.0, 1.0),
    f"each of {MANY} inputs that are dropped after use has a key of its own": True,
}


def tell_names_apart(remember_identity: Any, grad_identity: Any) -> Any:
    """Exercise 5b: the learner's gradient where names collide, and whether the keys are unique."""

    def slopes(names: dict[str, Any], *values: float) -> Any:
        a, b = make_inputs(names, *values, called=("v1", "v2"))
        return grad_identity(run_example(a, b), [a, b])

    def squared(names: dict[str, Any]) -> Any:
        a, b = make_inputs(names, 1.0, 3.0, called=("v1", "b"))
        return grad_identity(a * a + b, [a, b])

    runs = [(slopes, 2.0, 5.0), (slopes, 2.0, 2.0), (squared,), (tells_dropped_ones_apart,)]
    cases = dict(zip(IDENTITIES, runs, strict=True))
    both = (remember_identity, grad_identity)
    return run_cases(call_case, cases, *both, **TAPE, remember=remember_identity)


WITH_NUMBERS: dict[str, Callable[[Any], Any]] = {
    "x * 3": lambda x: x * 3,
    "3 * x": lambda x: 3 * x,
    "2 - x": lambda x: 2 - x,
    "3 / x": lambda x: 3 / x,
    "x - 2": lambda x: x - 2,
    "x * x": lambda x: x * x,
    "x * 2.5": lambda x: x * 2.5,
    "0.5 - x": lambda x: 0.5 - x,
    "x / 4": lambda x: x / 4,
    "x + 1": lambda x: x + 1,
    "1 + x": lambda x: 1 + x,
    "x + x": lambda x: x + x,
}


def expected_with_numbers() -> dict[str, Any]:
    """Exercise 6: the value and the slope of programs such as ``3 / x``, by the engine.

    >>> expected_with_numbers()["3 / x"]
    (2.0, -1.3333333333333333)
    """
    return {case: plain(value_and_grad(program)(1.5)) for case, program in WITH_NUMBERS.items()}


def allow_numbers(allow_constants: Any) -> Any:
    """Exercise 6: the learner's operators with a plain number on either side, added to a new subclass each time."""
    # A working `ops_div`, so that this exercise does not depend on exercise 2.
    _, known = read_exercises(
        Path(__file__).parent / "exercises.toml", {"ex_2": {"observe": divide}}
    )

    def teach(names: dict[str, Any]) -> None:
        (names["ops_div"],) = known["ex_2"].good_answers(names)
        names["Variable"] = fresh = type("Variable", (names["Variable"],), {})
        taught = allow_constants(fresh)
        names["Variable"] = taught if isinstance(taught, type) else fresh

    def run(names: dict[str, Any], program: Callable[[Any], Any]) -> Any:
        teach(names)
        return find_slopes(names, program, 1.5)

    alone = run_cases(teach, {"no operation": ()}, allow_constants, **TAPE)
    if alone["no operation"] is not None:
        return alone["no operation"]
    cases = {case: (program,) for case, program in WITH_NUMBERS.items()}
    return run_cases(run, cases, allow_constants, **TAPE)
