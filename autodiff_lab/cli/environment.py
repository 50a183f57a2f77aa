"""Checks of what the package stands in: this Python, the folders, the port, and what Jupyter trusts.

Like all checks of :mod:`autodiff_lab.cli.setup_check` each yields findings, and tries a thing before it speaks of it.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from ..jupyter.kernel import python_command
from ..jupyter.lab_settings import default_port
from ..jupyter.notebooks import PACKAGE, TutorialError, are_in_checkout, installed_notebooks
from .findings import Finding, good
from .tutorial import ANOTHER_FOLDER, why_jupyter_would_not_start, why_not_writable

__all__ = ["folders", "port", "python", "trust"]

TRIED_IN_TURN = 5  # ports; after these JupyterLab takes any that is free


def python() -> Iterator[Finding]:
    """Compare this Python with the one the package asks for."""
    # With the standard library alone, since all else stands on it.
    here, asked = platform.python_version(), python_asked_for()
    least = re.search(r">=\s*(\d+)\.(\d+)", asked)
    if least is None or tuple(map(int, here.split(".")[:2])) >= tuple(map(int, least.groups())):
        yield good(f"Python {here} (asked for: {asked})")
    else:
        newer = ".".join(least.groups())
        yield Finding(
            "problem",
            f"This is Python {here}; autodiff-lab asks for {asked}.",
            f"install Python {newer} or newer (from python.org, or your system's package python{newer}), delete the "
            f"folder .venv, and make it again with python{newer} in the place of python3",
        )


def python_asked_for() -> str:
    """Return the versions asked for: by what is installed, or by the checkout where nothing is installed yet."""
    try:
        return metadata.metadata("autodiff-lab")["Requires-Python"]
    except metadata.PackageNotFoundError:
        project = PACKAGE.parent / "pyproject.toml"
        text = project.read_text(encoding="utf-8") if project.is_file() else ""
        found = re.search(r'^requires-python = "(.*)"', text, re.MULTILINE)
        return found[1] if found else "any version"


def folders() -> Iterator[Finding]:
    """Try whether a learner's work, and what Jupyter keeps for itself, can be written down."""
    try:
        notebooks = installed_notebooks()
    except TutorialError:
        return  # said under "Notebooks"
    work = notebooks if are_in_checkout(notebooks) else Path.cwd()
    refused = why_not_writable(work)
    if refused:
        yield Finding(
            "problem",
            f"Nothing that you do can be saved in {work} ({refused}).",
            "work on copies, in a folder that you can write to: autodiff-lab --to DIR",
        )
    else:
        yield good(f"your work can be saved in {work}")
    try:
        refused = why_jupyter_would_not_start()
    except ImportError:
        return  # said under "Widgets"
    if refused:
        yield Finding("problem", f"{refused}, so it would not start.", ANOTHER_FOLDER)


def trust() -> Iterator[Finding]:
    """Say which notebooks Jupyter does not trust: it shows no script of a notebook that was run by somebody else."""
    try:
        import nbformat
        from nbformat.sign import NotebookNotary

        folder, notary, strange = installed_notebooks(), NotebookNotary(), []
    except (ImportError, TutorialError, OSError):
        return  # no library, no notebooks, no folder for what Jupyter keeps: said in other lines of the report
    files = sorted(folder.glob("*.ipynb"))
    for file in files:
        try:
            if not notary.check_signature(nbformat.read(file, as_version=4)):
                strange.append(file)
        except (ValueError, OSError) as error:
            why = str(error).partition("\n")[0][:80]
            yield Finding(
                "problem", f"{file.name} is no notebook any more ({why}).", f"rename it, and get {file} again"
            )
    if strange:
        yield Finding(
            "note",
            f"{len(strange)} of {len(files)} notebooks have not been run here yet, so Jupyter calls them not trusted. "
            "Until you run its cell, a player in them is a still picture; nothing else differs. To trust them at once:",
            f"{python_command()} -m jupyter trust {folder / '*.ipynb'}",
        )


def port() -> Iterator[Finding]:
    """Say on which port JupyterLab is going to listen."""
    if "JPY_PARENT_PID" in os.environ:
        yield good("this runs in a notebook, so Jupyter is up already")
        return
    try:
        from tornado.netutil import bind_sockets

        first = default_port()
    except ImportError:
        return  # said under "Widgets"
    for number in range(first, first + TRIED_IN_TURN):
        try:
            for socket in bind_sockets(number, "localhost"):
                socket.close()
        except OSError:
            continue
        break
    else:
        number = 0
    if number == first:
        yield good(f"JupyterLab is going to listen on port {first} of this machine, which is free")
        return
    yield Finding(
        "note",
        f"Port {first} is taken, perhaps by a JupyterLab that still runs; `autodiff-lab` is going to take "
        f"{f'port {number}' if number else 'any other that is free'}, and prints the address. To see what runs:",
        f"{python_command()} -m jupyter server list",
    )
