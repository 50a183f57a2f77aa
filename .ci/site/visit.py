"""Visit the website in Chromium, without a network, and print all problems as JSON.

    python .ci/site/visit.py ADDRESS CHROMIUM SITE SHOTS

Called by `.ci/site_works.py`, which builds the site in the folder SITE and serves it at ADDRESS; pictures go to SHOTS.
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, unquote, urldefrag

import numpy as np
from PIL import Image
from playwright.sync_api import Locator, Page, Route, sync_playwright

from autodiff_lab import __version__

LAPTOP, PHONE = {"width": 1366, "height": 768}, {"width": 390, "height": 800}
LIVE = re.compile(r"/lite/lab/index\.html\?path=([\w.]+\.ipynb)")

# Returns the colours of an element's text and of its background.
COLOURS = """(element) => {
  const text = getComputedStyle(element).color;
  for (let at = element; at; at = at.parentElement) {
    const paper = getComputedStyle(at).backgroundColor;
    if (!/, 0\\)$|transparent/.test(paper)) return [text, paper];
  }
  return [text, "rgb(255, 255, 255)"];
}"""


# What can be pressed on the page and is smaller than 24 pixels, which a finger misses; links in a text are not meant.
SMALL_TARGETS = """[...document.querySelectorAll("a, button, summary, select, input, textarea")]
  .filter((element) => {
    const { width, height } = element.getBoundingClientRect();
    const { display, visibility } = getComputedStyle(element);
    const isSeen = width && height && visibility !== "hidden" && !element.closest("[inert]");
    return isSeen && display !== "inline" && Math.min(width, height) < 24;
  })
  .map((element) => element.innerText || element.ariaLabel || element.outerHTML.slice(0, 60))"""


class Visitor:
    """A visitor who goes through the site and notes problems."""

    def __init__(self, page: Page, address: str, site: Path, shots: Path) -> None:
        self.page = page
        self.address = address
        self.site = site
        self.shots = shots
        files = sorted(str(path.relative_to(site)) for path in site.rglob("*.html"))
        self.pages = [name for name in files if not name.startswith(("_static/", "lite/"))]
        self.links = 0
        self.wrong: list[str] = []
        hidden = {path.name for path in site.glob(".*")} - {".buildinfo"}
        if hidden:
            self.wrong.append(f"the site has hidden files, which don't belong to it: {hidden}")
        page.on("pageerror", lambda error: self.note(f"an error in a script: {error}"))

    def note(self, what: str) -> None:
        """Note something that is wrong with the current page."""
        self.wrong.append(f"{self.page.url.removeprefix(self.address)}: {what}")

    def expect(self, holds: bool, what: str) -> None:
        """Note a problem if a condition doesn't hold."""
        if not holds:
            self.note(what)

    def open(self, name: str, screen: dict[str, int] = LAPTOP, theme: str = "light") -> Page:
        """Open a page on a screen of this size, in a browser that prefers the light or the dark theme."""
        self.page.set_viewport_size(screen)
        self.page.emulate_media(color_scheme=theme)
        self.page.goto(f"{self.address}/{name}")
        return self.page

    def shoot(self, name: str) -> None:
        """Save a screenshot."""
        self.page.screenshot(path=self.shots / f"{name}.png")

    def first_screen(self) -> None:
        """Check that the start page's player is visible without scrolling, and plays."""
        page = self.open("index.html")
        player = page.locator(".adl-player")
        player.wait_for()
        box = player.bounding_box()
        self.expect(
            box["y"] + box["height"] <= LAPTOP["height"],
            f"the player ends below the first screen: {box}",
        )
        self.shoot("start")
        self.plays("index.html")
        page = self.open("index.html", PHONE)
        button = page.locator(".adl-player .adl-begin")
        button.wait_for()
        box = button.bounding_box()
        self.expect(
            box["y"] + box["height"] <= PHONE["height"],
            f"the button is below a phone's first screen: {box}",
        )
        button.click()
        page.wait_for_function(
            "document.querySelector('.adl-player').dataset.phase === 'sweep'", timeout=60_000
        )
        self.shoot("phone")

    def plays(self, name: str) -> None:
        """Check that a player steps: once with its button, then with a key to its end."""
        page = self.open(name)
        player = page.locator(".adl-player").first
        player.wait_for()
        before = player.inner_text()
        player.get_by_role("button", name="forward").first.click()
        page.wait_for_timeout(800)
        self.expect(player.inner_text() != before, "the player doesn't step")
        player.focus()
        page.keyboard.press("End")
        page.wait_for_function("document.querySelector('.adl-player').dataset.phase === 'sweep'")
        text = player.inner_text()
        self.expect(
            "5.5" in text and "1.7163" in text, "at its end, the player doesn't show its gradient"
        )

    def reference(self) -> None:
        """Check that signatures have types, that phones show the reference, and its links to lessons and back."""
        page = self.open("reference/autodiff_lab.play.html")
        signature = page.locator("dt.sig").first.inner_text()
        has_types = "f: Callable[..., Any]" in signature and "→ Player" in signature
        self.expect(has_types, f"the signature is {signature}")
        self.shoot("reference")
        page = self.open("reference/autodiff_lab.Player.html")
        signature = page.locator("dt.sig").first.inner_text()
        self.expect(
            "(" not in signature, f"it shows a constructor that readers don't call: {signature}"
        )
        self.expect(
            bool(page.locator("article a[href*='autodiff_lab.play.html']").count()),
            "it doesn't link to play, which returns a Player",
        )
        page = self.open("reference.html", PHONE)
        least = page.evaluate(
            "Math.min(...[...document.querySelectorAll('table.autosummary td')].map((e) => e.clientWidth))"
        )
        self.expect(
            least > PHONE["width"] / 2, f"on a phone, a description is only {least} px wide"
        )
        self.shoot("reference-phone")
        for place in (".of-reference a[href*='autodiff_lab.hvp.']", ".highlight a[href*='.hvp.']"):
            page = self.open("12_higher_order.html")
            page.locator(place).first.click()
            self.expect("reference/autodiff_lab.hvp.html" in page.url, f"{place} leads elsewhere")
        page.locator(".in-lessons a[href*='12_higher_order']").click()
        anchor = unquote(urldefrag(page.url).fragment)
        after = f"//*[@id='{anchor}']/following::div[contains(@class, 'cell_input')][1]"
        code = page.locator(f"xpath={after}").inner_text()
        self.expect("hvp" in code, f"the cell at {anchor} doesn't use hvp")

    def walk(self, screen: dict[str, int]) -> None:
        """A visitor goes from the start page to a name, to a lesson that uses it, back, to the search, and astray."""
        page = self.open("index.html", screen)
        self.stop("start")
        menu = page.locator(".primary-toggle >> visible=true").first
        if screen is PHONE:
            menu.click()
            page.locator("a[href*='reference.html'] >> visible=true").first.wait_for()
            self.stop("menu")
        page.locator("a[href*='reference.html'] >> visible=true").first.click()
        page.wait_for_url("**/reference.html*")
        self.stop("reference")
        page.locator("article a[href*='autodiff_lab.play.html'] >> visible=true").first.click()
        page.wait_for_url("**/autodiff_lab.play.html*")
        self.stop("name")
        name = page.url
        page.locator(".in-lessons summary").click()
        self.stop("lessons")
        page.locator(".in-lessons a >> visible=true").first.click()
        page.wait_for_url("**/00_start_here.html*")
        page.locator(".adl-player").first.wait_for()
        self.stop("lesson")
        page.go_back()
        self.expect(page.url == name, f"back does not lead to {name}")
        page.locator(":is(.search-button, .search-button-field) >> visible=true").first.click()
        field = page.locator("input[type=search] >> visible=true").first
        field.fill("fan-out")
        field.press("Enter")
        page.locator("#search-results li").first.wait_for(timeout=30_000)
        self.stop("search")
        page.locator("#search-results a >> visible=true").first.click()
        page.locator("article h1").wait_for()
        self.stop("found")
        page = self.open("404.html", screen)
        self.stop("astray")
        leads = page.locator("a").evaluate_all("(all) => all.map((a) => a.getAttribute('href'))")
        self.expect(
            [one.rpartition("/")[2] for one in leads] == ["", "search.html"],
            f"who is astray is led to {leads}",
        )

    def stop(self, what: str) -> None:
        """Look at where a walk has come to: the screen is wide enough, and what can be pressed is large enough."""
        screen = self.page.viewport_size["width"]
        wide = self.page.evaluate("document.documentElement.scrollWidth")
        self.expect(wide <= screen, f"{wide} px wide on a screen of {screen}")
        small = self.page.evaluate(SMALL_TARGETS)
        self.expect(not small, f"on a screen of {screen} px, too small to be pressed: {small}")
        self.shoot(f"walk-{screen}-{what}")

    def search(self, word: str, lesson: str) -> None:
        """Check that the search finds a word in the lesson about it, with excerpts of the lesson's text only."""
        page = self.open(f"search.html?q={word}")
        page.locator("#search-results li").first.wait_for(timeout=30_000)
        self.expect(
            bool(page.locator(f"#search-results a[href*='{lesson}']").count()),
            f"{word} is not found in {lesson}",
        )
        excerpts = page.locator("#search-results p.context")
        excerpts.first.wait_for()
        for excerpt in excerpts.all_inner_texts():
            self.expect(
                not re.search(r"System Settings|Light\s+Dark|Contents", excerpt),
                f"an excerpt has text from outside the article: {excerpt[:80]}",
            )

    def hostile_links(self) -> None:
        """Check that a script in an address never runs: as a search term, as a word to highlight, as an anchor."""
        script = quote("\"'><img src=x onerror='window.ran = 1'><script>window.ran = 1</script>")
        places = ["search.html?q=", "search.html?q=gradient&highlight="]
        for name in ("index.html", "00_start_here.html", "reference/autodiff_lab.grad.html"):
            places += [f"{name}{before}" for before in ("?highlight=", "?code=", "#", "#cell-id=")]
        for place in places:
            self.page.goto("about:blank")  # otherwise a new anchor would only scroll the page
            page = self.open(f"{place}{script}")
            page.wait_for_timeout(1000)
            self.expect(page.evaluate("window.ran") is None, "the script in the address ran")
            self.expect(
                not page.locator("img[src=x]").count(),
                "the address is written into the page as HTML",
            )

    def deep_links(self) -> None:
        """Check that a link of the glossary, and one of the misconceptions, scrolls to its cell."""
        for name in ("glossary.html", "misconceptions.html"):
            page = self.open(name)
            page.locator("a[href*='#cell-id=']").first.click()
            page.wait_for_timeout(1000)
            anchor = unquote(urldefrag(page.url).fragment)
            top = page.locator(f"[id='{anchor}']").bounding_box()["y"]
            header = page.locator(".bd-header-article").bounding_box()["height"]
            self.expect(
                header <= top < LAPTOP["height"] / 2, f"from {name}: the cell is at {top:.0f} px"
            )

    def every_page(self) -> None:
        """Check that no page is wider than a phone, and that all links and anchors lead somewhere."""
        anchors: dict[str, set[str]] = {}
        links: dict[str, list[str]] = {}
        for name in self.pages:
            page = self.open(name, PHONE)
            wide = page.evaluate("document.documentElement.scrollWidth")
            self.expect(wide <= PHONE["width"], f"{wide} px wide on a phone")
            if name != "404.html":
                footer = page.locator("p.feedback").inner_text()
                self.expect(
                    f"documents autodiff_lab {__version__}" in footer,
                    f"its footer doesn't have the version: {footer}",
                )
            anchors[name] = set(
                page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
            )
            links[name] = page.evaluate(
                "[...document.querySelectorAll('a[href]')].map((e) => e.href)"
            )
            if re.match(r"\d\d_", name):
                row = (
                    page.locator("p.launch")
                    .first.locator("a")
                    .evaluate_all("(all) => all.map((a) => a.href)")
                )
                order = [bool(LIVE.search(row[0])), "mybinder.org" in row[1]]
                self.expect(
                    order == [True, True],
                    f"its launch buttons aren't JupyterLite and then Binder: {row}",
                )
        for name, found in links.items():
            self.links += len(found)
            for link in set(found):
                self.follow(name, link, anchors)

    def follow(self, name: str, link: str, anchors: dict[str, set[str]]) -> None:
        """Check that a link inside the site leads somewhere; of a link into JupyterLite, check only its form."""
        target, anchor = urldefrag(link)
        if not target.startswith(f"{self.address}/"):
            return
        file = unquote(target.removeprefix(f"{self.address}/"))
        page = file.partition("?")[0]
        if file.startswith("lite/"):
            live = LIVE.fullmatch(f"/{file}")
            exists = live and f"{live[1].removesuffix('.ipynb')}.html" in anchors
        elif page in anchors:
            exists = not anchor or unquote(anchor) in anchors[page]
        else:
            exists = (self.site / file).is_file()
        if not exists:
            place = f"{file}#{anchor}" if anchor else file
            self.wrong.append(f"{name} links to {place}, which doesn't exist")

    def themes(self) -> None:
        """Check that everything is readable in light and dark, by the browser's preference and by the button."""
        lesson = "01_differentiation.html"
        for name, parts in {
            "index.html": {"player": ".adl-player .adl-source"},
            lesson: {
                "plot": ".cell_output img",
                "lab": ".cell_output figure img",
                "words": ".cell_output figcaption",
            },
            "07_ways_to_remember.html": {"drawing": ".cell_output img", "code": ".highlight pre"},
        }.items():
            by_machine = [
                self.seen(self.open(name, theme=theme), parts) for theme in ("light", "dark")
            ]
            self.shoot(f"dark-{name[:2]}")
            page = self.open(name)
            page.locator("button.theme-switch-button:visible").first.click()
            page.locator("button.theme-change-button[data-mode=dark]").first.click()
            by_button = self.seen(page, parts)
            page.evaluate("localStorage.clear()")
            for part in parts:
                (light, light_paper), (dark, dark_paper), (chosen, chosen_paper) = (
                    seen[part] for seen in (*by_machine, by_button)
                )
                papers = f"{part} on {light_paper:.2f} (light), {dark_paper:.2f} (dark), {chosen_paper:.2f} (chosen)"
                self.expect(
                    light_paper > 0.8 and max(dark_paper, chosen_paper) < 0.1,
                    f"doesn't turn dark: {papers}",
                )
                least = min(light, dark, chosen)
                self.expect(least >= 4.5, f"{part} has a contrast of {least:.1f}")

    def seen(self, page: Page, parts: dict[str, str]) -> dict[str, tuple[float, float]]:
        """Return the contrast of each part, and the luminance of its background."""
        page.wait_for_timeout(700)
        return {
            part: look(page.locator(f"{place} >> visible=true").first)
            for part, place in parts.items()
        }


