"""A player linked to other widgets, in both directions."""

import ipywidgets as widgets
import pytest

from autodiff_lab import play


def square(x):
    return x * x


def product(x1, x2):
    return x1 * x2


def answer(player):
    return player.trace.value.text


def test_interact_gives_a_player_its_inputs():
    player = play(product, 2.0, 5.0)
    moved = widgets.interactive(
        lambda x1, x2: setattr(player, "inputs", [x1, x2]), x1=(0.0, 9.0), x2=(0.0, 9.0)
    )
    moved.children[0].value, moved.children[1].value = 3.0, 4.0
    moved.update()
    assert player.inputs == [3.0, 4.0] and answer(player) == "12"


@pytest.mark.parametrize("link", [widgets.link, widgets.dlink])
def test_two_players_have_the_same_inputs(link):
    one, other = play(square, 3.0), play(square, 2.0)
    link((one, "inputs"), (other, "inputs"))
    assert other.inputs == [3.0]
    one.inputs = [4.0]
    assert answer(one) == answer(other) == "16"
    other.inputs = [5.0]
    assert answer(one) == ("25" if link is widgets.link else "16") and answer(other) == "25"


def test_a_slider_steps_and_is_moved_by_steps():
    player, slider = play(square, 3.0), widgets.IntSlider(min=-1, max=2, value=0)
    widgets.link((slider, "value"), (player, "step"))
    assert player.step == 0
    player.step = 1
    assert slider.value == 1


def test_links_of_the_page_name_traits_that_it_has():
    """`jslink` never asks Python: what it needs is that the page has both ends."""
    one, other = play(square, 3.0), play(square, 2.0)
    for trait in ("inputs", "step"):
        link = widgets.jslink((one, trait), (other, trait))
        assert link.get_state()["source"] == [f"IPY_MODEL_{one.model_id}", trait]
