"""Subclasses of NumPy's array: masked arrays, np.matrix and unknown ones are refused wherever they come in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autodiff_lab import (
    Dual,
    grad,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    record,
    value_and_grad,
    vjp,
    vmap,
)
from autodiff_lab.engine.errors import InputError

SQUARE = np.array([[1.0, 2.0], [3.0, 4.0]])


class Logged(np.ndarray):
    """A subclass that nobody knows."""


KINDS: dict[str, tuple[Any, str]] = {
    "masked": (
        np.ma.array(SQUARE, mask=[[False, True], [False, False]]),
        r"masked array.*x\.filled\(0\.0\).*np\.where",
    ),
    "matrix": (np.asmatrix(SQUARE), r"np\.matrix.*np\.asarray\(M\), and @"),
    "unknown": (SQUARE.view(Logged), r"class Logged.*np\.asarray\(x\)"),
}

USES: dict[str, Any] = {
    "x * c": lambda x, c: x * c,
    "c * x": lambda x, c: c * x,
    "x + c": lambda x, c: x + c,
    "c - x": lambda x, c: c - x,
    "c / x": lambda x, c: c / x,
    "x @ c": lambda x, c: x @ c,
    "c @ x": lambda x, c: c @ x,
    "x ** c": lambda x, c: x**c,
    "x % c": lambda x, c: x % c,
    "np.multiply(c, x)": lambda x, c: np.multiply(c, x),
    "np.hypot(x, c)": lambda x, c: np.hypot(x, c),
    "np.arctan2(c, x)": lambda x, c: np.arctan2(c, x),
    "np.multiply.outer(x, c)": lambda x, c: np.multiply.outer(x, c),
    "x > c": lambda x, c: np.where(x > c, x, 0.0),
    "c > x": lambda x, c: np.where(c > x, x, 0.0),
    "x == c": lambda x, c: np.where(x == c, x, 0.0),
    "np.stack([x, c])": lambda x, c: np.stack([x, c]),
    "np.concatenate([c, x])": lambda x, c: np.concatenate([c, x]),
    "np.vstack([c, x])": lambda x, c: np.vstack([c, x]),
    "np.where(c, x, 0)": lambda x, c: np.where(c, x, 0.0),
    "np.where(x > 0, x, c)": lambda x, c: np.where(x > 0, x, c),
    "np.dot(x, c)": lambda x, c: np.dot(x, c),
    "np.einsum": lambda x, c: np.einsum("ij,jk->ik", x, c),
    "np.average": lambda x, c: np.average(x, weights=c),
    "np.interp": lambda x, c: np.interp(x, c.reshape(-1), [1.0, 2.0, 3.0, 4.0]),
    "np.clip": lambda x, c: np.clip(x, c, 9.0),
    "np.linalg.solve": lambda x, c: np.linalg.solve(x, c),
    "np.linspace": lambda x, c: np.linspace(x, c, 3),
    "x[c]": lambda x, c: x[c > 1.5],
    "x[:, c]": lambda x, c: x[:, c.reshape(-1).astype(int) % 2],
    "np.sum(c * x)": lambda x, c: np.sum(c * x, axis=0),
}

TRANSFORMS: dict[str, Any] = {
    "grad": lambda f: grad(lambda x: np.sum(f(x)))(SQUARE + 0.5),
    "jvp": lambda f: jvp(f, (SQUARE + 0.5,), (SQUARE,)),
    "jacfwd": lambda f: jacfwd(f)(SQUARE + 0.5),
    "hessian": lambda f: hessian(lambda x: np.sum(f(x)))(SQUARE + 0.5),
    "record": lambda f: record(f, SQUARE + 0.5),
    "vmap": lambda f: vmap(f)(np.stack([SQUARE + 0.5, SQUARE])),
}


@pytest.mark.parametrize("name", list(KINDS))
@pytest.mark.parametrize("transform", list(TRANSFORMS))
@pytest.mark.parametrize("use", list(USES))
def test_a_constant_of_a_subclass_is_refused(name: str, transform: str, use: str) -> None:
    constant, said = KINDS[name]
    with pytest.raises(InputError, match=said):
        TRANSFORMS[transform](lambda x: USES[use](x, constant))


INPUTS: dict[str, Any] = {
    "grad": lambda x: grad(np.sum)(x),
    "an argument that is not differentiated": lambda x: grad(lambda y, x: np.sum(x * y))(2.0, x),
    "in a dict": lambda x: value_and_grad(lambda p: np.sum(p["w"]))({"w": x}),
    "vjp": lambda x: vjp(np.sin, x),
    "a cotangent": lambda x: vjp(np.sin, SQUARE)[1](x),
    "jvp": lambda x: jvp(np.sin, (x,), (SQUARE,)),
    "a tangent": lambda x: jvp(np.sin, (SQUARE,), (x,)),
    "linearize": lambda x: linearize(np.sin, x),
    "jacfwd": lambda x: jacfwd(np.sin)(x),
    "jacrev": lambda x: jacrev(np.sin)(x),
    "hessian": lambda x: hessian(np.sum)(x),
    "vmap": lambda x: vmap(np.sin)(x),
    "vmap, beside another": lambda x: vmap(lambda x, y: x * y, in_axes=(0, None))(SQUARE, x),
    "record": lambda x: record(np.sin, x),
    "replay": lambda x: record(np.sin, SQUARE)[1].replay(x),
    "Dual": lambda x: Dual(x, SQUARE),
    "a Dual's tangent": lambda x: Dual(SQUARE, x),
    "beside a Dual": lambda x: x * Dual(SQUARE, SQUARE),
    "a result": lambda x: vjp(lambda y: x, 1.0),
}


@pytest.mark.parametrize("name", list(KINDS))
@pytest.mark.parametrize("where", list(INPUTS))
def test_an_input_of_a_subclass_is_refused(name: str, where: str) -> None:
    given, said = KINDS[name]
    with pytest.raises(InputError, match=said):
        INPUTS[where](given)


def test_the_message_names_the_input() -> None:
    with pytest.raises(InputError, match=r"^The input weights is a masked array"):
        grad(lambda weights: np.sum(weights))(KINDS["masked"][0])


def test_a_masked_sum_is_refused_and_no_number() -> None:
    masked = np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])
    with pytest.raises(InputError, match="masked array"):
        grad(lambda x: np.ma.sum(x * 2))(np.ones(3))
    with pytest.raises(InputError, match="masked array"):
        grad(lambda x: np.sum(np.ma.masked_where([True, False, False], x)))(np.ones(3))
    filled = grad(lambda x: np.sum(x * masked.filled(0.0)))(np.ones(3))
    np.testing.assert_array_equal(filled, [1.0, 0.0, 3.0])


@pytest.fixture
def on_disk(tmp_path: Path) -> Any:
    mapped = np.memmap(tmp_path / "numbers", dtype=float, mode="w+", shape=(2, 2))
    mapped[:] = SQUARE
    return mapped


def test_a_memmap_is_an_array_as_any_other(on_disk: Any) -> None:
    x = SQUARE + 0.5
    for name, use in USES.items():
        expected, constant = use(x, SQUARE), on_disk
        value, pullback = vjp(lambda x, use=use, constant=constant: use(x, constant), x)
        np.testing.assert_array_equal(value, expected, err_msg=name)
        assert type(pullback(np.ones(np.shape(value)))[0]) is np.ndarray
    for f in (grad(lambda x: np.sum(x**3)), lambda x: vmap(lambda x: 3 * x**2)(x)):
        gradient = f(on_disk)
        assert type(gradient) is np.ndarray
        np.testing.assert_array_equal(gradient, 3 * SQUARE**2)


def test_a_tape_keeps_what_the_file_held_then(on_disk: Any) -> None:
    _, of_constant = vjp(lambda x: np.sum(x * on_disk), SQUARE)
    _, of_input = vjp(lambda x: np.sum(x**3), on_disk)
    _, tape = record(lambda x: x[on_disk.astype(int)[:, 0] % 2], SQUARE)
    on_disk[:] = 0.0
    np.testing.assert_array_equal(of_constant(1.0)[0], SQUARE)
    np.testing.assert_array_equal(of_input(1.0)[0], 3 * SQUARE**2)
    np.testing.assert_array_equal(tape.replay(SQUARE), SQUARE[[1, 1]])
