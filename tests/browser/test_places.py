"""One player, many places: Notebook 7, a notebook that was saved, Voilà, and the slides that nbconvert makes."""

import re
from pathlib import Path

import nbformat
import pytest
from nbconvert import SlidesExporter

from autodiff_lab import play
from autodiff_lab.classroom.lecture import kit
from autodiff_lab.widgets.labs import VCurve

from .conftest import SCREENSHOTS, SCREENSHOTS_WANTED, photograph
from .player_page import AT_HALF_WAY, LAST, PlayerOnPage, cell, f
from .test_labs import LabOnPage

CELLS = (cell(f, "play(f, 2.0, 5.0)"), "'a cell below'")


def steps(player):
    """Step by button, by key and by scrubber. An input's slider needs a kernel, so the caller tests it."""
    player.shows_the_start()
    player.press("Forward one step")
    player.arrives_at(1)
    player.key("End")
    player.shows_the_gradient()
    player.scrub(AT_HALF_WAY)
    player.shows_half_way()
    player.key("ArrowRight", "ArrowLeft", "ArrowLeft")
    player.arrives_at(AT_HALF_WAY - 1)


def moves_an_input(player, x1=1.0, gradient=("6", "0.7163")):
    player.focus()
    player.key("End")
    player.set_input("x1", x1)
    player.root.locator("tr[data-line='0'] .adl-value", has_text=f"{x1:g}").wait_for()
    assert player.gradient() == list(gradient)


def has_sliders(player):
    """Only a kernel moves inputs: so a player with sliders is a live one."""
    player.root.get_by_role("slider", name="x1", exact=True).wait_for()
    return player


def test_in_notebook_7(server, open_notebook, watch):
    watch.allow(
        "reading 'schema'|filebrowser:open-path",
        because="Notebook 7.6 says so without a player too",
    )
    notebook = open_notebook(
        server.write("seven.ipynb", *CELLS), view="notebooks", height=1100
    ).run_all()
    player = PlayerOnPage(notebook.page)
    cells = notebook.sources()
    steps(player)
    player.key("a", "b", "x", "j", "k")
    assert notebook.sources() == cells, "the keys are the player's"
    moves_an_input(player)
    is_found_by_its_output(notebook.page)


def is_found_by_its_output(page):
    """If the kernel can tell that HTML works there, the output is HTML instead of a widget view."""
    assert page.locator(".adl-player").count() == 1
    assert page.locator(".jupyter-widgets .adl-player").count() == 0


def uses(lab):
    """The lab's slider needs the kernel."""
    lab.control(VCurve.controls[0]).focus()
    lab.changes(lambda: lab.page.keyboard.press("ArrowLeft"))
    assert lab.error() == ""


def test_a_notebook_that_was_saved_is_opened_again(server, open_notebook, request):
    """Its outputs are trusted, and no kernel has what they show: players step all the same, labs are pictures.

    Light when it is saved, and dark when it is opened again.
    """
    path = server.write(
        "saved.ipynb", *CELLS, "from autodiff_lab.widgets.labs import VCurve\n\nVCurve()"
    )
    notebook = open_notebook(path, height=1900).run_all()
    moves_an_input(PlayerOnPage(notebook.page))
    uses(LabOnPage(notebook.page, VCurve))
    notebook.save()
    notebook.page.goto("about:blank")

    server.theme("JupyterLab Dark")
    try:
        kept = open_notebook(path, height=1900)  # the kernel still runs: so does all that it has
        player = has_sliders(PlayerOnPage(kept.page))
        player.arrives_at(LAST)
        assert player.gradient() == ["6", "0.7163"], "what the kernel knows, not what was saved"
        moves_an_input(player, 3.0, ("5.3333", "2.7163"))
        uses(LabOnPage(kept.page, VCurve))
        kept.page.goto("about:blank")

        server.end_sessions()
        again = open_notebook(path, height=1900)
    finally:
        server.theme("JupyterLab Light")
    steps(PlayerOnPage(again.page))
    outputs = again.page.locator(".jp-OutputArea-output")
    assert "run the cell" in outputs.last.inner_text()
    assert (
        outputs.last.locator("img").evaluate(
            "image => image.decode().then(() => image.naturalWidth)"
        )
        > 300
    )
    assert not re.search("not found|Error", again.page.locator(".jp-Notebook").inner_text())
    assert (
        again.page.locator(".adl-player").count() == 1
        and again.page.locator(".adl-lab").count() == 0
    )
    photograph(again.page, request, "without a kernel")
    again.run_all()
    moves_an_input(has_sliders(PlayerOnPage(again.page)))
    uses(LabOnPage(again.page, VCurve))


