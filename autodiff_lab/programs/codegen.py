"""From a cleaned draft to the lines of a Python function, with their names and literals."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..engine.dispatch import TABLE, Op
from ..engine.printing import format_value
from ..engine.rules.shapes import is_basic_index
from ..transforms import pytree
from .arguments import Input, key_text, name_object, take_name, to_identifier
from .draft import MARK, Constant, Draft, Statement, is_number, mark_name
from .expressions import ATOM, CHOICE, NAMES, QUESTION, SIGN, VIEWS, may_be_view, write_expression
from .optimize import ADD, BROADCAST

MAX_FOLDED_CHARACTERS = 60
"""Characters of an expression that is still folded into the line that uses it."""

MAX_FOLDED_EXPRESSIONS = 8
"""So many expressions are folded into each other at most; Python's parser gives up at about a hundred."""

MAX_FOLDED_TAPE_LINES = 12
"""Lines of the tape within which an array expression is folded into the line that uses it."""

SCATTER = TABLE["scatter"]


class Writer:
    """Writes the live lines of a draft, one statement each; what is used once and has no name is folded in.

    Attributes
    ----------
    statements : list of Statement
    emitted : dict
        The statement that became of a line of the tape.
    constants : dict
        The arrays that the function needs, by name.
    functions : dict
        Functions of the learner's that could not be taken apart, by name.
    objects : dict
        What else cannot be written as text, by name: classes of containers, keys of dicts.
    texts, levels, depths : list
        For each line that has been written: its name, or the expression that it is folded into others as, how tightly
        that holds together, and how many expressions are folded into each other in it (0: it is a name).
    """

    def __init__(self, draft: Draft, inputs: Sequence[Input], taken: set[str]) -> None:
        self.draft, self.ops, self.operands, self.value = draft, draft.ops, draft.operands, draft.value
        self.values, self.static, self.names, self.taken = draft.values, draft.static, draft.names, taken
        self.constants: dict[str, Any] = {}
        self.functions: dict[str, Any] = {}
        self.objects: dict[str, Any] = {}
        self.numbers = bytearray(map(is_number, map(type, draft.values)))
        self.texts: list[Any] = [None] * len(draft.ops)
        self.levels = [ATOM] * len(draft.ops)
        self.depths = [0] * len(draft.ops)
        self._depth = 0  # of the statement being written
        self._zero_d: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self.statements: list[Statement] = []
        self.emitted: dict[int, Statement] = {}
        self.uses, self.consumer = draft.uses, draft.consumer
        self.results: set[int] = set()
        self._waiting: set[int] = set()  # scattered arrays that will be added to another
        self._own: set[int] = set()  # lines whose array nobody else holds
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

    # Names and literals

    def of_number(self, ref: Any) -> bool:
        """Whether an operand is a Python number in the program."""
        return ref.number if type(ref) is Constant else self.numbers[ref] == 1

    def of_numbers(self, refs: Iterable[Any]) -> bool:
        """Whether all operands are."""
        numbers = self.numbers
        return False not in [numbers[ref] if type(ref) is int else ref.number for ref in refs]

    def text(self, ref: Any, need: int) -> str:
        """An operand, in parentheses if it holds together less tightly than needed."""
        if type(ref) is Constant:
            text = ref.text or self.literal(ref)
            return f"({text})" if need > SIGN and text[0] == "-" else text
        depth = self.depths[ref]
        if depth > self._depth:
            self._depth = depth
        return f"({self.texts[ref]})" if depth and self.levels[ref] < need else self.texts[ref]

    def array_text(self, i: int, ref: Any, need: int) -> str:
        """An operand of a line about arrays; its numbers are arrays without axes, or NumPy's, where types decide."""
        if not self.of_number(ref):
            return self.text(ref, need)
        doubles = all(getattr(self.value(r), "dtype", np.float64) != np.float32 for r in (*self.operands[i], i))
        if not doubles:
            strong = type(ref) is not Constant or isinstance(ref.value, np.generic)
            return f"np.float64({self.text(ref, CHOICE)})" if strong else self.text(ref, need)
        op: Any = self.ops[i]
        entrywise = op.partials is not None or op.name in ("where", "unless")
        if type(ref) is Constant and entrywise and op.name != "clip" and type(ref.value) is not bool:
            return self._name_zero_d_array(ref)
        return self.text(ref, need)

    def _name_zero_d_array(self, ref: Constant) -> str:
        """A number as an array without axes: half the price of a Python number beside an array."""
        text = repr(float(ref.value))
        name = self._zero_d.get(text)
        if name is None:
            short = text.removesuffix(".0").replace("-", "minus_").replace(".", "_").replace("+", "")
            name = self._zero_d[text] = self.new_name(f"c{short}" if len(short) < 12 else "c")
            self.constants[name] = np.array(float(ref.value))
        return mark_name(name)

    def literal(self, ref: Constant) -> str:
        """A constant: a number as one writes it, an array by its name."""
        if not ref.text and isinstance(ref.value, np.ndarray):
            name = self.new_name(ref.name or "a")
            self.constants[name], ref.text = ref.value, mark_name(name)
        ref.text = ref.text or write_number(ref.value)
        return ref.text

    def static_text(self, x: Any) -> str:
        """A static argument: an axis, a shape, a mode, an index."""
        if isinstance(x, np.ndarray):
            return self.literal(self.draft.constant(x))
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
        return repr(x) if x is None or x is Ellipsis else name_object(x, type(x).__name__, self.objects, self.taken)

    def index_text(self, index: Any) -> str:
        """An index between brackets: ``1:, None``."""
        if isinstance(index, tuple) and index:
            return ", ".join(map(self.index_text, index)) + "," * (len(index) == 1)
        if isinstance(index, slice):
            start, stop = ("" if p is None else self.static_text(p) for p in (index.start, index.stop))
            return f"{start}:{stop}" + ("" if index.step is None else f":{self.static_text(index.step)}")
        return "..." if index is Ellipsis else self.static_text(index)

    def function_name(self, op: Op) -> str:
        """What a row is called in NumPy; a function without a row is bound to its own name."""
        return NAMES.get(op) or mark_name(name_object(op.fn, op.name, self.functions, self.taken))

    def new_name(self, wanted: str) -> str:
        """A name that nothing has: ``t1``, ``t2``, … for ``t``."""
        wanted = to_identifier(wanted)
        if len(wanted) > 1:
            return take_name(wanted, self.taken)
        k = self._counts.get(wanted, 0) + 1
        while (name := f"{wanted}{k}") in self.taken:
            k += 1
        self._counts[wanted] = k
        self.taken.add(name)
        return name

    # Statements

    def name_operand(self, ref: Any) -> str:
        """An operand that may be written twice: a name or a number."""
        if type(ref) is int and self.depths[ref]:
            name = self.new_name("t")
            self.write_statement(f"{mark_name(name)} = {self.texts[ref]}", (name,))
            self.texts[ref], self.levels[ref], self.depths[ref] = mark_name(name), ATOM, 0
        return self.text(ref, ATOM)

    def write_statement(self, text: str, defines: tuple[str, ...] = ()) -> Statement:
        """Write one statement; in its text, names stand between marks."""
        statement = Statement(text.split(MARK), defines)
        self.statements.append(statement)
        return statement

    def write(self) -> None:
        """Write all live lines, and the checks between them."""
        draft, known, checks = self.draft, self.draft.tape.known, self.draft.checks[::-1]
        self.results = {ref for ref in draft.results if type(ref) is int}
        for i, (op, is_live) in enumerate(zip((*self.ops, None), (*draft.live, 0), strict=True)):
            while checks and checks[-1][1].before <= i:
                self._write_check(*checks.pop())
            if is_live and (op is not None or i in known):
                self._write_line(i, op)

    def _write_line(self, i: int, op: Op | None) -> None:
        self._depth = 0
        once = self.uses[i] == 1
        if op is SCATTER and not self.numbers[i]:
            if once and i not in self.results and self.ops[self.consumer[i]] is ADD:
                self._waiting.add(i)
            else:
                self._scatter(i, i)
            return
        if op is ADD and self._waiting and not self._waiting.isdisjoint(self.operands[i]):
            self._accumulate(i)
            return
        text, level = (write_number(self.values[i]), ATOM) if op is None else write_expression(self, i)
        name = self.names.get(i)
        if name is None and once and i not in self.results:
            # an array that is folded in keeps its operands alive until it is used
            near = self.numbers[i] or self.consumer[i] - i <= MAX_FOLDED_TAPE_LINES
            if near and self._depth < MAX_FOLDED_EXPRESSIONS and len(text) - text.count(MARK) <= MAX_FOLDED_CHARACTERS:
                self.texts[i], self.levels[i], self.depths[i] = text, level, self._depth + 1
                return
        name = name or self.new_name("t")
        self.texts[i] = between_marks = mark_name(name)
        if once and not self.numbers[i] and self.is_new_array(i):
            self._own.add(i)
        self.emitted[i] = self.write_statement(f"{between_marks} = {text}", (name,))

    def _scatter(self, i: int, final: int) -> str:
        """Zeros, with an array written into them; under the name of the sum that it is the beginning of."""
        self._waiting.discard(i)
        name = self.names.get(final) or self.new_name("t")
        kind = "" if self.values[i].dtype == np.float64 else f", np.{self.values[i].dtype}"
        self.write_statement(f"{mark_name(name)} = np.zeros({self.values[i].shape}{kind})", (name,))
        self._put(i, name, "=")
        self.texts[i] = mark_name(name)
        self._own.add(i)
        return name

    def _put(self, i: int, whole: str, sign: str) -> None:
        """Write what line i scatters into an array, or add it (``+=``)."""
        index, text = self.static[i]["index"], self.array_text(i, self.operands[i][0], CHOICE)
        if is_basic_index(index):
            text = f"{mark_name(whole)}[{self.index_text(index)}] {sign} {text}"
        else:  # an entry may be named twice
            text = f"np.add.at({mark_name(whole)}, {self.static_text(index)}, {text})"
        self.emitted[i] = self.write_statement(text, (whole,))

    def _accumulate(self, i: int) -> None:
        """Add a scattered array to a sum in its place, since nobody else holds the sum."""
        a, b = self.operands[i]
        have, more = (a, b) if b in self._waiting else (b, a)
        if have in self._waiting:
            self._scatter(have, i)
        if have in self._own and self.uses[have] == 1:
            self._waiting.discard(more)
            name = self.texts[have].strip(MARK)
            self._put(more, name, "+=")
        else:
            name = self._scatter(more, i)
            self.write_statement(f"{mark_name(name)} += {self.text(have, CHOICE)}", (name,))
        self.texts[i] = mark_name(name)
        self._own.add(i)
        self.emitted[i] = self.statements[-1]

    def is_new_array(self, i: Any) -> bool:
        """Whether a line made its array itself, so that it may be handed out or written to."""
        op = self.ops[i]
        return op is not None and not may_be_view(op, self.operands[i])

    def _is_own_memory(self, ref: int) -> bool:
        """Whether a result is nobody else's memory: made by its line, or all of what another line made for it alone."""
        size = self.values[ref].size
        while self.ops[ref] in VIEWS and self.ops[ref] is not BROADCAST:
            ref = self.operands[ref][0]
            if type(ref) is Constant or self.uses[ref] != 1 or self.values[ref].size != size or self.numbers[ref]:
                return False
        return self.is_new_array(ref)

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
        """What a call returns, as the last statement."""
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
            return f"{{{', '.join(f'{k}: {text}' for k, text in zip(keys, inside, strict=True))}}}"
        if hasattr(x, "_fields"):
            return f"{name_object(type(x), type(x).__name__, self.objects, self.taken)}({', '.join(inside)})"
        if isinstance(x, list):
            return f"[{', '.join(inside)}]"
        return f"({', '.join(inside)}{',' * (len(inside) == 1)})"


def write_number(x: Any) -> str:
    """A number as one writes it."""
    if isinstance(x, np.floating) and x.dtype != np.float64:
        return f"np.{x.dtype.name}({str(x)!r})" if x.dtype.itemsize > 8 else f"np.{x.dtype.name}({float(x)!r})"
    if isinstance(x, (bool, np.bool_)):
        return repr(bool(x))
    if isinstance(x, float):
        text = float.__repr__(x)
        return text if text[-1].isdigit() else text.replace("inf", "math.inf").replace("nan", "math.nan")
    return int.__repr__(x.item() if isinstance(x, np.generic) else x)
