"""A lecture kit: every notebook becomes a page and slides that need no network; executing it makes all the rest."""

import re
from html.parser import HTMLParser

import nbformat
import pytest

from autodiff_lab.__main__ import main
from autodiff_lab.classroom.lecture import slides, speaker_notes
from autodiff_lab.classroom.lecture.cell_html import Block, blocks, mathml, pieces
from autodiff_lab.classroom.lecture.execute import LectureError, execute_notebook
from autodiff_lab.classroom.lecture.kit import page
from autodiff_lab.jupyter.notebooks import installed_notebooks
from autodiff_lab.lessons.checks.course import lessons

PATHS = sorted(installed_notebooks().glob("[0-9][0-9]_*.ipynb"))
EXERCISES = {lesson.number: lesson.exercises() for lesson in lessons()}
CHINESE = re.compile("[\u4e00-\u9fff]")


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


@pytest.fixture(scope="module")
def converted():
    """Each notebook as it is committed, as blocks, page and slides."""
    found = {}
    for path in PATHS:
        cells = blocks(nbformat.read(path, as_version=4), path.parent)
        found[path.name] = cells, page(path.stem, cells), slides.deck(path.stem, cells)
    return found


@pytest.mark.parametrize("name", [path.name for path in PATHS])
def test_every_notebook_needs_no_network(converted, name):
    for text in converted[name][1:]:
        reading = Reading(text)
        assert not [source for source in reading.loaded if not source.strip("\"'").startswith("data:")]
        assert not reading.wrong and not reading.open, "an element is not closed where it should be"
        assert not re.search("mathjax|cdnjs|unpkg|jsdelivr", text, re.IGNORECASE)


def formulas(path):
    """The formulas of a notebook's prose, as they are written."""
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            prose = re.sub(r"```.*?```|`[^`\n]*`", "", cell.source, flags=re.DOTALL)
            yield from re.findall(r"\$\$.+?\$\$|\$[^$\n]+?\$", prose, re.DOTALL)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name[:2])
def test_every_formula_is_mathml(converted, path):
    for text in converted[path.name][1:]:
        assert text.count("<math ") == text.count("</math>") >= len(list(formulas(path)))
        assert '<code class="formula">' not in text, "a formula that could not be translated"
        for formula in re.findall(r"<math .*?</math>", text, re.DOTALL):
            assert "\\" not in re.sub(r"<[^>]*>", "", formula), formula
        assert not re.findall(r"\\[a-z]+\{|\$\S", "".join(Reading(text).prose))


@pytest.mark.parametrize("name", [path.name for path in PATHS])
def test_a_kit_stays_small(converted, name):
    _, whole, deck = converted[name]
    assert len(whole.encode()) < 800_000
    assert len(deck.encode()) < 1_100_000


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name[:2])
def test_solutions_are_not_shown(converted, path):
    for text in converted[path.name][1:]:
        reading = Reading(text)
        assert reading.open_details == 0
        assert "is not attempted yet" not in text
        for exercise in EXERCISES.get(path.name[:2], {}).values():
            assert exercise.reference.strip() not in "".join(reading.prose)


@pytest.mark.parametrize("name", [path.name for path in PATHS])
def test_every_block_is_on_one_slide_in_its_order(converted, name):
    found = converted[name][0]
    columns = slides.slides_of(found)
    assert [block for column in columns for slide in column for block in slide.blocks] == found
    sections = [block.text for block in found if block.level == 2]
    assert [column[0].section for column in columns if column[0].section] == sections
    for slide in (slide for column in columns for slide in column):
        assert len({block.exercise for block in slide.blocks if not block.level}) <= 1, "an exercise shares its slide"
        assert slide.blocks[-1].level in (0, 1, 2), "a heading is left behind"
        levels = [block.level for block in slide.blocks[1:]]
        assert not any(levels) or slide.blocks[0].level, "a heading stands in the middle of a slide"


def text(characters):
    return Block("text", f"<p>{'word ' * (characters // 5)}</p>")


def test_long_content_flows_downwards():
    many = [Block("heading", "<h2>One</h2>", 2), *[text(500)] * 12, Block("heading", "<h2>Two</h2>", 2), text(50)]
    one, two = slides.slides_of(many)
    assert len(one) > 3 and len(two) == 1
    assert all(slide.filled <= slides.ROOM for slide in one)
    assert {slide.section for slide in one} == {"One"}


def test_a_result_that_is_asked_for_waits():
    asked = Block("text", "<p><strong>Predict.</strong> How much?</p>")
    code, result, said = (
        Block("code", "<pre>f()</pre>"),
        Block("output", "<pre>3</pre>"),
        Block("text", "<p>Three.</p>"),
    )
    waiting = slides.deck("t", [asked, code, result, said])
    assert '<pre>f()</pre><div class="fragment"><pre>3</pre><p>Three.</p></div></div></section>' in waiting
    assert 'class="fragment"' not in slides.deck("t", [said, code, result])


def test_an_untranslatable_formula_is_shown_as_written():
    assert mathml(r"\frac{1}{") == r'<code class="formula">\frac{1}{</code>'


def test_pieces_keep_elements_whole():
    nested = "<ul>\n<li><p>a</p></li>\n</ul>"
    assert pieces(f"{nested}\n<p>b</p>\nloose <b>c</b>") == [nested, "<p>b</p>\nloose", "<b>c</b>"]


def notebook(*sources):
    cells = [nbformat.v4.new_markdown_cell("# Mine\n\n| **Time** | 12 minutes |\n\n## Look\n\n[next](05_other.ipynb)")]
    return nbformat.v4.new_notebook(cells=cells + [nbformat.v4.new_code_cell(source) for source in sources])


