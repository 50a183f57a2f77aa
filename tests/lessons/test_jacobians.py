"""`jacobians`: the numbers of its worked examples, and the replies to unforeseen answers."""

import numpy as np
import pytest

from autodiff_lab import jacfwd, jacrev, jvp, linearize, vjp
from autodiff_lab.lessons import jacobians
from autodiff_lab.lessons.jacobians.exercises import (
    CASES,
    chain,
    choose_modes,
    count_multiplications,
    count_runs,
)
from autodiff_lab.widgets.labs.jacobian_painter.programs import (
    of_document_1,
    polar,
    softmax,
    standardize,
)

from .test_every_exercise import in_the_notebook


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
def test_the_worked_examples(mode):
    np.testing.assert_allclose(
        mode(of_document_1)(np.array([1.0, 2.0])), [[2, 1], [-1.5, 1.75]], rtol=1e-14
    )
    matrix = mode(softmax)(np.array([1.0, 2.0, 3.0]))
    assert matrix[0, 0] == pytest.approx(0.08192506906499322, rel=1e-13)
    assert matrix[0, 1] == pytest.approx(-0.0220330445201743, rel=1e-13)
    numbers = np.array([1.0, 2.0, 4.0, 8.0])
    matrix = mode(standardize)(numbers)
    assert np.abs(matrix.sum(axis=1)).max() < 1e-14
    assert np.abs(matrix @ standardize(numbers)).max() < 1e-14
    assert np.linalg.det(mode(polar)(np.array([2.0, 0.7]))) == pytest.approx(2.0, rel=1e-14)


def test_the_tridiagonal_example_has_88_entries():
    matrix = jacfwd(chain)(np.linspace(-1.0, 2.0, 30))
    assert np.count_nonzero(matrix) == 88
    assert not np.triu(matrix, 2).any() and not np.tril(matrix, -2).any()


def test_other_ways_to_the_same_matrix_pass():
    def by_ones(f, x):
        columns = []
        for j in range(len(x)):
            v = np.zeros(len(x))
            v[j] = 1
            columns.append(jvp(f, (x,), (v,))[1])
        return np.array(columns).T.tolist()

    def by_a_list(f, x):
        value, pullback = vjp(f, x)
        return [pullback(e)[0].tolist() for e in np.identity(value.size)]

    assert jacobians.ex_2(by_ones, by_a_list).passed
    assert not jacobians.ex_2(by_ones, by_ones).passed, "in reverse f is to be run once"


def test_jacfwd_may_ask_f_for_its_size_and_linearize_pushes():
    def with_room(f, x):
        J = np.zeros((f(x).size, x.size))
        for j in range(x.size):
            J[:, j] = jvp(f, (x,), (np.eye(x.size)[j],))[1]
        return J

    def by_one_record(f, x):
        push = linearize(f, x)[1]
        return np.stack([push(e) for e in np.eye(x.size)], axis=1)

    def in_reverse(f, x):
        value, pullback = vjp(f, x)
        return [pullback(e)[0] for e in np.eye(len(value))]

    assert jacobians.ex_2(with_room, in_reverse).passed
    assert jacobians.ex_2(by_one_record, in_reverse).passed
    assert "pushes" in jacobians.ex_2(with_room, by_one_record).text


def test_three_passes_may_be_written_without_loops():
    def by_masks(f, x):
        n = len(x)
        place = np.arange(n)
        near = np.abs(place[:, None] - place) <= 1
        products = np.stack([jvp(f, (x,), ((place % 3 == c) * 1.0,))[1] for c in range(3)], axis=1)
        return np.where(near, products[:, place % 3], 0.0)

    assert jacobians.ex_4(by_masks).passed


@pytest.mark.parametrize(
    "wrong", [lambda f, x: np.zeros((3, 3)), lambda f, x: [[1], [2, 3]], lambda f, x: "J"]
)
def test_something_else_than_the_matrix_is_described(wrong):
    reply = jacobians.ex_4(wrong)
    assert not reply.passed and "how often f is run" in reply.text


def test_words_may_be_written_large():
    assert jacobians.ex_1(["Forward", "reverse ", "REVERSE", "forward", "either"]).passed


@pytest.mark.parametrize("pairs", jacobians.ex_1.draws["pairs"])
def test_the_words_follow_from_the_passes(pairs):
    for (n, m), word in zip(pairs, choose_modes(pairs).expected, strict=True):
        assert {"forward": n < m, "reverse": m < n, "either": n == m}[word]


def test_a_chains_products_are_counted_as_numpy_does_them():
    n, p, q, m = 7, 5, 3, 2
    forward, reverse = count_multiplications((n, p, q, m)).expected
    assert (forward, reverse) == (q * p * n + m * q * n, m * q * p + m * p * n)
    assert count_multiplications().expected == (21000.0, 2200.0)


def test_nobody_is_told_that_a_whole_number_was_rounded():
    reply = jacobians.ex_6((21000, 2210))
    assert not reply.passed and "round" not in reply.text
    assert "only the second is not right" in reply.text


def test_a_counted_function_is_the_function():
    f, x = CASES["document 1"]
    counting, runs = count_runs(f)
    assert np.array_equal(counting(np.array(x)), f(np.array(x))) and runs == [np.ndarray]


def garden(x):
    """The example of the notebook: area and fence of a garden along a wall."""
    return np.stack([x[0] * x[1], x[0] + 2 * x[1]])


def test_the_prices_at_which_a_wider_garden_earns_nothing():
    """The numbers in the folded answer of section 4."""
    pull = vjp(garden, np.array([2.0, 4.0]))[1]
    np.testing.assert_array_equal(pull(np.array([1.0, -1.0]))[0], [3, 0])
    np.testing.assert_array_equal(pull(np.ones(2))[0], [5, 4])


def test_half_the_step_leaves_half_the_gap():
    """The folded answer of section 1: the gap is relative to the step, so the error itself falls to a quarter."""
    x = np.array([2.0, 4.0])
    value, push = linearize(garden, x)
    steps = [np.array([np.cos(angle), np.sin(angle)]) for angle in np.linspace(0, 2 * np.pi, 121)]
    gaps = [
        max(np.abs(garden(x + h * s) - value - push(h * s)).max() for s in steps)
        for h in (1.6, 0.8, 0.4)
    ]
    np.testing.assert_allclose(gaps[:-1], 4 * np.array(gaps[1:]), rtol=1e-9)


@pytest.mark.parametrize("waist", range(1, 61))
def test_the_middle_wins_at_every_waist(waist):
    """The numbers in the folded answer of section 5."""
    names = in_the_notebook("jacobians", "")
    w = (60, 60, waist, 60, 60)
    ends, middle = {names["input_first"](w), names["result_first"](w)}, names["middle_last"](w)
    assert len(ends) == 1
    assert (middle < min(ends)) is (waist < 60)
