"""The exercises of notebook 03 about what the machine gets wrong, and what it lacks."""

from __future__ import annotations

import math

from autodiff_lab.lessons.checks import Crashed, Exercise
from autodiff_lab.lessons.lesson_03.lines import division
from autodiff_lab.lessons.lesson_03.sandbox import allow_numbers, sweep_past_dead_ends, tell_names_apart

GRADIENT = (5.5, 1.7163378145367738)
COLLISION = (6.872533609025803, 2.1490134436103214)

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
    expects="a function grad_repaired(last, results) that returns the list of slopes",
    expected={"an operation that is not used": GRADIENT, "grad called twice": (GRADIENT, GRADIENT)},
    observe=sweep_past_dead_ends,
    cases="These are the derivatives with respect to x and y, at (2, 5).",
    reference=_repaired("dl_doutputs[0] is None"),
    misconceptions={
        _repaired("not dl_doutputs"): (
            {"an operation that is not used": Crashed("TypeError", "NoneType")},
            "It still multiplies None by a Variable. dl_doutputs is never empty: for an operation that is not used it "
            "is [None], a list with one None in it.",
        ),
        _repaired("any(name not in dl_d for name in entry.inputs)"): (
            {"an operation that is not used": (None, None)},
            "Now every record is skipped. The adjoints of the inputs are what the record is about to send; what it "
            "needs before it can send anything is the adjoint of its output.",
        ),
        _repaired("dl_doutputs[0] is None", leave="break"): (
            {"an operation that is not used": (None, -0.28366218546322625)},
            "You stop the sweep at the first dead end. Older records may still have something to send: pass over this "
            "one and go on.",
        ),
        _repaired("False").replace("dl_d.get(name) for", "dl_d.get(name, Variable(1.0)) for"): (
            {"an operation that is not used": (10.5, 3.7163378145367738)},
            "You put 1 where nothing had arrived. The seed 1 belongs to the result alone; what is not used has no "
            "influence on it.",
        ),
        _repaired("dl_doutputs[0].value == 0"): (
            {"an operation that is not used": Crashed("AttributeError", "'value'")},
            "Nothing has arrived is not the same as 0 has arrived: there is no Variable to ask for its value, only "
            "None.",
        ),
    },
    hints=(
        "Print dl_doutputs for the record that crashes. What is in it?",
        "No later record has sent anything to this output, so dl_d has no entry for it and .get gives None.",
        "dl_doutputs is a list with one thing in it. Ask whether that thing, dl_doutputs[0], is None.",
    ),
    praise="A line to which no adjoint has come now adds nothing, and grad can be called twice.",
)

# 5. names and identities

ex_03_5a = Exercise(
    takes=("collision",),
    expects="the pair of slopes that grad returns",
    expected=COLLISION,
    reference="""\
reset_tape()
a = Variable.constant(2.0, name="v1")
b = Variable.constant(5.0, name="v2")
collision = grad(Variable.log(a) + a * b - Variable.sin(b), [a, b])""",
    misconceptions={
        "collision = (5.5, 1.7163378145367738)": (
            GRADIENT,
            "That is the right gradient, and here the program must get it wrong. Name the inputs 'v1' and 'v2'.",
        ),
        "collision = (2.1490134436103214, 6.872533609025803)": (
            COLLISION[::-1],
            "Both numbers are there, in the wrong order: first the derivative with respect to a, then "
            "with respect to b.",
        ),
        "collision = (7.358168907268387, 2.716337814536774)": (
            (7.358168907268387, 2.716337814536774),
            "You gave the name 'v2' to the first input and 'v1' to the second. Also a collision; I ask for the other "
            "one.",
        ),
        "collision = (9.0, 1.7163378145367738)": (
            (9.0, GRADIENT[1]),
            "Only the first input collides; the second is still called v0. Give it the name 'v2'.",
        ),
    },
    hints=(
        "Four lines: reset_tape(), two inputs made by Variable.constant with a name=, then grad of the "
        "same expression.",
        "reset_tape() sets the counter back to 1, so the first operation draws the name v1 for itself.",
        "a = Variable.constant(2.0, name='v1'), b likewise with 5.0 and 'v2', then collision = grad(…, [a, b]).",
    ),
    praise="No error, no warning, two wrong numbers: in dl_d one entry, v1, has added up the adjoints of two values.",
)


