"""The controller of the lab TapeWatch: switches for what the gradient tape watches, and a button that rewinds it."""

import re
from typing import Any, Self

from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.numbers import number
from autodiff_lab.widgets.labs.canvas import Sheet, draw_heads, draw_rule
from autodiff_lab.widgets.labs.lab import Button, Choice, Slider, SteppedLab, Toggle
from autodiff_lab.widgets.labs.phrases import count_noun, count_times
from autodiff_lab.widgets.labs.tape_watch import programs
from autodiff_lab.widgets.labs.tape_watch.programs import KINDS, PAUSES, PROGRAMS

LINE, TOP = 24, 58
CODE, RIGHT = 128, 590
WIDTH, HEIGHT = 880, TOP + 12 * LINE + 6
SLOPES = TOP + 7 * LINE + 8


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
    y_is: str
    watch_y: bool
    numpy_y: bool
    program: str
    pause: str
    x: float
    x_is: str
    watch_x: bool
    numpy_x: bool
    y: float
    accessed: bool
    persistent: bool
    zeros: bool

    # The tape is rewound at most twice, because a third gradient would be the same as the second.
    length = 2

    rewind = SteppedLab.next
    forward = "rewind"

    def still(self) -> Self:
        """Return a lab for a static page, with the tape rewound at least once."""
        return self.copy(*["rewind"] * max(self.done, 1))

    def snapshot(self) -> dict[str, Any]:
        """Return the program, what the tape watched and recorded, and the gradients once it is rewound."""
        at = programs.Settings(**self.settings)
        seen, answers = programs.record_program(at)
        slopes, refused = answers[self.done - 1] if self.done else (None, "")
        is_freed = self.done > 0 and not self.persistent
        return {
            **seen,
            "kept": 0 if is_freed else len(seen["records"]),
            "asked": self.done,
            "slopes": slopes,
            "refused": refused,
            "remedies": programs.find_remedies(at) if slopes else {},
        }

    def sentence(self) -> str:
        """Ask a question before the tape is rewound; afterwards explain why a gradient is None, and what would help."""
        snap = self.snapshot()
        if not snap["asked"]:
            recorded = "nothing"
            if snap["records"]:
                recorded = count_noun(len(snap["records"]), "operation")
            return f"The tape has recorded {recorded}. Which gradients will be None? Decide, then press Rewind."
        if snap["refused"]:
            return snap["refused"]
        slopes = ", ".join(f"{_write_slope(g)} for {name}" for name, g in snap["slopes"].items())
        again = ""
        if snap["asked"] == 2:
            again = " The tape is persistent: it kept its records, so it could be rewound again."
        remedies = [_describe_remedy(name, ways) for name, ways in snap["remedies"].items()]
        return " ".join([f"The gradients: {slopes}.{again}", *remedies])

    def table(self) -> Grid:
        """List for each source whether the tape watches it, and its gradient or None."""
        snap = self.snapshot()
        rows = []
        for name in PROGRAMS[self.program].sources:
            slope = _write_slope(snap["slopes"][name]) if snap["slopes"] else "·"
            rows.append((name, snap["watched"][name], slope))
        heads = ("source", "known to the tape as", "gradient")
        return grid(f"{self.program}, rewound {count_times(snap['asked'])}", heads, rows)

    def picture(self) -> str:
        """Draw the program on the left, and the tape's records and the gradients on the right."""
        snap = self.snapshot()
        title = "A program, what a gradient tape has recorded of it, and the gradients it gives"
        sheet = Sheet(WIDTH, HEIGHT, title)
        sheet.text(CODE, 24, "the program", "ink", bold=True)
        sheet.text(12, 24, "recorded as", "soft_ink", size=14)
        draw_rule(sheet, 12, RIGHT - 24, 36)
        for k, (line, mark) in enumerate(snap["source"]):
            y = TOP + LINE * k
            recorded = mark.startswith("v")
            if mark:
                sheet.dot(18, y - 5, "value" if recorded else "soft_ink", 5, hollow=not recorded)
                sheet.text(30, y, mark, "value" if recorded else "soft_ink", size=14, bold=recorded)
            sheet.code(CODE, y, [(line, "ink" if recorded or not mark else "soft_ink")], 14)
        _draw_tape(sheet, snap)
        _draw_slopes(sheet, snap)
        sheet.cut(580)
        return sheet.svg()


def _describe_remedy(name: str, ways: list[str]) -> str:
    if not ways:
        return f"The target doesn't depend on {name}, so no switch can change its gradient."
    return f"The tape has no record that leads to {name}. What would help: {', or '.join(ways)}."


# The picture


def _draw_tape(sheet: Sheet, snap: dict[str, Any]) -> None:
    count = len(snap["records"])
    sheet.box(RIGHT - 12, 4, WIDTH - RIGHT + 4, TOP + 6 * LINE, "faint")
    kept = f"on the tape: {count}"
    if snap["kept"] != count:
        kept = f"on the tape: {snap['kept']} of {count}, freed"
    sheet.text(RIGHT, 24, kept, "ink", bold=True)
    draw_rule(sheet, RIGHT, WIDTH - 20, 36)
    for k, record in enumerate(snap["records"]):
        rounded = re.sub(r"\d+\.\d{5,}", lambda long: number(float(long[0])), record)
        sheet.code(RIGHT, TOP + LINE * k, [(rounded, "value" if snap["kept"] else "soft_ink")], 14)


def _write_slope(slope: float | None) -> str:
    """Write a gradient, or "None" if there is none.

    >>> _write_slope(None), _write_slope(3.75)
    ('None', '3.75')
    """
    return "None" if slope is None else number(slope)


def _draw_slopes(sheet: Sheet, snap: dict[str, Any]) -> None:
    sheet.text(RIGHT, SLOPES + 16, "gradient", "ink", bold=True)
    heads = ((RIGHT + 84, "the tape", "start"), (RIGHT + 206, "value", "start"))
    draw_heads(sheet, SLOPES + 16, heads)
    draw_rule(sheet, RIGHT, WIDTH - 20, SLOPES + 26)
    for k, (name, known) in enumerate(snap["watched"].items()):
        y = SLOPES + 48 + LINE * k
        sheet.code(RIGHT + 8, y, [(name, "ink")], 15)
        how = {"watched": "watches it", "unknown": "does not watch"}.get(known, f"made it: {known}")
        sheet.text(RIGHT + 84, y, how, "value" if known != "unknown" else "soft_ink", size=14)
        if snap["slopes"] is None:
            answer = "refused" if snap["refused"] else "?"
        else:
            answer = _write_slope(snap["slopes"][name])
        role = "ink" if answer in ("?", "None") else "adjoint"
        sheet.text(RIGHT + 206, y, answer, role, size=15, bold=True)
