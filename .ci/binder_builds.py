"""Does Binder's image build, and does the tutorial run in it? Without Docker, and without Binder.

    python .ci/binder_builds.py

First repo2docker, which Binder uses, renders the Dockerfile for this tree. Then our steps of that Dockerfile (the
requirements, `postBuild`) run in a fresh virtual environment that already has JupyterLab and ipywidgets, like
Binder's image. Every notebook runs there, and the memory of JupyterLab with the largest kernel is measured.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The other notebooks have no code to run.
NOTEBOOKS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
MOST_MEMORY = 600  # megabytes, of the gigabyte that Binder promises

RENDER = """
import os, sys
from repo2docker.app import Repo2Docker
os.chdir(sys.argv[1])
app = Repo2Docker()
pack = next(pack for pack in (kind(base_image=app.base_image) for kind in app.buildpacks) if pack.detect())
pack.platform = "linux/amd64"
print(type(pack).__name__, pack.python_version)
print(pack.render(build_args={"NB_UID": "1000", "NB_USER": "jovyan"}))
"""

# What a learner waits for after the click: a kernel, and the first player in it.
FIRST_PLAYER = """
import time
start = time.perf_counter()
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel(kernel_name="python3")
code = '''
import numpy as np
from autodiff_lab import play
def f(x1, x2):
    return np.log(x1) + x1 * x2 - np.sin(x2)
_ = play(f, 2.0, 5.0)._repr_mimebundle_()
'''
reply = client.execute_interactive(code, output_hook=lambda _: None)
seconds = time.perf_counter() - start
client.stop_channels()
manager.shutdown_kernel(now=True)
assert reply["content"]["status"] == "ok", reply
print(f"{seconds:.2f}")
"""

RUN = """
import sys, nbformat
from nbclient import NotebookClient
path = sys.argv[1]
notebook = nbformat.read(path, as_version=4)
client = NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": "notebooks"}})
most = 0
with client.setup_kernel():
    import psutil
    kernel = psutil.Process(client.km.provisioner.pid)
    for number, cell in enumerate(notebook.cells):
        client.execute_cell(cell, number)
        most = max(most, kernel.memory_info().rss)
print(most / 1e6)
"""


def say(text: str) -> None:
    print(f"   {text}", flush=True)


def run(*command: str | Path, **options: object) -> str:
    """Run a command and return its output; if it fails, print the output and exit."""
    done = subprocess.run(
        [*map(str, command)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))[:300]}\nfailed:\n{done.stdout[-6000:]}")
    return done.stdout


def environment(folder: Path, python: str = sys.executable) -> Path:
    """Make a virtual environment and return its Python."""
    run(python, "-m", "venv", folder)
    return folder / "bin" / "python"


def the_image_renders(work: Path, tree: Path) -> None:
    """Check that Binder uses the build pack, the Python and the steps that `binder/` specifies."""
    python = environment(work / "repo2docker")
    run(python, "-m", "pip", "install", "-q", "jupyter-repo2docker")
    first, dockerfile = run(python, "-c", RENDER, tree).split("\n", 1)
    asked = (ROOT / "binder/runtime.txt").read_text().strip().removeprefix("python-")
    assert first == f"PythonBuildPack {asked}", first
    for step in ('-r "binder/requirements.txt"', "./binder/postBuild"):
        assert step in dockerfile, f"the Dockerfile has no {step}"
    installs = dockerfile.index('-r "binder/requirements.txt"')
    copies = dockerfile.index("COPY --chown=1000:1000 src/ ")
    assert installs < copies, "a change to a notebook would reinstall all requirements"
    say(f"the Dockerfile renders: {first}, requirements before the copy, postBuild")


def the_image_is_built(work: Path, tree: Path) -> Path:
    """Run our steps of the Dockerfile in an environment like Binder's; return its Python."""
    version = (ROOT / "binder/runtime.txt").read_text().strip().removeprefix("python-")
    found = shutil.which(f"python{version}")
    works = found and subprocess.run([found, "-c", ""], capture_output=True).returncode == 0
    python = environment(work / "binder", found if works else sys.executable)
    say(
        run(python, "--version").strip()
        + ("" if works else f" (Binder's would be {version}, which is not here)")
    )
    pip = (python, "-m", "pip")
    run(*pip, "install", "-q", "jupyterlab", "ipywidgets", "ipykernel")
    before = run(*pip, "list", "--format=freeze")
    said = run(*pip, "install", "--no-cache-dir", "-r", "binder/requirements.txt", cwd=tree)
    assert "Uninstalling" not in said, "the requirements replace packages of Binder's image"
    say(run(tree / "binder/postBuild", cwd=tree, env=inside(python)).strip().splitlines()[-1])
    after = run(*pip, "list", "--format=freeze")
    say(
        f"{len(after.splitlines()) - len(before.splitlines())} packages more than in Binder's own image"
    )
    return python


