"""What `verification` states about other frameworks was measured in them, and its column "here" is computed."""

import json
import re
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from autodiff_lab import custom_gradient, grad
from autodiff_lab.lessons import verification
from autodiff_lab.lessons.verification.drawing import bump_slope, compare_precisions, correct_digits
from autodiff_lab.lessons.verification.exercises import (
    FAIR,
    PROGRAMS,
    find_birthplace,
    half_of_sinc_squared,
    judge_shares,
    log_or_zero,
    slopes,
)

from ..notebooks.frameworks import said
from ..notebooks.reading import named, read

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = read(named("verification"))
CASES = {
    case["name"]: case
    for case in json.loads(
        (ROOT / "tests" / "data" / "reference_cases.json").read_text(encoding="utf-8")
    )["edge_cases"]
}
MEASURED = json.loads((ROOT / "tests" / "data" / "kinks.json").read_text(encoding="utf-8"))
ROWS = {
    r"$\lvert x\rvert$ at 0": ("edge_abs_0", lambda np, x: np.abs(x), 0.0),
    "`maximum(x, 0)` at 0": ("edge_relu_max_0", lambda np, x: np.maximum(x, 0.0), 0.0),
    "`relu(x)` at 0": (None, None, 0.0),
    "`clip(x, -1, 1)` at 1": ("edge_clip_boundary", lambda np, x: np.clip(x, -1.0, 1.0), 1.0),
    "`x ** 0` at 0": (None, lambda np, x: x**0, 0.0),
    "`x ** 0.0` at 0": ("edge_pow_0_0", lambda np, x: x**0.0, 0.0),
    "`hypot(x, 0)` at 0": (None, lambda np, x: np.hypot(x, 0.0), 0.0),
    "`linalg.norm(x)` at (0, 0)": (None, lambda np, x: np.linalg.norm(x), (0.0, 0.0)),
    "`tanh` at 20": ("edge_tanh_20", lambda np, x: np.tanh(x), 20.0),
    "`max([2, 2, 1])`": ("edge_max_ties3", lambda np, x: np.max(x), (2.0, 2.0, 1.0)),
}


def table():
    cell = next(cell for cell in NOTEBOOK.cells if cell.id == "frameworks")
    rows = [
        [part.strip() for part in line.strip("|").split("|")]
        for line in re.findall(r"^\|.*\|$", cell.source, re.M)
    ]
    return {name: [numbers(text) for text in others] for name, *others in rows[2:]}


def numbers(text):
    return [float(number) for number in re.findall(r"nan|[\d.]+(?:e-?\d+)?", text)]


def close(told, observed):
    assert told == pytest.approx([float(number) for number in observed], rel=0.01, nan_ok=True)


def test_the_table_names_every_row():
    assert list(table()) == list(ROWS) == list(MEASURED["slopes"])


def test_the_text_says_with_what_was_measured():
    source = next(cell.source for cell in NOTEBOOK.cells if cell.id == "frameworks")
    assert all(version in source for version in MEASURED["measured with"].values())


@pytest.mark.parametrize("column, function", [(0, "torch_kinks"), (1, "jax_kinks")])
def test_the_code_below_the_table_printed_its_column(column, function):
    printed = [
        line.partition(":")[2]
        for line in said.read()[f"verification {function}"]["text"].splitlines()
    ]
    assert len(printed) == len(ROWS)
    for found, shown in zip(printed, table().values(), strict=True):
        close(shown[column], numbers(found))


@pytest.mark.parametrize("name", ROWS)
def test_the_table_says_what_was_measured_and_what_is_computed(name):
    case, program, at = ROWS[name]
    torch, jax, hips, here = table()[name]
    for told, measured in zip((torch, jax, hips), MEASURED["slopes"][name].values(), strict=True):
        close(told, measured)
    if case is not None:
        close(jax, np.atleast_1d(CASES[case]["jax"]["x"]))
        close(hips, np.atleast_1d(CASES[case]["hips_autograd"]["x"]))
    if program is None:
        assert here == []
    else:
        close(
            here,
            np.atleast_1d(
                grad(lambda x: program(np, x))(np.array(at) if isinstance(at, tuple) else at)
            ),
        )


@pytest.mark.parametrize("name", [name for name, (_, program, _) in ROWS.items() if program])
def test_the_column_of_hips_autograd_is_what_it_gives(name):
    numpy = pytest.importorskip("autograd.numpy")
    autograd = pytest.importorskip("autograd")
    if version("autograd") != MEASURED["measured with"]["autograd"]:
        pytest.skip("another version")
    _, program, at = ROWS[name]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        close(
            table()[name][2],
            np.atleast_1d(autograd.grad(lambda x: program(numpy, x))(np.array(at))),
        )


