"""A compiled version of a program: for arguments of one kind, and one path through the branches."""

import gc
import inspect
import math
import re
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import count
from types import FunctionType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from ..engine.errors import BranchChanged
from ..engine.printing import format_call, format_value
from ..engine.values import FLOAT64
from ..transforms import pytree
from .codegen.expressions import IN_NUMPY
from .codegen.functions import indent, split_functions
from .codegen.names import TAKEN, take_name
from .codegen.operands import Statement
from .codegen.statements import StatementWriter
from .draft import Draft
from .optimization_passes import optimize
from .program_inputs import Inputs, write_conditions
from .recorded_derivative import RecordedDerivative

# Programs with more lines than this keep no list of what became of each line.
MAX_LISTED_LINES = 20_000


class Operations(NamedTuple):
    """Operation counts of a compiled version: in the forward pass, and in the backward pass."""

    forward: int
    backward: int


class Line(NamedTuple):
    """What became of a line of the tape: the statement that contains it, or the pass that removed it."""

    name: str
    recorded: str
    written: str
    removed_by: str
    backward: bool


class Options(NamedTuple):
    """The options of a program, which all of its versions share; see `program`."""

    f: Callable[..., Any]
    mode: str
    argnums: int | Sequence[int]
    passes: tuple[str, ...]
    rerecord: bool
    max_versions: int


@contextmanager
def _pause_garbage_collector() -> Iterator[None]:
    """Pause the garbage collector while a version is compiled: nothing on the growing tape is garbage yet."""
    was_running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_running:
            gc.enable()


