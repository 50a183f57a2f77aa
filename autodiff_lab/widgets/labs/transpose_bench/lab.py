"""TransposeBench: a function's equations, the linear program of its tangents, and that program transposed."""

from __future__ import annotations

from typing import Any

from autodiff_lab.text.notation import number
from autodiff_lab.widgets.labs.lab import STEP_BUTTONS, Choice, Play, Slider, SteppedLab
from autodiff_lab.widgets.labs.phrases import count_noun
from autodiff_lab.widgets.labs.table import Grid, grid
from autodiff_lab.widgets.labs.transpose_bench.picture import draw, write_linear, write_transposed
from autodiff_lab.widgets.labs.transpose_bench.programs import (
    PROGRAMS,
    Equations,
    linearize_program,
    spell,
    sweep_adjoints,
    transpose_equation,
)


class TransposeBench(SteppedLab):
    """A lab on reverse mode as a transpose: linearize each equation, then transpose each linear one.

    >>> lab = TransposeBench()
    >>> while lab.can("next"):
    ...     lab.press("next")
    >>> lab.snapshot()["linear"][1], lab.snapshot()["transposed"][0]
    ('v̇₂ = 5 · ẋ1 + 2 · ẋ2', 'v̄₃ += v̄₅')
    >>> lab.snapshot()["gradient"]
    (5.5, 1.7163378145367738)
    """

    title = "TransposeBench"
    about = "Say the next line, then press Next: first each equation is linearized, then each linear line transposed."
    controls = (
        STEP_BUTTONS[0],
        Choice("program", "program", tuple(PROGRAMS)),
        *STEP_BUTTONS[1:],
        Play("next", 1500),
        Slider("x1", "x1", 0.5, 4, 0.5, 2.0, more=True),
        Slider("x2", "x2", 0.5, 6, 0.5, 5.0, more=True),
    )

    @property
    def equations(self) -> Equations:
        """The program at this point."""
        return linearize_program(self.program, self.x1, self.x2)

    @property
    def length(self) -> int:
        """Each equation is linearized, and transposed."""
        return 2 * len(self.equations.lines)

    def change(self, name: str) -> None:
        """Begin again with another program; at another point the same lines have other numbers."""
        if name == "program":
            self.begin()

    @property
    def counts(self) -> tuple[int, int]:
        """How many equations are linearized, and how many linear ones transposed."""
        count = len(self.equations.lines)
        return min(self.done, count), max(self.done - count, 0)

    def snapshot(self) -> dict[str, Any]:
        """The equations, the linear ones, their transposes, and the adjoints so far."""
        found, (linearized, transposed) = self.equations, self.counts
        adjoints = sweep_adjoints(found, transposed)
        is_done = transposed == len(found.lines)
        turned = list(reversed(found.lines))[:transposed]
        return {
            "program": self.program,
            "point": (self.x1, self.x2),
            "equations": [f"{spell(line.name)} = {line.text}" for line in found.lines],
            "linear": [write_linear(line) for line in found.lines[:linearized]],
            "transposed": [write_transposed(*sent) for line in turned for sent in transpose_equation(line)],
            "gradient": tuple(adjoints.get(name, 0.0) for name in found.inputs) if is_done else None,
            "engine": found.gradient,
        }

    def sentence(self) -> str:
        """What the last line has become, and at the end the gradient."""
        found, (linearized, transposed) = self.equations, self.counts
        if not linearized:
            first = found.lines[0]
            return (
                f"{spell(first.name)} = {first.text} is the first equation. What is its linear line, {first.tangent}?"
            )
        if not transposed:
            line = found.lines[linearized - 1]
            said = f"At this point {spell(line.name)} = {line.text} becomes {write_linear(line)}."
            if linearized < len(found.lines):
                return said
            return f"{said} The linear program is complete. Now transpose it, from its last line up."
        line = found.lines[-transposed]
        sent = transpose_equation(line)
        became = " and ".join(write_transposed(*each) for each in sent)
        said = f"{write_linear(line)} has {count_noun(len(sent), 'term')} and becomes {became}."
        gradient = self.snapshot()["gradient"]
        if gradient is None:
            return said
        slopes = " and ".join(
            f"{spell(name, 'adjoint')} = {number(slope)}" for name, slope in zip(found.inputs, gradient, strict=True)
        )
        return f"{said} All lines are transposed: {slopes}, the gradient."

    def table(self) -> Grid:
        """Each equation, its linear line, and what that becomes."""
        found, (linearized, transposed) = self.equations, self.counts
        rows = []
        for k, line in enumerate(found.lines):
            turned = k >= len(found.lines) - transposed
            rows.append(
                (
                    f"{spell(line.name)} = {line.text}",
                    number(line.value),
                    write_linear(line) if k < linearized else "",
                    ", ".join(write_transposed(*sent) for sent in transpose_equation(line)) if turned else "",
                )
            )
        return grid(f"{self.program}, line by line", ("equation", "value", "linear", "transposed"), rows)

    def picture(self) -> str:
        """The three columns."""
        return draw(self.equations, (self.x1, self.x2), *self.counts)
