"""JAX as an engine of the player: the equations of its jaxpr, each taken back by JAX's own rule for it.

JAX has no tape that could be watched: it writes the program down as a jaxpr, and its derivative is another program.
Here each equation is run and taken back with `jax.vjp`, in reverse order. The sums are compared with `jax.grad` of the
whole program, and the player says whether they are the same bit for bit. `jit` is opened; custom rules, `scan`, `cond`
and `while` are one line each.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_lab.engine.dispatch import TABLE
from autodiff_lab.frameworks import jax_private as private
from autodiff_lab.frameworks.engines import FrameworkError, describe_raised
from autodiff_lab.text import notation
from autodiff_lab.text.messages import message
from autodiff_lab.text.numbers import number
from autodiff_lab.trace.partials import NamedValue
from autodiff_lab.trace.recorded_run import (
    Kept,
    OutputTuple,
    RawContribution,
    RecordedRun,
    RunLine,
    RunOperand,
    SweepEvent,
)
from autodiff_lab.trace.source_map import unwrap_function
from autodiff_lab.transforms.pytree import flatten
from autodiff_lab.transforms.recording import Outcome, Raised, Seed
from autodiff_lab.transforms.signatures import argument_names, name_of
from autodiff_lab.transforms.symbol import Symbol

_LIBRARY = os.path.dirname(jax.__file__) + os.sep
_OURS = os.path.dirname(os.path.dirname(__file__)) + os.sep

# Equations that only hold a program of their own; it is shown in their place.
_OPENED = {
    "jit": "jaxpr",
    "pjit": "jaxpr",
    "closed_call": "call_jaxpr",
    "core_call": "call_jaxpr",
    "checkpoint": "jaxpr",
}
_OPENED |= {"remat": "jaxpr", "remat2": "jaxpr"}

# The functions of NumPy whose rules in our table write the local partials of JAX's elementwise primitives.
_FUNCTIONS = {
    "abs": np.absolute,
    "add": np.add,
    "add_any": np.add,
    "cos": np.cos,
    "div": np.divide,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "max": np.maximum,
    "min": np.minimum,
    "mul": np.multiply,
    "neg": np.negative,
    "pow": np.power,
    "sin": np.sin,
    "sqrt": np.sqrt,
    "square": np.square,
    "sub": np.subtract,
    "tan": np.tan,
    "tanh": np.tanh,
}
_ELEMENTWISE = {
    *_FUNCTIONS,
    "integer_pow",
    "rsqrt",
    "logistic",
    "convert_element_type",
    "select_n",
    "erf",
    "copy",
}
_OUR_NAMES = {
    "abs": "absolute",
    "add_any": "add",
    "div": "divide",
    "dot_general": "matmul",
    "integer_pow": "power",
    "max": "maximum",
    "min": "minimum",
    "mul": "multiply",
    "neg": "negative",
    "pow": "power",
    "reduce_max": "max",
    "reduce_min": "min",
    "reduce_sum": "sum",
    "sub": "subtract",
}
_SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "matmul": "@", "power": "**"}
# The parameters of an equation that say what it does; the others are about types and devices.
_TOLD = (
    "axes",
    "axis",
    "dimension",
    "dimensions",
    "permutation",
    "limit_indices",
    "start_indices",
    "length",
    "new_sizes",
)
_MAX_WRITTEN = 6


class Jax:
    """JAX as an engine: it writes a function down as equations, and each is run and taken back."""

    def record(
        self,
        f: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        stop: bool = False,
    ) -> RecordedRun:
        """Run ``f(*args)`` equation by equation and back, and return the record of it.

        If `f` raises while JAX traces it, the record has the equations up to there; with `stop`, the exception is
        raised.

        Raises
        ------
        FrameworkError
            If there is nothing to differentiate, or `f` returns something else than one array.
        Exception
            What was raised before `f` itself ran, or when its equations were run.
        """
        call = functools.partial(f, **kwargs) if kwargs else f
        _check_arguments(f, args)
        raised: Raised | None = None
        try:
            closed, shapes = jax.make_jaxpr(call, return_shape=True)(*args)
        except Exception as error:
            raised = describe_raised(error)
            half = None if stop or not raised.calls else _trace_half(call, args)
            if half is None:
                raise
            closed, shapes = half
        if len(jax.tree_util.tree_leaves(shapes)) != 1:
            raise FrameworkError(
                f"{name_of(f)} returned several results, and a run has one: return one array of them."
            )
        names = argument_names(f, len(args))
        # JAX has its own order for the entries of a dict.
        found, _ = jax.tree_util.tree_flatten_with_path(list(args))
        labels = [f"{names[path[0].idx]}{jax.tree_util.keystr(path[1:])}" for path, _ in found]
        run = _JaxRun(
            closed,
            [leaf for _, leaf in found],
            labels,
            getattr(unwrap_function(f), "__code__", None),
        )
        return run.build(self._compare(call, args, run), raised)

    def _compare(self, call: Callable[..., Any], args: Sequence[Any], run: _JaxRun) -> str:
        """Compare the sums of the sweep with `jax.grad` of the whole program, and say how they agree."""
        if run.output is None:
            return ""
        leaves, tree = jax.tree_util.tree_flatten(list(args))
        moving = [k for k, leaf in enumerate(leaves) if _is_float(leaf)]

        def total(*inputs: Any) -> Any:
            whole = list(leaves)
            for k, one in zip(moving, inputs, strict=True):
                whole[k] = one
            return jnp.sum(call(*jax.tree_util.tree_unflatten(tree, whole)))

        true = jax.grad(total, argnums=tuple(range(len(moving))))(
            *[jnp.asarray(leaves[k]) for k in moving]
        )
        pairs = [(run.adjoint(k), np.asarray(one)) for k, one in zip(moving, true, strict=True)]
        if all(np.array_equal(mine, one, equal_nan=True) for mine, one in pairs):
            return message("equal to jax.grad")
        gap = max(float(np.max(np.abs(mine - one), initial=0.0)) for mine, one in pairs)
        return message("near to jax.grad", gap=f"{gap:.1e}")

    def source_of(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function whose source a reader is shown: under `jax.jit`, the learner's own."""
        return f

    def replace_scalar(self, like: Any, value: float) -> Any:
        """Return an argument like this one, with another value."""
        return jnp.asarray(value, dtype=like.dtype) if isinstance(like, jax.Array) else value

    def describe_reverse_only(self) -> str:
        """Say in a sentence why there is no forward mode."""
        return message("framework is reverse", engine="JAX")


