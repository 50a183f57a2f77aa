"""`autodiff-lab check`: report what is installed and what draws the graphs, and how to fix whatever is missing.

A check is a function that yields findings; it tries a thing before it reports on it. `CHECKS` lists the checks under
their headings. The required versions are read from the installed package's metadata, so they are written only in
`pyproject.toml`.
"""

import importlib
import json
import os
import platform
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Literal

from . import __version__
from .jupyter.kernel import foreign_kernel, python_command
from .jupyter.lab_settings import default_port
from .jupyter.notebooks import TutorialError, are_in_checkout, installed_notebooks

DISTRIBUTION = "autodiff-lab"

# The same as in `pyproject.toml`; written here too, because it must be known before anything is installed.
OLDEST_PYTHON = (3, 11)

ANOTHER_FOLDER = (
    "Set the environment variable JUPYTER_RUNTIME_DIR to a folder that you can write to."
)

# JupyterLab's half of each widget library, and the Python package that brings it.
FRONT_ENDS = {"@jupyter-widgets/jupyterlab-manager": "jupyterlab_widgets", "anywidget": "anywidget"}


@dataclass(frozen=True)
class Finding:
    """One line of the report of `autodiff-lab check`; a note or problem comes with a way to fix it (`fix`)."""

    state: Literal["ok", "note", "problem"]
    text: str
    fix: str = ""


_good, _note, _problem = (partial(Finding, state) for state in ("ok", "note", "problem"))


def _pip_install(*what: str) -> str:
    """Return the command that installs something into this Python."""
    return " ".join([python_command(), "-m pip install", *what])


def check_python() -> Iterator[Finding]:
    """The command line's `check` of this Python: compare its version with the oldest that the package supports."""
    here, oldest = platform.python_version(), "{}.{}".format(*OLDEST_PYTHON)
    if tuple(map(int, here.split(".")[:2])) >= OLDEST_PYTHON:
        yield _good(f"Python {here} (asked for: >={oldest})")
    else:
        yield _problem(
            f"This is Python {here}; autodiff-lab asks for >={oldest}.",
            f"install Python {oldest} or newer (from python.org, or your system's package python{oldest}), delete the "
            f"folder .venv, and make it again with python{oldest} instead of python3",
        )


def check_packages() -> Iterator[Finding]:
    """The command line's `check` of dependencies: compare what is installed with what the package requires."""
    from packaging.requirements import Requirement

    try:
        requirements = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        where = "autodiff-lab itself is not installed in this Python; it runs from the folder you are in."
        yield _problem(where, _pip_install("-e ."))
        return
    for requirement in map(Requirement, requirements):
        name, asked = requirement.name, requirement.specifier
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            yield _problem(f"{name} is not installed.", _pip_install(f'"{name}{asked}"'))
            continue
        if asked.contains(version, prereleases=True):
            yield _good(f"{name} {version} (asked for: {asked})")
        else:
            upgrade = _pip_install("--upgrade", f'"{name}{asked}"')
            yield _problem(f"{name} is {version}; autodiff-lab asks for {asked}.", upgrade)


def check_drawing() -> Iterator[Finding]:
    """The command line's `check` of drawing: say what draws the graphs, Graphviz or the package, and draw one."""
    if _can_be_imported("pygraphviz"):
        yield _good("pygraphviz draws the graphs: it brings Graphviz along")
    elif sys.platform == IN_A_BROWSER:
        yield _good(
            "autodiff-lab arranges and draws the graphs by itself, as SVG (a browser has no Graphviz)"
        )
    else:
        yield _note(
            "There is no pygraphviz: autodiff-lab arranges and draws the graphs by itself, as SVG. "
            "Graphviz arranges large graphs better, and writes the PNG that an untrusted notebook shows.",
            _pip_install("pygraphviz"),
        )
    try:
        from graphviz import Digraph

        from .figures.graph.draw import render

        graph = Digraph()
        graph.edge("x", "y")
        yield _good(
            f"a graph of two nodes was drawn ({len(render(graph, format='svg'))} bytes of SVG)"
        )
    except Exception as error:
        # Whatever goes wrong in here, the reader should learn what it was and what to do.
        reinstall = _pip_install("--force-reinstall", "graphviz", "pygraphviz")
        yield _problem(
            f"A graph of two nodes cannot be drawn ({type(error).__name__}: {error}).", reinstall
        )


def _can_be_imported(name: str) -> bool:
    """Return whether a package is installed and works."""
    try:
        importlib.import_module(name)
    except Exception:  # a library in C that is missing, or of another machine, may raise anything
        return False
    return True


