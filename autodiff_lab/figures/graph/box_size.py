"""How large the box of a node is, and what its first line says."""

from __future__ import annotations

from collections.abc import Iterator

from autodiff_lab.text import notation
from autodiff_lab.text.messages import say
from autodiff_lab.trace.model import Line, Trace

SIZE = 14
"""The size of type in a drawing, in points."""


def heading(trace: Trace, i: int, line: Line) -> tuple[str, str]:
    """The first line of a node: what it is, and its name on the tape."""
    return line.symbol, f"{line.shown} = {trace.result_name}" if i == trace.result else line.shown


def text_width(text: str, bold: bool = False) -> float:
    """Estimate the width of text in points, a little generously, so that boxes do not depend on installed fonts."""
    width = 0.0
    for character in text:
        if notation.display_width(character) == 0:
            continue
        if character in "₀₁₂₃₄₅₆₇₈₉₋⁰¹²³⁴⁵⁶⁷⁸⁹⁻.,·:;|!il[]() ":
            width += 0.42
        else:
            width += 0.68 if notation.display_width(character) == 1 else 1.02
    return width * SIZE * (1.1 if bold else 1.0)


def below_heading(trace: Trace) -> Iterator[tuple[int, str]]:
    """What a node shows under its first line at some step: values, tangents, adjoints, true ones."""
    for i, line in enumerate(trace.lines):
        yield i, line.value.in_node
    for i, truth in enumerate(trace.truth):
        if truth is not None:
            yield i, say("node true", value=truth.in_node)
    for step in trace.steps:
        if step.adjoint is not None:
            yield step.line, step.adjoint.in_node
        yield from ((send.parent, send.after.in_node) for send in step.sends)
        if step.tangents:
            yield step.line, ", ".join(tangent.in_node for tangent in step.tangents)


def node_widths(trace: Trace) -> list[float]:
    """The width of each node in inches, wide enough for every text it shows at any step."""
    widest = []
    for i, line in enumerate(trace.lines):
        head, name = heading(trace, i, line)
        widest.append(text_width(f"{head} ", True) + text_width(name))
    for i, text in below_heading(trace):
        widest[i] = max(widest[i], text_width(text, True))
    return [max(0.6, width / 72 + 0.24) for width in widest]
