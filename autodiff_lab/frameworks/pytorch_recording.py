"""What PyTorch does while it is watched: its kernels on the way forward, and its own sweep through hooks on every node.

On the way forward a dispatch mode sees each kernel. In the sweep it is off, because PyTorch takes other formulas under
it; hooks on all nodes copy what arrives and what is sent, in the engine's order.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any, NamedTuple

import torch
from torch.autograd.graph import GradientEdge
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

from autodiff_lab.engine.frames import is_user_frame
from autodiff_lab.frameworks import pytorch_private as private
from autodiff_lab.frameworks.engines import ENGINE_MODULES, FrameworkError
from autodiff_lab.trace.model import ModuleCall
from autodiff_lab.trace.recorded_run import Kept

# What is copied of a run at most: 2 GB. Who needs more watches a smaller batch.
MAX_COPIED_BYTES = 2**31

_MAX_CUTS = 10_000
_REDUCED = (torch.bfloat16, torch.float16)

Frames = tuple[tuple[CodeType, int], ...]
# An output of a node, by the node's sequence number and the number of the output; of the graph an edge leads there.
Output = tuple[int, int]


class SeenTensor(NamedTuple):
    """A tensor as a kernel saw it: a copy of its value, and where it came from: an output, a leaf, or nothing."""

    value: torch.Tensor
    output: Output | None
    leaf: int | None
    identity: int
    is_float: bool


@dataclass
class Kernel:
    """A kernel that PyTorch ran for a node: its arguments with copies of the tensors, and its outputs."""

    func: Any
    args: list[Any]
    kwargs: dict[str, Any]
    frames: Frames
    modules: tuple[ModuleCall, ...]
    outs: list[torch.Tensor | None] = field(default_factory=list)
    base_after: torch.Tensor | None = None

    @property
    def name(self) -> str:
        """The kernel's name in PyTorch, without the sign of an in-place operation: ``"mul"``."""
        return self.func._schema.name.split("::")[1].rstrip("_")

    @functools.cached_property
    def tensors(self) -> list[SeenTensor]:
        """The tensors among the kernel's arguments."""
        return [
            one
            for one in flatten_arguments((self.args, self.kwargs))
            if isinstance(one, SeenTensor)
        ]


class Cut(NamedTuple):
    """A place where PyTorch lost the gradient of what an operation was given: why, and what was given."""

    why: str
    name: str
    frames: Frames
    sources: tuple[Any, ...]


class Sent(NamedTuple):
    """One contribution in PyTorch's sweep: to which output, and what that held before and after."""

    slot: int
    to: Output
    contribution: torch.Tensor
    before: torch.Tensor | None
    after: torch.Tensor


class Event(NamedTuple):
    """An event of PyTorch's sweep at a node: gradients have ``arrived``, or it has sent its contributions."""

    node: int
    arrived: tuple[torch.Tensor | None, ...] | None
    sent: tuple[Sent, ...] = ()


