"""JAX as an engine of the player: the equations of a function's jaxpr, each differentiated by JAX's own rule for it.

JAX has no tape that could be watched: it traces the function to a jaxpr, and the derivative is another jaxpr. Here each
equation is run with `jax.vjp`, and the pullbacks are called in reverse order. The sums are compared with `jax.grad` of
the whole function, and the player reports whether they are the same, bit for bit. The equations inside `jit` are lines
of their own; custom rules, `scan`, `cond` and `while` are one line each.
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

# Equations that only contain another jaxpr, which is shown in their place; and the parameter that holds it.
_OPENED = {
    "jit": "jaxpr",
    "pjit": "jaxpr",
    "closed_call": "call_jaxpr",
    "core_call": "call_jaxpr",
    "checkpoint": "jaxpr",
    "remat": "jaxpr",
    "remat2": "jaxpr",
}

# For JAX's elementwise primitives, the NumPy functions whose derivative rules write their local partials.
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
# The parameters of an equation that are shown; the others are about types and devices.
_SHOWN_PARAMETERS = (
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
    """JAX as an engine: it traces a function to equations, and each of them is run and differentiated."""

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
            # Without calls, `f` has not begun.
            if stop or not raised.calls:
                raise
            traced = _trace_until_raised(call, args)
            if traced is None:
                raise
            closed, shapes = traced
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
        """Compare the sums of the sweep with `jax.grad` of the whole function, and describe how well they agree."""
        if run.output is None:
            return ""
        leaves, tree = jax.tree_util.tree_flatten(list(args))
        differentiable = [k for k, leaf in enumerate(leaves) if _is_float(leaf)]

        def total(*inputs: Any) -> Any:
            whole = list(leaves)
            for k, one in zip(differentiable, inputs, strict=True):
                whole[k] = one
            return jnp.sum(call(*jax.tree_util.tree_unflatten(tree, whole)))

        true = jax.grad(total, argnums=tuple(range(len(differentiable))))(
            *[jnp.asarray(leaves[k]) for k in differentiable]
        )
        pairs = [
            (run.adjoint(k), np.asarray(one)) for k, one in zip(differentiable, true, strict=True)
        ]
        if all(np.array_equal(mine, one, equal_nan=True) for mine, one in pairs):
            return message("equal to jax.grad")
        gap = max(float(np.max(np.abs(mine - one), initial=0.0)) for mine, one in pairs)
        return message("near to jax.grad", gap=f"{gap:.1e}")

    def source_of(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function whose source is shown to the reader."""
        return f

    def replace_scalar(self, like: Any, value: float) -> Any:
        """Return an argument like this one, with another value."""
        return jnp.asarray(value, dtype=like.dtype) if isinstance(like, jax.Array) else value

    def describe_reverse_only(self) -> str:
        """Return a sentence that says why there is no forward mode."""
        return message("framework is reverse", engine="JAX")


def _trace_until_raised(call: Callable[..., Any], args: Sequence[Any]) -> tuple[Any, Any] | None:
    """Trace a function up to where it raises: return its jaxpr and the shape of its result; None if it doesn't raise.

    `jit` is disabled meanwhile, because the equations that were traced inside it would be lost.
    """
    has_raised = False

    @functools.wraps(call)
    def return_zero_if_raised(*inputs: Any) -> Any:
        nonlocal has_raised
        try:
            return call(*inputs)
        except Exception:
            has_raised = True
            return 0.0

    with jax.disable_jit():
        traced = jax.make_jaxpr(return_zero_if_raised, return_shape=True)(*args)
    return traced if has_raised else None


def _is_float(x: Any) -> bool:
    return bool(jnp.issubdtype(jnp.result_type(x), jnp.floating))


def _check_arguments(f: Any, args: Sequence[Any]) -> None:
    """Raise an error if JAX can't differentiate a function with respect to these arguments."""
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


