"""What holds for every lab, found by itself."""

import json
import re
import time
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff_lab.widgets import labs
from autodiff_lab.widgets.labs import train_room
from autodiff_lab.widgets.labs.lab import Button, Choice, Entry, LabError, Play, Slider, Toggle

LABS = labs.every_lab()
every_lab = pytest.mark.parametrize("kind", LABS, ids=lambda kind: kind.__name__)


def actions(kind):
    """Anything that hands can do to a lab: what the page would send."""
    one = []
    for control in kind.controls:
        if isinstance(control, Slider):
            values = st.floats(control.low, control.high)
        elif isinstance(control, Choice):
            values = st.sampled_from(control.options)
        elif isinstance(control, Toggle):
            values = st.booleans()
        elif isinstance(control, Entry):
            values = st.sampled_from(["", "1", "0.5", "-1/3", "x", "nan", "1e999"]) | st.text(max_size=8)
        else:
            one.append(st.just({"press": [control.name]}))
            continue
        one.append(st.builds(lambda value, name=control.name: {"set": {name: value}}, values))
    drags = st.tuples(st.sampled_from(["", "point", "seed"]), st.floats(-50, 900), st.floats(-50, 900))
    return st.lists(st.one_of(*one, st.builds(lambda drag: {"drag": list(drag)}, drags)), max_size=12)


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
            assert any(isinstance(other, Button) and other.name == control.name for other in kind.controls)
        elif isinstance(control, Button):
            assert callable(getattr(lab, control.name))
        else:
            assert control.convert(getattr(lab, control.name)) == getattr(lab, control.name)


@every_lab
def test_whatever_hands_do_it_stays_whole_and_keeps_its_size(kind, monkeypatch):
    monkeypatch.setattr(train_room.lab, "CELLS_A_PRESS", 1)  # an epoch for each of hundreds of presses
    first = kind().picture()

    @settings(max_examples=25, deadline=None)
    @given(actions(kind))
    def do(messages):
        lab = kind()
        view = lab.view
        for number, message in enumerate(messages, 1):
            view._take(view, {**message, "message": number}, [])
            assert view.state["answer"] == number
            assert view.state["error"] == ""
        json.dumps(lab.snapshot(), allow_nan=True)
        assert lab.sentence().strip() and "0x" not in str(lab)
        assert not first or size(lab.picture()) == size(first)
        json.dumps(view.state)

    do()


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
    view = lab.view
    view._take(view, {"set": {"nonsense": 1}, "message": 1}, [])
    assert "nonsense" in view.state["error"] and view.state["answer"] == 1, "the page is answered all the same"


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
    svg = kind().view.state["picture"]
    assert "<style" not in svg, "a style in the page would reach beyond the picture"
    bare = re.sub(r"var\(--\w+,#\w+\)", "", svg)
    assert set(re.findall(r"#[0-9A-Fa-f]{6}\b", bare)) <= {"#808080"}, "a colour that the dark page does not change"


@every_lab
def test_code_and_hands_move_the_same_lab(kind):
    lab = kind()
    view = lab.view
    slider = next((c for c in kind.controls if isinstance(c, Slider | Choice | Toggle)), None)
    if slider is None:
        return
    now = getattr(lab, slider.name)
    other = {Slider: lambda: slider.high, Choice: lambda: slider.options[-1], Toggle: lambda: not now}[type(slider)]()
    lab.set(**{slider.name: other})
    assert view.state["values"][slider.name] == other


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
        view._take(view, {"set": {slider.name: value}, "message": k}, [])
    return (time.perf_counter() - start) / frames
