"""Build the website in an environment of its own, and try it in Chromium as a visitor would.

    python .ci/site_works.py [--keep DIR]

Seen is, without a network: the box of the start page plays six functions, and lets nothing out of its frame
(`.ci/site/visit_box.py`); the player of the start page is in the first screen, and plays, on a laptop and on a phone;
one in a lesson steps; on both a walk from the start page to the reference, a lesson, back and the search finds nothing
too wide or too small; the search finds “fan-out”; no script in an address runs; every link and every anchor inside the
site leads somewhere; nothing is wider than a phone's screen; players, pictures and labs can be read in the light and in
the dark.

Not seen is JupyterLite, which is built by itself: of the links into `lite/` only the form is looked at.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pyodide_files

ROOT = Path(__file__).resolve().parents[1]
LARGEST_SITE = 60_000_000
LONGEST_BUILD = 120  # seconds of a processor, so that a busy machine does not count


def say(text: str) -> None:
    print(f"   {text}", flush=True)


def run(*command: str | Path) -> str:
    """Run a command and return what it says; a failure shows all of it."""
    done = subprocess.run(
        [*map(str, command)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))[:300]}\nfailed:\n{done.stdout[-6000:]}")
    return done.stdout


def the_site_builds(work: Path) -> Path:
    """Build it into `work/site`; gives the Python of the environment."""
    run(sys.executable, "-m", "venv", work / "venv")
    python = work / "venv/bin/python"
    run(
        python,
        "-m",
        "pip",
        "install",
        "-q",
        "-e",
        ROOT,
        "-r",
        ROOT / ".ci/site/requirements.txt",
        "playwright",
    )
    pyodide = pyodide_files.from_pypi(work)
    begun = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run(python, ROOT / ".ci/site/build.py", work / "site", "--pyodide", pyodide)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begun
    size = sum(path.stat().st_size for path in (work / "site").rglob("*") if path.is_file())
    say(f"built in {seconds:.0f} s, {size / 1e6:.1f} MB")
    if size > LARGEST_SITE or seconds > LONGEST_BUILD:
        sys.exit(f"at most {LONGEST_BUILD} s and {LARGEST_SITE / 1e6:.0f} MB are wanted")
    return python


def a_visitor_finds_nothing_wrong(python: Path, site: Path, shots: Path) -> None:
    """`visit.py` and `visit_box.py`, with nothing but this machine to ask."""
    chromium = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    assert chromium, "there is no Chromium on the PATH"
    shots.mkdir()
    handler = functools.partial(QuietHandler, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        found = json.loads(
            run(python, ROOT / ".ci/site/visit.py", address, chromium, site, shots).splitlines()[-1]
        )
        say(f"{found['pages']} pages, {found['links']} links")
        box = json.loads(
            run(python, ROOT / ".ci/site/visit_box.py", address, chromium, shots).splitlines()[-1]
        )
        say(
            "the box plays: "
            + ", ".join(f"{name} {seconds} s" for name, seconds in box["seconds"].items())
        )
        server.shutdown()
    if wrong := found["wrong"] + box["wrong"]:
        sys.exit("\n".join(wrong))


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files without a line for each."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def main() -> None:
    options = argparse.ArgumentParser(description="Build the website, and try it.")
    options.add_argument(
        "--keep",
        type=Path,
        metavar="DIR",
        help="leave the site in this folder, its pictures beside it",
    )
    keep = options.parse_args().keep
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        python = the_site_builds(work)
        try:
            a_visitor_finds_nothing_wrong(python, work / "site", work / "shots")
        finally:
            if keep:
                shutil.copytree(work / "site", keep, dirs_exist_ok=True)
                shutil.copytree(
                    work / "shots", keep.with_name(f"{keep.name}-pictures"), dirs_exist_ok=True
                )


if __name__ == "__main__":
    main()
