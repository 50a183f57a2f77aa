"""All text of the player can be read in the light and the dark theme (contrast 4.5 : 1 at least)."""

from pathlib import Path

import pytest

from autodiff_lab import play

from .notebook import THEMES
from .player_page import AT_HALF_WAY, LAST, PlayerOnPage, cell, f, picky

CONTRAST = Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")
STEPS = (0, 4, 8, AT_HALF_WAY, LAST)


def readable(player):
    """All text that is visible now; none of it is faint."""
    player.page.mouse.move(2, 2)
    player.page.wait_for_function("() => document.getAnimations().length === 0")
    texts = player.root.evaluate(CONTRAST)
    faint = [text for text in texts if text["ratio"] < 4.5]
    assert not faint, f"step {player.step}: {faint}"
    return {text["text"] for text in texts}


def readable_at_every_phase(player):
    seen = set()
    for step in STEPS:
        player.scrub(step)
        player.arrives_at(step)
        seen |= readable(player)
    assert {"5.5", "1.7163", "11.6521", "0.2837", "value"} <= seen, "the text was looked at"


@pytest.mark.parametrize("theme", THEMES)
def test_in_jupyterlab(theme, server, open_notebook):
    cells = (cell(f, "play(f, 2.0, 5.0)"), cell(picky, "play(picky, 4.0, ranges={'x': (-4, 9)})"))
    notebook = open_notebook(server.write("theme.ipynb", *cells), height=1900)
    with notebook.in_theme(theme):
        notebook.run_all()
        is_light = notebook.page.evaluate("document.body.dataset.jpThemeLight")
        assert is_light == ("true" if theme == "JupyterLab Light" else "false")
        readable_at_every_phase(PlayerOnPage(notebook.page))
        second = PlayerOnPage(notebook.page, 1)
        second.set_input("x", -1)
        second.root.locator(".adl-error pre").wait_for()
        assert "ValueError: picky wants x >= 0" in readable(second)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_a_saved_page(scheme, new_page, tmp_path):
    play(f, 2.0, 5.0).save_html(tmp_path / "flow.html")
    page = new_page(offline=True, height=1400, color_scheme=scheme)
    page.goto((tmp_path / "flow.html").as_uri())
    readable_at_every_phase(PlayerOnPage(page))
