"""Graph style: the words, colours and borders of each node and edge of a graph at one step."""

from collections.abc import Mapping, Sequence

from autodiff_lab.figures.graph import cells
from autodiff_lab.figures.graph.boxes import (
    MAX_OUTPUTS,
    SIZE,
    BoxSizes,
    GroupBox,
    has_cells,
    node_heading,
    node_numbers,
    say_size,
)
from autodiff_lab.figures.graph.dot_builder import escape_text
from autodiff_lab.figures.style.fonts import FONT_STACK
from autodiff_lab.figures.style.themes import BLUE, GREEN, VERMILION, Theme
from autodiff_lab.text import notation
from autodiff_lab.text.messages import join_items, message
from autodiff_lab.trace.model import Group, Line, Number, Operand, Trace

_FLOWING = {"class": "edge-operand carrying", "penwidth": "2.5"}
# An adjoint moves against the direction of the edge, so the arrow is reversed.
_CARRYING = {**_FLOWING, "color": VERMILION, "style": "dashed", "dir": "back", "arrowsize": "1"}
_PUSHING = {**_FLOWING, "color": BLUE}
_RESULT = {"peripheries": "2", "penwidth": "2"}
_EMPTY_ROW = "&#160;"
# The font size in a cell, in points.
_CELL_TYPE = 13
# A cell of at most this height, in points, has no room for a sign.
_LOW_CELL = 10


def usual_look(colours: Theme) -> dict[str, dict[str, str]]:
    """Return the usual style of a graph, its nodes and its edges, as attributes of Graphviz."""
    type_ = {"fontname": FONT_STACK, "fontsize": str(SIZE), "fontcolor": colours.ink}
    box = {
        "shape": "box",
        "style": "rounded,filled",
        "fillcolor": colours.paper,
        "margin": "0.08,0.03",
    }
    return {
        "graph_attr": {"nodesep": "0.3", "ranksep": "0.35", "fontname": FONT_STACK},
        "node_attr": {**box, "color": colours.line, **type_},
        "edge_attr": {"color": colours.line, "arrowsize": "0.7", **type_},
    }


