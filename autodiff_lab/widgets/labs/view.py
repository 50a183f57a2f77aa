"""The one view of every lab: ipywidgets around a picture, a sentence and a table, and one for each control.

Where there is no kernel, the lab is a figure: the picture, the sentence and the table.
"""

import re
import threading
from collections.abc import Callable, Iterable
from typing import Any

import anywidget
import ipywidgets as widgets
import traitlets

from autodiff_lab.figures.style import themes
from autodiff_lab.figures.style.svg import image_tag
from autodiff_lab.text.notation import escape
from autodiff_lab.widgets.bundle import read_bundle
from autodiff_lab.widgets.labs.lab import Button, Choice, Entry, Input, Lab, Play, Slider
from autodiff_lab.widgets.live import Live, placeholder_html

# The class of a button that cannot be pressed now; `disabled` would take the focus away from under the fingers.
CANNOT = "adl-lab-off"
STILL = "This is a picture: run the cell in the notebook to use the lab."


class LabControl:
    """One control in the view of a lab: its widget, how that shows the lab, and what it does to it.

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

    def __init__(
        self, lab: Lab, control: Input | Button | Play, do: Callable[[Callable[[], None]], None]
    ) -> None:
        self.control, self._lab, self._do = control, lab, do
        self._is_held, self._shown = False, getattr(control, "initial", None)
        self.widget = self.cell = _make_widget(control)
        if isinstance(control, Slider):
            self._text = widgets.HTML().add_class("adl-lab-value")
            self.cell = widgets.HBox([self.widget, self._text]).add_class("adl-lab-slider")
        if isinstance(control, Button):
            self.widget.on_click(lambda _: do(lambda: lab.press(control.name)))
        else:
            self.widget.observe(self._hear, "value")
        if isinstance(control, Play):
            # which stops where there is nothing to press
            self.widget.observe(lambda _: do(lambda: None), "playing")

    def _hear(self, change: Any) -> None:
        name = self.control.name
        if not isinstance(self.control, Play):
            self._do(lambda: self._move(change.new))
            self._is_held = False
        elif change.new > change.old:
            # however many ticks a slow kernel has missed, they are one press
            self._do(lambda: self._lab.press(name))

    def _move(self, value: Any) -> None:
        self._is_held, self._shown = isinstance(self.control, Slider), value
        self._lab.set(**{self.control.name: value})

    def show(self) -> None:
        """Move a control's widget in the view to where the lab stands."""
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
            # the page would move what lies between two stops, and say that it was moved
            value = control.convert(value)
        if value != self._shown:  # else a hand may have moved it by now, and waits for its turn
            widget.value = self._shown = value


def fits_in_a_row(choice: Choice) -> bool:
    """Whether a lab's view can show all options of a choice at once, as buttons in a row.

    >>> fits_in_a_row(Choice("dtype", "dtype", ("float64", "float32")))
    True
    >>> fits_in_a_row(Choice("n", "n", ("1", "2", "3", "4", "5")))
    False
    """
    return len(choice.options) <= 4 and len("".join(choice.options)) <= 45


def _make_widget(control: Input | Button | Play) -> Any:
    if isinstance(control, Button):
        return widgets.Button(description=control.label)
    if isinstance(control, Play):
        # Its value counts the ticks. Without a description, its tooltip is the title from which the page names it.
        return widgets.Play(
            interval=control.every, max=10**9, tooltip=control.label, show_repeat=False
        )
    labelled: dict[str, Any] = {"value": control.initial, "description": control.label}
    labelled["style"] = {"description_width": "initial"}
    if isinstance(control, Slider):
        kind = widgets.IntSlider if isinstance(control.step, int) else widgets.FloatSlider
        return kind(min=control.low, max=control.high, step=control.step, readout=False, **labelled)
    if isinstance(control, Choice):
        several = widgets.ToggleButtons if fits_in_a_row(control) else widgets.Dropdown
        return several(options=control.options, **labelled)
    if isinstance(control, Entry):
        return widgets.Text(placeholder=control.hint, continuous_update=False, **labelled)
    return widgets.Checkbox(indent=False, **labelled)


class LabPicture(anywidget.AnyWidget):
    """The picture in a lab's view: an SVG in the page's colours, with handles that pointer or arrow keys move.

    Attributes
    ----------
    svg : str
        The picture.
    sliders : dict
        The lab's sliders by name, as they stand: label, value, text, low, high, step.
    drag : dict
        The ``values`` that a handle was dragged to last, by the names of the sliders, and ``turn``, which drag it was.
    """

    _esm = read_bundle("lab_picture.js")

    svg = traitlets.Unicode().tag(sync=True)
    sliders = traitlets.Dict().tag(sync=True)
    drag = traitlets.Dict().tag(sync=True)


