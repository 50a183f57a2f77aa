"""`autodiff-lab check` finds each known problem on a system that really has it, and says how to fix it."""

import os
import platform
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib import metadata
from pathlib import Path

import nbformat
import pytest

from autodiff_lab import setup_check
from autodiff_lab.cli import tutorial
from autodiff_lab.jupyter import notebooks as tutorial_notebooks
from autodiff_lab.jupyter.lab_settings import default_port
from autodiff_lab.setup_check import Finding


def only(findings: Iterator[Finding]) -> Finding:
    (finding,) = findings
    return finding


@contextmanager
def an_ordinary_user() -> Iterator[None]:
    """Give up root's rights inside the block: root may write everywhere, so permissions couldn't be tested."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)  # nobody
    try:
        yield
    finally:
        os.seteuid(0)


def test_an_old_widget_library_is_recognised(tmp_path: Path) -> None:
    old = {"anywidget": "0.6.5", "ipywidgets": "7.8.5"}
    for name, version in old.items():
        about = tmp_path / f"{name}-{version}.dist-info" / "METADATA"
        about.parent.mkdir()
        about.write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]),
    }
    command = [sys.executable, "-m", "autodiff_lab", "check"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert run.returncode == 1
    lines = run.stdout.splitlines()
    problems = [k for k, line in enumerate(lines) if line.startswith("  problem ")]
    for at, (name, version) in zip(problems, old.items(), strict=True):
        assert f"{name} is {version}; autodiff-lab requires >=" in lines[at]
        assert f'-m pip install --upgrade "{name}>=' in lines[at + 1]
    assert "2 problems; the line after each -> fixes it." in run.stdout


def test_half_a_widget_library_left_by_another_python_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "labextensions" / "anywidget"
    old.mkdir(parents=True)
    (old / "package.json").write_text('{"name": "anywidget", "version": "0.6.5"}')
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    problem = only(finding for finding in setup_check.check_widgets() if finding.state != "ok")
    assert "JupyterLab would load anywidget 0.6.5" in problem.text
    assert problem.fix == f"delete the folder {old}"


@pytest.mark.parametrize("version", ["3.9.2", "3.10.14", "2.7.18"])
def test_an_old_python(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "python_version", lambda: version)
    problem = only(setup_check.check_python())
    assert problem.text == f"This is Python {version}; autodiff-lab requires >=3.11."
    assert "install Python 3.11 or newer" in problem.fix


@pytest.mark.parametrize("version", ["3.11.0", "3.14.0rc1", "4.0.0"])
def test_a_python_that_will_do(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "python_version", lambda: version)
    assert only(setup_check.check_python()).state == "ok"


def test_the_python_is_checked_before_anything_is_installed() -> None:
    asked = metadata.metadata("autodiff-lab")["Requires-Python"]
    assert asked == ">={}.{}".format(*setup_check.OLDEST_PYTHON)


def test_a_missing_library_is_one_problem_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Several checks need the missing module; the report names it once, and goes on."""
    monkeypatch.setitem(sys.modules, "jupyter_core.paths", None)
    assert setup_check.check_setup() == 1
    said = capsys.readouterr().out
    assert said.count("problem jupyter_core cannot be imported") == 1
    assert "-m pip install --force-reinstall jupyter_core\n" in said
    assert "\n1 problem; " in said and "\nJupyterLab\n" in said


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps permissions elsewhere")
def test_a_folder_without_write_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notebooks = tmp_path / "notebooks"
    notebooks.mkdir()
    (notebooks / tutorial_notebooks.START).write_text("{}")
    notebooks.chmod(0o555)
    for folder in (tmp_path, *list(tmp_path.parents)[:2]):
        # may be entered, so that the last is what refuses
        folder.chmod(folder.stat().st_mode | 0o055)
    monkeypatch.setattr(setup_check, "installed_notebooks", lambda: notebooks)
    with an_ordinary_user():
        problem = next(setup_check.check_folders())
    assert problem.text == f"Nothing that you do can be saved in {notebooks} (Permission denied)."
    assert problem.fix.endswith("autodiff-lab --to DIR")

    monkeypatch.setattr(tutorial, "installed_notebooks", lambda: notebooks)
    with (
        an_ordinary_user(),
        pytest.raises(
            tutorial_notebooks.TutorialError, match=r"could not save anything .*\n.*--to DIR"
        ),
    ):
        tutorial.open_tutorial()


