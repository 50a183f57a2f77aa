"""Where there is little room, a finger, or paper: a saved page at 400 %, on a projector, on a phone, printed."""

import itertools
import re

import numpy as np
import pytest

from autodiff_lab import play

from .conftest import SCREENSHOTS, SCREENSHOTS_WANTED, photograph
from .player_page import AT_HALF_WAY, LAST, PlayerOnPage, f
from .test_themes import CONTRAST


def long(x, w):
    for _ in range(4):
        x = np.sin(w * x) + np.exp(-x * x) / (1.0 + w)
    return x * w


@pytest.fixture
def opened(new_page, tmp_path):
    def opened(function=f, args=(2.0, 5.0), **options):
        page = new_page(offline=True, **options)
        page.goto(play(function, *args).save_html(tmp_path / "flow.html").as_uri())
        return PlayerOnPage(page)

    return opened


# What is wider than its box. The graph and the two tables are pictures and data: they may scroll by themselves.
CUT_OFF = """() => [...document.querySelectorAll(".adl-player, .adl-player :not(svg *, option)")]
    .filter((e) => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline"
        && !e.closest(".adl-graph-body, .adl-more, .adl-tape-body, .adl-meter"))
    .map((e) => `${e.className} is ${e.scrollWidth} wide in ${e.clientWidth}`)"""


IN_FRONT = """(e, [x, y]) => {
    const top = document.elementFromPoint(x, y);
    return e.contains(top) || top.contains(e);
}"""


def test_at_400_percent(opened):
    """A window of 1280 × 1024 at 400 % has 320 × 256 pixels: all is there, and text scrolls in one direction."""
    player = opened(width=320, height=256)
    page = player.page
    for step in range(LAST + 1):
        if step:
            player.press("Forward one step")
        player.arrives_at(step)
        assert page.evaluate("document.documentElement.scrollWidth") == 320, (
            "the page scrolls sideways"
        )
        assert page.evaluate(CUT_OFF) == [], step
    player.shows_the_gradient()
    for one in player.root.locator(
        ":is(button, select, input, .adl-sentence, .adl-equation):visible"
    ).all():
        one.scroll_into_view_if_needed()
        box = one.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 320
        middle = [box["x"] + box["width"] / 2, min(250, max(box["y"], 4) + 4)]
        assert one.evaluate(IN_FRONT, middle), "something stands before it"
    player.root.locator(".adl-sentence").scroll_into_view_if_needed()
    if SCREENSHOTS_WANTED:
        page.screenshot(path=SCREENSHOTS / "test_at_400_percent_in_the_window.png")


def test_a_table_wider_than_the_window_scrolls_by_keyboard(opened):
    player = opened(width=320, height=800)
    player.open_details()
    meter = player.root.locator(".adl-meter")
    meter.focus()
    player.key("ArrowRight", "ArrowRight")
    player.page.wait_for_function("e => e.scrollLeft > 20", arg=meter.element_handle())
    assert player.step == 0, "here the arrows are its own"
    player.page.set_viewport_size({"width": 1280, "height": 800})
    player.page.wait_for_function("e => e.scrollWidth <= e.clientWidth", arg=meter.element_handle())
    player.key("ArrowRight")
    assert player.step == 1, "where it does not scroll they are the player's"


def test_a_projector_shows_the_step_and_what_is_said_of_it(opened):
    """1024 × 768: controls, source, graph, tape, arithmetic and sentence of a step stand there, nothing scrolled."""
    player = opened(width=1024, height=768)
    widths = set()
    for step in range(1, LAST + 1):
        player.press("Forward one step")
        player.arrives_at(step)
        for part in (
            ".adl-transport",
            ".adl-code",
            ".adl-tape tbody tr",
            ".adl-equation",
            ".adl-sentence",
        ):
            box = player.root.locator(part).last.bounding_box()
            assert box["y"] >= 0 and box["y"] + box["height"] <= 768, (step, part)
        widths.add(
            tuple(pane.bounding_box()["width"] for pane in player.root.locator(".adl-pane").all())
        )
    assert len(widths) == 1, "the panes keep their widths"
    body = player.root.locator(".adl-graph-body")
    assert body.evaluate(
        "e => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight"
    ), "the whole graph"
    if SCREENSHOTS_WANTED:
        player.page.screenshot(path=SCREENSHOTS / "test_a_projector_in_the_window.png")


