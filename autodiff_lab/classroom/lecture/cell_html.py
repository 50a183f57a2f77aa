"""A notebook's cells as HTML that needs no network: prose with its formulas in MathML, code in colours, outputs.

A formula is translated once, here, so the page needs neither MathJax nor its fonts: browsers set MathML themselves.
"""

from __future__ import annotations

import html
import itertools
import re
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from nbconvert.filters.ansi import ansi2html
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from autodiff_lab.classroom.lecture.execute import PlayerExport, read_player_export

__all__ = ["Block", "blocks", "mathml"]


@dataclass(frozen=True)
class Block:
    """A piece of a notebook that stays in one piece.

    Attributes
    ----------
    kind : str
        ``"heading"``, ``"text"``, ``"code"``, ``"output"`` or ``"player"``.
    html : str
    level : int
        Of a heading, from 1; otherwise 0.
    exercise : bool
        Whether it belongs to an exercise: from its heading to the cell in which the answer goes.
    player : PlayerExport or None
        What a player shows; its HTML is chosen by who writes the page.
    """

    kind: str
    html: str
    level: int = 0
    exercise: bool = False
    player: PlayerExport | None = None

    @property
    def text(self) -> str:
        """What is read, without tags; of a player its title."""
        if self.player:
            return self.player.title
        return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", "", self.html))).strip()


def blocks(notebook: Any, folder: Path | None = None) -> list[Block]:
    """Convert an executed notebook into blocks of HTML.

    What is about this machine or this learner is left out: the progress, and what the check says to an open exercise.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
    folder : Path, optional
        Where its pictures are.
    """
    found: list[Block] = []
    exercise = False
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        if cell.cell_type == "markdown":
            for piece in pieces(_markdown(cell, folder)):
                level = int(piece[2]) if re.match(r"<h[1-6][ >]", piece) else 0
                block = Block("heading" if level else "text", piece, level)
                if level:
                    exercise = level > 2 and block.text.startswith("Exercise")
                found.append(Block(block.kind, piece, level, exercise))
        elif cell.cell_type == "code" and "machine-output" not in tags:
            found.append(Block("code", _coloured(cell.source), exercise=exercise))
            for output in cell.outputs if "exercise" not in tags else ():
                shown = read_player_export(output)
                written = _output(output)
                if shown:
                    found.append(Block("player", shown.page, player=shown))
                elif written:
                    found.append(Block("output", written, exercise=exercise))
            exercise = exercise and "exercise" not in tags
    return found


def mathml(latex: str, display: str = "inline") -> str:
    r"""Translate a formula; what cannot be translated is shown as it was written.

    >>> mathml("x_1")[-53:]
    '<mrow><msub><mi>x</mi><mn>1</mn></msub></mrow></math>'
    """
    try:
        return convert(latex.strip(), display=display)
    except Exception:  # whatever a formula does to the translator, a lecture must not fail by it
        return f'<code class="formula">{html.escape(latex.strip())}</code>'


class _Prose(IPythonRenderer):
    """Jupyter's own Markdown, with formulas in MathML, and without links to files that do not travel along."""

    def inline_math(self, body: str) -> str:
        return mathml(body)

    def block_math(self, body: str) -> str:
        return f'<div class="formula">{mathml(body, "block")}</div>'

    def latex_environment(self, name: str, body: str) -> str:
        return self.block_math(rf"\begin{{{name}}}{body}\end{{{name}}}")

    def _html_embed_images(self, html: str) -> str:
        # It would close a <details> whose end is in a later block.
        return super()._html_embed_images(html) if "<img" in html else html

    def link(self, text: str, url: str, title: str | None = None) -> str:
        if "mybinder.org" in url:
            return ""  # who launches a notebook there has a network
        return super().link(text, url, title) if re.match(r"https?:|mailto:", url) else text


def _markdown(cell: Any, folder: Path | None) -> str:
    options = {"embed_images": True, "path": str(folder)} if folder else {}
    attachments = cell.get("attachments", {})
    renderer = _Prose(escape=False, exclude_anchor_links=True, attachments=attachments, **options)
    return MarkdownWithMath(renderer=renderer).render(cell.source)


def _coloured(code: str) -> str:
    return highlight(code, PythonLexer(), HtmlFormatter(cssclass="code")).strip()


def _output(output: Any) -> str:
    if output.output_type == "stream":
        return f"<pre>{ansi2html(output.text.rstrip())}</pre>"
    if output.output_type == "error":
        return f"<pre>{ansi2html(f'{output.ename}: {output.evalue}')}</pre>"
    data = output.data
    alt = html.escape(data.get("text/plain", "a picture"))
    if "text/html" in data:
        return f'<div class="shown">{data["text/html"]}</div>'
    if "image/svg+xml" in data:
        return f'<div class="shown">{data["image/svg+xml"]}</div>'
    for kind in ("image/png", "image/jpeg"):
        if kind in data:
            return f'<div class="shown"><img alt="{alt}" src="data:{kind};base64,{data[kind].strip()}"></div>'
    if "text/latex" in data:
        formula = data["text/latex"].strip().strip("$").replace(r"\displaystyle", "")
        return f'<div class="formula">{mathml(formula, "block")}</div>'
    return f"<pre>{html.escape(data['text/plain'])}</pre>" if "text/plain" in data else ""


def pieces(written: str) -> list[str]:
    """Cut HTML into its outermost elements; what stands between two of them is a piece too, if it is not blank.

    >>> pieces("<h2>A</h2> <p>b <img alt=''> c</p><details><summary>d</summary><p>e</p></details>")
    ['<h2>A</h2>', "<p>b <img alt=''> c</p>", '<details><summary>d</summary><p>e</p></details>']
    """
    cut = _Cut()
    cut.feed(written)
    cut.close()
    lines = [0, *(m.end() for m in re.finditer("\n", written))]
    places = [0, *(lines[line - 1] + column for line, column in cut.places), len(written)]
    found = (written[a:b].strip() for a, b in itertools.pairwise(places))
    return [piece for piece in found if piece not in ("", "<p></p>")]


class _Cut(HTMLParser):
    """Notes where an outermost element begins."""

    _ALONE = frozenset(("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"))

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.places: list[tuple[int, int]] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if not self._open:
            self.places.append(self.getpos())
        if tag not in self._ALONE:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        if not self._open:
            self.places.append(self.getpos())

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass
