"""Published and independently computed values: cases, edge cases, nested cases, higher order. All of them run.

``tests/data/reference_cases.json`` says how the numbers were computed.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autodiff_lab import grad, hessian, jacfwd, jacrev, jvp, record, vjp

DATA = json.loads((Path(__file__).parents[1] / "data" / "reference_cases.json").read_text())
CASES = {case["name"]: case for case in DATA["cases"]}
EDGES = {case["name"]: case for case in DATA["edge_cases"]}
EXACT = {"rtol": 1e-12, "atol": 1e-14}


def program(case: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
    """The case as a function of its inputs, and the inputs."""
    namespace: dict[str, Any] = {"np": np}
    exec(case.get("python_setup") or "", namespace)
    f = eval(f"lambda {', '.join(case['inputs'])}: {case['python_expr']}", namespace)
    return f, tuple(np.array(x) if isinstance(x, list) else x for x in case["inputs"].values())


def number(x: Any) -> Any:
    """The reference's numbers: non-finite ones are written as strings."""
    return np.array(x, dtype=float)


def test_the_whole_file_is_here() -> None:
    assert len(CASES) == 71
    assert len(EDGES) == len(DATA["edge_cases"]) > 20
    assert set(POLICY) <= set(EDGES)


@pytest.mark.parametrize("name", list(CASES))
def test_value(name: str) -> None:
    case = CASES[name]
    f, args = program(case)
    for value in (record(f, *args)[0], jvp(f, args, args)[0]):
        np.testing.assert_allclose(value, number(case["value"]), **EXACT)


@pytest.mark.parametrize("name", list(CASES))
def test_gradient_in_reverse(name: str) -> None:
    case = CASES[name]
    f, args = program(case)
    y, pullback = vjp(f, *args)
    rows = [pullback(basis[()]) for basis in np.eye(np.size(y)).reshape(-1, *np.shape(y))]
    for k, expected in enumerate(case["gradient"].values()):
        got = np.reshape([row[k] for row in rows], (*np.shape(y), *np.shape(args[k])))
        np.testing.assert_allclose(got, number(expected), **EXACT)
    if np.shape(y) == ():
        for got, expected in zip(
            grad(f, tuple(range(len(args))))(*args), case["gradient"].values(), strict=True
        ):
            np.testing.assert_allclose(got, number(expected), **EXACT)


@pytest.mark.parametrize("name", list(CASES))
def test_gradient_forward(name: str) -> None:
    case = CASES[name]
    f, args = program(case)
    for k, expected in enumerate(case["gradient"].values()):
        expected = number(expected)
        n = np.ndim(args[k])
        for i in np.ndindex(np.shape(args[k])):
            tangents = [np.zeros(np.shape(a)) for a in args]
            tangents[k][i] = 1.0
            column = jvp(f, args, [t[()] for t in tangents])[1]
            np.testing.assert_allclose(column, expected[(..., *i)] if n else expected, **EXACT)


@pytest.mark.parametrize("name", list(CASES))
def test_whole_jacobians(name: str) -> None:
    case = CASES[name]
    f, args = program(case)
    which = tuple(range(len(args)))
    for transform in (jacfwd, jacrev):
        for got, expected in zip(
            transform(f, which)(*args), case["gradient"].values(), strict=True
        ):
            np.testing.assert_allclose(got, number(expected), **EXACT)
            assert np.shape(got) == np.shape(number(expected))


def flattened(f: Any, args: tuple[Any, ...]) -> tuple[Any, np.ndarray]:
    """The same function of one vector that holds all inputs."""
    ends = np.cumsum([np.size(a) for a in args])

    def g(z: Any) -> Any:
        return f(
            *[
                np.reshape(z[e - np.size(a) : e], np.shape(a))
                for a, e in zip(args, ends, strict=True)
            ]
        )

    return g, np.concatenate([np.ravel(a) for a in args]).astype(float)


def weighted(g: Any, c: Any) -> Any:
    return lambda z: np.sum(g(z) * c)


NESTINGS = {
    "reverse over reverse": lambda h, z, v: vjp(lambda z: grad(h)(z), z)[1](v)[0],
    "forward over reverse": lambda h, z, v: jvp(grad(h), (z,), (v,))[1],
    "reverse over forward": lambda h, z, v: grad(lambda z: jvp(h, (z,), (v,))[1])(z),
}


@pytest.mark.parametrize("nesting", list(NESTINGS))
@pytest.mark.parametrize("name", [name for name in CASES if "hessian" in CASES[name]])
def test_hessian(name: str, nesting: str) -> None:
    case = CASES[name]
    f, args = program(case)
    g, z = flattened(f, args)
    shape = np.shape(f(*args))
    expected = number(case["hessian"])
    for c in np.eye(int(np.prod(shape))).reshape(-1, *shape):
        hvp = NESTINGS[nesting]
        columns = [hvp(weighted(g, c[()]), z, v) for v in np.eye(len(z))]
        wanted = expected if shape == () else expected[np.nonzero(c)][0]
        np.testing.assert_allclose(np.array(columns).T, wanted, **EXACT)


@pytest.mark.parametrize("name", [name for name in CASES if "hessian" in CASES[name]])
def test_whole_hessian(name: str) -> None:
    case = CASES[name]
    f, args = program(case)
    g, z = flattened(f, args)
    if np.shape(f(*args)) == ():
        np.testing.assert_allclose(hessian(g)(z), number(case["hessian"]), **EXACT)
    np.testing.assert_allclose(jacfwd(jacrev(g))(z), number(case["hessian"]), **EXACT)


# At the edges: what the policy of the table says, where the references recommend something

