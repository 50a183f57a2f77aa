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
from .expressions import VIEWS, may_be_view, write_expression
from .names import MARK, key_text, mark_name, name_object
from .operands import ATOM, CHOICE, QUESTION, OperandWriter, Statement, write_number

# Characters of an expression that is still folded into the line that uses it.
MAX_FOLDED_CHARACTERS = 60

# So many expressions are folded into each other at most; Python's parser gives up at about a hundred.
MAX_FOLDED_EXPRESSIONS = 8

# Lines of the tape within which an array expression is folded into the line that uses it.
MAX_FOLDED_TAPE_LINES = 12

# Lines of a program that is still read line by line. In a longer one, numbers that are used once have no names.
MAX_NAMED_LINES = 200

SCATTER = TABLE["scatter"]


class StatementWriter(OperandWriter):
    """Writes the live lines of a draft as statements, one each; what is used once and has no name is folded in.

    A statement gives a name to a value, and the value that a name stands for never changes, with one exception: the
    array of a scattered line begins as zeros, of the shape and type of the line, and the very next statement writes the
    entries into it. No other line has seen it by then. So nothing that runs writes into an array of the caller's, into
    a constant, or into an array that another name (a view, a result) stands for.

    Attributes
    ----------
    is_long : bool
        Whether there are too many lines to be read one by one.
    emitted : dict
        The statement that became of a line of the tape.
    """

    def __init__(self, draft: Draft, inputs: Sequence[Input], taken: set[str]) -> None:
        super().__init__(draft, taken)
        self.emitted: dict[int, Statement] = {}
        self.uses, self.consumer = draft.uses, draft.consumer
        self.is_long = sum(draft.live) > MAX_NAMED_LINES
        self.results: set[int] = set()
        self._name_lines(inputs)

    def _name_lines(self, inputs: Sequence[Input]) -> None:
        """Keep clear of the learner's names: ``v1`` becomes ``w1`` where there is a v1 among the arguments."""
        clash = any(name[:1] == "v" and name[1:2].isdigit() for name in self.taken)
        count = len(inputs)
        self.texts[:count] = [mark_name(leaf.name) for leaf in inputs]
        for line, name in self.names.items():
            if line >= count:
                if clash and name[0] == "v" and name[1:2].isdigit():
                    name = f"w{name[1:]}"
                while name in self.taken:
                    name += "_"
                self.taken.add(name)
                self.names[line] = name

    def write(self) -> None:
        """Write a statement for each live line of the draft, and the checks of decisions between them."""
        draft, known, checks = self.draft, self.draft.tape.known, self.draft.checks[::-1]
        self.results = {ref for ref in draft.results if type(ref) is int}
        for i, (op, is_live) in enumerate(zip((*self.ops, None), (*draft.live, 0), strict=True)):
            while checks and checks[-1][1].before <= i:
                self._write_check(*checks.pop())
            if is_live and (op is not None or i in known):
                self._write_line(i, op)

    def _write_line(self, i: int, op: Op | None) -> None:
        self._depth = 0
        if op is SCATTER and not self.numbers[i]:
            self._write_scattered(i)
            return
        text, level = (
            (write_number(self.values[i]), ATOM) if op is None else write_expression(self, i)
        )
        name = self.names.get(i)
        is_read_by_name = name is not None and not (self.is_long and self.numbers[i])
        if not is_read_by_name and self._can_fold(i, text):
            self.texts[i], self.levels[i], self.depths[i] = text, level, self._depth + 1
            return
        name = name or self.new_name("t")
        self.texts[i] = mark_name(name)
        self.emitted[i] = self.write_statement(f"{mark_name(name)} = {text}", (name,))

    def _can_fold(self, i: int, text: str) -> bool:
        """Whether a line may stand, as an expression, in the one line that uses it."""
        if self.uses[i] != 1 or i in self.results:
            return False
        # an array that is folded in keeps its operands alive until it is used
        near = self.numbers[i] == 1 or self.consumer[i] - i <= MAX_FOLDED_TAPE_LINES
        short = len(text) - text.count(MARK) <= MAX_FOLDED_CHARACTERS
        return near and short and self._depth < MAX_FOLDED_EXPRESSIONS

    def _write_scattered(self, i: int) -> None:
        """Zeros of the shape and type of the line, and the statement that writes the entries into them."""
        values, index = self.values[i], self.static[i]["index"]
        name = self.names.get(i) or self.new_name("t")
        whole, entries = mark_name(name), self.array_text(i, self.operands[i][0], CHOICE)
        kind = "" if values.dtype == np.float64 else f", np.{values.dtype}"
        self.write_statement(f"{whole} = np.zeros({values.shape}{kind})", (name,))
        if is_basic_index(index):
            text = f"{whole}[{self.index_text(index)}] = {entries}"
        else:  # an entry may be named twice
            text = f"np.add.at({whole}, {self.static_text(index)}, {entries})"
        self.texts[i] = whole
        self.emitted[i] = self.write_statement(text, (name,))

    def _is_new_array(self, i: Any) -> bool:
        """Whether a line's statement makes a new array, which later statements may write to or return."""
        op = self.ops[i]
        return op is not None and not may_be_view(op, self.operands[i])

    def _is_own_memory(self, ref: Any) -> bool:
        """Whether a result is nobody else's memory: made by its line, or all of what another line made for it alone."""
        size = self.values[ref].size
        while self.ops[ref] in VIEWS and self.ops[ref] is not BROADCAST:
            ref = self.operands[ref][0]
            if (
                type(ref) is Constant
                or self.uses[ref] != 1
                or self.values[ref].size != size
                or self.numbers[ref]
            ):
                return False
        return self._is_new_array(ref)

    def _write_check(self, line: Any, decision: Any) -> None:
        """Stop where a decision would be another one."""
        outcome = decision.outcome
        if type(line) is Constant:
            return
        self._depth = 0
        text = self.text(line, QUESTION)
        if isinstance(outcome, (bool, np.bool_)):
            wrong = f"not {text}" if outcome else text
        elif isinstance(outcome, (np.ndarray, tuple)):
            wrong = f"not np.array_equal({text}, {self.static_text(np.asarray(outcome))})"
        else:
            wrong = f"{text} != {self.static_text(outcome)}"
        asked = f" ({decision.asked})" if decision.asked else ""
        message = f"When this program was recorded, {text.replace(MARK, '')} was {format_value(outcome)}{asked}; "
        message += "with these inputs it is not, so the function would go another way. Compile it again for them."
        self.write_statement(f"if {wrong}:\n    raise BranchChanged({message!r})")

    def write_return(self, types: Sequence[Any]) -> Statement:
        """Write the last statement, ``return`` with the results; what shares memory with something else is copied."""
        given: set[Any] = set()
        texts = []
        for ref, kind in zip(self.draft.results, types, strict=True):
            text, value = self.text(ref, ATOM), self.value(ref)
            if isinstance(value, np.ndarray):
                if kind is not None and value.dtype != kind:
                    text = f"{text}.astype(np.{kind})"
                elif type(ref) is Constant or not self._is_own_memory(ref) or ref in given:
                    text = f"{text}.copy()"
            elif kind is not None and isinstance(value, np.floating) and value.dtype != kind:
                text = f"np.{kind}({text})"
            given.add(ref)
            texts.append(text)
        result = self.draft.trace.result
        text = self._write_containers(result, iter(texts))
        if text[0] == "(" and text[-1] == ")" and isinstance(result, tuple):
            text = text[1:-1]
        return Statement(f"return {text}".split(MARK))

    def _write_containers(self, x: Any, leaves: Iterator[str]) -> str:
        """The containers of a result around the texts of its leaves."""
        entries = pytree.children(x)
        if entries is None:
            return next(leaves)
        inside = [self._write_containers(v, leaves) for _, v in entries]
        if isinstance(x, dict):
            keys = [key_text(k, self.objects, self.taken) for k, _ in entries]
            text = f"{{{', '.join(f'{k}: {text}' for k, text in zip(keys, inside, strict=True))}}}"
            return text if type(x) is dict else f"{self._name_dict_maker(x)}({text})"
        if hasattr(x, "_fields"):
            return f"{self._name_class(x)}({', '.join(inside)})"
        as_tuple = f"({', '.join(inside)}{',' * (len(inside) == 1)})"
        text = f"[{', '.join(inside)}]" if isinstance(x, list) else as_tuple
        return text if type(x) in (list, tuple) else f"{self._name_class(x)}({text})"

    def _name_class(self, x: Any) -> str:
        """The name in the generated source for the class of a container."""
        return name_object(type(x), type(x).__name__, self.objects, self.taken)

    def _name_dict_maker(self, x: Any) -> str:
        """The name in the generated source for a function that makes a dict of the class of `x` with other entries."""
        empty = pytree.fill_dict(x, dict.fromkeys(x))
        return name_object(
            partial(pytree.fill_dict, empty), type(x).__name__, self.objects, self.taken
        )
