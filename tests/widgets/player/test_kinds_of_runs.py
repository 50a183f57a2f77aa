"""Runs that are not one number from start to end: several results, an exception, a NaN, a constant."""

from __future__ import annotations

import dataclasses
import json
import math
import warnings
from collections import namedtuple

import numpy as np
import pytest
import traitlets

from autodiff_lab import draw, grad, play, record, table
from autodiff_lab.engine.errors import InputError, ShapeError
from autodiff_lab.trace.model import Trace
from autodiff_lab.transforms.nonfinite import is_born
from autodiff_lab.widgets.player.link import read_address

# ---- several results


def fit(x, w):
    error = x * w - 1
    loss = error**2
    return {"pred": np.stack([x, x * w]), "loss": loss, "name": "fit"}


def test_the_first_number_is_followed_and_the_others_are_on_the_tape():
    player = play(fit, 2.0, 3.0)
    trace = player.trace
    assert trace.results == ("'pred'", "'loss'")
    assert trace.chosen_result == 1
    assert [adjoint.text for adjoint in trace.gradient] == ["30", "20"]
    assert trace.steps[-1].equations[-1].text.startswith("∂loss/∂x = 30")
    assert "this one is result='loss'. To follow another, write result='pred'." in trace.note
    assert "stack" in [line.op for line in trace.lines]


@pytest.mark.parametrize(
    ("result", "gradient"), [(0, "10"), ((1, "a"), "3"), ((1, "b", 0), "4"), ((1, "b", 1), None)]
)
def test_a_result_is_chosen_by_its_path(result, gradient):
    def f(x):
        return x * 10, {"a": x * 3, "b": [x * 4, 7.0]}

    trace = Trace.of(f, 2.0, result=result)
    (found,) = trace.gradient
    assert (found and found.text) == gradient
    assert trace.results[trace.chosen_result] == repr(result)
    forward = Trace.of(f, 2.0, result=result, mode="forward")
    assert forward.tangent == (() if gradient is None else (found,))


def test_a_field_of_a_named_tuple_is_chosen_by_its_name():
    Fit = namedtuple("Fit", ["loss", "slope"])
    trace = Trace.of(lambda x: Fit(x * x, 3 * x), 2.0, result="slope")
    assert trace.gradient[0].text == "3"
    assert trace.result_name == "slope"


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (
            "los",
            r"fit has no result 'los'. Choose one of its results: result='pred', result='loss'\.",
        ),
        (("pred", 0), r"has no result \('pred', 0\)"),
    ],
)
def test_a_wrong_name_says_which_there_are(result, said):
    with pytest.raises(InputError, match=said):
        play(fit, 2.0, 3.0, result=result)


def test_a_name_that_leads_to_several_says_which_they_are():
    with pytest.raises(
        InputError, match=r"several results at 1. Choose one of them: result=\(1, 'a'\), result="
    ):
        Trace.of(lambda x: (x, {"a": x, "b": x}), 2.0, result=1)


def test_a_name_where_there_is_one_result():
    with pytest.raises(
        InputError, match=r"returns one result, not several: leave out result='loss'\."
    ):
        play(lambda x: x * x, 2.0, result="loss")


def test_no_result_is_a_number():
    with pytest.raises(InputError, match="returned no number and no array"):
        play(lambda x: {"name": "fit", "n": None}, 2.0)


def test_the_choice_outlives_a_slider_and_a_tape_still_has_one_result():
    player = play(fit, 2.0, 3.0, result="pred")
    player.inputs = [3.0, 3.0]
    assert player.trace.chosen_result == 0
    with pytest.raises(ShapeError, match="fit returned a dict of results"):
        record(fit, 2.0, 3.0)


def test_pictures_and_tables_follow_the_same_result():
    assert "loss" in str(table(fit, 2.0, 3.0))
    assert "Adjoints of the inputs: x: 30, w: 20." in str(draw(fit, 2.0, 3.0))


# ---- all results at once


def weighted(seeds):
    """The sum of the results of `fit`, each times its seed: what a sweep from all of them differentiates."""

    def total(x, w):
        returned = fit(x, w)
        return np.sum(returned["pred"] * seeds["pred"]) + returned["loss"] * seeds["loss"]

    return total