def _trace_half(call: Callable[..., Any], args: Sequence[Any]) -> tuple[Any, Any] | None:
    """Trace a function that raises, up to there: its jaxpr, and the shape of a result; None if it doesn't raise again.

    Without `jit`, because what was traced inside of it would be lost.
    """
    has_raised = False

    @functools.wraps(call)
    def half(*inputs: Any) -> Any:
        nonlocal has_raised
        try:
            return call(*inputs)
        except Exception:
            has_raised = True
            return 0.0

    with jax.disable_jit():
        closed = jax.make_jaxpr(half, return_shape=True)(*args)
    return closed if has_raised else None


def _is_float(x: Any) -> bool:
    return bool(jnp.issubdtype(jnp.result_type(x), jnp.floating))


def _check_arguments(f: Any, args: Sequence[Any]) -> None:
    name = name_of(f)
    leaves = flatten(list(args))
    strange = [
        one
        for one in leaves
        if not isinstance(one, (bool, int, float, complex, np.ndarray, np.generic, jax.Array))
    ]
    if strange:
        kind = type(strange[0]).__name__
        if type(strange[0]).__module__.partition(".")[0] == "torch":
            raise FrameworkError(
                f"JAX takes numbers and arrays, but {name} was given a PyTorch {kind}: pass x.numpy(), "
                "or leave out engine to run it with PyTorch."
            )
        raise FrameworkError(
            f"JAX takes numbers and arrays, but {name} was given a {kind}: pass it in kwargs={{…}}."
        )
    if not any(map(_is_float, leaves)):
        raise FrameworkError(
            f"{name} was given no floating-point number, so there is nothing to differentiate with respect to: "
            f"write 2.0 instead of 2."
        )
    if any(
        isinstance(one, jax.Array) and one.devices() - set(jax.devices("cpu")) for one in leaves
    ):
        raise FrameworkError(
            "An array of this run is not on the CPU: move it with jax.device_put(x, jax.devices('cpu')[0])."
        )


