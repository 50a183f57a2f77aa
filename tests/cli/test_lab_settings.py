"""JupyterLab doesn't fetch news, encrypts its messages to kernels, and prints only helpful lines in the terminal."""

import json
import logging
import os
import sys
from pathlib import Path

import pytest

from autodiff_lab.jupyter import lab_settings

DEFAULTS = Path(lab_settings.__file__).parent / "labconfig" / "default_setting_overrides.json"
SETTINGS = json.loads(DEFAULTS.read_text(encoding="utf-8"))


def test_news_are_off_for_one_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from jupyterlab_server.settings_utils import _get_overrides

    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    monkeypatch.delenv("JUPYTER_CONFIG_PATH", raising=False)
    with lab_settings.without_news():
        defaults, error = _get_overrides(str(tmp_path))
        assert not error
        assert defaults == SETTINGS
    assert SETTINGS == {
        "@jupyterlab/apputils-extension:notification": {
            "fetchNews": "false",
            "checkForUpdates": False,
        }
    }
    assert "JUPYTER_CONFIG_PATH" not in os.environ
    assert list(tmp_path.iterdir()) == [], "nothing is written into the learner's settings"


def test_the_setting_is_one_that_jupyterlab_knows() -> None:
    (plugin,) = SETTINGS
    package, name = plugin.split(":")
    schema = Path(sys.prefix, "share/jupyter/lab/schemas", package, f"{name}.json")
    assert set(SETTINGS[plugin]) <= set(
        json.loads(schema.read_text(encoding="utf-8"))["properties"]
    )


def test_a_folder_is_put_in_front_of_those_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_PATH", "there")
    with lab_settings.prepend_folder("A_PATH", "mine"):
        assert os.environ["A_PATH"] == f"mine{os.pathsep}there"
    assert os.environ["A_PATH"] == "there"


def test_kernels_are_encrypted_where_jupyter_can(monkeypatch: pytest.MonkeyPatch) -> None:
    from jupyter_client.manager import KernelManager

    if lab_settings.encryption_options():
        assert lab_settings.encryption_options() == ["--KernelManager.transport_encryption=auto"]
        assert KernelManager(transport_encryption="auto").transport_encryption == "auto"
    monkeypatch.setattr(KernelManager, "class_trait_names", classmethod(lambda cls: ["transport"]))
    assert lab_settings.encryption_options() == [], "an older Jupyter would refuse the option"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("Notebook 00_start_here.ipynb is not trusted", False),
        (
            "The websocket_ping_timeout (90000) cannot be longer than the websocket_ping_interval (30000).",
            False,
        ),
        ("No web browser found: Error('could not locate runnable browser').", True),
        ("Notebook 00_start_here.ipynb could not be saved", True),
    ],
)
def test_the_terminal_says_what_helps(line: str, shown: bool) -> None:
    record = logging.LogRecord("ServerApp", logging.WARNING, __file__, 1, "%s", (line,), None)
    assert lab_settings.helps_a_learner(record) is shown
