"""The controller of the lab ThreeDesigns: its trials on partials, closures and operations, and the three columns."""

import textwrap
from functools import lru_cache, partialmethod
from typing import Any, Self

import numpy as np

from autodiff_lab.engine.errors import AutodiffError
from autodiff_lab.lessons.examples.expressions import parse_expression
from autodiff_lab.systems.side_by_side import Column, Comparison, compare
from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.notation import format_expression, shorten
from autodiff_lab.text.numbers import number
from autodiff_lab.widgets.labs.canvas import Sheet, draw_rule
from autodiff_lab.widgets.labs.lab import Button, Choice, Entry, Lab, Slider
from autodiff_lab.widgets.labs.phrases import list_numbers

# The names of the inputs in the lab, by their names on the tape.
LABELS = {"v-1": "x", "v0": "y"}

# The largest number of operations that the picture has lines for.
ROOM = 7

LEFT, RIGHT = 10, 952
# The left edge and the width of each column.
COLUMNS = ((186, 236), (428, 236), (670, 284))

TOP, LINE = 98, 21
BELOW = TOP + ROOM * LINE + 6
HEADS = (
    ("partials", "stores numbers: the partials"),
    ("closures", "stores functions for later"),
    ("operations", "stores what was done"),
)
# The contents of the lines below each head.
STORED = (
    "∂ with respect to each operand",
    "a function λ for its partials",
    "its operands and its result",
)
TRIALS = ("gradient", "again", "replay")
KINDS = ("as is", "copied", "checked")
ROWS = {
    "numbers": (0, "numbers kept"),
    "closures": (1, "closures kept"),
    "rules": (2, "rules looked up"),
    "gradient": (3, "the gradient?"),
    "again": (6, "second derivatives?"),
    "replay": (8, "run at new inputs?"),
}
# For each verdict on a gradient after the inputs were overwritten: its symbol, its words, and their role.
VERDICTS = {
    "": ("✓", "", "value"),
    "survives": ("✓", "still right", "value"),
    "changes": ("✗", "wrong now", "adjoint"),
    "raises": ("!", "refuses", "adjoint"),
}
# The distance from a symbol to its words.
AFTER = 20
WIDTH, HEIGHT = 960, BELOW + 9 * LINE + 10

PROGRAMS = (
    "sin(x) + x * y",
    "log(x) + x * y - sin(y)",
    "tanh(x * y + 1)",
    "exp(x) / y",
    "x + y + x + y",
    "hypot(x, y)",
)
OWN = "your own"
LOOK_INTO_THE_ARRAY = ("closures", "operations", "operations, inputs checked")


