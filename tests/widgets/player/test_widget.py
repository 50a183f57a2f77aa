"""The player's Python half: recording again, errors, ranges, and what it leaves in a notebook or a file."""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib

import ipywidgets
import numpy as np
import pytest
import traitlets

from autodiff_lab import draw, grad, record, table, value_and_grad, vjp
from autodiff_lab.engine.errors import AutodiffError
from autodiff_lab.figures.graph import draw as graphs
from autodiff_lab.trace.model import Trace
from autodiff_lab.transforms import recording
from autodiff_lab.widgets.live import VIEW
from autodiff_lab.widgets.player import page, views
from autodiff_lab.widgets.player.sliders import RangeError, control
from autodiff_lab.widgets.player.widget import Player, play

from .cases import CASES, f, model, square


def payload_of(text: str) -> dict:
    """The payload inside a page: what `mount` is called with."""
    return json.loads(re.search(r"mount\(place, (\{.*?\}), \{ css: ", text, re.DOTALL)[1])


@pytest.mark.parametrize("name", CASES)
def test_every_kind_of_run_can_be_shown(name):
    g, args = CASES[name]
    player = play(g, *args)
    trace, layout = player.payload["trace"], player.payload["layouts"][0]
    assert Trace.from_json(json.dumps(trace)) == player.trace
    assert set(layout["nodes"]) >= {f"n{i}" for i in range(len(trace["lines"]))}
    assert player.step == -1
    assert player.error == ""


def test_new_inputs_record_again():
    player = play(f, 2.0, 5.0)
    player.step = 12
    player.inputs = [3, 5]
    assert player.inputs == [3.0, 5.0]
    shown = player.payload["trace"]
    assert shown["numbers"][shown["lines"][0]["value"]] == {"text": "3", "value": 3.0}
    assert player.trace.gradient[0].value == pytest.approx(1 / 3 + 5, rel=1e-12)
    assert [(c["value"], c["text"]) for c in player.controls] == [(3.0, "3"), (5.0, "5")]
    assert player.step == 12


def test_the_graph_stands_still_while_the_numbers_fit():
    player = play(f, 2.0, 5.0)
    before = player.payload["layouts"]
    assert len(before) == 2 and player.payload["layouts"][0] is before[0]
    player.inputs = [2.02, 5.0]
    assert player.payload["layouts"] is before, "each of them"
    player.inputs = [2e8, 5.0]
    assert player.payload["layouts"][0] != before[0] and player.payload["layouts"][1] != before[1]


def test_a_graph_with_other_names_is_laid_out_anew():
    def g(x):
        return x * 2.0 if x < 1 else x * 3.0

    player = play(g, 0.5)
    assert player.payload["layouts"][0]["nodes"]["n1"]["head"] == ["y", "× 2"]
    player.inputs = [1.5]
    assert player.payload["layouts"][0]["nodes"]["n1"]["head"] == ["y", "× 3"]


def test_each_run_with_boxes_of_its_own_has_several_layouts():
    player = play(f, 2.0, 5.0)
    (together,) = [run for run in player.payload["forward"] if "layouts" in run]
    assert together["name"] == "all"
    shapes = [
        [layout["shape"] for layout in some]
        for some in (together["layouts"], player.payload["layouts"])
    ]
    assert shapes == [["row", "column"]] * 2


def test_a_linked_slider_drives_it():
    player = play(f, 2.0, 5.0)
    slider = ipywidgets.FloatSlider(value=5.0, min=0, max=10)
    traitlets.dlink((slider, "value"), (player, "inputs"), lambda x2: [player.inputs[0], x2])
    slider.value = 1.5
    assert player.trace.lines[1].value.text == "1.5"


def test_arrays_stay_and_have_no_slider():
    X, w = np.ones((3, 2)), np.array([0.5, -1.0])
    player = play(model, X, w, 0.25)
    assert [c["name"] for c in player.controls] == ["y"]
    player.inputs = [0.75]
    assert player.trace.lines[2].value.text == "0.75"
    assert player.trace.lines[0].value.shape == (3, 2)


