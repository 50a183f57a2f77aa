"""The command line: its arguments, its output and its exit codes."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import autodiff_lab
from autodiff_lab import setup_check
from autodiff_lab.__main__ import main
from autodiff_lab.cli import tutorial
from autodiff_lab.jupyter import notebooks as tutorial_notebooks


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the list of calls that would have opened the tutorial."""
    calls: list[Any] = []
    monkeypatch.setattr(
        tutorial, "open_tutorial", lambda to, **options: calls.append((to, options))
    )
    return calls


def test_without_arguments_it_opens_the_tutorial(opened: list[Any]) -> None:
    assert main([]) == 0
    assert opened == [(None, {"browser": True, "port": None})]


def test_options_are_passed_on(opened: list[Any]) -> None:
    assert main(["--no-browser", "--port", "9000", "--to", "mine"]) == 0
    assert opened == [(Path("mine"), {"browser": False, "port": 9000})]


def test_what_cannot_be_done_is_said_and_exits_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise tutorial_notebooks.TutorialError("the reason\nthe remedy")

    monkeypatch.setattr(tutorial, "open_tutorial", fail)
    assert main([]) == 1
    assert capsys.readouterr().err == "autodiff-lab: the reason\nthe remedy\n"


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["--port", "http"], "a port is a whole number from 1 to 65535"),
        (["--port", "0"], "a port is a whole number from 1 to 65535"),
        (["chekc"], "invalid choice: 'chekc'"),
        (["--no-browser", "check"], "`check` does not take them"),
        (["--unknown"], "--unknown"),
    ],
)
def test_what_is_not_understood_exits_with_2(
    arguments: list[str], answer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert answer in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["check", "--help"]])
def test_it_runs_as_a_module(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "autodiff_lab", *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (
        "autodiff-lab check" if "--help" in arguments else autodiff_lab.__version__
    ) in run.stdout


def test_help_names_the_folder_of_the_copies(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    assert f"./{tutorial.DEFAULT_COPY} " in capsys.readouterr().out


def test_check_is_content_with_this_environment(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 0, capsys.readouterr().out
    said = capsys.readouterr().out
    for expected in [
        "numpy",
        "pygraphviz",
        "draws the graphs",
        "notebooks in",
        "anywidget",
        sys.executable,
    ]:
        assert expected in said
    assert "Everything is in place" in said


def test_check_names_a_problem_and_the_line_that_mends_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(tutorial_notebooks, "PACKAGE", tmp_path)
    assert main(["check"]) == 1
    said = capsys.readouterr().out
    assert "problem the notebooks are missing" in said
    assert "-> " in said
    assert "1 problem; " in said


def test_check_asks_for_the_versions_of_the_package_metadata(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = ["numpy>=999", "no-such-package>=1", 'ruff>=999; extra == "test"']
    monkeypatch.setattr(setup_check.metadata, "requires", lambda name: asked)
    numpy, missing = setup_check.check_packages()
    assert (numpy.state, numpy.fix.endswith('pip install --upgrade "numpy>=999"')) == (
        "problem",
        True,
    )
    assert (missing.state, missing.text) == ("problem", "no-such-package is not installed.")


def test_check_draws_with_pygraphviz() -> None:
    who, drawn = setup_check.check_drawing()
    assert "pygraphviz draws the graphs" in who.text
    assert drawn.state == "ok", drawn.text


def test_check_asks_a_browser_for_nothing_that_it_cannot_have(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for module in (
        "pygraphviz",
        "jupyter_core",
        "jupyter_client",
        "jupyterlab_server",
        "ipykernel",
    ):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "emscripten")
    assert setup_check.check_setup() == 0, capsys.readouterr().out
    said = capsys.readouterr().out
    assert "a browser has no Graphviz" in " ".join(said.split())
    assert "in your browser" in said and "kernel" not in said


def test_check_says_what_is_different_without_graphviz(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    who, drawn = setup_check.check_drawing()
    assert (who.state, who.fix.endswith("pip install pygraphviz")) == ("note", True)
    assert "draws the graphs without Graphviz" in who.text
    assert drawn.state == "ok", drawn.text


def test_check_reports_a_drawing_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "graphviz", None)
    *_, drawn = setup_check.check_drawing()
    assert drawn.state == "problem"
    assert "pip install --force-reinstall graphviz pygraphviz" in drawn.fix


def test_check_reports_widgets_that_would_not_show(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import jupyter_core.paths

    monkeypatch.setattr(jupyter_core.paths, "jupyter_path", lambda *names: [str(tmp_path)])
    assert {
        (finding.state, finding.fix.split()[-1]) for finding in setup_check.check_widgets()
    } == {
        ("problem", "jupyterlab_widgets"),
        ("problem", "anywidget"),
    }
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    (tmp_path / "labconfig").mkdir()
    (tmp_path / "labconfig" / "page_config.json").write_text(
        '{"disabledExtensions": {"anywidget": true}}'
    )
    (tmp_path / "anywidget").mkdir()
    (tmp_path / "anywidget" / "package.json").write_text(
        '{"name": "anywidget", "version": "1.0.0"}'
    )
    *_, anywidget = setup_check.check_widgets()
    assert anywidget.fix.endswith("labextension enable anywidget")
