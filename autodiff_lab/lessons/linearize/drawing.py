"""Drawings of the equation lists that the notebook `linearize` builds."""

from typing import Any

import graphviz
import numpy as np


def draw(
    *programs: Any, mirrored: bool = False, turned: bool = False, dashed: Any = ()
) -> graphviz.Digraph:
    """Draw the equation lists of the notebook `linearize` below each other, a box for each equation.

    Parameters
    ----------
    programs : Program
        Equation lists: each has `inputs` and `equations`, which are tuples (result, op, operands, options), and its
        names have a `letter`.
    mirrored : bool
        Whether the second list is dashed and runs from right to left.
    turned : bool
        Whether the second list is dashed and each of its arrows is reversed, without moving the boxes.
    dashed : collection of names
        The boxes to draw dashed.
    """
    dot = graphviz.Digraph(graph_attr={"rankdir": "LR", "nodesep": "0.12", "ranksep": "0.35"})
    for k, program in reversed([*enumerate(programs)]):  # Graphviz puts the first one at the bottom
        second = k == 1 and (mirrored or turned)
        boxes = [(x, x.letter) for x in program.inputs]
        for result, op, operands, options in program.equations:
            numbers = [f"{x:.4g}" for x in operands if not hasattr(x, "letter") and np.ndim(x) == 0]
            axis = f" axis {options['axis']}" if options else ""
            boxes.append((result, " ".join([f"{result.letter} = {op}{axis}", *numbers])))
        for name, text in boxes:
            style = {"style": "rounded,filled,dashed"} if name in dashed or second else {}
            dot.node(f"{k}{name.letter}", text, **style)
        for result, _, operands, _ in program.equations:
            for x in operands:
                if hasattr(x, "letter"):
                    ends = (f"{k}{x.letter}", f"{k}{result.letter}")
                    dot.edge(
                        *(ends[::-1] if second and mirrored else ends),
                        dir="back" if second else "forward",
                    )
    return dot
