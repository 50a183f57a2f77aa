"""The player in a saved page for readers with a keyboard only, with a screen reader, or with reduced motion."""

import pytest

from autodiff_lab import play

from .axe import serious
from .player_page import AT_HALF_WAY, LAST, PlayerOnPage, f

OPERATIONS = 5


@pytest.fixture
def opened(new_page, tmp_path):
    def opened(fault="", **options):
        page = new_page(offline=True, **options)
        page.goto(play(f, 2.0, 5.0, fault=fault).save_html(tmp_path / "flow.html").as_uri())
        return PlayerOnPage(page)

    return opened


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(scheme, opened):
    player = opened(color_scheme=scheme)
    for mode, middle, last in (
        ("forward", 4, OPERATIONS),
        ("both", AT_HALF_WAY, LAST),
        ("reverse", AT_HALF_WAY, LAST),
    ):
        player.mode(mode)
        for step in (0, middle, last):
            player.scrub(step)
            player.arrives_at(step)
            assert not serious(player.page, "html"), (mode, step)
    player.page.set_viewport_size({"width": 380, "height": 800})
    # The player hears of its new size at the end of a frame.
    player.page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
    assert not serious(player.page, "html"), "in a narrow page panes scroll that did not"
    player.predict()
    player.scrub(AT_HALF_WAY - 1)
    player.focus()
    player.key("ArrowRight")
    assert not serious(player.page, "html"), "a question is asked"
    player.key(*"0.2", "Enter")
    assert not serious(player.page, "html"), "a wrong answer is explained"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_a_faulty_engine(scheme, opened):
    player = opened("overwrite", color_scheme=scheme)
    for step in (0, AT_HALF_WAY, LAST):
        player.scrub(step)
        player.arrives_at(step)
        assert not serious(player.page, "html"), step


# What shows that an element has the focus: a ring around itself or around what stands for it, or a node's frame.
RING = """() => {
    const own = document.activeElement;
    const look = (e) => e && getComputedStyle(e);
    const ring = (e) => e && look(e).outlineStyle !== "none" && parseFloat(look(e).outlineWidth) >= 2;
    const frame = own.querySelector(":scope > .adl-frame");
    const shown = ring(own) || ring(own.closest("label")) || parseFloat(look(frame)?.strokeWidth) >= 3;
    const { x, y, width, height } = own.getBoundingClientRect();
    const visible = width && height && x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
    return [own.closest(".adl-player") && own.outerHTML.slice(0, 120), Boolean(shown), Boolean(visible)];
}"""


def test_tab_goes_through_the_player_and_out_again(opened):
    player = opened()
    player.open_details()
    player.scrub(AT_HALF_WAY)
    page = player.page
    page.evaluate(
        """() => { const [before, after] = [0, 1].map(() => document.createElement("button"));
        document.body.prepend(before);
        document.body.append(after);
        before.focus(); }"""
    )

    def walk(key):
        stops = []
        while len(stops) < 60:
            player.key(key)
            stop, ring, visible = page.evaluate(RING)
            if stop is None:
                return stops
            assert ring, f"nothing shows the focus at {stop}"
            assert visible, f"out of sight: {stop}"
            stops.append(stop)
        raise AssertionError(f"{key} never leaves the player")

    there = walk("Tab")
    assert len(there) == len(set(there))
    for stop in (
        "group",
        "radio",
        "checkbox",
        "adl-piece",
        "adl-node",
        "Zoom in",
        "<tr",
        "Play",
        "Details",
        "Speed",
        "predict",
    ):
        assert any(stop in one for one in there), stop
    assert len(walk("Shift+Tab")) == len(there), "the way back is the same way"


def test_everything_by_keyboard(opened):
    """From a page just opened to the gradient in another mode, without the mouse."""
    player = opened()
    page = player.page

    def tab_to(description):
        for _ in range(40):
            if page.evaluate(
                "text => document.activeElement.outerHTML.slice(0, 200).includes(text)", description
            ):
                return
            player.key("Tab")
        raise AssertionError(description)

    tab_to('aria-label="Details"')
    player.key("Enter")
    tab_to('value="reverse"')
    player.key("ArrowDown")
    assert player.root.get_attribute("data-mode") == "forward"
    tab_to('aria-label="Direction')
    player.key("ArrowDown")
    tab_to("data-node")
    player.key("ArrowDown", "ArrowDown", "Enter")
    player.arrives_at(1)
    tab_to("data-line")
    player.key("End")
    assert player.node(6).endswith("| 11.6521 | 1.7163")
    player.key("Shift+Tab", "Home")
    tab_to('aria-label="Play"')
    player.key("Enter", "Enter")
    assert player.root.get_by_role("button", name="Play", exact=True).is_visible()
    tab_to("adl-predict")
    player.key("Enter")
    assert player.root.locator(".adl-ask").is_visible()


@pytest.mark.parametrize("wish", ["reduce", "no-preference"])
def test_nothing_moves_for_a_reader_who_wants_no_motion(wish, opened):
    player = opened(reduced_motion=wish)
    player.speed(4)
    page = player.page
    page.evaluate(
        """() => { window.moved = [];
        new MutationObserver((records) => records.forEach(({ addedNodes, attributeName, target }) => {
            if (attributeName && target.dataset.moving) moved.push("a step moves");
            addedNodes.forEach((node) => node.matches?.(".adl-token") && moved.push("a number travels"));
        })).observe(document.body, { childList: true, subtree: true, attributeFilter: ["data-moving"] });
        document.addEventListener("transitionrun", ({ propertyName }) => moved.push(`${propertyName} fades`));
        for (const name of ["scrollBy", "scrollIntoView"]) {
            const scroll = Element.prototype[name];
            Element.prototype[name] = function (to) {
                if (to?.behavior === "smooth") moved.push("a pane glides");
                return scroll.call(this, to);
            };
        } }"""
    )
    player.focus()
    for step in range(1, LAST + 1):
        player.key("ArrowRight")
        player.arrives_at(step)
        page.wait_for_timeout(30)
    player.shows_the_gradient()
    player.key("Home", " ")
    # it still plays
    page.wait_for_function("Number(document.querySelector('.adl-player').dataset.step) >= 2")
    moved = set(page.evaluate("moved"))
    assert (
        moved >= {"a step moves", "a number travels"} if wish == "no-preference" else not moved
    ), moved
