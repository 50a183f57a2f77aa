"""What a lecturer takes along: slides and speaker's pages of the plans, and a sheet for each lesson. No network."""

import re
from html.parser import HTMLParser

import nbformat
import pytest

from autodiff_lab.__main__ import main
from autodiff_lab.classroom.lecture.cell_html import cell_output, mathml
from autodiff_lab.classroom.lecture.handout import handout
from autodiff_lab.classroom.lecture.plans import LectureError, find_plan, list_plans, read_plan
from autodiff_lab.classroom.lecture.slides import deck
from autodiff_lab.classroom.lecture.speaker_page import lesson_page, plan_page
from autodiff_lab.jupyter.notebooks import installed_notebooks
from autodiff_lab.lessons.checks.course import lessons

PATHS = sorted(installed_notebooks().glob("[0-9][0-9]_*.ipynb"))
EXERCISES = {lesson.slug: lesson.exercises() for lesson in lessons()}
PLANS = {name: find_plan(name) for name in list_plans()}
MOST_WORDS = 40


class Reading(HTMLParser):
    """What a page would load, what is left open in it, and its text outside of code."""

    ALONE = frozenset(("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"))

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


@pytest.mark.parametrize("name", PLANS)
def test_slides_and_their_speaker_page_need_no_network(name):
    slides = deck(PLANS[name])
    without_network(slides)
    without_network(plan_page(PLANS[name]))
    assert len(slides.encode()) < 1_600_000


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name[:2])
def test_speaker_page_and_sheet_of_a_lesson_need_no_network(path):
    sheet = without_network(handout(path))
    without_network(lesson_page(path))
    assert len(handout(path).encode()) < 300_000
    for exercise in EXERCISES.get(path.stem[3:], {}).values():
        assert exercise.reference.strip() not in "".join(sheet.prose), "the sheet gives an answer away"


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name[:2])
def test_the_sheet_has_question_picture_and_recap(path):
    sheet = handout(path)
    question = re.search(r"^\*\*(.+\?)\*\*$", nbformat.read(path, as_version=4).cells[0].source, re.MULTILINE)[1]
    assert question.partition("`")[0] in re.sub(r"<[^>]*>", "", sheet).replace("&#39;", "'")
    assert "<img" in sheet and '<div class="recap"><h2' in sheet


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name[:2])
def test_the_speaker_page_has_each_exercise_and_minutes(path):
    text = lesson_page(path)
    found = EXERCISES.get(path.stem[3:], {})
    assert text.count("A good answer:") == len(found)
    assert text.count("<dt>Ask</dt>") <= text.count("<dt>Answer</dt>") or path.name.startswith("00")
    assert re.search(r"· about \d+ min</h2>", text)


@pytest.mark.parametrize("name", PLANS)
def test_a_slide_has_few_words(name):
    for stop in PLANS[name].stops:
        said = re.sub(r"`[^`]*`|\$[^$]*\$", "x", f"{stop.question} {stop.answer}")
        assert len(said.split()) <= MOST_WORDS, stop.question


@pytest.mark.parametrize("name, least, most", [("40", 10, 15), ("90", 15, 25)])
def test_a_plan_has_as_many_slides_as_one_would_give(name, least, most):
    assert least <= len(PLANS[name].stops) + 1 <= most


@pytest.mark.parametrize("name", ["40", "90"])
def test_the_plans_show_players_and_what_a_faulty_engine_does(name):
    shown = [cell_output(stop.cell) for stop in PLANS[name].stops]
    assert sum(kind == "player" for _, kind in shown) >= 2
    assert sum(kind in ("player", "lab", "picture") for _, kind in shown) >= 0.7 * len(shown)
    assert any('"fault":"overwrite"' in html for html, _ in shown), "the faulty player is missing"


def test_minutes_add_up_on_slides_and_on_the_speaker_page():
    plan = PLANS["40"]
    assert plan.minutes == 40
    ends = [int(end) for end in re.findall(r'data-minutes="\d+–(\d+) min"', deck(plan))]
    assert ends[-1] == 40 and ends == sorted(ends)
    assert "minutes 0 to" in plan_page(plan) and "to 40 ·" in plan_page(plan)


def test_players_on_slides_are_those_of_the_notebook():
    stop = next(stop for stop in PLANS["40"].stops if cell_output(stop.cell)[1] == "player")
    assert cell_output(stop.cell)[0] in deck(PLANS["40"])


