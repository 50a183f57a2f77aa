"""A new lesson: its row in the course, its notebook, its package, and the links that lead to it."""

from __future__ import annotations

import importlib
import keyword
import re
from pathlib import Path

import nbformat

from autodiff_lab.lessons import order
from tests.addresses import ROOT
from tests.notebooks import normalise
from tests.notebooks.badges import update_badges
from tests.notebooks.numbers import update_numbers

PACKAGE = '''"""The exercises of `{slug}`: what each expects, and what its check looks at."""

{imports}

progress, seed = lesson(
    "{slug}",
    ex_1={{"expected": exercises.expected_doubles(), "observe": exercises.run_double}},
)
'''

CHECKS = '''"""The exercises of `{slug}`: they run what the learner wrote beside the engine."""

from collections.abc import Callable
from typing import Any

from autodiff_lab import grad
from autodiff_lab.lessons.checks import run_cases

POINTS = {{"x = 3": (3.0,), "x = -2": (-2.0,)}}


def expected_doubles() -> dict[str, float]:
    """Exercise 1: the slopes of x² at two points, by the engine."""
    return {{name: grad(lambda x: x * x)(*point) for name, point in POINTS.items()}}


def run_double(slope: Callable[[float], float]) -> Any:
    """Exercise 1: the slopes at these points by the learner's `slope`."""
    return run_cases(lambda names, x: slope(x), POINTS, slope)
'''

GLOSSARY = Path("notebooks/glossary.ipynb")
WORDS = """# The exercises of `{slug}`: their words and known mistakes. See `lessons/checks/exercise_file.py`.

title = "{title}"

[ex_1]
expects = "a function slope(x) that returns the derivative of x² at x"
cases = "These are slopes of x²."
reference = '''
def slope(x):
    return 2 * x'''
hints = [
    "x² is x times x. Which rule is for a product?",
    "Both factors are x, and both move: x · 1 + 1 · x.",
]
praise = "The two equal terms come from the two uses of x."

[[ex_1.wrong]]
change.'2 * x' = 'x'
seen."x = 3" = 3.0
seen."x = -2" = -2.0
hint = "One factor moved and the other stood still. Both are x: add what each of them brings."

[[ex_1.wrong]]
change.'2 * x' = 'x * x'
seen."x = 3" = 9.0
seen."x = -2" = 4.0
hint = "That is the value of x². How fast does it change when x moves?"
"""

ANSWERS = """# What a class hands in for `{slug}`: source text for the cell, right in unusual form, and wrong.

[ex_1]
right = [
    '''slope = lambda x: x + x''',
    '''def slope(x):
    return sum([x, x])''',
    '''slope = ad.grad(lambda x: x * x)''',
]
[[ex_1.wrong]]
answer = '''slope = 2'''
[[ex_1.wrong]]
answer = '''slope = lambda x: 2'''
[[ex_1.wrong]]
answer = '''slope = lambda x: x'''
says = "Both are x"
[[ex_1.wrong]]
answer = '''slope = lambda x: x**2'''
says = "the value of x²"
[[ex_1.wrong]]
answer = '''slope = lambda x: -2 * x'''
"""

FIRST = """# {number} · {title}

**{question}**

Say here what cannot be done yet, and why somebody wants it.

| | |
|:--|:--|
| **Afterwards you can** | say what the slope of x² is |
| **Time** | 15 minutes with the exercises, 10 minutes without |
| **Before** | {before} |"""

NEXT = """## Where to go next

- {following}
- The words are in the [glossary](glossary.ipynb). Back to [00 · Start here](00_start_here.ipynb)."""


