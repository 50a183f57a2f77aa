"""The player's widget: `Player`, and `play`, which runs a function and steps through its record."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import traitlets

from autodiff_lab.engine.errors import AutodiffError
from autodiff_lab.engine.printing import replace_bidi
from autodiff_lab.figures.graph.layout import MAX_SINGLE_LINES
from autodiff_lab.figures.graph.render import DrawingError
from autodiff_lab.frameworks.engines import Engine, FrameworkError, find_engine
from autodiff_lab.text.arguments import check_choice, check_path
from autodiff_lab.text.messages import message
from autodiff_lab.text.numbers import number
from autodiff_lab.trace.model import RunOptions, Trace
from autodiff_lab.trace.model.outputs import Outputs
from autodiff_lab.trace.recorded_run import RecordedRun
from autodiff_lab.transforms.pytree import flatten, paths, unflatten
from autodiff_lab.transforms.results import ALL
from autodiff_lab.transforms.signatures import argument_names, check_keywords
from autodiff_lab.widgets.defaults import SCALES, play_defaults
from autodiff_lab.widgets.live import Live
from autodiff_lab.widgets.player import link, page
from autodiff_lab.widgets.player import views as modes
from autodiff_lab.widgets.player.sliders import check_ranges, control


@check_keywords
def play(
    f: Callable[..., Any],
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    mode: str = "reverse",
    direction: Any = None,
    fault: str = "",
    result: Any = None,
    seed: Any = None,
    predict: bool = False,
    scale: str | None = None,
    group: str | None = "auto",
    details: bool = False,
    engine: str | None = None,
) -> Player:
    """Run ``f(*args)`` and show it step by step: source, graph and tape, with its derivatives in both modes.

    Parameters
    ----------
    f : callable
        A function of your own, of numbers and arrays.
    *args : float or array_like
        Where to run it. Each scalar gets a slider; moving it runs `f` again. A string, None or a boolean stays
        constant; so does an integer, if the run needs it as an index or a count (``range(n)``).
    kwargs : mapping of str, optional
        Keyword arguments for `f`; they stay constant.
    ranges : mapping of str to (float, float), optional
        How far a slider goes, by the name of the input.
    mode : {"reverse", "forward", "both"}
        What to show first: the record and the sweep back, values with their tangents, or one after the other. The
        player has a switch.
    direction : str, tuple or dict, optional
        Where the inputs move in forward mode: the name of an input, ``"all"`` for each of them at once, or numbers of
        your own, as `Trace.of` takes them. The player has a menu.
    fault : {"", "overwrite", "wrong order", "recursion", "stale"}
        For teaching: sweep with an engine that makes this mistake, marked as faulty, with the true adjoints beside it.
    result : str, int or tuple, optional
        Which result to follow, if `f` returns several in a tuple, list or dict: its key (``"loss"``, ``0``), or the
        keys from the outside in (``(1, "pred")``). If not given, the first number that depends on the inputs: usually
        the loss, and the rest is beside it. ``"all"`` follows all of them: each has a seed, and one sweep finds the
        derivatives of their sum, each times its seed. The player has a menu.
    seed : tuple, list or dict, optional
        The seeds of all results, as `f` returns these: ``{"loss": 1, "pred": 0.5}``. One number is for all entries of
        an array. If not given, each is 1. The player has fields for them.
    predict : bool
        Ask for each value, partial and adjoint before it is shown. The player has a switch.
    scale : {"normal", "lecture"}, optional
        ``"lecture"``: type that is read from the last row, and fewer things at a time. If not given, what
        `play_defaults` says: normal.
    group : {"auto", None}
        ``"auto"``: the graph of more than 150 lines is shown in groups, which open: loops, their turns, calls, lines of
        the source. None: every operation is drawn at once, up to 600 lines.
    details : bool
        Open the fold (⋯) with the switch of modes, the names on the tape, speed and costs. If not given, it is
        open if the reader had it open last.
    engine : {"pytorch", "jax"}, optional
        Which framework runs `f`, if it is not this package. Tensors of PyTorch among the arguments, or a module in the
        place of `f`, are PyTorch's without a word; numbers cannot tell, so JAX is asked for.

    Returns
    -------
    Player
        A widget. `player.step` and `player.inputs` can be read, set and linked; `Player.save_html` makes a page.

    Raises
    ------
    RangeError
        If `ranges` names something that has no slider, or a range does not hold the value.
    ModeError
        If there is no such mode or direction.
    InputError
        If there is no such fault, scale or result, an input is no number, or the seeds are not those of the results.

    See Also
    --------
    Player : What `play` returns.
    play_defaults : Settings of all players made from now on.
    Trace : The record of a run that is shown.

    Notes
    -----
    If `f` raises, the player shows the run up to there: the line that raised is marked, and the exception speaks for
    itself. To catch it instead, call `record`. Where a NaN or an infinity is born, its line is marked too, with the
    reason.

    Beside each line of the source stands how often it ran, where not every line ran once: Python itself is asked, while
    `f` is recorded. If a debugger is watching already, or `f` runs through more than 100 000 lines, nothing is said.
    A click on an array opens its entries. A run of more than 30 lines has a strip of the whole, which jumps. In a graph
    with groups the one that holds the step opens by itself, and closes behind it; Enter or a click opens any other.

    Examples
    --------
    >>> def f(x1, x2):
    ...     return np.log(x1) + x1 * x2 - np.sin(x2)
    >>> play(f, 2.0, 5.0, ranges={"x1": (0.1, 4)})
    Player(f(x1, x2), 14 steps)
    """
    check_choice("play", "group", group, modes.GROUPINGS)
    usual = play_defaults()
    options = RunOptions(fault=fault, result=result, seed=seed)
    scale = check_choice("play", "scale", scale or usual["scale"], SCALES)
    shown: dict[str, Any] = {"mode": mode, "predict": predict, "details": details, "scale": scale}
    found = find_engine(f, args, engine)
    if found is not None and (
        mode != "reverse"
        or direction is not None
        or fault
        or result is not None
        or seed is not None
    ):
        raise FrameworkError(
            f"{found.describe_reverse_only()} Leave out mode, direction, fault, result and seed."
        )
    return Player(f, args, kwargs, ranges, direction, options, group, found, **shown)


def play_recorded(run: RecordedRun, source: Callable[..., Any]) -> Player:
    """Step through a run that another engine has recorded, and that cannot be run again."""
    return Player(source, (), None, None, None, RunOptions(), "auto", _Recorded(run, source))


def play_trace(trace: Trace) -> Player:
    """Step through a run of which only its trace is left, say one that `Trace.from_json` has read from a file.

    Examples
    --------
    >>> saved = Trace.of(lambda x: x * x, 3.0).to_json()
    >>> play_trace(Trace.from_json(saved)).trace.gradient[0].text
    '6'
    """
    large = len(trace.lines) > MAX_SINGLE_LINES
    views = modes.Views(
        trace, {}, message("framework is reverse", engine=trace.engine or "It"), large=large
    )
    return Player(_refuse_to_run, (), None, None, None, RunOptions(), "auto", views=views)


def _refuse_to_run() -> NoReturn:
    """Stand for the function of a run of which only the trace is left: there are no sliders that would call it."""
    raise AssertionError("a saved run has no function")


class _Recorded:
    """The engine of a player that shows a run which is over."""

    def __init__(self, run: RecordedRun, source: Callable[..., Any]) -> None:
        self._run, self._source = run, source

    def record(
        self, f: Callable[..., Any], args: Any, kwargs: Any, stop: bool = False
    ) -> RecordedRun:
        """Return the run."""
        return self._run

    def source_of(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Return what stands for the function."""
        return self._source

    def replace_scalar(self, like: Any, value: float) -> Any:
        """Change nothing: there are no sliders."""
        return like

    def describe_reverse_only(self) -> str:
        """Say in a sentence why there is no forward mode."""
        return message("framework is reverse", engine=self._run.engine)


