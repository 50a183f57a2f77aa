"""The source pane says which lines ran, how often, and which turn of a loop a step is in; not by colour alone."""

import numpy as np
import pytest

from autodiff_lab import play

from .conftest import photograph
from .player_page import PlayerOnPage


def square(x):
    return x * x


def root(a, x):
    for k in range(4):
        if x < 0:
            x = -x
        elif k > 10:
            x = x / (
                2 + a
            )  # fmt: skip
        else:
            x = x - (square(x) - a) / (2 * x)
    if x > 100:
        return x
    return np.sqrt(x)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1300), ("dark", 620)])
def test_what_ran(scheme, width, new_page, tmp_path, request):
    path = play(root, 2.0, 1.0).save_html(tmp_path / "root.html")
    page = new_page(offline=True, width=width, color_scheme=scheme)
    page.goto(path.as_uri())
    player = PlayerOnPage(page)
    rows = player.root.locator(".adl-code")
    times = rows.locator(".adl-times").all_inner_texts()
    assert times[:13] == ["", "×4", "×4", "×0", "×4", "×0", "×0", "×0", "", "×4", "×1", "×0", "×1"]
    missed = player.root.locator(".adl-code.is-missed")
    assert missed.count() == 5
    assert missed.first.locator(".adl-unseen").text_content() == "did not run: "
    assert rows.nth(1).locator(".adl-unseen").text_content() == "ran 4 times: "
    styles = "e => [getComputedStyle(e).color, getComputedStyle(e).fontStyle]"
    dim, lit = (
        missed.first.locator("code").evaluate(styles),
        rows.nth(1).locator("code").evaluate(styles),
    )
    assert dim[0] != lit[0] and (dim[1], lit[1]) == ("italic", "normal")

    player.focus()
    player.key("Home", *["ArrowRight"] * 7)
    head = rows.nth(1).locator(".adl-times")
    assert head.inner_text() == "2/4"
    assert head.get_attribute("title") == "iteration 2 of 4"
    assert head.get_attribute("title") in player.root.locator(".adl-counter").get_attribute("title")
    margin = rows.nth(9).locator(".adl-margin")
    pane = player.root.locator(".adl-source").bounding_box()
    assert pane["x"] - 1 <= margin.bounding_box()["x"], (
        "the counts stay in view when the text is scrolled sideways"
    )
    photograph(page, request, f"iteration 2 {scheme}")
    player.key("End")
    player.key(*["ArrowLeft"] * 5)
    assert "/4" in head.inner_text(), "the sweep goes back through the iterations"
    player.key("Home")
    assert head.inner_text() == "×4"
