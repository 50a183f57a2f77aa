"""The exercises of notebook 06 about sums and products of many terms: what merging saves, and what it breaks."""

from __future__ import annotations

from autodiff_lab.lessons.checks import Instance
from autodiff_lab.lessons.lesson_06 import sandbox
from autodiff_lab.widgets.labs.feed_graph.programs import GraphBuilder

# 5a. a sum that changes under its user


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


def _alias(x: float = 1.0, y: float = 2.0, z: float = 3.0, k: float = 10.0) -> Instance:
    right, meant = run_aliased_sum(x, y, z, k, "mutate"), run_aliased_sum(x, y, z, k, "copy")
    mistakes = {
        "as meant": meant,
        "only u changed": (meant[0], right[1]),
        "only s changed": (right[0], meant[1]),
        "s and t": (meant[0], right[0]),
    }
    return Instance(right, mistakes=mistakes)


# 5b. the same without damage


EXPECTED = sandbox.expected_sums()


# 6. how many nodes


# 7. partials by place


RIGHT = sandbox.expected_partials()
SIN, COS, ZERO, ZEROS, SQUARE, FOUR, _ = RIGHT
