"""Operands in the generated source of a program: the names of lines, numbers and other literals, indices."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...engine import rules  # noqa: F401 — fills the table
from ...engine.dispatch import TABLE
from ..draft import Constant, Draft, is_number
from .names import MARK, mark_name, name_object, take_name, to_identifier


def _converts_to_one_type(ufunc: np.ufunc) -> bool:
    """Whether each loop of a ufunc has operands of one type; loops for dates and times don't count."""
    for loop in ufunc.types:
        operand_types = loop.partition("->")[0]
        is_of_times = "m" in loop or "M" in loop
        if not is_of_times and len(set(operand_types)) != 1:
            return False
    return True


# Elementwise primitives that convert all operands to one type: next to a float, an integer becomes a float.
FLOATING = {TABLE[np.where], TABLE["unless"]} | {
    op
    for key, op in TABLE.items()
    if op.partials is not None and isinstance(key, np.ufunc) and _converts_to_one_type(key)
}

# The precedence of an expression; an operand of lower precedence than needed is put in parentheses.
CHOICE, QUESTION, SUM, PRODUCT, SIGN, POWER, ATOM = 1, 5, 10, 20, 30, 40, 100


class Statement(NamedTuple):
    """A statement of the generated source: its text, and the names it defines.

    The text is kept in pieces, cut at the marks: every second piece is a name.
    """

    pieces: list[str]
    defines: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The statement as Python text."""
        return "".join(self.pieces)

    @property
    def names(self) -> list[str]:
        """The names that the statement reads or defines, in the order in which they occur."""
        return self.pieces[1::2]

    def rename(self, new_names: Mapping[str, str]) -> None:
        """Replace each name of the statement that has a new one."""
        self.pieces[1::2] = [new_names.get(name, name) for name in self.names]


class OperandWriter:
    """Writes operands as generated Python: a name, a literal, or an expression that is folded into the statement.

    Attributes
    ----------
    constants : dict
        The arrays that the program needs, by name.
    functions : dict
        The user's own functions that could not be recorded inside, by name.
    objects : dict
        All other objects that cannot be written as text, by name: classes of containers, keys of dicts.
    statements : list of Statement
        The statements so far, in order.
    texts : list
        For each line that has been written, its name, or the expression that is folded into other statements.
    levels : list of int
        The precedence of each of these texts.
    depths : list of int
        How many expressions are folded into each other in each text; 0 for a name.
    """

    def __init__(self, draft: Draft, taken: set[str]) -> None:
        self.draft = draft
        self.ops = draft.ops
        self.operands = draft.operands
        self.value = draft.value
        self.values = draft.values
        self.static = draft.static
        self.names = draft.names
        self.taken = taken
        self.constants: dict[str, Any] = {}
        self.functions: dict[str, Any] = {}
        self.objects: dict[str, Any] = {}
        self.statements: list[Statement] = []
        self.numbers = bytearray(map(is_number, map(type, draft.values)))
        self.texts: list[Any] = [None] * len(draft.ops)
        self.levels = [ATOM] * len(draft.ops)
        self.depths = [0] * len(draft.ops)
        self._depth = 0  # of the statement being written
        self._zero_d: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def of_number(self, ref: Any) -> bool:
        """Whether an operand is a Python number in the generated source, not an array."""
        return ref.number if type(ref) is Constant else self.numbers[ref] == 1

    def of_numbers(self, refs: Iterable[Any]) -> bool:
        """Whether all these operands are Python numbers in the generated source, none of them an array."""
        numbers = self.numbers
        return False not in [numbers[ref] if type(ref) is int else ref.number for ref in refs]

    def text(self, ref: Any, need: int) -> str:
        """The generated text of an operand, in parentheses if its precedence is lower than needed."""
        if type(ref) is Constant:
            text = ref.text or self._literal(ref)
            return f"({text})" if need > SIGN and text[0] == "-" else text
        depth = self.depths[ref]
        if depth > self._depth:
            self._depth = depth
        return f"({self.texts[ref]})" if depth and self.levels[ref] < need else self.texts[ref]

    def array_text(self, i: int, ref: Any, need: int) -> str:
        """The generated text of an operand of NumPy; a number becomes a 0-d array or a NumPy number if necessary."""
        if not self.of_number(ref):
            return self.text(ref, need)
        involved = [self.value(r) for r in (*self.operands[i], i)]
        if any(getattr(x, "dtype", None) == np.float32 for x in involved):
            # Next to a float32, NumPy converts a Python number but not a np.float64. So a number that was recorded as a
            # np.float64 has to be one again.
            if type(ref) is Constant and not isinstance(ref.value, np.generic):
                return self.text(ref, need)
            return f"np.float64({self.text(ref, CHOICE)})"
        if type(ref) is Constant and type(ref.value) is not bool and self._converts_to_floats(i):
            return self._name_zero_d_array(ref)
        return self.text(ref, need)

    def _converts_to_floats(self, i: int) -> bool:
        """Whether line i converts its operands to floats, so that 2 may be written 2.0; `np.ldexp` doesn't."""
        op = self.ops[i]
        if op is None or op not in FLOATING or op.name == "clip":
            return False
        return any(
            getattr(self.value(ref), "dtype", None) == np.float64 for ref in self.operands[i]
        )

    def _name_zero_d_array(self, ref: Constant) -> str:
        """Name a constant number as a 0-d array: with arrays, NumPy computes twice as fast as with a Python number."""
        text = repr(float(ref.value))
        name = self._zero_d.get(text)
        if name is None:
            digits = text.removesuffix(".0").replace("-", "minus_")
            digits = digits.replace(".", "_").replace("+", "")
            name = self.new_name(f"c{digits}" if len(digits) < 12 else "c")
            self._zero_d[text] = name
            self.constants[name] = np.array(float(ref.value))
        return mark_name(name)

    def _literal(self, ref: Constant) -> str:
        """The generated text of a constant operand: a number is written out, an array gets a name."""
        if ref.text:
            return ref.text
        if isinstance(ref.value, np.ndarray):
            name = self.new_name(ref.name or "a")
            self.constants[name] = ref.value
            ref.text = mark_name(name)
        else:
            ref.text = write_number(ref.value)
        return ref.text

    def static_text(self, x: Any) -> str:
        """The generated text of a static argument of an operation: an axis, a shape, a mode, an index."""
        if isinstance(x, np.ndarray):
            return self._literal(self.draft.constant(x))
        if isinstance(x, tuple):
            return f"({', '.join(map(self.static_text, x))}{',' * (len(x) == 1)})"
        if isinstance(x, list):
            return f"[{', '.join(map(self.static_text, x))}]"
        if isinstance(x, slice):
            return f"slice({', '.join(map(self.static_text, (x.start, x.stop, x.step)))})"
        if isinstance(x, np.dtype):
            return f"np.{x.name}"
        if isinstance(x, str):
            return str.__repr__(x)
        if isinstance(x, (int, float, np.generic)):
            return write_number(x)
        if x is None or x is Ellipsis:
            return repr(x)
        return name_object(x, type(x).__name__, self.objects, self.taken)

    def index_text(self, index: Any) -> str:
        """The generated text of an index, as it is written inside the brackets: ``1:, None``."""
        if isinstance(index, tuple) and index:
            return ", ".join(map(self.index_text, index)) + "," * (len(index) == 1)
        if isinstance(index, slice):
            start = "" if index.start is None else self.static_text(index.start)
            stop = "" if index.stop is None else self.static_text(index.stop)
            step = "" if index.step is None else f":{self.static_text(index.step)}"
            return f"{start}:{stop}{step}"
        if index is Ellipsis:
            return "..."
        return self.static_text(index)

    def name_operand(self, ref: Any) -> str:
        """The generated text of an operand that a statement uses twice; an expression first gets a name of its own."""
        if type(ref) is int and self.depths[ref]:
            name = self.new_name("t")
            self.write_statement(f"{mark_name(name)} = {self.texts[ref]}", (name,))
            self.texts[ref] = mark_name(name)
            self.levels[ref] = ATOM
            self.depths[ref] = 0
        return self.text(ref, ATOM)

    def write_statement(self, text: str, defines: tuple[str, ...] = ()) -> Statement:
        """Add a statement to the generated source; each name in its text is between marks."""
        statement = Statement(text.split(MARK), defines)
        self.statements.append(statement)
        return statement

    def new_name(self, wanted: str) -> str:
        """Take a new name in the generated source: ``t1``, ``t2``, … for ``t``, a longer one as it is if it is free."""
        wanted = to_identifier(wanted)
        if len(wanted) > 1:
            return take_name(wanted, self.taken)
        k = self._counts.get(wanted, 0) + 1
        while (name := f"{wanted}{k}") in self.taken:
            k += 1
        self._counts[wanted] = k
        self.taken.add(name)
        return name


def write_number(x: Any) -> str:
    """Write a number as an operand in Python: ``2.5``, ``True``, ``math.inf``, ``np.float32(0.5)``."""
    if isinstance(x, np.floating) and x.dtype != np.float64:
        # A longdouble has more digits than a float, so it is written as a string.
        number = str(x) if x.dtype.itemsize > 8 else float(x)
        return f"np.{x.dtype.name}({number!r})"
    if isinstance(x, (bool, np.bool_)):
        return repr(bool(x))
    if isinstance(x, float):
        text = float.__repr__(x)
        return text.replace("inf", "math.inf").replace("nan", "math.nan")
    return int.__repr__(x.item() if isinstance(x, np.generic) else x)
