"""Remedies for SciPy's functions: a sentence for each family, and the user's call rewritten where one line is enough.

SciPy's elementwise functions (``special.erf``) are ufuncs, so they call a traced value's protocol, and have rules. All
others convert their arguments to plain arrays first, so they can't have a rule; this module has what to write instead.
SciPy is not imported.
"""

from __future__ import annotations

import ast
import copy
import re
import sys
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any, NamedTuple

from .frames import is_user_frame

FOURIER = """
    Fourier transforms work with complex numbers, and derivatives here are of real ones, so they are left out. A short
    transform can be written as real matrix products: with angles = 2 * np.pi * np.outer(np.arange(n), np.arange(n)) /
    n, its real part is np.cos(angles) @ x and its imaginary part -np.sin(angles) @ x. A convolution is
    np.convolve(a, b); and the sum np.sum(np.abs(np.fft.fft(x)) ** 2) is n * np.sum(x**2).
"""

# The sentence for each prefix of a function's dotted name; the longest prefix counts.
SENTENCES: dict[str, str] = {
    "scipy": "SciPy computes with plain numbers here. Write it with NumPy functions that have a derivative rule.",
    "scipy.stats": """
        SciPy's distributions and statistics compute with plain numbers. Write the formula: the log-density of a normal
        distribution is -0.5 * ((x - mu) / s) ** 2 - np.log(s) - 0.5 * np.log(2 * np.pi). For others, gammaln, betaln,
        xlogy, ndtr and log_ndtr of scipy.special have derivative rules.
    """,
    "scipy.stats.multivariate_normal": """
        SciPy's distributions compute with plain numbers. Write the log-density: with L = np.linalg.cholesky(cov) and
        u = np.linalg.solve(L, x - mean) it is -0.5 * u @ u - np.sum(np.log(np.diag(L))) - 0.5 * len(u) *
        np.log(2 * np.pi).
    """,
    "scipy.stats.zscore": "Write (x - np.mean(x)) / np.std(x).",
    "scipy.integrate": """
        SciPy's integration computes with plain numbers. Write the integral as a weighted sum: nodes, weights =
        np.polynomial.legendre.leggauss(20), then 0.5 * (b - a) * np.sum(weights * f(0.5 * (a + b) + 0.5 * (b - a) *
        nodes)). For values on a grid there is np.trapezoid.
    """,
    **dict.fromkeys(
        (
            "scipy.integrate.odeint",
            "scipy.integrate.solve_ivp",
            "scipy.integrate.ode",
            "scipy.integrate.RK45",
        ),
        """
        The steps of SciPy's solver are not recorded. Write them yourself, for example the Runge-Kutta method in
        a loop: k1 = f(y, t); k2 = f(y + h / 2 * k1, t + h / 2); k3 = f(y + h / 2 * k2, t + h / 2);
        k4 = f(y + h * k3, t + h); y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), where f returns np.stack([...]).
        """,
    ),
    "scipy.optimize": """
        The steps of SciPy's solver are not recorded. To give it a gradient, call it with plain numbers, outside of the
        function that you differentiate: minimize(f, x0, jac=grad(f)). To differentiate a solution z of F(z, p) = 0 (for
        a minimum, F is the gradient), find z with plain numbers (p.value), and return z - np.linalg.solve(J, F(z, p)),
        where J is the plain Jacobian of F with respect to z: that is z, with the derivative of the implicit function
        theorem.
    """,
    "scipy.linalg": """
        SciPy's linear algebra computes with plain numbers. np.linalg.solve, inv, det, slogdet, cholesky, eigh, qr,
        pinv, svdvals and norm have derivative rules.
    """,
    **dict.fromkeys(
        (
            "scipy.linalg.cho_factor",
            "scipy.linalg.lu_factor",
            "scipy.linalg.cho_solve",
            "scipy.linalg.lu_solve",
        ),
        """
        SciPy's linear algebra computes with plain numbers. Write np.linalg.solve(K, b) in place of both the
        factorization and the solution; np.linalg.slogdet(K)[1] is the logarithm of the determinant.
        """,
    ),
    **dict.fromkeys(
        ("scipy.linalg.expm", "scipy.linalg.sqrtm", "scipy.linalg.logm", "scipy.linalg.funm"),
        """
        SciPy's functions of matrices compute with plain numbers. Of a symmetric matrix write w, V = np.linalg.eigh(A),
        then (V * np.exp(w)) @ V.T, and np.sqrt or np.log in place of np.exp. Of any other, write the exponential as a
        sum: term = S = np.eye(n); for k in range(1, 20): term = term @ A / k; S = S + term.
        """,
    ),
    "scipy.linalg.block_diag": "Write np.block([[A, np.zeros((m, n))], [np.zeros((k, l)), B]]).",
    "scipy.special": """
        This function of SciPy computes with plain numbers. Its elementwise functions have derivative rules (erf,
        erfc, expit, logit, gamma, gammaln, beta, betaln, psi, xlogy, entr, ndtr, log_ndtr): write it with these.
    """,
    "scipy.interpolate": """
        SciPy's interpolation computes with plain numbers. np.interp(x, xp, fp) has a derivative rule. Of a spline s
        that SciPy made of plain numbers, take the polynomial of the interval:
        i = np.clip(np.searchsorted(s.x, x) - 1, 0, len(s.x) - 2), then np.polyval(s.c[:, i], x - s.x[i]).
    """,
    "scipy.signal": """
        SciPy's filters compute with plain numbers. np.convolve and np.correlate have derivative rules; a recursive
        filter is a loop whose results np.stack puts together.
    """,
    "scipy.ndimage": """
        SciPy's filters compute with plain numbers. Write the filter as a sum of shifted slices, or with
        np.lib.stride_tricks.sliding_window_view(np.pad(x, k), shape), which has a derivative rule.
    """,
    "scipy.sparse": """
        Sparse matrices compute with plain numbers. Write A.toarray() @ x; of a large one, keep its rows, columns and
        entries: np.stack([np.sum(A.data[p:q] * x[A.indices[p:q]]) for p, q in zip(A.indptr, A.indptr[1:])]).
    """,
    "scipy.spatial": """
        SciPy's distances compute with plain numbers. Write np.linalg.norm(a[:, None] - b[None], axis=-1).
    """,
    "scipy.fft": FOURIER,
}


