"""The settings of a notebook in a hall: the lecturer's own, and a clicker's keys."""

import json

from autodiff_lab.cli import present
from autodiff_lab.cli.present import write_settings

THEME = "@jupyterlab/apputils-extension/themes.jupyterlab-settings"
SHORTCUTS = "@jupyterlab/shortcuts-extension/shortcuts.jupyterlab-settings"


def written(tmp_path, monkeypatch, files):
    own, hall = tmp_path / "own", tmp_path / "hall"
    for name, text in files.items():
        (own / name).parent.mkdir(parents=True, exist_ok=True)
        (own / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr("jupyterlab.commands.get_user_settings_dir", lambda: str(own))
    write_settings(hall)
    return hall


def test_the_lecturers_settings_come_along(tmp_path, monkeypatch):
    hall = written(tmp_path, monkeypatch, {THEME: '{"theme": "JupyterLab Dark"} // mine'})
    assert "JupyterLab Dark" in (hall / THEME).read_text(encoding="utf-8")


def test_own_shortcuts_are_kept_beside_those_of_the_clicker(tmp_path, monkeypatch):
    own = {"command": "notebook:cut-cell", "keys": ["X"], "selector": ".jp-Notebook"}
    hall = written(tmp_path, monkeypatch, {SHORTCUTS: "// mine\n" + json.dumps({"shortcuts": [own]})})
    shortcuts = json.loads((hall / SHORTCUTS).read_text(encoding="utf-8"))["shortcuts"]
    assert shortcuts[0] == own
    assert {key for each in shortcuts[1:] for key in each["keys"]} == {"PageDown", "PageUp"}


def test_settings_that_cannot_be_read_do_not_stop_a_lecture(tmp_path, monkeypatch):
    hall = written(tmp_path, monkeypatch, {SHORTCUTS: "{ this is not JSON"})
    assert json.loads((hall / SHORTCUTS).read_text(encoding="utf-8"))["shortcuts"]


def test_the_copy_has_the_notebook_and_what_is_no_notebook(tmp_path):
    (tmp_path / "pictures").mkdir()
    names = ["04_a.ipynb", "05_b.ipynb", "my_progress.jsonl", "pictures"]
    assert present._only("04_a.ipynb")(str(tmp_path), names) == ["05_b.ipynb", "my_progress.jsonl"]