class _Taken:
    """An equation that was run: its operands, its outputs, and the function that takes an adjoint back."""

    def __init__(
        self, equation: Any, parents: list[int], values: list[Any], frames: tuple[Any, ...]
    ) -> None:
        self.equation, self.parents, self.values, self.frames = equation, parents, values, frames
        self.name: str = equation.primitive.name
        self.moving = [
            s for s, parent in enumerate(parents) if parent >= 0 and _is_float(values[s])
        ]
        bound = private.bind_parameters(equation)

        def run(*moving: Any) -> Any:
            given = list(values)
            for slot, one in zip(self.moving, moving, strict=True):
                given[slot] = one
            return equation.primitive.bind(*given, **bound)

        out, self.take_back = jax.vjp(run, *[values[s] for s in self.moving])
        self.has_many = equation.primitive.multiple_results
        self.outs = list(out) if self.has_many else [out]

    def copied_to(self, shape: tuple[int, ...]) -> _Taken:
        """The same equation with operands that are copied to one shape first, as an elementwise one copies them."""
        if all(np.shape(one) == shape for one in self.values):
            return self
        values = [jnp.broadcast_to(one, shape) for one in self.values]
        return _Taken(self.equation, self.parents, values, self.frames)


class _JaxRun:
    """A run of JAX: the lines of its program, and the sweep over them."""

    def __init__(
        self, closed: Any, leaves: Sequence[Any], labels: Sequence[str], root: Any
    ) -> None:
        self._root = root
        self._taken: dict[int, _Taken] = {}
        # For each line: its value, and which output of an equation it is (None: the equation itself, −1: an input).
        self.values: list[Any] = []
        self._kind: list[tuple[int, int | None]] = []
        self.labels = list(labels)
        environment: dict[Any, Any] = {}
        for variable, leaf in zip(closed.jaxpr.invars, leaves, strict=True):
            environment[variable] = len(self.values)
            self.values.append(jnp.asarray(leaf))
            self._kind.append((-1, -1))
        self.n_inputs = len(self.values)
        constants: dict[Any, Any] = {}
        self._run(closed.jaxpr, closed.consts, environment, constants, ())
        (result,) = closed.jaxpr.outvars
        self.output: int | None = (
            environment.get(result) if not private.is_literal(result) else None
        )
        self.value = result.val if private.is_literal(result) else constants.get(result)
        if self.output is not None:
            self.value = self.values[self.output]
        self.events = [] if self.output is None else list(self._sweep())
        self._sums = {} if self.output is None else {self.output: jnp.ones_like(self.value)}
        self._sums |= {sent.parent: sent.after for event in self.events for sent in event.sent}

    def adjoint(self, line: int) -> Any:
        """The adjoint of an input after the sweep; zeros, where nothing has arrived."""
        return np.asarray(self._sums.get(line, jnp.zeros_like(self.values[line])))

    def _run(
        self,
        program: Any,
        consts: Sequence[Any],
        lines: dict[Any, int],
        known: dict[Any, Any],
        outer: Any,
    ) -> None:
        """Run a program equation by equation; `lines` has the variables that are lines, `known` those that are not."""
        known.update(zip(program.constvars, consts, strict=True))
        for equation in program.eqns:
            frames = outer + tuple(
                one for one in _learners_frames(equation, self._root) if one not in outer
            )
            key = _OPENED.get(equation.primitive.name)
            if key is not None and key in equation.params:
                self._open(equation, key, lines, known, frames)
            else:
                self._take(equation, lines, known, frames)

    def _look_up(self, x: Any, lines: dict[Any, int], known: dict[Any, Any]) -> Any:
        if private.is_literal(x):
            return x.val
        return self.values[lines[x]] if x in lines else known[x]

    def _open(
        self, equation: Any, key: str, lines: dict[Any, int], known: dict[Any, Any], frames: Any
    ) -> None:
        program, consts = private.inner_program(equation, key)
        own_lines: dict[Any, int] = {}
        own_known: dict[Any, Any] = {}
        for variable, x in zip(program.invars, equation.invars, strict=True):
            if not private.is_literal(x) and x in lines:
                own_lines[variable] = lines[x]
            else:
                own_known[variable] = self._look_up(x, lines, known)
        self._run(program, consts, own_lines, own_known, frames)
        for out, x in zip(equation.outvars, program.outvars, strict=True):
            if not private.is_literal(x) and x in own_lines:
                lines[out] = own_lines[x]
            else:
                known[out] = x.val if private.is_literal(x) else own_known[x]

    def _take(
        self, equation: Any, lines: dict[Any, int], known: dict[Any, Any], frames: Any
    ) -> None:
        values = [self._look_up(x, lines, known) for x in equation.invars]
        parents = [-1 if private.is_literal(x) else lines.get(x, -1) for x in equation.invars]
        if not any(parent >= 0 for parent in parents):
            out = equation.primitive.bind(*values, **private.bind_parameters(equation))
            known.update(
                zip(
                    equation.outvars,
                    out if equation.primitive.multiple_results else [out],
                    strict=True,
                )
            )
            return
        taken = _Taken(equation, parents, values, frames)
        wanted = [k for k, out in enumerate(taken.outs) if _is_float(out)]
        if not wanted or not taken.moving:
            known.update(zip(equation.outvars, taken.outs, strict=True))
            return
        line = len(self.values)
        self._taken[line] = taken
        self._kind.append((line, None))
        if len(taken.outs) == 1:
            self.values.append(taken.outs[0])
            lines[equation.outvars[0]] = line
            return
        self.values.append(taken.outs)
        for k, (variable, out) in enumerate(zip(equation.outvars, taken.outs, strict=True)):
            if k not in wanted:
                known[variable] = out
                continue
            lines[variable] = len(self.values)
            self.values.append(out)
            self._kind.append((line, k))

    def _sweep(self) -> Iterator[SweepEvent]:
        """Yield the events of the sweep: each equation is taken back by JAX's rule, in reverse order."""
        held: dict[int, Any] = (
            {self.output: jnp.ones_like(self.value)} if self.output is not None else {}
        )
        for line in reversed(range(self.n_inputs, len(self.values))):
            if line not in held:
                continue
            adjoint, (whole, number) = held[line], self._kind[line]
            if number is not None:
                before = held.get(whole)
                after = list(before or [None] * len(self._taken[whole].outs))
                after[number] = adjoint
                held[whole] = after
                yield SweepEvent(
                    line, adjoint, (RawContribution(0, whole, adjoint, before, after),)
                )
                continue
            yield from self._send(line, adjoint, held)

    def _send(self, line: int, adjoint: Any, held: dict[int, Any]) -> Iterator[SweepEvent]:
        taken, sends = self._taken[line], False
        for slot, contribution in zip(taken.moving, self._pull_back(taken, adjoint), strict=True):
            if taken.name == "stop_gradient":
                continue
            parent = taken.parents[slot]
            before = held.get(parent)
            held[parent] = contribution if before is None else before + contribution
            sends = True
            yield SweepEvent(
                line, adjoint, (RawContribution(slot, parent, contribution, before, held[parent]),)
            )
        if not sends:
            yield SweepEvent(line, adjoint)

    def _pull_back(self, taken: _Taken, adjoint: Any) -> Any:
        if not taken.has_many:
            return taken.take_back(adjoint)
        whole = adjoint if isinstance(adjoint, list) else [adjoint]
        filled = [
            _zero(out) if one is None else one for one, out in zip(whole, taken.outs, strict=True)
        ]
        return taken.take_back(filled)

    def name(self, line: int) -> str:
        """The name of a line on the tape."""
        return f"v{line - self.n_inputs + 1}"

    def _array(self, x: Any) -> Any:
        if isinstance(x, list):
            return OutputTuple(None if one is None else self._array(one) for one in x)
        return np.asarray(x)[()]

    def _partials(self, line: int) -> list[Any]:
        """The local partials of an elementwise equation, by JAX's own rule; None for an operand that has none."""
        taken = self._taken[line]
        found: list[Any] = [None] * len(taken.values)
        out = taken.outs[0]
        if taken.name == "reduce_sum":
            return [np.ones(np.shape(taken.values[0]), dtype=np.asarray(out).dtype)]
        if taken.name not in _ELEMENTWISE or taken.has_many:
            return found
        for slot, partial in zip(
            taken.moving, taken.copied_to(np.shape(out)).take_back(jnp.ones_like(out)), strict=True
        ):
            found[slot] = np.asarray(partial)[()]
        return found

    def read_line(self, line: int) -> RunLine:
        """Describe a line for the record of the run."""
        value, (whole, number) = self._array(self.values[line]), self._kind[line]
        if line < self.n_inputs:
            label = self.labels[line]
            return RunLine(value, self.name(line), label, symbol=label, latex=notation.latex(label))
        if number is not None:
            text = f"{self.name(whole)}[{number}]"
            operand = RunOperand(
                whole, self._array(self.values[whole]), formula=message("output of", n=number)
            )
            operand = RunOperand(**{**vars(operand), "formula_is_name": True})
            latex = notation.latex_expression(text)
            return RunLine(
                value, text, op="output", symbol=f"[{number}]", latex=latex, operands=(operand,)
            )
        taken = self._taken[line]
        words = [
            self._write(parent, one)
            for parent, one in zip(taken.parents, taken.values, strict=True)
        ]
        op, text = _write_equation(taken, words)
        return RunLine(
            value,
            text,
            op=op,
            symbol=notation.symbol(op),
            latex=notation.latex_expression(text),
            operands=tuple(self._describe_operands(line, taken, words)),
            is_elementwise=taken.name in _ELEMENTWISE,
        )

    def _write(self, parent: int, value: Any) -> str:
        if parent >= 0:
            return self.name(parent)
        if np.size(value) <= _MAX_WRITTEN:
            return repr(_shorten_digits(np.asarray(value)).tolist())
        return f"array{np.shape(value)}"

    def _describe_operands(
        self, line: int, taken: _Taken, words: Sequence[str]
    ) -> Iterator[RunOperand]:
        partials = self._partials(line)
        for slot, (parent, value) in enumerate(zip(taken.parents, taken.values, strict=True)):
            shown = self._array(value)
            if parent < 0 or slot not in taken.moving:
                yield RunOperand(parent, shown)
                continue
            partial = partials[slot]
            if partial is None:
                formula = _write_map(taken, slot, notation.format_adjoint(self.name(line)), words)
                text = formula or message("pullback of", op=taken.name)
                latex = notation.latex_expression(text)
                yield RunOperand(
                    parent, shown, None, text, latex, formula_is_name=not formula, is_linear=False
                )
                continue
            formula, latex = _write_partial(taken, slot, self.name(line), words, partial)
            yield RunOperand(parent, shown, partial, formula, latex)

    def read_partial(self, line: int, slot: int) -> Any:
        """The local partial of a line for an operand."""
        return self._partials(line)[slot]

    def _convert(self) -> Iterator[SweepEvent]:
        for event in self.events:
            sent = tuple(
                RawContribution(
                    one.slot,
                    one.parent,
                    self._array(one.contribution),
                    None if one.before is None else self._array(one.before),
                    self._array(one.after),
                )
                for one in event.sent
            )
            yield SweepEvent(event.line, self._array(event.adjoint), sent)

    def _count_held(self) -> list[Kept]:
        """Count the values that the lines hold; what JAX's compiled program keeps is its compiler's choice."""
        held = [Kept(0, 0)]
        for value, (_, output) in zip(self.values, self._kind, strict=True):
            arrays = value if isinstance(value, list) else [value]
            if output is not None and output >= 0:
                arrays = []  # its equation holds it already
            numbers, size = (
                sum(np.size(one) for one in arrays),
                sum(np.asarray(one).nbytes for one in arrays),
            )
            held.append(Kept(held[-1].numbers + int(numbers), held[-1].bytes + int(size)))
        return held

    def _parents_of(self, line: int) -> tuple[int, ...]:
        whole, number = self._kind[line]
        if line < self.n_inputs:
            return ()
        return (whole,) if number is not None else tuple(self._taken[line].parents)

    def build(self, comparison: str, raised: Raised | None = None) -> RecordedRun:
        """Build the neutral record of the run, or of half a run, which was `raised` out of."""
        engine = f"JAX {jax.__version__}"
        lines = range(len(self.values))
        frames = [() if i < self.n_inputs else self._taken[self._kind[i][0]].frames for i in lines]
        note = message("by JAX" if raised is None else "by JAX, raised", engine=engine)
        value = self._array(self.value)
        return RecordedRun(
            names=[self.name(i) for i in lines],
            parents=[self._parents_of(i) for i in lines],
            input_names=self.labels,
            output=self.output,
            outcome=Outcome(value) if raised is None else Outcome(raised=raised),
            seeds=[]
            if self.output is None
            else [Seed(0, self.output, self._array(jnp.ones_like(self.value)))],
            read_line=functools.cache(self.read_line),
            read_partial=self.read_partial,
            sweep=self._convert,
            count_held=self._count_held,
            call_stacks=frames,
            notes=tuple(filter(None, (note, comparison))),
            engine=engine,
        )


