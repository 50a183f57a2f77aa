"""The picture of NaNDetective: the tape with its adjoints, what each row has sent, and the birth of the first NaN."""

from __future__ import annotations

from collections.abc import Sequence

from autodiff_lab.text.notation import NOT_REACHED
from autodiff_lab.trace.model import Contribution, Number, Step, Trace
from autodiff_lab.widgets.labs.canvas import Sheet
from autodiff_lab.widgets.labs.marks import draw_heads, draw_rule
from autodiff_lab.widgets.labs.nan_detective.birth import Birth, is_finite
from autodiff_lab.widgets.labs.nan_detective.programs import MOST_ROWS

ROW, TOP, RIGHT = 42, 46, 818
LINE, OPERATION, VALUE, ADJOINT, SENDS = 18, 116, 390, 500, 526
HEADS = (
    (LINE, "row", "start"),
    (OPERATION, "operation", "start"),
    (VALUE, "value ↓", "end"),
    (ADJOINT, "adjoint ↑", "end"),
    (SENDS, "sends back: adjoint × local partial", "start"),
)


def draw(trace: Trace, sweep: Sequence[Step], adjoints: Sequence[Number | None], birth: Birth | None) -> str:
    """Draw a tape after some steps of its sweep."""
    sheet = Sheet(830, TOP + ROW * MOST_ROWS + 34, "A tape with values, adjoints and what each row sends back")
    draw_heads(sheet, 26, HEADS)
    draw_rule(sheet, 8, RIGHT + 4, 36)
    for k, (line, adjoint) in enumerate(zip(trace.lines, adjoints, strict=True)):
        y, now = TOP + ROW * k, bool(sweep) and sweep[-1].line == k
        if now:
            sheet.box(8, y + 2, RIGHT - 4, ROW - 4, "ink", width=2)
        sheet.text(LINE, y + 26, line.row_name, bold=now)
        sheet.text(OPERATION, y + 26, line.expression or line.label)
        sheet.text(VALUE, y + 26, _mark(line.value), "value", "end", bold=True)
        text = NOT_REACHED if adjoint is None else _mark(adjoint)
        sheet.text(ADJOINT, y + 26, text, "soft_ink" if adjoint is None else "adjoint", "end", bold=True)
    for line in dict.fromkeys(step.line for step in sweep):
        sends = [send for step in sweep if step.line == line for send in step.sends]
        guilty = birth if birth and birth.send in sends else None
        _draw_sent(sheet, trace, line, [guilty.send] if guilty else sends, guilty is not None)
    sheet.text(LINE, TOP + ROW * MOST_ROWS + 22, "⚠ not finite      ✗ born here", "soft_ink", size=14)
    return sheet.svg()


def _draw_sent(sheet: Sheet, trace: Trace, line: int, sends: Sequence[Contribution], guilty: bool) -> None:
    """Draw what a row has sent; of the guilty row, the product."""
    y = TOP + ROW * line
    if guilty:
        sheet.box(SENDS - 8, y + 5, RIGHT - SENDS + 4, ROW - 10, "adjoint", "adjoint_paper", 3)
        sheet.text(RIGHT - 12, y + 27, "✗", "adjoint", "end", 18, bold=True)
    words = [f"{s.term or 'passes'} = {s.contribution.text} → {trace.lines[s.parent].label_or_name}" for s in sends]
    sheet.text(SENDS, y + 26, ",  ".join(dict.fromkeys(words)), "adjoint" if guilty else "ink", size=14)


def _mark(x: Number) -> str:
    return x.text if is_finite(x) else f"⚠ {x.text}"
