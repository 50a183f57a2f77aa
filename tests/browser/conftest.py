"""Chromium, JupyterLab and the rules that hold on every page a browser test opens.

No request leaves this machine, nothing is written to the console as an error, and no script fails. Of a test that fails
a screenshot of how the page looked at the end is left in `tests/browser/screenshots/` (git ignores it); with
`AUTODIFF_LAB_SCREENSHOTS=1` of all tests, and of moments on their way.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from .notebook import OpenNotebook
from .server import LabServer
from .tab import Tab
from .watch import NOTHING_LEAVES, Watch

HERE = Path(__file__).parent
SCREENSHOTS = HERE / "screenshots"
# five hundred, which nobody looks at in CI
SCREENSHOTS_WANTED = bool(os.environ.get("AUTODIFF_LAB_SCREENSHOTS"))
LONGEST = [
    f"test_{name}"
    for name in ("notebooks_run", "labs", "engines", "lecture", "exported_page", "groups")
]
FAILED = pytest.StashKey[bool]()
# milliseconds: what is never going to come fails a test all the same, and a busy machine does not
PATIENCE = 60_000
CHROMIUM_FLAGS = [
    *(
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-dev-shm-usage",
    ),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    NOTHING_LEAVES,
    # pages of one site and one context share a process, and what it has compiled
    "--process-per-site",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is in this folder, and run it last: quick tests answer first, and a browser keeps an event loop.

    The files that take longest go ahead of the others, so that no worker is left alone with one at the end.
    """
    here = f"{HERE}{os.sep}"
    ours = [item for item in items if str(item.path).startswith(here)]
    ours.sort(
        key=lambda item: (
            LONGEST.index(item.path.stem) if item.path.stem in LONGEST else len(LONGEST)
        )
    )
    for item in ours:
        item.add_marker(pytest.mark.browser)
    items[:] = [item for item in items if not str(item.path).startswith(here)] + ours


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note that a test has failed, before its pages are closed."""
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


def _missing(what: str) -> None:
    """A reader's machine may lack a browser; where it is required (CI) that is a failure."""
    if os.environ.get("AUTODIFF_LAB_REQUIRE_BROWSER"):
        pytest.fail(
            f"{what}, and AUTODIFF_LAB_REQUIRE_BROWSER asks for the browser tests", pytrace=False
        )
    pytest.skip(f"{what}; the browser tests need it")


def _begin_screenshots(worker: Path) -> None:
    """Forget the pictures of the run before; of several workers the first to come does it for all."""
    run = worker.parent if "PYTEST_XDIST_WORKER" in os.environ else worker
    try:
        (run / "screenshots-begun").mkdir()
    except FileExistsError:
        return
    shutil.rmtree(SCREENSHOTS, ignore_errors=True)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Debian's Chromium, driven by Playwright."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("playwright is not installed")
    # The shell is the same browser without its windows, and leaves the machine a fifth more for the page.
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    executable = next(filter(None, map(shutil.which, names)), None)
    if executable is None:
        _missing("there is no Chromium on the PATH")
    _begin_screenshots(tmp_path_factory.getbasetemp())
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def server(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    """One JupyterLab for all tests. It depends on the browser, so that nothing starts if there is no browser."""
    lab = LabServer(tmp_path_factory.mktemp("jupyterlab"))
    lab.start()
    yield lab
    lab.stop()


# JupyterLab scrolls inside a box of its own, and further than the last cell.
WHOLE_HEIGHT = """() => {
    const box = document.querySelector('.jp-Notebook .jp-WindowedPanel-outer');
    if (!box) return document.documentElement.scrollHeight;
    box.scrollTop = 0;
    return Math.ceil([...box.querySelectorAll('.jp-Cell')].at(-1).getBoundingClientRect().bottom + 80);
}"""


def photograph(page: Any, request: pytest.FixtureRequest, moment: str = "") -> None:
    """Save a screenshot of the whole page, including the parts scrolled out of sight, under the test's name."""
    if not (SCREENSHOTS_WANTED or request.node.stash.get(FAILED, False)):
        return
    name = re.sub(r"[^\w.-]+", "_", f"{request.node.name} {moment}").strip("_")
    SCREENSHOTS.mkdir(exist_ok=True)
    size = page.viewport_size
    page.set_viewport_size(
        {**size, "height": min(16000, max(size["height"], page.evaluate(WHOLE_HEIGHT)))}
    )
    page.screenshot(path=SCREENSHOTS / f"{name}.png", animations="disabled")
    page.set_viewport_size(size)


@contextmanager
def _lasting(browser: Any, address: str) -> Iterator[Any]:
    """A browser context for many tests, and one page in it that stays.

    The page keeps the process that has compiled the scripts of its site (see CHROMIUM_FLAGS). The next page of the site
    finds them there, and opens with half the work.
    """
    context = browser.new_context()
    context.new_page().goto(address)
    yield context
    context.close()


@pytest.fixture(scope="session")
def online(browser: Any, server: LabServer) -> Iterator[Any]:
    """Where the pages of JupyterLab open."""
    with _lasting(browser, f"{server.url}/api") as context:
        yield context


@pytest.fixture(scope="session")
def offline(browser: Any) -> Iterator[Any]:
    """Where the pages open that are files."""
    with _lasting(browser, (HERE / "contrast.js").as_uri()) as context:
        yield context


def _forget(context: Any) -> None:
    """Leave to the next page nothing of what the pages before have stored."""
    page = context.pages[0]
    site = urlsplit(page.url)
    devtools = context.new_cdp_session(page)
    devtools.send(
        "Storage.clearDataForOrigin",
        {"origin": f"{site.scheme}://{site.netloc}", "storageTypes": "all"},
    )
    devtools.detach()
    context.clear_cookies()
    context.clear_permissions()


@contextmanager
def watched_pages(
    context_for: Callable[..., Any], watch: Watch, leave: Callable[[Any], None]
) -> Iterator[Any]:
    """Give a function that opens pages; at the end `leave` sees each, and they are closed and judged.

    `context_for(offline, options)` says in which browser context; what can be said of a single page is left out of the
    options.
    """
    pages, followed = [], set()

    def open_page(
        width: int = 1280, height: int = 900, offline: bool = False, **options: Any
    ) -> Any:
        # A test about motion asks for it; all others see at once what a step shows in the end.
        media = {"reduced_motion": "reduce"}
        media |= {
            name: options.pop(name)
            for name in ("color_scheme", "reduced_motion")
            if name in options
        }
        context = context_for(offline, options)
        context.set_default_timeout(PATIENCE)
        if context not in followed:
            followed.add(context)
            following.enter_context(watch.follow(context, offline=offline))
        page = context.new_page()
        pages.append(page)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(**media)
        return page

    with ExitStack() as following:
        try:
            yield open_page
            for page in pages:
                leave(page)
        finally:
            for page in pages:
                page.close()
    watch.verdict()


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def new_page(
    browser: Any, watch: Watch, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Any]]:
    """Open a fresh page: `new_page(width=380)`, `new_page(offline=True)`, `new_page(color_scheme="dark")`."""
    with ExitStack() as own:

        def context_for(offline: bool, options: dict[str, Any]) -> Any:
            if options:
                return own.enter_context(browser.new_context(**options))
            context = request.getfixturevalue("offline" if offline else "online")
            if len(context.pages) == 1:
                _forget(context)
            return context

        with watched_pages(context_for, watch, lambda page: photograph(page, request)) as open_page:
            yield open_page


