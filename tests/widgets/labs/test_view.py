"""The view of a lab: which widgets its controls are, and who moves whom."""

import threading

import ipywidgets as widgets
import pytest

from autodiff_lab.text.grid import grid
from autodiff_lab.widgets.labs.lab import (
    STEP_BUTTONS,
    Choice,
    Entry,
    LabError,
    Play,
    Slider,
    SteppedLab,
    Toggle,
)
from autodiff_lab.widgets.labs.view import CANNOT


class Stairs(SteppedLab):
    """A lab with every kind of control, which records its effects."""

    title, about = "Stairs <1>", "Climb."
    controls = (
        Slider("height", "height", 1, 9, 1, 3),
        Slider("share", "share", 0, 1, 0.1, 0.5, more=True),
        Choice("way", "way", ("up", "down")),
        Choice("colour", "colour", tuple("abcde")),
        Toggle("wet", "wet", more=True),
        Entry("guess", "guess", "a number"),
        *STEP_BUTTONS,
        Play("next", 100),
    )
    pictures = 0

    @property
    def length(self):
        return 3

    def enter(self, name, text):
        if text == "?":
            raise LabError("A number, please.")
        self.reply = f"{text} it is"

    def slider_text(self, name):
        return f"<{getattr(self, name):g}>"

    def sentence(self):
        return f"{self.done} < 4. {self.reply}"

    def picture(self):
        self.pictures += 1
        return ""

    def table(self):
        return grid("Steps", ("done",), [(float(self.done),)])


@pytest.fixture
def lab():
    return Stairs()


def by_page(widget, **state):
    """As the page does: through the message that tells of a new state."""
    widget.set_state(state)


def is_folded_away(view, widget):
    """Whether a fold that is closed has it."""

    def inside(one):
        return one is widget or any(inside(child) for child in getattr(one, "children", ()))

    boxes = [view.child]
    for box in boxes:
        boxes.extend(
            child for child in getattr(box, "children", ()) if isinstance(child, widgets.Box)
        )
    return any(box.layout.display == "none" and inside(box) for box in boxes)


def fold(view, description):
    boxes = [view.child]
    for box in boxes:
        boxes.extend(getattr(box, "children", ()))
    return next(box for box in boxes if getattr(box, "description", "") == description)


def test_every_control_is_a_widget_of_ipywidgets(lab):
    kinds = {label: type(widget) for label, widget in lab.view.controls.items()}
    assert kinds == {
        "height": widgets.IntSlider,
        "share": widgets.FloatSlider,
        "way": widgets.ToggleButtons,
        "colour": widgets.Dropdown,
        "wet": widgets.Checkbox,
        "guess": widgets.Text,
        "Next": widgets.Button,
        "Back": widgets.Button,
        "Begin again": widgets.Button,
        "Play": widgets.Play,
    }
    assert (
        not lab.view.controls["guess"].continuous_update
        and lab.view.controls["guess"].placeholder == "a number"
    )


def test_hands_move_the_lab(lab):
    moved = lab.view.controls
    by_page(moved["height"], value=7)
    by_page(moved["share"], value=0.30000000000000004)
    by_page(moved["way"], index=1)
    by_page(moved["wet"], value=True)
    assert lab.settings == {"height": 7, "share": 0.3, "way": "down", "colour": "a", "wet": True}
    moved["Next"].click()
    assert lab.done == 1 and lab.view.sentence.value == "1 &lt; 4. "


def test_code_moves_the_widgets_and_they_do_not_answer(lab):
    view = lab.view
    drawn = lab.pictures
    lab.set(height=5, way="down", wet=True)
    assert lab.pictures == drawn + 1, "shown once"
    assert [view.controls[label].value for label in ("height", "way", "wet")] == [5, "down", True]


def test_what_one_hand_does_is_drawn_once(lab):
    view = lab.view
    drawn = lab.pictures
    by_page(view.controls["height"], value=7)
    assert lab.pictures == drawn + 1


def test_a_slider_is_not_corrected_while_it_is_held(lab):
    slider = lab.view.controls["share"]
    by_page(slider, value=0.1 + 0.2)
    assert lab.share == 0.3 and slider.value == 0.1 + 0.2, (
        "a correction would arrive while the hand is elsewhere"
    )
    lab.press("next")
    assert slider.value == 0.3


def test_a_place_between_two_stops_is_shown_at_the_nearest(lab):
    lab.share = 0.47  # as a lab's own button may do
    lab.notify()
    assert lab.view.controls["share"].value == 0.5


def test_a_drag_in_the_picture_moves_sliders_to_their_stops(lab):
    by_page(lab.view.picture, drag={"turn": 1, "values": {"share": 0.47, "height": 12}})
    assert lab.share == 0.5 and lab.height == 9
    assert lab.view.controls["share"].value == 0.5 and lab.view.controls["height"].value == 9


