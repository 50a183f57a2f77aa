"""vmap: for every row of the table against a loop over the examples, nested with derivatives, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_lab as ad
from autodiff_lab.engine.dispatch import TABLE
from autodiff_lab.transforms import pytree

from ..about import about
from .samples import CALLS, ELEMENTWISE, FLAT, callable_of, title

XS = np.sin(np.arange(12.0)).reshape(4, 3)
W = np.arange(6.0).reshape(2, 3) / 4

REFUSING = {"getitem", "piecewise"}
"""Functions made of an index, or of pieces, that differ from example to example."""


def loop(f: Any, *batches: Any) -> Any:
    """What vmap says it does: one example after the other, and the results stacked."""
    results = [
        f(*(pytree.map_leaves(lambda x, b=b: x[b], each) for each in batches))
        for b in range(len_of(batches))
    ]
    leaves = zip(*map(pytree.flatten, results), strict=True)
    return pytree.unflatten(results[0], [np.stack(each) for each in leaves])


def len_of(batches: Any) -> int:
    return len(pytree.flatten(batches)[0])


def assert_same(found: Any, expected: Any) -> None:
    for a, b in zip(pytree.flatten(found), pytree.flatten(expected), strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


def batch_of(x: Any) -> np.ndarray:
    """Three examples like the sample, near it."""
    return np.stack([np.asarray(x) * factor for factor in (1.0, 0.99, 0.97)])


# Every row


@pytest.mark.parametrize("key", [key for key, calls in CALLS.items() if calls], ids=title)
def test_every_call_is_its_loop(key: Any) -> None:
    for number, call in enumerate(CALLS[key]):
        if any(isinstance(leaf, (bool, np.bool_)) for leaf in pytree.flatten(call.args)):
            continue  # a truth value is no example
        with about(f"{title(key)}-{number}"):
            batches = [pytree.map_leaves(batch_of, x) for x in call.args]
            try:
                found = ad.vmap(call.f)(*batches)
            except ad.AutodiffError as refused:
                assert any(
                    word in str(refused)
                    for word in ("np.where", "in a loop", "comes out differently")
                )
                assert title(key) in REFUSING, refused
            else:
                assert_same(found, loop(call.f, *batches))


WHOLE = {np.iscomplexobj, np.isrealobj}
"""Questions about an array as a whole, with one answer."""


@pytest.mark.parametrize("key", [key for key in ELEMENTWISE | FLAT if key not in WHOLE], ids=title)
def test_every_entry_by_entry_row_lines_up_its_axes(key: Any) -> None:
    f, args = callable_of(key), (ELEMENTWISE | FLAT)[key]
    whole = [np.resize(np.asarray(x), (4, 2, 3)) for x in args]
    if len(args) == 1:
        assert_same(ad.vmap(f)(*whole), loop(f, *whole))
    else:
        # an example has shape (2, 3), its other operand (3,)
        shorter = [whole[0], whole[1][:, 0], *whole[2:]]
        assert_same(ad.vmap(f)(*shorter), loop(f, *shorter))
        shared = ad.vmap(lambda x: f(x, *(x[0, 0] for x in whole[1:])))(whole[0])
        assert_same(shared, loop(lambda x: f(x, *(x[0, 0] for x in whole[1:])), whole[0]))


@pytest.mark.parametrize(
    "key", [key for key, op in TABLE.items() if op.batched is not None], ids=title
)
def test_a_row_with_a_batching_rule_runs_once(key: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not once for each example: the loop is not reached by the first sample of the row."""
    from autodiff_lab.transforms import vmap as module

    public = {
        "concatenate": np.concatenate,
        "einsum": np.einsum,
        "unless": np.where,
        "norm": np.linalg.norm,
    }
    key = {**public, "logsumexp": "logaddexp.reduce"}.get(key, key)

    def refuse(*args: Any) -> Any:
        raise AssertionError("looped")

    monkeypatch.setattr(module.Batch, "_run_each", refuse)
    call = next(
        call
        for call in CALLS[key]
        if not any(isinstance(x, bool) for x in pytree.flatten(call.args))
    )
    ad.vmap(call.f)(*(pytree.map_leaves(batch_of, x) for x in call.args))


