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

# The same version as in `pyproject.toml`, repeated here because it's needed before anything is installed.
OLDEST_PYTHON = (3, 11)

ANOTHER_FOLDER = (
    "Set the environment variable JUPYTER_RUNTIME_DIR to a folder that you can write to."
)

# The JupyterLab extension of each widget library, and the Python package that installs it.
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
    """Check this Python: compare its version with the oldest that the package supports."""
    here = platform.python_version()
    oldest = "{}.{}".format(*OLDEST_PYTHON)
    major_and_minor = tuple(map(int, here.split(".")[:2]))
    if major_and_minor >= OLDEST_PYTHON:
        yield _good(f"Python {here} (required: >={oldest})")
    else:
        yield _problem(
            f"This is Python {here}; autodiff-lab requires >={oldest}.",
            f"install Python {oldest} or newer (from python.org, or your system's package python{oldest}), delete the "
            f"folder .venv, and make it again with python{oldest} instead of python3",
        )


def check_packages() -> Iterator[Finding]:
    """Check the dependencies: compare the installed versions with those that the package requires."""
    from packaging.requirements import Requirement

    try:
        requirements = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        where = "autodiff-lab itself is not installed in this Python; it runs from the folder you are in."
        yield _problem(where, _pip_install("-e ."))
        return
    for requirement in map(Requirement, requirements):
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        name = requirement.name
        required = requirement.specifier
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            yield _problem(f"{name} is not installed.", _pip_install(f'"{name}{required}"'))
            continue
        if required.contains(version, prereleases=True):
            yield _good(f"{name} {version} (required: {required})")
        else:
            upgrade = _pip_install("--upgrade", f'"{name}{required}"')
            yield _problem(f"{name} is {version}; autodiff-lab requires {required}.", upgrade)


