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
    """The words in which the Jacobian painter tells of the passes of one mode, forward or reverse."""

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
# For the matrix and, beside it or below it, what came out of a pass.
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
        """Begin JacobianPainter's matrix again; only the layer can have any number n of inputs and m of results."""
        if name != "program":
            self.program = LAYER
        self.n, self.m = len(self.of.inputs), len(self.of.results)
        self.begin()

    def enter(self, name: str, text: str) -> None:
        """Push the vector v that was typed into the Jacobian painter forward through its program, or pull a w back."""
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
        """Paint the next column of the Jacobian: push the first basis vector that was not pushed forward yet."""
        self._paint(FORWARD)

    def vjp(self) -> None:
        """Paint the next row of the Jacobian: pull back the first basis vector that was not pulled back yet."""
        self._paint(REVERSE)

    def _paint(self, mode: str) -> None:
        size, done = self._size(mode), self._list_painted(mode)
        k = next(k for k in range(size) if k not in done)
        self._passes.append(take_pass(self.of, mode, tuple(float(i == k) for i in range(size))))

    def back(self) -> None:
        """Take back the last pass, and with it the column or row of the Jacobian that it painted."""
        del self._passes[-1:]

    def begin(self) -> None:
        """Forget all passes: no entry of the Jacobian is painted."""
        self._passes: list[Pass] = []

    def can(self, name: str) -> bool:
        """Whether a button can be pressed: JVP while a column of the Jacobian is missing, VJP while a row is."""
        mode = {"jvp": FORWARD, "vjp": REVERSE}.get(name)
        if mode is not None:
            return len(self._list_painted(mode)) < self._size(mode)
        return bool(self._passes or self.reply)

    def still(self) -> Self:
        """The Jacobian painter for paper: one column and one row, if nothing has been painted yet."""
        return self if self._passes else self.copy("jvp", "vjp")

    # What is seen

    @property
    def of(self) -> Program:
        """The program whose Jacobian is painted, with the point at which it is differentiated."""
        return find_program(self.program, self.n, self.m)

    def _size(self, mode: str) -> int:
        return self.n if mode == FORWARD else self.m

    def _list_painted(self, mode: str) -> dict[int, tuple[float, ...]]:
        """The columns, or the rows, that have come out."""
        return {
            each.entry: each.result
            for each in self._passes
            if each.mode == mode and each.entry is not None
        }

    def snapshot(self) -> dict[str, Any]:
        """The Jacobian as far as it is known, which columns and rows are painted, and what was spent on them."""
        columns, rows = self._list_painted(FORWARD), self._list_painted(REVERSE)
        last = self._passes[-1] if self._passes else None
        matrix = [
            [
                rows[i][j] if i in rows else columns[j][i] if j in columns else None
                for j in range(self.n)
            ]
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
            "last": last
            and {"mode": last.mode, "seed": list(last.seed), "result": list(last.result)},
        }

    def _measure_mode(self, mode: str) -> dict[str, int]:
        """What was spent in one mode, and what the whole matrix takes."""
        spent = [each.multiplications for each in self._passes if each.mode == mode]
        size = self._size(mode)
        each = take_pass(self.of, mode, (1.0, *[0.0] * (size - 1))).multiplications
        work = {"multiplications": sum(spent), "each": each, "whole": size * each}
        return {"passes": len(spent), "needed": size, **work}

    def sentence(self) -> str:
        """What the last JVP or VJP has painted, and how many entries of the Jacobian are missing."""
        if self.reply:
            return self.reply
        if not self._passes:
            return (
                f"The program has been run and recorded once, with {_count(count_run(self.of))}. Nothing is "
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
            said += (
                f" Columns and rows agree; the largest difference is {number(snap['difference'])}."
            )
        columns, rows = (count_noun(size, "pass", "es") for size in (self.n, self.m))
        return f"{said} By columns it takes {columns}, by rows {rows}."

    def table(self) -> Grid:
        """The Jacobian in rows; beside each row, and below each column, whether a VJP or a JVP has painted it."""
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
        """The Jacobian with the last pass's seed and result; beside it meters of passes and multiplications."""
        of, snap = self.of, self.snapshot()
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
                by = [
                    mode
                    for mode, known in (
                        (FORWARD, j in snap["columns"]),
                        (REVERSE, i in snap["rows"]),
                    )
                    if known
                ]
                _draw_cell(sheet, cells, (i, j), x, by)
        if snap["last"]:
            _draw_last(sheet, cells, **snap["last"])
        _draw_meters(sheet, snap["meters"], count_run(of))
        sheet.text(
            METERS, HEIGHT - 20, f"entries known: {snap['known']} of {self.n * self.m}", bold=True
        )
        sheet.cut(670)
        return sheet.svg()


def _count(count: int) -> str:
    return count_noun(count, "multiplication")


def _list_entries(numbers: tuple[float, ...]) -> str:
    return ", ".join(map(_write_entry, numbers))


# What is drawn


class Cells(NamedTuple):
    """The size and the places of the cells in which the entries of an m × n Jacobian are painted."""

    wide: float
    high: float
    type: float
    places: int

    @classmethod
    def of(cls, n: int, m: int) -> Self:
        """Choose the size of the Jacobian's cells for n columns and m rows: the fewer there are, the larger."""
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
        """The upper left corner of the cell in which entry (i, j) of the Jacobian is painted."""
        return LEFT + self.wide * j, TOP + self.high * i

    def middle(self, i: int, j: int) -> Point:
        """Where the number of entry (i, j) of the Jacobian stands, in the middle of its cell."""
        return LEFT + self.wide * (j + 0.5), TOP + self.high * (i + 0.5) + 5


def _draw_cell(
    sheet: Sheet, cells: Cells, at: tuple[int, int], x: float | None, by: list[str]
) -> None:
    """An entry, with the mark of each pass that has brought it."""
    (left, top), (across, down) = cells.corner(*at), cells.middle(*at)
    if x is None:
        sheet.box(left + 2, top + 2, cells.wide - 4, cells.high - 4, "faint")
        sheet.text(across, down, "?", "soft_ink", "middle", cells.type)
        return
    for k, mode in enumerate(by):
        inset = 2 + 3 * k
        sheet.box(
            left + inset,
            top + inset,
            cells.wide - 2 * inset,
            cells.high - 2 * inset,
            INK[mode],
            width=2,
        )
        sheet.text(
            across + 18 * (k - (len(by) - 1) / 2),
            top + cells.high - 7,
            ARROW[mode],
            INK[mode],
            "middle",
            14,
        )
    sheet.text(across, down - 6, _write_entry(x, cells.places), "ink", "middle", cells.type)


def _draw_last(
    sheet: Sheet, cells: Cells, mode: str, seed: list[float], result: list[float]
) -> None:
    """The last pass: what went in at the top or on the left, and what came out at the other side."""
    ink, size = INK[mode], len(seed)
    places: list[tuple[float, float]]
    if mode == FORWARD:
        seed_head, result_head = (
            (LEFT - 12, TOP - 34, "v"),
            (cells.middle(0, size)[0] + 10, TOP - 10.0, "J v"),
        )
        places = [(cells.middle(0, j)[0], TOP - 34) for j in range(size)]
        across, down, slots = 10, 0, [(i, size) for i in range(len(result))]
    else:
        seed_head, result_head = (
            (34, TOP - 10, "w"),
            (LEFT - 12.0, cells.middle(size, 0)[1] + 10, "wᵀ J"),
        )
        places = [(34, cells.middle(i, 0)[1]) for i in range(size)]
        across, down, slots = 0, 10, [(size, j) for j in range(len(result))]
    sheet.text(*seed_head, ink, "end" if mode == FORWARD else "middle", bold=True)
    for (x0, y0), x in zip(places, seed, strict=True):
        sheet.text(x0, y0, _write_entry(x, cells.places), ink, "middle", 14, bold=x != 0)
    sheet.text(*result_head, ink, "middle" if mode == FORWARD else "end", bold=True)
    for slot, x in zip(slots, result, strict=True):
        (left, top), middle = cells.corner(*slot), cells.middle(*slot)
        sheet.box(
            left + across + 2, top + down + 2, cells.wide - 4, cells.high - 4, ink, "constant_paper"
        )
        sheet.text(
            middle[0] + across,
            middle[1] + down,
            _write_entry(x, cells.places),
            ink,
            "middle",
            cells.type,
        )


def _draw_meters(sheet: Sheet, meters: dict[str, dict[str, int]], run: int) -> None:
    """For each mode the passes as boxes and the multiplications as a bar, filled as far as they are done."""
    sheet.text(METERS, TOP - 44, f"the run: {run} multiplications", "soft_ink", size=14)
    longest = max(meter["whole"] for meter in meters.values())
    for k, (mode, meter) in enumerate(meters.items()):
        y, ink = TOP - 6 + 158 * k, INK[mode]
        name = "forward, by columns" if mode == FORWARD else "reverse, by rows"
        sheet.text(METERS, y, f"{ARROW[mode]} {name}", ink, bold=True)
        for j in range(min(max(meter["needed"], meter["passes"]), 12)):
            sheet.box(METERS + 18 * j, y + 12, 14, 14, ink, ink if j < meter["passes"] else "", 1.5)
        sheet.text(
            METERS,
            y + 48,
            f"passes: {meter['passes']}, the matrix takes {meter['needed']}",
            size=14,
        )
        whole = LONG * meter["whole"] / max(longest, 1)
        done = min(LONG, LONG * meter["multiplications"] / max(longest, 1))
        sheet.box(METERS, y + 62, done, 16, "", ink)
        sheet.box(METERS, y + 62, whole, 16, ink, width=1.5)
        sheet.text(
            METERS,
            y + 98,
            f"multiplications: {meter['multiplications']} of {meter['whole']}",
            size=14,
        )


def _write_entry(x: float, places: int = 4) -> str:
    """Write an entry of the Jacobian in the room of its cell; a rounding error that stands for 0 is written 0.

    >>> _write_entry(1.1e-16), _write_entry(-0.84604), _write_entry(-0.84604, 3)
    ('0', '−0.8460', '−0.846')
    """
    if abs(x) < FAINT:
        return "0"
    if abs(x) >= 10:
        return number(float(f"{x:.4g}"))
    return number(x if places == 4 else round(x, places) or x)
