"""Pictures for the notebook `ways_to_remember`: cells, records and closures, and the numbers that each design keeps."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import graphviz
import matplotlib.pyplot as plt

from autodiff_lab.engine.tape import Tape
from autodiff_lab.systems.side_by_side import Comparison, compare

BLUE, ORANGE, GREEN = "#0069A6", "#B04A00", "#00704F"


def draw_cells(cells: Sequence[Any], *labels: str) -> graphviz.Digraph:
    """Draw document 3's cells as boxes, with their stored partials on the arrows."""
    graph = _begin()
    name = {cell: str(k) for k, cell in enumerate(cells)}
    for cell, label in zip(cells, labels, strict=True):
        graph.node(name[cell], f"{label} = {cell.value:.4f}")
        for operand in ("x", "y"):
            if hasattr(cell, operand):
                kept = f" {getattr(cell, 'd' + operand):.4f} "
                graph.edge(name[getattr(cell, operand)], name[cell], kept, color=BLUE)
    return graph


def draw_records(records: Iterable[tuple[Any, ...]], names: Mapping[Any, str]) -> graphviz.Digraph:
    """Draw records, which begin with operands and result; a Variable that no record made has no arrow into it."""
    graph = _begin()
    known = dict(names)
    for operands, result, *_ in records:
        known.setdefault(result, f"{result.value:.4f}")
        for operand in operands:
            known.setdefault(operand, f"{operand.value:.4f}\na new Variable")
            graph.edge(known[operand], known[result])
    return graph


def draw_closures(records: Iterable[tuple[Any, ...]], names: Mapping[Any, str]) -> graphviz.Digraph:
    """Draw records with their closures: a dashed arrow leads from each Variable to the closures that hold it."""
    graph = _begin()
    for operands, result, partials in records:
        for operand in operands:
            graph.edge(names[operand], names[result])
        box = f"closure of\n{names[result]}"
        graph.node(box, shape="note", color=ORANGE)
        graph.edge(names[result], box, style="dotted", arrowhead="none")
        for cell in partials.__closure__ or ():
            held = names[cell.cell_contents]
            graph.edge(held, box, style="dashed", color=ORANGE, label=" holds ")
    return graph


def draw_kept(comparison: Comparison, tape: Tape) -> graphviz.Digraph:
    """Draw a program for each of three designs: thick where the design keeps a number, and dotted elsewhere."""
    graph = _begin()
    for column in comparison.columns[2::-1]:
        kept: dict[str, float] = {}
        for entry in column.ledger:
            kept |= dict(zip(entry.names, entry.numbers, strict=True))
        with graph.subgraph(name=f"cluster {column.design}") as part:
            title = f"{column.design}: {column.numbers} numbers"
            part.attr(label=title, labeljust="l", color="transparent")
            for i in range(len(tape)):
                node, name = f"{column.design} {i}", tape.name(i)
                part.node(node, f"{name} = {tape.values[i]:.4g}", **_look(name in kept))
                for parent in tape.parents[i]:
                    partial = f"∂{name}/∂{tape.name(parent)}"
                    label = f"{kept[partial]:.4g}" if partial in kept else ""
                    part.edge(f"{column.design} {parent}", node, label, **_look(partial in kept))
    return graph


def draw_saved(comparison: Comparison, tape: Tape) -> graphviz.Digraph:
    """Draw a tape as PyTorch stores it: a node for each operation, with its saved values and arrows backward."""
    graph = _begin()
    rules = comparison.columns[1].ledger
    for i in range(tape.n_inputs, len(tape)):
        saved = ", ".join(rules[i - tape.n_inputs].names) or "nothing"
        graph.node(tape.name(i), f"rule of {tape.expression(i)}\nsaves {saved}")
        for parent in tape.parents[i]:
            graph.edge(tape.name(i), tape.name(parent), color=ORANGE)
    return graph


def plot_numbers_kept(functions: Sequence[Callable[..., Any]]) -> None:
    """Plot how many numbers each of three designs keeps for single operations."""
    for k, f in enumerate(functions):
        partials, closures, operations = compare(f, *(1.5, 2.0)[: f.nin]).columns[:3]  # type: ignore[attr-defined]
        plt.bar(k - 0.27, partials.numbers, 0.25, color="C0")
        plt.bar(k, closures.numbers, 0.25, color="C1", hatch="//")
        plt.bar(k + 0.27, operations.numbers, 0.25, color="none", edgecolor="C2")
        plt.bar(k + 0.27, closures.numbers, 0.25, color="C2")
    plt.xticks(range(len(functions)), [f.__name__ for f in functions])
    plt.ylabel("numbers kept")
    plt.ylim(0, 4.6)
    legend = ["partials", "closures", "operations", "… read by the rule"]
    plt.legend(legend, ncols=4, fontsize=9.5)
    plt.show()


def _begin() -> graphviz.Digraph:
    return graphviz.Digraph(graph_attr={"rankdir": "LR"})


def _look(kept: bool) -> dict[str, str]:
    return {"penwidth": "2.5", "color": GREEN} if kept else {"style": "dotted"}
