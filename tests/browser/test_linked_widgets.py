"""Players linked with each other and with sliders, by `interact`, by `link` and by `jslink`, in JupyterLab."""

import pytest

from .player_page import LAST, PlayerOnPage, cell, f

FIRST = "first = play(f, 2.0, 5.0)\nfirst"
SECOND = "second = play(f, 1.0, 5.0)\nsecond"
LINKS = """import ipywidgets as widgets

for trait in ("inputs", "step"):
    widgets.%s((first, trait), (second, trait))
steps = widgets.IntSlider(min=1, max=15, value=1)  # the last input, which is the start; the last step
widgets.%s((steps, "value"), (first, "step"))
steps"""
INTERACT = """@widgets.interact(x1=(0.5, 4.0, 0.5))
def move(x1=2.0):
    first.inputs = [x1, 5.0]"""


@pytest.mark.parametrize("link", ["jslink", "link"])
def test_players_and_sliders_move_each_other(link, server, open_notebook):
    path = server.write(f"{link}.ipynb", cell(f, FIRST), SECOND, LINKS % (link, link), INTERACT)
    notebook = open_notebook(path, height=2600).run_all()
    page = notebook.page
    first, second = PlayerOnPage(page, 0), PlayerOnPage(page, 1)
    steps, x1 = page.locator(".widget-slider .noUi-handle").all()
    steps.focus()
    for step in (1, 2, 3):
        page.keyboard.press("ArrowRight")
        first.arrives_at(step)
        second.arrives_at(step)
    second.focus()
    second.key("End")
    first.arrives_at(LAST)
    page.wait_for_function(
        "() => document.querySelector('.noUi-handle').getAttribute('aria-valuenow') === '15.0'"
    )
    x1.focus()
    page.keyboard.press("End")
    for player in (first, second):
        player.root.locator("tr[data-line='0'] .adl-value", has_text="4").wait_for()
    second.set_input("x1", 1.5)
    first.root.locator("tr[data-line='0'] .adl-value", has_text="1.5").wait_for()
    notebook.add_cell(
        "assert first.inputs == second.inputs == [1.5, 5.0], (first.inputs, second.inputs)"
    )
    notebook.add_cell(
        "assert (first.step, second.step, steps.value) == (15, 15, 15), (first.step, second.step)"
    )