@pytest.mark.parametrize(
    "seeds",
    [
        {"pred": 1.0, "loss": 1.0},
        {"pred": 0.5, "loss": 2.0},
        {"pred": 0.0, "loss": -3.0},
        {"pred": np.array([1.0, 2.0]), "loss": 0.25},
    ],
)
def test_one_sweep_from_all_results_is_that_of_their_weighted_sum(seeds):
    trace = Trace.of(fit, 2.0, 3.0, seed=seeds)
    expected = grad(weighted(seeds), argnums=(0, 1))(2.0, 3.0)
    assert [adjoint.value for adjoint in trace.gradient] == pytest.approx(expected, rel=1e-14)
    assert trace.value.value == pytest.approx(weighted(seeds)(2.0, 3.0), rel=1e-14)
    assert trace.chosen_result is None
    lines = [step.line for step in trace.steps if step.phase == "seed"]
    assert lines == [seed.line for seed in trace.seeds], (
        "each result gets its seed before the sweep"
    )
    assert [trace.name_result(line) for line in lines] == ["pred", "loss"]
    assert Trace.from_json(trace.to_json()) == trace


def test_a_list_is_the_seed_of_an_array():
    trace = Trace.of(fit, 2.0, 3.0, seed={"pred": [1, 2], "loss": 0.25})
    array = Trace.of(fit, 2.0, 3.0, seed={"pred": np.array([1.0, 2.0]), "loss": 0.25})
    assert trace.gradient == array.gradient


def test_without_seeds_each_is_1_and_the_words_say_so():
    trace = play(fit, 2.0, 3.0, result="all").trace
    assert trace.derivative_name == "(Σpred + loss)"
    assert "one sweep starts at all of them" in trace.note
    assert "sum of its entries is differentiated" not in trace.note
    seeded = [step for step in trace.steps if step.phase == "seed"]
    assert [step.arithmetic.text for step in seeded] == [
        "pred: [1 1], its seed",
        "loss: 1, its seed",
    ]
    assert "loss gets its seed" in seeded[1].announcement
    assert trace.steps[-1].equations[-1].text.startswith("∂(Σpred + loss)/∂x = 34")


def test_a_result_that_another_one_uses_adds_its_seed_to_what_is_sent():
    def f(x):
        pred = 3 * x
        return pred, pred * pred

    trace = Trace.of(f, 2.0, seed=(10, 1))
    pred = trace.seeds[0].line
    assert trace.adjoints_at(len(trace.steps) - 1)[pred].text == "22", (
        "2 · 6 from the loss, 10 its own"
    )
    assert trace.gradient[0].text == "66"


def test_a_result_that_is_returned_twice_has_two_seeds():
    def f(x):
        y = x * x
        return y, y

    trace = Trace.of(f, 3.0, seed=(1, 4))
    assert trace.gradient[0].text == "30"
    assert [step.arithmetic.text for step in trace.steps if step.phase == "seed"] == [
        "y: 1, its seed",
        "y: 1 + 4 = 5, its seed",
    ]


def test_inputs_and_constants_among_all_results():
    trace = Trace.of(lambda x: (x, 7.0, x * x), 3.0, result="all")
    assert trace.gradient[0].text == "7"
    assert [seed.result for seed in trace.seeds] == [0, 2], "a constant has nothing to sweep"
    nothing = play(lambda x: (1.0, 2.0), 3.0, result="all").trace
    assert nothing.seeds == () and "does not depend on the inputs" in nothing.note


def test_a_result_called_all_is_followed_alone():
    trace = Trace.of(lambda x: {"all": x * x, "rest": x}, 3.0, result="all")
    assert (trace.seeds, trace.gradient[0].text) == ((), "6")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"seed": 2.0},
            r"each needs a seed; seed is a single value. .*seed=\{'pred': 1.0, 'loss': 1.0\}",
        ),
        ({"seed": {"pred": 1}}, "there is none for 'loss'"),
        ({"seed": {"pred": 1, "loss": 1, "los": 1}}, "there is no result 'los'"),
        (
            {"seed": {"pred": [1, 2, 3], "loss": 1}},
            r"'pred' .* the shape \(3,\).*like np.ones\(\(2,\)\)",
        ),
        (
            {"seed": {"pred": 1, "loss": [1, 2]}},
            r"'loss' .*the result is a number. Write a seed like 1.0",
        ),
        (
            {"result": "loss", "seed": {"pred": 1, "loss": 1}},
            "Write result='all' to give a seed to each",
        ),
        (
            {"result": "all", "fault": "overwrite"},
            "Choose a single result for forward mode or for a faulty engine",
        ),
    ],
)
def test_a_wrong_seed_says_what_to_write(options, said):
    with pytest.raises(InputError, match=said):
        play(fit, 2.0, 3.0, **options)


def test_one_result_has_no_seed_to_choose():
    with pytest.raises(InputError, match="returns one result, whose seed is 1: leave out seed"):
        play(lambda x: x * x, 2.0, seed=3.0)


