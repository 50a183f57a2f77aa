"""`linearize`: the text's statements about the reader's machine are true, and correct answers in another form pass."""

import numpy as np
import pytest

import autodiff_lab as ad
from autodiff_lab.lessons import linearize as lesson

from ..notebooks.reading import fill_answers, listing, named, read


@pytest.fixture(scope="module")
def machine():
    """The names of the notebook's listings, with the good answers lent."""
    names = {"__name__": "__main__"}
    exec(listing("linearize"), names)
    return names


FUNCTIONS = {
    "one result": lambda m: lambda x1, x2: m["log"](x1) + x1 * x2 - m["sin"](x2),
    "two results": lambda m: lambda x1, x2: (x1 * m["cos"](x2), m["recip"](x1) * x1 * x1),
    "a constant": lambda m: lambda x1, x2: m["sin"](2.0 * x1) + 3.0 * x2,
    "a result that is a number": lambda m: lambda x1, x2: (x1 * x2, 3.0),
}
ENGINES = {
    "one result": lambda x: np.stack([np.log(x[0]) + x[0] * x[1] - np.sin(x[1])]),
    "two results": lambda x: np.stack([x[0] * np.cos(x[1]), x[0]]),
    "a constant": lambda x: np.stack([np.sin(2.0 * x[0]) + 3.0 * x[1]]),
    "a result that is a number": lambda x: np.stack([x[0] * x[1], 3.0 + 0.0 * x[0]]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_vjp_is_transpose_after_linearize(machine, name):
    f, expected = FUNCTIONS[name](machine), ad.jacrev(ENGINES[name])(np.array([2.0, 5.0]))
    _, linear = machine["linearize"](f, 2.0, 5.0)
    columns = [machine["run"](linear, *e) for e in np.eye(2)]
    np.testing.assert_allclose(np.transpose(columns), expected)
    assert {op for _, op, _, _ in linear.equations} <= {"mul", "add", "neg"}
    _, pull = machine["vjp"](f, 2.0, 5.0)
    np.testing.assert_allclose([pull(*seed) for seed in np.eye(len(expected))], expected)
    rows = machine["vmap"](pull, (0,) * len(expected), len(expected))(*np.eye(len(expected)))
    np.testing.assert_allclose(np.transpose(rows), expected)


def test_sums_and_copies_of_arrays(machine):
    total, copy, sin = machine["total"], machine["copy"], machine["sin"]

    def f(x):
        return total(sin(x) * copy(total(x, 0, 3), 0, 3), 0, 3)

    x = np.array([0.5, 1.0, 2.0])
    _, pull = machine["vjp"](f, x)
    np.testing.assert_allclose(pull(1.0)[0], ad.grad(lambda x: np.sum(np.sin(x) * np.sum(x)))(x))
    xs = np.stack([x, 2 * x])
    (batched,) = machine["vmap"](f, (0,), 2)(xs)
    np.testing.assert_allclose(batched, [np.sum(np.sin(x) * np.sum(x)) for x in xs])


def test_a_number_minus_a_name_and_more_names_than_letters(machine):
    def f(x):
        for _ in range(60):
            x = 1.0 - x
        return x

    assert machine["run"](machine["make_jaxpr"](f, 1), 0.25) == (0.25,)
    letters = [result.letter for result, *_ in machine["make_jaxpr"](f, 1).equations]
    assert len(set(letters)) == 120


def test_operands_of_unequal_ranks_are_refused(machine):
    """NumPy would pair the batch axis of one with the only axis of the other."""
    vmap, total = machine["vmap"], machine["total"]
    xs, ys = np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 30.0])
    assert ad.vmap(lambda a, b: a * b, in_axes=(0, None))(xs, ys).shape == (3, 3)
    with pytest.raises(ValueError, match="one shape"):
        vmap(lambda a, b: a * b, (0, None), 3)(xs, ys)
    with pytest.raises(ValueError, match="one shape"):
        vmap(lambda a, b: a + b, (0, 0), 3)(xs, np.ones((3, 3)))
    with pytest.raises(ValueError, match="one shape"):
        vmap(lambda a: a * ys, (0,), 3)(xs)
    with pytest.raises(ValueError, match="one shape"):
        machine["run"](machine["make_jaxpr"](lambda a, b: a * b, 2), 2.0, ys)
    with pytest.raises(ValueError, match="one shape"):
        machine["vjp"](lambda x: total(x * total(x, 0, 3), 0, 3), xs)
    (doubled,) = vmap(lambda a: 2.0 * a, (0,), 3)(xs)
    np.testing.assert_array_equal(doubled, 2 * xs)


