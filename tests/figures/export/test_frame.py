"""Pictures of single steps: they open, have one size, and say what the step says."""

import io
import itertools
import re
import xml.etree.ElementTree as ElementTree

import matplotlib.image
import pytest
from PIL import Image

from autodiff_lab import Trace, play
from autodiff_lab.engine.errors import AutodiffError, InputError
from autodiff_lab.figures.export import bitmap
from autodiff_lab.figures.export.frame import Frames
from autodiff_lab.figures.export.svg_text import Run, equation_runs, wrap_runs
from autodiff_lab.figures.export.viewport import place_windows
from autodiff_lab.figures.graph.draw import graph, picture, render
from autodiff_lab.figures.graph.layout import layout_of
from autodiff_lab.figures.style.themes import DARK

from ..example import example
from ..runs import RUNS

SPACE = "{http://www.w3.org/2000/svg}"


def texts(svg):
    """The words of a picture, without regard to where lines break."""
    root = ElementTree.fromstring(svg)
    return " ".join("".join(text.itertext()) for text in root.iter(f"{SPACE}text"))


def squeezed(text):
    return re.sub(r"\s", "", text)


def some_steps(trace):
    last = len(trace.steps) - 1
    return sorted({-1, min(0, last), last // 2, last})


@pytest.mark.parametrize("name", RUNS)
def test_every_frame_has_one_size_and_the_words_of_its_step(name):
    trace = RUNS[name]()
    frames = Frames(trace)
    for step in some_steps(trace):
        svg = frames.svg(step)
        root = ElementTree.fromstring(svg)
        assert root.get("viewBox") == f"0 0 {frames.width} {frames.height}"
        assert not list(root.iter(f"{SPACE}script"))
        shown = squeezed(texts(svg))
        assert squeezed(frames.sentence(step)) in shown
        if step >= 0:
            for equation in trace.steps[step].equations:
                assert squeezed(equation.text) in shown


@pytest.mark.parametrize("name", RUNS)
def test_words_stay_inside_and_apart(name):
    """Below the graph each line stands under the one before it, and the last one on the paper."""
    trace = RUNS[name]()
    frames = Frames(trace)
    for step in some_steps(trace):
        children = list(ElementTree.fromstring(frames.svg(step)))
        rule = next(k for k, child in enumerate(children) if child.tag == f"{SPACE}path")
        baselines = [float(text.get("y")) for text in children[rule:] if text.tag == f"{SPACE}text"]
        assert all(b - a > 14 for a, b in itertools.pairwise(baselines))
        assert baselines[-1] <= frames.height - 14


@pytest.mark.parametrize("name", RUNS)
def test_png_opens_and_has_the_size_of_the_frame(name, tmp_path):
    trace = RUNS[name]()
    frames = Frames(trace)
    for step in (None, 0 if trace.steps else -1):
        with Image.open(trace.save_png(tmp_path / "step.png", step, scale=0.5)) as image:
            image.load()
            for pixels, points in zip(image.size, (frames.width, frames.height), strict=True):
                assert abs(pixels - points * 96 / 72 / 2) <= 1


def test_a_name_like_a_tag_is_shown_and_not_run():
    svg = Frames(RUNS["<script>"]()).svg(-1)
    assert "<script>" not in svg
    assert '<script>alert("1")</script>&' in texts(svg)


def test_adjoints_and_tangents_are_those_of_the_step():
    svg = Frames(Trace.of(example, 2.0, 5.0)).svg(10)
    assert "−0.2837" in texts(svg)
    assert "1.7163" not in texts(svg)
    forward = Frames(RUNS["forward"]())
    assert "5.5, 1.7163" in texts(forward.svg(6))
    assert "5.5, 1.7163" not in texts(forward.svg(3))


def test_boxes_keep_their_places_from_step_to_step():
    frames = Frames(Trace.of(example, 2.0, 5.0))

    def places(step):
        boxes = re.findall(r'points="([^"]*)"', frames.svg(step).partition("cos x2")[0])
        return boxes[0]  # the box of the first input

    assert len({places(step) for step in range(16)}) == 1


def test_a_faulty_engine_is_said_to_be_one():
    trace = RUNS["faulty"]()
    assert squeezed(trace.warning) in squeezed(texts(Frames(trace).svg(2)))


def test_a_large_graph_is_shown_in_parts_that_hold_the_step():
    trace = RUNS["60 operations"]()
    frames = Frames(trace)
    assert not frames.whole
    for step in (0, 30, 61, 100, 121):
        svg = frames.svg(step)
        assert "all of it has 61 boxes" in texts(svg)
        assert len(svg) < 200_000
    places = layout_of(graph(trace, 121))
    groups = ()
    for (x, y), done in zip(
        place_windows(trace, groups, places, 700, 300)[1:], trace.steps, strict=True
    ):
        box = places["nodes"][f"n{done.line}"]
        assert x <= box["x"] - box["w"] / 2
        assert box["x"] + box["w"] / 2 <= x + 700
        assert y <= box["y"] - box["h"] / 2
        assert box["y"] + box["h"] / 2 <= y + 300


def test_a_part_of_a_graph_is_small_and_fades_at_its_cuts(tmp_path):
    trace = RUNS["60 operations"]()
    frames = Frames(trace)
    veils = [
        re.findall(r'<rect x="([\d.]+)"[^>]*fill-opacity="0.25"', frames.svg(step))
        for step in (0, 61, 121)
    ]
    assert all(veils)
    assert {float(x) for x in veils[0]} != {float(x) for x in veils[1]}, (
        "at its beginning it is not cut on the left"
    )
    window = re.search(
        r'<svg x="[^"]*" y="[^"]*" width="([^"]*)" [^>]*viewBox="\S+ \S+ (\S+) ', frames.svg(61)
    )
    assert float(window[1]) / float(window[2]) == pytest.approx(0.75, rel=1e-4)
    assert "fill-opacity" not in Frames(Trace.of(example, 2.0, 5.0)).svg(3)
    drawn = re.search(r"<svg .*<svg.*</svg>", frames.svg(61))[0]
    reach = [
        float(x)
        for points in re.findall(r'points="([^"]*)"', drawn)
        for x in re.findall(r"(\S+),", points)
    ]
    assert max(reach) - min(reach) < 1.2 * float(window[2]), "what lies far outside is not painted"
    trace.save_png(tmp_path / "part.png", 61)
    pixels = matplotlib.image.imread(tmp_path / "part.png")[..., :3]
    graph_rows = pixels[pixels.shape[0] // 2 : pixels.shape[0] * 3 // 4]
    edge, inside = (1 - part.min() for part in (graph_rows[:, 33:38], graph_rows[:, 100:-100]))
    assert edge < 0.25 < inside, "the edge is nearly paper"


def test_a_frame_of_hundreds_of_operations_lights_one_group():
    trace = RUNS["500 operations"]()
    frames = Frames(trace)
    assert f"{len(trace.lines)} lines of the tape are drawn as" in texts(frames.svg(3))
    places = [
        layout_of(graph(trace, step, group="auto"))["nodes"]
        for step in (-1, 250, 700, len(trace.steps) - 1)
    ]
    assert all(place == places[0] for place in places)
    early, late = (graph(trace, step, group="auto").source for step in (1, 250))
    assert re.search(r"^\tg2 \[.*style=invis", early, re.MULTILINE)
    assert re.search(r"^\tg2 \[.*penwidth=3", late, re.MULTILINE)


# Files


def test_an_svg_has_portable_fonts_and_the_same_bytes_each_time(tmp_path):
    trace = Trace.of(example, 2.0, 5.0)
    first = trace.save_svg(tmp_path / "a.svg", 9).read_bytes()
    assert first == trace.save_svg(tmp_path / "b.svg", 9).read_bytes()
    assert set(re.findall(r'font-family="([^"]*)"', first.decode())) == {
        graph(trace).node_attr["fontname"]
    }
    assert b"sans-serif" in first
    assert b"<desc>" in first
    png = trace.save_png(tmp_path / "a.png", 9).read_bytes()
    assert png == trace.save_png(tmp_path / "b.png", 9).read_bytes()


def test_themes(tmp_path):
    trace = Trace.of(example, 2.0, 5.0)
    svg = trace.save_svg(tmp_path / "a.svg").read_text()
    assert "prefers-color-scheme:dark" in svg
    assert (
        "prefers-color-scheme" not in trace.save_svg(tmp_path / "a.svg", theme="dark").read_text()
    )
    with Image.open(trace.save_png(tmp_path / "a.png", theme="dark")) as image:
        assert (
            "#{:02x}{:02x}{:02x}".format(*image.convert("RGB").getpixel((2, 2)))
            == DARK.paper.lower()
        )
    with pytest.raises(InputError, match="theme must be 'light' or 'dark'"):
        trace.save_png(tmp_path / "a.png", theme="auto")


def test_last_step_if_none_is_named(tmp_path):
    trace = Trace.of(example, 2.0, 5.0)
    assert (
        trace.save_svg(tmp_path / "a.svg").read_text()
        == trace.save_svg(tmp_path / "b.svg", 15).read_text()
    )


@pytest.mark.parametrize("step", [16, -2, 1.5, "3", True])
@pytest.mark.parametrize("save", ["save_svg", "save_png"])
def test_a_step_that_is_not_there(tmp_path, save, step):
    trace = Trace.of(example, 2.0, 5.0)
    with pytest.raises(
        InputError,
        match=re.escape(f"{save}: there is no step {step!r}; the steps of this run are 0 to 15"),
    ):
        getattr(trace, save)(tmp_path / f"a.{save[-3:]}", step)


@pytest.mark.parametrize(
    ("save", "name", "message"),
    [
        ("save_svg", "a.png", "ends in '.png'. Write"),
        ("save_svg", "a", "has no ending. Write"),
        ("save_png", "a.jpg", "save_png writes .png"),
        ("save_gif", "a.png", "save_gif writes .gif"),
        ("save_png", "nowhere/a.png", "there is no folder"),
        ("save_gif", "nowhere/a.gif", "Make it first: pathlib.Path("),
    ],
)
def test_a_path_that_cannot_be_written(tmp_path, save, name, message):
    with pytest.raises(AutodiffError, match=re.escape(message)):
        getattr(Trace.of(example, 2.0, 5.0), save)(tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("scale", [0, -1, "big", float("nan"), 100])
def test_a_scale_that_makes_no_picture(tmp_path, scale):
    with pytest.raises(InputError, match="scale must be a number from"):
        Trace.of(example, 2.0, 5.0).save_png(tmp_path / "a.png", scale=scale)


def test_a_player_saves_what_it_shows(tmp_path):
    player = play(example, 2.0, 5.0, mode="forward")
    own = player.save_svg(tmp_path / "a.svg").read_text()
    assert own == player.forward["x1"].save_svg(tmp_path / "b.svg").read_text()
    player.mode = "reverse"
    assert str(player.transcript()) == str(player.trace.transcript())
    assert str(player.table()) == str(player.trace.table())


# Pixels and words


def test_resvg_paints_what_graphviz_paints():
    """The same graph, painted by both: nearly all pixels agree."""
    drawing = graph(Trace.of(example, 2.0, 5.0), 9, theme="light")
    ours = Image.open(io.BytesIO(bitmap.render_png(picture(drawing)))).convert("L")
    theirs = Image.open(io.BytesIO(render(drawing, "png"))).convert("L").resize(ours.size)
    small = (ours.width // 8, ours.height // 8)
    pairs = zip(ours.resize(small).tobytes(), theirs.resize(small).tobytes(), strict=True)
    differences = [abs(a - b) for a, b in pairs]
    assert sum(differences) / len(differences) < 4
    blank = [abs(a - 255) for a in theirs.resize(small).tobytes()]
    assert sum(blank) / len(blank) > 4 * sum(differences) / len(differences)


def test_text_breaks_where_words_end():
    lines = wrap_runs([Run("one two three four five six")], 120).lines
    assert " ".join(run.text for line in lines for run in line) == "one two three four five six"
    assert len(lines) > 1
    assert len(wrap_runs([Run("x" * 200)], 120).lines) > 5
    chinese = wrap_runs([Run("反向扫描，伴随累加。")], 60).lines
    assert len(chinese) > 1
    assert not any(line[0].text.startswith(("，", "。")) for line in chinese)


def test_a_sign_of_an_equation_stays_with_what_follows():
    equations = [
        equation for step in Trace.of(example, 2.0, 5.0).steps for equation in step.equations
    ]
    broken = [
        line for equation in equations for line in wrap_runs(equation_runs(equation), 150).lines
    ]
    assert len(broken) > 2 * len(equations)
    for line in broken:
        assert (
            not "".join(run.text for run in line)
            .rstrip("\N{NO-BREAK SPACE}")
            .endswith(("=", "×", "+"))
        )


def first_frame(name):
    namespace = {}
    exec(f"def area({name}):\n    return {name} * {name}", namespace)
    return Frames(Trace.of(namespace["area"], 2.0)).svg(0)


def test_chinese_names_are_painted_with_a_font_that_has_them(monkeypatch):
    asked = []
    files = bitmap.fonts.font_files

    def list_files(chinese=False):
        asked.append(chinese)
        return files(chinese)

    monkeypatch.setattr(bitmap.fonts, "font_files", list_files)
    for name in ("width", "宽度"):
        bitmap.render_png(first_frame(name))
    assert asked == [False, True]
