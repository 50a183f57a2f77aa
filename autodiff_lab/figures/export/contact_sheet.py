"""A strip of frames for a handout: chosen steps side by side, each with its sentence, as wide as a page."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from autodiff_lab.figures.export import bitmap, svg_text
from autodiff_lab.figures.export.animation import some_steps
from autodiff_lab.figures.export.frame import Frames, legend
from autodiff_lab.figures.export.svg_text import Run, wrapped, written
from autodiff_lab.figures.graph.box_size import SIZE
from autodiff_lab.figures.graph.render import DrawingError, data_url
from autodiff_lab.figures.style.fonts import stack
from autodiff_lab.figures.style.themes import theme_of
from autodiff_lab.text.notation import escape
from autodiff_lab.text.options import one_of
from autodiff_lab.text.output_paths import checked_path, checked_steps, chosen
from autodiff_lab.trace.model import Trace

__all__ = ["Strip", "strip"]

PAGES = {
    "A4": (595.0, 842.0),
    "A4 landscape": (842.0, 595.0),
    "letter": (612.0, 792.0),
    "letter landscape": (792.0, 612.0),
}
"""Paper, in points."""

_MARGIN, _GAP = 36.0, 14.0
_TITLE, _SMALL = 13.0, 9.0
_LEAST_TYPE = 7.5
_MOST_COLUMNS = 4
_PANELS = 6
_WIDE = 450


class _Plan(NamedTuple):
    """So many columns on a page, and the frames that stand in them, so much smaller."""

    page: str
    columns: int
    rows: int
    frames: Frames
    scale: float


@dataclass(frozen=True, repr=False)
class Strip:
    """Chosen steps of a run for a handout. A notebook shows it; `save` writes it as SVG, PDF or PNG.

    Attributes
    ----------
    title : str
        What is run.
    description : str
        The sentences of the steps, for a reader who cannot see them.
    pages : tuple of str
        The sheets of paper, as SVG.
    printed : Strip or None
        The same in English, for PDF and PNG, on a machine that has no type for its language.
    """

    title: str
    description: str
    whole: str
    pages: tuple[str, ...]
    printed: Strip | None = None

    def svg(self) -> str:
        """Give the whole strip as one picture, as wide as the page and as tall as it has to be."""
        return self.whole

    def save(self, path: str | Path, scale: float = 2.0) -> Path:
        """Write the strip; the ending of the name says how.

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
        path = checked_path("save", path, ".pdf", ".svg", ".png")
        scale = bitmap.check_scale("save", scale)
        kind, printed = path.suffix.lower(), self.printed or self
        if kind == ".svg":
            path.write_text(self.whole, encoding="utf-8")
        else:
            pdf = kind == ".pdf"
            path.write_bytes(bitmap.render_pdf(printed.pages) if pdf else bitmap.render_png(printed.whole, scale))
        return path

    def __repr__(self) -> str:
        return f"<strip of {self.title}: {len(self.pages)} page{'s' * (len(self.pages) != 1)}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None, **_: Any) -> dict[str, str]:
        data = {
            "text/html": f'<img alt="{escape(self.description)}" style="max-width:100%;height:auto" '
            f'src="{data_url(self.whole)}">',
            "text/plain": repr(self),
        }
        with contextlib.suppress(DrawingError):
            data["image/png"] = base64.b64encode(bitmap.render_png((self.printed or self).whole)).decode()
        return data


def strip(
    trace: Trace,
    steps: Iterable[int] | None = None,
    *,
    columns: int | None = None,
    page: str | None = None,
    theme: str = "light",
) -> Strip:
    """Put chosen steps of a run side by side; see `Trace.strip`."""
    one_of("strip", "page", page, (None, *PAGES))
    one_of("strip", "columns", columns, (None, *range(1, _MOST_COLUMNS + 1)))
    one_of("strip", "theme", theme, bitmap.THEMES)
    steps, count = None if steps is None else list(steps) if isinstance(steps, Iterable) else steps, len(trace.steps)
    shown = (
        checked_steps("strip", steps, count) if steps is not None else chosen([s.phase for s in trace.steps], _PANELS)
    )
    shown = shown or [-1]
    remark = some_steps(trace, len(shown)) if steps is None and len(shown) < count else ""
    plan = max(_plans(trace, shown, remark, columns, page, theme), key=_worth)
    drawn = [plan.frames.svg(step) for step in shown]
    said = [plan.frames.sentence(step) for step in shown]
    sheets = list(_sheets(plan, drawn, remark, theme))
    whole = _sheet(plan, drawn, remark, theme, None)
    printable = bitmap.translate_if_illegible("strip", trace)
    printed = None if printable is trace else strip(printable, steps, columns=columns, page=page, theme=theme)
    return Strip(trace.title, f"{trace.title}. {' '.join(said)}", whole, tuple(sheets), printed)


