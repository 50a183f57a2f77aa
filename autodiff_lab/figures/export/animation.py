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

# An unhurried reader looks at the graph first, and then reads about 20 characters per second.
_LOOK_S = 1.2
_CHARACTER_S = 0.05
_MIN_S = 1.5
_MAX_S = 8.0
# The last frame stays longer, before the animation begins again.
_MORE_AT_END_S = 2.0
_N_COLOURS = 128
# A colour whose channels differ from the background's by less than this is replaced by it.
_SAME_AS_PAPER = 8
# The palette is found from about this many frames.
_PALETTE_FRAMES = 6


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
    if seconds is None:
        times = [reading_time(frames.sentence(step)) for step in shown]
        times[-1] += _MORE_AT_END_S
    else:
        times = [seconds] * len(shown)
    palette = _find_palette(pictures)
    first, *rest = (
        picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures
    )
    milliseconds = [round(1000 * time) for time in times]
    first.save(path, "gif", save_all=True, append_images=rest, duration=milliseconds, loop=0)
    return path


def reading_time(sentence: str) -> float:
    """Return the number of seconds for which an animated GIF shows a step: the time to read its sentence.

    >>> reading_time("v₁ = log x1 = log 2 = 0.6931.")
    2.7
    """
    seconds = _LOOK_S + _CHARACTER_S * len(sentence)
    return round(min(_MAX_S, max(_MIN_S, seconds)), 1)


def _find_palette(pictures: list[Image.Image]) -> Image.Image:
    """Find one palette for all frames, so that nothing flickers; the background keeps its exact colour."""
    some = pictures[:: max(1, len(pictures) // _PALETTE_FRAMES)]
    stacked = Image.fromarray(np.concatenate([np.asarray(picture) for picture in some]))
    found = stacked.quantize(_N_COLOURS).getpalette()
    assert found is not None, "a picture that was quantized has a palette"
    colours = np.reshape(np.array(found), (-1, 3))
    paper = np.array(some[0].getpixel((0, 0)))
    # Pillow's lookup of colours is coarse: it could give the background one that is only close to it.
    colours[np.abs(colours - paper).max(axis=1) < _SAME_AS_PAPER] = paper
    palette = Image.new("P", (1, 1))
    palette.putpalette(colours.ravel().tolist())
    return palette
