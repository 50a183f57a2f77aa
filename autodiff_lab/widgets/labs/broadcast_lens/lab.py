"""The controller of the lab BroadcastLens: what the forward pass copies, the backward pass adds up."""

import textwrap
from typing import Any

import numpy as np

from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.notation import NOT_REACHED, atom
from autodiff_lab.text.numbers import number
from autodiff_lab.widgets.labs.broadcast_lens.flow import (
    AXES,
    OPS,
    OVER_AXES,
    SHAPES,
    Flow,
    Refused,
    run_flow,
)
from autodiff_lab.widgets.labs.canvas import Point, Sheet, draw_rule
from autodiff_lab.widgets.labs.lab import Button, Choice, Play, SteppedLab, Toggle
from autodiff_lab.widgets.labs.phrases import count_times, list_some

WIDTH, HEIGHT = 900, 416
LEFT, RIGHT = 10, 424
FORWARD, BACKWARD = 82, 250
# The height of the boxes in each half, with the wires below them.
HALF = 122
WIDEST, LANE, GAP, LAYER = 120, 16, 5, 14
CHANNEL = 400
LONGEST_LINE = 84


class BroadcastLens(SteppedLab):
    """A lab on broadcasting: one entry after the other, its copies, and what they send back to it.

    >>> lab = BroadcastLens()
    >>> lab.sentence()
    'B has shape (3,) and is read as (2, 3): each entry is used twice. Which shape has its gradient?'
    >>> for _ in range(2):
    ...     lab.press("next")
    >>> lab.sentence()
    'B[1] was used twice: 4.4 + 10.4 = 14.8.'
    >>> lab.set(wrong=True)
    >>> lab.snapshot()["gradient_shape"], lab.snapshot()["fits"]
    ([2, 3], False)
    """

    about = "Say which shape comes back, and which numbers; then press Next entry."
    controls = (
        Button("next", "Next entry"),
        Choice("b", "shape of B", tuple(SHAPES), "(3,)"),
        Choice("a", "shape of A", tuple(SHAPES), "(2, 3)"),
        Choice("operand", "gradient of", ("B", "A")),
        Choice("program", "program", (*OPS, OVER_AXES)),
        Toggle("wrong", "wrong rule: leave the shapes alone"),
        Choice("axes", "axes of the sum", tuple(AXES), more=True),
        Play("next", 1200, more=True),
        Button("back", "Back", more=True),
        Button("begin", "Begin again", more=True),
    )
    b: str
    a: str
    operand: str
    program: str
    wrong: bool
    axes: str

    @property
    def flow(self) -> Flow | str:
        """The flow of the run and its sweep, or the reason why NumPy can't do it."""
        try:
            return run_flow(
                self.program,
                SHAPES[self.a],
                SHAPES[self.b],
                AXES[self.axes],
                self.operand,
                self.wrong,
            )
        except Refused as refusal:
            return str(refusal)

    @property
    def length(self) -> int:
        """The number of entries in the small array, which are shown one by one."""
        found = self.flow
        return 0 if isinstance(found, str) else found.small.size

    def snapshot(self) -> dict[str, Any]:
        """Return the settings, the number of entries shown so far, and the gradient if there is one."""
        found = self.flow
        snap = {
            **self.settings,
            "step": self.done,
            "refused": found if isinstance(found, str) else "",
        }
        if isinstance(found, str):
            return snap
        return snap | {
            "operand": found.operand,
            "gradient": found.gradient.tolist(),
            "gradient_shape": list(found.gradient.shape),
            "operand_shape": list(found.truth.shape),
            "truth": found.truth.tolist(),
            "fits": found.fits,
            "is_right": found.right,
        }

    def sentence(self) -> str:
        """Describe the current entry, and after the last one the gradient."""
        found = self.flow
        if isinstance(found, str):
            return found
        said = _describe_turn(found, self.done - 1) if self.done else _describe_opening(found)
        if self.done < self.length:
            return said
        return f"{said} {_describe_verdict(found, self.wrong)}"

    def table(self) -> Grid | None:
        """List where each entry of the small array is used, and its backward pass."""
        found = self.flow
        if isinstance(found, str):
            return None
        rows = []
        for entry, value in enumerate(found.small.flat):
            if found.copies:
                together = "never added" if found.lands is None else found.sent(entry)
                back = (_write_numbers(found.list_terms(entry)), together)
            else:
                back = (number(found.sent(entry)), found.write_places(found.places_back(entry)))
            rows.append(
                (found.name_entry(entry), value, found.write_places(found.places(entry)), *back)
            )
        if found.copies:
            heads = ("entry", "value", "is used at", "its copies get back", "together")
        else:
            heads = ("entry", "value", "is the sum of", "gets back", "sends it to")
        shapes = f"{found.small_name} of shape {found.small.shape}, beside {found.large.shape}"
        return grid(f"{self.program}: {shapes}", heads, rows)

    def picture(self) -> str:
        """Draw the two arrays in the forward pass, and below them in the backward pass."""
        found = self.flow
        title = "A small and a large array, in the forward and in the backward pass"
        sheet = Sheet(WIDTH, HEIGHT, title)
        sheet.text(LEFT, 24, f"y = {self.program}", size=18, bold=True)
        sheet.text(WIDTH - LEFT, 24, _describe_settings(self.settings), "soft_ink", "end", 14)
        draw_rule(sheet, LEFT, WIDTH - LEFT, 38, "faint")
        if isinstance(found, str):
            for k, line in enumerate(textwrap.wrap(found, LONGEST_LINE)):
                sheet.text(LEFT, 80 + 28 * k, line, "adjoint", size=18, bold=not k)
            return sheet.svg()
        sign = OPS[self.program][0] if found.copies else ""
        _draw_forward(sheet, found, max(self.done - 1, 0), sign)
        _draw_backward(sheet, found, self.done)
        below = HEIGHT - 46.0  # the equation at the bottom is a strip of its own
        sheet.fold(
            *([(x, 0, end - x, below)] for x, end in ((0, 412), (412, WIDTH))),
            [(0, below, 520, 46)],
        )
        return sheet.svg()


