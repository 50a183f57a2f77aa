"""Lectures as notebooks: their slides, notes and minutes, what they show, and the offline files made from them."""

import base64
import re
from html.parser import HTMLParser

import nbformat
import pytest

from autodiff_lab.__main__ import main
from autodiff_lab.classroom.lecture.cell_html import mathml
from autodiff_lab.classroom.lecture.export import export_slides
from autodiff_lab.classroom.lecture.handout import list_questions, make_handout
from autodiff_lab.classroom.lecture.kit import (
    find_notebook,
    list_lectures,
    read_lecture,
    write_lecture,
)
from autodiff_lab.classroom.lecture.notes import read_minutes
from autodiff_lab.classroom.lecture.slides import slide_type
from autodiff_lab.jupyter.notebooks import installed_notebooks
from autodiff_lab.lessons.checks.course import lessons

LESSONS = sorted(installed_notebooks().glob("[0-9][0-9]_*.ipynb"))
EXERCISES = {lesson.slug: lesson.exercises() for lesson in lessons()}
LECTURES = {name: read_lecture(path) for name, path in list_lectures().items()}
PATHS = list_lectures()
BESIDE_A_PICTURE = 44  # characters: what has room in half a slide


class Reading(HTMLParser):
    """A parser that collects a page's external addresses, its unclosed tags, and its text outside of code."""

    ALONE = frozenset(
        (
            "area",
            "base",
            "br",
            "col",
            "embed",
            "hr",
            "img",
            "input",
            "link",
            "meta",
            "source",
            "wbr",
        )
    )

    def __init__(self, text):
        super().__init__()
        self.loaded, self.open, self.wrong, self.prose, self.open_details = [], [], [], [], 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        for name in ("src", "srcset", "data", "poster", "href", "xlink:href", "action"):
            if attrs.get(name) and not (tag == "a" and name == "href"):
                self.loaded.append(attrs[name])
        self.loaded += re.findall(r"url\(([^)]+)\)", attrs.get("style") or "")
        self.open_details += tag == "details" and "open" in attrs
        if tag not in self.ALONE:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.ALONE:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.wrong.append((tag, self.open[-3:], self.getpos()))

    def handle_data(self, data):
        if "style" in self.open:
            self.loaded += re.findall(r"@import[^;]*|url\(([^)]+)\)", data)
        elif not {"script", "pre", "code"} & set(self.open):
            self.prose.append(data)


def without_network(text):
    reading = Reading(text)
    assert not [source for source in reading.loaded if not source.strip("\"'").startswith("data:")]
    assert not reading.wrong and not reading.open, "an element is not closed where it should be"
    assert not re.search("mathjax|cdnjs|unpkg|jsdelivr", text, re.IGNORECASE)
    assert text.count("<math ") == text.count("</math>")
    assert '<code class="formula">' not in text, "a formula that could not be translated"
    for formula in re.findall(r"<math .*?</math>", text, re.DOTALL):
        assert "\\" not in re.sub(r"<[^>]*>", "", formula), formula
    assert not re.findall(r"\\[a-z]+\{|\$\S", "".join(reading.prose))
    return reading


def tags(cell):
    return cell.metadata.get("tags", [])


def shown(cell):
    """Return everything that a cell shows, as text."""
    return "".join(
        output.get("text", "") + "".join(map(str, output.get("data", {}).values()))
        for output in cell.get("outputs", [])
    )


@pytest.mark.parametrize("name", LECTURES)
def test_slides_and_handout_need_no_network(name):
    slides = export_slides(LECTURES[name], PATHS[name])
    without_network(slides)
    without_network(make_handout(LECTURES[name]))
    assert len(slides.encode()) < 1_600_000


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.name[:2])
def test_a_lesson_becomes_slides_that_need_no_network(path):
    notebook = read_lecture(path)
    slides = export_slides(notebook, path)
    without_network(slides)
    assert slides.count("A good answer:") == len(EXERCISES.get(path.stem[3:], {}))
    assert slides.count("<section") > 10


@pytest.mark.parametrize("name, minutes", [("40_minutes", 40), ("90_minutes", 90)])
def test_a_lecture_takes_the_time_it_says(name, minutes):
    assert sum(read_minutes(LECTURES[name])) == minutes


@pytest.mark.parametrize("name", LECTURES)
def test_every_slide_has_notes(name):
    slides = []
    for cell in LECTURES[name].cells:
        kind = slide_type(cell)
        if kind in ("slide", "subslide"):
            slides.append([cell.source.partition("\n")[0], False])
        elif kind == "notes":
            slides[-1][1] = True
    assert len(slides) > 10 and all(has_notes for _, has_notes in slides), slides


