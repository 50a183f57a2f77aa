"""PyTorch as an engine of the player: its run and its own backward pass, in the record that all engines share.

The order of the sweep (the backward pass), the contributions and all numbers are PyTorch's. Each node of its graph is a
line, in the order in which PyTorch has numbered the nodes. The first lines are the leaves, whose `.grad` the sweep adds
to.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from autodiff_lab.engine.frames import INTERNAL_MODULES
from autodiff_lab.frameworks import pytorch_formulas as formulas
from autodiff_lab.frameworks.engines import FrameworkError, describe_raised
from autodiff_lab.frameworks.pytorch_recording import (
    Frames,
    Kernel,
    Recording,
    SeenTensor,
    Sweep,
    copy_tensor,
    to_array,
)
from autodiff_lab.text import notation
from autodiff_lab.text.messages import message
from autodiff_lab.trace.model import ModuleCall
from autodiff_lab.trace.recorded_run import (
    Kept,
    NotSeen,
    OutputTuple,
    RawContribution,
    RecordedRun,
    RunLine,
    RunOperand,
    SweepEvent,
)
from autodiff_lab.trace.source_map import HiddenSource
from autodiff_lab.transforms.execution_log import log_execution
from autodiff_lab.transforms.pytree import flatten, map_leaves, paths
from autodiff_lab.transforms.recording import Outcome, Raised, Seed
from autodiff_lab.transforms.signatures import argument_names, name_of

_MAX_WRITTEN = 6


class PyTorch:
    """PyTorch as an engine: it runs a function or a module, and its own backward pass."""

    def record(
        self,
        f: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        stop: bool = False,
    ) -> RecordedRun:
        """Run ``f(*args)`` and its backward pass, and return the record of both.

        If `f` raises, the record is of the run up to there; with `stop`, the exception is raised. The `.grad` of all
        leaves, the buffers of a module and the random numbers are afterwards what they were.

        Raises
        ------
        FrameworkError
            If there is nothing to differentiate, or PyTorch has one node for the whole of `f`.
        Exception
            What was raised before `f` itself ran, or in the backward pass.
        """
        refuse_compiled(f)
        model = f if isinstance(f, torch.nn.Module) else None
        given, labels = _prepare_arguments(f, args, track=model is None)
        modules = {"": model} if model is not None else _find_modules(f)
        require_cpu(modules.values())
        parameters: dict[int, str] = {}
        for prefix, module in modules.items():
            for path, parameter in module.named_parameters(prefix=prefix):
                parameters.setdefault(id(parameter), path)
        labels = {**parameters, **labels}
        leaves = [
            one
            for one in flatten(list(given))
            if isinstance(one, torch.Tensor) and one.requires_grad
        ]
        recording: Any = Recording(
            sys._getframe(0), name_modules(modules), includes_boundary=False, keeps_nodes=True
        )
        raised: Raised | None = None
        with (
            _undone_afterwards(modules.values()),
            log_execution(recording) as log,
            recording.running(),
        ):
            try:
                y = f(*given, **kwargs)
            except FrameworkError:
                raise
            except Exception as error:
                raised = describe_raised(error)
                # Without calls and operations, `f` has not begun.
                if stop or not (raised.calls or recording.kernels):
                    raise
            else:
                _check_result(f, y, leaves or parameters)
                # The sum of the entries: our seed is one for each of them.
                y.backward(torch.ones_like(y))
        recording.leave()
        sweep = recording.sweeps[-1] if raised is None else recording.sweep_half()
        if sweep.failure is not None:
            raise sweep.failure
        title = function = ""
        if model is not None:
            function = type(model).__name__
            title = f"{function}({', '.join(_argument_names(f, len(args)))})"
        builder = RunBuilder(recording, sweep, labels, leaves)
        return builder.build(log.complete_events(), title, function, raised)

    def source_of(self, f: Callable[..., Any]) -> Any:
        """Return the function whose source is shown: of a module that the learner wrote, its `forward`."""
        if not isinstance(f, torch.nn.Module):
            return f
        forward = type(f).forward
        if f"{forward.__module__}.".startswith(INTERNAL_MODULES):
            name = type(f).__name__
            return HiddenSource(name, message("source of a framework", name=name, engine="PyTorch"))
        return forward

    def replace_scalar(self, like: Any, value: float) -> Any:
        """Return an argument like this one, with another value."""
        if isinstance(like, torch.Tensor):
            return torch.full_like(like.detach(), value).requires_grad_(like.requires_grad)
        return type(like)(value) if isinstance(like, float) else value

    def describe_reverse_only(self) -> str:
        """Return a sentence that says why there is no forward mode."""
        return message("framework is reverse", engine="PyTorch")


def require_cpu(modules: Iterable[Any]) -> None:
    """Raise an error if a parameter is on a device other than the CPU."""
    for module in modules:
        if any(one.device.type != "cpu" for one in module.parameters()):
            raise FrameworkError(
                "A parameter is not on the CPU, and only runs on the CPU can be recorded: move model and data to the "
                "CPU for this step, with .cpu()."
            )


def refuse_compiled(f: Any) -> None:
    """Raise an error if a function or module was made by `torch.compile` or TorchScript."""
    if isinstance(f, (torch.jit.ScriptModule, torch.jit.ScriptFunction)):
        raise FrameworkError(
            "This was made by torch.jit.script or torch.jit.trace, so there are no Python lines to show. "
            "Pass the original function or module instead."
        )
    if hasattr(f, "_orig_mod"):
        original = "model._orig_mod"
    elif hasattr(f, "_torchdynamo_orig_callable"):
        original = "the original function"
    else:
        return
    raise FrameworkError(
        "This was compiled by torch.compile, so PyTorch's graph shows it as one node, with nothing inside. "
        f"Pass {original} instead."
    )


def _argument_names(f: Any, count: int) -> list[str]:
    """Return the names of the arguments of a function, or of the `forward` of a module."""
    if isinstance(f, torch.nn.Module):
        return argument_names(type(f).forward, count + 1)[1:]
    return argument_names(f, count)


def _prepare_arguments(
    f: Any, args: Sequence[Any], track: bool
) -> tuple[list[Any], dict[int, str]]:
    """Return the arguments, and the names of the tensors among them by their ids.

    With `track`, numbers and tensors are replaced by copies that require a gradient.
    """
    names = _argument_names(f, len(args))
    labels: dict[int, str] = {}
    given = []

    def prepare(leaf: Any) -> Any:
        if track and isinstance(leaf, torch.Tensor) and leaf.is_floating_point():
            return copy_tensor(leaf).requires_grad_()
        if track and isinstance(leaf, (float, np.floating)):
            return torch.tensor(float(leaf), requires_grad=True)
        return leaf

    for name, argument in zip(names, args, strict=True):
        prepared = map_leaves(prepare, argument)
        given.append(prepared)
        for path, leaf in zip(paths(name, prepared), flatten(prepared), strict=True):
            if isinstance(leaf, torch.Tensor):
                labels[id(leaf)] = path
    return given, labels


def _find_modules(f: Any) -> dict[str, Any]:
    """Find the modules that a function uses, by their names: in its closure, and among the globals of its file."""
    code = getattr(f, "__code__", None)
    if code is None:
        return {}
    cells = zip(code.co_freevars, f.__closure__ or (), strict=True)
    values = {name: f.__globals__[name] for name in code.co_names if name in f.__globals__}
    values |= {name: cell.cell_contents for name, cell in cells if _is_filled(cell)}
    return {name: value for name, value in values.items() if isinstance(value, torch.nn.Module)}


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018 — reading an empty cell raises
    except ValueError:
        return False
    return True


def name_modules(modules: Mapping[str, Any]) -> dict[Any, str]:
    """Name all modules inside some models by their paths, ``"layers.0.self_attn"``; a model itself by its class."""
    names: dict[Any, str] = {}
    for prefix, model in modules.items():
        for path, module in model.named_modules(prefix=prefix):
            names.setdefault(module, path or type(module).__name__)
    return names


@contextlib.contextmanager
def _undone_afterwards(modules: Any) -> Iterator[None]:
    """Restore afterwards what a run changes: gradients, buffers such as running means, the state of random numbers."""
    modules = list(modules)
    tensors = {id(one): one for module in modules for one in module.parameters()}
    grads = [(one, one.grad) for one in tensors.values()]
    buffers = [(one, one.clone()) for module in modules for one in module.buffers()]
    for one, _ in grads:
        one.grad = None
    with torch.random.fork_rng(devices=[]):
        try:
            yield
        finally:
            for one, grad in grads:
                one.grad = grad
            with torch.no_grad():
                for one, value in buffers:
                    one.copy_(value)


def _check_result(f: Any, y: Any, leaves: Any) -> None:
    """Raise an error if the result of a run isn't one tensor that depends on one of the leaves."""
    name = name_of(f) if not isinstance(f, torch.nn.Module) else type(f).__name__
    if not isinstance(y, (torch.Tensor, tuple, list, dict)):
        raise FrameworkError(
            f"{name} returned a {type(y).__name__}, which PyTorch cannot differentiate: return the tensor itself, "
            "without .item(), .numpy() or float()."
        )
    if not isinstance(y, torch.Tensor):
        raise FrameworkError(
            f"{name} returned a {type(y).__name__}, but a run has one result: return one tensor, "
            f"or play a function that selects one: play(lambda x: {name}(x)[0], …)."
        )
    if not leaves and isinstance(f, torch.nn.Module):
        raise FrameworkError(
            f"{name} has no parameters, and no input requires a gradient: write play(model, X.requires_grad_()) "
            "or play(lambda X: model(X), X)."
        )
    if not leaves:
        raise FrameworkError(
            f"{name} was given no floating-point tensor, so there is nothing to differentiate with respect to: "
            "pass torch.tensor(2.0), or a module that has parameters."
        )
    if not y.requires_grad:
        raise FrameworkError(
            f"The result of {name} has no graph: it depends on no tensor that requires a gradient. Were its parameters "
            "frozen, or was it computed under torch.no_grad(), detached, or from integers? "
            "To find out where, write `with ad.watch(model) as run:` and then run.why_none()."
        )


