"""Programs to draw, and how the tests read what was drawn."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np

from autodiff_lab.figures.graph.draw import graph, render

SPACE = "{http://www.w3.org/2000/svg}"


def chain(n):
    def f(x, y):
        for _ in range(n // 5):
            x, y = x + 0.1 * y, y - 0.1 * np.sin(x)
        return x * y

    return f


def used_everywhere(operations):
    def f(a, b):
        x = a
        for _ in range(operations // 3):
            x = np.sin(x * b + a)
        return x

    return f


CASES = {
    "single": (np.sin, (1.0,)),
    "square": (lambda x: x * x, (3.0,)),
    "constants": (lambda x: 3 * x + 2 - x / 4, (2.0,)),
    "independent": (lambda x: 3.0, (2.0,)),
    "identity": (lambda x: x, (2.0,)),
    "dead end": (lambda x, y: [np.exp(y), x * 2][1], (2.0, 3.0)),
    "arrays": (
        lambda w, x: np.mean(np.tanh(w @ x + np.ones(2)) ** 2),
        (np.array([[1.0, 2.0], [3.0, -4.0]]), np.array([0.1, 0.2])),
    ),
    "large arrays": (lambda x: np.sum(x.T * 2), (np.ones((128, 64)),)),
    "not finite": (lambda x: x * np.inf - 1e300 * x, (2.0,)),
    "fifty": (chain(50), (1.0, 0.5)),
}


def svg_of(trace):
    return ElementTree.fromstring(render(graph(trace), "svg"))


def rows_of(drawing):
    """The DOT line of each node and edge."""
    return {row.split(" [")[0].strip(): row for row in drawing.source.splitlines() if " [" in row}


def size(drawing):
    found = re.search(r'viewBox="[\d.]+ [\d.]+ ([\d.]+) ([\d.]+)"', render(drawing).decode())
    return [float(x) for x in found.groups()]
