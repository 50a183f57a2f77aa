"""The work that is timed: functions, each written once for all hands, and their derivatives written with NumPy.

The first argument of a function is the namespace `xp` (``numpy`` for the engine). Then come the constants, and then the
arguments that it is differentiated with respect to. Each derivative is written as by somebody who knows the formulas
and NumPy. This file imports only NumPy, because the process of each hand imports it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

FACTOR = 0.999999


class Work(NamedTuple):
    """One row of the table."""

    name: str
    task: str  # the name of the hand's method that does it
    f: Callable[..., Any]
    by_hand: Callable[..., Any]  # has the arguments of `f`, without the namespace
    args: tuple[Any, ...]
    constants: tuple[Any, ...] = ()
    # By column: the engine's time, divided by that column's, should be at most this.
    bounds: Mapping[str, float] = {}
    operations: int = 1
    # By column: why that hand is left out.
    without: Mapping[str, str] = {}
    # Bounds as above, for the program. "gradients": the most that compiling may take, in gradients of the engine.
    compiled: Mapping[str, float] = {}

    def call(self, hand: Any) -> Callable[[], Any]:
        """Return the call that is timed for a hand."""
        constants = [x if isinstance(x, int | list) else hand.array(x) for x in self.constants]
        args = map(hand.array, self.args)

        def f(*inputs: Any) -> Any:
            return self.f(hand.xp, *constants, *inputs)

        call: Callable[[], Any] = getattr(hand, self.task)(f, *args)
        return call

    def hand_written(self) -> Any:
        """Compute the derivative that is written by hand."""
        return self.by_hand(*self.constants, *self.args)


# Numbers


def expression(xp: Any, x1: Any, x2: Any) -> Any:
    return xp.log(x1) + x1 * x2 - xp.sin(x2)


def expression_by_hand(x1: float, x2: float) -> tuple[float, float]:
    value = math.log(x1) + x1 * x2 - math.sin(x2)
    return (value, 1 / x1 + x2, x1 - math.cos(x2))[1:]


def turns(xp: Any, n: int, x: Any) -> Any:
    y = x
    for _ in range(n // 2):
        y = y * FACTOR + x
    return y


def turns_by_hand(n: int, x: float) -> float:
    value, slope, adjoint = x, 0.0, 1.0
    for _ in range(n // 2):
        value = value * FACTOR + x
    for _ in range(n // 2):
        slope += adjoint
        adjoint *= FACTOR
    return slope + adjoint


def seven(xp: Any, x: Any) -> Any:
    return xp.sin(x) * x + xp.exp(x * 0.5) / (x + 2.0)


def seven_by_hand(x: float) -> float:
    s, e, d = math.sin(x), math.exp(x * 0.5), x + 2.0
    q = e / d
    value, tangent = s * x + q, math.cos(x) * x + s + (0.5 * e - q) / d
    return (value, tangent)[1]


def flowers(xp: Any, features: Any, labels: Any, *parameters: Any) -> Any:
    """The loss of softmax regression on single numbers: four weights and a bias for each of three species."""
    w = parameters[:12]
    b = parameters[12:]
    loss = 0.0
    for (p, q, r, s), label in zip(features, labels, strict=True):
        z = [w[k] * p + w[k + 1] * q + w[k + 2] * r + w[k + 3] * s + b[k // 4] for k in (0, 4, 8)]
        loss = loss + xp.log(xp.exp(z[0]) + xp.exp(z[1]) + xp.exp(z[2])) - z[label]
    return loss / len(labels)


def flowers_by_hand(features: Any, labels: Any, *parameters: float) -> list[float]:
    w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, b0, b1, b2 = parameters
    d0 = d1 = d2 = d3 = d4 = d5 = d6 = d7 = d8 = d9 = d10 = d11 = c0 = c1 = c2 = loss = 0.0
    exp, log, n = math.exp, math.log, len(labels)
    for (p, q, r, s), label in zip(features, labels, strict=True):
        z0 = w0 * p + w1 * q + w2 * r + w3 * s + b0
        z1 = w4 * p + w5 * q + w6 * r + w7 * s + b1
        z2 = w8 * p + w9 * q + w10 * r + w11 * s + b2
        g0, g1, g2 = exp(z0), exp(z1), exp(z2)
        total = g0 + g1 + g2
        g0, g1, g2 = g0 / total, g1 / total, g2 / total
        if label == 0:
            loss += log(total) - z0
            g0 -= 1.0
        elif label == 1:
            loss += log(total) - z1
            g1 -= 1.0
        else:
            loss += log(total) - z2
            g2 -= 1.0
        d0, d1, d2, d3, c0 = d0 + g0 * p, d1 + g0 * q, d2 + g0 * r, d3 + g0 * s, c0 + g0
        d4, d5, d6, d7, c1 = d4 + g1 * p, d5 + g1 * q, d6 + g1 * r, d7 + g1 * s, c1 + g1
        d8, d9, d10, d11, c2 = d8 + g2 * p, d9 + g2 * q, d10 + g2 * r, d11 + g2 * s, c2 + g2
    loss / n
    return [d / n for d in (d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, c0, c1, c2)]


# Arrays


def ladder(xp: Any, x: Any) -> Any:
    y = x
    for _ in range(250):
        y = xp.sin(y) * x + 0.5 * y
    return xp.sum(y)


def ladder_by_hand(x: np.ndarray) -> np.ndarray:
    steps = []
    y = x
    for _ in range(250):
        s = np.sin(y)
        steps.append((y, s))
        y = s * x + 0.5 * y
    y.sum()
    g = np.ones_like(x)
    slope = np.zeros_like(x)
    for y, s in reversed(steps):
        slope += g * s
        g = g * x * np.cos(y) + 0.5 * g
    return slope + g


def network(xp: Any, x: Any, labels: Any, *layers: Any) -> Any:
    h = x
    for w, b in zip(layers[:-2:2], layers[1:-2:2], strict=True):
        h = xp.tanh(h @ w + b)
    z = h @ layers[-2] + layers[-1]
    return xp.sum(xp.log(xp.sum(xp.exp(z), 1))) - xp.sum(z * labels)


def network_by_hand(x: np.ndarray, labels: np.ndarray, *layers: np.ndarray) -> list[np.ndarray]:
    hs = [x]
    for w, b in zip(layers[:-2:2], layers[1:-2:2], strict=True):
        hs.append(np.tanh(hs[-1] @ w + b))
    z = hs[-1] @ layers[-2] + layers[-1]
    p = np.exp(z)
    total = p.sum(1, keepdims=True)
    np.log(total).sum() - (z * labels).sum()
    g = p / total - labels
    gradients: list[np.ndarray] = []
    for h, w in zip(hs[::-1], layers[-2::-2], strict=True):
        gradients[:0] = h.T @ g, g.sum(0)
        if h is not x:
            g = (g @ w.T) * (1 - h * h)
    return gradients


def rosenbrock(xp: Any, x: Any) -> Any:
    return xp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def rosenbrock_diagonals(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The diagonal of the Hessian, and the diagonal next to it."""
    main = np.zeros_like(x)
    main[:-1] = 1200 * x[:-1] ** 2 - 400 * x[1:] + 2
    main[1:] += 200
    return main, -400 * x[:-1]


