"""The HTML of notebook cells in lecture pages: Markdown with formulas in MathML, which need no network.

A formula is translated once, here, so the page needs neither MathJax nor its fonts: browsers set MathML themselves.
"""

import html
import re
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from autodiff_lab.widgets.player.page import document


def mathml(latex: str, display: str = "inline") -> str:
    r"""Translate a cell's LaTeX formula to MathML; if that fails, return the LaTeX source as HTML code.

    >>> mathml("x_1")[-53:]
    '<mrow><msub><mi>x</mi><mn>1</mn></msub></mrow></math>'
    """
    try:
        return convert(latex.strip(), display=display)
    except Exception:  # whatever the translator raises, one formula must not stop a lecture
        return f'<code class="formula">{html.escape(latex.strip())}</code>'


class _Prose(IPythonRenderer):
    """Jupyter's own Markdown, with formulas in MathML, and without links to files that the page doesn't contain."""

    def inline_math(self, body: str) -> str:
        return mathml(body)

    def block_math(self, body: str) -> str:
        return f'<div class="formula">{mathml(body, "block")}</div>'

    def latex_environment(self, name: str, body: str) -> str:
        return self.block_math(rf"\begin{{{name}}}{body}\end{{{name}}}")

    def link(self, text: str, url: str, title: str | None = None) -> str:
        if "mybinder.org" in url:
            return ""  # a page that works without a network has no use for a launch button
        if not re.match(r"https?:|mailto:", url):
            return text
        return super().link(text, url, title)


def mark_up(text: str, **options: Any) -> str:
    """Write a cell's Markdown as HTML, formulas as MathML; `options` are those of nbconvert's renderer."""
    renderer = _Prose(escape=False, exclude_anchor_links=True, **options)
    return MarkdownWithMath(renderer=renderer).render(text).strip()


def mark_up_line(text: str) -> str:
    """Write one line of a cell's Markdown as HTML, without a paragraph around it.

    >>> mark_up_line("It is `x1`.")
    'It is <code>x1</code>.'
    """
    return re.sub(r"^<p>(.*)</p>$", r"\1", mark_up(text), flags=re.DOTALL)


def page(title: str, body: str, *parts: str) -> str:
    """Put the HTML of cells into a lecture page that needs no other file; `parts` names style sheets in this folder."""
    return document(title, "\n".join(map(read_part, parts)), body)


def read_part(name: str) -> str:
    """Read a style sheet or script for the HTML of cells, from this folder."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
