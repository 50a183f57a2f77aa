"""`autodiff-lab` without a subcommand: open the tutorial in JupyterLab, in place or on copies."""

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..jupyter.kernel import kernel_of_this_python, python_command
from ..jupyter.lab_settings import encryption_options, helps_a_learner, without_news
from ..jupyter.notebooks import (
    DEFAULT_COPY,
    START,
    Copied,
    TutorialError,
    are_in_checkout,
    copy_notebooks,
    installed_notebooks,
)
from ..setup_check import ANOTHER_FOLDER, why_jupyter_would_not_start, why_not_writable


def open_tutorial(to: Path | None = None, *, browser: bool = True, port: int | None = None) -> None:
    """Open the tutorial's first notebook in JupyterLab, and return when JupyterLab is stopped.

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
        report_copies(copy_notebooks(notebooks, target), target)
        notebooks = target
    refused = why_not_writable(notebooks)
    if refused:
        raise TutorialError(
            f"you could not save anything in {notebooks} ({refused}).\n"
            "Work on copies, in a folder that you can write to: autodiff-lab --to DIR"
        )
    run_lab(notebooks, browser=browser, port=port)


@contextmanager
def _without_deprecations() -> Iterator[None]:
    """Hide deprecation warnings: Jupyter still uses old names of settings, and a learner can do nothing about it.

    A warnings filter is not enough, because a server extension that is imported later may replace it.
    """
    show = warnings.showwarning

    def show_others(
        message: Warning | str, category: type[Warning], *where: Any, **options: Any
    ) -> None:
        if not issubclass(category, DeprecationWarning):
            show(message, category, *where, **options)

    with warnings.catch_warnings():
        warnings.showwarning = show_others
        yield


def report_copies(copied: Copied, target: Path) -> None:
    """Print how many notebooks were copied into the target folder, and which were kept as they are."""
    new, kept = (
        f"{len(files)} file{'s' * (len(files) != 1)}" for files in (copied.new, copied.kept)
    )
    if copied.new:
        print(f"Copied {new} into {target}")
    else:
        print(f"Your notebooks are in {target}; there is nothing new to copy.")
    if copied.kept:
        print(f"Kept {kept} as you left it: {', '.join(map(str, copied.kept))}")
        print(
            "(To get the tutorial's version of a file again, rename yours and run this command again.)"
        )


def run_lab(
    folder: Path,
    *,
    start: str = f"lab/tree/{START}",
    browser: bool,
    port: int | None,
    options: Sequence[str] = (),
) -> None:
    """Run JupyterLab on a folder of the tutorial, in this process, until it is stopped; it opens the file `start`."""
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
        f"--LabApp.default_url=/{start}",
        "--ServerApp.answer_yes=True",  # Ctrl-C stops at once; notebooks are saved as one works
        "--ServerApp.log_level=WARN",  # leaves the address, which is what a learner needs to see
        "--LabApp.log_level=WARN",
        *encryption_options(),
        *options,
    ]
    if port is not None:
        arguments.append(f"--ServerApp.port={port}")
    if not browser:
        arguments.append("--no-browser")
    # Without the option, JupyterLab refuses to start as root. Windows has no root.
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        print(
            "You are root, so JupyterLab is started with --allow-root; the notebooks run as root too."
        )
        arguments.append("--allow-root")

    print(f"Opening {folder / Path(start).name} in JupyterLab.")
    print(
        "The address follows; if no browser opens, open it yourself. Ctrl-C in this window stops JupyterLab."
    )
    sys.stdout.flush()
    with kernel_of_this_python(), without_news(), _without_deprecations():
        server = LabApp.initialize_server(arguments)
        for handler in server.log.handlers:
            handler.addFilter(helps_a_learner)
        # JupyterLab prints the address with the token it made up, and nothing where there is a password or a
        # token of the learner's own.
        if not server.identity_provider.token_generated:
            print(server.display_url, flush=True)
        server.start()
