"""Frames: pictures of single steps, each with the graph after the step, and the step's arithmetic and sentence below.

All frames of a run have the same size, and each box keeps its place, so they can be shown as an animation.
`figures.graph` draws the graph; this module adds the text around it.
"""

from collections.abc import Mapping, Sequence
from itertools import compress
from pathlib import Path
from typing import Any

from autodiff_lab.figures.export import bitmap, svg_text
from autodiff_lab.figures.export.svg_text import (
    Paragraph,
    Run,
    add_heights,
    wrap_runs,
    write_paragraphs,
)
from autodiff_lab.figures.export.viewport import crop, place_windows
from autodiff_lab.figures.graph.boxes import SIZE
from autodiff_lab.figures.graph.draw import graph, picture
from autodiff_lab.figures.graph.layout import layout_of
from autodiff_lab.figures.style.svg import element, write_picture
from autodiff_lab.figures.style.themes import find_theme, follow_page_theme
from autodiff_lab.text.arguments import check_path, check_step
from autodiff_lab.text.messages import message
from autodiff_lab.text.notation import escape
from autodiff_lab.trace.model import Trace
from autodiff_lab.trace.outline import group_lines

_MARGIN = 16.0
_TITLE, _EQUATION = 18.0, 15.0
# The smallest scale of the graph, and the smallest width of the text, of a single frame and of a panel.
_PICTURE, _PANEL = (0.75, 560.0), (1.0, 240.0)
# The height of a window on a part of a graph: this share of its width, and at least this many points.
_FLAT, _LOW = 0.45, 250.0
# At a cut, the graph fades out under translucent strips, each a little wider than the one before: the width of the
# widest, their number, and their opacity.
_DEPTH, _VEILS, _VEIL = 24.0, 8, "0.25"
_SINGLE = 250  # tape lines: a longer tape is drawn in groups


