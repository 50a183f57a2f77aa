"""A faulty engine is marked in every pane, and the true adjoints are shown next to its own."""

import pytest

from autodiff_lab import Trace, play
from autodiff_lab.trace.faulty_engines import FAULTS

from .player_page import LAST, PlayerOnPage, f
from .test_themes import readable


@pytest.fixture
def opened(new_page, tmp_path):
    def opened(fault, **options):
        play(f, 2.0, 5.0, fault=fault).save_html(tmp_path / "faulty.html")
        page = new_page(offline=True, **options)
        page.goto((tmp_path / "faulty.html").as_uri())
        return PlayerOnPage(page)

    return opened


@pytest.mark.parametrize("fault", FAULTS)
def test_every_pane_says_that_the_engine_is_faulty(fault, opened):
    player, trace = opened(fault), Trace.of(f, 2.0, 5.0, fault=fault)
    panes = player.root.locator(".adl-pane")
    grounds = panes.evaluate_all(
        "panes => panes.map((pane) => getComputedStyle(pane).backgroundImage)"
    )
    assert len(grounds) == 3 and all("repeating-linear-gradient" in ground for ground in grounds), (
        "each is hatched"
    )
    assert player.root.get_by_role("note").inner_text() == trace.warning
    assert trace.badge and trace.badge in player.root.get_attribute("aria-label")
    player.focus()
    player.key("End")
    adjoints = [adjoint.text for adjoint in trace.adjoints_at(len(trace.steps))]
    assert player.column("adjoint") == adjoints
    assert player.column("truth") == [truth.text for truth in trace.truth]
    assert player.node(0).endswith(f"| 2 | {adjoints[0]} | true 5.5")
    assert player.sentence() == trace.steps[-1].sentence


def test_what_is_overwritten_is_lost(opened):
    player = opened("overwrite")
    player.scrub(LAST)
    assert player.gradient() == ["0.5", "2"]
    assert player.node(0).endswith("| 2 | 0.5 | true 5.5")
    said = player.root.locator("[data-node=n0] > title").text_content()
    assert "adjoint 0.5" in said and "5 + 0.5" not in said, "what was there is lost"
    player.key("ArrowLeft")
    assert player.node(0).endswith("| 2 | 5 | true 5.5")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read(scheme, opened):
    player = opened("overwrite", color_scheme=scheme, height=1400)
    for step in (0, 8, LAST):
        player.scrub(step)
        player.arrives_at(step)
        readable(player)
