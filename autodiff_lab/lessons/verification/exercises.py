"""The exercises of `verification`: the learner's functions and rules, compared with correct ones."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from autodiff_lab import Tape, Trace, custom_gradient, grad, record, value_and_grad
from autodiff_lab.lessons.checks import (
    Finding,
    Instance,
    attempt,
    describe,
    plain,
    run_cases,
    vet_code,
)

Case = tuple[Callable[..., Any], Any]


def spell_nonfinite(data: Any) -> Any:
    """Spell out inf and nan in a result: NaN isn't equal to itself, and arithmetic with either finds no near misses.

    >>> spell_nonfinite((0.5, float("nan"), -float("inf")))
    (0.5, 'nan', '-inf')
    """
    if isinstance(data, tuple):
        return tuple(map(spell_nonfinite, data))
    if isinstance(data, float) and not np.isfinite(data):
        return Finding(f"{data:g}")
    return data


def slopes(function: Callable[..., Any], x: Any) -> Any:
    """Exercises 2 to 4: value and slope of a function at x; for an array, the values and the slopes of their sum.

    >>> slopes(np.sin, 0.0), slopes(np.square, np.array([1.0, 2.0]))
    ((0.0, 1.0), ((1.0, 4.0), (2.0, 4.0)))
    """
    if np.ndim(x) == 0:
        return plain(value_and_grad(function)(x))
    return plain((function(x), grad(lambda v: np.sum(function(v)))(x)))


def compare_with(good: Callable[..., Any], cases: Mapping[str, Case]) -> dict[str, Any]:
    """Exercises 2, 3, 4 and 7: a check that compares the learner's function with a correct one, case by case."""

    def try_cases(function: Any) -> Any:
        return run_cases(
            lambda names, run, x: spell_nonfinite(plain(run(function, x))), cases, function
        )

    return {"expected": try_cases(good), "observe": try_cases}


def scale_by(factor: float) -> Callable[[Callable[..., Any], float], Any]:
    """Exercise 3: the value and the slope of a multiple, which reveal an ignored adjoint and tiny errors."""
    return lambda function, x: slopes(lambda v: factor * function(v), x)


# The cases of each exercise


def log_or_zero(x: Any) -> Any:
    """Exercise 2: log x where x > 0 and 0 elsewhere, with finite slopes in the branch that is not taken."""
    positive = x > 0
    return np.where(positive, np.log(np.where(positive, x, 1.0)), 0.0)


SHIELDED: dict[str, Case] = {
    **{f"x = {x:g}": (slopes, x) for x in (2.0, 0.0, -3.0, 1e-300)},
    "x = [2, 0, -3]": (slopes, np.array([2.0, 0.0, -3.0])),
}


@custom_gradient(partials=lambda y, x: 1 / (1 + np.exp(-x)))
def softplus(x: Any) -> Any:
    """Exercise 3: a stable log(1 + exp x) with its own rule."""
    return np.logaddexp(0.0, x)


STABLE: dict[str, Case] = {
    **{f"x = {x:g}": (slopes, x) for x in (800.0, 1.0, -800.0, 11.0, -11.0)},
    "three times it, x = 1": (scale_by(3.0), 1.0),
    "the second derivative at 1": (lambda function, x: grad(grad(function))(x), 1.0),
    "1e18 times it, x = -40": (scale_by(1e18), -40.0),
}

OWN_RULE = "it has a rule of its own"


def compare_stable(log1pexp: Any) -> Any:
    """Exercise 3: the results of the learner's function, and whether it's one line on a tape, so has its own rule."""
    found = run_cases(
        lambda names, run, x: spell_nonfinite(plain(run(log1pexp, x))), STABLE, log1pexp
    )
    tape = attempt(lambda: record(log1pexp, 1.0)[1])
    return found | {OWN_RULE: isinstance(tape, Tape) and len(tape) == 2}


def half_of_sinc_squared(x: Any) -> Any:
    """Exercise 4: (1 − cos x)/x², by a function whose rule has no cancellation."""
    return 0.5 * np.sinc(x / (2 * np.pi)) ** 2


def to_eight_places(function: Callable[..., Any], x: float) -> Any:
    """Exercise 4: the value and the slope, which is rounded to the eight decimal places that can be expected."""
    value, slope = slopes(function, x)
    if isinstance(slope, float):
        slope = round(slope, 8) + 0.0  # not -0.0
    return value, slope


CANCELLING: dict[str, Case] = {
    **{f"x = {x:g}": (slopes, x) for x in (0.5, 0.007, 0.002, 1e-4)},
    "x = 1e-8": (to_eight_places, 1e-8),
}