def _shorten_digits(x: np.ndarray) -> np.ndarray:
    """An array whose numbers have no more digits than their type needs: 2.3 instead of 2.299999952316284."""
    if x.dtype != np.float32:
        return x
    return np.array([float(str(one)) for one in x.ravel()]).reshape(x.shape)


def _zero(out: Any) -> Any:
    """The adjoint of an output to which nothing was sent; JAX wants another type for integers."""
    if _is_float(out):
        return jnp.zeros_like(out)
    return np.zeros(np.shape(out), dtype=jax.dtypes.float0)


def _learners_frames(equation: Any, root: Any) -> tuple[Any, ...]:
    """The learner's frames that wrote an equation, outermost first.

    What `jit` has traced before has the frames of that time: those around the function of this run, `root`, are cut.
    """
    found = []
    for code, instruction in private.frames_of(equation):
        if code.co_filename.startswith(_OURS):
            break
        if not code.co_filename.startswith(_LIBRARY):
            found.append((code, instruction))
        if code is root:
            break
    return tuple(reversed(found))


def _write_equation(taken: _Taken, words: Sequence[str]) -> tuple[str, str]:
    """Write an equation of JAX in our spelling: its name, and the whole of it."""
    op = _OUR_NAMES.get(taken.name, taken.name)
    if op == "matmul" and not _is_matmul(taken):
        op = taken.name
    if taken.name == "integer_pow":
        return op, f"{words[0]} ** {taken.equation.params['y']}"
    if op in _SIGNS and len(words) == 2:
        return op, f"{words[0]} {_SIGNS[op]} {words[1]}"
    if op == "negative":
        return op, f"-{words[0]}"
    told = [
        f"{key}={_spell(one)}"
        for key, one in taken.equation.params.items()
        if key in _TOLD and one is not None
    ]
    return op, f"{op}({', '.join([*words, *told])})"


