"""What a lecturer has on paper: the sections with their time, the exercises, and every player in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from autodiff_lab.classroom.lecture.cell_html import Block

__all__ = ["notes", "time_of"]

KEYS = """\
In the slides the arrow keys and the space bar turn slides. `PageDown` and `PageUp`, the keys of a clicker, first step \
the player of a slide and turn it when there is nothing left to step. Click a player and the arrow keys step it too; \
`Esc` leaves it. `F` fills the screen, `O` shows all slides, `B` makes the screen black; `G`, a number and Enter go to \
that slide. The browser prints all slides."""


def time_of(notebook: Any) -> str:
    r"""What the head of a notebook says about its time; empty if it says nothing.

    >>> import nbformat
    >>> head = nbformat.v4.new_markdown_cell("# 04 · Title\n\n| **Time** | 60 minutes with, 25 minutes without |")
    >>> time_of(nbformat.v4.new_notebook(cells=[head]))
    '60 minutes with, 25 minutes without'
    """
    first = notebook.cells[0].source if notebook.cells else ""
    found = re.search(r"\*\*Time\*\*\s*\|\s*(.+?)\s*\|", first)
    return found[1] if found else ""


def notes(title: str, time: str, blocks: Sequence[Block]) -> str:
    """Write the speaker notes of a notebook, as Markdown.

    Parameters
    ----------
    title : str
    time : str
        As `time_of` gives it; the minutes without exercises are shared out by how much each section has to say.
    blocks : sequence of Block
    """
    return "\n".join(_lines(title, time, blocks)) + "\n"


def _lines(title: str, time: str, blocks: Sequence[Block]) -> Iterator[str]:
    yield from (f"# {title}: speaker notes", "", *([f"Time: {time}.", ""] if time else []), KEYS, "")
    sections = _sections(blocks)
    weights = [sum(_weight(each) for each in section if not each.exercise) for section in sections]
    minutes = [int(number) for number in re.findall(r"(\d+) minutes", time)]
    whole = sum(weights) or 1
    for section, weight in zip(sections, weights, strict=True):
        share = f" (about {max(1, round(minutes[-1] * weight / whole))} min)" if minutes else ""
        yield from (f"## {section[0].text}{share}", "")
        if section[0].level == 1:
            yield from (f"{section[1].text}", "") if len(section) > 1 else ()
        for block in section[1:]:
            if block.level > 2:
                yield from (f"- {block.text}",)
            elif block.kind == "text" and (asked := _asked(block)):
                yield f"- {asked}"
            elif block.player:
                yield from ("", f"### Player: {block.player.title}", "")
                yield from (f"{block.player.steps} steps, about {_minutes(block.player.seconds)} if all are read.", "")
                yield from (_lowered(block.player.transcript), "")
        yield ""


def _sections(blocks: Sequence[Block]) -> list[list[Block]]:
    sections: list[list[Block]] = []
    for block in blocks:
        if block.level in (1, 2) or not sections:
            sections.append([])
        sections[-1].append(block)
    return sections


def _asked(block: Block) -> str:
    """What the class is asked in a paragraph, if it is asked something."""
    return block.text if re.match(r"<p><strong>(Predict|On paper first)", block.html) else ""


def _weight(block: Block) -> float:
    """How long a block is spoken about, in characters of prose; a player as long as its sentences."""
    return 15 * block.player.seconds if block.player else len(block.text)


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def _lowered(markdown: str) -> str:
    """A transcript below a heading of the third level: its title is there already, its phases come under it."""
    body = markdown.split("\n", 1)[1] if markdown.startswith("## ") else markdown
    return re.sub(r"^### ", "#### ", body, flags=re.MULTILINE).strip()