def test_derivatives_nest(machine):
    grad, sin = machine["grad"], machine["sin"]
    ours, engine = (lambda x: sin(x) * machine["recip"](x)), (lambda x: np.sin(x) / x)
    for _ in range(3):
        ours, engine = grad(ours), ad.grad(engine)
        assert ours(0.7) == pytest.approx(engine(0.7))
    assert grad(lambda x: x * grad(lambda y: x + y)(1.0))(1.0) == 1.0
    assert grad(lambda x: grad(lambda y: x * y * y)(3.0))(1.0) == 6.0


def test_modes_and_batches_nest_on_arrays(machine):
    grad, total, sin = machine["grad"], machine["total"], machine["sin"]
    make_jaxpr, jvp, vmap = machine["make_jaxpr"], machine["jvp"], machine["vmap"]

    def f(x):
        return total(sin(x) * x * x, 0, 3)

    def same(x):
        return np.sum(np.sin(x) * x * x)

    x, v = np.array([0.5, 1.0, 2.0]), np.array([1.0, 0.0, -2.0])
    _, (product,) = jvp(make_jaxpr(grad(f), 1), (x,), (v,))
    np.testing.assert_allclose(product, ad.hvp(same, (x,), (v,)))
    xs = np.stack([x, 2 * x, x - 1, x + 1])
    (each,) = vmap(grad(f), (0,), 4)(xs)
    np.testing.assert_allclose(each, [ad.grad(same)(x) for x in xs])


def test_a_gradient_through_a_batch_adds_up_what_all_examples_share(machine):
    """The shared weights were copied, so the transpose sums over the examples."""
    total, vmap = machine["total"], machine["vmap"]
    xs, w = np.sin(np.arange(12.0)).reshape(4, 3), np.array([1.0, 2.0, -1.0])

    def one(w, x):
        return machine["sin"](total(w * x, 0, 3))

    def loss(w):
        return total(vmap(one, (None, 0), 4)(w, xs)[0], 0, 4)

    _, pull = machine["vjp"](loss, w)
    np.testing.assert_allclose(pull(1.0)[0], ad.grad(lambda w: np.sum(np.sin(xs @ w)))(w))


def test_a_transpose_of_a_transpose_is_the_linear_program(machine):
    _, linear = machine["linearize"](FUNCTIONS["two results"](machine), 2.0, 5.0)
    twice = machine["transpose"](machine["transpose"](linear))
    for e in np.eye(2):
        np.testing.assert_allclose(machine["run"](twice, *e), machine["run"](linear, *e))


def test_the_count_of_exercise_2_is_the_machines(machine):
    _, linear = machine["linearize"](lambda x1, x2: x1 * x1 * machine["sin"](x2), 2.0, 5.0)
    operations = [op for _, op, _, _ in linear.equations]
    assert (len(operations), operations.count("mul")) == lesson.ex_2.expected


def test_the_axes_of_exercise_6_are_right():
    def loss(w, x, wanted):
        return (w @ x - wanted) ** 2

    weights, inputs, labels = np.ones(2), np.ones((2, 30)), np.zeros(30)
    axes = lesson.ex_6.expected
    assert ad.vmap(ad.grad(loss), in_axes=axes)(weights, inputs, labels).shape == (30, 2)
    for wrong in lesson.ex_6.misconceptions:
        with pytest.raises((ad.AutodiffError, ValueError)):
            ad.vmap(ad.grad(loss), in_axes=eval(wrong.written.partition("=")[2]))(
                weights, inputs, labels
            )


def test_the_notebook_has_each_rule_once(machine):
    assert set(machine["PARTIAL"]) | set(machine["TRANSPOSE"]) == set(machine["RUN"])
    assert not set(machine["PARTIAL"]) & set(machine["TRANSPOSE"])
    assert fill_answers(read(named("linearize")), lesson.progress.exercises())
