"""Type for drawings on a machine that has no fonts, such as a small container: matplotlib's own DejaVu Sans."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")


@contextlib.contextmanager
def some_font() -> Iterator[None]:
    """Make sure that Graphviz finds a font while it draws; without one it draws empty squares.

    Graphviz asks fontconfig, and fontconfig reads its configuration once, when a process first draws. Nothing
    changes on a machine that has fonts, or where ``FONTCONFIG_FILE`` is set.
    """
    if sys.platform != "linux" or "FONTCONFIG_FILE" in os.environ or _has_fonts():
        yield
        return
    matplotlib = importlib.util.find_spec("matplotlib")
    if matplotlib is None or matplotlib.origin is None:
        yield
        return
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
    return any(path.name.lower().endswith(kinds) for folder in folders for path in folder.rglob("*"))
