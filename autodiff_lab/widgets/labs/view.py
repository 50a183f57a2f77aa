"""The one view of every lab: labelled controls, a picture replaced in place, a sentence and a table.

The browser sends what a control is moved to and then waits for the answer, so a slider that is dragged quickly sends
its latest place only. Where there is no kernel, the lab is a figure: the picture, the sentence and the table.
"""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import traitlets

from autodiff_lab.figures.graph.render import data_url
from autodiff_lab.figures.style import themes
from autodiff_lab.text.notation import escape
from autodiff_lab.widgets.bundle import bundle
from autodiff_lab.widgets.labs.lab import Button, Lab, Play, Slider
from autodiff_lab.widgets.live import Live, placeholder_html

HERE = Path(__file__).parent
STILL = "This is a picture: run the cell in the notebook to use the lab."


class LabView(Live):
    """A lab on the page.

    Attributes
    ----------
    head : dict
        What never changes: title, what to do, the controls.
    state : dict
        What the page shows now; its `answer` is the number of the message that it answers.
    """

    _esm = bundle(HERE / "lab.js")
    _css = HERE / "lab.css"

    head = traitlets.Dict().tag(sync=True)
    state = traitlets.Dict().tag(sync=True)

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self._answer = 0
        controls = [{"kind": control.kind, **asdict(control)} for control in lab.controls]
        head = {"title": lab.title, "about": lab.about, "controls": controls, "colours": themes.css_variables()}
        super().__init__(head=head, state=self._shown())
        self.on_msg(self._take)

    def refresh(self, error: str = "") -> None:
        """Show the lab as it is now."""
        self.state = self._shown(error)

    def _shown(self, error: str = "") -> dict[str, Any]:
        lab = self.lab
        grid = lab.table()
        return {
            "values": {c.name: getattr(lab, c.name) for c in lab.controls if not isinstance(c, Button | Play)},
            "texts": {c.name: lab.slider_text(c.name) for c in lab.controls if isinstance(c, Slider)},
            "off": [c.name for c in lab.controls if isinstance(c, Button) and not lab.can(c.name)],
            "picture": _inline(lab.picture()),
            "sentence": lab.sentence(),
            "table": grid.html() if grid else "",
            "error": error,
            "answer": self._answer,
        }

    def _take(self, _: Any, message: Any, __: Any) -> None:
        """Do what the page asks, and answer whatever happens: the page waits for it."""
        self._answer = message.get("message", 0)
        error = ""
        listener, self.lab._listener = self.lab._listener, None  # one answer, at the end
        try:
            if message.get("set"):
                self.lab.set(**message["set"])
            for name in message.get("press", ()):
                self.lab.press(name)
            if "drag" in message:
                self.lab.drag(*message["drag"])
        except Exception as problem:  # a traceback would have no cell to stand in
            error = str(problem) or type(problem).__name__
        finally:
            self.lab._listener = listener
        self.refresh(error)

    def figure(self) -> str:
        """Give the lab in HTML: where no kernel has it, it is a picture with its sentence and its table."""
        lab = self.lab.still()
        grid, svg = lab.table(), lab.picture()
        alt = escape(f"{lab.title}. {lab.sentence()}")
        image = f'<img alt="{alt}" style="max-width:100%;height:auto" src="{data_url(themes.follow_page_theme(svg))}">'
        caption = f"<b>{escape(lab.title)}.</b> {escape(lab.sentence())} <i>{STILL}</i>"
        still = f"{image if svg else ''}<figcaption>{caption}</figcaption>{grid.html() if grid else ''}"
        return placeholder_html(f'<figure style="margin:0">{still}</figure>', "lab", self.key)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = super()._repr_mimebundle_(**kwargs)
        data["text/plain"] = str(self.lab.still())
        return data, metadata

    def __repr__(self) -> str:
        return f"<view of {self.lab!r}>"


def _inline(svg: str) -> str:
    """A picture inside the page takes its colours from there; a style of its own would reach beyond it."""
    return re.sub(r"<style>.*?</style>", "", themes.follow_page_theme(svg)) if svg else ""


def lab_view(lab: Lab) -> LabView:
    """Make the widget that shows a lab; `Lab.view` finds it by this name."""
    return LabView(lab)
