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

# The margin of a page, the gap between two panels, and the space below the heading, in points.
_MARGIN = 36.0
_GAP = 14.0
_BELOW_HEADING = 8
# Sizes of type, in points: of the title, of the notes, and the smallest in a panel.
_TITLE_SIZE = 13.0
_NOTE_SIZE = 9.0
_MIN_SIZE = 7.5
_COLUMNS = (1, 2, 3, 4)
# The panels that a sheet should have.
_MAX_PANELS = 6
# A window on a part of a graph should be at least this wide, in points before it is scaled.
_MIN_WINDOW_WIDTH = 450


class _Plan:
    """A plan of a contact sheet: panels of one size in rows and columns on a page; `look` has options for `Frames`."""

    def __init__(
        self, trace: Trace, shown: list[int], remark: str, page: str, columns: int, **look: Any
    ) -> None:
        self.page = page
        self.columns = columns
        width, height = (side - 2 * _MARGIN for side in PAGES[page])
        self._column = (width - (columns - 1) * _GAP) / columns
        # A larger graph would have to shrink until its type is too small.
        largest = SIZE / _MIN_SIZE
        room = (self._column * largest - 32, 0.55 * height * largest)
        self.frames = Frames(trace, shown, room=room, panel=True, **look)
        self.scale = min(1.0, self._column / self.frames.width)
        self._head = [wrap_runs([Run(trace.title, bold=True)], width, _TITLE_SIZE)]
        notes = [*legend_runs(trace)]
        notes += [[Run(note, "soft_ink")] for note in (trace.note, *self.frames.remarks, remark)]
        self._head += [wrap_runs(runs, width, _NOTE_SIZE) for runs in notes]
        free = height - add_heights(self._head) - _BELOW_HEADING
        # The last row has no gap below.
        self.rows = int((free + _GAP) // (self.frames.height * self.scale + _GAP))

    def rate(self) -> tuple[Any, ...]:
        """Rate a plan of a contact sheet; the best plan has the largest rating.

        In this order, it prefers the whole graph, more panels on a page, upright paper, and larger type.
        """
        is_whole = self.frames.whole
        return (
            self.rows > 0,
            is_whole,
            is_whole or self.frames.width >= _MIN_WINDOW_WIDTH,
            min(_MAX_PANELS, self.columns * self.rows),
            self.page == "A4",
            self.scale,
        )

    def write_sheet(self, panels: Sequence[str], height: float | None = None) -> str:
        """Write one page of a contact sheet with panels row by row; without a height, as tall as they need."""
        frames = self.frames
        colours = frames.colours
        panel_width = frames.width * self.scale
        panel_height = frames.height * self.scale
        head, end = write_paragraphs(self._head, _MARGIN, _MARGIN, colours)
        border = {"fill": "none", "stroke": colours.line, "stroke_width": "0.5"}
        view: dict[str, Any] = {
            "width": panel_width,
            "height": panel_height,
            "viewBox": f"0 0 {frames.width} {frames.height}",
        }
        parts = []
        for k, svg in enumerate(panels):
            row, column = divmod(k, self.columns)
            x = _MARGIN + column * (self._column + _GAP)
            y = end + _BELOW_HEADING + row * (panel_height + _GAP)
            inside = svg[svg.index(">") + 1 :].removesuffix("</svg>")
            left = x + (self._column - panel_width) / 2
            parts.append(element("svg", inside, x=left, y=y, **view, overflow="visible"))
            parts.append(
                element("rect", x=x, y=y, width=self._column, height=panel_height, **border)
            )
        size = (PAGES[self.page][0], height or round(y + panel_height + _MARGIN))
        return write_picture(size, colours.paper, frames.trace.title, head, *parts, font_size=SIZE)


def _make_plans(
    trace: Trace, shown: list[int], remark: str, ways: Sequence[tuple[str, int]], theme: str
) -> Iterator[_Plan]:
    """Yield a plan for each page size and number of columns in `ways`, with the graph in both directions."""
    for direction in ("LR", "TB"):
        # The first plan finds the layout, and the others of this direction use it.
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
        The call that was recorded.
    description : str
        The sentences of the steps, for a reader who can't see the pictures.
    whole : str
        All panels in one SVG.
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
        """Write the contact sheet to a file, in the format of the file's suffix.

        Parameters
        ----------
        path : str or Path
            ``.pdf`` for sheets of paper, ``.svg`` or ``.png`` for one picture.
        scale : float
            The size of a PNG, relative to its size on a page.

        Raises
        ------
        PathError
            If the path has another suffix, or its folder doesn't exist.
        """
        path = check_path("save", path, ".pdf", ".svg", ".png")
        scale = check_number("save", "scale", scale, 0.1, 10)
        suffix = path.suffix.lower()
        if suffix == ".svg":
            path.write_text(self.whole, encoding="utf-8")
        elif suffix == ".pdf":
            path.write_bytes(bitmap.render_pdf(self.pages))
        else:
            path.write_bytes(bitmap.render_png(self.whole, scale))
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
    shown, remark = pick_steps("strip", trace, steps, _MAX_PANELS)
    pages = [page] if page else ["A4", "A4 landscape"]
    column_counts = [columns] if columns else _COLUMNS
    ways = list(itertools.product(pages, column_counts))
    plan = max(_make_plans(trace, shown, remark, ways, theme), key=_Plan.rate)
    panels = [plan.frames.svg(step) for step in shown]
    _, page_height = PAGES[plan.page]
    per_sheet = plan.columns * max(1, plan.rows)
    sheets = [
        plan.write_sheet(panels[at : at + per_sheet], page_height)
        for at in range(0, len(panels), per_sheet)
    ]
    sentences = " ".join(plan.frames.sentence(step) for step in shown)
    description = f"{trace.title}. {sentences}"
    return Strip(trace.title, description, plan.write_sheet(panels), tuple(sheets))
