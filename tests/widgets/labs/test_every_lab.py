"""Tests of every lab; a new lab is found automatically."""

import json
import math
import re
import sys
import time
from itertools import pairwise
from typing import Any, NamedTuple
from xml.etree import ElementTree

import ipywidgets as widgets
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff_lab.text.notation import escape
from autodiff_lab.widgets import labs
from autodiff_lab.widgets.labs import train_room
from autodiff_lab.widgets.labs.lab import Button, Choice, Entry, LabError, Play, Slider, Toggle
from autodiff_lab.widgets.labs.view import CANNOT

LABS = labs.every_lab()
# Its only slider says how long a run is, and the plots are as long as the run.
NOTHING_TO_DRAG = (labs.TrainRoom,)
HANDLE = "a handle in the picture"
every_lab = pytest.mark.parametrize("kind", LABS, ids=lambda kind: kind.__name__)


def actions(kind):
    """Anything that hands can do to a lab: what the page would send, by the label of the control."""
    one = []
    for control in kind.controls:
        if isinstance(control, Slider):
            number = st.integers if isinstance(control.step, int) else st.floats
            values = number(control.low, control.high)
        elif isinstance(control, Choice):
            values = st.sampled_from(range(len(control.options)))
        elif isinstance(control, Toggle):
            values = st.booleans()
        elif isinstance(control, Entry):
            values = st.sampled_from(["", "1", "0.5", "-1/3", "x", "nan", "1e999"]) | st.text(
                max_size=8
            )
        elif isinstance(control, Play):
            values = st.integers(0, 100)
        else:
            values = st.none()
        one.append(st.tuples(st.just(control.label), values))
    one += [st.tuples(st.just(HANDLE), drags(kind, handle)) for handle in handles(kind())]
    return st.lists(st.one_of(*one), max_size=12)


def drags(kind, handle):
    """What the page would send of a handle that is dragged: a value of each of its sliders."""
    sliders = {control.name: control for control in kind.controls if isinstance(control, Slider)}
    moved = [sliders[move["control"]] for move in handle.moves]
    values = st.fixed_dictionaries(
        {slider.name: st.floats(slider.low, slider.high) for slider in moved}
    )
    return st.builds(lambda turn, values: {"turn": turn, "values": values}, st.integers(1), values)


class Handle(NamedTuple):
    """A handle in the picture of a lab: its name, the middle of its knob, and how it moves sliders."""

    name: str
    x: float
    y: float
    moves: list[dict[str, Any]]


def handles(lab):
    """The handles in the picture of a lab, in its present state."""
    found = []
    for group in ElementTree.fromstring(lab.picture() or "<svg/>").iter():
        if "data-grip" not in group.attrib:
            continue
        knob = next(shape for shape in group if shape.get("class") == "knob")
        moves = json.loads(group.get("data-moves"))
        found.append(
            Handle(group.get("data-grip"), float(knob.get("cx")), float(knob.get("cy")), moves)
        )
    return found


def value_at(handle, move):
    """The value that the page would find for a handle that is where it is, and the rounding of its place."""
    (right, up), scale = (handle.x - move["center"][0], move["center"][1] - handle.y), move["scale"]
    place = {
        "x": handle.x,
        "y": handle.y,
        "turn": math.degrees(math.atan2(up, right)) % 360,
        "distance": math.hypot(right, up),
    }[move["along"]]
    places, values = zip(*scale, strict=True)
    steepest = max(abs(b - a) / max(y - x, 0.1) for (x, a), (y, b) in pairwise(scale))
    return float(np.interp(place, places, values)), 0.1 * steepest


def act(view, label, value):
    """Do to a view what the page does: a widget gets its new state from there."""
    if label == HANDLE:
        return view.picture.set_state({"drag": value})
    widget = view.controls[label]
    if isinstance(widget, widgets.Button):
        return widget.click()
    widget.set_state(
        {"index" if isinstance(value, int) and hasattr(widget, "options") else "value": value}
    )


def size(svg):
    root = ElementTree.fromstring(svg)
    return root.get("width"), root.get("height"), root.get("viewBox")


def test_there_are_labs_and_each_is_found_by_its_name():
    assert LABS
    for kind in LABS:
        assert getattr(labs, kind.__name__) is kind
    with pytest.raises(AttributeError, match="no lab 'Nothing'"):
        _ = labs.Nothing


@every_lab
def test_says_what_it_is_and_names_its_controls(kind):
    lab = kind()
    assert lab.title and lab.about.endswith(".")
    labels = [control.label for control in kind.controls]
    assert all(labels) and len(set(labels)) == len(labels)
    for control in kind.controls:
        if isinstance(control, Play):
            assert any(
                isinstance(other, Button) and other.name == control.name for other in kind.controls
            )
        elif isinstance(control, Button):
            assert callable(getattr(lab, control.name))
        else:
            assert control.convert(getattr(lab, control.name)) == getattr(lab, control.name)


@every_lab
def test_whatever_hands_do_it_stays_whole_and_keeps_its_size(kind, monkeypatch):
    # an epoch for each of hundreds of presses
    monkeypatch.setattr(train_room.lab, "CELLS_A_PRESS", 1)
    first = kind().picture()

    @settings(max_examples=25, deadline=None)
    @given(actions(kind))
    def do(steps):
        lab = kind()
        view = lab.view
        view.table_fold.value = True
        for label, value in steps:
            act(view, label, value)
            assert view.error == ""
        # the slider that was moved last stays where the hand put it, until the lab is shown again
        lab.notify()
        json.dumps(lab.snapshot(), allow_nan=True)
        assert lab.sentence().strip() and "0x" not in str(lab)
        assert view.sentence.value == escape(lab.sentence())
        assert not first or size(lab.picture()) == size(first)
        assert view.table.value == (lab.table().html() if lab.table() else "")
        for control in kind.controls:
            widget = view.controls[control.label]
            if isinstance(control, Button | Play):
                assert (CANNOT in widget._dom_classes) == (
                    not lab.can(control.name)
                ) and not widget.disabled
            elif isinstance(control, Slider):
                assert widget.value == control.convert(getattr(lab, control.name))
            else:
                assert widget.value == getattr(lab, control.name)

    do()


