"""Cells on slides: a section begins to the right, what is long goes on below, an exercise and a player stand alone.

How much a slide holds is estimated here in lines, so that a kit is made without a browser; `slides.js` makes what is
still too tall smaller, and beyond that it scrolls. A result that the text asks to foresee waits for a key.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autodiff_lab.classroom.lecture.cell_html import Block
from autodiff_lab.text.notation import escape
from autodiff_lab.widgets.player.page import document

__all__ = ["Slide", "deck", "lines_of", "slides_of"]

HERE = Path(__file__).parent
ROOM = 17.0
"""Lines of prose on a slide."""
_TIGHT = 1.3  # the parts of an exercise rather stand together, and smaller
_ACROSS = 72  # characters in a line of prose
_LARGER, _WIDE, _LINE = 1.7, 912.0, 33.0  # at 1024 by 768: slides.css has the same factor

_DECK = """\
<div class="reveal"><div class="slides">
%(slides)s
</div></div>
<script>
%(reveal)s
</script>
<script>
%(script)s
</script>"""


@dataclass
class Slide:
    """What is on one slide.

    Attributes
    ----------
    section : str
        The title of its section, which stands small above what goes on from another slide.
    blocks : list of Block
    """

    section: str
    blocks: list[Block] = field(default_factory=list)

    @property
    def filled(self) -> float:
        """How many lines are taken."""
        return sum(map(lines_of, self.blocks))


def slides_of(blocks: Sequence[Block]) -> list[list[Slide]]:
    """Distribute blocks: a list for each section, of slides that follow each other downwards."""
    sections: list[list[Slide]] = [[Slide("")]]
    for group in _groups(blocks):
        first = group[0]
        column = sections[-1]
        if first.level == 2 or (first.level == 1 and column[-1].blocks):
            sections.append(column := [Slide(first.text)])
        elif column[-1].blocks and _begins(group, column[-1]):
            column.append(Slide(column[-1].section))
        column[-1].blocks += group
    return [column for column in sections if column[0].blocks]


def _groups(blocks: Iterable[Block]) -> list[list[Block]]:
    """Blocks that are not to be parted: headings with what follows, code with its result where both are short."""
    groups: list[list[Block]] = []
    for block in blocks:
        last = groups[-1] if groups else []
        after_heading = bool(last) and last[-1].kind == "heading" and block.level != 2 and block.kind != "player"
        result = bool(last) and block.kind == "output" and last[-1].kind in ("code", "output")
        fits = sum(map(lines_of, last)) + lines_of(block) <= ROOM
        if after_heading or (result and fits):
            last.append(block)
        else:
            groups.append([block])
    return groups


def _begins(group: Sequence[Block], slide: Slide) -> bool:
    """Whether these blocks need a new slide."""
    first, last, exercise = group[0], slide.blocks[-1], group[-1].exercise
    alone = first.kind == "player" or last.kind == "player" or first.level > 0
    room = _TIGHT * ROOM if exercise else ROOM
    return alone or exercise != last.exercise or slide.filled + sum(map(lines_of, group)) > room


def lines_of(block: Block) -> float:
    """Estimate how many lines of prose a block takes.

    >>> lines_of(Block("text", "<p>" + 100 * "word " + "</p>"))
    7.6
    """
    written = block.html
    if block.kind == "player":
        return ROOM
    if block.level:
        return 2.0
    tables = re.findall(r"<table.*?</table>", written, re.DOTALL)
    rest = re.sub(r"<table.*?</table>", "", written, flags=re.DOTALL)
    lines = sum(map(_of_table, tables))
    pictures = re.findall(r'<img\b[^>]*? src="data:image/([^;]+);base64,([^"]+)"', rest)
    lines += sum(_of_picture(kind, base64.b64decode(data)) for kind, data in pictures)
    if "<svg" in rest:
        return lines + 10.0
    if "<pre" in rest:
        return lines + 0.8 * (Block("", re.sub("\n", "¶", rest.strip())).text.count("¶") + 1) + 0.6
    if written.startswith("<details"):
        return 1.6
    if 'display="block"' in rest:
        return lines + 2.2 + 1.2 * rest.count("</mtr>")
    for item in re.findall(
        r"<(?:p|li|summary|figcaption)\b.*?(?=<(?:/p|/li|li|/summary|/figcaption)\b)", rest, re.DOTALL
    ):
        lines += math.ceil(len(Block("", item).text) / _ACROSS) + (0.6 if item.startswith("<p") else 0.2)
    return lines or math.ceil(len(block.text) / _ACROSS) + 0.6


def _of_table(table: str) -> float:
    rows = [re.findall(r"<t[hd]\b.*?</t[hd]>", row, re.DOTALL) for row in re.findall(r"<tr.*?</tr>", table, re.DOTALL)]
    lines = 0.0
    for row in rows:
        total = sum(len(Block("", cell).text) for cell in row)
        lines += 1.4 * max(1, math.ceil(total / _ACROSS))
    return lines + 0.6


def _of_picture(kind: str, data: bytes) -> float:
    """A picture is shown larger than it is, as its type has to be read from afar, and at most as wide as a slide."""
    if kind == "png":
        width, height = (int.from_bytes(data[k : k + 4], "big") for k in (16, 20))
    else:
        sizes = [re.search(rb'%s="([\d.]+)(pt)?"' % name, data) for name in (b"width", b"height")]
        width, height = (float(m[1]) * (4 / 3 if m[2] else 1) if m else 300.0 for m in sizes)
    larger = min(_LARGER, _WIDE / max(width, 1))
    return min(0.75 * ROOM, height * larger / _LINE + 0.6)


def deck(title: str, blocks: Sequence[Block]) -> str:
    """Write the slides of a notebook as one page that needs nothing else."""
    sections = [f"<section>{''.join(map(_slide, column))}</section>" for column in slides_of(blocks)]
    style = [_part("reveal/reveal.css"), _part("lecture.css"), _part("slides.css")]
    parts = {"slides": "\n".join(sections), "reveal": _part("reveal/reveal.js"), "script": _part("slides.js")}
    return document(title, "\n".join(style), _DECK % parts)


def _slide(slide: Slide) -> str:
    first = slide.blocks[0]
    exercise = slide.blocks[-1].exercise
    kind = "player" if first.kind == "player" else "exercise" if exercise else "title" if first.level == 1 else ""
    goes_on = first.level not in (1, 2) and kind != "player" and slide.section
    parts = [f'<p class="section-name">{escape(slide.section)}</p>'] if goes_on else []
    asked = waits = False
    for block in slide.blocks:
        asked = asked or (block.kind == "text" and not exercise and "<strong>Predict" in block.html)
        if asked and block.kind == "output" and not waits:
            parts.append('<div class="fragment">')  # the result waits for a key, and so does what is said about it
            waits = True
        parts.append(block.player.slide if block.player else block.html)
    parts.append("</div>" * waits)
    return f'<section class="slide {kind}"><div class="on-slide">{"".join(parts)}</div></section>'


def _part(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")
