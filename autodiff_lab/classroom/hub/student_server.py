"""The server of one student on a JupyterHub: it copies the class's notebooks, then becomes Jupyter.

    python -P -m autodiff_lab.classroom.hub.student_server NOTEBOOKS [options of jupyterhub-singleuser]

The hub's configuration names this command. It runs with the student's rights. The hub itself must never write into a
student's home, because a symbolic link there could lead anywhere.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from autodiff_lab.jupyter.lab_settings import encryption_options, without_news
from autodiff_lab.jupyter.notebooks import DEFAULT_COPY, TutorialError, copy_notebooks


def main(arguments: Sequence[str]) -> None:
    """Copy the notebooks that the student doesn't have yet, and replace this process by the student's server."""
    source, *options = arguments
    own = Path.home() / DEFAULT_COPY
    try:
        copy_notebooks(Path(source), own)
    except TutorialError as error:
        # The disk may be full: the student needs a server to delete files, and the log says why.
        print(error, file=sys.stderr, flush=True)
    # -P: Python doesn't import a file in the student's home that has the name of a standard module.
    command = [sys.executable, "-P", "-m", "jupyterhub.singleuser"]
    command += [f"--ServerApp.root_dir={own}", *encryption_options(), *options]
    with without_news():
        os.execv(sys.executable, command)


if __name__ == "__main__":
    main(sys.argv[1:])
