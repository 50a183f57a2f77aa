"""What the framework does for every lab: initial values, changes, replies, copies and steps."""

from autodiff_lab.widgets.labs.lab import STEP_BUTTONS, Choice, Entry, Slider, SteppedLab


class Countdown(SteppedLab):
    """Counts down from n; what is typed is answered."""

    title, about = "Countdown", "Choose n."
    controls = (
        Slider("n", "n", 1, 9, 1, 3),
        Slider("x", "x", 0, 1, 0.25, 0.5),
        Choice("way", "way", ("down", "up"), "up"),
        Entry("guess", "guess"),
        *STEP_BUTTONS,
    )

    def __init__(self):
        self.changes = []
        super().__init__()

    @property
    def length(self):
        return self.n

    def change(self, name):
        self.changes.append(name)
        super().change(name)

    def enter(self, name, text):
        self.reply = f"{name}: {text}"


def test_controls_begin_at_their_initial_values():
    lab = Countdown()
    assert lab.settings == {"n": 3, "x": 0.5, "way": "up"} and lab.guess == "" and lab.done == 0
    assert repr(lab) == "Countdown(n=3, x=0.5, way='up', guess='')"


def test_slider_with_whole_steps_gives_whole_numbers():
    lab = Countdown()
    lab.set(n=4.4, x=0.6)
    assert (lab.n, type(lab.n), lab.x, type(lab.x)) == (4, int, 0.5, float)


def test_change_is_called_once_for_each_moved_control():
    lab = Countdown()
    lab.set(n=5, x=0.5, way="down")
    assert lab.changes == ["n", "way"], "x has not moved"


def test_steps_go_on_and_back_and_another_setting_begins_again():
    lab = Countdown()
    assert lab.can("next") and not lab.can("back") and not lab.can("begin")
    for _ in range(5):
        lab.press("next")
    assert lab.done == 3 and not lab.can("next"), "a button that cannot be pressed does nothing"
    lab.press("back")
    assert lab.done == 2
    lab.set(n=7)
    assert lab.done == 0


def test_a_reply_stays_until_something_else_is_done():
    lab = Countdown()
    lab.set(guess="2")
    assert lab.reply == "guess: 2" and lab.guess == ""
    lab.press("back")
    assert lab.reply, "there was nothing to take back"
    lab.press("next")
    assert not lab.reply
    lab.set(guess="3", way="up")
    assert lab.reply == "guess: 3", "the control has not moved"
    lab.set(way="down")
    assert not lab.reply


def test_copy_and_still_keep_the_settings():
    lab = Countdown()
    lab.set(n=8, way="down")
    lab.press("next")
    assert lab.copy().settings == lab.settings and lab.copy().done == 0
    assert lab.still().settings == lab.settings and lab.still().done == 8 and lab.done == 1
