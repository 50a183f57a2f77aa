"""Settings of the tutorial's JupyterLab: no news, encrypted messages to the kernel, a log of only what helps.

All of it holds for one run. Nothing is written into the learner's own settings, and what they have set there counts.
"""

import logging
import os
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

# What JupyterLab would write into the learner's terminal, and why there is nothing that the learner should do.
# The first is true of each that has not been run here, and `autodiff-lab check` says what it means; in the second two
# libraries differ about a default, and the shorter holds.
NO_HELP = re.compile(r"Notebook .* is not trusted$|The websocket_ping_timeout .* cannot be longer")


def helps_a_learner(record: logging.LogRecord) -> bool:
    """Return whether a line of JupyterLab's log helps a learner, and is shown: a filter for `logging`."""
    return not NO_HELP.match(record.getMessage())


def without_news() -> AbstractContextManager[None]:
    """Change two settings of a JupyterLab that is started inside: no question about news, no look for updates.

    It would ask, before anything else, whether it may fetch news from the network. It reads the folder ``labconfig``
    of each folder of its settings.
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
        os.environ.pop(variable) if before is None else os.environ.update({variable: before})


def encryption_options() -> list[str]:
    """Return the JupyterLab setting that encrypts what goes to a kernel, where the installed versions can do that.

    It all stays on this machine; but on one with several users the others could listen, and ipykernel warns of it.
    """
    import zmq
    from jupyter_client.manager import KernelManager

    able = "transport_encryption" in KernelManager.class_trait_names() and zmq.has("curve")
    return ["--KernelManager.transport_encryption=auto"] if able else []


def default_port() -> int:
    """Return the port that is set for JupyterLab: the one that it tries first."""
    from jupyter_server.serverapp import DEFAULT_JUPYTER_SERVER_PORT  # type: ignore[attr-defined]

    return int(os.environ.get("JUPYTER_PORT") or DEFAULT_JUPYTER_SERVER_PORT)
