"""The controller and the drawing of ConvergedLoop: errors and costs of its slope in three ways, turn by turn."""

import math
from typing import Any

from autodiff_lab.text.notation import number
from autodiff_lab.widgets.labs.canvas import Axes, Sheet, draw_bar, draw_legend, make_power_ticks, make_ticks
from autodiff_lab.widgets.labs.converged_loop.loops import LARGEST, TURNS, count_lines, count_work, find_errors
from autodiff_lab.widgets.labs.lab import Choice, Grid, Lab, Slider, grid
from autodiff_lab.widgets.labs.phrases import count_noun, write_error

PLOT = (56.0, 30.0, 440.0, 290.0)
LOOKS = {"unrolled": ("adjoint", "", 4.0), "one turn": ("soft_ink", "2 5", 3.0), "implicit": ("tangent", "9 4", 3.0)}
SMALLEST, BARS = -16, 560.0


class ConvergedLoop(Lab):
    """A lab on implicit differentiation: four loops to the solution of z = cos(x z), and three derivatives of it.

    >>> lab = ConvergedLoop()
    >>> lab.set(turns=60)
    >>> lab.snapshot()["lines"]
    {'unrolled': 120, 'one turn': 2, 'implicit': 3}
    """

    about = "Move the turns, and choose another loop. All four look for the solution of z = cos(x z)."
    controls = (
        Choice("loop", "loop", tuple(TURNS)),
        Slider("turns", "turns", 0, LARGEST, 1, 20),
        Slider("x", "x", 0.5, 1.2, 0.05, 1.0),
    )

    def snapshot(self) -> dict[str, Any]:
        """The converged loop's data: the errors after each turn; tape lines and operations after these turns."""
        found, lines = find_errors(self.loop, self.x), count_lines(self.loop, self.turns, self.x)
        return {
            "loop": self.loop,
            "turns": self.turns,
            "slope": found.right,
            "value_error": found.value[self.turns],
            "errors": found.slopes,
            "lines": lines,
            "work": count_work(lines),
        }

    def sentence(self) -> str:
        """What the lab says of its converged loop: the three errors at this moment, and the two tapes."""
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
        """The converged loop's table: errors, tape lines and operations of the three ways side by side."""
        snap = self.snapshot()
        rows = [
            (way, write_error(snap["errors"][way][self.turns]), snap["lines"][way], snap["work"][way]) for way in LOOKS
        ]
        heads = ("way", "error of the slope", "lines on the tape", "operations, with the sweep")
        return grid(f"“{self.loop}” after {count_noun(self.turns, 'turn')}", heads, rows)

    def picture(self) -> str:
        """The converged loop's picture: the slope's error after each turn, and beside it what each way costs."""
        snap = self.snapshot()
        sheet = Sheet(900, 400, "Error of the slope over the turns of the loop, and bars for tape lines and operations")
        axes = Axes(sheet, PLOT, (0, LARGEST), (SMALLEST, 1))
        axes.scales(make_ticks(range(0, LARGEST + 1, 10)), make_power_ticks(range(SMALLEST, 1, 4)), "turns of the loop")
        sheet.text(PLOT[0], 20, "error of the slope dz/dx", "soft_ink", size=14)
        for k, (way, (role, dash, width)) in enumerate(LOOKS.items()):
            errors = [max(math.log10(error), SMALLEST) if error else SMALLEST for error in snap["errors"][way]]
            axes.curve([(float(n), min(error, 1.0)) for n, error in enumerate(errors)], role, width, dash)
            sheet.dot(*axes.at(snap["turns"], errors[snap["turns"]]), role, 5)
            draw_legend(sheet, PLOT[0] + 150 * k, 392, way, role, width, dash)
        axes.marker(snap["turns"])
        _draw_bars(sheet, 20, "lines on the tape", snap["lines"])
        _draw_bars(sheet, 206, "operations, with the sweep", snap["work"])
        return sheet.svg()


def _draw_bars(sheet: Sheet, top: float, title: str, amounts: dict[str, int]) -> None:
    sheet.text(BARS, top, title, "soft_ink", size=14)
    largest = max(*amounts.values(), 1)
    for k, (way, amount) in enumerate(amounts.items()):
        y, role = top + 16 + 48 * k, LOOKS[way][0]
        sheet.text(BARS, y + 14, way, role, size=14)
        draw_bar(sheet, BARS + 80, y, 200 * amount / largest, role, str(amount), 20)