class ThreeDesigns(Lab):
    """A lab on three designs of a tape, partials, closures and operations: what each keeps, and what it can do.

    >>> lab = ThreeDesigns()
    >>> for name in ("write", "sweep"):
    ...     lab.press(name)
    >>> for column in lab.snapshot()["columns"]:
    ...     print(column["design"], column["numbers"], column["gradient"], column["verdict"], sep=" | ")
    partials | 5 | (0.010007503399554585, 3.0) | survives
    closures | 2 | (1.0, 0.0) | changes
    operations | 5 | (1.0, 0.0) | changes
    operations, inputs copied | 5 | (0.010007503399554585, 3.0) | survives
    operations, inputs checked | 5 | () | raises
    """

    about = "The program has run. Before each press, say which of the columns will manage."
    controls = (
        Button("write", "Write 0 into x and y"),
        Button("sweep", "Sweep"),
        Button("again", "Differentiate again"),
        Button("replay", "Run at new inputs"),
        Button("begin", "Begin again"),
        Button("step", "Step"),
        Choice("program", "program", (*PROGRAMS, OWN), more=True),
        Entry("expression", "or type one in x and y", "x * exp(y)", more=True),
        Slider("x", "x", 0.25, 4, 0.05, 3.0, more=True),
        Slider("y", "y", 0.25, 4, 0.05, 1.0, more=True),
    )
    program: str
    expression: str
    x: float
    y: float

    tried: list[str]

    _typed = "x * exp(y)"

    def begin(self) -> None:
        """Run the whole program in all three designs, without any trials."""
        self.steps = len(self.comparison.program)
        self.tried = []

    def change(self, name: str) -> None:
        """Begin again with another program or point."""
        self.begin()

    @property
    def text(self) -> str:
        """The text of the program: one from the list, or the typed expression."""
        return self._typed if self.program == OWN else self.program

    def enter(self, name: str, text: str) -> None:
        """Record the typed expression in the three designs, if there are enough lines for its operations."""
        try:
            operations = len(_compare(text, self.x, self.y).program)
        except (AutodiffError, ArithmeticError) as problem:
            self.reply = str(problem)
            return
        if not 1 <= operations <= ROOM:
            self.reply = (
                f"This expression has {operations} operations, and the lab records from 1 to {ROOM}. "
                "Type another one."
            )
            return
        self._typed = text
        self.program = OWN
        self.begin()

    # Buttons

    def step(self) -> None:
        """Run one more operation in all three designs; after the last, begin with the first."""
        self.steps = 1 if self._is_over else self.steps + 1
        self.tried = []

    def write(self) -> None:
        """Overwrite the inputs with 0, to see which designs have a copy; the result of an earlier sweep is removed."""
        self.tried = [name for name in self.tried if name != "sweep"] + ["write"]

    def _try(self, name: str) -> None:
        """Try in each design to sweep, to differentiate again, or to replay at other inputs."""
        self.tried.append(name)

    sweep = partialmethod(_try, "sweep")
    again = partialmethod(_try, "again")
    replay = partialmethod(_try, "replay")

    @property
    def _is_over(self) -> bool:
        return self.steps == len(self.comparison.program)

    def can(self, name: str) -> bool:
        """Return True if a button can be pressed; once the inputs are overwritten, the sweep is the only trial left."""
        if name == "step":
            return True
        if name == "begin":
            return bool(self.tried or self.reply) or not self._is_over
        if not self._is_over or name in self.tried:
            return False
        return name == "sweep" or "write" not in self.tried

    def still(self) -> Self:
        """Return a lab for a static page: all trials made and the inputs overwritten, so that the designs differ."""
        shown = self.copy()
        shown._typed = self._typed
        shown.begin()
        for name in ("again", "replay", "write", "sweep"):
            shown.press(name)
        return shown

    # The view

    @property
    def comparison(self) -> Comparison:
        """The comparison of the three designs for this program at these inputs, with the results of all trials."""
        return _compare(self.text, self.x, self.y)

    def snapshot(self) -> dict[str, Any]:
        """Return what each design has stored so far, and the result of each trial that was made."""
        whole = self.comparison
        return {
            "program": self.text,
            "inputs": whole.written if "write" in self.tried else whole.inputs,
            "written": "write" in self.tried,
            "elsewhere": whole.elsewhere,
            "steps": self.steps,
            "operations": list(whole.program),
            "columns": [self._column(column) for column in whole.columns],
            "refused": self.reply,
        }

    def _column(self, column: Column) -> dict[str, Any]:
        is_written = "write" in self.tried
        is_swept = "sweep" in self.tried
        whole = self.comparison
        overwritten = {}
        if is_written and column.design in LOOK_INTO_THE_ARRAY:
            overwritten = dict(zip(LABELS, whole.written, strict=True))
        gradient = None
        verdict = ""
        if is_swept and is_written:
            gradient = column.mutated.numbers
            verdict = column.mutated.verdict
        elif is_swept:
            gradient = column.gradient
        rules = 0
        if is_swept or column.design == "partials":
            rules = whole.columns[0].count_kept(self.steps)
        return {
            "design": column.design,
            "ledger": self._ledger(column, overwritten),
            "numbers": column.count_kept(self.steps),
            "closures": self.steps if column.closures else 0,
            "rules": rules,
            "gradient": gradient,
            "verdict": verdict,
            "again": vars(column.again) if "again" in self.tried else None,
            "replay": vars(column.replay) if "replay" in self.tried else None,
        }

    def _ledger(self, column: Column, overwritten: dict[str, float]) -> list[list[dict[str, Any]]]:
        """Return the stored numbers of each operation so far, with those that were overwritten since."""
        ledger = []
        for kept, marks in zip(column.ledger, column.mark_new(), strict=True):
            numbers = []
            for name, x, is_new in zip(kept.names, kept.numbers, marks, strict=True):
                now = overwritten.get(name, x)
                numbers.append({"name": name, "number": now, "changed": now != x, "new": is_new})
            ledger.append(numbers)
        return ledger[: self.steps]

    def sentence(self) -> str:
        """Describe what the last trial has shown, or ask a question before the next."""
        if self.reply:
            return self.reply
        last = self.tried[-1] if self.tried else "step"
        describe = getattr(self, f"_about_the_{last}")
        return describe(self.snapshot())

    def _about_the_step(self, snap: dict[str, Any]) -> str:
        partials, closures, operations = (column["numbers"] for column in snap["columns"][:3])
        kept = f"Kept so far: {partials} as partials, {closures} in closures, {operations} with the operations."
        if snap["steps"] < len(snap["operations"]):
            last = snap["operations"][snap["steps"] - 1]
            return f"{format_expression(last, LABELS)} has run. {kept}"
        rules = snap["columns"][0]["rules"]
        return (
            f"The program is over. {kept} For the partials {rules} rules were looked up during the run; "
            "the other two look theirs up in the sweep."
        )

    def _about_the_sweep(self, snap: dict[str, Any]) -> str:
        if "write" not in self.tried:
            return (
                f"Every design gives the gradient {list_numbers(snap['columns'][0]['gradient'])}."
            )
        verdicts = {"survives": "Still right", "changes": "Wrong now", "raises": "Refused"}
        parts = []
        for verdict, words in verdicts.items():
            designs = [
                column["design"] for column in snap["columns"] if column["verdict"] == verdict
            ]
            if designs:
                parts.append(f"{words}: {_list_designs(designs)}.")
        return f"The inputs were overwritten before the sweep. {' '.join(parts)}"

    def _about_the_write(self, snap: dict[str, Any]) -> str:
        return "After the run, 0 was written over x and y. Look for the columns whose numbers have changed. Then sweep."

    def _about_the_again(self, snap: dict[str, Any]) -> str:
        unable = [
            f"{c['design']}: {c['again']['says']}"
            for c in snap["columns"]
            if c["again"]["verdict"] != "yes"
        ]
        return (
            f"Second derivatives from {_list_able(snap, 'again')}. None from {'; '.join(unable)}."
        )

    def _about_the_replay(self, snap: dict[str, Any]) -> str:
        return (
            f"The inputs {list_numbers(snap['elsewhere'])} were passed instead. The value there comes from "
            f"{_list_able(snap, 'replay')}. The others still have the value of the old run."
        )

    def table(self) -> Grid:
        """List for each design what it stores, and the results of the trials that were made."""
        snap = self.snapshot()
        rows = []
        for column in snap["columns"]:
            amounts = [column[amount] for amount in ("numbers", "closures", "rules")]
            gradient = _write_gradient(column["gradient"], column["verdict"])
            again = column["again"]["verdict"] if column["again"] else "·"
            replay = column["replay"]["verdict"] if column["replay"] else "·"
            rows.append((column["design"], *amounts, gradient, again, replay))
        heads = (
            "design",
            "numbers kept",
            "closures",
            "rules looked up",
            "gradient",
            "again",
            "at new inputs",
        )
        caption = f"{self.text}, {snap['steps']} of {len(snap['operations'])} operations run"
        return grid(caption, heads, rows)

    def picture(self) -> str:
        """Draw a column for each design: what it stores of each operation, and what it can do."""
        snap = self.snapshot()
        title = "Three designs side by side: what each keeps, and what it can do"
        sheet = Sheet(WIDTH, HEIGHT, title)
        _draw_frame(sheet, snap)
        apart = min(LINE * ROOM / len(snap["operations"]), 1.6 * LINE)
        for k, operation in enumerate(snap["operations"]):
            y = TOP + apart * k + 17
            ran = k < snap["steps"]
            is_last = k == snap["steps"] - 1
            written = shorten(format_expression(operation, LABELS), 16)
            sheet.text(LEFT, y, written, "ink" if ran else "soft_ink", size=14, bold=is_last)
            for (left, _), column in zip(COLUMNS, snap["columns"], strict=False):
                if ran:
                    _draw_entry(sheet, left + 8, y, column["ledger"][k], column["design"])
                else:
                    sheet.text(left + 8, y, "·", "soft_ink", size=14)
        for k, column in enumerate(snap["columns"]):
            variant = max(k - 2, 0)  # the last three designs share a column
            x = COLUMNS[k - variant][0] + 8
            if not variant:
                _draw_counts(sheet, x, column)
                _draw_trials(sheet, x, column)
            kind = KINDS[variant] if k >= 2 else ""
            _draw_gradient(sheet, x, _row_y("gradient") + LINE * variant, column, kind)
        deep = HEIGHT - 4.0
        names = (0.0, 0.0, 184.0, deep)
        sheet.fold(*([names, (left - 2.0, 0.0, width + 4.0, deep)] for left, width in COLUMNS))
        return sheet.svg()