def test_a_lab_says_how_to_have_it_live(tmp_path):
    path = tmp_path / "mine.md"
    place = "5 minutes · [01, section 2](../01_differentiation.ipynb#cell-id=v-curve)"
    path.write_text(f"# Mine\n\n## Where?\n\n{place}\n\n**Answer** There.\n", encoding="utf-8")
    text = deck(read_plan(path))
    assert "<code>autodiff-lab present 01</code>, section 2" in text
    assert '<div class="fragment answer">There.</div>' in text


def test_an_untranslatable_formula_is_shown_as_written():
    assert mathml(r"\frac{1}{") == r'<code class="formula">\frac{1}{</code>'


PLACE = "5 minutes · [00, section 2](../00_start_here.ipynb#cell-id=first-play)"


@pytest.mark.parametrize(
    "text, said",
    [
        ("## No title?\n", "it begins with"),
        ("# Title\n", "each stop with"),
        ("# Title\n\n## Where?\n\n**Answer** There.\n", "does not say how long and where"),
        (f"# Title\n\n## Where?\n\n{PLACE.replace('00_start', '77_start')}\n", "there is no notebook"),
    ],
)
def test_a_plan_that_cannot_be_read_says_what_is_missing(text, said, tmp_path):
    (tmp_path / "mine.md").write_text(text, encoding="utf-8")
    with pytest.raises(LectureError, match=said):
        read_plan(tmp_path / "mine.md")


def test_a_cell_that_is_gone_is_named(tmp_path):
    place = PLACE.replace("first-play", "last-play")
    (tmp_path / "mine.md").write_text(f"# Title\n\n## Where?\n\n{place}\n", encoding="utf-8")
    with pytest.raises(LectureError, match="has no cell last-play; see “Where"):
        deck(read_plan(tmp_path / "mine.md"))


def test_the_command_writes_a_plan_and_a_lesson(tmp_path, capsys):
    kit = tmp_path / "kit"
    assert main(["lecture", "--plan", "40", "--out", str(kit)]) == 0
    names = {path.name for path in kit.iterdir()}
    assert {"40.slides.html", "40.speaker.html", "00.handout.html"} <= names
    assert main(["lecture", "adjoint_flow", "--out", str(kit / "four")]) == 0
    assert {path.name for path in (kit / "four").iterdir()} == {"04.speaker.html", "04.handout.html"}
    (kit / "40.speaker.html").write_text("my own notes", encoding="utf-8")
    assert main(["lecture", "--plan", "40", "--out", str(kit)]) == 1
    assert "is there already" in capsys.readouterr().err
    assert main(["lecture", "--plan", "40", "--out", str(kit / "40.slides.html")]) == 1
    assert "is a file" in capsys.readouterr().err
    assert (kit / "40.speaker.html").read_text(encoding="utf-8") == "my own notes"
    assert main(["lecture", "--plan", "40", "--out", str(kit), "--overwrite"]) == 0
    assert "Many say" in (kit / "40.speaker.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["99"], "04  adjoint_flow"),
        (["x"], "there is no lesson x"),
        (["mine.ipynb"], "there is no notebook mine.ipynb"),
        (["--plan", "50"], "there is no plan 50. There are 40, 90"),
    ],
    ids=str,
)
def test_what_is_not_there_is_said(arguments, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["lecture", *arguments, "--out", str(tmp_path / "kit")]) == 1
    assert said in capsys.readouterr().err
    assert not (tmp_path / "kit").exists()


def test_a_file_that_is_no_notebook_is_named(tmp_path, capsys):
    (tmp_path / "n.ipynb").write_text("{}", encoding="utf-8")
    assert main(["lecture", str(tmp_path / "n.ipynb"), "--out", str(tmp_path / "kit")]) == 1
    assert "cannot be read as a notebook" in capsys.readouterr().err


def test_a_notebook_of_ones_own_has_page_and_sheet(tmp_path):
    head = "# Mine\n\n**Why?**\n\n| **Time** | 12 minutes |\n\n## 1 · Look\n\n**Predict.** How much?"
    cells = [nbformat.v4.new_markdown_cell(head), nbformat.v4.new_markdown_cell("Three.")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "mine.ipynb")
    assert main(["lecture", str(tmp_path / "mine.ipynb"), "--out", str(tmp_path / "kit")]) == 0
    assert {path.name for path in (tmp_path / "kit").iterdir()} == {"mine.speaker.html", "mine.handout.html"}