class _RunEquation:
    """An equation that was run: its operands, its outputs, and its pullback (`jax.vjp`).

    `parents` has the line of each operand, -1 for a constant; `active` has the slots of the operands that the equation
    is differentiated with respect to.
    """

    def __init__(
        self, equation: Any, parents: list[int], values: list[Any], frames: tuple[Any, ...]
    ) -> None:
        self.equation = equation
        self.parents = parents
        self.values = values
        self.frames = frames
        self.name: str = equation.primitive.name
        self.active = [
            slot for slot, parent in enumerate(parents) if parent >= 0 and _is_float(values[slot])
        ]
        parameters = private.bind_parameters(equation)

        def run(*active_values: Any) -> Any:
            operands = list(values)
            for slot, value in zip(self.active, active_values, strict=True):
                operands[slot] = value
            return equation.primitive.bind(*operands, **parameters)

        out, self.pullback = jax.vjp(run, *[values[slot] for slot in self.active])
        self.has_many = equation.primitive.multiple_results
        self.outs = list(out) if self.has_many else [out]

    def broadcast_to(self, shape: tuple[int, ...]) -> _RunEquation:
        """Return the same elementwise equation with operands that are broadcast to one shape first."""
        if all(np.shape(one) == shape for one in self.values):
            return self
        values = [jnp.broadcast_to(one, shape) for one in self.values]
        return _RunEquation(self.equation, self.parents, values, self.frames)


