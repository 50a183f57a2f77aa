"""Contact sheets for a handout: chosen steps of a run side by side on paper, each with its sentence."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autodiff_lab.figures.export import bitmap
from autodiff_lab.figures.export.frame import Frames
from autodiff_lab.figures.export.frame_selection import pick_steps
from autodiff_lab.figures.export.svg_text import (
    Run,
    add_heights,
    legend_runs,
    wrap_runs,
    write_paragraphs,
)
from autodiff_lab.figures.graph.boxes import SIZE
from autodiff_lab.figures.graph.render import notebook_data
from autodiff_lab.figures.style.svg import element, image_tag, write_picture
from autodiff_lab.text.arguments import check_choice, check_number, check_path
from autodiff_lab.trace.model import Trace

# Paper, in points.
PAGES = {
    "A4": (595.0, 842.0),
    "A4 landscape": (842.0, 595.0),
    "letter": (612.0, 792.0),
    "letter landscape": (792.0, 612.0),
}

_MARGIN, _GAP = 36.0, 14.0
_TITLE, _SMALL, _LEAST_TYPE = 13.0, 9.0, 7.5
_COLUMNS = (1, 2, 3, 4)
_PANELS = 6
_WIDE = 450


class _Plan:
    """Panels of one size in rows and columns on a page, in type that can be read; `look` is for all `Frames`."""

    def __init__(
        self, trace: Trace, shown: list[int], remark: str, page: str, columns: int, **look: Any
    ) -> None:
        self.page, self.columns = page, columns
        width, height = (side - 2 * _MARGIN for side in PAGES[page])
        self._column = (width - (columns - 1) * _GAP) / columns
        room = (self._column * SIZE / _LEAST_TYPE - 32, 0.55 * height * SIZE / _LEAST_TYPE)
        self.frames = frames = Frames(trace, shown, room=room, panel=True, **look)
        self.scale = min(1.0, self._column / frames.width)
        title = wrap_runs([Run(trace.title, bold=True)], width, _TITLE)
        soft = [[Run(said, "soft_ink")] for said in (trace.note, *frames.remarks, remark)]
        self._head = [
            title,
            *(wrap_runs(runs, width, _SMALL) for runs in (*legend_runs(trace), *soft)),
        ]
        self.rows = int(
            (height - add_heights(self._head) - 8 + _GAP) // (frames.height * self.scale + _GAP)
        )

    def rate(self) -> tuple[Any, ...]:
        """Rate the plan of a contact sheet: the whole graph first; then panels, up to a page full; then large type."""
        whole, panels = self.frames.whole, min(_PANELS, self.columns * self.rows)
        return (
            self.rows > 0,
            whole,
            whole or self.frames.width >= _WIDE,
            panels,
            self.page == "A4",
            self.scale,
        )

    def write_sheet(self, panels: Sequence[str], height: float | None = None) -> str:
        """Write one page of a contact sheet: panels row by row; without a height, as tall as they need."""
        frames, colours, width = self.frames, self.frames.colours, PAGES[self.page][0]
        wide, tall = frames.width * self.scale, frames.height * self.scale
        head, end = write_paragraphs(self._head, _MARGIN, _MARGIN, colours)
        border = {"fill": "none", "stroke": colours.line, "stroke_width": "0.5"}
        parts = []
        for k, svg in enumerate(panels):
            row, place = divmod(k, self.columns)
            x, y = _MARGIN + place * (self._column + _GAP), end + 8 + row * (tall + _GAP)
            inside, at = (
                svg[svg.index(">") + 1 :].removesuffix("</svg>"),
                x + (self._column - wide) / 2,
            )
            view: dict[str, Any] = {
                "width": wide,
                "height": tall,
                "viewBox": f"0 0 {frames.width} {frames.height}",
            }
            parts.append(element("svg", inside, x=at, y=y, **view, overflow="visible"))
            parts.append(element("rect", x=x, y=y, width=self._column, height=tall, **border))
        size = (width, height or round(y + tall + _MARGIN))
        return write_picture(size, colours.paper, frames.trace.title, head, *parts, font_size=SIZE)


def _make_plans(
    trace: Trace, shown: list[int], remark: str, ways: Sequence[tuple[str, int]], theme: str
) -> Iterator[_Plan]:
    """Put the steps on pages in so many columns, the graph running either way."""
    for direction in ("LR", "TB"):
        layout = None
        for page, columns in ways:
            plan = _Plan(
                trace, shown, remark, page, columns, theme=theme, direction=direction, layout=layout
            )
            layout = plan.frames.layout
            yield plan


@dataclass(frozen=True, repr=False)
class Strip:
    """A contact sheet for a handout: chosen steps of a run. A notebook shows it; `save` writes it as SVG, PDF or PNG.

    Attributes
    ----------
    title : str
        What is run.
    description : str
        The sentences of the steps, for a reader who cannot see them.
    pages : tuple of str
        The sheets of paper, as SVG.
    """

    title: str
    description: str
    whole: str
    pages: tuple[str, ...]

    def svg(self) -> str:
        """Return the whole contact sheet as one SVG, as wide as the page and as tall as its panels need."""
        return self.whole

    def save(self, path: str | Path, scale: float = 2.0) -> Path:
        """Write the contact sheet to a file; the ending of the name says how.

        Parameters
        ----------
        path : str or Path
            ``.pdf``: sheets of paper. ``.svg`` or ``.png``: one picture.
        scale : float
            How many times larger a PNG is than on a page.

        Raises
        ------
        PathError
            If it ends in something else, or there is no such folder.
        """
        path = check_path("save", path, ".pdf", ".svg", ".png")
        scale = check_number("save", "scale", scale, 0.1, 10)
        kind = path.suffix.lower()
        if kind == ".svg":
            path.write_text(self.whole, encoding="utf-8")
        else:
            pdf = kind == ".pdf"
            path.write_bytes(
                bitmap.render_pdf(self.pages) if pdf else bitmap.render_png(self.whole, scale)
            )
        return path

    def __repr__(self) -> str:
        return f"<strip of {self.title}: {len(self.pages)} page{'s' * (len(self.pages) != 1)}>"

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None, **_: Any
    ) -> dict[str, str]:
        html = image_tag(self.whole, self.description)
        return notebook_data(html, repr(self), lambda: bitmap.render_png(self.whole))


def strip(
    trace: Trace,
    steps: Iterable[int] | None = None,
    *,
    columns: int | None = None,
    page: str | None = None,
    theme: str = "light",
) -> Strip:
    """Put chosen steps of a run side by side on a contact sheet; see `Trace.strip`."""
    check_choice("strip", "page", page, (None, *PAGES))
    check_choice("strip", "columns", columns, (None, *_COLUMNS))
    check_choice("strip", "theme", theme, bitmap.THEMES)
    shown, remark = pick_steps("strip", trace, steps, _PANELS)
    ways = list(
        itertools.product(
            [page] if page else ["A4", "A4 landscape"], [columns] if columns else _COLUMNS
        )
    )
    plan = max(_make_plans(trace, shown, remark, ways, theme), key=_Plan.rate)
    panels, each = [plan.frames.svg(step) for step in shown], plan.columns * max(1, plan.rows)
    pages = [
        plan.write_sheet(panels[at : at + each], PAGES[plan.page][1])
        for at in range(0, len(panels), each)
    ]
    said = " ".join(map(plan.frames.sentence, shown))
    return Strip(trace.title, f"{trace.title}. {said}", plan.write_sheet(panels), tuple(pages))
