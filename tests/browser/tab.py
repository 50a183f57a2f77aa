"""A page of JupyterLab that stays, and opens the notebooks of many tests one after the other."""

from __future__ import annotations

from typing import Any

from .notebook import OPEN, OpenNotebook
from .server import LabServer

# What a notebook may leave behind: a question that nobody has answered, a menu that is open.
LEFT_OPEN = "() => !window.jupyterapp || document.querySelector('.jp-Dialog, .lm-Menu') !== null"


class Tab:
    """A learner's tab. JupyterLab is loaded anew where a test has left it unlike a new one."""

    def __init__(self, page: Any, server: LabServer) -> None:
        self.page, self.server = page, server
        self._loaded_with: dict[str, Any] = {}

    def open(self, path: str, width: int, height: int) -> OpenNotebook:
        """Open a notebook in the place of the one before; other settings than that one had are loaded first."""
        if self.server.settings != self._loaded_with:
            self.reset()
            self._loaded_with = dict(self.server.settings)
        self.page.set_viewport_size({"width": width, "height": height})
        return OpenNotebook(self.page, self.server, path)

    def close_notebook(self) -> None:
        """Let go of the notebook and of its kernel, which may end now."""
        if self.page.evaluate(LEFT_OPEN):
            self.reset()
        else:
            self.page.evaluate(OPEN, None)

    def reset(self) -> None:
        """Take a new page, for which the next notebook loads JupyterLab; this one may have crashed."""
        left, self.page = self.page, self.page.context.new_page()
        left.close()
