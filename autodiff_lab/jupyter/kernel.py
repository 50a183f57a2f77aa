"""The kernel that runs the notebooks: always this Python, even if Jupyter would find another one first."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from .lab_settings import prepend_folder


@contextmanager
def kernel_of_this_python() -> Iterator[None]:
    """Make sure that the kernel called "python3" is this Python while JupyterLab runs.

    Jupyter uses the first kernel of that name on its search path. A kernel that another Python has installed in the
    home folder or on JUPYTER_PATH may come before ours, and would run the notebooks in a Python where this package is
    not installed. In that case ours is put first, for this run only.
    """
    if foreign_kernel() is None:
        yield
        return
    from ipykernel.kernelspec import write_kernel_spec

    with tempfile.TemporaryDirectory(prefix="autodiff-lab-") as folder:
        write_kernel_spec(os.path.join(folder, "kernels", "python3"))
        with prepend_folder("JUPYTER_PATH", folder):
            yield


def foreign_kernel() -> str | None:
    """Return the command of Jupyter's kernel "python3" if it is another Python's, or None if it is this one's."""
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
    """Return the Python that the notebooks' kernel runs, as one types it in a terminal."""
    return f'"{sys.executable}"' if " " in sys.executable else sys.executable
