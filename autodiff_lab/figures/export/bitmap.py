"""Bitmaps: SVG pictures as PNG and PDF, painted by resvg with the fonts that come with matplotlib.

The result is the same on every machine, whichever fonts are installed.
"""

import io
from collections.abc import Sequence

from PIL import Image

from autodiff_lab.figures.export.svg_text import CHINESE
from autodiff_lab.figures.graph.render import DrawingError
from autodiff_lab.figures.style import fonts
from autodiff_lab.text.arguments import check_choice, check_number

# An SVG picture can follow the theme of its page. A bitmap has to be light or dark.
THEMES = ("light", "dark")

_PAGE_DPI = 96.0
_PRINT_DPI = 300.0


def check_options(function: str, theme: str, scale: float) -> tuple[str, float]:
    """Check the theme and the scale of a bitmap, and return them.

    Raises
    ------
    InputError
        If the theme is neither light nor dark, or the scale isn't a number from 0.1 to 10.
    """
    theme = check_choice(function, "theme", theme, THEMES)
    scale = check_number(function, "scale", scale, 0.1, 10)
    return theme, scale


def render_png(svg: str, scale: float = 1.0) -> bytes:
    """Paint an SVG picture as a PNG bitmap, `scale` times larger than on a page; the same bytes every time.

    Raises
    ------
    DrawingError
        If resvg_py is not installed.
    """
    return _paint(svg, _PAGE_DPI * scale)


def render_pdf(svgs: Sequence[str]) -> bytes:
    """Paint SVG pictures as bitmaps on the pages of a PDF, sharp enough for a printer; the same bytes every time.

    Raises
    ------
    DrawingError
        If resvg_py is not installed.
    """
    first, *rest = (open_png(_paint(svg, _PRINT_DPI)) for svg in svgs)
    file = io.BytesIO()
    options = {
        "resolution": _PRINT_DPI,
        # With this quality and no subsampling of colours, artefacts of JPEG are invisible at this resolution.
        "quality": 90,
        "subsampling": 0,
        # Dates would make every file different.
        "creationDate": None,
        "modDate": None,
    }
    first.save(file, "pdf", save_all=True, append_images=rest, **options)
    return file.getvalue()


def open_png(png: bytes) -> Image.Image:
    """Open the bytes of a PNG bitmap as a Pillow image in RGB."""
    with Image.open(io.BytesIO(png)) as image:
        return image.convert("RGB")


def _paint(svg: str, dpi: float) -> bytes:
    try:
        import resvg_py
    except ImportError as error:
        raise DrawingError(
            f"PNG, GIF and PDF are painted by resvg_py, which cannot be imported ({error}). Run `python -m pip install "
            "resvg_py`; where there is none, as in a browser, write SVG."
        ) from error
    # Without a font for them, resvg leaves characters out silently.
    files = fonts.font_files(chinese=bool(CHINESE.search(svg)))
    return resvg_py.svg_to_bytes(svg_string=svg, dpi=dpi, skip_system_fonts=True, font_files=files)
