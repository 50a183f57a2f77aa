"""The picture of ThreeDesigns: three columns, above the ledger of what is kept, below what came of the trials."""

from __future__ import annotations

import textwrap
from typing import Any

from autodiff_lab.text.notation import format_expression, number, shorten
from autodiff_lab.widgets.labs.canvas import Sheet
from autodiff_lab.widgets.labs.marks import draw_rule
from autodiff_lab.widgets.labs.phrases import list_numbers

LABELS = {"v-1": "x", "v0": "y"}
"""What the inputs are called, by their names on the tape."""

ROOM = 7
"""For so many operations there are lines."""

LEFT, RIGHT = 10, 908
COLUMNS = ((150, 232), (388, 232), (626, 286))
"""Where each begins, and how wide it is."""

TOP, LINE = 74, 22
BELOW = TOP + ROOM * LINE + 6
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
WIDTH, HEIGHT = 916, BELOW + 9 * LINE + 10


def draw(snap: dict[str, Any]) -> str:
    """Draw the picture of ThreeDesigns, from a snapshot of it."""
    sheet = Sheet(WIDTH, HEIGHT, "Three designs side by side: what each keeps, and what it can do")
    _draw_frame(sheet, snap)
    apart = min(LINE * ROOM / len(snap["operations"]), 1.6 * LINE)
    for k, operation in enumerate(snap["operations"]):
        ran, y = k < snap["steps"], TOP + apart * k + 17
        written, is_last = shorten(format_expression(operation, LABELS), 16), k == snap["steps"] - 1
        sheet.text(LEFT, y, written, "ink" if ran else "soft_ink", size=14, bold=is_last)
        for (left, _), column in zip(COLUMNS, snap["columns"], strict=False):
            if ran:
                _draw_entry(sheet, left + 8, y, column["ledger"][k], "  " if column["design"] == "partials" else ", ")
            else:
                sheet.text(left + 8, y, "·", "soft_ink", size=14)
    for k, column in enumerate(snap["columns"]):
        variant = max(k - 2, 0)  # the last three designs share a column
        x = COLUMNS[k - variant][0] + 8
        if not variant:
            _draw_counts(sheet, x, column)
            _draw_trials(sheet, x, column)
        _draw_gradient(sheet, x, _row_y("gradient") + LINE * variant, column, KINDS[variant] if k >= 2 else "")
    return sheet.svg()


def _row_y(name: str) -> float:
    return BELOW + LINE * ROWS[name][0] + 17


def _draw_frame(sheet: Sheet, snap: dict[str, Any]) -> None:
    for (left, width), (name, about) in zip(COLUMNS, HEADS, strict=True):
        sheet.box(left, 4, width, HEIGHT - 8, "faint")
        sheet.text(left + 8, 24, name, "ink", bold=True)
        sheet.text(left + 8, 46, about, "soft_ink", size=14)
    at = ", ".join(f"{name} = {number(x)}" for name, x in zip(LABELS.values(), snap["inputs"], strict=True))
    sheet.text(LEFT, 24, at, "adjoint" if snap["written"] else "ink", bold=True)
    sheet.text(LEFT, 46, "overwritten" if snap["written"] else "in an array", "soft_ink", size=14)
    draw_rule(sheet, LEFT, RIGHT, TOP - 14)
    for name, (row, label) in ROWS.items():
        draw_rule(sheet, LEFT, RIGHT, BELOW + LINE * row, "faint")
        asked = name == "replay" and snap["columns"][0]["replay"]
        sheet.text(LEFT, _row_y(name), f"at {list_numbers(snap['elsewhere'])}" if asked else label, "soft_ink", size=14)


def _draw_entry(sheet: Sheet, x: float, y: float, kept: list[dict[str, Any]], separator: str) -> None:
    text = separator.join(_write_name(part["name"]) + _shorten_number(part["number"]) for part in kept)
    changed = any(part["changed"] for part in kept)
    role = "adjoint" if changed else "value" if text else "soft_ink"
    sheet.text(x, y, text or "nothing", role, size=14, bold=changed)


def _write_name(name: str) -> str:
    """Write before a number what it is: a partial by the operand it belongs to, a value by its name."""
    if "/" in name:
        return f"{format_expression(name.partition('/')[2], LABELS)}: "
    return "" if name == "constant" else f"{format_expression(name, LABELS)} = "


def _shorten_number(x: float, longest: int = 7) -> str:
    text = number(x)
    return text if len(text) <= longest else number(float(f"{x:.3g}"))


def _draw_counts(sheet: Sheet, x: float, column: dict[str, Any]) -> None:
    for name, sign in (("numbers", "■"), ("closures", "λ"), ("rules", "∂")):
        sheet.text(x, _row_y(name), str(column[name]), "ink", size=14, bold=True)
        sheet.text(x + 26, _row_y(name), sign * column[name], "value", size=14)


def _draw_gradient(sheet: Sheet, x: float, y: float, column: dict[str, Any], kind: str) -> None:
    if kind:
        sheet.text(x, y, kind, "soft_ink", size=14)
        x += 66
    if column["gradient"] is None:
        sheet.text(x, y, "·", "soft_ink", size=14)
        return
    found = f"({', '.join(_shorten_number(x, 6) for x in column['gradient'])})" if column["gradient"] else ""
    verdict = VERDICTS.get(column["verdict"], "")
    sheet.text(x, y, f"{found} {verdict}".strip(), "adjoint", size=14, bold=verdict not in ("", "survives"))


def _draw_trials(sheet: Sheet, x: float, column: dict[str, Any]) -> None:
    for name in ("again", "replay"):
        trial = column[name]
        if trial is None:
            lines = ["·"]
        elif trial["says"]:
            lines = textwrap.wrap(trial["says"].partition(": ")[2], 26)[:2]
        else:
            is_old = ", the old value" if trial["verdict"] == "no" else ""
            found = (list_numbers(x) if isinstance(x, tuple) else _shorten_number(x, 10) for x in trial["numbers"])
            lines = [f"{each}{is_old}" for each in found]
        for k, line in enumerate(lines):
            sheet.text(x, _row_y(name) + LINE * k, line, "ink" if trial else "soft_ink", size=14)
