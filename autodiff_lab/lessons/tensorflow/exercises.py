"""The exercises of `tensorflow`: the learner's gradients, compared with the package's static graph and tape.

A learner's function there uses the notebook's nodes and `run`, which it has from `static_graphs`, `between`, and the
table `GRADIENT`. A check builds small programs with these nodes and with the package's, and compares the results.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab.engine.errors import ReleasedError
from autodiff_lab.lessons.checks import (
    Crashed,
    Instance,
    attempt,
    names_in,
    plain,
    run_cases,
    split_parts,
    vet_code,
)
from autodiff_lab.lessons.checks.compare import (
    Finding,
    Refused,
    describe,
    in_small_letters,
    summarize,
)
from autodiff_lab.systems import static_graph
from autodiff_lab.systems.eager import active_recorders
from autodiff_lab.systems.gradient_tape import GradientTape, Variable, constant

GRAPH: dict[str, Any] = {
    "listing": ("Placeholder", "Operator", "sin", "log", "COMPUTE", "GRADIENT", "run", "between"),
    "machine": "graph",
}
NODES: dict[str, Any] = GRAPH | {"listing": (*GRAPH["listing"], "Node")}
POINT = (2.0, 3.0)
Program = Callable[[Any, Any], tuple[list[Any], list[Any]]]


def _variables(*values: Any) -> Any:
    """Variables with these values, typed as Any because their class gets its operators only at run time."""
    return tuple(map(Variable, values))


def squared_error(w: Any, b: Any) -> Any:
    """Exercises 2 and 6: the loss of the line w·x + b against 3x + 2, at x = −1 and x = 1."""
    e1 = b - w + 1.0
    e2 = b + w - 5.0
    return (e1 * e1 + e2 * e2) * 0.5


# Pending counts


def count_pending(target: str, source: str) -> dict[str, tuple[int | None, ...]]:
    """Exercise 1: the pending counts of x, a, b, c between a source and a target, and wrong ones that are often given.

    >>> count_pending("d", "x")["pending"], count_pending("d", "z")["pending"]
    ((1, 2, 1, 2), (None, 2, 1, 2))
    """
    with static_graph.Graph(flatten=False):
        x, z = (static_graph.Variable(value, name) for value, name in zip(POINT, "xz", strict=True))
        a = static_graph.mul(x, z, name="a")
        b = static_graph.sin(a, name="b")
        c = static_graph.add(a, b, name="c")
        d = static_graph.mul(c, c, name="d")
        e = static_graph.mul(c, x, name="e")
        named = {node.name: node for node in (x, z, c, d, e)}
        found = static_graph.pending_counts(
            named[target], [named[name] for name in source.split(" and ")]
        )
    asked = ("x", "a", "b", "c")
    users = {node.name: [x.name for x in node.operands] for node in (a, b, c, d, e)}
    between = [set(operands) for name, operands in users.items() if name in found]
    pending = tuple(found.get(name) for name in asked)
    return {
        "pending": pending,
        "uses": tuple(sum(operands.count(name) for operands in users.values()) for name in asked),
        "users": tuple(
            None if name not in found else sum(name in of for of in between) for name in asked
        ),
        "operands": tuple(len(users.get(name, ())) for name in asked),
        "everywhere": tuple(count or 0 for count in pending),
    }


# The loop


def _programs(sin: Callable[[Any], Any], log: Callable[[Any], Any]) -> dict[str, Program]:
    def fan(x: Any, z: Any) -> Any:
        a = sin(x)
        return a * x + log(a)

    def unused(x: Any, z: Any) -> tuple[list[Any], list[Any]]:
        y = fan(x, z)
        _ = y * x
        return [y], [x]

    def of_a_square(x: Any, z: Any) -> tuple[list[Any], list[Any]]:
        y = x * z
        return [y * y, y], [x]

    def early(x: Any, z: Any) -> tuple[list[Any], list[Any]]:
        a = x * x
        return [a + sin(sin(a))], [x]

    def between_two(x: Any, z: Any) -> tuple[list[Any], list[Any]]:
        a = x * z
        return [a * a + x], [x, a]

    return {
        "x · x, where x is used twice by one operation": lambda x, z: ([x * x], [x]),
        "sin x · x + log sin x": lambda x, z: ([fan(x, z)], [x]),
        "the same, with an operation that nobody asked for": unused,
        "a + sin sin a, where a = x · x": early,
        "x + x, where both contributions are one and the same node": lambda x, z: ([x + x], [x]),
        "two ys, x · z and x + z": lambda x, z: ([x * z, x + z], [x, z]),
        "two ys, of which one is made from the other": of_a_square,
        "two xs, of which one is made from the other": between_two,
        "an x that no y is made from": lambda x, z: ([log(x)], [x, z]),
        "the loss": lambda x, z: ([squared_error(x, z)], [x, z]),
    }


def expected_gradients() -> dict[str, Any]:
    """Exercise 2: the gradients of small programs, by the package's static graph."""
    found = {}
    for case, program in _programs(np.sin, np.log).items():
        with static_graph.Graph() as graph:
            inputs = [static_graph.Variable(value) for value in POINT]
            ys, xs = program(*inputs)
            grads = static_graph.gradients(ys, xs)
            found[case] = tuple(None if g is None else graph.run(g) for g in grads)
    return found


