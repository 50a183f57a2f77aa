"""A run of a function as plain data: a `Trace`, with its tape lines and the steps of its sweep or of its tangents.

Everything that a view shows (a table, a drawing, the player, a sentence) is a function of a `Trace` and a step
number. A trace holds only numbers and text, never an array or an engine object, so it can be stored, compared and
sent to a browser.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from autodiff_lab.engine.tape import Tape
from autodiff_lab.engine.views import view
from autodiff_lab.text.dataclass_json import Pool, build, plain
from autodiff_lab.trace.model.equation import Equation
from autodiff_lab.trace.model.line import Line
from autodiff_lab.trace.model.number import Number
from autodiff_lab.trace.model.outputs import Outputs
from autodiff_lab.trace.model.question import Hint
from autodiff_lab.trace.model.run_options import RunOptions
from autodiff_lab.trace.model.source import Source, Span
from autodiff_lab.trace.model.step import Step
from autodiff_lab.transforms.recording import Outcome, record_to_show
from autodiff_lab.transforms.signatures import check_keywords


class Cost(NamedTuple):
    """The cost of the whole gradient in one mode: the operations of all `passes`, and the memory usage.

    In forward mode, a pass is one run of the function; in reverse mode, one run and its sweep. `operations`
    and `products` are counted as in `Meter`. `kept` is the largest number of values held at any step, and
    `bytes` the memory they take.
    """

    passes: int
    operations: int
    products: int
    kept: int
    bytes: int


class Group(NamedTuple):
    """A group of consecutive lines in the outline of a run, drawn as one box: from `first` up to, not including, `end`.

    `title` is the source text that recorded these lines. For a loop, `turns` is the number of iterations,
    and `each` is the number of lines per iteration, or 0 if it varies. For anything else, `turns` is 0.
    """

    title: str
    first: int
    end: int
    turns: int = 0
    each: int = 0

    @property
    def size(self) -> int:
        """The number of tape lines of a group in the outline of a run."""
        return self.end - self.first


@dataclass(frozen=True)
class ResultSeed:
    """The seed of one result, in a `Trace` that differentiates all results: the result's index, line and name.

    `weight` is the factor of this result in the sum of all results. It is None if the seed is an array
    whose elements differ.
    """

    result: int
    line: int
    name: str
    seed: Number
    weight: float | None


class StepRange(NamedTuple):
    """Steps `first` to `last` (inclusive) of an excerpt's `Trace`; `first` is step `at` of the whole run."""

    first: int
    last: int
    at: int


class SweptRange(NamedTuple):
    """The sweep through a chapter of a long run: the whole run's steps from `first` up to, not including, `end`."""

    first: int
    end: int


@dataclass(frozen=True)
class Excerpt:
    """The part of a long run that a `Trace` shows.

    Attributes
    ----------
    number : int
        The number of the excerpt.
    lines, steps : int
        The numbers of lines and steps of the whole run.
    parts : tuple of StepRange
        The steps of the whole run that it shows. Its other steps only prepare these.
    said : str
        A description of the excerpt.
    later : str
        A description of where the adjoints in `arrived` come from.
    arrived : tuple of Number or None
        The adjoint that each line has when the excerpt's sweep starts.
    before : tuple of int
        The earlier lines of the whole run that the excerpt uses; they are its own first lines.
    swept : tuple of SweptRange
        For each chapter of the run, the steps in which the sweep goes through it.
    seeds : int
        The number of seeds with which the sweep starts.
    """

    number: int
    lines: int
    steps: int
    parts: tuple[StepRange, ...]
    said: str = ""
    later: str = ""
    arrived: tuple[Number | None, ...] = ()
    before: tuple[int, ...] = ()
    swept: tuple[SweptRange, ...] = ()
    seeds: int = 1


@dataclass(frozen=True)
class RaisedError:
    """The exception that ended the run of a `Trace`: its `kind`, its message, and where it was raised.

    `where` lists places in the sources, outermost call first, like `Line.where`; it is empty if no
    source was found.
    """

    kind: str
    text: str
    where: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Direction:
    """A direction of a forward `Trace`: the inputs' tangents (`seeds`), its `name` in a menu, and its full text."""

    name: str
    shown: str
    seeds: tuple[Number, ...]


