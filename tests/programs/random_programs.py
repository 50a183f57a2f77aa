"""Random array programs, as Python text: axes of length 1 everywhere, kept axes that are indexed, masks and choices.

A program is written line by line from a seed: each line applies a function, an operator, a reduction, an index or a
change of shape to values of the lines before it, and is kept if NumPy can run it at both of the inputs and the numbers
stay moderate. The shapes are those that come out; nothing is arranged so that a compiler may like it. The inputs have
shapes from () to (2, 3, 1). The last line is a number: the sum of several of the values.

    python -m tests.programs.random_programs 20000 [first seed]

takes so many programs and prints the source of each that fails; see `find_mismatch` for what is compared.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab import AutodiffError, jvp, value_and_grad, vmap
from autodiff_lab.programs import program

SHAPES = [
    (),
    (1,),
    (2,),
    (3,),
    (1, 1),
    (1, 3),
    (2, 1),
    (2, 3),
    (3, 2),
    (1, 2, 1),
    (2, 1, 3),
    (2, 3, 1),
]

# Smooth functions that keep numbers moderate, and some with kinks.
FUNCTIONS = [
    *(
        "np.sin({0})",
        "np.cos({0})",
        "np.tanh({0})",
        "np.exp(-{0} * {0})",
        "np.arctan({0})",
        "np.square({0})",
    ),
    *(
        "np.sqrt(1.0 + {0} * {0})",
        "np.log(2.0 + np.cos({0}))",
        "1 / (1 + {0} * {0})",
        "-{0}",
        "{0} ** 3",
        "{0} ** 2",
    ),
    *(
        "np.abs({0})",
        "np.maximum({0}, 0.1)",
        "np.where({0} > 0.2, {0}, 0.5 * {0})",
        "np.clip({0}, -1, 1.5)",
    ),
    *(
        "np.where({0} > 0, 2, 3) * {0}",
        "({0} > 0) * {0}",
        "({0} > 0).astype(float) - {0}",
        "2 * {0}",
        "{0} / 3",
    ),
    *(
        "np.floor({0}).astype(int) * {0}",
        "1.0 - {0}",
        "{0} + 1",
        "np.sign({0}) * {0}",
        "{0} * 1.0",
        "{0} + 0.0",
    ),
]
PAIRS = [
    *(
        "{0} + {1}",
        "{0} - {1}",
        "{0} * {1}",
        "{0} / (2 + np.cos({1}))",
        "np.maximum({0}, {1})",
        "np.minimum({0}, {1})",
    ),
    *(
        "np.where({0} > {1}, {0}, {1} * 2)",
        "np.hypot({0}, 1 + {1} * {1})",
        "np.arctan2({0}, 2 + {1})",
        "{0} @ {1}",
    ),
    *(
        "np.where(np.sin({0}) > {1}, {1}, 1.0)",
        "({0} < {1}) * {0}",
        "np.outer({0}, {1})",
        "np.dot({0}, {1})",
    ),
    *(
        "np.stack([{0}, {1}])",
        "np.concatenate([{0}, {1}], axis=-1)",
        "np.broadcast_to({0}, np.shape({1}))",
    ),
]
REDUCTIONS = ["sum", "mean", "prod", "max", "min", "std", "var"]
RESHAPINGS = [
    *(
        "np.transpose({0})",
        "{0}.T",
        "np.reshape({0}, (-1,))",
        "np.reshape({0}, (1, -1))",
        "np.ravel({0})[:, None]",
    ),
    *(
        "np.expand_dims({0}, 0)",
        "np.expand_dims({0}, -1)",
        "np.squeeze({0})",
        "np.swapaxes({0}, 0, -1)",
    ),
    *(
        "np.flip({0})",
        "np.roll({0}, 1)",
        "np.cumsum(np.atleast_1d({0}), axis=0)",
        "np.atleast_2d({0})",
        "np.repeat({0}, 2, axis=0)",
    ),
    *(
        "np.tile({0}, 2)",
        "np.diff({0}, axis=0, prepend=0.5)",
        "np.sort({0}, axis=0)",
        "np.reshape({0}, ())",
    ),
]


class Case(NamedTuple):
    """A random program: its text, the point it is compiled at, and another one it is called at."""

    seed: int
    source: str
    names: tuple[str, ...]
    first: tuple[Any, ...]
    other: tuple[Any, ...]

    def function(self) -> Callable[..., Any]:
        """The function that the text defines."""
        space: dict[str, Any] = {"np": np}
        exec(self.source, space)
        return space["f"]  # type: ignore[no-any-return]

    def __str__(self) -> str:
        inputs = [
            f"{name} = np.array({x.tolist()})"
            for name, x in zip(self.names, self.other, strict=True)
        ]
        return "\n".join([f"# seed {self.seed}, called at", *inputs, self.source])


def write_index(random: Random, shape: tuple[int, ...]) -> str:
    """An index for an array of that shape: numbers, slices forward and back, lists, None and an ellipsis."""
    parts = []
    for n in shape[: random.randint(0, len(shape))]:
        k = random.randrange(n)
        step_back = random.choice(["::-1", f"{k}::-1", "::-2", ":0:-1" if n > 1 else "::-1"])
        entries = [random.randrange(-n, n) for _ in range(random.randint(1, 3))]
        parts.append(
            random.choice(
                [str(k), str(k - n), ":", f"{k}:", f":{k + 1}", step_back, str(entries), "::2"]
            )
        )
    if random.random() < 0.3:
        parts.insert(random.randint(0, len(parts)), "None")
    if random.random() < 0.2:
        parts.insert(random.randint(0, len(parts)), "...")
    return ", ".join(parts) or random.choice(["...", "None", "()"])


def write_line(random: Random, known: dict[str, Any]) -> str:
    """An expression of the names that are known, half of the time of one of the last three."""

    def name() -> str:
        names = list(known)
        return random.choice(names[-3:] if random.random() < 0.5 else names)

    kind, a = random.random(), name()
    if kind < 0.25:
        return random.choice(FUNCTIONS).format(a)
    if kind < 0.5:
        return random.choice(PAIRS).format(a, name())
    if kind < 0.72:
        axes = range(-np.ndim(known[a]), np.ndim(known[a]))
        pair = (0, -1) if np.ndim(known[a]) > 1 else None
        axis, keep = (
            random.choice([None, pair, *axes]),
            random.choice([", keepdims=True", ", keepdims=True", ""]),
        )
        reduction = f"np.{random.choice(REDUCTIONS)}({a}, axis={axis}{keep})"
        return f"{reduction}[0]" if keep and random.random() < 0.4 else reduction
    if kind < 0.9:
        mask = f"np.sin(7 * {a}) > 0.1"
        return f"{a}[{mask if random.random() < 0.08 else write_index(random, np.shape(known[a]))}]"
    return random.choice(RESHAPINGS).format(a)


def is_moderate(x: Any) -> bool:
    """Whether a value may be computed with: an array of a few finite numbers of moderate size."""
    x = np.asarray(x)
    return (
        x.dtype == np.float64 and 0 < x.size <= 24 and x.ndim <= 4 and bool(np.all(np.abs(x) < 30))
    )


def write_program(seed: int) -> Case:
    """The random program of a seed."""
    random = Random(seed)
    draw = np.random.default_rng(seed)
    names = ("x", "y")[: random.randint(1, 2)]
    shapes = [random.choice(SHAPES) for _ in names]
    first, other = (
        tuple(np.round(draw.normal(size=shape), 3) for shape in shapes) for _ in range(2)
    )
    first, other = (tuple(x if x.shape else float(x) for x in point) for point in (first, other))
    known, there = (dict(zip(names, point, strict=True)) for point in (first, other))
    lines: list[str] = []
    while len(lines) < random.randint(3, 9):
        text, name = write_line(random, known), f"t{len(lines) + 1}"
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value, value_there = (
                    eval(text, {"np": np}, dict(values)) for values in (known, there)
                )
        except (ValueError, IndexError, TypeError, AttributeError):
            continue
        if is_moderate(value) and is_moderate(value_there):
            known[name], there[name] = value, value_there
            lines.append(f"{name} = {text}")
    last = list(known)[-random.randint(1, 4) :]
    total = " + ".join(
        f"np.sum({random.choice(['np.tanh({0})', '{0} * {0}', '{0}']).format(name)})"
        for name in last
    )
    body = "\n".join(f"    {line}" for line in [*lines, f"return {total}"])
    source = f"def f({', '.join(names)}):\n{body}\n"
    return Case(seed, source, names, tuple(map(np.asarray, first)), tuple(map(np.asarray, other)))


def plain(point: tuple[Any, ...]) -> tuple[Any, ...]:
    """A point with numbers where it has arrays of shape ()."""
    return tuple(x if x.shape else float(x) for x in point)


def describe_difference(what: str, found: Any, expected: Any, rtol: float = 1e-9) -> str:
    """How two results differ, in shape or number; empty if they do not."""
    pairs = (
        zip(found, expected, strict=True)
        if isinstance(expected, (tuple, list))
        else [(found, expected)]
    )
    for a, b in pairs:
        scale = max(1.0, float(np.max(np.abs(b), initial=0.0)))
        if np.shape(a) != np.shape(b) or not np.allclose(
            a, b, rtol=rtol, atol=rtol * scale, equal_nan=True
        ):
            return f"{what}: {a} where {b} is right"
    return ""


def difference_quotient(
    f: Callable[..., Any], point: tuple[Any, ...], along: tuple[Any, ...]
) -> float | None:
    """The slope along a direction by central differences; None at a kink, where steps or sides do not agree."""

    def value(h: float) -> float:
        return float(f(*(x + h * t for x, t in zip(point, along, strict=True))))

    def quotient(h: float) -> float:
        return (value(h) - value(-h)) / (2 * h)

    coarse, fine, finest = quotient(2e-4), quotient(1e-4), quotient(2e-5)
    best = (4 * fine - coarse) / 3
    scale, h = max(1.0, abs(best)), 1e-6
    steady = max(abs(best - fine), abs(best - finest)) < 1e-4 * scale
    same_on_both_sides = abs(value(h) - 2 * value(0.0) + value(-h)) < 1e-3 * scale * h
    return best if steady and same_on_both_sides and np.isfinite(best) else None


def find_mismatch(case: Case) -> str:
    """What is wrong with a program's derivatives, in words; empty if nothing is.

    Compiled at the first point, called at both, it must give what the engine gives: value and gradient (its own arrays,
    which stay when it is called again), the same in forward mode, the derivative along a direction, the value alone.
    The engine's gradient must be that of central differences, unless the point is at a kink, and that of `vmap` over
    two points, where `vmap` takes the program.
    """
    f, which = case.function(), tuple(range(len(case.names)))
    first, other = plain(case.first), plain(case.other)
    expected = value_and_grad(f, which)(*other)
    options: dict[str, Any] = {"argnums": which, "on_branch": "rerecord"}
    compiled = program(f, *first, **options)
    before = [np.array(x) for x in other]
    value, gradient = compiled(*other)
    kept = [np.array(g) for g in gradient]
    at_first = compiled(*first)
    again = compiled(*other)
    expected_first = value_and_grad(f, which)(*first)
    along = tuple(np.cos(np.arange(1.0, np.size(x) + 1)).reshape(np.shape(x))[()] for x in other)
    slope = sum(float(np.sum(g * t)) for g, t in zip(expected[1], along, strict=True))
    measured = difference_quotient(f, other, along)
    _, jacobian = program(f, *first, mode="forward", **options)(*other)
    directional = program(lambda *xs: jvp(f, xs, along), *first, mode="value", **options)(*other)
    both = tuple(np.stack([a, b]) for a, b in zip(first, other, strict=True))
    found = [
        describe_difference("value", value, expected[0]),
        describe_difference("gradient", gradient, expected[1]),
        describe_difference("gradient, after another call", gradient, kept, 0.0),
        describe_difference("the inputs, after the call", other, before, 0.0),
        describe_difference("gradient at the first point", at_first[1], expected_first[1]),
        describe_difference("gradient at the second call", again[1], expected[1]),
        describe_difference(
            "value alone", program(f, *first, mode="value", **options)(*other), expected[0]
        ),
        describe_difference("mode='forward'", jacobian, expected[1], 1e-8),
        describe_difference("along a direction", directional, (expected[0], slope), 1e-8),
        ""
        if measured is None
        else describe_difference("the engine, against differences", slope, measured, 1e-3),
        describe_difference("vmap", _vmapped(f, which, both), _looped(f, which, both), 1e-8),
    ]
    return next(filter(None, found), "")


def _vmapped(f: Callable[..., Any], which: tuple[int, ...], both: tuple[Any, ...]) -> Any:
    """The gradient at two points at once; None where the engine says that it cannot, as for a mask as an index."""
    try:
        return vmap(lambda *xs: value_and_grad(f, which)(*xs)[1])(*both)
    except AutodiffError:
        return _looped(f, which, both)


def _looped(f: Callable[..., Any], which: tuple[int, ...], both: tuple[Any, ...]) -> Any:
    found = [value_and_grad(f, which)(*(x[k] for x in both))[1] for k in range(2)]
    return tuple(np.stack(parts) for parts in zip(*found, strict=True))


def main(count: int, start: int) -> None:
    """Take so many programs, and print those that fail."""
    failed = 0
    for seed in range(start, start + count):
        case = write_program(seed)
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wrong = find_mismatch(case)
        except Exception as problem:
            wrong = f"{type(problem).__name__}: {problem}"
        if wrong:
            failed += 1
            print(f"{wrong}\n{case}", flush=True)
    print(f"{count} programs from seed {start} on, {failed} failed")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
