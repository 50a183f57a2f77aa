"""The exercises of `higher_order`: the learner's nested derivatives, compared with the engine's.

How a Hessian-vector product nests its derivatives can be read from the argument of the differentiated function: it is a
Variable that contains a Dual, or a Dual that contains a Variable.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff_lab import Dual, Variable, hvp, jvp
from autodiff_lab.lessons.checks import Instance, names_in, plain, run_cases
from autodiff_lab.lessons.checks.compare import Finding
from autodiff_lab.lessons.examples.tagged_machines import Run

Derivative = Callable[[Callable[[Any], Any], Any], Any]
WAYS = ("reverse over reverse", "forward over reverse", "reverse over forward")

# Hessian times vector


def course(x: Any) -> Any:
    """Exercise 5: the function of the course, of an array of two."""
    return np.log(x[0]) + x[0] * x[1] - np.sin(x[1])


def of_three(x: Any) -> Any:
    """Exercise 5: a function of an array of three, whose Hessian has no zero element."""
    return np.exp(x[0] * x[1]) * np.sin(x[2])


PRODUCTS: dict[str, tuple[Callable[[Any], Any], tuple[float, ...], tuple[float, ...]]] = {
    "the course's function at (2, 5) with v = (1, 2)": (course, (2.0, 5.0), (1.0, 2.0)),
    "the course's function at (0.5, 1) with v = (3, −1)": (course, (0.5, 1.0), (3.0, -1.0)),
    "exp(x₀ x₁) sin x₂ at (1, 0.5, 2) with v = (1, −2, 3)": (
        of_three,
        (1.0, 0.5, 2.0),
        (1.0, -2.0, 3.0),
    ),
}


MATRICES = {"hessian", "jacobian", "jacfwd", "jacrev"}


def expected_products() -> dict[str, Any]:
    """Exercise 5: the Hessian-vector products of each nesting, and how the nesting is recognised."""
    found: dict[str, Any] = {}
    for way in WAYS:
        for case, (f, x, v) in PRODUCTS.items():
            found[on(way, case)] = plain(hvp(f, (np.array(x),), (np.array(v),)))
        found[made_of(way)] = NO_MATRIX
        found[inside(way)] = way
    return found


def on(way: str, case: str) -> str:
    """Exercise 5: the name of the case in which one nesting meets one function.

    >>> on("reverse over forward", "x² at 3")
    'reverse_over_forward on x² at 3'
    """
    return f"{way.replace(' ', '_')} on {case}"


NO_MATRIX = "products, without a matrix"


def made_of(way: str) -> str:
    """Exercise 5: the name of the case that is whether a matrix was made on the way."""
    return f"“what {way.replace(' ', '_')} is made of”"


def inside(way: str) -> str:
    """Exercise 5: the name of the case that is the order in which derivatives are nested."""
    return f"“which derivative is outside and which inside in {way.replace(' ', '_')}”"


def multiply_hessians(
    reverse_over_reverse: Any, forward_over_reverse: Any, reverse_over_forward: Any
) -> Any:
    """Exercise 5: the learner's three Hessian-vector products, and how each nests its derivatives."""
    code = dict(
        zip(WAYS, (reverse_over_reverse, forward_over_reverse, reverse_over_forward), strict=True)
    )
    nestings: dict[str, list[str]] = {way: [] for way in WAYS}

    def run(names: Any, way: str, f: Any, x: Any, v: Any) -> Any:
        def watched(x: Any) -> Any:
            nestings[way].append(nesting(x))
            return f(x)

        return code[way](watched, np.array(x), np.array(v))

    cases = {on(way, case): (way, *data) for way in WAYS for case, data in PRODUCTS.items()}
    found = run_cases(run, cases, *code.values())
    for way, kinds in nestings.items():
        whole = sorted(MATRICES & names_in(code[way].__code__))
        found[made_of(way)] = f"a matrix, by {whole[0]}" if whole else NO_MATRIX
        found[inside(way)] = _sum_up(kinds)
    return found


