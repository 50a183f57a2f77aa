"""Graphs for the notebook `learning`: the cells of its first program, and the shapes on a tape of arrays."""

from collections.abc import Sequence
from typing import Any

import graphviz
import numpy as np


def draw_cells(result: Any) -> graphviz.Digraph:
    """Draw a dot for each cell on a result's tape: grey if it has no operands; a link is dashed if its partial is 0.

    Parameters
    ----------
    result : Cell
        A cell of `autodiff_lab.systems.wengert`.
    """
    tape = result.tape
    g = graphviz.Digraph(graph_attr={"rankdir": "LR", "label": f"{len(tape)} cells"})
    g.attr("node", label="", shape="circle", width="0.25", height="0.25")
    for cell in tape:
        g.node(str(id(cell)), fillcolor="gray" if not cell.links else "#FFFFFF")
        for operand, partial in cell.links:
            g.edge(str(id(operand)), str(id(cell)), style="solid" if partial else "dashed")
    return g


def draw_numbers(result: Any, names: Sequence[str]) -> graphviz.Digraph:
    """Draw the cells of a result with their values and sensitivities, and the local partial at each arrow.

    Parameters
    ----------
    result : Cell
        A cell whose `backprop()` was called.
    names : sequence of str
        The names of the cells, in the order of the tape.
    """
    g = graphviz.Digraph(graph_attr={"rankdir": "LR"})
    for name, cell in zip(names, result.tape, strict=True):
        g.node(str(id(cell)), f"{name}\n{cell.value:.4f}\n{cell.sensitivity:.4f}")
        for operand, partial in cell.links:
            g.edge(str(id(operand)), str(id(cell)), f" {partial:.4f} ")
    return g


def draw_shapes(tape: Any) -> graphviz.Digraph:
    """Draw a tape of arrays: a box for each line, with its operation and the shape of its value.

    Parameters
    ----------
    tape : Tape
        The tape of a function of one dictionary, as `ad.record` returns it.
    """
    g = graphviz.Digraph(graph_attr={"rankdir": "LR", "ranksep": "0.2"})
    inputs = (name.split("'")[1] for name in tape.input_names)  # w of parameters['w']
    for k, (op, value) in enumerate(zip(tape.ops, tape.values, strict=True)):
        shape = "×".join(str(n) for n in np.shape(value)) or "number"
        name = op.symbol or op.name if op else next(inputs)
        g.node(str(k), f"{name}\n{shape}")
        operands = [line for line in tape.parents[k] if line >= 0]  # a constant has no line
        g.edges((str(line), str(k)) for line in operands)
    return g
