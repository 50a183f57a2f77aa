"""The handout of a lecture: a sheet with an empty graph, an empty tape and the questions, and a sheet that solves it.

It's made from the lecture's notebook. Worksheets are the outputs of cells tagged ``handout``, and the summary is the
cell tagged ``take-home``. The questions are the headings that end with a question mark; their answers are in the notes.
"""

import re
from typing import Any, NamedTuple

from autodiff_lab.classroom.lecture.cell_html import mark_up, mark_up_line, page
from autodiff_lab.classroom.lecture.export import title_of
from autodiff_lab.classroom.lecture.notes import read_answer
from autodiff_lab.classroom.lecture.slides import slide_type

_SOLUTION = '<div class="solution">'
_QUESTION = re.compile(r"^## (.+\?)$", re.MULTILINE)


class Question(NamedTuple):
    """A question on a lecture's handout, and its answer from the lecturer's notes, both in Markdown."""

    text: str
    answer: str


def has_handout(notebook: Any) -> bool:
    """Return whether a lecture has something to hand out."""
    return any("handout" in _tags(cell) for cell in notebook.cells)


def make_handout(notebook: Any) -> str:
    """Write the handout of a lecture as one HTML page, which prints on two sheets of A4 or Letter."""
    worksheets = [_worksheet(cell) for cell in notebook.cells if "handout" in _tags(cell)]
    questions = list_questions(notebook)
    summary = "\n\n".join(cell.source for cell in notebook.cells if "take-home" in _tags(cell))
    title = title_of(notebook)
    asked = "".join(f"<li>{mark_up_line(each.text)}</li>" for each in questions)
    answered = "".join(
        f"<li>{mark_up_line(each.text)} {mark_up_line(each.answer)}</li>" for each in questions
    )
    first = (
        f"<h1>{mark_up_line(title)}</h1>{''.join(empty for empty, _ in worksheets)}"
        f"<h2>Questions</h2><ol class='questions'>{asked}</ol><div class='take-home'>{mark_up(summary)}</div>"
    )
    second = (
        f"<h1>Solution</h1>{''.join(solved for _, solved in worksheets)}<h2>Answers</h2>"
        f"<ol class='answers'>{answered}</ol>"
    )
    body = f"<main><section>{first}</section><section>{second}</section></main>"
    return page(title, body, "lecture.css", "handout.css")


def list_questions(notebook: Any) -> list[Question]:
    """List the questions on a lecture's slides, each with the first answer in the notes after it."""
    questions: list[Question] = []
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            continue
        if slide_type(cell) != "notes":
            questions += [Question(text, "") for text in _QUESTION.findall(cell.source)]
        elif questions and not questions[-1].answer:
            questions[-1] = questions[-1]._replace(answer=read_answer(cell.source))
    return [question for question in questions if question.answer]


def _worksheet(cell: Any) -> tuple[str, str]:
    """Return the HTML of a handout cell, in two parts: the empty worksheet and the solution."""
    shown = [output.get("data", {}).get("text/html", "") for output in cell.get("outputs", [])]
    empty, solution, rest = "".join(shown).partition(_SOLUTION)
    return empty, solution + rest


def _tags(cell: Any) -> list[str]:
    return cell.metadata.get("tags", [])
