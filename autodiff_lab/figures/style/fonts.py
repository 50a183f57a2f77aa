"""Fonts of drawings: DejaVu Sans, which comes with matplotlib, and for Chinese names a font of the machine."""

import contextlib
import functools
import importlib.util
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")

# The fonts of a picture, the best first, for a reader's own machine to choose from.
FONT_STACK = "DejaVu Sans,Verdana,Helvetica,Arial,sans-serif"

# Fonts with simplified Chinese, on Linux, Windows and macOS.
CHINESE_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "Source Han Sans CN",
    "Microsoft YaHei",
    "PingFang SC",
    "Hiragino Sans GB",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
    "SimHei",
    "Heiti SC",
    "Noto Sans CJK JP",
    "Arial Unicode MS",
)


@functools.cache
def chinese_font() -> str | None:
    """Name a font on this machine that has Chinese characters, if there is one."""
    from matplotlib.font_manager import fontManager

    here = {font.name for font in fontManager.ttflist}
    return next((name for name in CHINESE_FONTS if name in here), None)


def font_files(chinese: bool = False) -> list[str]:
    """List the font files that a bitmap is painted with: DejaVu Sans, and a font with Chinese characters if asked for.

    >>> [Path(file).name for file in font_files()]
    ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf']
    """
    from matplotlib.font_manager import findfont

    names = ["DejaVu Sans", "DejaVu Sans:bold"]
    chinese_name = chinese_font() if chinese else None
    if chinese_name:
        names.append(chinese_name)
    return [findfont(name) for name in names]


@contextlib.contextmanager
def provide_font() -> Iterator[None]:
    """Make sure that Graphviz finds a font while it draws; without one it draws empty squares.

    Graphviz asks fontconfig, and fontconfig reads its configuration once, when a process first draws. Nothing
    changes on a machine that has fonts, or where ``FONTCONFIG_FILE`` is set.
    """
    if sys.platform != "linux" or "FONTCONFIG_FILE" in os.environ or _has_fonts():
        yield
        return
    matplotlib = importlib.util.find_spec("matplotlib")
    assert matplotlib is not None and matplotlib.origin is not None, (
        "it is installed with the package"
    )
    folder = Path(matplotlib.origin).parent / "mpl-data" / "fonts" / "ttf"
    with tempfile.TemporaryDirectory() as temporary:
        configuration = Path(temporary) / "fonts.conf"
        configuration.write_text(
            f'<?xml version="1.0"?><fontconfig><dir>{escape(str(folder))}</dir>'
            '<cachedir prefix="xdg">fontconfig</cachedir></fontconfig>',
            encoding="utf-8",
        )
        os.environ["FONTCONFIG_FILE"] = str(configuration)
        try:
            yield
        finally:
            del os.environ["FONTCONFIG_FILE"]


def _has_fonts() -> bool:
    kinds = (".ttf", ".otf", ".ttc", ".pfb", ".pcf.gz")
    folders = (Path(folder).expanduser() for folder in FONT_FOLDERS)
    return any(
        path.name.lower().endswith(kinds) for folder in folders for path in folder.rglob("*")
    )
