"""Rendering of graphs, and `Drawing`: a `Digraph` that a notebook can show anywhere.

The package `graphviz` writes the DOT text, and pygraphviz, whose wheels carry Graphviz itself, draws it in this
process. Where there is no pygraphviz, as in a browser, `without_graphviz` draws SVG.
"""

from __future__ import annotations

import base64
import contextlib
import html
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from xml.etree import ElementTree

import graphviz

from autodiff_lab.engine.errors import AutodiffError
from autodiff_lab.figures.graph.without_graphviz.drawing import FORMATS, draw_plainly
from autodiff_lab.figures.style.fonts import provide_font
from autodiff_lab.figures.style.svg import image_tag
from autodiff_lab.figures.style.themes import follow_page_theme
from autodiff_lab.text.messages import join_sentences, message

_SCROLLS_FROM = 1000

# The time after which the careful layout of a large graph is stopped.
LAYOUT_TIMEOUT_S = 5.0

# Attributes that limit how long Graphviz searches for the best places.
FAST_LAYOUT = {"nslimit": "0.1", "nslimit1": "0.1", "mclimit": "0.1"}

_IN_A_CHILD = (
    "import sys, pygraphviz\n"
    "graph = pygraphviz.AGraph(string=sys.stdin.buffer.read().decode())\n"
    "sys.stdout.buffer.write(graph.draw(format=sys.argv[1], prog='dot'))"
)


class DrawingError(AutodiffError, RuntimeError):
    """Error: nothing on this machine can render a graph or picture in the requested format."""


class Drawing(graphviz.Digraph):
    """A graphviz graph with a text alternative, which a notebook shows as a picture.

    It is a `graphviz.Digraph`, and its `source` is the DOT text. A notebook shows it as an SVG picture or, if the
    notebook isn't trusted and Graphviz is installed, as PNG.

    Attributes
    ----------
    title : str
        A few words about what is drawn.
    description : str
        A description of the graph for a reader who can't see it.
    theme : str
        ``"auto"`` for a picture that turns dark on a dark page; otherwise its colours don't change.
    is_large : bool
        Whether the layout may take long, and therefore has a time limit.
    layout_timed_out : bool
        Whether the layout has reached that limit. Then nodes are placed less carefully, and edges are straight.
    """

    title: str = "graph"
    description: str = ""
    theme: str = "light"
    is_large: bool = False
    layout_timed_out: bool = False

    def copy(self) -> Drawing:
        """Copy the drawing with its title, description and theme, which `graphviz.Digraph.copy` would lose."""
        other = super().copy()
        for name, value in vars(self).items():
            if name in Drawing.__annotations__:
                setattr(other, name, value)
        return other

    def __repr__(self) -> str:
        return f"<drawing of {self.title}>"

    def __str__(self) -> str:
        said = message("drawing", title=self.title, description=self.description).strip()
        return join_sentences(said, message("laid out in haste") if self.layout_timed_out else "")

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None, **_: Any
    ) -> dict[str, str]:
        # An <img> survives the sanitising of a notebook that is not trusted; an inline <svg> does not. It also keeps
        # the ids in the picture apart from those of a second picture on the page.
        svg = follow_page_theme(picture(self)) if self.theme == "auto" else picture(self)
        # A picture a little too wide for the page shrinks; one much too wide would become unreadable, and scrolls.
        found = re.search(r'width="([\d.]+)pt"', svg)
        assert found is not None, "Graphviz writes how wide its picture is"
        width = "100%" if float(found[1]) < _SCROLLS_FROM else "none"
        html = f'<div style="overflow-x:auto">{image_tag(svg, str(self), width)}</div>'
        return notebook_data(html, repr(self), lambda: render(self, "png"))


def picture(digraph: graphviz.Digraph) -> str:
    """Render a graph as SVG for an ``<img>`` in half the bytes.

    There an SVG has no tooltips, and nothing looks for its ids.

    >>> digraph = graphviz.Digraph(); digraph.node("a", tooltip="first")
    >>> len(picture(digraph)) < len(render(digraph)) / 2
    True
    """
    root = ElementTree.fromstring(render(digraph, "svg"))
    elements = [(element, element.tag.rpartition("}")[2]) for element in root.iter()]
    # The type is the same almost everywhere: it is said once, and again where it differs.
    usual = next((_attributes(element, _TYPE) for element, tag in elements if tag == "text"), "")
    head = _attributes(root, ("width", "height", "viewBox")) + usual
    shapes = "".join(_compact_element(element, tag, usual) for element, tag in elements)
    place = _attributes(root[0], ("transform",))
    return f'<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve"{head}><g{place}>{shapes}</g></svg>'


_SHAPES = ("path", "polygon", "polyline", "ellipse")
_TYPE = ("font-family", "font-size")
_LEFT_OUT = ("id", "class", "{http://www.w3.org/XML/1998/namespace}space", *_TYPE)


