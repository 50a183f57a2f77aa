"""The first notebooks' statements about costs and formulas, counted again."""

import itertools

import numpy as np
import pytest

import autodiff_lab as ad
from autodiff_lab.lessons import adjoint_flow
from autodiff_lab.lessons.adjoint_flow.exercises import two_products


@pytest.mark.parametrize("n", [1, 2, 5])
def test_runs_for_all_slopes_by_each_method(n):
    """`differentiation`, the table of section 5: n + 1 and 2n runs, n passes forward, one pass back."""
    runs = 0

    def f(*xs):
        nonlocal runs
        runs += 1
        return sum(np.log(x) for x in xs)

    at, steps = np.arange(1.0, n + 1), np.eye(n)

    def counted(method):
        nonlocal runs
        runs = 0
        assert np.allclose(method(), 1 / at, rtol=1e-3)
        return runs

    h = 1e-5
    value = f(*at)
    assert counted(lambda: [(f(*at + h * e) - value) / h for e in steps]) + 1 == n + 1
    assert counted(lambda: [(f(*at + h * e) - f(*at - h * e)) / (2 * h) for e in steps]) == 2 * n
    assert counted(lambda: [ad.jvp(f, tuple(at), tuple(e))[1] for e in steps]) == n
    assert counted(lambda: ad.grad(f, argnums=tuple(range(n)))(*at)) == 1


def test_written_once_a_derivative_does_not_swell():
    """`differentiation`, section 4: each iteration adds ten parts, if every part is written down once."""
    counts = []
    for turns in range(6):
        parts = {}

        def part(*key, parts=parts):
            return parts.setdefault(key, (len(parts), key))

        def slope(one, part=part):
            op, *operands = one[1]
            if not operands:
                return part(float(op == "x"))
            a, b = operands
            if op == "*":
                return part("+", part("*", slope(a), b), part("*", a, slope(b)))
            return part(op, slope(a), slope(b))

        x = part("x")
        for _ in range(turns):
            x = part("*", part("*", part(4.0), x), part("-", part(1.0), x))
        slope(x)
        counts.append(len(parts))
    assert {after - before for before, after in itertools.pairwise(counts[1:])} == {10}


def test_half_the_second_derivative_stands_before_the_square():
    """Exercise 02.6: carried to the square of ε, x² at 3 has 1 there, and x³ has 9."""
    x = 3 * np.eye(3) + np.eye(3, k=1)
    for power in (2, 3):
        second = ad.grad(ad.grad(lambda x, n=power: x**n))(3.0)
        assert np.linalg.matrix_power(x, power)[0, 2] == second / 2


def test_with_local_partials_the_sum_runs_over_all_operations():
    """`adjoint_flow`, section 6: equation 2 is true as written, but not with total derivatives."""
    _, tape = ad.record(two_products, 1.0, 4.0)
    adjoints = [None] * len(tape)
    for _ in tape.sweep(tape.output, 1.0, adjoints):
        pass
    total = 0.0
    for line in range(tape.n_inputs, len(tape)):
        for slot, parent in enumerate(tape.parents[line]):
            local = tape.ops[line].local_partial(slot, tape.values[line], *tape.args[line])
            total += adjoints[line] * (local if parent == 0 else 0.0)
    with_total_derivatives, right = adjoint_flow.ex_5.expected
    assert total == right == pytest.approx(4 - 4 * np.cos(1.0), rel=1e-15)
    assert with_total_derivatives == pytest.approx(8 - 12 * np.cos(1.0), rel=1e-15)
