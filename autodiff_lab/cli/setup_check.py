"""`autodiff-lab check`: what is installed, what draws the graphs, and how to mend what is not in place.

A check is a function that yields findings; `CHECKS` lists them under their headings. Versions that are asked
for are read from the installed package's own metadata, so they are written down once, in `pyproject.toml`.
"""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from importlib import metadata
from itertools import chain
from pathlib import Path
from typing import Any

from .. import __version__
from ..jupyter.kernel import foreign_kernel, python_command
from ..jupyter.notebooks import TutorialError, installed_notebooks
from .environment import folders, port, python, trust
from .findings import Finding, good, pip_install

DISTRIBUTION = "autodiff-lab"

# JupyterLab's half of each widget library, and the Python package that brings it.
FRONT_ENDS = {"@jupyter-widgets/jupyterlab-manager": "jupyterlab_widgets", "anywidget": "anywidget"}


def python_and_packages() -> Iterator[Finding]:
    """Compare this Python and every dependency with the versions the package asks for."""
    yield from python()
    try:
        from packaging.requirements import Requirement
    except ImportError:
        yield Finding("problem", "`packaging`, which comes with JupyterLab, is missing.", pip_install(DISTRIBUTION))
        return
    try:
        requirements = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        yield Finding(
            "problem",
            "autodiff-lab itself is not installed in this Python; it runs from the folder you are in.",
            pip_install("-e ."),
        )
        return

    for requirement in map(Requirement, requirements):
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
    elif can_be_imported("pygraphviz"):
        yield good("pygraphviz draws the graphs, in this process (there is no `dot` on the PATH, and none is needed)")
    elif sys.platform == IN_A_BROWSER:
        yield good("autodiff-lab arranges and draws the graphs by itself, as SVG (a browser has no Graphviz)")
    else:
        yield Finding(
            "note",
            "Neither `dot` nor pygraphviz is here: autodiff-lab arranges and draws the graphs by itself, as SVG. "
            "Graphviz arranges large graphs better, and writes the PNG that an untrusted notebook shows.",
            pip_install("pygraphviz"),
        )
    try:
        from graphviz import Digraph

        from ..figures.graph.draw import render

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


def can_be_imported(name: str) -> bool:
    """Return whether a package is there and works."""
    try:
        importlib.import_module(name)
    except Exception:  # a library in C that is missing, or of another machine, may raise anything
        return False
    return True


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
        elif (here := half_of_this_python(name)) not in (None, found[name]["version"]):
            yield Finding(
                "problem",
                f"JupyterLab would load {name} {found[name]['version']}, which another Python has left behind, and not "
                f"{here}, which fits this one: the player would not show.",
                f"delete the folder {found[name]['ext_path']}",
            )
        else:
            yield good(f"JupyterLab's half of the widgets: {name} {found[name]['version']}")


def half_of_this_python(name: str) -> str | None:
    """Return the version of JupyterLab's half of the widgets that is installed beside this Python."""
    package = Path(sys.prefix, "share", "jupyter", "labextensions", name, "package.json")
    return json.loads(package.read_text(encoding="utf-8"))["version"] if package.is_file() else None


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


CHECKS: dict[str, Iterable[Callable[[], Iterator[Finding]]]] = {
    "Python and packages": [python_and_packages],
    "Drawing": [drawing],
    "Notebooks": [notebooks, trust, folders],
    "Widgets": [widgets],
    "Kernel": [kernel],
    "JupyterLab": [port],
}


IN_A_BROWSER = "emscripten"
"""What `sys.platform` is where Python itself runs in the reader's browser (JupyterLite)."""

ABOUT_THE_MACHINE = ("Notebooks", "Widgets", "Kernel", "JupyterLab")
"""What is not beside a Python in a browser: its notebooks, widgets and kernel are part of the page."""

# Commands are printed whole, to be copied; prose is broken, but never a path.
LINES: dict[str, Any] = {
    "width": 100,
    "subsequent_indent": " " * 10,
    "break_long_words": False,
    "break_on_hyphens": False,
}


def check_setup() -> int:
    """Print the report and return the exit code: 0 if everything is in place, 1 if not."""
    print(f"autodiff-lab {__version__}, checked with {sys.executable}")
    problems = 0
    in_a_browser = sys.platform == IN_A_BROWSER
    for heading, checks in CHECKS.items():
        if in_a_browser and heading in ABOUT_THE_MACHINE:
            continue
        print(f"\n{heading}")
        for finding in chain.from_iterable(check() for check in checks):
            print(textwrap.fill(finding.text, initial_indent=f"  {finding.state:8}", **LINES))
            if finding.mend:
                print(f"  {'':8}-> {finding.mend}")
            problems += finding.state == "problem"
    if problems:
        print(f"\n{problems} {'problem' if problems == 1 else 'problems'}; the line after each -> mends it.")
        return 1
    opened = (
        "This Python runs in your browser, in this page." if in_a_browser else "Open the tutorial with: autodiff-lab"
    )
    print(f"\nEverything is in place. {opened}")
    return 0
