"""TapeWatch: how two inputs are made, what a gradient tape records of them, and which gradients it then has."""

from __future__ import annotations

from typing import Any

from autodiff_lab.widgets.labs.lab import Button, Choice, Slider, SteppedLab, Toggle
from autodiff_lab.widgets.labs.phrases import count_noun, count_times
from autodiff_lab.widgets.labs.table import Grid, grid
from autodiff_lab.widgets.labs.tape_watch import programs
from autodiff_lab.widgets.labs.tape_watch.picture import draw, write_slope
from autodiff_lab.widgets.labs.tape_watch.programs import KINDS, PAUSES, PROGRAMS


class TapeWatch(SteppedLab):
    """A lab on gradient tapes: how x and y are made, what the tape records of them, and their gradients.

    >>> lab = TapeWatch()
    >>> lab.press("rewind")
    >>> lab.snapshot()["slopes"]
    {'x': 4.0, 'y': None}
    >>> lab.set(watch_y=True)
    >>> lab.press("rewind")
    >>> lab.snapshot()["slopes"]
    {'x': 4.0, 'y': 6.0}
    """

    title = "TapeWatch"
    about = "Before you press Rewind, say which gradients will be None. Then change how y is made."
    controls = (
        Button("rewind", "Rewind"),
        Choice("y_is", "y is", tuple(KINDS), "a constant"),
        Toggle("watch_y", "watch y"),
        Toggle("numpy_y", "y.numpy()"),
        Choice("program", "program", tuple(PROGRAMS)),
        Choice("pause", "stop recording", PAUSES),
        Slider("x", "x", 0.5, 5, 0.5, 2.0, more=True),
        Choice("x_is", "x is", tuple(KINDS), more=True),
        Toggle("watch_x", "watch x", more=True),
        Toggle("numpy_x", "x.numpy()", more=True),
        Slider("y", "y", 0.5, 5, 0.5, 3.0, more=True),
        Button("begin", "Record again", more=True),
        Toggle("accessed", "watch what is read", True, more=True),
        Toggle("persistent", "persistent", more=True),
        Toggle("zeros", "zeros for None", more=True),
    )

    length = 2
    """Rewind twice at most: the second answer is the last new one."""

    rewind, forward = SteppedLab.next, "rewind"

    def still(self) -> TapeWatch:
        """The tape rewound."""
        return self.copy(*["rewind"] * max(self.done, 1))

    def snapshot(self) -> dict[str, Any]:
        """The program, what the tape has recorded of it, and what it answered."""
        at = programs.Settings(**self.settings)
        found = programs.record_program(at)
        slopes, refused = found.answers[self.done - 1] if self.done else (None, "")
        return {
            "source": found.source,
            "records": found.records,
            "kept": len(found.records) if self.persistent or not self.done else 0,
            "watched": found.watched,
            "asked": self.done,
            "slopes": slopes,
            "refused": refused,
            "remedies": programs.find_remedies(at) if slopes else {},
        }

    def sentence(self) -> str:
        """What to ask before the press, and after it why there is a None."""
        snap = self.snapshot()
        if not snap["asked"]:
            recorded = count_noun(len(snap["records"]), "operation") if snap["records"] else "nothing"
            return f"The tape has recorded {recorded}. Which gradients will be None? Decide, then press Rewind."
        if snap["refused"]:
            return snap["refused"]
        slopes = ", ".join(f"{write_slope(g)} for {name}" for name, g in snap["slopes"].items())
        again = " The records were kept, so the tape could be rewound again." if snap["asked"] == 2 else ""
        remedies = [_describe_remedy(name, ways) for name, ways in snap["remedies"].items()]
        return " ".join([f"The gradients: {slopes}.{again}", *remedies])

    def table(self) -> Grid:
        """One row for each source."""
        snap = self.snapshot()
        rows = [
            (name, snap["watched"][name], write_slope(snap["slopes"][name]) if snap["slopes"] else "·")
            for name in PROGRAMS[self.program].sources
        ]
        heads = ("source", "known to the tape as", "gradient")
        return grid(f"{self.program}, rewound {count_times(snap['asked'])}", heads, rows)

    def picture(self) -> str:
        """On the left the program, on the right the tape and the gradients."""
        return draw(self.snapshot())


def _describe_remedy(name: str, ways: list[str]) -> str:
    if not ways:
        return f"What you differentiate does not use {name}: no switch gives it another gradient."
    return f"For {name} the tape has nothing. What would help: {', or '.join(ways)}."
