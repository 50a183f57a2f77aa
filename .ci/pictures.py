"""Make the pictures that the README shows from the package itself: ``python .ci/pictures.py``.

The moving ones are films of the reverse sweep, one for light pages and one for dark; the still one is the player,
photographed in Chromium half way back, which is also what a reader sees who has asked for less motion.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

from autodiff_lab import Trace, play

PICTURES = Path(__file__).parents[1] / "notebooks" / "pictures"
HALF_WAY_BACK = 10  # the sine has just spoken to x2


def f(x1, x2):
    a = np.log(x1)
    b = x1 * x2
    s = a + b
    c = np.sin(x2)
    return s - c


def films() -> list[Path]:
    """Film the reverse sweep, from its seed on; each step is shown for as long as it takes to read."""
    trace = Trace.of(f, 2.0, 5.0)
    way_back = [step for step, shown in enumerate(trace.steps) if shown.phase != "record"]
    names = {"light": "sweep.gif", "dark": "sweep_dark.gif"}
    return [trace.save_gif(PICTURES / name, way_back, theme=theme) for theme, name in names.items()]


def player() -> Path:
    """Step the exported page in Chromium, and take its picture."""
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    if browser_path is None:
        raise SystemExit("The picture is taken with Chromium, and there is none on the PATH.")
    picture = PICTURES / "player.png"
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
        player.screenshot(path=str(picture))
        browser.close()
    return picture


def main() -> None:
    """Make them all, and say how large they are."""
    PICTURES.mkdir(exist_ok=True)
    for picture in [*films(), player()]:
        print(f"{picture}: {picture.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
