"""Where a function asks for bare numbers, the message shows the learner's own line rewritten; and that line works."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest

from autodiff_lab import grad, jvp
from autodiff_lab.engine.dispatch import TABLE
from autodiff_lab.engine.errors import AutodiffError, DetachedError, UnsupportedError

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
    "a rotation": (f"R = {ROTATION}\nreturn R @ np.ones(2)", X, f"R = {ROTATION.replace('array', 'block')}"),
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
    "a list by name": ("parts = [x * i for i in range(3)]\nreturn np.array(parts)", X, "return np.stack(parts)"),
    "a comprehension": ("return np.array([x * i for i in (1, 2)])", X, "return np.stack([x * i for i in (1, 2)])"),
    "with a type": ("return np.array([x, x], dtype=float)", X, "return np.stack([x, x])"),
    "with another type": ("return np.array([x, x], np.float32)", X, "return np.stack([x, x]).astype(np.float32)"),
    "the value itself": ("y = np.asarray(x)\nreturn y * y", V, "y = x"),
    "another type of it": ("return np.asarray(x, dtype=np.float32)", V, "return x.astype(np.float32)"),
    "np.float64": ("return np.float64(x) * 2", X, "return x * 2"),
    "np.float32": ("return np.float32(x)", X, "return x.astype(np.float32)"),
    "np.full": ("return np.full((2, 3), x)", X, "return np.broadcast_to(x, (2, 3))"),
    "a list as operand": ("return np.sum([x, x])", X, "return np.sum(np.stack([x, x]))"),
    "one list of two": ("return np.dot([1.0, -2.0], [x, x])", X, "return np.dot([1.0, -2.0], np.stack([x, x]))"),
    "a list in a product": ("return np.ones(2) * [x, 1.0]", X, "return np.ones(2) * np.stack([x, 1.0])"),
    "a method": ("return np.ones(3).dot(x)", V, "return np.dot(np.ones(3), x)"),
    "letters of two bytes": ("ω = x\nreturn np.array([ω, 'ω' and ω])", X, "return np.stack([ω, 'ω' and ω])"),
    "several lines": ("return np.array(\n    [x,\n     x])", X, "np.stack([x, x])"),
    "another name for NumPy": ("return numpy.array([x, x])", X, "return numpy.stack([x, x])"),
}


@pytest.mark.parametrize("way", ["reverse", "forward"])
@pytest.mark.parametrize("body,x,new", [pytest.param(*given, id=name) for name, given in LINES.items()])
def test_the_line_is_shown_rewritten_and_then_works(body: str, x: Any, new: str, way: str) -> None:
    names = {"numpy": np, "np": None} if "numpy." in body else {}
    message = message_of(define(body, **names), x, way)
    assert f"\nwrite\n    {new}\n" in message
    old = message.partition("In place of\n    ")[2].partition("\nwrite\n")[0]
    mended = define(body.replace(old, new) if old in body else f"return {new}", **names)
    plain = define(body, **names)
    np.testing.assert_allclose(mended(x), plain(x), rtol=1e-6)
    value, tangent = jvp(mended, (x,), (np.ones_like(x),))
    h = 1e-6
    np.testing.assert_allclose(value, plain(x), rtol=1e-6)
    if np.asarray(value).dtype == np.float64:
        np.testing.assert_allclose(tangent, (plain(x + h) - plain(x - h)) / (2 * h), rtol=1e-6, atol=1e-9)
    assert np.shape(grad(lambda x: np.sum(mended(x)))(x)) == np.shape(x)


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


def test_the_message_names_who_asks() -> None:
    assert message_of(define("return np.full(3, x)"), X, "reverse").startswith(
        "np.full asks for the bare numbers of Var"
    )
    assert message_of(define("return np.ones(3).dot(x)"), V, "reverse").startswith("NumPy asks")


ROWS = {
    "np.i0": (np.i0, "g * (np.i0(x + 1e-6) - np.i0(x - 1e-6)) / 2e-6", X),
    "np.linalg.matrix_norm": (np.linalg.matrix_norm, "g * x / y", np.array([[1.0, 0.5], [-0.3, 2.0]])),
    "np.spacing": (np.spacing, "0.0 * x", X),  # a function of each entry, flat between powers of two
}


@pytest.mark.parametrize("name", ROWS)
def test_the_row_that_the_message_proposes_works(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    function, rule, x = ROWS[name]
    lines = message_of(function, x, "reverse").split("\n")[1:]
    monkeypatch.setitem(TABLE, function, None)  # so that the row is taken out again
    exec("\n".join(lines).replace("    ", "").replace("...", rule), {"np": np})
    steps = [np.reshape(h, np.shape(x)) for h in 1e-4 * np.eye(np.size(x))]
    expected = [(function(x + h) - function(x - h)) / 2e-4 for h in steps]
    np.testing.assert_allclose(np.ravel(grad(function)(x)), np.ravel(expected), rtol=1e-6, atol=1e-12)


def test_a_function_of_scipy_is_called_by_its_own_name() -> None:
    special = pytest.importorskip("scipy.special")
    lost = message_of(define("return special.logsumexp(x, axis=0)", special=special), V, "reverse")
    assert lost.startswith("scipy.special.logsumexp asks for the bare numbers")
    assert "\nwrite\n    return np.logaddexp.reduce(x, axis=0)\n" in lost
    kept = message_of(define("return special.logsumexp(x, axis=0, keepdims=True)", special=special), V, "reverse")
    assert "np.logaddexp.reduce(x, axis=0, keepdims=True)" in kept
    whole = message_of(define("return logsumexp(x)", logsumexp=special.logsumexp), V, "forward")
    assert "\nwrite\n    return np.logaddexp.reduce(x, axis=None)\n" in whole
    np.testing.assert_allclose(np.logaddexp.reduce(V, axis=None), special.logsumexp(V))
    assert "In place of" not in message_of(define("return special.softmax(x)", special=special), V, "reverse")
    missing = message_of(define("return special.j0(x)", special=special), V, "reverse")
    assert missing.startswith("scipy.special.j0 has no derivative rule")
    assert "\n    elementwise(scipy.special.j0, lambda y, x: ...)" in missing
