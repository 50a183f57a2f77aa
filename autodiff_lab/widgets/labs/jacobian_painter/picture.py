"""The picture of JacobianPainter: the matrix with a seed at one side and its result at the other, and the meters."""

from __future__ import annotations

from typing import Any, NamedTuple

from autodiff_lab.text.notation import number
from autodiff_lab.widgets.labs.canvas import Point, Sheet
from autodiff_lab.widgets.labs.jacobian_painter.programs import FORWARD, REVERSE, Program, count_run

WIDTH, HEIGHT = 900, 418
LEFT, TOP, WIDEST, HIGHEST = 104, 92, 136, 96
ROOM = (534, 312)
"""For the matrix and, beside it or below it, what came out of a pass."""
METERS, LONG = 676, 212
INK = {FORWARD: "tangent", REVERSE: "adjoint"}
ARROW = {FORWARD: "↓", REVERSE: "→"}
FAINT = 1e-13


class Cells(NamedTuple):
    """Where the entries of an m × n matrix are; a small matrix has large ones."""

    wide: float
    high: float
    type: float
    places: int

    @classmethod
    def of(cls, n: int, m: int) -> Cells:
        """The cells for n columns and m rows."""
        wide, high = min(WIDEST, ROOM[0] / (n + 1)), min(HIGHEST, ROOM[1] / (m + 1))
        return cls(
            wide, high, 22 if wide > 95 and high > 70 else 17 if wide > 95 and high > 50 else 14, 4 if wide > 75 else 3
        )

    def corner(self, i: int, j: int) -> Point:
        """The upper left corner of an entry."""
        return LEFT + self.wide * j, TOP + self.high * i

    def middle(self, i: int, j: int) -> Point:
        """Where its number stands, if nothing else does."""
        return LEFT + self.wide * (j + 0.5), TOP + self.high * (i + 0.5) + 5


def draw(of: Program, snap: dict[str, Any]) -> str:
    """Draw the picture of JacobianPainter, from a program and a snapshot."""
    title = "The Jacobian as far as it is known, the last pass, and meters of passes and multiplications"
    sheet = Sheet(WIDTH, HEIGHT, title)
    cells = Cells.of(len(of.inputs), len(of.results))
    sheet.text(10, 24, f"y = {of.formula}", bold=True)
    for j, name in enumerate(of.inputs):
        sheet.text(cells.middle(0, j)[0], TOP - 10, name, "soft_ink", "middle")
    for i, name in enumerate(of.results):
        sheet.text(LEFT - 12, cells.middle(i, 0)[1], name, "soft_ink", "end")
    for i, row in enumerate(snap["matrix"]):
        for j, x in enumerate(row):
            by = [mode for mode, known in ((FORWARD, j in snap["columns"]), (REVERSE, i in snap["rows"])) if known]
            _draw_cell(sheet, cells, (i, j), x, by)
    if snap["last"]:
        _draw_last(sheet, cells, **snap["last"])
    _draw_meters(sheet, snap["meters"], count_run(of))
    sheet.text(METERS, HEIGHT - 20, f"entries known: {snap['known']} of {len(of.inputs) * len(of.results)}", bold=True)
    return sheet.svg()


def _draw_cell(sheet: Sheet, cells: Cells, at: tuple[int, int], x: float | None, by: list[str]) -> None:
    """An entry, with the mark of each pass that has brought it."""
    (left, top), (across, down) = cells.corner(*at), cells.middle(*at)
    if x is None:
        sheet.box(left + 2, top + 2, cells.wide - 4, cells.high - 4, "faint")
        sheet.text(across, down, "?", "soft_ink", "middle", cells.type)
        return
    for k, mode in enumerate(by):
        inset = 2 + 3 * k
        sheet.box(left + inset, top + inset, cells.wide - 2 * inset, cells.high - 2 * inset, INK[mode], width=2)
        sheet.text(across + 18 * (k - (len(by) - 1) / 2), top + cells.high - 7, ARROW[mode], INK[mode], "middle", 14)
    sheet.text(across, down - 6, write_entry(x, cells.places), "ink", "middle", cells.type)


def _draw_last(sheet: Sheet, cells: Cells, mode: str, seed: list[float], result: list[float]) -> None:
    """The last pass: what went in at the top or on the left, and what came out at the other side."""
    ink, size = INK[mode], len(seed)
    if mode == FORWARD:
        seed_head, result_head = (LEFT - 12, TOP - 34, "v"), (cells.middle(0, size)[0] + 10, TOP - 10, "J v")
        places = [(cells.middle(0, j)[0], TOP - 34) for j in range(size)]
        across, down, slots = 10, 0, [(i, size) for i in range(len(result))]
    else:
        seed_head, result_head = (34, TOP - 10, "w"), (LEFT - 12, cells.middle(size, 0)[1] + 10, "wᵀ J")
        places = [(34, cells.middle(i, 0)[1]) for i in range(size)]
        across, down, slots = 0, 10, [(size, j) for j in range(len(result))]
    sheet.text(*seed_head, ink, "end" if mode == FORWARD else "middle", bold=True)
    for at, x in zip(places, seed, strict=True):
        sheet.text(*at, write_entry(x, cells.places), ink, "middle", 14, bold=x != 0)
    sheet.text(*result_head, ink, "middle" if mode == FORWARD else "end", bold=True)
    for at, x in zip(slots, result, strict=True):
        (left, top), middle = cells.corner(*at), cells.middle(*at)
        sheet.box(left + across + 2, top + down + 2, cells.wide - 4, cells.high - 4, ink, "constant_paper")
        sheet.text(middle[0] + across, middle[1] + down, write_entry(x, cells.places), ink, "middle", cells.type)


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
        sheet.text(METERS, y + 48, f"passes: {meter['passes']}, the matrix takes {meter['needed']}", size=14)
        whole = LONG * meter["whole"] / max(longest, 1)
        done = min(LONG, LONG * meter["multiplications"] / max(longest, 1))
        sheet.box(METERS, y + 62, done, 16, "", ink)
        sheet.box(METERS, y + 62, whole, 16, ink, width=1.5)
        sheet.text(METERS, y + 98, f"multiplications: {meter['multiplications']} of {meter['whole']}", size=14)


def write_entry(x: float, places: int = 4) -> str:
    """Write an entry in the room of a cell; a rounding error that stands for 0 is written 0.

    >>> write_entry(1.1e-16), write_entry(-0.84604), write_entry(-0.84604, 3)
    ('0', '−0.8460', '−0.846')
    """
    if abs(x) < FAINT:
        return "0"
    if abs(x) >= 10:
        return number(float(f"{x:.4g}"))
    return number(x if places == 4 else round(x, places) or x)
