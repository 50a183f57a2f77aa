"""Whatever goes wrong in a static graph is said with the name of the node."""

import math

import numpy as np
import pytest

import autodiff_lab as ad
from autodiff_lab.engine.errors import (
    AutodiffError,
    DetachedError,
    InputError,
    ShapeError,
    UnsupportedError,
)
from autodiff_lab.systems.static_graph import (
    Constant,
    Graph,
    Placeholder,
    Variable,
    gradients,
    operation,
)


def test_errors_name_the_node() -> None:
    with Graph() as graph:
        x, c = Placeholder((2,), "x"), Constant(3.0, "c")
        w = Variable(np.ones(2), "w")
        y = x * c
        free = Placeholder(name="free")
        z = free + w
    with pytest.raises(
        ShapeError, match=r"x was fed a value of shape \(3,\), but it accepts \(2,\)"
    ):
        graph.run(y, {x: np.ones(3)})
    with pytest.raises(InputError, match="the value fed to x"):
        graph.run(y, {x: "two"})
    with pytest.raises(InputError, match=r"the value fed to x.*complex"):
        graph.run(y, {x: 1j})
    with pytest.raises(
        ShapeError, match="the value fed to x is a list of lists of different lengths"
    ):
        graph.run(y, {x: [[1.0], [1.0, 2.0]]})
    with pytest.raises(InputError, match="w was fed, but is not a Placeholder"):
        graph.run(y, {x: np.ones(2), w: np.ones(2)})
    with pytest.raises(InputError, match="'x' was fed, but is not a node"):
        graph.run(y, {"x": np.ones(2)})
    with pytest.raises(InputError, match="x was fed the node w"):
        graph.run(y, {x: w})
    with pytest.raises(InputError, match="3 was asked for, but is not a node"):
        graph.run([y, 3])
    with pytest.raises(
        ShapeError, match=r"add_1 = free \+ w cannot be computed.*free \(3,\), w \(2,\)"
    ):
        graph.run(z, {free: np.ones(3)})
    with pytest.raises(ShapeError, match="the new value of w"):
        w.assign(np.ones(3))
    with Graph(), pytest.raises(ShapeError, match=r"add cannot be computed.*a \(2,\), b \(3,\)"):
        _ = Variable(np.ones(2), "a") + Variable(np.ones(3), "b")
    for attempt in (lambda: graph.backward_from(c), lambda: gradients(y, c), c.backward):
        with pytest.raises(UnsupportedError, match="c is a Constant and cannot be differentiated"):
            attempt()
    with pytest.raises(UnsupportedError, match="c is a Constant"):
        graph.jacobian(y, [c])
    with pytest.raises(
        InputError, match=r"3\.0 cannot be differentiated, because it is not a node"
    ):
        gradients(3.0, w)


def test_backward_needs_a_run() -> None:
    with Graph() as graph:
        x = Variable(1.0, "x")
        y = np.exp(x)
    with pytest.raises(InputError, match="Nothing has been computed yet"):
        graph.backward()
    with pytest.raises(InputError, match="exp_1 has not been computed"):
        y.backward()
    graph.run(y)
    x.value = 2.0
    with pytest.raises(InputError, match="a Variable was assigned to since then"):
        y.backward()  # else the gradient would be that of the old value


def test_jacobian_refuses_arrays() -> None:
    with Graph() as graph:
        x = Variable([1.0, 2.0], "x")
        y = x * x
    with pytest.raises(ShapeError, match=r"multiply_1 has shape \(2,\).*multiply_1\[0\]"):
        graph.jacobian(y, x)


@pytest.mark.parametrize(
    "misuse",
    [
        lambda x: 1 if x else 0,
        lambda x: x in [1.0],
        lambda x: math.sin(x),
        lambda x: float(x),
        lambda x: np.array([x, x]),
        lambda x: [1, 2][x],
    ],
)
def test_a_node_is_no_number(misuse: object) -> None:
    with Graph():
        x = Placeholder((), name="x")
    with pytest.raises(DetachedError, match=r"\bx\b"):
        misuse(x)


def test_shapes_are_asked_for_only_where_they_are_known() -> None:
    with Graph() as graph:
        free, fixed = Placeholder(name="free"), Placeholder((4,), name="fixed")
        with pytest.raises(ShapeError, match=r"The shape of free is not known.*Placeholder\(shape"):
            np.var(free)
        y = np.var(fixed)
    assert np.shape(fixed) == (4,) and len(fixed) == 4
    assert graph.run(y, {fixed: [1.0, 2.0, 3.0, 4.0]}) == 1.25


def test_a_recorded_value_is_fed_and_not_built_in() -> None:
    with Graph() as graph:
        x = Placeholder((), name="x")
        y = np.log((x - 7) ** 2 + 10)
    assert ad.grad(lambda at: graph.run(y, {x: at}))(1.0) == pytest.approx(-12 / 46)

    def mixed(at):
        return x * at

    with pytest.raises(InputError, match="belongs to a derivative in progress"):
        ad.grad(mixed)(1.0)


def test_everything_raised_is_of_the_family() -> None:
    with pytest.raises(AutodiffError):
        Placeholder()


def test_what_a_node_does_not_have() -> None:
    with Graph():
        x = Placeholder(name="x")
    assert not hasattr(x, "vale")
    with pytest.raises(AttributeError, match=r"no `\.vale`"):
        _ = x.vale


def test_what_an_operation_of_ones_own_computes_is_checked() -> None:
    with Graph() as graph:
        x = Variable(1.0)
        nothing = operation("Nothing", lambda v: None, x)
        first, _ = operation("Pair", lambda v: v, x, outputs=2)
    with pytest.raises(InputError, match="the result of the operation 'Nothing' is None"):
        graph.run(nothing)
    with pytest.raises(InputError, match="'Pair' has 2 outputs"):
        graph.run(first)
