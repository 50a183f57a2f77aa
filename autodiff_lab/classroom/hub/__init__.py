"""A JupyterHub for a class: the files that an operator needs, and the program that starts a student's server."""

import os
import shutil
from pathlib import Path

from autodiff_lab.classroom.course import write_students_set
from autodiff_lab.jupyter.notebooks import Copied, TutorialError

FILES = ("jupyterhub_config.py", "values.yaml")
NOTEBOOKS = "notebooks"


def write_hub(folder: Path) -> Copied:
    """Write a hub's configuration and its students' notebooks; files that exist are left as they are.

    Returns
    -------
    Copied
        Which files were written and which were kept, as paths relative to `folder`.

    Raises
    ------
    TutorialError
        If the folder cannot be written to.
    """
    new = []
    kept = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            source = Path(__file__).with_name(name)
            target = folder / name
            if os.path.lexists(target):
                kept.append(Path(name))
                continue
            shutil.copyfile(source, target)
            target.chmod(0o600)  # an authenticator's secret may be written into it
            new.append(Path(name))
    except OSError as error:
        raise TutorialError(
            f"the hub cannot be written into {folder} ({error.strerror}: {error.filename}).\n"
            "Name a folder that you can write to: autodiff-lab hub --out DIR"
        ) from error
    notebooks = write_students_set(folder / NOTEBOOKS)
    return Copied(
        new=(*new, *(Path(NOTEBOOKS) / name for name in notebooks.new)),
        kept=(*kept, *(Path(NOTEBOOKS) / name for name in notebooks.kept)),
    )
