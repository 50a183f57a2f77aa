"""The controller of the lab JacobianPainter: its buttons for JVPs and VJPs, its sentence, its table and its picture."""

import re
from typing import Any, NamedTuple, Self

from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.numbers import number
from autodiff_lab.widgets.labs.canvas import Point, Sheet
from autodiff_lab.widgets.labs.jacobian_painter.passes import (
    FORWARD,
    REVERSE,
    Pass,
    count_run,
    take_pass,
)
from autodiff_lab.widgets.labs.jacobian_painter.programs import (
    LARGEST,
    LAYER,
    NAMES,
    Program,
    find_program,
)
from autodiff_lab.widgets.labs.lab import Button, Choice, Entry, Lab, Slider
from autodiff_lab.widgets.labs.phrases import count_noun
from autodiff_lab.widgets.labs.typed_number import parse_number


class Words(NamedTuple):
    """The words for the passes of one mode, forward or reverse."""

    way: str
    seed: str
    which: str
    product: str


WORDS = {
    FORWARD: Words(
        "was pushed forward", "a push takes a tangent, one for each input", "column", "J v"
    ),
    REVERSE: Words(
        "was pulled back", "a pull takes an adjoint, one for each result", "row", "wᵀ J"
    ),
}

WIDTH, HEIGHT = 900, 418
LEFT, TOP, WIDEST, HIGHEST = 104, 92, 136, 96
# Width and height for the matrix together with the result of a pass, to its right or below it.
ROOM = (534, 312)
METERS, LONG = 676, 212
INK = {FORWARD: "tangent", REVERSE: "adjoint"}
ARROW = {FORWARD: "↓", REVERSE: "→"}
FAINT = 1e-13


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
        Choice("program", "program", NAMES),
        Slider("n", "inputs, n", 1, LARGEST, 1, 3),
        Slider("m", "results, m", 1, LARGEST, 1, 2),
        Button("begin", "Begin again"),
        Entry("v", "or push any v", "1, 0, 2", more=True),
        Entry("w", "or pull any w", "1, 1", more=True),
        Button("back", "Back", more=True),
    )
    program: str
    n: int
    m: int
    v: str
    w: str

    # Controls

    def change(self, name: str) -> None:
        """Begin again with another program; a change of n or m selects the layer, the only one of variable size."""
        if name != "program":
            self.program = LAYER
        program = self.of
        self.n = len(program.inputs)
        self.m = len(program.results)
        self.begin()

    def enter(self, name: str, text: str) -> None:
        """Push the typed vector v forward through the program, or pull the typed w back."""
        mode = FORWARD if name == "v" else REVERSE
        size = self._size(mode)
        seed = tuple(parse_number(part) for part in re.split(r"[\s,;]+", text.strip(" ,;()[]\n\t")))
        if None in seed or len(seed) != size:
            example = ", ".join("102"[k % 3] for k in range(size))
            numbers = count_noun(size, "number")
            self.reply = (
                f"{text!r} cannot be used: {WORDS[mode].seed}. Type {numbers}, such as {example}."
            )
        else:
            self._passes.append(take_pass(self.of, mode, seed))

    def jvp(self) -> None:
        """Paint the next column: push the first basis vector forward that has not been pushed yet."""
        self._paint(FORWARD)

    def vjp(self) -> None:
        """Paint the next row: pull the first basis vector back that has not been pulled yet."""
        self._paint(REVERSE)

    def _paint(self, mode: str) -> None:
        size = self._size(mode)
        done = self._list_painted(mode)
        next_entry = next(k for k in range(size) if k not in done)
        basis_vector = tuple(float(k == next_entry) for k in range(size))
        self._passes.append(take_pass(self.of, mode, basis_vector))

    def back(self) -> None:
        """Undo the last pass, and with it the column or row that it painted."""
        del self._passes[-1:]

    def begin(self) -> None:
        """Start without any passes, so that no entry is painted."""
        self._passes: list[Pass] = []

    def can(self, name: str) -> bool:
        """Return True if a button can be pressed: JVP if a column of the matrix is missing, VJP if a row is."""
        mode = {"jvp": FORWARD, "vjp": REVERSE}.get(name)
        if mode is not None:
            return len(self._list_painted(mode)) < self._size(mode)
        return bool(self._passes or self.reply)

    def still(self) -> Self:
        """Return a lab for a static page, with a column and a row if nothing has been painted yet."""
        return self if self._passes else self.copy("jvp", "vjp")

    # The view

    @property
    def of(self) -> Program:
        """The program, with the point at which it is differentiated."""
        return find_program(self.program, self.n, self.m)

    def _size(self, mode: str) -> int:
        return self.n if mode == FORWARD else self.m

    def _list_painted(self, mode: str) -> dict[int, tuple[float, ...]]:
        """Return the columns (forward) or the rows (reverse) that are known, by index."""
        return {
            each.entry: each.result
            for each in self._passes
            if each.mode == mode and each.entry is not None
        }

    def snapshot(self) -> dict[str, Any]:
        """Return the known part of the Jacobian, the painted columns and rows, and the cost so far."""
        columns = self._list_painted(FORWARD)
        rows = self._list_painted(REVERSE)
        last = None
        if self._passes:
            mode, seed, result, _ = self._passes[-1]
            last = {"mode": mode, "seed": list(seed), "result": list(result)}
        matrix: list[list[float | None]] = [[None] * self.n for _ in range(self.m)]
        for j, column in columns.items():
            for i in range(self.m):
                matrix[i][j] = column[i]
        for i, row in rows.items():
            matrix[i] = list(row)
        twice = [abs(rows[i][j] - columns[j][i]) for i in rows for j in columns]
        return {
            "matrix": matrix,
            "columns": sorted(columns),
            "rows": sorted(rows),
            "known": sum(x is not None for row in matrix for x in row),
            "difference": max(twice, default=None),
            "meters": {mode: self._measure_mode(mode) for mode in WORDS},
            "last": last,
        }

    def _measure_mode(self, mode: str) -> dict[str, int]:
        """Return the passes and multiplications so far in one mode, and those that the whole matrix needs."""
        spent = [each.multiplications for each in self._passes if each.mode == mode]
        size = self._size(mode)
        each = take_pass(self.of, mode, (1.0, *[0.0] * (size - 1))).multiplications
        return {
            "passes": len(spent),
            "needed": size,
            "multiplications": sum(spent),
            "each": each,
            "whole": size * each,
        }

    def sentence(self) -> str:
        """Describe what the last pass painted, and how many entries are known."""
        if self.reply:
            return self.reply
        if not self._passes:
            return (
                f"The program has been run and recorded once, with {_count(count_run(self.of))}. Nothing is "
                f"known of its {self.m} × {self.n} matrix. Which is the shorter way to fill it: by columns, or by rows?"
            )
        return f"{self._about_the_last(self._passes[-1])} {self._about_the_matrix(self.snapshot())}"

    def _about_the_last(self, last: Pass) -> str:
        words = WORDS[last.mode]
        result = _list_entries(last.result)
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
            said += (
                f" Columns and rows agree; the largest difference is {number(snap['difference'])}."
            )
        columns = count_noun(self.n, "pass", "es")
        rows = count_noun(self.m, "pass", "es")
        return f"{said} By columns it takes {columns}, by rows {rows}."

    def table(self) -> Grid:
        """List the Jacobian by rows, with the kind of pass that painted each row and each column."""
        snap = self.snapshot()
        rows: list[tuple[str | float, ...]] = [
            (name, *("?" if x is None else x for x in row), "VJP" if i in snap["rows"] else "·")
            for i, (name, row) in enumerate(zip(self.of.results, snap["matrix"], strict=True))
        ]
        rows.append(
            ("painted by", *("JVP" if j in snap["columns"] else "·" for j in range(self.n)), "")
        )
        spent = "; ".join(
            f"{mode} {count_noun(meter['passes'], 'pass', 'es')}, {_count(meter['multiplications'])}"
            for mode, meter in snap["meters"].items()
        )
        return grid(f"Jacobian: {spent}", ("", *self.of.inputs, "painted by"), rows)

    def picture(self) -> str:
        """Draw the Jacobian with the last pass's seed and result, and meters of passes and multiplications."""
        of = self.of
        snap = self.snapshot()
        title = "The Jacobian as far as it is known, the last pass, and meters of passes and multiplications"
        sheet = Sheet(WIDTH, HEIGHT, title)
        cells = Cells.of(self.n, self.m)
        sheet.text(10, 24, f"y = {of.formula}", bold=True)
        for j, name in enumerate(of.inputs):
            sheet.text(cells.middle(0, j)[0], TOP - 10, name, "soft_ink", "middle")
        for i, name in enumerate(of.results):
            sheet.text(LEFT - 12, cells.middle(i, 0)[1], name, "soft_ink", "end")
        for i, row in enumerate(snap["matrix"]):
            for j, x in enumerate(row):
                by = []
                if j in snap["columns"]:
                    by.append(FORWARD)
                if i in snap["rows"]:
                    by.append(REVERSE)
                _draw_cell(sheet, cells, (i, j), x, by)
        if snap["last"]:
            _draw_last(sheet, cells, **snap["last"])
        _draw_meters(sheet, snap["meters"], count_run(of))
        known = f"entries known: {snap['known']} of {self.n * self.m}"
        sheet.text(METERS, HEIGHT - 20, known, bold=True)
        sheet.cut(670)
        return sheet.svg()