def look(part: Locator) -> tuple[float, float]:
    """Return a part's contrast and its background's luminance: a picture's from its pixels, text's from its colours."""
    if part.evaluate("(element) => element.tagName") == "IMG":
        pixels = np.asarray(
            Image.open(io.BytesIO(part.screenshot())).convert("RGB"), float
        ).reshape(-1, 3)
        light = luminance(pixels)
        paper = float(np.median(light))
        return max(contrast(paper, value) for value in (light.min(), light.max())), paper
    ink, paper = luminances(part)
    return contrast(ink, paper), paper


def luminances(part: Locator) -> tuple[float, float]:
    """Return the luminance of an element's text and of its background."""
    colours = [re.findall(r"[\d.]+", colour)[:3] for colour in part.evaluate(COLOURS)]
    ink, paper = (
        float(luminance(np.array([float(number) for number in colour]))) for colour in colours
    )
    return ink, paper


def luminance(colour: np.ndarray) -> np.ndarray:
    """Return the relative luminance of colours, as WCAG defines it."""
    c = colour / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) @ np.array(
        [0.2126, 0.7152, 0.0722]
    )


def contrast(a: float, b: float) -> float:
    """Return the contrast of two luminances, from 1 to 21."""
    return float((max(a, b) + 0.05) / (min(a, b) + 0.05))


