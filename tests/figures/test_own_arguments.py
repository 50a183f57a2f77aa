"""What a learner's function takes beside numbers: counts, strings, keywords of its own, or nothing at all."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff_lab import Trace, custom_gradient, draw, grad, play, record, table
from autodiff_lab.engine.errors import DetachedError, InputError

SHOWN = (play, draw, table, Trace.of)


def power_sum(x, n):
    return sum(x**k for k in range(n))


def scaled(x, scale=1.0, *, width=1.0):
    return x * scale / width


def nothing():
    return 3.0


COUNTED = {
    "range": power_sum,
    "range of a sum": lambda x, n: sum(x * k for k in range(1, n + 1)),
    "int": lambda x, n: sum(x for _ in range(int(n / 2))),
    "entry of a list": lambda x, n: x * [1.0, 2.0, 3.0, 4.0, 5.0][n],
    "entry of an array": lambda x, n: x * np.arange(5.0)[n - 1],
    "np.zeros": lambda x, n: np.sum(x + np.zeros(n)),
    "np.arange": lambda x, n: np.sum(x ** np.arange(n)),
    "np.eye": lambda x, n: np.sum(x * np.eye(n, n + 1)),
    "np.tile": lambda x, n: np.sum(np.tile(x, n)),
    "np.repeat": lambda x, n: np.sum(np.repeat(x, n)),
}


@pytest.mark.parametrize("f", COUNTED.values(), ids=COUNTED)
def test_an_integer_that_is_counted_with_stays_constant(f):
    value, tape = record(f, 0.5, 4)
    assert value == f(0.5, 4)
    assert tape.input_names == ["x"]
    assert (tape.constant_arguments, tape.count_arguments) == ({"n": 4}, ("n",))
    trace = Trace.of(f, 0.5, 4)
    assert trace.gradient[0].value == pytest.approx(grad(f)(0.5, 4), rel=1e-12)
    assert "n = 4 stays constant: Python needs it as an index or a count" in trace.note


def test_an_integer_is_an_input_where_it_is_only_a_number():
    trace = Trace.of(lambda x, n: x**n, 0.5, 4)
    assert [trace.lines[i].label for i in trace.inputs] == ["x", "n"]
    assert trace.note == ""


def test_counts_of_several_arguments_and_inside_a_shape():
    def blocks(shape, x, n):
        return np.sum(x * np.ones(shape)) * [2.0, 3.0][n]

    value, tape = record(blocks, (2, 3), 0.5, 1)
    assert (value, tape.input_names, tape.count_arguments) == (9.0, ["x"], ("shape", "n"))
    note = Trace.of(blocks, (2, 3), 0.5, 1).note
    assert "shape = (2, 3), n = 1 stay constant" in note


@pytest.mark.parametrize(
    "f, args",
    [
        (lambda n: sum(range(n)), (4,)),
        (lambda x, n: sum(range(x * n)), (2.0, 4)),
        (lambda x, y: np.sum(np.array([x, y])), (2, 5)),
    ],
    ids=["nothing else is an input", "a float is in it", "all are stacked"],
)
def test_a_count_that_cannot_stay_constant_is_refused_as_before(f, args):
    with pytest.raises(DetachedError):
        record(f, *args)


def test_the_refused_count_says_what_works():
    with pytest.raises(DetachedError, match=r"int\(x\.value\).*lambda x: f\(x, 4\)"):
        grad(lambda n: sum(range(n)))(4.0)
    assert grad(lambda n: n * len(range(int(n.value))))(4.0) == 4.0


def test_the_learner_sees_which_integer_is_constant():
    player = play(power_sum, 0.5, 4)
    assert repr(player).startswith("Player(power_sum(x, n=4), ")
    assert "n = 4 stays constant" in player.payload["trace"]["note"]
    assert [control["name"] for control in player.controls] == ["x"]
    player.inputs = [0.25]
    assert (player.error, player.trace.value.value) == ("", power_sum(0.25, 4))
    assert str(table(power_sum, 0.5, 4)).endswith("such an integer has no derivative.")
    assert str(record(power_sum, 0.5, 4)[1]).startswith("n = 4, a constant\nv0 = 0.5\n")


def test_a_count_in_front_leaves_each_slider_its_input():
    player = play(lambda n, x, y: sum(x * y for _ in range(n)), 3, 2.0, 5.0, direction={"y": 1.0})
    assert [control["name"] for control in player.controls] == ["x", "y"]
    assert (player.inputs, player.custom) == ([2.0, 5.0], [0.0, 1.0])
    player.inputs = [2.0, 7.0]
    assert player.trace.value.value == 42.0


@pytest.mark.parametrize("constant", ["relu", None, True, np.True_])
@pytest.mark.parametrize("show", SHOWN)
def test_strings_none_and_booleans_stay_constant(show, constant):
    seen = []
    show(lambda x, how: (seen.append(how), x * 2)[1], 2.0, constant)
    assert seen == [constant]


@pytest.mark.parametrize("show", SHOWN)
def test_keywords_of_the_function_go_into_kwargs(show):
    shown = show(scaled, 3.0, kwargs={"scale": 5.0, "width": 2})
    title = "scaled(x, scale=5.0, width=2)"
    assert title in (str(shown) if show is table else repr(shown))


def test_kwargs_are_kept_when_an_input_changes():
    player = play(scaled, 3.0, kwargs={"scale": 5.0})
    player.inputs = [4.0]
    assert (player.error, player.trace.value.value) == ("", 20.0)
    assert record(scaled, 3.0, kwargs={"scale": 5.0})[0] == 15.0


@pytest.mark.parametrize("show", (*SHOWN, record))
def test_a_keyword_that_is_none_of_ours_is_told_where_it_goes(show):
    with pytest.raises(InputError, match=r"has no option 'width'.*kwargs=\{'width': 2\.0\}"):
        show(scaled, 3.0, width=2.0)


def test_a_keyword_named_like_an_option_is_told_where_it_goes():
    with pytest.raises(
        InputError,
        match=r"scale must be 'normal' or 'lecture'\..*play\(scaled, …, kwargs=\{'scale': 5\.0\}\)",
    ):
        play(scaled, 3.0, scale=5.0)
    with pytest.raises(InputError, match=r"scale must be 'normal' or 'lecture'\.$"):
        play(lambda x: x, 3.0, scale=5.0)


@pytest.mark.parametrize("show", SHOWN)
def test_a_function_without_inputs_says_what_to_write(show):
    with pytest.raises(
        InputError,
        match=r"this function takes no input.*def nothing\(x\): ….*play\(nothing, 2\.0\)",
    ):
        show(nothing)
    with pytest.raises(
        InputError, match=r"no input was passed\. Pass a value for x: play\(f, 2\.0\)"
    ):
        show(lambda x=2.0: x)


TURN = "\N{RIGHT-TO-LEFT OVERRIDE}"


QUOTING = f"""\
def quoting(x):
    note = "{TURN} turned round"
    if x < 0:
        raise ValueError(note)
    return x * len(note)
"""


def test_nothing_that_is_shown_turns_the_text_around_it(tmp_path):
    def step(x):
        return x * 2

    step.__name__ = f"step{TURN}"
    own = custom_gradient(partials=lambda y, x: 2.0)(step)
    file = tmp_path / "quoting.py"
    file.write_text(QUOTING, encoding="utf-8")
    exec(compile(QUOTING, str(file), "exec"), written := {})

    def whole(x, p):
        return own(x) * p[TURN] + written["quoting"](x)

    whole.__name__ = f"whole{TURN}"
    args = (3.0, {TURN: 2.0})
    player = play(whole, *args, kwargs={})
    page = player.save_html(tmp_path / "page.html").read_text(encoding="utf-8")
    drawing = draw(whole, *args)
    assert "whole\N{REPLACEMENT CHARACTER}(x, p)" in page
    assert "\N{REPLACEMENT CHARACTER} turned round" in page
    for shown in (
        repr(player),
        page,
        drawing.source,
        str(drawing.description),
        str(table(whole, *args)),
        str(record(whole, *args)[1]),
    ):
        assert TURN not in shown
    player.inputs = [-1.0, 2.0]
    assert "turned round" in player.error
    assert TURN not in player.error
