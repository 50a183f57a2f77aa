"""The gradient of a gradient: the inner sweep is on the tape, and is seen to be another stretch of it."""

import numpy as np
import pytest

from autodiff_lab import grad, play

from .player_page import PlayerOnPage
from .test_themes import readable


def wave(x):
    return np.sin(x) * x


@pytest.fixture
def opened(new_page, tmp_path):
    def opened(**options):
        play(grad(wave), 2.0).save_html(tmp_path / "second.html")
        page = new_page(offline=True, height=1400, **options)
        page.goto((tmp_path / "second.html").as_uri())
        return PlayerOnPage(page)

    return opened


def test_the_recorded_sweep_is_set_apart(opened):
    player = opened()
    player.focus()
    player.key("End")
    rows = player.root.locator(".adl-tape tbody tr").evaluate_all(
        "rows => rows.map((row) => row.dataset.stretch ?? (row.matches('.adl-stretch') ? row.textContent : '0'))"
    )
    assert rows == ["0", "0", "0", "a sweep, recorded", "1", "1", "1", "1", "1"]
    inner = player.root.locator(".adl-node.is-inner")
    assert inner.evaluate_all("nodes => nodes.map((node) => node.dataset.node)") == [
        "n3",
        "n4",
        "n5",
        "n6",
        "n7",
    ]
    assert player.root.locator(".adl-rail").first.locator(".is-inner").count() == 1
    assert (
        "v₃ … v₇: an inner sweep, itself recorded" in player.root.locator(".adl-note").inner_text()
    )
    assert player.gradient() == ["−2.6509"]
    assert player.root.locator(".adl-title").inner_text() == "wave′(x)"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read(scheme, opened):
    player = opened(color_scheme=scheme)
    for step in (0, 4, 8, 12):
        player.scrub(step)
        player.arrives_at(step)
        readable(player)
