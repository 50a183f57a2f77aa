"""The base classes of labs: a state, controls that change it, and data, a sentence, a table and a picture of it.

A lab does not depend on widgets: tests set its controls and read its snapshot, and `view` shows it.
"""

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from autodiff_lab.engine.errors import AutodiffError
from autodiff_lab.engine.views import view
from autodiff_lab.text.grid import Grid
from autodiff_lab.text.numbers import number


class LabError(AutodiffError, ValueError):
    """Error: a lab has no such control or button, or a control does not accept the value."""


@dataclass(frozen=True)
class Control:
    """A control in a lab's `controls`; `name` is the attribute that it sets or the method that it calls."""

    name: str
    label: str
    # Whether it is hidden behind a "More" button. A lab shows at most six controls without it.
    more: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class Slider(Control):
    """A slider in a lab's `controls`: a number from `low` to `high`, which is an `int` if `step` is one."""

    low: float
    high: float
    step: float
    initial: float = 0

    def convert(self, value: Any) -> float:
        """Round a value to the nearest stop of a lab's slider."""
        try:
            x = float(value)
        except (TypeError, ValueError):
            x = math.nan
        if not math.isfinite(x):
            raise LabError(
                f"{self.name} must be a number from {self.low:g} to {self.high:g}, not {value!r}."
            )
        inside = min(max(x, self.low), self.high)
        steps = round((inside - self.low) / self.step)
        stop = round(self.low + steps * self.step, 12)
        return min(type(self.step)(stop), self.high)


@dataclass(frozen=True)
class Choice(Control):
    """A choice in a lab's `controls`: one of a few options, as text."""

    options: tuple[str, ...]
    # If empty, it is set to the first option.
    initial: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "initial", self.initial or self.options[0])

    def convert(self, value: Any) -> str:
        """Check that a value is one of the options of a lab's choice."""
        if not isinstance(value, str) or value not in self.options:
            raise LabError(
                f"{self.name} must be one of {', '.join(map(repr, self.options))}, not {value!r}."
            )
        return value


@dataclass(frozen=True)
class Toggle(Control):
    """A toggle in a lab's `controls`: True or False."""

    initial: bool = False

    def convert(self, value: Any) -> bool:
        """Check that the value of a lab's toggle is True or False."""
        if not isinstance(value, bool):
            raise LabError(f"{self.name} must be True or False, not {value!r}.")
        return value


@dataclass(frozen=True)
class Entry(Control):
    """A text field in a lab's `controls`; the Enter key passes its text to `Lab.enter`."""

    hint: str = ""
    initial: ClassVar[str] = ""

    def convert(self, value: Any) -> str:
        """Cut a text for a lab's entry to 200 characters."""
        return str(value)[:200]


@dataclass(frozen=True)
class Button(Control):
    """A button in a lab's `controls`: it calls the lab's method `name`."""


@dataclass(frozen=True)
class Play(Control):
    """A control in a lab's `controls` that presses a button repeatedly, until it is paused or the button is off."""

    # Milliseconds between two presses.
    every: int = 1000
    label: str = field(default="Play", kw_only=True)


# A control that holds a value, which is an attribute of the lab.
Input = Slider | Choice | Toggle | Entry


