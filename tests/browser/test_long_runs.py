"""Ten thousand operations: the player opens in a moment, steps within a frame, and says what it shows."""

import statistics
import time

import numpy as np
import pytest

from autodiff_lab import play

from .conftest import photograph
from .player_page import INPUTS, PlayerOnPage, cell, f


def wave(x, w):
    for _ in range(2500):
        x = x + 0.01 * np.sin(w * x)
    return x


def short(x, w):
    for _ in range(20):
        x = x + 0.01 * np.sin(w * x)
    return x * x


OPERATIONS = 4 * 2500
STEPS = OPERATIONS + 1 + 6 * 2500  # a seed, and each operand of a turn gets its contribution

# A step is what a key press starts, up to the layout that the browser has to make of it.
MEASURED = """async ([to, presses, key]) => {
    const root = document.querySelector('.adl-player');
    const times = [];
    for (let k = 0; k < presses; k++) {
        const start = performance.now();
        root.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        root.getBoundingClientRect();
        times.push(performance.now() - start);
        await new Promise(requestAnimationFrame);
    }
    return times;
}"""


@pytest.mark.parametrize("operations, frame", [(5, 16), (500, 50)])
def test_a_step_takes_less_than_a_frame(operations, frame, new_page, tmp_path):
    """Milliseconds for a key, up to the layout; the machine may be busy, so the best of three walks counts."""

    def chain(x, w):
        for _ in range(125):
            x = x + 0.01 * np.sin(w * x)
        return x

    player = play(f, 2.0, 5.0) if operations == 5 else play(chain, 0.5, 1.3)
    page = new_page(offline=True, width=1400)
    page.goto(player.save_html(tmp_path / "flow.html").as_uri())
    on_page = PlayerOnPage(page)
    assert on_page.root.locator("tr[data-line]").count() == operations + 2
    walks = []
    for key in ("ArrowRight", "ArrowLeft", "ArrowRight"):
        on_page.focus()
        on_page.key("End", *["ArrowLeft"] * 10) if key == "ArrowRight" else on_page.key("End")
        walks.append(statistics.median(page.evaluate(MEASURED, [0, 10, key])))
    print(f"{operations} operations: {min(walks):.1f} ms a step")
    assert min(walks) < frame


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("long") / "wave.html"
    start = time.process_time()  # as if nobody else needed the machine
    play(wave, 0.5, 1.3).save_html(path)
    return path, time.process_time() - start


def status(player):
    """Where a step is, in words: the counter says it under the pointer."""
    return player.root.locator(".adl-counter").get_attribute("title")


def first_line(player):
    return player.root.locator(".adl-tape tbody tr.is-current th").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_saved_page_of_ten_thousand_operations(scheme, saved, new_page, request):
    path, built = saved
    page = new_page(offline=True, width=1400, color_scheme=scheme)
    opened = []
    # once is enough: others may need the machine
    while len(opened) < 5 and built + min(opened, default=9) >= 9:
        start = time.perf_counter()
        page.goto(path.as_uri())
        player = PlayerOnPage(page)
        opened.append(time.perf_counter() - start)
    assert built + min(opened) < 9, "1 to 2 s on a calm machine"
    assert player.root.get_by_text("lines v₋₁ to v₈₀ of 10\u202f002").is_visible()
    player.focus()
    player.key("End")
    assert player.step == STEPS
    player.key("Home", "ArrowRight")
    times = page.evaluate(MEASURED, [STEPS, 60, "ArrowRight"])
    print(f"built {built:.2f} s, opened {min(opened):.2f} s")
    print(f"step {statistics.median(times):.1f} ms, worst {max(times):.0f} ms")
    assert statistics.median(times) < 50, "under 16 ms on a calm machine"
    assert page.locator(".adl-player *").count() < 6000
    # Over the border into the next stretch, which the page has; and back.
    page.evaluate(MEASURED, [STEPS, 42, "ArrowRight"])
    assert player.step == 103 and first_line(player) == "v₁₀₃"
    player.key(*["ArrowLeft"] * 6)
    assert player.step == 97 and first_line(player) == "v₉₇"
    player.key("End", *["ArrowLeft"] * 10)
    assert player.step == STEPS - 10
    player.key("Home", *["ArrowRight"] * 130)
    page.wait_for_timeout(1000)
    node, pane = player.root.locator(".adl-node.is-current"), player.root.locator(".adl-graph-body")
    box, room = node.bounding_box(), pane.bounding_box()
    assert room["x"] <= box["x"] <= room["x"] + room["width"], (
        "the graph keeps up with a key that is held down"
    )
    photograph(page, request, "after many steps")


