"""Finding, copying and opening the notebooks: a learner's work is never overwritten, and runs in this Python."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
import warnings
from pathlib import Path
from typing import Any

import pytest

from autodiff_lab.cli import tutorial
from autodiff_lab.jupyter import kernel as this_kernel
from autodiff_lab.jupyter import notebooks as tutorial_notebooks
from autodiff_lab.jupyter.notebooks import TutorialError, copy_notebooks


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return a small tutorial, with the files that a running notebook leaves next to it."""
    folder = tmp_path / "package" / "notebooks"
    for name in [
        "00_start_here.ipynb",
        "03_tape.ipynb",
        "pictures/a.png",
        ".ipynb_checkpoints/00.ipynb",
    ]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"the tutorial's {name}")
    return folder


def texts(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text() for path in files}


def test_first_copy_is_complete(source: Path, tmp_path: Path) -> None:
    copied = copy_notebooks(source, tmp_path / "mine" / "deep")
    assert [path.as_posix() for path in copied.new] == [
        "00_start_here.ipynb",
        "03_tape.ipynb",
        "pictures/a.png",
    ]
    assert copied.kept == ()
    expected = {name: text for name, text in texts(source).items() if "checkpoints" not in name}
    assert texts(tmp_path / "mine" / "deep") == expected


