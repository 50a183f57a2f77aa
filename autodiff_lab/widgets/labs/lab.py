"""What every lab is: a state, controls that change it, and plain data, words, a table and a picture made from it.

A lab knows nothing of widgets. It is tested by setting its controls and reading its snapshot, and `view` shows it.
"""

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from autodiff_lab.engine.errors import AutodiffError
from autodiff_lab.engine.views import view
from autodiff_lab.text.grid import Grid
from autodiff_lab.text.numbers import number


class LabError(AutodiffError, ValueError):
    """An error: a lab was asked for a control, a button or a value that it does not have."""


@dataclass(frozen=True)
class Control:
    """A control in a lab's list `controls`: an attribute of the lab to move, or a method to press, by its name."""

    name: str
    label: str
    # Whether it is folded away until somebody asks for more; at first sight a lab has six controls at most.
    more: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class Slider(Control):
    """A lab's setting moved by a slider: a number between two ends, in steps; whole where the step is an `int`."""

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
                f"{self.name} is a number from {self.low:g} to {self.high:g}, not {value!r}."
            )
        stops = round((min(max(x, self.low), self.high) - self.low) / self.step)
        return min(type(self.step)(round(self.low + stops * self.step, 12)), self.high)


@dataclass(frozen=True)
class Choice(Control):
    """A choice in a lab's list `controls`: one of a few options, in words."""

    options: tuple[str, ...]
    # The first of the options, unless it says another.
    initial: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "initial", self.initial or self.options[0])

    def convert(self, value: Any) -> str:
        """Check that a value is one of the options of a lab's choice."""
        if not isinstance(value, str) or value not in self.options:
            raise LabError(
                f"{self.name} is one of {', '.join(map(repr, self.options))}, not {value!r}."
            )
        return value


@dataclass(frozen=True)
class Toggle(Control):
    """A lab's setting that is on or off, moved by a toggle."""

    initial: bool = False

    def convert(self, value: Any) -> bool:
        """Check that the value of a lab's toggle is True or False."""
        if not isinstance(value, bool):
            raise LabError(f"{self.name} is True or False, not {value!r}.")
        return value


@dataclass(frozen=True)
class Entry(Control):
    """A text field in a lab's list `controls`; the Enter key hands its text over to `Lab.enter`."""

    hint: str = ""
    initial: ClassVar[str] = ""

    def convert(self, value: Any) -> str:
        """Cut a text for a lab's entry to a length that somebody types."""
        return str(value)[:200]


@dataclass(frozen=True)
class Button(Control):
    """A button in a lab's list `controls`: it calls the lab's method of its name."""


@dataclass(frozen=True)
class Play(Control):
    """A control in a lab's list `controls` that presses a button again and again while it can be, or until paused."""

    # Milliseconds.
    every: int = 1000
    label: str = field(default="Play", kw_only=True)


# A control that holds a value, which is an attribute of the lab.
Input = Slider | Choice | Toggle | Entry


