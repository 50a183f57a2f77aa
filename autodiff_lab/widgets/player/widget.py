"""The player's widget: `play` runs a function, and returns a `Player` that steps through the run."""

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
    """Run ``f(*args)`` and show the run step by step: source, graph and tape, and derivatives in both modes.

    Parameters
    ----------
    f : callable
        Your function, of numbers and arrays.
    *args : float or array_like
        The inputs. Each scalar gets a slider; moving it runs `f` again. A string, None or a boolean is a constant; so
        is an integer that the run uses as an index or a count (``range(n)``).
    kwargs : mapping of str, optional
        Keyword arguments for `f`; they are constants.
    ranges : mapping of str to (float, float), optional
        The smallest and the largest value of a slider, by the name of the input.
    mode : {"reverse", "forward", "both"}
        What to show first: in reverse mode the forward pass and the sweep, in forward mode values with their tangents,
        or one mode after the other. The player has a switch for it.
    direction : str, tuple or dict, optional
        The direction in which the inputs move in forward mode: the name of an input, ``"all"`` for a tangent with
        respect to each input, or your own numbers, as `Trace.of` takes them. The player has a menu for it.
    fault : {"", "overwrite", "wrong order", "recursion", "stale"}
        For teaching: sweep with an engine that has this bug. The player marks the engine as faulty, and shows the
        correct adjoints too.
    result : str, int or tuple, optional
        Which result to differentiate, if `f` returns several in a tuple, list or dict: its key (``"loss"``, ``0``), or
        its keys from the outside in (``(1, "pred")``). If not given, it is the first number that depends on the inputs,
        which is usually the loss. ``"all"`` differentiates all of them in one sweep, which finds the derivatives of the
        sum of all results, each times its seed. The player has a menu for it.
    seed : tuple, list or dict, optional
        The seeds of all results, in the structure that `f` returns: ``{"loss": 1, "pred": 0.5}``. One number is the
        seed of all elements of an array. If not given, each seed is 1. The player has fields for them.
    predict : bool
        Ask for each value, partial and adjoint before it is shown. The player has a switch for it.
    scale : {"normal", "lecture"}, optional
        ``"lecture"`` has larger type, for the last row of a lecture hall, and shows less at a time. If not given, it is
        the default that `play_defaults` sets: normal.
    group : {"auto", None}
        With ``"auto"``, a graph of more than 150 lines is shown in groups that can be opened: loops, their iterations,
        calls, and lines of the source. With None, every operation is drawn at once, up to 600 lines.
    details : bool
        Open the fold (⋯) that has the switch of modes, the names on the tape, speed and costs. If not given, it is
        open if the reader left it open the last time.
    engine : {"pytorch", "jax"}, optional
        The framework that runs `f`, if it isn't this package. PyTorch is used by default if an argument is a PyTorch
        tensor, or `f` a PyTorch module. JAX functions take plain numbers too, so JAX has to be named.

    Returns
    -------
    Player
        A widget. `player.step` and `player.inputs` can be read, set and linked; `Player.save_html` writes a page.

    Raises
    ------
    RangeError
        If `ranges` names something that has no slider, or a range does not include the value.
    ModeError
        If there is no such mode or direction.
    InputError
        If there is no such fault, scale or result, if an input is not a number, or if the seeds do not match the
        results.

    See Also
    --------
    Player : What `play` returns.
    play_defaults : Settings of all players made from now on.
    Trace : The record of a run that is shown.

    Notes
    -----
    If `f` raises, the player shows the run up to that point, marks the line that raised, and shows the exception. To
    catch the exception instead, call `record`. The line where a NaN or an infinity first appears is marked too, with
    the reason.

    If not every line of the source ran exactly once, each line has a count of how often it ran. Python counts while `f`
    is recorded; there are no counts if a debugger is already active, or if `f` runs through more than 100 000 lines.

    Click an array to see its elements. A run of more than 30 lines has an overview strip; click it to jump. In a graph
    with groups, the group of the current step opens automatically and closes after it; Enter or a click opens another.

    Examples
    --------
    >>> def f(x1, x2):
    ...     return np.log(x1) + x1 * x2 - np.sin(x2)
    >>> play(f, 2.0, 5.0, ranges={"x1": (0.1, 4)})
    Player(f(x1, x2), 14 steps)
    """
    check_choice("play", "group", group, modes.GROUPINGS)
    options = RunOptions(fault=fault, result=result, seed=seed)
    scale = check_choice("play", "scale", scale or play_defaults()["scale"], SCALES)
    shown: dict[str, Any] = {"mode": mode, "predict": predict, "details": details, "scale": scale}
    framework = find_engine(f, args, engine)
    if framework is not None:
        unset = not fault and all(option is None for option in (direction, result, seed))
        if mode != "reverse" or not unset:
            raise FrameworkError(
                f"{framework.describe_reverse_only()} Leave out mode, direction, fault, result and seed."
            )
    return Player(f, args, kwargs, ranges, direction, options, group, framework, **shown)


