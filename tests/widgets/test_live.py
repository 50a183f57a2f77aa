"""How an output finds its live widget: when a script does it, and how that script works."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from autodiff_lab import play
from autodiff_lab.widgets import live
from autodiff_lab.widgets.labs import VCurve
from autodiff_lab.widgets.live import VIEW, placeholder_html

NODE = shutil.which("node")
LIVE = Path(live.__file__).with_name("live.js")

LAB = {"JPY_SESSION_NAME": "/home/ada/notebooks/00_start_here.ipynb"}
SEEN = {
    "JupyterLab or Notebook 7": LAB,
    "JupyterLab, started in a terminal of VS Code": LAB
    | {"TERM_PROGRAM": "vscode", "VSCODE_PID": "7"},
    "a console of JupyterLab": {"JPY_SESSION_NAME": "/home/ada/console-1-0b8a"},
    "Voilà": {"VOILA_BASE_URL": "/"},
}
NOT_SEEN = {
    "VS Code": {"VSCODE_PID": "7", "JPY_PARENT_PID": "8"},
    "VS Code in a container, where it leaves no trace": {},
    "VS Code on a Jupyter server": {"JPY_SESSION_NAME": "/home/ada/start-jvsc-0b8a-4c1d.ipynb"},
    "PyCharm": LAB | {"PYCHARM_HOSTED": "1"},
    "Colab": LAB | {"COLAB_RELEASE_TAG": "release-colab"},
    "Kaggle": LAB | {"KAGGLE_KERNEL_RUN_TYPE": "Interactive"},
}
each_maker = pytest.mark.parametrize(
    "make", [lambda: play(lambda x: x * x, 3.0), VCurve], ids=["player", "lab"]
)


@pytest.fixture
def place(monkeypatch):
    """Put the kernel into a place that is known by its environment alone."""
    for name in ("JPY_SESSION_NAME", "VOILA_BASE_URL", *live._FRAMED):
        monkeypatch.delenv(name, raising=False)

    def named(environment):
        for name, value in environment.items():
            monkeypatch.setenv(name, value)

    return named


@each_maker
@pytest.mark.parametrize("name", SEEN)
def test_where_a_script_sees_the_widgets_the_output_is_html(name, make, place):
    place(SEEN[name])
    data, metadata = make()._repr_mimebundle_()
    assert VIEW not in data and VIEW not in metadata, "it would be an error once the kernel is gone"
    assert "<script" in data["text/html"]


@each_maker
@pytest.mark.parametrize("name", NOT_SEEN)
def test_where_it_may_not_the_view_is_kept(name, make, place):
    place(NOT_SEEN[name])
    data, _ = make()._repr_mimebundle_()
    assert VIEW in data and "<script" in data["text/html"]


def test_vs_code_may_join_a_kernel_of_jupyterlab(place, monkeypatch):
    place(LAB)
    monkeypatch.setattr(
        live, "get_ipython", lambda: SimpleNamespace(user_ns={"__vsc_ipynb_file__": "start.ipynb"})
    )
    assert not live.outputs_see_widgets()


@pytest.mark.parametrize(("module", "seen"), [("google.colab", False), ("pyodide_kernel", True)])
def test_a_kernel_of_another_make_is_known_by_its_modules(module, seen, place, monkeypatch):
    place(LAB if module == "google.colab" else {})
    monkeypatch.setitem(sys.modules, module, ModuleType(module))
    assert live.outputs_see_widgets() is seen


@each_maker
def test_each_widget_has_a_key_of_its_own(make):
    one, other = (getattr(thing, "view", thing) for thing in (make(), make()))
    assert one.key != other.key
    assert one.figure().count(one.key) == 1
    assert one.figure().replace(one.key, other.key) == other.figure(), (
        "and nothing else differs from run to run"
    )


def test_equal_figures_have_equal_marks_and_others_others():
    one, same, other = (placeholder_html(f"<figure>{text}</figure>", "lab") for text in "aab")
    assert one == same
    marks = [re.findall(r'data-adl-lab="(\w+)"', html) for html in (one, other)]
    assert all(len(found) == 2 and len(set(found)) == 1 for found in marks), (
        "the script looks for this figure"
    )
    assert marks[0] != marks[1]
    assert 'settle(figure, "")' in one


@pytest.mark.skipif(
    NODE is None, reason="node is not installed, so live.js is tested in the browser only"
)
def test_live_js_under_node():
    tests = Path(__file__).with_name("live.test.mjs")
    command = [NODE, "--experimental-detect-module", "--expose-gc", "--test", str(tests)]
    done = subprocess.run(
        command, env=os.environ | {"LIVE": str(LIVE)}, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
