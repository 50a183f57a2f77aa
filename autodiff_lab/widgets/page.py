"""The player in HTML that needs no kernel and no network: a still figure, and the script that brings it to life.

The figure alone is a picture, a caption and tables; it is what a reader sees where scripts are taken out (a notebook
that is not trusted, a code host) or switched off. The script replaces it by the player: the module itself travels in
the page, compressed to a third, and is imported from a `data:` URL, so that equal modules on one page are loaded once.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import io
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from autodiff_lab.figures import folding, graphs, tables
from autodiff_lab.figures.drawing import Drawing, data_url
from autodiff_lab.figures.fonts import stack
from autodiff_lab.figures.layout import layout_of
from autodiff_lab.figures.notation import escape
from autodiff_lab.figures.trace import Trace
from autodiff_lab.figures.words import in_its_language, say, separated

PARTS = Path(__file__).with_name("player")
"""The player's modules and style sheets. They are joined here, since a page and anywidget each take one text."""

_STYLES = (
    *("frame", "layout", "source", "graph", "tape", "arrays", "overview", "words", "predict", "transport", "media"),
    "lecture",
)
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.MULTILINE)

_TAGS = {"en": "en", "zh": "zh-Hans"}
_LARGEST_PNG = 3000.0  # pixels to each side; a long tape makes a long graph

# The key finds the figure; of several equal ones on a page each script takes the first that is still a picture.
_UPGRADE = """\
<script type="module">
const figure = document.querySelector('figure[data-adl-player="%(key)s"]');
if (figure) {
  delete figure.dataset.adlPlayer;
  const packed = Uint8Array.from(atob("%(packed)s"), (sign) => sign.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const [script, style] = await new Response(unpacked).json();
  const { mount } = await import("data:text/javascript;charset=utf-8," + encodeURIComponent(script));
  const place = document.createElement("div");
  figure.replaceWith(place);
  mount(place, %(payload)s, { css: style });
}
</script>"""

_PAGE = """\
<!DOCTYPE html>
<html lang="%(lang)s">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>%(title)s</title>
<style>
body { margin: 12px; font-family: %(type)s; }
figure { margin: 0; }
th, td { padding: 2px 12px 2px 0; }
</style>
</head>
<body>
<main>
%(figure)s
</main>
</body>
</html>
"""


@in_its_language
def page(trace: Trace, payload: Mapping[str, Any]) -> str:
    """Write one whole page with the player in it."""
    title = say("page title", title=trace.title)
    type_ = "system-ui, sans-serif" if trace.lang == "en" else f"system-ui, {stack(trace.lang)}"
    parts = {"lang": _TAGS[trace.lang], "title": escape(title), "type": type_, "figure": figure(trace, payload)}
    return _PAGE % parts


def figure(trace: Trace, payload: Mapping[str, Any]) -> str:
    """Write the still figure, and the script that puts the player in its place.

    Parameters
    ----------
    trace : Trace
    payload : mapping
        The same trace as a dictionary, and its layout: what the player's module takes.
    """
    drawing = _still(trace, payload["layout"])
    picture = data_url(graphs.picture(drawing))
    data = _for_script(payload)
    key = hashlib.sha256(data.encode()).hexdigest()[:12]
    still = (
        f'<figure data-adl-player="{key}">'
        f'<img alt="{escape(str(drawing))}" style="max-width:100%;height:auto" src="{picture}">'
        f"<figcaption>{escape(caption(trace))}</figcaption>{tables.table(trace).html()}</figure>"
    )
    return f"{still}\n{_UPGRADE % {'key': key, 'payload': data, 'packed': packed()}}"


def _still(trace: Trace, layout: Mapping[str, Any]) -> Drawing:
    """The graph as a picture, in groups if the player has groups; of a long run it is a stretch."""
    grouped = "groups" in layout and trace.excerpt is None
    return graphs.graph(trace, group=folding.outermost(trace) if grouped else None)


@functools.cache
def packed() -> str:
    """Give the script and the style sheet as a page carries them: JSON, deflated, in base64.

    >>> json.loads(zlib.decompress(base64.b64decode(packed()))) == [SCRIPT, STYLE]
    True
    """
    return base64.b64encode(zlib.compress(json.dumps([SCRIPT, STYLE]).encode(), 9)).decode()


