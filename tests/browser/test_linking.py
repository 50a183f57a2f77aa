"""What is pointed at, or has the focus, lights up in every pane; the sum at a node shows what it is made of."""

import pytest

from autodiff_lab import play

from .player_page import AT_HALF_WAY, LAST, PlayerOnPage, f


@pytest.fixture
def player(new_page, tmp_path):
    play(f, 2.0, 5.0).save_html(tmp_path / "flow.html")
    page = new_page(offline=True)
    page.goto((tmp_path / "flow.html").as_uri())
    player = PlayerOnPage(page)
    player.scrub(AT_HALF_WAY)
    return player


def lit(player):
    """What is lit: pieces of source, nodes, edges, rows of the tape."""
    return player.root.evaluate(
        """root => {
            const all = (selector, read) => [...root.querySelectorAll(selector)].map(read);
            return {
                source: all('.adl-code .is-linked', (e) => e.textContent).join(''),
                nodes: all('.adl-node.is-linked', (e) => e.dataset.node),
                edges: all('.adl-edge.is-linked', (e) => e.dataset.edge),
                rows: all('.adl-tape tr.is-linked', (e) => e.dataset.line),
            };
        }"""
    )


def told(player, line):
    """What pointing at a node tells: its name, its value, and its adjoint as the sum that it is."""
    return player.root.locator(f"[data-node=n{line}] > title").text_content()


SINE = {"source": "np.sin(x2)", "nodes": ["n5"], "edges": [], "rows": ["5"]}
ITS_EDGE = {"source": "np.sin(x2)", "nodes": ["n1", "n5"], "edges": ["e5_0"], "rows": ["1", "5"]}


def test_an_edge_shows_the_curve_and_its_slope(player):
    """The slope of the tangent is the local partial; by key it is shown for the box that has the focus."""
    curve = player.root.locator(".adl-curve")
    assert not curve.is_visible()
    player.root.locator("[data-edge=e5_0] .adl-hit").dispatch_event("pointerenter")
    assert curve.is_visible() and curve.inner_text() == "slope: cos x2 = 0.2837"
    inside, frame = curve.bounding_box(), player.root.locator(".adl-graph-frame").bounding_box()
    assert (
        frame["x"] <= inside["x"] and inside["x"] + inside["width"] <= frame["x"] + frame["width"]
    )
    assert (
        frame["y"] <= inside["y"] and inside["y"] + inside["height"] <= frame["y"] + frame["height"]
    )
    player.root.locator("[data-edge=e5_0] .adl-hit").dispatch_event("pointerleave")
    assert not curve.is_visible()
    player.root.locator("[data-node=n5]").dispatch_event("pointerenter")
    assert not curve.is_visible(), "a box that is pointed at is about its line"
    player.root.locator("[data-node=n5]").dispatch_event("pointerleave")
    player.focus()
    for _ in range(20):
        player.key("Tab")
        if player.page.evaluate("document.activeElement.matches('.adl-node')"):
            break
    player.key(*["ArrowDown"] * 5)
    assert player.page.evaluate("document.activeElement.dataset.node") == "n5"
    assert curve.inner_text() == "slope: cos x2 = 0.2837"


def test_a_line_lights_up_in_every_pane(player):
    for locator in (
        player.root.locator("[data-node=n5]"),
        player.root.locator("tr[data-line='5']"),
        player.root.locator(".adl-piece", has_text="np.sin(x2)"),
    ):
        locator.hover()
        assert lit(player) == SINE
        player.page.mouse.move(2, 2)
        locator.focus()
        assert lit(player) == SINE
        player.focus()
        assert not any(lit(player).values())


def test_an_edge_lights_up_in_every_pane(player):
    x, y = player.root.locator("[data-edge=e5_0] .adl-hit").evaluate(
        """path => {
            const point = path.getPointAtLength(path.getTotalLength() / 2).matrixTransform(path.getScreenCTM());
            return [point.x, point.y];
        }"""
    )
    player.page.mouse.move(x, y)
    assert lit(player) == ITS_EDGE


def test_the_sum_grows(player):
    """The line of arithmetic has what was there, what comes, and what that makes; the node keeps it."""
    assert "−0.2837" in player.arithmetic()
    assert "adjoint −0.2837" in told(player, 1) and "+" not in told(player, 1)
    player.scrub(LAST - 1)
    for part in ("−0.2837 + ", "1 × 2", "1.7163"):
        assert part in player.arithmetic()
    assert "adjoint −0.2837 + 2 = 1.7163" in told(player, 1)
    player.scrub(LAST)
    for part in ("5 + ", "1 × 0.5", "5.5"):
        assert part in player.arithmetic()
    assert "adjoint 5 + 0.5 = 5.5" in told(player, 0)
    assert "adjoint 1" in told(player, 6) and "=" not in told(player, 6).split("adjoint")[1], (
        "the seed alone"
    )


def test_a_line_leads_to_its_step(player):
    """In the sweep to where it first sends its adjoint; while the program runs, to where it is recorded."""
    player.root.locator("tr[data-line='3']").click()
    player.arrives_at(LAST - 2)
    assert player.root.locator(".adl-tape tr.is-current").get_attribute("data-line") == "3"
    player.scrub(1)
    player.root.locator("[data-node=n3]").focus()
    player.key("Enter")
    player.arrives_at(2)


def test_pointing_moves_nothing(player):
    player.scrub(LAST)
    before = player.root.bounding_box()
    for line in range(7):
        player.root.locator(f"[data-node=n{line}]").hover()
        assert player.root.bounding_box() == before


def test_thickness_follows_the_contribution(player):
    player.scrub(LAST)
    width = "e => parseFloat(getComputedStyle(e).strokeWidth)"
    five, two = (
        player.root.locator(f"[data-edge=e3_{slot}] .adl-line").evaluate(width) for slot in (0, 1)
    )
    assert five / two == pytest.approx(5 / 2)


def test_the_tape_greys_and_the_costs_count_what_it_let_go(player):
    player.open_details()

    def kept():
        return player.root.locator(".adl-meter tbody td").nth(2).inner_text()

    player.scrub(6)
    assert kept() == "7 (56 B)"
    assert player.root.locator(".adl-tape .is-released").count() == 0
    player.scrub(LAST)
    assert kept() == "2 (16 B)"
    assert (
        player.root.locator(".adl-tape .is-released").count()
        == player.root.locator("svg .is-released").count()
        == 5
    )
    assert (
        player.root.locator("tr[data-line='6'] .adl-value")
        .get_attribute("title")
        .endswith("freed, no longer needed")
    )
    player.mode("forward")
    player.scrub(5)
    assert kept() == "2 (16 B)"
