"""The catalogue: every string in both languages with the same slots, and no word of a learner's outside of it."""

import pickle
import re
import string
from pathlib import Path

import numpy as np
import pytest

from autodiff_lab import Trace, grad, table
from autodiff_lab.engine.errors import InputError
from autodiff_lab.figures.export import bitmap
from autodiff_lab.figures.export.frame import Frames
from autodiff_lab.figures.graph.draw import draw
from autodiff_lab.figures.graph.render import DrawingError
from autodiff_lab.figures.style import fonts
from autodiff_lab.text import messages
from autodiff_lab.text.messages import LANGUAGES, ROOMS, message, read_catalogue, read_room, use_language
from autodiff_lab.trace.faulty_engines import FAULTS
from autodiff_lab.trace.quiz import KINDS

from ..about import about
from ..figures.example import example
from ..figures.export.test_frame import texts
from ..figures.runs import chain, layer, named, swing

ROOT = Path(messages.__file__).parents[1]
CATALOGUE = read_catalogue()


def slots(text):
    return sorted(slot for _, slot, _, _ in string.Formatter().parse(text) if slot is not None)


def test_both_languages_have_the_same_slots():
    for key, both in CATALOGUE.items():
        with about(key):
            assert list(both) == list(LANGUAGES)
            english, chinese = both.values()
            assert english
            assert slots(english) == slots(chinese)
            assert "" not in slots(english)


def test_no_key_is_in_two_rooms():
    assert len(CATALOGUE) == sum(len(read_room(room)) for room in ROOMS)


def test_one_and_many_come_together():
    forms = {key.rpartition(".")[0] for key in CATALOGUE if key.endswith((".one", ".many"))}
    for key in forms:
        assert {f"{key}.one", f"{key}.many"} <= CATALOGUE.keys()


def test_chinese_has_no_english_words_of_its_own():
    """What is left of Latin letters is code, a name, a unit or a key of the keyboard."""
    allowed = {"None", "Python", "Home", "End", "Page", "Down", "B", "inf", "nan"}
    for key, both in CATALOGUE.items():
        own = re.sub(r"\{\w+\}", "", both["zh"])
        assert set(re.findall(r"[A-Za-z]+", own)) <= allowed, key


SPEAKING = [
    path
    for room in (
        "text/*.py",
        "trace/**/*.py",
        "figures/**/*.py",
        "widgets/*.py",
        "widgets/player/*.py",
        "widgets/player/js/**/*.js",
    )
    for path in ROOT.glob(room)
]


def said_keys():
    """Every key that code names outright, in Python and in JavaScript."""
    for path in SPEAKING:
        text = path.read_text(encoding="utf-8")
        for found in re.finditer(
            r"\b(?:say|message|counted|plural_message|message_parts|pieces_of|_note|_filled|template|_words"
            r'|matches_message)\(\s*(?:say,\s*)?"([^"]+)"',
            text,
        ):
            yield path.name, found[1]


def test_code_asks_for_strings_that_there_are():
    found = list(said_keys())
    assert len(found) > 100
    for where, key in found:
        assert key in CATALOGUE or {f"{key}.one", f"{key}.many"} <= CATALOGUE.keys(), f"{where}: {key}"


