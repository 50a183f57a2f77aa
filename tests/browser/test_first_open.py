"""A notebook that was never run here is not trusted: JupyterLab shows no widget, no script and no SVG of it."""

import re

import nbformat
import pytest

from .server import NOTEBOOKS, REPOSITORY


def pictures(name):
    """How many outputs of the committed notebook are pictures: players, drawings and labs."""
    notebook = nbformat.read(REPOSITORY / "notebooks" / name, as_version=4)
    kinds = ("application/vnd.jupyter.widget-view+json", "image/svg+xml", "image/png")
    outputs = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    return sum("<img" in data.get("text/html", "") or any(kind in data for kind in kinds) for data in outputs)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_pictures_are_there_before_the_first_run(name, open_notebook):
    notebook = open_notebook(f"as_committed/{name}", height=1100)
    outputs = notebook.page.locator(".jp-OutputArea-output")
    seen = outputs.locator("img").evaluate_all(
        "async images => { for (const image of images) await image.decode(); return images.map(i => i.naturalWidth); }"
    )
    assert len(seen) >= pictures(name) > 0
    assert all(width > 0 for width in seen)
    assert notebook.page.locator(".adl-player").count() == 0, "no script of an untrusted notebook runs"
    for text in outputs.all_inner_texts():
        markup = re.match(r"\s*<[a-z]", text)  # <figure…, <drawing of…; a learner's own <Operator …> is what it should be
        assert " object at 0x" not in text and not markup and not text.lstrip().startswith("Player(")
