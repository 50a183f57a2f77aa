"""Build the website in an environment of its own, and try it in Chromium as a visitor would.

    python .ci/site_works.py [--keep DIR]

Seen is, without a network: the player of the start page and one in a lesson step; the search finds “fan-out”; every
link and every anchor inside the site leads somewhere; nothing is wider than a phone's screen; light and dark.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LARGEST_SITE = 60_000_000

# Runs in the environment's Python, which has Playwright.
VISIT = r"""
import json, re, sys
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin
from playwright.sync_api import sync_playwright

address, chromium, site, shots = sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])
pages = sorted(str(path.relative_to(site)) for path in site.rglob("*.html") if "_static" not in path.parts)
refused, wrong = set(), []

def keep_here(route):
    url = route.request.url
    if url.startswith((address, "data:", "blob:")):
        return route.continue_()
    refused.add(url)
    route.abort()

def plays(page, place):
    player = page.locator(".adl-player").first
    player.wait_for()
    player.scroll_into_view_if_needed()
    player.focus()
    page.keyboard.press("End")
    page.wait_for_function("document.querySelector('.adl-player').dataset.phase === 'sweep'")
    text = player.inner_text()
    if "5.5" not in text or "1.7163" not in text:
        wrong.append(f"{place}: the player does not arrive at its gradient")

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    context.route("**/*", keep_here)
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))
    page.goto(f"{address}/index.html")
    plays(page, "the start page")
    page.screenshot(path=shots / "start.png")
    page.goto(f"{address}/00_start_here.html")
    plays(page, "a lesson")
    page.screenshot(path=shots / "lesson.png")
    page.goto(f"{address}/search.html?q=fan-out")
    page.locator("#search-results li").first.wait_for(timeout=30_000)
    if not page.locator("#search-results a[href*='adjoint_flow']").count():
        wrong.append("the search for fan-out does not find the lesson on fan-out")
    anchors, links = {}, []
    for name in pages:
        page.goto(f"{address}/{name}")
        anchors[name] = set(page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)"))
        found = page.evaluate("[...document.querySelectorAll('a[href]')].map((e) => e.href)")
        links += [(name, link) for link in found]
        if not name.startswith(("genindex", "py-modindex", "search")):
            page.set_viewport_size({"width": 390, "height": 800})
            wide = page.evaluate("document.documentElement.scrollWidth")
            if wide > 390:
                wrong.append(f"{name} is {wide} px wide on a phone")
            page.set_viewport_size({"width": 1366, "height": 768})
    for name, link in links:
        target, anchor = urldefrag(link)
        if target.startswith(address + "/"):
            file = unquote(target.removeprefix(address + "/"))
            if file.endswith(".html") and (file not in anchors or (anchor and unquote(anchor) not in anchors[file])):
                wrong.append(f"{name} links to {file}#{anchor}, which is not there")
            elif not file.endswith(".html") and not (site / file).exists():
                wrong.append(f"{name} links to {file}, which is not there")
    page.emulate_media(color_scheme="dark")
    page.goto(f"{address}/04_the_adjoint_flow.html")
    page.screenshot(path=shots / "dark.png")
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{address}/index.html")
    page.screenshot(path=shots / "phone.png")
    browser.close()
print(json.dumps({"refused": sorted(refused), "wrong": sorted(set(wrong)), "pages": len(pages), "links": len(links)}))
"""


def run(*command: str | Path) -> str:
    """Run a command and return what it says; a failure shows all of it."""
    done = subprocess.run([*map(str, command)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))[:300]}\nfailed:\n{done.stdout[-6000:]}")
    return done.stdout


def main() -> None:
    """Build the site and visit it."""
    import json

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, help="leave the site in this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        run(sys.executable, "-m", "venv", work / "venv")
        python = work / "venv/bin/python"
        run(python, "-m", "pip", "install", "-q", "-e", ROOT, "-r", ROOT / ".ci/site/requirements.txt", "playwright")
        begun = time.monotonic()
        run(python, ROOT / ".ci/site/build.py", work / "site")
        seconds = time.monotonic() - begun
        size = sum(path.stat().st_size for path in (work / "site").rglob("*") if path.is_file())
        print(f"   built in {seconds:.0f} s, {size / 1e6:.1f} MB", flush=True)
        if size > LARGEST_SITE:
            sys.exit(f"the site has {size / 1e6:.0f} MB")
        handler = functools.partial(_Quiet, directory=work / "site")
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            address = f"http://127.0.0.1:{server.server_port}"
            shots = work / "shots"
            shots.mkdir()
            said = run(python, "-c", VISIT, address, shutil.which("chromium") or "", work / "site", shots)
            server.shutdown()
        found = json.loads(said.splitlines()[-1])
        print(f"   {found['pages']} pages, {found['links']} links", flush=True)
        if found["refused"] or found["wrong"]:
            sys.exit("\n".join(["refused: " + url for url in found["refused"]] + found["wrong"]))
        if options.keep:
            shutil.copytree(work / "site", options.keep, dirs_exist_ok=True)
            shutil.copytree(shots, options.keep.with_name(options.keep.name + "-pictures"), dirs_exist_ok=True)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    main()
