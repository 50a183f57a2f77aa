import os
import subprocess
import sys

import pytest

from autodiff_lab.figures.style import fonts

DRAW = """
import hashlib, sys
from autodiff_lab import draw
from autodiff_lab.figures.style import fonts
from autodiff_lab.figures.graph.draw import render
fonts.FONT_FOLDERS = sys.argv[1:]
print(hashlib.sha256(render(draw(lambda x: x * 2, 3.0), "png")).hexdigest())
"""


def drawn(*folders, **environment):
    """Draw in a new process: fontconfig looks for fonts once."""
    done = subprocess.run(
        [sys.executable, "-c", DRAW, *folders],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    return done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux comes without fonts")
def test_a_machine_without_fonts_gets_type_all_the_same(tmp_path):
    nothing = tmp_path / "fonts.conf"
    nothing.write_text('<?xml version="1.0"?><fontconfig><dir>/nonexistent</dir></fontconfig>')
    squares = drawn(FONTCONFIG_FILE=str(nothing))
    assert drawn(str(tmp_path)) != squares


def test_the_environment_is_left_as_it_was(monkeypatch):
    monkeypatch.setattr(fonts, "FONT_FOLDERS", ())
    monkeypatch.delenv("FONTCONFIG_FILE", raising=False)
    before = dict(os.environ)
    with fonts.provide_font():
        pass
    assert dict(os.environ) == before