def keep_here(address: str, refused: set[str]) -> Callable[[Route], None]:
    """Return a handler that refuses requests to other machines, and adds them to `refused`."""

    def answer(route: Route) -> None:
        if route.request.url.startswith((f"{address}/", "data:", "blob:")):
            return route.continue_()
        refused.add(route.request.url)
        return route.abort()

    return answer


def main() -> None:
    """Visit everything, and print the result."""
    address, chromium, site, shots = sys.argv[1:]
    refused: set[str] = set()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        context = browser.new_context()
        context.route("**/*", keep_here(address, refused))
        visitor = Visitor(context.new_page(), address, Path(site), Path(shots))
        visitor.first_screen()
        visitor.plays("00_start_here.html")
        visitor.shoot("lesson")
        visitor.reference()
        for screen in (PHONE, LAPTOP):
            visitor.walk(screen)
        visitor.search("fan-out", "04_adjoint_flow")
        visitor.hostile_links()
        visitor.deep_links()
        visitor.themes()
        visitor.every_page()
        browser.close()
    wrong = [f"refused: {url}" for url in sorted(refused)] + sorted(set(visitor.wrong))
    print(json.dumps({"wrong": wrong, "pages": len(visitor.pages), "links": visitor.links}))


if __name__ == "__main__":
    main()
