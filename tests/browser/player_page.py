"""A player on a page: what a learner can press, and what the page then shows."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np


def f(x1, x2):
    a = np.log(x1)
    b = x1 * x2
    s = a + b
    c = np.sin(x2)
    return s - c


GRADIENT = (5.5, 1.7163378145367738)
HALF_WAY = -0.28366218546322625  # the adjoint of x2 after sin has sent its share and before the product has
LAST = 13  # steps: seven lines recorded, one seed, five lines swept
AT_HALF_WAY = 10


def cell(function: Callable[..., Any], call: str) -> str:
    """The text of a notebook cell that defines `function` and ends in `call`."""
    source = textwrap.dedent(inspect.getsource(function))
    return f"import numpy as np\nfrom autodiff_lab import play\n\n{source}\n{call}"


def picky(x):
    if x < 0:
        raise ValueError("picky wants x >= 0")
    return np.sqrt(x) * x


class PlayerOnPage:
    """The `number`-th player of a page. Steps are counted as the player counts them: 0 is the start."""

    def __init__(self, page: Any, number: int = 0) -> None:
        self.page = page
        self.root = page.locator(".adl-player").nth(number)
        self.root.wait_for()

    @property
    def step(self) -> int:
        return int(self.root.get_attribute("data-step")) + 1

    def arrives_at(self, step: int) -> None:
        self.root.and_(self.page.locator(f"[data-step='{step - 1}']")).wait_for()

    def press(self, name: str) -> None:
        self.root.get_by_role("button", name=name, exact=True).click()

    def focus(self) -> None:
        self.root.focus()

    def key(self, *keys: str) -> None:
        for one in keys:
            self.page.keyboard.press(one)

    def scrub(self, step: int) -> None:
        """Press the mouse on the scrubber where `step` is."""
        scrubber = self.root.get_by_role("slider", name="Step", exact=True)
        scrubber.scroll_into_view_if_needed()
        box = scrubber.bounding_box()
        thumb = 18
        share = step / int(scrubber.get_attribute("max"))
        self.page.mouse.click(box["x"] + thumb / 2 + share * (box["width"] - thumb), box["y"] + box["height"] / 2)

    def set_input(self, name: str, value: float) -> None:
        self.root.get_by_role("slider", name=name, exact=True).fill(str(value))

    def mode(self, name: str) -> None:
        self.root.get_by_role("radio", name=name).check(force=True)

    def direction(self, name: str) -> None:
        self.root.get_by_role("combobox", name="Direction").select_option(name)

    def column(self, name: str) -> list[str]:
        """The column "value", "tangent" or "adjoint" of the tape, from the first line to the last."""
        return self.root.locator(f".adl-tape tbody .adl-{name}").all_inner_texts()

    def adjoints(self) -> dict[str, str]:
        names = self.root.locator(".adl-tape tbody th[scope=row]").all_inner_texts()
        return dict(zip(names, self.column("adjoint"), strict=True))

    def gradient(self) -> list[str]:
        """The derivatives that the last step shows under the picture."""
        return self.root.locator(".adl-equation > div").last.locator(".adl-t-result").all_inner_texts()

    def node(self, line: int) -> str:
        """What the graph shows in a node: its heading, its value, its adjoint."""
        return " | ".join(self.root.locator(f"[data-node=n{line}] > text").all_text_contents())

    def sentence(self) -> str:
        return self.root.locator("[aria-live]").inner_text()

    def source(self) -> list[str]:
        return self.root.locator(".adl-code code").all_inner_texts()

    def shows_the_start(self) -> None:
        assert self.step == 0
        assert set(self.column("value")) == set(self.column("adjoint")) == {""}

    def shows_half_way(self) -> None:
        """v₄ = sin x2 has just sent its share to x2; the product's is still to come."""
        assert self.step == AT_HALF_WAY
        shown = self.adjoints()
        assert shown["v₀"] == "−0.2837" and abs(HALF_WAY + 0.2837) < 5e-5
        assert shown["v₋₁"] == "·", "an adjoint that nothing has reached is not 0"
        assert self.node(1).endswith("| 5 | −0.2837")
        assert "−0.2837" in self.sentence()

    def shows_the_gradient(self) -> None:
        assert self.step == LAST
        shown = self.adjoints()
        assert (shown["v₋₁"], shown["v₀"]) == ("5.5", "1.7163")
        assert abs(GRADIENT[1] - 1.7163) < 5e-5
        assert self.node(0).endswith("| 2 | 5.5") and self.node(1).endswith("| 5 | 1.7163")
        assert self.gradient() == ["5.5", "1.7163"]
