"""The controller of the lab TrainFilm: a slider through the frames of a training, and the picture of each frame."""

from typing import Any, Self

import numpy as np

from autodiff_lab.systems.perceptron import Step
from autodiff_lab.text.notation import number
from autodiff_lab.widgets.labs.canvas import Axes, Sheet
from autodiff_lab.widgets.labs.lab import Button, Choice, Lab, Play, Slider
from autodiff_lab.widgets.labs.marks import draw_legend, make_power_ticks, make_ticks
from autodiff_lab.widgets.labs.table import Grid, grid
from autodiff_lab.widgets.labs.train_film.runs import CASES, EVERY, METHODS, STEPS, count_right, draw_plane, train


class TrainFilm(Lab):
    """A lab on training: a network with one hidden layer, step by step, as the frames of a film.

    >>> lab = TrainFilm()
    >>> lab.set(task="XOR", method="momentum", step=100)
    >>> snap = lab.snapshot()
    >>> f"{snap['loss']:.6f}", snap["right"], snap["points"]
    ('0.000099', 4, 4)
    """

    about = "Move the step, or press Play: the line is where the network is undecided."
    controls = (
        Slider("step", "step", 0, STEPS, EVERY),
        Play("forward", 200),
        Choice("method", "method", tuple(METHODS)),
        Choice("task", "task", tuple(CASES)),
        Button("restart", "Back to the start"),
        Button("forward", "A little further", more=True),
    )

    def forward(self) -> None:
        """Show the next frame of the train film."""
        self.step += EVERY

    def restart(self) -> None:
        """Go back to the first frame of the train film."""
        self.step = 0

    def can(self, name: str) -> bool:
        """Whether the train film can go forward, until it ends, or back to its start."""
        return self.step > 0 if name == "restart" else self.step < STEPS

    def still(self) -> Self:
        """The train film for paper: its last frame, where none has been chosen."""
        shown = self.copy()
        shown.step = self.step or STEPS
        return shown

    @property
    def at(self) -> Step:
        """The training step that this frame of the film shows."""
        return train(self.task, self.method)[self.step]

    def snapshot(self) -> dict[str, Any]:
        """The loss and the right answers in this frame of the film, and the losses of all methods."""
        return {
            "loss": float(self.at.loss),
            "right": count_right(self.task, self.at),
            "points": len(CASES[self.task].task.t),
            "losses": {method: [float(step.loss) for step in train(self.task, method)] for method in METHODS},
        }

    def sentence(self) -> str:
        """How far training has come in this frame, and how far the other methods are at the same step."""
        snap = self.snapshot()
        others = [f"{number(snap['losses'][m][self.step])} with {m}" for m in METHODS if m != self.method]
        return (
            f"Step {self.step} of {self.method}: the loss is {number(snap['loss'])}, and {snap['right']} of "
            f"{snap['points']} points are on the right side. At the same step it is {' and '.join(others)}."
        )

    def table(self) -> Grid:
        """Loss and right answers in some frames of the train film up to this one."""
        steps = sorted({*range(0, self.step + 1, 50), self.step})
        run = train(self.task, self.method)
        rows = [(str(k), run[k].loss, count_right(self.task, run[k])) for k in steps]
        heads = ("step", "loss", f"right of {len(CASES[self.task].task.t)}")
        return grid(f"{self.task}, {self.method}", heads, rows)

    def picture(self) -> str:
        """A frame of the train film: the plane with the network's boundary, and the loss of each method."""
        title = "The two classes, the part of the plane that the network gives to class 1, and the loss"
        sheet = Sheet(900, 412, title)
        draw_plane(sheet, CASES[self.task], self.at.params, (4, 4, 506, 378))
        sheet.dot(12, 400, "tangent", 5, hollow=True)
        sheet.text(24, 405, "class 0", "tangent", size=15)
        sheet.dot(108, 400, "adjoint", 5)
        sheet.text(120, 405, "class 1", "adjoint", size=15)
        sheet.box(212, 392, 26, 17, "ink", "adjoint_paper", 2)
        sheet.text(246, 405, "the network says class 1", size=15)
        axes = Axes(sheet, (572, 32, 310, 262), (0, STEPS), (-4, 0.5))
        axes.scales(make_ticks(range(0, STEPS + 1, 100)), [*make_power_ticks(range(-4, 0)), (0.0, "1")], "step", "loss")
        for row, (name, dash) in enumerate(zip(METHODS, ("", "8 4", "2 3"), strict=True)):
            losses = [step.loss for step in train(self.task, name)]
            curve, now = np.maximum(np.log10(losses), -4), name == self.method
            role, width = ("value", 3) if now else ("soft_ink", 1.5)
            axes.curve(enumerate(curve), role, width, dash)
            if now:
                sheet.dot(*axes.at(self.step, curve[self.step]), "value")
            label = f"{name}: {number(losses[self.step])}"
            draw_legend(sheet, 572, 358 + 23 * row, label, role, width, dash, bold=now)
        return sheet.svg()
