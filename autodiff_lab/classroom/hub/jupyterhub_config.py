"""JupyterHub for a class, on one Linux machine, as `autodiff-lab hub` wrote it.

Root runs it:

    jupyterhub -f jupyterhub_config.py

Each student is a user of the machine, in the group `students`. Everybody shares one Python environment, which belongs
to root and which no student can change. The page for lecturers says what these limits do, and what they don't.
"""

import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path

from jupyterhub.spawner import LocalProcessSpawner

# Change these to fit your machine and your class.
ADDRESS = "http://127.0.0.1:8000"  # put a web server with HTTPS in front of it
GROUP = "students"  # its members may log in, with their password on this machine
SERVERS_AT_A_TIME = 60  # when so many run, further students are asked to wait
KERNEL_IDLE_S = 2 * 60 * 60  # a kernel that has done nothing for this long is stopped
SERVER_IDLE_S = 4 * 60 * 60  # so is a server
MEGABYTES = 2000  # private memory of one process
PROCESSES = 200  # processes and threads of one student
FILE_MEGABYTES = 200  # size of one file
OPEN_FILES = 1024  # of one process
THREADS = 2  # that NumPy uses for a matrix product

MEGABYTE = 1_000_000
LIMITS = {
    resource.RLIMIT_DATA: MEGABYTES * MEGABYTE,
    resource.RLIMIT_NPROC: PROCESSES,
    resource.RLIMIT_FSIZE: FILE_MEGABYTES * MEGABYTE,
    resource.RLIMIT_NOFILE: OPEN_FILES,
    resource.RLIMIT_CORE: 0,
}
HERE = Path(__file__).resolve().parent
STATE = HERE / "state"  # who is logged in, and the keys of the cookies: for root only
STATE.mkdir(mode=0o700, exist_ok=True)


class LimitedSpawner(LocalProcessSpawner):
    """A spawner that starts a student's server under limits of the Linux kernel, which its child processes inherit."""

    def make_preexec_fn(self, name: str) -> Callable[[], None]:
        """Return the function that a new root process calls to set its limits and become the student's."""
        become_student = super().make_preexec_fn(name)

        def enter_limits() -> None:
            os.umask(0o077)  # a student's new files can't be read by other students
            os.nice(5)  # the hub has priority over the students' servers
            for limit, most in LIMITS.items():
                resource.setrlimit(limit, (most, most))
            become_student()

        return enter_limits


def check_every(idle_s: int) -> int:
    """Return the seconds between two checks for servers or kernels that have been idle for `idle_s`."""
    return max(1, min(300, idle_s // 4))


c = get_config()
c.JupyterHub.bind_url = ADDRESS
c.JupyterHub.db_url = f"sqlite:///{STATE / 'jupyterhub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(STATE / "cookie_secret")
c.ConfigurableHTTPProxy.pid_file = str(STATE / "proxy.pid")
c.JupyterHub.active_server_limit = SERVERS_AT_A_TIME

# Students log in with their passwords on this machine (PAM). Put a university's own login here instead.
c.JupyterHub.authenticator_class = "pam"
c.PAMAuthenticator.allowed_groups = {GROUP}
c.PAMAuthenticator.open_sessions = False

c.JupyterHub.spawner_class = LimitedSpawner
c.Spawner.cmd = [
    sys.executable,
    "-P",
    "-m",
    "autodiff_lab.classroom.hub.student_server",
    str(HERE / "notebooks"),
]
c.Spawner.default_url = "/lab/tree/00_start_here.ipynb"
c.Spawner.start_timeout = 120
c.Spawner.http_timeout = 120
c.Spawner.environment = {
    "OMP_NUM_THREADS": str(THREADS),
    "OPENBLAS_NUM_THREADS": str(THREADS),
    "MKL_NUM_THREADS": str(THREADS),
}
c.Spawner.args = [
    f"--MappingKernelManager.cull_idle_timeout={KERNEL_IDLE_S}",
    f"--MappingKernelManager.cull_interval={check_every(KERNEL_IDLE_S)}",
    "--MappingKernelManager.cull_connected=True",  # even if a browser was left open
    f"--TerminalManager.cull_inactive_timeout={KERNEL_IDLE_S}",
    f"--TerminalManager.cull_interval={check_every(KERNEL_IDLE_S)}",
]

c.JupyterHub.services = [
    {
        "name": "idle-culler",
        "command": [
            sys.executable,
            "-m",
            "jupyterhub_idle_culler",
            f"--timeout={SERVER_IDLE_S}",
            f"--cull-every={check_every(SERVER_IDLE_S)}",
        ],
    }
]
c.JupyterHub.load_roles = [
    {
        "name": "idle-culler",
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
        "services": ["idle-culler"],
    }
]