def test_all_results_of_a_long_run():
    def f(x):
        early = x
        for k in range(400):
            x = 0.999 * x + 0.1
            if k == 50:
                early = x
        return {"end": x, "early": early}

    player = play(f, 1.0, seed={"end": 1, "early": 2})
    expected = grad(lambda x: f(x)["end"] + 2 * f(x)["early"])(1.0)
    assert player.trace.gradient[0].value == pytest.approx(expected, rel=1e-12)
    long = player._views.long
    windows = [long[k] for k in range(len(long))]
    own = [part for window in windows for part in window.excerpt.parts]
    steps = [step for part in own for step in range(part.at, part.at + part.last - part.first + 1)]
    assert sorted(steps) == [*range(long.steps)], "each step of the run is in one stretch"
    seeded = [step.line for step in windows[-1].steps if step.phase == "seed"]
    assert seeded == [seed.line for seed in windows[-1].seeds] and len(seeded) == 2


# ---- an exception


def check_positive(x):
    y = x * x
    z = np.sin(y)
    if z < 2:
        refuse(z)
    return z


def refuse(z):
    raise ValueError("z is too small\u202e")


def marked(trace: Trace) -> list[str]:
    """The text of the places that an exception came from, outermost first."""
    spans = trace.raised.where
    return [
        trace.sources[span.source].text[span.line][span.column : span.end_column] for span in spans
    ]


def test_a_run_that_raises_plays_up_to_the_failing_line():
    player = play(check_positive, 2.0)
    trace = player.trace
    assert [step.phase for step in trace.steps] == ["record"] * 3
    assert (trace.raised.kind, trace.raised.text) == ("ValueError", "z is too small\ufffd")
    assert marked(trace)[0] == "refuse(z)"
    assert marked(trace)[1].startswith("raise ValueError(")
    assert len(marked(trace)) == 2, "no frame of the engine"
    assert trace.warning.startswith("ValueError: z is too small")
    assert trace.steps[-1].sentence.endswith(
        "Here the run ends: what comes next raised ValueError."
    )
    assert not [
        equation for step in trace.steps for equation in step.equations if "∂" in equation.text
    ]
    assert Trace.from_json(json.dumps(player.payload["trace"])) == trace


@pytest.mark.parametrize("mode", ["forward", "both"])
def test_the_half_that_ran_plays_forward_too(mode):
    player = play(check_positive, 2.0, mode=mode)
    run = player.forward["x"]
    assert [tangent.text for tangent in run.tangents_at(2)[1]] == ["4"]
    assert run.steps[-1].sentence.endswith("raised ValueError.")
    assert run.raised == player.trace.raised


@pytest.mark.parametrize("call", [record, Trace.of, draw, table])
def test_the_exception_reaches_who_does_not_play(call):
    with pytest.raises(ValueError, match="z is too small"):
        call(check_positive, 2.0)


def asks_for_a_float(x):
    y = x * x
    return math.sqrt(y) + 1


def writes_into_an_array(x):
    out = np.zeros(3)
    for i in range(3):
        out[i] = x
    return out.sum()


@pytest.mark.parametrize(
    ("f", "place", "remedy"),
    [
        (asks_for_a_float, "math.sqrt(y)", "return np.sqrt(y) + 1"),
        (writes_into_an_array, "out[i]", "out = np.stack(parts)"),
    ],
)
def test_our_own_errors_are_shown_with_the_line_rewritten(f, place, remedy):
    trace = play(f, 2.0).trace
    assert marked(trace) == [place]
    assert remedy in trace.warning


def test_what_raised_before_an_operation_says_so():
    trace = play(writes_into_an_array, 2.0).trace
    assert [step.phase for step in trace.steps] == ["record"]
    assert (
        trace.opening
        == "writes_into_an_array(x) raised DetachedError before any operation was recorded."
    )


def test_half_a_run_gives_way_to_a_whole_one_which_stays():
    def f(x):
        y = x * x
        if x < 0:
            raise ValueError(f"{float(x.value)} is negative")
        return y

    player = play(f, -1.0)
    assert "-1.0 is negative" in player.trace.warning
    player.inputs = [-2.0]
    assert player.error == ""
    assert "-2.0 is negative" in player.trace.warning
    player.inputs = [2.0]
    assert player.trace.warning == ""
    assert player.trace.gradient[0].text == "4"
    player.inputs = [-3.0]
    assert "-3.0 is negative" in player.error
    assert player.trace.value.text == "4"


