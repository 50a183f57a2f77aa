"""Players in one notebook do not disturb each other, not even two views of the same one."""

from .player_page import AT_HALF_WAY, LAST, PlayerOnPage, cell, f


def g(a):
    return a * a * a


def test_several_players(server, open_notebook):
    path = server.write("several.ipynb", cell(f, "play(f, 2.0, 5.0)"), cell(g, "play(g, 3.0)"))
    notebook = open_notebook(path, height=1900).run_all()
    first, second = PlayerOnPage(notebook.page, 0), PlayerOnPage(notebook.page, 1)
    second.last_step()
    first.shows_the_start()
    assert second.column("adjoint")[0] == "27"
    first.focus()
    first.key("End", *["ArrowLeft"] * (LAST - AT_HALF_WAY))
    first.shows_half_way()
    assert second.column("adjoint")[0] == "27"
    second.set_input("a", 1)
    second.root.get_by_role("row").filter(has_text="a").nth(1).wait_for()
    notebook.page.wait_for_function(
        "root => root.querySelector('.adl-tape tbody .adl-adjoint').innerText === '3'",
        arg=second.root.element_handle(),
    )
    first.shows_half_way()
    identifiers = notebook.page.evaluate(
        "[...document.querySelectorAll('.adl-player [id]')].map(e => e.id)"
    )
    assert len(identifiers) == len(set(identifiers)), (
        "an arrow head of one drawing would be borrowed by the other"
    )


def test_the_same_player_twice(server, open_notebook):
    path = server.write("twice.ipynb", cell(f, "player = play(f, 2.0, 5.0)\nplayer"), "player")
    notebook = open_notebook(path, height=1900).run_all()
    first, second = PlayerOnPage(notebook.page, 0), PlayerOnPage(notebook.page, 1)
    first.last_step()
    first.shows_the_gradient()
    second.arrives_at(LAST)
    second.shows_the_gradient()