class Frames:
    """The frames of one run: an SVG picture for each step, all of one size.

    Parameters
    ----------
    trace : Trace
    steps : sequence of int, optional
        The steps to be shown, by default all. The frame is tall enough for the text of each of them.
    theme : {"light", "dark", "auto"}
        ``"auto"`` turns dark on a dark page; it works only for SVG.
    direction : {"LR", "TB"}
        The direction of the graph: left to right, or top to bottom.
    room : pair of float
        The largest width and height of the graph; of a larger one, a window that follows the steps is shown.
    panel : bool
        Whether the frames are panels of a sheet, which has the title and the legend. A panel shows the sentence without
        the arithmetic, and its graph isn't scaled down.
    remark : str
        An additional footnote.
    layout : mapping, optional
        The `layout` of other frames of the same run in the same direction, to save computing it again.

    Attributes
    ----------
    width, height : float
        The size of every frame, in points.
    colours : Theme
    whole : bool
        Whether the whole graph is in view.
    """

    def __init__(
        self,
        trace: Trace,
        steps: Sequence[int] | None = None,
        *,
        theme: str = "light",
        direction: str = "LR",
        room: tuple[float, float] = (940.0, 560.0),
        panel: bool = False,
        remark: str = "",
        layout: Mapping[str, Any] | None = None,
    ) -> None:
        self.trace = trace
        self._theme, self.colours = theme, find_theme("frames", theme)
        self._direction, self._panel = direction, panel
        self._group = "auto" if len(trace.lines) > _SINGLE else None
        self._groups = group_lines(trace, self._group)
        self.layout = layout_of(self._graph(len(trace.steps) - 1)) if layout is None else layout
        across, down = self.layout["width"], self.layout["height"]
        smallest, narrowest = _PANEL if panel else _PICTURE
        # A graph that is a little too large shrinks; one that is much too large shrinks too, and a part of it is shown.
        fitting = min(1.0, room[0] / across, room[1] / down)
        self.whole, scale = fitting >= smallest, max(fitting, smallest)
        width, height = min(across, room[0] / scale), min(down, room[1] / scale)
        self._window = width, height if self.whole else min(height, max(_LOW, _FLAT * width))
        self._corners = place_windows(trace, self._groups, self.layout, *self._window)
        self._size = self._window[0] * scale, self._window[1] * scale
        self.width = round(max(self._size[0], narrowest) + 2 * _MARGIN)
        said = [] if panel else [trace.note, *self.remarks, remark]
        self._footer = [self._wrap([Run(one, "soft_ink")]) for one in said if one]
        self._top = self._head(-1)[1]
        steps = range(-1, len(trace.steps)) if steps is None else steps
        words = max(add_heights(self._words(step)) for step in steps)
        footer = add_heights(self._footer) + 6 if self._footer else 0
        self.height = round(self._top + self._size[1] + 12 + words + footer + _MARGIN)

    def svg(self, step: int) -> str:
        """Draw the frame of a step as SVG; −1 is before the first."""
        colours, below = self.colours, self._top + self._size[1] + 8
        footer = self.height - _MARGIN - add_heights(self._footer)
        svg = write_picture(
            (self.width, self.height),
            colours.paper,
            message("picture of", title=self.trace.title, step=self._number(step)),
            element("desc", escape(self.sentence(step))),
            self._head(step)[0],
            self._view(step, _MARGIN + (self.width - 2 * _MARGIN - self._size[0]) / 2, self._top),
            element(
                "path", d=f"M{_MARGIN:g},{below:.1f}H{self.width - _MARGIN:g}", stroke=colours.faint
            ),
            write_paragraphs(self._words(step), _MARGIN, below + 4, colours)[0],
            write_paragraphs(self._footer, _MARGIN, footer, colours)[0],
            font_size=SIZE,
        )
        return follow_page_theme(svg) if self._theme == "auto" else svg

    def sentence(self, step: int) -> str:
        """Return the sentence below the graph in the frame of a step.

        Below the arithmetic, it is the shorter sentence that the player shows too.
        """
        if step < 0:
            return self.trace.opening
        shown = self.trace.steps[step]
        return shown.sentence if self._panel else shown.shown_sentence

    @property
    def remarks(self) -> list[str]:
        """The footnotes of a frame, if its graph is drawn in groups, or if only a part of it is in view."""
        boxes = len(self._groups) + len(self.trace.inputs)
        remarks = []
        if self._group:
            remarks.append(message("grouped", lines=len(self.trace.lines), boxes=boxes))
        if not self.whole:
            remarks.append(message("in view", boxes=boxes))
        return remarks

    def _graph(self, step: int) -> Any:
        drawing = graph(
            self.trace, step, direction=self._direction, theme=self._theme, group=self._group
        )
        # The frame already has a background; painting a second one under all of a large graph would take minutes.
        drawing.graph_attr["bgcolor"] = "transparent"
        return drawing

    def _wrap(self, runs: list[Run], size: float = SIZE) -> Paragraph:
        return wrap_runs(runs, self.width - 2 * _MARGIN, size)

    def _number(self, step: int) -> str:
        if step < 0:
            return message("before the first")
        return message("step", step=step + 1, count=len(self.trace.steps))

    def _head(self, step: int) -> tuple[str, float]:
        """Write the text above the graph; return its SVG, and the y at which the graph begins."""
        colours = self.colours
        top = _MARGIN * 0.6
        right = self.width - _MARGIN
        counter = [Run(self._number(step), "soft_ink")]
        if step >= 0:
            phase = Run(message(f"phase.{self.trace.steps[step].phase}"), "ink", True)
            counter = svg_text.fill_runs("counter", step=counter[0], phase=phase)
        count = Paragraph([counter])
        if self._panel:
            written, end = write_paragraphs([count], _MARGIN, top, colours)
            return written, end + 6
        title = wrap_runs(
            [Run(self.trace.title, bold=True)], right - _MARGIN - count.width - 24, _TITLE
        )
        if len(title.lines) > 1:
            title = Paragraph([[Run(title.lines[0][0].text + "…", bold=True)]], _TITLE)
        paragraphs = [title, *map(self._wrap, svg_text.legend_runs(self.trace))]
        written, end = write_paragraphs(paragraphs, _MARGIN, top, colours)
        return write_paragraphs([count], right, top + 4, colours, "end")[0] + written, end + 6

    def _words(self, step: int) -> list[Paragraph]:
        """Return the paragraphs below the graph: the arithmetic and the sentence."""
        equations = () if step < 0 or self._panel else self.trace.steps[step].equations
        arithmetic = [
            self._wrap(svg_text.equation_runs(equation), _EQUATION) for equation in equations
        ]
        return [*arithmetic, self._wrap([Run(self.sentence(step))])]

    def _view(self, step: int, x: float, y: float) -> str:
        """Draw the graph, or the part of it that is in the window."""
        drawn = picture(self._graph(step))
        inside = drawn[drawn.index(">") + 1 :].removesuffix("</svg>")
        (left, top), (wide, tall) = self._corners[step + 1], self._window
        view: dict[str, Any] = {
            "x": x,
            "y": y,
            "width": f"{self._size[0]:g}",
            "height": f"{self._size[1]:g}",
        }
        view["viewBox"] = f"{left:.1f} {top:.1f} {wide:g} {tall:g}"
        if self.whole:
            # Painting without clipping takes half the time.
            return element("svg", inside, **view, overflow="visible")
        right, bottom = self.layout["width"] - wide - left, self.layout["height"] - tall - top
        shown = element("svg", crop(inside, (left, top), wide, tall), **view)
        return shown + self._fade(x, y, [left > 1, right > 1, top > 1, bottom > 1])

    def _fade(self, x: float, y: float, cut: Sequence[bool]) -> str:
        """Fade the graph into the background where it is `cut`: on the left, right, top or bottom of the window."""
        width, height = self._size
        look = {"fill": self.colours.paper, "fill_opacity": _VEIL, "stroke": "none"}
        veils = []
        for k in range(1, _VEILS + 1):
            deep = _DEPTH * k / _VEILS
            beside = [(x, y, deep, height), (x + width - deep, y, deep, height)]
            across = [(x, y, width, deep), (x, y + height - deep, width, deep)]
            for left, top, wide, tall in compress((*beside, *across), cut):
                veils.append(element("rect", x=left, y=top, width=wide, height=tall, **look))
        return "".join(veils)


def save_svg(
    trace: Trace, path: str | Path, step: int | None = None, *, theme: str = "auto"
) -> Path:
    """Write the frame of a step as an SVG file; see `Trace.save_svg`."""
    path = check_path("save_svg", path, ".svg")
    step = check_step("save_svg", step, len(trace.steps))
    path.write_text(Frames(trace, theme=theme).svg(step), encoding="utf-8")
    return path


def save_png(
    trace: Trace,
    path: str | Path,
    step: int | None = None,
    *,
    theme: str = "light",
    scale: float = 2.0,
) -> Path:
    """Write the frame of a step as a PNG file; see `Trace.save_png`."""
    path = check_path("save_png", path, ".png")
    step = check_step("save_png", step, len(trace.steps))
    theme, scale = bitmap.check_options("save_png", theme, scale)
    path.write_bytes(bitmap.render_png(Frames(trace, theme=theme).svg(step), scale))
    return path