class _JaxRun:
    """A run of JAX: the lines of its jaxpr, and the sweep (backward pass) over them.

    `labels` are the learner's names of the inputs, and `root` is the code of the function that is run, if known.
    """

    def __init__(
        self, closed: Any, leaves: Sequence[Any], labels: Sequence[str], root: Any
    ) -> None:
        self._root = root
        self._equations: dict[int, _RunEquation] = {}
        self.values: list[Any] = []
        # For each line: the line of its equation, and the number of the output; None for the equation itself.
        # An input has -1 for both.
        self._origins: list[tuple[int, int | None]] = []
        self.labels = list(labels)
        lines: dict[Any, int] = {}
        for variable, leaf in zip(closed.jaxpr.invars, leaves, strict=True):
            lines[variable] = len(self.values)
            self.values.append(jnp.asarray(leaf))
            self._origins.append((-1, -1))
        self.n_inputs = len(self.values)
        known: dict[Any, Any] = {}
        self._run(closed.jaxpr, closed.consts, lines, known, ())
        (result,) = closed.jaxpr.outvars
        self.output: int | None = lines.get(result) if not private.is_literal(result) else None
        self.value = result.val if private.is_literal(result) else known.get(result)
        if self.output is not None:
            self.value = self.values[self.output]
        self.events = [] if self.output is None else list(self._sweep())
        self._sums = {} if self.output is None else {self.output: jnp.ones_like(self.value)}
        self._sums |= {sent.parent: sent.after for event in self.events for sent in event.sent}

    def adjoint(self, line: int) -> Any:
        """The adjoint of an input after the sweep; zeros if no contribution has arrived."""
        return np.asarray(self._sums.get(line, jnp.zeros_like(self.values[line])))

    def _run(
        self,
        program: Any,
        consts: Sequence[Any],
        lines: dict[Any, int],
        known: dict[Any, Any],
        outer: Any,
    ) -> None:
        """Run a jaxpr equation by equation.

        `lines` has the line of each variable that depends on an input, and `known` the values of the others.
        `outer` has the frames of the equations that this jaxpr is inside.
        """
        known.update(zip(program.constvars, consts, strict=True))
        for equation in program.eqns:
            own_frames = _learners_frames(equation, self._root)
            frames = outer + tuple(frame for frame in own_frames if frame not in outer)
            key = _OPENED.get(equation.primitive.name)
            if key is not None and key in equation.params:
                self._open(equation, key, lines, known, frames)
            else:
                self._run_equation(equation, lines, known, frames)

    def _look_up(self, x: Any, lines: dict[Any, int], known: dict[Any, Any]) -> Any:
        if private.is_literal(x):
            return x.val
        return self.values[lines[x]] if x in lines else known[x]

    def _open(
        self, equation: Any, key: str, lines: dict[Any, int], known: dict[Any, Any], frames: Any
    ) -> None:
        """Run the jaxpr inside an equation; its results are those of the equation."""
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

    def _run_equation(
        self, equation: Any, lines: dict[Any, int], known: dict[Any, Any], frames: Any
    ) -> None:
        """Run an equation, and make it a line if it can be differentiated; each of several outputs is a line too."""
        values = [self._look_up(x, lines, known) for x in equation.invars]
        parents = [-1 if private.is_literal(x) else lines.get(x, -1) for x in equation.invars]
        if not any(parent >= 0 for parent in parents):
            out = equation.primitive.bind(*values, **private.bind_parameters(equation))
            outs = out if equation.primitive.multiple_results else [out]
            known.update(zip(equation.outvars, outs, strict=True))
            return
        run = _RunEquation(equation, parents, values, frames)
        differentiable = [k for k, out in enumerate(run.outs) if _is_float(out)]
        if not differentiable or not run.active:
            known.update(zip(equation.outvars, run.outs, strict=True))
            return
        line = len(self.values)
        self._equations[line] = run
        self._origins.append((line, None))
        if len(run.outs) == 1:
            self.values.append(run.outs[0])
            lines[equation.outvars[0]] = line
            return
        self.values.append(run.outs)
        for k, (variable, out) in enumerate(zip(equation.outvars, run.outs, strict=True)):
            if k not in differentiable:
                known[variable] = out
                continue
            lines[variable] = len(self.values)
            self.values.append(out)
            self._origins.append((line, k))

    def _sweep(self) -> Iterator[SweepEvent]:
        """Yield the events of the sweep: the pullbacks of the equations are called in reverse order."""
        held: dict[int, Any] = {}
        if self.output is not None:
            held[self.output] = jnp.ones_like(self.value)
        for line in reversed(range(self.n_inputs, len(self.values))):
            if line not in held:
                continue
            adjoint = held[line]
            whole, number = self._origins[line]
            if number is not None:
                before = held.get(whole)
                after = list(before or [None] * len(self._equations[whole].outs))
                after[number] = adjoint
                held[whole] = after
                yield SweepEvent(
                    line, adjoint, (RawContribution(0, whole, adjoint, before, after),)
                )
                continue
            yield from self._send(line, adjoint, held)

    def _send(self, line: int, adjoint: Any, held: dict[int, Any]) -> Iterator[SweepEvent]:
        run = self._equations[line]
        has_sent = False
        for slot, contribution in zip(run.active, self._pull_back(run, adjoint), strict=True):
            if run.name == "stop_gradient":
                continue
            parent = run.parents[slot]
            before = held.get(parent)
            after = contribution if before is None else before + contribution
            held[parent] = after
            has_sent = True
            sent = RawContribution(slot, parent, contribution, before, after)
            yield SweepEvent(line, adjoint, (sent,))
        if not has_sent:
            yield SweepEvent(line, adjoint)

    def _pull_back(self, run: _RunEquation, adjoint: Any) -> Any:
        """Return the contributions of an equation to its active operands."""
        if not run.has_many:
            return run.pullback(adjoint)
        adjoints = adjoint if isinstance(adjoint, list) else [adjoint]
        filled = [
            _zero(out) if one is None else one for one, out in zip(adjoints, run.outs, strict=True)
        ]
        return run.pullback(filled)

    def name(self, line: int) -> str:
        """The name of a line on the tape."""
        return f"v{line - self.n_inputs + 1}"

    def _array(self, x: Any) -> Any:
        if isinstance(x, list):
            return OutputTuple(None if one is None else self._array(one) for one in x)
        return np.asarray(x)[()]

    def _partials(self, line: int) -> list[Any]:
        """Return the local partials of an elementwise equation, by JAX's own rule; None for an operand without one."""
        run = self._equations[line]
        found: list[Any] = [None] * len(run.values)
        out = run.outs[0]
        if run.name == "reduce_sum":
            return [np.ones(np.shape(run.values[0]), dtype=np.asarray(out).dtype)]
        if run.name not in _ELEMENTWISE or run.has_many:
            return found
        partials = run.broadcast_to(np.shape(out)).pullback(jnp.ones_like(out))
        for slot, partial in zip(run.active, partials, strict=True):
            found[slot] = np.asarray(partial)[()]
        return found

    def read_line(self, line: int) -> RunLine:
        """Describe a line for the record of the run."""
        value = self._array(self.values[line])
        whole, number = self._origins[line]
        if line < self.n_inputs:
            label = self.labels[line]
            return RunLine(value, self.name(line), label, symbol=label, latex=notation.latex(label))
        if number is not None:
            text = f"{self.name(whole)}[{number}]"
            operand = RunOperand(
                whole,
                self._array(self.values[whole]),
                formula=message("output of", n=number),
                formula_is_name=True,
            )
            latex = notation.latex_expression(text)
            return RunLine(
                value, text, op="output", symbol=f"[{number}]", latex=latex, operands=(operand,)
            )
        run = self._equations[line]
        words = [
            self._write(parent, one) for parent, one in zip(run.parents, run.values, strict=True)
        ]
        op, text = _write_equation(run, words)
        return RunLine(
            value,
            text,
            op=op,
            symbol=notation.symbol(op),
            latex=notation.latex_expression(text),
            operands=tuple(self._describe_operands(line, run, words)),
            is_elementwise=run.name in _ELEMENTWISE,
        )

    def _write(self, parent: int, value: Any) -> str:
        if parent >= 0:
            return self.name(parent)
        if np.size(value) <= _MAX_WRITTEN:
            return repr(_shorten_digits(np.asarray(value)).tolist())
        return f"array{np.shape(value)}"

    def _describe_operands(
        self, line: int, run: _RunEquation, words: Sequence[str]
    ) -> Iterator[RunOperand]:
        partials = self._partials(line)
        for slot, (parent, value) in enumerate(zip(run.parents, run.values, strict=True)):
            shown = self._array(value)
            if parent < 0 or slot not in run.active:
                yield RunOperand(parent, shown)
                continue
            partial = partials[slot]
            if partial is None:
                formula = _write_map(run, slot, notation.format_adjoint(self.name(line)), words)
                text = formula or message("pullback of", op=run.name)
                latex = notation.latex_expression(text)
                yield RunOperand(
                    parent, shown, None, text, latex, formula_is_name=not formula, is_linear=False
                )
                continue
            formula, latex = _write_partial(run, slot, self.name(line), words, partial)
            yield RunOperand(parent, shown, partial, formula, latex)

    def read_partial(self, line: int, slot: int) -> Any:
        """Return the local partial of a line with respect to an operand."""
        return self._partials(line)[slot]

    def _convert(self) -> Iterator[SweepEvent]:
        """Yield the events of the sweep with NumPy arrays."""
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
        """Count the values of the first n lines, for each n; a compiled program may keep fewer of them."""
        held = [Kept(0, 0)]
        for value, (_, output) in zip(self.values, self._origins, strict=True):
            arrays = value if isinstance(value, list) else [value]
            if output is not None and output >= 0:
                arrays = []  # they are counted with the line of the equation
            numbers = sum(np.size(one) for one in arrays)
            size = sum(np.asarray(one).nbytes for one in arrays)
            held.append(Kept(held[-1].numbers + int(numbers), held[-1].bytes + int(size)))
        return held

    def _parents_of(self, line: int) -> tuple[int, ...]:
        whole, number = self._origins[line]
        if line < self.n_inputs:
            return ()
        return (whole,) if number is not None else tuple(self._equations[line].parents)

    def build(self, comparison: str, raised: Raised | None = None) -> RecordedRun:
        """Build the record that all engines share; with `raised`, it ends where the function raised."""
        engine = f"JAX {jax.__version__}"
        lines = range(len(self.values))
        frames = [
            () if i < self.n_inputs else self._equations[self._origins[i][0]].frames for i in lines
        ]
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
    """Return an array whose numbers have no more digits than their type needs: 2.3 instead of 2.299999952316284."""
    if x.dtype != np.float32:
        return x
    return np.array([float(str(one)) for one in x.ravel()]).reshape(x.shape)


