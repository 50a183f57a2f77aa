"""The controller of the lab CheckpointTimeline: which states of a chain are stored and used, and the cost."""

import functools
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from autodiff_lab.lessons.examples.chain import START, logistic, sweep_whole_chain
from autodiff_lab.systems.schedules import SCHEDULES, Action, Reversal, reverse
from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.numbers import number
from autodiff_lab.widgets.labs.canvas import Axes, Drag, Sheet, draw_bar, draw_legend, make_ticks
from autodiff_lab.widgets.labs.lab import Button, Choice, Play, Slider, SteppedLab
from autodiff_lab.widgets.labs.phrases import count_noun

STEPS, SLOTS = 100, 20

WIDTH, HEIGHT = 900, 416
FRAME = (40.0, 30.0, 526.0, 306.0)
# The left edges of schedules and slots and of the bars, and the width of this column.
RIGHT, BARS, ROOM = 606, 732, 280
# The top of the boxes of the slots, and the height that is left for them.
BOXES, DEEP = 256, 160
# For each kind of action the legend of its line, and the line's role, width and dash.
LOOKS = {
    "advance": ("advance", "value", 2.5, ""),
    "reverse": ("reverse", "adjoint", 3.0, "4 3"),
    "store": ("in a slot", "tangent", 1.2, ""),
    "restore": ("restore", "soft_ink", 1.0, "1 3"),
}


class CheckpointTimeline(SteppedLab):
    """A lab on checkpointing: a chain of l steps reversed by one of four schedules, its slots and extra steps counted.

    >>> lab = CheckpointTimeline()
    >>> lab.set(l=20, s=3, schedule="binomial")
    >>> snap = lab.snapshot()
    >>> snap["peak"], snap["extra"]
    (3, 45)
    """

    about = "Choose a schedule, l and s. Say what it costs before you look at the bars."
    controls = (
        Choice("schedule", "schedule", tuple(reversed(SCHEDULES))),
        Slider("moment", "how far", 0, 100, 1),
        Slider("l", "steps l", 1, STEPS, 1, 10),
        Slider("s", "slots s", 1, SLOTS, 1, 3),
        Button("next", "Next action"),
        Button("back", "Back", more=True),
        Button("begin", "Begin again", more=True),
        Play("next", 700, more=True),
    )
    schedule: str
    l: int  # noqa: E741 — l steps are l steps in every paper on checkpoints
    s: int

    def __init__(self) -> None:
        super().__init__()
        self.done = self.length

    def change(self, name: str) -> None:
        """Show the whole timeline after a change of the chain or the schedule."""
        if name != "moment":
            self.done = self.length

    @property
    def length(self) -> int:
        """The number of actions in the schedule."""
        return len(self.actions)

    @property
    def moment(self) -> float:
        """The percentage of the actions that are done."""
        return math.ceil(100 * self.done / self.length)

    @moment.setter
    def moment(self, percent: float) -> None:
        # one stop before the end of the slider is at least one action before the end
        self.done = math.floor(percent * self.length / 100)

    def slider_text(self, name: str) -> str:
        """Write the value of a slider; for `moment`, how many of the actions are done."""
        return f"{self.done} of {self.length}" if name == "moment" else super().slider_text(name)

    # The view

    @property
    def actions(self) -> list[Action]:
        """The actions of the schedule, from first to last."""
        return _run_schedule(self.schedule, self.l, self.s)[0]

    @property
    def held(self) -> list[int]:
        """The states that are in slots at this moment."""
        done = self.actions[: self.done]
        stored = Counter(action.start for action in done if action.kind == "store")
        dropped = Counter(action.start for action in done if action.kind == "drop")
        return sorted(stored - dropped)

    def snapshot(self) -> dict[str, Any]:
        """Return the costs, counted in real runs, the actions done so far, and the states in slots."""
        actions, run = _run_schedule(self.schedule, self.l, self.s)
        return {
            "steps": self.l,
            "slots": self.s,
            "schedule": self.schedule,
            "peak": run.slots,
            "extra": run.extra,
            "gradient": run.gradient,
            "plain": sweep_whole_chain(self.l),
            "fits": run.slots <= self.s,
            "meters": {name: _measure_cost(name, self.l, self.s) for name in SCHEDULES},
            "actions": actions,
            "done": self.done,
            "held": self.held,
        }

    def sentence(self) -> str:
        """Describe the last action, or the total cost after all actions."""
        if self.done == 0:
            steps = count_noun(self.l, "step")
            return f"Nothing is done yet. The chain has {steps}, and the initial state is number 0."
        if self.done < self.length:
            inside = f"In slots: {_list_states(self.held)}." if self.held else "No slot is in use."
            return f"{_describe(self.actions[self.done - 1])} {inside}"
        snap = self.snapshot()
        too_many = ""
        if not snap["fits"]:
            too_many = f" That is more than your {self.s}: this schedule doesn't depend on how many there are."
        same = "The gradient equals that of the plain sweep, to the last digit."
        if snap["gradient"] != snap["plain"]:
            same = f"The gradient is {number(snap['gradient'])}, and that of the plain sweep {number(snap['plain'])}."
        return (
            f"{count_noun(self.l, 'step')}, {count_noun(self.s, 'slot')}, schedule “{self.schedule}”: at most "
            f"{count_noun(snap['peak'], 'slot')} in use.{too_many} Extra forward steps: "
            f"{snap['extra']}, or {number(snap['extra'] / self.l)} for each step of the chain. {same}"
        )

    def table(self) -> Grid:
        """Compare peak slots and extra forward steps of all four schedules."""
        meters = self.snapshot()["meters"].items()
        rows = [
            (name, peak, extra, "yes" if peak <= self.s else "no") for name, (peak, extra) in meters
        ]
        heads = (
            "schedule",
            "peak slots",
            "extra forward steps",
            f"fits into {count_noun(self.s, 'slot')}",
        )
        return grid(f"Four schedules for a chain of {count_noun(self.l, 'step')}", heads, rows)

    def picture(self) -> str:
        """Draw the actions over time, the slots at this moment, and the costs of the four schedules."""
        title = (
            "A checkpointing schedule over time, the slots in use, and the costs of four schedules"
        )
        sheet = Sheet(WIDTH, HEIGHT, title)
        snap = self.snapshot()
        _draw_timeline(sheet, snap)
        _draw_slots(sheet, snap)
        _draw_meters(sheet, snap)
        sheet.cut(590)
        return sheet.svg()