def rosenbrock_hvp(x: np.ndarray, v: np.ndarray) -> np.ndarray:
    main, beside = rosenbrock_diagonals(x)
    product = main * v
    product[:-1] += beside * v[1:]
    product[1:] += beside * v[:-1]
    return product


def rosenbrock_hessian(x: np.ndarray) -> np.ndarray:
    main, beside = rosenbrock_diagonals(x)
    return np.diag(main) + np.diag(beside, 1) + np.diag(beside, -1)


def curve(xp: Any, t: Any, x: Any) -> Any:
    u = t * x
    return xp.sin(u) * xp.exp(-u)


def curve_by_hand(t: np.ndarray, x: float) -> np.ndarray:
    u = t * x
    decay, sine = np.exp(-u), np.sin(u)
    value, slope = sine * decay, t * (np.cos(u) - sine) * decay
    return (value, slope)[1]


def layer(xp: Any, a: Any, x: Any) -> Any:
    return xp.tanh(a @ x) * x


def layer_by_hand(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    h = np.tanh(a @ x)
    jacobian = (x * (1 - h * h))[:, None] * a
    jacobian.flat[:: len(x) + 1] += h
    return jacobian


# The table, row by row


def chain(n: int) -> Work:
    """`n` operations in a row, y ← 0.999999 y + x, at x = 1."""
    without: dict[str, str] = {}
    if n > 1_000:
        without["micrograd"] = "left out of the longer chains, because its sort is recursive"
        without["JAX"] = (
            "left out of the longer chains, because an operation takes half a millisecond"
        )
        without["JAX jit"] = (
            "left out of the longer chains, because every iteration of the loop is compiled separately"
        )
    if n > 10_000:
        slow = "left out from 100,000 operations on, because an operation takes ten microseconds or more"
        without |= {"closures": slow, "autograd": slow, "PyTorch": slow}
    if n > 100_000:
        without["program"] = (
            "left out of the longest chain, because compiling it takes 20 seconds (once)"
        )
    bounds = {"PyTorch": 0.3, "closures": 0.65, "micrograd": 0.65} if n == 1_000 else {}
    compiled = {"hand": 1.1, "gradients": 12}
    name = f"chain of {n:,} operations"
    return Work(name, "gradient", turns, turns_by_hand, (1.0,), (n,), bounds, n, without, compiled)


def epoch() -> Work:
    """One epoch of softmax regression on iris, in single numbers: the gradient with respect to 15 parameters."""
    # Imported only by the process that distributes the work, not by those that are timed.
    from autodiff_lab.data import load_iris

    train = load_iris().train
    data = (train.features.tolist(), train.labels.tolist())
    start = tuple(float(x) for x in np.random.default_rng(0).normal(size=15) / 10)
    slow = (
        "left out of the epoch, because an operation takes half a millisecond to run or to compile"
    )
    without = {"JAX": slow, "JAX jit": slow, "closures": "left out of the epoch: no division"}
    bounds = {"micrograd": 1.0, "PyTorch": 1.0}
    compiled = {"hand": 1.2, "gradients": 12}
    name = "iris, one epoch in numbers"
    return Work(
        name, "gradient", flowers, flowers_by_hand, start, data, bounds, 4_000, without, compiled
    )


def classifier(sizes: tuple[int, ...], batch: int, bounds: dict[str, float]) -> Work:
    """Softmax regression on top of tanh layers."""
    random = np.random.default_rng(0)
    layers = []
    for n, m in pairwise(sizes):
        layers += [random.normal(size=(n, m)) / np.sqrt(n), random.normal(size=m)]
    data = (
        random.normal(size=(batch, sizes[0])),
        np.eye(sizes[-1])[random.integers(sizes[-1], size=batch)],
    )
    name = f"MLP {'-'.join(map(str, sizes))}, batch {batch}"
    return Work(name, "gradient", network, network_by_hand, tuple(layers), data, bounds)


def works() -> list[Work]:
    """Return all rows of the table except the longer chains and the import."""
    random = np.random.default_rng(0)
    x, v = random.normal(size=(2, 100))
    few, along = random.normal(size=(2, 10))
    a, b = random.normal(size=(30, 30)) / 5, random.normal(size=30)
    return [
        Work(
            *("ln x1 + x1·x2 − sin x2", "gradient", expression, expression_by_hand, (2.0, 5.0), ()),
            {"micrograd": 0.85, "PyTorch": 0.2},
            compiled={"hand": 1.15, "JAX jit": 0.1},
        ),
        chain(1_000),
        epoch(),
        Work(
            *(
                "1000 operations on arrays of 10",
                "gradient",
                ladder,
                ladder_by_hand,
                (np.linspace(0.1, 1, 10),),
                (),
            ),
            {"hand": 1.5, "PyTorch": 0.35},
            compiled={"hand": 0.85},
        ),
        classifier((64, 64, 10), 128, {"hand": 1.9})._replace(compiled={"hand": 1.1}),
        classifier((784, 256, 128, 10), 256, {"hand": 1.05, "PyTorch": 1.0}),
        Work("Rosenbrock n = 10, `hvp`", "hvp", rosenbrock, rosenbrock_hvp, (few, along)),
        Work(
            *(
                "Rosenbrock n = 100, `hvp`",
                "hvp",
                rosenbrock,
                rosenbrock_hvp,
                (x, v),
                (),
                {"hand": 12},
            ),
            compiled={"hand": 1.1, "JAX jit": 1.0},
        ),
        Work("Rosenbrock n = 10, `hessian`", "hessian", rosenbrock, rosenbrock_hessian, (few,)),
        Work(
            *(
                "Rosenbrock n = 100, `hessian`",
                "hessian",
                rosenbrock,
                rosenbrock_hessian,
                (x,),
                (),
                {"hand": 11},
            ),
            compiled={"hand": 2.0, "JAX jit": 1.0},
        ),
        Work(
            *(
                "`jacfwd` R¹ → R¹⁰⁰",
                "jacobian",
                curve,
                curve_by_hand,
                (0.7,),
                (np.linspace(0, 3, 100),),
            ),
            {"hand": 3},
        ),
        Work(
            *("`jacfwd` R³⁰ → R³⁰", "jacobian", layer, layer_by_hand, (b,), (a,), {"hand": 4.8}),
            compiled={"hand": 1.1, "JAX jit": 1.0},
        ),
        Work(
            *(
                "forward, 7 operations on numbers",
                "forward",
                seven,
                seven_by_hand,
                (0.7,),
                (),
                {"hand": 22},
            ),
            compiled={"hand": 1.2, "JAX jit": 0.1},
        ),
    ]
