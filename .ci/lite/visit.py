"""Visit a JupyterLite site in Chromium: run every notebook there, and use it as a reader would. Prints what was wrong.

    python .ci/lite/visit.py ADDRESS CHROMIUM PICTURES         (started by `.ci/lite_works.py`)

Every address outside the site is refused. The notebooks are run by JupyterLab's own command, two pages at a time.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, BrowserContext, Page, async_playwright

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
AT_A_TIME = 2
MINUTE = 60_000

READY = "async () => { const p = jupyterapp.shell.currentWidget; await p.context.ready; await p.sessionContext.ready; }"
SESSION = "(jupyterapp.shell.currentWidget.sessionContext ?? jupyterapp.shell.currentWidget.console.sessionContext)"
STARTED = f"() => ['idle', 'busy'].includes({SESSION}?.session?.kernel?.status)"
RUN = "() => jupyterapp.commands.execute('notebook:run-all-cells')"
CELLS = """() => jupyterapp.shell.currentWidget.content.widgets.filter((cell) => cell.model.type === 'code')
    .map((cell) => [cell.model.id, cell.model.executionCount, cell.model.sharedModel.toJSON().outputs])"""
RUN_CODE = f"""async (code) => {{ let said = '';
    const future = {SESSION}.session.kernel.requestExecute({{ code }});
    future.onIOPub = (message) => {{ said += message.content.text ?? message.content.evalue ?? ''; }};
    await future.done; return said; }}"""
CHANGE_CELL = """async ([id, source]) => { const { content, sessionContext } = jupyterapp.shell.currentWidget;
    content.activeCellIndex = content.widgets.findIndex((cell) => cell.model.id === id);
    content.activeCell.model.sharedModel.setSource(source);
    await jupyterapp.commands.execute('notebook:run-cell'); return content.activeCell.outputArea.node.innerText; }"""

FIRST = "00_start_here.ipynb"
RIGHT = "import math\nanswer = -math.cos(5)\n\ncheck.ex_00_1(answer)"
LAB = "05_three_ways_to_remember.ipynb"


def said(outputs: list[dict[str, Any]]) -> list[str]:
    """The words of a cell's outputs: what it printed, and each result in plain text."""
    printed = "".join("".join(one["text"]) for one in outputs if one.get("name") == "stdout")
    return [printed] + ["".join(one["data"]["text/plain"]) for one in outputs if one["output_type"] == "execute_result"]


def compare(path: Path, ran: list[list[Any]]) -> list[str]:
    """What went otherwise than in the saved notebook: an error, or other words, where a cell always says the same."""
    wrong, here = [], {name: (count, outputs) for name, count, outputs in ran}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        count, outputs = here[cell["id"]]
        place = f"{path.name}, {cell['id']}"
        errors = [f"{one['ename']}: {one['evalue']}" for one in outputs if one["output_type"] == "error"]
        if errors or count is None:
            wrong.append(f"{place}: {' '.join(errors) or 'it did not run'}")
        elif "nbval-ignore-output" not in cell["metadata"].get("tags", []) and said(cell["outputs"]) != said(outputs):
            wrong.append(f"{place} says\n{said(outputs)}\nand at home\n{said(cell['outputs'])}")
    return wrong