def _compact_element(element: ElementTree.Element, tag: str, usual: str) -> str:
    if tag in _SHAPES:
        return f"<{tag}{_attributes(element)}/>"
    text = element.text or ""
    if tag != "text" or not text.strip():
        return ""
    type_ = _attributes(element, _TYPE)
    return f"<text{'' if type_ == usual else type_}{_attributes(element)}>{html.escape(text, False)}</text>"


def _attributes(element: ElementTree.Element, names: Iterable[str] | None = None) -> str:
    """Write attributes, coordinates to a tenth of a point."""
    written = ""
    for name in names or [name for name in element.attrib if name not in _LEFT_OUT]:
        value = element.get(name, "")
        if (name, value) == ("text-anchor", "start"):
            continue
        value = _LONG_DECIMAL.sub(lambda found: f"{float(found[0]):.1f}".removesuffix(".0"), value)
        written += f' {name}="{html.escape(value)}"'
    return written


_LONG_DECIMAL = re.compile(r"-?\d+\.\d\d+")


def notebook_data(html: str, text: str, png: Callable[[], bytes]) -> dict[str, str]:
    """Bundle a rendered picture for a notebook: HTML, text, and, where HTML is not trusted, a PNG if possible."""
    data = {"text/html": html, "text/plain": text}
    with contextlib.suppress(DrawingError):
        data["image/png"] = base64.b64encode(png()).decode()
    return data


def render(digraph: graphviz.Digraph, format: str = "svg", *, scale: float = 1.0) -> bytes:
    """Render a graph with the Graphviz that comes with pygraphviz, or without Graphviz if pygraphviz is missing.

    Parameters
    ----------
    digraph : graphviz.Digraph
        The graph.
    format : str
        ``"svg"``, ``"png"``, ``"pdf"``, ``"json0"`` (positions only), or another of Graphviz's formats.
    scale : float
        How many times larger a bitmap becomes; 2 for a lecture hall.

    Returns
    -------
    bytes
        The file. Its bytes differ between versions of Graphviz; compare `digraph.source` in a test.

    Raises
    ------
    DrawingError
        If Graphviz can't draw the graph; or if pygraphviz is missing and the format is neither SVG nor ``"json0"``,
        which can be written without it. Then the message says what to install.

    Examples
    --------
    >>> render(graphviz.Digraph("empty"))[:5]
    b'<?xml'
    """
    if scale != 1.0:
        digraph = digraph.copy()
        digraph.graph_attr["dpi"] = f"{96 * scale:g}"
    with provide_font():
        if getattr(digraph, "is_large", False) and not digraph.layout_timed_out:
            try:
                return _draw_in_time(digraph, format)
            except subprocess.TimeoutExpired:
                digraph.graph_attr.update(FAST_LAYOUT, splines="line")
                digraph.layout_timed_out = True
            except (subprocess.CalledProcessError, OSError):
                # If the graph itself is the problem, the next attempt raises an error that says so.
                pass
        return _draw(digraph, format)


def _draw_in_time(digraph: graphviz.Digraph, format: str) -> bytes:
    """Draw in a process that can be stopped."""
    command = [sys.executable, "-c", _IN_A_CHILD, format]
    source = digraph.source.encode()
    return subprocess.run(
        command, input=source, capture_output=True, timeout=LAYOUT_TIMEOUT_S, check=True
    ).stdout


def _draw(digraph: graphviz.Digraph, format: str) -> bytes:
    try:
        import pygraphviz
    except ImportError as error:
        return _draw_without_graphviz(digraph, format, error)
    with _silence_stderr() as said:
        try:
            return pygraphviz.AGraph(string=digraph.source).draw(format=format, prog="dot")
        except (ValueError, TypeError, RuntimeError, OSError) as error:
            # pygraphviz 2.0 stumbles with a TypeError over the code that Graphviz returns for an unknown format.
            raise DrawingError(
                f"Graphviz cannot draw the graph as {format}: {said() or error}"
            ) from error


def _draw_without_graphviz(digraph: graphviz.Digraph, format: str, missing: ImportError) -> bytes:
    try:
        return draw_plainly(digraph, format)
    except ValueError as error:
        remedy = "" if sys.platform == "emscripten" else " Run `python -m pip install pygraphviz`."
        svg = "" if format in FORMATS else " A picture as SVG does not need it."
        raise DrawingError(
            f"The graph cannot be drawn as {format}: {error}, and pygraphviz, which brings Graphviz along, cannot be "
            f"imported ({missing}).{remedy}{svg}"
        ) from error


@contextlib.contextmanager
def _silence_stderr() -> Iterator[Any]:
    """Keep what a C library writes to file descriptor 2, where a notebook would show it as an error.

    Fontconfig complains there about the system's own files, although the drawing is fine.
    """
    with tempfile.TemporaryFile() as kept:
        saved = os.dup(2)
        try:
            os.dup2(kept.fileno(), 2)

            def said() -> str:
                kept.seek(0)
                return kept.read().decode(errors="replace").strip()

            yield said
        finally:
            os.dup2(saved, 2)
            os.close(saved)