def _count(count: int) -> str:
    return count_noun(count, "multiplication")


def _list_entries(numbers: tuple[float, ...]) -> str:
    return ", ".join(map(_write_entry, numbers))


# The picture


class Cells(NamedTuple):
    """The size of the cells of an m × n Jacobian in the picture, and the size of the numbers in them."""

    wide: float
    high: float
    type: float
    places: int

    @classmethod
    def of(cls, n: int, m: int) -> Self:
        """Choose the size of the cells for n columns and m rows; fewer cells are larger."""
        wide = min(WIDEST, ROOM[0] / (n + 1))
        high = min(HIGHEST, ROOM[1] / (m + 1))
        if wide <= 95 or high <= 50:
            size = 14
        elif high <= 70:
            size = 17
        else:
            size = 22
        places = 4 if wide > 75 else 3
        return cls(wide, high, size, places)

    def corner(self, i: int, j: int) -> Point:
        """Return the upper left corner of the cell of entry (i, j)."""
        return LEFT + self.wide * j, TOP + self.high * i

    def middle(self, i: int, j: int) -> Point:
        """Return the place of the number of entry (i, j), in the middle of its cell."""
        return LEFT + self.wide * (j + 0.5), TOP + self.high * (i + 0.5) + 5


def _draw_cell(
    sheet: Sheet, cells: Cells, at: tuple[int, int], x: float | None, by: list[str]
) -> None:
    """Draw an entry, with a mark for each kind of pass that has found it."""
    left, top = cells.corner(*at)
    across, down = cells.middle(*at)
    if x is None:
        sheet.box(left + 2, top + 2, cells.wide - 4, cells.high - 4, "faint")
        sheet.text(across, down, "?", "soft_ink", "middle", cells.type)
        return
    for k, mode in enumerate(by):
        inset = 2 + 3 * k
        wide = cells.wide - 2 * inset
        high = cells.high - 2 * inset
        sheet.box(left + inset, top + inset, wide, high, INK[mode], width=2)
        arrow_x = across + 18 * (k - (len(by) - 1) / 2)
        sheet.text(arrow_x, top + cells.high - 7, ARROW[mode], INK[mode], "middle", 14)
    sheet.text(across, down - 6, _write_entry(x, cells.places), "ink", "middle", cells.type)


