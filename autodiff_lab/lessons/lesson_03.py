"""Exercises of notebook 03, the tape line by line."""

from __future__ import annotations

import math
import re
from typing import Any

from autodiff_lab.lessons.comparing import plain
from autodiff_lab.lessons.course import lesson
from autodiff_lab.lessons.exercise import Exercise, Misconception
from autodiff_lab.lessons.running import Crashed
from autodiff_lab.lessons.tape_bench import divided, swept_past_dead_ends, told_apart, with_constants

progress, seed = lesson("03", "The tape, line by line")

GRADIENT = (5.5, 1.7163378145367738)
COLLISION = (6.872533609025803, 2.1490134436103214)

# 1. predict the lines


def printed_lines(answer: Any) -> Any:
    """Lines without spaces; one text with line breaks will do, and 2, 2. and 2.0 are the same number."""
    lines = answer.strip().splitlines() if isinstance(answer, str) else plain(answer)
    if not isinstance(lines, list | tuple) or not all(isinstance(line, str) for line in lines):
        return lines
    squeezed = ("".join(line.split()).replace("np.", "").replace("ln(", "log(") for line in lines)
    return tuple(re.sub(r"=(\d+)\.?0*$", r"=\1.0", line) for line in squeezed)


SEVEN_LINES = (
    "v-1 = 2.0",
    "v0 = 5.0",
    "v1 = log(v-1)",
    "v2 = v-1 * v0",
    "v3 = v1 + v2",
    "v4 = sin(v0)",
    "v5 = v3 - v4",
)
SINE_FIRST = (*SEVEN_LINES[:4], "v3 = sin(v0)", "v4 = v1 + v2", "v5 = v4 - v3")
PRODUCT_FIRST = (*SEVEN_LINES[:2], "v1 = v-1 * v0", "v2 = log(v-1)", "v3 = v2 + v1", *SEVEN_LINES[5:])
COUNTED_FROM_ONE = (
    "v1 = 2.0", "v2 = 5.0", "v3 = log(v1)", "v4 = v1 * v2", "v5 = v3 + v4", "v6 = sin(v2)", "v7 = v5 - v6",
)  # fmt: skip
OWN_NAMES = ("x = 2.0", "y = 5.0", "v1 = log(x)", "v2 = x * y", "v3 = v1 + v2", "v4 = sin(y)", "v5 = v3 - v4")


def _as_cell(lines: tuple[str, ...]) -> str:
    return "answer = [\n" + "".join(f'    "{line}",\n' for line in lines) + "]"


ex_03_1 = Exercise(
    "ex_03_1",
    expects="a list of seven strings, one for each printed line",
    expected=SEVEN_LINES,
    observe=printed_lines,
    reference=_as_cell(SEVEN_LINES),
    misconceptions=(
        Misconception(
            _as_cell(SINE_FIRST),
            printed_lines(SINE_FIRST),
            "You compute all three terms first and then combine them, as one does on paper. Python reads "
            "a + b - c as (a + b) - c: the sum is finished before the sine is even looked at.",
        ),
        Misconception(
            _as_cell(PRODUCT_FIRST),
            printed_lines(PRODUCT_FIRST),
            "The product binds more tightly than the sum, that is right. But Python evaluates the left "
            "operand of the + before the right one, so the logarithm runs first.",
        ),
        Misconception(
            _as_cell(COUNTED_FROM_ONE),
            printed_lines(COUNTED_FROM_ONE),
            "You let the inputs draw fresh names. They come with names of their own, v-1 and v0; the "
            "counter is not touched until the first operation.",
        ),
        Misconception(
            _as_cell(OWN_NAMES),
            printed_lines(OWN_NAMES),
            "x and y are names in your Python program, and a Variable cannot see them. It prints the name"
            " that was given to it: v-1, v0.",
        ),
        Misconception(
            _as_cell(SEVEN_LINES[2:]),
            printed_lines(SEVEN_LINES[2:]),
            "The five operations are right. Variable.constant prints as well, so two lines come before them.",
        ),
    ),
    hints=(
        "Two lines for the two inputs, then one line for each operation, in the order in which Python runs them.",
        "Set the brackets Python sees: (log(x) + (x * y)) - sin(y). The left side of each operator runs first.",
        "The third and fourth lines are v1 = log(v-1) and v2 = v-1 * v0. What can Python do next?",
    ),
    praise="The tape has the order in which Python ran, and every line uses only lines above it.",
)

