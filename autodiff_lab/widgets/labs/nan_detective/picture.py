"""The picture of NaNDetective: the tape with its adjoints, what each row has sent, and the birth of the first NaN."""

from __future__ import annotations

from collections.abc import Sequence

from autodiff_lab.text.notation import NOT_REACHED, shorten
from autodiff_lab.trace.model import Contribution, Number, Step, Trace
from autodiff_lab.widgets.labs.canvas import Sheet
from autodiff_lab.widgets.labs.marks import draw_heads, draw_rule
from autodiff_lab.widgets.labs.nan_detective.programs import Birth, is_finite

WIDTH, HEIGHT, TOP, RIGHT = 900, 414, 44, 892
LINE, OPERATION, VALUE, ADJOINT, SENDS = 18, 132, 422, 564, 592
MOST_LETTERS = 39
"""For which there is room in the last column, in the smallest type."""
HEADS = (
    (LINE, "row", "start"),
    (OPERATION, "operation", "start"),
    (VALUE, "value ↓", "end"),
    (ADJOINT, "adjoint ↑", "end"),
    (SENDS, "sends back: adjoint × local partial", "start"),
)


def draw(trace: Trace, sweep: Sequence[Step], adjoints: Sequence[Number | None], birth: Birth | None) -> str:
    """Draw a tape after some steps of its sweep."""
    sheet = Sheet(WIDTH, HEIGHT, "A tape with values, adjoints and what each row sends back")
    row = min(108, (HEIGHT - TOP - 34) / len(trace.lines))
    size = 15 if row < 60 else 19
    draw_heads(sheet, 24, HEADS)
    draw_rule(sheet, 8, RIGHT, 36)
    for k, (line, adjoint) in enumerate(zip(trace.lines, adjoints, strict=True)):
        y, now = TOP + row * (k + 0.5), bool(sweep) and sweep[-1].line == k
        if now:
            sheet.box(8, y - row / 2 + 2, RIGHT - 8, row - 4, "ink", width=2)
        text = NOT_REACHED if adjoint is None else _mark(adjoint)
        sheet.text(LINE, y + 5, line.row_name, size=size, bold=now)
        sheet.text(OPERATION, y + 5, line.expression or line.label, size=size)
        sheet.text(VALUE, y + 5, _mark(line.value), "value", "end", size, bold=True)
        sheet.text(ADJOINT, y + 5, text, "soft_ink" if adjoint is None else "adjoint", "end", size, bold=True)
        sends = [send for step in sweep if step.line == k for send in step.sends]
        guilty = birth is not None and birth.send in sends
        if guilty:
            sheet.box(SENDS - 10, y - row / 2 + 6, RIGHT - SENDS + 4, row - 12, "adjoint", "adjoint_paper", 3)
            sheet.text(RIGHT - 18, y + 6, "✗", "adjoint", "end", 20, bold=True)
        _write_sent(sheet, y + 5, trace, [birth.send] if birth and guilty else sends, size, guilty)
    sheet.text(LINE, HEIGHT - 10, "⚠ not finite      ✗ born here", "soft_ink", size=14)
    return sheet.svg()


def _write_sent(sheet: Sheet, y: float, trace: Trace, sends: Sequence[Contribution], size: float, guilty: bool) -> None:
    """Write what a row has sent, in the smallest type where it is long; of the guilty row, the product."""
    words = [f"{s.term or 'passes'} = {s.contribution.text} → {trace.lines[s.parent].label_or_name}" for s in sends]
    text = shorten(",  ".join(dict.fromkeys(words)), MOST_LETTERS)
    sheet.text(SENDS, y, text, "adjoint" if guilty else "ink", size=size - 1 if len(text) < 32 else 14, bold=guilty)


def _mark(x: Number) -> str:
    return x.text if is_finite(x) else f"⚠ {x.text}"
