"""A notebook open in JupyterLab, driven as a learner drives it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import zip_longest
from typing import Any

import nbformat

from .server import LabServer

# JupyterLab shows an exception and a warning alike, as stderr; only the first has a traceback and stops the run.
LOOK = """() => [...document.querySelectorAll('.jp-Notebook .jp-Cell')].map(cell => ({
    done: /^\\[\\d+\\]:$/.test(cell.querySelector('.jp-InputPrompt')?.textContent.trim() ?? ''),
    stderr: [...cell.querySelectorAll('[data-mime-type$="jupyter.stderr"]')].map(e => e.textContent) + "",
}))"""

THEMES = ("JupyterLab Light", "JupyterLab Dark")

# Milliseconds between two looks at all cells; to look in every frame takes up to a tenth of what the page computes.
OFTEN = 100

FINISHED = f"""(kinds) => {{
    const cells = ({LOOK})();
    return kinds.every((kind, i) => kind === 'not run' || cells[i].done)
        || kinds.some((kind, i) => kind === 'runs' && cells[i].stderr.includes('Traceback'));
}}"""


# Close the notebooks that are open, whether they are saved or not, and open another one.
OPEN = """async (path) => {
    const { commands, shell } = window.jupyterapp;
    for (const widget of [...shell.widgets('main')]) widget.dispose();
    if (path) await commands.execute('docmanager:open', { path });
}"""


class OpenNotebook:
    """A page that shows one notebook and nothing else: JupyterLab's single-document view, or Notebook 7's.

    A page that has JupyterLab opens it as a click in the list of files does, which is less than half the work.
    """

    def __init__(self, page: Any, server: LabServer, path: str, view: str = "doc/tree") -> None:
        self.page, self.server, self.path = page, server, path
        if page.evaluate("Boolean(window.jupyterapp)"):
            page.evaluate(OPEN, path)
        else:
            page.goto(f"{server.url}/{view}/{path}?token={server.token}&reset")
        page.locator(".jp-NotebookPanel .jp-Notebook .jp-Cell").first.wait_for()
        self._wait_for_idle_kernel()

    def _wait_for_idle_kernel(self, seconds: float = 120) -> None:
        """Wait until the page is connected to an idle kernel; before that, running a cell silently does nothing.

        The page calls itself idle before it has a kernel, so the server is asked. A fresh server may first want to
        know which kernel to use.
        """
        question = self.page.locator(".jp-Dialog:has-text('Select Kernel') .jp-mod-accept")
        for _ in range(int(10 * seconds)):
            kernel = self.server.kernel_of(self.path)
            if kernel and kernel["connections"] and kernel["execution_state"] == "idle":
                break
            if question.is_visible():
                question.click()
            self.page.wait_for_timeout(100)
        self.page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for()

    def _kinds(self) -> list[str]:
        """For each cell: what running everything does to it. Empty code cells keep their prompt."""
        notebook = nbformat.read(self.server.root / self.path, as_version=4)
        kinds = []
        for cell in notebook.cells:
            if cell.cell_type != "code" or not cell.source.strip():
                kinds.append("not run")
            else:
                may_fail = "raises-exception" in cell.metadata.get("tags", [])
                kinds.append("may fail" if may_fail else "runs")
        return kinds

    def clear_outputs(self) -> OpenNotebook:
        """Choose Edit → Clear Outputs of All Cells, so that a prompt ``[3]:`` can only come from a run in this page."""
        self.page.get_by_role("menuitem", name="Edit", exact=True).click()
        self.page.get_by_role("menuitem", name="Clear Outputs of All Cells", exact=True).click()
        self.page.wait_for_function(f"() => !({LOOK})().some(cell => cell.done)", polling=OFTEN)
        return self

    def unfold(self) -> OpenNotebook:
        """Choose View → Expand All Outputs: an output that answers a question is folded until its cell is run."""
        self.page.get_by_role("menuitem", name="View", exact=True).click()
        self.page.get_by_role("menuitem", name="Expand All Outputs", exact=True).click()
        self.page.wait_for_function(
            "() => !document.querySelector('.jp-OutputPlaceholder')", polling=OFTEN
        )
        return self

    @contextmanager
    def in_theme(self, name: str) -> Iterator[None]:
        """Choose a theme, as an entry of Settings → Theme does; at the end JupyterLab is light again."""
        try:
            self._choose_theme(name)
            yield
        finally:
            self._choose_theme(THEMES[0])

    def _choose_theme(self, name: str) -> None:
        self.page.evaluate(
            "(theme) => jupyterapp.commands.execute('apputils:change-theme', { theme })", name
        )
        self.page.locator(f"body[data-jp-theme-name='{name}']").wait_for(state="attached")

    def run_all(self, seconds: float = 240) -> OpenNotebook:
        """Choose Run → Run All Cells and wait until every cell has its number; none may show an error or a warning."""
        self.page.get_by_role("menuitem", name="Run", exact=True).click()
        self.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        self.page.wait_for_function(
            FINISHED, arg=self._kinds(), timeout=1000 * seconds, polling=OFTEN
        )
        assert not self.errors()
        return self

    def errors(self) -> list[str]:
        """Exceptions and warnings the cells show, except in cells that say they raise."""
        cells = zip_longest(self.page.evaluate(LOOK), self._kinds(), fillvalue="typed in")
        return [cell["stderr"] for cell, kind in cells if cell["stderr"] and kind != "may fail"]

    def sources(self) -> list[str]:
        """The text of the cells as the page has them now."""
        return self.page.evaluate(
            "() => [...document.querySelectorAll('.jp-Notebook .jp-Cell .cm-content')].map(e => e.innerText)"
        )

    def active_cell(self) -> int:
        return self.page.evaluate(
            "() => [...document.querySelectorAll('.jp-Notebook .jp-Cell')]"
            ".findIndex(e => e.classList.contains('jp-mod-active'))"
        )

    def add_cell(self, source: str, *, wait: bool = True) -> None:
        """Type a new cell below the last one and run it, as a learner does."""
        cells = self.page.locator(".jp-Notebook .jp-Cell")
        count = cells.count()
        cells.last.locator(".cm-content").click()
        self.page.keyboard.press("Escape")
        self.page.keyboard.press("b")
        cells.nth(count).locator(".cm-content").wait_for()
        self.page.keyboard.press("Enter")
        # Inserted as one piece of text: the editor's own indentation would be added to ours.
        self.page.keyboard.insert_text(source)
        self.page.keyboard.press("Control+Enter")
        if wait:
            self.page.wait_for_function(f"() => ({LOOK})().at(-1).done", polling=OFTEN)
            assert not self.errors()

    def save(self) -> None:
        """Press the button, and wait until the file is written."""
        file = self.server.root / self.path
        before = file.stat().st_mtime_ns
        self.page.locator("[data-jp-item-name=save] jp-button").click()
        while file.stat().st_mtime_ns == before or not file.read_text(encoding="utf-8").endswith(
            "}\n"
        ):
            self.page.wait_for_timeout(100)

    def write_cell(self, number: int, source: str) -> None:
        """Put other text into a cell."""
        self.page.locator(".jp-Notebook .jp-Cell .cm-content").nth(number).click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(source)
        self.page.keyboard.press("Escape")

    def restart_kernel(self) -> None:
        """Press the button and say yes."""
        self.page.locator("[data-jp-item-name=restart] jp-button").click()
        self.page.locator(".jp-Dialog:has-text('Restart') .jp-mod-accept").click()
        self.page.locator(".jp-Dialog").wait_for(state="detached")
        self._wait_for_idle_kernel()

    def shut_kernel_down(self) -> None:
        """End the kernel without JupyterLab's knowledge, as a crash or a sleeping laptop does."""
        for kernel in self.server.kernels():
            self.server.api("DELETE", f"/api/kernels/{kernel}")
        assert self.server.kernels() == []