def test_the_picture_knows_where_the_sliders_stand(lab):
    lab.set(height=5)
    assert lab.view.picture.sliders["height"] == {
        "label": "height",
        "value": 5,
        "text": "<5>",
        "low": 1,
        "high": 9,
        "step": 1,
    }


def test_a_drag_is_drawn_once(lab):
    view = lab.view
    drawn = lab.pictures
    by_page(view.picture, drag={"turn": 1, "values": {"height": 7, "share": 0.2}})
    assert lab.pictures == drawn + 1


def test_a_slider_has_its_value_in_words_beside_it(lab):
    texts = []
    boxes = [lab.view.child]
    for box in boxes:
        boxes.extend(getattr(box, "children", ()))
        texts += [box.value] if "adl-lab-value" in box._dom_classes else []
    assert texts == ["&lt;3&gt;", "&lt;0.5&gt;"]


def test_a_button_that_cannot_be_pressed_keeps_the_focus(lab):
    back = lab.view.controls["Back"]
    assert CANNOT in back._dom_classes and not back.disabled
    back.click()
    assert lab.done == 0
    lab.press("next")
    assert CANNOT not in back._dom_classes
    back.click()
    assert CANNOT in back._dom_classes and not back.disabled


def test_play_presses_until_there_is_nothing_to_press(lab):
    play = lab.view.controls["Play"]
    by_page(play, playing=True, value=1)
    by_page(play, value=5)  # a slow kernel has missed some ticks
    assert lab.done == 2 and play.playing and play.interval == 100
    by_page(play, value=6)
    assert lab.done == 3 and not play.playing and CANNOT in play._dom_classes
    by_page(play, playing=True)
    assert lab.done == 3 and not play.playing
    by_page(play, value=0)
    assert lab.done == 3


def test_what_is_typed_is_handed_over_and_may_be_typed_again(lab):
    field = lab.view.controls["guess"]
    by_page(field, value="7")
    assert lab.reply == "7 it is" and field.value == ""
    by_page(field, value="7")
    assert lab.view.sentence.value.endswith("7 it is")


def test_what_cannot_be_done_is_said_until_the_next_act(lab):
    view = lab.view
    by_page(view.controls["guess"], value="?")
    assert view.error == "A number, please."
    view.controls["Next"].click()
    assert view.error == ""


def test_more_is_folded_away(lab):
    view = lab.view
    hidden = {label for label, widget in view.controls.items() if is_folded_away(view, widget)}
    assert hidden == {"share", "wet"}
    fold(view, "More").value = True
    assert not any(is_folded_away(view, widget) for widget in view.controls.values())
    fold(view, "More").value = False
    assert is_folded_away(view, view.controls["wet"])


def test_the_table_is_there_when_it_is_asked_for(lab):
    view = lab.view
    assert view.table.layout.display == "none" and view.table.value == ""
    view.table_fold.value = True
    assert view.table.layout.display is None and view.table.value == lab.table().html()
    lab.press("next")
    assert view.table.value == lab.table().html()


def test_whoever_asks_whether_anybody_is_there_is_answered(lab, monkeypatch):
    said = []
    monkeypatch.setattr(lab.view, "send", said.append)
    lab.view._handle_msg({"content": {"data": {"method": "custom", "content": {}}}, "buffers": []})
    assert len(said) == 1


def test_the_heading_is_text_and_no_markup(lab):
    assert "<b>Stairs &lt;1&gt;.</b> Climb." in lab.view.child.children[0].children[0].value


@pytest.mark.parametrize(
    "label, there", [("height", 4), ("way", "down"), ("colour", "d"), ("wet", True)]
)
def test_a_hand_waits_for_what_another_thread_does(lab, label, there):
    """JupyterLab sends what widgets say through subshells, each a thread of the kernel."""
    begun, go_on, moved, stood = threading.Event(), threading.Event(), threading.Event(), []
    control = lab.view.controls[label]

    def slow_step():
        begun.set()
        assert go_on.wait(10)
        lab.done += 1

    def move():
        control.observe(lambda change: stood.append(change.new), "value")
        moved.set()
        control.value = there

    lab.next = slow_step
    play, hand = (
        threading.Thread(target=lab.view.controls["Play"].set_trait, args=("value", 1)),
        threading.Thread(target=move),
    )
    play.start()
    assert begun.wait(10)
    hand.start()
    assert moved.wait(10)
    hand.join(0.1)  # it has come as far as it gets
    assert hand.is_alive() and control.value == there and getattr(lab, label) != there
    go_on.set()
    play.join(10)
    hand.join(10)
    assert getattr(lab, label) == control.value == there
    assert stood == [there], "it does not jump back in between"
