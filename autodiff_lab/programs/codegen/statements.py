"""Statements in the generated source of a program: assignments, checks of decisions, and ``return``."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...engine.dispatch import TABLE
from ...engine.primitives import Op
from ...engine.printing import format_value
from ...engine.rules.shapes import is_basic_index
from ...transforms import pytree
from ..draft import Constant, Draft
from ..optimization_passes import BROADCAST
from ..program_inputs import Input
from ..recorded_derivative import Decision
from .expressions import VIEWS, may_be_view, write_expression
from .names import MARK, key_text, mark_name, name_object
from .operands import ATOM, CHOICE, QUESTION, OperandWriter, Statement, write_number

# A longer expression is not folded into the statement that uses it.
MAX_FOLDED_CHARACTERS = 60

# At most this many expressions are folded into each other. Python's parser can't nest more than about a hundred.
MAX_FOLDED_EXPRESSIONS = 8

# An array expression is not folded into a line that is further away on the tape.
MAX_FOLDED_TAPE_LINES = 12

# A longer program isn't read line by line, so the numbers in it that are used once have no names.
MAX_NAMED_LINES = 200

SCATTER = TABLE["scatter"]


class StatementWriter(OperandWriter):
    """Writes each live line of a draft as a statement; a nameless line that is used once is folded into its user.

    A statement assigns a value to a name, and this value never changes, with one exception: the array of a scatter is
    first assigned as zeros, and the very next statement writes the elements into it. No other line has used the array
    by then. So a program never writes into an array of the caller, a constant, or an array that has a second name (of
    a view, or of a result).

    Attributes
    ----------
    is_long : bool
        Whether there are too many lines to be read one by one.
    emitted : dict
        The statement of each line of the tape that has one.
    """

    def __init__(self, draft: Draft, inputs: Sequence[Input], taken: set[str]) -> None:
        super().__init__(draft, taken)
        self.emitted: dict[int, Statement] = {}
        self.uses = draft.uses
        self.consumer = draft.consumer
        self.is_long = sum(draft.live) > MAX_NAMED_LINES
        self.results: set[int] = set()
        self._name_lines(inputs)

    def _name_lines(self, inputs: Sequence[Input]) -> None:
        """Choose names that the user has not taken: with an argument ``v1``, the lines are called ``w1``, ``w2``, …."""
        clash = any(_is_line_name(name) for name in self.taken)
        count = len(inputs)
        self.texts[:count] = [mark_name(leaf.name) for leaf in inputs]
        for line, name in self.names.items():
            if line < count:
                continue
            if clash and _is_line_name(name):
                name = f"w{name[1:]}"
            while name in self.taken:
                name += "_"
            self.taken.add(name)
            self.names[line] = name

    def write(self) -> None:
        """Write a statement for each live line of the draft, and the checks of decisions between them."""
        draft = self.draft
        checks = draft.checks[::-1]
        self.results = {ref for ref in draft.results if type(ref) is int}
        # A decision can come after the last line.
        for i, (op, is_live) in enumerate(zip((*self.ops, None), (*draft.live, 0), strict=True)):
            while checks and checks[-1][1].before <= i:
                self._write_check(*checks.pop())
            if is_live and (op is not None or i in draft.tape.known):
                self._write_line(i, op)

    def _write_line(self, i: int, op: Op | None) -> None:
        self._depth = 0
        if op is SCATTER and not self.numbers[i]:
            self._write_scattered(i)
            return
        if op is None:
            text, level = write_number(self.values[i]), ATOM
        else:
            text, level = write_expression(self, i)
        name = self.names.get(i)
        is_read_by_name = name is not None and not (self.is_long and self.numbers[i])
        if not is_read_by_name and self._can_fold(i, text):
            self.texts[i] = text
            self.levels[i] = level
            self.depths[i] = self._depth + 1
            return
        name = name or self.new_name("t")
        self.texts[i] = mark_name(name)
        self.emitted[i] = self.write_statement(f"{mark_name(name)} = {text}", (name,))

    def _can_fold(self, i: int, text: str) -> bool:
        """Whether a line can be written as an expression in the one line that uses it."""
        if self.uses[i] != 1 or i in self.results:
            return False
        # An array that is folded in keeps its operands alive until it is used.
        is_near = self.numbers[i] == 1 or self.consumer[i] - i <= MAX_FOLDED_TAPE_LINES
        is_short = len(text) - text.count(MARK) <= MAX_FOLDED_CHARACTERS
        return is_near and is_short and self._depth < MAX_FOLDED_EXPRESSIONS

    def _write_scattered(self, i: int) -> None:
        """Write two statements: zeros of the shape and type of the line, and the elements that are put into them."""
        y = self.values[i]
        index = self.static[i]["index"]
        name = self.names.get(i) or self.new_name("t")
        array = mark_name(name)
        elements = self.array_text(i, self.operands[i][0], CHOICE)
        dtype = "" if y.dtype == np.float64 else f", np.{y.dtype}"
        self.write_statement(f"{array} = np.zeros({y.shape}{dtype})", (name,))
        if is_basic_index(index):
            text = f"{array}[{self.index_text(index)}] = {elements}"
        else:  # the index may contain a position twice
            text = f"np.add.at({array}, {self.static_text(index)}, {elements})"
        self.texts[i] = array
        self.emitted[i] = self.write_statement(text, (name,))

    def _is_new_array(self, i: Any) -> bool:
        """Whether a line's statement makes a new array, which may be returned without a copy."""
        op = self.ops[i]
        return op is not None and not may_be_view(op, self.operands[i])

    def _is_own_memory(self, ref: Any) -> bool:
        """Whether a result shares its memory with nothing else: its line makes a new array, or is all of one."""
        size = self.values[ref].size
        while self.ops[ref] in VIEWS and self.ops[ref] is not BROADCAST:
            ref = self.operands[ref][0]
            if type(ref) is Constant or self.numbers[ref]:
                return False
            if self.uses[ref] != 1 or self.values[ref].size != size:
                return False
        return self._is_new_array(ref)

    def _write_check(self, line: Any, decision: Decision) -> None:
        """Write the statement that raises BranchChanged if a decision comes out differently."""
        outcome = decision.outcome
        if type(line) is Constant:
            return
        self._depth = 0
        text = self.text(line, QUESTION)
        if isinstance(outcome, (bool, np.bool_)):
            differs = f"not {text}" if outcome else text
        elif isinstance(outcome, (np.ndarray, tuple)):
            differs = f"not np.array_equal({text}, {self.static_text(np.asarray(outcome))})"
        else:
            differs = f"{text} != {self.static_text(outcome)}"
        asked = f" ({decision.asked})" if decision.asked else ""
        message = (
            f"When this program was recorded, {text.replace(MARK, '')} was {format_value(outcome)}{asked}; with these "
            "inputs it is not, so the function would take another branch. Compile another program for them, or compile "
            "this one with on_branch='rerecord'."
        )
        self.write_statement(f"if {differs}:\n    raise BranchChanged({message!r})")

    def write_return(self, types: Sequence[Any]) -> Statement:
        """Write the last statement, ``return`` with the results; arrays that share memory with others are copied.

        `types` has the dtype that each result is converted to, or None to keep its own.
        """
        returned: set[Any] = set()
        texts = []
        for ref, dtype in zip(self.draft.results, types, strict=True):
            texts.append(self._write_result(ref, dtype, ref in returned))
            returned.add(ref)
        result = self.draft.trace.result
        text = self._write_containers(result, iter(texts))
        if text[0] == "(" and text[-1] == ")" and isinstance(result, tuple):
            text = text[1:-1]
        return Statement(f"return {text}".split(MARK))

    def _write_result(self, ref: Any, dtype: Any, is_returned_twice: bool) -> str:
        """Write one leaf of the results, converted or copied if necessary."""
        text = self.text(ref, ATOM)
        value = self.value(ref)
        has_other_dtype = dtype is not None and getattr(value, "dtype", dtype) != dtype
        if isinstance(value, np.ndarray):
            if has_other_dtype:
                return f"{text}.astype(np.{dtype})"
            if type(ref) is Constant or is_returned_twice or not self._is_own_memory(ref):
                return f"{text}.copy()"
        elif isinstance(value, np.floating) and has_other_dtype:
            return f"np.{dtype}({text})"
        return text

    def _write_containers(self, x: Any, leaves: Iterator[str]) -> str:
        """Write the containers of a result around the texts of its leaves."""
        entries = pytree.children(x)
        if entries is None:
            return next(leaves)
        inside = [self._write_containers(v, leaves) for _, v in entries]
        if isinstance(x, dict):
            keys = [key_text(k, self.objects, self.taken) for k, _ in entries]
            items = [f"{key}: {text}" for key, text in zip(keys, inside, strict=True)]
            text = f"{{{', '.join(items)}}}"
            return text if type(x) is dict else f"{self._name_dict_maker(x)}({text})"
        joined = ", ".join(inside)
        if hasattr(x, "_fields"):
            return f"{self._name_class(x)}({joined})"
        as_tuple = f"({joined},)" if len(inside) == 1 else f"({joined})"
        text = f"[{joined}]" if isinstance(x, list) else as_tuple
        return text if type(x) in (list, tuple) else f"{self._name_class(x)}({text})"

    def _name_class(self, x: Any) -> str:
        """The name in the generated source for the class of a container."""
        return name_object(type(x), type(x).__name__, self.objects, self.taken)

    def _name_dict_maker(self, x: Any) -> str:
        """The name in the generated source for a function that makes a dict of the class of `x` with other values."""
        empty = pytree.fill_dict(x, dict.fromkeys(x))
        make_dict = partial(pytree.fill_dict, empty)
        return name_object(make_dict, type(x).__name__, self.objects, self.taken)


def _is_line_name(name: str) -> bool:
    """Whether a name looks like that of a line: ``v1``, ``v2_bar``."""
    return name[:1] == "v" and name[1:2].isdigit()
