"""Slides of a lecture: a question; one key later what is shown, then the answer. reveal.js turns them."""

from autodiff_lab.classroom.lecture.cell_html import cell_output, mark_up, mark_up_line, page, read_part
from autodiff_lab.classroom.lecture.plans import Plan, Stop
from autodiff_lab.text.notation import escape


def deck(plan: Plan) -> str:
    """Write the slides of a lecture plan as one HTML page that needs no other file.

    Raises
    ------
    LectureError
        If a cell that the plan names is not there.
    """
    slides = [
        f'<section class="slide title"><div class="on-slide"><h1>{mark_up_line(plan.title)}</h1>'
        f"{mark_up(plan.introduction)}</div></section>",
        *(_slide(stop, begin) for begin, stop in plan.timed_stops()),
    ]
    body = ['<div class="reveal"><div class="slides">', *slides, "</div></div>"]
    for name in ("reveal/reveal.js", "slides.js"):
        body += ["<script>", read_part(name), "</script>"]
    return page(plan.plain_title, "\n".join(body), "reveal/reveal.css", "lecture.css", "slides.css")


def _slide(stop: Stop, begin: int) -> str:
    shown, kind = cell_output(stop.cell)
    # A lab is a picture here; live it is in the notebook.
    live = f'<p class="live">Live: <code>autodiff-lab present {stop.lesson}</code>, section {stop.section}</p>'
    answer = f'<div class="fragment answer">{mark_up_line(stop.answer)}</div>' if stop.answer else ""
    # A picture says what the room is asked; a player begins with nothing.
    waits = "" if kind == "player" else " fragment"
    minutes = f"{begin}–{begin + stop.minutes} min"
    beside = f"{live if kind == 'lab' else ''}{answer}"
    notes = " ".join(filter(None, [stop.show, stop.many_say and f"Many say: {stop.many_say}"]))
    return (
        f'<section class="slide {kind}" data-minutes="{minutes}"><div class="on-slide">'
        f'<h2>{mark_up_line(stop.question)}</h2><div class="shown{waits}">{shown}</div>{beside}'
        f'<aside class="notes">{escape(notes)}</aside></div></section>'
    )