@functools.lru_cache(maxsize=1024)
def _run_schedule(name: str, steps: int, slots: int) -> tuple[list[Action], Reversal]:
    """Run a schedule with the engine."""
    actions = SCHEDULES[name](steps, slots)
    return actions, reverse(logistic, START, actions)


def _measure_cost(name: str, steps: int, slots: int) -> tuple[int, int]:
    # Only the binomial schedule depends on the number of slots.
    if name != "binomial":
        slots = 1
    _, run = _run_schedule(name, steps, slots)
    return run.slots, run.extra


def _list_states(held: list[int]) -> str:
    """Write the numbers of the states in slots, or only their count if there are too many.

    >>> _list_states([0, 4, 7]), _list_states(list(range(83)))
    ('0, 4, 7', '83 states, from 0 to 82')
    """
    if len(held) <= SLOTS:
        return ", ".join(map(str, held))
    return f"{len(held)} states, from {held[0]} to {held[-1]}"


def _describe(action: Action) -> str:
    kind, start, end = action
    steps = count_noun(end - start, "step")
    return {
        "store": f"Store: state {start} goes into a slot.",
        "restore": f"Restore: state {start} is loaded from its slot, which keeps it.",
        "drop": f"Drop: the slot of state {start} is free again.",
        "advance": f"Advance: {steps}, from state {start} to state {end}. Nothing is recorded.",
        "reverse": f"Reverse: step {end}, from state {start} to state {end}, is recorded and swept back.",
    }[kind]


# The picture


