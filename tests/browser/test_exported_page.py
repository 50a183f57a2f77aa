"""A saved page plays without a kernel and without a network: every request it makes is refused."""

import re
from urllib.parse import quote

import nbformat
import pytest
from nbconvert import HTMLExporter

from autodiff_lab import play

from .player_page import AT_HALF_WAY, LAST, PlayerOnPage, f
from .server import NOTEBOOKS, PAGES, REPOSITORY


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "flow.html"
    play(f, 2.0, 5.0).save_html(path)
    return path


def step_through(player):
    player.shows_the_start()
    for _ in range(AT_HALF_WAY):
        player.press("Forward one step")
    player.shows_half_way()
    player.key("End")
    player.shows_the_gradient()
    player.key("Home", "ArrowRight", "ArrowRight", "ArrowLeft")
    player.arrives_at(1)
    player.scrub(LAST)
    player.shows_the_gradient()


def test_saved_page(saved, new_page):
    page = new_page(offline=True)
    page.goto(saved.as_uri())
    player = PlayerOnPage(page)
    step_through(player)
    assert page.title()
    assert page.locator("html").get_attribute("lang")


@pytest.mark.parametrize("before", ["?q=", "?code=", "#", "#/", "?step=5#cell-id="])
def test_saved_page_takes_nothing_from_its_address(before, saved, new_page):
    page = new_page(offline=True)
    script = "<img src=x onerror='window.ran = 1'><script>window.ran = 1</script>"
    page.goto(f"{saved.as_uri()}{before}{quote(script)}")
    PlayerOnPage(page).shows_the_start()
    assert page.evaluate("window.ran") is None
    assert "onerror" not in page.content()


def test_saved_page_holds_the_full_numbers(saved):
    text = saved.read_text(encoding="utf-8")
    for number in ("1.7163378145367738", "-0.28366218546322625", "11.652071455223084"):
        assert number in text
    assert not re.search(r"""(?:src|href|from|import)\s*[=(]?\s*["'](?:https?:)?//""", text)


SIZES = [(380, 800), (768, 1024), (1024, 768), (1920, 1080)]


@pytest.mark.parametrize("width, height", SIZES)
def test_saved_page_fits_the_screen(width, height, saved, new_page):
    page = new_page(offline=True, width=width, height=height)
    page.goto(saved.as_uri())
    player = PlayerOnPage(page)
    heights = set()
    for step in range(LAST + 1):
        if step:
            player.press("Forward one step")
        player.arrives_at(step)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, (
            "the page scrolls sideways"
        )
        heights.add(player.root.bounding_box()["height"])
    assert len(heights) == 1, "the player changes its height, and the page jumps"
    for control in player.root.locator(":is(button, select, input):visible").all():
        box = control.bounding_box()
        assert box["width"] >= 24 and box["height"] >= 24, "too small for a finger"
        assert box["x"] >= 0 and box["x"] + box["width"] <= width, "a control is cut off"
    for text in player.root.locator(
        ".adl-title, .adl-counter, .adl-sentence, .adl-equation, .adl-gradient"
    ).all():
        assert text.evaluate("e => e.scrollWidth <= e.clientWidth + 1 || e.clientWidth === 0"), (
            "text is cut off"
        )


@pytest.mark.parametrize("name", [*NOTEBOOKS, *PAGES])
def test_notebook_as_a_web_page(name, new_page, watch, tmp_path):
    """`jupyter nbconvert --to html` of a notebook as it is committed: its players play."""
    notebook = nbformat.read(REPOSITORY / "notebooks" / name, as_version=4)
    page_file = tmp_path / "notebook.html"
    (tmp_path / "pictures").symlink_to(REPOSITORY / "notebooks" / "pictures")
    page_file.write_text(HTMLExporter().from_notebook_node(notebook)[0], encoding="utf-8")
    watch.allow_strangers("mathjax|require|cdnjs", because="nbconvert's own template asks for them")
    page = new_page(offline=True)
    page.goto(page_file.as_uri())
    outputs = [
        output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])
    ]
    expected = sum("data-adl-player" in "".join(data.get("text/html", "")) for data in outputs)
    plays = any(re.search(r"\bplay\(", cell.source) for cell in notebook.cells)
    assert expected or not plays, "the notebook is not executed"
    players = page.locator(".adl-player")
    page.wait_for_function(
        "n => document.querySelectorAll('.adl-player').length >= n", arg=expected
    )
    for number in range(players.count()):
        player = PlayerOnPage(page, number)
        player.focus()
        player.key("End")
        last = int(player.root.get_attribute("data-step"))
        assert last > 0
        player.key("ArrowLeft")
        # a run of one step goes back to where nothing is done yet
        before = last - 1 if last > 1 else -1
        player.root.and_(page.locator(f"[data-step='{before}']")).wait_for()


def test_the_page_says_which_integer_stays_constant(tmp_path, new_page):
    path = play(lambda x, n: sum(x**k for k in range(n)), 0.5, 4).save_html(
        tmp_path / "counted.html"
    )
    page = new_page(offline=True)
    page.goto(path.as_uri())
    assert "n = 4 stays constant" in PlayerOnPage(page).root.inner_text()
    assert page.get_by_text("n = 4 stays constant").first.is_visible()