def nesting(x: Any) -> str:
    """Exercise 5: which derivatives a traced value belongs to, the outermost first; none for a plain array.

    >>> seen = []
    >>> _ = hvp(lambda x: seen.append(nesting(x)) or np.sum(x * x), (np.ones(2),), (np.ones(2),))
    >>> seen
    ['forward over reverse']
    """
    levels = []
    while isinstance(x, Variable | Dual):
        if isinstance(x, Variable):
            levels.append("reverse")
        elif x.level.batch is None:
            levels.append("forward")
        else:
            levels.append("forward, all directions at once,")
        x = x.value
    return " over ".join(reversed(levels)) or "no derivative"


def _sum_up(nestings: list[str]) -> str:
    """Summarize the nestings in which f was called, and the number of calls if it was more than one per case."""
    kinds = list(dict.fromkeys(nestings))
    if not kinds:
        return "f is never called"
    summary = ", then ".join(kinds)
    often = len(nestings) // len(PRODUCTS)
    return f"{summary}, {often} runs of f" if often > 1 else summary


# Tags

NESTED: dict[str, Callable[[Derivative], Any]] = {
    "d/dx [x · d/dy (x + y)] at x = 1, y = 1": lambda D: D(
        lambda x: x * D(lambda y: x + y, 1.0), 1.0
    ),
    "d/dx [x · d/dy (x · y)] at x = 4, y = 1": lambda D: D(
        lambda x: x * D(lambda y: x * y, 1.0), 4.0
    ),
    "d/dx [x · d/dy (x · y · y)] at x = 3, y = 2": lambda D: D(
        lambda x: x * D(lambda y: x * y * y, 2.0), 3.0
    ),
    "d/dx [d/dy sin y at y = x] at x = 0.8": lambda D: D(lambda x: D(lambda y: np.sin(y), x), 0.8),
    "the third derivative of z³ at 2": lambda D: D(
        lambda x: D(lambda y: D(lambda z: z * z * z, y), x), 2.0
    ),
    "d/dx [d/dy (x² · y³)] at x = 3, y = 2": lambda D: D(
        lambda x: D(lambda y: x * x * y * y * y, 2.0), 3.0
    ),
    "d/dx [d/dy (y · y)] at x = 5, y = 3": lambda D: D(lambda x: D(lambda y: y * y, 3.0), 5.0),
    "d/dx [x · d/dy (x · x)] at x = 5, y = 3": lambda D: D(
        lambda x: x * D(lambda y: x * x, 3.0), 5.0
    ),
    "d/dx [x · d/dy (x · y) at y = x] at x = 3": lambda D: D(
        lambda x: x * D(lambda y: x * y, x), 3.0
    ),
    "two derivatives side by side in a third": lambda D: D(
        lambda x: D(lambda y: x * y, 2.0) * D(lambda y: y * y * x, 3.0), 5.0
    ),
    "the slope of a constant": lambda D: D(lambda x: 7.0, 5.0),
}


def by_the_engine(f: Callable[[Any], Any], x: Any) -> Any:
    """Exercises 2 and 4: the derivative of a function of one number, by the engine's forward pass."""
    return jvp(f, (x,), (1.0,))[1]


def expected_nested() -> dict[str, Any]:
    """Exercise 2: nested derivatives whose levels must be told apart, by the engine."""
    return {case: plain(program(by_the_engine)) for case, program in NESTED.items()}


def run_nested(together: Any, D_tagged: Any) -> Any:
    """Exercise 2: nested derivatives by the learner's tagged numbers, whose class calls `together`."""
    cases = {case: (program,) for case, program in NESTED.items()}
    options: dict[str, Any] = {
        "listing": ("Tagged", "tags"),
        "machine": "class",
        "together": together,
    }

    def run(names: dict[str, Any], program: Any) -> Any:
        slope = program(D_tagged)
        if isinstance(slope, names["Tagged"]):
            return Finding(
                "a Tagged number, though no derivative is left that its tag could belong to"
            )
        return slope

    return run_cases(run, cases, together, D_tagged, **options)


# Conjugate gradients where the curvature is negative