def test_inputs_inside_a_tuple_have_sliders_of_their_own():
    player = play(lambda p, x: p[0] * x + p[1], (2.0, 1.0), 3.0)
    assert [c["name"] for c in player.controls] == ["p[0]", "p[1]", "x"]
    player.inputs = [2.0, 4.0, 3.0]
    assert player.trace.value.text == "10"


def positive_only(x):
    if x < 0:
        raise ValueError("x must not be negative")
    return x * x


def test_an_error_keeps_the_last_good_picture():
    player = play(positive_only, 3.0)
    good = player.payload
    player.inputs = [-1.0]
    assert player.error == "ValueError: x must not be negative"
    assert player.payload == good
    assert player.trace.value.text == "9"
    assert player.controls[0]["value"] == -1.0
    player.inputs = [4.0]
    assert player.error == ""
    assert player.trace.value.text == "16"


def test_the_engines_own_words_stand_alone():
    def detached(x):
        return float(x) * x if x > 3 else x * x

    player = play(detached, 3.0)
    player.inputs = [4.0]
    assert player.error
    assert "Error:" not in player.error.splitlines()[0]


def halving(x):
    while x > 1:
        x = x * 0.5 if x < 5 else x * 1.0001
    return x


def test_moving_into_a_run_that_never_ends(monkeypatch):
    monkeypatch.setattr(recording, "MAX_TAPE_LINES", 300)
    player = play(halving, 3.0)
    good = player.payload
    player.inputs = [6.0]
    assert "This run has recorded 299 operations and has not ended" in player.error
    assert "halving" in player.error
    assert player.payload == good
    player.inputs = [4.0]
    assert player.error == ""
    assert player.trace.value.text == "1"


def test_interrupting_a_run_keeps_the_last_good_picture():
    def waits(x):
        if x > 3:
            raise KeyboardInterrupt  # as Interrupt Kernel does, in a loop that records nothing
        return x * x

    player = play(waits, 3.0)
    good = player.payload
    with pytest.raises(KeyboardInterrupt):
        player.inputs = [4.0]
    assert "was interrupted" in player.error
    assert player.payload == good
    assert player.controls[0]["value"] == 4.0
    player.inputs = [2.0]
    assert player.error == ""
    assert player.trace.value.text == "4"


def test_our_words_come_before_numpys():
    def fill(x):
        y = np.zeros(3)
        if x > 3:
            y[0] = x
        return x * x

    player = play(fill, 3.0)
    player.inputs = [4.0]
    assert "np.stack" in player.error
    assert "sequence" not in player.error


def test_the_first_run_raises_where_there_is_nothing_to_show():
    with pytest.raises(AutodiffError):
        play(square, "three")


def test_another_path_may_be_shorter():
    def branch(x):
        return x * x * x if x > 0 else x + 1

    player = play(branch, 2.0)
    player.step = 5
    player.inputs = [-2.0]
    assert len(player.trace.steps) == 4
    assert player.step == 3
    player.step = 99
    assert player.step == 3


def test_stepping_back_ends_before_the_first_step():
    player = play(square, 3.0)
    player.step = 0
    player.step = -1
    assert player.step == -1
    player.step = -2
    assert player.step == -1


def test_the_number_of_inputs_is_checked():
    player = play(f, 2.0, 5.0)
    with pytest.raises(traitlets.TraitError, match=r"2 numbers \(x1, x2\)"):
        player.inputs = [1.0]
    assert player.inputs == [2.0, 5.0]


def test_ranges_are_taken():
    player = play(f, 2.0, 5.0, ranges={"x1": (0.1, 4)})
    assert (player.controls[0]["min"], player.controls[0]["max"]) == (0.1, 4.0)
    player.inputs = [6.0, 5.0]
    assert player.controls[0]["max"] == 6.0


@pytest.mark.parametrize(
    ("ranges", "message"),
    [
        ({"x3": (0, 1)}, "no input 'x3'. Inputs with a slider: x1, x2"),
        ({"x1": (4, 0.1)}, "smaller number first"),
        ({"x1": (2, 2)}, "smaller number first"),
        ({"x1": (0, float("inf"))}, "smaller number first"),
        ({"x1": 4}, "write two numbers"),
        ({"x1": (3, 4)}, "outside of its range"),
    ],
)
def test_bad_ranges_are_named(ranges, message):
    with pytest.raises(RangeError, match=re.escape(message)):
        play(f, 2.0, 5.0, ranges=ranges)


