"""`implicit`: correct answers in another form pass, and the solution itself is differentiated."""

import numpy as np
import pytest

import autodiff_lab as ad
from autodiff_lab.lessons import implicit as lesson
from autodiff_lab.lessons.implicit.exercises import (
    FITS,
    LOOPS,
    ROOTS,
    SHARES,
    find_best,
    find_shares,
    unrolled,
)

from ..notebooks.reading import listing, named, read


def names_after(written):
    names = {"__name__": "__main__"}
    exec(listing("implicit"), names)
    exec(written, names)
    return names


def submit(exercise, written):
    names = names_after(written)
    return exercise(*(names[name] for name in exercise.takes))


@pytest.mark.parametrize("case", LOOPS)
def test_the_rule_agrees_with_the_loop_and_with_differences(case):
    """The rule agrees with the recorded loop to 1e-10, at first and second order, in both modes."""
    turn, start, x, _ = LOOPS[case]
    solution = names_after(lesson.ex_3.reference)["implicit"](turn, start)

    def loss(solve):
        return lambda x: np.sum(solve(x) ** 3)

    loop = unrolled(turn, start)
    assert np.allclose(ad.jacrev(solution)(x), ad.jacobian(loop)(x), rtol=0, atol=1e-10)
    assert np.allclose(ad.jacfwd(solution)(x), ad.jacobian(loop)(x), rtol=0, atol=1e-10)
    assert np.allclose(ad.hessian(loss(solution))(x), ad.hessian(loss(loop))(x), rtol=0, atol=1e-10)
    ad.check_grads(loss(solution), (x,))


@pytest.mark.parametrize("case", ROOTS)
def test_the_points_of_the_check_are_roots(case):
    F, z, x = ROOTS[case]
    assert abs(F(z, x)) < 1e-14


@pytest.mark.parametrize("case", FITS)
def test_the_slope_of_a_best_fit_agrees_with_differences(case):
    loss, w, lam = FITS[case]
    slope = names_after(lesson.ex_5.reference)["slope_of_best"](loss, find_best(loss, w, lam), lam)
    h = 1e-5
    differences = (find_best(loss, w, lam + h) - find_best(loss, w, lam - h)) / (2 * h)
    assert np.allclose(slope, differences, rtol=1e-8)


SEEDED = "import numpy as np\nimport autodiff_lab as ad\nrng = np.random.default_rng(1)"


def run_cells(*ids, before=""):
    """The notebook's own cells, after its listing."""
    names = names_after(before)
    sources = {cell.id: cell.source for cell in read(named("implicit")).cells}
    plt = names["plt"]
    for each in ids:
        exec(sources[each], names)
        plt.close("all")
    return names


def test_the_deep_equilibrium_model_agrees_with_its_layers():
    names = run_cells("spirals", "ex-7", "deq-code", before=SEEDED)
    loss, params, layers = names["loss"], names["params"], names["layers"]
    ours, theirs = ad.grad(loss)(params), ad.grad(lambda p: loss(p, layers(1500)))(params)
    assert np.allclose(ours, theirs, rtol=0, atol=1e-10)
    ad.check_grads(loss, (params,), order=1, modes=("rev",))
    with pytest.raises(ad.AutodiffError, match="both rules"):
        ad.jvp(loss, (params,), (params,))


def test_depth_matters():
    """Every network of fixed depth is worse than a deeper one, and the equilibrium makes no mistake."""
    names = run_cells("spirals", "ex-7", "deq-code", "deq-run", before=SEEDED)
    wrong = [int(np.sum(~right)) for right in names["beliefs"].values()]
    assert wrong == sorted(wrong, reverse=True) and wrong[-1] == 0 < wrong[-2]


@pytest.mark.parametrize("case", SHARES)
def test_the_slope_of_the_shares_agrees_with_differences(case):
    cost, start, x = SHARES[case]
    z, p = find_shares(cost, start, x)
    slope = names_after(lesson.ex_6.reference)["slope_of_shares"](cost, z, p, x)
    h = 1e-5
    for k, dx in enumerate(h * np.eye(len(x))):
        differences = (
            find_shares(cost, start, x + dx)[0] - find_shares(cost, start, x - dx)[0]
        ) / (2 * h)
        assert np.allclose(slope[:, k], differences, rtol=0, atol=1e-8)


def test_the_hypergradient_agrees_with_the_rule_of_solve():
    names = run_cells("fit-run", "ex-5", "tune-run")
    slope, validate, best = names["slope_of_validation"], names["validate"], names["best"]
    for lam in (1e-3, 0.1, 3.0):
        assert slope(lam) == pytest.approx(
            ad.grad(lambda lam: validate(best(lam)))(lam), rel=1e-8, abs=1e-10
        )
        h = 1e-4 * lam
        differences = (validate(best(lam + h)) - validate(best(lam - h))) / (2 * h)
        assert slope(lam) == pytest.approx(differences, rel=1e-5)
    stops = [validate(best(10**e)) for e in names["exponents"]]
    assert stops == sorted(stops, reverse=True), "each step goes down"


def test_an_unrolled_solution_does_not_pass():
    """Its gradient is right; its tape is not what was asked for."""
    written = lesson.ex_3.reference.replace("@ad.custom_gradient(vjp=rule)\n    ", "")
    reply = submit(lesson.ex_3, written)
    assert not reply.passed and "on the tape" in reply.text


def test_a_rule_that_has_no_second_derivative_is_told_so():
    """Its gradient is right, and the notebook's next cell takes the Hessian of it."""
    written = """
def implicit(turn, start):
    def rule(g, z, x):
        _, pullback = ad.vjp(turn, z, x)
        return pullback(settle(lambda w: g + pullback(w)[0], g))[1]

    @ad.custom_gradient(vjp=rule)
    def solution(x):
        return settle(lambda z: turn(z, x), start)

    return solution"""
    reply = submit(lesson.ex_3, written)
    assert not reply.passed and "the next cell takes a Hessian" in reply.text


@pytest.mark.parametrize("seed", ["Ada", "Emmy", 7])
def test_the_number_of_turns_is_the_smallest(seed):
    rate, digits = lesson.ex_4.given(seed)
    turns = lesson.ex_4.instance(seed).expected
    assert rate**turns < 10.0**-digits <= rate ** (turns - 1)
