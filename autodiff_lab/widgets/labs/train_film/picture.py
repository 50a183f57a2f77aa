"""The picture of TrainFilm: the plane with the network's answers, and the losses of all methods."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_lab.text.notation import number
from autodiff_lab.widgets.labs.canvas import Axes, Frame, Sheet
from autodiff_lab.widgets.labs.marks import draw_legend, make_power_ticks, make_ticks
from autodiff_lab.widgets.labs.train_film.runs import STEPS, Case, find_boundary, find_region

ROW = 3
"""How high a row of the plane is in which the network's answer is looked at."""


def draw(case: Case, method: str, params: dict[str, np.ndarray], snap: dict[str, Any]) -> str:
    """Draw the plane on the left, the losses on the right."""
    sheet = Sheet(900, 412, "The two classes, the part of the plane that the network gives to class 1, and the loss")
    draw_plane(sheet, case, params, (4, 4, 506, 378))
    sheet.dot(12, 400, "tangent", 5, hollow=True)
    sheet.text(24, 405, "class 0", "tangent", size=15)
    sheet.dot(108, 400, "adjoint", 5)
    sheet.text(120, 405, "class 1", "adjoint", size=15)
    sheet.box(212, 392, 26, 17, "ink", "adjoint_paper", 2)
    sheet.text(246, 405, "the network says class 1", size=15)
    axes = Axes(sheet, (572, 32, 310, 262), (0, STEPS), (-4, 0.5))
    axes.scales(make_ticks(range(0, STEPS + 1, 100)), [*make_power_ticks(range(-4, 0)), (0.0, "1")], "step", "loss")
    for row, ((name, losses), dash) in enumerate(zip(snap["losses"].items(), ("", "8 4", "2 3"), strict=True)):
        curve, now = np.maximum(np.log10(losses), -4), name == method
        role, width = ("value", 3) if now else ("soft_ink", 1.5)
        axes.curve(enumerate(curve), role, width, dash)
        if now:
            sheet.dot(*axes.at(snap["step"], curve[snap["step"]]), "value")
        label = f"{name}: {number(losses[snap['step']])}"
        draw_legend(sheet, 572, 358 + 23 * row, label, role, width, dash, bold=now)
    return sheet.svg()


def draw_plane(sheet: Sheet, case: Case, params: dict[str, np.ndarray], frame: Frame, radius: float = 5) -> None:
    """Draw the points of a task, over the part of the plane that a network gives to class 1."""
    axes, rows = Axes(sheet, frame, case.x, case.y), int(frame[3]) // ROW
    for x0, x1, y in find_region(case, params, rows):
        (left, middle), (right, _) = axes.at(x0, y), axes.at(x1, y)
        sheet.box(left, middle - ROW / 2, right - left, ROW + 0.5, "", "adjoint_paper")
    for line in find_boundary(case, params, rows):
        axes.curve(line, "ink", 2)
    sheet.box(*frame)
    for (x, y), (t,) in zip(case.task.x, case.task.t, strict=True):
        sheet.dot(*axes.at(x, y), "adjoint" if t else "tangent", radius, hollow=not t)
