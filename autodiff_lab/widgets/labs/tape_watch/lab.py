"""TapeWatch: how two inputs are made, what a gradient tape hears of them, and which slopes it then has."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.engine.errors import AutodiffError
from autodiff_lab.systems import gradient_tape
from autodiff_lab.systems.eager import Tensor
from autodiff_lab.text.notation import number
from autodiff_lab.text.table import Grid
from autodiff_lab.widgets.labs.lab import Button, Choice, Lab, Slider, Toggle
from autodiff_lab.widgets.labs.table import grid
from autodiff_lab.widgets.labs.tape_watch.picture import drawn


class Program(NamedTuple):
    """What runs on the tape: lines ``name = expression``, what is asked for, and with respect to what."""

    lines: tuple[tuple[str, str], ...]
    target: str
    sources: tuple[str, ...] = ("x", "y")


PROGRAMS = {
    "z = x² + y²": Program((("a", "{x} ** 2"), ("b", "{y} ** 2"), ("z", "a + b")), "z"),
    "z = y², and x² beside it": Program((("a", "{x} ** 2"), ("z", "{y} ** 2")), "z"),
    "m = x · x, z = m · m": Program((("m", "{x} * {x}"), ("z", "m * m")), "z", ("x", "y", "m")),
    "two targets, x² and 1 / x": Program((("a", "{x} ** 2"), ("b", "1 / {x}")), "[a, b]"),
    "z = x · y + sin x": Program((("a", "{x} * {y}"), ("b", "np.sin({x})"), ("z", "a + b")), "z"),
}
KINDS = {
    "a Variable": "Variable({})",
    "a fixed Variable": "Variable({}, trainable=False)",
    "a constant": "constant({})",
}
NEVER = "never"
PAUSES = (NEVER, "in the first line", "in the second line", "in the last line")


@dataclass(frozen=True)
class Settings:
    """Where the controls stand: all that the program depends on."""

    program: str = "z = x² + y²"
    x: float = 2.0
    y: float = 3.0
    x_is: str = "a Variable"
    y_is: str = "a Variable"
    watch_x: bool = False
    watch_y: bool = False
    numpy_x: bool = False
    numpy_y: bool = False
    pause: str = NEVER
    accessed: bool = True
    persistent: bool = False
    zeros: bool = False

    def but(self, **changes: Any) -> Settings:
        """The same with some controls moved."""
        return Settings(**{**vars(self), **changes})


class TapeWatch(Lab):
    """Choose how x and y are made and which way they take, and ask the tape for their slopes.

    >>> lab = TapeWatch()
    >>> lab.press("rewind")
    >>> lab.snapshot()["slopes"]
    {'x': 4.0, 'y': 6.0}
    >>> lab.set(pause="in the second line")
    >>> lab.press("rewind")
    >>> lab.snapshot()["slopes"]
    {'x': 4.0, 'y': None}
    """

    title = "TapeWatch"
    about = "Set up a program. Before you press Rewind, say which slopes will be None."
    controls = (
        Choice("program", "program", tuple(PROGRAMS)),
        Toggle("accessed", "watch what is read"),
        Toggle("persistent", "persistent"),
        Toggle("zeros", "zeros for None"),
        Slider("x", "x", 0.5, 5, 0.5),
        Choice("x_is", "x is", tuple(KINDS)),
        Toggle("watch_x", "watch x"),
        Toggle("numpy_x", "x.numpy()"),
        Slider("y", "y", 0.5, 5, 0.5),
        Choice("y_is", "y is", tuple(KINDS)),
        Toggle("watch_y", "watch y"),
        Toggle("numpy_y", "y.numpy()"),
        Choice("pause", "stop recording", PAUSES),
        Button("rewind", "Rewind"),
        Button("begin", "Record again"),
    )

    def __init__(self) -> None:
        for name, value in vars(Settings()).items():
            setattr(self, name, value)
        self._asked, self._of = 0, self.settings

    @property
    def settings(self) -> Settings:
        """Where the controls stand."""
        return Settings(**{name: getattr(self, name) for name in vars(Settings())})

    @property
    def asked(self) -> int:
        """How often this tape was rewound; with other settings it is another tape."""
        if self._of != self.settings:
            self._asked, self._of = 0, self.settings
        return self._asked

    def rewind(self) -> None:
        """Ask the tape for all slopes."""
        self._asked = self.asked + 1

    def begin(self) -> None:
        """Let the same program run on a new tape."""
        self._asked, self._of = 0, self.settings

    def can(self, name: str) -> bool:
        """Rewind twice at most: the second answer is the last new one."""
        return self.asked < 2 if name == "rewind" else self.asked > 0

    def still(self) -> TapeWatch:
        """The tape rewound."""
        shown = TapeWatch()
        shown.set(**vars(self.settings))
        shown._asked = max(self.asked, 1)
        return shown

    def snapshot(self) -> dict[str, Any]:
        """The program, what the tape has recorded of it, and what it answered."""
        found, asked = _listened(self.settings), self.asked
        answer = found.answers[asked - 1] if asked else None
        refused = answer if isinstance(answer, str) else ""
        return {
            "source": [list(line) for line in found.source],
            "records": list(found.records),
            "kept": len(found.records) if self.persistent or not asked else 0,
            "watched": dict(found.watched),
            "asked": asked,
            "slopes": None if answer is None or refused else dict(answer),
            "refused": refused,
            "remedies": _remedies(self.settings) if answer is not None and not refused else {},
        }

    def sentence(self) -> str:
        """What to ask before the press, and after it why there is a None."""
        snap = self.snapshot()
        count = len(snap["records"])
        if not snap["asked"]:
            recorded = f"{count} operation{'s' * (count != 1)}" if count else "nothing"
            return f"The tape has recorded {recorded}. Which slopes will be None? Decide, then press Rewind."
        if snap["refused"]:
            return snap["refused"]
        slopes = ", ".join(f"{told(g)} for {name}" for name, g in snap["slopes"].items())
        again = " The records were kept, so the tape answers again." if snap["asked"] == 2 else ""
        return " ".join([f"The slopes: {slopes}.{again}", *map(_helped, snap["remedies"].items())])

    def table(self) -> Grid:
        """One row for each source."""
        snap = self.snapshot()
        rows = [
            (name, snap["watched"][name], told(snap["slopes"][name]) if snap["slopes"] else "·")
            for name in PROGRAMS[self.program].sources
        ]
        often = {1: "once", 2: "twice"}.get(snap["asked"], f"{snap['asked']} times")
        return grid(f"{self.program}, rewound {often}", ("source", "known to the tape as", "slope"), rows)

    def picture(self) -> str:
        """On the left the program, on the right the tape and the slopes."""
        return drawn(self.snapshot())


def told(slope: float | None) -> str:
    """A slope in words.

    >>> told(None), told(3.75)
    ('None', '3.75')
    """
    return "None" if slope is None else number(slope)


def written(at: Settings) -> list[str]:
    """The program as Python text, a line for each; the last one or two ask for the slopes."""
    program = PROGRAMS[at.program]
    through = {"x": "x.numpy()" if at.numpy_x else "x", "y": "y.numpy()" if at.numpy_y else "y"}
    lines = [f"x = {KINDS[at.x_is].format(at.x)}", f"y = {KINDS[at.y_is].format(at.y)}"]
    options = ["persistent=True"] * at.persistent + ["watch_accessed_variables=False"] * (not at.accessed)
    head = f"with GradientTape({', '.join(options)}) as tape:"
    lines += [head] if len(head) < 50 else ["with GradientTape(", f"    {', '.join(options)}", ") as tape:"]
    told_of = ["x"] * at.watch_x + ["y"] * at.watch_y
    lines += [f"    tape.watch([{', '.join(told_of)}])"] * bool(told_of)
    quiet = {NEVER: None, PAUSES[1]: 0, PAUSES[2]: 1, PAUSES[3]: len(program.lines) - 1}[at.pause]
    for k, (name, expression) in enumerate(program.lines):
        line = f"{name} = {expression.format(**through)}"
        lines += ["    with tape.stop_recording():", f"        {line}"] if k == quiet else [f"    {line}"]
    asked = f"tape.gradient({program.target}, [{', '.join(program.sources)}]"
    return [*lines, *([f"{asked},", '    unconnected_gradients="zero")'] if at.zeros else [f"{asked})"])]


class Listened(NamedTuple):
    """What came of a program: its lines with a mark each, the tape's records, and two answers (or refusals)."""

    source: tuple[tuple[str, str], ...]
    records: tuple[str, ...]
    watched: tuple[tuple[str, str], ...]
    answers: tuple[Any, Any]


