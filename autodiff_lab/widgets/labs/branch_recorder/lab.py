"""BranchRecorder: which lines of a program run at an input, what they leave on the tape, and for which inputs."""

from __future__ import annotations

from typing import Any

from autodiff_lab.text.notation import number
from autodiff_lab.widgets.labs.branch_recorder.picture import draw
from autodiff_lab.widgets.labs.branch_recorder.programs import HIGH, LOW, PROGRAMS, STEP
from autodiff_lab.widgets.labs.branch_recorder.runs import find_piece, run_program
from autodiff_lab.widgets.labs.lab import Choice, Lab, Slider
from autodiff_lab.widgets.labs.phrases import count_noun
from autodiff_lab.widgets.labs.table import Grid, grid


class BranchRecorder(Lab):
    """A lab on control flow: which lines of a program run at an input, and what they leave on the tape.

    >>> lab = BranchRecorder()
    >>> lab.set(x=1.5)
    >>> lab.snapshot()["value"], lab.snapshot()["slope"], lab.snapshot()["operations"]
    (11.390625, 45.5625, 5)
    >>> lab.set(x=1.6)
    >>> lab.snapshot()["operations"]
    4
    """

    title = "BranchRecorder"
    about = "Before you move x, say which lines will run, and how long the tape will be."
    controls = (Slider("x", "x", LOW, HIGH, STEP, 1.58), Choice("program", "program", tuple(PROGRAMS)))

    def snapshot(self) -> dict[str, Any]:
        """The run at x, and the piece that x lies in."""
        piece = find_piece(self.program, self.x)
        return {**self.settings, **run_program(self.program, self.x), "piece": (piece.low, piece.high)}

    def sentence(self) -> str:
        """What ran, what it left, and how far the same lines reach."""
        snap = self.snapshot()
        taped = count_noun(snap["operations"], "operation") if snap["operations"] else "nothing"
        return (
            f"At x = {number(self.x)} the program asked {count_noun(snap['questions'], 'question')} of its values, "
            f"and the tape holds {taped}. The value is {number(snap['value'])} and the slope {number(snap['slope'])}. "
            f"{_describe_reach(*snap['piece'])}"
        )

    def table(self) -> Grid:
        """The lines of the program."""
        snap = self.snapshot()
        caption = f"x = {number(self.x)}, value {number(snap['value'])}, slope {number(snap['slope'])}"
        return grid(caption, ("line of the program", "times it ran", "operations on the tape"), snap["source"])

    def picture(self) -> str:
        """The source and the tape; value and slope over x, with the recorded piece thick."""
        return draw(self.snapshot())


def _describe_reach(low: float, high: float) -> str:
    """Say how far the recorded piece goes; the ends of the slider are no ends of a piece."""
    if low == high:
        return "No other x takes this way: the piece is one point."
    ends = [number(round(x, 10)) if LOW < x < HIGH else "" for x in (low, high)]
    match ends:
        case ["", ""]:
            return "Every x of the slider takes this way."
        case ["", end]:
            return f"Every x up to {end} takes this way; there the next piece begins."
        case [start, ""]:
            return f"Every x from {start} on takes this way."
        case [start, end]:
            return f"Every x from {start} to {end} takes this way; outside, other lines run."
