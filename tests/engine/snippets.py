"""Fifty programs as people write them with NumPy and an autograd package: models, simulations, statistics, signals.

To add one, decorate a function of the parameters with `snippet`; the test finds it by itself. One that must not give a
number says what its error tells the user to write.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

rng = np.random.default_rng(7)


class Snippet(NamedTuple):
    """A program of its parameters, and what is expected of it."""

    f: Callable[[Any], Any]
    parameters: Any
    # A regular expression for the advice in the error; empty where the derivative is to be right.
    refused: str = ""
    # The package that it needs beside NumPy.
    needs: str = ""


SNIPPETS: dict[str, Snippet] = {}


def snippet(name: str, parameters: Any, refused: str = "", needs: str = "") -> Callable[[Any], Any]:
    def add(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
        SNIPPETS[name] = Snippet(f, parameters, refused, needs)
        return f

    return add


def normal(*shape: int) -> np.ndarray:
    return rng.standard_normal(shape)


POINTS, TARGETS = normal(12, 3), np.arange(12) % 2
IMAGE, SERIES = normal(8, 8), normal(10)


def sigmoid(z: Any) -> Any:
    return 1 / (1 + np.exp(-z))


# Regression and classification


@snippet("logistic regression, its likelihood as a product of probabilities", normal(3))
def logistic_regression(w: Any) -> Any:
    p = sigmoid(np.dot(POINTS, w))
    return -np.sum(np.log(p * TARGETS + (1 - p) * (1 - TARGETS)))


@snippet("logistic regression with log1p and a penalty", {"w": normal(3), "b": 0.1})
def penalised_regression(p: Any) -> Any:
    margins = (2 * TARGETS - 1) * (POINTS @ p["w"] + p["b"])
    return np.mean(np.log1p(np.exp(-margins))) + 0.05 * np.sum(p["w"] ** 2)


@snippet(
    "two layers, cross-entropy of the entries picked by labels",
    [normal(3, 5), np.zeros(5), normal(5, 4)],
)
def classifier(p: Any) -> Any:
    hidden = np.maximum(POINTS @ p[0] + p[1], 0)
    scores = hidden @ p[2]
    scores = scores - np.max(scores, axis=-1, keepdims=True)
    log_p = scores - np.log(np.sum(np.exp(scores), axis=-1, keepdims=True))
    return -np.mean(log_p[np.arange(len(POINTS)), np.arange(len(POINTS)) % 4])


@snippet(
    "batch normalization and softplus",
    {"W": normal(3, 4), "gain": np.ones(4), "shift": np.zeros(4)},
)
def batch_normalization(p: Any) -> Any:
    h = POINTS @ p["W"]
    h = p["gain"] * (h - h.mean(axis=0)) / np.sqrt(h.var(axis=0) + 1e-5) + p["shift"]
    return np.mean(np.logaddexp(h, 0.0))


@snippet(
    "softmax over scores, by scipy.special.logsumexp",
    normal(3, 4),
    r"np\.logaddexp\.reduce\(POINTS @ w",
    "scipy",
)
def scipy_softmax(w: Any) -> Any:
    from scipy.special import logsumexp

    return np.sum(logsumexp(POINTS @ w, axis=1))


@snippet("pinball loss and a quantile", normal(9))
def quantile_loss(v: Any) -> Any:
    q = np.quantile(v, 0.3)
    return np.mean(np.maximum(0.3 * (v - q), -0.7 * (v - q))) + q


@snippet("a trimmed mean and the median", normal(9))
def trimmed(v: Any) -> Any:
    return np.mean(np.sort(v)[2:-2]) * np.median(v)


@snippet("the largest three of a partition", normal(9))
def top_three(v: Any) -> Any:
    return np.sum(np.partition(v, -3)[-3:] ** 2)


@snippet("covariance and correlation", normal(3, 6))
def covariance(v: Any) -> Any:
    return np.linalg.slogdet(np.cov(v))[1] + np.sum(np.corrcoef(v)[0])


# Probability


@snippet(
    "a mixture of normal distributions",
    {"logits": normal(3), "means": normal(3, 3), "log_s": 0.1 * normal(3, 3)},
)
def mixture(p: Any) -> Any:
    log_weights = p["logits"] - np.logaddexp.reduce(p["logits"])
    z = (POINTS[:, None, :] - p["means"]) * np.exp(-p["log_s"])
    log_p = log_weights - 0.5 * np.sum(z**2, axis=-1) - np.sum(p["log_s"], axis=-1)
    largest = np.max(log_p, axis=1, keepdims=True)
    return -np.sum(largest[:, 0] + np.log(np.sum(np.exp(log_p - largest), axis=1)))


@snippet(
    "a multivariate normal distribution by its Cholesky factor",
    {"L": normal(3, 3) + 3 * np.eye(3), "m": normal(3)},
)
def multivariate(p: Any) -> Any:
    L = np.tril(p["L"])
    covariance = L @ L.T + 0.1 * np.eye(3)
    d = POINTS - p["m"]
    return (
        0.5 * np.sum(d * np.linalg.solve(covariance, d.T).T) + 6 * np.linalg.slogdet(covariance)[1]
    )


@snippet("variational inference, the density written out", np.array([0.4, -0.8]))
def variational(p: Any) -> Any:
    z = p[0] + np.exp(p[1]) * SERIES
    return np.mean(0.5 * z**2 + 0.5 * np.log(2 * np.pi) + np.cos(z)) - p[1]


@snippet(
    "variational inference with scipy.stats",
    np.array([0.4, -0.8]),
    r"write\n    return -np\.mean\(-0\.5 \* z \*\* 2 - 0\.5 \* np\.log\(2 \* np\.pi\)\) - p\[1\]\n",
    "scipy",
)
def scipy_variational(p: Any) -> Any:
    from scipy import stats

    z = p[0] + np.exp(p[1]) * SERIES
    return -np.mean(stats.norm.logpdf(z, 0, 1)) - p[1]


@snippet("a beta distribution with gammaln", np.array([0.3, -0.2]), needs="scipy")
def beta_likelihood(p: Any) -> Any:
    from scipy.special import gammaln

    a, b = np.exp(p)
    x = np.linspace(0.1, 0.9, 5)
    log_p = (a - 1) * np.log(x) + (b - 1) * np.log1p(-x) + gammaln(a + b) - gammaln(a) - gammaln(b)
    return -np.sum(log_p)


@snippet("betaln, digamma, xlogy and log_ndtr", np.array([1.3, 2.2]), needs="scipy")
def special_functions(p: Any) -> Any:
    from scipy import special

    return (
        special.betaln(p[0], p[1])
        + special.digamma(p[0])
        + special.xlogy(p[1], p[0])
        + special.log_ndtr(-p[1])
    )


@snippet(
    "a hidden Markov model, forward algorithm",
    {"A": normal(3, 3), "start": np.zeros(3), "means": normal(3)},
)
def hidden_markov(p: Any) -> Any:
    log_a = p["A"] - np.logaddexp.reduce(p["A"], axis=1)[:, None]
    state = p["start"]
    for y in SERIES[:5]:
        state = np.logaddexp.reduce(state[:, None] + log_a, axis=0) - 0.5 * (y - p["means"]) ** 2
    return np.logaddexp.reduce(state)


@snippet("a Kalman filter", {"A": 0.1 * normal(2, 2), "log_q": np.zeros(2), "log_r": 0.1})
def kalman(p: Any) -> Any:
    step, noise, look = np.eye(2) + p["A"], np.diag(np.exp(p["log_q"])), np.array([[1.0, 0.0]])
    mean, spread, total = np.zeros(2), np.eye(2), 0.0
    for y in SERIES[:4]:
        mean, spread = step @ mean, step @ spread @ step.T + noise
        s = look @ spread @ look.T + np.exp(p["log_r"])
        gain, error = spread @ look.T @ np.linalg.inv(s), y - look @ mean
        mean, spread = mean + gain @ error, (np.eye(2) - gain @ look) @ spread
        total = total - 0.5 * (np.log(np.linalg.det(s)) + error @ np.linalg.solve(s, error))
    return total


@snippet("a Gaussian process", np.array([0.1, 0.2, -0.3, 0.1, -1.0]))
def gaussian_process(p: Any) -> Any:
    d = (POINTS[:, None] - POINTS[None]) / np.exp(p[1:4])
    K = np.exp(p[0] - 0.5 * np.sum(d * d, axis=2)) + np.exp(p[4]) * np.eye(len(POINTS))
    L = np.linalg.cholesky(K)
    a = np.linalg.solve(L.T, np.linalg.solve(L, POINTS[:, 0]))
    return 0.5 * POINTS[:, 0] @ a + np.sum(np.log(np.diag(L)))


@snippet(
    "a Gaussian process with scipy.linalg",
    0.2,
    r"write\n    return y @ np\.linalg\.solve\(K, y\)\n",
    "scipy",
)
def scipy_gaussian_process(p: Any) -> Any:
    from scipy.linalg import cho_factor, cho_solve

    K, y = np.exp(p) * np.eye(3) + POINTS.T @ POINTS, POINTS[0]
    return y @ cho_solve(cho_factor(K), y)


@snippet("a normalizing flow, a list of pairs", [(normal(1, 1), normal(1, 1)) for _ in range(2)])
def flow(p: Any) -> Any:
    x = POINTS[:, :2]
    for scale, shift in p:
        a, b = x[:, :1], x[:, 1:]
        x = np.concatenate([b * np.exp(np.tanh(a @ scale)) + a @ shift, a], axis=1)
    return np.mean(x**2)


@snippet("an energy on a lattice", normal(4, 4))
def lattice(x: Any) -> Any:
    neighbours = np.roll(x, 1, axis=0) + np.roll(x, 1, axis=1)
    return np.sum(np.power(x, 4)) - np.sum(x * neighbours) - np.linalg.norm(x)


# Sequences and images


@snippet("a recurrent network with gates", 0.3 * normal(8, 16))
def gated(W: Any) -> Any:
    h, c = np.zeros((3, 4)), np.zeros((3, 4))
    for t in range(3):
        given = np.hstack([POINTS[3 * t : 3 * t + 3], h, np.ones((3, 1))])
        i, f, o, new = np.split(given @ W, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(new)
        h = sigmoid(o) * np.tanh(c)
    return np.sum(h**2)


@snippet(
    "a recurrent network whose outputs go through np.array",
    {"W": 0.3 * normal(8, 4), "h": normal(1, 4)},
    r"write\n    return np\.sum\(np\.stack\(outputs\) \*\* 2\)",
)
def recurrent(p: Any) -> Any:
    h, outputs = np.repeat(p["h"], 3, axis=0), []
    for t in range(3):
        h = np.tanh(
            np.concatenate((POINTS[3 * t : 3 * t + 3], h, np.ones((3, 1))), axis=1) @ p["W"]
        )
        outputs.append(h)
    return np.sum(np.array(outputs) ** 2)


@snippet("attention with a causal mask", {name: normal(3, 2, 2) for name in "qkv"})
def attention(p: Any) -> Any:
    q, k, v = (np.einsum("td,dhe->hte", POINTS[:5], p[name]) for name in "qkv")
    scores = np.einsum("hte,hse->hts", q, k) / np.sqrt(2.0)
    scores = np.where(np.tri(5) > 0, scores, -1e9)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return np.sum(np.einsum("hts,hse->the", weights, v) ** 2)


@snippet("a convolution by slices, with pooling", {"K": normal(2, 3, 3), "w": normal(18)})
def convolution_by_slices(p: Any) -> Any:
    columns = np.stack([IMAGE[i : i + 6, j : j + 6] for i in range(3) for j in range(3)])
    h = np.maximum(np.einsum("kij,ok->oij", columns, p["K"].reshape(2, 9)), 0)
    return np.sum(h.reshape(2, 3, 2, 3, 2).max(axis=(2, 4)).reshape(-1) @ p["w"])


@snippet("a convolution by windows of the data", normal(3, 3))
def convolution_by_windows(K: Any) -> Any:
    windows = np.lib.stride_tricks.sliding_window_view(IMAGE, (3, 3))
    return np.sum(np.tanh(np.tensordot(windows, K, axes=2)))


@snippet("windows of the traced image", IMAGE)
def windows_of_image(image: Any) -> Any:
    return np.sum(
        np.mean(np.lib.stride_tricks.sliding_window_view(image, (3, 3)), axis=(2, 3)) ** 2
    )


@snippet("a bilinear warp whose indices are clipped", 1.013)
def warp(s: Any) -> Any:
    at = np.linspace(1, 50, 9) * s
    i = np.clip(np.floor(at).astype(int), 0, 62)
    pixels = IMAGE.ravel()
    return np.sum((pixels[i] * (1 - (at - i)) + pixels[i + 1] * (at - i)) ** 2)


@snippet("the drawdown of returns, by running products and maxima", 0.05 * normal(9))
def drawdown(r: Any) -> Any:
    wealth = np.cumprod(1 + r)
    return np.max(np.maximum.accumulate(wealth) - wealth) + np.sum(np.cumsum(r) ** 2)


@snippet("a convolution by FFT", SERIES, r"complex numbers.*A convolution is np\.convolve")
def fft_convolution(k: Any) -> Any:
    return np.sum(np.real(np.fft.ifft(np.fft.fft(SERIES) * np.fft.fft(k))) ** 2)


@snippet("a power spectrum", SERIES, r"The line is\n    return np\.sum.*np\.cos\(angles\) @ x")
def power_spectrum(k: Any) -> Any:
    return np.sum(np.abs(np.fft.rfft(k)) ** 2)


@snippet(
    "complex exponentials",
    SERIES,
    r"complex numbers.*np\.cos\(t\) and np\.sin\(t\) for exp\(1j \* t\)",
)
def complex_numbers(v: Any) -> Any:
    return np.sum(np.abs(np.exp(1j * v) + v) ** 2)


# Simulations and solvers


@snippet("a fluid on a grid, carried along by interpolation", 0.3 * normal(2, 6, 6))
def fluid(v: Any) -> Any:
    n = 6
    rows, columns = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")

    def carry(field: Any) -> Any:
        y, x = (rows - v[0]).ravel(), (columns - v[1]).ravel()
        top, left = np.floor(y).astype(int), np.floor(x).astype(int)
        dy, dx = y - top, x - left
        top, left, bottom, right = top % n, left % n, (top + 1) % n, (left + 1) % n
        above = (1 - dx) * field[top, left] + dx * field[top, right]
        below = (1 - dx) * field[bottom, left] + dx * field[bottom, right]
        return np.reshape((1 - dy) * above + dy * below, (n, n))

    smoke = np.linspace(0, 1, n * n).reshape(n, n)
    divergence = np.roll(v[0], -1, axis=0) - np.roll(v[0], 1, axis=0)
    return np.mean((carry(carry(smoke)) - 0.3) ** 2) + np.sum(divergence**2)


@snippet(
    "Runge-Kutta whose right-hand side returns np.array",
    np.array([1.0, 0.2]),
    r"write\n.*np\.stack\(\[y\[1\], ",
)
def runge_kutta(p: Any) -> Any:
    def slope(y: Any) -> Any:
        return np.array([y[1], -p[0] * y[0] - p[1] * y[1]])

    y, h = np.array([1.0, 0.0]), 0.1
    for _ in range(5):
        k1 = slope(y)
        k2 = slope(y + h / 2 * k1)
        y = y + h * k2
    return np.sum(y**2)


@snippet("Euler's method with np.stack", np.array([1.0, 0.2]))
def euler(p: Any) -> Any:
    y = np.array([1.0, 0.0])
    for _ in range(8):
        y = y + 0.1 * np.stack([y[1], -p[0] * y[0] - p[1] * y[1]])
    return np.sum(y**2)


@snippet(
    "scipy.integrate.odeint",
    0.7,
    r"odeint.*The line is\n    return np\.sum\(odeint\(.*k4 = f\(y \+ h \* k3",
    "scipy",
)
def scipy_ode(p: Any) -> Any:
    from scipy.integrate import odeint

    return np.sum(odeint(lambda y, t: -p * y, 1.0, np.linspace(0, 1, 5)))


@snippet("Newton's method by functools.reduce", 2.3)
def newton(a: Any) -> Any:
    return functools.reduce(lambda x, _: 0.5 * (x + a / x), range(20), a)


@snippet("a while loop until it has converged", 2.3)
def converged(a: Any) -> Any:
    x = a
    while abs(x * x - a) > 1e-9:
        x = 0.5 * (x + a / x)
    return x


@snippet("the leading eigenvector", normal(4, 4))
def leading_eigenvector(a: Any) -> Any:
    w, v = np.linalg.eigh(a + a.T)
    return w[-1] + np.sum(v[:, -1] ** 4)


@snippet(
    "a full singular value decomposition",
    normal(4, 3),
    r"compute_uv=False.*np\.linalg\.eigh\(a\.T @ a\)",
)
def full_svd(a: Any) -> Any:
    u, _, _ = np.linalg.svd(a, full_matrices=False)
    return np.sum(np.abs(u))


# Tables, pieces, and habits


@snippet("a lookup table", normal(9))
def lookup(v: Any) -> Any:
    return np.sum(np.interp(v, np.linspace(-3, 3, 7), np.sin(np.arange(7.0))))


@snippet("a Fourier series and a polynomial", normal(4))
def series(c: Any) -> Any:
    x = np.linspace(-1, 1, 9)
    return np.sum((np.polyval(c, x) - np.sum(np.sin(np.outer(np.arange(1, 4), x)), axis=0)) ** 2)


@snippet("a tanh of one's own", 0.3)
def own_tanh(x: Any) -> Any:
    y = np.exp(-2 * x)
    return (1 - y) / (1 + y)


@snippet("a function in pieces", normal(6))
def pieces(v: Any) -> Any:
    return np.sum(np.piecewise(v, [v < 0, v >= 0], [lambda z: -z, lambda z: z**2]))


@snippet(
    "a scalar function through np.vectorize",
    normal(4),
    r"np\.stack\(\[half\.pyfunc\(entry\) for entry in v\]\)",
)
def vectorized(v: Any) -> Any:
    half = np.vectorize(lambda q: q**2 if q > 0 else -q)
    return np.sum(half(v))


@snippet(
    "np.r_ puts a zero in front",
    normal(4),
    r"write\n    return np\.sum\(np\.hstack\(\[0\.0, np\.cumsum\(v\)\]\) \*\* 2\)",
)
def with_zero(v: Any) -> Any:
    return np.sum(np.r_[0.0, np.cumsum(v)] ** 2)


@snippet("math.sin in place of np.sin", 0.7, r"write\n    .*np\.sin\(p\)")
def with_math(p: Any) -> Any:
    return math.sin(p) * p**2


@snippet(
    "an array is filled entry by entry",
    normal(5),
    r"parts\.append\(v\[i\] \*\* 2\), then out = np\.stack\(parts\)",
)
def filled(v: Any) -> Any:
    out = np.zeros(5)
    for i in range(5):
        out[i] = v[i] ** 2
    return np.sum(out)


@snippet(
    "a plain array is added to in place",
    normal(5),
    r"In place of\n    out \+= v\nwrite\n    out = out \+ v",
)
def added_to(v: Any) -> Any:
    out = np.zeros(5)
    out += v
    return np.sum(out**2)


@snippet("a traced array is added to in place", normal(5))
def traced_added_to(v: Any) -> Any:
    a = v * 2
    a += 1
    a *= 3
    return np.sum(a**2)