@lru_cache(maxsize=512)
def _compare(text: str, x: float, y: float) -> Comparison:
    with np.errstate(all="ignore"):  # 1 / 0 is shown as ∞, without a warning
        return compare(parse_expression(text, tuple(LABELS.values())), x, y)


def _list_able(snap: dict[str, Any], trial: str) -> str:
    return _list_designs([c["design"] for c in snap["columns"] if c[trial]["verdict"] == "yes"])


def _list_designs(designs: list[str]) -> str:
    """List designs in one phrase; the two safe variants of the third are named in parentheses.

    >>> _list_designs(["closures", "operations, inputs copied"])
    'closures and operations (inputs copied)'
    """
    names = []
    for design in designs:
        name, _, variant = design.partition(", ")
        names.append(f"{name} ({variant})" if variant else name)
    if not names:
        return "none"
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _write_gradient(gradient: tuple[float, ...] | None, verdict: str) -> str:
    if gradient is None:
        return "·"
    if not gradient:
        return verdict
    return f"{list_numbers(gradient)} {verdict}".strip()


# The picture


def _row_y(name: str) -> float:
    return BELOW + LINE * ROWS[name][0] + 17


def _draw_frame(sheet: Sheet, snap: dict[str, Any]) -> None:
    for (left, width), (name, about) in zip(COLUMNS, HEADS, strict=True):
        sheet.box(left, 4, width, HEIGHT - 8, "faint")
        sheet.text(left + 8, 24, name, "ink", bold=True)
        sheet.text(left + 8, 46, about, "soft_ink", size=14)
    inputs = zip(LABELS.values(), snap["inputs"], strict=True)
    at = ", ".join(f"{name} = {number(x)}" for name, x in inputs)
    sheet.text(LEFT, 24, at, "adjoint" if snap["written"] else "ink", bold=True)
    state = "✗ overwritten since" if snap["written"] else "the inputs, in an array"
    sheet.text(LEFT, 46, state, "adjoint" if snap["written"] else "soft_ink", size=14)
    draw_rule(sheet, LEFT, RIGHT, 58)
    sheet.text(LEFT, 80, "operation", "soft_ink", size=14)
    for (left, _), what in zip(COLUMNS, STORED, strict=True):
        sheet.text(left + 8, 80, what, "soft_ink", size=14)
    for name, (row, label) in ROWS.items():
        draw_rule(sheet, LEFT, RIGHT, BELOW + LINE * row, "faint")
        asked = name == "replay" and snap["columns"][0]["replay"]
        words = f"run at {list_numbers(snap['elsewhere'])}?" if asked else label
        sheet.text(LEFT, _row_y(name), words, "ink" if name in TRIALS else "soft_ink", size=14)
    for k, words in enumerate(("(operations: inputs", "as is, copied, checked)")):
        sheet.text(LEFT, _row_y("gradient") + LINE * (k + 1), words, "soft_ink", size=14)