@functools.lru_cache(maxsize=4096)
def _listened(at: Settings) -> Listened:
    """Run the text that is shown, and ask twice."""
    lines, program = written(at), PROGRAMS[at.program]
    ends = next(k for k, line in enumerate(lines) if line.startswith("tape.gradient"))
    scope: dict[str, Any] = {**vars(gradient_tape), "np": np}
    exec("\n".join(lines[:ends]), scope)
    tape = scope["tape"]
    for name in ("x", "y"):
        if scope[name].number in tape.names:
            tape.names[scope[name].number] = name  # a constant has no name of its own
    recorded = {id(record.result): f"v{place + 1}" for place, record in tape.records.items()}

    def mark(line: str) -> str:
        name = line.strip().partition(" = ")[0]
        if name not in dict(program.lines):
            return ""
        return recorded.get(id(scope[name]), "not recorded" if isinstance(scope[name], Tensor) else "a plain number")

    watched = []
    for name in program.sources:
        thing = scope[name]
        is_watched = getattr(thing, "number", None) in tape.names
        watched.append((name, "watched" if is_watched else recorded.get(id(thing), "unknown")))
    records = tuple(str(tape).splitlines())
    answers = tuple(_answer("\n".join(lines[ends:]), scope, program) for _ in range(2))
    return Listened(tuple((line, mark(line)) for line in lines), records, tuple(watched), (answers[0], answers[1]))


