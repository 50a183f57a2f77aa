"""Make the picture of the player that the README shows, from the player itself: ``python .ci/pictures.py``."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

from autodiff_lab import play

PICTURE = Path(__file__).parents[1] / "notebooks" / "pictures" / "player.png"
HALF_WAY_BACK = 10  # the sine has just spoken to x2


def f(x1, x2):
    a = np.log(x1)
    b = x1 * x2
    s = a + b
    c = np.sin(x2)
    return s - c


def main() -> None:
    """Step the exported page in Chromium, and take its picture."""
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    if browser_path is None:
        raise SystemExit("The picture is taken with Chromium, and there is none on the PATH.")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as p:
        page_file = Path(folder) / "player.html"
        play(f, 2.0, 5.0).save_html(page_file)
        browser = p.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 720}, device_scale_factor=1.5)
        page.goto(page_file.as_uri())
        player = page.locator(".adl-player").first
        player.focus()
        for _ in range(HALF_WAY_BACK):
            page.keyboard.press("ArrowRight")
        page.wait_for_timeout(1500)  # until the pulse has travelled
        PICTURE.parent.mkdir(exist_ok=True)
        player.screenshot(path=str(PICTURE))
        browser.close()
    print(f"{PICTURE}: {PICTURE.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