def _draw_entry(sheet: Sheet, x: float, y: float, kept: list[dict[str, Any]], design: str) -> None:
    """Write what a design has stored of an operation, with a cross if a number has been overwritten since.

    A number that an earlier operation has stored counts only once, so only its name is written.
    """
    text = ", ".join(_write_part(part) for part in kept)
    changed = any(part["changed"] for part in kept)
    if design == "closures":
        text = f"λ: {text}" if text else "λ"
    role = "adjoint" if changed else "value"
    sheet.text(x, y, f"{text} ✗" if changed else text, role, size=14, bold=changed)


def _write_part(part: dict[str, Any]) -> str:
    if part["new"]:
        return _write_name(part["name"]) + _shorten_number(part["number"])
    return _write_name(part["name"]).removesuffix(" = ") or _shorten_number(part["number"])


def _write_name(name: str) -> str:
    """Write the name of a number and an equals sign: ∂/operand for a partial; nothing for a constant."""
    if "/" in name:
        return f"∂/{format_expression(name.partition('/')[2], LABELS)} = "
    return "" if name == "constant" else f"{format_expression(name, LABELS)} = "


def _shorten_number(x: float, longest: int = 7) -> str:
    text = number(x)
    return text if len(text) <= longest else number(float(f"{x:.3g}"))


