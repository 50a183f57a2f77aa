"""An output and its live widget find each other, whatever a reader does with cells, outputs and the kernel."""

from .player_page import LAST, PlayerOnPage, cell, f

PLAYER = cell(f, "player = play(f, 2.0, 5.0)\nplayer")


def sliders(page):
    """Return how many players of a page are connected to a kernel."""
    return page.locator(".adl-player").get_by_role("slider", name="x1", exact=True)


def is_live(notebook, number=0, x1=1.0):
    player = PlayerOnPage(notebook.page, number)
    player.focus()
    player.key("End")
    player.set_input("x1", x1)
    player.root.locator("tr[data-line='0'] .adl-value", has_text=f"{x1:g}").wait_for()
    assert player.step == LAST
    return player


def test_a_cell_is_run_again_and_the_kernel_is_started_again(server, open_notebook):
    notebook = open_notebook(server.write("again.ipynb", PLAYER), height=1100).run_all()
    is_live(notebook)
    notebook.run_all()
    PlayerOnPage(notebook.page).arrives_at(0)
    is_live(notebook)
    notebook.restart_kernel()
    notebook.run_all()
    PlayerOnPage(notebook.page).arrives_at(0)
    is_live(notebook)
    assert notebook.page.locator(".adl-player").count() == sliders(notebook.page).count() == 1


def test_an_output_has_a_second_view(server, open_notebook):
    notebook = open_notebook(
        server.write("views.ipynb", PLAYER), view="lab/tree", height=1100, width=1700
    ).run_all()
    is_live(notebook)
    page = notebook.page
    page.locator(".jp-OutputArea-output").first.click(button="right", position={"x": 300, "y": 5})
    page.get_by_role("menuitem", name="Create New View for Cell Output").click()
    page.locator(".jp-LinkedOutputView .adl-player").wait_for()
    assert sliders(page).count() == 2
    second = is_live(notebook, 1, x1=3.0)
    PlayerOnPage(page, 0).root.locator("tr[data-line='0'] .adl-value", has_text="3").wait_for()
    second.focus()
    second.key("Home")
    PlayerOnPage(page, 0).arrives_at(0)


def test_a_cell_may_be_taken_off_the_page_for_a_while(server, open_notebook):
    """As when JupyterLab moves a cell: only its output holds a reference to the player, and that is enough."""
    notebook = open_notebook(server.write("away.ipynb", PLAYER), height=1100).run_all()
    is_live(notebook)
    notebook.page.evaluate(
        "window.away = document.querySelector('.adl-player').closest('.jp-OutputArea-child');"
        "window.from = away.parentNode; away.remove();"
    )
    notebook.add_cell("player.inputs = [3.0, 5.0]\nplayer.step")
    notebook.page.context.new_cdp_session(notebook.page).send("HeapProfiler.collectGarbage")
    notebook.page.evaluate("from.append(away)")
    PlayerOnPage(notebook.page).root.locator(
        "tr[data-line='0'] .adl-value", has_text="3"
    ).wait_for()
    is_live(notebook)


BOXED = """import ipywidgets as widgets
from IPython.display import display

slider = widgets.FloatSlider(value=2.0, min=1.0, max=3.0, description="outside")
player = play(f, 2.0, 5.0)
link = widgets.dlink((slider, "value"), (player, "inputs"), lambda x1: [x1, 5.0])
box = widgets.VBox([slider, player])
box"""


def test_inside_other_widgets(server, open_notebook):
    """There the player is a view, as any widget is."""
    interact = "widgets.interact(lambda n: display(play(f, float(n), 5.0)), n=(1, 3))\nNone"
    notebook = open_notebook(
        server.write("boxed.ipynb", cell(f, BOXED), interact), height=2000
    ).run_all()
    page = notebook.page
    boxed, inside = is_live(notebook, 0), is_live(notebook, 1)
    handles = page.locator(".noUi-handle")  # which have no names
    handles.first.focus()
    page.keyboard.press("End")
    boxed.root.locator("tr[data-line='0'] .adl-value", has_text="3").wait_for()
    handles.last.focus()
    page.keyboard.press("End")
    page.wait_for_function(
        "[...document.querySelectorAll('.adl-player')].at(-1).dataset.step === '-1'"
    )
    assert inside.root.get_by_role("slider", name="x1", exact=True).input_value() == "3"
    is_live(notebook, 1)
    assert page.locator(".adl-player").count() == 2


# The styles that differ between two elements and all that is in them, but for what follows from where they stand.
DIFFERENCES = """([one, other]) => {
    const all = (element) => [element, ...element.querySelectorAll('*')];
    const others = all(other), found = all(one).length === others.length ? [] : ['other elements'];
    for (const [k, element] of all(one).entries()) {
        const style = getComputedStyle(element), against = getComputedStyle(others[k]);
        for (const name of style) {
            const [here, there] = [style, against].map((s) => s.getPropertyValue(name));
            if (here !== there && !here.includes('url(')) found.push(`${element.tagName} ${name}: ${here}, ${there}`);
        }
    }
    return found;
}"""


def test_an_output_looks_like_a_view(server, open_notebook):
    """Jupyter has styles for the tables and the code of HTML; a player and a lab have their own."""
    lab = "from autodiff_lab.widgets.labs import TraceTable\n\nlab = TraceTable()\nlab"
    boxed = "import ipywidgets\n\nipywidgets.VBox([player, lab.view])"
    notebook = open_notebook(server.write("looks.ipynb", PLAYER, lab, boxed), height=4000).run_all()
    page = notebook.page
    for kind in (".adl-player", ".adl-lab"):
        page.wait_for_function("kind => document.querySelectorAll(kind).length === 2", arg=kind)
    PlayerOnPage(page).last_step()
    page.evaluate(
        "document.querySelectorAll('.adl-lab details').forEach((more) => (more.open = true))"
    )
    page.wait_for_function(
        "[...document.querySelectorAll('.adl-player')].every((e) => e.dataset.step === '15')"
    )
    page.mouse.move(0, 0)
    for kind in (".adl-player", ".adl-lab"):
        page.evaluate("document.activeElement.blur()")
        same = f"({DIFFERENCES})([...document.querySelectorAll('{kind}')])"
        page.wait_for_timeout(500)
        assert page.evaluate(same) == [], kind


def test_widgets_are_saved_in_the_notebook(server, open_notebook):
    """JupyterLab's own way to keep widgets: then the player has its sliders, and says what became of the kernel."""
    manager = "@jupyter-widgets/jupyterlab-manager:plugin"
    server.set(manager, {"saveState": True})
    try:
        notebook = open_notebook(server.write("state.ipynb", PLAYER), height=1100).run_all()
        is_live(notebook)
        notebook.save()
        assert '"widgets"' in (server.root / "state.ipynb").read_text(encoding="utf-8")
        notebook.page.goto("about:blank")
        server.end_sessions()
        again = open_notebook("state.ipynb", height=1100)
        player = PlayerOnPage(again.page)
        player.key("Home", "ArrowRight")
        sliders(again.page).wait_for()
        player.set_input("x1", 2.0)
        player.root.get_by_text("does not answer").wait_for()
        again.run_all()
        is_live(again)
    finally:
        server.set(manager, {"saveState": False})
