"""If a function needs plain numbers, the message shows the learner's own line rewritten; and that line works."""

from __future__ import annotations

import linecache
import math
import re
from typing import Any

import numpy as np
import pytest

from autodiff_lab import grad, jvp
from autodiff_lab.engine.dispatch import TABLE
from autodiff_lab.engine.errors import AutodiffError, DetachedError, MutationError, UnsupportedError
from autodiff_lab.engine.remedies import MOVED_NOISE

from .misuses_of_functions import NO_ROW

X, V = np.float64(0.7), np.array([0.5, 1.5, -0.3])


def define(body: str, **names: Any) -> Any:
    """The function of `x` with this body, whose source can be looked up as that of a cell can."""
    source = "def f(x):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    name = f"<cell {hash(source)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    scope = {"np": np, **names}
    exec(compile(source, name, "exec"), scope)
    return scope["f"]


def message_of(f: Any, x: Any, way: str) -> str:
    with pytest.raises(AutodiffError) as caught:
        grad(lambda x: np.sum(f(x)))(x) if way == "reverse" else jvp(f, (x,), (np.ones_like(x),))
    assert isinstance(caught.value, DetachedError | UnsupportedError)
    return str(caught.value)


ROTATION = "np.array([[np.cos(x), -np.sin(x)], [np.sin(x), np.cos(x)]])"

# The learner's lines, the input, the line in the message and what it says instead
LINES = {
    "two values": ("return np.array([x, 2*x])", X, "return np.stack([x, 2 * x])"),
    "with a number": ("return np.array((x, 1.0))", X, "return np.stack((x, 1.0))"),
    "arrays": ("y = np.array([x, 2*x])\nreturn y", V, "y = np.stack([x, 2 * x])"),
    "a rotation": (
        f"R = {ROTATION}\nreturn R @ np.ones(2)",
        X,
        f"R = {ROTATION.replace('array', 'block')}",
    ),
    "nested arrays": (
        "return np.array([[x, 2*x], [x, x]])",
        V,
        "return np.stack([np.stack([x, 2 * x]), np.stack([x, x])])",
    ),
    "nested tuples": (
        "return np.array(((x, 1.0), (x, x)))",
        X,
        "return np.stack([np.stack((x, 1.0)), np.stack((x, x))])",
    ),
    "a list by name": (
        "parts = [x * i for i in range(3)]\nreturn np.array(parts)",
        X,
        "return np.stack(parts)",
    ),
    "a comprehension": (
        "return np.array([x * i for i in (1, 2)])",
        X,
        "return np.stack([x * i for i in (1, 2)])",
    ),
    "with a type": ("return np.array([x, x], dtype=float)", X, "return np.stack([x, x])"),
    "with another type": (
        "return np.array([x, x], np.float32)",
        X,
        "return np.stack([x, x]).astype(np.float32)",
    ),
    "the value itself": ("y = np.asarray(x)\nreturn y * y", V, "y = x"),
    "another type of it": (
        "return np.asarray(x, dtype=np.float32)",
        V,
        "return x.astype(np.float32)",
    ),
    "np.float64": ("return np.float64(x) * 2", X, "return x * 2"),
    "np.float32": ("return np.float32(x)", X, "return x.astype(np.float32)"),
    "np.full": ("return np.full((2, 3), x)", X, "return np.broadcast_to(x, (2, 3))"),
    "a list as operand": ("return np.sum([x, x])", X, "return np.sum(np.stack([x, x]))"),
    "one list of two": (
        "return np.dot([1.0, -2.0], [x, x])",
        X,
        "return np.dot([1.0, -2.0], np.stack([x, x]))",
    ),
    "a list in a product": (
        "return np.ones(2) * [x, 1.0]",
        X,
        "return np.ones(2) * np.stack([x, 1.0])",
    ),
    "a method": ("return np.ones(3).dot(x)", V, "return np.dot(np.ones(3), x)"),
    "letters of two bytes": (
        "ω = x\nreturn np.array([ω, 'ω' and ω])",
        X,
        "return np.stack([ω, 'ω' and ω])",
    ),
    "several lines": ("return np.array(\n    [x,\n     x])", X, "np.stack([x, x])"),
    "math.sin": ("y = math.sin(x)\nreturn y", X, "y = np.sin(x)"),
    "math.atan2": ("return math.atan2(x, 2.0)", X, "return np.arctan2(x, 2.0)"),
    "math.log with a base": ("return math.log(x, 2)", X, "return np.log(x) / np.log(2)"),
    "math.fsum": ("return math.fsum([x, x * x])", X, "return np.sum(np.stack([x, x * x]))"),
    "float": ("return float(x) ** 2", X, "return x ** 2"),
    "np.r_": ("return np.r_[0.0, np.cumsum(x)]", V, "return np.hstack([0.0, np.cumsum(x)])"),
    "np.r_ of numbers": ("return np.r_[x, 1.0, 2 * x]", X, "return np.hstack([x, 1.0, 2 * x])"),
    "np.r_ with a range": ("return np.r_[x, 1:4]", V, "return np.hstack([x, np.arange(1, 4)])"),
    "np.r_ of rows": ("A = x[None, :]\nreturn np.r_[A, A]", V, "return np.concatenate([A, A])"),
    "np.c_": ("return np.c_[np.ones(3), x]", V, "return np.column_stack([np.ones(3), x])"),
    "np.vectorize": (
        "return np.vectorize(lambda q: q**2 if q > 0 else -q)(x)",
        V,
        "np.stack([(lambda q: q ** 2 if q > 0 else -q)(entry) for entry in x])",
    ),
    "np.vectorize by name": (
        "f = np.vectorize(lambda q: q * 2)\nreturn f(x)",
        V,
        "return np.stack([f.pyfunc(entry) for entry in x])",
    ),
    "np.vectorize of a matrix": (
        "f = np.vectorize(lambda q: q * 2)\nreturn f(x[None, :])",
        V,
        "np.reshape(np.stack([f.pyfunc(entry) for entry in np.ravel(x[None, :])]), np.shape(x[None, :]))",
    ),
    "another name for NumPy": ("return numpy.array([x, x])", X, "return numpy.stack([x, x])"),
}


S = "import scipy.stats as stats, scipy.special as special, scipy.linalg as linalg, scipy.sparse as sparse\n"
S += "import scipy.signal as signal, scipy.integrate as integrate, scipy.spatial.distance as distance\n"
K = "K = np.outer(x, x) + np.eye(3)\n"

LINES |= {
    name: (S + body, x, new)
    for name, (body, x, new) in {
        "normal": ("return stats.norm.logpdf(x, 0, 1)", V, "return -0.5 * x ** 2 - 0.5 * np.log(2 * np.pi)"),
        "normal, loc and scale": (
            "return stats.norm.logpdf(1.5, loc=x, scale=2 * x)",
            X,
            "return -0.5 * ((1.5 - x) / (2 * x)) ** 2 - 0.5 * np.log(2 * np.pi) - np.log(2 * x)",
        ),
        "normal, frozen": ("return stats.norm(0, 2.0).pdf(x)", V, None),
        "normal, cdf": ("return stats.norm.cdf(x)", V, "return special.ndtr(x)"),
        "normal, logcdf": ("return stats.norm.logcdf(x, 1.0)", V, "return special.log_ndtr(x - 1.0)"),
        "normal, sf": ("return stats.norm.sf(x) + stats.norm.logsf(1.0)", V, None),
        "exponential": ("return stats.expon.logpdf(x, scale=2.0)", X, None),
        "laplace": ("return stats.laplace.logpdf(x, 0.2)", V, None),
        "cauchy": ("return stats.cauchy.logpdf(x)", V, None),
        "logistic": ("return stats.logistic.logpdf(x, 0.1, 3.0)", V, None),
        "gamma": ("return stats.gamma.logpdf(1.5, 2 * x)", X, None),
        "beta": ("return stats.beta.logpdf(0.3, x, 2.0)", X, None),
        "student": ("return stats.t.logpdf(x, 3 + x)", X, None),
        "poisson": ("return stats.poisson.logpmf([1, 2, 3], np.exp(x))", V, None),
        "bernoulli": ("return stats.bernoulli.pmf(1, x)", X, None),
        "softmax": (
            "return special.softmax(x)",
            V,
            "return np.exp(x - np.logaddexp.reduce(x, axis=None, keepdims=True))",
        ),
        "log_softmax": ("return special.log_softmax(x[None, :], axis=1)", V, None),
        "logsumexp": ("return special.logsumexp(x)", V, "return np.logaddexp.reduce(x, axis=None)"),
        "math.gamma": ("import math\nreturn math.gamma(x)", X, "return special.gamma(x)"),
        "triangular": (
            "A = np.outer(x, x) + np.eye(3)\nreturn linalg.solve_triangular(A, x, lower=True)",
            V,
            "return np.linalg.solve(np.tril(A), x)",
        ),
        "triangular, transposed": (
            "A = np.outer(x, x) + np.eye(3)\nreturn linalg.solve_triangular(A, x, 'T')",
            V,
            "return np.linalg.solve(np.triu(A).T, x)",
        ),
        "cho_solve": (
            K + "y = linalg.cho_solve(linalg.cho_factor(K), x)\nreturn y",
            V,
            "y = np.linalg.solve(K, x)",
        ),
        "cho_solve of cholesky": (
            K + "L = np.linalg.cholesky(K)\nreturn linalg.cho_solve((L, True), x)",
            V,
            "return np.linalg.solve(L.T, np.linalg.solve(L, x))",
        ),
        "lu_solve": (K + "return x @ linalg.lu_solve(linalg.lu_factor(K), x)", V, None),
        "cholesky": (K + "return linalg.cholesky(K)", V, "return np.linalg.cholesky(K).T"),
        "solve": (K + "return linalg.solve(K, x)", V, "return np.linalg.solve(K, x)"),
        "norm": ("return linalg.norm(x, ord=1)", V, "return np.linalg.norm(x, ord=1)"),
        "trapezoid": ("return integrate.trapezoid(x, dx=0.5)", V, "return np.trapezoid(x, dx=0.5)"),
        "convolve": ("return signal.fftconvolve(x, [1.0, 2.0])", V, "return np.convolve(x, [1.0, 2.0])"),
        "cdist": ("A = x[:, None]\nreturn distance.cdist(A, np.array([[2.0], [3.0]]))", V, None),
        "sparse": ("A = sparse.csr_array(np.eye(3))\nreturn A @ x", V, "return A.toarray() @ x"),
        "sparse, a method": ("A = sparse.csr_array(np.eye(3))\nreturn A.dot(x)", V, "return A.toarray() @ x"),
    }.items()
}  # fmt: skip


@pytest.mark.parametrize("way", ["reverse", "forward"])
@pytest.mark.parametrize(
    "body,x,new", [pytest.param(*given, id=name) for name, given in LINES.items()]
)
def test_the_line_is_shown_rewritten_and_then_works(body: str, x: Any, new: str, way: str) -> None:
    names: dict[str, Any] = {"numpy": np, "np": None} if "numpy." in body else {"math": math}
    if "scipy" in body:
        pytest.importorskip("scipy")
    message = message_of(define(body, **names), x, way)
    if new is None:
        new = message.partition("\nwrite\n    ")[2].partition("\n")[0]
    assert f"\nwrite\n    {new}\n" in message
    old = message.partition("In place of\n    ")[2].partition("\nwrite\n")[0]
    mended = define(body.replace(old, new) if old in body else f"return {new}", **names)
    plain = define(body, **names)
    np.testing.assert_allclose(mended(x), plain(x), rtol=1e-6)
    value, tangent = jvp(mended, (x,), (np.ones_like(x),))
    h = 1e-6
    np.testing.assert_allclose(value, plain(x), rtol=1e-6)
    if np.asarray(value).dtype == np.float64:
        np.testing.assert_allclose(
            tangent, (plain(x + h) - plain(x - h)) / (2 * h), rtol=1e-6, atol=1e-9
        )
    assert np.shape(grad(lambda x: np.sum(mended(x)))(x)) == np.shape(x)


STORED = "a = np.zeros(3)\nfor i in range(3):\n    a[i] = x * i\nreturn a"


@pytest.mark.parametrize("way", ["reverse", "forward"])
def test_an_entry_that_is_stored_is_told_to_be_collected(way: str) -> None:
    message = message_of(define(STORED), X, way)
    assert "The line is\n    a[i] = x * i\n" in message
    assert "parts.append(x * i), then a = np.stack(parts)" in message


class Model:
    """An object that keeps its own source of random numbers."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)


# A draw with a traced parameter, and what the message says instead
DRAWS = {
    "rng.normal(x, 1.0)": "eps = rng.normal(size=n), and inside write mu + sigma * eps.",
    "np.mean(rng.normal(0.0, x, size=5))": "eps = rng.normal(size=n), and inside write mu + sigma * eps.",
    "model.rng.normal(x)": "eps = rng.normal(size=n), and inside write mu + sigma * eps.",
    "np.random.normal(x)": "eps = rng.normal(size=n), and inside write mu + sigma * eps.",
    "np.random.default_rng(0).normal(x)": "eps = rng.normal(size=n), and inside write mu + sigma * eps.",
    "old.normal(x)": "eps = rng.normal(size=n), and inside write mu + sigma * eps.",
    "rng.gumbel(x)": "eps = rng.gumbel(size=n), and inside write mu + sigma * eps.",
    "rng.lognormal(x)": "eps = rng.normal(size=n), and inside write np.exp(mu + sigma * eps).",
    "rng.uniform(0.0, x)": "eps = rng.random(n), and inside write low + (high - low) * eps.",
    "rng.exponential(x)": "eps = rng.exponential(size=n), and inside write scale * eps.",
    "rng.gamma(x)": "for a normal distribution eps = rng.normal(size=n)",
    "rng.poisson(x)": "What `poisson` draws jumps as its chances change",
    "rng.binomial(5, x)": "differentiate the logarithm of their chances",
    "rng.choice(2, p=np.stack([x, 1 - x]))": "What `choice` draws jumps as its chances change",
    "rng.choice(np.stack([x, 2 * x]))": "i = rng.choice(len(x), size=n), and write x[i].",
    "rng.permutation(np.stack([x, 2 * x]))": "i = rng.permutation(len(x)), and inside write x[i].",
}


@pytest.mark.parametrize("way", ["reverse", "forward"])
@pytest.mark.parametrize("call", DRAWS)
def test_a_draw_with_a_traced_parameter_is_told_to_draw_outside(call: str, way: str) -> None:
    names = {"rng": np.random.default_rng(0), "old": np.random.RandomState(0), "model": Model()}
    message = message_of(define(f"return {call}", **names), X, way)
    assert f"The line is\n    return {call}\n" in message
    assert DRAWS[call] in message
    assert "x.astype" not in message


@pytest.mark.parametrize(
    "name",
    ["normal", "laplace", "logistic", "gumbel", "lognormal", "uniform", "exponential", "rayleigh"],
)
def test_moved_noise_has_the_distribution_that_the_message_replaces(name: str) -> None:
    parameters = {"mu": 0.4, "sigma": 0.7, "low": -1.0, "high": 2.0, "scale": 1.5, "n": 100_000}
    given = {"uniform": ("low", "high"), "exponential": ("scale",), "rayleigh": ("scale",)}
    chosen = [parameters[key] for key in given.get(name, ("mu", "sigma"))]
    drawn = getattr(np.random.default_rng(1), name)(*chosen, size=100_000)
    noise, sample = MOVED_NOISE[name]
    scope = {"np": np, "rng": np.random.default_rng(2), **parameters}
    moved = eval(sample, {**scope, "eps": eval(noise, scope)})
    levels = [0.1, 0.3, 0.5, 0.7, 0.9]
    spread = np.std(drawn)
    np.testing.assert_allclose(
        np.quantile(moved, levels), np.quantile(drawn, levels), atol=0.05 * spread
    )


def test_one_statement_of_several_in_a_line_is_meant() -> None:
    with pytest.raises(
        MutationError, match=r"In place of\n    b -= x \* x\nwrite\n    b = b - x \* x$"
    ):
        grad(define("a = np.zeros(3); b = a + 1; b -= x * x; return np.sum(b)"))(V)
    message = message_of(
        define("a = np.zeros(3)\nfor i in range(3): a[i] = x * i\nreturn a"), X, "forward"
    )
    assert "parts.append(x * i), then a = np.stack(parts)" in message


def test_a_line_that_adds_in_place_is_shown_rewritten() -> None:
    with pytest.raises(MutationError, match=r"In place of\n    a \+= x\nwrite\n    a = a \+ x$"):
        grad(define("a = np.zeros(3)\na += x\nreturn np.sum(a)"))(V)


FAMILIES = {
    "integrate.odeint(lambda y, t: -x * y, 1.0, np.arange(5.0))": (
        r"odeint converts.*The line is\n    return integ.*k4 ="
    ),
    "integrate.solve_ivp(lambda t, y: -x * y, (0, 1), [1.0]).y": r"solve_ivp converts.*Runge-Kutta",
    "integrate.quad(lambda t: x * t, 0, 1)[0]": r"quad converts .* to a plain number.*leggauss",
    "optimize.minimize(lambda z: np.sum((z - x) ** 2), np.zeros(1)).x": r"minimize converts.*jac=grad\(f\).*implicit",
    "optimize.brentq(lambda z: z - x, -3, 3)": r"brentq converts.*np\.linalg\.solve\(J",
    "linalg.expm(x * np.eye(2))": r"expm converts.*np\.linalg\.eigh",
    "linalg.cho_factor(x * np.eye(2))[0]": r"cho_factor converts.*np\.linalg\.solve\(K, b\) in place of both",
    "interpolate.CubicSpline(np.arange(4.0), np.arange(4.0) ** 2)(x)": r"converts.*np\.polyval\(s\.c\[:, i\]",
    "signal.lfilter([1.0], [1.0, 0.5], x * np.ones(3))": r"lfilter converts.*np\.convolve",
    "ndimage.gaussian_filter(x * np.ones(3), 1)": r"gaussian_filter converts.*sliding_window_view",
    "fft.fft(x * np.ones(3))": r"fft converts.*complex numbers.*angles = 2 \* np\.pi",
    "stats.multivariate_normal.logpdf(x, 0.0, 1.0)": (
        r"multivariate_normal\.logpdf converts.*np\.linalg\.cholesky\(cov\)"
    ),
    "stats.zscore(x * np.ones(3))": r"zscore converts.*np\.std\(x\)",
    "stats.weibull_min.logpdf(x, 2.0)": r"weibull_min\.logpdf converts.*Write the formula",
    "special.multigammaln(x + 2, 2)": r"multigammaln converts.*gammaln",
}


@pytest.mark.parametrize("call", FAMILIES)
def test_a_family_of_scipy_has_its_sentence(call: str) -> None:
    module = pytest.importorskip(f"scipy.{call.partition('.')[0]}")
    message = message_of(define(f"return {call}", **{call.partition(".")[0]: module}), X, "reverse")
    assert re.search(FAMILIES[call], message, re.DOTALL), message


def test_the_formulas_in_the_sentences_are_right() -> None:
    """What the sentences for odeint, quad, expm, splines and optimize propose has the derivative."""
    interpolate, linalg, stats = (
        pytest.importorskip(f"scipy.{name}") for name in ("interpolate", "linalg", "stats")
    )
    nodes, weights = np.polynomial.legendre.leggauss(20)
    a, b = 0.0, 2.0

    def integral(x: Any) -> Any:
        points = 0.5 * (a + b) + 0.5 * (b - a) * nodes
        return 0.5 * (b - a) * np.sum(weights * np.exp(-x * points))

    assert grad(integral)(X) == pytest.approx(((2 * X + 1) * np.exp(-2 * X) - 1) / X**2)

    s = interpolate.CubicSpline(np.arange(5.0), np.sin(np.arange(5.0)))
    points = np.array([0.3, 1.7, 3.9])

    def interpolated(x: Any) -> Any:
        i = np.clip(np.searchsorted(s.x, x) - 1, 0, len(s.x) - 2)
        return np.polyval(s.c[:, i], x - s.x[i])

    np.testing.assert_allclose(interpolated(points), s(points))
    np.testing.assert_allclose(grad(lambda x: np.sum(interpolated(x)))(points), s(points, 1))

    M = np.array([[0.1, 0.5], [-0.3, 0.2]])

    def exponential(x: Any) -> Any:
        A = x * M
        term = S = np.eye(2)
        for k in range(1, 20):
            term = term @ A / k
            S = S + term
        return S

    value, slope = jvp(exponential, (X,), (1.0,))
    np.testing.assert_allclose(value, linalg.expm(X * M))
    np.testing.assert_allclose(slope, M @ value)

    mean, cov = np.array([0.1, 0.2]), np.array([[2.0, 0.3], [0.3, 1.0]])
    L = np.linalg.cholesky(cov)
    u = np.linalg.solve(L, V[:2] - mean)
    density = -0.5 * u @ u - np.sum(np.log(np.diag(L))) - 0.5 * len(u) * np.log(2 * np.pi)
    assert density == pytest.approx(stats.multivariate_normal.logpdf(V[:2], mean, cov))

    def root(p: Any) -> Any:
        z, J = np.sqrt(p.value), np.diag(2 * np.sqrt(p.value))  # of z ** 2 - p
        return z - np.linalg.solve(J, z**2 - p)

    np.testing.assert_allclose(
        grad(lambda p: np.sum(root(p)))(np.array([4.0, 9.0])), [1 / 4, 1 / 6]
    )

    n, x = 5, np.sin(np.arange(5.0))
    angles = 2 * np.pi * np.outer(np.arange(n), np.arange(n)) / n
    np.testing.assert_allclose(
        np.cos(angles) @ x - 1j * np.sin(angles) @ x, np.fft.fft(x), atol=1e-13
    )
    assert np.sum(np.abs(np.fft.fft(x)) ** 2) == pytest.approx(n * np.sum(x**2))


@pytest.mark.parametrize(
    "body",
    [
        "return np.array(x * 2)",
        "return np.array(x, ndmin=1)",
        "a = np.zeros(2)\na.fill(x)\nreturn a",
        "return np.eye(2)[x]",
    ],
)
def test_a_line_that_nobody_can_rewrite_is_told_in_general(body: str) -> None:
    message = message_of(define(body), X, "reverse")
    assert "In place of" not in message
    assert ".value" in message


def test_without_a_source_the_message_is_general() -> None:
    scope: dict[str, Any] = {"np": np}
    exec("def f(x): return np.array([x, x])", scope)
    message = message_of(scope["f"], X, "reverse")
    assert "np.stack([x, y]) puts values into an array" in message
    assert "In place of" not in message


def test_the_message_names_the_function_that_converts() -> None:
    assert message_of(define("return np.full(3, x)"), X, "reverse").startswith(
        "np.full converts Variable("
    )
    assert message_of(define("return np.ones(3).dot(x)"), V, "reverse").startswith("NumPy converts")


ROWS = {
    f"np.{NO_ROW.__name__}": (NO_ROW, "g * (NO_ROW(x + 1e-6) - NO_ROW(x - 1e-6)) / 2e-6", X),
    "np.linalg.matrix_norm": (
        np.linalg.matrix_norm,
        "g * x / y",
        np.array([[1.0, 0.5], [-0.3, 2.0]]),
    ),
    # a function of each entry, flat between powers of two
    "np.spacing": (np.spacing, "0.0 * x", X),
}


@pytest.mark.parametrize("name", ROWS)
def test_the_row_that_the_message_proposes_works(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    function, rule, x = ROWS[name]
    lines = message_of(function, x, "reverse").split("\n")[1:]
    monkeypatch.setitem(TABLE, function, None)  # so that the row is taken out again
    exec("\n".join(lines).replace("    ", "").replace("...", rule), {"np": np, "NO_ROW": NO_ROW})
    steps = [np.reshape(h, np.shape(x)) for h in 1e-4 * np.eye(np.size(x))]
    expected = [(function(x + h) - function(x - h)) / 2e-4 for h in steps]
    np.testing.assert_allclose(
        np.ravel(grad(function)(x)), np.ravel(expected), rtol=1e-6, atol=1e-12
    )


def test_a_function_of_scipy_is_called_by_its_own_name() -> None:
    special = pytest.importorskip("scipy.special")
    lost = message_of(define("return special.logsumexp(x, axis=0)", special=special), V, "reverse")
    assert lost.startswith("scipy.special.logsumexp converts")
    assert "\nwrite\n    return np.logaddexp.reduce(x, axis=0)\n" in lost
    kept = message_of(
        define("return special.logsumexp(x, axis=0, keepdims=True)", special=special), V, "reverse"
    )
    assert "np.logaddexp.reduce(x, axis=0, keepdims=True)" in kept
    whole = message_of(define("return logsumexp(x)", logsumexp=special.logsumexp), V, "forward")
    assert "\nwrite\n    return np.logaddexp.reduce(x, axis=None)\n" in whole
    np.testing.assert_allclose(np.logaddexp.reduce(V, axis=None), special.logsumexp(V))
    assert "In place of" not in message_of(
        define("return special.multigammaln(x[1], 1)", special=special), V, "reverse"
    )
    missing = message_of(define("return special.j0(x)", special=special), V, "reverse")
    assert missing.startswith("scipy.special.j0 has no derivative rule")
    assert "\n    elementwise(scipy.special.j0, lambda y, x: ...)" in missing
