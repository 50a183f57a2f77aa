"""The box on the start page in which a visitor's function runs: its form, and the files that it fetches.

What it is made of lies in `box/`: the page's script (`box.js`), the sandboxed frame (`frame.html`, `frame.js`), the
worker in it (`worker.js`) and the worker's Python (`session.py`). The frame and the worker are no pages: they lie on
the site as packed bytes, so no address opens them outside their sandbox.
"""

from __future__ import annotations

import base64
import hashlib
import html
import io
import json
import sys
import tempfile
import tomllib
import zipfile
import zlib
from pathlib import Path
from typing import Any

from autodiff_lab.widgets.player import page

HERE = Path(__file__).parent / "box"
sys.path.append(str(HERE.parents[1]))

import pyodide_files  # noqa: E402

PURE = ("graphviz", "traitlets")
"""The packages that the player needs beside NumPy."""

LEFT_OUT = ("notebooks", "lessons", "classroom", "cli")
"""Of our package: three quarters of its bytes, of which a player needs none."""

POLICY = (
    "default-src 'none'; script-src 'sha256-{script}' blob: 'wasm-unsafe-eval'; worker-src blob:; connect-src 'none'; "
    "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
)
"""What the frame and its worker may load: scripts that the page gave them, and nothing from any address."""


def write(out: Path, pyodide: Path | None) -> str:
    """Write the box's files into a folder of the site, and return its form as HTML."""
    out.mkdir(parents=True)
    (out / "box.js").write_bytes((HERE / "box.js").read_bytes())
    listed = [write_file(out, name, contents) for name, contents in files(pyodide).items()]
    functions = tomllib.loads((HERE / "functions.toml").read_text(encoding="utf-8"))["function"]
    offers = "".join(
        f'<button type="button" data-offer="{k}">{html.escape(one["name"])}</button>'
        for k, one in enumerate(functions)
    )
    data = json.dumps({"offers": [one["program"].lstrip() for one in functions], "files": listed})
    size = f"{sum(file['bytes'] for file in listed) / 1e6:.0f}"
    form = (HERE / "box.html").read_text(encoding="utf-8")
    return form % {"offers": offers, "size": size, "data": data.replace("<", "\\u003c")}


def files(pyodide: Path | None) -> dict[str, bytes]:
    """Return all that the page fetches, by name: of Pyodide, of the package and of the frame."""
    found = {}
    for name in pyodide_files.CHECKSUMS:
        found["numpy.whl" if name.startswith("numpy-") else name] = pyodide_files.read(
            name, pyodide
        )
    worker = (
        (HERE / "worker.js")
        .read_text(encoding="utf-8")
        .replace("PYODIDE_VERSION", pyodide_files.VERSION)
    )
    return found | {
        "packages.zip": packages(),
        "session.py": (HERE / "session.py").read_bytes(),
        "worker.js": worker.encode(),
        "player.js": page.SCRIPT.encode(),
        "player.css": page.STYLE.encode(),
        "frame.html": frame().encode(),
    }


def frame() -> str:
    """Write the frame's page; its policy names its one script by checksum."""
    script = (HERE / "frame.js").read_text(encoding="utf-8")
    checksum = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = POLICY.format(script=checksum)
    return (HERE / "frame.html").read_text(encoding="utf-8") % {"policy": policy, "script": script}


def packages() -> bytes:
    """Pack what Python imports in the worker: our package without its notebooks and lessons, and two small ones."""
    packed = io.BytesIO()
    with (
        tempfile.TemporaryDirectory() as folder,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out,
    ):
        for wheel in pyodide_files.wheels(Path(folder), PURE):
            with zipfile.ZipFile(wheel) as contents:
                for name in sorted(contents.namelist()):
                    if not (name.startswith("autodiff_lab/") and name.split("/")[1] in LEFT_OUT):
                        out.writestr(
                            zipfile.ZipInfo(name), contents.read(name), zipfile.ZIP_DEFLATED, 9
                        )
    return packed.getvalue()


def write_file(out: Path, name: str, contents: bytes) -> dict[str, Any]:
    """Write one file, deflated where that makes it smaller, under a name by its contents: a cache may keep it."""
    packed = zlib.compress(contents, 9)
    is_smaller = len(packed) < 0.9 * len(contents)
    file = f"{hashlib.sha256(contents).hexdigest()[:12]}.bin"
    (out / file).write_bytes(packed if is_smaller else contents)
    return {"name": name, "file": file, "packed": is_smaller, "bytes": (out / file).stat().st_size}
