"""The attributes of each node and edge of a graph at one step: words, colours, sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import graphviz

from autodiff_lab.figures.graph.box_size import MAX_OUTPUTS, BoxSizes, GroupBox, node_heading
from autodiff_lab.figures.style.themes import BLUE, GREEN, VERMILION, find_theme
from autodiff_lab.text import notation
from autodiff_lab.text.messages import join_items, message, plural_message
from autodiff_lab.trace.model import Line, Operand, Step, Trace
from autodiff_lab.trace.outline import Group, Section

# The adjoint goes against the edge: the arrow turns round.
_CARRYING = {
    "class": "edge-operand carrying",
    "color": VERMILION,
    "penwidth": "2.5",
    "style": "dashed",
    "dir": "back",
    "arrowsize": "1",
}


class DrawOptions(NamedTuple):
    """What a drawing shows; see `draw`."""

    values: bool = True
    adjoints: bool = True
    partials: bool = True
    shapes: bool = False
    theme: str = "auto"


class GraphStyle:
    """The attributes of Graphviz that each part of a graph has at one step."""

    def __init__(self, trace: Trace, step: int, options: DrawOptions) -> None:
        self.trace, self.options, self.theme = trace, options, find_theme("draw", options.theme)
        self.now: Step | None = trace.steps[step] if 0 <= step < len(trace.steps) else None
        self.recorded = trace.recorded_at(step)
        self.sweeping = self.now is not None and self.now.phase in ("seed", "sweep")
        self.adjoints = trace.adjoints_at(step)
        self.tangents = trace.tangents_at(step)
        self.over = step >= len(trace.steps) - 1 and (self.sweeping or trace.mode == "forward")
        self.carrying = {(self.now.line, send.slot) for send in self.now.sends} if self.now and not self.over else set()
        self.pushing = {(self.now.line, push.slot) for push in self.now.pushes} if self.now and not self.over else set()
        self.receiving = {send.parent for send in self.now.sends} if self.now and not self.over else set()
        self.sizes = BoxSizes.of(trace)

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
        head, name = node_heading(self.trace, i, line)
        rows = [f'<b>{_markup(head)}</b> <font color="{self.theme.soft_ink}">{_markup(name)}</font>']
        if self.options.values:
            rows.append(self._coloured(line.value.in_node, self.theme.value))
        if self.options.adjoints:
            rows.append(self._derivative(i))
        return look | {
            "id": f"n{i}",
            "class": " ".join(classes),
            "label": f"<{'<br/>'.join(rows)}>",
            "tooltip": escaped_text(self._title_of_node(i, line)),
            **self.sizes.node(i, line, len(rows)),
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
        title = group.title or f"{self.trace.lines[group.first].display_name} …"
        rows = [f"<b>{_markup(title)}</b>", f'<font color="{self.theme.soft_ink}">{_markup(size)}</font>']
        for i in outputs[:MAX_OUTPUTS]:
            line = self.trace.lines[i]
            row = [_markup(node_heading(self.trace, i, line)[1])]
            if self.options.values:
                row.append(self._coloured(line.value.in_node, self.theme.value))
            if self.options.adjoints:
                row.append(self._derivative(i))
            rows.append("&#160;&#160;".join(row) if i < self.recorded else "&#160;")
        if len(outputs) > MAX_OUTPUTS:
            rows.append(_markup(message("and more", n=len(outputs) - MAX_OUTPUTS)))
        look = {"peripheries": "2", "penwidth": "2"} if self.trace.result in outputs else {}
        if group.first >= self.recorded:
            look["style"] = "invis"
        elif self._takes_part(group):
            look |= {"color": VERMILION if self.sweeping else GREEN, "penwidth": "3"}
        return look | {
            "id": f"g{group.first}",
            "class": "group",
            "label": f"<{'<br/>'.join(rows)}>",
            "tooltip": escaped_text(message("group", title=title.rstrip(":"), size=size)),
            **self.sizes.group(GroupBox(title, group.first, group.end, size), outputs),
        }

    def _takes_part(self, group: Group) -> bool:
        """Whether this step computes a line of the group, or sends to one."""
        lines = {self.now.line, *self.receiving} if self.now is not None and not self.over else set()
        return any(group.first <= i < group.end for i in lines)

    def flow(self, tail: int, named: bool, head: Group) -> dict[str, str]:
        """An edge that stands for all ways of a value into a group."""
        line = self.trace.lines[tail]
        carrying = tail in self.receiving and self.now is not None and head.first <= self.now.line < head.end
        look = self._label(line.display_name if named else "", line.value.flowing(), carrying)
        look |= _CARRYING if carrying else {"class": "edge-operand"}
        if max(tail, head.first) >= self.recorded:
            look["style"] = "invis"
        return {"tooltip": escaped_text(f"{line.display_name} = {line.value.text}"), **look}

    def _title_of_node(self, i: int, line: Line) -> str:
        text = message("node", name=line.display_name, meaning=line.source_expression, value=line.value.text)
        if self.adjoints[i] is not None:
            text = message("node with adjoint", node=text, adjoint=self.adjoints[i].text)
        if self.tangents[i]:
            tangents = join_items(tangent.text for tangent in self.tangents[i])
            text = message("node with tangent", node=text, tangent=tangents)
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
            "tooltip": escaped_text(message("the constant", value=operand.value.text)),
            **self.sizes.constant(i, slot, operand),
        }

    def again(self, node: str, user: int, tail: int) -> dict[str, str]:
        """A value that stands far away, by its name beside the operation that uses it."""
        line = self.trace.lines[tail]
        return {
            "id": node,
            "class": "again",
            "label": f"<{_markup(line.label_or_name)}>",
            "style": "invis" if user >= self.recorded else "rounded,filled,dashed",
            "fillcolor": self.theme.constant_paper,
            "tooltip": escaped_text(message("far away", name=line.label_or_name, value=line.value.text)),
            **self.sizes.again(node, user, tail),
        }

    def edge(self, i: int, slot: int, line: Line, operand: Operand) -> dict[str, str]:
        """The way of an operand into an operation; the adjoint comes back along it."""
        name = f"e{i}_{slot}"
        look = {"id": name, "class": "edge-constant" if operand.line is None else "edge-operand"}
        if operand.line is None:
            look["style"] = "dashed"
        carrying = (i, slot) in self.carrying
        look |= self._label(operand.edge if self.options.partials else "", operand.shapes, carrying)
        if operand.edge:
            tail, partial = self.trace.lines[operand.line].display_name, operand.edge_title or operand.edge
            said = message("edge", tail=tail, head=line.display_name, partial=partial)
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
        if self.options.shapes and shapes:
            shown.append(f'<font color="{self.theme.soft_ink}">{_markup(shapes)}</font>')
        written = "<br/>".join(shown)
        if not written:
            return {}
        chip = (
            f'<table border="0" cellborder="0" cellspacing="3" cellpadding="1">'
            f'<tr><td bgcolor="{self.theme.paper}">{written}</td></tr></table>'
        )
        return {"label": f"<{chip}>"}


def size_of(group: Group | Section) -> str:
    """How many operations a group has, and how often its text ran."""
    operations = plural_message("operations", group.size)
    return message("times", n=group.turns, operations=operations) if group.turns > 1 else operations


def _markup(text: str) -> str:
    # Graphviz reads \N, \n and \\ in every label, after it has read the entities.
    return notation.escape(text).replace("\\", "&#92;&#92;")


def escaped_text(text: str) -> str:
    """Escape a plain attribute: graphviz reads backslashes in it."""
    return graphviz.escape("".join(char if char.isprintable() else "�" for char in text))