@pytest.mark.parametrize("left, right", [(0, 0), (0, None), (None, 0), (1, 0), (-1, None)])
@pytest.mark.parametrize(
    "a, b",
    [
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((3,), (3, 2)),
        ((2, 3), (3, 4)),
        ((5, 2, 3), (3, 4)),
        ((3,), (5, 3, 2)),
    ],
)
def test_products_of_any_ranks(a: Any, b: Any, left: Any, right: Any) -> None:
    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=s if k is None else (4, *s)) for s, k in ((a, left), (b, right)))
    expected = [(x if left is None else x[i]) @ (y if right is None else y[i]) for i in range(4)]
    given = x if left is None else np.moveaxis(x, 0, left)
    found = ad.vmap(lambda p, q: p @ q, in_axes=(left, right))(given, y)
    np.testing.assert_allclose(found, np.stack(expected))


# With derivatives


def net(w: Any, x: Any) -> Any:
    return np.sum(np.tanh(w @ x) ** 2) / np.max(np.exp(x))


DERIVATIVES = {
    "grad": lambda x: ad.grad(lambda x: net(W, x))(x),
    "value_and_grad": lambda x: ad.value_and_grad(lambda x: net(W, x))(x),
    "jvp": lambda x: ad.jvp(lambda x: net(W, x), (x,), (x,)),
    "jacrev": lambda x: ad.jacrev(lambda x: np.tanh(W @ x))(x),
    "jacfwd": lambda x: ad.jacfwd(lambda x: np.tanh(W @ x))(x),
    "hessian": lambda x: ad.hessian(lambda x: net(W, x))(x),
    "grad of grad": lambda x: ad.grad(lambda x: np.sum(ad.grad(lambda x: net(W, x))(x) ** 2))(x),
    "prod": lambda x: ad.grad(np.prod)(x),
    "elementwise_grad": lambda x: ad.elementwise_grad(np.tanh)(x),
    "shapes": lambda x: ad.grad(lambda x: np.sum((np.zeros_like(x, dtype=int) + len(x)) * x))(x),
    "vmap": lambda x: ad.vmap(lambda t: np.sin(t) * x)(x),
    "checkpoint": lambda x: ad.grad(ad.checkpoint(lambda x: net(W, x)))(x),
    "custom": lambda x: ad.grad(
        ad.custom_gradient(partials=(lambda y, x: 7 * x,))(lambda x: x * 1.0)
    )(x[0]),
    "solve": lambda x: ad.grad(
        lambda x: np.sum(np.linalg.solve(np.eye(3) * 4 + np.outer(x, x), x))
    )(x),
}


@pytest.mark.parametrize("f", DERIVATIVES.values(), ids=DERIVATIVES)
def test_a_derivative_inside(f: Any) -> None:
    assert_same(ad.vmap(f)(XS), loop(f, XS))


@pytest.mark.parametrize(
    "outer", [ad.grad, ad.jacfwd, ad.hessian], ids=["grad", "jacfwd", "hessian"]
)
def test_a_derivative_outside(outer: Any) -> None:
    batched = outer(lambda xs: np.sum(ad.vmap(lambda x: net(W, x))(xs) ** 2))(XS)
    looped = outer(lambda xs: np.sum(np.stack([net(W, x) for x in xs]) ** 2))(XS)
    np.testing.assert_allclose(batched, looped, rtol=1e-10)


def test_a_custom_rule_is_kept_outside_too() -> None:
    seven = ad.custom_gradient(partials=(lambda y, x: 7 * x,))(lambda x: x * 1.0)
    np.testing.assert_allclose(ad.grad(lambda xs: np.sum(ad.vmap(seven)(xs)))(XS[0]), 7 * XS[0])


def test_jacrev_is_vmap_of_vjp_and_jacfwd_of_the_pushforward() -> None:
    def f(x: Any) -> Any:
        return np.tanh(W @ x)

    _, pull = ad.vjp(f, XS[0])
    _, push = ad.linearize(f, XS[0])
    np.testing.assert_allclose(ad.vmap(lambda w: pull(w)[0])(np.eye(2)), ad.jacrev(f)(XS[0]))
    np.testing.assert_allclose(ad.vmap(push)(np.eye(3)).T, ad.jacfwd(f)(XS[0]))


@pytest.mark.parametrize("derivative", [ad.grad, ad.hessian, ad.jacfwd, ad.jacrev])
def test_single_precision_stays(derivative: Any) -> None:
    found = ad.vmap(derivative(lambda x: np.sum(np.sin(x) ** 3)))(XS.astype(np.float32))
    assert found.dtype == np.float32


