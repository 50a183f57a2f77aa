"""JacobianPainter: a matrix of derivatives that is filled by columns or by rows, one pass each."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from autodiff_lab.text.notation import number
from autodiff_lab.widgets.labs.expression import parse_number
from autodiff_lab.widgets.labs.jacobian_painter import programs
from autodiff_lab.widgets.labs.jacobian_painter.picture import draw, write_entry
from autodiff_lab.widgets.labs.jacobian_painter.programs import FORWARD, LARGEST, LAYER, REVERSE, Pass, Program
from autodiff_lab.widgets.labs.lab import Button, Choice, Entry, Lab, Slider
from autodiff_lab.widgets.labs.phrases import count_noun
from autodiff_lab.widgets.labs.table import Grid, grid


class Words(NamedTuple):
    """What is said of the passes of one mode."""

    way: str
    seed: str
    which: str
    product: str


WORDS = {
    FORWARD: Words("was pushed forward", "a push takes a tangent, one for each input", "column", "J v"),
    REVERSE: Words("was pulled back", "a pull takes an adjoint, one for each result", "row", "wᵀ J"),
}


class JacobianPainter(Lab):
    """A lab on Jacobians: fill the matrix of a program by columns (JVP) or by rows (VJP), and watch what it costs.

    >>> lab = JacobianPainter()
    >>> lab.set(program="document 1")
    >>> lab.press("vjp")
    >>> lab.press("vjp")
    >>> lab.snapshot()["matrix"]
    [[2.0, 1.0], [-1.5, 1.75]]
    """

    about = "Before each press, say what will be painted. The matrix is full when no “?” is left."
    controls = (
        Button("jvp", "JVP: push the next e forward"),
        Button("vjp", "VJP: pull the next e back"),
        Choice("program", "program", programs.NAMES),
        Slider("n", "inputs, n", 1, LARGEST, 1, 3),
        Slider("m", "results, m", 1, LARGEST, 1, 2),
        Button("begin", "Begin again"),
        Entry("v", "or push any v", "1, 0, 2", more=True),
        Entry("w", "or pull any w", "1, 1", more=True),
        Button("back", "Back", more=True),
    )

    # Controls

    def change(self, name: str) -> None:
        """Begin again. The layer has any number of inputs and results; the other programs have their own."""
        if name != "program":
            self.program = LAYER
        self.n, self.m = len(self.of.inputs), len(self.of.results)
        self.begin()

    def enter(self, name: str, text: str) -> None:
        """Push or pull a vector that was typed."""
        mode = FORWARD if name == "v" else REVERSE
        size = self._size(mode)
        seed = tuple(parse_number(part) for part in re.split(r"[\s,;]+", text.strip(" ,;()[]\n\t")))
        if None in seed or len(seed) != size:
            example = ", ".join("102"[k % 3] for k in range(size))
            numbers = count_noun(size, "number")
            self.reply = f"{text!r} cannot be used: {WORDS[mode].seed}. Type {numbers}, such as {example}."
        else:
            self._passes.append(programs.take_pass(self.of, mode, seed))

    def jvp(self) -> None:
        """Push the first basis vector whose column has not come out yet."""
        self._paint(FORWARD)

    def vjp(self) -> None:
        """Pull the first basis vector whose row has not come out yet."""
        self._paint(REVERSE)

    def _paint(self, mode: str) -> None:
        size, done = self._size(mode), self._list_painted(mode)
        k = next(k for k in range(size) if k not in done)
        self._passes.append(programs.take_pass(self.of, mode, tuple(float(i == k) for i in range(size))))

    def back(self) -> None:
        """Take the last pass back."""
        del self._passes[-1:]

    def begin(self) -> None:
        """Forget all passes."""
        self._passes: list[Pass] = []

    def can(self, name: str) -> bool:
        """A button for basis vectors can be pressed until all of them were used."""
        mode = {"jvp": FORWARD, "vjp": REVERSE}.get(name)
        if mode is not None:
            return len(self._list_painted(mode)) < self._size(mode)
        return bool(self._passes or self.reply)

    def still(self) -> JacobianPainter:
        """One column and one row, if nothing was painted yet."""
        return self if self._passes else self.copy("jvp", "vjp")

    # What is seen

    @property
    def of(self) -> Program:
        """The program at its point."""
        return programs.find_program(self.program, self.n, self.m)

    def _size(self, mode: str) -> int:
        return self.n if mode == FORWARD else self.m

    def _list_painted(self, mode: str) -> dict[int, tuple[float, ...]]:
        """The columns, or the rows, that have come out."""
        return {each.entry: each.result for each in self._passes if each.mode == mode and each.entry is not None}

    def snapshot(self) -> dict[str, Any]:
        """The matrix as far as it is known, by whom, and the meters."""
        columns, rows = self._list_painted(FORWARD), self._list_painted(REVERSE)
        last = self._passes[-1] if self._passes else None
        matrix = [
            [rows[i][j] if i in rows else columns[j][i] if j in columns else None for j in range(self.n)]
            for i in range(self.m)
        ]
        twice = [abs(rows[i][j] - columns[j][i]) for i in rows for j in columns]
        return {
            "matrix": matrix,
            "columns": sorted(columns),
            "rows": sorted(rows),
            "known": sum(x is not None for row in matrix for x in row),
            "difference": max(twice, default=None),
            "meters": {mode: self._measure_mode(mode) for mode in WORDS},
            "last": last and {"mode": last.mode, "seed": list(last.seed), "result": list(last.result)},
        }

    def _measure_mode(self, mode: str) -> dict[str, int]:
        """What was spent in one mode, and what the whole matrix takes."""
        spent = [each.multiplications for each in self._passes if each.mode == mode]
        size = self._size(mode)
        each = programs.take_pass(self.of, mode, (1.0, *[0.0] * (size - 1))).multiplications
        work = {"multiplications": sum(spent), "each": each, "whole": size * each}
        return {"passes": len(spent), "needed": size, **work}

    def sentence(self) -> str:
        """What the last pass has brought, and what is missing."""
        if self.reply:
            return self.reply
        if not self._passes:
            return (
                f"The program has been run and recorded once, with {_count(programs.count_run(self.of))}. Nothing is "
                f"known of its {self.m} × {self.n} matrix. Which is the shorter way to fill it: by columns, or by rows?"
            )
        return f"{self._about_the_last(self._passes[-1])} {self._about_the_matrix(self.snapshot())}"

    def _about_the_last(self, last: Pass) -> str:
        words, result = WORDS[last.mode], _list_entries(last.result)
        spent = f"{words.way} in one pass of {_count(last.multiplications)}"
        if last.entry is not None:
            return f"e{'₁₂₃₄₅₆'[last.entry]} {spent}, and {words.which} {last.entry + 1} came out: {result}."
        return (
            f"({_list_entries(last.seed)}) {spent}: {words.product} = ({result}), its combination of the "
            f"{words.which}s. No entry of the matrix was needed for it, and none is painted."
        )

    def _about_the_matrix(self, snap: dict[str, Any]) -> str:
        entries = self.n * self.m
        if snap["known"] < entries:
            return f"{snap['known']} of {entries} entries are known."
        said = "The matrix is full."
        if len(snap["columns"]) == self.n and len(snap["rows"]) == self.m:
            said += f" Columns and rows agree; the largest difference is {number(snap['difference'])}."
        columns, rows = (count_noun(size, "pass", "es") for size in (self.n, self.m))
        return f"{said} By columns it takes {columns}, by rows {rows}."

    def table(self) -> Grid:
        """The matrix, and beside each row and below each column who has painted it."""
        snap = self.snapshot()
        rows: list[tuple[str | float, ...]] = [
            (name, *("?" if x is None else x for x in row), "VJP" if i in snap["rows"] else "·")
            for i, (name, row) in enumerate(zip(self.of.results, snap["matrix"], strict=True))
        ]
        rows.append(("painted by", *("JVP" if j in snap["columns"] else "·" for j in range(self.n)), ""))
        spent = "; ".join(
            f"{mode} {count_noun(meter['passes'], 'pass', 'es')}, {_count(meter['multiplications'])}"
            for mode, meter in snap["meters"].items()
        )
        return grid(f"Jacobian: {spent}", ("", *self.of.inputs, "painted by"), rows)

    def picture(self) -> str:
        """The matrix with the last seed and what came out; beside it the meters."""
        return draw(self.of, self.snapshot())


def _count(count: int) -> str:
    return count_noun(count, "multiplication")


def _list_entries(numbers: tuple[float, ...]) -> str:
    return ", ".join(map(write_entry, numbers))
