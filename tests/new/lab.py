"""A new lab: its folder with the controller, and its test."""

from __future__ import annotations

import keyword
from pathlib import Path

from tests.addresses import ROOT

CONTROLLER = '''"""The controller of the lab CLASS: it shows the slope of x² wherever the slider stands."""

from typing import Any

from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.numbers import number
from autodiff_lab.transforms.gradients import value_and_grad
from autodiff_lab.widgets.labs.canvas import Sheet, draw_bar
from autodiff_lab.widgets.labs.lab import Lab, Slider


def square(x: Any) -> Any:
    """The function whose slope the lab shows."""
    return x * x


class CLASS(Lab):
    """A lab on one slope: the derivative of x² at the point of a slider.

    >>> lab = CLASS()
    >>> lab.set(x=3.0)
    >>> lab.snapshot()["slope"]
    6.0
    """

    about = "Move x. The slope of x² is twice as large as x."
    controls = (Slider("x", "x", -4.0, 4.0, 0.5, 1.0),)
    x: float

    def snapshot(self) -> dict[str, Any]:
        """The value and the slope of x² at x, by the engine."""
        value, slope = value_and_grad(square)(self.x)
        return {"value": float(value), "slope": float(slope)}

    def sentence(self) -> str:
        """The value and the slope in words."""
        value, slope = (number(each) for each in self.snapshot().values())
        return f"At x = {number(self.x)} the value of x² is {value}, and its slope is {slope}."

    def table(self) -> Grid:
        """The value and the slope as a table, for a reader who does not see the picture."""
        row = [number(each) for each in (self.x, *self.snapshot().values())]
        return grid("x² and its slope", ("x", "value", "slope"), [row])

    def picture(self) -> str:
        """A bar for the value and one for the size of the slope."""
        snap = self.snapshot()
        sheet = Sheet(900, 200, "Bars for the value of x² and the size of its slope")
        for row, (name, role) in enumerate((("value", "value"), ("slope", "adjoint"))):
            top = 40 + 70 * row
            sheet.text(12, top + 24, name, role)
            draw_bar(sheet, 90, top, 44 * abs(snap[name]), role, number(snap[name]))
        return sheet.svg()
'''

TEST = '''"""The lab CLASS: the numbers it shows are the derivative's."""

import pytest

from autodiff_lab.widgets.labs import CLASS


@pytest.mark.parametrize("x", [-4.0, 0.0, 2.5])
def test_the_slope_is_twice_the_point(x):
    lab = CLASS()
    lab.set(x=x)
    assert lab.snapshot() == {"value": x * x, "slope": 2 * x}
    assert "its slope is" in lab.sentence()
'''


def make_lab(name: str, root: Path = ROOT) -> list[str]:
    """Write a lab's folder and its test; return what was written and what is left to do.

    Raises
    ------
    ValueError
        If the name is not one for a folder: lower case, words joined by ``_``.
    FileExistsError
        If there is such a lab.
    """
    if not name.isidentifier() or name != name.lower() or keyword.iskeyword(name):
        raise ValueError(
            f"{name!r} can't name a folder of the package; write lower case with _: slope_finder"
        )
    folder = root / "autodiff_lab" / "widgets" / "labs" / name
    if folder.exists():
        raise FileExistsError(f"there is a lab {name} already: {folder.relative_to(root)}")
    class_name = "".join(part.capitalize() for part in name.split("_"))
    test = root / "tests" / "widgets" / "labs" / f"test_{name}.py"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        f'"""The lab {class_name}: one slope, at the point of a slider."""\n', encoding="utf-8"
    )
    (folder / "lab.py").write_text(CONTROLLER.replace("CLASS", class_name), encoding="utf-8")
    test.write_text(TEST.replace("CLASS", class_name), encoding="utf-8")
    return [
        f"Wrote {folder.relative_to(root).as_posix()}/ and {test.relative_to(root).as_posix()}.",
        f"In a notebook: from autodiff_lab.widgets.labs import {class_name}; {class_name}()",
        f"Its tests: python -m pytest tests/widgets/labs -k '{name} or {class_name}'",
    ]