def test_a_range_for_an_array_is_refused():
    with pytest.raises(RangeError, match="arrays have no slider"):
        play(model, np.ones((3, 2)), np.ones(2), 0.0, ranges={"X": (0, 1)})


@pytest.mark.parametrize(
    "value", [2.0, 5.0, 0.0, -3.0, 7.3121, 0.02, 1e6, 1e-7, -1e9, 1e300, float("nan")]
)
def test_sliders_are_never_degenerate(value):
    slider = control("x", value)
    assert slider["min"] < slider["max"]
    assert 0 < slider["step"] <= slider["max"] - slider["min"]
    if value == value:
        stops = (value - slider["min"]) / slider["step"]
        assert slider["min"] <= value <= slider["max"]
        assert stops == pytest.approx(round(stops), abs=1e-6)
    if abs(value) >= 0.1:
        assert slider["min"] * slider["max"] > 0


def test_a_player_opens_in_the_mode_asked_for():
    player = play(f, 2.0, 5.0, mode="forward", direction="x2")
    assert (player.mode, player.direction) == ("forward", "x2")
    assert player.forward["x2"].tangent[0].value == 1.7163378145367738
    player.step = 99
    assert player.step == 6
    player.mode = "both"
    player.step = 99
    assert player.step == 15


def test_the_menu_has_each_input_and_all_of_them():
    assert list(play(f, 2.0, 5.0).forward) == ["x1", "x2", "all"]
    assert list(play(square, 3.0).forward) == ["x"]
    assert list(play(CASES["sixty"][0], *CASES["sixty"][1]).forward) == ["x", "w"]


def test_a_direction_of_ones_own():
    player = play(f, 2.0, 5.0, mode="forward", direction=(1.0, 0.5))
    assert (player.direction, player.custom) == ("custom", [1.0, 0.5])
    assert player.forward["custom"].tangent[0].text == "6.3582"
    player.custom = [0.0, 2.0]
    assert player.forward["custom"].tangent[0].value == 2 * 1.7163378145367738
    player.inputs = [3.0, 5.0]
    assert player.forward["custom"].directions[0].shown == "ẋ1 = 0, ẋ2 = 2"
    player.custom = []
    assert player.direction == "x1" and "custom" not in player.forward


def test_bad_modes_and_directions_are_named():
    with pytest.raises(
        AutodiffError, match="no mode 'sideways'; the modes are reverse, forward, both"
    ):
        play(f, 2.0, 5.0, mode="sideways")
    with pytest.raises(AutodiffError, match="no direction 'x3'; there are x1, x2, all"):
        play(f, 2.0, 5.0, direction="x3")
    with pytest.raises(AutodiffError, match="3 tangents, and the inputs are 2"):
        play(f, 2.0, 5.0, direction=(1.0, 2.0, 3.0))
    with pytest.raises(traitlets.TraitError, match="one rate for each of x1, x2"):
        play(f, 2.0, 5.0).custom = [1.0]


def test_a_faulty_engine_stays_faulty_when_the_inputs_change():
    player = play(f, 2.0, 5.0, fault="overwrite")
    assert [a.value for a in player.trace.gradient] == [0.5, 2.0]
    player.inputs = [4.0, 5.0]
    assert [a.value for a in player.trace.gradient] == [0.25, 4.0]
    assert player.forward == {}
    with pytest.raises(AutodiffError, match="faulty engines run in reverse mode only"):
        player.mode = "forward"
    with pytest.raises(AutodiffError, match="no fault 'slow'"):
        play(f, 2.0, 5.0, fault="slow")


def test_lines_are_written_once():
    payload = play(f, 2.0, 5.0).payload
    assert all("lines" not in run and "sources" not in run for run in payload["forward"])


def test_a_player_has_one_plain_text():
    player = play(f, 2.0, 5.0)
    assert repr(player) == "Player(f(x1, x2), 14 steps)"
    assert isinstance(player, Player)


