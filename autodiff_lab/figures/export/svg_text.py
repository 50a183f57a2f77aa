"""Lines of coloured text in an SVG picture: where they break, and how they are written.

Widths are estimated a little generously, as those of boxes are; so the picture does not depend on a font.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from autodiff_lab.figures.graph.box_size import SIZE, text_width
from autodiff_lab.figures.style.themes import Theme
from autodiff_lab.text.notation import escape
from autodiff_lab.trace.model import Equation

LEADING = 1.45
"""From one line to the next, in sizes of type."""

# Words end at a space that is not a no-break space. Chinese breaks between any two characters, but no line begins with
# a stop.
_PIECES = re.compile(r"[⺀-鿿][，。；：、！？）」』]*|[^\S\u00a0]+|(?:[^\s⺀-鿿]|\u00a0)+")
_SPACES = " \t\n"
_TIED = "\N{NO-BREAK SPACE}"
_SHORTEST = 4


class Run(NamedTuple):
    """Text in one colour, which is a role of a `Theme`."""

    text: str
    ink: str = "ink"
    bold: bool = False


_INKS = {
    "n": ("ink", False),
    "p": ("ink", False),
    "v": ("value", False),
    "w": ("value", True),
    "a": ("adjoint", False),
    "r": ("adjoint", True),
    "t": ("tangent", False),
    "u": ("tangent", True),
    "m": ("soft_ink", False),
    "c": ("soft_ink", False),
    "g": ("ink", True),
}
"""How the pieces of an equation are written; the letters are those of `equations.KINDS`."""


def of_equation(equation: Equation) -> list[Run]:
    """Give a line of arithmetic its colours."""
    pieces = iter(equation.pieces)
    return [
        Run(next(pieces), *_INKS[kind]) if kind.isalpha() else Run(f" {kind}{_TIED}", "soft_ink")
        for kind in equation.form
    ]


def wrapped(runs: Iterable[Run], width: float, size: float = SIZE) -> list[list[Run]]:
    """Break text into lines that are at most so wide, in points.

    >>> [[run.text for run in line] for line in wrapped([Run("one two "), Run("three", "value")], 70)]
    [['one two'], ['three']]
    """
    lines: list[list[Run]] = [[]]
    used = 0.0
    for word in _words(runs, max(_SHORTEST, int(width / (0.75 * size)))):
        wide = sum(text_width(run.text, run.bold) for run in word) * size / SIZE
        space = word[0].text.isspace()
        if used and used + wide > width:
            lines.append([])
            used = 0.0
        if space and not used and len(lines) > 1:
            continue
        lines[-1] += word
        used += wide
    return [_joined(_trimmed(line)) for line in lines if line]


def _words(runs: Iterable[Run], longest: int) -> Iterator[list[Run]]:
    """What must stay on one line: words, which may have several colours, and the spaces between them."""
    word: list[Run] = []
    for run in runs:
        for found in _PIECES.finditer(run.text):
            text = found[0]
            breaks = text[0] in _SPACES or "⺀" <= text[0] <= "鿿"
            if breaks and word:
                yield word
                word = []
            pieces = [run._replace(text=text[k : k + longest]) for k in range(0, len(text), longest)]
            if breaks:
                yield pieces
                continue
            # A word longer than a line is cut.
            yield from ([*word, piece] if k == 0 else [piece] for k, piece in enumerate(pieces[:-1]))
            word = [*word, pieces[-1]] if len(pieces) == 1 else [pieces[-1]]
    if word:
        yield word


def _trimmed(line: list[Run]) -> list[Run]:
    while line and line[-1].text.isspace():
        line.pop()
    return line


def _joined(line: Iterable[Run]) -> list[Run]:
    """Put neighbours of one look together."""
    joined: list[Run] = []
    for run in line:
        if joined and joined[-1][1:] == run[1:]:
            joined[-1] = joined[-1]._replace(text=joined[-1].text + run.text)
        else:
            joined.append(run)
    return joined


def written(
    lines: Sequence[Sequence[Run]], x: float, top: float, theme: Theme, size: float = SIZE, anchor: str = "start"
) -> str:
    """Write lines of text below each other; `top` is the upper end of the first, x and y are in points."""
    elements = []
    for k, runs in enumerate(lines):
        baseline = top + (k * LEADING + 1.05) * size
        spans = "".join(_span(run, theme) for run in runs)
        at = f'x="{x:g}" y="{baseline:.1f}" font-size="{size:g}" text-anchor="{anchor}"'
        elements.append(f"<text {at}>{spans}</text>")
    return "".join(elements)


def _span(run: Run, theme: Theme) -> str:
    weight = ' font-weight="bold"' if run.bold else ""
    return f'<tspan{weight} fill="{getattr(theme, run.ink)}">{escape(run.text.replace(_TIED, " "))}</tspan>'


def height(lines: int, size: float = SIZE) -> float:
    """How tall so many lines of text are."""
    return lines * LEADING * size