def test_the_zero_function_has_the_naive_slope():
    def relu(x):
        return np.where(x > 0.0, x, 0.0)

    assert (
        grad(lambda x: (relu(-x) + x) - relu(x))(0.0)
        == CASES["edge_zero_function_bolte_pauwels"]["naive"]
    )


def test_the_culprit_of_the_text_is_the_log():
    assert find_birthplace().expected == ("v1", "0", "inf")
    assert len({find_birthplace(program).expected for program in PROGRAMS}) >= 3
    assert all(
        len(verification.ex_1.make(program=program).misconceptions) >= 2 for program in PROGRAMS
    )


def test_good_answers_are_good():
    with np.errstate(all="ignore"):
        assert slopes(log_or_zero, 0.0) == (0.0, 0.0)
    x = 1e-8
    assert slopes(half_of_sinc_squared, x)[1] == pytest.approx(
        CASES["edge_1mcos"]["classical"], rel=1e-12
    )
    assert (
        grad(lambda x: (1 - np.cos(x)) / (x * x))(x)
        == CASES["edge_1mcos"]["jax"]["x"]
        == 99999999.99999999
    )
    by_cosh = custom_gradient(partials=lambda y, x: 1 / np.cosh(x) ** 2)(np.tanh)
    assert grad(by_cosh)(20.0) == pytest.approx(CASES["edge_tanh_20"]["classical"], rel=1e-13)


def test_a_tie_rule_need_not_be_even():
    def first(x):
        """Give all to the first of the largest."""
        return np.eye(len(x))[np.argmax(x)]

    def greedy_at_three(x):
        """Wrong only where three tie."""
        won = x == np.max(x)
        return won / np.sum(won) * (2 if np.sum(won) == 3 else 1)

    assert set(judge_shares(first).values()) - {FAIR} == {"says what is done at a tie"}
    assert "add up to 2" in " ".join(map(str, judge_shares(greedy_at_three).values()))


def test_an_error_in_a_rule_is_told_by_its_own_line():
    """The decorator's function stands for the learner's, and its lines are not theirs."""
    wrong = custom_gradient(vjp=lambda g, y, x: [np.clip(g, -1.0, 1.0)])(lambda x: x)
    reply = verification.ex_7(wrong)
    assert "returned a list" in reply.text
    assert "UnsupportedError(" not in reply.text


# What the notebook's folded answers say is found by moving


@pytest.mark.parametrize(("h", "agree"), [(0.1, True), (0.3, True), (0.5, False)])
def test_two_slopes_agree_in_three_digits_from_a_step_of_three_tenths(h, agree):
    x, t = np.array([2.0, 5.0]), np.array([0.6, 0.8])

    def f(x):
        return np.log(x[0]) + x[0] * x[1] - np.sin(x[1])

    quotient = (f(x + h * t) - f(x - h * t)) / (2 * h)
    assert (f"{quotient:.4f}"[:4] == f"{grad(f)(x) @ t:.4f}"[:4]) is agree


@pytest.mark.parametrize(
    ("shift", "works"), [(250, False), (300, True), (1700, True), (1750, False)]
)
def test_the_shift_of_a_softmax_has_much_room(shift, works):
    with np.errstate(all="ignore"):
        e = np.exp(np.array([1000.0, 1001.0]) - shift)
        found = e / np.sum(e)
    assert np.allclose(found, [0.26894142, 0.73105858]) is works


def bump(x):
    return (1 - np.cos(x)) / (x * x)


def by_sinc(x):
    return 0.5 * np.sinc(x / (2 * np.pi)) ** 2


def test_precisions_are_compared():
    with np.errstate(all="ignore"):
        table = compare_precisions({"bump": bump, "sinc": by_sinc}, 0.01)
    rows = {row[0].text: [cell.text for cell in row[1:]] for row in table.rows}
    half, single, double = map(int, rows["bump"][1::2])
    assert half == single == 0 and 5 <= double <= 9
    half, single, double = map(int, rows["sinc"][1::2])
    assert half >= 2 and single >= 6 and double >= 14


def test_correct_digits_of_numbers_that_are_none_or_0():
    assert correct_digits(float("inf"), 1.0) == correct_digits(0.0, 1e-9) == 0.0
    assert correct_digits(0.0, 0.0) == 16.0
    assert correct_digits(1.0, 1.0, 1e-7) == pytest.approx(7.0)


def test_the_series_of_the_bumps_slope_is_the_slope():
    assert bump_slope(0.5) == pytest.approx(grad(bump)(0.5), rel=1e-12)