class Lab:
    """The base class of every lab: the controller, without its view.

    A subclass says in `about` what to do with it, and lists its `controls`. Each of them but the buttons is an
    attribute of the same name, which begins at the control's `initial`; its type is declared under the list. A button
    calls the method of its name. State beside the controls is set in `begin`. A subclass writes `snapshot`,
    `sentence`, `table` and `picture`, each computed from the state alone.

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

    # The name of the class, unless it says another.
    title: ClassVar[str]
    about: ClassVar[str]
    controls: ClassVar[tuple[Input | Button | Play, ...]] = ()
    # The answer to what was typed last; the next press, entry or other setting clears it.
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
            if not hasattr(type(self), name):  # unless it is a property, computed from other state
                setattr(self, name, control.initial)
        self.begin()

    def begin(self) -> None:
        """Set a lab's state beside its controls to what it is at the beginning; any lab may override it."""

    def change(self, name: str) -> None:
        """Adapt a lab's other state to a slider, choice or toggle that was just moved; any lab may override it."""

    def enter(self, name: str, text: str) -> None:
        """Use what was typed into any lab's entry; the attribute of its name stays empty unless it is set here."""

    @property
    def settings(self) -> dict[str, Any]:
        """Where any lab's sliders, choices and toggles stand, by name."""
        return {
            name: getattr(self, name)
            for name, control in self._inputs.items()
            if not isinstance(control, Entry)
        }

    def copy(self, *buttons: str) -> Self:
        """Make another lab of the same class and settings, at its beginning, and press some of its buttons."""
        other = type(self)()
        other.set(**self.settings)
        for name in buttons:
            other.press(name)
        return other

    def snapshot(self) -> dict[str, Any]:
        """What a lab shows, as plain data; every lab says its own."""
        raise NotImplementedError

    def sentence(self) -> str:
        """What there is to see at this moment, in words; every lab says its own."""
        raise NotImplementedError

    def table(self) -> Grid | None:
        """The same as the picture, for a reader who cannot see it; None in a lab that makes no table."""
        return None

    def picture(self) -> str:
        """Any lab's SVG in the colours of `themes.LIGHT`, of one size whatever the state; empty for none.

        A point in it that stands for a slider has a handle there (`Sheet.handle`), so that a hand can drag it.
        """
        return ""

    def still(self) -> Self:
        """The lab to show where nothing can be moved: this one, unless its class makes one that says more."""
        return self

    def slider_text(self, name: str) -> str:
        """Write what stands beside any lab's slider: its number, unless the lab's class knows better."""
        return number(getattr(self, name))

    def can(self, name: str) -> bool:
        """Whether a lab's button can be pressed now: always, unless the lab's class says otherwise."""
        return True

    def set(self, **values: Any) -> None:
        """Move controls of any lab, as by hand.

        Raises
        ------
        LabError
            If there is no such control, or a value makes no sense for it.
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
        """Press a button of any lab, as by hand.

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
        """Tell any lab's view that the state has changed."""
        if self._view is not None:
            self._view.refresh()

    @property
    def view(self) -> Any:
        """Any lab's own view, a widget; the lab, which is the controller, makes it when it is first asked for."""
        if self._view is None:
            self._view = view("LabView")(self)
        return self._view

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return self.view._repr_mimebundle_(**kwargs)

    def __repr__(self) -> str:
        state = (f"{name}={getattr(self, name)!r}" for name in self._inputs)
        return f"{type(self).__name__}({', '.join(state)})"

    def __str__(self) -> str:
        grid = self.table()
        return "\n\n".join([f"{self.title}. {self.sentence()}", *([grid.text()] if grid else [])])


STEP_BUTTONS = (Button("next", "Next"), Button("back", "Back"), Button("begin", "Begin again"))


class SteppedLab(Lab):
    """The base class of labs whose run is gone through step by step, with the buttons `next`, `back` and `begin`.

    A subclass says in `length` how many steps its run has. Moving a control begins again.
    """

    # How many steps have been taken.
    done: int = 0
    # The button that takes a step, where it has another name: ``rewind = SteppedLab.next``, ``forward = "rewind"``.
    forward: ClassVar[str] = "next"

    @property
    def length(self) -> int:
        """How many steps the run of a stepped lab has; every such lab says its own."""
        raise NotImplementedError

    def next(self) -> None:
        """Take the next step in the run of any stepped lab."""
        self.done += 1

    def back(self) -> None:
        """Take the last step in the run of any stepped lab back."""
        self.done -= 1

    def begin(self) -> None:
        """Go back to the beginning of any stepped lab's run."""
        self.done = 0

    def change(self, name: str) -> None:
        """Begin any stepped lab again, as another setting has another run."""
        self.begin()

    def can(self, name: str) -> bool:
        """Whether a stepped lab's button can be pressed: next while a step is left, the others after a first step."""
        return self.done < self.length if name == self.forward else self.done > 0

    def still(self) -> Self:
        """Any stepped lab with all steps of its run taken, to show where nothing can be moved."""
        whole = self.copy()
        whole.done = whole.length
        return whole