def _zero(out: Any) -> Any:
    """Return the adjoint of an output to which nothing was sent; for integers, JAX requires the type float0."""
    if _is_float(out):
        return jnp.zeros_like(out)
    return np.zeros(np.shape(out), dtype=jax.dtypes.float0)


def _learners_frames(equation: Any, root: Any) -> tuple[Any, ...]:
    """Return the learner's frames in which an equation was traced, outermost first, from `root` on.

    If `jit` has traced the equation in an earlier call, its frames are those of that call. So the frames outside of
    `root`, the code of this run's function, are left out.
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


def _write_equation(run: _RunEquation, words: Sequence[str]) -> tuple[str, str]:
    """Write an equation of JAX in the notation of our pictures: its name, and the full expression."""
    op = _OUR_NAMES.get(run.name, run.name)
    if op == "matmul" and not _is_matmul(run):
        op = run.name
    if run.name == "integer_pow":
        return op, f"{words[0]} ** {run.equation.params['y']}"
    if op in _SIGNS and len(words) == 2:
        return op, f"{words[0]} {_SIGNS[op]} {words[1]}"
    if op == "negative":
        return op, f"-{words[0]}"
    for key, value in run.equation.params.items():
        if key in _SHOWN_PARAMETERS and value is not None:
            words = [*words, f"{key}={_write_parameter(value)}"]
    return op, f"{op}({', '.join(words)})"


def _is_matmul(run: _RunEquation) -> bool:
    """Whether a `dot_general` computes NumPy's ``a @ b``; those that `vmap` makes may multiply row by row."""
    (left, right), (left_batch, right_batch) = run.equation.params["dimension_numbers"]
    left_ndim, right_ndim = map(np.ndim, run.values)
    batch = tuple(range(left_ndim - 2)) if left_ndim == right_ndim else ()
    if (tuple(left_batch), tuple(right_batch)) != (batch, batch):
        return False
    return (tuple(left), tuple(right)) == ((left_ndim - 1,), (max(0, right_ndim - 2),))