def test_a_second_copy_keeps_work_and_adds_what_is_new(source: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    copy_notebooks(source, mine)
    (mine / "00_start_here.ipynb").write_text("my own work")
    (mine / "notes.txt").write_text("my notes")
    (source / "03_tape.ipynb").write_text("a later version of the tutorial's")
    (source / "05_new.ipynb").write_text("a new lesson")
    before = texts(mine)

    copied = copy_notebooks(source, mine)

    assert [str(path) for path in copied.new] == ["05_new.ipynb"]
    assert [str(path) for path in copied.kept] == ["00_start_here.ipynb", "03_tape.ipynb"]
    assert texts(mine) == before | {"05_new.ipynb": "a new lesson"}


def test_what_is_there_is_kept_whatever_it_is(source: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    (mine / "00_start_here.ipynb").mkdir(parents=True)
    (mine / "03_tape.ipynb").symlink_to(tmp_path / "nowhere")
    copied = copy_notebooks(source, mine)
    assert [str(path) for path in copied.kept] == ["00_start_here.ipynb", "03_tape.ipynb"]
    assert (mine / "03_tape.ipynb").is_symlink()


def test_copies_of_a_read_only_installation_can_be_edited(source: Path, tmp_path: Path) -> None:
    (source / "00_start_here.ipynb").chmod(0o444)
    copy_notebooks(source, tmp_path / "mine")
    assert (tmp_path / "mine" / "00_start_here.ipynb").stat().st_mode & 0o200


def test_a_read_only_folder_is_an_error_with_a_remedy(source: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(TutorialError, match="--to DIR"):
        copy_notebooks(source, tmp_path / "file")


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the list of folders that would have been opened."""
    folders: list[Any] = []
    monkeypatch.setattr(
        tutorial, "run_lab", lambda folder, **options: folders.append((folder, options))
    )
    return folders


def test_a_checkout_opens_its_own_notebooks(opened: list[Any]) -> None:
    tutorial.open_tutorial(port=9000)
    repository = Path(__file__).resolve().parents[2]
    assert opened == [(repository / "notebooks", {"browser": True, "port": 9000})]


def test_a_checkout_copies_when_asked_to(opened: list[Any], tmp_path: Path) -> None:
    tutorial.open_tutorial(tmp_path / "mine", browser=False)
    assert opened == [(tmp_path / "mine", {"browser": False, "port": None})]
    assert (tmp_path / "mine" / tutorial_notebooks.START).is_file()


def test_a_wheel_opens_copies(
    opened: list[Any],
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(tutorial_notebooks, "PACKAGE", source.parent)
    monkeypatch.chdir(tmp_path)
    tutorial.open_tutorial()
    assert opened[0][0] == tmp_path / "autodiff-lab-notebooks"
    assert f"Copied 3 files into {tmp_path / 'autodiff-lab-notebooks'}" in capsys.readouterr().out

    (tmp_path / "autodiff-lab-notebooks" / "03_tape.ipynb").write_text("my own work")
    tutorial.open_tutorial()
    said = capsys.readouterr().out
    assert "nothing new to copy" in said
    assert "Kept 1 file as you left it: 03_tape.ipynb" in said


def test_missing_notebooks_are_an_error_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tutorial_notebooks, "PACKAGE", tmp_path)
    with pytest.raises(TutorialError, match="pip install"):
        tutorial.open_tutorial()


def test_missing_jupyterlab_is_an_error_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jupyterlab.labapp", None)
    with pytest.raises(TutorialError, match="pip install jupyterlab"):
        tutorial.run_lab(tmp_path, browser=False, port=None)


@pytest.fixture
def shadowing_kernel(tmp_path: Path) -> Path:
    """Return a folder for JUPYTER_PATH in which another Python calls itself `python3`."""
    kernel = tmp_path / "jupyter" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    argv = ["/somewhere/else/bin/python3", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (kernel / "kernel.json").write_text(
        json.dumps({"argv": argv, "display_name": "Elsewhere", "language": "python"})
    )
    return tmp_path / "jupyter"


def test_our_kernel_comes_before_one_that_shadows_it(
    shadowing_kernel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_PATH", str(shadowing_kernel))
    assert this_kernel.foreign_kernel() == "/somewhere/else/bin/python3"
    with this_kernel.kernel_of_this_python():
        assert this_kernel.foreign_kernel() is None
    assert os.environ["JUPYTER_PATH"] == str(shadowing_kernel)
    assert this_kernel.foreign_kernel() == "/somewhere/else/bin/python3"


def test_two_environments_of_one_python_file_are_two(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "python").symlink_to(sys.executable)
        (tmp_path / name / "python3").symlink_to(sys.executable)
    one, other = str(tmp_path / "one" / "python"), str(tmp_path / "two" / "python")
    assert not this_kernel._same_environment(one, other)
    assert this_kernel._same_environment(one, one + "3")


def test_no_deprecation_reaches_the_terminal(recwarn: pytest.WarningsRecorder) -> None:
    """The warning stays hidden even if a server extension has set a filter that shows it."""
    with tutorial._without_deprecations():
        warnings.simplefilter("always")
        warnings.warn("an old name", DeprecationWarning, stacklevel=1)
        warnings.warn("the disk is full", UserWarning, stacklevel=1)
    assert [str(warning.message) for warning in recwarn] == ["the disk is full"]


def test_the_tutorial_opens_in_a_real_jupyterlab(tmp_path: Path, shadowing_kernel: Path) -> None:
    """It is started as a learner would, on a machine where another kernel shadows ours, and ended by Ctrl-C."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("JUPYTER")}
    environment |= {
        "HOME": str(tmp_path / "home"),
        "JUPYTER_PATH": str(shadowing_kernel),
        "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"),
    }
    (tmp_path / "home").mkdir()
    command = [sys.executable, "-m", "autodiff_lab", "--no-browser", "--to", "mine"]
    # A background job ignores Ctrl-C, and so do its child processes; here the signal has to arrive.
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    signal.signal(signal.SIGINT, heard)
    try:
        server = _wait_for_server(process, tmp_path / "runtime")
        served = _ask(server, "contents")
        _ask(server, f"contents/{tutorial_notebooks.START}")
        kernel = _ask(server, "kernelspecs")["kernelspecs"]["python3"]["spec"]["argv"][0]
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=30)[0]
    finally:
        process.kill()
    assert tutorial_notebooks.START in [entry["name"] for entry in served["content"]]
    assert this_kernel._same_environment(kernel, sys.executable)
    assert process.returncode == 0, said
    assert (
        f"Copied {len(list((tmp_path / 'mine').rglob('*.*')))} files into {tmp_path / 'mine'}"
        in said
    )
    assert f"/lab/tree/{tutorial_notebooks.START}?token={server['token']}" in said
    assert "Traceback" not in said
    assert "DeprecationWarning" not in said
    assert "not trusted" not in said, "nothing that a learner can do nothing about"


def _wait_for_server(process: subprocess.Popen[str], runtime: Path) -> dict[str, Any]:
    """Return what JupyterLab wrote about itself, once it answers."""
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        for file in runtime.glob("jpserver-*.json"):
            try:
                server = json.loads(file.read_text())
                _ask(server, "status")
            except (ValueError, OSError):
                continue  # half written, or not listening yet
            return server
        time.sleep(0.2)
    process.kill()
    pytest.fail(f"JupyterLab did not start: {process.communicate()[0]}")


def _ask(server: dict[str, Any], path: str) -> Any:
    url = f"http://127.0.0.1:{server['port']}{server['base_url']}api/{path}?token={server['token']}"
    with urllib.request.urlopen(url, timeout=10) as answer:
        return json.load(answer)
