"""CheckpointTimeline: which states of a chain are kept, when they are used, and what that costs."""

from __future__ import annotations

import functools
from typing import Any

from autodiff_lab.systems.schedules import SCHEDULES, Action, Reversal, reverse
from autodiff_lab.text.notation import number
from autodiff_lab.text.table import Grid
from autodiff_lab.transforms.gradients import grad
from autodiff_lab.widgets.labs.checkpoint_timeline.picture import drawn
from autodiff_lab.widgets.labs.lab import Button, Choice, Lab, Play, Slider
from autodiff_lab.widgets.labs.table import grid

STEPS, SLOTS = 100, 20
START = 0.3


def step(x: Any) -> Any:
    """One turn of the logistic map, the program of this lab."""
    return 4.0 * x * (1.0 - x)


class CheckpointTimeline(Lab):
    """A chain of l steps reversed by one of four schedules, really run, with its slots and its extra steps counted.

    >>> lab = CheckpointTimeline()
    >>> lab.set(l=20, s=3, schedule="binomial")
    >>> snap = lab.snapshot()
    >>> snap["peak"], snap["extra"]
    (3, 45)
    """

    title = "CheckpointTimeline"
    about = "Move l and s, and choose a schedule. Say what it costs before you look at the meters."
    controls = (
        Slider("l", "steps l", 1, STEPS, 1),
        Slider("s", "slots s", 1, SLOTS, 1),
        Choice("schedule", "schedule", tuple(reversed(SCHEDULES))),
        Slider("moment", "how far", 0, 100, 1),
        Button("next", "Next action"),
        Button("back", "Back"),
        Button("begin", "Begin again"),
        Play("next", 700),
    )

    def __init__(self) -> None:
        self._l, self._s, self._schedule = 10.0, 3.0, "binomial"
        self.done = len(self.actions)

    def still(self) -> CheckpointTimeline:
        """The whole schedule."""
        whole = CheckpointTimeline()
        whole.l, whole.s, whole.schedule = self.l, self.s, self.schedule
        return whole

    # What can be moved. Another chain, or another schedule, is shown whole.

    @property
    def l(self) -> float:  # noqa: E743 — the letter of the literature, and of the slider
        """How many steps the chain has."""
        return self._l

    @l.setter
    def l(self, steps: float) -> None:  # noqa: E743
        self._l = steps
        self.done = len(self.actions)

    @property
    def s(self) -> float:
        """How many slots there are."""
        return self._s

    @s.setter
    def s(self, slots: float) -> None:
        self._s = slots
        self.done = len(self.actions)

    @property
    def schedule(self) -> str:
        """Which schedule."""
        return self._schedule

    @schedule.setter
    def schedule(self, name: str) -> None:
        self._schedule = name
        self.done = len(self.actions)

    @property
    def moment(self) -> float:
        """How many of the actions are done, in percent."""
        return float(round(100 * self.done / len(self.actions)))

    @moment.setter
    def moment(self, percent: float) -> None:
        self.done = round(percent / 100 * len(self.actions))

    def shown(self, name: str) -> str:
        """Beside the slider of the moment: so many actions of so many."""
        return f"{self.done} of {len(self.actions)}" if name == "moment" else super().shown(name)

    def next(self) -> None:
        """Do one action."""
        self.done += 1

    def back(self) -> None:
        """Undo one."""
        self.done -= 1

    def begin(self) -> None:
        """Undo all."""
        self.done = 0

    def can(self, name: str) -> bool:
        """Next while something is to be done, the others while something has been."""
        return self.done < len(self.actions) if name == "next" else self.done > 0

    # What is seen

    @property
    def actions(self) -> list[Action]:
        """What the schedule does, from first to last."""
        return _actions(self._schedule, int(self._l), int(self._s))

    def snapshot(self) -> dict[str, Any]:
        """The costs as counted in real runs, what is done so far, and the states in slots at this moment."""
        steps, slots = int(self._l), int(self._s)
        run = _run(self._schedule, steps, slots)
        return {
            "steps": steps,
            "slots": slots,
            "schedule": self._schedule,
            "peak": run.slots,
            "extra": run.extra,
            "gradient": run.gradient,
            "plain": _plain(steps),
            "fits": run.slots <= slots,
            "meters": {name: _meter(name, steps, slots) for name in SCHEDULES},
            "actions": [tuple(action) for action in self.actions],
            "done": self.done,
            "held": _held(self.actions[: self.done]),
        }

    def sentence(self) -> str:
        """The last action; or, when all is done, what it took."""
        if self.done == 0:
            return f"Nothing is done yet. The chain has {_steps(int(self._l))}, and the initial state is number 0."
        if self.done < len(self.actions):
            held = _held(self.actions[: self.done])
            inside = f"In slots: {_listed(held)}." if held else "No slot is in use."
            return f"{_said(self.actions[self.done - 1])} {inside}"
        snap = self.snapshot()
        per_step = number(snap["extra"] / snap["steps"])
        fits = (
            ""
            if snap["fits"]
            else f" That is more than your {snap['slots']}: this schedule does not ask how many there are."
        )
        same = (
            "The gradient is that of the plain sweep, to the last digit."
            if snap["gradient"] == snap["plain"]
            else f"The gradient is {number(snap['gradient'])}, and that of the plain sweep {number(snap['plain'])}."
        )
        return (
            f"{_steps(snap['steps'])}, {_slots(snap['slots'])}, schedule “{snap['schedule']}”: at most "
            f"{_slots(snap['peak'])} in use.{fits} Extra forward steps: {snap['extra']}, or {per_step} for each step "
            f"of the chain. {same}"
        )

    def table(self) -> Grid:
        """The meters of all four schedules."""
        snap = self.snapshot()
        rows = [
            (name, float(peak), float(extra), "yes" if peak <= snap["slots"] else "no")
            for name, (peak, extra) in snap["meters"].items()
        ]
        heads = ("schedule", "peak slots", "extra forward steps", f"fits into {_slots(snap['slots'])}")
        return grid(f"Four schedules for a chain of {_steps(snap['steps'])}", heads, rows)

    def picture(self) -> str:
        """The timeline, the slots at this moment, and the meters."""
        return drawn(self.snapshot())