# 2. a new operation


def _division(
    partial_self: str = "Variable(1 / other.value)",
    partial_other: str = "Variable(-self.value / other.value**2)",
    sends: str = "[dl_dx * dx_dself, dl_dx * dx_dother]",
    end: str = "    remember([self, other], x, propagate)\n    return x",
) -> str:
    return f"""\
def ops_div(self, other):
    x = Variable(self.value / other.value)
    say(f"{{x.name}} = {{self.name}} / {{other.name}}")

    def propagate(dl_doutputs):
        (dl_dx,) = dl_doutputs
        dx_dself = {partial_self}
        dx_dother = {partial_other}
        return {sends}

{end}"""


ex_03_2 = Exercise(
    "ex_03_2",
    takes=("ops_div",),
    expects="a function of two Variables that returns a Variable",
    expected={"x / y": (-2.5, -2.0, -5.0), "(x / y) * x": (-3.125, -5.0, -6.25)},
    observe=divided,
    cases="These are the value, the slope in x and the slope in y, at (1.25, -0.5).",
    reference=_division(),
    misconceptions=(
        Misconception(
            _division(partial_other="Variable(self.value / other.value**2)"),
            {"x / y": (-2.5, -2.0, 5.0)},
            "The slope in y has the wrong sign. A larger divisor makes the quotient smaller.",
        ),
        Misconception(
            _division(partial_other="Variable(-self.value / other.value)"),
            {"x / y": (-2.5, -2.0, 2.5)},
            "The square is missing: the derivative of 1 / y is -1 / y**2, not -1 / y.",
        ),
        Misconception(
            _division(partial_self="other", partial_other="self"),
            {"x / y": (-2.5, -0.5, 1.25)},
            "These are the partials of the product. Division has its own: differentiate x / y once with y"
            " held still, once with x held still.",
        ),
        Misconception(
            _division(sends="[dl_dx * dx_dother, dl_dx * dx_dself]"),
            {"x / y": (-2.5, -5.0, -2.0)},
            "Both numbers are there, at the wrong address. propagate answers in the order of the record's"
            " inputs: self first, then other.",
        ),
        Misconception(
            _division(end="    return x"),
            {"x / y": (-2.5, None, None)},
            "The value is right, and nothing came back along the tape. Was the operation written down? See remember.",
        ),
        Misconception(
            _division(end="    remember([self, other], x, propagate)"),
            {"x / y": None},
            "ops_div returns None. End it with return x.",
        ),
        Misconception(
            "def ops_div(self, other):\n    return self.value / other.value",
            {"x / y": -2.5},
            "ops_div returns a bare number. Wrap it, x = Variable(...), or the tape loses its trail here.",
        ),
        Misconception(
            _division(sends="[dx_dself, dx_dother]"),
            {"x / y": (-2.5, -2.0, -5.0), "(x / y) * x": (-3.125, -4.5, -5.0)},
            "x / y alone is right, and (x / y) * x is not. Your propagate hands on its own partials and "
            "forgets what came in: every partial is multiplied by dl_dx. Alone, dl_dx is 1 and nobody "
            "notices.",
        ),
    ),
    hints=(
        "Start from a copy of ops_mul. Three lines change: the value, the print, the partials.",
        "The partials of x / y are 1 / y in x and -x / y**2 in y. Inside ops_div, x is self.value and y "
        "is other.value.",
        "dx_dself = Variable(1 / other.value). Now dx_dother in the same manner; the rest is as in ops_mul.",
    ),
    praise=("You have taught the machine an operation, and grad did not change: it never knew which operations exist."),
)

# 3. count the tape

