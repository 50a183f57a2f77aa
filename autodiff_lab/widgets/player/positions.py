"""Where the boxes of a player's graph stand, and that they stay there while a slider moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autodiff_lab.figures.graph import nested_layout
from autodiff_lab.figures.graph.box_size import node_texts, player_heading, text_width
from autodiff_lab.trace.model import Trace
from autodiff_lab.widgets.player.views import Views


def reuse_or_compute_layout(
    views: Views, before: Views | None = None, payload: Mapping[str, Any] | None = None
) -> dict[str, list[dict[str, Any]]]:
    """Lay out the graphs of a run; keep the old places where they still fit.

    Parameters
    ----------
    views : Views
    before, payload : optional
        What is shown now, if something is: the run, and what the browser was given of it.

    Returns
    -------
    dict
        The layouts by name, as `Views.payload` takes them.
    """
    if views.long is not None or before is None or not payload:
        return {name: views.layouts(trace) for name, trace in views.traces_to_measure.items()}
    old = {"": payload["layouts"]}
    old |= {run["name"]: run["layouts"] for run in payload["forward"] if "layouts" in run}
    same = _shape(views.trace) == _shape(before.trace)
    return {
        name: old[name]
        if same and name in old and all(_fits(trace, layout) for layout in old[name])
        else views.layouts(trace)
        for name, trace in views.traces_to_measure.items()
    }


def _shape(trace: Trace) -> list[tuple[Any, ...]]:
    """What the lines of a trace compute, apart from their values; and in which turns."""
    return [(line.text, player_heading(trace, i, line), line.turns) for i, line in enumerate(trace.lines)]


def _fits(widest: Trace, layout: Mapping[str, Any]) -> bool:
    """Tell whether each node of a layout, and each group, is wide enough for the numbers of this trace."""
    nodes = dict(layout["nodes"])
    for group in layout.get("groups", {}).values():
        nodes |= group["layout"]["nodes"]
    if "groups" in layout and not nested_layout.fits(widest, layout):
        return False
    return all(text_width(text, bold=True) + 6 <= nodes[f"n{i}"]["w"] for i, _, text in node_texts(widest))