class LabView(Live):
    """The view of a lab on the page, a widget made of others.

    Attributes
    ----------
    child : ipywidgets.Widget
        All that is seen.
    title : str
        The name of the group of all controls.
    plays : list of ipywidgets.Play
        Those of the controls that go on by themselves, and are stopped where nobody answers.
    error : str
        Why what was asked last could not be done; empty if it could.
    controls : dict
        Each control's widget, by its label.
    picture, sentence, table, table_fold : ipywidgets.Widget
        The others.
    """

    _esm = read_bundle("lab.js")
    _css = read_bundle("lab.css")

    child = traitlets.Instance(widgets.Widget).tag(sync=True, **widgets.widget_serialization)
    title = traitlets.Unicode().tag(sync=True)
    plays: "traitlets.List[Any]" = traitlets.List().tag(sync=True, **widgets.widget_serialization)
    colours = traitlets.Dict(themes.css_variables()).tag(sync=True)
    error = traitlets.Unicode().tag(sync=True)

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        # JupyterLab and ipykernel hand the messages of these widgets to several threads, and each waits for its turn.
        # What comes in the thread whose turn it is, while it is busy, was moved by the lab and by no hand.
        self._turn, self._is_busy = threading.RLock(), False
        self._controls = [LabControl(lab, control, self._do) for control in lab.controls]
        self.controls = {each.control.label: each.widget for each in self._controls}
        self.picture = LabPicture().add_class("adl-lab-picture")
        self.picture.observe(
            lambda change: self._do(lambda: lab.set(**change.new["values"])), "drag"
        )
        self.sentence = widgets.HTML().add_class("adl-lab-sentence")
        self.table = widgets.HTML().add_class("adl-lab-table")
        self.table_fold = _make_fold("As a table", self.table)
        self.table_fold.observe(lambda _: self._do(lambda: None), "value")
        plays = [each.widget for each in self._controls if isinstance(each.control, Play)]
        super().__init__(child=self._compose(), title=lab.title, plays=plays)
        # whoever asks whether anybody is there is told by any answer
        self.on_msg(lambda *_: self.send({}))
        self.refresh()

    def _compose(self) -> widgets.Widget:
        """Put the picture, the controls and the sentence where `lab.css` finds them."""
        lab = self.lab
        heading = widgets.HTML(f"<b>{escape(lab.title)}.</b> {escape(lab.about)}").add_class(
            "adl-lab-heading"
        )
        first = _make_row(each.cell for each in self._controls if not each.control.more)
        more = _make_row(each.cell for each in self._controls if each.control.more)
        if more.children:
            first.children += (_make_fold("More", more),)
        side = widgets.VBox([first, more, self.sentence]).add_class("adl-lab-side")
        body = widgets.Box([self.picture, side]).add_class("adl-lab-body")
        has_table = type(lab).table is not Lab.table
        top = widgets.HBox([heading, self.table_fold] if has_table else [heading]).add_class(
            "adl-lab-top"
        )
        return widgets.VBox([top, body, self.table])

    def refresh(self, error: str = "") -> None:
        """Let the view show its lab as the lab is now."""
        with self._turn:
            if self._is_busy:  # with what moves the lab, and this is called again when it has moved
                return
            self._is_busy = True
            try:
                with self.picture.hold_sync():
                    self.picture.sliders = self._describe_sliders()
                    self.picture.svg = _inline(self.lab.picture())
                for each in self._controls:
                    each.show()
                self.sentence.value = escape(self.lab.sentence())
                grid = self.lab.table() if self.table_fold.value else None
                self.table.value = grid.html() if grid else ""
                self.error = error
            finally:
                self._is_busy = False

    def _describe_sliders(self) -> dict[str, dict[str, Any]]:
        """Say where the sliders of the lab stand and how far they go, for the handles that move them."""
        lab = self.lab
        return {
            control.name: {
                "label": control.label,
                "value": control.convert(getattr(lab, control.name)),
                "text": lab.slider_text(control.name),
                "low": control.low,
                "high": control.high,
                "step": control.step,
            }
            for control in lab.controls
            if isinstance(control, Slider)
        }

    def _do(self, act: Callable[[], None]) -> None:
        """Do what a hand asks for, and show what comes of it, once."""
        with self._turn:
            if self._is_busy:
                return
            self._is_busy, error = True, ""
            try:
                act()
            except Exception as problem:  # a traceback would have no cell to stand in
                error = str(problem) or type(problem).__name__
            finally:
                self._is_busy = False
            self.refresh(error)

    def figure(self) -> str:
        """Give the view in HTML: where no kernel has the lab, it is a picture with its sentence and its table."""
        lab = self.lab.still()
        grid, svg = lab.table(), lab.picture()
        image = (
            image_tag(themes.follow_page_theme(svg), f"{lab.title}. {lab.sentence()}")
            if svg
            else ""
        )
        caption = f"<b>{escape(lab.title)}.</b> {escape(lab.sentence())} <i>{STILL}</i>"
        still = f"{image}<figcaption>{caption}</figcaption>{grid.html() if grid else ''}"
        return placeholder_html(f'<figure style="margin:0">{still}</figure>', "lab", self.key)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = super()._repr_mimebundle_(**kwargs)
        data["text/plain"] = str(self.lab.still())
        return data, metadata

    def __repr__(self) -> str:
        return f"<view of {self.lab!r}>"


def _make_row(cells: Iterable[widgets.Widget]) -> widgets.Box:
    """A row that goes on in the next where it is full."""
    return widgets.Box(tuple(cells)).add_class("adl-lab-controls")


def _make_fold(label: str, folded: widgets.Widget) -> widgets.ToggleButton:
    """A button that shows and hides another widget; hidden at first."""
    fold = widgets.ToggleButton(description=label).add_class("adl-lab-fold")
    folded.layout.display = "none"
    fold.observe(
        lambda change: setattr(folded.layout, "display", None if change.new else "none"), "value"
    )
    return fold


def _inline(svg: str) -> str:
    """A picture inside the page takes its colours from there; a style of its own would reach beyond it."""
    return re.sub(r"<style>.*?</style>", "", themes.follow_page_theme(svg)) if svg else ""