def sentences(params, x):
    first = np.tanh(
        params["the weights of the first layer"] @ x + params["the shifts of the first layer"]
    )
    return np.sum(
        np.tanh(
            params["the weights of the second layer"] @ first
            + params["the shifts of the second layer"]
        )
    )


LAYERS = {
    "the weights of the first layer": np.arange(12.0).reshape(4, 3) / 7,
    "the shifts of the first layer": np.arange(4.0) / 7,
    "the weights of the second layer": np.arange(8.0).reshape(2, 4) / 7,
    "the shifts of the second layer": np.arange(2.0) / 7,
}


def test_one_long_step_leaves_no_band_below_the_others(opened):
    """The words of a step stand in a box of one height; the few that are far longer can be read by key all the same."""
    player = opened(sentences, (LAYERS, np.array([0.5, -1.0, 2.0])), width=720, height=1000)
    words = player.root.locator(".adl-words")
    cut = """e => { const said = e.querySelector('.adl-sentence');
        return [e.clientHeight, e.getAttribute('tabindex'), e.scrollTop,
            e.scrollHeight > e.clientHeight + 1 || said.scrollHeight > said.clientHeight + 1]; }"""
    player.focus()
    seen = []
    while (
        player.root.get_by_role("button", name="Forward one step").get_attribute("aria-disabled")
        == "false"
    ):
        player.key("ArrowRight")
        seen.append(words.evaluate(cut))
    assert len({height for height, *_ in seen}) == 1, "nothing moves while stepping"
    assert seen[0][0] < 160
    long = [more for *_, more in seen]
    assert True in long and False in long, "this run has a step that is long enough for the test"
    assert all(top == 0 for *_, top, _ in seen)
    for _, stop, _, more in seen:
        assert stop == ("0" if more else None), (
            "what is cut can be reached by key, and nothing else is a stop"
        )
    player.scrub(long.index(True) + 1)
    words.focus()
    for _ in range(20):  # a key that comes while it still scrolls may go no further
        if words.evaluate("e => e.scrollTop >= e.scrollHeight - e.clientHeight - 1"):
            break
        player.key("ArrowDown")
        player.page.wait_for_timeout(200)
    end, box = player.root.locator(".adl-sentence").bounding_box(), words.bounding_box()
    assert end["y"] + end["height"] <= box["y"] + box["height"], "its end can be read"
    assert player.root.locator(".adl-sentence").evaluate(
        "e => e.scrollHeight <= e.clientHeight + 1"
    )
    player.key("ArrowLeft")  # the longest words may be those of the last step
    player.page.wait_for_function("e => e.scrollTop === 0", arg=words.element_handle())