def _inputs(trace: Trace) -> list[str]:
    """What the function calls the inputs that it runs on."""
    return [trace.lines[i].label for i in trace.inputs]


class Player(Outputs, Live):
    """The player widget: a run of a function that can be stepped through; made by `play`.

    All stepping happens in the browser. Python is asked only to record the function again when an input changes;
    if that fails, `error` says why and the last good picture stays.

    Attributes
    ----------
    step : int
        The last step that is shown; −1 before the first one.
    inputs : list of float
        The values of the scalar inputs, in their order. Setting it records the function again.
    controls : list of dict
        The sliders: name, min, max, step, value, and the value as text.
    chosen_result : int or None
        Which of several results is followed: its place in ``trace.results``; None for all of them. The player has a
        menu.
    seeds : list of float
        Where all results are followed, the seed of each one, in the order of ``trace.results``; of an array it is for
        all entries. Empty if they are 1, or if `seed` was given.
    error : str
        Why the last `inputs` could not be recorded; empty if they could.
    mode : str
        ``"reverse"``, ``"forward"`` or ``"both"``.
    direction : str
        Which of `forward` is shown in forward mode.
    custom : list of float
        A direction of your own: the rates at which the scalar inputs move. Empty if there is none.
    predict : bool
        Whether the learner is asked to foresee each step.
    details : bool
        Whether the fold with modes, names on the tape, speed and costs was opened by Python.
    scale : str
        ``"normal"`` or ``"lecture"``; it can be changed at any time.
    score : dict
        How many questions were ``"asked"``, how many answered ``"right"`` at the first try, and how often each kind of
        mistake was made: ``"mistakes"``.
    payload : dict
        The traces and the layout of the graph, as the player's JavaScript takes them.
    beside : dict
        What it takes with each payload of a long run, and what is not sent again with the next stretch.
    trace : Trace
        The run in reverse; of a run of more than 600 lines the stretch that is shown, some hundred lines.
    forward : mapping of str to Trace
        The run forward, by direction.

    See Also
    --------
    play : Step through a run.
    Trace : The record of a run that is shown.

    Examples
    --------
    >>> player = play(lambda x: x * x, 3.0)
    >>> player.inputs = [4.0]
    >>> player.trace.value.text, player.trace.gradient[0].text
    ('16', '8')

    Any widget can drive it:

    >>> import ipywidgets, traitlets
    >>> slider = ipywidgets.FloatSlider(value=3.0)
    >>> link = traitlets.dlink((slider, "value"), (player, "inputs"), lambda x: [x])
    >>> player.trace.value.text
    '9'
    """

    _esm = page.SCRIPT
    _css = page.STYLE

    payload = traitlets.Dict().tag(sync=True)
    beside = traitlets.Dict().tag(sync=True)
    mode = traitlets.Unicode("reverse").tag(sync=True)
    direction = traitlets.Unicode("").tag(sync=True)
    custom = traitlets.List(traitlets.CFloat()).tag(sync=True)
    predict = traitlets.Bool(False).tag(sync=True)
    details = traitlets.Bool(False).tag(sync=True)
    scale = traitlets.Enum(SCALES, "normal").tag(sync=True)
    score = traitlets.Dict({"right": 0, "asked": 0, "mistakes": {}}).tag(sync=True)
    step = traitlets.Int(-1).tag(sync=True)
    inputs = traitlets.List(traitlets.CFloat()).tag(sync=True)
    controls = traitlets.List(traitlets.Dict()).tag(sync=True)
    chosen_result = traitlets.Int(0, allow_none=True).tag(sync=True)
    seeds = traitlets.List(traitlets.CFloat()).tag(sync=True)
    error = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self,
        f: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any] | None,
        ranges: Mapping[str, tuple[float, float]] | None,
        direction: Any,
        options: RunOptions,
        group: str | None,
        engine: Engine | None = None,
        views: modes.Views | None = None,
        **shown: Any,
    ) -> None:
        self._f, self._args, self._kwargs, self._group = f, args, kwargs, group
        self._engine = engine
        named = direction is None or isinstance(direction, str)
        self._options = options.along(None if named else direction)
        if views is None:
            views = modes.views(f, args, self._options, group, kwargs, engine=engine)
        leaves, inputs = flatten(args), _inputs(views.trace)
        # they are there from the start, so their steps are none to stop at
        self._n_inputs = len(inputs)
        labels = [
            path
            for name, x in zip(self._argument_names(), args, strict=True)
            for path in paths(name, x)
        ]
        self._scalars = [
            k for k, leaf in enumerate(leaves) if np.ndim(leaf) == 0 and labels[k] in inputs
        ]
        self._names = [labels[k] for k in self._scalars]
        values = [float(leaves[k]) for k in self._scalars]
        arrays = [name for name in inputs if name not in self._names]
        self._ranges = check_ranges(ranges, dict(zip(self._names, values, strict=True)), arrays)
        self._views = views
        payload, beside = modes.lay_out(views)
        super().__init__(
            payload=payload,
            beside=beside,
            inputs=values,
            controls=self._sliders(values),
            chosen_result=views.trace.chosen_result,
            direction=(direction or next(iter(views.forward), "")) if named else "custom",
            custom=[] if named else self._rates(),
            **shown,
        )
        self.observe(self._run_again, "inputs")
        self.observe(self._run_again, "custom")
        self.observe(self._follow_result, "chosen_result")
        self.observe(self._seed_results, "seeds")
        self.observe(self._turn_to, "step")

    @property
    def trace(self) -> Trace:
        """The run in reverse that the player widget shows, as a `Trace`."""
        return self._views.trace

    @property
    def forward(self) -> Mapping[str, Trace]:
        """The run forward that the player widget shows, a `Trace` for each direction of its menu."""
        return self._views.forward

    @property
    def _run(self) -> Trace:
        """What is drawn and written down: the run forward in forward mode, else the run in reverse."""
        return self.forward[self.direction] if self.mode == "forward" else self.trace

    def __repr__(self) -> str:
        return f"Player({self.trace.title}, {self._last() + 1 - self._n_inputs} steps)"

    def save_html(self, path: str | Path) -> Path:
        """Write the player widget into one HTML file that needs no kernel and no network.

        Parameters
        ----------
        path : str or Path
            Where to write; a file that is there already is replaced.

        Returns
        -------
        Path
            The file. It is the run that is shown now; its inputs cannot be changed in the page.

        Raises
        ------
        PathError
            If the name does not end in ``.html``, or there is no such folder.
        """
        path = check_path("save_html", path, ".html", ".htm")
        path.write_text(page.page(self.trace, self._collect_page_state()), encoding="utf-8")
        return path

    def link(self, site: str | None = None) -> str:
        """Return a link that shows this player's function in the box of a website, where one press runs it.

        Whoever opens the link sees the function and its inputs first: nothing of it runs before they press *Run in this
        page*. What then runs has neither their files nor a network (`SECURITY.md` in the repository says how).

        Parameters
        ----------
        site : str, optional
            The address of another site of the tutorial than its own.

        Returns
        -------
        str
            An address with the function and its inputs in its fragment, which browsers send to no server.

        Raises
        ------
        LinkError
            If the source of the function is not known, if it takes something from outside that cannot be written down
            (functions, modules of NumPy and Python, numbers and arrays can), if all of it is too long, or if the run is
            one of PyTorch or JAX.

        Examples
        --------
        >>> play(lambda x: x * x, 3.0).link("https://example.org")
        'https://example.org/#function=...'
        """
        if self._engine is not None or self._f is _refuse_to_run:
            raise link.LinkError(
                "The page's box runs NumPy alone, and this run can't be repeated there. Write a file instead: "
                "player.save_html('player.html')."
            )
        usual = {"ranges": {}, "mode": "reverse", "fault": "", "predict": False, "kwargs": None}
        here = {
            "ranges": self._ranges,
            "mode": self.mode,
            "fault": self._options.fault,
            "predict": self.predict,
        }
        here |= {"kwargs": self._kwargs and dict(self._kwargs)}
        usual |= {"result": None, "seed": None}
        here |= {"result": self._options.result, "seed": self._options.seed}
        options = {name: value for name, value in here.items() if value != usual[name]}
        return link.address(link.program(self._f, self._arguments(self.inputs), options), site)

    def figure(self) -> str:
        """Of the player's widget, return the figure in HTML, as the output of a cell has it."""
        return page.figure(self.trace, self._collect_page_state(), self.key, self._views.still)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        # HTML for all: where a kernel has this player, it is the live one, else one that steps by itself; where scripts
        # are taken out, it is a picture, and so is the PNG.
        data, metadata = super()._repr_mimebundle_(**kwargs)
        with contextlib.suppress(DrawingError):  # where there is no Graphviz
            data["image/png"] = base64.b64encode(page.png(self._views.still)).decode()
        data["text/plain"] = repr(self)
        return data, metadata

    def _collect_page_state(self) -> dict[str, Any]:
        """What a page is given: the payload, and the mode and the step it opens in."""
        usual = {"scale": "normal", "details": False, "step": -1}
        names = (
            "mode",
            "direction",
            "predict",
            *(name for name in usual if getattr(self, name) != usual[name]),
        )
        return {**self.payload, **self.beside, **{name: getattr(self, name) for name in names}}

    def _run_again(self, change: Any) -> None:
        """Run the function again, at new inputs or in a new direction.

        The browser takes `controls` as the answer to new inputs, so it always changes.
        """
        values = list(self.inputs)
        if change.name == "custom":
            rates = dict(zip(self._names, self.custom, strict=True)) if self.custom else None
            self._options = self._options.along(rates)
        with self.hold_sync():
            try:
                # A slider may pass a pole: ∞ and nan are shown as such, a warning would have no cell to stand in.
                with np.errstate(all="ignore"):
                    # Half a run takes the place of another half, but not of a whole one.
                    stop = self.trace.raised is None
                    args = self._arguments(values)
                    views = modes.views(
                        self._f, args, self._options, self._group, self._kwargs, stop, self._engine
                    )
                if views.long is not None:
                    views = views.around(min(self.step, views.long.steps - 1))
                payload, beside = modes.lay_out(views, self._views, self.payload)
            except KeyboardInterrupt:
                self.error = message("interrupted")
                raise
            except Exception as error:
                # The learner's function may raise anything; the player stays, and says what it was.
                kind = "" if isinstance(error, AutodiffError) else f"{type(error).__name__}: "
                self.error = replace_bidi(f"{kind}{error}")
            else:
                self.error = ""
                self._views = views
                self.chosen_result = views.trace.chosen_result
                if not views.forward and not views.long and self.mode != "reverse":
                    self.mode = "reverse"
                if change.name == "custom" and self.custom:
                    self.direction = "custom"
                elif self.direction not in views.forward:
                    self.direction = next(iter(views.forward), "")
                self.step = min(self.step, self._last())
                self.payload, self.beside = payload, beside
            finally:
                self.controls = self._sliders(values)

    def _follow_result(self, change: Any) -> None:
        """Run the function again, and follow another of its results."""
        if change.new == self.trace.chosen_result:
            return
        if change.new is None:
            self._options = replace(self._options, result=ALL, seed=self._nest_seeds())
        else:
            result = self._views.results[change.new]
            self._options = replace(self._options, result=result, seed=None)
        self._run_again(change)

    def _seed_results(self, change: Any) -> None:
        """Run the function again, and sweep from all results with these seeds."""
        self._options = replace(self._options, result=ALL, seed=self._nest_seeds())
        self._run_again(change)

    def _nest_seeds(self) -> dict[Any, Any] | None:
        """The seeds of the fields, nested as the results are; None if there are none."""
        nested: dict[Any, Any] = {}
        for path, seed in zip(self._views.results, self.seeds, strict=False):
            inside = nested
            for key in path[:-1]:
                inside = inside.setdefault(key, {})
            inside[path[-1]] = seed
        return nested or None

    def _arguments(self, values: list[float]) -> tuple[Any, ...]:
        """What the function is called with, at these values of its sliders."""
        leaves = flatten(self._args)
        for k, value in zip(self._scalars, values, strict=True):
            leaves[k] = self._engine.replace_scalar(leaves[k], value) if self._engine else value
        return unflatten(self._args, leaves)

    def _argument_names(self) -> list[str]:
        """What the function calls its arguments; a module's function is its `forward`."""
        f = self._f if self._engine is None else getattr(self._f, "forward", self._f)
        return argument_names(f, len(self._args))

    def _turn_to(self, change: Any) -> None:
        """Show the stretch of a long run that has this step."""
        long, excerpt = self._views.long, self.trace.excerpt
        if long is None or excerpt is None or long.holding(change.new) == excerpt.number:
            return
        self._views = self._views.around(change.new)
        self.payload, _ = modes.lay_out(self._views)

    def _rates(self) -> list[float]:
        """What the learner's own direction does to the scalar inputs."""
        trace = self._views.forward["custom"]
        seeds = dict(zip(_inputs(trace), trace.directions[0].seeds, strict=True))
        return [seeds[name].scalar for name in self._names]

    def _last(self) -> int:
        """The last step of the mode that is shown."""
        if self._views.long is not None:
            return self._views.long.steps - 1
        forward = self.mode == "forward" and self.direction in self.forward
        return len(self.trace.lines if forward else self.trace.steps) - 1

    def _sliders(self, values: list[float]) -> list[dict[str, Any]]:
        """The sliders keep their range while the value moves within it."""
        sliders = []
        before: list[dict[str, Any] | None] = [*self.controls]
        for name, value, old in zip(
            self._names, values, before or [None] * len(values), strict=True
        ):
            if old is not None and old["min"] <= value <= old["max"]:
                sliders.append({**old, "value": value, "text": number(value)})
                continue
            within = self._ranges.get(name) if old is None else (old["min"], old["max"])
            sliders.append(control(name, value, within))
        return sliders

    @traitlets.validate("inputs")
    def _right_number(self, proposal: Any) -> list[float]:
        given, names = len(proposal["value"]), ", ".join(self._names) or "no input is a scalar"
        if given != len(self._names):
            raise traitlets.TraitError(
                f"inputs takes {len(self._names)} numbers ({names}), and these are {given}."
            )
        return proposal["value"]

    @traitlets.validate("chosen_result")
    def _existing_result(self, proposal: Any) -> int | None:
        place, there = proposal["value"], self._views.trace.results
        if place is None and len(there) > 1:
            return None
        place = place or 0
        if place and not 0 <= place < len(there):
            raise traitlets.TraitError(
                f"chosen_result is the place of a result, from 0, and there is none at {place}: "
                f"the results are {', '.join(there) or 'one'}."
            )
        return place

    @traitlets.validate("seeds")
    def _one_seed_each(self, proposal: Any) -> list[float]:
        given, there = len(proposal["value"]), self._views.trace.results
        if given and given != len(there):
            raise traitlets.TraitError(
                f"seeds takes one number for each of the results {', '.join(there) or '(there is one)'}, "
                f"or none at all, and these are {given}."
            )
        return proposal["value"]

    @traitlets.validate("step")
    def _existing_step(self, proposal: Any) -> int:
        return max(-1, min(proposal["value"], self._last()))

    @traitlets.validate("mode")
    def _existing_mode(self, proposal: Any) -> str:
        if proposal["value"] not in modes.MODES:
            raise modes.ModeError(
                f"There is no mode {proposal['value']!r}; the modes are {', '.join(modes.MODES)}."
            )
        if proposal["value"] != "reverse" and not self.forward:
            raise modes.ModeError(f"This run has no forward mode. {self._views.why}".strip())
        return proposal["value"]

    @traitlets.validate("direction")
    def _existing_direction(self, proposal: Any) -> str:
        wanted, there = proposal["value"], list(self.forward)
        if wanted == "all" and len(there) == 1:
            return there[0]  # of one input, that is all
        if wanted and wanted not in there:
            why = (
                " All at once is for two to four inputs that are numbers, in a short run."
                if wanted == "all"
                else ""
            )
            raise modes.ModeError(
                f"There is no direction {wanted!r}; there are {', '.join(there) or 'none'}.{why}"
            )
        return wanted

    @traitlets.validate("custom")
    def _right_rates(self, proposal: Any) -> list[float]:
        if proposal["value"] and len(proposal["value"]) != len(self._names):
            raise traitlets.TraitError(
                f"custom takes one rate for each of {', '.join(self._names)}, or none at all."
            )
        return proposal["value"]