class Visit:
    """A visit to the site: what was refused, what was wrong, and how long it took."""

    def __init__(self, address: str, browser: Browser, pictures: Path) -> None:
        self.address, self.browser, self.pictures = address, browser, pictures
        self.refused: set[str] = set()
        self.wrong: list[str] = []
        self.seconds: dict[str, str] = {}
        self.link = ""

    async def context(self, **options: Any) -> BrowserContext:
        """A browser of its own, as of a new reader, to whom all other addresses are refused."""
        context = await self.browser.new_context(**{"viewport": {"width": 1366, "height": 768}, **options})
        context.set_default_timeout(3 * MINUTE)
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
        await page.goto(f"{self.address}/lite/lab/index.html?path={name}")
        await page.wait_for_function("window.jupyterapp?.shell?.currentWidget?.content?.widgets?.length > 2")
        await page.evaluate(READY)
        return page

    async def run_notebook(self, context: BrowserContext, path: Path) -> None:
        """Run every cell of a notebook, and compare."""
        begun = time.monotonic()
        page = await self.open(context, path.name)
        await page.wait_for_function(STARTED)
        started = time.monotonic()
        await page.evaluate(RUN)
        self.wrong += compare(path, await page.evaluate(CELLS))
        self.seconds[path.name] = f"{started - begun:.0f} + {time.monotonic() - started:.0f} s"
        await page.close()

    def expect(self, holds: bool, what: str) -> None:
        """Note what does not hold."""
        if not holds:
            self.wrong.append(what)

    async def read_the_first(self, context: BrowserContext) -> None:
        """In notebook 00: the note while Python starts, the player, a slider, the exercise, and progress."""
        page = await self.open(context, FIRST)
        note = page.locator("#adl-starting")
        await note.wait_for()
        self.expect("Python is starting" in await note.inner_text(), "nothing says that Python is starting")
        await page.screenshot(path=self.pictures / "starting.png")
        await page.wait_for_function(STARTED)
        await note.wait_for(state="detached")
        await page.evaluate(RUN)
        player = page.locator(".adl-player").first
        await player.scroll_into_view_if_needed()
        await self.plays(page, "notebook 00", "5.5", "1.7163")
        slider = player.locator("input[aria-label=x1]")
        await slider.focus()
        await page.keyboard.press("End")
        await page.wait_for_function("() => !document.querySelector('.adl-player').innerText.includes('1.7163\\n')")
        await self.shows(player, "adjoint of x2 after the slider", await self.largest(slider))
        await page.screenshot(path=self.pictures / "slider.png")
        reply = await page.evaluate(CHANGE_CELL, ["ex-00-1", RIGHT])
        self.expect(reply.startswith("✓"), f"the right answer is told: {reply}")
        site = json.dumps(self.address)
        self.link = (await page.evaluate(RUN_CODE, f"print(play(f, 2.0, 5.0).link({site}))")).strip()
        await page.reload()
        await page.wait_for_function("window.jupyterapp?.shell?.currentWidget?.content?.widgets?.length > 2")
        await page.evaluate(READY)
        await page.wait_for_function(STARTED)
        kept = await page.evaluate(RUN_CODE, "from autodiff_lab.lessons import lesson_00\nprint(lesson_00.progress())")
        self.expect("1 of 1" in kept, f"after a reload, progress is: {kept}")
        await page.close()

    async def largest(self, slider: Any) -> str:
        """Where a slider stands at its end, as the player writes it."""
        return await slider.evaluate("(input) => input.closest('.adl-player').querySelector('.adl-tape .adl-value').innerText")

    async def shows(self, player: Any, what: str, text: str) -> None:
        """A word that has to stand in the player."""
        self.expect(text in await player.inner_text(), f"{what}: {text} is not shown")

    async def plays(self, page: Page, place: str, *numbers: str) -> None:
        """Step a player by keys: one step, and then to the end, where its gradient stands."""
        player = page.locator(".adl-player").first
        await player.focus()
        await page.keyboard.press("Home")
        await page.keyboard.press("ArrowRight")
        await page.wait_for_function("document.querySelector('.adl-player').dataset.phase === 'record'")
        await page.keyboard.press("End")
        await page.wait_for_function("document.querySelector('.adl-player').dataset.phase === 'sweep'")
        for number in numbers:
            await self.shows(player, place, number)

    async def use_a_lab(self, context: BrowserContext) -> None:
        """Move the first control of a lab: another picture comes."""
        page = await self.open(context, LAB)
        await page.wait_for_function(STARTED)
        await page.evaluate(RUN)
        lab = page.locator(".adl-lab").first
        await lab.scroll_into_view_if_needed()
        await lab.locator(".adl-lab-picture svg").first.wait_for()
        before = await lab.locator(".adl-lab-picture").inner_html()
        await lab.get_by_role("button").first.focus()
        await page.keyboard.press("Enter")
        moved = "(before) => document.querySelector('.adl-lab .adl-lab-picture').innerHTML !== before"
        await page.wait_for_function(moved, arg=before)
        await page.screenshot(path=self.pictures / "lab.png")
        await page.close()

    async def open_the_link(self, context: BrowserContext, place: str) -> None:
        """Open a link with a function in it: the player plays by itself, and steps."""
        page = await context.new_page()
        await page.goto(self.link)
        await page.wait_for_function("document.querySelector('.adl-player')?.dataset.playing")
        await page.wait_for_function("document.querySelector('.adl-player').dataset.step > 3")
        await page.screenshot(path=self.pictures / f"{place}.png")
        box = await page.locator(".adl-player").first.bounding_box()
        wide = (await page.evaluate("innerWidth")) + 1
        self.expect(box is not None and box["x"] >= 0 and box["x"] + box["width"] <= wide, f"{place}: the player is cut")
        await page.locator('.adl-player [data-action="play"]').first.click()
        await self.plays(page, place, "5.5", "1.7163")
        await page.screenshot(path=self.pictures / f"{place}-end.png")
        await page.close()

    async def all(self) -> None:
        """Everything, two pages at a time; the link is opened when notebook 00 has given it."""
        one, phone = await self.context(), await self.context(viewport={"width": 390, "height": 800}, has_touch=True)

        async def reader() -> None:
            await self.read_the_first(await self.context())
            await self.open_the_link(one, "link")
            await self.open_the_link(phone, "phone")

        works: list[Callable[[], Coroutine[Any, Any, None]]] = [reader, lambda: self.use_a_lab(one)]
        works += [lambda path=path: self.run_notebook(one, path) for path in NOTEBOOKS]
        turn = asyncio.Semaphore(AT_A_TIME)

        async def work(do: Callable[[], Coroutine[Any, Any, None]]) -> None:
            async with turn:
                try:
                    await do()
                except Exception as error:
                    self.wrong.append(f"{type(error).__name__}: {error}")

        await asyncio.gather(*map(work, works))


async def main(address: str, chromium: str, pictures: str) -> None:
    """Visit, and print what was found as JSON."""
    async with async_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
        browser = await playwright.chromium.launch(executable_path=chromium, args=flags)
        visit = Visit(address, browser, Path(pictures))
        await visit.all()
        await browser.close()
    found = {"refused": sorted(visit.refused), "wrong": visit.wrong, "seconds": visit.seconds, "link": visit.link}
    print(json.dumps(found))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