class Finger:
    """One finger on a touch screen."""

    def __init__(self, page):
        self.page, self.devtools = page, page.context.new_cdp_session(page)

    def swipe(self, start, end, moves=8):
        for k in range(moves + 1):
            at = [a + (b - a) * k / moves for a, b in zip(start, end, strict=True)]
            touch = {
                "type": "touchMove" if k else "touchStart",
                "touchPoints": [{"x": at[0], "y": at[1]}],
            }
            self.devtools.send("Input.dispatchTouchEvent", touch)
            self.page.wait_for_timeout(16)
        self.devtools.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def middle(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


# A finger needs 24 pixels, or that much room around it; letters of a program stand as close as its lines do.
TOO_SMALL = """() =>
    [...document.querySelectorAll(".adl-player :is(button, select, input, label, tr[data-line], .adl-node)")]
    .filter((e) => e.checkVisibility({ visibilityProperty: true }) && !e.closest(".is-constant, .is-again")
        && !e.matches("label > [type=checkbox]")) // its label is as good to hit
    .map((e) => [e.getBoundingClientRect(), e.outerHTML.slice(0, 80)])
    .filter(([{ width, height }]) => width < 24 || height < 24).map(([, html]) => html)"""


def test_a_finger_on_a_phone(opened):
    player = opened(width=380, height=800, has_touch=True, is_mobile=True)
    page, finger = player.page, None
    for step in (1, 2, 3):
        player.root.get_by_role("button", name="Forward one step").tap()
        player.arrives_at(step)
    player.root.locator("[data-node=n3]").tap()
    player.arrives_at(2)
    player.root.locator("tr[data-line='6']").tap()
    player.arrives_at(5)
    player.root.get_by_role("button", name="Details").tap()
    player.root.locator("label", has_text="both").tap()
    assert player.root.get_attribute("data-mode") == "both"
    player.root.locator("label", has_text="reverse").tap()

    finger = Finger(page)
    scrubber = player.root.get_by_role("slider", name="Step", exact=True)
    box = scrubber.bounding_box()
    y = box["y"] + box["height"] / 2
    finger.swipe(
        (box["x"] + 9 + (box["width"] - 18) * player.step / LAST, y),
        (box["x"] + box["width"] + 20, y),
    )
    player.arrives_at(LAST)
    player.shows_the_gradient()

    page.evaluate("scrollTo(0, 0)")
    finger.swipe((190, 500), (190, 200))
    page.wait_for_function("scrollY > 100")
    assert page.evaluate(TOO_SMALL) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 380

    player = opened(long, (0.5, 1.3), width=380, height=800, has_touch=True, is_mobile=True)
    page, finger = player.page, Finger(player.page)
    graph = player.root.locator(".adl-graph-body")
    graph.scroll_into_view_if_needed()
    before = graph.evaluate("e => e.scrollLeft")
    x, y = middle(graph)
    way = 60 if before < 100 else -60
    finger.swipe((x + way, y), (x - way, y))
    page.wait_for_function(
        "([e, left]) => Math.abs(e.scrollLeft - left) > 50", arg=[graph.element_handle(), before]
    )
    assert player.step == 0, "and steps nothing"


def pages_of(pdf):
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_paper(theme, opened):
    """The current step is printed in dark ink on one sheet, without buttons and sliders."""
    player = opened(width=1280, color_scheme=theme)
    page = player.page
    # as a page around it does
    page.evaluate("theme => document.documentElement.setAttribute('theme', theme)", theme)
    player.scrub(AT_HALF_WAY)
    player.shows_half_way()
    assert pages_of(page.pdf(format="A4")) == 1
    page.set_viewport_size({"width": 718, "height": 1000})  # what A4 has between its margins
    page.emulate_media(media="print")
    assert player.column("adjoint")[1] == "−0.2837" and player.node(1).endswith("| 5 | −0.2837")
    assert (
        not player.root.locator(":is(.adl-transport, .adl-lens, .adl-more)")
        .locator("visible=true")
        .count()
    )
    # Paper is white whatever the theme; a printer leaves backgrounds out.
    page.add_style_tag(
        content="body * { background: none !important } html { background: #fff !important }"
    )
    page.add_style_tag(content=".adl-player.adl-player .adl-frame { fill: none !important }")
    page.wait_for_function("() => document.getAnimations().length === 0")
    texts = player.root.evaluate(CONTRAST)
    assert {"−0.2837", "0.2837"} <= {text["text"] for text in texts}
    faint = [text for text in texts if text["ratio"] < 4.5]
    assert not faint, faint


def test_nothing_is_cut_off_on_paper(opened, request):
    """The panes of a longer run scroll on the screen; on paper they are printed in full."""
    player = opened(long, (0.5, 1.3), width=1280)
    page = player.page
    player.open_details()
    player.focus()
    player.key("End", *["ArrowLeft"] * 12)
    scrolls = ".adl-player :is(.adl-scroll, .adl-pane)"
    cut = """selector => [...document.querySelectorAll(selector)].filter(
        (e) => e.scrollHeight > e.clientHeight + 1 || e.scrollWidth > e.clientWidth + 1).map((e) => e.className)"""
    assert page.evaluate(cut, scrolls), "this run is long enough for the test"
    photograph(page, request, "on the screen")
    page.set_viewport_size({"width": 718, "height": 1000})
    page.emulate_media(media="print")
    for part in ("tape", "graph", "source"):
        pane = player.root.locator(f".adl-pane-{part}").bounding_box()
        for one in player.root.locator(f".adl-pane-{part} :is(tr, .adl-node, .adl-code)").all():
            box = one.bounding_box()
            assert (
                box["y"] >= pane["y"] and box["y"] + box["height"] <= pane["y"] + pane["height"] + 1
            )
            assert box["x"] + box["width"] <= 719
    for cell in player.root.locator(".adl-meter td").all():
        assert cell.bounding_box()["x"] + cell.bounding_box()["width"] <= 718
    hidden = "e => ['auto', 'scroll', 'hidden'].includes(getComputedStyle(e).overflowY)"
    assert not any(one.evaluate(hidden) for one in player.root.locator(".adl-scroll").all())


def normed(x):
    s = x - np.mean(x, axis=1, keepdims=True)
    v = np.sqrt(np.sum(s * s, axis=1, keepdims=True) + 1e-3)
    return np.sum(s / v * np.array([1.0, 2.0, 3.0]))


@pytest.mark.parametrize("rows", [2, 7], ids=["small", "strip"])
def test_what_the_screen_draws_in_cells_stands_on_paper_in_full(rows, opened, request):
    player = opened(normed, (np.arange(3.0 * rows).reshape(rows, 3) * 1.2345e-6,), width=1280)
    page = player.page
    player.focus()
    player.key("End")
    cells = player.root.locator(".adl-tape td[data-whole]")
    player.open_details()
    assert cells.count() > 2, "this run has arrays"
    assert all(cell.locator(".adl-unseen").count() for cell in cells.all()), (
        "they are drawn, and read aloud"
    )
    page.set_viewport_size({"width": 718, "height": 1000})
    page.emulate_media(media="print")
    photograph(page, request, "on paper")
    for cell in cells.all():
        shown = cell.evaluate(
            "e => [getComputedStyle(e).fontSize, getComputedStyle(e, '::after').content]"
        )
        assert shown == ["0px", f'"{cell.get_attribute("data-whole")}"']
        assert cell.evaluate("e => e.scrollWidth <= e.clientWidth")
    blocks = [
        one.bounding_box() for one in player.root.locator(".adl-pane, .adl-words, .adl-meter").all()
    ]
    for above, below in itertools.pairwise(blocks):
        assert above["y"] + above["height"] <= below["y"] + 1, "one part is printed over the next"


def wide(the_first_input_of_it, another_input):
    a_value_with_a_long_name = the_first_input_of_it * another_input + np.exp(
        the_first_input_of_it / 10.0
    )
    return (
        np.sin(a_value_with_a_long_name) * another_input
        + np.cos(a_value_with_a_long_name) * the_first_input_of_it
    )


def test_the_source_pane_shows_each_steps_note_and_expression(opened):
    player = opened(wide, (1.0, 2.0), width=1280, height=900)
    seen = """e => { const view = e.getBoundingClientRect(), all = [...e.querySelectorAll('.adl-piece.is-current')]
        .filter((piece) => piece.closest('.adl-code.is-current')).map((piece) => piece.getBoundingClientRect());
        if (!all.length) return true;
        const [left, right] = [all[0].left - view.left, all.at(-1).right - view.left];
        if (right - left < view.width - 50) return left >= 0 && right <= view.width;
        return left < 60 && right > view.width - 60; }"""
    source = player.root.locator(".adl-source")
    player.focus()
    for _ in range(12):
        player.key("ArrowRight")
        player.page.wait_for_function(seen, arg=source.element_handle())
    unused = {"np": np}
    exec("def unknown(x, y):\n    return np.sin(x) * y\n", unused)
    for width in (1280, 1000):
        player = opened(unused["unknown"], (1.0, 2.0), width=width, height=900)
        note = player.root.locator(".adl-note").bounding_box()
        pane = player.root.locator(".adl-source").bounding_box()
        assert note["y"] + note["height"] <= pane["y"] + pane["height"] + 1, width
