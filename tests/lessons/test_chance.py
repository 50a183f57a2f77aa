"""`chance`: estimators have the means and variances that can be written down for them."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_lab as ad
from autodiff_lab.lessons import chance as lesson
from autodiff_lab.lessons.chance.exercises import log_die, log_normal, shift, square

from ..notebooks.reading import listing, named, read

# exact for polynomials of a standard normal
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(20)
WEIGHTS = WEIGHTS / np.sum(WEIGHTS)


@pytest.fixture
def names() -> dict[str, Any]:
    found: dict[str, Any] = {"__name__": "__main__"}
    exec(listing("chance"), found)
    for exercise in (lesson.ex_1, lesson.ex_2, lesson.ex_3, lesson.ex_4, lesson.ex_5):
        exec(exercise.reference, found)
    return found


def mean_and_variance(each: Any) -> tuple[float, float]:
    """Mean and variance over all noise, when `each` was computed at the nodes."""
    mean = float(np.sum(WEIGHTS * each))
    return mean, float(np.sum(WEIGHTS * (each - mean) ** 2))


def test_the_tape_of_sampled_throws_says_0_and_the_staircase_rises(names: dict[str, Any]) -> None:
    average = names["average"]
    assert ad.grad(average)(0.1) == 0
    assert (average(0.3) - average(0.0)) / 0.3 == pytest.approx(3.0, abs=1.0)


@pytest.mark.parametrize("load", [0.0, 0.1, 0.3])
def test_the_expectation_of_the_die_has_the_slope_3_and_so_have_its_scores(
    load: float, names: dict[str, Any]
) -> None:
    assert names["expectation"](load) == pytest.approx(3.5 + 3 * load)
    assert ad.grad(names["expectation"])(load) == pytest.approx(3.0)
    each = names["by_score"](lambda face: face, log_die, names["faces"], load)
    assert np.sum(names["chances"](load) * each) == pytest.approx(3.0)


@pytest.mark.parametrize("p", [0.0, 1.0, -1.5])
def test_variances_of_the_square_are_those_on_paper(p: float, names: dict[str, Any]) -> None:
    by_score = names["by_score"](square, log_normal, p + NODES, p)
    assert mean_and_variance(by_score) == pytest.approx((2 * p, p**4 + 14 * p**2 + 15))
    by_path = names["by_path"](square, shift, NODES, p)
    assert mean_and_variance(by_path) == pytest.approx((2 * p, 4.0))
    by_nudge = (square(shift(NODES, p + 0.1)) - square(shift(NODES, p))) / 0.1
    assert mean_and_variance(by_nudge) == pytest.approx((2 * p + 0.1, 4.0))


def test_a_constant_keeps_the_mean_and_4_is_the_best_one_at_1(names: dict[str, Any]) -> None:
    variances: dict[int, float] = {}
    for less in range(-4, 9):
        each = names["by_score"](lambda x, less=less: square(x) - less, log_normal, 1 + NODES, 1.0)
        mean, variances[less] = mean_and_variance(each)
        assert mean == pytest.approx(2.0)
    assert min(variances, key=lambda less: variances[less]) == 4


def test_a_threshold_cuts_the_path_and_not_the_score(names: dict[str, Any]) -> None:
    def above(x: Any) -> Any:
        return np.where(x > 1.5, 1.0, 0.0)

    noise = np.random.default_rng(0).normal(size=200_000)
    exact = math.exp(-(0.5**2) / 2) / math.sqrt(2 * math.pi)
    assert not np.any(names["by_path"](above, shift, noise, 1.0))
    each = names["by_score"](above, log_normal, 1.0 + noise, 1.0)
    assert np.mean(each) == pytest.approx(exact, abs=5 * np.std(each) / math.sqrt(len(noise)))


def average_over_pairs(estimate: Callable[[Any], Any]) -> float:
    """The expectation of an estimate from two samples of N(1, 1)."""
    total = 0.0
    for a, weight_a in zip(NODES, WEIGHTS, strict=True):
        for b, weight_b in zip(NODES, WEIGHTS, strict=True):
            total += weight_a * weight_b * float(np.mean(estimate(1.0 + np.array([a, b]))))
    return total


def test_a_baseline_of_the_others_is_unbiased_and_one_of_all_is_not(names: dict[str, Any]) -> None:
    def of_others(x: Any) -> Any:
        return names["advantages"](square(x)) * (x - 1.0)

    def of_all(x: Any) -> Any:
        return (square(x) - np.mean(square(x))) * (x - 1.0)

    assert average_over_pairs(of_others) == pytest.approx(2.0)
    assert average_over_pairs(of_all) == pytest.approx(1.0)  # 2 · (1 − 1/2)


def test_the_surrogate_s_slope_is_that_of_the_expected_pay(names: dict[str, Any]) -> None:
    logits, wins = np.array([0.3, -0.2, 0.5]), np.array([0.3, 0.5, 0.8])

    def pay(logits: Any) -> Any:
        return np.sum(np.exp(names["log_chances"](logits)) * wins)

    chances = np.exp(names["log_chances"](logits))
    slope = np.zeros(3)
    for arm in range(3):
        plays, paid = np.array([arm]), wins[arm : arm + 1]
        slope += chances[arm] * ad.grad(names["surrogate"])(logits, plays, paid)
    assert np.allclose(slope, ad.grad(pay)(logits), rtol=1e-12)


def test_advantages_find_the_best_machine_and_plain_pay_often_does_not(
    names: dict[str, Any],
) -> None:
    better = [names["gamble"](names["advantages"], seed)[-1] for seed in range(10)]
    as_paid = [names["gamble"](lambda paid: paid, seed)[-1] for seed in range(10)]
    assert min(better) > 0.9
    assert min(as_paid) < 0.1


def test_the_fitted_belief_is_the_exact_one(names: dict[str, Any]) -> None:
    (source,) = (cell.source for cell in read(named("chance")).cells if cell.id == "belief")
    exec(source, names)
    z = np.linspace(-4.0, 2.0, 6001)
    exact = np.exp(names["log_joint"](z) - np.max(names["log_joint"](z)))
    exact = exact / np.sum(exact)
    middle = float(np.sum(exact * z))
    width = math.sqrt(float(np.sum(exact * (z - middle) ** 2)))
    assert names["belief"][0] == pytest.approx(middle, abs=0.06)
    assert np.exp(names["belief"][1]) == pytest.approx(width, abs=0.03)
