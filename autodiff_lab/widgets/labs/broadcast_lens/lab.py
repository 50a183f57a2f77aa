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
# How high the boxes of each half can be, with the wires below them.
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
        """The run and its sweep that the broadcast lens shows now; or why NumPy cannot do it."""
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
        """How many entries of the small array have a turn in the broadcast lens."""
        found = self.flow
        return 0 if isinstance(found, str) else found.small.size

    def snapshot(self) -> dict[str, Any]:
        """The broadcast lens's data: settings, how many entries had their turn, and the gradient if there is one."""
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
        """What the broadcast lens says: what this turn does, and after the last one what came out."""
        found = self.flow
        if isinstance(found, str):
            return found
        said = _describe_turn(found, self.done - 1) if self.done else _describe_opening(found)
        return (
            f"{said} {_describe_verdict(found, self.wrong)}" if self.done == self.length else said
        )

    def table(self) -> Grid | None:
        """The broadcast lens's table: where each entry of the small array is used, and its backward pass."""
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
        """The broadcast lens's picture: its two arrays in the forward pass, and below in the backward pass."""
        found = self.flow
        sheet = Sheet(
            WIDTH, HEIGHT, "A small and a large array, in the forward and in the backward pass"
        )
        sheet.text(LEFT, 24, f"y = {self.program}", size=18, bold=True)
        sheet.text(WIDTH - LEFT, 24, _describe_settings(self.settings), "soft_ink", "end", 14)
        draw_rule(sheet, LEFT, WIDTH - LEFT, 38, "faint")
        if isinstance(found, str):
            for k, line in enumerate(textwrap.wrap(found, LONGEST_LINE)):
                sheet.text(LEFT, 80 + 28 * k, line, "adjoint", size=18, bold=not k)
            return sheet.svg()
        _draw_forward(
            sheet, found, max(self.done - 1, 0), OPS[self.program][0] if found.copies else ""
        )
        _draw_backward(sheet, found, self.done)
        below = HEIGHT - 46.0  # the equation at the bottom is not cut
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


# What is drawn


