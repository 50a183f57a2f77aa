"""Recording a call of a function on a tape (`record`): its arguments and results, and sweeps and tangents along it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from ..engine.dispatch import NO_OPTIONS
from ..engine.dual import Dual
from ..engine.errors import EndlessError, InputError, LeakError, ShapeError
from ..engine.fast_sweep import sweep_fast
from ..engine.tape import MAX_TAPE_LINES, Tape
from ..engine.tracebacks import find_user_calls
from ..engine.values import Traced, as_value, is_plain, to_output, zeros
from ..engine.variable import Variable
from . import pytree
from .nonfinite_warnings import warn_at_user_line
from .results import ResultPath, choose_result, list_results, means_all, read_seeds
from .signatures import argument_names, check_keywords, derivative_name, name_of

# The types of positional arguments that stay constant instead of becoming inputs.
CONSTANT_TYPES = (str, bool, np.bool_, type(None))

NUMBER_TYPES = frozenset({float, np.float64})

# The types of arguments that are one leaf, so neither they nor their gradients need regrouping.
LEAF_TYPES = frozenset({float, np.float64, np.ndarray, Variable, Dual})


@check_keywords
def record(
    f: Callable[..., Any],
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    sites: bool = False,
    most: int | None = MAX_TAPE_LINES,
) -> tuple[Any, Tape]:
    """Run `f` and record its operations on a tape, from which gradients are computed.

    Parameters
    ----------
    f : callable
        Written with operators and NumPy functions.
    *args : number, array, or nested tuples, lists and dicts of these
        The inputs. Each leaf becomes one input line. A string, None or a boolean among them stays constant; so does an
        integer if the run needs it as an index or a count, and then `f` runs a second time.
    kwargs : mapping of str, optional
        Keyword arguments for `f`; they stay constant.
    sites : bool
        Also note where in the source each operation was called.
    most : int or None
        With `sites`, the most lines that are recorded before the run is stopped, because it may never end. None for no
        limit.

    Returns
    -------
    value : number or array
        What `f` returned, as a plain value.
    tape : Tape
        The record. ``tape.output`` is the line of the result.

    Raises
    ------
    InputError
        If an input is not a real number or an array of real numbers.
    ShapeError
        If `f` returns several results; :func:`vjp` takes those.
    EndlessError
        If there are more lines than `most`, or they hold more than 100 000 000 numbers.

    See Also
    --------
    Tape : The record that derivatives are computed from.
    play : Step through a run.
    draw : Draw the graph of a run.

    Examples
    --------
    >>> import numpy as np
    >>> value, tape = record(lambda x: np.sin(x) * 2, 0.0)
    >>> print(tape)
    v0 = 0.0
    v1 = sin(v0)    = 0.0
    v2 = v1 * 2     = 0.0
    y = v2 = 0.0
    """
    result, tape = _run_on_tape(f, args, kwargs, sites, most)
    if pytree.children(result) is not None:
        maker = derivative_name(f)
        one = (
            f"Take one of them, `lambda *x: {maker}(…)(*x)[0]`"
            if maker
            else "Return one array, np.stack([...])"
        )
        raise ShapeError(
            f"{name_of(f)} returned a {type(result).__name__} of results, and a tape has one result. "
            f"{one}, or use vjp, which takes several."
        )
    return to_output(_set_result(tape, result)), tape


class Raised(NamedTuple):
    """What a recorded function raised: its class, its message, and the calls that led there, outermost first."""

    kind: type[Exception]
    text: str
    calls: tuple[tuple[CodeType, int], ...]


class Seed(NamedTuple):
    """Where the sweep of a recorded run starts: the place of a result among several, its line, and its adjoint."""

    result: int
    line: int
    adjoint: Any


class Outcome(NamedTuple):
    """How a run recorded for display has ended.

    Attributes
    ----------
    value : number or array
        What the function returned; of several results, the one that is followed, or if all are followed, their sum
        weighted by the seeds. None if the function raised.
    results : tuple of path
        The path of each result in what it returned; empty if that is one number or array.
    chosen : int or None
        The index in `results` of the one that is followed; None if all are.
    raised : Raised or None
        What it raised.
    seeds : tuple of Seed
        If all results are followed: the seed of each one that depends on the inputs.
    """

    value: Any = None
    results: tuple[ResultPath, ...] = ()
    chosen: int | None = 0
    raised: Raised | None = None
    seeds: tuple[Seed, ...] = ()


def record_to_show(
    f: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None = None,
    result: Any = None,
    stop: bool = False,
    seed: Any = None,
) -> tuple[Outcome, Tape]:
    """Record a run for display. Unlike with `record`, it may raise an error, or return several results.

    Parameters
    ----------
    f : callable
    args : sequence
    kwargs : mapping of str, optional
    result : optional
        Which result to follow, if there are several, as `choose_result` takes it; ``"all"`` for all of them.
    stop : bool
        Raise what `f` raises instead of returning it in the outcome.
    seed : optional
        A seed for each result, as `read_seeds` takes it.

    Returns
    -------
    outcome : Outcome
    tape : Tape
        If `f` raised, what it had recorded before.

    Raises
    ------
    InputError
        If an input is not a number or an array, or there is no such result.
    Exception
        What was raised before `f` itself ran.
    EndlessError
        If the run is too long to be shown.
    """
    tapes: list[Tape] = []
    try:
        returned, tape = _run_on_tape(f, args, kwargs, True, MAX_TAPE_LINES, tapes)
    except EndlessError:
        raise
    except Exception as error:
        calls = find_user_calls(error)
        if stop or not calls:  # without calls, `f` has not begun
            raise
        return Outcome(raised=Raised(type(error), str(error), calls)), tapes[-1]
    results = list_results(returned)
    if results is None:
        if result is not None:
            raise InputError(
                f"{name_of(f)} returns one result, not several: leave out result={result!r}."
            )
        if seed is not None:
            raise InputError(
                f"{name_of(f)} returns one result, whose seed is 1: leave out seed. For another seed, "
                "multiply the result by it in the function."
            )
        return Outcome(to_output(_set_result(tape, returned))), tape
    if means_all(name_of(f), [*results], result, seed):
        return _set_all_results(tape, results, read_seeds(name_of(f), results, seed)), tape
    chosen = choose_result(name_of(f), [*results], [*results.values()], result, tape)
    value = to_output(_set_result(tape, [*results.values()][chosen]))
    return Outcome(value, tuple(results), chosen), tape


def _set_result(tape: Tape, result: Any) -> Any:
    """Note on a tape what its result is, and return its value."""
    value = result_value(result, tape)
    tape.output = result_line(result, tape)
    if tape.output is None:
        tape.constant = value
    return value


def _set_all_results(
    tape: Tape, results: Mapping[ResultPath, Any], adjoints: Sequence[Any]
) -> Outcome:
    """Note on a tape that all results are followed, each with its seed; the last line of them is its output."""
    seeds: list[Seed] = []
    total = 0.0
    for place, (leaf, adjoint) in enumerate(zip(results.values(), adjoints, strict=True)):
        with np.errstate(all="ignore"):  # the run itself has warned
            total = total + np.sum(adjoint * result_value(leaf, tape))
        line = result_line(leaf, tape)
        if line is not None:
            seeds.append(Seed(place, line, adjoint))
    tape.output = max((seed.line for seed in seeds), default=None)
    value = to_output(as_value(total, "the sum of the results"))
    if tape.output is None:
        tape.constant = value
    return Outcome(value, tuple(results), None, seeds=tuple(seeds))


def _run_on_tape(
    f: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None,
    sites: bool,
    most: int | None,
    tapes: list[Tape] | None = None,
) -> tuple[Any, Tape]:
    """Run `f` on a tape; if it needs integers as counts, run it again with those constant.

    Each tape that was tried is appended to `tapes`.
    """
    which: Sequence[int] = [k for k, x in enumerate(args) if not isinstance(x, CONSTANT_TYPES)]
    if not which:
        which = range(len(args))
    counts: set[int] = set()
    tapes = [] if tapes is None else tapes
    while True:
        tape = Tape(sites, most)
        tapes.append(tape)
        if kwargs or len(which) < len(args):
            names = argument_names(f, len(args))
            constant = {names[k]: x for k, x in enumerate(args) if k not in which}
            tape.constant_arguments = constant | dict(kwargs or {})
            tape.count_arguments = tuple(names[k] for k in sorted(counts))
        try:
            with warn_at_user_line() if sites else nullcontext():
                result, _ = record_call(f, args, which, kwargs, tape, named=True, copied=True)
            return result, tape
        except Exception:
            needed = _find_count_arguments(tape, args, which)
            if not needed or len(needed) == len(which):
                raise
            counts |= needed
            which = [k for k in which if k not in needed]


def record_call(
    f: Callable[..., Any],
    args: Sequence[Any],
    which: Sequence[int],
    kwargs: Mapping[str, Any] | None = None,
    tape: Tape | None = None,
    named: bool = False,
    copied: bool = False,
) -> tuple[Any, Tape]:
    """Record a call of `f`, with the chosen arguments as inputs of a tape (a new one if none is given).

    A tape that outlives the call keeps its own copy of the inputs, in case the caller changes them.
    """
    tape = Tape() if tape is None else tape
    inputs = list(args)
    names: Sequence[str] = ()
    for k in which:
        x = inputs[k]
        if not named and type(x) in NUMBER_TYPES:
            inputs[k] = tape.input(np.float64(x))
            continue
        if not named and type(x) is np.ndarray and is_plain(x):
            inputs[k] = tape.input(x.copy() if copied else x)
            continue
        if x is not args[k]:  # `which` names it twice, and it is already an input
            continue
        # Without `named` the names aren't read, and finding them costs more than a small derivative.
        if not named:
            try:
                inputs[k] = _add_inputs(tape, copied, x)
                continue
            except InputError:
                pass  # with names, below, the same error says which leaf it is
        names = names or argument_names(f, len(args))
        inputs[k] = _add_inputs(tape, copied, x, pytree.paths(names[k], x))
    call = f if not kwargs else lambda *inputs: f(*inputs, **kwargs)
    if tape.call_stacks is None:
        return tape.run(call, inputs), tape
    # Imported here, because only runs recorded for display need it.
    from . import execution_log

    with execution_log.log_execution(tape) as walk:
        try:
            result = tape.run(call, inputs)
        finally:
            tape.execution_log = walk.complete_events()
    return result, tape


def _find_count_arguments(tape: Tape, args: Sequence[Any], which: Sequence[int]) -> set[int]:
    """Find the integer arguments of a failed recording that the function needed as an index or a count."""
    owners = [k for k in which for _ in pytree.flatten(args[k])]
    lines = [*tape.detached_lines[-1:]]
    needed: set[int] = set()
    while lines:
        i = lines.pop()
        if i < 0:
            continue
        if i < tape.n_inputs:
            needed.add(owners[i])
        lines += tape.parents[i]
    leaves = [leaf for k in needed for leaf in pytree.flatten(args[k])]
    return needed if all(np.asarray(leaf).dtype.kind in "iu" for leaf in leaves) else set()


def _add_inputs(tape: Tape, copied: bool, argument: Any, labels: Sequence[str] = ()) -> Any:
    """Make an input of each leaf of an argument: a Variable in its place."""
    remaining = iter(labels)

    def add_input(leaf: Any) -> Variable:
        label = next(remaining, "")
        value = as_value(leaf, f"the input {label}" if label else "the input")
        borrowed = (
            copied
            and isinstance(leaf, np.ndarray)
            and type(value) is np.ndarray
            and value.dtype == leaf.dtype
        )
        return tape.input(value.copy() if borrowed else value, label)

    return pytree.map_leaves(add_input, argument)


def sweep_tape(
    tape: Tape, outputs: Sequence[Any], seeds: Sequence[Any], use_up: bool = False
) -> list[Any]:
    """Sweep back from the results of a recorded call: the adjoints of its inputs, zeros where nothing arrived.

    With `use_up`, only the values of the inputs remain on the tape.
    """
    adjoints: list[Any] = [None] * len(tape.ops)
    last = -1
    for y, seed in zip(outputs, seeds):  # noqa: B905 — `strict` costs as much as a line of the sweep
        line = result_line(y, tape)
        if line is not None:
            adjoints[line] = seed if adjoints[line] is None else adjoints[line] + seed
            last = max(last, line)
    sweep_fast(tape, last, adjoints, use_up=use_up)
    found = adjoints[: tape.n_inputs]
    for i, g in enumerate(found):
        if g is None:
            found[i] = zeros(tape.values[i])
    return found


def push_tangents(tape: Tape, tangents: Sequence[Any], batch: int | None = None) -> list[Any]:
    """Push tangents forward through a recorded call: the tangent of every line, None if no moving input reaches it.

    With `batch`, every tangent has a leading axis of that length: that many directions at once.

    Examples
    --------
    >>> value, tape = record_call(lambda x, y: x * y, (2.0, 5.0), (0, 1))
    >>> [float(t) for t in push_tangents(tape, (1.0, 0.0))]
    [1.0, 0.0, 5.0]
    """
    moving = list(tangents)
    for i in range(tape.n_inputs, len(tape)):
        moving.append(
            push_line(tape, i, tuple(moving[j] if j >= 0 else None for j in tape.parents[i]), batch)
        )
    return moving


def push_line(tape: Tape, line: int, tangents: tuple[Any, ...], batch: int | None = None) -> Any:
    """Push tangents through one line of a recorded tape: its tangent, from those of its operands."""
    if all(t is None for t in tangents):
        return None
    op = tape.operation(line)
    return op.pushforward(
        tape.values[line], tape.args[line], tangents, tape.kwargs.get(line, NO_OPTIONS), batch
    )


def result_line(y: Any, tape: Tape) -> int | None:
    """The line of a recorded call's result on its tape; None if the result does not depend on the inputs."""
    return y.index if type(y) is Variable and y.tape is tape else None