class GraphStyle:
    """The style of each node and edge of a graph at one step of the run, as attributes of Graphviz.

    Parameters
    ----------
    trace : Trace
    step : int
    theme : Theme
    shows : mapping of str to bool
        Whether ``"values"``, ``"adjoints"``, ``"partials"`` and ``"shapes"`` are written; see `draw`.
    """

    def __init__(self, trace: Trace, step: int, theme: Theme, shows: Mapping[str, bool]) -> None:
        self.trace = trace
        self.theme = theme
        self.shows = shows
        self.sizes = BoxSizes.of(trace)
        self.largest = cells.largest_entries(
            (kind, number) for _, kind, number in node_numbers(trace)
        )
        now = trace.steps[step] if 0 <= step < len(trace.steps) else None
        self.recorded = trace.recorded_at(step)
        self.sweeping = now is not None and now.phase in ("seed", "sweep")
        self.adjoints, self.tangents = trace.adjoints_at(step), trace.tangents_at(step)
        self.over = step >= len(trace.steps) - 1 and (self.sweeping or trace.mode == "forward")
        shown = [now] if now and not self.over else []
        self.carrying = {(step.line, send.slot) for step in shown for send in step.sends}
        self.pushing = {(step.line, push.slot) for step in shown for push in step.pushes}
        self.receiving = {send.parent for step in shown for send in step.sends}
        self.computing = {step.line for step in shown}
        self.lit = {"color": VERMILION if self.sweeping else GREEN, "penwidth": "3"}

    def node(self, i: int, line: Line) -> dict[str, str]:
        """The style of the node of a line: its label with value and adjoint, its border, and whether it is lit."""
        classes: list[str] = [line.kind]
        look = {"style": "rounded,filled"}
        if line.kind == "input":
            # Square corners and a heavy border, so that an input is recognised without its colour.
            look = {"style": "filled", "color": GREEN, "penwidth": "2"}
        if self.trace.name_result(i):
            classes.append("result")
            look |= _RESULT
        if self.over and self.sweeping and self.adjoints[i] is None:
            classes.append("unreached")
            look["style"] += ",dashed"
        if i in self.computing | self.receiving:
            classes.append("active")
            look |= self.lit
            if self.sweeping:
                look["fillcolor"] = self.theme.adjoint_paper
        head, name = node_heading(self.trace, i, line)
        heading = f"<b>{_markup(head)}</b> {self._soft(name)}"
        has_cells = line.value.has_cells
        rows = [heading, *(self._cells_of(i) if has_cells else self._numbers(i))]
        return {
            **self._hide(look, i),
            "id": f"n{i}",
            "class": " ".join(classes),
            "label": f"<{_stack(rows) if has_cells else '<br/>'.join(rows)}>",
            "tooltip": escape_text(self._title_of_node(i, line)),
            **self.sizes.node(i, line, len(rows)),
        }

    def _hide(self, look: dict[str, str], i: int) -> dict[str, str]:
        """Make a node or an edge invisible until line `i` is recorded; its room stays free."""
        return look if i < self.recorded else {**look, "style": "invis"}

    def _soft(self, text: str) -> str:
        return _colour_markup(_markup(text), self.theme.soft_ink)

    def _numbers(self, i: int) -> list[str]:
        """The rows in the box of a line: its value, and its adjoint or its tangents, depending on the mode."""
        shown: list[str] = []
        if self.shows["values"]:
            shown.append(_bold(self.trace.lines[i].value.in_node, self.theme.value))
        if not self.shows["adjoints"]:
            return shown
        adjoint, tangents = self.adjoints[i], self.tangents[i]
        if tangents:
            return [*shown, self._list_tangents(tangents)]
        if adjoint is not None:
            return [*shown, _bold(adjoint.in_node, self.theme.adjoint)]
        return [*shown, notation.NOT_REACHED if self.sweeping else _EMPTY_ROW]

    def _list_tangents(self, tangents: Sequence[Number]) -> str:
        listed = ", ".join(tangent.in_node for tangent in tangents)
        return _bold(listed, self.theme.tangent)

    def _cells_of(self, i: int) -> list[str]:
        """The rows in the box of an array: cells of its value, and of its adjoint or its tangent."""
        number = self.trace.lines[i].value
        shown = self._cells(number, "value") if self.shows["values"] else []
        if not self.shows["adjoints"]:
            return shown
        adjoint, tangents = self.adjoints[i], self.tangents[i]
        if has_cells(tangents):
            return [*shown, *self._cells(tangents[0], "tangent")]
        if tangents:
            return [*shown, self._list_tangents(tangents)]
        if adjoint is not None:
            return [*shown, *self._cells(adjoint, "adjoint")]
        height = cells.size_of_cells(number.shape)[1]
        return [*shown, _table(_td(notation.NOT_REACHED if self.sweeping else "", 0, height))]

    def _cells(self, number: Number, kind: str) -> list[str]:
        """An array as a table of cells, shaded in the colour of its kind; a strip has its range below it."""
        width, height = cells.cell_size(number.shape)
        colour = getattr(self.theme, kind)
        is_written = width == cells.WRITTEN_WIDTH
        # Derivatives have round corners, so that they are recognised without their colour.
        is_low = height < _LOW_CELL
        corners = "" if kind == "value" or is_low else ' style="rounded"'
        rows = [
            "".join(_cell(cell, colour, width, height, is_written, corners) for cell in row)
            for row in cells.rows_of_cells(number, self.largest[kind])
        ]
        table = _table(*rows, colour=colour, is_framed=is_low)
        return [table] if number.is_small else [table, _bold(number.in_node, colour)]

    def group(self, group: Group, outputs: Sequence[int]) -> dict[str, str]:
        """The style of the node of a group: a label with its source text and the values that leave it."""
        size = say_size(group)
        title = group.title or f"{self.trace.lines[group.first].display_name} …"
        rows = [f"<b>{_markup(title)}</b>", self._soft(size)]
        for i in outputs[:MAX_OUTPUTS]:
            row = [_markup(node_heading(self.trace, i, self.trace.lines[i])[1]), *self._numbers(i)]
            rows.append("&#160;&#160;".join(row) if i < self.recorded else _EMPTY_ROW)
        if len(outputs) > MAX_OUTPUTS:
            rows.append(_markup(message("and more", n=len(outputs) - MAX_OUTPUTS)))
        look = dict(_RESULT) if any(map(self.trace.name_result, outputs)) else {}
        if any(group.first <= i < group.end for i in self.computing | self.receiving):
            look |= self.lit
        return {
            **self._hide(look, group.first),
            "id": f"g{group.first}",
            "class": "group",
            "label": f"<{'<br/>'.join(rows)}>",
            "tooltip": escape_text(message("group", title=title.rstrip(":"), size=size)),
            **self.sizes.group(GroupBox(title, group.first, group.end, size), outputs),
        }

    def flow(self, tail: int, named: bool, head: Group) -> dict[str, str]:
        """The style of the edge of a value into a group: thick and coloured while an adjoint comes back along it."""
        line = self.trace.lines[tail]
        carrying = tail in self.receiving and any(
            head.first <= i < head.end for i in self.computing
        )
        look = self._label(line.display_name if named else "", line.value.flowing(), carrying)
        look |= _CARRYING if carrying else {"class": "edge-operand"}
        look["tooltip"] = escape_text(f"{line.display_name} = {line.value.text}")
        return self._hide(look, max(tail, head.first))

    def _title_of_node(self, i: int, line: Line) -> str:
        text = message(
            "node", name=line.display_name, meaning=line.source_expression, value=line.value.text
        )
        adjoint = self.adjoints[i]
        if adjoint is not None:
            text = message("node with adjoint", node=text, adjoint=adjoint.text)
        if self.tangents[i]:
            tangents = join_items(tangent.text for tangent in self.tangents[i])
            text = message("node with tangent", node=text, tangent=tangents)
        return text

    def constant(self, i: int, slot: int, operand: Operand) -> dict[str, str]:
        """The style of the node of a constant operand: dashed, on grey paper, beside the operation that uses it."""
        tooltip = message("the constant", value=operand.value.text)
        look = self._beside(
            f"c{i}_{slot}", "constant", operand.value.in_node, "filled,dashed", tooltip
        )
        if operand.value.is_small:
            look["label"] = f"<{self._cells(operand.value, 'value')[0]}>"
        return {**self._hide(look, i), **self.sizes.constant(i, slot, operand)}

    def again(self, node: str, user: int, tail: int) -> dict[str, str]:
        """The style of the node that repeats the name of a far-away value, beside the operation that uses it."""
        line = self.trace.lines[tail]
        tooltip = message("far away", name=line.label_or_name, value=line.value.text)
        look = self._beside(node, "again", line.label_or_name, "rounded,filled,dashed", tooltip)
        return {**self._hide(look, user), **self.sizes.again(node, user, tail)}

    def _beside(self, name: str, kind: str, text: str, style: str, tooltip: str) -> dict[str, str]:
        paper = {"style": style, "fillcolor": self.theme.constant_paper}
        return {
            "id": name,
            "class": kind,
            "label": f"<{_markup(text)}>",
            **paper,
            "tooltip": escape_text(tooltip),
        }

    def edge(self, i: int, slot: int, line: Line, operand: Operand) -> dict[str, str]:
        """The style of the edge of an operand: its local partial, and its colour while a derivative goes along it."""
        carrying = (i, slot) in self.carrying
        look = {"class": "edge-operand"}
        if operand.line is None:
            look = {"class": "edge-constant", "style": "dashed"}
        text = operand.edge if self.shows["partials"] else ""
        look |= self._label(text, operand.shapes, carrying)
        if operand.edge and operand.line is not None:
            tail = self.trace.lines[operand.line].display_name
            partial = operand.edge_title or operand.edge
            said = message("edge", tail=tail, head=line.display_name, partial=partial)
            look["tooltip"] = look["labeltooltip"] = escape_text(said)
        if carrying:
            look |= _CARRYING
        if (i, slot) in self.pushing:
            look |= _PUSHING
        return {"id": f"e{i}_{slot}", **self._hide(look, i)}

    def _label(self, text: str, shapes: str, carrying: bool) -> dict[str, str]:
        """A label, and below it the array's shape, on a background of its own: the page may be white or black."""
        shown: list[str] = []
        if text and carrying:
            shown.append(_colour_markup(_markup(text), self.theme.adjoint))
        elif text:
            shown.append(_markup(text))
        if self.shows["shapes"] and shapes:
            shown.append(self._soft(shapes))
        if not shown:
            return {}
        chip = (
            f'<table border="0" cellborder="0" cellspacing="3" cellpadding="1">'
            f'<tr><td bgcolor="{self.theme.paper}">{"<br/>".join(shown)}</td></tr></table>'
        )
        return {"label": f"<{chip}>"}


