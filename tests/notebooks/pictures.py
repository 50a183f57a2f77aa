"""Make the pictures that the README shows from the package itself.

The moving ones are films of the reverse sweep, one for light pages and one for dark; the still one is the player,
photographed in Chromium half way back, which is also what a reader sees who has asked for less motion.
`python -m tests.generate` writes them, or compares them with those that are there.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

from autodiff_lab import Trace, play

PICTURES = Path(__file__).parents[2] / "notebooks" / "pictures"
HALF_WAY_BACK = 10  # the sine has just spoken to x2
TOLERANCE = 0.05  # of the size: fonts and versions of Graphviz differ


def f(x1, x2):
    a = np.log(x1)
    b = x1 * x2
    s = a + b
    c = np.sin(x2)
    return s - c


def make_films(folder: Path) -> list[Path]:
    """Film the reverse sweep, from its seed on; each step is shown for as long as it takes to read."""
    trace = Trace.of(f, 2.0, 5.0)
    way_back = [step for step, shown in enumerate(trace.steps) if shown.phase != "record"]
    names = {"light": "sweep.gif", "dark": "sweep_dark.gif"}
    return [trace.save_gif(folder / name, way_back, theme=theme) for theme, name in names.items()]


def photograph_player(folder: Path) -> Path:
    """Step the exported page in Chromium, and take its picture."""
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    if browser_path is None:
        raise SystemExit("The picture is taken with Chromium, and there is none on the PATH.")
    picture = folder / "player.png"
    with tempfile.TemporaryDirectory() as work, sync_playwright() as p:
        page_file = Path(work) / "player.html"
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


def make_pictures(folder: Path) -> list[Path]:
    """Write all pictures into a folder."""
    return [*make_films(folder), photograph_player(folder)]


def times_of(path: Path) -> list[float]:
    """Return how long each frame of a picture is shown, in seconds."""
    with Image.open(path) as picture:
        times = []
        for frame in range(getattr(picture, "n_frames", 1)):
            picture.seek(frame)
            times.append(picture.info.get("duration", 0) / 1000)
    return times


def size_of(path: Path) -> tuple[int, int]:
    with Image.open(path) as picture:
        return picture.size


def paper_of(path: Path) -> int:
    """Return how light the first corner of a picture is, from 0 to 255."""
    with Image.open(path) as picture:
        return picture.convert("L").getpixel((0, 0))


def difference(committed: Path, fresh: Path) -> str:
    """Say how a picture differs from a fresh one, in what fonts, Graphviz and Chromium do not change; or nothing."""
    if not committed.is_file():
        return "is missing"
    if times_of(committed) != times_of(fresh):
        return f"has frames of {times_of(committed)} s, a fresh one has {times_of(fresh)} s"
    sizes = size_of(committed), size_of(fresh)
    if any(abs(old - new) > TOLERANCE * new for old, new in zip(*sizes, strict=True)):
        return "is {} × {} pixels, a fresh one is {} × {}".format(*sizes[0], *sizes[1])
    if abs(paper_of(committed) - paper_of(fresh)) > 8:
        return "has another paper than a fresh one"
    return ""
