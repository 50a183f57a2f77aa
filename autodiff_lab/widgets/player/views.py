"""The views of a run in the player: in reverse, and forward in each direction of its menu.

Where the boxes of its graph stand, and that they stay there while a slider moves, is decided here too.
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

# What the player says as pictures and sentences do.
_SHARED = ("separator", "not reached", "group", "and more", "values together")

_MOST_AT_ONCE = 4  # directions that a node of the graph can show together
# of a run whose edges have curves; beyond, the payload would be mostly these
_MOST_CURVED_LINES = 60
_MOST_STEPS = 200  # of all directions of the menu together; beyond, the menu is shorter


class ModeError(AutodiffError, ValueError):
    """The player has no view of the run in such a mode, or in such a direction."""


@dataclass(frozen=True)
class Views:
    """The views of one run in the player, in reverse and forward; `why` says why, if there is no forward mode.

    Of a `long` run, `trace` is the stretch that is shown. The graph has groups if it is `large`. `results` has the
    paths of the results, if there are several. `curves` are those of its edges, by the name that the edge has in a
    layout.
    """

    trace: Trace
    forward: Mapping[str, Trace]
    why: str = ""
    long: LaidOutExcerpts | None = None
    large: bool = False
    results: tuple[ResultPath, ...] = ()
    curves: Mapping[str, Curve] = field(default_factory=dict)

    def payload(self, layouts: Mapping[str, list[Layout]]) -> Payload:
        """Give the views as the player's JavaScript takes them. The lines are written once, with the run in reverse.

        Each run with a layout of its own has ``"layouts"``, one or more of the same boxes, of which the view takes the
        one that its room suits.

        Parameters
        ----------
        layouts : mapping of str to sequence of layout
            What `traces_to_measure` is laid out to.
        """
        trace = self.trace.to_dict()
        forward: list[ForwardRun] = []
        # the lines are the same, and their numbers come first
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
            # The script has no words of its own.
            "words": {key: template(key) for key in (*read_room("interface"), *_SHARED)},
        }
        if self.curves:
            shown["curves"] = {edge: _describe_curve(curve) for edge, curve in self.curves.items()}
        if self.long is None:
            return shown
        numbers = self._beside(self.long)
        others: list[OtherExcerpt] = [
            {"trace": self.long[k].to_dict(), "layouts": layouts[str(k)]} for k in numbers
        ]
        held = join_items(
            _excerpt(self.long[k]).said for k in sorted({*numbers, _excerpt(self.trace).number})
        )
        shown["others"] = others
        shown["no_others"] = message("not in this page", held=held)
        shown["whole"] = cast(Layout, self.long.whole)
        return shown

    def _beside(self, long: LaidOutExcerpts) -> list[int]:
        """Stretches to have at hand: the neighbours, so that a step over the border waits for nobody, and the ends."""
        own, last = _excerpt(self.trace).number, len(long) - 1
        return sorted({0, own - 1, own + 1, last} & set(range(last + 1)) - {own})

    @functools.cached_property
    def still(self) -> page.Still:
        """The still picture of these views, for a page without scripts; drawn when it is first asked for."""
        # with it comes all of Jupyter, which a browser does without
        from autodiff_lab.widgets.player import page

        return page.draw_still(self.trace, self.large)

    def layouts(self, trace: Trace) -> list[Layout]:
        """Lay out the graph of one view of the player, a trace of `traces_to_measure`, in one way or several."""
        if self.long is not None:
            return [cast(Layout, {**self.long.layout(_excerpt(trace).number), **alternatives.ONLY})]
        return cast(list[Layout], alternatives.layout_alternatives(trace, self.large))

    def around(self, step: int) -> Views:
        """Give the player's views of the stretch of a long run that has this step."""
        assert self.long is not None, "only a long run has stretches"
        return replace(self, trace=self.long[self.long.holding(step)])

    @property
    def traces_to_measure(self) -> dict[str, Trace]:
        """The traces by which the player measures the boxes of its graph: they have every number that a view shows.

        All runs share one, called ``""``, so that the graph stands still when the mode changes; a run in many
        directions at once needs wider boxes, and has its own.
        """
        single = (
            step for run in self.forward.values() if len(run.directions) == 1 for step in run.steps
        )
        if self.long is not None:
            return {"": self.trace, **{str(k): self.long[k] for k in self._beside(self.long)}}
        together = {"": replace(self.trace, steps=(*self.trace.steps, *single))}
        for name, run in self.forward.items():
            if len(run.directions) > 1:
                together[name] = replace(self.trace, steps=(*self.trace.steps, *run.steps))
        return together