def test_the_mimebundle_has_a_picture_for_every_reader():
    player = play(f, 2.0, 5.0)
    data, _ = player._repr_mimebundle_()
    assert set(data) == {VIEW, "text/html", "image/png", "text/plain"}
    assert data["text/plain"] == "Player(f(x1, x2), 14 steps)"
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert len(data["text/html"].encode()) < 143_000
    assert sum(len(str(value)) for value in data.values()) < 150_000


def test_sixty_lines_stay_small():
    data, _ = play(CASES["sixty"][0], *CASES["sixty"][1])._repr_mimebundle_()
    assert len(data["text/html"].encode()) < 480_000


def test_without_its_script_the_html_is_a_picture_and_tables():
    html = play(f, 2.0, 5.0)._repr_mimebundle_()[0]["text/html"]
    still = html[: html.index("<script")]
    image = re.search(r'<img alt="([^"]+)"[^>]* src="data:image/svg\+xml;base64,([^"]+)">', still)
    assert "f(x1, x2)" in image[1]
    assert b"<svg" in base64.b64decode(image[2])
    assert "<figcaption>f(x1, x2) at x1 = 2, x2 = 5: the value is 11.6521.</figcaption>" in still
    opening, _, folded = still.partition("<details>")
    assert folded.count("<table>") == 2 and "1.7163" in folded
    assert "style>" not in still
    drawn = base64.b64decode(image[2]).decode()
    assert ">11.6521<" in drawn, "the values are there, as before the sweep"
    assert "1.7163" not in opening + drawn and "0.2837" not in opening + drawn, (
        "what the sweep finds is not"
    )


def test_the_picture_is_the_one_of_the_html():
    """Neither shows an adjoint: drawn with them it would be larger."""
    player = play(f, 2.0, 5.0)
    with_adjoints = graphs.render(graphs.graph(player.trace), "png")
    found = base64.b64decode(player._repr_mimebundle_()[0]["image/png"])
    size = [struct.unpack(">II", png[16:24]) for png in (found, with_adjoints)]
    assert size[0] < size[1]


def test_the_html_is_the_same_every_time_but_for_the_key():
    one, other = (play(f, 2.0, 5.0) for _ in range(2))
    assert one.key != other.key
    assert one.figure().replace(one.key, "") == other.figure().replace(other.key, "")


def test_a_page_opens_at_the_step_that_is_shown():
    player = play(lambda x: x * x, 3.0)
    assert "{ css: style }" in player.figure()
    player.step = 1
    assert "{ css: style, step: 1 }" in player.figure()


def test_save_html_writes_one_file_that_needs_nothing_else(tmp_path):
    player = play(f, 2.0, 5.0)
    path = player.save_html(tmp_path / "flow.html")
    text = path.read_text(encoding="utf-8")
    assert path.stat().st_size < 144_000
    assert text.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert "<title>f(x1, x2), step by step</title>" in text
    assert 'name="viewport"' in text
    assert not re.findall(r"""(?:src|href)\s*=\s*(?!["']?data:)""", text)
    assert set(re.findall(r"https?://[^\s\"'\\]+", text)) <= {"http://www.w3.org/2000/svg"}
    shown = {**player.payload, "mode": "reverse", "direction": "x1", "predict": False}
    assert payload_of(text) == json.loads(json.dumps(shown))


def test_names_are_shown_and_not_run(tmp_path):
    def g(x):
        return x * x

    g.__name__ = "</script><script>alert(1)</script>"
    player = play(g, 3.0)
    for text in (
        player.save_html(tmp_path / "page.html").read_text(),
        player._repr_mimebundle_()[0]["text/html"],
    ):
        assert "<script>alert" not in text
        assert text.count("</script>") == text.count("<script")
        assert payload_of(text)["trace"]["function"] == g.__name__


def test_the_live_widget_runs_what_a_page_runs():
    player = play(square, 3.0)
    carried = re.search(r'atob\("([^"]+)"\)', page.figure(player.trace, player.payload))[1]
    assert json.loads(zlib.decompress(base64.b64decode(carried))) == [page.SCRIPT, page.STYLE]
    assert str(player._esm) == page.SCRIPT