PLAYS = """\
import numpy as np
from autodiff_lab import play

def f(x1, x2):
    return np.log(x1) + x1 * x2 - np.sin(x2)

play(f, 2.0, 5.0)
"""


@pytest.fixture(scope="module")
def kit(tmp_path_factory):
    """A kit of a notebook of one's own, with two players: one of them is in Chinese and shown by `display`."""
    folder = tmp_path_factory.mktemp("lecture")
    chinese = "display(play(f, 1.0, 2.0, mode='forward', lang='zh'))\nprint('shown')"
    nbformat.write(notebook(PLAYS, chinese), folder / "mine.ipynb")
    assert main(["lecture", str(folder / "mine.ipynb"), "--out", str(folder / "kit")]) == 0
    return folder / "kit"


def test_a_kit_has_everything(kit):
    assert sorted(path.name for path in kit.iterdir()) == [
        "mine.handout.pdf",
        "mine.html",
        "mine.notes.md",
        "mine.player-1.svg",
        "mine.player-2.svg",
        "mine.slides.html",
    ]
    assert (kit / "mine.handout.pdf").read_bytes().startswith(b"%PDF")


def test_players_are_large_on_slides_and_keep_their_language(kit):
    for name, large in (("mine.html", False), ("mine.slides.html", True)):
        text = (kit / name).read_text(encoding="utf-8")
        assert text.count("<figure data-adl-player=") == 2
        assert text.count('"scale":"lecture"') == 2 * large
        assert text.count('"lang":"zh"') >= 1
        assert "05_other.ipynb" not in text, "a link to what does not travel along"
        assert not Reading(text.replace("<script", "<script ")).wrong
    english, chinese = (strip.read_text(encoding="utf-8") for strip in sorted(kit.glob("*.svg")))
    assert CHINESE.search(chinese) and not CHINESE.search(english)


def test_notes_have_every_sentence_and_the_time(kit):
    text = (kit / "mine.notes.md").read_text(encoding="utf-8")
    assert text.startswith("# Mine: speaker notes\n\nTime: 12 minutes.")
    assert re.search(r"^## Look \(about \d+ min\)$", text, re.MULTILINE)
    first, second = text.split("### Player: f(x1, x2)")[1:]
    assert "16 steps" in first and len(re.findall(r"^\d+\. ", first, re.MULTILINE)) == 16
    assert "7 steps" in second and len(re.findall(r"^\d+\. ", second, re.MULTILINE)) == 7
    assert all(CHINESE.search(line) for line in re.findall("^#### .*", second, re.MULTILINE))
    assert not CHINESE.search(first)
    assert not re.findall(r"^\d+\. .*[a-z]{4}.*", second, re.MULTILINE), "an English word in a sentence"


def test_a_notebook_without_players(tmp_path, capsys):
    raising = nbformat.v4.new_code_cell("raise KeyError('gone')", metadata={"tags": ["raises-exception"]})
    mine = notebook("print('a', flush=True)\nprint('b')")
    mine.cells.append(raising)
    path, kit = tmp_path / "n.ipynb", tmp_path / "kit"
    nbformat.write(mine, path)
    assert main(["lecture", str(path), "--out", str(kit)]) == 0
    assert "no player, so there are no handouts" in capsys.readouterr().out
    assert sorted(each.name for each in kit.iterdir()) == ["n.html", "n.notes.md", "n.slides.html"]
    assert "<pre>a\nb</pre>" in (kit / "n.html").read_text(encoding="utf-8")
    assert "<pre>KeyError: &#39;gone&#39;</pre>" in (kit / "n.html").read_text(encoding="utf-8")
    assert 'outputs": []' in path.read_text(encoding="utf-8"), "the notebook itself is not changed"

    (kit / "n.notes.md").write_text("my own notes", encoding="utf-8")
    assert main(["lecture", str(path), "--out", str(kit)]) == 1
    assert "is there already" in capsys.readouterr().err
    assert main(["lecture", str(path), "--out", str(kit / "n.html")]) == 1
    assert "is a file" in capsys.readouterr().err
    assert (kit / "n.notes.md").read_text(encoding="utf-8") == "my own notes"
    assert main(["lecture", str(path), "--out", str(kit), "--overwrite"]) == 0
    assert "speaker notes" in (kit / "n.notes.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "said"),
    [("99", "04  the adjoint flow"), ("x", "there is no lesson x"), ("mine.ipynb", "there is no notebook mine.ipynb")],
)
def test_what_is_not_there_is_said(name, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["lecture", name, "--out", str(tmp_path / "kit")]) == 1
    assert said in capsys.readouterr().err
    assert not (tmp_path / "kit").exists()


def test_a_file_that_is_no_notebook(tmp_path, capsys):
    (tmp_path / "n.ipynb").write_text("{}", encoding="utf-8")
    assert main(["lecture", str(tmp_path / "n.ipynb"), "--out", str(tmp_path / "kit")]) == 1
    assert "cannot be read as a notebook" in capsys.readouterr().err


def test_a_notebook_that_raises():
    with pytest.raises(LectureError, match=r"cell 3 of the notebook raises KeyError: 'gone'"):
        execute_notebook(notebook("x = 1", "raise KeyError('gone')"))


def test_the_time_of_every_notebook_is_found():
    for path in PATHS:
        assert re.fullmatch(r"\d+ minutes.*", speaker_notes.time_of(nbformat.read(path, as_version=4))), path.name
