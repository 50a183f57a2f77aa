"""`draw`: the graph of a run. Its nodes have a name, an operation, a value and an adjoint, its edges a local partial.

A drawing also has a description in words, for a reader who can't see the picture.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from autodiff_lab.engine.tape import Tape
from autodiff_lab.figures.graph.boxes import BoxSizes, say_size
from autodiff_lab.figures.graph.dot_builder import add_graph, escape_text, name_boxes
from autodiff_lab.figures.graph.graph_style import GraphStyle, usual_look
from autodiff_lab.figures.graph.render import FAST_LAYOUT, Drawing, DrawingError, picture, render
from autodiff_lab.figures.style.themes import find_theme
from autodiff_lab.text.arguments import check_choice
from autodiff_lab.text.messages import join_items, message
from autodiff_lab.trace.memory_usage import find_last_uses
from autodiff_lab.trace.model import Group, Trace
from autodiff_lab.trace.outline import GROUPINGS, group_lines
from autodiff_lab.trace.tape_reader import trace_of_tape
from autodiff_lab.transforms.signatures import check_keywords

__all__ = ["Drawing", "DrawingError", "draw", "draw_tape", "graph", "picture", "render"]

DIRECTIONS = ("LR", "TB")
# Above this number of lines, Graphviz places the nodes less carefully.
_MAX_CAREFUL_LINES = 800
# A longer graph runs from top to bottom. In inches: the width of a page, or a little more.
_MAX_WIDTH = 11
# The lengths of an edge and of a group, in inches, for an estimate.
_EDGE = 0.6
_GROUP = 3.0
_MAX_PARTS_SAID = 20


@check_keywords(more=("direction", "values", "adjoints", "partials", "shapes", "theme"))
def draw(
    f: Callable[..., Any] | Trace,
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    group: str | None = "auto",
    **options: Any,
) -> Drawing:
    """Draw the graph of ``f(*args)`` with its values, local partials and adjoints.

    Parameters
    ----------
    f : callable, or Trace
        The function to look at. A `Trace` that exists already is drawn as it is, without `args`.
    *args : float or array_like
        Where to run it; see `record` for what stays constant.
    kwargs : mapping of str, optional
        Keyword arguments for `f`; they stay constant.
    group : {"auto", "line", "loop", "call", None}
        What one box stands for: an operation (None); a line of the source, each time it runs; all runs of a loop's
        body; or a line of the outermost function, with all that it calls. ``"auto"`` takes the finest of these that
        has at most 60 boxes; if there is none, stretches of the tape.
    **options
        ``direction`` ``"LR"`` or ``"TB"``: left to right, or top to bottom, which is chosen for long graphs.
        ``values``, ``adjoints``, ``partials``, ``shapes`` True or False: what is written into the boxes, and on the
        edges. ``theme`` ``"auto"``, ``"light"`` or ``"dark"``: ``"auto"`` follows the page, the others have a
        background of their own.

    Returns
    -------
    Drawing
        A `graphviz.Digraph` that a notebook shows by itself; `Drawing.description` says the same in words.

    Raises
    ------
    InputError
        If an option is not one of these.

    See Also
    --------
    play : Step through a run.
    table : The evaluation trace of a run.
    plot_jacobian : The Jacobian as a picture.

    Notes
    -----
    Fifty operations take about a tenth of a second. Drawn one by one, 500 take about one second and 2500 a few, and
    the picture is as wide as a house; beyond 800 lines the nodes are placed less carefully. So they are where placing
    them takes more than some seconds, and then the description of the drawing says so.

    Examples
    --------
    >>> draw(lambda x: x * x, 3.0)
    <drawing of lambda x>
    """
    check_choice("draw", "group", group, GROUPINGS)
    trace = f if isinstance(f, Trace) else Trace.of(f, *args, kwargs=kwargs)
    options = {"shapes": True, **options}
    if _estimate_length(trace, _find_boxes(group_lines(trace, group))) > _MAX_WIDTH:
        # A page is scrolled downwards.
        options.setdefault("direction", "TB")
    return graph(trace, group=group, **options)


def _find_boxes(groups: Sequence[Group]) -> list[Group]:
    """The groups that become a box; a group of a single line is drawn like any other line."""
    return [group for group in groups if group.size > 1]


def _estimate_length(trace: Trace, groups: Sequence[Group]) -> float:
    """Estimate the length of the graph, in inches: the boxes and the edges on its longest path."""
    widths = BoxSizes.of(trace).widths
    box = name_boxes(range(len(trace.lines)), groups)
    ends: list[float] = []
    for i, line in enumerate(trace.lines):
        width = widths[i] if box[i] == f"n{i}" else _GROUP
        candidates = []
        for operand in line.line_operands:
            end = ends[operand.parent]
            if box[operand.parent] != box[i]:
                end += _EDGE + width
            candidates.append(end)
        ends.append(max(candidates, default=width))
    return max(ends, default=0.0)


def draw_tape(tape: Tape, **options: Any) -> Drawing:
    """Draw the graph of a recorded tape; see `draw` for the options.

    >>> from autodiff_lab import record
    >>> draw_tape(record(lambda x: x * x, 3.0)[1])
    <drawing of tape(x)>
    """
    return draw(trace_of_tape(tape), **options)


def graph(
    trace: Trace,
    step: int | None = None,
    *,
    direction: str = "LR",
    values: bool = True,
    adjoints: bool = True,
    partials: bool = True,
    shapes: bool = False,
    theme: str = "auto",
    group: str | Sequence[Group] | None = None,
) -> Drawing:
    """Draw the graph of a trace in its state after a step.

    Parameters
    ----------
    trace : Trace
    step : int, optional
        The number of a step in `trace.steps`; by default the last, and −1 for the state before all steps. Lines that
        are not recorded yet are invisible but keep their place, so boxes don't move from step to step.
    direction, values, adjoints, partials, shapes, theme, group
        See `draw`. The group that computes or sends at the step is highlighted. `group` may also be a sequence of
        groups.

    Returns
    -------
    Drawing
        Deterministic DOT. Node ``n{line}``, constant ``c{line}_{slot}``, and edge ``e{line}_{slot}`` carry these
        ids also in the SVG, with the classes ``input``, ``operation``, ``result``, ``constant``, ``unreached``,
        ``active`` and ``carrying``; a group is ``g{line}``, after its first line.
    """
    check_choice("draw", "direction", direction, DIRECTIONS)
    groups: Sequence[Group]
    if group is None or isinstance(group, str):
        groups = group_lines(trace, check_choice("draw", "group", group, GROUPINGS))
    else:
        groups = tuple(group)
    shown = {"values": values, "adjoints": adjoints, "partials": partials, "shapes": shapes}
    for option, given in shown.items():
        check_choice("draw", option, given, (True, False))
    colours = find_theme("draw", theme)
    step = len(trace.steps) - 1 if step is None else step
    style = GraphStyle(trace, step, colours, shown)
    drawing = Drawing("trace", **usual_look(colours))
    paper = "transparent" if theme == "auto" else colours.paper
    drawing.graph_attr.update(rankdir=direction, bgcolor=paper, tooltip=escape_text(trace.title))
    if len(trace.lines) > _MAX_CAREFUL_LINES:
        # Without a limit, Graphviz's network simplex takes most of a minute for 2500 operations.
        drawing.graph_attr.update(FAST_LAYOUT)
    drawing.title, drawing.theme = trace.title, theme
    drawing.description = _describe_graph(trace, groups, adjoints)
    operands = [[operand.line for operand in line.operands] for line in trace.lines]
    last = find_last_uses(operands, trace.result)
    add_graph(drawing, trace.lines, style, _find_boxes(groups), last)
    return drawing


def _describe_graph(trace: Trace, groups: Sequence[Group], adjoints: bool) -> str:
    """Write the text alternative of a graph: its first boxes, and the derivatives if the graph shows them."""
    derivatives = _say_derivatives(trace) if adjoints else ""
    if any(group.title for group in groups):
        key = "graph of boxes"
        parts = [message("box", title=group.title, size=say_size(group)) for group in groups]
    else:
        key = "graph of lines"
        parts = [f"{line.source_expression} = {line.value.text}" for line in trace.lines]
    n_more = len(parts) - _MAX_PARTS_SAID
    if n_more > 0:
        key += ", cut"
    shown = join_items(parts[:_MAX_PARTS_SAID])
    return message(key, all=shown, more=n_more, derivatives=derivatives).strip()


def _say_derivatives(trace: Trace) -> str:
    if trace.mode == "forward":
        ways = zip(trace.directions, trace.tangent, strict=False)
        along = (
            message("tangent along", tangent=tangent.text, direction=way.shown)
            for way, tangent in ways
        )
        return message("graph tangent", tangents=message("semicolon").join(along) or 0)
    adjoints = [
        message("not reached") if adjoint is None else adjoint.text for adjoint in trace.gradient
    ]
    pairs = zip(trace.inputs, adjoints, strict=True)
    said = [message("named", name=trace.lines[i].label, value=adjoint) for i, adjoint in pairs]
    return message("graph adjoints", adjoints=join_items(said)) if said else message("no inputs")
