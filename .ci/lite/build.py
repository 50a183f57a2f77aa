"""Build the tutorial as a JupyterLite site, where Python itself runs in the reader's browser.

    python .ci/lite/build.py OUT [--pyodide FOLDER]        needs: pip install -r .ci/lite/requirements.txt

The wheel of the package and those that it needs go into the site, and each kernel starts with them: a reader opens a
notebook, and runs it. Python itself (Pyodide) comes from its public address or, for a test, from a folder.
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
# Not `repl`: its address holds a program, and it runs that unasked, where the reader's notebooks are.
APPS = ("lab", "notebooks", "tree")
KERNEL = "@jupyterlite/pyodide-kernel-extension"


def settings(files: list[Path]) -> dict[str, object]:
    """What a page of the site reads first: where Pyodide is, and with which packages a kernel starts."""
    # The kernel loads them from its own place, `extensions/@jupyterlite/pyodide-kernel-extension/static/`.
    packages = [*OF_PYODIDE, *(f"../../../../pypi/{file.name}" for file in files)]
    kernel = {"pyodideUrl": f"{ADDRESS}/pyodide.js", "loadPyodideOptions": {"packages": packages}}
    config = {
        "appName": "autodiff_lab",
        "exposeAppInBrowser": True,
        "litePluginSettings": {f"{KERNEL}:kernel": kernel},
    }
    # Progress is kept in such a file. Taken for JSON, it would be refused, and whoever writes it waits for ever.
    text = {
        "name": "jsonl",
        "extensions": [".jsonl"],
        "mimeTypes": ["text/plain"],
        "fileFormat": "text",
    }
    config["fileTypes"] = {"jsonl": text}
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
        options = [
            "--contents",
            work / "contents",
            "--output-dir",
            work / "site",
            "--no-sourcemaps",
        ]
        options += [f"--apps={name}" for name in APPS] + [
            f"--piplite-wheels={file}" for file in files
        ]
        command = Path(sys.executable).with_name("jupyter-lite")
        run(
            command, "build", *options, cwd=lite, env={**os.environ, "JUPYTER_PREFER_ENV_PATH": "1"}
        )
        add_scripts(work / "site")
        if pyodide:
            put_beside(work / "site", pyodide)
        shutil.copytree(work / "site", out, dirs_exist_ok=True)


def add_scripts(site: Path) -> None:
    """Put our scripts into each page: the one that reads the address runs before any other."""
    for name in ("address.js", "starting.js"):
        shutil.copy(HERE / name, site)
    for page in site.rglob("index.html"):
        up = "../" * (len(page.relative_to(site).parts) - 1)
        first, last = (
            f'<script src="{up}{name}"></script>' for name in ("address.js", "starting.js")
        )
        head, opened, rest = page.read_text(encoding="utf-8").partition("<head>")
        if not opened:
            sys.exit(
                f"{page.relative_to(site)} has no head, and its address would not be read first"
            )
        page.write_text(
            head + opened + first + rest.replace("</head>", f"{last}</head>"), encoding="utf-8"
        )


def main() -> None:
    """Read the command line."""
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