def check_drawing() -> Iterator[Finding]:
    """Check the drawing of graphs: report whether Graphviz or the package draws them, and draw one."""
    if _can_be_imported("pygraphviz"):
        yield _good("pygraphviz draws the graphs: it includes Graphviz")
    elif sys.platform == IN_A_BROWSER:
        yield _good(
            "autodiff-lab draws the graphs without Graphviz, as SVG (a browser has no Graphviz)"
        )
    else:
        yield _note(
            "pygraphviz is not installed: autodiff-lab draws the graphs without Graphviz, as SVG. "
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
        # Whatever goes wrong here, the report must name the error and the way to fix it.
        reinstall = _pip_install("--force-reinstall", "graphviz", "pygraphviz")
        yield _problem(
            f"A graph of two nodes cannot be drawn ({type(error).__name__}: {error}).", reinstall
        )


def _can_be_imported(name: str) -> bool:
    """Return whether a package is installed and works."""
    try:
        importlib.import_module(name)
    except Exception:
        # A C library that is missing, or built for another machine, may raise anything.
        return False
    return True


def check_notebooks() -> Iterator[Finding]:
    """Check the tutorial's notebooks: find them and count them."""
    folder = installed_notebooks()
    yield _good(f"{len(list(folder.glob('*.ipynb')))} notebooks in {folder}")


def check_trust() -> Iterator[Finding]:
    """Check which notebooks Jupyter doesn't trust, so that it shows no scripts in them."""
    import nbformat
    from nbformat.sign import NotebookNotary

    folder = installed_notebooks()
    untrusted = 0
    try:
        notary = NotebookNotary()
    except OSError:
        return  # Jupyter can't write its own files, which `check_folders` reports
    files = sorted(folder.glob("*.ipynb"))
    for file in files:
        try:
            untrusted += not notary.check_signature(nbformat.read(file, as_version=4))
        except (ValueError, OSError) as error:
            why = str(error).partition("\n")[0][:80]
            yield _problem(
                f"{file.name} is not a notebook any more ({why}).",
                f"rename it, and get {file} again",
            )
    if untrusted:
        yield _note(
            f"{untrusted} of {len(files)} notebooks have not been run here yet, so Jupyter calls them not trusted. "
            "Until you run its cell, a player in them is a still picture; nothing else differs. To trust them at once:",
            f"{python_command()} -m jupyter trust {folder / '*.ipynb'}",
        )


def check_folders() -> Iterator[Finding]:
    """Check the folders: try whether a learner's work, and Jupyter's own files, can be saved."""
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
    """Try to write to a folder, because its permissions can mislead: return why it fails, or an empty string."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return error.strerror or type(error).__name__


def why_jupyter_would_not_start() -> str:
    """Check whether Jupyter can write its own files: return why it would not start, or an empty string."""
    from jupyter_core.paths import jupyter_runtime_dir

    folder = Path(jupyter_runtime_dir())
    nearest = next(parent for parent in (folder, *folder.parents) if parent.exists())
    refused = why_not_writable(nearest)
    return f"Jupyter cannot write its own files to {folder} ({refused})" if refused else ""


def check_widgets() -> Iterator[Finding]:
    """Check the widgets: look for the JupyterLab extension of each widget library."""
    from jupyter_core.paths import jupyter_path
    from jupyterlab_server.config import get_federated_extensions, get_page_config

    folders = jupyter_path("labextensions")
    found = get_federated_extensions(folders)
    disabled = get_page_config(folders).get("disabledExtensions", [])
    for name, package in FRONT_ENDS.items():
        yield _check_front_end(name, package, found.get(name), is_disabled=name in disabled)


def _check_front_end(
    name: str, package: str, found: dict[str, str] | None, is_disabled: bool
) -> Finding:
    """Check the JupyterLab extension of one widget library; `found` is what JupyterLab would load."""
    extension = f"The JupyterLab extension of the widgets, {name},"
    effect = "Players would not be shown."
    if found is None:
        reinstall = _pip_install("--force-reinstall", "--no-deps", package)
        return _problem(f"{extension} is missing. {effect}", reinstall)
    if is_disabled:
        enable = f"{python_command()} -m jupyter labextension enable {name}"
        return _problem(f"{extension} is disabled. {effect}", enable)
    loaded = found["version"]
    installed = _front_end_version(name)
    if installed not in (None, loaded):
        return _problem(
            f"JupyterLab would load {name} {loaded}, which another Python has left behind, and not {installed}, which "
            f"belongs to this one. {effect}",
            f"delete the folder {found['ext_path']}",
        )
    return _good(f"the JupyterLab extension of the widgets: {name} {loaded}")


def _front_end_version(name: str) -> str | None:
    """Return the version of a JupyterLab extension that is installed for this Python; None if there is none."""
    package = Path(sys.prefix, "share", "jupyter", "labextensions", name, "package.json")
    if not package.is_file():
        return None
    return json.loads(package.read_text(encoding="utf-8"))["version"]


def check_kernel() -> Iterator[Finding]:
    """Check the kernel: report whether a notebook that is opened in JupyterLab runs in this Python."""
    foreign = foreign_kernel()
    if foreign is None:
        yield _good(
            f"notebooks run in this Python: {sys.executable} (ipykernel {metadata.version('ipykernel')})"
        )
    else:
        yield _note(
            f"On this machine Jupyter's kernel `python3` is {foreign}, not this Python. "
            "`autodiff-lab` uses this Python anyway; for a JupyterLab that you start yourself:",
            f"{python_command()} -m ipykernel install --user --name autodiff-lab",
        )


def check_port() -> Iterator[Finding]:
    """Check the port: report on which port JupyterLab will listen."""
    if "JPY_PARENT_PID" in os.environ:
        yield _good("this runs in a notebook, so Jupyter is already running")
        return
    from tornado.netutil import bind_sockets

    port = default_port()
    try:
        for socket in bind_sockets(port, "localhost"):
            socket.close()
    except OSError:
        yield _note(
            f"Port {port} is in use, perhaps by a JupyterLab that is still running; `autodiff-lab` will use another "
            "one that is free, and print the address. To see which servers are running:",
            f"{python_command()} -m jupyter server list",
        )
    else:
        yield _good(f"JupyterLab will listen on port {port} of this machine, which is free")


CHECKS: dict[str, tuple[Callable[[], Iterator[Finding]], ...]] = {
    "Python and packages": (check_python, check_packages),
    "Drawing": (check_drawing,),
    "Notebooks": (check_notebooks, check_trust, check_folders),
    "Widgets": (check_widgets,),
    "Kernel": (check_kernel,),
    "JupyterLab": (check_port,),
}

# The value of `sys.platform` when Python itself runs in the reader's browser (JupyterLite).
IN_A_BROWSER = "emscripten"

# The headings that are left out in a browser, because notebooks, widgets and kernel are part of the page there.
ABOUT_THE_MACHINE = ("Notebooks", "Widgets", "Kernel", "JupyterLab")

# A command is printed on one line, so that it can be copied. Prose is wrapped, but never inside a path.
PROSE = textwrap.TextWrapper(
    100, subsequent_indent=" " * 10, break_long_words=False, break_on_hyphens=False
)


def _run_check(check: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """Run one check; an error about a missing library or notebook becomes a finding too."""
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
    findings: dict[Finding, None] = {}  # each once, although two checks may need the same library
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
    printed: list[Finding] = []
    for heading, checks in CHECKS.items():
        if not _applies_here(heading):
            continue
        print(f"\n{heading}")
        for check in checks:
            for finding in _run_check(check):
                if finding in printed:
                    continue  # two checks need the same missing library
                printed.append(finding)
                _print_finding(finding)
    problems = sum(finding.state == "problem" for finding in printed)
    if problems:
        print(f"\n{_count_problems(problems)}")
        return 1
    how = "Open the tutorial with: autodiff-lab"
    if sys.platform == IN_A_BROWSER:
        how = "This Python runs in your browser, in this page."
    print(f"\nEverything is in place. {how}")
    return 0
