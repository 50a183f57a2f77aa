"""Build the tutorial as a JupyterLite site, where Python itself runs in the reader's browser, and try it.

    python .ci/lite_builds.py [--keep DIR]

In an environment of its own, a site is built from the wheel and the notebooks, served on this machine, and opened in
Chromium with every other address refused. `--keep` leaves the site in a folder, ready to be published.

Seen is: the wheel and the widgets' halves in JavaScript are in the site; so are the notebooks, each with a cell that
installs the wheel; notebook 00 opens and shows its text. With npm at hand, Pyodide's own Python (WebAssembly, in Node)
compiles every file of the wheel, finds every module of the standard library that they import, and lays a graph out.

Not seen is: the notebooks do not run here. That takes NumPy for Pyodide, which comes from a public address.
"""

from __future__ import annotations

import argparse
import ast
import functools
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PACKAGES = ("jupyterlite-core", "jupyterlite-pyodide-kernel", "jupyter-server", "hatchling", "playwright")
WIDGETS = {"@jupyter-widgets/jupyterlab-manager": "ipywidgets", "anywidget": "anywidget"}
INSTALL = "%pip install -q autodiff-lab"

# Runs in the environment's Python, which has Playwright.
OPEN = """
import json, sys
from playwright.sync_api import sync_playwright
address, chromium, expected, shot = sys.argv[1:]
refused, failed = set(), []
def route(route):
    url = route.request.url
    if url.startswith(("data:", "blob:")) or url.startswith(address.split("/lab")[0]):
        route.continue_()
    else:
        refused.add(url)
        route.abort()
flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
         "--disable-background-networking", "--disable-component-update", "--disable-sync"]
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=chromium, args=flags)
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.context.route("**/*", route)
    page.goto(address)
    page.locator(".jp-Notebook .jp-RenderedMarkdown", has_text=expected).first.wait_for(timeout=120_000)
    page.locator(".jp-Notebook .jp-CodeCell", has_text="%pip install -q autodiff-lab").first.wait_for(timeout=60_000)
    page.wait_for_timeout(3000)
    page.screenshot(path=shot)
    browser.close()
print(json.dumps(sorted(refused)))
"""

# Runs in Node. The package's own `__init__` files load NumPy and are passed by: what is imported needs none.
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
for name in ("autodiff_lab", "autodiff_lab.figures", "autodiff_lab.figures.graph"):
    package = sys.modules[name] = types.ModuleType(name)
    package.__path__ = ["/wheel/" + name.replace(".", "/")]
