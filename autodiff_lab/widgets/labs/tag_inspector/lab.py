"""TagInspector: a derivative inside a derivative, on dual numbers with tags and on dual numbers without."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from autodiff_lab.text.notation import number
from autodiff_lab.text.table import Grid
from autodiff_lab.widgets.labs.lab import Button, Choice, Lab, Play, Slider, Toggle
from autodiff_lab.widgets.labs.table import grid
from autodiff_lab.widgets.labs.tag_inspector.machines import Flat, Line, Run, Watched
from autodiff_lab.widgets.labs.tag_inspector.picture import drawn, epsilon, written


class Nested(NamedTuple):
    """A derivative inside a derivative, and the points at which it is shown first."""

    program: Callable[..., Watched]
    x: float
    y: float


PROGRAMS = {
    "d/dx [ x · d/dy (x + y) ]": Nested(lambda D, x, y: D(lambda x: x * D(lambda y: x + y, y), x), 1.0, 1.0),
    "d/dx [ x · d/dy (x · y) ]": Nested(lambda D, x, y: D(lambda x: x * D(lambda y: x * y, y), x), 4.0, 1.0),
    "d/dx [ x · d/dy (x · y²) ]": Nested(lambda D, x, y: D(lambda x: x * D(lambda y: x * y * y, y), x), 3.0, 2.0),
    "d/dx [ d/dy (x² · y³) ]": Nested(lambda D, x, y: D(lambda x: D(lambda y: x * x * y * y * y, y), x), 3.0, 2.0),
    "d/dx [ d/dy (y²) ]": Nested(lambda D, x, y: D(lambda x: D(lambda y: y * y, y), x), 5.0, 3.0),
    "d/dx [ x · d/dy (y³) ]": Nested(lambda D, x, y: D(lambda x: x * D(lambda y: y * y * y, y), x), 2.0, 1.0),
    "d/dx [ d/dy (y³) at y = x ]": Nested(lambda D, x, y: D(lambda x: D(lambda y: y * y * y, x), x), 3.0, 1.0),
    "d/dx [ x · d/dy (x · y) at y = x ]": Nested(lambda D, x, y: D(lambda x: x * D(lambda y: x * y, x), x), 3.0, 1.0),
}


class TagInspector(Lab):
    """Follow a nested derivative through its operations, and see where two ε become one.

    >>> lab = TagInspector()
    >>> lab.set(program="d/dx [ x · d/dy (x · y) ]")
    >>> lab.snapshot()["result"], lab.snapshot()["slope"]
    (5.0, 8.0)
    >>> lab.set(tags=True)
    >>> lab.snapshot()["result"]
    8.0
    """

    title = "TagInspector"
    about = "Choose a program. Say what will come out, press Next through its lines, and then switch the tags on."
    controls = (
        Choice("program", "program", tuple(PROGRAMS)),
        Toggle("tags", "tags"),
        Slider("x", "x", 1, 6, 0.5),
        Slider("y", "y", 1, 6, 0.5),
        Button("next", "Next"),
        Button("back", "Back"),
        Button("begin", "Begin again"),
        Play("next", 1500),
    )

    def __init__(self) -> None:
        self._program, self.tags, self.rows = next(iter(PROGRAMS)), False, 0
        self.x, self.y = PROGRAMS[self._program][1:]

    @property
    def program(self) -> str:
        """The nested derivative; another one begins at its own points."""
        return self._program

    @program.setter
    def program(self, program: str) -> None:
        if program != self._program:
            self._program, self.rows = program, 0
            self.x, self.y = PROGRAMS[program][1:]

    def next(self) -> None:
        """One line more."""
        self.rows += 1

    def back(self) -> None:
        """One line less."""
        self.rows -= 1

    def begin(self) -> None:
        """No line yet."""
        self.rows = 0

    def can(self, name: str) -> bool:
        """Next while there is a line, the others while there is one less."""
        return self.rows < len(self.run.lines) if name == "next" else self.rows > 0

    def shown(self, name: str) -> str:
        """The point; where y begins at x, there is nothing to choose."""
        return "as x" if name == "y" and "at y = x" in self.program else super().shown(name)

    def still(self) -> TagInspector:
        """The whole run."""
        whole = TagInspector()
        whole.set(program=self.program, tags=self.tags, x=self.x, y=self.y)
        whole.rows = len(whole.run.lines)
        return whole

    @property
    def run(self) -> Run:
        """The program at these points, on both machines."""
        return _run(self.program, self.x, self.y)

    def snapshot(self) -> dict[str, Any]:
        """The lines that have run, as the chosen machine has them, its result, and the slope that was asked for."""
        run = self.run
        lines = run.lines[: self.rows]
        return {
            "program": self.program,
            "tags": self.tags,
            "point": (self.x, self.y),
            "lines": [line.text for line in lines],
            "numbers": [tuple(line.tagged if self.tags else line.untagged) for line in lines],
            "merged": [] if self.tags else [k for k, line in enumerate(lines) if line.merged],
            "result": float(run.result.tagged if self.tags else run.result.untagged),
            "slope": float(run.result.tagged),
            "finished": self.rows == len(run.lines),
        }

    def sentence(self) -> str:
        """What the last line did, and at the end whether the machine was right."""
        if not self.rows:
            kind = "Each derivative has an ε of its own." if self.tags else "There is one ε for all derivatives."
            return f"{kind} Which number will come out at x = {number(self.x)}? Decide, then press Next."
        line = self.run.lines[self.rows - 1]
        said = self._taken(line) if line.kind == "take" else self._computed(line)
        return f"{said} {self.verdict()}".strip()

    def _computed(self, line: Line) -> str:
        shown = written(line, self.tags)
        if line.kind == "mark":
            return f"A derivative begins: {line.text} moves, so it is {shown}."
        if self.tags or not line.merged:
            return f"{line.text} = {shown}."
        first, second = map(number, line.merged)
        whole = number(sum(line.merged))
        return (
            f"{line.text} = {shown}. Two marks become one: {first} comes from the left operand, {second} from the "
            f"right one, and {whole} no longer says which part belongs to which derivative."
        )

    def _taken(self, line: Line) -> str:
        shown, right = written(line, self.tags), written(line, tags=True)
        said = f"A derivative ends: before {epsilon(line.level, self.tags)} stands {shown}."
        is_last = line is self.run.lines[-1]
        return said if self.tags or is_last or _same(line) else f"{said} With tags it is {right}."

    def verdict(self) -> str:
        """At the end: result and slope."""
        snap = self.snapshot()
        if not snap["finished"]:
            return ""
        result, slope = number(snap["result"]), number(snap["slope"])
        if result != slope:
            return f"The result is {result}. The slope is {slope}."
        if self.tags:
            return f"The result is {result}, the slope that was asked for."
        if snap["merged"]:
            return f"The result is {result}, and so is the slope, although two marks were merged: an accident."
        return f"The result is {result}, and so is the slope: no two marks ever met."

    def table(self) -> Grid:
        """The lines that have run, with what stands before each mark."""
        lines = self.run.lines[: self.rows]
        caption = f"{self.program} at x = {number(self.x)}, {'with' if self.tags else 'without'} tags"
        if self.tags:
            return grid(caption, ("line", "1", "ε₁", "ε₂", "ε₁ε₂"), [(line.text, *line.tagged) for line in lines])
        rows = [(line.text, written(line, tags=False), _remark(line)) for line in lines]
        return grid(caption, ("line", "number", "remark"), rows)

    def picture(self) -> str:
        """The lines below each other, with a column for each ε; a merging is framed."""
        second = "" if "at y = x" in self.program else f", y = {number(self.y)}"
        heading = f"{self.program}   at x = {number(self.x)}{second}"
        return drawn(heading, self.run.lines, self.rows, self.tags, self.verdict())


@functools.lru_cache(maxsize=512)
def _run(program: str, x: float, y: float) -> Run:
    return Run(PROGRAMS[program].program, x, y)


def _same(line: Line) -> bool:
    return isinstance(line.untagged, Flat) and tuple(line.untagged[:2]) == line.tagged[:2]


def _remark(line: Line) -> str:
    if line.merged:
        first, second = map(number, line.merged)
        return f"merged: {first} + {second}"
    return "" if isinstance(line.untagged, Flat) else "one dual number inside another"
