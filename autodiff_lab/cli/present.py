"""`autodiff-lab present`: a notebook on a hall's screen, in large type, with a clicker that steps and runs.

What is presented is a copy, in a folder that is gone afterwards: neither the notebook nor JupyterLab's own settings
change. The copy is large by JupyterLab's custom style sheet, and the clicker's keys are shortcuts of that one run.
"""

import json
import shutil
import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import Any

from ..classroom.lecture.kit import notebook_named
from ..classroom.lecture.speaker_page import lesson_page
from ..jupyter.lab_settings import prepend_folder, set_variable
from ..jupyter.notebooks import NOT_COPIED
from ..widgets.lecture_style import LectureStyle
from .tutorial import run_lab

# Prose; all else follows.
TYPE_PX = 24.0

_AROUND = """\
:root { --adl-scale: lecture; --adl-around: 76px; }
body, .jp-LabShell, #jp-main-dock-panel { background: var(--jp-layout-color0); }
.jp-Notebook .jp-Cell { max-width: none; }
:is(#jp-bottom-panel, .jp-SideBar, .jp-NotebookPanel-toolbar, .jp-cell-toolbar, .jp-Notebook-footer) {
  display: none !important;
}
.jp-NotebookPanel-notebook { top: 0 !important; height: 100% !important; }
.jp-WindowedPanel-outer { padding-top: 8px; }
"""

# A clicker sends these two keys. The player of the cell where one is has them first; its own cell is not run again.
_NOTEBOOK = ".jp-Notebook.jp-mod-commandMode"
_SHORTCUTS = [
    {"command": f"notebook:{command}", "keys": [key], "selector": selector}
    for key, command, selector in (
        ("PageDown", "run-cell-and-select-next", _NOTEBOOK),
        ("PageDown", "move-cursor-down", f"{_NOTEBOOK}:has(.jp-mod-active .adl-player)"),
        ("PageUp", "move-cursor-up", _NOTEBOOK),
    )
]
_SETTINGS: dict[str, dict[str, Any]] = {
    "@jupyterlab/shortcuts-extension/shortcuts": {"shortcuts": _SHORTCUTS},
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none", "scrollPastEnd": True},
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


def present(name: str, *, browser: bool = True, port: int | None = None) -> None:
    """Present a copy of a notebook in a hall, its speaker's page beside it; return when JupyterLab is stopped.

    Parameters
    ----------
    name : str
        The slug or the number of a lesson, or a notebook's path.
    browser : bool
        Whether to open the two pages; their addresses are printed either way.
    port : int, optional
        The port to listen on.

    Raises
    ------
    TutorialError
        If there is no such notebook, or JupyterLab is missing.
    """
    from jupyter_core.paths import jupyter_config_dir

    path = notebook_named(name)
    with tempfile.TemporaryDirectory(prefix="autodiff-lab-present-") as folder:
        notebooks, custom = Path(folder) / "notebooks", Path(folder) / "custom"
        shutil.copytree(path.parent, notebooks, ignore=_only(path.name))
        custom.mkdir()
        (custom / "custom.css").write_text(LectureStyle(TYPE_PX).css() + _AROUND, encoding="utf-8")
        write_settings(Path(folder) / "lab" / "user-settings")
        speaker = Path(folder) / "speaker.html"
        speaker.write_text(lesson_page(path), encoding="utf-8")
        print(f"What to ask, and the answers, for your second screen: {speaker.as_uri()}")
        print("This is a copy, and it is gone when you leave. To keep what you type, save it elsewhere.")
        sys.stdout.flush()
        if browser:
            webbrowser.open_new(speaker.as_uri())
        # Jupyter keeps settings, and looks for a style sheet, in this folder; its other configuration still counts.
        with prepend_folder("JUPYTER_CONFIG_PATH", jupyter_config_dir()), set_variable("JUPYTER_CONFIG_DIR", folder):
            start, options = f"doc/tree/{path.name}", ["--LabApp.custom_css=True"]
            run_lab(notebooks, start=start, browser=browser, port=port, options=options)


def write_settings(folder: Path) -> None:
    """`autodiff-lab present`: write the settings it starts JupyterLab with, the reader's own and a clicker's keys."""
    from jupyterlab.commands import get_user_settings_dir

    own = Path(get_user_settings_dir())
    if own.is_dir():
        shutil.copytree(own, folder)
    for name, ours in _SETTINGS.items():
        file = folder / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(_merge(_read(file), ours)), encoding="utf-8")


def _read(file: Path) -> dict[str, Any]:
    import json5  # JupyterLab's settings may have comments; it comes with JupyterLab

    try:
        return json5.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _merge(own: dict[str, Any], ours: dict[str, Any]) -> dict[str, Any]:
    lists = {key: [*own.get(key, []), *value] for key, value in ours.items() if isinstance(value, list)}
    return {**own, **ours, **lists}


def _only(name: str) -> Any:
    """Copy this notebook, and what is no notebook: pictures and data that it may need."""
    return lambda _, files: [file for file in files if file in NOT_COPIED or (file.endswith(".ipynb") and file != name)]
