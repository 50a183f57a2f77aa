"""DualPlayground: a point, a direction, and the slope in that direction by one pass of dual numbers."""

from __future__ import annotations

import math
from typing import Any

from autodiff_lab.text.notation import number
from autodiff_lab.transforms.gradients import grad
from autodiff_lab.widgets.labs.dual_playground.passes import f, push_seed, round_to_zero
from autodiff_lab.widgets.labs.dual_playground.picture import MAP, REGION, SCALE, draw
from autodiff_lab.widgets.labs.lab import Button, Lab, Slider
from autodiff_lab.widgets.labs.table import Grid, grid


class DualPlayground(Lab):
    """A lab on dual numbers: the seed of a forward pass through ln x₁ + x₁x₂ − sin x₂, and its tangent.

    >>> lab = DualPlayground()
    >>> lab.set(angle=45)
    >>> round(lab.snapshot()["tangent"], 12)
    5.102721403992
    """

    title = "DualPlayground"
    about = "Drag the head of the arrow, or the point. The sliders do the same."
    controls = (
        Slider("angle", "direction", 0, 359, 1, 45),
        Slider("length", "length", 0, 2, 0.1, 1.0),
        Button("steepest", "Steepest"),
        Button("level", "Turn by 90°"),
        Slider("x1", "x₁", 0.5, 5.5, 0.1, 2.0),
        Slider("x2", "x₂", 1.5, 6.5, 0.1, 5.0),
    )

    def slider_text(self, name: str) -> str:
        """Four places at most; degrees with their sign."""
        return number(round(getattr(self, name), 4)) + "°" * (name == "angle")

    def steepest(self) -> None:
        """Turn to where f grows fastest: the direction of the gradient."""
        by1, by2 = self.gradient
        self.angle = math.degrees(math.atan2(by2, by1)) % 360

    def level(self) -> None:
        """Turn the seed by a right angle."""
        self.angle = (self.angle + 90) % 360

    def drag(self, handle: str, x: float, y: float) -> None:
        """Move the point, or the head of the seed's arrow."""
        left, top, _, height = MAP
        x1, x2 = REGION[0][0] + (x - left) / SCALE, REGION[1][0] + (top + height - y) / SCALE
        if handle == "point":
            self.set(x1=x1, x2=x2)
        elif handle == "seed":
            along, up = x1 - self.x1, x2 - self.x2
            self.angle = math.degrees(math.atan2(up, along)) % 360
            self.length = min(math.hypot(along, up), 2.0)

    @property
    def seed(self) -> tuple[float, float]:
        """The tangents of the two inputs."""
        turn = math.radians(self.angle)
        # At a right angle sine and cosine are whole numbers; the computer's are not.
        along, up = (round(x) if self.angle % 90 == 0 else x for x in (math.cos(turn), math.sin(turn)))
        return self.length * along, self.length * up

    @property
    def gradient(self) -> tuple[float, float]:
        """The slopes in the two inputs; for a comparison."""
        return grad(f, argnums=(0, 1))(self.x1, self.x2)

    def snapshot(self) -> dict[str, Any]:
        """Point, seed, and the dual number of every line with the ε² that it drops."""
        return dict(push_seed((self.x1, self.x2), self.seed))

    def sentence(self) -> str:
        """What the pass found."""
        snap = self.snapshot()
        along = " and ".join(number(round(t, 4)) for t in snap["seed"])
        flat = " Along a level curve nothing changes." if abs(snap["tangent"]) < 1e-9 and self.length else ""
        return (
            f"The inputs ({number(round(self.x1, 4))}, {number(round(self.x2, 4))}) get the tangents {along}. One pass "
            f"gives f = {number(snap['value'])} with the tangent {number(round_to_zero(snap['tangent']))}.{flat} "
            f"Twice the seed gives twice the tangent, at any length: ε is not a small number."
        )

    def table(self) -> Grid:
        """The dual number of each line, and its bin."""
        snap = self.snapshot()
        names = [name.replace("v-", "v−") for name in snap["lines"]]
        tangents = map(round_to_zero, snap["tangents"])
        rows = list(zip(names, snap["operations"], snap["values"], tangents, snap["dropped"], strict=True))
        return grid("One forward pass", ("line", "operation", "value", "tangent (ε)", "dropped (ε²)"), rows)

    def picture(self) -> str:
        """The map with the seed, the cut along it, what is kept and what is dropped."""
        return draw(self.snapshot())