def _write_parameter(value: Any) -> str:
    if not isinstance(value, (tuple, list)):
        return str(value)
    elements = ", ".join(map(str, value))
    return f"({elements},)" if len(value) == 1 else f"({elements})"


def _write_map(run: _RunEquation, slot: int, adjoint: str, words: Sequence[str]) -> str:
    """Write how an adjoint goes back through a linear map; empty if there is no readable formula."""
    if run.name == "dot_general" and [np.ndim(one) for one in run.values] == [2, 2]:
        (left, right), _ = run.equation.params["dimension_numbers"]
        if (tuple(left), tuple(right)) == ((1,), (0,)):
            return f"{adjoint} @ {words[1]}.T" if slot == 0 else f"{words[0]}.T @ {adjoint}"
    if run.name == "stop_gradient":
        return "0"
    if run.name == "transpose" and np.ndim(run.values[0]) == 2:
        return f"{adjoint}.T"
    return ""


def _write_partial(
    run: _RunEquation, slot: int, y: str, words: Sequence[str], true_partial: Any
) -> tuple[str, str]:
    """Write a local partial as a formula, as text and in LaTeX; both empty if no formula gives JAX's numbers."""
    if run.name == "reduce_sum":
        return "1", "1"
    value = np.asarray(run.outs[0], dtype=float)[()]
    operands: list[Any] = [np.asarray(one, dtype=float)[()] for one in run.values]
    names = list(words)
    primitive = run.name
    if primitive == "integer_pow":
        # JAX has the exponent as a parameter, and our rule as an operand.
        primitive = "pow"
        operands.append(float(run.equation.params["y"]))
        names.append("")
    op = TABLE.get(_FUNCTIONS.get(primitive))
    if op is None:
        return "", ""
    try:
        partial = op.local_partial(slot, value, *operands)
        if not np.allclose(partial, true_partial, rtol=1e-3, atol=1e-5, equal_nan=True):
            return "", ""
        named = [
            NamedValue(name, x) if name.startswith("v") or np.ndim(x) else x
            for name, x in zip(names, operands, strict=True)
        ]
        written = op.local_partial(slot, NamedValue(y, value), *named)
    except Exception:
        # Not every rule works with names in place of numbers.
        return "", ""
    if isinstance(written, Symbol):
        return written.text(), written.latex()
    text = number(written)
    return text, notation.latex_value(text)


ENGINE = Jax()