from autodiff_lab.figures.graph.without_graphviz.layers import Box, Way, arrange
boxes = x, y, z, s = [Box(40, 20) for _ in range(4)]
arrange(boxes, [Way(x, z, 30, 12), Way(y, z, 30, 12), Way(z, s), Way(x, s)])
assert [box.rank for box in boxes] == [0, 0, 2, 4] and boxes[0].across != boxes[1].across
f"Python {sys.version.split()[0]} on {sys.platform}"
`));
"""


def say(text: str) -> None:
    print(f"   {text}", flush=True)


def run(*command: str | Path, **options: object) -> str:
    """Run a command and return what it says; a failure shows all of it."""
    done = subprocess.run([*map(str, command)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))[:300]}\nfailed:\n{done.stdout[-6000:]}")
    return done.stdout


def contents(folder: Path) -> None:
    """The notebooks, each with a cell that installs the package in the page."""
    shutil.copytree(ROOT / "notebooks", folder, ignore=shutil.ignore_patterns(".*", "*.jsonl"))
    for path in folder.glob("*.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        code = [k for k, cell in enumerate(notebook["cells"]) if cell["cell_type"] == "code"]
        if code:
            cell = {"cell_type": "code", "id": "install", "metadata": {}, "source": INSTALL}
            notebook["cells"].insert(code[0], cell | {"outputs": [], "execution_count": None})
            path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1), encoding="utf-8")


def the_site_builds(work: Path) -> tuple[Path, Path, Path]:
    """Build it; gives the Python of the environment, the wheel and the site."""
    run(sys.executable, "-m", "venv", work / "venv")
    python = work / "venv/bin/python"
    run(python, "-m", "pip", "install", "-q", *PACKAGES, *WIDGETS.values())
    run(python, "-m", "hatchling", "build", "-t", "wheel", "-d", work / "dist", cwd=ROOT)
    (wheel,) = (work / "dist").glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl"), f"{wheel.name} would not run in a browser"
    contents(work / "contents")
    site = work / "site"
    command = (python.with_name("jupyter"), "lite", "build", "--contents", work / "contents", "--output-dir", site)
    run(*command, "--piplite-wheels", wheel, cwd=work, env={**os.environ, "JUPYTER_PREFER_ENV_PATH": "1"})
    return python, wheel, site


def the_site_holds_the_tutorial(site: Path, wheel: Path) -> None:
    """What a page will look for is where it looks."""
    index = json.loads((site / "pypi/all.json").read_text())
    assert [file["filename"] for files in index["autodiff-lab"]["releases"].values() for file in files] == [wheel.name]
    assert (site / "pypi" / wheel.name).read_bytes() == wheel.read_bytes()
    listed = {item["name"] for item in json.loads((site / "api/contents/all.json").read_text())["content"]}
    assert {path.name for path in NOTEBOOKS} <= listed
    for path in NOTEBOOKS:
        cells = json.loads((site / "files" / path.name).read_text(encoding="utf-8"))["cells"]
        assert next((cell["source"] for cell in cells if cell["cell_type"] == "code"), INSTALL) == INSTALL
    extensions = json.loads((site / "jupyter-lite.json").read_text())["jupyter-config-data"]["federated_extensions"]
    assert set(WIDGETS) <= {extension["name"] for extension in extensions}
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) / 1e6
    say(f"the site has {len(NOTEBOOKS)} notebooks, {wheel.name} and the widgets; {size:.0f} MB")


def the_page_opens(python: Path, site: Path, shot: Path) -> None:
    """Notebook 00 in Chromium, with nothing but this machine to ask."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    assert chromium, "there is no Chromium on the PATH"
    handler = functools.partial(QuietHandler, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/lab/index.html?path={NOTEBOOKS[0].name}"
        title = json.loads(NOTEBOOKS[0].read_text(encoding="utf-8"))["cells"][0]["source"]
        first = "".join(title).splitlines()[0].strip("# ")
        refused = json.loads(run(python, "-c", OPEN, address, chromium, first, shot).splitlines()[-1])
        server.shutdown()
    say(f"Chromium shows “{first}” and the cell that installs the package")
    hosts = sorted({urlsplit(url).hostname or url for url in refused})
    say(f"to run, the page would ask: {', '.join(hosts) or 'nobody'} (refused here)")


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files without a line for each."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def pyodide_takes_the_wheel(work: Path, wheel: Path) -> None:
    """As much as Pyodide's core can do without NumPy."""
    if not (shutil.which("npm") and shutil.which("node")):
        say("there is no npm: Pyodide's Python was not tried")
        return
    run("npm", "install", "--no-audit", "--no-fund", "--prefix", work / "npm", "pyodide", cwd=work)
    program = work / "in_pyodide.mjs"
    program.write_text(IN_PYODIDE)
    module = work / "npm/node_modules/pyodide/pyodide.mjs"
    said = run("node", program, module, wheel, json.dumps(sorted(standard_modules(wheel))))
    say(f"{said.strip().splitlines()[-1]}: every file compiles, what is imported exists, and a graph is laid out")


def standard_modules(wheel: Path) -> set[str]:
    """The modules of the standard library that the package imports when it is loaded."""
    names = set()
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(".py"):
                for node in ast.parse(archive.read(name)).body:
                    if isinstance(node, ast.Import):
                        names |= {alias.name.partition(".")[0] for alias in node.names}
                    elif isinstance(node, ast.ImportFrom) and not node.level:
                        names.add((node.module or "").partition(".")[0])
    return names & sys.stdlib_module_names


def main() -> None:
    options = argparse.ArgumentParser(description="Build the tutorial as a JupyterLite site, and try it.")
    options.add_argument("--keep", type=Path, metavar="DIR", help="leave the site in this folder")
    keep = options.parse_args().keep
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        python, wheel, site = the_site_builds(work)
        the_site_holds_the_tutorial(site, wheel)
        the_page_opens(python, site, work / "page.png")
        pyodide_takes_the_wheel(work, wheel)
        if keep:
            shutil.copytree(site, keep)
            shutil.copy(work / "page.png", keep.with_suffix(".png"))
            say(f"the site is in {keep}")


if __name__ == "__main__":
    main()
