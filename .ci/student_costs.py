"""What does a student cost a JupyterHub? ``python .ci/student_costs.py`` (Linux) measures it for the lecturers' page.

Each notebook runs to its end in its own kernel, and JupyterLab is started as `autodiff-lab` starts it. Memory is
printed twice: resident, and proportional. The latter divides shared memory (on a hub: the libraries) among
the processes that share it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
import psutil
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("[0-9]*.ipynb"))


def memory(process: int) -> tuple[float, float]:
    """Return the resident and the proportional megabytes of a process."""
    used = psutil.Process(process).memory_full_info()
    return used.rss / 1e6, used.pss / 1e6


def kernel_costs(path: Path, folder: str) -> tuple[float, float, float]:
    """Return the CPU seconds of a kernel that has run a notebook, and its megabytes."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=600, resources={"metadata": {"path": folder}})
    with client.setup_kernel():
        for number, cell in enumerate(notebook.cells):
            client.execute_cell(cell, number)
        kernel = client.km.provisioner.pid
        times = psutil.Process(kernel).cpu_times()
        seconds = times.user + times.system + times.children_user + times.children_system
        return seconds, *memory(kernel)


def server_memory(folder: str) -> tuple[float, float]:
    """Return the megabytes of a JupyterLab that has started."""
    environment = {**os.environ, "JUPYTER_RUNTIME_DIR": folder}
    command = [
        sys.executable,
        "-m",
        "autodiff_lab",
        "--no-browser",
        "--to",
        str(Path(folder, "mine")),
    ]
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while not [*Path(folder).glob("jpserver-*.json")]:
            if process.poll() is not None:
                sys.exit("JupyterLab did not start")
            time.sleep(0.2)
        time.sleep(5)  # its extensions load
        return memory(process.pid)
    finally:
        process.terminate()
        process.wait(30)


def main() -> None:
    """Print a line for each notebook, and the sums that lecturers are given."""
    with tempfile.TemporaryDirectory() as folder:
        server = server_memory(folder)
        kernels = []
        print("server:                {:4.0f} MB resident, {:4.0f} MB proportional".format(*server))
        for path in NOTEBOOKS:
            kernels.append(kernel_costs(path, folder))
            print(
                "{}: {:5.1f} s of CPU, {:4.0f} MB, {:4.0f} MB".format(path.stem[:2], *kernels[-1]),
                flush=True,
            )
    for number, kind in enumerate(("resident", "proportional")):
        largest = sorted((kernel[number + 1] for kernel in kernels), reverse=True)
        print(
            f"{kind}: server and the three largest kernels {server[number] + sum(largest[:3]):.0f} MB"
        )


if __name__ == "__main__":
    main()
