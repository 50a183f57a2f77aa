"""Paths of edges: Bézier curves with a straight tip, written as SVG, and sampled to measure their length."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import dist

Point = tuple[float, float]

# The number of straight segments that approximate one Bézier piece when a curve is measured.
_SAMPLES = 8


def write_path(curve: Sequence[Point], *tip: Point) -> str:
    """Write the path of an edge in a layout as an SVG path: a Bézier curve with a straight tip.

    >>> write_path([(0, 0), (1, 0), (2, 1), (3, 1)], (4, 1))
    'M0,0C1,0 2,1 3,1L4,1'
    """
    start, *rest = (f"{round(x, 1):g},{round(y, 1):g}" for x, y in curve)
    return f"M{start}C{' '.join(rest)}" + "".join(
        f"L{round(x, 1):g},{round(y, 1):g}" for x, y in tip
    )


def middle_of(path: str) -> Point:
    """Find the point halfway along the path of an edge in a layout, where its label is placed.

    >>> middle_of("M0,0C10,0 20,0 30,0L40,0")
    (20.0, 0.0)
    """
    points = [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", path)]
    curve, tip = (points[:-1], points[-1:]) if "L" in path else (points, [])
    line = [*sample_path(curve), *tip]
    half = sum(map(dist, line, line[1:])) / 2
    for (x, y), (u, v) in pairwise(line):
        length = dist((x, y), (u, v))
        if half <= length:
            share = half / length if length else 0.0
            return round(x + share * (u - x), 1), round(y + share * (v - y), 1)
        half -= length
    return line[-1]


def sample_path(curve: Sequence[Point]) -> Iterator[Point]:
    """Yield closely spaced points on the path of an edge in a layout, to measure it."""
    yield curve[0]
    for k in range(0, len(curve) - 1, 3):
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = curve[k : k + 4]
        for i in range(1, _SAMPLES + 1):
            t = i / _SAMPLES
            # The weights of the four control points: the cubic Bernstein polynomials.
            b0 = (1 - t) ** 3
            b1 = 3 * t * (1 - t) ** 2
            b2 = 3 * t * t * (1 - t)
            b3 = t**3
            x = b0 * x0 + b1 * x1 + b2 * x2 + b3 * x3
            y = b0 * y0 + b1 * y1 + b2 * y2 + b3 * y3
            yield x, y
