"""A lab's controls as ipywidgets: which widget each becomes, how it shows the lab, and what it does to it."""

from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from autodiff_lab.text.notation import escape
from autodiff_lab.widgets.labs.lab import Button, Choice, Control, Entry, Lab, Play, Slider

CANNOT = "adl-lab-off"
"""The class of a button that cannot be pressed now; `disabled` would take the focus away from under the fingers."""

Do = Callable[[Callable[[], None]], None]


class LabControl:
    """One control of a lab, with its widget.

    Parameters
    ----------
    lab : Lab
        Whose control it is.
    control : Control
        One of ``lab.controls``.
    do : callable
        Takes what a hand has done to the lab, as a function without arguments, and calls it.

    Attributes
    ----------
    control : Control
        Which one.
    widget : ipywidgets.DOMWidget
        What is moved, ticked, chosen, typed into or pressed.
    cell : ipywidgets.DOMWidget
        What stands on the page: the widget, and beside a slider its value in words.
    """

    def __init__(self, lab: Lab, control: Control, do: Do) -> None:
        self.control, self._lab, self._do = control, lab, do
        self._is_held, self._shown = False, getattr(control, "initial", None)
        self.widget = self.cell = _make_widget(control)
        if isinstance(control, Slider):
            self._text = widgets.HTML().add_class("adl-lab-value")
            self.cell = widgets.HBox([self.widget, self._text])
        if isinstance(control, Button):
            self.widget.on_click(lambda _: do(lambda: lab.press(control.name)))
        else:
            self.widget.observe(self._hear, "value")
        if isinstance(control, Play):
            self.widget.observe(lambda _: do(lambda: None), "playing")  # which stops where there is nothing to press

    def _hear(self, change: Any) -> None:
        name = self.control.name
        if not isinstance(self.control, Play):
            self._do(lambda: self._move(change.new))
            self._is_held = False
        elif change.new > change.old:  # however many ticks a slow kernel has missed, they are one press
            self._do(lambda: self._lab.press(name))

    def _move(self, value: Any) -> None:
        self._is_held, self._shown = isinstance(self.control, Slider), value
        self._lab.set(**{self.control.name: value})

    def show(self) -> None:
        """Let the widget stand where the lab is."""
        control, lab, widget = self.control, self._lab, self.widget
        if isinstance(control, Button | Play):
            can = lab.can(control.name)
            (widget.remove_class if can else widget.add_class)(CANNOT)
            if isinstance(control, Play) and not can:
                widget.playing = False
            return
        value = getattr(lab, control.name)
        if isinstance(control, Slider):
            self._text.value = escape(lab.slider_text(control.name))
            if self._is_held:
                return  # a correction would arrive while the hand is elsewhere
            value = control.convert(value)  # the page would move what lies between two stops, and say that it was moved
        if value != self._shown:  # else a hand may have moved it by now, and waits for its turn
            widget.value = self._shown = value


def fits_in_a_row(choice: Choice) -> bool:
    """Whether all options of a choice can be seen at once.

    >>> fits_in_a_row(Choice("dtype", "dtype", ("float64", "float32")))
    True
    >>> fits_in_a_row(Choice("n", "n", ("1", "2", "3", "4", "5")))
    False
    """
    return len(choice.options) <= 4 and len("".join(choice.options)) <= 45


def _make_widget(control: Control) -> Any:
    if isinstance(control, Button):
        return widgets.Button(description=control.label)
    if isinstance(control, Play):
        # Its value counts the ticks. Without a description, its tooltip is the title from which the page names it.
        return widgets.Play(interval=control.every, max=10**9, tooltip=control.label, show_repeat=False)
    labelled: dict[str, Any] = {"value": control.initial, "description": control.label}
    labelled["style"] = {"description_width": "initial"}
    if isinstance(control, Slider):
        kind = widgets.IntSlider if isinstance(control.step, int) else widgets.FloatSlider
        return kind(min=control.low, max=control.high, step=control.step, readout=False, **labelled)
    if isinstance(control, Choice):
        if not fits_in_a_row(control):
            return widgets.Dropdown(options=control.options, **labelled)
        return widgets.ToggleButtons(options=control.options, **labelled)
    if isinstance(control, Entry):
        return widgets.Text(placeholder=control.hint, continuous_update=False, **labelled)
    return widgets.Checkbox(indent=False, **labelled)