def inside(python: Path) -> dict[str, str]:
    """Return the variables of a shell in which the environment is active."""
    return {**os.environ, "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"}


def the_tutorial_runs(python: Path, tree: Path) -> None:
    """Run all notebooks, weigh the largest kernel together with JupyterLab, and time the first player."""

    def weigh(path: Path) -> float:
        """Run a notebook, and return the megabytes that its kernel takes."""
        said = run(python, "-c", RUN, tree / "notebooks" / path.name, cwd=tree, env=inside(python))
        return float(said.split()[-1])  # a kernel may have printed something before

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        names = [path.name for path in NOTEBOOKS]
        weights = dict(zip(names, pool.map(weigh, NOTEBOOKS), strict=True))
    heaviest = max(weights, key=weights.__getitem__)
    say(
        f"all {len(weights)} notebooks run; the heaviest kernel is that of {heaviest}: {weights[heaviest]:.0f} MB"
    )
    with server(python, tree) as memory:
        total = weights[heaviest] + memory()
    say(f"JupyterLab and that kernel: {total:.0f} MB of at most {MOST_MEMORY}")
    assert total < MOST_MEMORY
    seconds = [
        float(run(python, "-c", FIRST_PLAYER, cwd=tree, env=inside(python)).split()[-1])
        for _ in range(3)
    ]
    say(f"from the start of a kernel to the first player: {min(seconds):.1f} s, the best of three")


class server:
    """JupyterLab as Binder runs it; the context manager returns a function that measures its megabytes."""

    def __init__(self, python: Path, tree: Path) -> None:
        self.runtime = Path(tempfile.mkdtemp())
        command = [
            python,
            "-m",
            "jupyterlab",
            "--no-browser",
            "--allow-root",
            "--ServerApp.ip=127.0.0.1",
        ]
        self.process = subprocess.Popen(
            [*map(str, command), "--ServerApp.port=0"],
            cwd=tree,
            env={**inside(python), "JUPYTER_RUNTIME_DIR": str(self.runtime)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def __enter__(self):
        end = time.monotonic() + 60
        while time.monotonic() < end and not any(self._said()):
            time.sleep(0.3)
        assert any(self._said()), "JupyterLab does not start"
        time.sleep(2)
        return self._memory

    def _said(self) -> Iterator[object]:
        for file in self.runtime.glob("jpserver-*.json"):
            try:
                yield json.loads(file.read_text())
            except ValueError:
                continue  # JupyterLab is still writing it

    def _memory(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return (
            int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])
            / 1000
        )

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(20)
        shutil.rmtree(self.runtime, ignore_errors=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        tree = work / "tree"
        ignore = shutil.ignore_patterns(
            ".git", ".venv", "*cache*", "screenshots", ".ipynb_checkpoints"
        )
        shutil.copytree(ROOT, tree, ignore=ignore)
        the_image_renders(work, tree)
        the_tutorial_runs(the_image_is_built(work, tree), tree)


if __name__ == "__main__":
    main()
