"""The speaker's page, for a second screen or on paper: what to ask, the answers, the usual mistakes, minutes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autodiff_lab.classroom.course import find_exercise, write_notes
from autodiff_lab.classroom.lecture.cell_html import mark_up, mark_up_line, page
from autodiff_lab.classroom.lecture.plans import Plan, read_cells
from autodiff_lab.lessons.checks.course import lessons

KEYS = """\
**Keys.** `PageDown` and `PageUp`, which a clicker sends, step the player on the screen, then turn the slide, or run \
the cell and go to the next. In slides the arrows and the space bar turn; `F` fills the screen, `O` shows all slides, \
`B` makes the screen black, `G`, a number and Enter go to that slide. Click a player and the arrows step it; `Esc` \
leaves it."""


def plan_page(plan: Plan) -> str:
    """Write the speaker's page of a plan: a part for each slide, with its number and its minutes."""
    parts = [f"<h1>{mark_up_line(plan.title)}</h1>", mark_up(plan.introduction), mark_up(KEYS)]
    for number, (begin, stop) in enumerate(plan.timed_stops(), 2):
        rows = [("Ask", stop.question), ("Show", stop.show), ("Many say", stop.many_say), ("Answer", stop.answer)]
        where = f"Slide {number} · minutes {begin} to {begin + stop.minutes} · {stop.lesson}, section {stop.section}"
        parts.append(_part(where, rows))
    parts.append(mark_up(plan.end))
    return _document(plan.plain_title, parts)


def lesson_page(path: Path) -> str:
    """Write the speaker's page of a notebook: for each section its minutes, what is asked, and the answers.

    The minutes of the first cell are shared out by what there is to read. What stands behind *Predict* is the
    question; the answer is what the notebook says right after it. Exercises have a good answer, and the known mistakes.
    """
    cells = read_cells(path)
    title = next(iter(re.findall(r"^# (.+)$", cells[0].source, re.MULTILINE)), path.stem)
    exercises = next((lesson.exercises() for lesson in lessons() if path.name.startswith(lesson.number)), {})
    said = re.search(r"\*\*Time\*\*\s*\|\s*(.+?)\s*\|", cells[0].source)
    minutes = int(re.findall(r"\d+", said[1])[-1]) if said else 0
    sections = list(_sections(cells, exercises))
    whole = sum(section.words for section in sections) or 1
    parts = [f"<h1>{mark_up_line(title)}</h1>", f"<p>{said[1]}</p>" if said else "", mark_up(KEYS)]
    for section in sections:
        share = f" · about {max(1, round(minutes * section.words / whole))} min" if minutes else ""
        parts.append(f"<h2>{mark_up_line(section.title)}{share}</h2>")
        parts += [_part("", rows) for rows in section.questions]
        parts += [f'<div class="exercise">{mark_up(notes)}</div>' for notes in section.exercises]
    return _document(title, parts)


@dataclass
class _Section:
    title: str
    words: int = 0
    questions: list[list[tuple[str, str]]] = field(default_factory=list)
    exercises: list[str] = field(default_factory=list)


def _sections(cells: list[Any], exercises: Any) -> Iterator[_Section]:
    section = _Section("To begin")
    waiting: list[tuple[str, str]] | None = None
    for cell in cells[1:]:
        heading = cell.cell_type == "markdown" and re.match(r"## (.+)$", cell.source, re.MULTILINE)
        if heading:
            if section.words:
                yield section
            section = _Section(heading[1])
        section.words += len(cell.source.split())
        if cell.cell_type != "markdown":
            exercise = find_exercise(cell, exercises)
            if exercise is not None:
                good = f"A good answer:\n\n```python\n{exercise.reference}\n```"
                section.exercises.append(f"{write_notes(exercise)}\n\n{good}")
            continue
        if waiting:
            waiting.append(("Answer", _first_paragraph(cell.source)))
            waiting = None
        asked = re.search(r"\*\*Predict\.?\*\*\.?\s*(.+?)(?=\n\n|\Z)", cell.source, re.DOTALL)
        if asked:
            rows = [("Ask", " ".join(asked[1].split()))]
            folded = re.search(r"</summary>\s*(.+?)\s*</details>", cell.source[asked.end() :], re.DOTALL)
            if folded:
                rows.append(("Answer", " ".join(folded[1].split())))
            section.questions.append(rows)
            waiting = None if folded else rows
    yield section


def _first_paragraph(text: str) -> str:
    paragraphs = [part for part in text.split("\n\n") if not part.startswith(("#", "|", "<"))]
    return " ".join(paragraphs[0].split()) if paragraphs else ""


def _part(where: str, rows: list[tuple[str, str]]) -> str:
    said = "".join(f"<dt>{key}</dt><dd>{mark_up_line(text)}</dd>" for key, text in rows if text)
    return f"<section>{f'<h3>{where}</h3>' if where else ''}<dl>{said}</dl></section>"


def _document(title: str, parts: list[str]) -> str:
    body = "\n".join(filter(None, parts))
    return page(title, f"<main>\n{body}\n</main>", "lecture.css", "speaker_page.css")