class Sweep:
    """One backward pass of PyTorch: the nodes of its graph, and the events in the engine's order.

    Nodes are called by their place in `nodes`.
    """

    def __init__(
        self, recording: Recording, outputs: Sequence[Any], seeds: Sequence[Any], frames: Frames
    ) -> None:
        self.frames = frames
        self.roots = [_gradient_edge(one) for one in outputs]
        self.seeds = [None if one is None else copy_tensor(one) for one in seeds]
        is_tensor = bool(outputs) and isinstance(outputs[0], torch.Tensor)
        self.result = copy_tensor(outputs[0]) if is_tensor else None
        self.nodes: list[Any] = []
        self.place: dict[Any, int] = {}
        self.edges: list[tuple[tuple[int, int] | None, ...]] = []
        self.kept: list[Kept] = []
        self.saved_values: dict[Output, torch.Tensor] = {}
        self.events: list[Event] = []
        self.differing: list[int] = []
        self.failure: Exception | None = None
        self.is_equal_to_grad: dict[int, bool] = {}
        self._recording = recording
        self._held: dict[Output, torch.Tensor] = {}
        self._grad_before: dict[int, torch.Tensor | None] = {}
        self._storages: set[int] = set()
        self._discover()
        for (node, number), seed in zip(self.roots, self.seeds, strict=False):
            if seed is not None:
                self._held[(self.place[node], number)] = seed

    def _discover(self) -> None:
        """Find all nodes that the sweep may go through, and what each has saved."""
        stack = [node for node, _ in self.roots]
        while stack:
            node = stack.pop()
            if node in self.place:
                continue
            self.place[node] = len(self.nodes)
            self.nodes.append(node)
            stack += [to for to, _ in node.next_functions if to is not None]
        for k, node in enumerate(self.nodes):
            self.edges.append(
                tuple(None if to is None else (self.place[to], n) for to, n in node.next_functions)
            )
            self.kept.append(self._measure(node))
            if self.is_leaf(k):
                grad = node.variable.grad
                self._grad_before[k] = None if grad is None else copy_tensor(grad)
                self._recording.see_leaf(node.variable)

    def is_leaf(self, node: int) -> bool:
        """Whether a node of the sweep adds to the `.grad` of a tensor."""
        return hasattr(self.nodes[node], "variable")

    def number(self, node: int) -> int:
        """The sequence number of a node of the sweep."""
        return private.number_of_node(self.nodes[node])

    def _measure(self, node: Any) -> Kept:
        """Count what a node has saved that no other has saved before."""
        numbers = size = 0
        for tensor, _ in private.saved_tensors(node):
            if tensor is None or tensor.layout != torch.strided:
                continue
            if (
                tensor.grad_fn is not None
                and tensor.grad_fn in self.place
                and not private.is_view(tensor)
            ):
                output = (self.place[tensor.grad_fn], tensor.output_nr)
                self.saved_values.setdefault(output, copy_tensor(tensor))
            storage = tensor.untyped_storage()
            if storage.data_ptr() not in self._storages:
                self._storages.add(storage.data_ptr())
                numbers, size = (
                    numbers + storage.nbytes() // tensor.element_size(),
                    size + storage.nbytes(),
                )
        return Kept(numbers, size)

    @contextlib.contextmanager
    def hooked(self) -> Iterator[None]:
        """Watch the sweep by hooks on all of its nodes."""
        handles = []
        for k, node in enumerate(self.nodes):
            handles.append(node.register_prehook(self._guard(self._arrive, k)))
            handles.append(node.register_hook(self._guard(self._send, k)))
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()
            self._compare_with_grad()
            self._held.clear()

    def _guard(self, watch: Callable[..., None], node: int) -> Callable[..., None]:
        # An error in a hook would end the learner's own backward pass.
        def hook(*gradients: Any) -> None:
            if self.failure is None:
                try:
                    watch(node, *gradients)
                except Exception as error:
                    self.failure = error

        return hook

    def _arrive(self, node: int, gradients: Sequence[torch.Tensor | None]) -> None:
        arrived: list[torch.Tensor | None] = []
        for number, gradient in enumerate(gradients):
            if gradient is None:
                arrived.append(None)
                continue
            held = self._held.get((node, number))
            if held is None or not is_same(held, gradient):
                self.differing.append(node)
                held = self._recording.copy(gradient)
                self._held[(node, number)] = held
            arrived.append(held)
        self.events.append(Event(node, tuple(arrived)))

    def _send(self, node: int, gradients: Sequence[torch.Tensor | None], _: Any) -> None:
        sent = []
        for slot, (to, gradient) in enumerate(zip(self.edges[node], gradients, strict=False)):
            if to is None or gradient is None:
                continue
            # an inner sweep: this value belongs to a line of the outer one
            if gradient.grad_fn is not None:
                output = (private.number_of_node(gradient.grad_fn), gradient.output_nr)
                self._recording.values.setdefault(
                    output, (private.version_of(gradient), copy_tensor(gradient))
                )
            contribution = self._recording.copy(gradient)
            before = self._held.get(to)
            after = contribution if before is None else before + contribution
            self._held[to] = after
            sent.append(Sent(slot, to, contribution, before, after))
        self.events.append(Event(node, None, tuple(sent)))

    def _compare_with_grad(self) -> None:
        """Compare what arrived at each leaf with its `.grad`, bit for bit."""
        for k in filter(self.is_leaf, range(len(self.nodes))):
            grad, arrived = self.nodes[k].variable.grad, self._held.get((k, 0))
            if grad is None or arrived is None:
                continue
            before = self._grad_before[k]
            total = arrived if before is None else before + arrived
            self.is_equal_to_grad[k] = is_same(total, copy_tensor(grad))


