"""A player on a page: its buttons and keys, and the text that the page shows."""

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
# the adjoint of x2 after sin has sent its share and before the product has
HALF_WAY = -0.28366218546322625
INPUTS = 2  # they are there from the start: step 1 runs the first operation
LAST = 14  # steps: five operations recorded, one seed, eight contributions sent
AT_HALF_WAY = 9


# Of a long run the counter may run ahead of the stretch that is shown; then it has no words yet.
ARRIVED = """([player, step]) => {
    const counter = player.querySelector('.adl-counter');
    return counter.textContent.startsWith(`${step} /`) && counter.title && !player.dataset.moving
        && (player.dataset.step === '-1') === (step === 0);
}"""


# What the counter says, where the scrubber stands and ends, and the step that is shown.
STEP = """(player) => {
    const { value, max } = player.querySelector('.adl-scrubber input');
    return [player.querySelector('.adl-counter').innerText, value, max, player.dataset.step];
}"""


def cell(function: Callable[..., Any], call: str) -> str:
    """The text of a notebook cell that defines `function` and ends in `call`."""
    source = textwrap.dedent(inspect.getsource(function))
    return f"import numpy as np\nfrom autodiff_lab import play\n\n{source}\n{call}"


def picky(x):
    if x < 0:
        raise ValueError("picky wants x >= 0")
    return np.sqrt(x) * x


class PlayerOnPage:
    """The `number`-th player of a page. Steps are counted as the player counts them: 0 is the start, with the inputs.

    Pages open for a reader who wants no motion, so a step is shown at once; a test about motion opens others.
    """

    def __init__(self, page: Any, number: int = 0) -> None:
        self.page = page
        self.root = page.locator(".adl-player").nth(number)
        self.root.wait_for()

    @property
    def step(self) -> int:
        """The number of the current step, on which the counter and the scrubber have to agree."""
        counter, value, last, shown = self.root.evaluate(STEP)
        step, steps = map(int, counter.split(" / "))
        assert (value, last) == (str(step), str(steps))
        assert (shown == "-1") == (step == 0)
        return step

    def arrives_at(self, step: int) -> None:
        """Wait until the step is shown, and has landed."""
        self.page.wait_for_function(ARRIVED, arg=[self.root.element_handle(), step])

    def press(self, name: str) -> None:
        self.root.get_by_role("button", name=name, exact=True).click()

    def last_step(self) -> None:
        self.focus()
        self.key("End")

    def first_step(self) -> None:
        self.focus()
        self.key("Home")

    def open_details(self) -> None:
        """Unfold the optional controls: modes, names on the tape, speed, costs."""
        details = self.root.locator(".adl-more-button")
        if details.get_attribute("aria-expanded") == "false":
            details.click()

    def predict(self) -> None:
        """Turn predicting on, or off again."""
        self.press("predict")

    def show_names(self, shown: bool = True) -> None:
        """Show the names on the tape next to the learner's own names, and each step in symbols."""
        self.open_details()
        self.root.get_by_role("checkbox", name="names on the tape").set_checked(shown)

    def speed(self, times: float) -> None:
        self.open_details()
        self.root.get_by_role("combobox", name="Speed").select_option(str(times))

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
        self.page.mouse.click(
            box["x"] + thumb / 2 + share * (box["width"] - thumb), box["y"] + box["height"] / 2
        )

    def set_input(self, name: str, value: float) -> None:
        self.root.get_by_role("slider", name=name, exact=True).fill(str(value))

    def mode(self, name: str) -> None:
        self.open_details()
        self.root.get_by_role("radio", name=name).check(force=True)

    def direction(self, name: str) -> None:
        self.open_details()
        self.root.get_by_role("combobox", name="Direction").select_option(name)

    def column(self, name: str) -> list[str]:
        """The column "value", "tangent" or "adjoint" of the tape, from the first line to the last."""
        return self.root.locator(f".adl-tape tbody .adl-{name}").all_inner_texts()

    def gradient(self) -> list[str]:
        """The derivatives that the last step shows under the picture."""
        return self.root.locator(".adl-gradient .adl-t-result").all_inner_texts()

    def arithmetic(self) -> str:
        """The one line of arithmetic of the step."""
        return self.root.locator(".adl-equation").inner_text()

    def node(self, line: int) -> str:
        """What the graph shows in a node: its heading, its value, its adjoint."""
        return " | ".join(
            self.root.locator(f"[data-node=n{line}] > text:not(.adl-on-tape)").all_text_contents()
        )

    def sentence(self) -> str:
        return self.root.locator("[aria-live]").inner_text()

    def source(self) -> list[str]:
        return self.root.locator(".adl-code code").all_inner_texts()

    def shows_the_start(self) -> None:
        assert self.step == 0
        assert self.column("value") == ["2", "5", "", "", "", "", ""], (
            "the inputs are there, and nothing else"
        )
        assert set(self.column("adjoint")) == {""}

    def shows_half_way(self) -> None:
        """The sine has just sent its share to x2; the product's is still to come."""
        assert self.step == AT_HALF_WAY
        shown = self.column("adjoint")
        assert shown[1] == "−0.2837" and abs(HALF_WAY + 0.2837) < 5e-5
        assert shown[0] == "·", "an adjoint that nothing has reached is not 0"
        assert self.node(1).endswith("| 5 | −0.2837")
        assert "−0.2837" in self.sentence()

    def shows_the_gradient(self) -> None:
        assert self.step == LAST
        assert self.column("adjoint")[:2] == ["5.5", "1.7163"]
        assert abs(GRADIENT[1] - 1.7163) < 5e-5
        assert self.node(0).endswith("| 2 | 5.5") and self.node(1).endswith("| 5 | 1.7163")
        assert self.gradient() == ["5.5", "1.7163"]