def result_value(y: Any, tape: Tape) -> Any:
    """The value of a recorded function's result, one level down: what a lower level, or the caller, sees."""
    if type(y) is Variable and y.tape is tape:
        return y.value
    return check_result(y)


def check_result(y: Any) -> Any:
    """Check the result of a recorded function, where it does not depend on the inputs: plain, or of a lower level."""
    if isinstance(y, Traced) and not y.level.open:
        raise LeakError(
            f"The function returned {y!r}, which belongs to a derivative call that has already ended. "
            "Return it from that call instead of keeping it outside."
        )
    if y is None:
        raise InputError("The function returned None. Give it a `return`.")
    return as_value(y, "the result")


def group_by_argument(
    leaves: list[Any], argnums: int | Sequence[int], which: Sequence[int], args: Sequence[Any]
) -> Any:
    """Group the gradients of a recorded call (or blocks of its Jacobian) in the structure of its arguments."""
    if len(which) != len(leaves) or not LEAF_TYPES.issuperset(map(type, args)):
        remaining = iter(leaves)
        of = {
            k: pytree.map_leaves(lambda _: next(remaining), args[k]) for k in dict.fromkeys(which)
        }
        leaves = [of[k] for k in which]
    return leaves[0] if hasattr(argnums, "__index__") else tuple(leaves)
