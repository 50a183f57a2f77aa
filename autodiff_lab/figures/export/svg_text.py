"""SVG text: coloured words in a picture, wrapped into lines of a given width, and stacked paragraphs.

Widths are estimated a little generously, as for boxes, so that a picture doesn't depend on the font of a machine.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from autodiff_lab.figures.graph.boxes import SIZE, text_width
from autodiff_lab.figures.style.svg import element
from autodiff_lab.figures.style.themes import Theme
from autodiff_lab.text.messages import message, message_parts
from autodiff_lab.text.notation import escape
from autodiff_lab.trace.model import Equation, Trace

_LEADING = 1.45  # the distance between two baselines, in font sizes

# Words end at a space that isn't a no-break space. Chinese text can be broken between any two characters, but no line
# may begin with a punctuation mark.
CHINESE = re.compile("[⺀-鿿！-～]")
_ATOMS = re.compile(r"[⺀-鿿][，。；：、！？）」』]*|[^\S\u00a0]+|(?:[^\s⺀-鿿]|\u00a0)+")
_TIED = "\N{NO-BREAK SPACE}"
_SHORTEST = 4  # characters: a word too long for a line is never cut into shorter pieces


class Run(NamedTuple):
    """A run of SVG text in one colour; `ink` is the name of a role of a `Theme`."""

    text: str
    ink: str = "ink"
    bold: bool = False


class Paragraph(NamedTuple):
    """A paragraph of SVG text: lines of runs, in one font size."""

    lines: Sequence[Sequence[Run]]
    size: float = SIZE

    @property
    def height(self) -> float:
        """The total height of the lines of this paragraph of SVG text, in points."""
        return len(self.lines) * _LEADING * self.size

    @property
    def width(self) -> float:
        """The width of the longest line of this paragraph of SVG text, in points."""
        widths = [sum(text_width(run.text, run.bold) for run in line) for line in self.lines]
        return max(widths) * self.size / SIZE


# The colour of each kind of piece of an equation; the letters are those of `KINDS` in trace/model/equation.py.
_INKS = {
    "n": "ink",
    "p": "ink",
    "v": "value",
    "a": "adjoint",
    "t": "tangent",
    "m": "soft_ink",
    "c": "soft_ink",
}
_BOLD_INKS = {"w": "value", "r": "adjoint", "u": "tangent", "g": "ink"}


def equation_runs(equation: Equation) -> list[Run]:
    """Return runs of SVG text for an equation of a step: values, adjoints and tangents each in their own colour."""
    texts = iter(equation.pieces)
    inks = _INKS | _BOLD_INKS
    runs = []
    for kind in equation.form:
        if kind.isalpha():
            runs.append(Run(next(texts), inks[kind], kind in _BOLD_INKS))
        else:  # a sign, such as = or +
            runs.append(Run(f" {kind}{_TIED}", "soft_ink"))
    return runs


def legend_runs(trace: Trace) -> tuple[list[Run], list[Run]]:
    """Return runs of SVG text for the legend of a graph, and for the run's warning, which may be empty."""
    inks = {kind: Run(message(kind), kind, True) for kind in ("value", "adjoint", "tangent")}
    return fill_runs(f"legend.{trace.mode}", **inks), [Run(trace.warning, "adjoint", True)]


def fill_runs(key: str, **slots: Run) -> list[Run]:
    """Fill the slots of a message with runs of SVG text; the rest of the message is in the soft ink."""
    return [
        piece if isinstance(piece, Run) else Run(piece, "soft_ink")
        for piece in message_parts(key, **slots)
    ]


def wrap_runs(runs: Iterable[Run], width: float, size: float = SIZE) -> Paragraph:
    """Wrap runs of SVG text into a paragraph whose lines are at most `width` points wide.

    >>> [[run.text for run in line] for line in wrap_runs([Run("one two "), Run("three", "value")], 70).lines]
    [['one two'], ['three']]
    """
    lines: list[list[Run]] = [[]]
    used = 0.0
    for word in _split_words(runs, max(_SHORTEST, int(width / (0.75 * size)))):
        wide = Paragraph([word], size).width
        if used and used + wide > width:
            lines.append([])
            used = 0.0
        if used or len(lines) == 1 or not word[0].text.isspace():
            lines[-1] += word
            used += wide
    return Paragraph([_join_runs(line) for line in lines if line], size)


def _split_words(runs: Iterable[Run], longest: int) -> Iterator[list[Run]]:
    """Yield the pieces that must stay on one line: words, which may have several colours, and spaces."""
    word: list[Run] = []
    for run in runs:
        for atom in _ATOMS.findall(run.text):
            alone = "⺀" <= atom[0] <= "鿿" or (atom.isspace() and atom[0] != _TIED)
            for k in range(0, len(atom), longest):  # a word longer than a line is cut
                if word and (alone or k):
                    yield word
                    word = []
                word.append(run._replace(text=atom[k : k + longest]))
            if alone:
                yield word
                word = []
    if word:
        yield word


def _join_runs(line: list[Run]) -> list[Run]:
    """Remove the spaces at the end of a line, and merge neighbouring runs of the same colour and weight."""
    while line and line[-1].text.isspace():
        line.pop()
    looks = itertools.groupby(line, key=lambda run: run[1:])
    return [Run("".join(run.text for run in same), *look) for look, same in looks]


def add_heights(paragraphs: Iterable[Paragraph]) -> float:
    """Return the height of a stack of paragraphs of SVG text, in points."""
    return sum(paragraph.height for paragraph in paragraphs)


def write_paragraphs(
    paragraphs: Iterable[Paragraph], x: float, top: float, theme: Theme, anchor: str = "start"
) -> tuple[str, float]:
    """Write paragraphs of SVG text below each other, starting at `top`; return the SVG and the y of their end."""
    written = []
    for paragraph in paragraphs:
        size = paragraph.size
        for k, line in enumerate(paragraph.lines):
            spans = [_write_run(run, theme) for run in line]
            baseline = top + (k * _LEADING + 1.05) * size
            written.append(
                element(
                    "text",
                    *spans,
                    x=f"{x:g}",
                    y=baseline,
                    font_size=f"{size:g}",
                    text_anchor=anchor,
                )
            )
        top += paragraph.height
    return "".join(written), top


def _write_run(run: Run, theme: Theme) -> str:
    text = escape(run.text.replace(_TIED, " "))
    return element(
        "tspan", text, font_weight="bold" if run.bold else None, fill=getattr(theme, run.ink)
    )
