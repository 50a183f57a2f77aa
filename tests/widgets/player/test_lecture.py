"""Players for a lecture hall: their scale, and defaults that apply to all of them."""

import pytest

import autodiff_lab as ad
from autodiff_lab.engine.errors import InputError
from autodiff_lab.widgets.defaults import play_defaults
from autodiff_lab.widgets.player import page


@pytest.fixture(autouse=True)
def as_before():
    before = play_defaults()
    yield
    play_defaults(**before)


def square(x):
    return x * x


def html(player):
    return page.figure(player.trace, player._collect_page_state())


def test_a_player_is_normal_unless_it_is_asked_for():
    assert ad.play(square, 3.0).scale == "normal"
    assert '"scale"' not in html(ad.play(square, 3.0))
    large = ad.play(square, 3.0, scale="lecture")
    assert '"scale":"lecture"' in html(large)
    large.scale = "normal"
    assert '"scale"' not in html(large)


def test_defaults_hold_for_players_that_do_not_say():
    ad.play_defaults(scale="lecture")
    assert ad.play(square, 3.0).scale == "lecture"
    assert ad.play(square, 3.0, scale="normal").scale == "normal"


def test_the_style_of_a_notebook_makes_players_large():
    style = ad.lecture_style(30)
    assert ad.play(square, 3.0).scale == "lecture"
    shown = style._repr_mimebundle_()
    assert "--jp-content-font-size1: 30px" in shown["text/html"]
    assert "script" not in shown["text/html"]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ad.play(square, 3.0, scale="huge"), "scale must be 'normal' or 'lecture'"),
        (lambda: ad.play_defaults(scale="huge"), "scale must be 'normal' or 'lecture'"),
        (lambda: ad.lecture_style("large"), "a number from 14 to 60"),
        (lambda: ad.lecture_style(400), "a number from 14 to 60"),
    ],
)
def test_what_is_not_possible_is_said(call, said):
    with pytest.raises(InputError, match=said):
        call()