def slopes_of(loss: Callable[[Any], Any]) -> Callable[[Callable[..., Any], Any], Any]:
    """Exercise 7: the slopes of a loss that is applied to the learner's function."""
    return lambda function, x: grad(lambda v: loss(function(v)))(x)


ERRORS = np.array([-2.0, 0.3, 5.0])
LIMITED: dict[str, Case] = {
    "what comes out": (lambda function, x: function(x), ERRORS),
    "the slopes of ½ Σ clip_gradient(e)²": (slopes_of(lambda y: 0.5 * np.sum(y**2)), ERRORS),
    "the slopes of 100 Σ clip_gradient(e)": (slopes_of(lambda y: 100.0 * np.sum(y)), ERRORS),
}


@custom_gradient(vjp=lambda g, y, x: np.clip(g, -1.0, 1.0))
def limit_adjoint(x: Any) -> Any:
    """Exercise 7: the identity, which limits the adjoint in the backward pass."""
    return x


# A rule for ties

TIES = {str(entries): entries for entries in ([2, 2, 1], [1, 3, 2], [5, 5, 5, 5], [-1, -2, -1])}
FAIR = "the adjoints of the entries add up to that of the maximum, and only the largest get a share"
SEEN_RANDOM = "a hundred random arrays with ties"
DOCUMENTED = "its docstring"
SAYS = "says what is done at a tie"
# Words in a docstring that name a tie rule. A docstring with none of them is accepted.
SPEAKS_OF = {
    "even": ("even", "equal", "split", "divid", "half", "alike", "uniform", "平"),
    "first": ("first", "argmax", "第一", "最先"),
    "last": ("last", "最后"),
}
DONE = {"even": "several get a share", "first": "the first gets all", "last": "the last gets all"}


def judge_shares(share: Any) -> Any:
    """Exercise 5: whether the learner's tie rule is fair on several arrays, and whether its docstring is correct."""
    vet_code(share)
    found: dict[str, Any] = {
        case: attempt(_judge, share, np.array(x, float)) for case, x in TIES.items()
    }
    rng = np.random.default_rng(13)
    for x in rng.integers(0, 3, (100, 4)).astype(float):
        found[SEEN_RANDOM] = attempt(_judge, share, x)
        if found[SEEN_RANDOM] != FAIR:
            break
    is_fair = all(seen == FAIR for seen in found.values())
    does = attempt(_name_rule, share) if is_fair else ""
    found[DOCUMENTED] = _judge_words(share.__doc__ or "", does)
    return found


def _name_rule(share: Callable[..., Any]) -> str:
    """The name of a fair rule, by its shares at (2, 1, 2)."""
    first, _, last = np.asarray(share(np.array([2.0, 1.0, 2.0])), dtype=float)
    if first == 1:
        return "first"
    return "last" if last == 1 else "even"


def _judge_words(said: str, does: Any) -> str:
    """Compare a docstring with the name of the rule, which is unknown if the rule isn't fair."""
    if not said.strip():
        return "is missing"
    if not _is_sentence(said):
        return "says too little"
    speaks_of = {
        rule for rule, words in SPEAKS_OF.items() if any(word in said.lower() for word in words)
    }
    if does not in DONE or not speaks_of or does in speaks_of:
        return SAYS
    return f"does not say what is done: {DONE[does]}"


def _is_sentence(said: str) -> bool:
    """Whether a text has two words, or four characters in a script without spaces."""
    without_spaces = [letter for letter in said if letter.isalpha() and not letter.isascii()]
    return len(said.split()) >= 2 or len(without_spaces) >= 4


def _judge(share: Callable[..., Any], x: np.ndarray) -> str:
    given = np.asarray(share(x.copy()), dtype=float)
    if given.shape != x.shape:
        return f"{describe(share(x.copy()))} for {len(x)} entries: one share for each is needed"
    largest = custom_gradient(vjp=lambda g, y, operand: g * given)(np.max)
    adjoints = grad(lambda v: 2.0 * largest(v))(x)
    if np.any(adjoints[x < np.max(x)] != 0):
        return "an entry that is not the largest gets a share"
    if np.any(adjoints < 0):
        return "a share is negative"
    total = float(np.sum(adjoints)) / 2
    if abs(total - 1) > 1e-9:
        return f"the adjoints of the entries add up to {total:.6g} times that of the maximum"
    return FAIR


def expected_shares() -> dict[str, Any]:
    """Exercise 5: the same findings for a fair, documented tie rule."""
    return {**dict.fromkeys((*TIES, SEEN_RANDOM), FAIR), DOCUMENTED: SAYS}


# With numbers of one's own