class Version:
    """One compiled version of a program, for one kind of arguments and one path: recorded, optimized and written.

    Attributes
    ----------
    inputs : Inputs
    functions : list of Function
        The source. The last function is the program, the others are its parts.
    constants, own_functions, objects : dict
        The objects that the source needs besides `math` and NumPy, by name: arrays; the user's own functions; keys and
        classes of containers.
    namespace : dict
        The globals of these functions.
    recorded, operations : Operations
        How many operations there are on the tape, and in the program.
    function_operations : int
        The number of operations of the function itself.
    entry : callable or None
        The function that a call of the program runs; see `make_entry`.
    seconds : dict
        The processor time that recording, cleaning, writing and compiling took.
    """

    @_pause_garbage_collector()
    def __init__(self, options: Options, inputs: Inputs) -> None:
        self.options = options
        self.inputs = inputs
        self.entry: Callable[..., Any] | None = None
        f = options.f
        labels = [leaf.name for leaf in inputs.leaves]
        clock = [time.process_time()]
        trace = RecordedDerivative(f, inputs.args, options.argnums, options.mode, labels)
        clock.append(time.process_time())
        draft = optimize(trace, options.passes, _find_arrays_around(f))
        clock.append(time.process_time())
        self._write_source(draft)
        self._count_lines(draft)
        clock.append(time.process_time())
        steps = zip(("recording", "cleaning", "writing"), clock, clock[1:], strict=False)
        self.seconds = {step: end - start for step, start, end in steps}

    def _write_source(self, draft: Draft) -> None:
        """Write the functions of the source, and prepare the list of what became of each line."""
        inputs, trace = self.inputs, draft.trace
        labels = {leaf.name for leaf in inputs.leaves}
        taken = {*TAKEN, *inputs.names, *inputs.keys, *labels}
        name = getattr(self.options.f, "__name__", type(self.options.f).__name__)
        name = take_name(name if name.isidentifier() else "f", taken)
        writer = StatementWriter(draft, inputs.leaves, taken)
        writer.write()
        types: list[Any] = [None] * len(draft.results)
        if self.options.mode == "reverse":
            # A gradient has the type of its input.
            leaves = [leaf for k in trace.which for leaf in pytree.flatten(inputs.args[k])]
            dtypes = [leaf.value.dtype for leaf in leaves]
            types[1:] = [None if dtype == FLOAT64 else dtype for dtype in dtypes]
        result = writer.write_return(types)
        head = _unpack_inputs(inputs, [*writer.statements, result])
        self.functions = split_functions(
            name, inputs.names, labels, head, writer.statements, result, reuse=writer.is_long
        )
        self.constants = writer.constants
        self.own_functions = writer.functions
        self.objects = {**inputs.keys, **writer.objects}
        self.namespace: dict[str, Any] = {"math": math, "np": np, "BranchChanged": BranchChanged}
        self.namespace |= {"ndarray": np.ndarray, "float64": FLOAT64}
        self.namespace |= {**self.constants, **self.own_functions, **self.objects}
        lines = _find_operations(trace)
        listed = lines if len(lines) <= MAX_LISTED_LINES else []
        self._list_lines = _prepare_listing(listed, draft, writer)

    def _count_lines(self, draft: Draft) -> None:
        """Count the operations on the tape, in the program, and in the function itself."""
        lines = _find_operations(draft.trace)
        written = [i for i in lines if draft.live[i] and draft.ops[i] is not None]
        self.recorded = _split_count(lines, draft.trace.backward_start)
        self.operations = _split_count(written, draft.trace.backward_start)
        self.function_operations = draft.trace.operations

    @property
    def source(self) -> str:
        """The Python source of a compiled version: all its functions."""
        return "\n\n".join(function.text for function in self.functions)

    @cached_property
    def lines(self) -> list[Line]:
        """What became of each line of the tape in this compiled version; empty for very long programs."""
        listed_lines = self._list_lines()
        del self._list_lines
        return listed_lines

    def run(self, args: Sequence[Any]) -> Any:
        """Run a compiled version on arguments that are known to fit it."""
        try:
            return self._function(*args)
        except (ArithmeticError, ValueError):
            return self._run_in_numpy(args)

    def _run_in_numpy(self, args: Sequence[Any]) -> Any:
        """Run a compiled version again in NumPy's arithmetic, which gives infinity and nan where Python's raises."""
        numbers = [pytree.map_leaves(_to_numpy_number, x) for x in args]
        result = self._numpy_function(*numbers)
        return pytree.map_leaves(lambda y: float(y) if type(y) is np.float64 else y, result)

    @cached_property
    def _function(self) -> Any:
        """The function that is printed as the program; defines it, and the parts that it calls, at first use."""
        for function in self.functions:
            if function.name not in self.namespace:
                _define(function.name, function.text, self.namespace)
        return self.namespace[self.functions[-1].name]

    @cached_property
    def _numpy_function(self) -> Any:
        """The program with NumPy's numbers in place of Python's, and NumPy's functions under `math`'s names."""
        name = self._function.__name__
        doubles = all(leaf.value.dtype == FLOAT64 for leaf in self.inputs.leaves)
        other = {**self.namespace, "math": SimpleNamespace(**IN_NUMPY), "float": np.float64}
        for function in self.functions:
            code = self.namespace[function.name].__code__
            if doubles:
                constants = tuple(_to_numpy_number(c) for c in code.co_consts)
                code = code.replace(co_consts=constants)
            other[function.name] = FunctionType(code, other)
        return other[name]

    def make_entry(
        self, dispatch: Callable[..., Any], switch_version: Callable[..., Any]
    ) -> Callable[..., Any]:
        """Compile the entry of a version: a test that the arguments fit, followed by the program's own lines.

        For arguments that fail the test, it calls `dispatch`; if a branch comes out differently, `switch_version`.
        """
        inputs = self.inputs
        main = self.functions[-1]
        tests = write_conditions(inputs.args, inputs.names)
        if tests is None:
            return dispatch
        names = ", ".join(inputs.names)
        hidden = {
            "_dispatch": dispatch,
            "_switch_version": switch_version,
            "_run_in_numpy": self._run_in_numpy,
        }
        for part in self.functions[:-1]:
            _define(part.name, part.text, self.namespace)
        text = f"def {main.name}({names}):\n    if {' and '.join(tests) or 'True'}:\n        try:"
        text += indent(f"\n{main.lines}", 3) + "\n"
        text += f"        except (ArithmeticError, ValueError):\n            return _run_in_numpy(({names},))\n"
        if self.options.rerecord:
            text += f"        except BranchChanged:\n            return _switch_version({names})\n"
        text += f"    return _dispatch({names})\n"
        if "BranchChanged(" not in text:
            # Bind `math.sin` to a global `math_sin`, so that a call doesn't look up the attribute each time.
            for module, short in ((math, "math"), (np, "np")):
                # The look-behind follows the literal, because the search is fastest if a pattern begins with letters.
                called = re.compile(rf"{short}(?<!\w{short})\.(?=(\w+)[(.])")
                used = set(called.findall(text))
                hidden |= {f"{short}_{name}": getattr(module, name) for name in used}
                text = called.sub(f"{short}_", text)
        return _define(main.name, text, {**self.namespace, **hidden})


