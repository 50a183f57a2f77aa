"""Two exercises of notebook 06 with numbers of one's own: the document's first example, and a sum that is changed."""

import math
from typing import Any

import numpy as np

from autodiff_lab.lessons.checks import Instance
from autodiff_lab.transforms.gradients import grad
from autodiff_lab.widgets.labs.feed_graph.programs import GraphBuilder

PRINTED = 46.63906
"""The value that the document prints for its first example."""


def evaluate_first_example(a: float = 10.0, b: float = 4.0) -> Instance:
    """The value of a·b + log(a + b), and whether it is the printed one."""

    def example(a: Any, b: Any) -> Any:
        return a * b + np.log(a + b)

    value = float(example(a, b))
    mistakes = {
        "printed": (PRINTED, True),
        "said to agree": (value, True),
        "base 10": (a * b + math.log10(a + b), False),
        "logarithms one by one": (a * b + math.log(a) + math.log(b), False),
        "slope": (float(grad(example)(a, b)), False),
    }
    return Instance((value, math.isclose(value, PRINTED, rel_tol=1e-6)), mistakes=mistakes)


def run_aliased_sum(x: float, y: float, z: float, k: float, flatten: str) -> tuple[float, float]:
    """The values of s and u in s = x + y, u = s * k, t = s + z, as a graph has them that flattens so.

    >>> run_aliased_sum(1.0, 2.0, 3.0, 10.0, "mutate"), run_aliased_sum(1.0, 2.0, 3.0, 10.0, "copy")
    ((6.0, 60.0), (3.0, 30.0))
    """
    built = GraphBuilder(("s = x + y", f"u = s * {k!r}", "t = s + z"), flatten)
    for _ in built.lines:
        built.next()
    named = built.named
    return tuple(built.graph.run([named["s"], named["u"]], {named["x"]: x, named["y"]: y, named["z"]: z}))


def alias_sum(x: float = 1.0, y: float = 2.0, z: float = 3.0, k: float = 10.0) -> Instance:
    """What becomes of a sum and of its user when the sum is made longer."""
    right, meant = (run_aliased_sum(x, y, z, k, flatten) for flatten in ("mutate", "copy"))
    mistakes = {
        "as meant": meant,
        "only u changed": (meant[0], right[1]),
        "only s changed": (right[0], meant[1]),
        "s and t": (meant[0], right[0]),
    }
    return Instance(right, mistakes=mistakes)