def test_gradients_for_each_example() -> None:
    def loss(p: Any, x: Any, wanted: Any) -> Any:
        return np.sum((p["w"] @ x + p["b"] - wanted) ** 2)

    p, wanted = {"w": W, "b": np.ones(2)}, XS[:, :2]
    found = ad.vmap(ad.grad(loss), in_axes=(None, 0, 0))(p, XS, wanted)
    assert found["w"].shape == (4, 2, 3) and found["b"].shape == (4, 2)
    assert_same(found, loop(lambda x, t: ad.grad(loss)(p, x, t), XS, wanted))


# What jax.vmap means by its arguments


def test_axes_and_pytrees() -> None:
    f = lambda p, t: {"sum": p["a"] + p["b"][0], "same": 1.0, "t": t}  # noqa: E731
    p = {"a": XS, "b": (XS[:, 0],)}
    found = ad.vmap(f, in_axes=(0, None))(p, 2.0)
    np.testing.assert_allclose(found["sum"], XS + XS[:, :1])
    assert found["same"].tolist() == [1.0] * 4 and found["t"].tolist() == [2.0] * 4
    np.testing.assert_allclose(ad.vmap(np.sum, in_axes=1)(XS), XS.sum(0))
    np.testing.assert_allclose(ad.vmap(lambda x, *, k: k * x)(XS, k=2.0), 2 * XS)
    outer = ad.vmap(ad.vmap(lambda a, b: a * b, in_axes=(None, 0)), in_axes=(0, None))(XS[0], XS[1])
    np.testing.assert_allclose(outer, np.outer(XS[0], XS[1]))


def test_the_function_runs_once_and_sees_one_example() -> None:
    seen = []
    ad.vmap(lambda x: seen.append(x.shape) or x)(XS)
    assert seen == [(3,)]


def test_integers_stay_and_choose() -> None:
    classes = np.array([0, 2, 1, 0])
    found = ad.vmap(lambda x, k: np.sum(np.where(np.arange(3) == k, x, 0.0)))(XS, classes)
    np.testing.assert_allclose(found, XS[np.arange(4), classes])


def test_a_result_is_the_callers_own() -> None:
    xs = XS.copy()
    found = ad.vmap(lambda x: x)(xs)
    found[:] = 0.0
    assert (xs == XS).all()
    ad.vmap(lambda x: 1.0)(xs)[0] = 5.0


# Branches


def test_an_if_on_which_all_agree_is_taken() -> None:
    f = lambda x: x * x if x > 0 else -x  # noqa: E731
    np.testing.assert_allclose(ad.vmap(f)(np.array([1.0, 2.0])), [1.0, 4.0])
    with pytest.raises(ad.AutodiffError, match=r"comes out differently.*np\.where"):
        ad.vmap(f)(np.array([1.0, -2.0]))


# What is refused


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: ad.vmap(np.add)(XS, XS[:3]), "x1 has 4, x2 has 3|x1.* has 4.* has 3"),
        (lambda: ad.vmap(np.sin)(np.zeros((0, 3))), "at least one"),
        (lambda: ad.vmap(np.sin, in_axes=0.5)(XS), "in_axes is 0.5"),
        (lambda: ad.vmap(np.sin, in_axes="0")(XS), "in_axes is '0'"),
        (lambda: ad.vmap(np.sin, in_axes=(0, 0))(XS), "in_axes has 2 entries.*1 positional"),
        (lambda: ad.vmap(np.sin, in_axes=None)(XS), "no axis to map over"),
        (lambda: ad.vmap(np.sin, in_axes=2)(XS), r"axis 2 of .* shape \(4, 3\)"),
        (lambda: ad.vmap(lambda x: x)(2.0), r"axis 0 of x.* shape \(\)"),
        (lambda: ad.vmap(lambda x: None)(XS), "returned None"),
        (lambda: ad.vmap(lambda x: np.nonzero(x))(XS), "nonzero has no batching rule.*np.where"),
        (
            lambda: ad.vmap(lambda x: x[np.argmax(x)])(XS),
            "differs from example to example.*np.where",
        ),
        (lambda: ad.vmap(lambda x: x[x > 0])(XS), "differs from example to example"),
        (lambda: ad.vmap(lambda x: np.arange(3.0)[np.argmax(x)])(XS), "same for all examples"),
        (lambda: ad.vmap(lambda x: np.asarray(x))(XS), "in a loop"),
        (lambda: ad.vmap(lambda x: float(x))(XS[0]), "same for all examples"),
    ],
)
def test_what_is_refused_says_what_to_write(call: Any, says: str) -> None:
    with pytest.raises(ad.AutodiffError, match=says):
        call()


