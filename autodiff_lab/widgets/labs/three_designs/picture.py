"""The picture of ThreeDesigns: three columns, above the ledger of what is kept, below what came of the trials."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

from autodiff_lab.systems.side_by_side import Outcome
from autodiff_lab.text.notation import number, readable, shortened
from autodiff_lab.widgets.labs.canvas import Sheet

LABELS = {"v-1": "x", "v0": "y"}
"""What the inputs are called, by their names on the tape."""

ROOM = 7
"""For so many operations there are lines."""

LEFT, WIDTH = 10, 820
COLUMNS = ((134, 208), (346, 208), (558, 272))
"""Where each begins, and how wide it is."""

TOP, LINE = 78, 24
BELOW = TOP + ROOM * LINE + 12
HEADS = (
    ("partials", "document 3: numbers"),
    ("closures", "document 0: functions"),
    ("operations", "document 2: what was done"),
)
KINDS = ("as is", "copied", "checked")
ROWS = {
    "numbers": (0, "numbers kept"),
    "closures": (1, "closures alive"),
    "rules": (2, "rules looked up"),
    "gradient": (3, "gradient"),
    "again": (6, "2nd derivatives"),
    "replay": (8, "at new inputs"),
}
VERDICTS = {"survives": "survives", "changes": "changed!", "raises": "refuses"}
SIZE = (836, BELOW + 9 * LINE + 12)


def numbers(found: Iterable[Any]) -> str:
    """A few numbers in parentheses.

    >>> numbers((0.010007503399554585, 3.0))
    '(0.0100, 3)'
    """
    return f"({', '.join(map(number, found))})"


def outcome(trial: Outcome) -> dict[str, Any]:
    """What came of a trial, as plain data."""
    return {"verdict": trial.verdict, "numbers": trial.numbers, "says": trial.says}


def drawn(snap: dict[str, Any]) -> str:
    """Draw a snapshot of the lab."""
    sheet = Sheet(*SIZE, "Three designs side by side: what each keeps, and what it can do")
    _frame(sheet, snap)
    for k, operation in enumerate(snap["operations"]):
        ran, y = k < snap["steps"], TOP + LINE * k + 17
        role = "ink" if ran else "soft_ink"
        sheet.text(LEFT, y, shortened(readable(operation, LABELS), 17), role, size=14, bold=k == snap["steps"] - 1)
        for (left, _), column in zip(COLUMNS, snap["columns"], strict=False):
            if ran:
                _entry(sheet, left + 8, y, column, column["ledger"][k])
            else:
                sheet.text(left + 8, y, "·", "soft_ink", size=14)
    for k, (left, _) in enumerate(COLUMNS):
        column = snap["columns"][k]
        _counts(sheet, left + 8, column)
        _trials(sheet, left + 8, column)
        variants = snap["columns"][k:] if k == 2 else [column]
        for i, variant in enumerate(variants):
            _gradient(sheet, left + 8, _row("gradient") + LINE * i, variant, KINDS[i] if k == 2 else "")
    return sheet.svg()


def _row(name: str) -> float:
    return BELOW + LINE * ROWS[name][0] + 17


def _frame(sheet: Sheet, snap: dict[str, Any]) -> None:
    for (left, width), (name, about) in zip(COLUMNS, HEADS, strict=True):
        sheet.box(left, 4, width, SIZE[1] - 8, "faint")
        sheet.text(left + 8, 24, name, "ink", bold=True)
        sheet.text(left + 8, 46, about, "soft_ink", size=14)
    at = ", ".join(f"{name} = {number(x)}" for name, x in zip(LABELS.values(), snap["inputs"], strict=True))
    sheet.text(LEFT, 24, at, "adjoint" if snap["written"] else "ink", bold=True)
    sheet.text(LEFT, 46, "overwritten" if snap["written"] else "in an array", "soft_ink", size=14)
    sheet.path([(LEFT, TOP - 14), (WIDTH, TOP - 14)], "line", 1)
    for name, (row, label) in ROWS.items():
        sheet.path([(LEFT, BELOW + LINE * row), (WIDTH, BELOW + LINE * row)], "faint", 1)
        asked = name == "replay" and snap["columns"][0]["replay"]
        sheet.text(LEFT, _row(name), f"at {numbers(snap['elsewhere'])}" if asked else label, "soft_ink", size=14)


def _entry(sheet: Sheet, x: float, y: float, column: dict[str, Any], kept: list[dict[str, Any]]) -> None:
    """What is kept of one operation: a partial by the operand it belongs to, a value by its name."""
    if column["design"] == "partials":
        text = "  ".join(f"∂{readable(part['name'].split('/∂')[1], LABELS)}: {_short(part['number'])}" for part in kept)
    else:
        text = ", ".join(
            ("" if part["name"] == "constant" else f"{readable(part['name'], LABELS)} = ") + _short(part["number"])
            for part in kept
        )
    changed = any(part["changed"] for part in kept)
    sheet.text(
        x, y, text or "nothing", "adjoint" if changed else "value" if text else "soft_ink", size=14, bold=changed
    )


def _short(x: float, longest: int = 7) -> str:
    text = number(x)
    return text if len(text) <= longest else number(float(f"{x:.3g}"))


def _counts(sheet: Sheet, x: float, column: dict[str, Any]) -> None:
    for name, sign in (("numbers", "■"), ("closures", "λ"), ("rules", "∂")):
        sheet.text(x, _row(name), str(column[name]), "ink", size=14, bold=True)
        sheet.text(x + 26, _row(name), sign * column[name], "value", size=14)


def _gradient(sheet: Sheet, x: float, y: float, column: dict[str, Any], kind: str) -> None:
    if kind:
        sheet.text(x, y, kind, "soft_ink", size=14)
        x += 66
    if column["gradient"] is None:
        sheet.text(x, y, "·", "soft_ink", size=14)
        return
    found = f"({', '.join(_short(x, 6) for x in column['gradient'])})" if column["gradient"] else ""
    verdict = VERDICTS.get(column["verdict"], "")
    sheet.text(x, y, f"{found} {verdict}".strip(), "adjoint", size=14, bold=verdict not in ("", "survives"))


def _trials(sheet: Sheet, x: float, column: dict[str, Any]) -> None:
    for name in ("again", "replay"):
        trial = column[name]
        if trial is None:
            lines = ["·"]
        elif trial["says"]:
            lines = textwrap.wrap(trial["says"].partition(": ")[2], 26)[:2]
        else:
            lines = [numbers(row) if isinstance(row, tuple) else _short(row, 10) for row in trial["numbers"]]
            if trial["verdict"] == "no":
                lines = [f"{line}, the old value" for line in lines]
        for k, line in enumerate(lines):
            sheet.text(x, _row(name) + LINE * k, line, "ink" if trial else "soft_ink", size=14)
