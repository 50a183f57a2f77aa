"""Every notebook runs from the first cell to the last, in JupyterLab, without an error or a warning."""

import pytest

from .player_page import PlayerOnPage
from .server import NOTEBOOKS
from .test_labs import can_be_driven, used_in


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_run_all(name, open_notebook):
    notebook = open_notebook(f"notebooks/{name}", height=1100).run_all()
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
    notebook = open_notebook("notebooks/00_start_here.ipynb").run_all()
    player = PlayerOnPage(notebook.page)
    player.press("Last step")
    assert player.gradient() == ["5.5", "1.7163"]
    shares = []
    while player.step > 0:
        shares.append(player.column("adjoint")[1])
        player.key("ArrowLeft")
    assert "−0.2837" in shares
