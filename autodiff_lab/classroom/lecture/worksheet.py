"""The worksheet of a lecture: a graph and a tape to fill in by hand, and the same two filled in."""

import re
from collections.abc import Callable
from typing import Any

from autodiff_lab.figures.graph.draw import Drawing, draw
from autodiff_lab.figures.graph.render import picture
from autodiff_lab.figures.style.svg import image_tag
from autodiff_lab.text.notation import escape
from autodiff_lab.trace.model import Line, Trace

_NUMBER_IN_BOX = re.compile(r"(<b>)[^<]*(</b></font>)")
_LABEL_OF_EDGE = re.compile(r"(<td [^>]*>)[^<]*(</td>)")
_EMPTY = "&#160;" * 8
_COLUMNS = ("line", "operation", "value", "local partials", "adjoint")


class Worksheet:
    """A graph and a tape of ``f(*args)``, empty and filled in, for the handout of a lecture.

    Write it as the last line of a cell with the tag ``handout``. The handout shows the empty half on its first
    page, and the solution on its second.

    Parameters
    ----------
    f : callable
        The function of the lecture.
    *args : float
        The point at which it is run.

    Examples
    --------
    >>> sheet = Worksheet(lambda x: x * x, 3.0)
    >>> "<td>9</td>" in sheet.to_fill_in(), "<td>9</td>" in sheet.solution()
    (False, True)
    """

    def __init__(self, f: Callable[..., Any], *args: float) -> None:
        self.trace = Trace.of(f, *args)

    def to_fill_in(self) -> str:
        """Return the worksheet's graph and tape as HTML, with the inputs and without anything computed from them."""
        names = ", ".join(line.expression for line in self.trace.lines if line.kind != "input")
        described = f"An empty graph to fill in. Operations: {names}."
        task = (
            "Forward: write the value into each box, and the local partial on each arrow. Backward: begin with the "
            "adjoint 1 at the result."
        )
        return f"<p>{task}</p>{_image(self._empty_graph(), described)}\n{self._tape(filled=False)}"

    def solution(self) -> str:
        """Return the worksheet's graph and tape as HTML, with every value, local partial and adjoint."""
        graph = draw(self.trace, theme="light")
        return f"{_image(graph, str(graph))}\n{self._tape(filled=True)}"

    def _empty_graph(self) -> Drawing:
        graph = draw(self.trace, theme="light")
        inputs = {f"n{i}" for i, line in enumerate(self.trace.lines) if line.kind == "input"}
        graph.body = [_without_numbers(statement, inputs) for statement in graph.body]
        return graph

    def _tape(self, *, filled: bool) -> str:
        head = "".join(f'<th scope="col">{column}</th>' for column in _COLUMNS)
        adjoints = self.trace.adjoints_at(len(self.trace.steps) - 1)
        rows = ""
        for line, adjoint in zip(self.trace.lines, adjoints, strict=True):
            cells = [escape(line.expression), *_numbers(line, adjoint.text if adjoint else "")]
            if not filled:
                known = cells[1] if line.kind == "input" else ""
                cells[1:] = [known, "", ""]
            written = "".join(f"<td>{cell}</td>" for cell in cells)
            rows += f'<tr><th scope="row">{escape(line.display_name)}</th>{written}</tr>'
        return f'<table class="tape"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'

    def __repr__(self) -> str:
        return f"Worksheet of {self.trace.title}: a graph and a tape to fill in, and the solution."

    def _repr_html_(self) -> str:
        empty, full = self.to_fill_in(), self.solution()
        return f'<div class="to-fill-in">{empty}</div>\n<div class="solution">{full}</div>'


def _numbers(line: Line, adjoint: str) -> list[str]:
    """Return the cells that follow the operation in a row of the tape: the value, the local partials, the adjoint."""
    partials = ", ".join(escape(operand.edge) for operand in line.operands)
    return [escape(line.value.text), partials, escape(adjoint)]


def _without_numbers(statement: str, inputs: set[str]) -> str:
    """Blank out the numbers in one DOT statement (a node or an edge), except the value of an input."""
    name = statement.split()[0]
    if "->" in statement:
        return _LABEL_OF_EDGE.sub(rf"\1{_EMPTY}\2", statement)
    if name not in inputs:
        return _NUMBER_IN_BOX.sub(rf"\1{_EMPTY}\2", statement)
    _value, adjoint = _NUMBER_IN_BOX.finditer(statement)
    return f"{statement[: adjoint.start()]}<b>{_EMPTY}</b></font>{statement[adjoint.end() :]}"


def _image(graph: Drawing, description: str) -> str:
    return image_tag(picture(graph), description)
