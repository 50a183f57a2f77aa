"""Strips for a handout: chosen steps with their sentences on paper that exists."""

import re
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from PIL import Image

from autodiff_lab import Trace
from autodiff_lab.engine.errors import AutodiffError, InputError
from autodiff_lab.figures.export import bitmap
from autodiff_lab.figures.graph.render import DrawingError

from ..example import example
from ..runs import RUNS
from .test_frame import squeezed, texts


@pytest.mark.parametrize("name", RUNS)
def test_every_run_fits_on_pages(name, tmp_path, monkeypatch):
    # a printer's 300 take 16 times as long, and say the same of pages
    monkeypatch.setattr(bitmap, "_PRINT_DPI", 75.0)
    trace = RUNS[name]()
    strip = trace.strip()
    for page in strip.pages:
        root = ElementTree.fromstring(page)
        assert root.get("viewBox") in ("0 0 595 842", "0 0 842 595")
        for panel in root.iter("{http://www.w3.org/2000/svg}rect"):
            right, bottom = (
                float(panel.get(a)) + float(panel.get(b))
                for a, b in (("x", "width"), ("y", "height"))
            )
            if panel.get("fill") == "none":
                assert right <= float(root.get("width")[:-2]) - 35
                assert bottom <= float(root.get("height")[:-2]) - 35
    pdf = strip.save(tmp_path / "a.pdf").read_bytes()
    assert pdf.startswith(b"%PDF")
    assert len(re.findall(rb"/Type /Page\b", pdf)) == len(strip.pages)


def test_each_panel_has_its_sentence():
    trace = Trace.of(example, 2.0, 5.0)
    strip = trace.strip([3, 7, 9])
    shown = squeezed(texts(strip.svg()))
    for step in (3, 7, 9):
        assert squeezed(trace.steps[step].sentence) in shown
        assert trace.steps[step].sentence in strip.description
    assert "6 of 16" not in texts(strip.svg())
    assert "6 of 16 steps are shown" in texts(trace.strip().svg())


def test_type_can_be_read():
    """On paper no type is smaller than 7.5 points."""
    for name in ("example", "faulty", "arrays", "60 operations"):
        root = ElementTree.fromstring(RUNS[name]().strip().svg())
        space = "{http://www.w3.org/2000/svg}"
        for panel in root.findall(f"{space}svg"):
            scale = float(panel.get("width")) / float(panel.get("viewBox").split()[2])
            for inner in panel.findall(f"{space}svg"):
                inside = float(inner.get("width")) / float(inner.get("viewBox").split()[2])
                assert 14 * scale * inside >= 7.4


def test_columns_and_page_as_asked():
    trace = Trace.of(example, 2.0, 5.0)
    strip = trace.strip([0, 1, 2], columns=3, page="letter landscape")
    assert 'viewBox="0 0 792 612"' in strip.pages[0]
    tops = re.findall(r'<svg x="[\d.]+" y="([\d.]+)"', strip.pages[0])
    assert len(set(tops[::2])) == 1


def test_files_open_and_are_the_same_every_time(tmp_path):
    strip = Trace.of(example, 2.0, 5.0).strip()
    for ending in ("svg", "png", "pdf"):
        first, second = (strip.save(tmp_path / f"{k}.{ending}").read_bytes() for k in "ab")
        assert first == second
    with Image.open(tmp_path / "a.png") as image:
        assert abs(image.width - 595 * 96 / 72 * 2) <= 1
    pdf = (tmp_path / "a.pdf").read_bytes()
    assert re.search(rb"/MediaBox \[ 0 0 59[45]\.\d+ 84[12]\.\d+ \]", pdf), "a page of A4"
    assert re.search(rb"/Width 2479\b", pdf), "300 dots an inch, for a printer"


def test_a_notebook_shows_it():
    shown = Trace.of(lambda x: x * x, 3.0).strip()._repr_mimebundle_()
    assert shown["text/html"].startswith('<img alt="lambda x. The input x is 3.')
    assert shown["text/plain"] == "<strip of lambda x: 1 page>"
    assert shown["image/png"].startswith("iVBOR")


def test_without_a_painter_there_is_svg_and_files_say_why(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "resvg_py", None)  # as in a browser
    strip = Trace.of(lambda x: x * x, 3.0).strip()
    assert set(strip._repr_mimebundle_()) == {"text/html", "text/plain"}
    strip.save(tmp_path / "a.svg")
    for name in ("a.png", "a.pdf"):
        with pytest.raises(DrawingError, match=r"resvg_py.*pip install resvg_py.*write SVG"):
            strip.save(tmp_path / name)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": [99]}, "there is no step 99"),
        ({"columns": 0}, "columns must be None, 1, 2, 3 or 4"),
        ({"page": "A3"}, "page must be None, 'A4'"),
        ({"theme": "auto"}, "theme must be 'light' or 'dark'"),
    ],
)
def test_an_option_that_is_not_allowed(options, message):
    with pytest.raises(InputError, match=re.escape(message)):
        Trace.of(example, 2.0, 5.0).strip(**options)


def test_an_ending_that_is_not_known(tmp_path):
    with pytest.raises(AutodiffError, match=re.escape("save writes .pdf or .svg or .png")):
        Trace.of(example, 2.0, 5.0).strip().save(tmp_path / "a.docx")
