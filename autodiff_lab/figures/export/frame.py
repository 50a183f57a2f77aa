"""Pictures of single steps: the graph as it stands, with the arithmetic and the sentence of the step below it.

All frames of a run have one size, and each box keeps its place: they can be shown one after the other. The graph is
drawn by `graphs.graph`; here it gets its surroundings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from autodiff_lab.figures.export import bitmap, svg_text
from autodiff_lab.figures.export.svg_text import Run, of_equation, wrapped, written
from autodiff_lab.figures.export.viewport import corners, within
from autodiff_lab.figures.graph.box_size import SIZE, text_width
from autodiff_lab.figures.graph.draw import graph, picture
from autodiff_lab.figures.graph.layout import layout_of
from autodiff_lab.figures.style.fonts import stack
from autodiff_lab.figures.style.themes import following, theme_of
from autodiff_lab.text.messages import in_its_language, pieces, say, speaking
from autodiff_lab.text.notation import escape
from autodiff_lab.text.options import one_of
from autodiff_lab.text.output_paths import checked_path, checked_step
from autodiff_lab.trace.groups import groups_of
from autodiff_lab.trace.model import Trace

__all__ = ["Frames", "save_png", "save_svg"]

_MARGIN = 16.0
_TITLE, _EQUATION = 18.0, 15.0
_NARROWEST, _WIDEST, _TALLEST = 560.0, 940.0, 560.0
_SMALLEST = 0.75
_FLAT, _LOW = 0.45, 250.0  # how tall a window on a part of a graph is, by its width and at least
_DEPTH, _VEILS, _VEIL = 24.0, 8, 0.25  # a cut edge fades under veils, each a little deeper than the one before
_SINGLE = 250  # lines of a tape that are drawn one by one


class Frames:
    """The frames of one run.

    Parameters
    ----------
    trace : Trace
    steps : sequence of int, optional
        Which steps are to be shown; all of them, if not given. The frame has room for the words of these.
    theme : {"light", "dark", "auto"}
        ``"auto"`` turns dark on a dark page; it is for SVG alone.
    direction : {"LR", "TB"}
        Which way the graph runs.
    widest, tallest : float
        How much room the graph has, in points; a larger one is looked at through a window that follows the steps.
    narrowest : float
        How much room the words have at least.
    smallest : float
        To which part of its size a graph may shrink before it counts as too large.
    arithmetic : bool
        Whether the equations of a step stand above its sentence.
    titled : bool
        Whether the frame says what is run, and its remarks. Frames that stand beside each other need that only once.
    remark : str
        What else a frame has to say.
    layout : mapping, optional
        The `layout` of other frames of the same run in the same direction, which need not be found a second time.

    Attributes
    ----------
    width, height : float
        The size of every frame, in points.
    whole : bool
        Whether all of the graph is in view.
    """

    def __init__(
        self,
        trace: Trace,
        steps: Sequence[int] | None = None,
        *,
        theme: str = "light",
        direction: str = "LR",
        widest: float = _WIDEST,
        tallest: float = _TALLEST,
        narrowest: float = _NARROWEST,
        smallest: float = _SMALLEST,
        arithmetic: bool = True,
        titled: bool = True,
        remark: str = "",
        layout: Mapping[str, Any] | None = None,
    ) -> None:
        self.trace, self.titled = trace, titled
        self._theme, self._colours = theme, theme_of("frames", theme)
        self._group = "auto" if len(trace.lines) > _SINGLE else None
        self._groups = groups_of(trace, self._group)
        self._direction = direction
        self._arithmetic = arithmetic
        self.layout = layout_of(self._graph(len(trace.steps) - 1)) if layout is None else layout
        across, down = self.layout["width"], self.layout["height"]
        self.whole = smallest * across <= widest and smallest * down <= tallest
        # A graph that is a little too large shrinks; one that is much too large shrinks too, and a part of it is shown.
        self._scale = min(1.0, widest / across, tallest / down) if self.whole else smallest
        self._window = (min(across, widest / self._scale), min(down, tallest / self._scale))
        if not self.whole:
            self._window = (self._window[0], min(self._window[1], max(_LOW, _FLAT * self._window[0])))
            self._air = (across - self._window[0], down - self._window[1])
        self._corners = corners(trace, self._groups, self.layout, *self._window)
        self._size = (self._window[0] * self._scale, self._window[1] * self._scale)
        self.width = round(max(self._size[0], narrowest) + 2 * _MARGIN)
        said = [trace.note, *self.remarks, remark] if titled else []
        room = self.width - 2 * _MARGIN
        self._footer = [line for one in said if one for line in wrapped([Run(one, "soft_ink")], room)]
        steps = range(-1, len(trace.steps)) if steps is None else steps
        self._top = self._head_height()
        self._below = max(self._words_height(step) for step in steps)
        footer = svg_text.height(len(self._footer)) + 6 if self._footer else 0
        self.height = round(self._top + self._size[1] + 12 + self._below + footer + _MARGIN)

    def svg(self, step: int) -> str:
        """Draw the frame of a step; −1 is before the first."""
        with speaking(self.trace.lang):
            return self._drawn(step)

    def _drawn(self, step: int) -> str:
        colours, room = self._colours, self.width - 2 * _MARGIN
        y = self._top + self._size[1] + 12
        parts = [
            f'<rect x="0" y="0" width="{self.width}" height="{self.height}" fill="{colours.paper}" stroke="none"/>',
            self._head(step),
            self._through_window(step, _MARGIN + (room - self._size[0]) / 2, self._top),
            f'<path d="M{_MARGIN:g},{y - 4:.1f}L{self.width - _MARGIN:g},{y - 4:.1f}" stroke="{colours.faint}"/>',
        ]
        for lines, size in self._words_of(step):
            parts.append(written(lines, _MARGIN, y, colours, size))
            y += svg_text.height(len(lines), size)
        if self._footer:
            top = self.height - _MARGIN - svg_text.height(len(self._footer))
            parts.append(written(self._footer, _MARGIN, top, colours))
        return self._whole(step, "".join(parts))

    def _whole(self, step: int, inside: str) -> str:
        title = say("picture of", title=self.trace.title, step=self._counter(step))
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" role="img" width="{self.width}pt" '
            f'height="{self.height}pt" viewBox="0 0 {self.width} {self.height}" font-family="{stack(self.trace.lang)}" '
            f'font-size="{SIZE}"><title>{escape(title)}</title><desc>{escape(self.sentence(step))}</desc>'
            f"{inside}</svg>"
        )
        return following(svg) if self._theme == "auto" else svg

    def _graph(self, step: int) -> Any:
        drawing = graph(self.trace, step, direction=self._direction, theme=self._theme, group=self._group)
        # The frame has paper already; a second one, under all of a large graph, would be painted for minutes.
        drawing.graph_attr["bgcolor"] = "transparent"
        return drawing

    # What stands above the graph

    def _head_height(self) -> float:
        rows = svg_text.height(1, _TITLE) + svg_text.height(len(self._legend())) if self.titled else 0
        warning = svg_text.height(len(self._warning()))
        return _MARGIN * 0.6 + (rows or svg_text.height(1)) + warning + 6

    def _head(self, step: int) -> str:
        colours, right, y = self._colours, self.width - _MARGIN, _MARGIN * 0.6
        counter = [Run(self._counter(step), "soft_ink")]
        if step >= 0:
            phase = Run(say(f"phase.{self.trace.steps[step].phase}"), "ink", True)
            written_out = pieces("counter", step=counter[0], phase=phase)
            counter = [piece if isinstance(piece, Run) else Run(piece, "soft_ink") for piece in written_out]
        if not self.titled:
            return written([counter], _MARGIN, y, colours)
        room = right - _MARGIN - sum(text_width(run.text, run.bold) for run in counter) - 24
        title = wrapped([Run(self.trace.title, bold=True)], room, _TITLE)
        if len(title) > 1:
            title = [[title[0][0]._replace(text=title[0][0].text + "…")]]
        rows = [written(title, _MARGIN, y, colours, _TITLE), written([counter], right, y + 4, colours, anchor="end")]
        y += svg_text.height(1, _TITLE)
        rows.append(written(self._legend(), _MARGIN, y, colours))
        y += svg_text.height(len(self._legend()))
        rows.append(written(self._warning(), _MARGIN, y, colours))
        return "".join(rows)

    def _counter(self, step: int) -> str:
        if step < 0:
            return say("before the first")
        return say("step", step=step + 1, count=len(self.trace.steps))

    def _legend(self) -> list[list[Run]]:
        return wrapped(legend(self.trace), self.width - 2 * _MARGIN)

    def _warning(self) -> list[list[Run]]:
        return wrapped([Run(self.trace.warning, "adjoint", True)], self.width - 2 * _MARGIN)

    # What stands below it

    def _words_of(self, step: int) -> list[tuple[list[list[Run]], float]]:
        room = self.width - 2 * _MARGIN
        said = [(wrapped([Run(self.sentence(step))], room), SIZE)]
        if step < 0 or not self._arithmetic:
            return said
        lines = [
            line for one in self.trace.steps[step].equations for line in wrapped(of_equation(one), room, _EQUATION)
        ]
        return [(lines, _EQUATION), *said]

    def _words_height(self, step: int) -> float:
        return sum(svg_text.height(len(lines), size) for lines, size in self._words_of(step))

    def sentence(self, step: int) -> str:
        """What is said at a step."""
        return self.trace.steps[step].sentence if step >= 0 else self.trace.opening

    @property
    def remarks(self) -> list[str]:
        """What the picture of this graph leaves out, or puts together."""
        boxes = len(self._groups) + len(self.trace.inputs)
        with speaking(self.trace.lang):
            grouped = [say("grouped", lines=len(self.trace.lines), boxes=boxes)] if self._group else []
            return grouped if self.whole else [*grouped, say("in view", boxes=boxes)]

    def _through_window(self, step: int, x: float, y: float) -> str:
        drawn = picture(self._graph(step))
        inside = drawn[drawn.index(">") + 1 :].removesuffix("</svg>")
        left, top = self._corners[step + 1]
        inside = inside if self.whole else within(inside, (left, top), *self._window)
        width, height = self._size
        overflow = ' overflow="visible"' if self.whole else ""  # what is not cut is painted in half the time
        return (
            f'<svg x="{x:.1f}" y="{y:.1f}" width="{width:g}" height="{height:g}" '
            f'viewBox="{left:.1f} {top:.1f} {self._window[0]:g} {self._window[1]:g}"{overflow}>{inside}</svg>'
            f"{'' if self.whole else self._faded(left, top, x, y)}"
        )

    def _faded(self, left: float, top: float, x: float, y: float) -> str:
        """Let the graph fade into the paper at those sides of the window beyond which there is more of it."""
        (width, height), (across, down) = self._size, self._air
        veils = []
        for k in range(1, _VEILS + 1):
            deep = _DEPTH * k / _VEILS
            veils += [(x, y, deep, height)] * (left > 1) + [(x + width - deep, y, deep, height)] * (left < across - 1)
            veils += [(x, y, width, deep)] * (top > 1) + [(x, y + height - deep, width, deep)] * (top < down - 1)
        return "".join(
            f'<rect x="{at:.1f}" y="{over:.1f}" width="{wide:.1f}" height="{tall:.1f}" fill="{self._colours.paper}" '
            f'fill-opacity="{_VEIL}" stroke="none"/>'
            for at, over, wide, tall in veils
        )


@in_its_language
def legend(trace: Trace) -> list[Run]:
    """How to read a box of the graph, in its colours."""
    inks = {kind: Run(say(kind), kind, True) for kind in ("value", "adjoint", "tangent")}
    written = pieces(f"legend.{trace.mode}", **inks)
    return [piece if isinstance(piece, Run) else Run(piece, "soft_ink") for piece in written]


def save_svg(trace: Trace, path: str | Path, step: int | None = None, *, theme: str = "auto") -> Path:
    """Write a step as SVG; see `Trace.save_svg`."""
    path = checked_path("save_svg", path, ".svg")
    step = checked_step("save_svg", step, len(trace.steps))
    path.write_text(Frames(trace, theme=theme).svg(step), encoding="utf-8")
    return path


def save_png(
    trace: Trace, path: str | Path, step: int | None = None, *, theme: str = "light", scale: float = 2.0
) -> Path:
    """Write a step as PNG; see `Trace.save_png`."""
    path = checked_path("save_png", path, ".png")
    step = checked_step("save_png", step, len(trace.steps))
    one_of("save_png", "theme", theme, bitmap.THEMES)
    scale = bitmap.check_scale("save_png", scale)
    trace = bitmap.translate_if_illegible("save_png", trace)
    path.write_bytes(bitmap.render_png(Frames(trace, theme=theme).svg(step), scale))
    return path