def test_every_string_is_used():
    """A key is named in the code, or made of a part that is and one of a few endings."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in SPEAKING)
    text = text.replace("'", '"')
    made = re.findall(r'[("`]([\w ,]+?[ .])[{$]', text)
    for key in CATALOGUE:
        plain = re.sub(r"\.(one|many)$", "", key)
        whole = f'"{plain}"' in text
        assert (
            whole or any(key.startswith(start) for start in made) or key.endswith((", badge", ", cut", "to the shape"))
        ), key


def test_the_player_has_no_words_of_its_own():
    """What its script writes into the page comes from `message`, from a trace, or is a sign or a class."""
    for path in ROOT.glob("widgets/player/js/**/*.js"):
        text = re.sub(r"/\*[\s\S]*?\*/|//[^\n]*", "", path.read_text(encoding="utf-8"))
        for attribute in ("aria-label", "title", "aria-valuetext", "placeholder", "alt"):
            assert not re.search(rf'"?{attribute}"?:\s*["`][A-Za-z]', text), path.name
            assert not re.search(rf'"{attribute}",\s*["`][A-Za-z]', text), path.name
        assert not re.search(r'textContent =\s*["`][A-Za-z]', text), path.name
        assert not re.search(r'html\(\s*"\w+",\s*\{[^{}]*\},\s*"[A-Za-z]', text), path.name


# What a trace says


def latin(text):
    """The Latin words of a text that are longer than a name of the tape."""
    return set(re.findall(r"[A-Za-z]{2,}", text))


RUNS = {
    "example": (example, (2.0, 5.0), {"example", "log", "sin", "cos", "x1", "x2"}),
    "arrays": (layer, (np.arange(12.0).reshape(4, 3), np.ones(3)), {"layer", "tanh", "cosh", "sum", "outer"}),
    "maps": (lambda x: np.cumsum(np.sort(x))[1:].sum() * 2, (np.arange(9.0),), {"lambda", "cumsum", "sum", "reshape"}),
    "nothing": (lambda x: 3.0, (2.0,), {"lambda"}),
    "returns an array": (lambda x: np.exp(x), (np.array([0.1, np.nan]),), {"lambda", "exp", "nan"}),
    "second order": (grad(chain(3)), (0.5,), {"sin", "cos"}),
    "no source": (named("f"), (2.0,), set()),
    "y": (lambda x, y: x * y, (2.0, 3.0), {"lambda"}),
}


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_a_chinese_trace_has_no_english_words(name, mode):
    f, args, names = RUNS[name]
    trace = Trace.of(f, *args, mode=mode, lang="zh")
    shown = [trace.transcript().text(), trace.table(partials=True).text(), str(draw(trace)), draw(trace).source]
    shown[-1] = " ".join(re.findall(r'tooltip="([^"]*)"|<b>([^<]*)</b>', shown[-1])[0])
    shown += [equation.text for step in trace.steps for equation in step.equations]
    shown += [send.term for step in trace.steps for send in step.sends]
    shown += [texts(Frames(trace).svg(len(trace.steps) - 1))] if len(trace.lines) < 9 else []
    own = {re.sub(r"\d", "", word) for word in names}
    for text in shown:
        left = {word for word in latin(text) if word not in names and word not in own}
        assert left <= {"string", "ipython", "input", "py", "None", "axis", "subscripts", "transpose"}, text


@pytest.mark.parametrize("fault", FAULTS)
def test_a_chinese_fault(fault):
    trace = Trace.of(lambda x: x * x + x, 3.0, fault=fault, lang="zh")
    assert not latin(trace.transcript().text()) - {"lambda"}
    assert not latin(f"{trace.badge} {trace.warning}")


def test_chinese_hints():
    with use_language("zh"):
        assert not any(latin(message(f"hint {kind}")) for kind in KINDS)


def test_the_field_s_terms():
    trace = Trace.of(example, 2.0, 5.0, lang="zh")
    whole = trace.transcript().text() + trace.table(partials=True).text() + str(draw(trace))
    for term in ("记录", "播种", "反向扫描", "伴随", "局部偏导数", "求值轨迹"):
        assert term in whole
    forward = Trace.of(example, 2.0, 5.0, mode="forward", lang="zh")
    assert "切向量" in forward.transcript().text()
    assert "计算图" in str(draw(trace))


def test_numbers_and_names_are_the_same_in_both_languages():
    english, chinese = (Trace.of(example, 2.0, 5.0, lang=lang) for lang in LANGUAGES)
    assert chinese.lang == "zh"
    assert [line.expression for line in chinese.lines] == [line.expression for line in english.lines]
    assert chinese.gradient == english.gradient
    assert Trace.from_json(chinese.to_json()) == chinese
    assert chinese.in_english() == english
    assert "lang" not in english.to_dict()
    assert pickle.loads(pickle.dumps(chinese)) == chinese
    assert not hasattr(english, "_again")


def test_table_in_chinese():
    shown = table(example, 2.0, 5.0, mode="both", partials=True, lang="zh")
    assert [column.title for column in shown.whole.columns][:3] == ["行", "运算", "值"]
    assert shown.whole.columns[-1].title == "局部偏导数"
    with pytest.raises(InputError, match="This is a trace in 'en'; for lang='zh' give the function"):
        table(Trace.of(example, 2.0, 5.0), lang="zh")


def test_a_language_that_there_is_not():
    for made in (lambda: Trace.of(example, 2.0, 5.0, lang="de"), lambda: table(example, 2.0, 5.0, lang="de")):
        with pytest.raises(InputError, match="lang is 'en' or 'zh'"):
            made()


def test_a_language_is_spoken_inside_its_block_only():
    with use_language("zh"), pytest.raises(ZeroDivisionError):
        1 / 0  # noqa: B018
    assert message("value") == "value"


# Type for Chinese


def test_pictures_name_fonts_with_chinese_characters(tmp_path):
    svg = Trace.of(example, 2.0, 5.0, lang="zh").save_svg(tmp_path / "a.svg").read_text(encoding="utf-8")
    for font in ("Noto Sans CJK SC", "Microsoft YaHei", "PingFang SC", "WenQuanYi Micro Hei"):
        assert font in svg
    assert "YaHei" not in Trace.of(example, 2.0, 5.0).save_svg(tmp_path / "a.svg").read_text(encoding="utf-8")


def test_without_a_font_pixels_are_in_english_and_say_so(tmp_path, monkeypatch):
    monkeypatch.setattr(fonts, "chinese_font", lambda: None)
    english, chinese = (Trace.of(lambda x: x * x, 3.0, lang=lang) for lang in LANGUAGES)
    with pytest.warns(
        UserWarning, match="no font on this machine has Chinese characters, so the picture is in English"
    ):
        shown = chinese.save_png(tmp_path / "a.png").read_bytes()
    assert shown == english.save_png(tmp_path / "b.png").read_bytes()
    with pytest.warns(UserWarning, match="in English"):
        strip = chinese.strip()
    assert "反向扫描" in strip.svg()
    assert strip.save(tmp_path / "a.pdf").read_bytes() == english.strip().save(tmp_path / "b.pdf").read_bytes()
    with pytest.raises(DrawingError, match="Install one"):
        Trace.from_json(chinese.to_json()).save_png(tmp_path / "a.png")


@pytest.mark.skipif(fonts.chinese_font() is None, reason="this machine has no font with Chinese characters")
def test_with_a_font_pixels_are_in_chinese(tmp_path):
    trace = Trace.of(lambda x: x * x, 3.0, lang="zh")
    png = trace.save_png(tmp_path / "a.png").read_bytes()
    assert png == bitmap.render_png(Frames(trace).svg(len(trace.steps) - 1), 2.0)
    assert trace.strip().printed is None


def test_five_hundred_operations_in_chinese():
    trace = Trace.of(swing, 0.5, 0.3, lang="zh")
    shown = texts(Frames(trace, [3]).svg(3))
    assert f"磁带共 {len(trace.lines)} 行" in shown
    assert "重复 100 次" in shown