def _draw_last(
    sheet: Sheet, cells: Cells, mode: str, seed: list[float], result: list[float]
) -> None:
    """Draw the last pass: its seed above or to the left of the matrix, and its result on the other side."""
    ink = INK[mode]
    size = len(seed)
    places: list[tuple[float, float]]
    if mode == FORWARD:
        seed_head = (LEFT - 12, TOP - 34, "v")
        result_head = (cells.middle(0, size)[0] + 10, TOP - 10.0, "J v")
        places = [(cells.middle(0, j)[0], TOP - 34) for j in range(size)]
        slots = [(i, size) for i in range(len(result))]
        across, down = 10, 0
    else:
        seed_head = (34, TOP - 10, "w")
        result_head = (LEFT - 12.0, cells.middle(size, 0)[1] + 10, "wᵀ J")
        places = [(34, cells.middle(i, 0)[1]) for i in range(size)]
        slots = [(size, j) for j in range(len(result))]
        across, down = 0, 10
    sheet.text(*seed_head, ink, "end" if mode == FORWARD else "middle", bold=True)
    for (x0, y0), x in zip(places, seed, strict=True):
        sheet.text(x0, y0, _write_entry(x, cells.places), ink, "middle", 14, bold=x != 0)
    sheet.text(*result_head, ink, "middle" if mode == FORWARD else "end", bold=True)
    for slot, x in zip(slots, result, strict=True):
        left, top = cells.corner(*slot)
        left += across + 2
        top += down + 2
        sheet.box(left, top, cells.wide - 4, cells.high - 4, ink, "constant_paper")
        middle, baseline = cells.middle(*slot)
        text = _write_entry(x, cells.places)
        sheet.text(middle + across, baseline + down, text, ink, "middle", cells.type)


