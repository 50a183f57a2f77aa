"""Drawing of the equation lists that its reader builds."""

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
        Has `inputs`, `equations` as (result, op, operands, options), and names with a `letter`.
    mirrored : bool
        Whether the second one, dashed, runs from right to left.
    turned : bool
        Whether the arrows of the second one, dashed, are turned around where they stand.
    dashed : collection of names
        The boxes to draw dashed.
    """
    dot = graphviz.Digraph(graph_attr={"rankdir": "LR", "nodesep": "0.12", "ranksep": "0.35"})
    for k, program in reversed([*enumerate(programs)]):  # what is drawn first stands at the bottom
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
