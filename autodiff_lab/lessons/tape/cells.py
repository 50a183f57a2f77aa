"""The engine that the notebook `tape` builds, the same code as in its cells, and drawings of cells and closures."""

import graphviz
import numpy as np

tape = []


class Cell:
    def __init__(self, value, *links):
        self.value = float(value)
        self.links = [(operand, float(partial)) for operand, partial in links]
        tape.append(self)

    def __add__(self, other):
        return Cell(self.value + other.value, (self, 1), (other, 1))

    def __sub__(self, other):
        return Cell(self.value - other.value, (self, 1), (other, -1))

    def __mul__(self, other):
        return Cell(self.value * other.value, (self, other.value), (other, self.value))


def sin(x):
    return Cell(np.sin(x.value), (x, np.cos(x.value)))


def log(x):
    return Cell(np.log(x.value), (x, 1 / x.value))


def square(x):
    return Cell(x.value**2, (x, 2 * x.value))


def draw(cells, adjoint=(), word="adjoint", **names):
    """Draw cells as boxes and their links as arrows, which carry the local partials."""
    called = {cell: f"{name} = " for name, cell in names.items()}
    graph = graphviz.Digraph(graph_attr={"rankdir": "LR"})
    for k, cell in enumerate(cells):
        label = f"{called.get(cell, '')}{cell.value:.4g}"
        if cell in adjoint:
            label += f"\n{word} {adjoint[cell]:.4g}"
        graph.node(str(k), label)
        for operand, partial in cell.links:
            graph.edge(str(cells.index(operand)), str(k), label=f"{partial:.4g}")
    return graph


def draw_paths(result, **names):
    """Draw every path back from a result: a box for each visit of a cell, with the product of the partials up to it."""
    called = {cell: name for name, cell in names.items()}
    graph = graphviz.Digraph(graph_attr={"rankdir": "LR"})

    def follow(cell, visit, product):
        graph.node(visit, f"{called.get(cell, '·')}: {product:.4g}")
        for k, (operand, partial) in enumerate(cell.links):
            follow(operand, f"{visit}{k}", product * partial)
            graph.edge(f"{visit}{k}", visit, label=f"{partial:.4g}")

    follow(result, "visit", 1.0)
    return graph


def draw_closure(function):
    """Draw the cells of a closure: a function and the variables that it keeps."""
    graph = graphviz.Digraph()
    for name, kept in zip(function.__code__.co_freevars, function.__closure__, strict=True):
        graph.edge(function.__name__, f"{name} = {kept.cell_contents}")
    return graph
