"""Rules that every notebook file has to follow."""

import itertools
import re
from pathlib import Path

import nbformat
import pytest

from autodiff_lab.lessons.checks.course import lessons

from .reading import NOTEBOOKS, PAGES, read, tags

LONGEST_CELL = 40
LARGEST_FILE = 600_000
KNOWN_TAGS = {"listing", "exercise", "nbval-ignore-output", "machine-output", "answers-an-exercise"}

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
every_file = pytest.mark.parametrize("path", [*NOTEBOOKS, *PAGES], ids=lambda path: path.stem)


def code_cells(path: Path):
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def prose(path: Path):
    return [cell for cell in read(path).cells if cell.cell_type == "markdown"]


def without_code(text: str) -> str:
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S)


def test_there_are_notebooks():
    assert NOTEBOOKS and PAGES


@every_file
def test_is_valid_and_small(path):
    nbformat.validate(read(path))
    assert path.stat().st_size < LARGEST_FILE


@every_file
def test_metadata_says_nothing_about_the_machine(path):
    metadata = read(path).metadata
    assert metadata.kernelspec.name == "python3"
    assert metadata.language_info == {"name": "python"}, (
        "a Python version differs from machine to machine"
    )
    assert set(metadata) == {"kernelspec", "language_info"}, "no widget state, no editor's notes"
    for cell in read(path).cells:
        assert set(cell.metadata) <= {"tags", "jupyter"}, f"cell {cell.id}: {set(cell.metadata)}"
        assert set(tags(cell)) <= KNOWN_TAGS, f"cell {cell.id}: {tags(cell)}"


@every_file
def test_cells_have_names(path):
    ids = [cell.id for cell in read(path).cells]
    assert len(set(ids)) == len(ids)
    for name in ids:
        assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name), (
            f"{name!r} is not a name that stays"
        )
        assert not re.fullmatch(r"[0-9a-f]{8}", name), (
            f"{name!r} was made by a program; give the cell a name"
        )


@every_file
def test_no_cell_is_longer_than_a_screen(path):
    for cell in code_cells(path):
        lines = cell.source.splitlines()
        assert len(lines) <= LONGEST_CELL, f"cell {cell.id} has {len(lines)} lines"
        assert max(map(len, lines), default=0) <= 100, (
            f"cell {cell.id} has a line that a screen does not show"
        )


@every_file
def test_no_line_ends_in_a_semicolon(path):
    """It hides an output that the reader should either see or not cause."""
    for cell in code_cells(path):
        assert not any(line.rstrip().endswith(";") for line in cell.source.splitlines()), cell.id


@every_file
def test_is_executed_in_order(path):
    counts = [cell.execution_count for cell in code_cells(path)]
    assert counts == list(range(1, len(counts) + 1)), "run python -m tests.generate"


@every_file
def test_outputs_are_for_every_machine(path):
    for cell in code_cells(path):
        for output in cell.outputs:
            assert output.output_type != "error", f"cell {cell.id} raises {output.get('ename')}"
            assert output.get("name") != "stderr", f"cell {cell.id} writes to stderr"
            data = output.get("data", {})
            assert "application/vnd.jupyter.widget-view+json" not in data, cell.id
            text = output.get("text", "") + data.get("text/plain", "")
            html = "" if "nbval-ignore-output" in tags(cell) else data.get("text/html", "")
            for trace in (
                r"0x[0-9a-fA-F]{6,}",
                r"np\.(float|int|bool)\w*\(",
                r"\d ?[mµn]s\b",
                r"(?<![\w.])/(home|root|usr|var|Users|private)/|site-packages",
            ):
                assert not re.search(trace, text + html), f"cell {cell.id} shows {trace}"


@every_file
def test_a_widget_leaves_something_to_see(path):
    """A page without a kernel shows the picture, which has a text alternative."""
    for cell in code_cells(path):
        for output in cell.outputs:
            if "image/png" in output.get("data", {}) or "<img" in output.get("data", {}).get(
                "text/html", ""
            ):
                assert output.data.get("text/plain"), f"cell {cell.id}: no text"


@every_file
def test_headings_descend_one_at_a_time(path):
    levels = []
    for cell in prose(path):
        text = re.sub(r"```.*?```", "", cell.source, flags=re.S)
        levels += [len(marks) for marks in re.findall(r"^(#+) ", text, flags=re.M)]
    assert levels[0] == 1 and levels.count(1) == 1, "one title, at the top"
    for above, below in itertools.pairwise(levels):
        assert below <= above + 1, f"a heading of level {below} under one of level {above}"


@every_notebook
def test_the_first_cell_asks_the_question(path):
    first = read(path).cells[0]
    assert first.cell_type == "markdown"
    assert re.match(rf"# {path.stem[:2]} · ", first.source)
    assert re.search(r"^\*\*.*\?\*\*$", first.source, flags=re.M), (
        "the question, in bold, on a line of its own"
    )
    for row in ("Afterwards you can", "Time", "Before"):
        assert f"**{row}**" in first.source


@every_notebook
def test_the_course_calls_a_notebook_by_its_title(path):
    for course in lessons():
        if path.name.startswith(course.number):
            assert (
                read(path).cells[0].source.splitlines()[0] == f"# {course.number} · {course.title}"
            )


@every_file
def test_pictures_have_a_text(path):
    for cell in read(path).cells:
        sources = [cell.source] + [
            o.get("data", {}).get("text/html", "") for o in cell.get("outputs", [])
        ]
        for source in sources:
            assert not re.search(r"!\[\s*\]\(", source), f"cell {cell.id}: a picture without a text"
            for picture in re.findall(r"<img\b[^>]*>", source):
                assert re.search(r"\balt=(\"[^\"]{10,}\"|'[^']{10,}')", picture), (
                    f"cell {cell.id}: no alt"
                )


@every_file
def test_links_between_notebooks_lead_somewhere(path):
    for cell in prose(path):
        for target in re.findall(r"\]\(([^)\s]+)\)", without_code(cell.source)):
            if target.startswith(("http://", "https://", "#")):
                continue
            file, _, place = target.partition("#")
            assert (path.parent / file).is_file(), f"cell {cell.id}: {target}"
            if place:
                ids = [f"cell-id={each.id}" for each in read(path.parent / file).cells]
                assert place in ids, f"cell {cell.id}: {target}"


TERMS = {
    r"\bauto-?diff\b(?!_lab)": "automatic differentiation",
    r"\b(auto|algorithmic) ?-?differentiation\b": "automatic differentiation",
    r"\bback-propagat": "backpropagation",
    r"\bco-tangent|\bco-vector": "cotangent",
    r"\b(jacobian|hessian|wengert|taylor|newton's method)\b": "a name, with a capital",
    r"\bpull-back|\bpush-forward": "pullback, pushforward",
    r"\bchain-rule\b": "chain rule",
    r"\bfan out\b": "fan-out",
    r"\bin-?place operations?\b": "in-place",
    r"\bepsilon\b": "ε",
}


@every_file
def test_the_words_of_the_field_are_spelled_in_one_way(path):
    for cell in prose(path):
        text = re.sub(r"\$[^$]*\$|\]\([^)]*\)", "", without_code(cell.source))
        for wrong, right in TERMS.items():
            found = re.search(wrong, text)
            assert not found, f"cell {cell.id}: {found[0]!r}; write {right}"


@every_file
def test_the_voice(path):
    """Words that tell a reader how they should feel about it."""
    for cell in prose(path):
        found = re.search(
            r"\b(simply|obviously|trivial(ly)?|of course|clearly|easily)\b", cell.source, flags=re.I
        )
        assert not found, f"cell {cell.id}: {found}"