def sentence_for(name: str) -> str:
    """The sentence for the family of a SciPy function, found by its dotted name."""
    while name not in SENTENCES:
        name = name.rpartition(".")[0]
    return flow(SENTENCES[name])


def flow(text: str) -> str:
    """Put the text of a remedy on one line."""
    return " ".join(text.split())


def find_called_function() -> str:
    """Find the SciPy function that the user's code has called and that is still running; empty if there is none."""
    frame: FrameType | None = sys._getframe(1)
    called = ""
    while frame is not None and not is_user_frame(frame):
        module = frame.f_globals.get("__name__", "")
        if module.startswith("scipy."):
            home = _public_module(module)
            if home != "scipy":
                called = f"{home}.{frame.f_code.co_name}"
            elif not called:
                # One of SciPy's own helpers, which converts the arguments before the function is called.
                called = home
        frame = frame.f_back
    return called


def _public_module(module: str) -> str:
    """The public module of a SciPy module: its dotted name up to the first private part."""
    return module.partition("._")[0]


def public_name(function: Any) -> str:
    """The name of a SciPy function as users write it, ``scipy.stats.norm.logpdf``; empty for anything else."""
    module = getattr(function, "__module__", None) or ""
    if not isinstance(module, str) or not module.startswith("scipy."):
        return ""
    parts = [_public_module(module), getattr(function, "__name__", "")]
    owner = getattr(function, "__self__", None if parts[1] else function)
    if owner is not None:
        # A frozen distribution, norm(mu, s), keeps the distribution itself in `dist`.
        owner = getattr(owner, "dist", owner)
        parts.insert(1, getattr(owner, "name", None) or type(owner).__name__.removesuffix("_gen"))
    return ".".join(part for part in parts if part)


