"""The view of a lab: ipywidgets for the picture, the sentence and the table, and one for each control.

Without a kernel, the view is a figure with the picture, the sentence and the table.
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

# The CSS class of a button that can't be pressed now. A disabled button would lose the keyboard focus.
CANNOT = "adl-lab-off"
STILL = "This is a picture: run the cell in the notebook to use the lab."


class LabControl:
    """A control in the view of a lab: its widget, which shows the lab's state and changes it.

    Parameters
    ----------
    lab : Lab
        The lab that has the control.
    control : Control
        One of ``lab.controls``.
    do : callable
        A function that runs a user's action; the action is a function without arguments.

    Attributes
    ----------
    control : Control
        The control.
    widget : ipywidgets.DOMWidget
        The widget that the user operates.
    cell : ipywidgets.DOMWidget
        The widget on the page: `widget`, or a box with a slider and its value as text.
    """

    def __init__(
        self, lab: Lab, control: Input | Button | Play, do: Callable[[Callable[[], None]], None]
    ) -> None:
        self.control = control
        self._lab = lab
        self._do = do
        self._is_held = False
        self._shown = getattr(control, "initial", None)
        self.widget = self.cell = _make_widget(control)
        if isinstance(control, Slider):
            self._text = widgets.HTML().add_class("adl-lab-value")
            self.cell = widgets.HBox([self.widget, self._text]).add_class("adl-lab-slider")
        if isinstance(control, Button):
            self.widget.on_click(lambda _: do(lambda: lab.press(control.name)))
        else:
            self.widget.observe(self._hear, "value")
        if isinstance(control, Play):
            # a refresh stops the widget if the button can't be pressed
            self.widget.observe(lambda _: do(lambda: None), "playing")

    def _hear(self, change: Any) -> None:
        name = self.control.name
        if not isinstance(self.control, Play):
            self._do(lambda: self._move(change.new))
            self._is_held = False
        elif change.new > change.old:
            # a slow kernel may have missed several ticks; they count as one press
            self._do(lambda: self._lab.press(name))

    def _move(self, value: Any) -> None:
        self._is_held = isinstance(self.control, Slider)
        self._shown = value
        self._lab.set(**{self.control.name: value})

    def show(self) -> None:
        """Set the widget to the lab's current state."""
        control, lab, widget = self.control, self._lab, self.widget
        if isinstance(control, Button | Play):
            if lab.can(control.name):
                widget.remove_class(CANNOT)
                return
            widget.add_class(CANNOT)
            if isinstance(control, Play):
                widget.playing = False
            return
        value = getattr(lab, control.name)
        if isinstance(control, Slider):
            self._text.value = escape(lab.slider_text(control.name))
            if self._is_held:
                return  # the user may have moved on by the time the correction arrives
            # The page would round a value between two stops, and report that as a change by the user.
            value = control.convert(value)
        # If the lab's value is the shown one, but the widget has another, then the user has just moved the widget, and
        # that message is still to be handled.
        if value != self._shown:
            widget.value = self._shown = value