ex_03_3 = Exercise(
    "ex_03_3",
    expects="a pair of whole numbers, (before, after)",
    expected=(5, 15),
    reference="answer = (5, 15)",
    misconceptions=(
        Misconception(
            "answer = (5, 5)",
            (5, 5),
            "You take the backward pass for a reader of the tape. Look at what it printed: v9 = v6 * v7 "
            "is an operation on Variables, and every such operation is recorded.",
        ),
        Misconception(
            "answer = (7, 17)",
            (7, 17),
            "You counted the two inputs. Variable.constant prints a line and does not append a record.",
        ),
        Misconception(
            "answer = (5, 10)",
            (5, 10),
            "One backward operation for each forward one is too few: an operation with two operands sends"
            " two messages.",
        ),
        Misconception(
            "answer = (5, 13)",
            (5, 13),
            "You counted the eight products. Twice a second contribution arrived and had to be added: += "
            "is an operation too.",
        ),
        Misconception(
            "answer = (5, 22)",
            (5, 22),
            "The names go up to v22, but a Variable such as v7 = 1.0 is made without an operation. Count "
            "printed lines.",
        ),
        Misconception(
            "answer = (0, 5)",
            (0, 5),
            "The tape is written while the function runs, not by grad: it is full before grad is called.",
        ),
    ),
    hints=(
        "A record is appended by remember, and every operation calls it. Which printed lines come from operations?",
        "Forward: the lines with an operation on the right. Backward: count the lines that begin with v9, v10, v12 …",
        "Eight products and two sums went backward.",
    ),
    praise=("The sweep left ten records of its own behind. That is a gift and a trap, as you are about to see."),
)

# 4. repair the dead operation


def _repaired(skip: str, leave: str = "continue") -> str:
    return f"""\
def grad_repaired(last, results):
    dl_d = {{last.name: Variable(1.0)}}

    for entry in reversed(gradient_tape):
        dl_doutputs = [dl_d.get(name) for name in entry.outputs]
        nothing_to_send = {skip}
        if nothing_to_send:
            {leave}
        for name, dl_dinput in zip(entry.inputs, entry.propagate(dl_doutputs), strict=True):
            dl_d[name] = dl_d[name] + dl_dinput if name in dl_d else dl_dinput

    return [dl_d.get(result.name) for result in results]"""


ex_03_4 = Exercise(
    "ex_03_4",
    takes=("grad_repaired",),
    expects="a function grad_repaired(last, results) that returns the list of slopes",
    expected={"an operation nobody uses": GRADIENT, "grad called twice": (GRADIENT, GRADIENT)},
    observe=swept_past_dead_ends,
    cases="These are the slopes in x and in y, at (2, 5).",
    reference=_repaired("dl_doutputs[0] is None"),
    misconceptions=(
        Misconception(
            _repaired("not dl_doutputs"),
            {"an operation nobody uses": Crashed("TypeError", "NoneType")},
            "It still multiplies None by a Variable. dl_doutputs is never empty: for an operation nobody "
            "uses it is [None], a list with one None in it.",
        ),
        Misconception(
            _repaired("any(name not in dl_d for name in entry.inputs)"),
            {"an operation nobody uses": (None, None)},
            "Now every record is skipped. The adjoints of the inputs are what the record is about to "
            "send; what it needs before it can send anything is the adjoint of its output.",
        ),
        Misconception(
            _repaired("dl_doutputs[0] is None", leave="break"),
            {"an operation nobody uses": (None, -0.28366218546322625)},
            "You stop the sweep at the first dead end. Older records may still have something to send: "
            "pass over this one and go on.",
        ),
        Misconception(
            _repaired("False").replace("dl_d.get(name) for", "dl_d.get(name, Variable(1.0)) for"),
            {"an operation nobody uses": (10.5, 3.7163378145367738)},
            "You put 1 where nothing had arrived. The seed 1 belongs to the result alone; what nobody "
            "uses has no influence on it.",
        ),
        Misconception(
            _repaired("dl_doutputs[0].value == 0"),
            {"an operation nobody uses": Crashed("AttributeError", "'value'")},
            "Nothing has arrived is not the same as 0 has arrived: there is no Variable to ask for its "
            "value, only None.",
        ),
    ),
    hints=(
        "Print dl_doutputs for the record that crashes. What is in it?",
        "No later record has sent anything to this output, so dl_d has no entry for it and .get gives None.",
        "nothing_to_send = dl_doutputs[0] is None",
    ),
    praise=("What nobody uses has nothing to say. Now a second call merely walks past the records of the first."),
)

