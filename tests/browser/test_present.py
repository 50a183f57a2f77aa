"""`autodiff-lab present`: a notebook as slides, live in JupyterLab, driven by a clicker and a few keys."""

import os
import re
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import nbformat
import pytest

from .conftest import photograph
from .player_page import PlayerOnPage
from .test_lecture import CODE, LECTURES, WRONG, fits_in_every_hall, has_the_plan

# Nothing is running, and the slide shows what its cells have shown.
IDLE = "document.body.matches('.lecture') && !Number(document.body.dataset.running)"
SLIDE = ".lecture-slide .jp-Cell:not(.lecture-off, .lecture-later)"
PLACE = """() => {
    const later = document.querySelectorAll(".lecture-slide .lecture-later").length;
    const counter = document.querySelector(".jp-Cell:not(.lecture-off) .adl-counter")?.textContent ?? "";
    return [document.body.dataset.lecture, later, counter];
}"""


@contextmanager
def presented(name, home):
    """The address of a notebook that is presented, while it is."""
    settings = home / "lab" / "user-settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "themes.jupyterlab-settings").write_text(
        '{"theme": "JupyterLab Dark"} // mine\n', encoding="utf-8"
    )
    command = [sys.executable, "-u", "-m", "autodiff_lab", "present", name, "--no-browser"]
    env = {**os.environ, "JUPYTER_CONFIG_DIR": str(home), "AUTODIFF_LAB_PROGRESS": "off"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env
    ) as process:
        said = ""
        for line in process.stdout:
            said += line
            found = re.search(r"http://\S+/doc/tree/\S+token=\S+", line)
            if found:
                break
        else:
            pytest.fail(said)
        address = found[0].replace("localhost", "127.0.0.1")
        try:
            _wait_for(address)
            yield address
        finally:
            process.terminate()
            process.communicate(timeout=60)


def _wait_for(address, seconds=60):
    """Wait until somebody listens at an address: it's printed a moment before."""
    place = urlsplit(address)
    for _ in range(10 * seconds):
        with suppress(OSError), socket.create_connection((place.hostname, place.port), timeout=1):
            return
        time.sleep(0.1)
    raise AssertionError(f"nobody listens at {address}")


class Slides:
    """A notebook on a page of JupyterLab, as slides."""

    def __init__(self, page, address):
        self.page = page
        page.goto(address)
        page.locator("body.lecture").wait_for(state="attached")
        self.settle()

    def settle(self):
        """Wait until the visible cells have run and their outputs are shown."""
        self.page.wait_for_function(IDLE)
        self.page.wait_for_timeout(200)
        self.page.wait_for_function(IDLE)

    @property
    def place(self):
        return self.page.evaluate(PLACE)

    @property
    def number(self):
        return int(self.place[0].split()[0])

    def key(self, *keys):
        for one in keys:
            self.page.keyboard.press(one)

    def go_to(self, heading):
        """Turn to the slide with this heading."""
        self.key("Home")
        for _ in range(100):
            if self.page.locator(f"{SLIDE} :is(h1, h2)", has_text=heading).count():
                return self.settle()
            self.key("ArrowRight")
        raise AssertionError(f"no slide says {heading}")

    @property
    def output(self):
        return self.page.locator(f"{SLIDE} .jp-OutputArea-output").last

    def sources(self):
        """The text of all cells, in order."""
        cells = "[...document.querySelectorAll('.jp-Notebook .jp-Cell .cm-content')].map((e) => e.textContent)"
        return self.page.evaluate(cells)


