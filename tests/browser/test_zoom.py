"""The graph can be zoomed, dragged and fitted; what the learner has placed, no step moves."""

import pytest

from autodiff_lab import play

from .conftest import photograph
from .player_page import PlayerOnPage, f

WIDTH = "document.querySelector('svg.adl-graph').getBoundingClientRect().width"
PLACE = "[document.querySelector('.adl-graph-body').scrollLeft, document.querySelector('.adl-graph-body').scrollTop]"


@pytest.fixture(params=["light", "dark"])
def player(request, tmp_path, new_page):
    page = new_page(offline=True, width=1400, color_scheme=request.param)
    page.goto(play(f, 2.0, 5.0).save_html(tmp_path / "flow.html").as_uri())
    player = PlayerOnPage(page)
    player.focus()
    player.key("ArrowRight", "ArrowRight")
    return player


def test_buttons_zoom_and_fit(player, request):
    page, fitted = player.page, player.page.evaluate(WIDTH)
    player.press("Zoom in")
    player.press("Zoom in")
    assert page.evaluate(WIDTH) == pytest.approx(fitted * 1.25**2, rel=0.01)
    photograph(page, request, "near")
    player.press("Fit the graph and follow the steps")
    assert page.evaluate(WIDTH) == fitted
    player.press("Zoom out")
    assert page.evaluate(WIDTH) == pytest.approx(fitted / 1.25, rel=0.01)
    assert player.step == 2


def test_keys_zoom_where_the_graph_has_the_focus(player):
    page, fitted = player.page, player.page.evaluate(WIDTH)
    player.key("+")
    assert page.evaluate(WIDTH) == fitted, "elsewhere the key belongs to others"
    node = player.root.locator("[data-node=n0]")
    node.focus()
    player.key("+", "+", "+")
    assert page.evaluate(WIDTH) > fitted * 1.9
    inside = """node => { const [a, b] = [node, node.closest('.adl-graph-body')].map((x) => x.getBoundingClientRect());
        return a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1; }"""
    assert node.evaluate(inside), "what has the focus stays visible"
    player.key("0")
    assert page.evaluate(WIDTH) == fitted
    player.key("-")
    assert page.evaluate(WIDTH) < fitted
    player.key("ArrowRight")
    assert player.step == 3


def test_the_wheel_zooms_about_the_pointer(player):
    page, fitted = player.page, player.page.evaluate(WIDTH)
    node = player.root.locator("[data-node=n1]")

    def turn(deltas):
        for delta in deltas:
            box = node.bounding_box()
            at = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            page.mouse.move(*at)
            width = page.evaluate(WIDTH)
            page.keyboard.down("Control")
            page.mouse.wheel(0, delta)
            page.keyboard.up("Control")
            page.wait_for_function(f"{WIDTH} > {width}")
        return at

    turn([-120, -120, -120])  # now the graph is larger than its pane
    at = turn([-60])
    box = node.bounding_box()
    assert page.evaluate(WIDTH) > 2 * fitted
    assert abs(box["x"] + box["width"] / 2 - at[0]) < 12
    assert abs(box["y"] + box["height"] / 2 - at[1]) < 12


def test_what_was_dragged_stays(player):
    page = player.page
    for _ in range(4):
        player.press("Zoom in")
    box = player.root.locator(".adl-graph-body").bounding_box()
    start = page.evaluate(PLACE)
    page.mouse.move(box["x"] + 20, box["y"] + box["height"] - 60)
    page.mouse.down()
    page.mouse.move(box["x"] - 40, box["y"] + box["height"] - 90, steps=4)
    page.mouse.up()
    dragged = page.evaluate(PLACE)
    assert dragged != start
    player.focus()
    player.key("End", "Home", "ArrowRight")
    page.wait_for_timeout(300)
    assert page.evaluate(PLACE) == dragged
    player.press("Fit the graph and follow the steps")
    assert page.evaluate(PLACE) != dragged
