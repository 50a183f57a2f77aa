"""`autodiff-lab check`: what is installed, what draws the graphs, and how to mend what is not in place.

A check is a function that yields findings; `CHECKS` lists them under their headings. Versions that are asked
for are read from the installed package's own metadata, so they are written down once, in `pyproject.toml`.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from typing import Literal

from . import __version__
from .tutorial import TutorialError, foreign_kernel, installed_notebooks, python_command

DISTRIBUTION = "autodiff-lab"

# JupyterLab's half of each widget library, and the Python package that brings it.
FRONT_ENDS = {"@jupyter-widgets/jupyterlab-manager": "jupyterlab_widgets", "anywidget": "anywidget"}


@dataclass(frozen=True)
class Finding:
    """One line of the report; a problem comes with the line that mends it."""

    state: Literal["ok", "note", "problem"]
    text: str
    mend: str = ""


def good(text: str) -> Finding:
    """Return a finding that all is well."""
    return Finding("ok", text)


def pip_install(*what: str) -> str:
    """Return the command that installs something into this Python."""
    return " ".join([python_command(), "-m pip install", *what])


def python_and_packages() -> Iterator[Finding]:
    """Compare this Python and every dependency with the versions the package asks for."""
    try:
        from packaging.requirements import Requirement
        from packaging.specifiers import SpecifierSet
    except ImportError:
        yield Finding("problem", "`packaging`, which comes with JupyterLab, is missing.", pip_install(DISTRIBUTION))
        return
    try:
        about = metadata.metadata(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        yield Finding(
            "problem",
            "autodiff-lab itself is not installed in this Python; it runs from the folder you are in.",
            pip_install("-e ."),
        )
        return

    here = platform.python_version()
    asked = SpecifierSet(about["Requires-Python"])
    if asked.contains(here, prereleases=True):
        yield good(f"Python {here} (asked for: {asked})")
    else:
        yield Finding(
            "problem",
            f"This is Python {here}; autodiff-lab asks for {asked}.",
            "make the virtual environment again with a newer Python",
        )
    for requirement in map(Requirement, metadata.requires(DISTRIBUTION) or []):
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            version = metadata.version(requirement.name)
        except metadata.PackageNotFoundError:
            yield Finding("problem", f"{requirement.name} is not installed.", pip_install(f'"{requirement}"'))
            continue
        if requirement.specifier.contains(version, prereleases=True):
            yield good(f"{requirement.name} {version} (asked for: {requirement.specifier})")
        else:
            yield Finding(
                "problem",
                f"{requirement.name} is {version}; autodiff-lab asks for {requirement.specifier}.",
                pip_install("--upgrade", f'"{requirement}"'),
            )


def drawing() -> Iterator[Finding]:
    """Say what draws the graphs, and draw one."""
    dot = shutil.which("dot")
    if dot:
        yield good(f"`dot` draws the graphs: {dot_version(dot)} at {dot}")
    else:
        yield good("pygraphviz draws the graphs, in this process (there is no `dot` on the PATH, and none is needed)")
    try:
        from graphviz import Digraph

        from .figures.graphs import render

        graph = Digraph()
        graph.edge("x", "y")
        picture = render(graph, format="svg")
    except Exception as error:  # whatever goes wrong in here, the reader needs to know it and what to do
        yield Finding(
            "problem",
            f"A graph of two nodes cannot be drawn ({type(error).__name__}: {error}).",
            pip_install("--force-reinstall", "graphviz", "pygraphviz"),
        )
    else:
        yield good(f"a graph of two nodes was drawn ({len(picture)} bytes of SVG)")


def dot_version(dot: str) -> str:
    """Return what `dot` calls itself (it answers on stderr)."""
    try:
        answer = subprocess.run([dot, "-V"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        return f"a version that cannot be read ({error})"
    return (answer.stderr or answer.stdout).strip().removeprefix("dot - ") or "unknown version"


def notebooks() -> Iterator[Finding]:
    """Find the tutorial's notebooks."""
    try:
        folder = installed_notebooks()
    except TutorialError as error:
        reason, _, mend = str(error).partition("\n")
        yield Finding("problem", reason, mend)
    else:
        yield good(f"{len(list(folder.glob('*.ipynb')))} notebooks in {folder}")


def widgets() -> Iterator[Finding]:
    """Look for the half of the widgets that runs in the browser."""
    try:
        from jupyter_core.paths import jupyter_path
        from jupyterlab_server.config import get_federated_extensions, get_page_config
    except ImportError as error:
        yield Finding("problem", f"JupyterLab is not complete ({error}).", pip_install("jupyterlab"))
        return
    folders = jupyter_path("labextensions")
    found = get_federated_extensions(folders)
    switched_off = get_page_config(folders).get("disabledExtensions", [])
    for name, package in FRONT_ENDS.items():
        if name not in found:
            yield Finding(
                "problem",
                f"JupyterLab's half of the widgets, {name}, is missing: the player would not show.",
                pip_install("--force-reinstall", "--no-deps", package),
            )
        elif name in switched_off:
            yield Finding(
                "problem",
                f"JupyterLab's half of the widgets, {name}, is switched off: the player would not show.",
                f"{python_command()} -m jupyter labextension enable {name}",
            )
        else:
            yield good(f"JupyterLab's half of the widgets: {name} {found[name]['version']}")


def kernel() -> Iterator[Finding]:
    """Say whether a notebook opened in JupyterLab runs in this Python."""
    try:
        import ipykernel

        foreign = foreign_kernel()
    except ImportError as error:
        yield Finding("problem", f"There is no kernel to run notebooks ({error}).", pip_install("ipykernel"))
        return
    if foreign is None:
        yield good(f"notebooks run in this Python: {sys.executable} (ipykernel {ipykernel.__version__})")
    else:
        yield Finding(
            "note",
            f"On this machine Jupyter's kernel `python3` is {foreign}, not this Python. "
            "`autodiff-lab` uses this Python all the same; for a JupyterLab that you start yourself:",
            f"{python_command()} -m ipykernel install --user --name autodiff-lab",
        )


CHECKS: dict[str, Callable[[], Iterator[Finding]]] = {
    "Python and packages": python_and_packages,
    "Drawing": drawing,
    "Notebooks": notebooks,
    "Widgets": widgets,
    "Kernel": kernel,
}


def check_setup() -> int:
    """Print the report and return the exit code: 0 if everything is in place, 1 if not."""
    print(f"autodiff-lab {__version__}, checked with {sys.executable}")
    problems = 0
    for heading, check in CHECKS.items():
        print(f"\n{heading}")
        for finding in check():
            print(f"  {finding.state:8}{finding.text}")
            if finding.mend:
                print(f"  {'':8}-> {finding.mend}")
            problems += finding.state == "problem"
    if problems:
        print(f"\n{problems} {'problem' if problems == 1 else 'problems'}; the line after each -> mends it.")
        return 1
    print("\nEverything is in place. Open the tutorial with: autodiff-lab")
    return 0
