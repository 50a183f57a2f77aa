"""The HTML pages of a grading report: their frame and style, in light and dark; each page needs nothing else."""

from autodiff_lab.lessons.checks.course import lessons
from autodiff_lab.text.notation import escape

NOT_ATTEMPTED = "not attempted"


def write_page(title: str, body: str) -> str:
    """Write an HTML page with a title, which is also its heading; the body must be escaped already.

    >>> "<h1>a &lt; b</h1>" in write_page("a < b", "<p>…</p>")
    True
    """
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
        f"<style>{STYLE}</style><h1>{escape(title)}</h1>{body}</html>\n"
    )


def escape_lines(text: str) -> str:
    r"""Escape text of several lines for HTML; its line breaks are kept as they are.

    >>> print(escape_lines("<b>\n</b>"))
    &lt;b&gt;
    &lt;/b&gt;
    """
    return "\n".join(map(escape, text.split("\n")))


def exercise_number(exercise: str) -> str:
    """Return the number of an exercise as it is shown: ``"2"`` for ``"ex_2"``."""
    return exercise.removeprefix("ex_").replace("_", ".")


def lesson_titles() -> dict[str, str]:
    """Return the number and title of each lesson, by its slug."""
    return {lesson.slug: f"{lesson.number} · {lesson.title}" for lesson in lessons()}


STYLE = """
:root { color-scheme: light dark; --line: #8888; --good: #00664c; --bad: #9a3b00; --all: #0b62a8; }
@media (prefers-color-scheme: dark) { :root { --good: #4fd3a7; --bad: #ffa36b; --all: #6cb6ff; } }
html { background: Canvas; color: CanvasText; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left; vertical-align: top; }
thead th { white-space: nowrap; }
tbody th { overflow-wrap: anywhere; min-width: 12rem; }
th + td { min-width: 12rem; overflow-wrap: anywhere; }
strong { color: var(--bad); }
td a { color: inherit; display: block; }
summary { cursor: pointer; padding: .25rem 0; }
section { border-left: 3px solid var(--line); margin: .5rem 0 1rem; padding-left: .75rem; overflow-wrap: anywhere; }
section:target { border-color: currentColor; }
h1, h2, h3, li, p { overflow-wrap: anywhere; }
h4, section h3, section p { margin: 0; }
pre { white-space: pre-wrap; margin: .25rem 0; font-size: .875rem; }
td.passed { color: var(--good); text-align: center; }
td.not { text-align: center; }
td.not:not([title^="not attempted"]) { color: var(--bad); font-weight: bold; }
.names { columns: 16rem; overflow-wrap: anywhere; }
.why { overflow-wrap: anywhere; min-width: 20rem; }
.lines { white-space: pre-line; }
.bars td, .bars th { border: 0; padding: .1rem .6rem .1rem 0; white-space: nowrap; }
.bars tbody th, .bars th + td { min-width: 0; }
.bars td:last-child { white-space: normal; overflow-wrap: anywhere; }
.bar { display: flex; height: 1rem; margin-top: .25rem; width: 18rem; background: #8883; }
.bar i { background: var(--all); }
.bar .good { background: var(--good); }
.bar .bad { background: var(--bad); }
.read { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; white-space: nowrap; }
"""
