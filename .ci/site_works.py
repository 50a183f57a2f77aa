"""Build the website in its own environment, and try it in Chromium as a visitor would.

    python .ci/site_works.py [--keep DIR]

The browser reaches no other machine. It checks that

- the start page's player is visible without scrolling, and plays, on a laptop and on a phone; one in a lesson steps;
- the start page's box plays six functions, and lets nothing out of its frame (`.ci/site/visit_box.py`);
- on both, a walk from the start page to the reference, a lesson and the search finds nothing too wide or too small;
- the search finds “fan-out”, and no script in an address runs;
- every link and every anchor inside the site leads somewhere;
- nothing is wider than a phone's screen; players, pictures and labs are readable in light and dark.

JupyterLite is built and tested separately (`.ci/lite_works.py`): of links into `lite/`, only the form is checked.
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
LARGEST_SITE = 60_000_000  # bytes
LONGEST_BUILD_S = 120  # of CPU time, which doesn't depend on what else the machine does


def say(text: str) -> None:
    print(f"   {text}", flush=True)


def run(*command: str | Path) -> str:
    """Run a command and return its output; if it fails, print the output and exit."""
    done = subprocess.run(
        [*map(str, command)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))[:300]}\nfailed:\n{done.stdout[-6000:]}")
    return done.stdout


def the_site_builds(work: Path) -> Path:
    """Build the site into `work/site`, and return the Python of its environment."""
    run(sys.executable, "-m", "venv", work / "venv")
    python = work / "venv/bin/python"
    needed = ["-e", ROOT, "-r", ROOT / ".ci/site/requirements.txt", "playwright"]
    run(python, "-m", "pip", "install", "-q", *needed)
    pyodide = pyodide_files.from_pypi(work)
    begun = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run(python, ROOT / ".ci/site/build.py", work / "site", "--pyodide", pyodide)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begun
    size = sum(path.stat().st_size for path in (work / "site").rglob("*") if path.is_file())
    say(f"built in {seconds:.0f} s, {size / 1e6:.1f} MB")
    if size > LARGEST_SITE or seconds > LONGEST_BUILD_S:
        sys.exit(f"the limits are {LONGEST_BUILD_S} s and {LARGEST_SITE / 1e6:.0f} MB")
    return python


def a_visitor_finds_nothing_wrong(python: Path, site: Path, shots: Path) -> None:
    """Serve the site, and run `visit.py` and `visit_box.py` on it; exit with what they find wrong."""
    names = ("chromium", "chromium-browser", "google-chrome")
    chromium = next(filter(None, map(shutil.which, names)), None)
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
        times = ", ".join(f"{name} {seconds} s" for name, seconds in box["seconds"].items())
        say(f"the box plays: {times}")
        server.shutdown()
    wrong = found["wrong"] + box["wrong"]
    if wrong:
        sys.exit("\n".join(wrong))


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """A file server that prints nothing."""

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def main() -> None:
    options = argparse.ArgumentParser(description="Build the website, and try it.")
    options.add_argument(
        "--keep",
        type=Path,
        metavar="DIR",
        help="leave the site in this folder, and screenshots next to it",
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
