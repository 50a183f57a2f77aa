"""A run as a moving picture: one frame for each step, each for as long as it takes to read."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable
from pathlib import Path

from PIL import Image

from autodiff_lab.engine.errors import InputError
from autodiff_lab.figures.export import bitmap
from autodiff_lab.figures.export.frame import Frames
from autodiff_lab.text.messages import in_its_language, say
from autodiff_lab.text.options import one_of
from autodiff_lab.text.output_paths import checked_path, checked_steps, chosen
from autodiff_lab.trace.model import Trace

__all__ = ["reading_time", "save_gif"]

MOST_FRAMES = 120

# A calm reader takes in about 20 characters a second, and looks at the graph first.
_LOOK, _CHARACTER = 1.2, 0.05
_SHORTEST, _LONGEST = 1.5, 8.0
_END = 2.0  # more for the last frame, before it begins again
_COLOURS = 128
_NEARLY = 8


def save_gif(
    trace: Trace,
    path: str | Path,
    steps: Iterable[int] | None = None,
    *,
    theme: str = "light",
    scale: float = 1.0,
    seconds: float | None = None,
) -> Path:
    """Write a run as an animated GIF; see `Trace.save_gif`."""
    path = checked_path("save_gif", path, ".gif")
    pictures, times = _film("save_gif", trace, steps, theme, scale, seconds)
    palette = _palette(pictures)
    first, *rest = (picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures)
    first.save(path, "gif", save_all=True, append_images=rest, duration=times, loop=0)
    return path


def reading_time(sentence: str) -> float:
    """How many seconds a step is shown.

    >>> reading_time("v₁ = log x1 = log 2 = 0.6931.")
    2.7
    """
    return round(min(_LONGEST, max(_SHORTEST, _LOOK + _CHARACTER * len(sentence))), 1)


def _film(
    function: str, trace: Trace, steps: Iterable[int] | None, theme: str, scale: float, seconds: float | None
) -> tuple[list[Image.Image], list[int]]:
    """The frames, and how long each is shown, in milliseconds."""
    one_of(function, "theme", theme, bitmap.THEMES)
    scale = bitmap.check_scale(function, scale)
    if seconds is not None and not (isinstance(seconds, int | float) and 0.02 <= seconds <= 600):
        raise InputError(f"{function}(seconds={seconds!r}) is not possible; seconds is a number from 0.02 to 600.")
    trace = bitmap.translate_if_illegible(function, trace)
    count, remark = len(trace.steps), ""
    if steps is not None:
        shown = checked_steps(function, steps, count)
    else:
        shown = chosen([step.phase for step in trace.steps], MOST_FRAMES) or [-1]
        if len(shown) < count:
            remark = some_steps(trace, len(shown))
            warnings.warn(f"{function}: {remark} Choose others with steps=[…].", stacklevel=4)
    frames = Frames(trace, shown, theme=theme, remark=remark)
    pictures = [_picture(frames.svg(step), scale) for step in shown]
    times = [seconds or reading_time(frames.sentence(step)) for step in shown]
    times[-1] += 0 if seconds else _END
    return pictures, [round(1000 * time) for time in times]


@in_its_language
def some_steps(trace: Trace, shown: int) -> str:
    """Say that only some of the steps are shown."""
    return say("some steps", shown=shown, count=len(trace.steps))


def _picture(svg: str, scale: float) -> Image.Image:
    with Image.open(io.BytesIO(bitmap.render_png(svg, scale))) as image:
        return image.convert("RGB")


def _palette(pictures: list[Image.Image]) -> Image.Image:
    """One palette for all frames, so that nothing flickers; the paper keeps its colour exactly."""
    some = pictures[:: max(1, len(pictures) // 6)]
    width, height = some[0].size
    montage = Image.new("RGB", (width, height * len(some)))
    for k, picture in enumerate(some):
        montage.paste(picture, (0, k * height))
    reduced = montage.quantize(_COLOURS, dither=Image.Dither.NONE)
    colours, paper = reduced.getpalette() or [], montage.getpixel((0, 0))
    # Pillow looks up colours in coarse cells: what is nearly the paper would be taken for it.
    entries = [colours[k : k + 3] for k in range(0, len(colours), 3)]
    exact = [
        paper if max(abs(x - y) for x, y in zip(entry, paper, strict=True)) < _NEARLY else entry for entry in entries
    ]
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for entry in exact for part in entry])
    return palette
