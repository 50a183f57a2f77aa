"""Each link in the glossary or in the misconceptions leads to its cell."""

import re

import nbformat
import pytest
from nbconvert import HTMLExporter

from .server import PAGES, REPOSITORY, SETTINGS

TRACKER = "@jupyterlab/notebook-extension:tracker"
# JupyterLab does not write a cell's id into the page; its text says which one it is.
IN_SIGHT = """(line) => [...document.querySelectorAll('.jp-Cell')].some(cell => {
    const { height, top, bottom } = cell.getBoundingClientRect();
    const sought = cell.innerText.includes(line) && !cell.innerText.includes('→');
    return sought && cell.checkVisibility() && height > 0 && bottom > 100 && top < innerHeight / 2;
})"""
LINK = re.compile(r"\]\((\d\d_[^)#]+)#cell-id=([a-z0-9-]+)\)")


def notebook(name):
    return nbformat.read(REPOSITORY / "notebooks" / name, as_version=4)


@pytest.fixture(scope="module")
def as_delivered(server):
    """JupyterLab makes only the cells in sight, as for a learner; other tests have it make them all."""
    server.set(TRACKER, {})
    yield
    server.set(TRACKER, SETTINGS[TRACKER])


@pytest.mark.parametrize("name", PAGES)
def test_a_link_leads_to_its_cell_in_jupyterlab(name, as_delivered, open_notebook):
    file, cell_id = LINK.findall("\n".join(cell.source for cell in notebook(name).cells))[0]
    (source,) = (cell.source for cell in notebook(file).cells if cell.id == cell_id)
    line = re.sub(r"[*`$#\\]", "", source.splitlines()[0])[:40].strip()
    page = open_notebook(f"notebooks/{name}").page
    page.locator(f".jp-RenderedMarkdown a[href*='{cell_id}']").first.click()
    # Lab draws the whole notebook before it jumps.
    page.wait_for_function(IN_SIGHT, arg=line)


@pytest.mark.parametrize("name", PAGES)
def test_as_a_web_page_each_cell_can_be_linked_to(name, new_page, watch, tmp_path):
    file = tmp_path / "page.html"
    file.write_text(HTMLExporter().from_notebook_node(notebook(name))[0], encoding="utf-8")
    watch.allow_strangers("mathjax|require|cdnjs", because="nbconvert's own template asks for them")
    page = new_page(offline=True)
    last = notebook(name).cells[-1]
    page.goto(f"{file.as_uri()}#cell-id={last.id}")
    box = page.locator(f"[id='cell-id={last.id}']").bounding_box()
    assert box["height"] > 0 and box["y"] < page.viewport_size["height"], "scrolled to"