def test_an_escaped_value_is_refused() -> None:
    kept: list[Any] = []
    ad.vmap(lambda x: kept.append(x) or x)(XS)
    with pytest.raises(ad.AutodiffError, match="has already ended"):
        np.sin(kept[0])


def test_what_looks_at_a_run_sees_the_batch_as_one() -> None:
    """A tape, a compiled program, and the gradient check around a mapped function."""

    def total(xs: Any) -> Any:
        return np.sum(ad.vmap(lambda x: net(W, x))(xs))

    _, tape = ad.record(total, XS)
    assert len(tape) == len(ad.record(total, XS[:2])[1]), (
        "as many lines for two examples as for four"
    )
    ad.check_grads(total, (XS,), order=2)
    np.testing.assert_allclose(ad.program(total, XS)(XS)[1], ad.grad(total)(XS))


def test_pausing_a_derivative_does_not_pause_the_batch() -> None:
    def f(x: Any) -> Any:
        with ad.no_recording():
            return np.sum(x)

    np.testing.assert_allclose(ad.vmap(f)(XS), XS.sum(1))


# Masks, sorting, matrix functions

MASKS: dict[str, Any] = {
    "and": lambda x: (x > -0.5) & (x < 0.5),
    "or": lambda x: (x < -0.5) | (x > 0.5),
    "xor": lambda x: (x < 0.5) ^ (x > -0.5),
    "not": lambda x: ~(x > 0),
    "with a plain mask": lambda x: (x > 0) & np.array([True, False, True]),
    "a plain mask in front": lambda x: np.array([True, False, True]) | (x > 0),
    "a plain yes": lambda x: True & (x > 0),
    "by name": lambda x: np.bitwise_and(x > 0, ~np.bitwise_or(x > 0.5, x < -0.5)),
    "by another name": lambda x: np.logical_and(x > 0, np.logical_not(x > 0.5)),
}


@pytest.mark.parametrize("name", list(MASKS))
def test_masks_are_combined(name: str) -> None:
    def f(x: Any) -> Any:
        mask = MASKS[name](x)
        mask &= x != 0.25
        return np.where(mask, x * x, 3.0 * x)

    assert_same(ad.vmap(f)(XS), loop(f, XS))
    slopes = ad.grad(lambda x: np.sum(f(x)))
    assert_same(ad.vmap(slopes)(XS), loop(slopes, XS))
    assert_same(ad.grad(lambda xs: np.sum(ad.vmap(f)(xs)))(XS), np.stack([slopes(x) for x in XS]))