SAME_BOTH = "an input and a product of the same name and value"


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
    is_whole=True,
    expects="two functions, remember_identity(inputs, output, propagate) and grad_identity(last, results)",
    expected={
        "inputs named v1 and v2": GRADIENT,
        "two inputs of the same value": (2.5, 2.0 - math.cos(2.0)),
        SAME_BOTH: (2.0, 1.0),
        "the record keeps its values": True,
    },
    observe=tell_names_apart,
    cases="Pairs of numbers are the slopes in the two inputs.",
    reference=_by_identity(),
    misconceptions={
        _by_identity("{}.name", "{}.name"): (
            {"inputs named v1 and v2": COLLISION},
            "These are still the names: the two wrong numbers are back. What does a Variable have that no other one "
            "can have?",
        ),
        _by_identity("{}.name", "{}"): (
            {"inputs named v1 and v2": (None, None)},
            "Nothing arrived: the record was written under one kind of key and looked up under another. Use the same "
            "in both functions.",
        ),
        _by_identity("{}.value", "{}.value"): (
            {"two inputs of the same value": (4.91614683654714, 4.91614683654714)},
            "You use the value as the key. Two different Variables may well hold the same number.",
        ),
        _by_identity("({0}.name, {0}.value)", "({0}.name, {0}.value)"): (
            {"two inputs of the same value": (2.5, 2.0 - math.cos(2.0)), SAME_BOTH: (3.0, 1.0)},
            "Name and value together are still no identity: here an input and a product share both.",
        ),
        _by_identity("id({})", "id({})"): (
            {SAME_BOTH: (2.0, 1.0), "the record keeps its values": False},
            "The slopes are right, and your record does not hold the Variables themselves. When one of them is no "
            "longer used, Python may give its id to the next one, and a key made of names, numbers and ids may fit "
            "both. Put the Variable itself into the record: then it stays alive.",
        ),
    },
    hints=(
        "A dictionary takes any object as its key, and a Variable is equal only to itself.",
        "In the record, keep v where v.name stood. In grad, use last and result themselves as keys.",
        "So dl_d begins as {last: Variable(1.0)}. The other four places follow it.",
    ),
    praise=(
        "Two Variables are never the same object, so no two values share an entry, and the record keeps them alive."
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
    expects="a function allow_constants(cls) that gives the class its operators",
    expected={
        "x * 3": (4.5, 3.0),
        "3 * x": (4.5, 3.0),
        "2 - x": (0.5, -1.0),
        "3 / x": (2.0, -4 / 3),
        "x - 2": (-0.5, 1.0),
        "x * x": (2.25, 3.0),
    },
    observe=lambda allow_constants: allow_numbers(allow_constants, division()),
    cases="These are the value and the slope, at x = 1.5.",
    reference=_constants(),
    misconceptions={
        _constants(mul="self * lift(other)"): (
            {"x * 3": Crashed("RecursionError")},
            "__mul__ is written with *, and * calls __mul__: it calls itself without an end. Call ops_mul.",
        ),
        _constants(lift="thing"): (
            {"x * 3": Crashed("AttributeError", "has no attribute")},
            "A plain number was asked for .value or .name, which it does not have. Lift it first: a Variable stays as "
            "it is, anything else becomes Variable(thing).",
        ),
        _constants(rmul=""): (
            {"3 * x": Crashed("TypeError", "unsupported operand")},
            "x * 3 works and 3 * x does not. Python asks the left operand first; an int does not know Variables, so "
            "Python asks the right one for __rmul__.",
        ),
        _constants(rsub="ops_sub(self, lift(other))"): (
            {"2 - x": (-0.5, 1.0)},
            "2 - x came out as x - 2. In __rsub__, self is the right operand: the other one comes first.",
        ),
        _constants(rdiv="ops_div(self, lift(other))"): (
            {"3 / x": (0.5, 1 / 3)},
            "3 / x came out as x / 3. In __rtruediv__, self is the right operand: the other one comes first.",
        ),
        _constants(lift="Variable(getattr(thing, 'value', thing))"): (
            {"x * x": (2.25, 1.5)},
            "You lift everything, Variables as well: each becomes a new Variable with a new name, and the trail to "
            "the input is lost. A Variable stays as it is.",
        ),
    },
    hints=(
        "Python tries 3 * x as (3).__mul__(x) first, and when int gives up, as x.__rmul__(3).",
        "Write lift(thing) once: thing if isinstance(thing, Variable) else Variable(thing). Then every "
        "operator is one line.",
        "cls.__rsub__ = lambda self, other: ops_sub(lift(other), self). Mind the order; the others follow it.",
    ),
    praise=(
        "Every overloaded operator does two things: it turns a number into a Variable, and keeps the operands in order."
    ),
)