def play_recorded(run: RecordedRun, source: Callable[..., Any]) -> Player:
    """Step through a run that another engine has recorded, and that can't be run again."""
    return Player(source, (), None, None, None, RunOptions(), "auto", _Recorded(run, source))


def play_trace(trace: Trace) -> Player:
    """Step through a run of which only the trace exists, such as one that `Trace.from_json` has read from a file.

    Examples
    --------
    >>> saved = Trace.of(lambda x: x * x, 3.0).to_json()
    >>> play_trace(Trace.from_json(saved)).trace.gradient[0].text
    '6'
    """
    large = len(trace.lines) > MAX_SINGLE_LINES
    why = message("framework is reverse", engine=trace.engine or "It")
    views = modes.Views(trace, {}, why, large=large)
    return Player(_refuse_to_run, (), None, None, None, RunOptions(), "auto", views=views)


def _refuse_to_run() -> NoReturn:
    """Take the place of a function that isn't there; a player of a saved trace has no sliders, so it never calls it."""
    raise AssertionError("a saved run has no function")


class _Recorded:
    """The engine of a player that shows a recorded run, which can't be run again."""

    def __init__(self, run: RecordedRun, source: Callable[..., Any]) -> None:
        self._run, self._source = run, source

    def record(
        self, f: Callable[..., Any], args: Any, kwargs: Any, stop: bool = False
    ) -> RecordedRun:
        """Return the recorded run."""
        return self._run

    def source_of(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function whose source is shown."""
        return self._source

    def replace_scalar(self, like: Any, value: float) -> Any:
        """Return the argument unchanged: there are no sliders."""
        return like

    def describe_reverse_only(self) -> str:
        """Say in a sentence why there is no forward mode."""
        return message("framework is reverse", engine=self._run.engine)


def _inputs(trace: Trace) -> list[str]:
    """Return the names of the inputs of a trace."""
    return [trace.lines[i].label for i in trace.inputs]


class Player(Outputs, Live):
    """The player widget, which steps through a run of a function; `play` makes one.

    All stepping happens in the browser. Python only records the function again when an input changes; if that fails,
    `error` is the reason, and the last successful run stays.

    Attributes
    ----------
    step : int
        The current step; −1 before the first one.
    inputs : list of float
        The values of the scalar inputs, in order. Setting it records the function again.
    controls : list of dict
        The sliders: name, min, max, step, value, and the value as text.
    chosen_result : int or None
        Which of several results is differentiated: its index in ``trace.results``; None for all of them. The player
        has a menu for it.
    seeds : list of float
        If all results are differentiated, the seed of each one, in the order of ``trace.results``; the seed of an array
        is that of all its elements. Empty if the seeds are 1, or if `seed` was given.
    error : str
        The reason why the run at the last `inputs` could not be recorded; empty if it could.
    mode : str
        ``"reverse"``, ``"forward"`` or ``"both"``.
    direction : str
        The key in `forward` of the run that is shown in forward mode.
    custom : list of float
        Your own direction: the rates at which the scalar inputs move. Empty if there is none.
    predict : bool
        Whether the learner is asked to predict each step.
    details : bool
        Whether Python has opened the fold with modes, names on the tape, speed and costs.
    scale : str
        ``"normal"`` or ``"lecture"``; it can be changed at any time.
    score : dict
        How many questions were ``"asked"``, how many were answered correctly at the first try (``"right"``), and how
        often each kind of mistake was made (``"mistakes"``).
    payload : dict
        The traces and the layouts of the graph, in the form that the player's JavaScript expects.
    beside : dict
        The part of a long run's payload that is the same for all its excerpts, and is sent only once.
    trace : Trace
        The reverse run; for a run of more than 600 lines, the excerpt that is shown, of about a hundred lines.
    forward : mapping of str to Trace
        The forward runs, by direction.

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
        self._f = f
        self._args = args
        self._kwargs = kwargs
        self._group = group
        self._engine = engine
        named = direction is None or isinstance(direction, str)
        self._options = options.along(None if named else direction)
        if views is None:
            views = modes.views(f, args, self._options, group, kwargs, engine=engine)
        leaves = flatten(args)
        inputs = _inputs(views.trace)
        # The inputs are there from the start, so the player does not stop at them.
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
        self.observe(self._show_excerpt, "step")

    @property
    def trace(self) -> Trace:
        """The reverse run that the player widget shows, as a `Trace`."""
        return self._views.trace

    @property
    def forward(self) -> Mapping[str, Trace]:
        """The forward runs that the player widget shows: a `Trace` for each direction of its menu."""
        return self._views.forward

    @property
    def _run(self) -> Trace:
        """The run that is shown and exported: the forward run in forward mode, otherwise the reverse run."""
        return self.forward[self.direction] if self.mode == "forward" else self.trace

    def __repr__(self) -> str:
        return f"Player({self.trace.title}, {self._last() + 1 - self._n_inputs} steps)"

    def save_html(self, path: str | Path) -> Path:
        """Save the player widget as one HTML file that needs no kernel and no network.

        Parameters
        ----------
        path : str or Path
            The file to write; an existing file is replaced.

        Returns
        -------
        Path
            The file. It has the run that is shown now; its inputs can't be changed in the page.

        Raises
        ------
        PathError
            If the name does not end in ``.html``, or the folder does not exist.
        """
        path = check_path("save_html", path, ".html", ".htm")
        path.write_text(page.page(self.trace, self._collect_page_state()), encoding="utf-8")
        return path

    def link(self, site: str | None = None) -> str:
        """Return a link that opens this player's function in the box of a website, where one click runs it.

        Whoever opens the link first sees the function and its inputs; nothing runs before they press *Run in this
        page*. The code then runs without access to their files or to a network; `SECURITY.md` in the repository
        explains how.

        Parameters
        ----------
        site : str, optional
            The address of a website of the tutorial; if not given, it is the tutorial's own.

        Returns
        -------
        str
            An address with the function and its inputs in its fragment, which browsers never send to a server.

        Raises
        ------
        LinkError
            If the source of the function is not known, if it uses something from outside that can't be written down
            (functions, modules of NumPy and Python, numbers and arrays can be), if the link would be too long, or if
            PyTorch or JAX has run the function.

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
        # The value of each option, and its default. The link leaves out an option that has its default.
        options = {
            "ranges": (self._ranges, {}),
            "mode": (self.mode, "reverse"),
            "fault": (self._options.fault, ""),
            "predict": (self.predict, False),
            "kwargs": (self._kwargs and dict(self._kwargs), None),
            "result": (self._options.result, None),
            "seed": (self._options.seed, None),
        }
        written = {name: value for name, (value, default) in options.items() if value != default}
        return link.address(link.program(self._f, self._arguments(self.inputs), written), site)

    def figure(self) -> str:
        """Return the player widget's figure: the HTML that is in the output of a cell."""
        return page.figure(self.trace, self._collect_page_state(), self.key, self._views.still)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        # The HTML works everywhere: it is the live player where a kernel has one, otherwise a player without a kernel,
        # and a picture where scripts are removed. The PNG is for hosts that show no HTML at all.
        data, metadata = super()._repr_mimebundle_(**kwargs)
        with contextlib.suppress(DrawingError):  # raised if Graphviz is not installed
            data["image/png"] = base64.b64encode(page.png(self._views.still)).decode()
        data["text/plain"] = repr(self)
        return data, metadata

    def _collect_page_state(self) -> dict[str, Any]:
        """Return the data of a page: the payload, and the mode, step and other settings with which the page opens."""
        state = {"mode": self.mode, "direction": self.direction, "predict": self.predict}
        for name, default in {"scale": "normal", "details": False, "step": -1}.items():
            value = getattr(self, name)
            if value != default:
                state[name] = value
        return {**self.payload, **self.beside, **state}

    def _run_again(self, change: Any) -> None:
        """Run the function again, at new inputs or in a new direction.

        The browser waits for a change of `controls`, so they change even if the run fails.
        """
        values = list(self.inputs)
        if change.name == "custom":
            rates = dict(zip(self._names, self.custom, strict=True)) if self.custom else None
            self._options = self._options.along(rates)
        with self.hold_sync():
            try:
                # A slider may pass a pole: the player shows ∞ and nan, and there is no cell that could show a warning.
                with np.errstate(all="ignore"):
                    # A run that raises replaces another run that raised, but not a complete one.
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
                # The learner's function may raise anything; the player keeps the last run and shows the error.
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
        """Run the function again, and differentiate another of its results."""
        if change.new == self.trace.chosen_result:
            return
        if change.new is None:
            self._options = replace(self._options, result=ALL, seed=self._nest_seeds())
        else:
            result = self._views.results[change.new]
            self._options = replace(self._options, result=result, seed=None)
        self._run_again(change)

    def _seed_results(self, change: Any) -> None:
        """Run the function again, and sweep back from all results with the new seeds."""
        self._options = replace(self._options, result=ALL, seed=self._nest_seeds())
        self._run_again(change)

    def _nest_seeds(self) -> dict[Any, Any] | None:
        """Return the seeds from the player's fields, nested like the results; None if there are none."""
        nested: dict[Any, Any] = {}
        for path, seed in zip(self._views.results, self.seeds, strict=False):
            inside = nested
            for key in path[:-1]:
                inside = inside.setdefault(key, {})
            inside[path[-1]] = seed
        return nested or None

    def _arguments(self, values: list[float]) -> tuple[Any, ...]:
        """Return the arguments of the function, with these values of its sliders."""
        leaves = flatten(self._args)
        for k, value in zip(self._scalars, values, strict=True):
            leaves[k] = self._engine.replace_scalar(leaves[k], value) if self._engine else value
        return unflatten(self._args, leaves)

    def _argument_names(self) -> list[str]:
        """Return the function's names of its arguments; the function of a PyTorch module is its `forward`."""
        f = self._f if self._engine is None else getattr(self._f, "forward", self._f)
        return argument_names(f, len(self._args))

    def _show_excerpt(self, change: Any) -> None:
        """Show the excerpt of a long run that has this step."""
        long = self._views.long
        excerpt = self.trace.excerpt
        if long is None or excerpt is None or long.holding(change.new) == excerpt.number:
            return
        self._views = self._views.around(change.new)
        self.payload, _ = modes.lay_out(self._views)

    def _rates(self) -> list[float]:
        """Return the rates at which the scalar inputs move in the learner's own direction."""
        trace = self._views.forward["custom"]
        seeds = dict(zip(_inputs(trace), trace.directions[0].seeds, strict=True))
        return [seeds[name].scalar for name in self._names]

    def _last(self) -> int:
        """Return the last step in the current mode."""
        if self._views.long is not None:
            return self._views.long.steps - 1
        if self.mode == "forward" and self.direction in self.forward:
            return len(self.trace.lines) - 1
        return len(self.trace.steps) - 1

    def _sliders(self, values: list[float]) -> list[dict[str, Any]]:
        """Return the sliders at new values; a slider keeps its range as long as its value is inside."""
        if not self.controls:
            return [
                control(name, value, self._ranges.get(name))
                for name, value in zip(self._names, values, strict=True)
            ]
        sliders = []
        for name, value, old in zip(self._names, values, self.controls, strict=True):
            if old["min"] <= value <= old["max"]:
                sliders.append({**old, "value": value, "text": number(value)})
            else:
                sliders.append(control(name, value, (old["min"], old["max"])))
        return sliders

    @traitlets.validate("inputs")
    def _check_inputs(self, proposal: Any) -> list[float]:
        given = len(proposal["value"])
        if given != len(self._names):
            names = ", ".join(self._names) or "no input is a scalar"
            raise traitlets.TraitError(
                f"inputs must be a list of {len(self._names)} numbers ({names}); this one has {given}."
            )
        return proposal["value"]

    @traitlets.validate("chosen_result")
    def _check_chosen_result(self, proposal: Any) -> int | None:
        index = proposal["value"]
        results = self._views.trace.results
        if index is None:
            return None if len(results) > 1 else 0
        if index != 0 and not 0 < index < len(results):
            known = ", ".join(results)
            raise traitlets.TraitError(
                f"chosen_result is the index of a result, from 0, and there is none at {index}: "
                + (f"the results are {known}." if known else "there is one result, 0.")
            )
        return index

    @traitlets.validate("seeds")
    def _check_seeds(self, proposal: Any) -> list[float]:
        given = len(proposal["value"])
        results = self._views.trace.results
        if given and given != len(results):
            raise traitlets.TraitError(
                f"seeds must have one number for each of the results {', '.join(results) or '(there is one)'}, "
                f"or be empty; it has {given}."
            )
        return proposal["value"]

    @traitlets.validate("step")
    def _limit_step(self, proposal: Any) -> int:
        return max(-1, min(proposal["value"], self._last()))

    @traitlets.validate("mode")
    def _check_mode(self, proposal: Any) -> str:
        if proposal["value"] not in modes.MODES:
            raise modes.ModeError(
                f"There is no mode {proposal['value']!r}; the modes are {', '.join(modes.MODES)}."
            )
        if proposal["value"] != "reverse" and not self.forward:
            raise modes.ModeError(f"This run has no forward mode. {self._views.why}".strip())
        return proposal["value"]

    @traitlets.validate("direction")
    def _check_direction(self, proposal: Any) -> str:
        wanted = proposal["value"]
        directions = list(self.forward)
        if wanted == "all" and len(directions) == 1:
            return directions[0]  # with a single input, "all" is that input
        if wanted and wanted not in directions:
            text = f"There is no direction {wanted!r}; there are {', '.join(directions) or 'none'}."
            if wanted == "all":
                text += " All at once is for two to four inputs that are numbers, in a short run."
            raise modes.ModeError(text)
        return wanted

    @traitlets.validate("custom")
    def _check_custom(self, proposal: Any) -> list[float]:
        rates = proposal["value"]
        if rates and len(rates) != len(self._names):
            raise traitlets.TraitError(
                f"custom must have one rate for each of {', '.join(self._names)}, or be empty; it has {len(rates)}."
            )
        return rates
