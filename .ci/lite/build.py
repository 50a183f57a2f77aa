"""Build the tutorial as a JupyterLite site, where Python itself runs in the reader's browser.

    python .ci/lite/build.py OUT [--pyodide FOLDER]        needs: pip install -r .ci/lite/requirements.txt

The site contains the wheels of the package and of what it needs, and each kernel installs them when it starts: a
reader only has to open a notebook. Python itself (Pyodide) comes from its public address or, in a test, from a folder.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))

from pyodide_files import ADDRESS, put_beside, run, wheels  # noqa: E402

OF_PYODIDE = ("numpy", "matplotlib")
IN_THE_SITE = (
    "anywidget",
    "comm",
    "graphviz",
    "ipywidgets",
    "latex2mathml",
    "psygnal",
    "typing_extensions",
)
# Not `repl`, which runs a program from its address without asking, with access to the reader's notebooks.
APPS = ("lab", "notebooks", "tree")
KERNEL = "@jupyterlite/pyodide-kernel-extension"


def settings(files: list[Path]) -> dict[str, object]:
    """Return the site's settings: the address of Pyodide, and the packages with which a kernel starts."""
    # The paths are relative to the kernel's folder, `extensions/@jupyterlite/pyodide-kernel-extension/static/`.
    packages = [*OF_PYODIDE, *(f"../../../../pypi/{file.name}" for file in files)]
    kernel = {"pyodideUrl": f"{ADDRESS}/pyodide.js", "loadPyodideOptions": {"packages": packages}}
    # Progress is saved in a .jsonl file. JupyterLite would reject it as JSON, and the write would never end.
    text = {
        "name": "jsonl",
        "extensions": [".jsonl"],
        "mimeTypes": ["text/plain"],
        "fileFormat": "text",
    }
    config = {
        "appName": "autodiff_lab",
        "exposeAppInBrowser": True,
        "litePluginSettings": {f"{KERNEL}:kernel": kernel},
        "fileTypes": {"jsonl": text},
    }
    return {"jupyter-lite-schema-version": 0, "jupyter-config-data": config}


def build(out: Path, pyodide: Path | None) -> None:
    """Build the site into a folder."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        lite = work / "lite"
        lite.mkdir()
        files = wheels(work / "wheels", IN_THE_SITE)
        (lite / "jupyter-lite.json").write_text(json.dumps(settings(files)))
        ignored = shutil.ignore_patterns(".*", "*.jsonl", "lectures")
        shutil.copytree(ROOT / "notebooks", work / "contents", ignore=ignored)
        options = ["--contents", work / "contents", "--output-dir", work / "site"]
        options += ["--no-sourcemaps"]
        options += [f"--apps={name}" for name in APPS]
        options += [f"--piplite-wheels={file}" for file in files]
        command = Path(sys.executable).with_name("jupyter-lite")
        environment = {**os.environ, "JUPYTER_PREFER_ENV_PATH": "1"}
        run(command, "build", *options, cwd=lite, env=environment)
        add_scripts(work / "site")
        if pyodide:
            put_beside(work / "site", pyodide)
        shutil.copytree(work / "site", out, dirs_exist_ok=True)


def add_scripts(site: Path) -> None:
    """Add our scripts to each page: `address.js` before all others, `starting.js` at the end of the head."""
    for name in ("address.js", "starting.js"):
        shutil.copy(HERE / name, site)
    for page in site.rglob("index.html"):
        up = "../" * (len(page.relative_to(site).parts) - 1)
        first = f'<script src="{up}address.js"></script>'
        last = f'<script src="{up}starting.js"></script>'
        before, opened, rest = page.read_text(encoding="utf-8").partition("<head>")
        if not opened:
            sys.exit(f"{page.relative_to(site)} has no <head>, so address.js can't run first in it")
        rest = rest.replace("</head>", f"{last}</head>")
        page.write_text(before + opened + first + rest, encoding="utf-8")


def main() -> None:
    """Read the command line, and build."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--pyodide", type=Path, metavar="FOLDER", help="serve this Pyodide, not the public one"
    )
    options = parser.parse_args()
    build(options.out.resolve(), options.pyodide and options.pyodide.resolve())


if __name__ == "__main__":
    main()
