"""What each part of a graph looks like at one step: its words, its colours, its size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import graphviz

from autodiff_lab.figures.graph.box_size import below_heading, heading, node_widths, text_width
from autodiff_lab.figures.style.themes import BLUE, GREEN, VERMILION, theme_of
from autodiff_lab.text import notation
from autodiff_lab.text.messages import counted, say, separated
from autodiff_lab.trace.groups import Group
from autodiff_lab.trace.model import Line, Operand, Step, Trace

NODE_HEIGHT = 0.95
"""Three rows of text, and air."""

# The adjoint goes against the edge: the arrow turns round.
_CARRYING = {
    "class": "edge-operand carrying",
    "color": VERMILION,
    "penwidth": "2.5",
    "style": "dashed",
    "dir": "back",
    "arrowsize": "1",
}

_ROWS = 3
SMALL_HEIGHT = 0.4
"""Of a constant, and of a value that is written again."""

MOST_OUTPUTS = 3
"""So many of the values that leave a group are written into its box."""


class Look(NamedTuple):
    """What a drawing shows; see `graphs.draw`."""

    values: bool = True
    adjoints: bool = True
    partials: bool = True
    shapes: bool = False
    theme: str = "auto"


class Parts:
    """What each part of the graph looks like at one step."""

    def __init__(self, trace: Trace, step: int, look: Look, film: bool = False) -> None:
        self.trace, self.look, self.theme = trace, look, theme_of("draw", look.theme)
        self.now: Step | None = trace.steps[step] if 0 <= step < len(trace.steps) else None
        self.recorded = trace.recorded_at(step)
        self.sweeping = self.now is not None and self.now.phase in ("seed", "sweep")
        self.adjoints = trace.adjoints_at(step)
        self.tangents = trace.tangents_at(step)
        self.over = step >= len(trace.steps) - 1 and (self.sweeping or trace.mode == "forward")
        self.carrying = {(self.now.line, send.slot) for send in self.now.sends} if self.now and not self.over else set()
        self.pushing = {(self.now.line, push.slot) for push in self.now.pushes} if self.now and not self.over else set()
        self.receiving = {send.parent for send in self.now.sends} if self.now and not self.over else set()
        self.widths = node_widths(trace)
        # In a film each box is as wide at every step as at the one where it has most to say.
        self._longest: dict[int, str] = {}
        for i, text in below_heading(trace) if film else ():
            self._longest[i] = max(self._longest.get(i, ""), text, key=len)

    def node(self, i: int, line: Line) -> dict[str, str]:
        """A line of the tape."""
        adjoint = self.adjoints[i]
        classes = [line.kind]
        look = {"style": "rounded,filled"}
        if line.kind == "input":
            # Square corners and a heavy border, so that the colour is not the only sign.
            look = {"style": "filled", "color": GREEN, "penwidth": "2"}
        if i == self.trace.result:
            classes.append("result")
            look |= {"peripheries": "2", "penwidth": "2"}
        if self.over and self.sweeping and adjoint is None:
            classes.append("unreached")
            look["style"] += ",dashed"
        if self.now is not None and not self.over and (i == self.now.line or i in self.receiving):
            classes.append("active")
            look |= {"color": VERMILION if self.sweeping else GREEN, "penwidth": "3"}
            if self.sweeping:
                look["fillcolor"] = self.theme.adjoint_paper
        if i >= self.recorded:
            look["style"] = "invis"
        head, name = heading(self.trace, i, line)
        rows = [f'<b>{_markup(head)}</b> <font color="{self.theme.soft_ink}">{_markup(name)}</font>']
        if self.look.values:
            rows.append(self._coloured(line.value.in_node, self.theme.value))
        if self.look.adjoints:
            rows.append(self._derivative(i))
        if len(rows) < _ROWS:
            look["height"] = f"{SMALL_HEIGHT + (NODE_HEIGHT - SMALL_HEIGHT) * (len(rows) - 1) / (_ROWS - 1):g}"
        return look | {
            "id": f"n{i}",
            "class": " ".join(classes),
            "label": f"<{'<br/>'.join(rows)}>",
            "width": f"{self.widths[i]:.2f}",
            "tooltip": escaped_text(self._said(i, line)),
        }

    def _coloured(self, text: str, colour: str) -> str:
        return f'<font color="{colour}"><b>{_markup(text)}</b></font>'

    def _derivative(self, i: int) -> str:
        """The adjoint of a line, or its tangents; the mode says which."""
        text = self._derivative_text(i)
        if not text:
            return "&#160;"
        if text == notation.NOT_REACHED:
            return text
        return self._coloured(text, self.theme.tangent if self.trace.mode == "forward" else self.theme.adjoint)

    def _derivative_text(self, i: int) -> str:
        if self.trace.mode == "forward":
            return ", ".join(tangent.in_node for tangent in self.tangents[i])
        adjoint = self.adjoints[i]
        if adjoint is None:
            return notation.NOT_REACHED if self.sweeping else ""
        return adjoint.in_node

    def group(self, group: Group, outputs: Sequence[int]) -> dict[str, str]:
        """One box for several lines: the text they come from, and the values that leave it."""
        size = size_of(group)
        title = group.title or f"{self.trace.lines[group.first].shown} …"
        rows, texts = [f"<b>{_markup(title)}</b>"], [title, size]
        rows.append(f'<font color="{self.theme.soft_ink}">{_markup(size)}</font>')
        for i in outputs[:MOST_OUTPUTS]:
            line = self.trace.lines[i]
            name = heading(self.trace, i, line)[1]
            row, shown = [_markup(name)], [name]
            if self.look.values:
                row.append(self._coloured(line.value.in_node, self.theme.value))
                shown.append(line.value.in_node)
            if self.look.adjoints:
                row.append(self._derivative(i))
                shown.append(self._longest.get(i, "") or self._derivative_text(i))
            rows.append("&#160;&#160;".join(row) if i < self.recorded else "&#160;")
            texts.append("  ".join(shown))
        if len(outputs) > MOST_OUTPUTS:
            rows.append(_markup(say("and more", n=len(outputs) - MOST_OUTPUTS)))
        look = {"peripheries": "2", "penwidth": "2"} if self.trace.result in outputs else {}
        if group.first >= self.recorded:
            look["style"] = "invis"
        elif self._takes_part(group):
            look |= {"color": VERMILION if self.sweeping else GREEN, "penwidth": "3"}
        return look | {
            "id": f"g{group.first}",
            "class": "group",
            "label": f"<{'<br/>'.join(rows)}>",
            "width": f"{group_width(texts):.2f}",
            "tooltip": escaped_text(say("group", title=title, size=size)),
        }

    def _takes_part(self, group: Group) -> bool:
        """Whether this step computes a line of the group, or sends to one."""
        lines = {self.now.line, *self.receiving} if self.now is not None and not self.over else set()
        return any(group.first <= i < group.end for i in lines)

    def flow(self, tail: int, named: bool, head: Group) -> dict[str, str]:
        """An edge that stands for all ways of a value into a group."""
        line = self.trace.lines[tail]
        carrying = tail in self.receiving and self.now is not None and head.first <= self.now.line < head.end
        look = self._label(line.shown if named else "", line.value.flowing(), carrying)
        look |= _CARRYING if carrying else {"class": "edge-operand"}
        if max(tail, head.first) >= self.recorded:
            look["style"] = "invis"
        return {"tooltip": escaped_text(f"{line.shown} = {line.value.text}"), **look}

    def _said(self, i: int, line: Line) -> str:
        text = say("node", name=line.shown, meaning=line.meaning, value=line.value.text)
        if self.adjoints[i] is not None:
            text = say("node with adjoint", node=text, adjoint=self.adjoints[i].text)
        if self.tangents[i]:
            tangents = separated(tangent.text for tangent in self.tangents[i])
            text = say("node with tangent", node=text, tangent=tangents)
        return text

    def constant(self, i: int, slot: int, operand: Operand) -> dict[str, str]:
        """A constant operand, which stands beside the operation that uses it."""
        hidden = i >= self.recorded
        return {
            "id": f"c{i}_{slot}",
            "class": "constant",
            "label": f"<{_markup(operand.value.in_node)}>",
            "style": "invis" if hidden else "filled,dashed",
            "fillcolor": self.theme.constant_paper,
            "height": str(SMALL_HEIGHT),
            "width": f"{small_width(operand.value.in_node):.2f}",
            "tooltip": escaped_text(say("the constant", value=operand.value.text)),
        }

    def again(self, node: str, user: int, tail: int) -> dict[str, str]:
        """A value that stands far away, by its name beside the operation that uses it."""
        line = self.trace.lines[tail]
        name = line.called
        return {
            "id": node,
            "class": "again",
            "label": f"<{_markup(name)}>",
            "style": "invis" if user >= self.recorded else "rounded,filled,dashed",
            "fillcolor": self.theme.constant_paper,
            "height": str(SMALL_HEIGHT),
            "width": f"{small_width(name):.2f}",
            "tooltip": escaped_text(say("far away", name=name, value=line.value.text)),
        }

    def edge(self, i: int, slot: int, line: Line, operand: Operand) -> dict[str, str]:
        """The way of an operand into an operation; the adjoint comes back along it."""
        name = f"e{i}_{slot}"
        look = {"id": name, "class": "edge-constant" if operand.line is None else "edge-operand"}
        if operand.line is None:
            look["style"] = "dashed"
        carrying = (i, slot) in self.carrying
        look |= self._label(operand.edge if self.look.partials else "", operand.shapes, carrying)
        if operand.edge:
            tail, partial = self.trace.lines[operand.line].shown, operand.edge_title or operand.edge
            said = say("edge", tail=tail, head=line.shown, partial=partial)
            look["tooltip"] = look["labeltooltip"] = escaped_text(said)
        if carrying:
            look |= _CARRYING
        if (i, slot) in self.pushing:
            look |= {"class": "edge-operand carrying", "color": BLUE, "penwidth": "2.5"}
        if i >= self.recorded:
            look["style"] = "invis"
        return look

    def _label(self, text: str, shapes: str, carrying: bool = False) -> dict[str, str]:
        """A label, and below it the shape of what flows, on paper of its own: the page may be white or black."""
        shown = (
            [f'<font color="{self.theme.adjoint}">{_markup(text)}</font>' if carrying else _markup(text)]
            if text
            else []
        )
        if self.look.shapes and shapes:
            shown.append(f'<font color="{self.theme.soft_ink}">{_markup(shapes)}</font>')
        written = "<br/>".join(shown)
        if not written:
            return {}
        chip = (
            f'<table border="0" cellborder="0" cellspacing="3" cellpadding="1">'
            f'<tr><td bgcolor="{self.theme.paper}">{written}</td></tr></table>'
        )
        return {"label": f"<{chip}>"}


def small_width(text: str) -> float:
    """The width of a box with nothing but a short text, in inches."""
    return max(0.4, text_width(text) / 72 + 0.2)


def group_width(texts: Sequence[str]) -> float:
    """The width of the box of a group, in inches, from the rows that it shows; the second is not bold."""
    return max(text_width(text, k != 1) for k, text in enumerate(texts)) / 72 + 0.3


def size_of(group: Group) -> str:
    """How many operations a group has, and how often its text ran."""
    operations = counted("operations", group.end - group.first)
    return say("times", n=group.times, operations=operations) if group.times > 1 else operations


def _markup(text: str) -> str:
    # Graphviz reads \N, \n and \\ in every label, after it has read the entities.
    return notation.escape(text).replace("\\", "&#92;&#92;")


def escaped_text(text: str) -> str:
    """Escape a plain attribute: graphviz reads backslashes in it."""
    return graphviz.escape("".join(char if char.isprintable() else "�" for char in text))