def png(trace: Trace, layout: Mapping[str, Any]) -> bytes:
    """Draw the graph at the last step as PNG, in a few colours; a very large graph is drawn smaller.

    Raises
    ------
    DrawingError
        If there is no Graphviz here.
    """
    if trace.lang != "en":
        from autodiff_lab.figures import printing

        trace = printing.legible("play", trace)
    drawing = _still(trace, layout)
    places = layout_of(drawing) if "groups" in layout else layout
    widest = max(places["width"], places["height"]) * 96 / 72
    drawn = graphs.render(drawing, "png", scale=min(1.0, _LARGEST_PNG / widest))
    from PIL import Image  # after drawing: where nothing can be drawn as PNG, nothing more is loaded

    small = io.BytesIO()
    with Image.open(io.BytesIO(drawn)) as image:
        image.convert("RGBA").quantize(64).save(small, "png", optimize=True)
    return min(drawn, small.getvalue(), key=len)


@in_its_language
def caption(trace: Trace) -> str:
    """Say in a sentence what was run and what came out.

    >>> caption(Trace.of(lambda x, y: x * x, 3.0, 1.0))
    'lambda x, y at x = 3, y = 1: the value is 9. Derivatives: by x 6, by y 0.'
    """
    inputs = [trace.lines[i] for i in trace.inputs]
    at = separated(f"{line.label} = {line.value.text}" for line in inputs)
    run = say("run at", title=trace.title, at=at) if at else trace.title
    if not inputs:
        return say("caption", run=run, value=trace.value.text)
    derivatives = separated(
        say("derivative by", name=line.label, value="0" if adjoint is None else adjoint.text)
        for line, adjoint in zip(inputs, trace.gradient, strict=True)
    )
    return say("caption with derivatives", run=run, value=trace.value.text, derivatives=derivatives)


def _for_script(data: Any) -> str:
    """Write JSON that may stand in a <script>: no "<" in it, so no name can end the script."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def modules(last: str = "widget") -> list[str]:
    """Name the modules that `last` stands on, each behind those it imports; `last` comes last.

    >>> names = modules()
    >>> names.index("state") < names.index("mount") < names.index("widget")
    True
    """
    order: dict[str, None] = {}
    for name in _IMPORT.findall(_part(f"{last}.js")):
        order |= dict.fromkeys(modules(name))
    return [*order, last]


def _part(name: str) -> str:
    return (PARTS / name).read_text(encoding="utf-8")


_COMMENT = re.compile(r"(?<=\S)\s+// .*$")


def _lean(text: str) -> str:
    """Leave out comments and indentation; the sources have no strings over several lines, and none with `` // ``."""
    text = re.sub(r"^\s*/\*.*?\*/\s*$", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = (_COMMENT.sub("", line).strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("// "))


# What one module exports is a name that the others see anyway, once they are one text.
SCRIPT = "\n".join(_lean(_IMPORT.sub("", _part(f"{name}.js"))) for name in modules())
"""The whole player as one module, which exports what its parts export."""


def _nested(rules: Iterable[str]) -> Iterator[str]:
    """Name `.adl-player` once for neighbouring rules: every notebook carries the style sheet many times.

    >>> list(_nested([".adl-player .a, .adl-player .b { }", ".adl-player .c { }", ".adl-player.d .e { }"]))
    ['.adl-player {', '.a, .b { }', '.c { }', '}', '.adl-player.d {', '.e { }', '}']
    """
    for outer, group in groupby(rules, _outer):
        some = list(group)
        yield from [f"{outer} {{", *(_within(outer, rule) for rule in some), "}"] if outer else some


def _outer(rule: str) -> str:
    """The player, as all selectors of a rule begin with it; empty where they do not, and for what is no rule."""
    begin = re.match(r"(\.adl-player[\w.-]*) (?!\{).*\}$", rule)
    return begin[1] if begin and ".adl-player" not in _within(begin[1], rule) else ""


def _within(outer: str, rule: str) -> str:
    return rule.removeprefix(f"{outer} ").replace(f", {outer} ", ", ")


STYLE = "\n".join(_nested("\n".join(_lean(_part(f"{name}.css")) for name in _STYLES).splitlines()))
STYLE = re.sub(r"(?<=[:;,{}])\s|\s(?={)|;?\s*(?=})", "", STYLE)
"""The whole style sheet."""