class Lab:
    """The base class of labs: the controller, without its view.

    A subclass has `about`, which tells the reader what to do, and `controls`. Each control except the buttons is an
    attribute of the same name, with the control's `initial` value; declare its type below the list. A button calls the
    method of the same name. `begin` sets all other state. A subclass implements `snapshot`, `sentence`, `table` and
    `picture`, which depend on the state alone.

    Examples
    --------
    >>> class Doubler(Lab):
    ...     about = "Move x."
    ...     controls = (Slider("x", "the number x", 0, 10, 0.5, 2.0), Button("halve", "Halve"))
    ...     x: float
    ...     def halve(self):
    ...         self.x = self.x / 2
    ...     def snapshot(self):
    ...         return {"x": self.x, "double": 2 * self.x}
    ...     def sentence(self):
    ...         return f"Twice {number(self.x)} is {number(2 * self.x)}."
    >>> lab = Doubler()
    >>> lab.set(x=3.1)
    >>> lab.press("halve")
    >>> lab.snapshot(), lab.sentence()
    ({'x': 1.5, 'double': 3.0}, 'Twice 1.5 is 3.')
    """

    # By default, the name of the class.
    title: ClassVar[str]
    about: ClassVar[str]
    controls: ClassVar[tuple[Input | Button | Play, ...]] = ()
    # The answer to the last typed text; the next press, entry or changed setting clears it.
    reply: str = ""

    _inputs: ClassVar[dict[str, Input]]
    _view: Any = None

    def __init_subclass__(cls) -> None:
        cls.title = vars(cls).get("title", cls.__name__)
        cls._inputs = {
            each.name: each for each in cls.controls if not isinstance(each, Button | Play)
        }

    def __init__(self) -> None:
        for name, control in self._inputs.items():
            # Where the class has this attribute, it is a property, computed from other state.
            if not hasattr(type(self), name):
                setattr(self, name, control.initial)
        self.begin()

    def begin(self) -> None:
        """Set the initial state of a lab, apart from its controls; a subclass may override it."""

    def change(self, name: str) -> None:
        """Adapt the other state to the slider, choice or toggle `name` that was changed; a subclass may override it."""

    def enter(self, name: str, text: str) -> None:
        """Use the text that was typed into the entry `name`, whose attribute stays empty unless it is set here."""

    @property
    def settings(self) -> dict[str, Any]:
        """The values of a lab's sliders, choices and toggles, by name."""
        return {
            name: getattr(self, name)
            for name, control in self._inputs.items()
            if not isinstance(control, Entry)
        }

    def copy(self, *buttons: str) -> Self:
        """Make a new lab of the same class with the same settings, and press some of its buttons."""
        other = type(self)()
        other.set(**self.settings)
        for name in buttons:
            other.press(name)
        return other

    def snapshot(self) -> dict[str, Any]:
        """Return what a lab shows, as plain data; a subclass implements it."""
        raise NotImplementedError

    def sentence(self) -> str:
        """Describe the current state in a sentence or two; a subclass implements it."""
        raise NotImplementedError

    def table(self) -> Grid | None:
        """Return the content of the picture as a table, for a reader who can't see it; None if a lab has none."""
        return None

    def picture(self) -> str:
        """Return a lab's picture as SVG, in the colours of `themes.LIGHT`; empty if a lab has none.

        Its size is the same in every state. If a point in it shows the value of a slider, it has a handle
        (`Sheet.handle`), so that it can be dragged.
        """
        return ""

    def still(self) -> Self:
        """Return the lab for a static page: this one, or in a subclass one in a more informative state."""
        return self

    def slider_text(self, name: str) -> str:
        """Write the value next to the slider `name`: a number, unless a subclass overrides it."""
        return number(getattr(self, name))

    def can(self, name: str) -> bool:
        """Return True if the button `name` can be pressed now: always, unless a subclass overrides it."""
        return True

    def set(self, **values: Any) -> None:
        """Set controls of a lab, as a user would.

        Raises
        ------
        LabError
            If there is no such control, or if a control does not accept the value.
        """
        known = self._inputs
        for name in values:
            if name not in known:
                raise LabError(
                    f"{type(self).__name__} has no control {name!r}; it has {', '.join(known)}."
                )
        converted = {name: known[name].convert(value) for name, value in values.items()}
        for name, value in converted.items():
            if isinstance(known[name], Entry):
                self.reply = ""
                self.enter(name, str(value))
                continue
            before = getattr(self, name)
            setattr(self, name, value)
            if value != before:
                self.reply = ""
                self.change(name)
        self.notify()

    def press(self, name: str) -> None:
        """Press a button of a lab, as a user would. A button that can't be pressed now does nothing.

        Raises
        ------
        LabError
            If there is no such button.
        """
        known = [control.name for control in self.controls if isinstance(control, Button)]
        if name not in known:
            raise LabError(
                f"{type(self).__name__} has no button {name!r}; it has {', '.join(known) or 'none'}."
            )
        if self.can(name):
            self.reply = ""
            getattr(self, name)()
        self.notify()

    def notify(self) -> None:
        """Refresh a lab's view after the state has changed."""
        if self._view is not None:
            self._view.refresh()

    @property
    def view(self) -> Any:
        """The lab's view, a widget, which is made on first use."""
        if self._view is None:
            self._view = view("LabView")(self)
        return self._view

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return self.view._repr_mimebundle_(**kwargs)

    def __repr__(self) -> str:
        state = (f"{name}={getattr(self, name)!r}" for name in self._inputs)
        return f"{type(self).__name__}({', '.join(state)})"

    def __str__(self) -> str:
        text = f"{self.title}. {self.sentence()}"
        grid = self.table()
        return f"{text}\n\n{grid.text()}" if grid else text


STEP_BUTTONS = (Button("next", "Next"), Button("back", "Back"), Button("begin", "Begin again"))


class SteppedLab(Lab):
    """The base class of labs that go through a run step by step, with the buttons `next`, `back` and `begin`.

    A subclass implements `length`, the number of steps. Changing a control begins again.
    """

    # The number of steps that have been taken.
    done: int = 0
    # The button that takes a step. To rename it, write ``rewind = SteppedLab.next`` and ``forward = "rewind"``.
    forward: ClassVar[str] = "next"

    @property
    def length(self) -> int:
        """The number of steps in the run; a subclass implements it."""
        raise NotImplementedError

    def next(self) -> None:
        """Take the next step."""
        self.done += 1

    def back(self) -> None:
        """Undo the last step."""
        self.done -= 1

    def begin(self) -> None:
        """Go back to the beginning of the run."""
        self.done = 0

    def change(self, name: str) -> None:
        """Begin again, because the new setting has a different run."""
        self.begin()

    def can(self, name: str) -> bool:
        """Return True if a button can be pressed: `next` if a step is left, the others after the first step."""
        if name == self.forward:
            return self.done < self.length
        return self.done > 0

    def still(self) -> Self:
        """Return a copy in which all steps are taken, for a static page."""
        whole = self.copy()
        whole.done = whole.length
        return whole