POLICY = {
    # Where the policy of this table, or the arithmetic of the program as it is written, differs from the
    # recommendation: why, and what comes out instead.
    "edge_relu_max_0": ("maximum splits a tie evenly; a relu of its own has 0", 0.5),
    "edge_zero_function_bolte_pauwels": (
        "each of the two kinks takes 0, and the line between them remains",
        1.0,
    ),
    "edge_where_log_0": (
        "0 · ∞ in the branch not taken, in reverse only; write where inside the log",
        np.nan,
    ),
    "edge_sigmoid_naive_m800": (
        "∞ · 0 after exp has overflowed: the stable form has a derivative",
        np.nan,
    ),
}


@pytest.mark.parametrize("mode", ["reverse", "forward"])
@pytest.mark.parametrize("name", list(EDGES))
def test_edge(name: str, mode: str) -> None:
    case = EDGES[name]
    f, args = program(case)
    with np.errstate(all="ignore"):
        y, pullback = vjp(f, *args)
        np.testing.assert_allclose(y, number(case["value_numpy"]), **EXACT)
        if case["recommended"] is None:
            return
        if mode == "reverse":
            got = pullback(1.0)
        else:
            got = [
                np.reshape(
                    [jvp(f, args, [*zero[:k], e[()], *zero[k + 1 :]])[1] for e in _basis(a)],
                    np.shape(a),
                )
                for zero in [[np.zeros(np.shape(a))[()] for a in args]]
                for k, a in enumerate(args)
            ]
    # where drops the branch together with its ∞
    forward_where = (name, mode) == ("edge_where_log_0", "forward")
    wanted = POLICY[name][1] if name in POLICY and not forward_where else case["recommended"]
    wanted = list(wanted.values()) if isinstance(wanted, dict) else [wanted]
    for g, w in zip(got, wanted, strict=True):
        np.testing.assert_allclose(g, np.broadcast_to(number(w), np.shape(g)), **EXACT)


def _basis(a: Any) -> np.ndarray:
    return np.eye(np.size(a)).reshape(-1, *np.shape(a))


def test_edges_without_a_recommendation_follow_the_references() -> None:
    with np.errstate(all="ignore"):
        x, y = vjp(lambda x, y: x**y, -2.0, 3.0)[1](1.0)
        assert x == 12.0
        assert np.isnan(y)
        assert grad(lambda x: np.log(x))(0.0) == np.inf
    assert 0.0 <= grad(lambda x: np.maximum(-x, 0.0) + x)(0.0) <= 1.0
    assert 0.0 <= grad(np.tanh)(20.0) <= 1.7e-17


# Nested, and again and again

MODES = {
    "grad": lambda f, x: grad(f)(x),
    "vjp": lambda f, x: vjp(f, x)[1](1.0)[0],
    "jvp": lambda f, x: jvp(f, (x,), (1.0,))[1],
}


@pytest.mark.parametrize("case", DATA["nested_cases"], ids=lambda case: case["name"])
@pytest.mark.parametrize("mode", list(MODES))
def test_nested(case: dict[str, Any], mode: str) -> None:
    got = eval(case["python_expr"], {"np": np, "D": MODES[mode]})
    np.testing.assert_allclose(got, case["value"], **EXACT)


HIGHER = {
    "tanh_0.5": (np.tanh, 0.5),
    "x_to_x_1.5": (lambda x: x**x, 1.5),
    "exp_sin_0.7": (lambda x: np.exp(np.sin(x)), 0.7),
    "x_cubed_3": (lambda x: x**3, 3.0),
    "log_2": (np.log, 2.0),
}


@pytest.mark.parametrize(
    "modes", [("grad",), ("jvp",), ("grad", "jvp"), ("jvp", "vjp")], ids="-".join
)
@pytest.mark.parametrize("name", list(DATA["higher_order"]))
def test_higher_order(name: str, modes: tuple[str, ...]) -> None:
    f, x = HIGHER[name]
    expected = DATA["higher_order"][name][:6]  # beyond, nested tapes grow too long for a test
    for order, value in enumerate(expected):
        np.testing.assert_allclose(f(x), value, rtol=1e-10, atol=1e-12, err_msg=f"order {order}")
        f = partial(MODES[modes[order % len(modes)]], f)


def test_the_seed_trace_line_by_line() -> None:
    """Baydin et al., tables 2 and 3: every value, tangent and adjoint on the way."""
    trace = DATA["seed_traces"]["seed0"]

    def f(x1: Any, x2: Any) -> Any:
        return np.log(x1) + x1 * x2 - np.sin(x2)

    _, tape = record(f, 2.0, 5.0)
    assert [tape.name(i) for i in range(len(tape))] == ["v-1", "v0", "v1", "v2", "v3", "v4", "v5"]
    np.testing.assert_array_equal(tape.values, list(trace["primal"].values()))
    adjoints: list[Any] = [None] * len(tape)
    seen = {}
    for i in tape.sweep(tape.output, 1.0, adjoints):
        seen[tape.name(i)] = list(adjoints)
    reverse = trace["reverse"]
    final = {tape.name(i): a for i, a in enumerate(adjoints)}
    for name in ("v5", "v4", "v3", "v1", "v2", "v0"):
        assert final[name] == pytest.approx(reverse[name], rel=1e-15)
    assert final["v-1"] == pytest.approx(reverse["vm1"], rel=1e-15)
    assert seen["v4"][1] == pytest.approx(reverse["v0_after_v4"], rel=1e-15)
    assert seen["v2"][0] == pytest.approx(reverse["vm1_after_v2"], rel=1e-15)
    assert seen["v4"][0] is None, "no adjoint yet is None, not 0"
