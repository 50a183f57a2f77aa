"""Pictures for the notebook `tensorflow`: where its two machines differ and what they share, and a descent."""

from collections.abc import Sequence

import graphviz
import matplotlib.pyplot as plt

Arrow = tuple[str, str, str]


def call_tree() -> graphviz.Digraph:
    """Draw which function calls which, from `minimize` down, as document 2 found it."""
    registry = "one registry\nof gradients"
    return _draw_boxes(
        ("minimize", "compute_gradients", ""),
        ("compute_gradients", "gradients()\nin Python", "graph mode"),
        ("compute_gradients", "ComputeGradient\nin C++", "eager"),
        ("gradients()\nin Python", registry, ""),
        ("ComputeGradient\nin C++", registry, ""),
    )


def two_machines() -> graphviz.Digraph:
    """Draw what the two machines share, and what flows through it: nodes in one, numbers in the other."""
    recorded = "what depends on\nsomething watched"
    shared = "one loop\none registry"
    return _draw_boxes(
        ("your program", "every node", "built"),
        ("your program", recorded, "run, recorded"),
        ("every node", shared, "nodes"),
        (recorded, shared, "numbers"),
        (shared, "nodes\nonce for all runs", "gradients()"),
        (shared, "numbers\nafter each run", "GradientTape"),
    )


def show_descent(path: Sequence[tuple[float, float, float]], bottom: tuple[float, float]) -> None:
    """Show the steps of a descent from above, next to the loss after each step.

    `path` has a row (w, b, loss) for each step; `bottom` is where the loss is smallest.
    """
    w, b, losses = zip(*path, strict=True)
    _, (above, beside) = plt.subplots(1, 2, figsize=(8.4, 3.0))
    above.plot(w, b, "C0o-", alpha=0.7)
    above.plot(*bottom, "C1X", markersize=12)
    above.set(xlabel="w", ylabel="b", xlim=(-1, 7), ylim=(-9, 13))
    beside.plot(losses, "C0o-")
    beside.set(xlabel="step", ylabel="loss", ylim=(-10, 150))
    plt.show()


def _draw_boxes(*arrows: Arrow) -> graphviz.Digraph:
    graph = graphviz.Digraph(graph_attr={"rankdir": "LR"})
    for tail, head, label in arrows:
        graph.edge(tail, head, label=label)
    return graph