def _is_matmul(taken: _Taken) -> bool:
    """Whether a `dot_general` is what NumPy computes for ``a @ b``: `vmap` makes others, which multiply row by row."""
    (left, right), (left_batch, right_batch) = taken.equation.params["dimension_numbers"]
    dimensions, others = map(np.ndim, taken.values)
    batch = tuple(range(dimensions - 2)) if dimensions == others else ()
    if (tuple(left_batch), tuple(right_batch)) != (batch, batch):
        return False
    return (tuple(left), tuple(right)) == ((dimensions - 1,), (max(0, others - 2),))


def _spell(one: Any) -> str:
    if isinstance(one, (tuple, list)):
        return f"({', '.join(map(str, one))}{',' if len(one) == 1 else ''})"
    return str(one)


def _write_map(taken: _Taken, slot: int, adjoint: str, words: Sequence[str]) -> str:
    """Write how an adjoint goes back through a linear map; empty where there is no readable formula."""
    if taken.name == "dot_general" and [np.ndim(one) for one in taken.values] == [2, 2]:
        (left, right), _ = taken.equation.params["dimension_numbers"]
        if (tuple(left), tuple(right)) == ((1,), (0,)):
            return f"{adjoint} @ {words[1]}.T" if slot == 0 else f"{words[0]}.T @ {adjoint}"
    if taken.name == "stop_gradient":
        return "0"
    if taken.name == "transpose" and np.ndim(taken.values[0]) == 2:
        return f"{adjoint}.T"
    return ""


