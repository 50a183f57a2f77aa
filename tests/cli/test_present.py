"""`autodiff-lab present` starts JupyterLab with the lecturer's own settings and a copy of the notebook with slides."""

import json

import pytest
from nbformat import v4
from nbformat.sign import NotebookNotary

from autodiff_lab.classroom.lecture import EXTENSIONS
from autodiff_lab.classroom.lecture.kit import find_notebook, read_lecture
from autodiff_lab.classroom.lecture.slides import slide_type
from autodiff_lab.cli import present
from autodiff_lab.cli.present import make_presented, sign, write_settings

THEME = "@jupyterlab/apputils-extension/themes.jupyterlab-settings"
TRACKER = "@jupyterlab/notebook-extension/tracker.jupyterlab-settings"


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


def test_own_settings_are_kept_beside_ours(tmp_path, monkeypatch):
    hall = written(tmp_path, monkeypatch, {TRACKER: '// mine\n{"kernelShutdown": true}'})
    settings = json.loads((hall / TRACKER).read_text(encoding="utf-8"))
    assert settings == {"kernelShutdown": True, "windowingMode": "none"}


def test_settings_that_cannot_be_read_do_not_stop_a_lecture(tmp_path, monkeypatch):
    hall = written(tmp_path, monkeypatch, {TRACKER: "{ this is not JSON"})
    assert json.loads((hall / TRACKER).read_text(encoding="utf-8"))["windowingMode"] == "none"


def test_the_copy_has_the_notebook_and_what_is_no_notebook(tmp_path):
    (tmp_path / "pictures").mkdir()
    names = ["04_a.ipynb", "05_b.ipynb", "my_progress.jsonl", "pictures"]
    assert present._only("04_a.ipynb")(str(tmp_path), names) == ["05_b.ipynb", "my_progress.jsonl"]


def test_a_lecture_is_presented_as_its_slides_are_cut():
    lecture = read_lecture(find_notebook("40_minutes"))
    presented = make_presented(lecture)
    assert presented.metadata["autodiff_lab"] == {"present": True, "runs": "when shown"}
    assert presented.cells == lecture.cells


def test_jupyterlab_asks_for_no_kernel_in_front_of_the_audience():
    assert make_presented(v4.new_notebook()).metadata["kernelspec"]["name"] == "python3"


def test_a_lesson_is_shown_cell_by_cell_and_without_its_answers():
    lesson = read_lecture(find_notebook("04"))
    presented = make_presented(lesson)
    assert presented.metadata["autodiff_lab"]["runs"] == "on the next key"
    assert not any(cell.get("outputs") for cell in presented.cells)
    assert {slide_type(cell) for cell in presented.cells} == {"slide", "fragment", "notes"}
    notes = [cell.source for cell in presented.cells if slide_type(cell) == "notes"]
    assert notes and all("A good answer:" in text for text in notes)
    assert any(cell.get("outputs") for cell in lesson.cells), "the lesson itself is as it was"


def test_the_copy_is_trusted_in_the_jupyterlab_that_shows_it(tmp_path):
    notebook = v4.new_notebook(cells=[v4.new_code_cell("play(f, 2.0)", id="a")])
    options = dict(
        option.removeprefix("--NotebookNotary.").split("=") for option in sign(notebook, tmp_path)
    )
    assert NotebookNotary(**options).check_signature(notebook)
    assert not NotebookNotary(
        secret_file=str(tmp_path / "other"), db_file=options["db_file"]
    ).check_signature(notebook)


@pytest.mark.parametrize(
    "name", ["static/live.js", "static/live.css", "static/slides.css", "static/lecture.js"]
)
def test_the_extension_has_its_files(name):
    folder = EXTENSIONS / "labextensions" / "autodiff-lab-lecture"
    about = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    assert about["jupyterlab"]["_build"]["load"] == "static/live.js"
    assert (folder / name).is_file()