def test_in_voila(tidy_server, new_page, watch):
    """A page that has only outputs and a running kernel."""
    watch.allow_strangers(
        "fontawesome|mathjax|jsdelivr|cdnjs", because="Voilà's own template asks for them"
    )
    watch.allow(
        "shared module|ERR_FAILED",
        because="Voilà says so of its own modules, with no player on the page too",
    )
    path = tidy_server.write("dashboard.ipynb", *CELLS)
    page = new_page(height=1100)
    page.goto(f"{tidy_server.url}/voila/render/{path}?token={tidy_server.token}")
    page.locator(".adl-player").wait_for()
    # until Voilà knows its widgets, one that steps by itself is there
    player = has_sliders(PlayerOnPage(page))
    steps(player)
    moves_an_input(player)
    is_found_by_its_output(page)


# ---- slides: `jupyter nbconvert --to slides`, with the lecture kit's reveal.js and the rest of what it asks for

REVEAL = Path(kit.__file__).with_name("reveal")


def slides(folder):
    """A deck of three slides as nbconvert writes it: words, a player, words."""
    player = play(f, 2.0, 5.0)
    data, _ = player._repr_mimebundle_()
    output = nbformat.v4.new_output("display_data", data=data)
    kind = {"slideshow": {"slide_type": "slide"}}
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell("# Before", metadata=kind),
            nbformat.v4.new_code_cell("play(f, 2.0, 5.0)", outputs=[output], metadata=kind),
            nbformat.v4.new_markdown_cell("# After", metadata=kind),
        ]
    )
    path = folder / "deck.html"
    path.write_text(SlidesExporter().from_notebook_node(notebook)[0], encoding="utf-8")
    return path


def serve_reveal(page):
    """What nbconvert's template takes from the network: reveal.js, and require.js to load it (here a few lines)."""
    require = """window.define = (names, make) => { define.made = make(); };
    define.amd = true;
    window.require = (options, [reveal], ready) => {
        const script = Object.assign(document.createElement("script"), { src: reveal });
        script.onload = () => ready(define.made, { id: "notes", init() {} });
        document.head.append(script);
    };"""
    sources = {
        "**/require*.js": {"body": require, "content_type": "text/javascript"},
        "**/dist/reveal.js": {"path": REVEAL / "reveal.js"},
        "**/dist/reveal.css": {"path": REVEAL / "reveal.css"},
    }
    for pattern, answer in sources.items():
        page.route(pattern, lambda route, _, answer=answer: route.fulfill(**answer))


@pytest.fixture
def deck(new_page, watch, tmp_path):
    watch.allow_strangers(
        "mathjax|jquery|mermaid|theme|font-awesome",
        because="nbconvert's own template asks for them",
    )
    watch.allow("jquery|MathJax|mermaid", because="the template uses what it could not load")
    page = new_page(offline=True, height=800)
    serve_reveal(page)
    page.goto(slides(tmp_path).as_uri())
    page.wait_for_function("document.querySelectorAll('.slides > section').length === 3")
    page.wait_for_function("document.querySelector('.reveal.ready')")
    return page


def slide(page):
    return page.evaluate(
        "[...document.querySelectorAll('.slides > section')].findIndex((e) => e.matches('.present'))"
    )


def test_in_slides(deck):
    page = deck
    page.keyboard.press("ArrowRight")
    assert slide(page) == 1
    player = PlayerOnPage(page)
    page.wait_for_function(
        "document.querySelector('svg.adl-graph').getBoundingClientRect().width > 300"
    )
    player.press("Forward one step")
    player.arrives_at(1)
    for key, step in (
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", LAST),
        ("Home", 0),
        ("ArrowRight", 1),
    ):
        player.key(key)
        player.arrives_at(step)
        assert slide(page) == 1, f"{key} inside the player turns no slide"
    player.root.locator("tr[data-line='6']").focus()
    player.key("ArrowDown", "ArrowUp")
    player.key(" ", " ")
    assert slide(page) == 1
    step = player.step
    if SCREENSHOTS_WANTED:
        page.screenshot(path=SCREENSHOTS / "test_in_slides_on_the_slide.png")
    player.key("Escape", "ArrowRight")
    assert slide(page) == 2, "Escape gives the keys back to the slides"
    page.keyboard.press("ArrowLeft")
    assert slide(page) == 1
    assert player.step == step
    assert not page.locator(".reveal.overview").count()
