"""A learner types a function of their own into a new cell and plays it."""

import textwrap

from .player_page import PlayerOnPage, cell, f


def test_typed_into_a_new_cell(server, open_notebook):
    typed = textwrap.dedent("""\
        def g(a):
            b = a * a
            if b > 0.5:
                b = np.sin(b)
            return b + a

        play(g, 1.0)""")
    notebook = open_notebook(server.write("own.ipynb", cell(f, "None")), height=1100).run_all()
    notebook.add_cell(typed)
    player = PlayerOnPage(notebook.page)
    assert player.source() == typed.splitlines()[:5]
    player.last_step()
    assert player.column("value") == ["1", "1", "0.8415", "1.8415"]
    assert player.column("adjoint")[0] == "2.0806"  # 2 cos 1 + 1
    marked = player.root.locator(".adl-code.is-current code")
    for _ in range(2):
        assert marked.all_inner_texts() == ["    b = a * a"], (
            "the product sends two contributions to a"
        )
        player.press("Back one step")
    assert marked.all_inner_texts() == ["        b = np.sin(b)"]
    assert notebook.errors() == []


def test_a_lambda(server, open_notebook):
    notebook = open_notebook(server.write("lambda.ipynb", cell(f, "None")), height=1100).run_all()
    notebook.add_cell("play(lambda x: np.exp(x) * x, 0.0)")
    player = PlayerOnPage(notebook.page)
    assert "np.exp(x) * x" in "\n".join(player.source())
    player.last_step()
    assert player.column("adjoint")[0] == "1"


def test_the_player_of_the_cell_that_was_just_run_is_in_sight(server, open_notebook):
    """JupyterLab goes on to the next cell, and would leave the graph outside of the screen."""
    cells = [cell(f, "None"), "play(f, 2.0, 5.0)", "for k in range(60):\n    print(k)", "1 + 1"]
    notebook = open_notebook(server.write("sight.ipynb", *cells), width=1366, height=768).run_all()
    page = notebook.page
    code = page.locator(".jp-Notebook .jp-CodeCell").nth(1).locator(".cm-content")
    code.click()
    page.keyboard.type("  # mine\n" * 12)
    page.keyboard.press("Shift+Enter")
    page.locator(".jp-Notebook .jp-CodeCell").nth(2).and_(page.locator(".jp-mod-active")).wait_for()
    player = PlayerOnPage(page)
    page.wait_for_timeout(1500)
    top = player.root.evaluate("root => root.getBoundingClientRect().top")
    above = page.locator(".jp-Notebook").first.evaluate("area => area.getBoundingClientRect().top")
    bottom = player.root.evaluate("root => root.getBoundingClientRect().bottom")
    assert above - 1 <= top
    assert bottom <= 768, "and all of it is"