def _write_partial(
    taken: _Taken, slot: int, y: str, words: Sequence[str], true_partial: Any
) -> tuple[str, str]:
    """Write a local partial as a formula, as text and in LaTeX; both empty if ours does not give JAX's numbers."""
    values: list[Any] = [np.asarray(one, dtype=float)[()] for one in taken.values]
    value = np.asarray(taken.outs[0], dtype=float)[()]
    if taken.name == "reduce_sum":
        return "1", "1"
    key, operands, names = taken.name, values, list(words)
    if key == "integer_pow":
        key, operands, names = "pow", [*values, float(taken.equation.params["y"])], [*words, ""]
    op = TABLE.get(_FUNCTIONS.get(key))
    if op is None:
        return "", ""
    try:
        if not np.allclose(
            op.local_partial(slot, value, *operands),
            true_partial,
            rtol=1e-3,
            atol=1e-5,
            equal_nan=True,
        ):
            return "", ""
        named = [
            NamedValue(w, x) if w.startswith("v") or np.ndim(x) else x
            for w, x in zip(names, operands, strict=True)
        ]
        written = op.local_partial(slot, NamedValue(y, value), *named)
    except Exception:
        # Not every rule runs on names; then the numbers alone are shown.
        return "", ""
    if isinstance(written, Symbol):
        return written.text(), written.latex()
    text = number(written)
    return text, notation.latex_value(text)


ENGINE = Jax()