def test_a_saved_page_says_which_stretches_it_holds(saved, new_page):
    page = new_page(offline=True)
    page.goto(saved[0].as_uri())
    player = PlayerOnPage(page)
    player.scrub(5000)
    note = player.root.locator(".adl-held")
    assert "some stretches of the run only: lines v₋₁ to v₈₀" in note.inner_text()
    assert player.step == 0
    player.key("End")
    assert player.step == STEPS and not note.is_visible()


def test_a_live_player_fetches_the_stretch_that_is_asked_for(server, open_notebook, request):
    cells = (cell(wave, "player = play(wave, 0.5, 1.3)\nplayer"), "'a cell below'")
    notebook = open_notebook(server.write("long.ipynb", *cells), height=1100, width=1400).run_all()
    player = PlayerOnPage(notebook.page)
    player.scrub(5000)
    player.root.get_by_text("of 10\u202f002").wait_for()
    notebook.page.wait_for_function(
        "Number(document.querySelector('.adl-player').dataset.step) > 4000"
    )
    here = player.step
    line = player.root.locator(".adl-tape tbody tr.is-current th").inner_text()
    player.focus()
    for step in range(1, 131):
        player.key("ArrowRight")
        player.arrives_at(here + step)
    assert player.root.locator(".adl-tape tbody tr.is-current th").inner_text() != line
    photograph(notebook.page, request, "in the middle")
    player.scrub(15_000)
    notebook.page.wait_for_function(
        "Number(document.querySelector('.adl-player').dataset.step) > 14000"
    )
    assert " sends " in player.sentence()
    notebook.add_cell("print('python sees step', player.step, player.trace.excerpt.said)")
    assert (
        f"python sees step {player.step + INPUTS - 1} lines"
        in notebook.page.locator(".jp-Cell").last.inner_text()
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_strip_shows_the_whole_run_and_jumps(scheme, new_page, tmp_path, request):
    path = play(short, 0.5, 1.3).save_html(tmp_path / "short.html")
    page = new_page(offline=True, width=1300, color_scheme=scheme)
    page.goto(path.as_uri())
    player = PlayerOnPage(page)
    chapters = player.root.locator(".adl-strip button")
    names = [button.get_attribute("aria-label") for button in chapters.all()]
    assert names[:2] == [
        "record: for _ in range(20): ×20, lines 1 to 80, 20 iterations",
        "record: return x * x, lines 81 to 81",
    ]
    assert names[2].startswith("sweep: return x * x")
    turn = "iteration {} of 20"
    box = chapters.first.bounding_box()
    chapters.first.click(position={"x": 0.525 * box["width"], "y": 10})
    assert turn.format(11) in status(player)
    player.arrives_at(40 + 1)  # the first operation of that turn
    assert chapters.first.get_attribute("aria-current") == "step"
    chapters.first.focus()
    player.key("PageDown")
    assert turn.format(12) in status(player)
    player.key("PageUp", "PageUp")
    assert turn.format(10) in status(player)
    player.key("ArrowDown", "ArrowDown", "Enter")
    assert chapters.nth(2).get_attribute("aria-current") == "step"
    assert page.evaluate("document.activeElement.classList.contains('is-back')")
    player.key("ArrowDown", "Enter")
    assert turn.format(20) in status(player), "the sweep goes back through the iterations"
    player.key("PageDown")
    assert turn.format(19) in status(player)
    marker, back = player.root.locator(".adl-here").bounding_box(), chapters.nth(3).bounding_box()
    assert back["x"] < marker["x"] < back["x"] + 0.15 * back["width"], (
        "it has just gone back into the loop"
    )
    photograph(page, request, f"strip {scheme}")
    page.set_viewport_size({"width": 480, "height": 900})
    photograph(page, request, f"strip narrow {scheme}")


def test_the_strip_of_ten_thousand_operations(saved, new_page):
    page = new_page(offline=True, width=1300)
    page.goto(saved[0].as_uri())
    player = PlayerOnPage(page)
    loop, back = player.root.locator(".adl-strip button").all()
    assert loop.get_attribute("aria-label").endswith("2500 iterations")
    back.focus()
    player.key("Enter")
    assert player.step == OPERATIONS + 2, "the sweep of the last iteration"
    assert "iteration 2500 of 2500" in status(player)
    loop.focus()
    player.key("Enter", "PageDown")
    assert "iteration 2 of 2500" in status(player)
    back.click(position={"x": back.bounding_box()["width"] - 4, "y": 10})
    assert player.step > STEPS - 100 and "iteration 1" in status(player)
    assert player.root.locator(".adl-window").count() == 2, (
        "which stretch is shown, on the way forth and back"
    )
