"""Recordings of PyTorch while it runs: the kernels of its forward pass, and the gradients in its own backward pass.

In the forward pass, a dispatch mode sees each kernel. It's off in the backward pass (the sweep), because PyTorch uses
other formulas under a dispatch mode. There, hooks on all nodes copy the gradients that arrive and those that are sent,
in the order of PyTorch's engine.
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

# How many bytes of a run are copied at most; a larger run raises an error.
MAX_COPIED_BYTES = 2**31

_MAX_CUTS = 10_000
_REDUCED = (torch.bfloat16, torch.float16)

Frames = tuple[tuple[CodeType, int], ...]
# An output of a node: the node's sequence number, or its place in `Sweep.nodes`, and the number of the output.
Output = tuple[int, int]


class SeenTensor(NamedTuple):
    """A tensor as a kernel saw it: a copy of its value, and its origin (an output of a node, a leaf, or neither)."""

    value: torch.Tensor
    output: Output | None
    leaf: int | None
    identity: int
    is_float: bool


@dataclass
class Kernel:
    """A kernel that PyTorch ran for a node: its arguments, with copies of the tensors, and its outputs."""

    func: Any
    args: list[Any]
    kwargs: dict[str, Any]
    frames: Frames
    modules: tuple[ModuleCall, ...]
    outs: list[torch.Tensor | None] = field(default_factory=list)
    base_after: torch.Tensor | None = None

    @property
    def name(self) -> str:
        """The kernel's name in PyTorch, without the underscore of an in-place operation: ``"mul"``."""
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
    """A place where an operation lost the gradient of its operands: the reason, and the operands' leaves or nodes."""

    why: str
    name: str
    frames: Frames
    sources: tuple[Any, ...]


class Sent(NamedTuple):
    """One contribution in PyTorch's sweep: the output that it is sent to, and that output's sum before and after."""

    slot: int
    to: Output
    contribution: torch.Tensor
    before: torch.Tensor | None
    after: torch.Tensor


class Event(NamedTuple):
    """An event of PyTorch's sweep at a node: its gradients have ``arrived``, or its contributions were ``sent``."""

    node: int
    arrived: tuple[torch.Tensor | None, ...] | None
    sent: tuple[Sent, ...] = ()