def sweep_programs(gradients: Any) -> Any:
    """Exercise 2: the same gradients by the learner's `gradients` on the notebook's nodes."""

    def answer(names: dict[str, Any], case: str) -> Any:
        inputs = [names["Placeholder"](name) for name in "xz"]
        ys, xs = _programs(names["sin"], names["log"])[case](*inputs)
        grads = gradients(ys, xs)
        if not isinstance(grads, list | tuple):
            return Finding(describe(grads))
        for g in grads:
            if isinstance(g, list):
                return Finding(describe(g))
        fed = dict(zip(inputs, POINT, strict=True))
        return [names["run"]([g], fed)[0] if isinstance(g, names["Operator"]) else g for g in grads]

    cases = {case: (case,) for case in _programs(np.sin, np.log)}
    return run_cases(answer, cases, gradients, **GRAPH)


# A registered gradient

WEIGHTS = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])
SHAPES = {
    "(2, 3) - (3,)": ((2, 3), (3,)),
    "(3,) - (2, 3)": ((3,), (2, 3)),
    "(2, 3) - (2, 1)": ((2, 3), (2, 1)),
}
BY_OPERAND = "{}, the gradient for {}"


def expected_differences() -> dict[str, Any]:
    """Exercise 3: the gradients of Σ weights · (x − y) and their shapes, by the package's tape."""
    found = {}
    for case, shapes in SHAPES.items():
        x, y = _variables(*(np.ones(shape) for shape in shapes))
        with GradientTape() as tape:
            weighed = (x - y) * WEIGHTS
        found[case] = tuple(plain(g.numpy()) for g in tape.gradient(weighed, [x, y]))
    return split_parts(found, BY_OPERAND, "xy")


def subtract(sub_gradient: Any) -> Any:
    """Exercise 3: the same gradients by the learner's registered rule."""

    def answer(names: dict[str, Any], *shapes: tuple[int, ...]) -> Any:
        x, y, weights = (names["Placeholder"](name) for name in ("x", "y", "grad"))
        sent = sub_gradient(names["Operator"]("sub", x, y), weights)
        if not isinstance(sent, list | tuple) or len(sent) != 2:
            return Finding(describe(sent))
        if not all(isinstance(each, names["Node"]) for each in sent):
            return Finding(f"{describe(sent)}, and each of the two has to be a node")
        fed = {x: np.ones(shapes[0]), y: np.ones(shapes[1]), weights: WEIGHTS}
        return [plain(np.asarray(value)) for value in names["run"](list(sent), fed)]

    return split_parts(run_cases(answer, SHAPES, sub_gradient, **NODES), BY_OPERAND, "xy")


# The package's tape


def truth_table(x: float, accessed: bool) -> tuple[float | None, ...]:
    """Exercise 4: which of six sources get a gradient, by the package's tape.

    >>> truth_table(3.0, True)
    (6.0, None, None, 6.0, None, None)
    """
    a, e, f = _variables(x, x, x)
    b: Any = Variable(x, trainable=False)
    c, d = constant(x), constant(x)
    with GradientTape(watch_accessed_variables=accessed) as tape:
        tape.watch(d)
        z = a**2 + b**2 + c**2 + d**2 + e.numpy() ** 2
        with tape.stop_recording():
            square = f**2
        z = z + square
    return tuple(None if g is None else g.numpy() for g in tape.gradient(z, [a, b, c, d, e, f]))


def rewind_tape(both_gradients: Any) -> Any:
    """Exercise 5: the learner's two gradients from a tape that is not persistent, and whether it is released then."""
    vet_code(both_gradients)
    x: Any = Variable(2.0, name="x")
    y: Any = Variable(3.0, name="y")
    with GradientTape() as tape:
        z = x**2 + y**2

    found = attempt(lambda: _describe_parts(both_gradients(tape, z, x, y)))
    try:
        tape.gradient(z, x)
        afterwards = "rewound once more" if tape.persistent else "rewound for the first time"
    except ReleasedError:
        afterwards = "ReleasedError"
    return {"the two gradients": found, "what the tape says to one question more": afterwards}


