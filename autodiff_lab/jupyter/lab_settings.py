"""Settings of the tutorial's JupyterLab: no news, encrypted messages to the kernel, a log of only what helps.

They hold for one run. The learner's own settings are not changed, and still apply.
"""

import logging
import os
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

# Lines of JupyterLab's log that a learner can do nothing about. The first appears for every notebook that has not been
# run here; `autodiff-lab check` explains it. The second appears because two libraries have different defaults; the
# shorter one is used.
NO_HELP = re.compile(r"Notebook .* is not trusted$|The websocket_ping_timeout .* cannot be longer")


def helps_a_learner(record: logging.LogRecord) -> bool:
    """Whether a line of JupyterLab's log should be shown to a learner: a filter for `logging`."""
    return not NO_HELP.match(record.getMessage())


def without_news() -> AbstractContextManager[None]:
    """Start JupyterLab inside this context, and it neither offers to fetch news nor looks for updates.

    Otherwise the first thing a learner sees is the question whether JupyterLab may fetch news from the network. The two
    settings are in the folder ``labconfig``, which JupyterLab reads in every folder of its configuration path.
    """
    return prepend_folder("JUPYTER_CONFIG_PATH", str(Path(__file__).parent))


@contextmanager
def prepend_folder(variable: str, folder: str) -> Iterator[None]:
    """Put a folder in front of a search path that JupyterLab reads, as the setting ``JUPYTER_CONFIG_PATH``."""
    with set_variable(variable, os.pathsep.join(filter(None, [folder, os.environ.get(variable)]))):
        yield


@contextmanager
def set_variable(variable: str, value: str) -> Iterator[None]:
    """Set an environment variable that is a setting of JupyterLab's, and restore it afterwards."""
    before = os.environ.get(variable)
    os.environ[variable] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[variable]
        else:
            os.environ[variable] = before


def encryption_options() -> list[str]:
    """Return the JupyterLab setting that encrypts what goes to a kernel, where the installed versions can do that.

    The messages never leave this machine, but other users of it could read them, and ipykernel warns about that.
    """
    import zmq
    from jupyter_client.manager import KernelManager

    able = "transport_encryption" in KernelManager.class_trait_names() and zmq.has("curve")
    return ["--KernelManager.transport_encryption=auto"] if able else []


def default_port() -> int:
    """Return the port that JupyterLab tries first."""
    from jupyter_server.serverapp import DEFAULT_JUPYTER_SERVER_PORT  # type: ignore[attr-defined]

    return int(os.environ.get("JUPYTER_PORT") or DEFAULT_JUPYTER_SERVER_PORT)
