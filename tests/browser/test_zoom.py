"""The graph can be zoomed, dragged and fitted; a step doesn't move a graph that the learner has placed."""

import numpy as np
import pytest

from autodiff_lab import play

from .conftest import photograph
from .player_page import PlayerOnPage, f

WIDTH = "document.querySelector('svg.adl-graph').getBoundingClientRect().width"
WHOLE, FOLLOW = "Fit: show the whole graph", "Follow the steps, at a size that can be read"
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
    player.press(WHOLE)
    player.press(FOLLOW)
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
    player.key("0", "0")
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
    start = page.evaluate(PLACE)
    bare = """(e) => { const { left, top, right, bottom } = e.getBoundingClientRect();
        for (let x = left + 80; x < right - 20; x += 20) for (let y = bottom - 20; y > top + 50; y -= 20)
            if (!document.elementFromPoint(x, y).closest(".adl-node, .adl-edge")) return [x, y]; }"""
    x, y = player.root.locator(".adl-graph-body").evaluate(bare)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 60, y - 30, steps=4)
    page.mouse.up()
    dragged = page.evaluate(PLACE)
    assert dragged != start
    player.focus()
    player.key("End", "Home", "ArrowRight")
    page.wait_for_timeout(300)
    assert page.evaluate(PLACE) == dragged
    player.press(WHOLE)
    player.press(FOLLOW)
    assert page.evaluate(PLACE) != dragged


def chain(x, w):
    for _ in range(10):
        x = np.sin(w * x) + x
    return x


def longer_chain(x, w):
    for _ in range(16):
        x = np.sin(w * x) + x
    return x


def turns(x, w):
    for _ in range(60):
        x = np.sin(w * x) + 0.1
    return x


INSIDE = """() => {
    const [a, b] = ['svg.adl-graph', '.adl-graph-body']
        .map((one) => document.querySelector(one).getBoundingClientRect());
    return a.left >= b.left && a.right <= b.right && a.top >= b.top && a.bottom <= b.bottom; }"""


@pytest.mark.parametrize(
    ("function", "width"),
    [
        (longer_chain, 1280),
        *((chain, width) for width in (1000, 800, 380)),
        *((turns, width) for width in (1280, 1000, 800, 380)),
    ],
)
def test_fit_shows_the_whole_graph_and_again_follows(function, width, tmp_path, new_page, request):
    page = new_page(offline=True, width=width)
    page.goto(play(function, 0.5, 1.3).save_html(tmp_path / "long.html").as_uri())
    player = PlayerOnPage(page)
    player.focus()
    player.key(*["ArrowRight"] * 8)
    followed = page.evaluate(WIDTH)
    assert not page.evaluate(INSIDE), "the graph is large enough for the test"
    player.press(WHOLE)
    assert page.evaluate(INSIDE)
    photograph(page, request, f"{function.__name__} {width} whole")
    whole = page.evaluate(WIDTH)
    player.focus()
    for _ in range(8):  # in a graph of groups some close, and others open
        player.key("ArrowRight")
        assert page.evaluate(INSIDE)
    player.key(*["ArrowLeft"] * 8)
    assert page.evaluate(WIDTH) == whole, "it does not creep"
    player.press(FOLLOW)
    assert page.evaluate(WIDTH) == followed
    assert player.root.get_by_role("button", name=WHOLE).inner_text() == "fit"


# The signs and buttons that stand over what is drawn; and how many of its fading sides stand over the box of this step.
COVERED = """() => {
    const hit = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    const seen = (selector) => [...document.querySelectorAll(selector)]
        .filter((one) => one.checkVisibility({ visibilityProperty: true })).map((one) => one.getBoundingClientRect());
    const now = seen(".adl-node.is-current .adl-frame")[0];
    const pane = document.querySelector(".adl-graph-body").getBoundingClientRect();
    const inPane = ({ left, right, top, bottom }) => ({
        left: Math.max(left, pane.left), right: Math.min(right, pane.right),
        top: Math.max(top, pane.top), bottom: Math.min(bottom, pane.bottom) });  // the rest is scrolled away
    const drawn = seen(".adl-node .adl-frame, .adl-label").map(inPane);
    const over = seen(".adl-beyond span, .adl-lens").filter((one) => drawn.some((box) => hit(one, box)));
    return [over.length, seen(".adl-more").filter((one) => hit(one, now)).length]; }"""


@pytest.mark.parametrize("width", [1280, 380])
def test_nothing_stands_over_the_graph(width, tmp_path, new_page):
    page = new_page(offline=True, width=width)
    page.emulate_media(reduced_motion="reduce")
    page.goto(play(chain, 0.5, 1.3).save_html(tmp_path / "long.html").as_uri())
    player = PlayerOnPage(page)
    player.focus()
    signs = set()
    for step in range(1, 70):
        player.key("ArrowRight")
        assert page.evaluate(COVERED) == [0, 0], step
        signs |= set(player.root.locator(".adl-beyond .is-on").all_inner_texts())
    if width == 380:
        assert {"‹", "›"} <= signs and any(sign.startswith("‹ ") for sign in signs), (
            "the graph is large enough"
        )
    else:
        assert page.evaluate(INSIDE) and not signs, "all of it is in view"