def test_jupyter_without_a_folder_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    folder = tmp_path / "file" / "jupyter"
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(folder))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(folder))
    work, problem = setup_check.check_folders()
    assert work.state == "ok"
    assert (
        f"cannot write its own files to {folder}" in problem.text
        and "so it would not start" in problem.text
    )
    assert "JUPYTER_RUNTIME_DIR" in problem.fix
    assert list(setup_check.check_trust()) == [], (
        "where nothing can be kept, nothing can be trusted"
    )
    with pytest.raises(
        tutorial_notebooks.TutorialError,
        match=r"cannot write its own files .*\n.*JUPYTER_RUNTIME_DIR",
    ):
        tutorial.open_tutorial(browser=False)


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make Jupyter store its trusted notebooks in a temporary folder."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    notebooks = tmp_path / "notebooks"
    notebooks.mkdir()
    nbformat.write(nbformat.v4.new_notebook(), notebooks / tutorial_notebooks.START)
    monkeypatch.setattr(setup_check, "installed_notebooks", lambda: notebooks)
    return notebooks


def test_an_untrusted_notebook(own_home: Path) -> None:
    note = only(setup_check.check_trust())
    assert note.state == "note", "it is no fault"
    assert note.text.startswith(
        "1 of 1 notebooks have not been run here yet, so Jupyter calls them not trusted."
    )

    *_, module, name, pattern = note.fix.split()
    command = [
        sys.executable,
        "-m",
        module,
        name,
        *map(str, Path(pattern).parent.glob(Path(pattern).name)),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    assert list(setup_check.check_trust()) == []


def test_a_damaged_notebook(own_home: Path) -> None:
    (own_home / tutorial_notebooks.START).write_text("<<<<<<< mine")
    problem = only(setup_check.check_trust())
    assert (
        problem.state == "problem"
        and f"{tutorial_notebooks.START} is not a notebook any more" in problem.text
    )


def a_free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def test_a_port_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JPY_PARENT_PID", raising=False)
    monkeypatch.setenv("JUPYTER_PORT", str(a_free_port()))
    assert (
        f"port {default_port()} of this machine, which is free"
        in only(setup_check.check_port()).text
    )

    with socket.create_server(("127.0.0.1", default_port())):
        note = only(setup_check.check_port())
    assert note.state == "note"
    assert note.text.startswith(
        f"Port {default_port()} is in use, perhaps by a JupyterLab that is still running;"
    )
    assert "another one that is free" in note.text
    assert note.fix.endswith("-m jupyter server list")


def test_in_a_notebook_no_port_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JPY_PARENT_PID", "1")
    assert "Jupyter is already running" in only(setup_check.check_port()).text


def test_in_a_notebook_one_line_says_that_all_is_well(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", default_port())) if port_is_free() else nullcontext():
        assert setup_check.check_here()
    said = capsys.readouterr().out
    assert said.startswith("Everything is in place: autodiff-lab ") and said.count("\n") == 1
    assert platform.python_version() in said


def port_is_free() -> bool:
    return only(setup_check.check_port()).state == "ok" and "JPY_PARENT_PID" not in os.environ


def test_in_a_notebook_only_what_is_wrong_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "graphviz", None)
    assert not setup_check.check_here()
    problem, remedy, *_, last = capsys.readouterr().out.splitlines()
    assert "A graph of two nodes cannot be drawn" in problem + remedy
    assert last == "1 problem; the line after each -> fixes it."


def test_in_a_browser_one_line_is_enough_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "emscripten")
    assert setup_check.check_here()
    assert "in your browser" in capsys.readouterr().out


def test_a_browser_that_only_the_tests_need_is_no_trouble(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert setup_check.check_setup() == 0, capsys.readouterr().out
    assert "chrom" not in capsys.readouterr().out.lower()