# Each program has one input, so that its rows are v0, v1, v2, …
PROGRAMS: dict[str, tuple[Callable[[Any], Any], float]] = {
    "where(x > 0, log(x), 0) at x = 0": (lambda x: np.where(x > 0, np.log(x), 0.0), 0.0),
    "sqrt(x * x) ** 2 at x = 0": (lambda x: np.sqrt(x * x) ** 2, 0.0),
    "where(x > 1, sqrt(x - 1), 0) at x = 1": (lambda x: np.where(x > 1, np.sqrt(x - 1), 0.0), 1.0),
    "log(1 + exp(x)) at x = 800": (lambda x: np.log(1 + np.exp(x)), 800.0),
    "1 / (1 + exp(-x)) at x = -800": (lambda x: 1 / (1 + np.exp(-x)), -800.0),
    "x * log(x) at x = 0": (lambda x: x * np.log(x), 0.0),
    "arccos(cos(x)) at x = 0": (lambda x: np.arccos(np.cos(x)), 0.0),
}
DRAWS = {"program": tuple(PROGRAMS)}


# The lab and the tables write v₁ for v1, and ∞ for inf.
_PLAIN = str.maketrans(
    {**dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True)), "∞": "inf", "−": "-", "_": None}
)


def read_birthplace(answer: Any) -> Any:
    """Exercise 1: the row, the adjoint and the local partial where a NaN is born, all as text.

    >>> read_birthplace(("v1", 0, np.inf)), read_birthplace(("v2", -0.0, np.nan))
    (('v1', '0', 'inf'), ('v2', '0', 'nan'))
    >>> read_birthplace(("v₁", "0.0", "−∞"))
    ('v1', '0', '-inf')
    """
    seen = plain(answer)
    if not isinstance(seen, tuple) or not seen:
        return seen
    row, *numbers = [
        part.strip().lower().translate(_PLAIN) if isinstance(part, str) else part for part in seen
    ]
    return (row, *map(_in_words, numbers))


def _in_words(part: Any) -> Any:
    try:
        return Finding(f"{float(part) + 0.0:g}")
    except (TypeError, ValueError):
        return part


def find_birthplace(program: str = "where(x > 0, log(x), 0) at x = 0") -> Instance:
    """Exercise 1: the row that makes the first adjoint that is not finite, and ways to miss it."""
    f, x = PROGRAMS[program]
    with np.errstate(all="ignore"):
        trace = Trace.of(f, x)
    step, send = _find_first_nonfinite(trace)
    line = trace.lines[step.line]
    row, last = line.name, trace.lines[-1].name
    assert step.adjoint is not None, "a step that sends has an adjoint"
    adjoint = step.adjoint.scalar + 0.0  # not -0.0
    partial = line.operands[send.slot].known_partial.scalar + 0.0
    mistakes = {
        "the product": (row, adjoint, send.contribution.scalar + 0.0),
        "value of the row": (row, adjoint, line.value.scalar + 0.0),
        "seed as the adjoint": (row, 1.0, partial),
        "factors exchanged": (row, partial, adjoint),
        "where it is seen": ("v0", adjoint, partial),
        "v0 and nan twice": ("v0", np.nan, np.nan),
        "last row": (last, 1.0, 0.0),
    }
    right = plain((row, adjoint, partial))
    words = {"row": row, "last": last}
    return Instance(
        read_birthplace(right), reference=f"answer = {right!r}", mistakes=mistakes, words=words
    )


def _find_first_nonfinite(trace: Trace) -> tuple[Any, Any]:
    """The step of the sweep that sends the first contribution that is not finite, and that contribution."""
    for step in trace.steps:
        if step.phase != "sweep":
            continue
        for send in step.sends:
            if not np.isfinite(send.contribution.scalar):
                return step, send
    raise ValueError("every contribution is finite; choose a program with a NaN in its gradient")


def differentiate_clip(e1: float = -2.0, e2: float = 0.3, e3: float = 5.0) -> Instance:
    """Exercise 6: the gradients of the sum, and of half the sum of squares, of clipped errors."""
    errors = np.array([e1, e2, e3])
    clipped, inside = plain(np.clip(errors, -1.0, 1.0)), np.abs(errors) < 1
    of_sum = plain(grad(lambda e: np.sum(np.clip(e, -1.0, 1.0)))(errors))
    of_squares = plain(grad(lambda e: 0.5 * np.sum(np.clip(e, -1.0, 1.0) ** 2))(errors) + 0.0)
    right = (of_sum, of_squares)
    mistakes = {
        "clipped errors": (of_sum, clipped),
        "clip passed over": ((1.0, 1.0, 1.0), clipped),
        "no clip": ((1.0, 1.0, 1.0), errors),
        "inside out": (1.0 * ~inside, clipped * ~inside),
        "the sum twice": (of_sum, of_sum),
    }
    return Instance(right, mistakes=mistakes)