@every_lab
def test_a_handle_is_where_its_sliders_are(kind):
    """Pressing and releasing a handle moves nothing, and each handle has its own name."""
    lab = kind()
    lab.picture()
    sliders = {control.name: control for control in kind.controls if isinstance(control, Slider)}
    names = [handle.name for handle in handles(lab)]
    labels = [control.label for control in kind.controls]
    assert len(set(names + labels)) == len(names + labels)
    for handle in handles(lab):
        assert 1 <= len(handle.moves) <= 2
        for move in handle.moves:
            places = [place for place, _ in move["scale"]]
            assert places == sorted(places)
            slider = sliders[move["control"]]
            now, off = value_at(handle, move)
            assert now == pytest.approx(getattr(lab, slider.name), abs=off + slider.step / 2)


@every_lab
def test_in_every_plot_something_can_be_dragged(kind):
    has_a_plot = hasattr(sys.modules[kind.__module__], "Axes")
    if has_a_plot and kind not in NOTHING_TO_DRAG:
        assert handles(kind()), "a plot has a point, a step or an input that a hand can move"


@every_lab
def test_on_paper_no_handle_is_seen(kind):
    for group in ElementTree.fromstring(kind().picture() or "<svg/>").iter():
        if "data-grip" in group.attrib:
            assert group.get("display") == "none"


@every_lab
def test_strips_lie_on_the_canvas_and_show_every_handle(kind):
    root = ElementTree.fromstring(kind().picture() or "<svg/>")
    strips = json.loads(root.get("data-strips", "[]"))
    frames = [frame for parts in strips for frame in parts]
    for left, top, width, height in frames:
        assert 0 <= left < left + width <= float(root.get("width"))
        assert 0 <= top < top + height <= float(root.get("height"))
    for handle in handles(kind()) if strips else ():
        inside = [x <= handle.x <= x + w and y <= handle.y <= y + h for x, y, w, h in frames]
        assert sum(inside) == 1, f"{handle.name} is in no strip, or in two"


@every_lab
def test_a_wrong_setting_is_refused_in_words(kind):
    lab = kind()
    before = lab.snapshot()
    with pytest.raises(LabError, match="has no control 'nonsense'"):
        lab.set(nonsense=1)
    with pytest.raises(LabError, match="has no button 'nonsense'"):
        lab.press("nonsense")
    for control in kind.controls:
        if isinstance(control, Slider | Choice | Toggle):
            with pytest.raises(LabError, match=control.name):
                lab.set(**{control.name: object()})
    assert lab.snapshot() == before


@every_lab
def test_there_is_something_to_see_without_a_kernel(kind):
    lab = kind()
    data, _ = lab._repr_mimebundle_()
    html, _, script = data["text/html"].partition("<script")
    assert "<figcaption>" in html and "run the cell" in html
    assert f'settle(figure, "{lab.view.key}")' in script and len(script) < 2000
    if lab.picture():
        assert len(re.findall(r'<img alt="[^"]{40,}" [^>]*src="data:image/svg.xml', html)) == 1
    assert "<table>" in html or lab.table() is None
    assert data["text/plain"] == str(lab.still()) and lab.title in str(lab)
    assert re.fullmatch(rf"{kind.__name__}\(.*\)", repr(lab))


@every_lab
def test_pictures_take_their_colours_from_the_page(kind):
    svg = kind().view.picture.svg
    assert "<style" not in svg, "a style in the page would reach beyond the picture"
    bare = re.sub(r"var\(--\w+,#\w+\)", "", svg)
    assert set(re.findall(r"#[0-9A-Fa-f]{6}\b", bare)) <= {"#808080"}, (
        "a colour that the dark page does not change"
    )


@every_lab
def test_code_and_hands_move_the_same_lab(kind):
    lab = kind()
    view = lab.view
    slider = next((c for c in kind.controls if isinstance(c, Slider | Choice | Toggle)), None)
    if slider is None:
        return
    now = getattr(lab, slider.name)
    other = {
        Slider: lambda: slider.high,
        Choice: lambda: slider.options[-1],
        Toggle: lambda: not now,
    }[type(slider)]()
    lab.set(**{slider.name: other})
    assert view.controls[slider.label].value == other


@every_lab
def test_a_dragged_slider_is_answered_ten_times_a_second(kind):
    """The kernel's share of a frame; loosely, as the machine may be busy: the best of five drags."""
    sliders = [control for control in kind.controls if isinstance(control, Slider)]
    for slider in sliders:
        lab = kind()
        view = lab.view
        found = []
        while len(found) < 5 and not any(frame < 0.1 for frame in found):
            found.append(drag(view, slider))
        assert min(found) < 0.1, f"{slider.name}: {min(found):.3f} s for a frame"


def drag(view, slider, frames=8):
    start = time.perf_counter()
    for k in range(frames):
        value = slider.low + (slider.high - slider.low) * k / frames
        act(view, slider.label, type(slider.step)(value))
    return (time.perf_counter() - start) / frames