CURVATURES: dict[str, tuple[tuple[float, ...], tuple[tuple[float, ...], ...]]] = {
    "both curvatures positive": ((3.0, 4.0), ((2.0, 0.0), (0.0, 5.0))),
    "negative curvature along the first direction": ((2.0, 1.0), ((-1.0, 0.0), (0.0, -2.0))),
    "negative curvature along the second direction": ((2.0, 1.0), ((3.0, 0.0), (0.0, -1.0))),
    "curvature 0 along the first direction": ((1.0, 1.0), ((1.0, 0.0), (0.0, -1.0))),
    "three unknowns, negative curvature along the second direction": (
        (0.0, 1.0, -1.0),
        ((-1.0, 1.0, 0.0), (1.0, 2.0, 0.0), (0.0, 0.0, 3.0)),
    ),
    "a gradient of a few thousandths": ((0.003, 0.004), ((2.0, 0.0), (0.0, 5.0))),
    "three unknowns, all curvatures positive": (
        (1.0, -2.0, 3.0),
        ((4.0, 1.0, 0.0), (1.0, 3.0, 1.0), (0.0, 1.0, 2.0)),
    ),
}


def truncated(gradient: Any, hessian_times: Callable[[Any], Any]) -> Any:
    """Exercise 7: a step by conjugate gradients that stops where the curvature is not positive.

    >>> truncated(np.array([2.0, 1.0]), lambda p: -p)
    array([-2., -1.])
    """
    s, r = np.zeros_like(gradient), -gradient
    p = r
    while r @ r > 1e-20:
        Hp = hessian_times(p)
        if p @ Hp <= 0:
            return s if np.any(s) else p
        alpha = (r @ r) / (p @ Hp)
        s, r_next = s + alpha * p, r - alpha * Hp
        p = r_next + (r_next @ r_next) / (r @ r) * p
        r = r_next
    return s


def take_steps(truncated_cg: Any) -> Any:
    """Exercise 7: the steps of a truncated conjugate gradient method for several Hessians."""
    return run_cases(lambda names, *data: one_step(truncated_cg, *data), CURVATURES, truncated_cg)


def one_step(
    function: Any, gradient: tuple[float, ...], hessian: tuple[tuple[float, ...], ...]
) -> Any:
    """Exercise 7: a method's step for one Hessian; a division by 0, or more than 50 products, raises an error."""
    products = 0

    def hessian_times(p: Any) -> Any:
        nonlocal products
        products += 1
        if products > 50:
            raise RuntimeError("more than 50 products H p for two or three unknowns")
        return np.array(hessian) @ p

    given = np.array(gradient)
    with np.errstate(divide="raise", invalid="raise"):
        step = plain(function(given, hessian_times))
    if not np.array_equal(given, gradient):
        return Finding("this only by changing an array that you were given: work on a copy")
    return step


# On the learner's tape

ON_A_TAPE: dict[str, tuple[Callable[..., Any], tuple[float, ...]]] = {
    "the slope of y³ at 3": (lambda D, y: D(lambda y: y * y * y, y), (3.0,)),
    "the second derivative of y³ at 3": (
        lambda D, x: D(lambda x: D(lambda y: y * y * y, x), x),
        (3.0,),
    ),
    "d/dx [d/dy (y · y)] at x = 5, y = 3": (
        lambda D, x, y: D(lambda x: D(lambda y: y * y, y), x),
        (5.0, 3.0),
    ),
    "the fourth derivative of y³ at 3": (
        lambda D, x: D(lambda x: D(lambda x: D(lambda x: D(lambda y: y * y * y, x), x), x), x),
        (3.0,),
    ),
    "d/dx [x · d/dy (x · x)] at x = 5, y = 3": (
        lambda D, x, y: D(lambda x: x * D(lambda y: x * x, y), x),
        (5.0, 3.0),
    ),
    "d/dx [x · d/dy (x · y) at y = x] at x = 3": (
        lambda D, x: D(lambda x: x * D(lambda y: x * y, x), x),
        (3.0,),
    ),
}


def expected_on_a_tape() -> dict[str, Any]:
    """Exercise 4: nested derivatives such as the fourth of y³, by the engine."""
    return {case: plain(program(by_the_engine, *at)) for case, (program, at) in ON_A_TAPE.items()}


