"""A canvas for the pictures of labs: SVG that is drawn fast enough to follow a slider.

Colours are given by their role (``"value"``, ``"soft_ink"``, see `themes.Theme`). A picture has the same size in all
states of its lab, so that nothing else on the page moves when it is replaced.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from autodiff_lab.figures.style import themes
from autodiff_lab.figures.style.svg import KEEP_SPACES, NAMESPACE, element
from autodiff_lab.text.notation import escape
from autodiff_lab.text.numbers import number

# The visible part of a handle; only the page shows it.
_KNOB = {"fill": "none", "class_": "knob"}
FONT = "system-ui,-apple-system,Segoe UI,Roboto,DejaVu Sans,sans-serif"
CODE_FONT = "ui-monospace,Menlo,Consolas,DejaVu Sans Mono,monospace"
Point = tuple[float, float]
# The two ends of a scale.
Scale = tuple[float, float]
# Left, top, width, height.
Frame = tuple[float, float, float, float]
# A place on a scale, and its label.
Tick = tuple[float, str]


@dataclass(frozen=True)
class Drag:
    """How a handle moves a slider of its lab: the coordinate that counts, and the slider's value at each place.

    Attributes
    ----------
    control : str
        The slider, by its name in ``Lab.controls``.
    along : "x", "y", "turn" or "distance"
        The measure of the pointer's place: a coordinate of the canvas, or its direction from `center` in degrees
        (anticlockwise from the right), or its distance from `center`.
    scale : tuple of (place, value)
        Two or more places, in rising order, and the value at each; values in between are interpolated linearly.
    center : (x, y)
        The point from which direction and distance are measured.
    from_place_to_place : bool
        Whether the arrow keys go from one place of `scale` to the next, instead of by the slider's steps.
    """

    control: str
    along: Literal["x", "y", "turn", "distance"]
    scale: tuple[tuple[float, float], ...]
    center: Point = (0.0, 0.0)
    from_place_to_place: bool = False

    def data(self) -> dict[str, Any]:
        """Return the drag as plain data for the page."""
        scale = [[round(place, 2), round(value, 6)] for place, value in self.scale]
        stops = [value for _, value in scale] if self.from_place_to_place else None
        return {
            "control": self.control,
            "along": self.along,
            "scale": scale,
            "center": self.center,
            "stops": stops,
        }


def turn_around(control: str, center: Point, in_radians: bool = False) -> Drag:
    """Make a drag that sets an angle, in degrees or radians: the direction of the handle from a center."""
    full_turn = 2 * math.pi if in_radians else 360.0
    return Drag(control, "turn", ((0.0, 0.0), (360.0, full_turn)), center)


def stretch_from(control: str, center: Point, unit: float) -> Drag:
    """Make a drag that sets a length: the distance of the handle from a center, in units of `unit` pixels."""
    return Drag(control, "distance", ((0.0, 0.0), (unit, 1.0)), center)


class Sheet:
    """The canvas of a lab's picture: an SVG to which each method adds a shape. The y axis points down.

    >>> sheet = Sheet(100, 50, "a dot")
    >>> sheet.dot(10, 20, "value")
    >>> sheet.svg().count("<circle")
    1
    """

    def __init__(self, width: int, height: int, title: str) -> None:
        self.width = width
        self.height = height
        self.title = title
        self._shapes: list[str] = []
        self._strips: tuple[tuple[Frame, ...], ...] = ()

    def _add(self, tag: str, *inside: str, **attributes: str | float | None) -> None:
        self._shapes.append(element(tag, *inside, **attributes))

    def path(
        self,
        points: Iterable[Point],
        role: str = "ink",
        width: float = 2,
        dash: str = "",
        fill: str = "",
    ) -> None:
        """Draw a line through points on the canvas, or with `fill` a closed area."""
        inside = {"fill": _colour(fill), "fill_opacity": "0.25"} if fill else {"fill": "none"}
        line = {**_stroke(role, width), "stroke_dasharray": dash or None}
        self._add("polygon" if fill else "polyline", points=_points(points), **inside, **line)

    def arrow(
        self, tail: Point, head: Point, role: str = "ink", width: float = 2.5, dash: str = ""
    ) -> None:
        """Draw an arrow on the canvas; an arrow shorter than 4 pixels is drawn as a dot."""
        (x0, y0), (x1, y1) = tail, head
        length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        if length < 4:
            return self.dot(*tail, role, 3)
        ux, uy = (x1 - x0) / length, (y1 - y0) / length
        size = min(11.0, length)
        neck = (x1 - size * ux, y1 - size * uy)
        self.path([tail, neck], role, width, dash)
        wings = [
            (neck[0] - 0.45 * size * side * uy, neck[1] + 0.45 * size * side * ux)
            for side in (1, -1)
        ]
        self._add("polygon", points=_points([head, *wings]), fill=_colour(role))

    def dot(
        self, x: float, y: float, role: str = "ink", radius: float = 5, hollow: bool = False
    ) -> None:
        """Draw a filled circle on the canvas, or with `hollow` a ring."""
        fill = "none" if hollow else _colour(role)
        self._add(
            "circle", cx=float(x), cy=float(y), r=f"{radius:g}", fill=fill, **_stroke(role, 2)
        )

    def box(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        role: str = "line",
        fill: str = "",
        width: float = 1,
    ) -> None:
        """Draw a rectangle with a border on the canvas."""
        place = {"x": float(x), "y": float(y), "width": max(float(w), 0.0), "height": float(h)}
        self._add("rect", **place, rx=3, fill=_colour(fill), **_stroke(role, width))

    def text(
        self,
        x: float,
        y: float,
        text: str,
        role: str = "ink",
        anchor: str = "start",
        size: float = 15,
        bold: bool = False,
    ) -> None:
        """Write text on the canvas; `anchor` is start, middle or end."""
        look = {
            "fill": _colour(role),
            "font_size": f"{size:g}",
            "font_weight": "600" if bold else None,
        }
        look["text_anchor"] = None if anchor == "start" else anchor
        self._add("text", escape(text), x=float(x), y=float(y), **look, **KEEP_SPACES)

    def code(self, x: float, y: float, pieces: Sequence[tuple[str, str]], size: float = 15) -> None:
        """Write monospaced code or digits on the canvas: pieces (text, role), one after the other."""
        spans = [element("tspan", escape(text), fill=_colour(role)) for text, role in pieces]
        look = {"font_family": CODE_FONT, "font_size": f"{size:g}"}
        self._add("text", *spans, x=float(x), y=float(y), **look, **KEEP_SPACES)

    def handle(self, name: str, x: float, y: float, *drags: Drag, radius: float = 16) -> None:
        """Add a handle, which a user drags with mouse, finger or arrow keys to move sliders of the lab.

        Only the page shows it: a static picture has no handles.

        Parameters
        ----------
        name : str
            The name for a reader who can't see it; each handle of a picture has its own.
        x, y : float
            Its place now.
        *drags : Drag
            The slider that the left and right arrow keys move; then, in the plane, the one for up and down.
        radius : float
            The radius of the area in which it can be grasped.
        """
        place = {"cx": float(x), "cy": float(y)}
        grasp = element("circle", **place, r=f"{radius:g}", fill="transparent", class_="grasp")
        self._add_handle(name, drags, grasp, element("circle", **place, r="9", **_KNOB))

    def _add_handle(self, name: str, drags: Sequence[Drag], *shapes: str) -> None:
        moves = json.dumps([drag.data() for drag in drags], ensure_ascii=False)
        self._add("g", *shapes, data_grip=name, data_moves=moves, display="none")

    def slide(self, name: str, x: float, top: float, bottom: float, drag: Drag) -> None:
        """Add a handle that is as high as a plot, with its knob at the bottom; see `handle`."""
        place = {
            "x": float(x - 14),
            "y": float(top),
            "width": 28.0,
            "height": float(bottom - top + 12),
        }
        grasp = element("rect", **place, fill="transparent", class_="grasp")
        self._add_handle(
            name, [drag], grasp, element("circle", cx=float(x), cy=float(bottom), r="9", **_KNOB)
        )

    def fold(self, *strips: Sequence[Frame]) -> None:
        """Set how the canvas is divided into strips on a page that is too narrow for it.

        Parameters
        ----------
        *strips : sequence of (left, top, width, height)
            The parts of the canvas that a strip shows, next to each other. Strips may share a part, such as the names
            at the beginning of each row.
        """
        self._strips = tuple(tuple(parts) for parts in strips)

    def cut(self, *places: float) -> None:
        """Set the x coordinates at which a page that is too narrow may cut the canvas; see `fold`."""
        edges = (0.0, *places, float(self.width))
        height = float(self.height)
        self.fold(*([(left, 0.0, right - left, height)] for left, right in pairwise(edges)))

    def paste(self, other: Sheet) -> None:
        """Add all shapes of another canvas; use it to draw only once what never changes."""
        self._shapes += other._shapes

    def svg(self) -> str:
        """Return the canvas as SVG."""
        size: dict[str, str | float] = {"width": self.width, "height": self.height}
        size["viewBox"] = f"0 0 {self.width} {self.height}"
        strips = json.dumps(self._strips) if self._strips else None
        about = {"role": "img", "aria_label": self.title, "data_strips": strips}
        return element("svg", *self._shapes, **NAMESPACE, **size, **about, font_family=FONT)


class Axes:
    """A plot on a lab's canvas: a frame with an x and a y scale. For a logarithmic scale, pass logarithms.

    >>> axes = Axes(Sheet(120, 120, "plot"), (10, 10, 100, 100), (0, 10), (0, 1))
    >>> axes.at(5, 1)
    (60.0, 10.0)
    """

    def __init__(self, sheet: Sheet, frame: Frame, x: Scale, y: Scale) -> None:
        self.sheet = sheet
        self.frame = frame
        self.x = x
        self.y = y

    def at(self, x: float, y: float) -> Point:
        """Convert a place on the scales to a point on the canvas; a place outside moves to the edge of the plot."""
        left, top, width, height = self.frame
        across = (min(max(x, min(self.x)), max(self.x)) - self.x[0]) / (self.x[1] - self.x[0])
        up = (min(max(y, min(self.y)), max(self.y)) - self.y[0]) / (self.y[1] - self.y[0])
        return left + across * width, top + (1 - up) * height

    def scales(
        self, x: Iterable[Tick], y: Iterable[Tick], x_title: str = "", y_title: str = ""
    ) -> None:
        """Draw the frame of the plot, ticks with their labels, and titles that name the two quantities."""
        left, top, width, height = self.frame
        for place, label in x:
            at, _ = self.at(place, self.y[0])
            self.sheet.path([(at, top), (at, top + height)], "faint", 1)
            self.sheet.text(at, top + height + 18, label, "soft_ink", "middle", 14)
        for place, label in y:
            _, at = self.at(self.x[0], place)
            self.sheet.path([(left, at), (left + width, at)], "faint", 1)
            self.sheet.text(left - 8, at + 5, label, "soft_ink", "end", 14)
        self.sheet.box(left, top, width, height)
        self.sheet.text(left + width / 2, top + height + 38, x_title, "soft_ink", "middle", 14)
        self.sheet.text(left, top - 8, y_title, "soft_ink", "start", 14)

    def curve(self, points: Iterable[Point], role: str, width: float = 2.5, dash: str = "") -> None:
        """Draw a curve through places on the scales, interrupted where it is outside of the plot or NaN."""
        run: list[Point] = []
        for x, y in [*points, (math.nan, math.nan)]:
            if min(self.x) <= x <= max(self.x) and min(self.y) <= y <= max(self.y):
                run.append(self.at(x, y))
            elif run:
                self.sheet.path(run, role, width, dash)
                run = []

    def across(self, control: str) -> Drag:
        """Make a drag that moves a slider along the horizontal scale of the plot."""
        left, _, width, _ = self.frame
        return Drag(control, "x", ((left, self.x[0]), (left + width, self.x[1])))

    def up(self, control: str) -> Drag:
        """Make a drag that moves a slider along the vertical scale of the plot."""
        _, top, _, height = self.frame
        return Drag(control, "y", ((top, self.y[1]), (top + height, self.y[0])))

    def slide(self, name: str, x: float, drag: Drag) -> None:
        """Add a handle for a vertical line through the plot; see `Sheet.slide`."""
        _, top, _, height = self.frame
        self.sheet.slide(name, self.at(x, self.y[0])[0], top, top + height, drag)

    def marker(self, x: float, role: str = "ink", width: float = 1) -> None:
        """Draw a dashed vertical line through the plot."""
        at, _ = self.at(x, self.y[0])
        _, top, _, height = self.frame
        self.sheet.path([(at, top), (at, top + height)], role, width, "3 3")


# Shapes that several labs draw


def draw_rule(sheet: Sheet, left: float, right: float, y: float, role: str = "line") -> None:
    """Draw a thin horizontal line on the canvas."""
    sheet.path([(left, y), (right, y)], role, 1)


def draw_heads(sheet: Sheet, y: float, heads: Iterable[tuple[float, str, str]]) -> None:
    """Write the heads of columns on the canvas, each given as (x, text, anchor)."""
    for x, text, anchor in heads:
        sheet.text(x, y, text, "soft_ink", anchor, 14)


def draw_legend(
    sheet: Sheet,
    x: float,
    y: float,
    label: str,
    role: str,
    width: float = 2.5,
    dash: str = "",
    bold: bool = False,
) -> None:
    """Draw the legend of a line: a piece of the line, and its label to the right."""
    sheet.path([(x, y - 5), (x + 34, y - 5)], role, width, dash)
    sheet.text(x + 42, y, label, role, size=14, bold=bold)


def draw_bar(
    sheet: Sheet,
    x: float,
    y: float,
    length: float,
    role: str,
    label: str,
    height: float = 16,
    bold: bool = False,
) -> None:
    """Draw a filled bar, with its label after its end; a bar is at least 2 pixels long, so that it is visible."""
    length = max(2.0, length)
    sheet.box(x, y, length, height, "", role)
    sheet.text(x + length + 8, y + height / 2 + 5, label, role, size=14, bold=bold)


def make_ticks(values: Iterable[float]) -> list[Tick]:
    """Make ticks for `Axes.scales`, which are labelled with their values.

    >>> make_ticks((-0.3, 0, 5))
    [(-0.3, '−0.3'), (0, '0'), (5, '5')]
    """
    return [(value, number(value)) for value in values]


def make_power_ticks(exponents: Iterable[int]) -> list[Tick]:
    """Make ticks for a logarithmic scale, which are labelled with powers of ten.

    >>> make_power_ticks((-4, 0))
    [(-4.0, '1e−4'), (0.0, '1e0')]
    """
    return [(float(k), f"1e{k}".replace("-", "−")) for k in exponents]


def _points(points: Iterable[Point]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _stroke(role: str, width: float) -> dict[str, str]:
    if not role:
        return {"stroke": "none"}
    return {"stroke": _colour(role), "stroke_width": f"{width:g}"}


def _colour(role: str) -> str:
    return getattr(themes.LIGHT, role) if role else "none"
