"""What is pointed at, or has the focus, lights up in every pane; the sum at a node shows where each part came from."""

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
    """What is lit: pieces of source, nodes, edges, rows of the tape, contributions."""
    return player.root.evaluate(
        """root => {
            const all = (selector, read) => [...root.querySelectorAll(selector)].map(read);
            return {
                source: all('.adl-code .is-linked', (e) => e.textContent).join(''),
                nodes: all('.adl-node.is-linked', (e) => e.dataset.node),
                edges: all('.adl-edge.is-linked', (e) => e.dataset.edge),
                rows: all('.adl-tape tr.is-linked', (e) => e.dataset.line),
                chips: all('.adl-chip.is-linked', (e) => e.textContent),
            };
        }"""
    )


def sums(player):
    return player.root.locator(".adl-sum").all_text_contents()


SINE = {"source": "np.sin(x2)", "nodes": ["n5"], "edges": [], "rows": ["5"], "chips": []}
ITS_EDGE = {
    "source": "np.sin(x2)",
    "nodes": ["n1", "n5"],
    "edges": ["e5_0"],
    "rows": ["1", "5"],
    "chips": ["v₄(−1) × 0.2837"],
}


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


def test_a_contribution_lights_up_in_every_pane(player):
    chip = player.root.locator(".adl-chip", has_text="(−1) × 0.2837")
    chip.hover()
    assert lit(player) == ITS_EDGE
    player.page.mouse.move(2, 2)
    chip.focus()
    assert lit(player) == ITS_EDGE
    player.focus()
    x, y = player.root.locator("[data-edge=e5_0] .adl-hit").evaluate(
        """path => {
            const point = path.getPointAtLength(path.getTotalLength() / 2).matrixTransform(path.getScreenCTM());
            return [point.x, point.y];
        }"""
    )
    player.page.mouse.move(x, y)
    assert lit(player) == ITS_EDGE


def test_the_sum_grows(player):
    assert sums(player) == ["v̄₀ x2 = v₄(−1) × 0.2837 + v₂… = −0.2837"]
    player.scrub(LAST)
    assert sums(player) == ["v̄₋₁ x1 = v₂1 × 5 + v₁1 × 0.5 = 5.5"]
    player.root.locator("tr[data-line='1']").hover()
    assert sums(player) == ["v̄₀ x2 = v₄(−1) × 0.2837 + v₂1 × 2 = 1.7163"]
    player.root.locator("[data-node=n6]").hover()
    assert sums(player) == ["v̄₅ = seed1 = 1"]


def test_a_contribution_leads_to_its_step(player):
    player.root.locator(".adl-chip", has_text="(−1) × 0.2837").click()
    player.arrives_at(AT_HALF_WAY)
    player.root.locator(".adl-chip.is-waiting").focus()
    player.key("Enter")
    player.arrives_at(12)
    assert "1.7163" in sums(player)[-1]


def test_the_contributions_are_one_stop_and_have_names(player):
    player.scrub(12)
    chips = player.root.locator(".adl-chip")
    assert [chip.get_attribute("tabindex") for chip in chips.all()].count("0") == 1
    chips.first.focus()
    player.key("ArrowDown", "ArrowDown")
    focused = player.page.evaluate("document.activeElement.title")
    assert focused == "(−1) × 0.2837 = −0.2837, from v₄"


def test_pointing_moves_nothing(player):
    player.scrub(LAST)
    before = player.root.bounding_box()
    for line in range(7):
        player.root.locator(f"[data-node=n{line}]").hover()
        assert player.root.bounding_box() == before


def test_thickness_follows_the_contribution(player):
    player.scrub(LAST)
    width = "e => parseFloat(getComputedStyle(e).strokeWidth)"
    five, two = (player.root.locator(f"[data-edge=e3_{slot}] .adl-line").evaluate(width) for slot in (0, 1))
    assert five / two == pytest.approx(5 / 2)


def test_the_tape_says_what_it_keeps_and_greys_what_it_let_go(player):
    memory = player.root.locator(".adl-memory")
    player.scrub(7)
    assert memory.inner_text() == "keeps 7 numbers, 56 bytes"
    assert player.root.locator(".adl-tape .is-released").count() == 0
    player.scrub(LAST)
    assert memory.inner_text() == "keeps 2 numbers, 16 bytes"
    assert player.root.locator(".adl-tape .is-released").count() == player.root.locator("svg .is-released").count() == 5
    assert (
        player.root.locator("tr[data-line='6'] .adl-value").get_attribute("title").endswith("nobody needs it any more")
    )
    player.mode("forward")
    player.scrub(7)
    assert memory.inner_text() == "keeps 2 numbers, 16 bytes"