def test_all_directions_of_one_input_are_that_one():
    assert play(square, 3.0, mode="forward", direction="all").direction == "x"
    assert play(f, 2.0, 5.0, mode="forward", direction="all").direction == "all"
    with pytest.raises(
        views.ModeError,
        match=r"there are a, x\. All at once is for two to four inputs that are numbers",
    ):
        play(lambda a, x: np.sum(a * x), np.ones(2), 3.0, mode="forward", direction="all")


def test_save_html_says_what_is_wrong_with_a_path(tmp_path):
    player = play(square, 3.0)
    with pytest.raises(AutodiffError, match=r"there is no folder .*mkdir\(parents=True\)"):
        player.save_html(tmp_path / "nowhere" / "flow.html")
    with pytest.raises(AutodiffError, match=r"save_html writes \.html .*'flow.html'"):
        player.save_html("flow.png")


@pytest.mark.parametrize("show", [play, draw, table, Trace.of, record, vjp])
def test_a_result_in_the_place_of_the_function(show):
    with pytest.raises(
        AutodiffError,
        match=r"this is a float64.*play\(f, 2\.0, 5\.0\) instead of play\(f\(2\.0, 5\.0\)\)",
    ):
        show(f(2.0, 5.0))
    with pytest.raises(AutodiffError, match=r"grad\(f\)\(2\.0\) instead of"):
        grad(f(2.0, 5.0))(2.0)
    with pytest.raises(AutodiffError, match="Pass the function itself"):
        value_and_grad(f(2.0, 5.0))(2.0)


def test_a_large_graph_has_groups_unless_they_are_refused():
    def f(x):
        for _ in range(80):
            x = x * 1.001 + 0.25
        return x

    loop = next(iter(play(f, 1.0).payload["layouts"][0]["groups"].values()))
    assert loop["title"] == "for _ in range(80):" and loop["said"].startswith(
        "80 times, 160 operations"
    )
    whole = play(f, 1.0, group=None).payload["layouts"][0]
    assert "groups" not in whole and len([name for name in whole["nodes"] if name[0] == "n"]) == 161
    with pytest.raises(
        AutodiffError,
        match=re.escape("play(group='line'): group must be 'auto' or None."),
    ):
        play(f, 1.0, group="line")
    player = play(f, 1.0)
    kept = player.payload["layouts"][0]
    player.inputs = [1.5]
    assert player.payload["layouts"][0] == kept, "the graph stands still while a slider moves"
    player.inputs = [-123456.7]
    assert player.payload["layouts"][0] != kept


def test_a_long_runs_groups_are_sent_once_for_all_stretches():
    def f(x):
        for _ in range(400):
            x = np.sin(x) + 0.1
        return x

    player = play(f, 1.0)
    sent = []
    player.send_state = lambda key=None: sent.append(key)
    before, groups = player.trace.excerpt.number, player.beside["whole"]["groups"]
    player.step = 700
    assert player.trace.excerpt.number != before and "whole" not in player.payload
    assert "payload" in sent and "beside" not in sent
    assert player._collect_page_state()["whole"]["groups"] == groups, "a page is given all"
    player.inputs = [2.0]
    assert player.beside["whole"]["groups"] != groups


def test_a_saved_page_of_a_long_run_has_both_ends_and_the_neighbours(tmp_path):
    def f(x):
        for _ in range(400):
            x = np.sin(x) + 0.1
        return x

    player = play(f, 1.0)
    for step, held in ((-1, [0, 1, 8]), (350, [0, 2, 3, 4, 8]), (800, [0, 7, 8])):
        player.step = step
        saved = payload_of(player.save_html(tmp_path / "flow.html").read_text())
        stretches = [each["trace"]["excerpt"] for each in (saved, *saved["others"])]
        assert sorted(stretch["number"] for stretch in stretches) == held
        assert all(stretch["said"] in saved["no_others"] for stretch in stretches)
        assert any("v₈₀₀ of 801" in stretch["said"] for stretch in stretches)