class Sweep:
    """One backward pass of PyTorch: the nodes of its graph, and the events in the engine's order.

    A node is identified by its place in `nodes`.
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
        """Find all nodes that the sweep can reach, and measure what each has saved."""
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
        """Whether a node of the sweep adds to the `.grad` of a leaf."""
        return hasattr(self.nodes[node], "variable")

    def number(self, node: int) -> int:
        """The sequence number of a node of the sweep."""
        return private.number_of_node(self.nodes[node])

    def _measure(self, node: Any) -> Kept:
        """Measure the memory that a node has saved and that no node before it has saved."""
        numbers = 0
        size = 0
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
            if storage.data_ptr() in self._storages:
                continue
            self._storages.add(storage.data_ptr())
            numbers += storage.nbytes() // tensor.element_size()
            size += storage.nbytes()
        return Kept(numbers, size)

    @contextlib.contextmanager
    def hooked(self) -> Iterator[None]:
        """Watch the sweep with hooks on all its nodes."""
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
        # An error in a hook would stop the learner's own backward pass, so it is kept for later.
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
            # With create_graph, a gradient is itself an output of a node, which the outer sweep goes through.
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
        """Compare the gradient that arrived at each leaf with its `.grad`, bit for bit."""
        for k in filter(self.is_leaf, range(len(self.nodes))):
            grad = self.nodes[k].variable.grad
            arrived = self._held.get((k, 0))
            if grad is None or arrived is None:
                continue
            before = self._grad_before[k]
            total = arrived if before is None else before + arrived
            self.is_equal_to_grad[k] = is_same(total, copy_tensor(grad))


class Recording:
    """A recording of a ``with`` block of PyTorch: its kernels, its sweeps, and the places where gradients were lost.

    Parameters
    ----------
    boundary : frame
        The learner's frame. The frames that called it are ignored.
    names : mapping of torch.nn.Module to str
        The name under which each module is shown.
    includes_boundary : bool
        Whether the learner's frame itself belongs to the run.
    keeps_nodes : bool
        Keep all nodes that PyTorch makes, even those that nothing uses, so that `sweep_half` finds them if the run is
        ended by an exception.
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
        """The number of nodes that PyTorch has made since the recording began, which an execution log counts."""
        return private.next_number() - 1 - self.first_number

    def leave(self) -> dict[str, Any]:
        """Release the learner's frame at the end of the recording, and return its variables."""
        frame = self._boundary
        self._boundary = None
        if frame is None:
            return {}
        variables = dict(frame.f_locals)
        if type(frame.f_locals) is dict and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            # Before Python 3.13 a function's frame keeps this copy of its variables, and so the recording, alive.
            frame.f_locals.clear()
        return variables

    @property
    def ops(self) -> Recording:
        """The sequence whose length an execution log records: of a tape its operations, here the nodes of PyTorch."""
        return self

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Record a ``with`` block."""
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
        """Return the learner's frames from the boundary to this one, outermost first."""
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
            If the copies of this recording exceed `MAX_COPIED_BYTES`.
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
        """Copy the value of a leaf at its first use, because an optimizer may change it later; return the copy."""
        if id(tensor) not in self.leaves:
            self.leaves[id(tensor)] = tensor, self.copy(tensor)
        return self.leaves[id(tensor)][1]

    def _see(self, tensor: torch.Tensor) -> SeenTensor:
        """Copy an argument of a kernel, unless there is a copy that is still up to date, and find its origin."""
        is_float = tensor.is_floating_point()
        version = private.version_of(tensor)
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
        is_new = number > self._last
        kernel = None
        if is_new and has_grad and torch.is_grad_enabled():
            self._last = number
            seen = map_arguments(
                lambda one: self._see(one) if isinstance(one, torch.Tensor) else one, [args, kwargs]
            )
            kernel = Kernel(func, list(seen[0]), seen[1], self._walk(frame), tuple(self._running))
            self.kernels[number] = kernel
            self._last_call = (id(frame), frame.f_lasti)
        elif is_new and not torch.is_grad_enabled():
            # This is the inside of a custom Function: PyTorch has made its node already, which gets these frames.
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
        """Return the nodes of a run that an exception has ended, as a sweep without events."""
        self._keep_last_nodes()
        return Sweep(self, list(self._edges), (), ())

    def _find_cut(
        self,
        func: Any,
        given: Sequence[torch.Tensor],
        outs: Sequence[torch.Tensor],
        frame: FrameType,
    ) -> None:
        """Note a place where a gradient is lost: by `detach`, under `no_grad`, as a Python number, in integers."""
        name = func._schema.name.split("::")[1]
        why = ""
        call = (id(frame), frame.f_lasti)
        if name == "detach":
            # When PyTorch saves a result for the backward pass, it detaches it, in the call that computes it.
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
        """Run a backward pass of PyTorch without the dispatch mode, and watch it with hooks."""
        if self._in_backward:
            # A checkpoint runs a backward pass of its own inside this one.
            return original(*args, **kwargs)
        outputs, seeds = args[0], args[1]
        if any(private.is_wrapped(one) for one in outputs):
            # The nodes of torch.func can't have hooks.
            return original(*args, **kwargs)
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
    """Run a backward pass that will fail because the loss has no graph, and add a note to PyTorch's error."""
    try:
        return original(*args, **kwargs)
    except RuntimeError as error:
        error.add_note(
            "The loss has no graph: it depends on no tensor that requires a gradient. Watch the step with "
            "`with ad.watch(model) as run:`; run.why_none() then reports where the gradient of each parameter was lost."
        )
        raise


class _Kernels(private.DispatchMode):
    """A dispatch mode of PyTorch that passes each kernel to a recording."""

    def __init__(self, recording: Recording) -> None:
        super().__init__()
        self._recording = recording

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self._recording.watch_kernel(func, args, kwargs or {})


def copy_tensor(tensor: torch.Tensor) -> torch.Tensor:
    """Copy a tensor as a dense tensor without a gradient.

    Raises
    ------
    FrameworkError
        If it is not on the CPU, or if it is complex.
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
    """Whether two tensors have the same elements, bit for bit; NaN is the same as NaN."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    b = b.to_dense() if b.layout != torch.strided else b
    return bool(torch.equal(a, b)) or bool(((a == b) | (a.isnan() & b.isnan())).all())


def to_array(tensor: torch.Tensor) -> Any:
    """Return a tensor as a NumPy array or number, in float32 if it has only 16 bits (NumPy has no bfloat16)."""
    if tensor.dtype in _REDUCED:
        tensor = tensor.float()
    return tensor.numpy()[()]


def flatten_arguments(tree: Any) -> Iterator[Any]:
    """Yield the leaves of nested lists, tuples and dicts of arguments; a `SeenTensor` is a leaf, although a tuple."""
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
    """Apply a function to the leaves of nested lists, tuples and dicts of arguments; tuples become lists."""
    if isinstance(tree, (list, tuple)) and not isinstance(tree, (SeenTensor, torch.Size)):
        return [map_arguments(function, one) for one in tree]
    if isinstance(tree, dict):
        return {key: map_arguments(function, one) for key, one in tree.items()}
    return function(tree)


def _gradient_edge(one: Any) -> tuple[Any, int]:
    """Return the node at which a sweep begins, and the number of its output."""
    if not isinstance(one, torch.Tensor):
        return one.node, one.output_nr
    edge = torch.autograd.graph.get_gradient_edge(one)
    return edge.node, edge.output_nr


def _find_caller(frame: FrameType) -> FrameType:
    """Return the frame that called the operator, without the frames that PyTorch puts around a dispatch mode."""
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
