"""Our own SVG pictures as PNG and PDF, drawn by matplotlib with the type that it brings along.

The same picture comes out on every machine, and no other program is needed. What is read is the small part of SVG
that `frames` and Graphviz write: rectangles, polygons, paths of straight lines and curves, text, and windows.
"""

from __future__ import annotations

import contextlib
import io
import logging
import math
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple
from xml.etree import ElementTree

import matplotlib
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Ellipse, PathPatch, Polygon, Rectangle
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Affine2D, Bbox, TransformedBbox

from autodiff_lab.engine.errors import InputError
from autodiff_lab.figures.graph.render import DrawingError
from autodiff_lab.figures.plots.style import Plot, _settings
from autodiff_lab.figures.style import fonts
from autodiff_lab.figures.style.themes import LIGHT
from autodiff_lab.trace.model import Trace

THEMES = ("light", "dark")
"""Only a picture in a page can follow it; one made of pixels has to be the one or the other."""

_CHINESE = re.compile(
    "[\N{CJK RADICAL REPEAT}-\N{CJK UNIFIED IDEOGRAPH-9FFF}\N{FULLWIDTH EXCLAMATION MARK}-\N{FULLWIDTH TILDE}]"
)
_INCH = 72.0
_LARGEST_SCALE = 10.0


def checked_scale(function: str, scale: float) -> float:
    """Give back a scale that a picture can be drawn at.

    Raises
    ------
    InputError
        If it is no number between 0.1 and 10.
    """
    try:
        number = float(scale)
    except (TypeError, ValueError):
        number = math.nan
    if not 0.1 <= number <= _LARGEST_SCALE:
        raise InputError(f"{function}(scale={scale!r}) is not possible; scale is a number from 0.1 to 10, as 2.")
    return number


def legible(function: str, trace: Trace) -> Trace:
    """Give back a trace, in English where this machine has no type for its language.

    Raises
    ------
    DrawingError
        If there is no type, and the trace can no longer be told in English.
    """
    if trace.lang == "en" or fonts.chinese_font():
        return trace
    english = trace.in_english()
    remedy = "Install one (on Debian: fonts-noto-cjk), or write SVG, which uses the reader's own."
    if english is None:
        raise DrawingError(f"{function}: no font on this machine has Chinese characters. {remedy}")
    warnings.warn(
        f"{function}: no font on this machine has Chinese characters, so the picture is in English. {remedy}",
        stacklevel=4,
    )
    return english


def png(svg: str, scale: float = 1.0) -> bytes:
    """Draw a picture as PNG, so many times larger than on a page; the same bytes every time."""
    # Letters that are moved onto whole pixels would take more room than was measured.
    with _at_any_weight(), matplotlib.rc_context({"text.hinting": "none"}):
        return _figure(svg).png(scale)


def pdf(svgs: Sequence[str]) -> bytes:
    """Draw pictures as the pages of a PDF, with their type inside; the same bytes every time."""
    file = io.BytesIO()
    nothing = dict.fromkeys(("CreationDate", "Creator", "Producer"))
    settings = {**_settings(LIGHT), "pdf.fonttype": 42}
    with _at_any_weight(), matplotlib.rc_context(settings), PdfPages(file, metadata=nothing) as pages:
        for svg in svgs:
            pages.savefig(_figure(svg))
    return file.getvalue()


class _Place(NamedTuple):
    """Where an element is drawn: shifted, scaled, perhaps within a window; and what it takes over."""

    x: float
    y: float
    scale: float
    window: Any
    size: float


@contextlib.contextmanager
def _at_any_weight() -> Iterator[None]:
    """Let a font that has no bold stand in at its own weight, without a message about it."""
    log = logging.getLogger("matplotlib.font_manager")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


def _figure(svg: str) -> Plot:
    root = ElementTree.fromstring(svg)
    width, height = (float(n) for n in root.get("viewBox", "").split()[2:])
    figure = Plot(figsize=(width / _INCH, height / _INCH))
    _Painter(figure, height).children(root, _Place(0.0, 0.0, 1.0, None, float(root.get("font-size", 14))))
    return figure


