"""What a lab is: a state, controls that change it, and plain data, words, a table and a picture made from it.

A lab knows nothing of widgets. It is tested by setting its controls and reading its snapshot, and `view` shows it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from autodiff_lab.engine.errors import AutodiffError
from autodiff_lab.engine.views import view
from autodiff_lab.text.notation import number
from autodiff_lab.text.table import Grid


class LabError(AutodiffError, ValueError):
    """A lab was asked for something that it does not have."""


@dataclass(frozen=True)
class Slider:
    """A number between two ends, in steps."""

    name: str
    label: str
    low: float
    high: float
    step: float
    kind: ClassVar[str] = "slider"

    def taken(self, value: Any) -> float:
        """The nearest stop to a value."""
        try:
            x = float(value)
        except (TypeError, ValueError):
            x = math.nan
        if not math.isfinite(x):
            raise LabError(f"{self.name} is a number from {self.low:g} to {self.high:g}, not {value!r}.")
        stops = round((min(max(x, self.low), self.high) - self.low) / self.step)
        return min(round(self.low + stops * self.step, 12), self.high)


@dataclass(frozen=True)
class Choice:
    """One of a few, in words."""

    name: str
    label: str
    options: tuple[str, ...]
    kind: ClassVar[str] = "choice"

    def taken(self, value: Any) -> str:
        """A value that is one of the options."""
        if not isinstance(value, str) or value not in self.options:
            raise LabError(f"{self.name} is one of {', '.join(map(repr, self.options))}, not {value!r}.")
        return value


@dataclass(frozen=True)
class Toggle:
    """On or off."""

    name: str
    label: str
    kind: ClassVar[str] = "toggle"

    def taken(self, value: Any) -> bool:
        """A value that is on or off."""
        if not isinstance(value, bool):
            raise LabError(f"{self.name} is True or False, not {value!r}.")
        return value


@dataclass(frozen=True)
class Entry:
    """Something typed, handed over by Enter."""

    name: str
    label: str
    hint: str = ""
    kind: ClassVar[str] = "entry"

    def taken(self, value: Any) -> str:
        """A value as text, of a length that somebody types."""
        return str(value)[:200]


@dataclass(frozen=True)
class Button:
    """Something to do: calls the method of its name."""

    name: str
    label: str
    kind: ClassVar[str] = "button"


@dataclass(frozen=True)
class Play:
    """Press a button again and again while it can be pressed, or until it is told to pause."""

    name: str
    every: int = 1000
    """Milliseconds."""
    label: str = "Play"
    kind: ClassVar[str] = "play"


Control = Slider | Choice | Toggle | Entry | Button | Play
_ACTIONS = (Button, Play)


class Lab:
    """A lab without its view.

    A subclass has a `title`, says in `about` what to do with it, lists its `controls`, and keeps for each of them but
    the buttons an attribute of the same name, set in ``__init__``. It writes `snapshot`, `sentence`, `table` and
    `picture`; each is computed from the state alone.

    Examples
    --------
    >>> class Doubler(Lab):
    ...     title, about = "Doubler", "Move x."
    ...     controls = (Slider("x", "the number x", 0, 10, 0.5), Button("halve", "Halve"))
    ...     def __init__(self):
    ...         self.x = 2.0
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

    title: ClassVar[str]
    about: ClassVar[str]
    controls: ClassVar[tuple[Control, ...]] = ()

    def snapshot(self) -> dict[str, Any]:
        """All that is shown, as plain data."""
        raise NotImplementedError

    def sentence(self) -> str:
        """What there is to see at this moment, in words."""
        raise NotImplementedError

    def table(self) -> Grid | None:
        """The same as the picture, for a reader who cannot see it."""
        return None

    def picture(self) -> str:
        """An SVG in the colours of `themes.LIGHT`, of one size whatever the state; empty for none."""
        return ""

    def still(self) -> Lab:
        """The lab to show where nothing can be moved: this one, unless another state says more."""
        return self

    def shown(self, name: str) -> str:
        """What stands beside a slider; its number, unless a lab knows better."""
        return number(getattr(self, name))

    def can(self, name: str) -> bool:
        """Whether a button can be pressed now."""
        return True

    def drag(self, handle: str, x: float, y: float) -> None:
        """Take one of the picture's handles, dragged to a place in the picture's own units; a lab may have none."""

    def set(self, **values: Any) -> None:
        """Move controls, as by hand.

        Raises
        ------
        LabError
            If there is no such control, or a value makes no sense for it.
        """
        known = {control.name: control for control in self.controls if not isinstance(control, _ACTIONS)}
        for name in values:
            if name not in known:
                raise LabError(f"{type(self).__name__} has no control {name!r}; it has {', '.join(known)}.")
        taken = {name: known[name].taken(value) for name, value in values.items()}
        for name, value in taken.items():
            setattr(self, name, value)
        self.tell()

    def press(self, name: str) -> None:
        """Press a button.

        Raises
        ------
        LabError
            If there is no such button.
        """
        known = [control.name for control in self.controls if isinstance(control, Button)]
        if name not in known:
            raise LabError(f"{type(self).__name__} has no button {name!r}; it has {', '.join(known) or 'none'}.")
        if self.can(name):
            getattr(self, name)()
        self.tell()

    _listener: Callable[[], None] | None = None
    _view: Any = None

    def tell(self) -> None:
        """Let the view know that the state has changed."""
        if self._listener is not None:
            self._listener()

    @property
    def view(self) -> Any:
        """The widget that shows this lab; made when it is first asked for."""
        if self._view is None:
            self._view = view("lab_view")(self)
            self._listener = self._view.refresh
        return self._view

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return self.view._repr_mimebundle_(**kwargs)

    def __repr__(self) -> str:
        state = (c.name for c in self.controls if not isinstance(c, _ACTIONS))
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in state)})"

    def __str__(self) -> str:
        grid = self.table()
        return "\n\n".join([f"{self.title}. {self.sentence()}", *([grid.text()] if grid else [])])