def test_a_long_run_that_raises_is_shown_by_stretches():
    def f(x):
        for _ in range(700):
            x = x * 1.001
        raise ValueError("enough")

    player = play(f, 1.0)
    assert player.trace.raised.text == "enough"
    assert player.trace.excerpt.steps == 701


@dataclasses.dataclass
class Params:
    w: float
    b: float


def test_a_dataclass_is_told_to_be_taken_apart():
    with pytest.raises(
        InputError, match=r"Pass the parts of an object as a dict, vars\(p\).*Params\(\*\*parts\)"
    ):
        play(lambda p: p.w * 3 + p.b, Params(1.0, 2.0))


def test_a_half_run_has_every_output(tmp_path):
    player = play(check_positive, 2.0)
    assert "check_positive(x) at x = 2 raised ValueError: z is too small" in player.figure()
    assert player.save_html(tmp_path / "half.html").exists()
    assert "z is too small" in str(player.table())
    assert "raised ValueError" in str(player.transcript())
    assert player.save_svg(tmp_path / "half.svg").exists()
    player.step = 2
    assert player.step == 2


# ---- a NaN, and an infinity


def norm(x, y):
    r = np.sqrt(x * x + y * y)
    return r**2


def births(trace: Trace) -> list[tuple[str, str, str]]:
    return [
        (step.phase, trace.lines[step.line].learner_name, step.birth)
        for step in trace.steps
        if step.birth
    ]


def test_a_nan_is_marked_where_it_is_born_with_the_reason():
    trace = play(norm, 0.0, 0.0).trace
    said = "What arrived at r is 0, its local partial is ∞: 0 × ∞ is NaN."
    assert births(trace) == [("sweep", "r", said)]
    (step,) = (step for step in trace.steps if step.birth)
    assert said in step.sentence
    assert trace.warning == f"Not every number of this run is finite. {said}"


@pytest.mark.parametrize(
    ("f", "args", "said"),
    [
        (lambda x: np.log(x), (0.0,), "An infinity is born in y = log x: log 0 is −∞."),
        (lambda x: x - x * 1e308 * 10, (np.float64(1e10),), "1e+318"),
        (lambda x: np.sum(np.log(x)), (np.array([1.0, 0.0]),), "first at entry [1]: x is 0 there."),
        (lambda x: np.sum(x / (x - x)), (np.array([1.0, 2.0]),), "first at entry [0]"),
        (
            lambda x: x * 1e308 + x * 1e308,
            (0.001,),
            "x held 1e308, and the sum 1e308 + 1e308 is ∞.",
        ),
        (
            lambda x: np.linalg.inv(x)[0, 0] * 1e300,
            (np.array([[1e-200, 0], [0, 1.0]]),),
            "An infinity is born",
        ),
    ],
)
def test_the_reason_is_told_for_every_kind_of_birth(f, args, said):
    if said == "1e+318":
        said = "An infinity is born in"
    trace = play(f, *args).trace
    assert any(said in birth for _, _, birth in births(trace)), births(trace)


def test_a_birth_on_the_way_through_a_reduction_along_an_axis():
    """The weights have one axis more than the upstream gradient, so an elementwise product would be wrong."""
    trace = play(lambda v: np.sum(np.prod(v, axis=1)), np.full((3, 3), 1e200)).trace
    assert [phase for phase, _, birth in births(trace) if "prod(v, axis=1)" in birth] == [
        "record",
        "sweep",
    ]


def test_what_a_nan_touches_is_no_birth():
    trace = play(lambda x: np.sqrt(x - 2) * 3 + 1, 1.0).trace
    assert [name for phase, name, _ in births(trace) if phase == "record"] == ["v₂"]
    assert births(play(lambda x: x * 2, np.nan).trace) == []
    assert births(play(norm, 3.0, 4.0).trace) == []
    assert play(norm, 3.0, 4.0).trace.warning == ""


def test_forward_the_same_births_and_those_of_rates():
    run = play(norm, 0.0, 0.0).forward["x"]
    assert births(run) == [
        ("forward", "r", "The rate of v₃ is 0, its local partial is ∞: 0 × ∞ is NaN.")
    ]


def test_numpys_warning_names_the_learners_line():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        play(norm, 0.0, 0.0)
        play(lambda x: np.log(x), 0.0)
    assert not told, "the player marks it"
    with np.errstate(divide="warn"), pytest.warns(RuntimeWarning, match="divide by zero") as told:
        record(logarithm, 0.0, sites=True)
    assert {(one.filename, one.lineno) for one in told} == {
        (__file__, logarithm.__code__.co_firstlineno + 1)
    }


def logarithm(x):
    return np.log(x)


