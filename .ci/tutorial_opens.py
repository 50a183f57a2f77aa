"""Run a command that opens the tutorial, check that JupyterLab serves it and starts a kernel, and stop it.

    python tutorial_opens.py COMMAND

The command runs word for word; only BROWSER is set, so that no browser comes up. Where JupyterLab listens,
and with which token, is read from the file it leaves in its runtime folder. A newcomer reads what the command prints
in the terminal, so an error message there counts as a failure.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

START_TIMEOUT_S = 600  # the command also installs packages
SIGNS_OF_AN_ERROR = ("Error: ", "Traceback", "Fail to ")


def ask(server: dict, path: str, method: str = "GET", data: dict | None = None) -> dict:
    """Return JupyterLab's answer."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{server['port']}{server['base_url']}api/{path}",
        method=method,
        data=None if data is None else json.dumps(data).encode(),
        headers={"Authorization": f"token {server['token']}"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def wait_for_server(process: subprocess.Popen, runtime: Path) -> dict:
    """Return what JupyterLab wrote about itself, once it answers."""
    end = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < end:
        if process.poll() is not None:
            sys.exit(f"the command ended with exit code {process.returncode}")
        for file in runtime.glob("jpserver-*.json"):
            try:
                server = json.loads(file.read_text())
                ask(server, "status")
            except (ValueError, OSError):
                continue  # JupyterLab is still writing the file, or isn't listening yet
            return server
        time.sleep(0.5)
    sys.exit(f"JupyterLab did not answer within {START_TIMEOUT_S} s")


def stop(process: subprocess.Popen) -> int:
    """Press Ctrl-C, and once more if JupyterLab hasn't ended after a minute. Return the exit code."""
    os.killpg(process.pid, signal.SIGINT)
    try:
        return process.wait(timeout=60)
    except subprocess.TimeoutExpired:
        print("JupyterLab has not ended a minute after Ctrl-C: once more")
        os.killpg(process.pid, signal.SIGINT)
        return process.wait(timeout=60)


def check_terminal(printed: str) -> None:
    """Show what the command printed, and fail if there is an error message in it."""
    print(printed)
    signs = [sign for sign in SIGNS_OF_AN_ERROR if sign in printed]
    if signs:
        sys.exit(f"the command printed {signs} in the terminal")


def main(command: str) -> None:
    """Run the command, check JupyterLab's notebooks and a kernel, and stop it."""
    with tempfile.TemporaryDirectory() as runtime, tempfile.TemporaryFile("w+") as terminal:
        environment = {**os.environ, "BROWSER": "true", "JUPYTER_RUNTIME_DIR": runtime}
        # In a background job, Ctrl-C is ignored, also by the programs that the job starts; here it must work.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        process = subprocess.Popen(
            ["bash", "-c", command],
            env=environment,
            start_new_session=True,
            stdout=terminal,
            stderr=subprocess.STDOUT,
        )
        try:
            server = wait_for_server(process, Path(runtime))
            first = ask(server, "contents/00_start_here.ipynb")
            print(
                f"JupyterLab answers and has {first['name']}, {len(first['content']['cells'])} cells"
            )
            kernel = ask(server, "kernels", "POST", {"name": "python3"})
            print(f"a kernel started: {kernel['name']}")
            code = stop(process)
            if code != 0:
                sys.exit(f"stopped by Ctrl-C, the command ended with exit code {code}")
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            terminal.seek(0)
            printed = terminal.read()
        check_terminal(printed)


if __name__ == "__main__":
    main(sys.argv[1])
