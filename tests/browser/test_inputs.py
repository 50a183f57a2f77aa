"""Moving an input re-records the run; an input that cannot be recorded says so and leaves the picture."""

import numpy as np
import pytest

from autodiff_lab import Trace

from .conftest import photograph
from .player_page import LAST, PlayerOnPage, cell, f, picky


def fit(x, w):
    error = x * w - 1
    loss = error**2
    return {"loss": loss, "pred": x * w}


def half(x):
    y = x * x
    if x < 0:
        raise ValueError("x is negative")
    return y * 3


def logarithm(x):
    return np.log(x) * x


# Moves by hand come some milliseconds apart, and the first answer of the kernel between them.
HASTY = """async (player, [moves, pause]) => { for (const [name, place] of moves) {
    const slider = player.querySelector(`input[aria-label=${name}]`);
    slider.value = place;
    slider.dispatchEvent(new Event("input", {bubbles: true}));
    await new Promise((resolve) => setTimeout(resolve, pause));
} }"""


MOVE = """(slider, place) => {
    slider.value = place;
    slider.dispatchEvent(new Event("input", {bubbles: true}));
    return slider.value;
}"""


def shows(player, trace):
    """Wait until the player shows this run, and compare it all."""
    texts = [line.value.text for line in trace.lines]
    player.page.wait_for_function(
        "([root, texts]) => [...root.querySelectorAll('.adl-tape tbody .adl-value')].map(e => e.innerText).join()"
        " === texts.join()",
        arg=[player.root.element_handle(), texts],
    )
    adjoints = [
        "·" if adjoint is None else adjoint.text
        for adjoint in trace.adjoints_at(len(trace.steps) - 1)
    ]
    assert player.column("adjoint") == adjoints


@pytest.fixture(scope="module")
def notebook(server, shared_notebook):
    """One page and one kernel: the cell of each test takes the place of the one before."""
    return shared_notebook(server.write("inputs.ipynb", "'a player'"))


@pytest.fixture
def new_player(notebook, shared_watch, request):
    def shown(source):
        notebook.clear_outputs().write_cell(0, source)
        return PlayerOnPage(notebook.run_all().page)

    yield shown
    photograph(notebook.page, request)
    shared_watch.verdict()


def test_a_slider_records_again(new_player):
    player = new_player(cell(f, "play(f, 2.0, 5.0)"))
    player.last_step()
    player.shows_the_gradient()
    player.set_input("x1", 3)
    shows(player, Trace.of(f, 3.0, 5.0))
    player.set_input("x2", 1)
    shows(player, Trace.of(f, 3.0, 1.0))
    assert player.step == LAST, "the player stays where it was"
    player.set_input("x1", 2)
    player.set_input("x2", 5)
    shows(player, Trace.of(f, 2.0, 5.0))
    player.shows_the_gradient()


def test_the_menu_of_results_follows_another_one(new_player):
    player = new_player(cell(fit, "play(fit, 2.0, 3.0)"))
    player.last_step()
    menu = player.root.get_by_role("combobox", name="Which result to follow")
    assert menu.locator("option").all_inner_texts() == ["'loss'", "'pred'", "all"]
    assert menu.input_value() == "'loss'"
    shows(player, Trace.of(fit, 2.0, 3.0))
    menu.select_option("'pred'")
    player.page.wait_for_function(
        "(root) => root.querySelector('.adl-note').innerText.includes(\"this one is result='pred'\")",
        arg=player.root.element_handle(),
    )
    player.last_step()
    shows(player, Trace.of(fit, 2.0, 3.0, result="pred"))
    player.set_input("x", 3)
    shows(player, Trace.of(fit, 3.0, 3.0, result="pred"))
    assert menu.input_value() == "'pred'"


def test_all_results_are_followed_each_with_a_seed_of_its_own(new_player):
    player = new_player(cell(fit, "play(fit, 2.0, 3.0)"))
    menu = player.root.get_by_role("combobox", name="Which result to follow")
    assert not player.root.locator(".adl-seed").count(), "a single result has the seed 1"
    menu.select_option("all")
    fields = [
        player.root.get_by_role("spinbutton", name=f"Seed of {result}")
        for result in ("'loss'", "'pred'")
    ]
    fields[0].wait_for()
    player.last_step()
    shows(player, Trace.of(fit, 2.0, 3.0, result="all"))
    assert [field.input_value() for field in fields] == ["1", "1"]
    fields[1].fill("0.5")
    wanted = Trace.of(fit, 2.0, 3.0, seed={"loss": 1, "pred": 0.5})
    player.page.wait_for_function(
        "([root, text]) => root.querySelector('.adl-gradient').innerText.includes(text)",
        arg=[player.root.element_handle(), f"∂{wanted.derivative_name}"],
    )
    shows(player, wanted)
    player.set_input("x", 3)
    shows(player, Trace.of(fit, 3.0, 3.0, seed={"loss": 1, "pred": 0.5}))
    menu.select_option("'pred'")
    fields[0].wait_for(state="detached")
    shows(player, Trace.of(fit, 3.0, 3.0, result="pred"))


def test_half_a_run_shows_where_it_ends_until_a_slider_makes_it_whole(new_player):
    player = new_player(cell(half, "play(half, -1.0, ranges={'x': (-2, 2)})"))
    raised = player.root.locator(".adl-warning.is-raised")
    assert raised.inner_text().startswith("ValueError: x is negative")
    marked = player.root.locator(".adl-code.is-raised")
    assert "raise ValueError" in marked.inner_text()
    player.last_step()
    assert "Here the run ends" in player.root.locator(".adl-sentence").inner_text()
    player.set_input("x", 2)
    raised.wait_for(state="detached")
    player.last_step()
    shows(player, Trace.of(half, 2.0))
    assert not marked.count()