def check_notebooks() -> Iterator[Finding]:
    """In ``autodiff-lab check``, the notebooks: find the tutorial's and count them."""
    folder = installed_notebooks()
    yield _good(f"{len(list(folder.glob('*.ipynb')))} notebooks in {folder}")


def check_trust() -> Iterator[Finding]:
    """The command line's `check` of trust: say of which notebooks Jupyter shows no scripts."""
    import nbformat
    from nbformat.sign import NotebookNotary

    folder = installed_notebooks()
    untrusted = 0
    try:
        notary = NotebookNotary()
    except OSError:
        return  # there is no folder for what Jupyter keeps, as `check_folders` says
    files = sorted(folder.glob("*.ipynb"))
    for file in files:
        try:
            untrusted += not notary.check_signature(nbformat.read(file, as_version=4))
        except (ValueError, OSError) as error:
            why = str(error).partition("\n")[0][:80]
            yield _problem(
                f"{file.name} is no notebook any more ({why}).", f"rename it, and get {file} again"
            )
    if untrusted:
        yield _note(
            f"{untrusted} of {len(files)} notebooks have not been run here yet, so Jupyter calls them not trusted. "
            "Until you run its cell, a player in them is a still picture; nothing else differs. To trust them at once:",
            f"{python_command()} -m jupyter trust {folder / '*.ipynb'}",
        )


def check_folders() -> Iterator[Finding]:
    """The command line's `check` of folders: try whether a learner's work, and Jupyter's own files, can be written."""
    notebooks = installed_notebooks()
    work = notebooks if are_in_checkout(notebooks) else Path.cwd()
    refused = why_not_writable(work)
    if refused:
        elsewhere = "work on copies, in a folder that you can write to: autodiff-lab --to DIR"
        yield _problem(f"Nothing that you do can be saved in {work} ({refused}).", elsewhere)
    else:
        yield _good(f"your work can be saved in {work}")
    refused = why_jupyter_would_not_start()
    if refused:
        yield _problem(f"{refused}, so it would not start.", ANOTHER_FOLDER)


def why_not_writable(folder: Path) -> str:
    """Check by trying, as permissions mislead, whether a folder can be written to: return why not, or nothing."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return error.strerror or type(error).__name__


def why_jupyter_would_not_start() -> str:
    """Check whether Jupyter can write its own files: return why it would fail to open the tutorial, or nothing."""
    from jupyter_core.paths import jupyter_runtime_dir

    folder = Path(jupyter_runtime_dir())
    refused = why_not_writable(
        next(parent for parent in (folder, *folder.parents) if parent.exists())
    )
    return f"Jupyter cannot keep its own files in {folder} ({refused})" if refused else ""


def check_widgets() -> Iterator[Finding]:
    """The command line's `check` of widgets: look for their JavaScript half in JupyterLab's extensions."""
    from jupyter_core.paths import jupyter_path
    from jupyterlab_server.config import get_federated_extensions, get_page_config

    folders = jupyter_path("labextensions")
    found = get_federated_extensions(folders)
    switched_off = get_page_config(folders).get("disabledExtensions", [])
    for name, package in FRONT_ENDS.items():
        half, unseen = f"JupyterLab's half of the widgets, {name}", "the player would not show."
        if name not in found:
            yield _problem(
                f"{half}, is missing: {unseen}",
                _pip_install("--force-reinstall", "--no-deps", package),
            )
        elif name in switched_off:
            enable = f"{python_command()} -m jupyter labextension enable {name}"
            yield _problem(f"{half}, is switched off: {unseen}", enable)
        elif (here := _front_end_version(name)) not in (None, found[name]["version"]):
            yield _problem(
                f"JupyterLab would load {name} {found[name]['version']}, which another Python has left behind, and not "
                f"{here}, which fits this one: {unseen}",
                f"delete the folder {found[name]['ext_path']}",
            )
        else:
            yield _good(f"JupyterLab's half of the widgets: {name} {found[name]['version']}")


def _front_end_version(name: str) -> str | None:
    """Return the version of JupyterLab's half of the widgets that is installed beside this Python."""
    package = Path(sys.prefix, "share", "jupyter", "labextensions", name, "package.json")
    return json.loads(package.read_text(encoding="utf-8"))["version"] if package.is_file() else None


def check_kernel() -> Iterator[Finding]:
    """In ``autodiff-lab check``, the kernel: say whether a notebook opened in JupyterLab runs in this Python."""
    foreign = foreign_kernel()
    if foreign is None:
        yield _good(
            f"notebooks run in this Python: {sys.executable} (ipykernel {metadata.version('ipykernel')})"
        )
    else:
        yield _note(
            f"On this machine Jupyter's kernel `python3` is {foreign}, not this Python. "
            "`autodiff-lab` uses this Python all the same; for a JupyterLab that you start yourself:",
            f"{python_command()} -m ipykernel install --user --name autodiff-lab",
        )


