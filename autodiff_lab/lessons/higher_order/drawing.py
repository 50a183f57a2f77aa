"""Pictures for the notebook `higher_order`: nested dual numbers, a tape with its sweeps, and second derivatives."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import graphviz
import matplotlib.pyplot as plt
import numpy as np

from autodiff_lab import grad, hvp


def draw_nested(number: Any) -> graphviz.Digraph:
    """Draw a dual number whose parts may be dual numbers themselves, as a tree.

    Parameters
    ----------
    number : Dual or Tagged
        A number of the notebook, with a `value`, a `tangent` and perhaps a `tag`.
    """
    graph = graphviz.Digraph()

    def add(thing: Any, name: str) -> None:
        if not hasattr(thing, "tangent"):
            graph.node(name, f"{float(thing):g}", shape="plain")
            return
        graph.node(name, type(thing).__name__)
        for part in ("value", "tangent"):
            graph.edge(name, name + part[0], f" {part} {getattr(thing, 'tag', '')}")
            add(getattr(thing, part), name + part[0])

    add(number, "n")
    return graph


def draw_records(
    records: Sequence[tuple[Any, ...]], swept: int, known: Mapping[str, Any]
) -> graphviz.Digraph:
    """Draw the records of the notebook's tape: those of the function are solid, those that a sweep added are dashed.

    Parameters
    ----------
    records : sequence of (operands, result, partials)
        The tape.
    swept : int
        The number of records that belong to the function; later ones were added by sweeps.
    known : dict
        Named Variables, by their names.
    """
    graph = graphviz.Digraph(graph_attr={"rankdir": "LR"})
    names = {variable: name for name, variable in known.items()}
    for k, (operands, result, _) in enumerate(records):
        style = "dashed" if k >= swept else "solid"
        for variable in (*operands, result):
            name = names.setdefault(variable, f"v{len(names)}")
            prefix = f"{name} = " if name in known else ""
            graph.node(name, f"{prefix}{variable.value:.4g}")
        graph.node(names[result], style=f"rounded,filled,{style}")
        for operand in operands:
            graph.edge(names[operand], names[result], style=style)
    return graph


def draw_parabola(f: Callable[[Any], Any], x: float, xs: np.ndarray) -> None:
    """Plot a function, and at x its tangent and the parabola with the same slope and second derivative."""
    slope, bend = grad(f)(x), grad(grad(f))(x)
    step = np.linspace(-2.0, 2.0, 41)
    line = f(x) + slope * step
    plt.plot(xs, f(xs), label="x sin x")
    plt.plot(x + step, line, "--", label="slope")
    plt.plot(
        x + step, line + bend / 2 * step**2, ":", linewidth=3, label="slope and second derivative"
    )
    plt.plot(x, f(x), "ko")
    plt.title(f"x = {x:.1f}: slope {slope:.2f}, second derivative {bend:.2f}")
    plt.axis((xs[0], xs[-1], -7, 5))
    plt.xlabel("x")
    plt.legend(loc="lower center")
    plt.show()


def draw_product(f: Callable[[Any], Any], x: np.ndarray, v: np.ndarray) -> None:
    """Plot the gradient at points along v, and next to it v with Hv, the rate at which the gradient changes along v."""
    product = hvp(f, (x,), (v,))
    places = np.array([x + step * v for step in (0.0, 0.4, 0.8)])
    slopes = np.array([grad(f)(place) for place in places])
    _, (left, right) = plt.subplots(1, 2)
    left.plot(*places.T, "C0o--")
    left.quiver(
        *places.T, *slopes.T, color="C2", angles="xy", scale_units="xy", scale=8.0, width=0.012
    )
    left.set(title="gradient along v", xlabel="first input", ylabel="second input", aspect="equal")
    left.set(xlim=(0.9, 3.7), ylim=(4.0, 6.2))
    for arrow, color, name in ((v, "C0", "v"), (product, "C1", "Hv")):
        right.quiver(
            0,
            0,
            *arrow,
            color=color,
            angles="xy",
            scale_units="xy",
            scale=1.0,
            width=0.014,
            label=name,
        )
    right.set(
        title=f"v · Hv = {v @ product:.2f}", aspect="equal", xlim=(-2.2, 2.2), ylim=(-1.8, 1.8)
    )
    right.legend(loc="upper right")
    plt.show()


def draw_paths(f: Callable[[Any], Any], paths: Mapping[str, Sequence[np.ndarray]]) -> None:
    """Plot the contours of a function of two numbers, and the paths of descent methods on it."""
    xs, ys = np.linspace(-1.3, 1.3, 41), np.linspace(-0.5, 1.2, 31)
    heights = [[f(np.array([x, y])) for x in xs] for y in ys]
    plt.contour(xs, ys, heights, 6, colors="gray", linewidths=0.8)
    for (name, path), style in zip(paths.items(), ("s--", "o-"), strict=True):
        plt.plot(*np.transpose(path), style, label=name)
    plt.axis((-1.3, 1.3, -0.5, 1.2))
    plt.xlabel("first unknown")
    plt.ylabel("second unknown")
    plt.legend(loc="lower left")
    plt.show()