class RunBuilder:
    """A builder of the record of a run, from a recording of PyTorch and one of its sweeps.

    Parameters
    ----------
    recording : Recording
    sweep : Sweep
    labels : mapping of int to str
        The names of tensors, by their ids.
    first : sequence of tensor
        The leaves that become the first inputs, even if the sweep doesn't reach them.
    """

    def __init__(
        self,
        recording: Recording,
        sweep: Sweep,
        labels: Mapping[int, str],
        first: Sequence[torch.Tensor] = (),
    ) -> None:
        self._recording = recording
        self._sweep = sweep
        self._labels = labels
        nodes = range(len(sweep.nodes))
        reached = {id(sweep.nodes[k].variable): k for k in nodes if sweep.is_leaf(k)}
        ids = dict.fromkeys(
            [*map(id, first), *sorted(reached, key=lambda one: self._order(one, reached[one]))]
        )
        for tensor in first:
            recording.see_leaf(tensor)
        self._leaves = list(ids)
        self._arrays: dict[int, tuple[torch.Tensor, Any]] = {}
        self._matches: dict[int, list[int] | None] = {}
        self.n_inputs = len(ids)
        self.operations = sorted((k for k in nodes if not sweep.is_leaf(k)), key=sweep.number)
        used = {edge for edges in sweep.edges for edge in edges if edge is not None}
        used |= {(sweep.place[node], number) for node, number in sweep.roots}
        numbers_of: dict[int, list[int]] = {}
        for node, number in sorted(used):
            numbers_of.setdefault(node, []).append(number)
        self._line_of: dict[tuple[int, int], int] = {}
        # For each line: its node, and the number of the output; None for all outputs together, -1 for an input.
        self._lines: list[tuple[int, int | None]] = [(reached.get(one, -1), -1) for one in ids]
        for line, one in enumerate(ids):
            if one in reached:
                self._line_of[(reached[one], 0)] = line
        for node in self.operations:
            outputs = numbers_of[node]
            self._lines.append((node, None))
            if len(outputs) == 1:
                self._line_of[(node, outputs[0])] = len(self._lines) - 1
                continue
            for number in outputs:
                self._line_of[(node, number)] = len(self._lines)
                self._lines.append((node, number))
        # For each node: its outputs that are used, each with its line.
        self._outputs_of: dict[int, list[tuple[int, int]]] = {}
        for (node, number), line in self._line_of.items():
            self._outputs_of.setdefault(node, []).append((number, line))
        self._whole = {
            node: line for line, (node, number) in enumerate(self._lines) if number is None
        }
        self._kernels = {node: self._find_kernel(node) for node in self.operations}
        self._numbers = {sweep.number(node): node for node in self.operations}
        self._partials = functools.cache(
            lambda node: formulas.compute_partials(self._kernels[node])
        )
        self.read_line = functools.cache(self._read_line)

    def _order(self, leaf: int, node: int) -> tuple[int, int]:
        """Return the key that sorts the leaves: those with a label first, in the order of the labels."""
        names = list(self._labels)
        return (names.index(leaf) if leaf in self._labels else len(names), node)

    def _array(self, tensor: torch.Tensor) -> Any:
        """Return a tensor of the recording as a NumPy array; always the same array, so that it is stored once."""
        if id(tensor) not in self._arrays:
            self._arrays[id(tensor)] = tensor, to_array(tensor)
        return self._arrays[id(tensor)][1]

    def name(self, line: int) -> str:
        """The name of a line on the tape."""
        return f"v{line - self.n_inputs + 1}"

    def label_of_leaf(self, line: int) -> str:
        """The learner's name of an input."""
        return self._labels.get(self._leaves[line], f"leaf{line + 1}")

    def _find_kernel(self, node: int) -> Kernel | None:
        """Find the kernel of a node by its number; None for a node without a kernel, such as a custom Function."""
        kernel = self._recording.kernels.get(self._sweep.number(node))
        if kernel is None or self._is_copy_slices(node):
            return None
        self._matches[node] = self._match_operands(node, kernel)
        return kernel if self._matches[node] is not None else None

    def _match_operands(self, node: int, kernel: Kernel) -> list[int] | None:
        """Return, for each edge of a node, the place of its tensor in `kernel.tensors`; None if they don't match."""
        found: list[int] = []
        given = kernel.tensors
        place = 0
        for edge in self._sweep.edges[node]:
            while place < len(given) and not self._fits(edge, given[place]):
                place += 1
            if place == len(given):
                if edge is not None:
                    return None
                break
            found.append(place)
            place += 1
        return found

    def _fits(self, edge: tuple[int, int] | None, tensor: SeenTensor) -> bool:
        if edge is None:
            return tensor.output is None and tensor.leaf is None and tensor.is_float
        node, number = edge
        if self._sweep.is_leaf(node):
            return tensor.leaf == id(self._sweep.nodes[node].variable)
        return tensor.output == (self._sweep.number(node), number)

    @functools.cached_property
    def parents(self) -> list[tuple[int, ...]]:
        """The lines that each line uses."""
        found: list[tuple[int, ...]] = []
        for node, number in self._lines:
            if number == -1:
                found.append(())
            elif number is not None:
                found.append((self._whole[node],))
            else:
                found.append(tuple(slot.line for slot in self._slots(node)))
        return found

    def _slots(self, node: int) -> list[RunOperand]:
        """Return the operands of a node, still without partials: one for each edge, including constants."""
        kernel = self._kernels[node]
        match = self._matches[node] if kernel else None
        found = []
        for slot, edge in enumerate(self._sweep.edges[node]):
            seen = kernel.tensors[match[slot]] if kernel and match and slot < len(match) else None
            if edge is not None:
                line = self._line_of[edge]
                value = self._array(seen.value) if seen is not None else self._value(line)
                found.append(RunOperand(line, value))
            elif seen is not None:
                found.append(RunOperand(-1, self._array(seen.value)))
        return found

    def _slot_of(self, node: int, edge: int) -> int:
        """Return the place of an edge among the operands of a line.

        An edge that leads nowhere is an operand (a constant) only if its value is known.
        """
        kernel = self._kernels[node]
        match = self._matches[node] if kernel else None
        known = [
            e is not None or (match is not None and k < len(match))
            for k, e in enumerate(self._sweep.edges[node])
        ]
        return sum(known[:edge])

    @functools.cache  # noqa: B019 — a builder is kept only as long as its run
    def _value(self, line: int) -> Any:
        """The value of a line, as PyTorch computed it."""
        node, number = self._lines[line]
        if number == -1:
            return self._array(self._recording.leaves[self._leaves[line]][1])
        if number is not None:
            return self._output(node, number)
        outputs = [output for output, _ in self._outputs_of[node]]
        if len(outputs) == 1:
            return self._output(node, outputs[0])
        return OutputTuple(
            self._output(node, number) for number in range(max(outputs, default=0) + 1)
        )

    def _output(self, node: int, number: int) -> Any:
        kernel, own = self._kernels[node], self._sweep.number(node)
        if kernel is not None and number < len(kernel.outs) and kernel.outs[number] is not None:
            return self._array(kernel.outs[number])
        before = self._recording.kernels.get(own - 1)
        if self._is_copy_slices(node) and before is not None and before.base_after is not None:
            return self._array(before.base_after)
        if (own, number) in self._recording.values:
            return self._array(self._recording.values[(own, number)][1])
        if (node, number) in self._sweep.saved_values:
            return self._array(self._sweep.saved_values[(node, number)])
        if self._sweep.result is not None and self._sweep.roots[0] == (
            self._sweep.nodes[node],
            number,
        ):
            return self._array(self._sweep.result)
        return NotSeen()

    def _is_copy_slices(self, node: int) -> bool:
        """Whether PyTorch has made a node because a view was changed in place: its value is the whole tensor."""
        return _node_name(self._sweep.nodes[node]) == "CopySlices"

    def frames_of(self, line: int) -> Frames:
        """Return the learner's frames that were running when a line was recorded."""
        node, number = self._lines[line]
        if number == -1:
            return ()
        own = self._sweep.number(node)
        for range_, frames in self._recording.inner:
            if own in range_:
                return frames
        for one in (own, own - 1):
            if one in self._recording.kernels:
                return self._recording.kernels[one].frames
            if one in self._recording.custom:
                return self._recording.custom[one][0]
        later = [one for one in self._recording.kernels if one > own]
        return self._recording.kernels[min(later)].frames if later else ()

    def _modules_of(self, line: int) -> tuple[ModuleCall, ...]:
        """Return the calls of modules in which a line ran, without the call of the module that is played."""
        node, number = self._lines[line]
        own = self._sweep.number(node) if number != -1 else 0
        kernel = self._recording.kernels.get(own)
        if kernel is not None:
            calls = kernel.modules
        else:
            _, calls = self._recording.custom.get(own, ((), ()))
        return tuple(call for call in calls if not _is_outermost(call))

    def _sweep_id(self, line: int) -> int:
        """Return the number of the backward pass (with ``create_graph``) that made a line; 0 for the forward pass."""
        node, number = self._lines[line]
        own = self._sweep.number(node) if number != -1 else -1
        for k, (numbers, _) in enumerate(self._recording.inner, 1):
            if own in numbers:
                return k
        return 0

    def _read_line(self, line: int) -> RunLine:
        node, number = self._lines[line]
        value = self._value(line)
        if number == -1:
            label = self.label_of_leaf(line)
            return RunLine(value, self.name(line), label, symbol=label, latex=notation.latex(label))
        modules = self._modules_of(line)
        if number is not None:
            whole = self._whole[node]
            operand = RunOperand(
                whole,
                self._value(whole),
                formula=message("output of", n=number),
                formula_is_name=True,
            )
            text = f"{self.name(whole)}[{number}]"
            return self._add_latex(
                RunLine(
                    value, text, "", "output", f"[{number}]", operands=(operand,), modules=modules
                )
            )
        kernel = self._kernels[node]
        slots = self._slots(node)
        if kernel is None:
            name = _node_name(self._sweep.nodes[node])
            words = [self.name(slot.line) for slot in slots if slot.line >= 0]
            written = formulas.Written(name, notation.symbol(name), f"{name}({', '.join(words)})")
            operands = tuple(self._describe_backward_step(node, slot) for slot in slots)
        else:
            words = self._write_arguments(kernel)
            written = formulas.write_operation(kernel.name, words)
            operands = tuple(self._describe_slots(node, kernel, slots, words, value))
        is_elementwise = kernel is not None and torch.Tag.pointwise in kernel.func.tags
        read = RunLine(
            value,
            written.text,
            op=written.op,
            symbol=written.symbol,
            operands=operands,
            is_elementwise=is_elementwise and not isinstance(value, (OutputTuple, NotSeen)),
            modules=modules,
            arguments=_numbers_of(kernel) if kernel is not None else (),
        )
        return self._add_latex(read)

    def _add_latex(self, line: RunLine) -> RunLine:
        return replace(line, latex=notation.latex_expression(line.text))

    def _write_arguments(self, kernel: Kernel) -> list[str]:
        """Write the arguments of a kernel, with the names of the lines."""
        words = [self._write(one) for one in kernel.args if one is not None]
        for key, one in kernel.kwargs.items():
            if one is not None:
                words.append(f"{key}={self._write(one)}")
        return words

    def _write(self, one: Any) -> str:
        if isinstance(one, SeenTensor):
            return self._write_tensor(one)
        if isinstance(one, (list, tuple)):
            return f"[{', '.join(map(self._write, one))}]"
        return repr(one)

    def _write_tensor(self, one: SeenTensor) -> str:
        line = None
        if one.output is not None:
            line = self._line_of.get((self._numbers.get(one.output[0], -1), one.output[1]))
        elif one.leaf in self._leaves:
            line = self._leaves.index(one.leaf)
        if line is not None:
            return self.name(line)
        if one.identity in self._labels:
            return self._labels[one.identity]
        if one.value.numel() <= _MAX_WRITTEN:
            return repr(one.value.tolist())
        return f"tensor{tuple(one.value.shape)}"

    def _describe_slots(
        self,
        node: int,
        kernel: Kernel,
        slots: Sequence[RunOperand],
        words: Sequence[str],
        value: Any,
    ) -> Iterator[RunOperand]:
        """Add to the operands of a node their local partials, or how the adjoint goes back to them."""
        match = self._matches[node] or []
        partials = self._partials(node)
        given = [one for one in kernel.args if isinstance(one, (SeenTensor, int, float))]
        named = [
            (self._write(one), self._array(one.value) if isinstance(one, SeenTensor) else one)
            for one in given
        ]
        seen = [one for one in given if isinstance(one, SeenTensor)]
        for slot, operand in enumerate(slots):
            place = match[slot] if slot < len(match) else slot
            partial = partials[place] if place < len(partials) else None
            if operand.line < 0:
                yield operand
                continue
            if partial is None:
                yield self._describe_backward_step(
                    node, operand, formulas.write_map(kernel.name, place, self._bar(node), words)
                )
                continue
            array = to_array(partial.detach())
            formula, latex = ("1", "1") if kernel.name == "sum" else ("", "")
            if (
                kernel.name not in ("sum", "mean")
                and place < len(seen)
                and len(given) == len(kernel.args)
            ):
                own = next(k for k, one in enumerate(given) if one is seen[place])
                formula, latex = formulas.write_partial(
                    kernel.name, own, (self._own_name(node), value), named, array
                )
            yield RunOperand(operand.line, operand.value, array, formula, latex)

    def _own_name(self, node: int) -> str:
        return self.name(self._whole[node])

    def _bar(self, node: int) -> str:
        return notation.format_adjoint(self._own_name(node))

    def _describe_backward_step(
        self, node: int, operand: RunOperand, formula: str = ""
    ) -> RunOperand:
        """Describe how the adjoint goes back to an operand without a partial: by a formula, or the name of the node."""
        if operand.line < 0:
            return operand
        name = self._sweep.nodes[node].name().rpartition("::")[2]
        written = formula or message("node of PyTorch", name=name)
        latex = notation.latex_expression(written)
        return RunOperand(
            operand.line,
            operand.value,
            None,
            written,
            latex,
            formula_is_name=not formula,
            is_linear=False,
        )

    def read_partial(self, line: int, slot: int) -> Any:
        """Return the local partial of a line with respect to an operand."""
        return self.read_line(line).operands[slot].partial

    def sweep_events(self) -> Iterator[SweepEvent]:
        """Yield the events of PyTorch's sweep, in PyTorch's order."""
        sums: dict[int, OutputTuple] = {}
        arrived: dict[int, Any] = {}
        for event in self._sweep.events:
            node = event.node
            if self._sweep.is_leaf(node):
                continue
            whole = self._whole[node]
            own = self._outputs_of[node]
            if event.arrived is not None and len(own) == 1:
                (number, _), *_ = own
                gradient = event.arrived[number]
                arrived[node] = None if gradient is None else self._array(gradient)
            elif event.arrived is not None:
                held: list[Any] = [None] * len(self._value(whole))
                for number, line in sorted(own, reverse=True):
                    gradient = event.arrived[number] if number < len(event.arrived) else None
                    if gradient is None:
                        continue
                    before = OutputTuple(held) if any(one is not None for one in held) else None
                    held[number] = self._array(gradient)
                    sent = RawContribution(0, whole, held[number], before, OutputTuple(held))
                    yield SweepEvent(line, held[number], (sent,))
                sums[node] = OutputTuple(held)
                arrived[node] = sums[node]
            else:
                yield from self._send(node, whole, arrived.get(node), event.sent)

    def _send(self, node: int, whole: int, adjoint: Any, sent: Any) -> Iterator[SweepEvent]:
        if not sent:
            yield SweepEvent(whole, adjoint)
        for one in sent:
            contribution = RawContribution(
                self._slot_of(node, one.slot),
                self._line_of[one.to],
                self._array(one.contribution),
                None if one.before is None else self._array(one.before),
                self._array(one.after),
            )
            yield SweepEvent(whole, adjoint, (contribution,))

    def count_held(self) -> list[Kept]:
        """Count what PyTorch keeps for its backward pass: after each line, the sum of what its nodes have saved."""
        held = [Kept(0, 0)]
        for node, number in self._lines:
            more = self._sweep.kept[node] if number is None else Kept(0, 0)
            held.append(Kept(held[-1].numbers + more.numbers, held[-1].bytes + more.bytes))
        return held

    def leaf_checks(self) -> dict[str, bool]:
        """Return, for each input with a `.grad`, whether the sum of its contributions equals it, bit for bit."""
        found = {}
        for line in range(self.n_inputs):
            node = self._lines[line][0]
            if node >= 0 and node in self._sweep.is_equal_to_grad:
                found[self.label_of_leaf(line)] = self._sweep.is_equal_to_grad[node]
        return found

    def build(
        self,
        execution_log: Any = None,
        title: str = "",
        function: str = "",
        raised: Raised | None = None,
    ) -> RecordedRun:
        """Build the record that all engines share; with `raised`, it ends where the function raised."""
        output, outcome, seeds = None, Outcome(raised=raised), []
        if raised is None:
            node, number = self._sweep.roots[0]
            output = self._line_of[(self._sweep.place[node], number)]
            value = self._value(output)
            seed = self._sweep.seeds[0] if self._sweep.seeds else None
            adjoint = np.ones(np.shape(value))[()] if seed is None else self._array(seed)
            outcome, seeds = Outcome(value), [Seed(0, output, adjoint)]
        engine = f"PyTorch {torch.__version__.partition('+')[0]}"
        checks = self.leaf_checks()
        note = message("by PyTorch" if raised is None else "by PyTorch, raised", engine=engine)
        if checks:
            note += " " + message("equal to grad" if all(checks.values()) else "not equal to grad")
        if self._sweep.differing:
            note += " " + message("gradients changed by hooks")
        return RecordedRun(
            names=[self.name(line) for line in range(len(self._lines))],
            parents=self.parents,
            input_names=[self.label_of_leaf(line) for line in range(self.n_inputs)],
            output=output,
            outcome=outcome,
            seeds=seeds,
            read_line=self.read_line,
            read_partial=self.read_partial,
            sweep=self.sweep_events,
            count_held=self.count_held,
            call_stacks=[self.frames_of(line) for line in range(len(self._lines))],
            execution_log=self._count_lines(execution_log),
            sweep_ids=[self._sweep_id(line) for line in range(len(self._lines))],
            notes=(note,),
            engine=engine,
            title=title,
            function=function,
        )

    def _count_lines(self, log: Any) -> Any:
        """Convert an execution log that counts the nodes that PyTorch made into one that counts lines."""
        if log is None:
            return None
        first = self._recording.first_number
        numbers = [-1 if n == -1 else self._sweep.number(node) - first for node, n in self._lines]
        return tuple(event._replace(lines=bisect_left(numbers, event.lines + 1)) for event in log)


def _numbers_of(kernel: Kernel) -> tuple[float, ...]:
    """Return the numbers among the arguments of a kernel."""
    given = [*kernel.args, *kernel.kwargs.values()]
    return tuple(float(one) for one in given if isinstance(one, (int, float)))


def _is_outermost(call: ModuleCall) -> bool:
    """Whether a call of a module is the run itself: the first call, with none of the learner's frames around it."""
    return call.n == 1 and call.frames == 0


def _node_name(node: Any) -> str:
    name = node.name().rpartition("::")[2]
    return name.rstrip("0123456789").removesuffix("Backward") or name


ENGINE = PyTorch()