@dataclass(frozen=True)
class Trace(Outputs):
    """A trace of one run of a function, line by line: in reverse mode with its sweep, in forward mode with tangents.

    Attributes
    ----------
    lines : tuple of Line
        The tape; `result` is the line that the function returns, called `result_name` in pictures.
    steps : tuple of Step
        The steps of the run, in order; `opening` is the sentence before the first.
    sources : tuple of Source
        The learner's functions.
    note : str
        What is unusual about this run, in a sentence.
    mode : str
        ``"reverse"`` or ``"forward"``. In forward mode, each step has a tangent for each of `directions`.
    cost : Cost or None
        The cost of the whole gradient in this mode.
    fault : str
        The bug of a faulty engine, see `faults`; empty for the correct engine. `badge` names it, and
        `truth` has the correct adjoint of every line.
    warning : str
        A warning before the first step: the bug, the exception that ended the run, or the first NaN.
    headline : Equation or None
        The equation before the first step, if the result is constant: no step of the run shows it.
    results : tuple of str
        If the function returns several results, the text that chooses each, as in ``result="loss"``;
        empty for a single result. `chosen_result` is the index of the differentiated result, or None for all.
    seeds : tuple of ResultSeed
        The seeds, if all results are differentiated. `result` is then the last of the results' lines,
        `value` is the sum of the results, each multiplied by its seed, and `result_name` names that sum.
    raised : RaisedError or None
        The exception that ended the run; the trace has the part before it.
    hints : tuple of Hint
        The hint for each kind of mistake, if there are questions.
    excerpt : Excerpt or None
        Which part of a long run this is, if it isn't a whole run; see `excerpts`.
    chapters : tuple of Group
        For a run of more than 30 lines: its loops, and the source lines between them.
    engine : str
        The library that ran the function and computed all numbers, such as ``"PyTorch 2.13.0"``; empty
        for the engine of this package.
    agreement : Equation or None
        In forward mode along one direction: the result's tangent, and the same number computed from the
        gradient in reverse mode.

    See Also
    --------
    play : Step through a run.
    table : The evaluation trace of a run.

    Examples
    --------
    >>> import numpy as np
    >>> trace = Trace.of(lambda x1, x2: np.log(x1) + x1 * x2 - np.sin(x2), 2.0, 5.0)
    >>> trace.lines[6].text, trace.value.text
    ('v3 - v4', '11.6521')
    >>> [step.phase for step in trace.steps].count("sweep")
    8
    >>> trace.gradient[0].text, trace.gradient[1].text
    ('5.5', '1.7163')
    >>> print(trace.steps[10].sentence)
    v₄ = sin x2 sends −1 · cos 5 = −0.2837 to x2; x2 now holds −0.2837. x2 is also used in v₂: one more contribution is still to come.
    >>> Trace.from_json(trace.to_json()) == trace
    True
    """  # noqa: E501

    title: str
    function: str
    parameters: tuple[str, ...]
    sources: tuple[Source, ...]
    note: str
    lines: tuple[Line, ...]
    steps: tuple[Step, ...]
    result: int | None
    value: Number
    result_name: str = "y"
    opening: str = ""
    mode: str = "reverse"
    directions: tuple[Direction, ...] = ()
    cost: Cost | None = None
    agreement: Equation | None = None
    fault: str = ""
    badge: str = ""
    warning: str = ""
    truth: tuple[Number | None, ...] = ()
    hints: tuple[Hint, ...] = ()
    excerpt: Excerpt | None = None
    chapters: tuple[Group, ...] = ()
    headline: Equation | None = None
    results: tuple[str, ...] = ()
    chosen_result: int | None = 0
    raised: RaisedError | None = None
    engine: str = ""
    seeds: tuple[ResultSeed, ...] = ()

    @classmethod
    @check_keywords
    def of(
        cls,
        f: Callable[..., Any],
        *args: Any,
        kwargs: Mapping[str, Any] | None = None,
        mode: str = "reverse",
        direction: Any = None,
        fault: str = "",
        result: Any = None,
        seed: Any = None,
    ) -> Trace:
        """Trace a run of ``f(*args)``: record it and sweep it in reverse, or run it forward with its tangents.

        Parameters
        ----------
        f : callable
            The function to trace.
        *args : float or array_like
            The inputs; see `record` for which arguments stay constant.
        kwargs : mapping of str, optional
            Keyword arguments for `f`; they stay constant.
        mode : {"reverse", "forward"}
            How to compute the derivatives.
        direction : str, tuple, dict or list, optional
            Forward mode only: the tangents of the inputs, by default 1 for the first input.

            - the name of an input: tangent 1 (for every element of an array), 0 for the other inputs
            - a tuple: one tangent for each input
            - a dict: the tangents that aren't 0
            - a list of these: a batch of directions
            - ``"all"``: one direction for each input
        fault : {"", "overwrite", "wrong order", "recursion", "stale"}
            Reverse mode only, for teaching: sweep with an engine that has this bug. `truth` has the correct
            adjoints.
        result : str, int or tuple, optional
            Which result to differentiate, if `f` returns several in a tuple, list or dict: its key
            (``"loss"``, ``0``), or the keys from the outside in (``(1, "pred")``). By default, the first
            number that depends on the inputs, which is usually the loss. ``"all"`` gives each result a
            seed, and one sweep computes the derivatives of the sum of results times seeds.
        seed : tuple, list or dict, optional
            The seeds of all results, in the structure that `f` returns: ``{"loss": 1, "pred": 0.5}``. A
            number is the seed of every element of an array. By default, each seed is 1.

        Returns
        -------
        Trace
            If the result is an array, reverse mode differentiates the sum of its elements, and `note` says so.

        Raises
        ------
        InputError, ShapeError
            If there is no such mode, fault, input or result, or if the shape of a tangent or seed differs
            from that of its input or result.
        Exception
            Any exception that `f` raises. To see the run up to the exception, use `play`.

        Examples
        --------
        >>> trace = Trace.of(lambda x, y: x * y, 2.0, 5.0, mode="forward", direction="y")
        >>> [step.tangents[0].text for step in trace.steps]
        ['0', '1', '2']
        >>> trace = Trace.of(lambda x, y: x * y, 2.0, 5.0, mode="forward", direction="all")
        >>> [tangent.text for tangent in trace.tangent]
        ['5', '2']
        >>> trace = Trace.of(lambda x: x * x + x, 3.0, fault="overwrite")
        >>> trace.gradient[0].text, trace.truth[0].text
        ('3', '7')
        >>> trace = Trace.of(lambda x: {"loss": x * x, "pred": 3 * x}, 2.0, result="pred")
        >>> trace.results, trace.gradient[0].text
        (("'loss'", "'pred'"), '3')
        >>> f = lambda x: {"loss": x * x, "pred": 3 * x}
        >>> trace = Trace.of(f, 2.0, seed={"loss": 1, "pred": 0.5})
        >>> trace.derivative_name, trace.gradient[0].text
        ('(loss + 0.5·pred)', '5.5')
        """
        options = RunOptions(mode, direction, fault, result, seed)
        outcome, tape = record_to_show(f, args, kwargs, result, stop=True, seed=seed)
        trace: Trace = view("read_tape")(tape, f, outcome, options)
        return trace

    @classmethod
    def from_tape(
        cls,
        tape: Tape,
        f: Callable[..., Any],
        *,
        value: Any = None,
        mode: str = "reverse",
        direction: Any = None,
        fault: str = "",
    ) -> Trace:
        """Trace a run of `f` that is already recorded; pass `value` if the result isn't a line of the tape."""
        trace: Trace = view("read_tape")(
            tape, f, Outcome(value), RunOptions(mode, direction, fault)
        )
        return trace

    @property
    def _run(self) -> Trace:
        return self

    @property
    def derivative_name(self) -> str:
        """The name of the differentiated quantity of a `Trace`: the function's name, or else the result's.

        If the result is an array, reverse mode differentiates the sum of its elements: ``Σf``.
        """
        if self.seeds:
            return f"({self.result_name})" if len(self.seeds) > 1 else self.result_name
        is_named = self.function.rstrip("′").isidentifier() and len(self.results) < 2
        own = self.function if is_named else self.result_name
        return f"Σ{own}" if self.mode == "reverse" and self.value.shape else own

    def name_result(self, line: int) -> str:
        """Return the name of a line of a `Trace` as a result; empty if it isn't a differentiated result."""
        for seed in self.seeds:
            if seed.line == line:
                return seed.name
        if self.seeds:
            return ""
        return self.result_name if line == self.result else ""

    @property
    def inputs(self) -> tuple[int, ...]:
        """The lines of a `Trace` that are inputs."""
        return tuple(i for i, line in enumerate(self.lines) if line.kind == "input")

    @property
    def gradient(self) -> tuple[Number | None, ...]:
        """The gradient in a `Trace`: the inputs' adjoints after the last step, None for an input without one."""
        last = self.adjoints_at(len(self.steps) - 1)
        return tuple(last[i] for i in self.inputs)

    @property
    def tangent(self) -> tuple[Number, ...]:
        """The tangents of a `Trace`'s result, one per direction; empty in reverse mode, or if it is constant."""
        if self.result is None:
            return ()
        last = self.tangents_at(len(self.steps) - 1)
        return last[self.result]

    @property
    def unreached(self) -> tuple[int, ...]:
        """The lines of a `Trace` that get no adjoint, because the result doesn't depend on them."""
        last = self.adjoints_at(len(self.steps) - 1)
        return tuple(i for i, adjoint in enumerate(last) if adjoint is None)

    def recorded_at(self, step: int) -> int:
        """Count the lines that a `Trace` has recorded after step `step`; −1 means before the first step."""
        return sum(1 for done in self.steps[: step + 1] if done.phase in ("record", "forward"))

    def adjoints_at(self, step: int) -> list[Number | None]:
        """Return the adjoint of every line of a `Trace` after step `step`; None if nothing has arrived."""
        adjoints: list[Number | None] = [None] * len(self.lines)
        for done in self.steps[: step + 1]:
            if done.phase == "seed" and done.adjoint is not None:
                adjoints[done.line] = done.adjoint
            elif done.phase == "seed" and self.excerpt:
                adjoints = list(self.excerpt.arrived)
            for send in done.sends:
                adjoints[send.parent] = send.after
        return adjoints

    def tangents_at(self, step: int) -> list[tuple[Number, ...]]:
        """Return the tangents of every line of a `Trace` after step `step`; empty if not computed yet."""
        tangents: list[tuple[Number, ...]] = [()] * len(self.lines)
        for done in self.steps[: step + 1]:
            if done.tangents:
                tangents[done.line] = done.tangents
        return tangents

    def to_dict(self) -> dict[str, Any]:
        """Convert this `Trace` to dictionaries, lists, strings, numbers and None, as JSON has them.

        Fields with their default value are left out. The list ``"numbers"`` contains each distinct `Number`
        once; everywhere else, a number is replaced by its index in that list. A named tuple, such as
        `Span`, becomes a list.
        """
        pool = Pool(Number)
        data = plain(self, pool)
        return {"numbers": [plain(number) for number in pool.values], **data}

    def to_json(self) -> str:
        """Convert this `Trace` to JSON; NaN and infinities become the strings ``"nan"``, ``"inf"`` and ``"-inf"``."""
        return json.dumps(
            self.to_dict(), ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )

    @classmethod
    def from_json(cls, text: str) -> Trace:
        """Make a `Trace` from the JSON text that `Trace.to_json` wrote.

        Raises
        ------
        ValueError
            If the text isn't such JSON.
        """
        try:
            data = json.loads(text)
            numbers = [build(Number, number) for number in data.pop("numbers")]
            trace: Trace = build(cls, data, Pool(Number, numbers))
        except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
            raise ValueError(
                f"This text is not a trace ({type(error).__name__}: {error}). "
                "Make one with Trace.of(f, *args).to_json()."
            ) from error
        return trace

    def __repr__(self) -> str:
        return f"<Trace of {self.title}: {len(self.lines)} lines, {len(self.steps)} steps>"
