"""What JupyterLab makes of an output that is committed folded."""


def test_an_answer_is_folded_until_its_cell_is_run(open_notebook):
    notebook = open_notebook("notebooks/07_ways_to_remember.ipynb", height=1100)
    cell = notebook.page.locator(".jp-CodeCell").filter(
        has_text="print(x.sensitivity, y.sensitivity)"
    )
    dots = cell.locator(".jp-OutputPlaceholder")
    assert dots.inner_text().strip() == "", "the first line of the answer would be an answer"
    assert cell.locator(".jp-OutputArea").count() == 0

    notebook.run_all()
    dots.wait_for(state="detached")
    cell.locator(".jp-OutputArea", has_text="0.010007503399554585 3.0").wait_for(timeout=60_000)
    notebook.page.wait_for_function("!document.querySelector('.jp-OutputPlaceholder')")


def test_a_click_opens_it_too(open_notebook):
    page = open_notebook("notebooks/00_start_here.ipynb", height=1100).page
    cell = page.locator(".jp-CodeCell").filter(has_text="table(f, 2.0, 5.0)")
    cell.locator(".jp-OutputPlaceholder").click()
    assert "1.7163" in cell.locator(".jp-OutputArea").inner_text()
    assert page.locator(".jp-CodeCell:has-text('nudge = 0.01') .jp-OutputPlaceholder").is_visible()