def fits_in_a_row(choice: Choice) -> bool:
    """Return True if a row of buttons has room for all options of a choice.

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
    labelled: dict[str, Any] = {
        "value": control.initial,
        "description": control.label,
        "style": {"description_width": "initial"},
    }
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
    """The picture in a lab's view: an SVG in the page's colours, with handles for pointer and arrow keys.

    Attributes
    ----------
    svg : str
        The picture.
    sliders : dict
        The lab's sliders by name, each with its current label, value, text, low, high and step.
    drag : dict
        The last drag of a handle: ``values``, by the names of the sliders, and ``turn``, the number of the drag.
    """

    _esm = read_bundle("lab_picture.js")

    svg = traitlets.Unicode().tag(sync=True)
    sliders = traitlets.Dict().tag(sync=True)
    drag = traitlets.Dict().tag(sync=True)


class LabView(Live):
    """The view of a lab on the page: a widget that is made of other widgets.

    Attributes
    ----------
    child : ipywidgets.Widget
        The box with everything that is visible.
    title : str
        The name of the group of all controls.
    plays : list of ipywidgets.Play
        The controls that press a button repeatedly; the page stops them if the kernel doesn't answer.
    error : str
        The reason why the last action failed; empty if it succeeded.
    controls : dict
        The widget of each control, by its label.
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
        # JupyterLab and ipykernel may deliver messages of these widgets in several threads, so each takes this lock.
        # A change in the thread that has the lock, while it is busy, comes from the lab and not from the user.
        self._lock = threading.RLock()
        self._is_busy = False
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
        # The page sends a message to test whether there is a kernel; any answer will do.
        self.on_msg(lambda *_: self.send({}))
        self.refresh()

    def _compose(self) -> widgets.Widget:
        """Put the picture, the controls and the sentence where `lab.css` finds them."""
        lab = self.lab
        heading = widgets.HTML(f"<b>{escape(lab.title)}.</b> {escape(lab.about)}")
        heading.add_class("adl-lab-heading")
        first = _make_row(each.cell for each in self._controls if not each.control.more)
        more = _make_row(each.cell for each in self._controls if each.control.more)
        if more.children:
            first.children += (_make_fold("More", more),)
        side = widgets.VBox([first, more, self.sentence]).add_class("adl-lab-side")
        body = widgets.Box([self.picture, side]).add_class("adl-lab-body")
        has_table = type(lab).table is not Lab.table
        top = widgets.HBox([heading, self.table_fold] if has_table else [heading])
        top.add_class("adl-lab-top")
        return widgets.VBox([top, body, self.table])

    def refresh(self, error: str = "") -> None:
        """Show the current state of the lab, and the error of the last action."""
        with self._lock:
            if self._is_busy:  # an action is running, which refreshes the view when it is done
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
        """Return the values and ranges of the lab's sliders, for the handles that move them."""
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
        """Run an action of the user, and then refresh the view once."""
        with self._lock:
            if self._is_busy:
                return
            self._is_busy = True
            error = ""
            try:
                act()
            except Exception as problem:  # there is no cell that could show a traceback
                error = str(problem) or type(problem).__name__
            finally:
                self._is_busy = False
            self.refresh(error)

    def figure(self) -> str:
        """Return the view in HTML; without a kernel that has the lab, it is a picture with a sentence and a table."""
        lab = self.lab.still()
        sentence = lab.sentence()
        svg = lab.picture()
        image = ""
        if svg:
            image = image_tag(themes.follow_page_theme(svg), f"{lab.title}. {sentence}")
        grid = lab.table()
        table = grid.html() if grid else ""
        caption = f"<b>{escape(lab.title)}.</b> {escape(sentence)} <i>{STILL}</i>"
        still = f"{image}<figcaption>{caption}</figcaption>{table}"
        return placeholder_html(f'<figure style="margin:0">{still}</figure>', "lab", self.key)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = super()._repr_mimebundle_(**kwargs)
        data["text/plain"] = str(self.lab.still())
        return data, metadata

    def __repr__(self) -> str:
        return f"<view of {self.lab!r}>"


def _make_row(cells: Iterable[widgets.Widget]) -> widgets.Box:
    """Make a row of controls that wraps into the next line when it is full."""
    return widgets.Box(tuple(cells)).add_class("adl-lab-controls")


def _make_fold(label: str, folded: widgets.Widget) -> widgets.ToggleButton:
    """Make a button that shows and hides another widget, which is hidden at first."""
    fold = widgets.ToggleButton(description=label).add_class("adl-lab-fold")
    folded.layout.display = "none"

    def show_or_hide(change: Any) -> None:
        folded.layout.display = None if change.new else "none"

    fold.observe(show_or_hide, "value")
    return fold


def _inline(svg: str) -> str:
    """Prepare an SVG for use inside the page: without its style sheet, which would apply to the whole page."""
    if not svg:
        return ""
    return re.sub(r"<style>.*?</style>", "", themes.follow_page_theme(svg))
