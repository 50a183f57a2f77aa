"""Find the tutorial's notebooks, copy them for a learner to work on, and open them in JupyterLab."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .jupyterlab_settings import OnlyWhatHelps, default_port, encryption, in_front, without_news

START = "00_start_here.ipynb"
DEFAULT_COPY = "autodiff-lab-notebooks"
ANOTHER_FOLDER = "Set the environment variable JUPYTER_RUNTIME_DIR to a folder that you can write to."
PACKAGE = Path(__file__).resolve().parents[1]

# What a running notebook leaves beside itself is not part of the tutorial.
NOT_COPIED = {".ipynb_checkpoints", "__pycache__", ".DS_Store", "my_progress.jsonl"}


class TutorialError(Exception):
    """The tutorial cannot be opened; the message says why and what to do."""


@dataclass(frozen=True)
class Copied:
    """What :func:`copy_notebooks` did, as paths relative to the target folder."""

    new: tuple[Path, ...]
    kept: tuple[Path, ...]
    """Files that were there already and differ from the tutorial's: the learner's own work."""


def installed_notebooks() -> Path:
    """Return the folder with the tutorial's notebooks.

    In a wheel they travel inside the package; in a checkout they are the folder ``notebooks`` beside it.

    Raises
    ------
    TutorialError
        If there are none, which means that the installation is damaged.
    """
    for folder in (PACKAGE / "notebooks", PACKAGE.parent / "notebooks"):
        if (folder / START).is_file():
            return folder
    raise TutorialError(
        f"the notebooks are missing: there is no {START} in {PACKAGE / 'notebooks'} or in "
        f"{PACKAGE.parent / 'notebooks'}.\nInstall the package again: "
        f"{python_command()} -m pip install --force-reinstall --no-deps autodiff-lab"
    )


def are_in_checkout(notebooks: Path) -> bool:
    """Return whether these notebooks are the checkout's own, where a learner may work in place."""
    return notebooks.parent != PACKAGE


def copy_notebooks(source: Path, target: Path, content: Callable[[Path], bytes | None] = Path.read_bytes) -> Copied:
    """Copy the files of `source` that `target` does not have yet; never overwrite one.

    Parameters
    ----------
    source, target
        Folders.
    content
        What is written for a file of `source`; by default the same. None leaves the file out.

    Raises
    ------
    TutorialError
        If `target` cannot be written to, or is a file.
    """
    new, kept = [], []
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name in _files(source):
            written, copy = content(source / name), target / name
            if written is None:
                continue
            if os.path.lexists(copy):
                if not (copy.is_file() and copy.read_bytes() == written):
                    kept.append(name)
                continue
            copy.parent.mkdir(parents=True, exist_ok=True)
            # "x" fails where a file has appeared since; a read-only installation's mode is not copied.
            with copy.open("xb") as file:
                file.write(written)
            new.append(name)
    except OSError as error:
        raise TutorialError(
            f"the notebooks cannot be copied into {target} ({error.strerror}: {error.filename}).\n"
            "Name a folder that you can write to: autodiff-lab --to DIR"
        ) from error
    return Copied(tuple(new), tuple(kept))


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.is_file() and not NOT_COPIED.intersection(name.parts):
            yield name


def open_tutorial(to: Path | None = None, *, browser: bool = True, port: int | None = None) -> None:
    """Open the first notebook in JupyterLab and return when JupyterLab is stopped.

    Parameters
    ----------
    to
        Work on copies in this folder. Without it a checkout opens its own notebooks, and an installed wheel
        copies them into ``./autodiff-lab-notebooks``.
    browser
        Whether to open a browser; the address is printed either way.
    port
        The port to listen on; JupyterLab takes the next free one if it is in use.

    Raises
    ------
    TutorialError
        If the notebooks or JupyterLab are missing, or the copies cannot be written.
    """
    notebooks = installed_notebooks()
    if to is not None or not are_in_checkout(notebooks):
        target = (to or Path(DEFAULT_COPY)).expanduser().resolve()
        say_what_was_copied(copy_notebooks(notebooks, target), target)
        notebooks = target
    refused = why_not_writable(notebooks)
    if refused:
        raise TutorialError(
            f"nothing that you do in {notebooks} could be saved ({refused}).\n"
            "Work on copies, in a folder that you can write to: autodiff-lab --to DIR"
        )
    run_lab(notebooks, browser=browser, port=port)