def make_lesson(
    slug: str, after: str, title: str, question: str, word: str, root: Path = ROOT
) -> list[str]:
    """Write a lesson behind another one, number the course anew; return what was written and what is left to do.

    Parameters
    ----------
    slug, after : str
        The names of the new notebook and of the one before it.
    title, question : str
        As they stand in the notebook's first cell.
    word : str
        An entry of the glossary, ``"Word: what it is."``; every notebook brings at least one.

    Raises
    ------
    ValueError
        If the slug cannot name a package, no notebook is called `after`, the question is none, or the word has no
        explanation or is in the glossary already.
    FileExistsError
        If there is such a lesson.
    """
    term, _, meaning = word.partition(": ")
    if not slug.isidentifier() or slug != slug.lower() or keyword.iskeyword(slug):
        raise ValueError(f"{slug!r} can't name a package; write lower case with _: taylor_series")
    if slug in order.SLUGS or slug == "checks":
        raise FileExistsError(f"there is a lesson {slug} already")
    if after not in order.SLUGS:
        raise ValueError(f"there is no notebook {after!r}; it is one of {', '.join(order.SLUGS)}")
    if not question.endswith("?"):
        raise ValueError(f"the question is {question!r}; write one that ends in a question mark")
    if not meaning.endswith("."):
        raise ValueError(f"the word is {word!r}; write it as 'Remainder: what is left out.'")
    if f"**{term.casefold()}**" in _read_letter(root, term).source.casefold():
        raise ValueError(
            f"the glossary explains {term!r} already; give another word that this lesson brings"
        )
    _add_row(root, slug, after)
    update_numbers(check=False, root=root)
    _write_package(root, slug, title)
    _write_notebook(root, slug, title, question, term)
    _link_to_it(root, slug, after, title, question)
    _add_word(root, slug, term, meaning)
    update_badges(check=False, root=root)
    normalise.main(
        [str(root / "notebooks" / order.file_name(name)) for name in (slug, after, "start_here")]
    )
    file = order.file_name(slug)
    return [
        f"Wrote notebooks/{file} and autodiff_lab/lessons/{slug}/, and numbered the course anew.",
        f"Read the last cell of {order.file_name(after)}: its words still announce the notebook that follows {file}.",
        "Then: python -m tests.generate numbers table",
        "and: python -m pytest tests/lessons tests/notebooks notebooks",
    ]


def _add_row(root: Path, slug: str, after: str) -> None:
    path = root / "autodiff_lab" / "lessons" / "order.py"
    row = f'    "{after}",\n'
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(row, f'{row}    "{slug}",\n'), encoding="utf-8")
    importlib.reload(order)


def _write_package(root: Path, slug: str, title: str) -> None:
    folder = root / "autodiff_lab" / "lessons" / slug
    folder.mkdir()
    files = {
        "__init__.py": PACKAGE,
        "exercises.py": CHECKS,
        "exercises.toml": WORDS,
        "answers.toml": ANSWERS,
    }
    imports = [
        "from autodiff_lab.lessons.checks.course import lesson",
        f"from autodiff_lab.lessons.{slug} import exercises",
    ]
    words = {"slug": slug, "title": title, "imports": "\n".join(sorted(imports))}
    for name, text in files.items():
        (folder / name).write_text(text.format(**words), encoding="utf-8")


def _write_notebook(root: Path, slug: str, title: str, question: str, term: str) -> None:
    position = order.SLUGS.index(slug)
    following = order.SLUGS[position + 1] if position + 1 < len(order.SLUGS) else None
    number = order.number_of(slug)
    first = FIRST.format(
        number=number, title=title, question=question, before=_link(root, "start_here")
    )
    last = (
        f"The next question of the course: {_link(root, following)}."
        if following
        else "This was the last notebook."
    )
    imports = f"import autodiff_lab as ad\nfrom autodiff_lab.lessons import {slug} as check"
    picture = "x = 3.0\nad.play(lambda x: x * x, x)"
    asked = "### Exercise 1 · Twice\n\nWrite a function `slope(x)` that returns the derivative of $x^2$ at $x$."
    recap = f"## 2 · {question}\n\n**Answer here, in one sentence.**"
    cells = [
        _text("question", first),
        _code("imports", imports, "listing"),
        _text(
            "square", f"## 1 · One square\n\nA first sight of it. ({term}: say here what that is.)"
        ),
        _code("square-play", picture, "nbval-ignore-output"),
        _text(
            "square-read",
            "The product sends its adjoint to $x$ twice, since both of its operands are $x$.",
        ),
        _text("ex-1-text", asked),
        _code("ex-1", "def slope(x): ...\n\n\ncheck.ex_1(slope)", "exercise"),
        _text("recap", recap),
        _text("next", NEXT.format(following=last)),
        _code("progress", "check.progress()", "nbval-ignore-output", "machine-output"),
    ]
    metadata = {
        "kernelspec": {
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "name": "python3",
        },
        "language_info": {"name": "python"},
    }
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=metadata)
    nbformat.write(notebook, root / "notebooks" / order.file_name(slug))


