"""The learner's own tape of notebook 03, and the programs that the checks record on it."""

from __future__ import annotations

import types
import weakref
from collections.abc import Callable
from typing import Any

from autodiff_lab.lessons.checks import call_case, plain, run_cases

TAPE: dict[str, Any] = {
    "listing": ("Variable", "Tape", "gradient_tape", "reset_tape", "remember", "grad", "ops_mul", "ops_add", "ops_sub"),
    "machine": "tape",
}


def make_inputs(names: dict[str, Any], *values: float, called: tuple[str, ...] = ("v-1", "v0")) -> list[Any]:
    """Make fresh inputs on an empty tape."""
    names["reset_tape"]()
    return [names["Variable"](value, name) for value, name in zip(values, called, strict=False)]


def find_slopes(names: dict[str, Any], program: Callable[..., Any], *values: float) -> Any:
    """Return ``(value, slope, ...)`` of a program at these inputs, by the learner's `grad`."""
    inputs = make_inputs(names, *values)
    result = program(*inputs)
    if not isinstance(result, names["Variable"]):
        return plain(result)  # no Variable came back: the checks know None and a bare number
    return plain((result, *names["grad"](result, inputs)))


def run_example(x: Any, y: Any, between: Callable[[], Any] = lambda: None) -> Any:
    """Return ln x + x·y − sin y, with something else going on before the sine."""
    total = x.log() + x * y
    between()
    return total - y.sin()


def keeps_values(names: dict[str, Any]) -> bool:
    """Whether the tape holds on to a value that nothing else holds."""
    x, y = make_inputs(names, 2.0, 5.0)
    product = x * y
    watcher = weakref.ref(product)
    _ = product + x
    del product
    return watcher() is not None


def divide(ops_div: Any) -> Any:
    """Value and slopes of x / y, alone and inside something larger."""
    programs = {"x / y": lambda x, y: ops_div(x, y), "(x / y) * x": lambda x, y: ops_div(x, y) * x}
    return run_cases(find_slopes, {case: (f, 1.25, -0.5) for case, f in programs.items()}, ops_div, **TAPE)


def sweep_past_dead_ends(grad_repaired: Any) -> Any:
    """The gradient with an operation on the tape that does not feed the result, and the gradient taken twice."""

    def with_dead_end(names: dict[str, Any]) -> Any:
        x, y = make_inputs(names, 2.0, 5.0)
        return grad_repaired(run_example(x, y, between=lambda: x * y), [x, y])

    def twice(names: dict[str, Any]) -> Any:
        x, y = make_inputs(names, 2.0, 5.0)
        result = run_example(x, y)
        return [grad_repaired(result, [x, y]), grad_repaired(result, [x, y])]

    cases = {"an operation that is not used": (with_dead_end,), "grad called twice": (twice,)}
    return run_cases(call_case, cases, grad_repaired, **TAPE)


def tell_names_apart(remember_identity: Any, grad_identity: Any) -> Any:
    """The gradient where names collide, and whether the record keeps what it identifies."""

    def slopes(*values: float) -> Callable[[dict[str, Any]], Any]:
        def run(names: dict[str, Any]) -> Any:
            a, b = make_inputs(names, *values, called=("v1", "v2"))
            return grad_identity(run_example(a, b), [a, b])

        return run

    def squared(names: dict[str, Any]) -> Any:
        a, b = make_inputs(names, 1.0, 3.0, called=("v1", "b"))
        return grad_identity(a * a + b, [a, b])

    cases = {
        "inputs named v1 and v2": (slopes(2.0, 5.0),),
        "two inputs of the same value": (slopes(2.0, 2.0),),
        "an input and a product of the same name and value": (squared,),
        "the record keeps its values": (keeps_values,),
    }
    both = (remember_identity, grad_identity)
    return run_cases(call_case, cases, *both, **TAPE, remember=remember_identity)


def allow_numbers(allow_constants: Any, division: str) -> Any:
    """Value and slope with a plain number on either side, on a class of its own so that nothing is left behind."""
    programs: dict[str, Callable[[Any], Any]] = {
        "x * 3": lambda x: x * 3,
        "3 * x": lambda x: 3 * x,
        "2 - x": lambda x: 2 - x,
        "3 / x": lambda x: 3 / x,
        "x - 2": lambda x: x - 2,
        "x * x": lambda x: x * x,
    }

    def teach(names: dict[str, Any]) -> None:
        scope: dict[str, Any] = {}
        exec(division, scope)  # a working `ops_div`, so that this exercise does not wait for another one
        names["ops_div"] = types.FunctionType(scope["ops_div"].__code__, names)
        names["Variable"] = fresh = type("Variable", (names["Variable"],), {})
        taught = allow_constants(fresh)
        names["Variable"] = taught if isinstance(taught, type) else fresh

    def run(names: dict[str, Any], program: Callable[[Any], Any]) -> Any:
        teach(names)
        return find_slopes(names, program, 1.5)

    alone = run_cases(teach, {"no operation": ()}, allow_constants, **TAPE)
    if alone["no operation"] is not None:
        return alone["no operation"]
    return run_cases(run, {case: (program,) for case, program in programs.items()}, allow_constants, **TAPE)