@pytest.fixture(scope="module")
def home(browser, tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def address(home):
    with presented("40_minutes", home) as found:
        yield found


@pytest.fixture
def present(browser, tmp_path):
    """Present a notebook: `present("00")` gives its address. It ends after the pages of the test are closed."""
    with ExitStack() as running:
        yield lambda name: running.enter_context(presented(name, tmp_path))


@pytest.fixture
def slides(address, new_page):
    return Slides(new_page(width=1280, height=720), address)


@pytest.mark.parametrize("name", LECTURES)
def test_a_clicker_goes_through_the_lecture(name, present, new_page, request):
    """Each slide is shown, its cells run, and in each of the three sizes nothing is cut off."""
    slides = Slides(new_page(width=1920, height=1080), present(name))
    seen, place = set(), None
    while place != slides.place:
        place = slides.place
        if (place[0], place[1]) not in seen:
            seen.add((place[0], place[1]))
            slides.settle()
            fits_in_every_hall(
                slides.page, ".lecture-slide", request, f"{place[0].split()[0]} {place[1]}"
            )
            assert not slides.page.locator(
                "[data-mime-type$='jupyter.stderr'], [data-mime-type$='error']"
            ).count()
            place = slides.place
        slides.key("PageDown")
    assert place[0].split()[0] == place[0].split()[2] == str(len({slide for slide, _ in seen}))


def test_nothing_of_jupyterlab_is_seen(slides):
    for gone in (
        ".jp-NotebookPanel-toolbar",
        ".jp-SideBar",
        "#jp-bottom-panel",
        "#jp-top-panel",
        ".jp-InputPrompt",
    ):
        assert not slides.page.locator(gone).first.is_visible(), gone
    assert slides.number == 1


def test_a_clicker_steps_the_player_and_then_turns_the_slide(slides):
    slides.go_to("Back through the record")
    player = PlayerOnPage(slides.page, slides.page.evaluate(SHOWN_PLAYER))
    here, step = slides.number, player.step
    slides.key("PageDown", "PageDown", "PageUp")
    player.arrives_at(step + 1)
    for following in range(step + 2, 15):
        slides.key("PageDown")
        player.arrives_at(following)
    player.shows_the_gradient()
    assert slides.number == here
    slides.key("PageDown")
    assert slides.number == here + 1


SHOWN_PLAYER = """[...document.querySelectorAll(".adl-player")].findIndex((player) => player.checkVisibility())"""


def test_a_cell_is_edited_and_run_on_its_slide(slides):
    slides.go_to("A program small enough")
    assert slides.output.inner_text().startswith("11.652")
    slides.page.locator(f"{SLIDE} .cm-content").last.click()
    slides.key("Control+End")
    slides.page.keyboard.type("\nprint(6 * 7)")
    here = slides.number
    slides.key("Shift+Enter")
    slides.settle()
    assert slides.output.inner_text().split()[-1] == "42"
    assert slides.number == here
    slides.key("Escape", "ArrowRight")
    assert slides.number == here + 1


def test_a_lab_is_live(slides):
    slides.go_to("You choose the step")
    lab = slides.page.locator(f"{SLIDE} .adl-lab")
    lab.wait_for()
    before = lab.locator(".adl-lab-sentence").inner_text()
    slider = lab.get_by_role("slider").first
    slider.focus()
    here = slides.number
    slides.key("ArrowLeft", "ArrowLeft")
    slides.page.wait_for_function(
        "([lab, before]) => lab.querySelector('.adl-lab-sentence').innerText !== before",
        arg=[lab.element_handle(), before],
    )
    assert slides.number == here, "in a lab the arrows belong to it"


SLIDER = """\
from ipywidgets import interact

@interact(k=(0, 10))
def square(k=3):
    print("squared:", k * k)"""


def test_a_slider_of_interact_is_live(present, tmp_path, new_page, request):
    slide = {"slideshow": {"slide_type": "slide"}}
    cells = [
        nbformat.v4.new_markdown_cell("## A slider of mine", metadata=slide),
        nbformat.v4.new_code_cell(SLIDER),
        nbformat.v4.new_markdown_cell("## The end", metadata=slide),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "mine.ipynb")
    slides = Slides(new_page(width=1280, height=720), present(str(tmp_path / "mine.ipynb")))
    printed = slides.page.locator(f"{SLIDE} .widget-output pre")
    printed.get_by_text("squared: 9").wait_for()
    sheet = slides.page.locator(".lecture-slide").element_handle()
    assert slides.page.evaluate(WRONG, [sheet, CODE]) == []
    size = printed.first.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
    assert size >= CODE * 720 / 1080
    slides.page.locator(f"{SLIDE} [role=slider]").focus()
    slides.key("ArrowRight", "ArrowRight")
    printed.get_by_text("squared: 25").wait_for()
    assert slides.number == 1, "in a slider the arrows belong to it"
    photograph(slides.page, request)
    slides.key("PageDown")
    assert slides.number == 2


@pytest.mark.parametrize("key", ["b", "."])
def test_a_key_makes_the_screen_black_and_changes_nothing(key, slides):
    slides.go_to("Take this home")
    before, here = slides.sources(), slides.number
    slides.key(key)
    black = "getComputedStyle(document.body, '::before').backgroundColor"
    assert slides.page.evaluate(black) == "rgb(0, 0, 0)"
    slides.key("PageUp")
    assert slides.page.evaluate(black) != "rgb(0, 0, 0)" and slides.number == here
    slides.key("a", "x", "m", "d", "d", "y")
    assert slides.sources() == before, "nor do the keys with which JupyterLab changes a notebook"


def test_the_speakers_window_has_clock_notes_and_next_slide_and_takes_the_keys(slides, request):
    slides.go_to("which one moves")
    with slides.page.expect_popup() as opened:
        slides.key("s")
    speaker = opened.value
    speaker.locator(".speaker-next .lecture-slide h2").wait_for()
    has_the_plan(speaker)
    assert "which one moves" in speaker.locator(".speaker-now").inner_text()
    following = speaker.locator(".speaker-next h2").inner_text()
    photograph(speaker, request, "the speaker's window")
    here = slides.number
    speaker.keyboard.press("PageDown")
    speaker.keyboard.press("PageDown")
    assert slides.number == here + 1
    assert speaker.locator(".speaker-now h2").inner_text() == following
    speaker.close()


def test_escape_gives_the_notebook_back_and_a_button_the_slides(slides, request):
    slides.go_to("which one moves")
    here = slides.number
    slides.key("Escape")
    toolbar = slides.page.locator(".jp-NotebookPanel-toolbar")
    toolbar.wait_for()
    assert slides.page.locator(".jp-Cell.lecture-off, .lecture-slide").count() == 0
    photograph(slides.page, request)
    slides.page.get_by_role("button", name="Back to the slides").click()
    toolbar.wait_for(state="hidden")
    assert slides.number == here


def test_the_lecturers_settings_hold_and_stay_untouched(home, slides):
    slides.page.locator("body[data-jp-theme-name='JupyterLab Dark']").wait_for(state="attached")
    written = [path for path in Path(home).rglob("*") if path.is_file()]
    assert [path.name for path in written if path.name != "migrated"] == [
        "themes.jupyterlab-settings"
    ]


def test_a_lesson_runs_a_cell_on_the_next_key(present, new_page, request):
    """What follows a question stays hidden until its cell has run, and the player is stepped by the same key."""
    slides = Slides(new_page(width=1280, height=720), present("00"))
    ran = 0
    for _ in range(30):
        if slides.page.locator(f"{SLIDE} .adl-player").count():
            break
        outputs, before = (
            slides.page.locator(f"{SLIDE} .jp-OutputArea-output").count(),
            slides.place,
        )
        slides.key("PageDown")
        slides.settle()
        if slides.place == before:  # the cell was shown by the key before, and without its output
            ran += 1
            assert slides.page.locator(f"{SLIDE} .jp-OutputArea-output").count() >= outputs
    assert ran >= 1
    player = PlayerOnPage(slides.page)
    photograph(slides.page, request)
    here = slides.place[:2]
    slides.key("PageDown")
    player.arrives_at(1)
    assert slides.place[:2] == here
