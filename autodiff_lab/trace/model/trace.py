"""The model of a run as plain data: a `Trace`, its lines, and its steps through the reverse sweep or the tangents.

Everything that a view shows (a table, a drawing, the player, a sentence) is a function of a `Trace` and a step
number. A trace holds numbers and text only, never an array or an engine object; so it can be stored, compared and
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

    A pass is a run, and in reverse its sweep. `kept` is the most that has to be remembered at any step.
    """

    passes: int
    operations: int
    products: int
    kept: int
    bytes: int


class Group(NamedTuple):
    """A group of lines, cut from the outline of a run: from `first` up to, not including, `end`; one box of a picture.

    `title` is the text of the source that wrote them. It is a loop if it has `turns`; `each` is how many lines a turn
    has, 0 if not all have as many.
    """

    title: str
    first: int
    end: int
    turns: int = 0
    each: int = 0

    @property
    def size(self) -> int:
        """How many lines of the tape a group in the outline of a run has."""
        return self.end - self.first


@dataclass(frozen=True)
class ResultSeed:
    """The seed of one result of a `Trace` that follows all of them: its place among the results, its line, its name.

    `weight` is what the result is multiplied by: the seed, or each of its entries; None if these differ.
    """

    result: int
    line: int
    name: str
    seed: Number
    weight: float | None


class StepRange(NamedTuple):
    """Of a `Trace` that shows an excerpt: its steps from `first` to `last` are the whole run's from `at` on."""

    first: int
    last: int
    at: int


class SweptRange(NamedTuple):
    """The sweep through a chapter of a long run: the whole run's steps from `first` up to, not including, `end`."""

    first: int
    end: int