@functools.lru_cache(maxsize=256)
def _actions(name: str, steps: int, slots: int) -> list[Action]:
    return SCHEDULES[name](steps, slots)


@functools.lru_cache(maxsize=1024)
def _run(name: str, steps: int, slots: int) -> Reversal:
    """The schedule carried out by the engine."""
    return reverse(step, START, _actions(name, steps, slots))


def _meter(name: str, steps: int, slots: int) -> tuple[int, int]:
    run = _run(name, steps, slots if name == "binomial" else 1)  # only this one looks at the slots
    return run.slots, run.extra


@functools.lru_cache(maxsize=256)
def _plain(steps: int) -> float:
    """The gradient of the loop, with everything on one tape."""

    def chain(x: Any) -> Any:
        for _ in range(steps):
            x = step(x)
        return x

    return float(grad(chain)(START))


def _held(actions: list[Action]) -> list[int]:
    held: set[int] = set()
    for action in actions:
        if action.kind == "store":
            held.add(action.start)
        elif action.kind == "drop":
            held.discard(action.start)
    return sorted(held)


def _listed(held: list[int]) -> str:
    """The numbers of the states in slots, or how many they are.

    >>> _listed([0, 4, 7]), _listed(list(range(83)))
    ('0, 4, 7', '83 states, from 0 to 82')
    """
    if len(held) <= SLOTS:
        return ", ".join(map(str, held))
    return f"{len(held)} states, from {held[0]} to {held[-1]}"


def _said(action: Action) -> str:
    kind, start, end = action
    return {
        "store": f"Store: state {start} goes into a slot.",
        "restore": f"Restore: state {start} is taken from its slot, which keeps it.",
        "drop": f"Drop: the slot of state {start} is free again.",
        "advance": f"Advance: {_steps(end - start)}, from state {start} to state {end}. Nothing is recorded.",
        "reverse": f"Reverse: step {end}, from state {start} to state {end}, is recorded and rewound.",
    }[kind]


def _steps(count: int) -> str:
    return f"{count} step{'s' * (count != 1)}"


def _slots(count: int) -> str:
    return f"{count} slot{'s' * (count != 1)}"