def _draw_timeline(sheet: Sheet, snap: dict[str, Any]) -> None:
    steps = snap["steps"]
    total = snap["extra"] + steps
    axes = Axes(sheet, FRAME, (0, total), (0, steps))
    places = (0, steps // 2, steps) if steps > 3 else (0, steps)
    across = "steps run so far: extra ones, and recorded ones"
    axes.scales(make_ticks((0, total)), make_ticks(places), across, "number of the state")
    dropped = {place: when for when, place in _find_ends(snap["actions"])}
    size = 7 if steps <= 40 else 4
    here = (0, 0)
    for k, (kind, start, end) in enumerate(snap["actions"]):
        at = here[0]
        done = k < snap["done"]
        there = {
            "advance": (at + end - start, end),
            "reverse": (at + 1, start),
            "restore": (at, start),
            "store": (dropped.get(k, total), start),
            "drop": here,
        }[kind]
        if kind == "reverse":
            here = (at, end)
        if there != here:
            _, role, width, dash = LOOKS[kind]
            axes.curve([here, there], role if done else "faint", width, dash)
        if kind == "store":
            x, y = axes.at(*here)
            role, fill = ("tangent", "tangent") if done else ("line", "")
            sheet.box(x - size / 2, y - size / 2, size, size, role, fill)
        else:
            here = there
    _draw_moment(axes, snap)
    y = FRAME[1] + FRAME[3] + 66
    for k, look in enumerate(LOOKS.values()):
        draw_legend(sheet, FRAME[0] + 136 * k, y, *look)
    sheet.box(FRAME[0] + 272 - 3, y - 8.5, 7, 7, "tangent", "tangent")


def _draw_moment(axes: Axes, snap: dict[str, Any]) -> None:
    """Draw the current moment as a line through the timeline, which can be dragged."""
    left, _, width, _ = axes.frame
    total = axes.x[1]
    actions = snap["actions"]
    run = 0
    scale = [(left, 0.0)]
    for k, (kind, start, end) in enumerate(actions):
        run += {"advance": end - start, "reverse": 1}.get(kind, 0)
        percent = math.ceil(100 * (k + 1) / len(actions))
        scale.append((left + width * run / total, float(percent)))
    place = scale[snap["done"]][0] - left
    moment = total * place / width
    axes.marker(moment, "line")
    drag = Drag("moment", "x", tuple(scale), from_place_to_place=True)
    axes.slide("how far, in the timeline", moment, drag)


def _find_ends(actions: list[tuple[str, int, int]]) -> Iterator[tuple[int, int]]:
    """Find when the slot of each store action is freed, as (time, position of the action)."""
    at = 0
    filled = {}
    for k, (kind, start, end) in enumerate(actions):
        if kind == "store":
            filled[start] = k
        elif kind == "drop":
            yield at, filled.pop(start)
        if kind in ("advance", "reverse"):
            at += end - start


def _draw_slots(sheet: Sheet, snap: dict[str, Any]) -> None:
    """Draw a box for each slot with the number of its state; slots beyond the available ones have a dashed edge."""
    held = snap["held"]
    count = max(snap["slots"], len(held))
    size = next(size for size in (40, 28, 20) if (ROOM // size) * (DEEP // size) >= count)
    sheet.text(RIGHT, BOXES - 12, f"slots in use now: {len(held)} of {snap['slots']}", bold=True)
    for k in range(count):
        row, column = divmod(k, ROOM // size)
        x = RIGHT + size * column
        y = BOXES + size * row
        is_extra = k >= snap["slots"]
        is_used = k < len(held)
        role = "adjoint" if is_extra else "tangent"
        fill = role if is_used and size == 20 else ""  # too small for numbers of two digits
        corners = [
            (x + 2, y + 2),
            (x + size - 2, y + 2),
            (x + size - 2, y + size - 2),
            (x + 2, y + size - 2),
        ]
        sheet.path([*corners, corners[0]], role, 1.5, "3 2" if is_extra else "", fill)
        if is_used and not fill:
            sheet.text(x + size / 2, y + size / 2 + 5, str(held[k]), role, "middle", 14)


def _draw_meters(sheet: Sheet, snap: dict[str, Any]) -> None:
    """Draw two bars for each schedule: its peak of slots, and its extra forward steps."""
    for x, measured, role in (
        (RIGHT, "peak slots", "tangent"),
        (BARS, "extra forward steps", "value"),
    ):
        sheet.box(x, 8, 12, 12, "", role)
        sheet.text(x + 18, 19, measured, role, size=14)
    largest = [max(amounts) or 1 for amounts in zip(*snap["meters"].values(), strict=True)]
    for row, (name, (peak, extra)) in enumerate(snap["meters"].items()):
        y = 30 + 47 * row
        now = name == snap["schedule"]
        if now:
            sheet.box(RIGHT - 8, y - 3, ROOM + 14, 44, "ink", width=2)
        sheet.text(RIGHT, y + 24, name, "ink" if now else "soft_ink", size=14, bold=now)
        draw_bar(sheet, BARS, y + 2, 44 * peak / largest[0], "tangent", str(peak), 15, bold=now)
        draw_bar(sheet, BARS, y + 21, 100 * extra / largest[1], "value", str(extra), 15, bold=now)
        if peak > snap["slots"]:
            sheet.text(RIGHT + ROOM, y + 14, "too many", "adjoint", "end", size=14)