class Panel:
    """An array drawn as boxes by the broadcast lens: rows below each other, the layers of a third axis side by side.

    Boxes and type are as large as there is room.
    """

    def __init__(
        self, sheet: Sheet, left: float, top: float, shape: tuple[int, ...], role: str
    ) -> None:
        self.sheet, self.left, self.top, self.role = sheet, left, top, role
        self.layers, self.rows, self.columns = (1,) * (3 - len(shape)) + shape
        room = (CHANNEL if left == LEFT else WIDTH) - left
        across = (room - LAYER * (self.layers - 1)) / (self.layers * self.columns) - GAP
        self.wide, self.high = min(WIDEST, across), min(40.0, HALF / self.rows - LANE)
        # The size of type.
        self.size = 18 if self.wide > 90 else 14

    def corner(self, k: int) -> Point:
        """Find the upper left corner of the k-th entry's box, as the broadcast lens draws it."""
        layer, row, column = np.unravel_index(k, (self.layers, self.rows, self.columns))
        across = layer * (self.columns * (self.wide + GAP) + LAYER) + column * (self.wide + GAP)
        return self.left + float(across), self.top + float(row) * (self.high + LANE)

    def foot(self, k: int) -> Point:
        """Find the middle of a box's lower edge, where the wires that the broadcast lens draws end."""
        x, y = self.corner(k)
        return x + self.wide / 2, y + self.high

    def baseline(self, k: int) -> float:
        """Find the height at which the broadcast lens writes the k-th entry of an array."""
        return self.foot(k)[1] - self.high / 2 + 0.36 * self.size

    def draw_title(self, title: str) -> None:
        """Write above its boxes what an array in the broadcast lens is."""
        self.sheet.text(self.left, self.top - 14, title, self.role, bold=True)

    def draw_frame(self, k: int, glows: bool) -> None:
        """Draw the box of an array's entry in the broadcast lens; it glows when it has its turn."""
        paper = "adjoint_paper" if self.role == "adjoint" else "constant_paper"
        role, fill, width = (self.role, paper, 3.5) if glows else ("line", "", 1)
        self.sheet.box(*self.corner(k), self.wide, self.high, role, fill, width)

    def draw_entries(
        self, values: np.ndarray, homes: np.ndarray, entry: int, known: int | None = None
    ) -> None:
        """Draw all entries of an array in the picture of the lab BroadcastLens; those of one home glow.

        With `known` only those of the first homes have their number.
        """
        for k, (x, home) in enumerate(zip(values.flat, homes.flat, strict=True)):
            text = number(x) if known is None or home < known else NOT_REACHED
            self.draw_frame(k, home == entry)
            self.sheet.text(
                self.foot(k)[0],
                self.baseline(k),
                text,
                "ink",
                "middle",
                self.size,
                bold=home == entry,
            )

    def draw_pair(
        self, k: int, pair: tuple[float, float], sign: str, operand: str, glows: bool
    ) -> None:
        """Draw A, the sign and B at one place of the broadcast lens; the operand that is watched stands out."""
        self.draw_frame(k, glows)
        (x, _), y, size = self.corner(k), self.baseline(k), self.size
        # to be read on the glow, too
        plain, watched = ("ink", "ink") if glows else ("soft_ink", "value")
        left, right = map(number, pair)
        # the sign, so that all fits
        middle = x + self.wide * (len(left) + 1) / (len(left) + len(right) + 2)
        is_a = operand == "A"
        self.sheet.text(
            middle - size / 2, y, left, watched if is_a else plain, "end", size, bold=is_a
        )
        self.sheet.text(middle, y, sign, plain, "middle", size)
        self.sheet.text(
            middle + size / 2, y, right, plain if is_a else watched, "start", size, bold=not is_a
        )


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
    large.draw_title(
        f"{f'A {sign} B, place by place' if found.copies else 'A'}, shape {found.large.shape}"
    )
    small.draw_entries(found.small, np.arange(found.small.size), entry)
    if found.other is None:
        large.draw_entries(found.large, found.homes, entry)
    else:
        a, b = (found.large, found.other) if found.operand == "A" else (found.other, found.large)
        for k, home in enumerate(found.homes.flat):
            large.draw_pair(k, (a.flat[k], b.flat[k]), sign, found.operand, home == entry)
    _draw_wires(small, entry, large, found.places(entry), to_large=found.copies)


def _draw_backward(sheet: Sheet, found: Flow, step: int) -> None:
    unsummed, turn = found.lands is None, step > 0
    entry = step - 1  # at the beginning none has its turn
    bar = found.small_name + "\N{COMBINING MACRON}"
    back, homes = (
        (found.large_back, found.homes)
        if unsummed
        else (found.small_back, np.arange(found.small.size))
    )
    small = Panel(sheet, LEFT, BACKWARD, back.shape, "adjoint")
    large = Panel(sheet, RIGHT, BACKWARD, found.large.shape, "adjoint")
    asked = found.copies and not turn  # the shape is the learner's to say first
    mark = "" if not found.copies else " ✓" if found.fits else f" ✗  not {found.truth.shape}"
    small.draw_title(f"{bar}, shape {'?' if asked else f'{back.shape}{mark}'}")
    heading = "what comes back to each place" if found.copies else "A\N{COMBINING MACRON}"
    mark = "" if found.copies or not turn else " ✓" if found.right else " ✗  the numbers are wrong"
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
    """The sum of this turn, or the number that is copied."""
    name, sent = (
        found.name_entry(entry).replace(found.small_name, bar, 1),
        number(found.sent(entry)),
    )
    if not found.copies:
        return f"{name} = {sent}, copied to {len(found.places_back(entry))} places"
    terms = [atom(number(x)) for x in found.list_terms(entry)]
    if found.lands is None:
        return f"{list_some(terms)}: never added up"
    return " = ".join([name, list_some(terms, " + "), *[sent][: len(terms) > 1]])


def _draw_wires(small: Panel, entry: int, large: Panel, places: list[int], to_large: bool) -> None:
    """Lines between one small entry and its places, running below the rows; the heads say which way."""
    sheet, role, (x0, y0) = small.sheet, small.role, small.foot(entry)
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