def _stack(rows: Sequence[str]) -> str:
    """Stack texts and tables as the cells of a table: Graphviz doesn't allow both in a label otherwise."""
    gap = f' cellspacing="{cells.BETWEEN_ROWS // 2}" cellpadding="0"'
    stacked = "".join(f"<tr><td>{row}</td></tr>" for row in rows)
    return f'<table border="0" cellborder="0"{gap}>{stacked}</table>'


def _table(*rows: str, colour: str = "", is_framed: bool = False) -> str:
    """Cells in rows, without room between them; their borders have the colour, or a single frame around them all."""
    width = int(bool(colour))
    border = f'border="{width}" cellborder="0"' if is_framed else f'border="0" cellborder="{width}"'
    ink = f' color="{colour}"' if colour else ""
    inside = "".join(f"<tr>{row}</tr>" for row in rows)
    return f'<table {border}{ink} cellspacing="0" cellpadding="0">{inside}</table>'


def _cell(
    cell: cells.Cell, colour: str, width: int, height: int, is_written: bool, corners: str
) -> str:
    """A cell in its shade; one that is too small for its number has the sign of a negative one."""
    opacity = f"{round(2.55 * cell.shade):02X}"
    text = _markup(cell.text) if is_written else ""
    if not is_written and cell.share < 0 and height > _LOW_CELL:
        text = _markup("−")
    paper = f' bgcolor="{colour}{opacity}"' if cell.shade else ""
    return _td(_sized(text, _CELL_TYPE), width, height, paper + corners)


def _td(text: str, width: int, height: int, look: str = "") -> str:
    size = f'width="{width}" height="{height}"'
    if height < SIZE and width:
        size += ' fixedsize="true"'  # else the type would make it higher
    return f"<td {size}{look}>{text or _EMPTY_ROW}</td>"


def _sized(text: str, size: int) -> str:
    return f'<font point-size="{size}">{text}</font>' if text else ""


def _markup(text: str) -> str:
    # Graphviz reads \N, \n and \\ in every label, after it has read the entities.
    return notation.escape(text).replace("\\", "&#92;&#92;")


def _colour_markup(markup: str, colour: str) -> str:
    return f'<font color="{colour}">{markup}</font>'


def _bold(text: str, colour: str) -> str:
    return _colour_markup(f"<b>{_markup(text)}</b>", colour)