def test_what_the_learner_wants_raised_is_raised_and_shown():
    with np.errstate(divide="raise"):
        trace = play(logarithm, 0.0).trace
    assert trace.raised.kind == "FloatingPointError"
    assert marked(trace) == ["np.log(x)"]


def test_a_birth_is_worse_than_what_it_is_made_of():
    assert is_born(np.array([1.0, np.nan]), 1.0)
    assert not is_born(np.inf, np.array([0.0, np.nan]))


# ---- a constant


def ignores(x, y):
    return 7.0


def compares(x):
    return 1.0 if x > 0 else 2.0


def in_vain(x):
    y = x * 2
    del y
    return 7.0


def takes_out(x):
    return x.value * 2


@pytest.mark.parametrize(
    ("f", "args", "headline", "reason"),
    [
        (
            ignores,
            (1.0, 2.0),
            "y = 7  nothing in it depends on x, y",
            "The function doesn't use x, y.",
        ),
        (lambda x: 7.0, (1.0,), "y = 7  nothing in it depends on x", "The function doesn't use x."),
        (
            compares,
            (1.0,),
            "y = 1  nothing in it depends on x",
            "x is only compared (x > 0), and a comparison",
        ),
        (
            in_vain,
            (1.0,),
            "y = 7  nothing in it depends on x",
            "y = x · 2 = 1 · 2 = 2 was computed, but",
        ),
        (
            takes_out,
            (1.0,),
            "y = 2  nothing in it depends on x",
            "a plain number instead, as `.value` gives it.",
        ),
    ],
)
def test_a_constant_says_so_and_why(f, args, headline, reason):
    player = play(f, *args)
    trace = player.trace
    assert trace.headline.text.replace("result", "y") == headline
    assert trace.opening.startswith("The derivative is 0. ")
    assert reason in trace.opening
    assert reason in trace.note
    for run in player.forward.values():
        assert (run.headline, run.opening) == (trace.headline, trace.opening)


def test_a_run_that_depends_on_its_inputs_has_no_headline():
    assert play(lambda x: x * x, 2.0).trace.headline is None


# ---- the menu of results


def test_the_menu_of_the_player_follows_another_result():
    player = play(fit, 2.0, 3.0)
    assert player.chosen_result == 1
    player.chosen_result = 0
    assert player.trace.result_name == "pred"
    assert player.error == ""
    player.inputs = [3.0, 3.0]
    assert (player.trace.chosen_result, player.chosen_result) == (0, 0)
    player.chosen_result = 1
    assert player.trace.gradient[0].text == "48"
    with pytest.raises(
        traitlets.TraitError, match=r"there is none at 2: the results are 'pred', 'loss'\."
    ):
        player.chosen_result = 2


def test_the_menu_of_the_player_follows_all_results_each_with_its_seed():
    player = play(fit, 2.0, 3.0, mode="forward")
    player.chosen_result = None
    assert (player.error, player.mode) == ("", "reverse"), "all of them are swept"
    assert [adjoint.text for adjoint in player.trace.gradient] == ["34", "22"]
    player.seeds = [0.5, 2.0]
    assert player.trace.derivative_name == "(0.5·Σpred + 2·loss)"
    assert [adjoint.text for adjoint in player.trace.gradient] == ["62", "41"]
    player.inputs = [3.0, 3.0]
    assert (player.chosen_result, player.trace.gradient[0].text) == (None, "98")
    player.chosen_result = 1
    assert (player.trace.seeds, player.trace.derivative_name) == ((), "loss")
    player.chosen_result = None
    assert player.trace.derivative_name == "(0.5·Σpred + 2·loss)", "the fields keep their seeds"
    with pytest.raises(
        traitlets.TraitError, match="one number for each of the results 'pred', 'loss'"
    ):
        player.seeds = [1.0]


def test_a_link_carries_the_result_and_its_seeds():
    player = play(fit, 2.0, 3.0, seed={"pred": [1, 2], "loss": 0.25})
    assert "seed={'pred': [1, 2], 'loss': 0.25}" in read_address(player.link("https://example.org"))
    player = play(fit, 2.0, 3.0, result="pred")
    assert "result='pred'" in read_address(player.link("https://example.org"))


def test_a_run_with_fewer_results_says_that_the_chosen_one_is_gone():
    def f(x):
        return {"a": x, "b": 2 * x} if x > 0 else {"a": x}

    player = play(f, 1.0)
    player.chosen_result = 1
    player.inputs = [-1.0]
    assert "has no result 'b'. Choose one of its results: result='a'." in player.error
    assert player.trace.gradient[0].text == "2"
