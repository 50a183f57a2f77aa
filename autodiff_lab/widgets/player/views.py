"""The views of a run in the player: the reverse run, and a forward run for each direction of the player's menu.

This module also lays out their graphs, so that the boxes keep their places while a slider moves.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from autodiff_lab.engine.errors import AutodiffError
from autodiff_lab.engine.tape import Tape
from autodiff_lab.figures.graph import alternatives
from autodiff_lab.figures.graph.boxes import node_texts, player_heading, text_width
from autodiff_lab.figures.graph.layout import MAX_SINGLE_LINES, LaidOutExcerpts, fits
from autodiff_lab.figures.graph.layout_types import Layout
from autodiff_lab.frameworks.engines import Engine
from autodiff_lab.text.dataclass_json import Pool, plain
from autodiff_lab.text.messages import join_items, message, read_room, template
from autodiff_lab.trace import excerpts
from autodiff_lab.trace.model import Excerpt, Line, Number, RunOptions, Trace
from autodiff_lab.trace.partials import Curve, sample_curve
from autodiff_lab.trace.recorded_run import RecordedRun
from autodiff_lab.trace.run_reader import RunReader
from autodiff_lab.trace.tape_reader import TapeReader, run_of_tape
from autodiff_lab.transforms.nonfinite_warnings import without_warnings
from autodiff_lab.transforms.recording import Outcome, record_to_show
from autodiff_lab.transforms.results import ResultPath
from autodiff_lab.widgets.player.payload import EdgeCurve, ForwardRun, OtherExcerpt, Payload

if TYPE_CHECKING:
    from autodiff_lab.widgets.player import page

MODES = ("reverse", "forward", "both")

GROUPINGS = ("auto", None)

# Keys of the messages that the player shares with pictures and sentences.
_SHARED = ("separator", "not reached", "group", "and more", "values together")

# Directions that a box of the graph can show at once.
_MOST_AT_ONCE = 4
# A longer run has no curves of its edges: they would make up most of the payload.
_MOST_CURVED_LINES = 60
# Steps in all directions of the menu together; a longer run has a shorter menu.
_MOST_STEPS = 200


class ModeError(AutodiffError, ValueError):
    """Error: the player has no view of the run in this mode or direction."""


@dataclass(frozen=True)
class Views:
    """The views of one run in the player, in reverse and forward mode.

    Attributes
    ----------
    trace : Trace
        The reverse run; of a long run, the excerpt that is shown.
    forward : mapping of str to Trace
        The forward runs, by direction.
    why : str
        The reason why there is no forward mode; empty if there is one.
    long : LaidOutExcerpts or None
        All excerpts of a long run.
    large : bool
        Whether the graph has groups.
    results : tuple
        The paths of the results, if there are several.
    curves : mapping of str to Curve
        The curves of the edges, by the name of the edge in a layout.
    """

    trace: Trace
    forward: Mapping[str, Trace]
    why: str = ""
    long: LaidOutExcerpts | None = None
    large: bool = False
    results: tuple[ResultPath, ...] = ()
    curves: Mapping[str, Curve] = field(default_factory=dict)

    def payload(self, layouts: Mapping[str, list[Layout]]) -> Payload:
        """Return the views in the form that the player's JavaScript expects.

        Parameters
        ----------
        layouts : mapping of str to list of layout
            The layouts of each trace in `traces_to_measure`, by its name. A trace has one or more layouts of the same
            boxes, and the player uses the one that fits the space it has.
        """
        trace = self.trace.to_dict()
        forward: list[ForwardRun] = []
        # A forward run has the same lines, and the numbers of the lines come first.
        shared = _count_numbers(self.trace.lines)
        for name, run in self.forward.items():
            one = _describe_forward(name, run.to_dict(), trace, shared)
            if name in layouts:
                one["layouts"] = layouts[name]
            forward.append(one)
        shown: Payload = {
            "trace": trace,
            "layouts": layouts[""],
            "forward": forward,
            "no_forward": self.why,
            # The texts of the interface; the script itself contains none.
            "words": {key: template(key) for key in (*read_room("interface"), *_SHARED)},
        }
        if self.curves:
            shown["curves"] = {edge: _describe_curve(curve) for edge, curve in self.curves.items()}
        if self.long is None:
            return shown
        numbers = self._other_excerpts(self.long)
        others: list[OtherExcerpt] = [
            {"trace": self.long[k].to_dict(), "layouts": layouts[str(k)]} for k in numbers
        ]
        in_the_page = sorted({*numbers, _excerpt(self.trace).number})
        held = join_items(_excerpt(self.long[k]).said for k in in_the_page)
        shown["others"] = others
        shown["no_others"] = message("not in this page", held=held)
        shown["whole"] = cast(Layout, self.long.whole)
        return shown

    def _other_excerpts(self, long: LaidOutExcerpts) -> list[int]:
        """Return the numbers of the excerpts to send along: the ends, and the neighbours, which a step may enter."""
        own = _excerpt(self.trace).number
        last = len(long) - 1
        wanted = {0, own - 1, own + 1, last}
        return sorted(k for k in wanted if 0 <= k <= last and k != own)

    @functools.cached_property
    def still(self) -> page.Still:
        """The still picture of these views, for a page without scripts; drawn on first use."""
        # with it comes all of Jupyter, which a browser does without
        from autodiff_lab.widgets.player import page

        return page.draw_still(self.trace, self.large)

    def layouts(self, trace: Trace) -> list[Layout]:
        """Lay out the graph of one trace of `traces_to_measure`, in one or several ways."""
        if self.long is not None:
            layout = self.long.layout(_excerpt(trace).number)
            return [cast(Layout, {**layout, **alternatives.ONLY})]
        return cast(list[Layout], alternatives.layout_alternatives(trace, self.large))

    def around(self, step: int) -> Views:
        """Return the player's views of the excerpt of a long run that has this step."""
        assert self.long is not None, "only a long run has excerpts"
        return replace(self, trace=self.long[self.long.holding(step)])

    @property
    def traces_to_measure(self) -> dict[str, Trace]:
        """The traces that determine the sizes of the boxes: they have every number that a view shows.

        The runs share one, called ``""``, so that the graph keeps its places when the mode changes. A run in several
        directions at once needs wider boxes, so it has its own.
        """
        if self.long is not None:
            others = {str(k): self.long[k] for k in self._other_excerpts(self.long)}
            return {"": self.trace, **others}
        shared = list(self.trace.steps)
        wide = {}
        for name, run in self.forward.items():
            if len(run.directions) == 1:
                shared += run.steps
            elif len(run.directions) > 1:
                wide[name] = replace(self.trace, steps=(*self.trace.steps, *run.steps))
        return {"": replace(self.trace, steps=tuple(shared)), **wide}


