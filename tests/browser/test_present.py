"""`autodiff-lab present`: a notebook in a hall, driven by a clicker alone."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import photograph
from .player_page import PlayerOnPage
from .test_lecture import HALLS, IN_WINDOW, SIZES

ACTIVE = "[...document.querySelectorAll('.jp-Notebook .jp-Cell')].findIndex((e) => e.matches('.jp-mod-active'))"
RAN = "![...document.querySelectorAll('.jp-InputPrompt')].some((e) => e.innerText.includes('*'))"


@pytest.fixture(scope="module")
def hall(browser, tmp_path_factory):
    """The first notebook as it is presented: the addresses of notebook and speaker's page."""
    home = tmp_path_factory.mktemp("home")
    settings = home / "lab" / "user-settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "themes.jupyterlab-settings").write_text('{"theme": "JupyterLab Dark"} // mine\n', encoding="utf-8")
    command = [sys.executable, "-u", "-m", "autodiff_lab", "present", "00", "--no-browser"]
    env = {**os.environ, "JUPYTER_CONFIG_DIR": str(home), "AUTODIFF_LAB_PROGRESS": "off"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env) as process:
        said = ""
        for line in process.stdout:
            said += line
            found = re.search(r"http://\S+/doc/tree/\S+token=\S+", line)
            if found:
                yield found[0].replace("localhost", "127.0.0.1"), re.search(r"file://\S+speaker.html", said)[0], home
                break
        else:
            pytest.fail(said)
        process.terminate()
        process.communicate(timeout=60)


def opened(page, address):
    page.goto(address)
    page.locator(".jp-Notebook .jp-Cell").first.wait_for()
    page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for(state="attached")
    page.locator(".jp-Notebook .jp-Cell").first.click()
    page.keyboard.press("Escape")


@pytest.mark.parametrize("width, height", HALLS[1:])
def test_a_clicker_runs_cells_and_steps_the_player(width, height, hall, new_page, request):
    page = new_page(width=width, height=height)
    opened(page, hall[0])
    for gone in (".jp-NotebookPanel-toolbar", ".jp-SideBar", "#jp-bottom-panel"):
        assert not page.locator(gone).first.is_visible(), gone
    assert min(page.locator(".jp-RenderedMarkdown p").evaluate_all(SIZES)) >= 20
    photograph(page, request, "first opened")
    for _ in range(12):
        if page.locator(".adl-player").count():
            break
        at = page.evaluate(ACTIVE)
        page.keyboard.press("PageDown")
        page.wait_for_function(f"{ACTIVE} === {at + 1}")
        page.wait_for_function(RAN)
        if "play(" in page.locator(".jp-Notebook .jp-Cell .cm-content").nth(at).inner_text():
            page.locator(".adl-player").wait_for()
    player = PlayerOnPage(page)
    at = page.evaluate(ACTIVE)
    page.keyboard.press("PageDown")
    player.arrives_at(1)
    assert player.root.evaluate(IN_WINDOW), "the clicker brings the player into view"
    for step in range(2, 15):
        page.keyboard.press("PageDown")
        player.arrives_at(step)
    assert page.evaluate(ACTIVE) == at, "no cell is run while there is something to step"
    player.shows_the_gradient()
    assert player.root.evaluate(IN_WINDOW)
    photograph(page, request, "the last step")
    player.open_details()
    for at_hand in ("predict", "forward"):
        assert player.root.get_by_text(at_hand, exact=True).first.is_visible(), at_hand
    player.root.locator(".adl-more-button").click()
    page.keyboard.press("Escape")
    page.keyboard.press("PageUp")
    player.arrives_at(13)
    page.keyboard.press("PageDown")
    player.arrives_at(14)
    page.keyboard.press("PageDown")
    page.wait_for_function(f"{ACTIVE} === {at}")
    assert player.root.is_visible() and page.locator(".adl-player").count() == 1, (
        "the player's own cell is not run again"
    )


@pytest.fixture(scope="module")
def first_opened(hall, shared_page):
    """The page as it comes, for tests that only look at it."""
    page = shared_page(width=1280, height=720)
    opened(page, hall[0])
    return page


def test_answers_are_closed_when_it_is_opened(first_opened):
    assert first_opened.locator(".jp-OutputPlaceholder").count() >= 1


def test_the_lecturers_settings_hold_and_stay_untouched(hall, first_opened):
    first_opened.locator("body[data-jp-theme-name='JupyterLab Dark']").wait_for(state="attached")
    written = [path for path in Path(hall[2]).rglob("*") if path.is_file()]
    assert [path.name for path in written if path.name != "migrated"] == ["themes.jupyterlab-settings"]


def test_the_speakers_page_has_questions_answers_and_minutes(hall, new_page, request):
    page = new_page(width=900, height=1100)
    page.goto(hall[1])
    text = page.locator("main").inner_text()
    assert "Ask" in text and "Answer" in text and re.search(r"about \d+ min", text) and "A good answer" in text
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    photograph(page, request)
