"""The box on the start page in which a visitor's function runs: its form, and the files that it fetches.

Its sources are in `box/`: the page's script (`box.js`), the sandboxed frame (`frame.html`, `frame.js`), the worker in
it (`worker.js`) and the worker's Python (`session.py`). The site has the frame and the worker only as packed bytes, so
that no address opens them outside their sandbox.
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
"""The packages that the player needs besides NumPy."""

LEFT_OUT = ("notebooks", "lessons", "classroom", "cli")
"""The subpackages of autodiff_lab that no player needs, three quarters of its bytes."""

POLICY = (
    "default-src 'none'; script-src 'sha256-{script}' blob: 'wasm-unsafe-eval'; worker-src blob:; connect-src 'none'; "
    "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
)
"""The content security policy of the frame and its worker: they run what the page sent, and load nothing else."""


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
    """Return the files that the page fetches, by name: those of Pyodide, the packages and the frame."""
    found = {}
    for name in pyodide_files.CHECKSUMS:
        short = "numpy.whl" if name.startswith("numpy-") else name
        found[short] = pyodide_files.read(name, pyodide)
    worker = (HERE / "worker.js").read_text(encoding="utf-8")
    return found | {
        "packages.zip": packages(),
        "session.py": (HERE / "session.py").read_bytes(),
        "worker.js": worker.replace("PYODIDE_VERSION", pyodide_files.VERSION).encode(),
        "player.js": page.SCRIPT.encode(),
        "player.css": page.STYLE.encode(),
        "frame.html": frame().encode(),
    }


def frame() -> str:
    """Write the frame's page, whose policy allows its only script by checksum."""
    script = (HERE / "frame.js").read_text(encoding="utf-8")
    checksum = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = POLICY.format(script=checksum)
    return (HERE / "frame.html").read_text(encoding="utf-8") % {"policy": policy, "script": script}


def packages() -> bytes:
    """Pack the packages for the worker: autodiff_lab without the parts that it doesn't use, and two small ones."""
    packed = io.BytesIO()
    with (
        tempfile.TemporaryDirectory() as folder,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out,
    ):
        for wheel in pyodide_files.wheels(Path(folder), PURE):
            copy_wheel(wheel, out)
    return packed.getvalue()


def copy_wheel(wheel: Path, out: zipfile.ZipFile) -> None:
    """Copy the files of a wheel into a zip, without the subpackages that are left out."""
    with zipfile.ZipFile(wheel) as contents:
        for name in sorted(contents.namelist()):
            is_ours = name.startswith("autodiff_lab/")
            if is_ours and name.split("/")[1] in LEFT_OUT:
                continue
            info = zipfile.ZipInfo(
                name
            )  # without the file's date, so that equal contents give equal bytes
            out.writestr(info, contents.read(name), zipfile.ZIP_DEFLATED, 9)


def write_file(out: Path, name: str, contents: bytes) -> dict[str, Any]:
    """Write a file, compressed if that makes it smaller. Its name is its hash, so that caches may keep it forever."""
    packed = zlib.compress(contents, 9)
    is_smaller = len(packed) < 0.9 * len(contents)
    file = f"{hashlib.sha256(contents).hexdigest()[:12]}.bin"
    (out / file).write_bytes(packed if is_smaller else contents)
    return {"name": name, "file": file, "packed": is_smaller, "bytes": (out / file).stat().st_size}
