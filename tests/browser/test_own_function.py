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
        assert marked.all_inner_texts() == ["    b = a * a"], "the product sends two contributions to a"
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
