"""Make the pictures that the README shows from the package itself.

The moving ones are films of the player as it plays, one for light pages and one for dark, taken moment by moment in
Chromium; the still one is the player half way back, which is also what a reader sees who has asked for less motion.
`python -m tests.generate` writes them, or compares them with those that are there.
"""

from __future__ import annotations

import inspect
import io
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

from autodiff_lab import play

PICTURES = Path(__file__).parents[2] / "notebooks" / "pictures"
FILMS = {"light": "sweep.gif", "dark": "sweep_dark.gif"}
ROOM = {"width": 956, "height": 640}
FRAME_MS, OPENING_MS, CLOSING_MS = 80, 1200, 3000
HALF_WAY_BACK = (10, 0.5)  # the sine sends its adjoint to x2
TOLERANCE = 0.05  # of the size: fonts and versions of Graphviz differ


def f(x1, x2):
    a = np.log(x1)
    b = x1 * x2
    s = a + b
    c = np.sin(x2)
    return s - c


def make_pictures(folder: Path) -> list[Path]:
    """Film the player from its ▶ to the end, on light and on dark pages, and photograph it half way back."""
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    if browser_path is None:
        raise SystemExit("The pictures are taken with Chromium, and there is none on the PATH.")
    with tempfile.TemporaryDirectory() as work, sync_playwright() as p:
        page_file = Path(work) / "player.html"
        play(f, 2.0, 5.0).save_html(page_file)
        browser = p.chromium.launch(
            executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"]
        )
        films = [_film(browser, page_file, folder / name, theme) for theme, name in FILMS.items()]
        player = _open(browser, page_file, "light", scale=2)
        player.evaluate("(root, [s, u]) => root.adlRender(s, u)", HALF_WAY_BACK)
        player.screenshot(path=str(folder / "player.png"))
        browser.close()
    return [*films, folder / "player.png"]


def _open(browser: Any, page_file: Path, theme: str, scale: float) -> Any:
    page = browser.new_page(viewport=ROOM, device_scale_factor=scale, color_scheme=theme)
    page.goto(page_file.as_uri())
    return page.locator(".adl-player").first


def _film(browser: Any, page_file: Path, path: Path, theme: str) -> Path:
    """Take each frame at its moment: a step, and how far its motion is. Nothing is timed by hand."""
    player = _open(browser, page_file, theme, scale=1)
    first = len(inspect.signature(f).parameters)
    frames = [_shot(player)]
    times = [OPENING_MS]
    for s, beats in enumerate(player.evaluate("root => root.adlDurations()"), start=first):
        count = round(beats["motion"] / FRAME_MS)
        for k in range(1, count + 1):
            player.evaluate("(root, [s, u]) => root.adlRender(s, u)", [s, k / count])
            frames.append(_shot(player))
            times.append(FRAME_MS)
        times[-1] += round(beats["rest"])
    times[-1] = CLOSING_MS
    colours = Image.new("RGB", (frames[0].width, 3 * frames[0].height))
    for k, frame in enumerate((frames[0], frames[len(frames) // 2], frames[-1])):
        colours.paste(frame, (0, k * frames[0].height))
    palette = colours.quantize(64)
    indexed = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    indexed[0].save(
        path, save_all=True, append_images=indexed[1:], duration=times, loop=0, optimize=True
    )
    return path


def _shot(player: Any) -> Image.Image:
    return Image.open(io.BytesIO(player.screenshot())).convert("RGB")


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
