"""Animations: a run as an animated GIF, one frame for each step, each for as long as it takes to read."""

import warnings
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from PIL import Image

from autodiff_lab.figures.export import bitmap
from autodiff_lab.figures.export.frame import Frames
from autodiff_lab.figures.export.frame_selection import pick_steps
from autodiff_lab.text.arguments import check_number, check_path
from autodiff_lab.trace.model import Trace

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
    path = check_path("save_gif", path, ".gif")
    theme, scale = bitmap.check_options("save_gif", theme, scale)
    if seconds is not None:
        seconds = check_number("save_gif", "seconds", seconds, 0.02, 600)
    shown, remark = pick_steps("save_gif", trace, steps, MOST_FRAMES)
    if remark:
        warnings.warn(f"save_gif: {remark} Choose others with steps=[…].", stacklevel=3)
    frames = Frames(trace, shown, theme=theme, remark=remark)
    pictures = [bitmap.open_png(bitmap.render_png(frames.svg(step), scale)) for step in shown]
    times = [1000 * (seconds or reading_time(frames.sentence(step))) for step in shown]
    times[-1] += 0 if seconds else 1000 * _END
    palette = _find_palette(pictures)
    first, *rest = (
        picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures
    )
    first.save(
        path,
        "gif",
        save_all=True,
        append_images=rest,
        duration=[round(time) for time in times],
        loop=0,
    )
    return path


def reading_time(sentence: str) -> float:
    """Return how many seconds an animated GIF shows a step: as long as its sentence takes to read.

    >>> reading_time("v₁ = log x1 = log 2 = 0.6931.")
    2.7
    """
    return round(min(_LONGEST, max(_SHORTEST, _LOOK + _CHARACTER * len(sentence))), 1)


def _find_palette(pictures: list[Image.Image]) -> Image.Image:
    """Find one palette for all frames, so that nothing flickers; the paper keeps its colour exactly."""
    some = pictures[:: max(1, len(pictures) // 6)]
    reduced = Image.fromarray(np.concatenate([np.asarray(picture) for picture in some])).quantize(
        _COLOURS
    )
    found = reduced.getpalette()
    assert found is not None, "a picture that was quantized has a palette"
    colours, paper = np.reshape(np.array(found), (-1, 3)), np.array(some[0].getpixel((0, 0)))
    # Pillow looks up colours in coarse cells: what is nearly the paper would be taken for it.
    colours[np.abs(colours - paper).max(axis=1) < _NEARLY] = paper
    palette = Image.new("P", (1, 1))
    palette.putpalette(colours.ravel().tolist())
    return palette