def check_port() -> Iterator[Finding]:
    """The command line's `check` of the port: say on which JupyterLab is going to listen."""
    if "JPY_PARENT_PID" in os.environ:
        yield _good("this runs in a notebook, so Jupyter is up already")
        return
    from tornado.netutil import bind_sockets

    port = default_port()
    try:
        for socket in bind_sockets(port, "localhost"):
            socket.close()
    except OSError:
        yield _note(
            f"Port {port} is taken, perhaps by a JupyterLab that still runs; `autodiff-lab` is going to take any other "
            "that is free, and prints the address. To see what runs:",
            f"{python_command()} -m jupyter server list",
        )
    else:
        yield _good(f"JupyterLab is going to listen on port {port} of this machine, which is free")


CHECKS: dict[str, tuple[Callable[[], Iterator[Finding]], ...]] = {
    "Python and packages": (check_python, check_packages),
    "Drawing": (check_drawing,),
    "Notebooks": (check_notebooks, check_trust, check_folders),
    "Widgets": (check_widgets,),
    "Kernel": (check_kernel,),
    "JupyterLab": (check_port,),
}

# What `sys.platform` is where Python itself runs in the reader's browser (JupyterLite).
IN_A_BROWSER = "emscripten"

# The headings that make no sense for a Python in a browser, where notebooks, widgets and kernel are part of the page.
ABOUT_THE_MACHINE = ("Notebooks", "Widgets", "Kernel", "JupyterLab")

# Commands are printed on one line, to be copied. Prose is wrapped, but a path never is.
PROSE = textwrap.TextWrapper(
    100, subsequent_indent=" " * 10, break_long_words=False, break_on_hyphens=False
)


def _run_check(check: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """Run one check; if it raises because a library or a notebook is missing, that is a finding too."""
    try:
        yield from check()
    except TutorialError as error:
        reason, _, fix = str(error).partition("\n")
        yield _problem(reason, fix)
    except ImportError as error:
        package = (error.name or "jupyterlab").partition(".")[0]
        yield _problem(
            f"{package} cannot be imported ({error}).", _pip_install("--force-reinstall", package)
        )


def check_here() -> bool:
    """Check the setup from a notebook: print one line if everything is in place, else only what is wrong.

    Returns
    -------
    bool
        Whether everything is in place. ``autodiff-lab check`` in a terminal prints every finding.
    """
    findings: dict[Finding, None] = {}  # each once, though two checks may need the same library
    for heading, checks in CHECKS.items():
        if not _applies_here(heading):
            continue
        for check in checks:
            findings.update(dict.fromkeys(_run_check(check)))
    problems = [finding for finding in findings if finding.state == "problem"]
    for problem in problems:
        _print_finding(problem)
    if problems:
        print(f"\n{_count_problems(len(problems))}")
        return False
    where = "in your browser" if sys.platform == IN_A_BROWSER else "on this machine"
    print(
        f"Everything is in place: autodiff-lab {__version__} with Python {platform.python_version()}, {where}."
    )
    return True


def _applies_here(heading: str) -> bool:
    """Return whether the checks under a heading make sense where this Python runs."""
    return sys.platform != IN_A_BROWSER or heading not in ABOUT_THE_MACHINE


def _print_finding(finding: Finding) -> None:
    print(PROSE.fill(f"  {finding.state:8}{finding.text}"))
    if finding.fix:
        print(f"  {'':8}-> {finding.fix}")


def _count_problems(count: int) -> str:
    return f"{count} {'problem' if count == 1 else 'problems'}; the line after each -> fixes it."


def check_setup() -> int:
    """Run `autodiff-lab check`: print the report, and return the exit code, 0 if everything is in place, 1 if not."""
    print(f"autodiff-lab {__version__}, checked with {sys.executable}")
    in_a_browser = sys.platform == IN_A_BROWSER
    said: dict[Finding, None] = {}
    for heading, checks in CHECKS.items():
        if not _applies_here(heading):
            continue
        print(f"\n{heading}")
        for finding in (finding for check in checks for finding in _run_check(check)):
            if finding in said:
                continue  # two checks miss the same library
            said[finding] = None
            _print_finding(finding)
    problems = sum(finding.state == "problem" for finding in said)
    if problems:
        print(f"\n{_count_problems(problems)}")
        return 1
    how = "Open the tutorial with: autodiff-lab"
    if in_a_browser:
        how = "This Python runs in your browser, in this page."
    print(f"\nEverything is in place. {how}")
    return 0
