"""The player as an HTML page that needs no kernel and no network: a still figure, and a script that makes it a player.

The figure has a picture, a caption and folded tables. A reader sees it wherever scripts are removed (an untrusted
notebook, a code host) or switched off. It shows no adjoints, so it gives no answers away. The script replaces the
figure by the player. The player's module is part of the page, compressed to a third of its size, and is imported from a
`data:` URL: then a browser loads it only once, even if several figures on a page have it.
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

_LARGEST_PNG = 3000.0  # width or height in pixels; a long tape makes a long graph

# JavaScript that mounts a player which needs no kernel.
_STANDALONE = """\
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
    """Write a whole page, for the player or a report: `style` is CSS, `body` is HTML, and `title` is plain text."""
    return _PAGE % {"title": escape(title), "style": style, "body": body}


def page(trace: Trace, payload: Mapping[str, Any]) -> str:
    """Write the HTML page with a player that `Player.save_html` saves."""
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
        The same trace as a dictionary with its layouts, which the player's module takes.
    key : str
        The key of the live player; empty in a page that has none.
    still : Still, optional
        The picture of the trace; drawn here if it is not given.
    """
    drawing, svg = still or draw_still(trace, "groups" in payload["layouts"][0])
    table = trace_table.table(trace)
    html = (
        f'<figure><img alt="{escape(str(drawing))}" style="max-width:100%;height:auto" src="{data_url(svg)}">'
        f"<figcaption>{escape(caption(trace))}</figcaption>"
        f"<details><summary>{escape(table.forward.caption)}</summary>{table.html()}</details></figure>"
    )
    step = f", step: {payload['step']}" if "step" in payload else ""
    parts = {"payload": _for_script(payload), "packed": pack_assets(), "step": step}
    return placeholder_html(html, "player", key, _STANDALONE % parts)


# A graph, and the SVG drawn from it.
Still = tuple[Drawing, str]


def draw_still(trace: Trace, in_groups: bool) -> Still:
    """Draw the still figure of a player's page: the graph before the sweep.

    It has groups if the player's graph has them. Of a long run, it shows an excerpt.
    """
    group = "auto" if in_groups and trace.excerpt is None else None
    drawing = draw.graph(trace, adjoints=False, partials=False, group=group)
    return drawing, draw.picture(drawing)


@functools.cache
def pack_assets() -> str:
    """Pack the player's script and style sheet for a page: JSON, deflated, in base64.

    >>> json.loads(zlib.decompress(base64.b64decode(pack_assets()))) == [SCRIPT, STYLE]
    True
    """
    return base64.b64encode(zlib.compress(json.dumps([SCRIPT, STYLE]).encode(), 9)).decode()


def png(still: Still) -> bytes:
    """Draw the still figure of a player's page as PNG, with at most 64 colours; a very large graph is scaled down.

    Raises
    ------
    DrawingError
        If Graphviz is not installed.
    """
    drawing, svg = still
    sides_pt = [float(side) for side in re.findall(r'(?:width|height)="([\d.]+)pt"', svg)]
    longest_px = max(sides_pt) * 96 / 72
    drawn = draw.render(drawing, "png", scale=min(1.0, _LARGEST_PNG / longest_px))
    # Imported only now, so that Pillow is not loaded where no PNG can be drawn.
    from PIL import Image

    few_colours = io.BytesIO()
    with Image.open(io.BytesIO(drawn)) as image:
        image.convert("RGBA").quantize(64).save(few_colours, "png", optimize=True)
    return min(drawn, few_colours.getvalue(), key=len)


def caption(trace: Trace) -> str:
    """Write the caption of the still figure: the function, its inputs, and its value or the error that it raised.

    >>> caption(Trace.of(lambda x, y: x * x, 3.0, 1.0))
    'lambda x, y at x = 3, y = 1: the value is 9.'
    """
    inputs = [trace.lines[i] for i in trace.inputs]
    at = join_items(f"{line.label} = {line.value.text}" for line in inputs)
    run = message("run at", title=trace.title, at=at) if at else trace.title
    if trace.raised is not None:
        return message("caption raised", run=run, kind=trace.raised.kind, text=trace.raised.text)
    return message("caption", run=run, value=trace.value.text)


def _for_script(data: Any) -> str:
    """Write JSON for a <script>. It has no "<", so that no text in it can end the script."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


# The player as one module.
SCRIPT = read_bundle("player.js")

_COLOURS = " ".join(f"{name}: {colour};" for name, colour in themes.css_variables("adl-").items())
# The player's style sheet, with the colours that it refers to by name.
STYLE = f".adl-player {{ {_COLOURS} }}\n{read_bundle('player.css')}"