def _draw_meters(sheet: Sheet, meters: dict[str, dict[str, int]], run: int) -> None:
    """Draw for each mode the passes as boxes and the multiplications as a bar, filled as far as they are done."""
    sheet.text(METERS, TOP - 44, f"the run: {run} multiplications", "soft_ink", size=14)
    longest = max(meter["whole"] for meter in meters.values())
    for k, (mode, meter) in enumerate(meters.items()):
        y = TOP - 6 + 158 * k
        ink = INK[mode]
        name = "forward, by columns" if mode == FORWARD else "reverse, by rows"
        sheet.text(METERS, y, f"{ARROW[mode]} {name}", ink, bold=True)
        for j in range(min(max(meter["needed"], meter["passes"]), 12)):
            sheet.box(METERS + 18 * j, y + 12, 14, 14, ink, ink if j < meter["passes"] else "", 1.5)
        passes = f"passes: {meter['passes']}, the matrix takes {meter['needed']}"
        sheet.text(METERS, y + 48, passes, size=14)
        whole = LONG * meter["whole"] / max(longest, 1)
        done = min(LONG, LONG * meter["multiplications"] / max(longest, 1))
        sheet.box(METERS, y + 62, done, 16, "", ink)
        sheet.box(METERS, y + 62, whole, 16, ink, width=1.5)
        multiplications = f"multiplications: {meter['multiplications']} of {meter['whole']}"
        sheet.text(METERS, y + 98, multiplications, size=14)


def _write_entry(x: float, places: int = 4) -> str:
    """Write an entry of the Jacobian so that it fits into a cell; a number that differs from 0 only by rounding is 0.

    >>> _write_entry(1.1e-16), _write_entry(-0.84604), _write_entry(-0.84604, 3)
    ('0', '−0.8460', '−0.846')
    """
    if abs(x) < FAINT:
        return "0"
    if abs(x) >= 10:
        return number(float(f"{x:.4g}"))
    return number(x if places == 4 else round(x, places) or x)