def differentiate_on_tape(derivative: Any) -> Any:
    """Exercise 4: nested derivatives by the learner's `derivative` on the learner's tape."""

    def run(names: dict[str, Any], program: Callable[..., Any], at: tuple[float, ...]) -> Any:
        return program(derivative, *map(names["Variable"], at))

    listing = ("tape", "Variable", "remember", "grad", "one")
    return run_cases(run, ON_A_TAPE, derivative, listing=listing, machine="tape", empty=("tape",))


# With numbers of one's own


def merge_marks(a: float = 4.0, b: float = 1.0, c: float = 3.0, d: float = 2.0) -> Instance:
    """Exercise 1: two nested derivatives, on paper and by a machine with a single ε.

    >>> merge_marks().expected
    (8.0, 5.0, 24.0, 16.0)
    """
    programs = (
        Run(lambda D, x, y: D(lambda x: x * D(lambda y: x * y, y), x), a, b),
        Run(lambda D, x, y: D(lambda x: x * D(lambda y: x * y * y, y), x), c, d),
    )
    slopes = [run.result.tagged for run in programs]
    merged = [run.result.untagged for run in programs]
    held = (
        a,
        2 * c * d,
    )  # d/dy(x · y) = x and d/dy(x · y · y) = 2xy, taken as constants while x moves

    def answered(on_paper: Sequence[Any], by_machine: Sequence[Any]) -> tuple[Any, ...]:
        return plain((on_paper[0], by_machine[0], on_paper[1], by_machine[1]))

    mistakes = {
        "the machine trusted": answered(slopes, slopes),
        "exchanged": answered(merged, slopes),
        "x held on paper": answered(held, merged),
        "x held on the machine": answered(slopes, held),
        "the mark of y lost": answered(slopes, (merged[0] - held[0], merged[1] - held[1])),
    }
    return Instance(answered(slopes, merged), mistakes=mistakes)


def find_convexity(centre: float = 7.0, width: float = 10.0) -> Instance:
    """Exercise 6: the interval on which ln((x − centre)² + width) is convex.

    >>> find_convexity().expected
    (False, 3.8377223398316205, 10.16227766016838)
    """
    root = math.sqrt(width)
    answer = False, centre - root, centre + root
    narrower = math.sqrt(width / 3)
    mistakes = {
        "convex": (True, None, None),
        "convex, with the interval": (True, *answer[1:]),
        "without the root": (False, centre - width, centre + width),
        "from the minimum": (False, -root, root),
        "a term lost": (False, centre - math.sqrt(2 * width), centre + math.sqrt(2 * width)),
        "where Newton arrives": (False, centre - narrower, centre + narrower),
        "ends exchanged": (False, centre + root, centre - root),
    }
    return Instance(answer, mistakes=mistakes)


def find_coefficients(x: float = 3.0, y: float = 2.0) -> Instance:
    """Exercise 3: the coefficients of 1, ε₁, ε₂ and ε₁ε₂ in x²y³, for x + ε₁ and y + ε₂.

    >>> find_coefficients().expected
    (72.0, 48.0, 108.0, 72.0)
    """

    def f(x: Any, y: Any) -> Any:
        return x * x * y * y * y

    value, in_x = jvp(f, (x, y), (1.0, 0.0))
    in_y, both = jvp(lambda x: jvp(lambda y: f(x, y), (y,), (1.0,))[1], (x,), (1.0,))
    mistakes = {
        "slopes added": (value, in_x + in_y, in_x + in_y, both),
        "the product twice": (value, in_x, in_y, 2 * both),
        "marks exchanged": (value, in_y, in_x, both),
        "slopes multiplied": (value, in_x, in_y, in_x * in_y),
        "the product dropped": (value, in_x, in_y, 0.0),
        "powers exchanged": (f(y, x), 3 * x * x * y * y, 2 * x * x * x * y, 6 * x * x * y),
    }
    return Instance(plain((value, in_x, in_y, both)), mistakes=mistakes)