def why_not_writable(folder: Path) -> str:
    """Return why no file can be made in a folder, or nothing if one can. It is tried, as permissions do not say all."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return error.strerror or type(error).__name__


def why_jupyter_would_not_start() -> str:
    """Return why Jupyter cannot keep its own files (it would stop with a traceback), or nothing if it can."""
    from jupyter_core.paths import jupyter_runtime_dir

    folder = Path(jupyter_runtime_dir())
    refused = why_not_writable(next(parent for parent in (folder, *folder.parents) if parent.exists()))
    return f"Jupyter cannot keep its own files in {folder} ({refused})" if refused else ""


def say_what_was_copied(copied: Copied, target: Path) -> None:
    """Print one line for what is new in the folder, and one for what was left alone."""
    if copied.new:
        print(f"Copied {_count(copied.new)} into {target}")
    else:
        print(f"Your notebooks are in {target}; there is nothing new to copy.")
    if copied.kept:
        print(f"Kept {_count(copied.kept)} as you left it: {', '.join(map(str, copied.kept))}")
        print("(To get the tutorial's version of a file again, rename yours and run this command again.)")


def _count(files: tuple[Path, ...]) -> str:
    return "1 file" if len(files) == 1 else f"{len(files)} files"


def run_lab(folder: Path, *, browser: bool, port: int | None) -> None:
    """Run JupyterLab on `folder`, in this very process, until it is stopped."""
    try:
        import ipykernel  # noqa: F401  (JupyterLab starts without it, and then no notebook runs)
        from jupyterlab.labapp import LabApp
    except ImportError as error:
        raise TutorialError(
            f"JupyterLab is not installed in this Python ({error}).\n"
            f"Install it: {python_command()} -m pip install jupyterlab ipykernel"
        ) from error

    refused = why_jupyter_would_not_start()
    if refused:
        raise TutorialError(f"{refused}.\n{ANOTHER_FOLDER}")
    arguments = [
        f"--ServerApp.root_dir={folder}",
        f"--LabApp.default_url=/lab/tree/{START}",
        "--ServerApp.answer_yes=True",  # Ctrl-C stops at once; notebooks are saved as one works
        "--ServerApp.log_level=WARN",  # leaves the address, which is what a learner needs to see
        "--LabApp.log_level=WARN",
        *encryption(),
    ]
    if port is not None:
        arguments.append(f"--ServerApp.port={port}")
    if not browser:
        arguments.append("--no-browser")
    if running_as_root():
        print("You are root, so JupyterLab is started with --allow-root; the notebooks run as root too.")
        arguments.append("--allow-root")

    print(f"Opening {folder / START} in JupyterLab.")
    print("The address follows; if no browser opens, open it yourself. Ctrl-C in this window stops JupyterLab.")
    sys.stdout.flush()
    with kernel_of_this_python(), without_news():
        server = LabApp.initialize_server(arguments)
        for handler in server.log.handlers:
            handler.addFilter(OnlyWhatHelps())
        # JupyterLab prints the address with the token it made up, and nothing where there is a password or a
        # token of the learner's own.
        if not server.identity_provider.token_generated:
            print(server.display_url, flush=True)
        asked = port or default_port()
        if server.port != asked:
            print(f"Port {asked} is taken, so this JupyterLab listens on port {server.port}.", flush=True)
        server.start()


def running_as_root() -> bool:
    """Return whether JupyterLab would refuse to start because the user is root (never on Windows)."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


@contextmanager
def kernel_of_this_python() -> Iterator[None]:
    """Make sure that the kernel called "python3" is this Python while JupyterLab runs.

    Jupyter takes the first kernel of that name on its search path. One that another Python has left in the
    home folder or on JUPYTER_PATH can come before ours, and would run the notebooks where this package is not
    installed. In that case ours is put in front, for this one run.
    """
    if foreign_kernel() is None:
        yield
        return
    from ipykernel.kernelspec import write_kernel_spec

    with tempfile.TemporaryDirectory(prefix="autodiff-lab-") as folder:
        write_kernel_spec(os.path.join(folder, "kernels", "python3"))
        with in_front("JUPYTER_PATH", folder):
            yield


def foreign_kernel() -> str | None:
    """Return what Jupyter's kernel "python3" would run, or None if it is this Python."""
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    try:
        command = KernelSpecManager().get_kernel_spec("python3").argv[0]
    except (NoSuchKernel, ValueError, OSError, IndexError) as error:
        return f"a specification that cannot be read ({error})"
    major, minor = sys.version_info[:2]
    # Jupyter itself replaces these bare names by the Python that runs JupyterLab.
    if command in ("python", f"python{major}", f"python{major}.{minor}"):
        return None
    found = shutil.which(command)
    return None if found and _same_environment(found, sys.executable) else command


def _same_environment(one: str, other: str) -> bool:
    """Compare folders, not files: the Pythons of two virtual environments are links to the same file."""
    folders = (os.path.realpath(os.path.dirname(path)) for path in (one, other))
    return len(set(folders)) == 1 and os.path.samefile(one, other)


def python_command() -> str:
    """Return this Python as one types it in a terminal."""
    return f'"{sys.executable}"' if " " in sys.executable else sys.executable
