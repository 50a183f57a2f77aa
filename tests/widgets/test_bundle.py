"""The committed bundles: up to date with their sources, complete, and importable."""

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from autodiff_lab.widgets.bundle import BUNDLES

ROOT = Path(__file__).resolve().parents[2]
WIDGETS = ROOT / "autodiff_lab" / "widgets"
MADE = json.loads((BUNDLES / "sources.json").read_text(encoding="utf-8"))
ANEW = "make the bundles anew: python -m tests.generate bundle"
NODE = shutil.which("node")

EXPORTS = {
    "live.js": {"announce", "settle"},
    "player.js": {"default", "mount"},
    "lab.js": {"default", "listen"},
    "lab_picture.js": {"default", "findValues", "stepValue"},
}


def hash_of(path: Path) -> str:
    return hashlib.sha256(path.read_text(encoding="utf-8").encode()).hexdigest()


def test_the_bundles_are_made_of_the_present_sources():
    assert {name: hash_of(ROOT / name) for name in MADE["sources"]} == MADE["sources"], ANEW


def test_every_source_is_in_a_bundle():
    written = [
        path
        for kind in ("js", "css")
        for path in WIDGETS.rglob(f"*.{kind}")
        if BUNDLES not in path.parents
    ]
    names = {path.relative_to(ROOT).as_posix() for path in written}
    assert names == set(MADE["sources"]) - {".ci/javascript/bundle.mjs"}


def test_the_bundles_are_as_they_were_made():
    there = {path.name: hash_of(path) for path in BUNDLES.iterdir() if path.name != "sources.json"}
    assert there == MADE["bundles"], ANEW


def test_they_were_made_by_the_esbuild_that_is_pinned():
    package = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
    assert MADE["esbuild"] == package["devDependencies"]["esbuild"], ANEW


@pytest.mark.parametrize("name", sorted(name for name in MADE["bundles"] if name.endswith(".js")))
def test_a_bundle_imports_nothing(name):
    """A page takes it from a `data:` URL, anywidget from a blob: neither has a place for another file."""
    text = (BUNDLES / name).read_text(encoding="utf-8")
    assert not re.search(r"\bimport\b", text)


@pytest.mark.skipif(
    NODE is None, reason="node is not installed, so the bundles are tried in the browser only"
)
@pytest.mark.parametrize("name", EXPORTS)
def test_a_bundle_exports_what_it_is_asked_for(name, tmp_path):
    module = tmp_path / "module.mjs"
    module.write_text((BUNDLES / name).read_text(encoding="utf-8"), encoding="utf-8")
    program = (
        "globalThis.HTMLElement = class {};"
        "globalThis.customElements = { get: () => undefined, define: () => {} };"
        f"console.log(JSON.stringify(Object.keys(await import({json.dumps(module.as_uri())}))));"
    )
    command = [NODE, "--input-type=module", "--eval", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)) == EXPORTS[name]
