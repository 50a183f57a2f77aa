"""`autodiff-lab present`: a notebook as slides, live in JupyterLab, for a lecture hall.

What is presented is a copy, in a folder that is deleted afterwards: neither the notebook nor JupyterLab's own settings
change. A small extension of JupyterLab, which is loaded for this one run, shows the copy's cells as slides.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbformat.sign import NotebookNotary

from ..classroom.lecture import EXTENSIONS
from ..classroom.lecture.kit import find_notebook, read_lecture
from ..classroom.lecture.slides import has_slides, with_slides
from ..jupyter.lab_settings import prepend_folder, set_variable
from ..jupyter.notebooks import NOT_COPIED
from .tutorial import run_lab

_SETTINGS: dict[str, dict[str, Any]] = {
    # By default JupyterLab removes cells far from the visible ones from the page; then they can't be shown as slides.
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


def present(name: str, *, browser: bool = True, port: int | None = None) -> None:
    """Present a copy of a notebook as slides in JupyterLab; return when JupyterLab is stopped.

    Parameters
    ----------
    name : str
        A lecture, as ``"40_minutes"``; a lesson by its slug or number; or the path of a notebook.
    browser : bool
        Whether to open the page; its address is printed either way.
    port : int, optional
        The port to listen on.

    Raises
    ------
    TutorialError
        If there is no such notebook, or JupyterLab is missing.
    """
    from jupyter_core.paths import jupyter_config_dir

    path = find_notebook(name)
    with tempfile.TemporaryDirectory(prefix="autodiff-lab-present-") as folder:
        notebooks = Path(folder) / "notebooks"
        shutil.copytree(path.parent, notebooks, ignore=_only(path.name))
        notebook = make_presented(read_lecture(path))
        nbformat.write(notebook, notebooks / path.name)
        write_settings(Path(folder) / "lab" / "user-settings")
        print(
            "Page Down and Page Up, or a clicker, turn the slides. s: notes, b: black, f: full screen, Esc: leave."
        )
        print(
            "This is a copy, and it's deleted when you stop. To keep what you type, save it somewhere else."
        )
        sys.stdout.flush()
        # Jupyter keeps settings in this folder; its other configuration still counts.
        with (
            prepend_folder("JUPYTER_PATH", str(EXTENSIONS)),
            prepend_folder("JUPYTER_CONFIG_PATH", jupyter_config_dir()),
            set_variable("JUPYTER_CONFIG_DIR", folder),
        ):
            options = sign(notebook, Path(folder))
            run_lab(
                notebooks,
                start=f"doc/tree/{path.name}",
                browser=browser,
                port=port,
                options=options,
            )


def make_presented(notebook: Any) -> Any:
    """Return a copy of a notebook to present: with slides, and with metadata for our JupyterLab extension.

    If the notebook defines no slides, its outputs are removed, so that the answer to a question appears only when
    its cell is run.
    """
    ready = has_slides(notebook)
    notebook = with_slides(notebook)
    # Without a kernel's name, JupyterLab asks for one, in front of the audience.
    notebook.metadata.setdefault(
        "kernelspec", {"name": "python3", "display_name": "Python 3", "language": "python"}
    )
    notebook.metadata["autodiff_lab"] = {
        "present": True,
        "runs": "when shown" if ready else "on the next key",
    }
    for cell in notebook.cells:
        if cell.cell_type == "code" and not ready:
            cell.outputs, cell.execution_count = [], None
            cell.metadata.pop("jupyter", None)
    return notebook


def sign(notebook: Any, folder: Path) -> list[str]:
    """Sign the presented notebook, so that JupyterLab runs its players; return the options that it needs."""
    secret, signatures = folder / "notebook_secret", folder / "nbsignatures.db"
    notary = NotebookNotary(secret_file=str(secret), db_file=str(signatures))
    notary.sign(notebook)
    return [f"--NotebookNotary.secret_file={secret}", f"--NotebookNotary.db_file={signatures}"]


def write_settings(folder: Path) -> None:
    """Write the settings that JupyterLab is started with: a copy of the lecturer's own, with ours on top."""
    from jupyterlab.commands import get_user_settings_dir

    own = Path(get_user_settings_dir())
    if own.is_dir():
        shutil.copytree(own, folder)
    for name, ours in _SETTINGS.items():
        file = folder / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({**_read(file), **ours}), encoding="utf-8")


def _read(file: Path) -> dict[str, Any]:
    import json5  # JupyterLab's settings may have comments; it comes with JupyterLab

    try:
        return json5.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _only(name: str) -> Any:
    """Make the `ignore` of a copy: no notebook but this one; pictures and data that it may need are copied."""
    return lambda _, files: [
        file for file in files if file in NOT_COPIED or (file.endswith(".ipynb") and file != name)
    ]