def _write_numbers(numbers: list[float]) -> str:
    return list_some([number(x) for x in numbers])


def _describe_opening(found: Flow) -> str:
    uses = len(found.list_terms(0))
    if found.copies:
        small, large = found.small.shape, found.large.shape
        each = "its number" if found.small.size == 1 else "each entry"
        if uses == 1:
            return f"{found.operand} has shape {small} and isn't broadcast: {each} is used once."
        return (
            f"{found.operand} has shape {small} and is read as {large}: {each} is used {count_times(uses)}. Which "
            "shape has its gradient?"
        )
    return (
        f"A has shape {found.large.shape}. Each entry of the sum S, of shape {found.small.shape}, is the sum of {uses} "
        "of its elements. Which elements of A receive the adjoint of S?"
    )


def _describe_turn(found: Flow, entry: int) -> str:
    name, sent, terms = found.name_entry(entry), number(found.sent(entry)), found.list_terms(entry)
    if not found.copies:
        places, landed = found.places(entry), found.places_back(entry)
        there = f"{name} holds {sent} and sends it to {found.write_places(landed)}"
        if landed == places:
            return f"{there}, the places that it was added up from."
        return f"{there}. But it was added up from {found.write_places(places)}."
    used = f"{name} was used {count_times(len(terms))}"
    if found.lands is None:
        return f"{used}. Its copies get {_write_numbers(terms)}, and these are never added up."
    if len(terms) == 1:
        return f"{used}, and gets {sent} from there."
    return f"{used}: {list_some([atom(number(x)) for x in terms], ' + ')} = {sent}."


def _describe_verdict(found: Flow, wrong: bool) -> str:
    shapes = f"The gradient has shape {found.gradient.shape}"
    same = f"{shapes}, as {found.operand} has"
    if not found.fits:
        return (
            f"{shapes}, and {found.operand} has {found.truth.shape}. {found.operand} − 0.1 · gradient would turn it "
            f"into a {found.gradient.shape} array, and NumPy would raise no error."
        )
    if not found.right:
        return f"{same}, and the numbers are wrong. Checking the shape alone doesn't reveal it."
    if wrong:
        return f"{same}, and the numbers are correct: with these shapes the bug doesn't show."
    return f"{same}."


# The picture


