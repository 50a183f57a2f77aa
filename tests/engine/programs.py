"""Random straight-line programs over the whole table.

A program is a list of instructions over a growing list of values, so operands repeat, values fan out, and some lines
feed nothing. Values stay small, because products and powers are squashed, and kinks are kept at a distance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from autodiff_lab import checkpoint, custom_gradient

from .samples.special import special

C = np.array([[0.5, -1.0, 0.3], [0.2, 0.4, -0.7], [1.0, 0.1, 0.6]])
SLOPES: list[float] = []  # how far the operands of kinks and choices are from where they change

Instruction = tuple[str, int, int]


def far(a: Any, b: Any) -> None:
    """Note how near two operands come to a tie, so that a difference quotient across it can be left out."""
    a, b = (_bottom(v) for v in (a, b))
    SLOPES.append(float(np.min(np.abs(np.subtract(a, b)), initial=np.inf)))


def _bottom(v: Any) -> Any:
    while hasattr(v, "value"):
        v = v.value
    return v


def _chosen(f: Any, kink: Any = None) -> Any:
    """An instruction with a kink where a = b, or where `kink(a, b)` is a pair of equals or a whole number."""

    def g(a: Any, b: Any) -> Any:
        if kink is None:
            far(a, b)
        else:
            where = kink(_bottom(a), _bottom(b))
            far(*where) if isinstance(where, tuple) else far(where, np.round(where))
        return f(a, b)

    return g


def _apart(f: Any) -> Any:
    """An instruction that compares the entries of a + C with each other."""

    def g(a: Any, b: Any) -> Any:
        entries = np.sort(np.ravel(_bottom(a) + C))
        far(entries[1:], entries[:-1])
        return f(a, b)

    return g


def _positive(a: Any) -> Any:
    root = np.eye(3) + 0.3 * np.tanh(a) * C
    return root @ root.T + np.eye(3)


def _far_apart(m: Any) -> Any:
    """Symmetric, with eigenvalues that stay apart."""
    return np.diag([1.0, 3.0, 6.0]) + 0.1 * (m + m.T)


@custom_gradient(partials=lambda y, x: 1 / (1 + np.exp(-x)))
def softplus(x: Any) -> Any:
    return np.logaddexp(0.0, x)


# Each works on numbers and on arrays of shape (3, 3), in any mixture, and gives one or the other.
INSTRUCTIONS: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: np.tanh(a * b),
    "divide": lambda a, b: a / (2 + np.square(b)),
    "reflected": lambda a, b: 2 - a,
    "constant left": lambda a, b: 3 * a,
    "constant array": lambda a, b: C * a,
    "power": lambda a, b: (1.5 + np.sin(a)) ** np.cos(b),
    "whole power": lambda a, b: np.sin(a) ** 3,
    "two to the": lambda a, b: 2.0 ** np.sin(a),
    "negative": lambda a, b: -a,
    "square": lambda a, b: np.tanh(np.square(a)),
    "reciprocal": lambda a, b: np.reciprocal(2 + np.cos(a)),
    "exp": lambda a, b: np.exp(-np.square(np.sin(a))),
    "log": lambda a, b: np.log(1 + np.square(a)),
    "sqrt": lambda a, b: np.sqrt(1 + np.square(a)),
    "sin": lambda a, b: np.sin(a),
    "cos": lambda a, b: np.cos(a),
    "tan": lambda a, b: np.tan(np.tanh(a)),
    "tanh": lambda a, b: np.tanh(a),
    "absolute": _chosen(lambda a, b: np.absolute(a - b)),
    "maximum": _chosen(lambda a, b: np.maximum(a, b)),
    "minimum": _chosen(lambda a, b: np.minimum(a, b)),
    "sign": _chosen(lambda a, b: np.sign(a - b) * a),
    "where": _chosen(lambda a, b: np.where(a > b, np.sin(a), b)),
    "branch": _chosen(lambda a, b: a if np.all(_bottom(a) > _bottom(b)) else b * 2),
    "mask": _chosen(lambda a, b: a * (a > b)),
    "sum": lambda a, b: np.tanh(np.sum(a)),
    "sum along": lambda a, b: np.broadcast_to(np.sum(a * C, axis=0, keepdims=True), (3, 3)),
    "mean": lambda a, b: np.mean(a),
    "mean along": lambda a, b: (a * C).mean(axis=1) + C,
    "reshape": lambda a, b: np.reshape(np.reshape(a * C, (9,))[::-1], (3, 3)),
    "transpose": lambda a, b: (a * C).T,
    "astype": lambda a, b: np.astype(a * C, np.longdouble).astype(float),
    "swapaxes": lambda a, b: np.swapaxes(a + C, 0, 1),
    "broadcast": lambda a, b: np.broadcast_to(a, (3, 3)),
    "stack": lambda a, b: np.mean(
        np.stack([a, b * 2, a]) if np.shape(a) == np.shape(b) else np.stack([a, a]), axis=0
    ),
    "getitem": lambda a, b: (a + C)[1, 2],
    "repeated index": lambda a, b: (a + C)[[0, 2, 0], [1, 1, 1]] * C,
    "matmul": lambda a, b: np.tanh((a + C) @ (b * C)),
    "matrix vector": lambda a, b: np.tanh((a * C) @ (b + C)[:, 0]) + C,
    "dot": lambda a, b: np.tanh((a * C)[0] @ (b * C)[1]),
    # Steps and kinks
    "remainder": _chosen(
        lambda a, b: np.tanh(a % (0.7 + np.square(b))), lambda a, b: a / (0.7 + np.square(b))
    ),
    "fmod": _chosen(
        lambda a, b: np.tanh(np.fmod(a, 0.7 + np.square(b))), lambda a, b: a / (0.7 + np.square(b))
    ),
    "fabs": _chosen(lambda a, b: np.fabs(a - b)),
    "fmax": _chosen(lambda a, b: np.fmax(a, b)),
    "fmin": _chosen(lambda a, b: np.fmin(a, b)),
    "copysign": _chosen(lambda a, b: np.copysign(a, b - 0.1), lambda a, b: (a * (b - 0.1), 0.0)),
    "heaviside": _chosen(lambda a, b: np.heaviside(a - b, 0.5) * b),
    "clip": _chosen(
        lambda a, b: np.clip(a, b - 0.5, b + 0.5), lambda a, b: (np.absolute(a - b), 0.5)
    ),
    # Exponentials, roots and angles
    "ldexp": lambda a, b: np.ldexp(np.sin(a), -2),
    "float power": lambda a, b: np.float_power(1.5 + np.sin(a), np.tanh(b)),
    "positive": lambda a, b: +np.positive(a),
    "exp2": lambda a, b: np.exp2(np.sin(a)),
    "expm1": lambda a, b: np.expm1(np.sin(a)),
    "log2": lambda a, b: np.log2(1 + np.square(a)),
    "log10": lambda a, b: np.log10(1 + np.square(a)),
    "log1p": lambda a, b: np.log1p(np.square(a)),
    "logaddexp": lambda a, b: np.logaddexp(a, b),
    "log sum exp": lambda a, b: np.logaddexp.reduce(a + C, axis=0) + b,
    "logaddexp2": lambda a, b: np.logaddexp2(a, b),
    "cbrt": lambda a, b: np.cbrt(1 + np.square(a)),
    "hypot": lambda a, b: np.hypot(1 + np.square(a), b),
    "arcsin": lambda a, b: np.arcsin(0.9 * np.tanh(a)),
    "arccos": lambda a, b: np.arccos(0.9 * np.tanh(a)),
    "arctan": lambda a, b: np.arctan(a),
    "arctan2": lambda a, b: np.arctan2(a, 1 + np.square(b)),
    "sinh": lambda a, b: np.sinh(np.sin(a)),
    "cosh": lambda a, b: np.cosh(np.sin(a)),
    "arcsinh": lambda a, b: np.arcsinh(a),
    "arccosh": lambda a, b: np.arccosh(1.5 + np.square(a)),
    "arctanh": lambda a, b: np.arctanh(0.9 * np.tanh(a)),
    "sinc": lambda a, b: np.sinc(1.1 + 0.2 * np.tanh(a)),
    "degrees": lambda a, b: np.sin(
        np.deg2rad(50 * np.radians(np.rad2deg(np.degrees(np.tanh(a)) / 9)))
    ),
    # Reductions
    "prod": lambda a, b: np.tanh(np.prod(np.sin(a) + C, axis=0) + a),
    "max": _apart(lambda a, b: np.max(a + C, axis=1) * b),
    "min": _apart(lambda a, b: np.min(a + C) * a + np.amin(a + C) - np.amax(a + C)),
    "sort": _apart(lambda a, b: np.sort(a + C, axis=None)[::-1].reshape(3, 3) * C),
    "median": _apart(lambda a, b: np.median(a + C, axis=0, keepdims=True) * b),
    "ptp": _apart(lambda a, b: np.ptp(a + C) + b),
    "cumsum": lambda a, b: np.tanh(np.cumsum(a * C, axis=1)),
    "cumprod": lambda a, b: np.cumprod(np.sin(a) + C, axis=0),
    "var": lambda a, b: np.tanh(np.var(a + C, axis=0)) + b,
    "std": lambda a, b: np.std(np.tanh(a) + C) * np.cos(b),
    "average": lambda a, b: (
        np.average(a + C, axis=0, weights=np.exp(np.sin(b + C))) * np.ones((3, 1))
    ),
    "norm": lambda a, b: np.linalg.norm(np.tanh(a) + 1.5 + C) * np.sin(b),
    # Moving entries
    "concatenate": lambda a, b: np.concatenate([(a * C)[:1], (b + C)[1:]]),
    "split": lambda a, b: np.split(np.sin(a + C), 3)[1] * b,
    "flip and roll": lambda a, b: np.roll(np.flip(a + C, 1), 1, axis=0) * b,
    "take": lambda a, b: np.take(a + C, [[0, 3, 3], [8, 1, 2], [0, 0, 4]]),
    "tril": lambda a, b: np.tril(a + C) + np.diag(np.diagonal(b * C)),
    "pad": lambda a, b: np.pad(a * C, 1, constant_values=0.5)[:3, 1:4],
    "trace": lambda a, b: np.tanh(np.trace(a + C)) * b,
    "diff": lambda a, b: np.diff(a * C, axis=1, append=1.0),
    "gradient": lambda a, b: np.gradient(np.sin(a + C), axis=0),
    # Products
    "einsum": lambda a, b: np.tanh(np.einsum("ij,kj->ik", a + C, b * C)),
    "diagonal by einsum": lambda a, b: np.einsum("ii->i", a * C) * np.ones((3, 3)),
    "outer": lambda a, b: np.tanh(np.outer((a + C)[0], (b * C)[:, 1])),
    "kron": lambda a, b: np.tanh(np.kron((a + C)[:1], (b * C)[:, :1])),
    "cross": lambda a, b: np.tanh(np.cross(a + C, b * C)),
    "convolve": lambda a, b: np.tanh(np.convolve((a + C)[0], (b * C)[1], "same")) + C,
    # Functions of matrices that stay far from singular ones
    "inv": lambda a, b: np.linalg.inv(4 * np.eye(3) + np.tanh(a) * C),
    "solve": lambda a, b: np.linalg.solve(4 * np.eye(3) + np.tanh(a) * C, np.sin(b) + C),
    "det": lambda a, b: np.tanh(np.linalg.det(np.eye(3) + 0.3 * np.tanh(a) * C)) * b,
    "slogdet": lambda a, b: np.linalg.slogdet(4 * np.eye(3) + np.tanh(a) * C)[1] * b,
    "cholesky": lambda a, b: np.linalg.cholesky(_positive(a)),
    "qr": lambda a, b: np.linalg.qr(4 * np.eye(3) + (1.5 + np.tanh(a)) * C)[1] / 4,
    "eigvalsh": lambda a, b: np.linalg.eigvalsh(_far_apart(np.tanh(a) * C)) / 6,
    "svd": lambda a, b: np.linalg.svd(_far_apart(np.tanh(a) * C), compute_uv=False) / 6,
    "pinv": lambda a, b: (
        np.linalg.pinv((4 * np.eye(3) + np.tanh(a) * C)[:, :2]).T @ np.ones((2, 3))
    ),
    # Rules of one's own
    "checkpoint": lambda a, b: checkpoint(lambda a, b: np.sin(a) * b + np.tanh(a * b))(a, b),
    "own rule": lambda a, b: softplus(a) - b,
}

if special is not None:
    INSTRUCTIONS |= {
        "erf": lambda a, b: special.erf(a),
        "erfc": lambda a, b: special.erfc(a),
        "erfcx": lambda a, b: special.erfcx(np.tanh(a)),
        "erfinv": lambda a, b: special.erfinv(0.5 * np.tanh(a)),
        "ndtr": lambda a, b: special.ndtr(a),
        "log_ndtr": lambda a, b: np.tanh(special.log_ndtr(np.tanh(a))),
        "ndtri": lambda a, b: special.ndtri(0.5 + 0.3 * np.tanh(a)),
        "logit": lambda a, b: special.logit(0.5 + 0.3 * np.tanh(a)),
        "log_expit": lambda a, b: special.log_expit(a - b),
        "gamma": lambda a, b: special.gamma(1.5 + np.square(np.tanh(a))),
        "beta": lambda a, b: special.beta(1.5 + np.tanh(a), 1.5 + np.tanh(b)),
        "betaln": lambda a, b: special.betaln(1.5 + np.tanh(a), 1.5 + np.tanh(b)),
        "xlogy": lambda a, b: special.xlogy(np.tanh(a), 1.5 + np.tanh(b)),
        "xlog1py": lambda a, b: special.xlog1py(np.tanh(a), 0.5 * np.tanh(b)),
        "entr": lambda a, b: special.entr(1.5 + np.tanh(a)),
        "rel_entr": lambda a, b: special.rel_entr(1.5 + np.tanh(a), 1.5 + np.tanh(b)),
        "expit": lambda a, b: special.expit(a - b),
        "gammaln": lambda a, b: special.gammaln(1.5 + np.square(np.tanh(a))),
        "psi": lambda a, b: special.psi(1.5 + np.square(np.tanh(a))),
    }

instructions = st.tuples(
    st.sampled_from(sorted(INSTRUCTIONS)), st.integers(0, 5), st.integers(0, 5)
)
scalars = st.floats(-2, 2).map(lambda v: round(v, 3))


@st.composite
def programs(draw: Any) -> tuple[list[Instruction], tuple[Any, ...]]:
    numbers = draw(st.lists(scalars, min_size=9, max_size=9))
    x = np.array(numbers).reshape(3, 3) if draw(st.booleans()) else numbers[0]
    return draw(st.lists(instructions, min_size=1, max_size=8)), (x, draw(scalars))


def run(program: list[Instruction], *inputs: Any) -> Any:
    """The result of the program: the sum of its last two values, so that a dead line is likely but not certain."""
    values = list(inputs)
    for name, i, j in program:
        values.append(
            INSTRUCTIONS[name](values[-1 - i % len(values)], values[-1 - j % len(values)])
        )
    return np.sum(values[-1]) + np.sum(values[-2])


def smooth_here(program: list[Instruction], inputs: tuple[Any, ...], margin: float = 1e-3) -> bool:
    SLOPES.clear()
    value = run(program, *inputs)
    return bool(np.isfinite(value)) and min(SLOPES, default=np.inf) > margin