@pytest.fixture
def tidy_server(server: LabServer) -> Iterator[LabServer]:
    """End this test's kernels, but only after its pages are closed: a page that loses its kernel complains."""
    before = server.sessions()
    yield server
    server.end_sessions(but=before)


@pytest.fixture(scope="session")
def lasting_tab(browser: Any, server: LabServer) -> Iterator[Tab]:
    """A page of JupyterLab for all tests, in a separate browser context."""
    with browser.new_context(reduced_motion="reduce") as context:
        context.set_default_timeout(PATIENCE)
        yield Tab(context.new_page(), server)


@pytest.fixture
def tab(lasting_tab: Tab, watch: Watch, request: pytest.FixtureRequest) -> Iterator[Tab]:
    """The page of JupyterLab that stays, while a test has it; a test that fails leaves a new one behind."""
    try:
        with watch.follow(lasting_tab.page.context, offline=False):
            yield lasting_tab
            photograph(lasting_tab.page, request)
            lasting_tab.close_notebook()
    finally:
        if request.node.stash.get(FAILED, False):
            lasting_tab.reset()


@pytest.fixture
def open_notebook(
    tidy_server: LabServer, new_page: Callable[..., Any], request: pytest.FixtureRequest
) -> Callable[..., OpenNotebook]:
    """Open a notebook of the server in the page that stays; for another view, in a page of its own."""

    def opened(
        path: str, view: str = "doc/tree", width: int = 1280, height: int = 900
    ) -> OpenNotebook:
        if view != "doc/tree":
            return OpenNotebook(new_page(width, height), tidy_server, path, view)
        return request.getfixturevalue("tab").open(path, width, height)

    return opened


@pytest.fixture(scope="module")
def shared_watch() -> Watch:
    """What the shared pages of a module did; judged at the end, and before that by a test that asks for a verdict."""
    return Watch()


@contextmanager
def _shared_pages(browser: Any, watch: Watch) -> Iterator[Any]:
    with (
        browser.new_context() as context,
        watched_pages(lambda offline, options: context, watch, lambda page: None) as open_page,
    ):
        yield open_page


@pytest.fixture(scope="module")
def shared_page(browser: Any, shared_watch: Watch) -> Iterator[Callable[..., Any]]:
    """Open a page once for all tests of a module that only look at it."""
    with _shared_pages(browser, shared_watch) as open_page:
        yield open_page


@pytest.fixture(scope="module")
def shared_notebook(
    browser: Any, server: LabServer, shared_watch: Watch
) -> Iterator[Callable[..., OpenNotebook]]:
    """Open a notebook once for all tests of a module that only look at it or put back what they change."""
    with _shared_pages(browser, shared_watch) as open_page:
        yield lambda path, view="doc/tree", **options: OpenNotebook(
            open_page(**{"height": 1100, **options}), server, path, view
        )
    server.end_sessions()
