"""A real JupyterLab, started by the tests, that shares nothing with the machine it runs on.

It has its own home, settings, kernels and token, listens on the loopback only, and its one kernel is the
Python that runs the tests: a kernel installed elsewhere on the machine cannot take its place.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import nbformat

REPOSITORY = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted(path.name for path in (REPOSITORY / "notebooks").glob("[0-9][0-9]_*.ipynb"))
PAGES = sorted({path.name for path in (REPOSITORY / "notebooks").glob("*.ipynb")} - set(NOTEBOOKS))

# Cells outside the window are not in the page at all unless windowing is off; the rest keeps Lab from talking to
# the world and from offering to complete what the test types.
SETTINGS = {
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    "@jupyterlab/completer-extension:manager": {"autoCompletion": False},
    "@jupyterlab/apputils-extension:themes": {"theme": "JupyterLab Light"},
}


class LabServer:
    """One JupyterLab server, with `notebooks/` as they are committed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "root"
        self.token = secrets.token_hex(16)
        self.log = folder / "jupyterlab.log"
        self.settings: dict[str, Any] = {}  # what a page that is loaded now has of them
        self._copy_notebooks()
        self._private_kernel()
        self._no_build_check()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def _copy_notebooks(self) -> None:
        learner = self.root / "notebooks"
        source = REPOSITORY / "notebooks"
        if source.is_dir():
            shutil.copytree(
                source, learner, ignore=shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__")
            )
        learner.mkdir(parents=True, exist_ok=True)

    def _private_kernel(self) -> None:
        kernel = self.folder / "jupyter" / "kernels" / "python3"
        kernel.mkdir(parents=True)
        argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        spec = {"argv": argv, "display_name": "Python 3 (tests)", "language": "python"}
        (kernel / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")

    def _no_build_check(self) -> None:
        """Keep JupyterLab from starting Node for every page, to see whether an extension waits to be built in."""
        folder = self.folder / "config" / "labconfig"
        folder.mkdir(parents=True)
        page = {"buildAvailable": False, "buildCheck": False}
        (folder / "page_config.json").write_text(json.dumps(page), encoding="utf-8")

    def start(self) -> None:
        private = {
            "HOME": "home",
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_DATA_DIR": "data",
            "JUPYTER_RUNTIME_DIR": "runtime",
            "JUPYTERLAB_SETTINGS_DIR": "settings",
            "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
            "IPYTHONDIR": "ipython",
            "JUPYTER_PATH": "jupyter",
        }
        environment = {
            key: value for key, value in os.environ.items() if not key.startswith("JUPYTER")
        }
        for variable, name in private.items():
            (self.folder / name).mkdir(exist_ok=True)
            environment[variable] = str(self.folder / name)
        environment["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
        command = [
            *(
                sys.executable,
                "-m",
                "jupyterlab",
                "--no-browser",
                "--ip=127.0.0.1",
                f"--port={self.port}",
            ),
            *("--ServerApp.port_retries=0", f"--IdentityProvider.token={self.token}"),
            *(f"--ServerApp.root_dir={self.root}", "--ServerApp.allow_root=True"),
            "--KernelSpecManager.allowed_kernelspecs=python3",
            # for a page that opens one notebook after the other
            "--LabApp.expose_app_in_browser=True",
            # These files have their version in their name; the browser need not ask whether they have changed.
            *(
                "--ServerApp.static_immutable_cache=/static/",
                "--ServerApp.static_immutable_cache=/lab/extensions/",
            ),
        ]
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                command,
                cwd=self.root,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._wait_until_ready()
        kernel = self.api("GET", "/api/kernelspecs")["kernelspecs"]["python3"]["spec"]["argv"][0]
        assert kernel == sys.executable, f"another Python's kernel shadows this one: {kernel}"
        for plugin, settings in SETTINGS.items():
            self.set(plugin, settings)

    def _wait_until_ready(self, seconds: float = 120) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                self.api("GET", "/api/status")
                return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        self.stop()
        raise RuntimeError(
            f"JupyterLab did not start:\n{self.log.read_text(errors='replace')[-4000:]}"
        )

    def stop(self) -> None:
        """End the server and its kernels: they are a process group without other members."""
        for sign, patience in ((signal.SIGTERM, 10), (signal.SIGKILL, 10)):
            try:
                os.killpg(self._process.pid, sign)
                self._process.wait(patience)
                return
            except ProcessLookupError:
                return
            except subprocess.TimeoutExpired:
                continue

    def api(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"token {self.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            content = answer.read()
        return json.loads(content) if content else None

    def set(self, plugin: str, settings: dict[str, Any]) -> None:
        self.api("PUT", f"/lab/api/settings/{plugin}", {"raw": json.dumps(settings)})
        self.settings[plugin] = settings

    def theme(self, name: str) -> None:
        self.set("@jupyterlab/apputils-extension:themes", {"theme": name})

    def write(self, name: str, *sources: str) -> str:
        """Write a notebook of code cells and return its path under the server's root."""
        cells = [nbformat.v4.new_code_cell(source) for source in sources]
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
        nbformat.write(notebook, self.root / name)
        return name

    def kernels(self) -> list[str]:
        return [kernel["id"] for kernel in self.api("GET", "/api/kernels")]

    def kernel_of(self, path: str) -> dict[str, Any] | None:
        """Return the server's record of a notebook's kernel: its state, and the number of pages connected to it."""
        sessions = self.api("GET", "/api/sessions")
        return next((session["kernel"] for session in sessions if session["path"] == path), None)

    def sessions(self) -> set[str]:
        return {session["id"] for session in self.api("GET", "/api/sessions")}

    def end_sessions(self, but: Iterable[str] = ()) -> None:
        for session in self.sessions().difference(but):
            self.api("DELETE", f"/api/sessions/{session}")
