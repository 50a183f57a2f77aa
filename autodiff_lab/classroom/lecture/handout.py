"""The handout of a lesson: one sheet with its question, its picture, what to keep, and questions for home."""

import re
from pathlib import Path
from typing import Any

from autodiff_lab.classroom.lecture.cell_html import cell_output, mark_up, mark_up_line, page
from autodiff_lab.classroom.lecture.plans import read_cells


def handout(path: Path) -> str:
    """Write the one-sheet handout of a lesson, to be printed on A4 or Letter."""
    cells = read_cells(path)
    head = cells[0].source
    title, question = (next(iter(re.findall(p, head, re.MULTILINE)), "") for p in (r"^# (.+)$", r"^\*\*(.+\?)\*\*$"))
    recap, closing = _sections_of(cells)
    body = (
        f'<header><h1>{mark_up_line(title)}</h1><p class="question">{mark_up_line(question)}</p></header>'
        f'<div class="picture">{_picture(cells)}</div>'
        f'<div class="recap">{mark_up(recap)}</div>'
        f'<div class="closing">{mark_up(closing)}</div>'
    )
    return page(title, f"<main>{body}</main>", "lecture.css", "handout.css")


def _sections_of(cells: list[Any]) -> tuple[str, str]:
    """Return the last numbered section, which answers the question, and the questions to close with."""
    text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    sections = re.findall(r"^## (.+?)$\n*(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    numbered = [f"## {title.partition(' · ')[2]}\n\n{body}" for title, body in sections if re.match(r"\d+ · ", title)]
    closing = [f"## {title}\n\n{body}" for title, body in sections if "close" in title]
    return (numbered or [""])[-1], "".join(closing)


def _picture(cells: list[Any]) -> str:
    """Return the first picture of a notebook; a still player or lab only where there is no other."""
    shown = [cell_output(cell) for cell in cells if cell.cell_type == "code"]
    found = [html for wanted in ("picture", "player", "lab") for html, kind in shown if kind == wanted]
    image = re.search(r"<img\b[^>]*>", found[0]) if found else None
    return image[0] if image else ""
