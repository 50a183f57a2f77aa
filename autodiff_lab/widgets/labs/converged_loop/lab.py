"""ConvergedLoop: the derivative of what a loop has found, unrolled, by one turn, and by the equation."""

from __future__ import annotations

from typing import Any

from autodiff_lab.text.notation import number
from autodiff_lab.widgets.labs.converged_loop.loops import (
    LARGEST,
    TURNS,
    WAYS,
    count_lines,
    count_work,
    find_errors,
)
from autodiff_lab.widgets.labs.converged_loop.picture import draw
from autodiff_lab.widgets.labs.lab import Choice, Lab, Slider
from autodiff_lab.widgets.labs.phrases import count_noun, write_error
from autodiff_lab.widgets.labs.table import Grid, grid


class ConvergedLoop(Lab):
    """A lab on implicit differentiation: four loops to the solution of z = cos(x z), and three derivatives of it.

    >>> lab = ConvergedLoop()
    >>> lab.set(turns=60)
    >>> lab.snapshot()["lines"]
    {'unrolled': 120, 'one turn': 2, 'implicit': 3}
    """

    title = "ConvergedLoop"
    about = "Move the turns, and choose another loop. All four look for the solution of z = cos(x z)."
    controls = (
        Choice("loop", "loop", tuple(TURNS)),
        Slider("turns", "turns", 0, LARGEST, 1, 20),
        Slider("x", "x", 0.5, 1.2, 0.05, 1.0),
    )

    def snapshot(self) -> dict[str, Any]:
        """The errors after each turn; tape lines and operations after these turns."""
        found = find_errors(self.loop, self.x)
        costs = {"lines": count_lines, "work": count_work}
        return {
            "loop": self.loop,
            "turns": self.turns,
            "slope": found.right,
            "value_error": found.value[self.turns],
            "errors": found.slopes,
            **{
                name: dict(zip(WAYS, count(self.loop, self.turns, self.x), strict=True))
                for name, count in costs.items()
            },
        }

    def sentence(self) -> str:
        """The three errors at this moment, and the two tapes."""
        snap = self.snapshot()
        off = {way: write_error(errors[self.turns]) for way, errors in snap["errors"].items()}
        return (
            f"After {count_noun(self.turns, 'turn')} of “{self.loop}” the value is off by "
            f"{write_error(snap['value_error'])}. The slope {number(round(snap['slope'], 6))} is off by "
            f"{off['unrolled']} unrolled, by {off['one turn']} from one turn, and by {off['implicit']} from the "
            "equation. "
            f"The tape of the loop has {count_noun(snap['lines']['unrolled'], 'line')}, that of the equation "
            f"{snap['lines']['implicit']}."
        )

    def table(self) -> Grid:
        """The three ways side by side."""
        snap = self.snapshot()
        rows = [
            (way, write_error(snap["errors"][way][self.turns]), float(snap["lines"][way]), float(snap["work"][way]))
            for way in WAYS
        ]
        heads = ("way", "error of the slope", "lines on the tape", "operations, with the sweep")
        return grid(f"“{self.loop}” after {count_noun(self.turns, 'turn')}", heads, rows)

    def picture(self) -> str:
        """Errors over the turns, and bars."""
        return draw(self.snapshot())
