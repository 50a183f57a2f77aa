"""The rules that GradcheckBench checks, right or with a bug: of a small layer's bias; and the difference quotient."""

import functools
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.engine.broadcasting import shape_of
from autodiff_lab.engine.dispatch import TABLE

BATCH = np.array([[0.4, -0.7], [1.2, 0.3], [-0.2, 0.9]])
BIAS = np.array([0.5, 1.0])


class Sample(NamedTuple):
    """A function of the gradcheck bench's layer whose rule is checked, and the numbers at which it is."""

    row: Any
    """Its key in the table of rules."""
    more: tuple[float, ...] = ()
    """Operands beside the first."""
    batch: np.ndarray = BATCH
    bias: np.ndarray = BIAS


SAMPLES = {
    "sin": Sample(np.sin),
    "exp": Sample(np.exp),
    "tanh": Sample(np.tanh),
    "square": Sample(np.square),
    "log": Sample(np.log),
    "relu, 1e−7 from its kink": Sample(np.maximum, (0.0,), np.zeros((3, 2)), np.array([1e-7, -0.5])),
}
BUGS = ("none", "wrong sign", "missing factor", "no sum-back")
DIRECTIONS = ("a random direction", "the first entry of b")
DTYPES = ("float64", "float32")
SMALLEST, LARGEST, STEP = -12.0, -0.5, 0.5
STEPS = np.arange(SMALLEST, LARGEST + STEP, STEP).tolist()
"""The stops of the step h, as logarithms."""


class Check(NamedTuple):
    """The result of checking a rule on the gradcheck bench, right or with a bug."""

    h: float
    """The logarithm of the step."""
    slope: float
    """What the rule says, along the direction."""
    quotient: float
    """What the central difference says."""
    error: float
    """Their relative error; 0 where both are 0."""
    shape: tuple[int, ...]
    """Of the adjoint of b."""
    verdict: str
    """``"right"``, ``"look closer"`` or ``"wrong"``."""


def loss(sample: Sample, batch: Any, bias: Any) -> Any:
    """Return the loss of the gradcheck bench's layer: the sum of its outputs, the mean taken over the batch."""
    return np.sum(np.mean(sample.row(batch + bias, *sample.more), axis=0))


def adjoint_of_bias(sample: Sample, batch: Any, bias: Any, bug: str = "none") -> Any:
    """Pull 1 back through the gradcheck bench's layer, by rules of the table, and by a wrong one where there is a bug.

    >>> [adjoint_of_bias(SAMPLES["sin"], BATCH, BIAS, bug).shape for bug in ("none", "no sum-back")]
    [(2,), (3, 2)]
    """
    add, row = TABLE[np.add], TABLE[sample.row]
    z = batch + bias
    y = sample.row(z, *sample.more)
    g = np.ones_like(y) / y.dtype.type(len(batch))
    if bug != "missing factor":
        g = row.pullback(0, g, y, (z, *sample.more))
    if bug == "wrong sign":
        g = -g
    return g if bug == "no sum-back" else add.pullback(1, g, z, (batch, bias))


def make_direction(direction: str, draw: int) -> np.ndarray:
    """Make the direction in which the gradcheck bench checks a rule: the first axis, or a random one by its seed."""
    if direction == DIRECTIONS[1]:
        return np.eye(len(BIAS))[0]
    along = np.random.default_rng(draw).standard_normal(len(BIAS))
    return along / np.linalg.norm(along)


@functools.lru_cache(maxsize=4096)
def check(op: str, bug: str, h: float, dtype: str, direction: str, draw: int) -> Check:
    """Check a rule of the gradcheck bench by a central difference in one direction; `h` is the step's logarithm."""
    sample, kind = SAMPLES[op], np.dtype(dtype).type
    batch, bias, t = (x.astype(kind) for x in (sample.batch, sample.bias, make_direction(direction, draw)))
    step = kind(10.0**h)
    adjoint = adjoint_of_bias(sample, batch, bias, bug)
    slope = float(np.sum(adjoint * t))
    with np.errstate(all="ignore"):  # a large step may leave the domain of the logarithm
        quotient = float((loss(sample, batch, bias + step * t) - loss(sample, batch, bias - step * t)) / (2 * step))
    error, shape = relative_error(slope, quotient), shape_of(adjoint)
    return Check(h, slope, quotient, error, shape, _verdict(error, shape == shape_of(bias)))


def relative_error(a: float, b: float) -> float:
    """Return |a − b| over the larger of the two: how far a rule is from the gradcheck bench's quotient.

    >>> relative_error(1.0, -1.0), relative_error(1e-9, 2e-9), relative_error(0.0, 0.0)
    (2.0, 0.5, 0.0)
    """
    largest = max(abs(a), abs(b))
    return abs(a - b) / largest if largest else 0.0


WRONG, RIGHT = 1e-2, 1e-7
"""Above the first a rule is wrong, up to the second it is right; what lies between is to be looked at."""


def _verdict(error: float, same_shape: bool) -> str:
    if not same_shape or not error <= WRONG:
        return "wrong"
    return "right" if error <= RIGHT else "look closer"
