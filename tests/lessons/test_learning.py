"""`learning`: other good answers pass as well, and what the checks are built on agrees with the reference cases."""

import itertools
import json
import types
from pathlib import Path

import numpy as np
import pytest

from autodiff_lab import Adam, grad
from autodiff_lab.lessons import learning as check
from autodiff_lab.lessons.learning.exercises import iris_run
from autodiff_lab.systems.perceptron import network, random_start, two_moons
from autodiff_lab.systems.wengert import var

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "reference_cases.json").read_text())
SERIES = REFERENCE["series"]["iris_softmax"]["series"]


def written(source, name, **beside):
    scope = {"np": np, **beside}
    exec(source, scope)
    return scope[name]


def test_an_update_with_new_variables_passes_as_well():
    source = """
def update(w, b, rate):
    for i in range(3):
        b[i] = var(b[i].value - rate * b[i].sensitivity)
        w[i] = [var(cell.value - rate * cell.sensitivity) for cell in w[i]]
"""
    assert check.ex_4(written(source, "update", var=var)).passed


def test_an_update_that_destroys_the_parameters_gets_a_sentence():
    reply = check.ex_4(written("def update(w, b, rate):\n    w[0], b[0] = None, None", "update"))
    assert reply.status == "not yet" and len(reply.text) > 60
    emptied = "def update(w, b, rate):\n    w[:] = [[0.0] * 4] * 3\n    b[:] = [0.0] * 3"
    assert "no parameter is a cell" in check.ex_4(written(emptied, "update")).text


def test_a_comparison_that_moves_x_and_puts_it_back_passes():
    source = """
def worst_error(f, x, claimed, h=1e-5):
    found = []
    for k in range(len(x)):
        kept = x[k]
        x[k] = kept + h
        right = f(x)
        x[k] = kept - h
        left = f(x)
        x[k] = kept
        found.append((right - left) / (2 * h))
    return max(abs(c - q) for c, q in zip(claimed, found)) / max(map(abs, found))
"""
    assert check.ex_3a(written(source, "worst_error")).passed
    reply = check.ex_3a(written(source.replace("        x[k] = kept\n", ""), "worst_error"))
    assert not reply.passed


@pytest.mark.parametrize(
    "answer", [(1, "momentum"), [1.0, "Heavy ball"], (1.0, "heavy-ball momentum")]
)
def test_the_name_of_the_bug(answer):
    assert check.ex_3b(answer).passed


def test_the_bug_is_momentum_without_a_brake():
    """The sums of all gradients are what the recursion a ← 1 · a + g gives."""
    a = 0.0
    for epoch in iris_run(0.1, 30, clear=False):
        a = 1.0 * a + epoch.gradient.w
        np.testing.assert_allclose(epoch.step.w, a, rtol=1e-12)


def test_the_loss_of_the_text_is_the_reference():
    (entry,) = (entry for entry in SERIES if entry["epoch"] == 10)
    assert check.ex_2.make(rate=0.1, epoch=10).expected == pytest.approx(
        float(entry["loss"]), abs=1e-12
    )


def test_no_run_of_the_notebook_answers_the_exercise_on_the_loop():
    """The notebook trains at 0.05, 0.1 and 0.2, and no learner's answer is a loss of those runs."""
    asked = {check.ex_2.given().rate, *check.ex_2.draws["rate"]}
    assert not asked & {0.05, 0.1, 0.2}


def test_the_26_of_38_are_the_even_epochs_of_a_zigzag():
    """Half the rate has no zigzag, and gets there sooner."""
    long, short = iris_run(0.1, 162), iris_run(0.05, 162)
    even, odd = ([epoch.correct for epoch in long[start:162:2]] for start in (0, 1))
    assert max(even[:61]) == 26 and odd[61] == 34 and (even[80], odd[80]) == (31, 38)
    assert short[60].correct == 34
    rises = [
        [after.loss > before.loss for before, after in itertools.pairwise(run)]
        for run in (long, short)
    ]
    assert sum(rises[0]) > 70 and not any(rises[1])


def test_the_gradient_by_hand_is_the_reference():
    (case,) = (case for case in REFERENCE["cases"] if case["name"] == "mlp_2_3_1")
    np.testing.assert_allclose(check.ex_5.expected["XOR"], case["gradient"]["W2"], rtol=1e-12)


def test_what_is_lent_works():
    def worst_error(f, x, claimed, h=1e-5):
        return ...

    lent = check.ex_3a.lend(worst_error)
    assert isinstance(lent, types.FunctionType) and lent is not worst_error
    assert lent(lambda x: x @ x, np.array([1.0, 2.0]), np.array([2.0, 4.0])) < 1e-6


@pytest.mark.parametrize(("units", "right"), [(2, 71), (3, 80), (4, 80)])
def test_three_units_get_all_points_of_the_two_moons(units, right):
    """The answer that the notebook folds away: how few units still bend round both moons."""
    moons, optimizer, parameters = two_moons(), Adam(0.05), random_start(units)

    def logistic_loss(p):
        z = network(p, moons.x)
        return np.mean(np.logaddexp(0.0, z) - moons.t * z)

    for _ in range(300):
        parameters = optimizer.update(parameters, grad(logistic_loss)(parameters))
    assert np.sum((network(parameters, moons.x) > 0) == (moons.t > 0.5)) == right