def _plans(
    trace: Trace, shown: list[int], remark: str, columns: int | None, page: str | None, theme: str
) -> Iterator[_Plan]:
    """Every way to put the frames on a page in which their type can be read."""
    layouts: dict[str, Any] = {}
    for name in [page] if page else ["A4", "A4 landscape"]:
        width, height = (side - 2 * _MARGIN for side in PAGES[name])
        for n in [columns] if columns else range(1, _MOST_COLUMNS + 1):
            column = (width - (n - 1) * _GAP) / n
            for direction in ("LR", "TB"):
                frames = Frames(
                    trace,
                    shown,
                    theme=theme,
                    direction=direction,
                    widest=column * SIZE / _LEAST_TYPE - 32,
                    tallest=0.55 * height * SIZE / _LEAST_TYPE,
                    narrowest=240.0,
                    smallest=1.0,
                    arithmetic=False,
                    titled=False,
                    layout=layouts.get(direction),
                )
                layouts[direction] = frames.layout
                scale = min(1.0, column / frames.width)
                rows = int((height - _head_height(frames, width, remark) + _GAP) // (frames.height * scale + _GAP))
                if rows:
                    yield _Plan(name, n, rows, frames, scale)


def _worth(plan: _Plan) -> tuple[Any, ...]:
    """The whole graph before a large part of it; then as many panels as fit, up to a page full; then large type."""
    much = plan.frames.whole or plan.frames.width >= _WIDE
    return plan.frames.whole, much, min(_PANELS, plan.columns * plan.rows), plan.page == "A4", plan.scale


def _sheets(plan: _Plan, drawn: list[str], remark: str, theme: str) -> Iterator[str]:
    each = plan.columns * plan.rows
    for at in range(0, len(drawn), each):
        yield _sheet(plan, drawn[at : at + each], remark, theme, PAGES[plan.page][1])


def _head(frames: Frames, width: float, remark: str) -> list[tuple[list[list[Run]], float]]:
    """What stands above the panels: what is run, how to read a box, and what is unusual."""
    said = [
        ([Run(frames.trace.title, bold=True)], _TITLE),
        (legend(frames.trace), _SMALL),
        ([Run(frames.trace.warning, "adjoint", True)], _SMALL),
        *(([Run(said, "soft_ink")], _SMALL) for said in (frames.trace.note, *frames.remarks, remark)),
    ]
    return [(wrapped(runs, width, size), size) for runs, size in said]


def _head_height(frames: Frames, width: float, remark: str) -> float:
    return sum(svg_text.height(len(lines), size) for lines, size in _head(frames, width, remark)) + 8


def _sheet(plan: _Plan, drawn: list[str], remark: str, theme: str, tall: float | None) -> str:
    """Put panels on one sheet, row by row; if it is not so `tall`, it is as tall as it has to be."""
    colours, (wide, _) = theme_of("strip", theme), PAGES[plan.page]
    room = wide - 2 * _MARGIN
    column = (room - (plan.columns - 1) * _GAP) / plan.columns
    width, height = plan.frames.width * plan.scale, plan.frames.height * plan.scale
    y, parts = _MARGIN, []
    for lines, size in _head(plan.frames, room, remark):
        parts.append(written(lines, _MARGIN, y, colours, size))
        y += svg_text.height(len(lines), size)
    y += 8
    for k, svg in enumerate(drawn):
        row, place = divmod(k, plan.columns)
        left, top = _MARGIN + place * (column + _GAP), y + row * (height + _GAP)
        parts.append(
            f'<svg x="{left + (column - width) / 2:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" '
            f'overflow="visible" viewBox="0 0 {plan.frames.width} {plan.frames.height}">{svg[svg.index(">") + 1 :]}'
        )
        parts.append(
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{column:.1f}" height="{height:.1f}" fill="none" '
            f'stroke="{colours.line}" stroke-width="0.5"/>'
        )
    rows, type_ = -(-len(drawn) // plan.columns), stack(plan.frames.trace.lang)
    tall = tall or round(y + rows * (height + _GAP) - _GAP + _MARGIN)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" role="img" width="{wide:g}pt" '
        f'height="{tall:g}pt" viewBox="0 0 {wide:g} {tall:g}" font-family="{type_}" font-size="{SIZE}">'
        f"<title>{escape(plan.frames.trace.title)}</title>"
        f'<rect x="0" y="0" width="{wide:g}" height="{tall:g}" fill="{colours.paper}" stroke="none"/>'
        f"{''.join(parts)}</svg>"
    )