def _describe_parts(thing: Any) -> Any:
    if isinstance(thing, list | tuple):
        return tuple(map(_describe_parts, thing))
    return summarize(thing)


def read_policies(answer: Any) -> Any:
    """Exercise 7: the four policies, each as "none" or "zero"; None and 0 are accepted too."""
    seen = plain(answer)
    if not isinstance(seen, tuple):
        return seen
    return in_small_letters([_name_policy(part) for part in seen], "zero", "none")


def _name_policy(part: Any) -> Any:
    """Spell None and 0 as words, and zeros as zero; leave anything else as it is.

    >>> [_name_policy(part) for part in (None, 0.0, "Zeros", 2.0)]
    ['none', 'zero', 'zero', 2.0]
    """
    if part is None:
        return "none"
    if isinstance(part, float) and part == 0.0:
        return "zero"
    if isinstance(part, str):
        return part.lower().replace("zeros", "zero")
    return part


STEPS = 20
WHERE = "of w after one step"
UNUSED = "of a Variable that the loss does not use"
AT_ONCE = "of w and b after one step, if the loss is w * b and the learning rate 0.2"
RECORDED = "of whether a tape was recording when you called the loss"


def after(k: int) -> str:
    """Exercise 6: the name of the case that is the loss after k steps."""
    return f"of the loss after {k} steps"


def expected_losses() -> dict[str, Any]:
    """Exercise 6: the losses of twenty steps, each of which multiplies the loss, 68 at first, by 0.64."""
    losses = {after(k): 68 * 0.64**k for k in range(STEPS + 1)}
    return {WHERE: 4.6, **losses, UNUSED: 1.0, AT_ONCE: (3.0, 9.0), RECORDED: True}


def run_minimize(minimize: Any) -> Any:
    """Exercise 6: the losses of twenty steps of the learner's `minimize`, and a Variable that the loss does not use."""
    vet_code(minimize)
    if "minimize" in names_in(minimize.__code__):
        return Refused(
            "You call an optimizer's own minimize. That is the function to be written here."
        )
    w: Any = Variable(5.0, name="w")
    b: Any = Variable(10.0, name="b")
    recording: list[bool] = []

    def product() -> Any:  # the slope with respect to each Variable is the value of the other
        recording.append(bool(active_recorders()))
        return w * b

    went = attempt(minimize, product, [w, b], 0.2)
    at_once = went if isinstance(went, Crashed) else plain((w.numpy(), b.numpy()))
    w = Variable(5.0, name="w")
    b = Variable(10.0, name="b")
    unused = Variable(1.0, name="beside")
    found = {after(0): plain(squared_error(w, b).numpy())}
    for k in range(1, STEPS + 1):
        went = attempt(minimize, lambda: squared_error(w, b), [w, b, unused], 0.1)
        if isinstance(went, Crashed) and went.never_ends:
            return {WHERE: went}
        found[after(k)] = went if isinstance(went, Crashed) else plain(squared_error(w, b).numpy())
        found.setdefault(WHERE, went if isinstance(went, Crashed) else w.numpy())
    return found | {UNUSED: unused.numpy(), AT_ONCE: at_once, RECORDED: any(recording)}


# With numbers of one's own


def ask_for_pending_counts(target: str = "d", source: str = "x") -> Instance:
    """Exercise 1: the pending counts between a source and a target in a small graph."""
    counts = count_pending(target, source)
    return Instance(counts.pop("pending"), mistakes=counts | {"after the sweep": (0, 0, 0, 0)})


def fill_truth_table(x: float = 3.0, accessed: bool = True) -> Instance:
    """Exercise 4: the gradients of six sources, of which only the watched and recorded ones get one."""
    right, slope = truth_table(x, accessed), truth_table(x, True)[0]

    def instead(**cells: float | None) -> tuple[float | None, ...]:
        return tuple(cells.get(name, cell) for name, cell in zip("abcdef", right, strict=True))

    mistakes = {
        "other switch": truth_table(x, not accessed),
        "all six": (slope,) * 6,
        "c watched": instead(c=slope),
        "b watched": instead(b=slope),
        "e recorded": instead(e=slope),
        "f recorded": instead(f=slope),
        "d not watched": instead(d=None),
        "zeros": tuple(0.0 if cell is None else cell for cell in right),
    }
    return Instance(right, mistakes=mistakes)