@pytest.mark.parametrize("name", LECTURES)
def test_a_question_is_asked_before_it_is_answered(name):
    """On its slide are an empty picture and what most people say; the answer is in the notes, and comes later."""
    questions = list_questions(LECTURES[name])
    assert len(questions) >= 5
    cells = LECTURES[name].cells
    for question in questions:
        at = next(
            k for k, cell in enumerate(cells) if cell.source.startswith(f"## {question.text}")
        )
        picture, wrong = cells[at + 1], cells[at + 2]
        assert "image/svg" in shown(picture), (
            "a question stands over an empty picture, or beside one"
        )
        assert slide_type(wrong) == "fragment" and wrong.source.startswith("> Most people")
        notes = next(cell.source for cell in cells[at:] if slide_type(cell) == "notes")
        assert "**Many say**" in notes


@pytest.mark.parametrize("name", LECTURES)
def test_a_lecture_has_players_and_what_a_faulty_engine_does(name):
    outputs = [shown(cell) for cell in LECTURES[name].cells if cell.cell_type == "code"]
    assert sum("data-adl-player" in text for text in outputs) >= 3
    assert any('"fault":"overwrite"' in text for text in outputs), "the faulty player is missing"
    assert any("data-adl-lab" in text for text in outputs)


@pytest.mark.parametrize("name", LECTURES)
def test_something_is_live_on_every_third_slide(name):
    live, since = False, 0
    for cell in LECTURES[name].cells:
        if slide_type(cell) == "slide":
            since = 0 if live else since + 1
            live = False
            assert since < 3, cell.source
        live = (
            live
            or bool(re.search(r"\*\*Live\*\*|## Your turn", cell.source))
            or "data-adl-player" in shown(cell)
        )


@pytest.mark.parametrize("name", LECTURES)
def test_code_has_room_beside_its_picture(name):
    for cell in LECTURES[name].cells:
        if (
            cell.cell_type == "code"
            and cell.outputs
            and slide_type(cell) != "skip"
            and "hide-input" not in tags(cell)
        ):
            longest = max(cell.source.split("\n"), key=len)
            assert len(longest) <= BESIDE_A_PICTURE, longest


@pytest.mark.parametrize("name", LECTURES)
def test_numbers_on_slides_are_computed_and_those_in_notes_are_right(name):
    """Digits after a point come from an output or from code; text written by hand repeats them, perhaps rounded."""
    cells = LECTURES[name].cells
    text = " ".join(shown(cell).replace("−", "-") for cell in cells)
    code = " ".join(cell.source for cell in cells if cell.cell_type == "code")
    plots = " ".join(re.findall(r"\d+\.\d+", " ".join(map(decoded, cells))))
    known = {float(number) for number in re.findall(r"\d+\.\d+", f"{text} {code} {plots}")}
    for cell in cells:
        if cell.cell_type != "markdown":
            continue
        found = re.findall(r"\d+\.\d+", cell.source)
        assert not found or slide_type(cell) == "notes" or set(found) <= {"0.01"}, cell.source
        for number in found:
            digits = len(number.partition(".")[2])
            assert any(round(one, digits) == float(number) for one in known), (number, cell.source)


def decoded(cell):
    """The pictures of a cell, as text."""
    found = re.findall(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)", shown(cell))
    return " ".join(base64.b64decode(each).decode() for each in found)


@pytest.mark.parametrize("name", LECTURES)
def test_no_note_of_a_lecturer_is_on_a_slide(name):
    for cell in LECTURES[name].cells:
        if slide_type(cell) != "notes":
            assert not re.search(
                r"\*\*(Ask|Say|Many say|Answer|Live|Clicker)\*\*|\d+ min\b", cell.source
            )


@pytest.mark.parametrize("name", LECTURES)
def test_the_handout_has_something_to_fill_in_and_solves_it_on_the_second_sheet(name):
    first, second = make_handout(LECTURES[name]).split("<section>")[1:]
    assert "1.7163" not in first and "11.6521" not in first and "0.6931" not in first
    assert second.count("1.7163") >= 2 and "11.6521" in second
    for question in list_questions(LECTURES[name]):
        plain = re.sub(r"[`*]", "", question.text)
        assert plain in re.sub(r"<[^>]*>", "", first).replace("&#39;", "'").replace("&quot;", '"')
    assert "Take this home" in first


def test_players_on_slides_are_those_of_the_notebook():
    cell = next(cell for cell in LECTURES["40_minutes"].cells if "data-adl-player" in shown(cell))
    packed = max(re.findall(r"[A-Za-z0-9+/=]{1000,}", cell.outputs[0].data["text/html"]), key=len)
    assert packed in export_slides(LECTURES["40_minutes"], PATHS["40_minutes"])


def test_an_untranslatable_formula_is_shown_as_written():
    assert mathml(r"\frac{1}{") == r'<code class="formula">\frac{1}{</code>'


