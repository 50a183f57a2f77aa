"""Pack the website and the browser lab into one zip that needs no network, and use it as a reader would.

    python .ci/offline_bundle.py SITE LITE OUT        needs: pip install playwright, and Chromium

Build SITE with `.ci/site/build.py` and LITE with `.ci/lite/build.py` and a Pyodide first. The zip, in the folder
OUT, is a file of the release, and later becomes the pages of that version on the website
(`.ci/site/keep_versions.py`). To test it, it is unpacked into an empty folder, served by `python -m http.server`,
and opened in Chromium, which can reach no other machine. The player of the start page must play, and the lab must
start Python and run a line.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path += [str(ROOT), str(ROOT / ".ci/lite")]

from tests.addresses import offline_name, version_in  # noqa: E402

VERSION = version_in((ROOT / "autodiff_lab/__init__.py").read_text(encoding="utf-8"))
ON_THE_WEBSITE = "; Open live loads Python from cdn.jsdelivr.net"
PACKED_ALREADY = {".bin", ".gif", ".png", ".whl", ".woff2", ".zip"}
READ_ME = f"""autodiff_lab {VERSION}: the lessons, the reference and the browser lab, without a network.

Start a server in this folder:

    python3 -m http.server 8000          (on Windows: py -m http.server 8000)

and open http://localhost:8000 in a browser. A double click on index.html is not enough: browsers don't start
Python from a file. What you write in the lab is stored in your browser.
"""


def pack(site: Path, lite: Path, zipped: Path) -> None:
    """Write the zip: one folder with the website, and the lab in its subfolder ``lite``."""
    folder = zipped.name.removesuffix("-offline.zip")
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr(f"{folder}/READ_ME.txt", READ_ME)
        for source, place in ((site, folder), (lite, f"{folder}/lite")):
            for path in sorted(source.rglob("*")):
                if path.is_file():
                    add_file(out, path, f"{place}/{path.relative_to(source).as_posix()}")


def add_file(out: zipfile.ZipFile, path: Path, name: str) -> None:
    """Add a file to the zip, without the remark on pages that the lab loads Python from the network."""
    if path.suffix == ".html":
        page = path.read_text(encoding="utf-8").replace(ON_THE_WEBSITE, "")
        out.writestr(name, page)
        return
    is_packed = path.suffix in PACKED_ALREADY
    out.write(path, name, zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder as the bundle's READ_ME says, on a free port; yield the address."""
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(command, cwd=folder, **options) as server:
        try:
            port = re.search(r"port (\d+)", server.stdout.readline())[1]
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


async def use(address: str, chromium: str, pictures: Path) -> list[str]:
    """Play on the start page, follow its link to the lab, and run a line there; return what went wrong."""
    from playwright.async_api import async_playwright
    from visit import FIRST, RUN_CODE, STARTED, Visit, until

    flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    flags += ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=flags)
        visit = Visit(address, browser, pictures)
        context = await visit.context()
        page = await context.new_page()
        await page.goto(f"{address}/index.html")
        player = page.locator(".adl-player")
        before = await player.inner_text()
        await page.locator(".adl-player .adl-begin").click()
        await until(page, "document.querySelector('.adl-player').dataset.phase === 'sweep'")
        visit.expect(await player.inner_text() != before, "the player does not move")
        await page.screenshot(path=pictures / "offline-player.png")
        await page.get_by_role("link", name="Open it as a notebook").click()
        visit.expect(FIRST in page.url, f"the start page leads to {page.url}")
        await until(page, STARTED)
        line = "import autodiff_lab as ad; print(ad.__version__, ad.grad(lambda x: x * x)(3.0))"
        said = await page.evaluate(RUN_CODE, line)
        visit.expect(said.split() == [VERSION, "6.0"], f"the lab says {said!r}")
        await page.screenshot(path=pictures / "offline-lab.png")
        await browser.close()
    return visit.wrong + [f"refused: {url}" for url in sorted(visit.refused)]


def main() -> None:
    """Pack the bundle, unpack it elsewhere, and test it."""
    site, lite, out = map(Path, sys.argv[1:])
    chromium = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    assert chromium, "there is no Chromium on the PATH"
    out.mkdir(parents=True, exist_ok=True)
    zipped = out / offline_name(VERSION)
    begun = time.monotonic()
    pack(site, lite, zipped)
    packed = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(zipped) as archive:
            archive.extractall(folder)
        (unpacked,) = Path(folder).iterdir()
        with served(unpacked) as address:
            wrong = asyncio.run(use(address, chromium, out))
    if wrong:
        sys.exit("\n".join(wrong))
    print(
        f"{zipped.name}, {zipped.stat().st_size / 1e6:.0f} MB, packed in {packed - begun:.0f} s: "
        f"without a network its player plays, and its lab runs, in {time.monotonic() - packed:.0f} s"
    )


if __name__ == "__main__":
    main()