@dataclass(frozen=True)
class Excerpt:
    """What a `Trace` shows of a long run: which part, by `number`, of all the `lines` and `steps` of the run.

    `parts` say which steps of the whole run it has; its other steps only prepare these. `said` says it in words, and
    `later` where the adjoints that have `arrived` come from. Its first lines are from `before`: these lines of the run.
    `swept` says for each chapter of the run where the sweep goes through it. The sweep starts with so many `seeds`.
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
    """The exception that ended the run of a `Trace`: its `kind`, its own words, and where in the sources it was raised.

    `where` has the outermost call first, as `Line.where` has; it is empty if no source was found.
    """

    kind: str
    text: str
    where: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Direction:
    """A direction of a forward `Trace`: the tangent of each input, its `name` in a menu; `shown` writes it out."""

    name: str
    shown: str
    seeds: tuple[Number, ...]


@dataclass(frozen=True)
class Trace(Outputs):
    """A trace of one run of a function, line by line: recorded and swept in reverse, or forward with its tangents.

    Attributes
    ----------
    lines : tuple of Line
        The tape; `result` is the one that is returned, called `result_name` in pictures.
    steps : tuple of Step
        What happens, in order; `opening` is said before the first.
    sources : tuple of Source
        The learner's functions; `note` says what is unusual about this run.
    mode : str
        ``"reverse"`` or ``"forward"``. Forward, each step brings one tangent for each of `directions`.
    cost : Cost or None
        What the whole gradient costs in this mode.
    fault : str
        Which mistake the engine makes that is on show (see `faults`); empty for the right one. `badge` says it, and
        `truth` has the right adjoint of every line.
    warning : str
        What has to be known from the start: the fault, the exception that ended the run, or where a NaN is born.
    headline : Equation or None
        What is large before the first step, where the run has no step that says it: a result that is a constant.
    results : tuple of str
        What one writes to choose among the results of a function that returns several, as ``result="loss"``; empty
        if it returns one. `chosen_result` is the place of the one that is followed, None for all of them.
    seeds : tuple of ResultSeed
        Where all results are followed, their seeds. `result` is then the last of their lines, `value` the sum of the
        results, each times its seed, and `result_name` what that sum is called.
    raised : RaisedError or None
        The exception that ended the run, of which this is the part before.
    hints : tuple of Hint
        What is said about each kind of mistake, if there are questions.
    excerpt : Excerpt or None
        Which stretch of a long run this is, if it is not the whole of one; see `excerpts`.
    chapters : tuple of Group
        Of a run of more than 30 lines: what its loops and its source lines have written, in the whole run.
    engine : str
        Who ran it and computed all numbers, such as ``"PyTorch 2.13.0"``; empty for the engine of this package.
    agreement : Equation or None
        Forward in one direction: the tangent of the result, and the same number from the gradient in reverse.

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
            The function to look at.
        *args : float or array_like
            Where to run it; see `record` for what stays constant.
        kwargs : mapping of str, optional
            Keyword arguments for `f`; they stay constant.
        mode : {"reverse", "forward"}
            Which derivative to follow.
        direction : str, tuple, dict or list, optional
            Forward only: where the inputs move. A name moves that input at the rate 1 (every entry of an array) and
            holds the others; a tuple gives one tangent for each input, a dict those that are not 0. A list of such
            directions is a batch, ``"all"`` one direction for each input. The first input, if not given.
        fault : {"", "overwrite", "wrong order", "recursion", "stale"}
            Reverse only, for teaching: sweep with an engine that makes this mistake; `truth` has the right adjoints.
        result : str, int or tuple, optional
            Which result to follow, if `f` returns several in a tuple, list or dict: its key (``"loss"``, ``0``), or
            the keys from the outside in (``(1, "pred")``). If not given, the first number that depends on the inputs:
            usually the loss, and the rest is beside it. ``"all"`` follows all results: each has a seed, and one sweep
            finds the derivatives of their sum, each times its seed.
        seed : tuple, list or dict, optional
            The seeds of all results, as `f` returns these: ``{"loss": 1, "pred": 0.5}``. One number is for all entries
            of an array. If not given, each is 1.

        Returns
        -------
        Trace
            When the result is an array, reverse mode differentiates the sum of its entries, and `note` says so.

        Raises
        ------
        InputError, ShapeError
            If there is no such mode, fault, input or result, a tangent has not the shape of its input, or a seed not
            that of its result.
        Exception
            Whatever `f` raises. `play` shows the run up to there.

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
        """Trace a run that was recorded from `f` already; give `value` if the result is not a line of the tape."""
        trace: Trace = view("read_tape")(
            tape, f, Outcome(value), RunOptions(mode, direction, fault)
        )
        return trace

    @property
    def _run(self) -> Trace:
        return self

    @property
    def derivative_name(self) -> str:
        """What a `Trace` differentiates, by name: the function's, or else the result's.

        In reverse it is the sum of an array's entries: ``Σf``.
        """
        if self.seeds:
            return f"({self.result_name})" if len(self.seeds) > 1 else self.result_name
        is_named = self.function.rstrip("′").isidentifier() and len(self.results) < 2
        own = self.function if is_named else self.result_name
        return f"Σ{own}" if self.mode == "reverse" and self.value.shape else own

    def name_result(self, line: int) -> str:
        """Tell what a line of a `Trace` is called as a result of the run; empty if it is none that is followed."""
        if self.seeds:
            return next((one.name for one in self.seeds if one.line == line), "")
        return self.result_name if line == self.result else ""

    @property
    def inputs(self) -> tuple[int, ...]:
        """The lines of a `Trace` that are inputs."""
        return tuple(i for i, line in enumerate(self.lines) if line.kind == "input")

    @property
    def gradient(self) -> tuple[Number | None, ...]:
        """The gradient in a `Trace`: the inputs' adjoints after the last step; None for one that was never reached."""
        last = self.adjoints_at(len(self.steps) - 1)
        return tuple(last[i] for i in self.inputs)

    @property
    def tangent(self) -> tuple[Number, ...]:
        """The tangents of the result of a `Trace`, one for each direction; none in reverse, or for a constant."""
        last = self.tangents_at(len(self.steps) - 1)
        return () if self.result is None else last[self.result]

    @property
    def unreached(self) -> tuple[int, ...]:
        """The lines of a `Trace` that get no adjoint: the result does not depend on them."""
        last = self.adjoints_at(len(self.steps) - 1)
        return tuple(i for i, adjoint in enumerate(last) if adjoint is None)

    def recorded_at(self, step: int) -> int:
        """Count the lines that a `Trace` has recorded once step `step` is done (−1: before the first)."""
        return sum(1 for done in self.steps[: step + 1] if done.phase in ("record", "forward"))

    def adjoints_at(self, step: int) -> list[Number | None]:
        """Give the adjoint of every line of a `Trace` once step `step` is done; None where nothing has arrived."""
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
        """Give the tangents of every line of a `Trace` once step `step` is done; none where not computed yet."""
        tangents: list[tuple[Number, ...]] = [()] * len(self.lines)
        for done in self.steps[: step + 1]:
            if done.tangents:
                tangents[done.line] = done.tangents
        return tangents

    def to_dict(self) -> dict[str, Any]:
        """Give this `Trace` as dictionaries, lists, strings, numbers and None: what JSON knows.

        Fields that have their default are left out. Each number is written once, in the list ``"numbers"``; wherever
        a trace holds a `Number`, its place in that list stands. A named tuple, such as `Span`, is a list.
        """
        pool = Pool(Number)
        data = plain(self, pool)
        return {"numbers": [plain(number) for number in pool.values], **data}

    def to_json(self) -> str:
        """Give this `Trace` as JSON; nan and the infinities are the strings ``"nan"``, ``"inf"`` and ``"-inf"``."""
        return json.dumps(
            self.to_dict(), ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )

    @classmethod
    def from_json(cls, text: str) -> Trace:
        """Make a `Trace` from the JSON text that `Trace.to_json` wrote.

        Raises
        ------
        ValueError
            If the text is something else.
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
