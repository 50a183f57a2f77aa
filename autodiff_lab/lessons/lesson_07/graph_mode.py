"""The exercises of notebook 07 about the loop over a graph: counts, the sweep, a registered gradient."""

from __future__ import annotations

from typing import Any

from autodiff_lab.lessons.checks import Crashed, Exercise
from autodiff_lab.lessons.lesson_07.sandbox import expected_differences, expected_gradients, subtract, sweep_programs
from autodiff_lab.lessons.lesson_07.variants import pending_instance

# 1. pending counts


ex_07_1 = Exercise(
    expects="four numbers, the counts of x, a, b and c; None for a node that is not counted",
    make=pending_instance,
    draws={"target": ("c", "d", "e"), "source": ("x", "z", "x and z")},
    hints=(
        "First cross out all nodes that are on no path from the source to the target.",
        "Then count, for each node that is left, how often it stands on the right side of a line that is left.",
        "In d = c * c the node c stands twice.",
    ),
    praise="A node at 0 can send. At the start that is the target, and no other.",
)

# 2. the loop


def _loop(
    ready: str = "pending[node] == 0", grad: str = "total(arrived[node])", complete: str = "pending[i] == 0"
) -> str:
    return f"""\
def gradients(ys, xs):
    pending = between(ys, xs)
    arrived = {{node: [] for node in pending}}
    for y in ys:
        if y in pending:
            arrived[y].append(ones_like(y))

    queue = [node for node in pending if {ready}]
    grads = {{}}
    while queue:
        node = queue.pop(0)
        grads[node] = {grad}
        if not node.inputs:
            continue
        rule = GRADIENT[node.kind]
        for i, g in zip(node.inputs, rule(node, grads[node]), strict=True):
            if i in pending:
                arrived[i].append(g)
                pending[i] -= 1
                if {complete}:
                    queue.append(i)

    return [grads.get(x) for x in xs]"""


_FAN, _INNER = "sin x · x + log sin x", "two ys, of which one is made from the other"
_SQUARE = "x · x, where x is used twice by one operation"

ex_07_2 = Exercise(
    expects="a function gradients(ys, xs) that returns a list, one node or None for each x",
    expected=expected_gradients(),
    observe=sweep_programs,
    cases="These are the gradients, run at x = 2 and z = 3.",
    reference=_loop(),
    misconceptions={
        _loop(grad="arrived[node][-1]"): (
            {_SQUARE: (2.0,)},
            "One contribution is used and the others are lost. A node that was used twice gets two, and their sum is "
            "its gradient.",
        ),
        _loop(complete="True"): (
            {_FAN: (-1.6706050280834595,)},
            "A node goes on the queue with each contribution, and sends more than once. It can send when nothing is "
            "missing any more.",
        ),
        _loop(complete="pending[i] < 0"): (
            {_SQUARE: (None,)},
            "Only the first node ever sends: a count does not go below 0. Complete is a count of 0.",
        ),
        _loop(ready="True"): (
            {_SQUARE: Crashed("ValueError", "not enough values to unpack")},
            "The queue begins with nodes to which nothing has come. Look at their counts: which ones need not wait?",
        ),
        _loop(ready="node in ys"): (
            {_INNER: (78.0,)},
            "Not every y may begin. If one of them is made from another, the inner one still has to wait for a "
            "contribution.",
        ),
        _loop(grad="arrived[node]"): (
            {_SQUARE: "(an object of type Operator, an object of type Operator)"},
            "arrived[node] is a list of contributions. The gradient is their sum: total(…) adds a list of nodes.",
        ),
        _loop(grad="ones_like(node)"): (
            {_SQUARE: (1.0,)},
            "Every node begins with 1 here. Only the ys do; all others have the sum of what arrived.",
        ),
    },
    hints=(
        "All three blanks are about one thing: when is a node's gradient complete, and what is it then?",
        "Complete is when the count is 0. At the start as well as after a contribution.",
        "The first and the last blank compare a count with 0. The one in the middle adds up what has arrived.",
    ),
    praise="Twenty lines, no formula, and no number: the loop works whether nodes or numbers flow.",
)

# 3. a registered gradient


def _sub_grad(first: str = "sum_back(grad, x)", second: str = "sum_back(-grad, y)", sends: str = "{}, {}") -> str:
    return f"""\
def sub_gradient(op, grad):
    x, y = op.inputs
    return {sends.format(first, second)}"""


_RIGHT = expected_differences()
_IN_X, _IN_Y = "(2, 3) - (3,), the gradient for x", "(2, 3) - (3,), the gradient for y"
_OTHER_IN_X = "(3,) - (2, 3), the gradient for x"


def _negative(rows: Any) -> Any:
    return tuple(map(_negative, rows)) if isinstance(rows, tuple) else -rows


ex_07_3 = Exercise(
    expects="a function sub_gradient(op, grad) that returns two nodes, one for each input",
    expected=_RIGHT,
    observe=subtract,
    cases="Brackets within brackets are rows: a gradient has the shape of what it belongs to.",
    reference=_sub_grad(),
    misconceptions={
        _sub_grad("grad", "-grad"): (
            {_IN_X: _RIGHT[_IN_X], _IN_Y: _negative(_RIGHT[_IN_X]), _OTHER_IN_X: _RIGHT[_IN_X]},
            "That is the rule of the document. y has shape (3,) and its gradient has shape (2, 3): every number of y "
            "was used twice, and two contributions have to be added.",
        ),
        _sub_grad("grad", "sum_back(-grad, y)"): (
            {_IN_X: _RIGHT[_IN_X], _IN_Y: _RIGHT[_IN_Y], _OTHER_IN_X: _RIGHT[_IN_X]},
            "Right where y is the smaller one. The smaller one may also be x.",
        ),
        _sub_grad("sum_back(grad, x)", "sum_back(grad, y)"): (
            {_IN_X: _RIGHT[_IN_X], _IN_Y: _negative(_RIGHT[_IN_Y])},
            "The shapes are right. If y grows, x − y gets smaller: a sign is missing.",
        ),
        _sub_grad(sends="{}"): (
            {_IN_X: "an object of type Operator"},
            "Sub has two inputs, and you return one gradient. The contract: m inputs, m gradients, in the same order.",
        ),
        _sub_grad(sends="{1}, {0}"): (
            {_IN_X: _RIGHT[_IN_Y]},
            "Both gradients are there, in the wrong order: the first belongs to the first input.",
        ),
    },
    hints=(
        "What is the shape of grad? That of x − y. What must be the shape of the gradient for y? That of y.",
        "sum_back(grad, x) adds up the rows or columns of grad until it has the shape of x, and leaves it alone if it "
        "has that shape already.",
        "Either operand may be the one that was copied, so both gradients go through sum_back.",
    ),
    praise="One rule for all shapes. TensorFlow's own rule for Sub does the same; the one in the document does not.",
)
