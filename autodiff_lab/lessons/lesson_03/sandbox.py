"""The learner's own tape, borrowed for a check and given back as it was.

The functions a learner writes in notebook 03 use what stands beside them in the notebook: `Variable`, `grad`,
`gradient_tape`. A check runs them right there, on the learner's own classes, and restores the tape, the name counter
and every replaced name afterwards.
"""

from __future__ import annotations

import contextlib
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from autodiff_lab.lessons.checks.compare import Refused, describe, plain
from autodiff_lab.lessons.checks.run_code import Crashed, attempt

LISTING = ("Variable", "Tape", "gradient_tape", "reset_tape", "remember", "grad", "ops_mul", "ops_add", "ops_sub")


class Bench:
    """The names of the learner's notebook, with the tape in the middle."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names

    @property
    def variable(self) -> type:
        """The learner's class."""
        return self.names["Variable"]

    def inputs(self, *values: float, names: tuple[str, ...] = ("v-1", "v0")) -> list[Any]:
        """Fresh inputs on an empty tape."""
        self.names["reset_tape"]()
        return [self.variable(value, name) for value, name in zip(values, names, strict=False)]

    def slopes(self, program: Callable[..., Any], *values: float, grad: Callable[..., Any] | None = None) -> Any:
        """``(value, slope, ...)`` of a program at these inputs, by the learner's `grad`; `Crashed` if it raises."""

        def run() -> Any:
            inputs = self.inputs(*values)
            result = program(*inputs)
            if not isinstance(result, self.variable):
                return plain(result)  # no Variable came back: the checks know None and a bare number
            return plain((result, *(grad or self.names["grad"])(result, inputs)))

        return attempt(run)

    def example(self, x: Any, y: Any, between: Callable[[], Any] = lambda: None) -> Any:
        """Return ln x + x·y − sin y, with something else going on before the sine."""
        total = x.log() + x * y
        between()
        return total - y.sin()

    def keeps_alive(self) -> bool:
        """Whether the tape holds on to a value that nothing else holds."""
        x, y = self.inputs(2.0, 5.0)
        product = x * y
        watcher = weakref.ref(product)
        _ = product + x
        del product
        return watcher() is not None


@contextlib.contextmanager
def borrowed(function: types.FunctionType, **replaced: Any) -> Iterator[Bench]:
    """The bench around a learner's function, with some names replaced for the time of a check."""
    names = function.__globals__
    before = {name: names[name] for name in (*LISTING, "_name", *replaced) if name in names}
    tape = list(names["gradient_tape"])
    names.update(replaced)
    try:
        yield Bench(names)
    finally:
        for name in replaced:
            names.pop(name, None)
        names.update(before)
        names["gradient_tape"][:] = tape


def refuse(*functions: Any, listing: tuple[str, ...] = LISTING, machine: str = "tape") -> Refused | None:
    """Why these cannot be run on the learner's machine, whose names are in `listing`; None if they can."""
    for function in functions:
        if callable(function) and not isinstance(function, types.FunctionType):
            return Refused(f"You gave {describe(function)}. Write a function of your own, with def.")
        if not isinstance(function, types.FunctionType):
            return Refused(
                f"You gave {describe(function)}. Hand over the function itself, without brackets after its name."
            )
        missing = [name for name in listing if name not in function.__globals__]
        if missing:
            return Refused(
                f"The check runs your function on your own {machine} and cannot find {missing[0]} beside it. "
                "Run the cells above this one first."
            )
    return None


def names_in(code: types.CodeType) -> Iterator[str]:
    """The global names and attributes that a function uses, also in its inner functions."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from names_in(inner)


def divided(ops_div: Any) -> Any:
    """Value and slopes of x / y, alone and inside something larger."""
    refused = refuse(ops_div)
    if refused:
        return refused
    with borrowed(ops_div) as bench:
        return {
            "x / y": bench.slopes(lambda x, y: ops_div(x, y), 1.25, -0.5),
            "(x / y) * x": bench.slopes(lambda x, y: ops_div(x, y) * x, 1.25, -0.5),
        }


def swept_past_dead_ends(grad_repaired: Any) -> Any:
    """The gradient with an operation on the tape that does not feed the result, and the gradient taken twice."""
    refused = refuse(grad_repaired)
    if refused:
        return refused
    with borrowed(grad_repaired) as bench:

        def with_dead_end() -> Any:
            x, y = bench.inputs(2.0, 5.0)
            result = bench.example(x, y, between=lambda: x * y)
            return plain(grad_repaired(result, [x, y]))

        def twice() -> Any:
            x, y = bench.inputs(2.0, 5.0)
            result = bench.example(x, y)
            return plain([grad_repaired(result, [x, y]), grad_repaired(result, [x, y])])

        return {"an operation nobody uses": attempt(with_dead_end), "grad called twice": attempt(twice)}


def told_apart(remember_identity: Any, grad_identity: Any) -> Any:
    """The gradient where names collide, and whether the record keeps what it identifies."""
    refused = refuse(remember_identity, grad_identity)
    if refused:
        return refused
    with borrowed(remember_identity, remember=remember_identity) as bench:

        def slopes(*values: float) -> Any:
            a, b = bench.inputs(*values, names=("v1", "v2"))
            return plain(grad_identity(bench.example(a, b), [a, b]))

        def squared() -> Any:
            a, b = bench.inputs(1.0, 3.0, names=("v1", "b"))
            return plain(grad_identity(a * a + b, [a, b]))

        return {
            "inputs named v1 and v2": attempt(slopes, 2.0, 5.0),
            "two inputs of the same value": attempt(slopes, 2.0, 2.0),
            "an input and a product of the same name and value": attempt(squared),
            "the record keeps its values": attempt(bench.keeps_alive),
        }


def with_constants(allow_constants: Any, division: str) -> Any:
    """Value and slope with a plain number on either side, on a class of its own so that nothing is left behind."""
    refused = refuse(allow_constants)
    if refused:
        return refused
    names = allow_constants.__globals__
    scope: dict[str, Any] = {}
    exec(division, scope)  # a working `ops_div`, so that this exercise does not wait for another one
    lent = types.FunctionType(scope["ops_div"].__code__, names)
    fresh = type("Variable", (names["Variable"],), {})
    with borrowed(allow_constants, Variable=fresh, ops_div=lent) as bench:
        taught = attempt(allow_constants, fresh)
        if isinstance(taught, Crashed):
            return taught
        if isinstance(taught, type):
            bench.names["Variable"] = taught
        programs: dict[str, Callable[[Any], Any]] = {
            "x * 3": lambda x: x * 3,
            "3 * x": lambda x: 3 * x,
            "2 - x": lambda x: 2 - x,
            "3 / x": lambda x: 3 / x,
            "x - 2": lambda x: x - 2,
            "x * x": lambda x: x * x,
        }
        return {case: bench.slopes(program, 1.5) for case, program in programs.items()}