# 5. names and identities

ex_03_5a = Exercise(
    "ex_03_5a",
    takes=("collision",),
    expects="the pair of slopes that grad returns",
    expected=COLLISION,
    reference="""\
reset_tape()
a = Variable.constant(2.0, name="v1")
b = Variable.constant(5.0, name="v2")
collision = grad(Variable.log(a) + a * b - Variable.sin(b), [a, b])""",
    misconceptions=(
        Misconception(
            "collision = (5.5, 1.7163378145367738)",
            GRADIENT,
            "That is the right gradient, and here the program must get it wrong. Name the inputs 'v1' and 'v2'.",
        ),
        Misconception(
            "collision = (2.1490134436103214, 6.872533609025803)",
            COLLISION[::-1],
            "Both numbers are there, in the wrong order: first the slope in a, then the slope in b.",
        ),
        Misconception(
            "collision = (7.358168907268387, 2.716337814536774)",
            (7.358168907268387, 2.716337814536774),
            "You gave the name 'v2' to the first input and 'v1' to the second. Also a collision; I ask "
            "for the other one.",
        ),
        Misconception(
            "collision = (9.0, 1.7163378145367738)",
            (9.0, GRADIENT[1]),
            "Only the first input collides; the second is still called v0. Give it the name 'v2'.",
        ),
    ),
    hints=(
        "Four lines: reset_tape(), two inputs made by Variable.constant with a name=, then grad of the "
        "same expression.",
        "reset_tape() sets the counter back to 1, so the first operation draws the name v1 for itself.",
        "a = Variable.constant(2.0, name='v1'), b likewise with 5.0 and 'v2', then collision = grad(…, [a, b]).",
    ),
    praise=("No error, no warning, two wrong numbers: the entry of v1 held what belonged to two different values."),
)


def _by_identity(recorded: str = "{}", key: str = "{}") -> str:
    return f"""\
def remember_identity(inputs, output, propagate):
    keys = [{recorded.format("v")} for v in inputs]
    gradient_tape.append(Tape(keys, [{recorded.format("output")}], propagate))

def grad_identity(last, results):
    dl_d = {{{key.format("last")}: Variable(1.0)}}

    for entry in reversed(gradient_tape):
        dl_doutputs = [dl_d.get(key) for key in entry.outputs]
        if dl_doutputs[0] is None:
            continue
        for key, dl_dinput in zip(entry.inputs, entry.propagate(dl_doutputs), strict=True):
            dl_d[key] = dl_d[key] + dl_dinput if key in dl_d else dl_dinput

    return [dl_d.get({key.format("result")}) for result in results]"""


ex_03_5b = Exercise(
    "ex_03_5b",
    takes=("remember_identity", "grad_identity"),
    expects="two functions, remember_identity(inputs, output, propagate) and grad_identity(last, results)",
    expected={
        "inputs named v1 and v2": GRADIENT,
        "two inputs of the same value": (2.5, 2.0 - math.cos(2.0)),
        "the record keeps its values": True,
    },
    observe=told_apart,
    cases="Pairs of numbers are the slopes in the two inputs.",
    reference=_by_identity(),
    misconceptions=(
        Misconception(
            _by_identity("{}.name", "{}.name"),
            {"inputs named v1 and v2": COLLISION},
            "These are still the names: the two wrong numbers are back. What does a Variable have that no"
            " other one can have?",
        ),
        Misconception(
            _by_identity("{}.name", "{}"),
            {"inputs named v1 and v2": (None, None)},
            "Nothing arrived: the record was written under one kind of key and looked up under another. "
            "Use the same in both functions.",
        ),
        Misconception(
            _by_identity("{}.value", "{}.value"),
            {"two inputs of the same value": (4.91614683654714, 4.91614683654714)},
            "You use the value as the key. Two different Variables may well hold the same number.",
        ),
        Misconception(
            _by_identity("id({})", "id({})"),
            {"the record keeps its values": False},
            "id(v) tells two living Variables apart. When a Variable is no longer used, Python may give "
            "its id to the next one, and the collision is back. Put the Variable itself into the record: "
            "then it stays alive.",
        ),
    ),
    hints=(
        "A dictionary takes any object as its key, and a Variable is equal only to itself.",
        "In the record, keep v where v.name stood. In grad, use last and result themselves as keys.",
        "Tape([v for v in inputs], [output], propagate), and dl_d = {last: Variable(1.0)}.",
    ),
    praise=(
        "A name is a label for people. What the machine needs is identity, and a record that keeps its values alive."
    ),
)