def lay_out(
    views: Views, before: Views | None = None, shown: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Lay out the player's views of a run for the browser: what changes with the stretch of a long run, and what not.

    Parameters
    ----------
    views : Views
    before, shown : optional
        What is shown now, if something is: the run, and what the browser was given of it.
    """
    payload: dict[str, Any] = {**views.payload(reuse_or_compute_layout(views, before, shown))}
    return payload, {"whole": payload.pop("whole")} if "whole" in payload else {}


def reuse_or_compute_layout(
    views: Views, before: Views | None = None, payload: Mapping[str, Any] | None = None
) -> dict[str, list[Layout]]:
    """Lay out the graphs of the player's views; keep the old places where they still fit.

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


def _excerpt(trace: Trace) -> Excerpt:
    assert trace.excerpt is not None, "it is a stretch of a long run"
    return trace.excerpt


def _shape(trace: Trace) -> list[tuple[Any, ...]]:
    """What the lines of a trace compute, apart from their values; and in which turns."""
    return [
        (line.text, player_heading(trace, i, line), line.turns)
        for i, line in enumerate(trace.lines)
    ]


def _fits(widest: Trace, layout: Mapping[str, Any]) -> bool:
    """Tell whether each node of a layout, and each group, is wide enough for the numbers of this trace."""
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
    """Run ``f(*args)`` once, and read the record into the player's views, in both modes.

    Parameters
    ----------
    f : callable
    args : sequence
    options : RunOptions
        A `direction` of the learner's own, which the menu calls ``"custom"``; and a `fault`, with which there is
        no forward mode.
    group : {"auto", None}
        Whether the graph of a large run has groups.
    kwargs : mapping, optional
        Keyword arguments for `f`.
    stop : bool
        Raise what `f` raises, where the run up to there is not to be shown.
    engine : Engine, optional
        Another framework that runs `f`.
    """
    if engine is not None:
        run = engine.record(f, args, kwargs or {}, stop)
        found = _view_run(run, engine.source_of(f), engine.describe_reverse_only())
        return replace(found, large=group == "auto" and len(run) > MAX_SINGLE_LINES)
    with without_warnings():  # the player marks what NumPy would warn of
        outcome, tape = record_to_show(
            f, args, kwargs, options.result, stop=stop, seed=options.seed
        )
    found = _views(tape, f, outcome, options)
    return replace(
        found, results=outcome.results, large=group == "auto" and len(tape) > MAX_SINGLE_LINES
    )


def _views(tape: Tape, f: Callable[..., Any], outcome: Outcome, options: RunOptions) -> Views:
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
    """Sample the curves of a run's edges; of a short run, in which one looks at single edges."""
    if len(tape) > _MOST_CURVED_LINES:
        return {}
    sampled = {
        f"e{i}_{slot}": sample_curve(tape, i, slot)
        for i in range(tape.n_inputs, len(tape))
        for slot, parent in enumerate(tape.parents[i])
        if parent >= 0
    }
    return {edge: curve for edge, curve in sampled.items() if curve is not None}


def _view_run(run: RecordedRun, f: Callable[..., Any], why: str) -> Views:
    """The views of another engine's run: in reverse alone."""
    if len(run) > excerpts.MAX_WHOLE_LINES:
        return _view_excerpts(run, f)
    return Views(RunReader(run, f).read(), {}, why)


def _view_excerpts(run: RecordedRun, f: Callable[..., Any]) -> Views:
    """The views of a long run: stretches of it, of which one is shown."""
    long = LaidOutExcerpts(run, f)
    return Views(
        long[0], {}, message("long run", lines=len(run), most=excerpts.MAX_WHOLE_LINES), long
    )


def _menu(tape: Tape, custom: Any) -> dict[str, Any]:
    """The directions on offer: one for each input, all of them together, and the learner's own."""
    names = list(dict.fromkeys(tape.input_names))[: max(1, _MOST_STEPS // max(1, len(tape)))]
    menu: dict[str, Any] = {name: name for name in names}
    numbers = not any(map(np.ndim, tape.values))
    few = 1 < len(names) <= _MOST_AT_ONCE and len(tape) * len(names) <= _MOST_STEPS // 2
    if numbers and few and len(names) == tape.n_inputs:
        menu["all"] = names
    if custom is not None:
        menu["custom"] = custom
    return menu if tape.n_inputs else {}


def _describe_curve(curve: Curve) -> EdgeCurve:
    return {"start": curve.start, "end": curve.end, "y": list(curve.y)}


def _count_numbers(lines: Sequence[Line]) -> int:
    """Count the numbers that some lines have in their JSON."""
    pool = Pool(Number)
    plain(tuple(lines), pool)
    return len(pool.values)


def _describe_forward(
    name: str, data: dict[str, Any], base: Mapping[str, Any], shared: int
) -> ForwardRun:
    """Describe a run forward by what differs from `base`, the run in reverse; `shared` numbers are the same."""
    numbers = data.pop("numbers")
    # A field that has its default here, but not in reverse, must be written: otherwise it would be taken from there.
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