class Panel:
    """An array drawn as boxes: rows below each other, and the layers of a third axis side by side.

    The boxes and the numbers in them are as large as the space allows.
    """

    def __init__(
        self, sheet: Sheet, left: float, top: float, shape: tuple[int, ...], role: str
    ) -> None:
        self.sheet = sheet
        self.left = left
        self.top = top
        self.role = role
        self.layers, self.rows, self.columns = (1,) * (3 - len(shape)) + shape
        room = (CHANNEL if left == LEFT else WIDTH) - left
        across = (room - LAYER * (self.layers - 1)) / (self.layers * self.columns) - GAP
        self.wide = min(WIDEST, across)
        self.high = min(40.0, HALF / self.rows - LANE)
        # The font size.
        self.size = 18 if self.wide > 90 else 14

    def corner(self, k: int) -> Point:
        """Return the upper left corner of the k-th box."""
        layer, row, column = np.unravel_index(k, (self.layers, self.rows, self.columns))
        across = layer * (self.columns * (self.wide + GAP) + LAYER) + column * (self.wide + GAP)
        return self.left + float(across), self.top + float(row) * (self.high + LANE)

    def foot(self, k: int) -> Point:
        """Return the middle of the k-th box's lower edge, where wires end."""
        x, y = self.corner(k)
        return x + self.wide / 2, y + self.high

    def baseline(self, k: int) -> float:
        """Return the y coordinate of the k-th entry's text."""
        return self.foot(k)[1] - self.high / 2 + 0.36 * self.size

    def draw_title(self, title: str) -> None:
        """Write a title above the boxes."""
        self.sheet.text(self.left, self.top - 14, title, self.role, bold=True)

    def draw_frame(self, k: int, glows: bool) -> None:
        """Draw the k-th box; the box of the current entry glows."""
        paper = "adjoint_paper" if self.role == "adjoint" else "constant_paper"
        role, fill, width = (self.role, paper, 3.5) if glows else ("line", "", 1)
        self.sheet.box(*self.corner(k), self.wide, self.high, role, fill, width)

    def draw_entries(
        self, values: np.ndarray, homes: np.ndarray, entry: int, known: int | None = None
    ) -> None:
        """Draw all entries; those whose home is `entry` glow.

        If `known` is given, only entries of the first `known` homes show their number.
        """
        for k, (x, home) in enumerate(zip(values.flat, homes.flat, strict=True)):
            text = number(x) if known is None or home < known else NOT_REACHED
            glows = home == entry
            self.draw_frame(k, glows)
            middle, _ = self.foot(k)
            self.sheet.text(middle, self.baseline(k), text, "ink", "middle", self.size, bold=glows)

    def draw_pair(
        self, k: int, pair: tuple[float, float], sign: str, operand: str, glows: bool
    ) -> None:
        """Draw A, the sign and B in the k-th box, with the operand whose gradient is shown in bold."""
        self.draw_frame(k, glows)
        x, _ = self.corner(k)
        y = self.baseline(k)
        size = self.size
        # on the glow, both numbers have to be dark
        plain, watched = ("ink", "ink") if glows else ("soft_ink", "value")
        left, right = map(number, pair)
        # the x coordinate of the sign, from the lengths of the two numbers
        middle = x + self.wide * (len(left) + 1) / (len(left) + len(right) + 2)
        is_a = operand == "A"
        role_a, role_b = (watched, plain) if is_a else (plain, watched)
        self.sheet.text(middle - size / 2, y, left, role_a, "end", size, bold=is_a)
        self.sheet.text(middle, y, sign, plain, "middle", size)
        self.sheet.text(middle + size / 2, y, right, role_b, "start", size, bold=not is_a)


def _describe_settings(at: dict[str, Any]) -> str:
    a, b, axes = f"A {at['a']}", f"B {at['b']}", f"axes {at['axes']}"
    rule = "wrong rule" if at["wrong"] else "right rule"
    if at["program"] == OVER_AXES:
        return f"{a}    {axes}    {rule}    (not used here: {b}, gradient of {at['operand']})"
    return f"{a}    {b}    gradient of {at['operand']}    {rule}    (not used here: {axes})"