def is_of_scipy(x: Any) -> bool:
    """Whether an object is one of SciPy's: a distribution, a sparse matrix, an interpolation."""
    return type(x).__module__.startswith("scipy.")


# Calls rewritten


class _Filling(ast.NodeTransformer):
    """Replaces names in a template by the user's expressions."""

    def __init__(self, parts: Mapping[str, ast.expr]) -> None:
        self.parts = parts

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace the name in the template, if there is an expression for it."""
        return copy.deepcopy(self.parts.get(node.id, node))


def fill(template: str, names: Mapping[str, Any], **parts: ast.expr) -> ast.expr:
    """Fill a remedy's template with the user's expressions, and with the user's names for NumPy and scipy.special."""
    modules = {"np": sys.modules["numpy"], "special": sys.modules.get("scipy.special")}
    for standard, module in modules.items():
        own = [name for name, value in names.items() if module is not None and value is module]
        parts[standard] = ast.Name(own[0] if own else standard)
    filled: ast.expr = _Filling(parts).visit(ast.parse(template, mode="eval").body)
    return filled


class Given(NamedTuple):
    """A call in the user's line: the names in scope, the arguments by name, and the rank of the traced value."""

    names: Mapping[str, Any]
    options: dict[str, ast.expr]
    rank: int

    def constant(self, option: str, default: Any) -> Any:
        """The value of an option that is written as a constant; None if it is any other expression."""
        given = self.options.get(option)
        if given is None:
            return default
        return given.value if isinstance(given, ast.Constant) else None


Rewrite = Callable[[Given], "ast.expr | None"]


def _template(text: str) -> Rewrite:
    return lambda given: fill(text, given.names, **given.options)


def _logsumexp(text: str) -> Rewrite:
    """The rewrite of a function as a template with ``logaddexp.reduce``, over all axes if none is given."""

    def rewrite(given: Given) -> ast.expr:
        axis = given.options.get("axis", ast.Constant(None))
        return fill(text, given.names, a=given.options["a"], axis=axis)

    return rewrite


def _renamed(function: str) -> Rewrite:
    """The rewrite as a NumPy function with the same options."""

    def rewrite(given: Given) -> ast.expr:
        (_, operand), *others = given.options.items()
        keywords = [ast.keyword(name, option) for name, option in others]
        return ast.Call(fill(function, given.names), [operand], keywords)

    return rewrite


def _logsumexp_alone(given: Given) -> ast.expr | None:
    options = {"a": given.options["a"], "axis": ast.Constant(None), **given.options}
    return _renamed("np.logaddexp.reduce")(given._replace(options=options))


def _solve_triangular(given: Given) -> ast.expr | None:
    lower = given.constant("lower", False)
    trans = given.constant("trans", 0)
    if lower is None or trans is None:
        return None
    triangle = "np.tril(a)" if lower else "np.triu(a)"
    transposed = ".T" if trans in (1, 2, "T", "C") else ""
    return fill(f"np.linalg.solve({triangle}{transposed}, b)", given.names, **given.options)


def _cho_solve(given: Given) -> ast.expr | None:
    factor = given.options["c_and_lower"]
    if not isinstance(factor, ast.Tuple) or len(factor.elts) != 2:
        return None
    matrix, is_lower = factor.elts
    if not isinstance(is_lower, ast.Constant):
        return None
    first, second = ("c", "c.T") if is_lower.value else ("c.T", "c")
    template = f"np.linalg.solve({second}, np.linalg.solve({first}, b))"
    return fill(template, given.names, c=matrix, b=given.options["b"])


def _cholesky(given: Given) -> ast.expr | None:
    lower = given.constant("lower", False)
    if lower is None:
        return None
    template = "np.linalg.cholesky(a)" if lower else "np.linalg.cholesky(a).T"
    return fill(template, given.names, a=given.options["a"])