class _Painter:
    """Puts the elements of a picture onto a figure, whose own y runs upwards."""

    def __init__(self, figure: Plot, height: float) -> None:
        self.figure = figure
        self._paper = Affine2D().scale(1, -1).translate(0, height).scale(1 / _INCH) + figure.dpi_scale_trans

    def children(self, element: ElementTree.Element, place: _Place) -> None:
        for child in element:
            draw = _DRAWN.get(child.tag.rpartition("}")[2])
            if draw is not None:
                draw(self, child, place)

    def _on(self, place: _Place) -> Any:
        return Affine2D().scale(place.scale).translate(place.x, place.y) + self._paper

    def window(self, element: ElementTree.Element, place: _Place) -> None:
        """A picture within the picture; what lies outside of its window is cut off."""
        x, y, width, height = (float(element.get(name, 0)) for name in ("x", "y", "width", "height"))
        left, top, across, _ = (float(n) for n in element.get("viewBox", f"0 0 {width} {height}").split())
        window = TransformedBbox(Bbox.from_bounds(x, y, width, height), self._on(place))
        scale = place.scale * width / across
        at_x, at_y = place.x + place.scale * x - scale * left, place.y + place.scale * y - scale * top
        size = float(element.get("font-size", place.size))
        self.children(element, _Place(at_x, at_y, scale, window, size))

    def group(self, element: ElementTree.Element, place: _Place) -> None:
        moved = re.search(r"translate\(([-\d.]+)[ ,]([-\d.]+)\)", element.get("transform", ""))
        x, y = (float(n) for n in moved.groups()) if moved else (0.0, 0.0)
        self.children(element, place._replace(x=place.x + place.scale * x, y=place.y + place.scale * y))

    def rectangle(self, element: ElementTree.Element, place: _Place) -> None:
        x, y, width, height = (float(element.get(name, 0)) for name in ("x", "y", "width", "height"))
        self._add(Rectangle((x, y), width, height), element, place)

    def polygon(self, element: ElementTree.Element, place: _Place) -> None:
        self._add(Polygon(_points(element.get("points", "")), closed=True), element, place)

    def polyline(self, element: ElementTree.Element, place: _Place) -> None:
        self._add(Polygon(_points(element.get("points", "")), closed=False), element, place)

    def ellipse(self, element: ElementTree.Element, place: _Place) -> None:
        x, y, across, down = (float(element.get(name, 0)) for name in ("cx", "cy", "rx", "ry"))
        self._add(Ellipse((x, y), 2 * across, 2 * down), element, place)

    def path(self, element: ElementTree.Element, place: _Place) -> None:
        self._add(PathPatch(_path_of(element.get("d", ""))), element, place)

    def _add(self, patch: Any, element: ElementTree.Element, place: _Place) -> None:
        stroke, veil = element.get("stroke", "none"), element.get("fill-opacity")
        dashes = [float(n) * place.scale for n in element.get("stroke-dasharray", "").split(",") if n]
        width = float(element.get("stroke-width", 1)) * place.scale
        # matplotlib counts dashes in widths of the line.
        patch.set(
            alpha=None if veil is None else float(veil),
            facecolor=element.get("fill", "black"),
            edgecolor=stroke,
            linewidth=width if stroke != "none" else 0,
            linestyle=(0, [dash / width for dash in dashes]) if dashes else "solid",
            capstyle="butt",
            joinstyle="miter",
            transform=self._on(place),
        )
        self._put(patch, place)

    def text(self, element: ElementTree.Element, place: _Place) -> None:
        """A line of text, perhaps of several colours, each piece set where the one before it ends."""
        size = float(element.get("font-size", place.size))
        spans = [(element, element.text or "")] + [(span, span.text or "") for span in element]
        spans = [(span, text.replace("\N{NO-BREAK SPACE}", " ")) for span, text in spans if text]
        weights = [span.get("font-weight", "normal") for span, _ in spans]
        widths = [_advance(text, size, weight) for (_, text), weight in zip(spans, weights, strict=True)]
        x = float(element.get("x", 0))
        x -= {"start": 0.0, "middle": 0.5, "end": 1.0}[element.get("text-anchor", "start")] * sum(widths)
        for (span, text), weight, width in zip(spans, weights, widths, strict=True):
            lead = len(text) - len(text.lstrip())
            at = x + _advance(text[:lead], size, weight)
            written = Text(
                at,
                float(element.get("y", 0)),
                text.strip(),
                color=span.get("fill", "black"),
                fontproperties=_type(text, size * place.scale, weight),
                verticalalignment="baseline",
                parse_math=False,
                transform=self._on(place),
            )
            self._put(written, place)
            x += width

    def _put(self, artist: Any, place: _Place) -> None:
        artist.set_zorder(1)  # as in SVG, what comes later covers what is there: matplotlib would put words above all
        self.figure.add_artist(artist)
        if place.window is not None:
            artist.set_clip_box(place.window)


_DRAWN: dict[str, Callable[[_Painter, ElementTree.Element, _Place], None]] = {
    "svg": _Painter.window,
    "g": _Painter.group,
    "rect": _Painter.rectangle,
    "polygon": _Painter.polygon,
    "polyline": _Painter.polyline,
    "ellipse": _Painter.ellipse,
    "path": _Painter.path,
    "text": _Painter.text,
}


def _type(text: str, size: float, weight: str) -> FontProperties:
    chinese = fonts.chinese_font() if _CHINESE.search(text) else None
    return FontProperties(family=["DejaVu Sans", *([chinese] if chinese else [])], size=size, weight=weight)


def _advance(text: str, size: float, weight: str) -> float:
    """How far text reaches, with the spaces at its end, which alone have no ink."""
    if not text:
        return 0.0
    face = _type(text, size, weight)
    ends = [text_to_path.get_text_width_height_descent(t, face, False)[0] for t in (f"{text}|", "|")]
    return ends[0] - ends[1]


def _points(text: str) -> list[tuple[float, float]]:
    return [tuple(map(float, pair.split(","))) for pair in text.split()]


def _path_of(d: str) -> Path:
    """Read an SVG path of absolute moves, straight lines and cubic curves."""
    vertices: list[tuple[float, float]] = []
    codes: list[int] = []
    for letter, rest in re.findall(r"([MLCZ])([^MLCZ]*)", d):
        numbers = [float(n) for n in re.findall(r"-?[\d.]+(?:e-?\d+)?", rest)]
        points = list(zip(numbers[::2], numbers[1::2], strict=True))
        vertices += points if letter != "Z" else [vertices[0]]
        codes += {"M": [Path.MOVETO], "L": [Path.LINETO], "C": [Path.CURVE4], "Z": [Path.CLOSEPOLY]}[letter] * max(
            len(points), 1
        )
    return Path(vertices, codes)