def _answer(question: str, scope: dict[str, Any], program: Program) -> Any:
    try:
        slopes = eval(question, scope)
    except AutodiffError as problem:
        return f"{type(problem).__name__}: {problem}"
    numbers = (None if g is None else float(g.numpy()) for g in slopes)
    return tuple(zip(program.sources, numbers, strict=True))


# What would help


def _remedies(at: Settings) -> dict[str, list[str]]:
    """For each source without a slope, the least changes with which the tape would have it; none if nothing helps."""
    found = dict(_listened(at.but(zeros=False)).answers[0])
    return {name: list(_least(at, name)) for name, slope in found.items() if slope is None}


def _least(at: Settings, name: str) -> Iterator[str]:
    changes = [(words, moved) for words, moved in _changes(name) if at.but(**moved) != at]
    for size in range(1, len(changes) + 1):
        helped = False
        for chosen in itertools.combinations(changes, size):
            moved = {control: value for _, each in chosen for control, value in each.items()}
            answer = _listened(at.but(zeros=False, **moved)).answers[0]
            if not isinstance(answer, str) and dict(answer)[name] is not None:
                helped = True
                yield " and ".join(words for words, _ in chosen)
        if helped:
            return


def _changes(name: str) -> list[tuple[str, dict[str, Any]]]:
    of = "x" if name == "m" else name
    return [
        (f"watch {of}", {f"watch_{of}": True}),
        (f"make {of} a trainable Variable", {f"{of}_is": "a Variable"}),
        (f"keep {of} out of NumPy", {f"numpy_{of}": False}),
        ("do not stop recording", {"pause": NEVER}),
        ("let the tape watch what is read", {"accessed": True}),
    ]


def _helped(remedy: tuple[str, list[str]]) -> str:
    name, ways = remedy
    if not ways:
        return f"What is asked for does not use {name}: no switch gives it another slope."
    return f"For {name} the tape has nothing. What would help: {', or '.join(ways)}."