ROWS_WITH_TIES = np.array([[3.0, 1.0, 2.0], [1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [-1.0, 5.0, -1.0]])

ORDERED: dict[str, Any] = {
    "sort": lambda x: np.sort(x) * np.array([1.0, 10.0, 100.0]),
    "sort, downward": lambda x: -(np.sort(-x) ** 2),
    "sort along axis 0": lambda x: np.sort(np.outer(x, x), axis=0) * np.array([1.0, 2.0, 3.0]),
    "sort of all": lambda x: np.sort(np.outer(x, x), axis=None) * np.arange(9.0),
    "median": lambda x: np.median(x) ** 2,
    "median along an axis": lambda x: np.median(np.outer(x, x), axis=0, keepdims=True) * x,
    "what argsort picks": lambda x: np.take_along_axis(x * x, np.argsort(x), 0),
    "from a table": lambda x: np.take_along_axis(np.array([7.0, 8.0, 9.0]), np.argsort(x), 0) * x,
    "interp": lambda x: np.interp(x, [0.0, 1.0, 2.0], [0.0, 3.0, 4.0]),
    "interp of one point": lambda x: np.interp(x, [1.0], [3.0]) * x,
}


@pytest.mark.parametrize("name", list(ORDERED))
@pytest.mark.parametrize("rows", [XS, ROWS_WITH_TIES], ids=["distinct", "ties"])
def test_what_is_picked_may_differ_from_example_to_example(name: str, rows: Any) -> None:
    f = ORDERED[name]
    total = lambda x: np.sum(np.sin(f(x)))  # noqa: E731
    along = lambda x: ad.jvp(total, (x,), (np.cos(x),))[1]  # noqa: E731
    for g in (
        f,
        ad.grad(total),
        along,
        ad.jacfwd(f),
        ad.jacrev(f),
        ad.hessian(total),
        ad.jacrev(ad.grad(total)),
    ):
        assert_same(ad.vmap(g)(rows), loop(g, rows))
    expected = np.stack([ad.grad(total)(x) for x in rows])
    assert_same(ad.grad(lambda rows: np.sum(ad.vmap(total)(rows)))(rows), expected)


NEARLY = np.array([[2.0, 0.5], [0.5, 3.0]])
LOWER = np.array([[0.0, 0.0], [1.0, 0.0]])
MATRICES: dict[str, Any] = {
    "cholesky": (lambda a: np.sum(np.linalg.cholesky(a)), [NEARLY, NEARLY + 1e-9 * LOWER]),
    "eigvalsh": (
        lambda a: np.sum(np.linalg.eigvalsh(a) ** 2),
        [NEARLY, NEARLY + 0.3 * LOWER, 2 * np.eye(2)],
    ),
    "eigh": (lambda a: np.linalg.eigh(a)[1][0, 0] ** 2, [NEARLY, NEARLY + 0.3 * LOWER]),
    "det": (np.linalg.det, [NEARLY, np.ones((2, 2)), np.zeros((2, 2)), np.diag([1e-12, 1.0])]),
    "slogdet": (lambda a: np.linalg.slogdet(a)[1], [NEARLY, -np.eye(2)]),
    "svdvals": (
        lambda a: np.sum(np.linalg.svdvals(a) ** 3),
        [NEARLY, np.ones((2, 2)), np.eye(2), np.zeros((2, 2))],
    ),
    "norm": (lambda a: np.linalg.norm(a), [NEARLY, np.zeros((2, 2))]),
    "std": (lambda a: np.std(a), [NEARLY, np.ones((2, 2))]),
    "prod": (np.prod, [NEARLY, np.eye(2), np.zeros((2, 2))]),
    "lstsq": (lambda a: np.sum(np.linalg.lstsq(a, np.ones(2))[0] ** 2), [NEARLY, np.eye(2)]),
}


@pytest.mark.parametrize("name", list(MATRICES))
def test_matrices_of_different_kinds_in_one_batch(name: str) -> None:
    f, examples = MATRICES[name]
    batch = np.stack([np.asarray(a) for a in examples])
    for g in (f, ad.grad(f), ad.jacfwd(f), ad.hessian(f)):
        assert_same(ad.vmap(g)(batch), loop(g, batch))


def test_a_stack_of_matrices_has_the_derivatives_of_each() -> None:
    """Also where one is symmetric and another is not."""
    for name in ("cholesky", "eigvalsh"):
        f, examples = MATRICES[name]
        batch = np.stack([np.asarray(a) for a in examples])
        one = {"cholesky": np.linalg.cholesky, "eigvalsh": lambda a: np.linalg.eigvalsh(a) ** 2}[
            name
        ]
        np.testing.assert_allclose(
            ad.grad(lambda a, one=one: np.sum(one(a)))(batch), [ad.grad(f)(a) for a in batch]
        )


def test_keywords() -> None:
    """As in JAX: mapped over their first axis. What is no array is an option."""

    def f(x: Any, *, scale: Any = 1.0, power: int = 1, p: Any = None, mode: str = "") -> Any:
        return scale * x**power + (0.0 if p is None else p["w"] @ p["v"][0])

    scales = np.array([1.0, 2.0, 3.0, 4.0])
    assert_same(ad.vmap(f)(XS, scale=scales), scales[:, None] * XS)
    assert_same(ad.vmap(f)(XS, scale=2.0, power=3, mode="same"), 2.0 * XS**3)
    assert_same(ad.vmap(f, in_axes=None)(XS[0], scale=scales), scales[:, None] * XS[0])
    pytrees = {"w": XS, "v": [XS + 1.0]}
    assert_same(ad.vmap(f)(XS, p=pytrees), XS + np.sum(XS * (XS + 1.0), axis=1)[:, None])
    slopes = ad.vmap(ad.grad(lambda x, weight: np.sum(weight * x * x)))(XS, weight=scales)
    assert_same(slopes, 2.0 * scales[:, None] * XS)
    through = ad.grad(lambda s: np.sum(ad.vmap(f)(XS, scale=s)))(scales)
    assert_same(through, np.sum(XS, axis=1))
    assert_same(ad.vmap(np.sum)(np.ones((4, 2, 3)), axis=0), np.full((4, 3), 2.0))
    with pytest.raises(ad.AutodiffError, match=r"x has 4, scale has 3.*partial\(f, scale=…\)"):
        ad.vmap(f)(XS, scale=np.ones(3))
    from functools import partial

    assert_same(ad.vmap(partial(f, scale=np.array([1.0, 2.0, 3.0])))(XS), XS * [1.0, 2.0, 3.0])