def lay_out(
    views: Views, before: Views | None = None, shown: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Lay out the player's views of a run for the browser.

    Parameters
    ----------
    views : Views
    before, shown : optional
        The views that are shown now, and their payload.

    Returns
    -------
    payload : dict
        The payload of the views.
    beside : dict
        The part of it that is the same for all excerpts of a long run; empty for other runs.
    """
    payload: dict[str, Any] = {**views.payload(reuse_or_compute_layout(views, before, shown))}
    beside = {}
    if "whole" in payload:
        beside["whole"] = payload.pop("whole")
    return payload, beside


def reuse_or_compute_layout(
    views: Views, before: Views | None = None, payload: Mapping[str, Any] | None = None
) -> dict[str, list[Layout]]:
    """Lay out the graphs of the player's views, or reuse the current layouts if the boxes are still wide enough.

    Parameters
    ----------
    views : Views
    before, payload : optional
        The views that are shown now, and their payload.

    Returns
    -------
    dict
        The layouts by name, as `Views.payload` takes them.
    """
    old: dict[str, list[Layout]] = {}
    if (
        views.long is None
        and before is not None
        and payload
        and _shape(views.trace) == _shape(before.trace)
    ):
        old[""] = payload["layouts"]
        old |= {run["name"]: run["layouts"] for run in payload["forward"] if "layouts" in run}
    found = {}
    for name, trace in views.traces_to_measure.items():
        if name in old and all(_fits(trace, layout) for layout in old[name]):
            found[name] = old[name]
        else:
            found[name] = views.layouts(trace)
    return found


def _excerpt(trace: Trace) -> Excerpt:
    assert trace.excerpt is not None, "not an excerpt of a long run"
    return trace.excerpt


def _shape(trace: Trace) -> list[tuple[Any, ...]]:
    """Return the structure of a trace: what each line computes, and in which iterations of loops, without values."""
    return [
        (line.text, player_heading(trace, i, line), line.turns)
        for i, line in enumerate(trace.lines)
    ]


def _fits(widest: Trace, layout: Mapping[str, Any]) -> bool:
    """Return True if each box and each group of a layout is wide enough for the numbers of this trace."""
    nodes = dict(layout["nodes"])
    for group in layout.get("groups", {}).values():
        nodes |= group["layout"]["nodes"]
    if "groups" in layout and not fits(widest, layout):
        return False
    return all(
        text_width(text, bold=True) + 6 <= nodes[f"n{i}"]["w"] for i, _, text in node_texts(widest)
    )


def views(
    f: Callable[..., Any],
    args: Sequence[Any],
    options: RunOptions = RunOptions(),  # noqa: B008 — it does not change
    group: str | None = "auto",
    kwargs: Mapping[str, Any] | None = None,
    stop: bool = False,
    engine: Engine | None = None,
) -> Views:
    """Run ``f(*args)`` once, and return the player's views of the run in both modes.

    Parameters
    ----------
    f : callable
    args : sequence
    options : RunOptions
        The learner's own `direction`, which the menu calls ``"custom"``, and a `fault`, which excludes forward mode.
    group : {"auto", None}
        Whether the graph of a large run has groups.
    kwargs : mapping, optional
        Keyword arguments for `f`.
    stop : bool
        Whether an exception in `f` is raised. Otherwise the views show the run up to the exception.
    engine : Engine, optional
        The framework that runs `f`, if it isn't this package.
    """
    if engine is not None:
        run = engine.record(f, args, kwargs or {}, stop)
        found = _view_run(run, engine.source_of(f), engine.describe_reverse_only())
        return replace(found, large=group == "auto" and len(run) > MAX_SINGLE_LINES)
    with without_warnings():  # the player itself marks the lines that NumPy would warn about
        outcome, tape = record_to_show(
            f, args, kwargs, options.result, stop=stop, seed=options.seed
        )
    found = _views(tape, f, outcome, options)
    large = group == "auto" and len(tape) > MAX_SINGLE_LINES
    return replace(found, results=outcome.results, large=large)


def _views(tape: Tape, f: Callable[..., Any], outcome: Outcome, options: RunOptions) -> Views:
    """Return the views of a run that the engine of this package has recorded."""
    if len(tape) > excerpts.MAX_WHOLE_LINES and not options.fault:
        return _view_excerpts(run_of_tape(tape, f, outcome), f)
    reader = TapeReader(tape, f, outcome)
    trace = reader.read_as(options.along(None))
    curves = _sample_curves(tape)
    if outcome.seeds:
        return Views(trace, {}, message("all results in reverse"), curves=curves)
    if options.fault:
        return Views(trace, {}, message("faulty engines are reverse"), curves=curves)
    forward: dict[str, Trace] = {}
    try:
        for name, direction in _menu(tape, options.direction).items():
            forward[name] = reader.read_as(options.along(direction))
    except AutodiffError as error:
        if options.direction is not None:
            raise
        return Views(trace, {}, str(error), curves=curves)
    return Views(trace, forward, curves=curves)


def _sample_curves(tape: Tape) -> dict[str, Curve]:
    """Sample the curves of the edges of a short run; a long run has none."""
    if len(tape) > _MOST_CURVED_LINES:
        return {}
    curves = {}
    for i in range(tape.n_inputs, len(tape)):
        for slot, parent in enumerate(tape.parents[i]):
            curve = sample_curve(tape, i, slot) if parent >= 0 else None
            if curve is not None:
                curves[f"e{i}_{slot}"] = curve
    return curves


def _view_run(run: RecordedRun, f: Callable[..., Any], why: str) -> Views:
    """Return the views of another engine's run, in reverse mode only."""
    if len(run) > excerpts.MAX_WHOLE_LINES:
        return _view_excerpts(run, f)
    return Views(RunReader(run, f).read(), {}, why)


def _view_excerpts(run: RecordedRun, f: Callable[..., Any]) -> Views:
    """Return the views of a long run, divided into excerpts, of which the first is shown."""
    long = LaidOutExcerpts(run, f)
    why = message("long run", lines=len(run), most=excerpts.MAX_WHOLE_LINES)
    return Views(long[0], {}, why, long)


def _menu(tape: Tape, custom: Any) -> dict[str, Any]:
    """Return the directions of the menu: one for each input, all of them together, and the learner's own."""
    if not tape.n_inputs:
        return {}
    most = max(1, _MOST_STEPS // len(tape))
    names = list(dict.fromkeys(tape.input_names))[:most]
    menu: dict[str, Any] = {name: name for name in names}
    only_numbers = not any(map(np.ndim, tape.values))
    each_has_one = len(names) == tape.n_inputs
    few = 1 < len(names) <= _MOST_AT_ONCE and len(tape) * len(names) <= _MOST_STEPS // 2
    if only_numbers and each_has_one and few:
        menu["all"] = names
    if custom is not None:
        menu["custom"] = custom
    return menu


def _describe_curve(curve: Curve) -> EdgeCurve:
    return {"start": curve.start, "end": curve.end, "y": list(curve.y)}


def _count_numbers(lines: Sequence[Line]) -> int:
    """Count the different numbers in the JSON of some lines."""
    pool = Pool(Number)
    plain(tuple(lines), pool)
    return len(pool.values)


def _describe_forward(
    name: str, data: dict[str, Any], base: Mapping[str, Any], shared: int
) -> ForwardRun:
    """Return a forward run as its differences from `base`, the reverse run; the first `shared` numbers are the same."""
    numbers = data.pop("numbers")
    # A field with its default value is left out of `data`. If `base` has it, the default has to be written here:
    # otherwise JavaScript would use the value of the reverse run.
    defaults = {
        field.name: plain(field.default)
        for field in fields(Trace)
        if field.name in base.keys() - data.keys()
    }
    differing = {key: value for key, value in (data | defaults).items() if value != base.get(key)}
    return {
        "name": name,
        "shared_numbers": shared,
        "trace": {"numbers": numbers[shared:], **differing},
    }