def _text(name: str, source: str) -> nbformat.NotebookNode:
    return nbformat.v4.new_markdown_cell(source, id=name)


def _code(name: str, source: str, *tags: str) -> nbformat.NotebookNode:
    return nbformat.v4.new_code_cell(source, id=name, metadata={"tags": list(tags)})


def _link(root: Path, slug: str) -> str:
    """A link to a notebook of the course: its number and short title."""
    path = root / "notebooks" / order.file_name(slug)
    first = nbformat.read(path, as_version=4).cells[0].source
    title = first.splitlines()[0].removeprefix("# ").partition(":")[0]
    return f"[{title}]({path.name})"


def _link_to_it(root: Path, slug: str, after: str, title: str, question: str) -> None:
    """From the last cell of the notebook before it, and from the map of the course."""
    notebook_before = root / "notebooks" / order.file_name(after)
    position = order.SLUGS.index(slug)
    if position + 1 < len(order.SLUGS):
        old = re.escape(order.file_name(order.SLUGS[position + 1]))
        _edit_cell(notebook_before, "next", rf"\[[^\]]*\]\({old}\)", _link(root, slug))
    else:
        _edit_cell(
            notebook_before,
            "next",
            r"\A(## .*\n)",
            rf"\1\n- The next notebook: {_link(root, slug)}.",
        )
    row = f"| {_link(root, slug)} | {question} | 15 / 10 | 00 |"
    start = root / "notebooks" / order.file_name("start_here")
    above = rf"^(\| \[\d\d · [^\]]*\]\({re.escape(notebook_before.name)}\).*)$"
    _edit_cell(start, "course-map", above, rf"\1\n{row}")


def _read_letter(root: Path, term: str) -> nbformat.NotebookNode:
    """Return the glossary's cell for a word's letter."""
    notebook = nbformat.read(root / GLOSSARY, as_version=4)
    return next(cell for cell in notebook.cells if cell.id == f"letter-{term[0].lower()}")


def _add_word(root: Path, slug: str, term: str, meaning: str) -> None:
    """Put a word into the glossary, in its place under its letter."""
    path = root / GLOSSARY
    notebook = nbformat.read(path, as_version=4)
    letter = next(cell for cell in notebook.cells if cell.id == f"letter-{term[0].lower()}")
    heading, *entries = letter.source.split("\n\n")
    place = f"[{order.number_of(slug)}, section 1]({order.file_name(slug)}#cell-id=square)"
    entries.append(f"**{term}**: {meaning} → {place}")
    letter.source = "\n\n".join([heading, *sorted(entries, key=_term_of)])
    nbformat.write(notebook, path)


def _term_of(entry: str) -> str:
    """Return what an entry of the glossary is sorted by: ``residual`` comes before ``residual block``."""
    return entry.removeprefix("**").partition("**")[0].casefold()


def _edit_cell(path: Path, cell_id: str, pattern: str, replacement: str) -> None:
    """Replace the first match of a pattern in one cell of a notebook."""
    notebook = nbformat.read(path, as_version=4)
    cell = next(cell for cell in notebook.cells if cell.id == cell_id)
    fresh, count = re.subn(pattern, replacement, cell.source, count=1, flags=re.MULTILINE)
    if not count:
        raise ValueError(
            f"cell {cell_id} of {path.name} has nothing to replace; add a link to the new notebook there"
        )
    cell.source = fresh
    nbformat.write(notebook, path)