class Recording:
    """A recording of what PyTorch does in a ``with`` block: kernels, sweeps, and where gradients were lost.

    Parameters
    ----------
    boundary : frame
        The learner's frame; frames outside of it are not looked at.
    names : mapping of torch.nn.Module to str
        What modules are called.
    includes_boundary : bool
        Whether the learner's frame itself belongs to the run.
    keeps_nodes : bool
        Keep all nodes that PyTorch makes, also those that nothing uses, for the record of half a run: `sweep_half`.
    """

    def __init__(
        self,
        boundary: FrameType,
        names: Mapping[Any, str],
        includes_boundary: bool,
        keeps_nodes: bool = False,
    ) -> None:
        self._boundary: FrameType | None = boundary
        self._names, self._includes_boundary = names, includes_boundary
        self._keeps_nodes = keeps_nodes
        self._edges: dict[GradientEdge, None] = {}
        self._last_outs: list[torch.Tensor] = []
        self.kernels: dict[int, Kernel] = {}
        self.values: dict[Output, tuple[int, torch.Tensor]] = {}
        self.leaves: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        self.leaf_frames: dict[int, Frames] = {}
        self.custom: dict[int, tuple[Frames, tuple[ModuleCall, ...]]] = {}
        self.sweeps: list[Sweep] = []
        self.inner: list[tuple[range, Frames]] = []
        self.cuts: list[Cut] = []
        self.copied_bytes = 0
        self.first_number = self._last = private.next_number() - 1
        self._constants: dict[tuple[int, int], tuple[torch.Tensor, torch.Tensor]] = {}
        self._running: list[ModuleCall] = []
        self._calls = 0
        self._in_backward = False
        self._last_call: tuple[int, int] | None = None

    def __len__(self) -> int:
        """How many nodes PyTorch has made since the recording began: what an execution log counts."""
        return private.next_number() - 1 - self.first_number

    def leave(self) -> dict[str, Any]:
        """Forget the learner's frame when the recording is over, and return the variables that it had."""
        frame, self._boundary = self._boundary, None
        if frame is None:
            return {}
        variables = dict(frame.f_locals)
        if type(frame.f_locals) is dict and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            # Before Python 3.13 a function's frame keeps this copy of its variables, and so the recording, alive.
            frame.f_locals.clear()
        return variables

    @property
    def ops(self) -> Recording:
        """What an execution log counts the length of: a tape's operations, here the nodes that PyTorch makes."""
        return self

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Record what happens in a ``with`` block."""
        with contextlib.ExitStack() as stack:
            for handle in (
                register_module_forward_pre_hook(self._enter_module),
                register_module_forward_hook(self._leave_module, always_call=True),
            ):
                stack.callback(handle.remove)
            stack.enter_context(private.intercept_backward(self._run_backward))
            stack.enter_context(_Kernels(self))
            yield

    def _enter_module(self, module: Any, _: Any) -> None:
        self._calls += 1
        path = self._names.get(module, type(module).__name__)
        self._running.append(ModuleCall(path, self._calls, len(self._walk(sys._getframe(1)))))

    def _leave_module(self, module: Any, _: Any, __: Any) -> None:
        if self._running:
            self._running.pop()

    def _walk(self, frame: FrameType | None) -> Frames:
        """The learner's frames up to the boundary, outermost first."""
        found = []
        while frame is not None and frame is not self._boundary:
            if is_user_frame(frame, ENGINE_MODULES):
                found.append((frame.f_code, frame.f_lasti))
            frame = frame.f_back
        if frame is not None and self._includes_boundary:
            found.append((frame.f_code, frame.f_lasti))
        return tuple(reversed(found))

    def copy(self, tensor: torch.Tensor) -> torch.Tensor:
        """Copy a tensor for the record.

        Raises
        ------
        FrameworkError
            If more than `MAX_COPIED_BYTES` were copied.
        """
        copied = copy_tensor(tensor)
        self.copied_bytes += copied.numel() * copied.element_size()
        if self.copied_bytes > MAX_COPIED_BYTES:
            raise FrameworkError(
                f"The record of this run would hold more than {MAX_COPIED_BYTES / 1e9:.1f} GB of copies: "
                "watch a step with fewer examples, or a smaller part of the model."
            )
        return copied

    def see_leaf(self, tensor: torch.Tensor) -> torch.Tensor:
        """Copy the value of a leaf when it is first used: an optimizer may change it later."""
        if id(tensor) not in self.leaves:
            self.leaves[id(tensor)] = tensor, self.copy(tensor)
        return self.leaves[id(tensor)][1]

    def _see(self, tensor: torch.Tensor) -> SeenTensor:
        is_float, version = tensor.is_floating_point(), private.version_of(tensor)
        if not tensor.requires_grad:
            key = id(tensor), version
            if key not in self._constants:
                self._constants[key] = tensor, self.copy(tensor)
            return SeenTensor(self._constants[key][1], None, None, id(tensor), is_float)
        node = tensor.grad_fn
        if node is None:
            return SeenTensor(self.see_leaf(tensor), None, id(tensor), id(tensor), is_float)
        self._keep_node(tensor)
        output = private.number_of_node(node), tensor.output_nr
        known = self.values.get(output)
        if known is None:
            known = self.values[output] = version, self.copy(tensor)
        value = known[1] if known[0] == version else self.copy(tensor)
        return SeenTensor(value, output, None, id(tensor), is_float)

    def watch_kernel(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Run a kernel, and record it if PyTorch has made a node for it."""
        if self._in_backward:
            return func(*args, **kwargs)
        self._keep_last_nodes()
        number, frame = private.next_number() - 1, _find_caller(sys._getframe(2))
        given = [one for one in flatten_arguments((args, kwargs)) if isinstance(one, torch.Tensor)]
        has_grad = any(one.requires_grad for one in given)
        is_new, kernel = number > self._last, None
        if is_new and has_grad and torch.is_grad_enabled():
            self._last = number
            seen = map_arguments(
                lambda one: self._see(one) if isinstance(one, torch.Tensor) else one, [args, kwargs]
            )
            kernel = Kernel(func, list(seen[0]), seen[1], self._walk(frame), tuple(self._running))
            self.kernels[number] = kernel
            self._last_call = (id(frame), frame.f_lasti)
        elif is_new and not torch.is_grad_enabled():
            # The inside of a custom Function: its node is there, and takes these frames.
            self.custom.setdefault(number, (self._walk(frame), tuple(self._running)))
        result = func(*args, **kwargs)
        outs = [one for one in flatten_arguments(result) if isinstance(one, torch.Tensor)]
        if kernel is not None:
            self._keep_outputs(kernel, number, given, outs)
        if self._keeps_nodes:
            # To read the node of a view that was changed in place would make another one.
            is_mutable = func._schema.is_mutable
            self._last_outs = [private.base_of(one) if is_mutable else one for one in outs]
        if has_grad and len(self.cuts) < _MAX_CUTS:
            self._find_cut(func, given, outs, frame)
        return result

    def _keep_outputs(
        self,
        kernel: Kernel,
        number: int,
        given: Sequence[torch.Tensor],
        outs: Sequence[torch.Tensor],
    ) -> None:
        for k, one in enumerate(outs):
            copied = self.copy(one) if one.is_floating_point() else None
            kernel.outs.append(copied)
            if copied is not None:
                self.values[(number, k)] = private.version_of(one), copied
        if kernel.func._schema.is_mutable and given and private.is_view(given[0]):
            kernel.base_after = self.copy(private.base_of(given[0]))

    def _keep_node(self, tensor: torch.Tensor) -> None:
        """Keep the node of a tensor that has one."""
        if self._keeps_nodes and tensor.grad_fn is not None:
            self._edges[GradientEdge(tensor.grad_fn, tensor.output_nr)] = None

    def _keep_last_nodes(self) -> None:
        """Keep the nodes of what the last kernel returned: PyTorch makes them when the kernel is over."""
        for tensor in self._last_outs:
            self._keep_node(tensor)
        self._last_outs = []

    def sweep_half(self) -> Sweep:
        """The nodes of a run that an exception has ended, as a sweep without events."""
        self._keep_last_nodes()
        return Sweep(self, list(self._edges), (), ())

    def _find_cut(
        self,
        func: Any,
        given: Sequence[torch.Tensor],
        outs: Sequence[torch.Tensor],
        frame: FrameType,
    ) -> None:
        """Note where a gradient is lost: by `detach`, under `no_grad`, as a Python number, in integers."""
        name = func._schema.name.split("::")[1]
        why = ""
        call = (id(frame), frame.f_lasti)
        if name == "detach":
            # PyTorch itself detaches a result that it saves for its formula, in the call that computes it.
            why = "" if call == self._last_call else "detach"
        elif name == "_local_scalar_dense":
            why = "item"
        elif not torch.is_grad_enabled():
            why = "no_grad"
        elif outs and not any(one.is_floating_point() for one in outs):
            why = "integer"
        if not why or _runs_inside(frame, ("torch.autograd.function", "torch.optim")):
            return
        with_grad = [private.base_of(one) for one in given if one.requires_grad]
        sources = tuple(one if one.grad_fn is None else one.grad_fn for one in with_grad)
        self.cuts.append(Cut(why, name, self._walk(frame), sources))

    def _run_backward(self, original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Run a backward pass of PyTorch without the dispatch mode, and watch it by hooks."""
        if self._in_backward:
            # a checkpoint that runs its own sweep inside of this one
            return original(*args, **kwargs)
        outputs, seeds = args[0], args[1]
        if any(private.is_wrapped(one) for one in outputs):
            return original(*args, **kwargs)  # torch.func has no nodes that hooks could be put on
        if any(isinstance(one, torch.Tensor) and not one.requires_grad for one in outputs):
            return _run_without_graph(original, *args, **kwargs)
        create_graph = bool(args[3]) if len(args) > 3 else bool(kwargs.get("create_graph", False))
        frames = self._walk(sys._getframe(2))
        first = private.next_number()
        self._in_backward = True
        try:
            with private.without_modes():
                sweep = Sweep(self, list(outputs), list(seeds), frames)
                with sweep.hooked():
                    result = original(*args, **kwargs)
        finally:
            self._in_backward = False
        self.sweeps.append(sweep)
        if create_graph:
            self.inner.append((range(first, private.next_number()), frames))
            self._last = private.next_number() - 1
        return result


def _run_without_graph(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Run a backward pass; to PyTorch's error about a loss without a graph, add a note that says where to look."""
    try:
        return original(*args, **kwargs)
    except RuntimeError as error:
        error.add_note(
            "The loss has no graph: it depends on no tensor that requires a gradient. Watch the step with "
            "`with ad.watch(model) as run:`; run.why_none() then says where the gradient of each parameter was lost."
        )
        raise


class _Kernels(private.DispatchMode):
    """PyTorch's dispatch mode that shows each kernel to a recording."""

    def __init__(self, recording: Recording) -> None:
        super().__init__()
        self._recording = recording

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self._recording.watch_kernel(func, args, kwargs or {})


def copy_tensor(tensor: torch.Tensor) -> torch.Tensor:
    """Copy a tensor as a dense one without a gradient.

    Raises
    ------
    FrameworkError
        If it is not on the CPU, or complex.
    """
    with torch.no_grad():
        if tensor.device.type != "cpu":
            raise FrameworkError(
                f"A tensor of this run is on {tensor.device}, but only runs on the CPU can be recorded: "
                "move model and data with .cpu() first."
            )
        if tensor.is_complex():
            raise FrameworkError(
                "A tensor of this run is complex, but only real numbers can be shown: split it into its real and "
                "imaginary part, x.real and x.imag, before the part that you want to see."
            )
        dense = tensor.to_dense() if tensor.layout != torch.strided else tensor
        return dense.detach().clone()


def is_same(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether two tensors have the same entries bit for bit; NaN is the same as NaN."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    b = b.to_dense() if b.layout != torch.strided else b
    return bool(torch.equal(a, b)) or bool(((a == b) | (a.isnan() & b.isnan())).all())


def to_array(tensor: torch.Tensor) -> Any:
    """A tensor as a NumPy array or number; NumPy knows no bfloat16, so that is float32 there."""
    return (tensor.float() if tensor.dtype in _REDUCED else tensor).numpy()[()]


def flatten_arguments(tree: Any) -> Iterator[Any]:
    """Yield the leaves of nested lists, tuples and dicts of arguments."""
    if isinstance(tree, SeenTensor):
        yield tree
    elif isinstance(tree, (list, tuple)):
        for one in tree:
            yield from flatten_arguments(one)
    elif isinstance(tree, dict):
        yield from flatten_arguments(list(tree.values()))
    else:
        yield tree


def map_arguments(function: Callable[[Any], Any], tree: Any) -> Any:
    """Apply a function to the leaves of nested lists, tuples and dicts of arguments."""
    if isinstance(tree, (list, tuple)) and not isinstance(tree, (SeenTensor, torch.Size)):
        return [map_arguments(function, one) for one in tree]
    if isinstance(tree, dict):
        return {key: map_arguments(function, one) for key, one in tree.items()}
    return function(tree)


def _gradient_edge(one: Any) -> tuple[Any, int]:
    """The node and the output of it that a sweep begins at."""
    if not isinstance(one, torch.Tensor):
        return one.node, one.output_nr
    edge = torch.autograd.graph.get_gradient_edge(one)
    return edge.node, edge.output_nr


def _find_caller(frame: FrameType) -> FrameType:
    """The frame that called the operator: PyTorch puts frames of its own around a dispatch mode."""
    around = ("torch._dynamo.", "torch.utils._python_dispatch")
    while str(frame.f_globals.get("__name__", "")).startswith(around) and frame.f_back is not None:
        frame = frame.f_back
    return frame


def _runs_inside(frame: FrameType | None, modules: tuple[str, ...]) -> bool:
    """Whether a function of one of these modules is running."""
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).startswith(modules):
            return True
        frame = frame.f_back
    return False