def _draw_forward(sheet: Sheet, found: Flow, entry: int, sign: str) -> None:
    small = Panel(sheet, LEFT, FORWARD, found.small.shape, "value")
    large = Panel(sheet, RIGHT, FORWARD, found.large.shape, "value")
    small.draw_title(f"{found.small_name}, shape {found.small.shape}")
    name = f"A {sign} B, place by place" if found.copies else "A"
    large.draw_title(f"{name}, shape {found.large.shape}")
    small.draw_entries(found.small, np.arange(found.small.size), entry)
    if found.other is None:
        large.draw_entries(found.large, found.homes, entry)
    else:
        a, b = (found.large, found.other) if found.operand == "A" else (found.other, found.large)
        for k, home in enumerate(found.homes.flat):
            large.draw_pair(k, (a.flat[k], b.flat[k]), sign, found.operand, home == entry)
    _draw_wires(small, entry, large, found.places(entry), to_large=found.copies)


def _draw_backward(sheet: Sheet, found: Flow, step: int) -> None:
    unsummed = found.lands is None
    turn = step > 0
    entry = step - 1  # −1 at the beginning, when no entry has been shown
    bar = found.small_name + "\N{COMBINING MACRON}"
    back, homes = found.small_back, np.arange(found.small.size)
    if unsummed:
        back, homes = found.large_back, found.homes
    small = Panel(sheet, LEFT, BACKWARD, back.shape, "adjoint")
    large = Panel(sheet, RIGHT, BACKWARD, found.large.shape, "adjoint")
    asked = found.copies and not turn  # the learner predicts the shape first
    shape = str(back.shape)
    if asked:
        shape = "?"
    elif found.copies:
        shape += " ✓" if found.fits else f" ✗  not {found.truth.shape}"
    small.draw_title(f"{bar}, shape {shape}")
    heading = "what comes back to each place" if found.copies else "A\N{COMBINING MACRON}"
    mark = ""
    if turn and not found.copies:
        mark = " ✓" if found.right else " ✗  the numbers are wrong"
    large.draw_title(f"{heading}, shape {found.large.shape}{mark}")
    if asked:
        sheet.text(LEFT, BACKWARD + 50, "?", "adjoint", size=54)
    else:
        small.draw_entries(back, homes, entry, step if found.copies else None)
    if found.copies:
        large.draw_entries(found.large_back, found.homes, entry)
    elif found.lands is not None:
        large.draw_entries(found.gradient, found.lands, entry, step)
    if turn and not unsummed:
        _draw_wires(small, entry, large, found.places_back(entry), to_large=not found.copies)
    if turn:
        sheet.text(LEFT, HEIGHT - 14, _write_turn(found, entry, bar), "adjoint", size=20, bold=True)


def _write_turn(found: Flow, entry: int, bar: str) -> str:
    """Write the sum for the current entry, or the number that is copied."""
    name = found.name_entry(entry).replace(found.small_name, bar, 1)
    sent = number(found.sent(entry))
    if not found.copies:
        return f"{name} = {sent}, copied to {len(found.places_back(entry))} places"
    terms = [atom(number(x)) for x in found.list_terms(entry)]
    if found.lands is None:
        return f"{list_some(terms)}: never added up"
    equation = f"{name} = {list_some(terms, ' + ')}"
    return f"{equation} = {sent}" if len(terms) > 1 else equation


def _draw_wires(small: Panel, entry: int, large: Panel, places: list[int], to_large: bool) -> None:
    """Draw lines below the rows between a small entry and its places; arrowheads show the direction."""
    sheet = small.sheet
    role = small.role
    x0, y0 = small.foot(entry)
    dash = "7 4" if role == "adjoint" else ""
    lane = y0 + 11
    for place in places:
        x1, y1 = large.foot(place)
        sheet.path([(x0, lane), (CHANNEL, lane), (CHANNEL, y1 + 11), (x1, y1 + 11)], role, 2, dash)
        if to_large:
            sheet.arrow((x1, y1 + 12), (x1, y1 + 1), role, 2)
        else:
            sheet.path([(x1, y1 + 11), (x1, y1)], role, 2)
    if to_large:
        sheet.path([(x0, lane), (x0, y0)], role, 2)
    elif places:
        sheet.arrow((x0, lane + 1), (x0, y0 + 1), role, 2)