def test_a_slider_that_needs_a_kernel_is_no_line_of_code_offline(tmp_path):
    data = {
        "text/plain": "interactive(children=(IntSlider(value=3)",
        "application/vnd.jupyter.widget-view+json": {},
    }
    slider = nbformat.v4.new_code_cell("1", outputs=[nbformat.v4.new_output("display_data", data)])
    slides = export_slides(nbformat.v4.new_notebook(cells=[slider]), tmp_path / "mine.ipynb")
    assert "IntSlider" not in slides and "autodiff-lab present" in slides


def test_a_lecturer_adds_a_slide_by_adding_a_cell(tmp_path):
    metadata = {"slideshow": {"slide_type": "slide"}}
    mine = nbformat.v4.new_markdown_cell("## My own slide\n\n$x^2$", metadata=metadata)
    notebook = nbformat.from_dict(
        {**LECTURES["40_minutes"], "cells": [*LECTURES["40_minutes"].cells, mine]}
    )
    before, after = (
        export_slides(each, tmp_path / "mine.ipynb") for each in (LECTURES["40_minutes"], notebook)
    )
    assert after.count("<section") == before.count("<section") + 2, (
        "a slide, and the stack that it begins"
    )
    assert "<msup><mi>x</mi><mn>2</mn></msup>" in after
    without_network(after)


def test_the_command_writes_a_lecture_and_a_lesson(tmp_path, capsys):
    kit = tmp_path / "kit"
    assert main(["lecture", "40_minutes", "--out", str(kit)]) == 0
    assert {path.name for path in kit.iterdir()} == {"40_minutes.html", "40_minutes.handout.html"}
    assert main(["lecture", "adjoint_flow", "--out", str(kit / "four")]) == 0
    assert {path.name for path in (kit / "four").iterdir()} == {"04_adjoint_flow.html"}
    (kit / "40_minutes.html").write_text("my own", encoding="utf-8")
    assert main(["lecture", "40_minutes", "--out", str(kit)]) == 1
    assert "exists already" in capsys.readouterr().err
    assert main(["lecture", "40_minutes", "--out", str(kit / "40_minutes.html")]) == 1
    assert "is a file" in capsys.readouterr().err
    assert (kit / "40_minutes.html").read_text(encoding="utf-8") == "my own"
    assert main(["lecture", "40_minutes", "--out", str(kit), "--overwrite"]) == 0
    assert "Many say" in (kit / "40_minutes.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name, said",
    [
        ("99", "04  adjoint_flow"),
        ("x", "there is no lecture or lesson x. Lectures are 40_minutes, 90_minutes"),
        ("mine.ipynb", "there is no notebook mine.ipynb"),
    ],
)
def test_what_is_not_there_is_said(name, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["lecture", name, "--out", str(tmp_path / "kit")]) == 1
    assert said in capsys.readouterr().err
    assert not (tmp_path / "kit").exists()


def test_a_file_that_is_no_notebook_is_named(tmp_path, capsys):
    (tmp_path / "n.ipynb").write_text("{}", encoding="utf-8")
    assert main(["lecture", str(tmp_path / "n.ipynb"), "--out", str(tmp_path / "kit")]) == 1
    assert "cannot be read as a notebook" in capsys.readouterr().err


def test_a_notebook_of_ones_own_becomes_slides(tmp_path):
    cells = [
        nbformat.v4.new_markdown_cell("# Mine\n\n**Predict.** How much?"),
        nbformat.v4.new_code_cell("1 + 1"),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "mine.ipynb")
    assert main(["lecture", str(tmp_path / "mine.ipynb"), "--out", str(tmp_path / "kit")]) == 0
    assert {path.name for path in (tmp_path / "kit").iterdir()} == {"mine.html"}
    assert find_notebook(str(tmp_path / "mine.ipynb")) == tmp_path / "mine.ipynb"


def test_the_audience_gets_a_notebook_in_which_only_gaps_are_to_be_filled(tmp_path):
    """With the lines of the solution it finds the gradient that the lecture finds."""
    names = [path.name for path in write_lecture("90_minutes", tmp_path)]
    assert names == ["90_minutes.html", "90_minutes.handout.html", "90_minutes.audience.ipynb"]
    gaps = nbformat.read(tmp_path / names[2], as_version=4)
    nbformat.validate(gaps)
    code = [cell.source for cell in gaps.cells if cell.cell_type == "code"]
    assert not any(cell.get("outputs") for cell in gaps.cells)
    assert sum(line.rstrip().endswith("...") for line in "\n".join(code).splitlines()) == 5
    solution = {cell.id: cell.source for cell in LECTURES["90_minutes"].cells}
    names = {}
    for source in (code[0], code[1], solution["ours-record"], solution["ours-sweep"]):
        exec(source, names)
    assert (names["x1"].adjoint, round(names["x2"].adjoint, 4)) == (5.5, 1.7163)
