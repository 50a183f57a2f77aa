"""The HTML of notebook cells in lecture pages: Markdown with MathML formulas, and saved outputs; no network needed.

A formula is translated once, here, so the page needs neither MathJax nor its fonts: browsers set MathML themselves.
"""

import html
import re
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from nbconvert.filters.ansi import ansi2html
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from autodiff_lab.widgets.player.page import document


def mathml(latex: str, display: str = "inline") -> str:
    r"""Translate a cell's LaTeX formula to MathML; what cannot be translated is shown as it was written.

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

    def link(self, text: str, url: str, title: str | None = None) -> str:
        if "mybinder.org" in url:
            return ""  # who launches a notebook there has a network
        return super().link(text, url, title) if re.match(r"https?:|mailto:", url) else text


def mark_up(text: str) -> str:
    """Write a cell's Markdown as HTML, formulas as MathML."""
    return MarkdownWithMath(renderer=_Prose(escape=False, exclude_anchor_links=True)).render(text).strip()


def mark_up_line(text: str) -> str:
    """Write one line of a cell's Markdown as HTML, without a paragraph around it.

    >>> mark_up_line("It is `x1`.")
    'It is <code>x1</code>.'
    """
    return re.sub(r"^<p>(.*)</p>$", r"\1", mark_up(text), flags=re.DOTALL)


def page(title: str, body: str, *parts: str) -> str:
    """Put the HTML of cells into a lecture page that needs no other file; its styles are in files beside this one."""
    return document(title, "\n".join(map(read_part, parts)), body)


def read_part(name: str) -> str:
    """For the HTML of cells, read the style sheet or script that they need beside them."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def cell_output(cell: Any) -> tuple[str, str]:
    """Return a cell's saved output as HTML, and its kind: player, lab, picture, text or nothing.

    Of several outputs the one that says most counts: a picture before a text.
    """
    found = [_output(output) for output in cell.get("outputs", [])]
    kinds = ("player", "lab", "picture", "text")
    return min((each for each in found if each[0]), key=lambda each: kinds.index(each[1]), default=("", "nothing"))


def _output(output: Any) -> tuple[str, str]:
    if output.output_type == "stream":
        return f"<pre>{ansi2html(output.text.rstrip())}</pre>", "text"
    if output.output_type == "error":
        return f"<pre>{ansi2html(f'{output.ename}: {output.evalue}')}</pre>", "text"
    data = output.data
    written = data.get("text/html", "")
    for kind in ("player", "lab"):
        if f"data-adl-{kind}" in written:
            return written, kind
    if written:
        return written, "picture" if "<img" in written else "text"
    if "image/png" in data:
        alt = html.escape(data.get("text/plain", "a picture"))
        return f'<img alt="{alt}" src="data:image/png;base64,{data["image/png"].strip()}">', "picture"
    return (f"<pre>{html.escape(data['text/plain'])}</pre>", "text") if data.get("text/plain") else ("", "nothing")