def _convolve(given: Given) -> ast.expr | None:
    if given.rank > 1 or given.constant("mode", "full") != "full":
        return None
    return fill("np.convolve(a, b)", given.names, a=given.options["a"], b=given.options["b"])


# For each function, the parameters that we can rewrite (a call with others stays as it is), and how.
CALLS: dict[str, tuple[str, Rewrite]] = {
    "scipy.special.logsumexp": ("a axis keepdims", _logsumexp_alone),
    "scipy.special.softmax": (
        "a axis",
        _logsumexp("np.exp(a - np.logaddexp.reduce(a, axis=axis, keepdims=True))"),
    ),
    "scipy.special.log_softmax": (
        "a axis",
        _logsumexp("a - np.logaddexp.reduce(a, axis=axis, keepdims=True)"),
    ),
    "scipy.linalg.solve_triangular": ("a b trans lower", _solve_triangular),
    "scipy.linalg.cho_solve": ("c_and_lower b", _cho_solve),
    "scipy.linalg.cholesky": ("a lower", _cholesky),
    "scipy.linalg.solve": ("a b", _template("np.linalg.solve(a, b)")),
    **{
        f"scipy.linalg.{name}": ("a", _template(f"np.linalg.{name}(a)"))
        for name in ("inv", "det", "eigh", "eigvalsh", "svdvals", "pinv")
    },
    "scipy.linalg.norm": ("a ord axis keepdims", _renamed("np.linalg.norm")),
    "scipy.integrate.trapezoid": ("y x dx axis", _renamed("np.trapezoid")),
    "scipy.signal.convolve": ("a b mode", _convolve),
    "scipy.signal.fftconvolve": ("a b mode", _convolve),
    "scipy.spatial.distance.cdist": (
        "a b",
        _template("np.linalg.norm(a[:, None] - b[None], axis=-1)"),
    ),
}


def rewrite_call(
    function: Any, node: ast.Call, names: Mapping[str, Any], rank: int
) -> ast.expr | None:
    """Rewrite the call of a SciPy function with functions that have rules; None if one line isn't enough."""
    name = public_name(function)
    if name.startswith("scipy.stats.") and isinstance(node.func, ast.Attribute):
        return _rewrite_distribution(name.split(".")[2], node, names)
    if name not in CALLS:
        return None
    parameters, rewrite = CALLS[name]
    given = _bind(parameters.split(), node)
    return None if given is None else rewrite(Given(names, given, rank))


def _bind(parameters: list[str], node: ast.Call) -> dict[str, ast.expr] | None:
    """The arguments of a call by name; None if it has others. SciPy calls the first operand `a` or `x`."""
    if len(node.args) > len(parameters):
        return None
    if any(isinstance(part, ast.Starred) for part in node.args):
        return None
    given = dict(zip(parameters, node.args, strict=False))
    for option in node.keywords:
        renamed = option.arg == "x" and "x" not in parameters
        given["a" if renamed else option.arg or "**"] = option.value
    return given if given.keys() <= set(parameters) else None


def rewrite_factorization(
    factor: ast.expr,
    before: str,
    after: str,
    look_up: Callable[[ast.AST], Any],
    names: Mapping[str, Any],
) -> tuple[str, str, ast.expr] | None:
    """Rewrite the call that solves with a factorization in the user's line; None if there is no such call.

    Returned are the call's text before the factorization (the end of `before`), its text after it (the start of
    `after`), and the call rewritten: ``cho_solve(cho_factor(K), b)`` as ``np.linalg.solve(K, b)``.
    """
    opening = re.search(r"[\w.]+\(\s*$", before)
    depth = 1 if opening else 0
    end = 0
    while end < len(after) and depth:
        depth += {"(": 1, ")": -1}.get(after[end], 0)
        end += 1
    if not opening or depth:
        return None
    call = ast.parse(f"{opening[0]}factor{after[:end]}", mode="eval").body
    if not isinstance(call, ast.Call) or len(call.args) != 2 or not isinstance(factor, ast.Call):
        return None
    if public_name(look_up(call.func)) not in ("scipy.linalg.cho_solve", "scipy.linalg.lu_solve"):
        return None
    rewritten = fill("np.linalg.solve(a, b)", names, a=factor.args[0], b=call.args[1])
    return opening[0], after[:end], rewritten


# Distributions

# For each distribution, its parameters other than loc and scale, and the logarithm of the standard density at z.
LOG_DENSITIES: dict[str, tuple[str, str]] = {
    "norm": ("", "-0.5 * z**2 - 0.5 * np.log(2 * np.pi)"),
    "expon": ("", "-z"),
    "laplace": ("", "-np.abs(z) - np.log(2)"),
    "cauchy": ("", "-np.log1p(z**2) - np.log(np.pi)"),
    "logistic": ("", "-z - 2 * np.logaddexp(0, -z)"),
    "gamma": ("a", "(a - 1) * np.log(z) - z - special.gammaln(a)"),
    "beta": ("a b", "(a - 1) * np.log(z) + (b - 1) * np.log1p(-z) - special.betaln(a, b)"),
    "t": (
        "df",
        "special.gammaln((df + 1) / 2) - special.gammaln(df / 2) - 0.5 * np.log(df * np.pi)"
        " - (df + 1) / 2 * np.log1p(z**2 / df)",
    ),
}
LOG_PROBABILITIES: dict[str, tuple[str, str]] = {
    "poisson": ("mu", "z * np.log(mu) - mu - special.gammaln(z + 1)"),
    "bernoulli": ("p", "z * np.log(p) + (1 - z) * np.log1p(-p)"),
}
# Further functions of the normal distribution.
NORMAL_FUNCTIONS = {
    "cdf": "special.ndtr(z)",
    "logcdf": "special.log_ndtr(z)",
    "sf": "special.ndtr(-z)",
    "logsf": "special.log_ndtr(-z)",
}


def _rewrite_distribution(
    distribution: str, node: ast.Call, names: Mapping[str, Any]
) -> ast.expr | None:
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    is_density = method in ("logpdf", "pdf")
    if is_density or method in ("logpmf", "pmf"):
        formulas = LOG_DENSITIES if is_density else LOG_PROBABILITIES
        shapes, template = formulas.get(distribution, ("", ""))
    elif distribution == "norm":
        shapes, template = "", NORMAL_FUNCTIONS.get(method, "")
    else:
        return None
    scales = ["loc", "scale"] if is_density or distribution == "norm" else []
    given = _bind(["x", *shapes.split(), *scales], node)
    if not template or given is None or not {"x", *shapes.split()} <= given.keys():
        return None
    loc = given.pop("loc", None)
    scale = given.pop("scale", None)
    moved = not _is_number(loc, 0)
    scaled = not _is_number(scale, 1)
    standard = {
        (False, False): "x",
        (True, False): "x - loc",
        (False, True): "x / scale",
        (True, True): "(x - loc) / scale",
    }
    given = {name: _as_array(argument, names) for name, argument in given.items()}
    parts = {"x": given.pop("x"), "loc": loc or ast.Constant(0), "scale": scale or ast.Constant(1)}
    z = fill(standard[moved, scaled], names, **parts)
    y = fill(template, names, z=z, **given)
    if scaled and is_density:
        y = fill("y - np.log(scale)", names, y=y, scale=parts["scale"])
    return fill("np.exp(y)", names, y=y) if method in ("pdf", "pmf") else y


def _as_array(node: ast.expr, names: Mapping[str, Any]) -> ast.expr:
    """Rewrite a list in the user's line as an array, so that it has arithmetic."""
    if not isinstance(node, ast.List):
        return node
    return fill("np.stack(entries)", names, entries=node)


def _is_number(node: ast.expr | None, number: float) -> bool:
    """Whether an argument is this number, or is left out."""
    return node is None or (isinstance(node, ast.Constant) and node.value == number)
