"""Operands in the generated source of a program: the names of lines, numbers and other literals, indices."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...engine import rules  # noqa: F401 — fills the table
from ...engine.dispatch import TABLE
from ..draft import Constant, Draft, is_number
from .names import MARK, mark_name, name_object, take_name, to_identifier

# Elementwise primitives that convert all operands to one type: next to a float, an integer becomes a float.
FLOATING = {TABLE[np.where], TABLE["unless"]} | {
    op
    for key, op in TABLE.items()
    if op.partials is not None
    and isinstance(key, np.ufunc)
    and all(
        len(set(loop.partition("->")[0])) == 1 for loop in key.types if not set(loop) & set("mM")
    )
}

# How tightly an expression holds together; a looser one is put in parentheses.
CHOICE, QUESTION, SUM, PRODUCT, SIGN, POWER, ATOM = 1, 5, 10, 20, 30, 40, 100


class Statement(NamedTuple):
    """A statement of the generated source: its text, and the names it defines.

    The text is kept in pieces, cut at the marks: every other one, from the second on, is a name.
    """

    pieces: list[str]
    defines: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The statement as Python text."""
        return "".join(self.pieces)

    @property
    def names(self) -> list[str]:
        """The names that the statement reads or defines, in the order in which they stand there."""
        return self.pieces[1::2]

    def rename(self, new_names: Mapping[str, str]) -> None:
        """Put other names into the statement, for those that have one."""
        self.pieces[1::2] = [new_names.get(name, name) for name in self.names]


class OperandWriter:
    """Writes operands as generated Python: a name, a literal, or the expression that is folded in there.

    Attributes
    ----------
    constants : dict
        The arrays that the function needs, by name.
    functions : dict
        Functions of the learner's that could not be taken apart, by name.
    objects : dict
        What else cannot be written as text, by name: classes of containers, keys of dicts.
    statements : list of Statement
        What has been written, in order.
    texts, levels, depths : list
        For each line that has been written: its name, or the expression that it is folded into others as, how tightly
        that holds together, and how many expressions are folded into each other in it (0: it is a name).
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
        """The generated text of an operand beside arrays: a number becomes a 0-d array or a NumPy number if need be."""
        if not self.of_number(ref):
            return self.text(ref, need)
        doubles = all(
            getattr(self.value(r), "dtype", np.float64) != np.float32
            for r in (*self.operands[i], i)
        )
        if not doubles:
            strong = type(ref) is not Constant or isinstance(ref.value, np.generic)
            return f"np.float64({self.text(ref, CHOICE)})" if strong else self.text(ref, need)
        if type(ref) is Constant and type(ref.value) is not bool and self._takes_all_as_floats(i):
            return self._name_zero_d_array(ref)
        return self.text(ref, need)

    def _takes_all_as_floats(self, i: int) -> bool:
        """Whether line i makes floats of its operands, so that 2 may be 2.0 there; `np.ldexp` needs its integer."""
        op = self.ops[i]
        if op is None or op not in FLOATING or op.name == "clip":
            return False
        return any(
            getattr(self.value(ref), "dtype", None) == np.float64 for ref in self.operands[i]
        )

    def _name_zero_d_array(self, ref: Constant) -> str:
        """A constant operand as a named 0-d array: next to an array it takes half as long as a Python number."""
        text = repr(float(ref.value))
        name = self._zero_d.get(text)
        if name is None:
            short = (
                text.removesuffix(".0").replace("-", "minus_").replace(".", "_").replace("+", "")
            )
            name = self._zero_d[text] = self.new_name(f"c{short}" if len(short) < 12 else "c")
            self.constants[name] = np.array(float(ref.value))
        return mark_name(name)

    def _literal(self, ref: Constant) -> str:
        """The generated text of a constant operand: a number is written out, an array gets a name."""
        if not ref.text and isinstance(ref.value, np.ndarray):
            name = self.new_name(ref.name or "a")
            self.constants[name], ref.text = ref.value, mark_name(name)
        ref.text = ref.text or write_number(ref.value)
        return ref.text

    def static_text(self, x: Any) -> str:
        """The generated text of a static argument beside the operands: an axis, a shape, a mode, an index."""
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
        """The generated text of an index behind an operand, between its brackets: ``1:, None``."""
        if isinstance(index, tuple) and index:
            return ", ".join(map(self.index_text, index)) + "," * (len(index) == 1)
        if isinstance(index, slice):
            start = "" if index.start is None else self.static_text(index.start)
            stop = "" if index.stop is None else self.static_text(index.stop)
            step = "" if index.step is None else f":{self.static_text(index.step)}"
            return f"{start}:{stop}{step}"
        return "..." if index is Ellipsis else self.static_text(index)

    def name_operand(self, ref: Any) -> str:
        """Name what one of the statements may contain twice: a number, or a name that an earlier statement defines."""
        if type(ref) is int and self.depths[ref]:
            name = self.new_name("t")
            self.write_statement(f"{mark_name(name)} = {self.texts[ref]}", (name,))
            self.texts[ref], self.levels[ref], self.depths[ref] = mark_name(name), ATOM, 0
        return self.text(ref, ATOM)

    def write_statement(self, text: str, defines: tuple[str, ...] = ()) -> Statement:
        """Add a statement to the generated source; in its text, names stand between marks."""
        statement = Statement(text.split(MARK), defines)
        self.statements.append(statement)
        return statement

    def new_name(self, wanted: str) -> str:
        """Give an operand that has no name in the generated source a new one: ``t1``, ``t2``, … for ``t``."""
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
        number = (
            str(x) if x.dtype.itemsize > 8 else float(x)
        )  # a longdouble has more digits than a float
        return f"np.{x.dtype.name}({number!r})"
    if isinstance(x, (bool, np.bool_)):
        return repr(bool(x))
    if isinstance(x, float):
        text = float.__repr__(x)
        return text.replace("inf", "math.inf").replace("nan", "math.nan")
    return int.__repr__(x.item() if isinstance(x, np.generic) else x)