# 6. constants


def _constants(
    lift: str = "thing if isinstance(thing, Variable) else Variable(thing)",
    rsub: str = "ops_sub(lift(other), self)",
    rdiv: str = "ops_div(lift(other), self)",
    rmul: str = "    cls.__rmul__ = lambda self, other: ops_mul(lift(other), self)\n",
    mul: str = "ops_mul(self, lift(other))",
) -> str:
    return f"""\
def allow_constants(cls):
    def lift(thing):
        return {lift}

    cls.__mul__ = lambda self, other: {mul}
    cls.__sub__ = lambda self, other: ops_sub(self, lift(other))
    cls.__truediv__ = lambda self, other: ops_div(self, lift(other))
{rmul}    cls.__rsub__ = lambda self, other: {rsub}
    cls.__rtruediv__ = lambda self, other: {rdiv}"""


ex_03_6 = Exercise(
    "ex_03_6",
    takes=("allow_constants",),
    expects="a function allow_constants(cls) that gives the class its operators",
    expected={
        "x * 3": (4.5, 3.0),
        "3 * x": (4.5, 3.0),
        "2 - x": (0.5, -1.0),
        "3 / x": (2.0, -4 / 3),
        "x - 2": (-0.5, 1.0),
        "x * x": (2.25, 3.0),
    },
    observe=lambda allow_constants: with_constants(allow_constants, _division()),
    cases="These are the value and the slope, at x = 1.5.",
    reference=_constants(),
    misconceptions=(
        Misconception(
            _constants(mul="self * lift(other)"),
            {"x * 3": Crashed("RecursionError")},
            "__mul__ is written with *, and * calls __mul__: it calls itself without an end. Call ops_mul.",
        ),
        Misconception(
            _constants(lift="thing"),
            {"x * 3": Crashed("AttributeError", "has no attribute")},
            "A plain number reached ops_mul, which asks it for .value or .name. Lift it first: a Variable"
            " stays as it is, anything else becomes Variable(thing).",
        ),
        Misconception(
            _constants(rmul=""),
            {"3 * x": Crashed("TypeError", "unsupported operand")},
            "x * 3 works and 3 * x does not. Python asks the left operand first; an int does not know "
            "Variables, so Python asks the right one for __rmul__.",
        ),
        Misconception(
            _constants(rsub="ops_sub(self, lift(other))"),
            {"2 - x": (-0.5, 1.0)},
            "2 - x came out as x - 2. In __rsub__, self is the right operand: the other one comes first.",
        ),
        Misconception(
            _constants(rdiv="ops_div(self, lift(other))"),
            {"3 / x": (0.5, 1 / 3)},
            "3 / x came out as x / 3. In __rtruediv__, self is the right operand: the other one comes first.",
        ),
        Misconception(
            _constants(lift="Variable(getattr(thing, 'value', thing))"),
            {"x * x": (2.25, 1.5)},
            "You lift everything, Variables as well: each becomes a new Variable with a new name, and the"
            " trail to the input is lost. A Variable stays as it is.",
        ),
    ),
    hints=(
        "Python tries 3 * x as (3).__mul__(x) first, and when int gives up, as x.__rmul__(3).",
        "Write lift(thing) once: thing if isinstance(thing, Variable) else Variable(thing). Then every "
        "operator is one line.",
        "cls.__rsub__ = lambda self, other: ops_sub(lift(other), self). Mind the order; the others follow it.",
    ),
    praise=(
        "Lift what is not a Variable, mind which operand comes first: every overloaded operator does these two things."
    ),
)
