"""The static graph that the notebook `static_graphs` builds: its nodes, `needed`, `run` and `draw`.

The notebooks `tensorflow` and `control_flow` import it. A test checks that it is the same code as in the notebook's
cells.

>>> x = Placeholder("x")
>>> y = 2 * x + log(x)
>>> y, y.inputs, run([y], {x: 1.0})
(add, [mul, log], [np.float64(2.0)])
"""

# ruff: noqa: D101, D102, D103 - the same code as in the cells, which have no docstrings

import itertools
import math

import graphviz
import numpy as np

numbers = itertools.count(1)


class Node:
    inputs, name = (), None

    def __init__(self):
        self.number = next(numbers)

    def __repr__(self):
        return self.name or str(self.value)

    def operation(self, kind, *inputs):
        return Operator(kind, *inputs)

    def __add__(self, other):
        return self.operation("add", self, other)

    def __sub__(self, other):
        return self.operation("sub", self, other)

    def __mul__(self, other):
        return self.operation("mul", self, other)

    def __truediv__(self, other):
        return self.operation("div", self, other)

    def __neg__(self):
        return self.operation("neg", self)

    # 2 * x: the number on the left knows no nodes, so Python calls the right node's method.
    def __radd__(self, other):
        return self.operation("add", other, self)

    def __rsub__(self, other):
        return self.operation("sub", other, self)

    def __rmul__(self, other):
        return self.operation("mul", other, self)

    def __rtruediv__(self, other):
        return self.operation("div", other, self)


class Constant(Node):
    def __init__(self, value):
        super().__init__()
        self._value = value

    @property
    def value(self):  # it can be read, and nothing can be written to it
        return self._value


class Variable(Node):
    def __init__(self, value, name=None):
        super().__init__()
        self.value, self.grad, self.name = value, 0.0, name


class Placeholder(Variable):
    def __init__(self, name):
        super().__init__(None, name)


class Operator(Variable):
    def __init__(self, kind, *inputs):
        super().__init__(None, kind)
        self.kind = kind
        self.inputs = [as_node(x) for x in inputs]


def as_node(x):  # a plain number becomes a Constant
    return x if isinstance(x, Node) else Constant(x)


def exp(x):
    return as_node(x).operation("exp", x)


def log(x):
    return as_node(x).operation("log", x)


def sin(x):
    return as_node(x).operation("sin", x)


def cos(x):
    return as_node(x).operation("cos", x)


def needed(targets):
    found, todo = {}, list(targets)
    while todo:
        node = todo.pop()
        if node not in found:
            found[node] = True
            todo += node.inputs
    return list(found)


def draw(targets, note=lambda node: "", shade=()):
    graph = graphviz.Digraph(graph_attr={"rankdir": "LR"})
    for node in needed(targets):
        style = "rounded,filled" if node.inputs else "filled"
        look = {"fillcolor": "#FFF1E6", "penwidth": "2.5"} if node in shade else {}
        graph.node(str(node.number), f"{node}\n{note(node)}".strip(), style=style, **look)
        for x in node.inputs:
            graph.edge(str(x.number), str(node.number))
    return graph


COMPUTE = {
    "add": lambda *values: sum(values),
    "sub": lambda a, b: a - b,
    "mul": lambda *values: math.prod(values),
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
}


def compute(node, feed):
    if isinstance(node, Placeholder):
        if node not in feed:
            raise ValueError(f"the placeholder {node.name} was not fed")
        node.value = feed[node]
    elif isinstance(node, Operator):
        node.value = COMPUTE[node.kind](*[x.value for x in node.inputs])


def run(targets, feed):
    nodes = needed(targets)
    waiting = {node: len(node.inputs) for node in nodes}  # how many inputs are still missing
    users = {node: [] for node in nodes}
    for node in nodes:
        for x in node.inputs:
            users[x].append(node)

    queue = [node for node in nodes if waiting[node] == 0]
    while queue:
        node = queue.pop(0)
        compute(node, feed)
        for user in users[node]:
            waiting[user] -= 1
            if waiting[user] == 0:
                queue.append(user)

    return [node.value for node in targets]
