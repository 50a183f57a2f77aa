"""The player as a page, HTML without kernel or network: a still figure, and the script that brings it to life.

The figure alone is a picture, a caption and tables; it is what a reader sees where scripts are taken out (a notebook
that is not trusted, a code host) or switched off. It does not give away what the sweep finds; the tables are folded.
The script replaces it by the player: the module itself travels in the page, compressed to a third, and is imported
from a `data:` URL, so that equal modules on one page are loaded once.
"""

from __future__ import annotations

import base64
import functools
import io
import json
import re
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autodiff_lab.figures.graph import draw
from autodiff_lab.figures.graph.render import Drawing
from autodiff_lab.figures.style import themes
from autodiff_lab.figures.style.svg import data_url
from autodiff_lab.figures.tables import trace_table
from autodiff_lab.text.messages import join_items, message
from autodiff_lab.text.notation import escape
from autodiff_lab.trace.model import Trace
from autodiff_lab.widgets.bundle import read_bundle
from autodiff_lab.widgets.live import placeholder_html

# The player's modules and style sheets.
PARTS = Path(__file__).parent

_LARGEST_PNG = 3000.0  # pixels to each side; a long tape makes a long graph

# What plays where nobody has the live player.
_ALONE = """\
async () => {
const packed = Uint8Array.from(atob("%(packed)s"), (sign) => sign.charCodeAt(0));
const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
const [script, style] = await new Response(unpacked).json();
const { mount } = await import("data:text/javascript;charset=utf-8," + encodeURIComponent(script));
return (place) => mount(place, %(payload)s, { css: style%(step)s }).destroy;
}"""

_PAGE = (PARTS / "page.html").read_text(encoding="utf-8")

_STYLE = """\
body { margin: 12px; font-family: system-ui, sans-serif; }
figure { margin: 0; }
th, td { padding: 2px 12px 2px 0; }"""


def document(title: str, style: str, body: str) -> str:
    """A whole page for the player or a report: HTML around a body; `title` is text."""
    return _PAGE % {"title": escape(title), "style": style, "body": body}


def page(trace: Trace, payload: Mapping[str, Any]) -> str:
    """Write a whole HTML page with the player in it, as `Player.save_html` saves it."""
    title = message("page title", title=trace.title)
    body = f"<main>\n{figure(trace, payload)}\n</main>"
    return document(title, _STYLE, body)


def figure(
    trace: Trace, payload: Mapping[str, Any], key: str = "", still: Still | None = None
) -> str:
    """Write the player's still figure for a page, and the script that puts the player in its place.

    Parameters
    ----------
    trace : Trace
    payload : mapping
        The same trace as a dictionary, and its layout: what the player's module takes.
    key : str
        Of the live player; empty in a page that has none.
    still : Still, optional
        The picture of the trace, if it is drawn already.
    """
    drawing, svg = still or draw_still(trace, "groups" in payload["layouts"][0])
    written = trace_table.table(trace)
    page = (
        f'<figure><img alt="{escape(str(drawing))}" style="max-width:100%;height:auto" src="{data_url(svg)}">'
        f"<figcaption>{escape(caption(trace))}</figcaption>"
        f"<details><summary>{escape(written.forward.caption)}</summary>{written.html()}</details></figure>"
    )
    step = f", step: {payload['step']}" if "step" in payload else ""
    parts = {"payload": _for_script(payload), "packed": pack_assets(), "step": step}
    return placeholder_html(page, "player", key, _ALONE % parts)


# A graph, and its picture in SVG.
Still = tuple[Drawing, str]


def draw_still(trace: Trace, in_groups: bool) -> Still:
    """Draw the still figure of a player's page: the graph before the sweep, in groups if the player has groups.

    Of a long run it is a window.
    """
    group = "auto" if in_groups and trace.excerpt is None else None
    drawing = draw.graph(trace, adjoints=False, partials=False, group=group)
    return drawing, draw.picture(drawing)


@functools.cache
def pack_assets() -> str:
    """Pack the player's script and style sheet as a page carries them: JSON, deflated, in base64.

    >>> json.loads(zlib.decompress(base64.b64decode(pack_assets()))) == [SCRIPT, STYLE]
    True
    """
    return base64.b64encode(zlib.compress(json.dumps([SCRIPT, STYLE]).encode(), 9)).decode()


def png(still: Still) -> bytes:
    """Draw the still figure of a player's page as PNG, in a few colours; a very large graph is drawn smaller.

    Raises
    ------
    DrawingError
        If there is no Graphviz here.
    """
    drawing, svg = still
    widest = (
        max(float(side) for side in re.findall(r'(?:width|height)="([\d.]+)pt"', svg)) * 96 / 72
    )
    drawn = draw.render(drawing, "png", scale=min(1.0, _LARGEST_PNG / widest))
    # after drawing: where nothing can be drawn as PNG, nothing more is loaded
    from PIL import Image

    small = io.BytesIO()
    with Image.open(io.BytesIO(drawn)) as image:
        image.convert("RGBA").quantize(64).save(small, "png", optimize=True)
    return min(drawn, small.getvalue(), key=len)


def caption(trace: Trace) -> str:
    """Write the caption of the still figure on a player's page: what was run, and what came out.

    >>> caption(Trace.of(lambda x, y: x * x, 3.0, 1.0))
    'lambda x, y at x = 3, y = 1: the value is 9.'
    """
    at = join_items(
        f"{line.label} = {line.value.text}" for line in (trace.lines[i] for i in trace.inputs)
    )
    run = message("run at", title=trace.title, at=at) if at else trace.title
    if trace.raised is not None:
        return message("caption raised", run=run, kind=trace.raised.kind, text=trace.raised.text)
    return message("caption", run=run, value=trace.value.text)


def _for_script(data: Any) -> str:
    """Write JSON that may stand in a <script>: no "<" in it, so no name can end the script."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


# The whole player as one module.
SCRIPT = read_bundle("player.js")

_COLOURS = " ".join(f"{name}: {colour};" for name, colour in themes.css_variables("adl-").items())
# The whole style sheet, with the colours that it names.
STYLE = f".adl-player {{ {_COLOURS} }}\n{read_bundle('player.css')}"
