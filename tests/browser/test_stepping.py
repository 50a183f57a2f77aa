"""In a notebook the player is stepped by button, by key and by scrubber; the kernel has no part in it."""

import pytest

from autodiff_lab import Trace

from .conftest import photograph
from .player_page import AT_HALF_WAY, INPUTS, LAST, PlayerOnPage, cell, f

CELLS = (cell(f, "play(f, 2.0, 5.0)"), "'a cell below'")


@pytest.fixture(scope="module")
def notebook(server, shared_notebook):
    return shared_notebook(server.write("stepping.ipynb", *CELLS)).run_all()


@pytest.fixture
def player(notebook, request):
    """The player of the shared notebook, back at the start."""
    player = PlayerOnPage(notebook.page)
    player.focus()
    player.key("Home")
    yield player
    photograph(notebook.page, request)


def test_buttons(player):
    player.shows_the_start()
    for step in range(1, AT_HALF_WAY + 1):
        player.press("Forward one step")
        player.arrives_at(step)
    player.shows_half_way()
    player.last_step()
    player.shows_the_gradient()
    player.press("Back one step")
    player.arrives_at(LAST - 1)
    player.press("Forward one step")
    player.shows_the_gradient()
    beyond = player.root.get_by_role("button", name="Forward one step", exact=True)
    assert beyond.get_attribute("aria-disabled") == "true"
    beyond.click(force=True)
    player.shows_the_gradient()
    player.first_step()
    player.shows_the_start()
    assert (
        player.root.get_by_role("button", name="Back one step").get_attribute("aria-disabled")
        == "true"
    )


def test_every_step_shows_what_the_engine_computed(player):
    trace = Trace.of(f, 2.0, 5.0)
    assert len(trace.steps) == INPUTS + LAST
    player.focus()
    for s, step in list(enumerate(trace.steps))[INPUTS:]:
        player.key("ArrowRight")
        player.arrives_at(s - INPUTS + 1)
        assert player.root.get_attribute("data-step") == str(s)
        recorded = min(s + 1, len(trace.lines))
        values = [line.value.text for line in trace.lines[:recorded]]
        assert player.column("value") == values + [""] * (len(trace.lines) - recorded)
        adjoints = ["·" if adjoint is None else adjoint.text for adjoint in trace.adjoints_at(s)]
        assert player.column("adjoint") == (
            [""] * len(adjoints) if step.phase == "record" else adjoints
        )
        assert player.sentence() == step.shown_sentence
    player.shows_the_gradient()


def test_keys_belong_to_the_player_alone(notebook, player):
    """JupyterLab has plans for the arrows, for j, k, a, b, x and for space; ours and theirs do not mix."""
    player.press("Forward one step")
    cells, active = notebook.sources(), notebook.active_cell()
    player.key("Home")
    player.shows_the_start()
    player.key("End")
    player.shows_the_gradient()
    player.key(*["ArrowLeft"] * (LAST - AT_HALF_WAY))
    player.shows_half_way()
    player.key("a", "b", "x", "j", "k", "ArrowDown", "ArrowUp")
    assert (notebook.sources(), notebook.active_cell()) == (cells, active)


def test_escape_gives_the_keys_back_to_the_notebook(notebook, player):
    player.press("Forward one step")
    cells = len(notebook.sources())
    player.key("Escape", "b")
    notebook.page.wait_for_function(
        "n => document.querySelectorAll('.jp-Notebook .jp-Cell').length === n", arg=cells + 1
    )
    player.root.page.keyboard.press("z")  # JupyterLab's own undo
    notebook.page.wait_for_function(
        "n => document.querySelectorAll('.jp-Notebook .jp-Cell').length === n", arg=cells
    )


def test_keys_work_wherever_the_focus_is(notebook, player):
    player.press("Forward one step")
    cells, active = notebook.sources(), notebook.active_cell()
    stops = player.root.locator(
        "button, input[aria-label=Step], tr[tabindex='0'], g[tabindex='0'], span[tabindex='0']"
    )
    assert stops.count() >= 9
    for stop in stops.all():
        stop.focus()
        player.key("Home", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft")
        player.arrives_at(2)
    player.open_details()
    player.root.get_by_role("combobox", name="Speed").focus()
    player.key("ArrowRight", "ArrowLeft")
    assert player.step == 2, "a list keeps its own arrows"
    assert (notebook.sources(), notebook.active_cell()) == (cells, active)


def test_space_plays_and_pauses(player):
    player.speed(4)
    player.focus()
    player.key(" ")
    player.page.wait_for_function(
        "player => player.dataset.step >= 3", arg=player.root.element_handle()
    )
    player.key(" ")
    player.root.get_by_role("button", name="Play", exact=True).wait_for()
    stopped = player.step
    player.page.wait_for_timeout(700)  # more than two beats: nothing may move
    assert player.step == stopped


def test_scrubber(player):
    player.scrub(LAST)
    player.shows_the_gradient()
    player.scrub(0)
    player.shows_the_start()
    player.scrub(AT_HALF_WAY)
    player.shows_half_way()
    scrubber = player.root.get_by_role("slider", name="Step", exact=True)
    assert scrubber.get_attribute("aria-valuetext") == f"step {AT_HALF_WAY} of {LAST}"
    assert (
        player.root.locator(".adl-counter").get_attribute("title") == "5 operations · sweep 3 of 8"
    )


def test_python_and_the_page_share_the_step(server, open_notebook):
    """`player.step` can be set and read in a cell."""
    cells = (cell(f, "player = play(f, 2.0, 5.0)\nplayer.step = 10\nplayer"), "'a cell below'")
    notebook = open_notebook(server.write("step.ipynb", *cells), height=1100).run_all()
    player = PlayerOnPage(notebook.page)
    player.shows_half_way()
    player.last_step()
    player.shows_the_gradient()
    notebook.add_cell("print('python sees step', player.step)")
    assert "python sees step 15" in notebook.page.locator(".jp-Cell").last.inner_text()


def test_no_kernel_is_needed(server, open_notebook, watch, request):
    """With a busy, a restarted or no kernel, the player steps, and reports that an input gets no answer."""
    notebook = open_notebook(server.write("no_kernel.ipynb", *CELLS), height=1100).run_all()
    player = PlayerOnPage(notebook.page)
    notebook.add_cell("import time\ntime.sleep(600)", wait=False)
    notebook.page.locator(".jp-Notebook-ExecutionIndicator[data-status=busy]").wait_for()
    player.press("Forward one step")
    player.arrives_at(1)
    notebook.restart_kernel()
    player.press("Forward one step")
    player.arrives_at(2)
    player.key("ArrowRight")
    player.arrives_at(3)
    player.set_input("x1", 1.0)
    player.root.get_by_role("status").filter(has_text="The kernel does not answer").wait_for()
    player.last_step()
    player.shows_the_gradient()
    photograph(notebook.page, request, "restarted")
    notebook.shut_kernel_down()
    watch.allow(
        "404|WebSocket", because="JupyterLab asks for the kernel that the test has taken away"
    )
    player.scrub(AT_HALF_WAY)
    player.shows_half_way()
    player.key("ArrowLeft")
    player.arrives_at(AT_HALF_WAY - 1)
    player.last_step()
    player.shows_the_gradient()
