"""Every notebook as a learner meets it: first opened, then run from the first cell to the last, in JupyterLab."""

import re

import nbformat
import pytest

from .conftest import photograph
from .player_page import PlayerOnPage
from .server import NOTEBOOKS, REPOSITORY
from .test_labs import can_be_driven, used_in


def pictures(name):
    """How many outputs of the committed notebook are pictures: players, drawings and labs."""
    notebook = nbformat.read(REPOSITORY / "notebooks" / name, as_version=4)
    kinds = ("application/vnd.jupyter.widget-view+json", "image/svg+xml", "image/png")
    outputs = [
        output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])
    ]
    return sum(
        "<img" in data.get("text/html", "") or any(kind in data for kind in kinds)
        for data in outputs
    )


def shows_pictures_before_the_first_run(name, notebook):
    """A notebook that was never run here is not trusted: JupyterLab shows no widget, no script and no SVG of it."""
    outputs = notebook.page.locator(".jp-OutputArea-output")
    seen = outputs.locator("img").evaluate_all(
        "async images => { for (const image of images) await image.decode(); return images.map(i => i.naturalWidth); }"
    )
    assert len(seen) >= pictures(name) > 0
    assert all(width > 0 for width in seen)
    assert notebook.page.locator(".adl-player").count() == 0, (
        "no script of an untrusted notebook runs"
    )
    for text in outputs.all_inner_texts():
        markup = re.match(r"\s*<[a-z]", text)  # <figure…, <drawing of…; <Operator …> is an answer
        assert (
            " object at 0x" not in text and not markup and not text.lstrip().startswith("Player(")
        )


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_opened_and_run(name, open_notebook, request):
    notebook = open_notebook(f"notebooks/{name}", height=1100)
    photograph(notebook.page, request, "first opened")
    shows_pictures_before_the_first_run(name, notebook.unfold())
    notebook.clear_outputs().run_all()
    # A player that did not draw, or an object shown as its address, is an error that nobody raised.
    for player in notebook.page.locator(".adl-player").all():
        assert player.locator(".adl-node").count() > 0
        assert player.locator(".adl-tape tbody tr").count() > 0
    assert " object at 0x" not in notebook.page.locator(".jp-Notebook").inner_text()
    done = notebook.page.locator("table", has_text="exercises done")
    assert done.count() == ("check.progress()" in "".join(notebook.sources()))
    for kind in used_in(name):
        can_be_driven(notebook, kind)


def test_the_first_player_of_the_tutorial(open_notebook):
    """What a newcomer meets: both derivatives at the end, and on the way x2 with only the share of the sine."""
    notebook = open_notebook("notebooks/00_start_here.ipynb").clear_outputs().run_all()
    player = PlayerOnPage(notebook.page)
    player.last_step()
    assert player.gradient() == ["5.5", "1.7163"]
    shares = []
    while player.step > 0:
        shares.append(player.column("adjoint")[1])
        player.key("ArrowLeft")
    assert "−0.2837" in shares