def test_a_slider_by_key(new_player, notebook):
    player = new_player(cell(f, "play(f, 2.0, 5.0)"))
    player.last_step()
    slider = player.root.get_by_role("slider", name="x1", exact=True)
    slider.focus()
    cells, active = notebook.sources(), notebook.active_cell()
    player.key("ArrowRight", "ArrowRight", "ArrowUp")
    shows(player, Trace.of(f, float(slider.input_value()), 5.0))
    assert float(slider.input_value()) > 2
    assert player.step == LAST, "a slider keeps its own arrows"
    assert (notebook.sources(), notebook.active_cell()) == (cells, active)


def test_the_last_position_of_every_slider_counts(new_player):
    """A hand moves faster than the kernel answers; a late answer must not pull a slider back."""
    player = new_player(cell(f, "play(f, 2.0, 5.0)"))
    player.last_step()
    for x1, x2, pause in (
        (3, 6, 5),
        (2.2, 4, 8),
        (3.6, 7, 10),
        (3, 6, 15),
        (2.2, 4, 20),
        (2, 5, 5),
    ):
        moves = [["x1", x1 + 0.3], ["x1", x1], ["x2", x2 + 0.5], ["x2", x2]]
        player.root.evaluate(HASTY, [moves, pause])
        shows(player, Trace.of(f, float(x1), float(x2)))
    player.shows_the_gradient()


def test_a_moved_slider_lets_one_feel_the_adjoint(new_player):
    """What this moves, beside what the adjoint said: in words, with the old values, heard once at rest."""
    player = new_player(cell(f, "play(f, 2.0, 5.0, ranges={'x1': (0.1, 4), 'x2': (0.1, 9)})"))
    player.last_step()
    told = player.root.locator(".adl-sentence")
    ghosts = player.root.locator(".adl-ghost")
    assert not ghosts.count()
    slider = player.root.get_by_role("slider", name="x1", exact=True)
    assert slider.evaluate(MOVE, 2.1) == "2.1", "the hand is right, also before the answer"
    shows(player, Trace.of(f, 2.1, 5.0))
    line = "Δx1 = +0.1 → Δy = +0.549 · the adjoint said 5.5 × 0.1 = 0.55"
    assert told.inner_text() == line
    assert ghosts.all_text_contents() == [
        "was 2",
        "was 0.6931",
        "was 10",
        "was 10.6931",
        "was 11.6521",
    ]
    assert told.get_attribute("aria-live") == "polite"
    player.root.locator(".adl-sentence[aria-busy=false]").wait_for()
    slider.focus()
    player.key("ArrowRight")
    assert told.get_attribute("aria-busy") == "true", "who listens hears it when the hand rests"
    shows(player, Trace.of(f, float(slider.input_value()), 5.0))
    assert told.inner_text().startswith("Δx1 = +0.1") and "was 2" in ghosts.all_text_contents()
    player.set_input("x2", 5.5)
    shows(player, Trace.of(f, float(slider.input_value()), 5.5))
    assert (
        told.inner_text().startswith("Δx2 = +0.5 → Δy =") and "was 5" in ghosts.all_text_contents()
    )
    assert "was 2" not in ghosts.all_text_contents(), "the next slider has its own old values"
    player.press("Back one step")
    assert not ghosts.count() and told.inner_text().startswith("b = x1 · x2 sends")


def test_a_slider_that_is_moved_while_it_plays_takes_over(new_player):
    player = new_player(cell(f, "play(f, 2.0, 5.0)"))
    player.first_step()
    player.key(" ")
    player.root.locator("[data-action=play][aria-label=Pause]").wait_for()
    player.set_input("x1", 3)
    player.root.locator("[data-action=play][aria-label=Play]").wait_for()
    assert player.root.get_attribute("data-playing") is None
    shown = player.root.get_attribute("data-step")
    player.page.wait_for_timeout(1500)
    assert player.root.get_attribute("data-step") == shown, "it stands, and says so"
    player.last_step()
    shows(player, Trace.of(f, 3.0, 5.0))


def test_an_exception_is_shown_and_the_picture_stays(new_player, notebook, request):
    player = new_player(cell(picky, "play(picky, 4.0, ranges={'x': (-4, 9)})"))
    player.last_step()
    shows(player, Trace.of(picky, 4.0))
    player.set_input("x", -1)
    message = player.root.locator(".adl-error").get_by_text("picky wants x >= 0")
    message.wait_for()
    shows(player, Trace.of(picky, 4.0))
    player.press("Back one step")
    player.last_step()
    photograph(notebook.page, request, "at the bad input")
    player.set_input("x", 9)
    shows(player, Trace.of(picky, 9.0))
    message.wait_for(state="hidden")
    assert notebook.errors() == []


@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_value_that_is_not_a_number(new_player, notebook, request):
    player = new_player(cell(logarithm, "play(logarithm, 2.0, ranges={'x': (-4, 9)})"))
    player.last_step()
    player.set_input("x", -1)
    shows(player, Trace.of(logarithm, -1.0))
    assert "NaN" in player.column("value")
    photograph(notebook.page, request, "at the bad input")
    player.set_input("x", 2)
    shows(player, Trace.of(logarithm, 2.0))
    assert notebook.errors() == []