def _unpack_inputs(inputs: Inputs, statements: Sequence[Statement]) -> list[str]:
    """Write an assignment for each input inside a container that the statements use: ``x_0 = x[0]``."""
    inside = [leaf for leaf in inputs.leaves if leaf.name != leaf.path]
    if not inside:
        return []
    used = {name for statement in statements for name in statement.names}
    return [f"{leaf.name} = {leaf.path}" for leaf in inside if leaf.name in used]


def _find_operations(trace: RecordedDerivative) -> list[int]:
    """The lines of the tape that are operations or the seed, not inputs."""
    tape = trace.tape
    return [i for i, op in enumerate(tape.ops) if op is not None or i in tape.known]


def _to_numpy_number(x: Any) -> Any:
    return np.float64(x) if type(x) is float else x


def _define(name: str, text: str, where: dict[str, Any]) -> Callable[..., Any]:
    exec(compile(text, f"<program {name}>", "exec"), where)
    defined: Callable[..., Any] = where[name]
    return defined


def _split_count(lines: Sequence[int], backward_start: int) -> Operations:
    """Count the lines of the forward pass, before `backward_start`, and of the backward pass; `lines` is sorted."""
    forward = bisect_left(lines, backward_start)
    return Operations(forward, len(lines) - forward)


def _find_arrays_around(f: Callable[..., Any]) -> dict[str, np.ndarray]:
    """The arrays that a function closes over, by name."""
    try:
        around = inspect.getclosurevars(f)
    except (TypeError, ValueError):
        return {}
    names = {**around.globals, **around.nonlocals}
    return {name: x for name, x in names.items() if isinstance(x, np.ndarray) and name not in TAKEN}


def _prepare_listing(
    lines: Sequence[int], draft: Draft, writer: StatementWriter
) -> Callable[[], list[Line]]:
    """Return a function that lists what became of these lines; it doesn't keep the tape's arrays alive."""
    tape = draft.tape
    ops, parents, args, static, known = tape.ops, tape.parents, tape.args, tape.kwargs, tape.known
    recorded_names = draft.trace.names
    backward_start = draft.trace.backward_start
    fate = draft.fate
    consumer = writer.consumer
    written = {i: statement.text for i, statement in writer.emitted.items()}
    if not all(writer.numbers):
        # Some lines are arrays. Keep only the constant operands, the only ones whose values the list shows.
        constants = []
        for js, xs in zip(parents, args, strict=True):
            constants.append(tuple([x if j < 0 else None for j, x in zip(js, xs, strict=True)]))
        args = constants

    def recorded_text(i: int, operands: list[str]) -> str:
        op = ops[i]
        if op is None:
            return repr(float(known[i]))
        return format_call(op.name, op.symbol, operands, dict(static.get(i, {})))

    def list_lines() -> list[Line]:
        listed = []
        unnamed = count(1)
        names = [recorded_names.get(i) or f"t{next(unnamed)}" for i in range(len(ops))]
        for i in lines:
            operands = [
                names[j] if j >= 0 else format_value(x)
                for j, x in zip(parents[i], args[i], strict=True)
            ]
            text = recorded_text(i, operands)
            final = -1 if i in fate else i
            # An expression that was folded into the line that uses it is found in the statement of that line.
            while final >= 0 and final not in written:
                final = consumer[final]
            is_backward = i >= backward_start
            listed.append(
                Line(names[i], text, written.get(final, ""), fate.get(i, ""), is_backward)
            )
        return listed

    return list_lines if lines else list
