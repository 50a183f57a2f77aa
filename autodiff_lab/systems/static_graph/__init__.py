"""A static graph, as in source text 1 (``NaiveGraph``) and the first TensorFlow: built first, and fed when it is run.

>>> import numpy as np
>>> with Graph() as graph:
...     a, b = Placeholder(name="a"), Placeholder(name="b")
...     f = a * b + np.log(a + b)
>>> f
<Operator add_2 = multiply_1 + log_1: not computed yet>
>>> graph.run(f, {a: 10.0, b: 4.0})
42.639057329615255
>>> f.backward()
>>> a.grad, b.grad
(4.071428571428571, 10.071428571428571)

The modules, in the order in which to read them:

- ``nodes.py``: the nodes of a graph, and how an operation becomes one.
- ``forward.py``: the run.
- ``sweep.py``: the reverse sweep, with the rules of ``rules.py``.
- ``gradients.py``: the same sweep, added to the graph as nodes.
- ``graph.py``: the class `Graph`, which uses all of them.

Every primitive of the engine is a function here, by its name: ``sin``, ``exp``, ``add``, ….

Source text 1 has one graph for the whole process. Here a ``with`` block sets the graph for new nodes in this thread or
task. A node exists as long as a variable of the program or another node refers to it.
"""

from typing import Any

from . import functions
from .functions import cond, operation
from .gradients import gradients, pending_counts
from .graph import Graph, Snapshot
from .nodes import Constant, Node, Operator, Placeholder, Variable
from .rules import register_gradient, sum_back

__all__ = ["Constant", "Graph", "Node", "Operator", "Placeholder", "Snapshot", "Variable"]
__all__ += ["cond", "gradients", "operation", "pending_counts", "register_gradient", "sum_back"]


def __getattr__(name: str) -> Any:
    return getattr(functions, name)  # sin, exp, add, …: every primitive of the engine