def _draw_counts(sheet: Sheet, x: float, column: dict[str, Any]) -> None:
    for name, sign in (("numbers", "■"), ("closures", "λ"), ("rules", "∂")):
        sheet.text(x, _row_y(name), str(column[name]), "ink", size=14, bold=True)
        sheet.text(x + 26, _row_y(name), sign * column[name], "value", size=14)


def _draw_gradient(sheet: Sheet, x: float, y: float, column: dict[str, Any], kind: str) -> None:
    if column["gradient"] is None:
        sheet.text(x, y, f"· {kind}", "soft_ink", size=14)
        return
    sign, verdict, role = VERDICTS[column["verdict"]]
    sheet.text(x, y, sign, role, size=14, bold=True)
    words = []
    if kind:
        words.append(f"{kind}:")
    if column["gradient"]:
        words.append(f"({', '.join(_shorten_number(slope, 6) for slope in column['gradient'])})")
    if verdict:
        words.append(verdict)
    sheet.text(x + AFTER, y, " ".join(words), role, size=14, bold=role == "adjoint")


def _draw_trials(sheet: Sheet, x: float, column: dict[str, Any]) -> None:
    for name in ("again", "replay"):
        trial = column[name]
        if trial is None:
            sheet.text(x, _row_y(name), "·", "soft_ink", size=14)
            continue
        if trial["says"]:
            lines = textwrap.wrap(trial["says"].partition(": ")[2], 26)[:2]
        else:
            remark = ": the old value" if trial["verdict"] == "no" else ""
            lines = []
            for found in trial["numbers"]:
                is_several = isinstance(found, tuple)
                text = list_numbers(found) if is_several else _shorten_number(found, 10)
                lines.append(f"{text}{remark}")
        sign, role = ("✓", "value") if trial["verdict"] == "yes" else ("✗", "adjoint")
        sheet.text(x, _row_y(name), sign, role, size=14, bold=True)
        for k, line in enumerate(lines):
            sheet.text(x + AFTER, _row_y(name) + LINE * k, line, role, size=14)
