"""PyTorch's private names that a recording needs, each with the reason.

`tests/frameworks/test_pytorch_private.py` tries each of them, and fails when a version of PyTorch changes one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

# The dispatch mode sees the value of every kernel. PyTorch documents it, under this private module.
DispatchMode = TorchDispatchMode

# The sequence number of AccumulateGrad, which adds to `.grad`: the largest number, so that it runs as soon as it can.
LAST_NUMBER = 2**64 - 1


def next_number() -> int:
    """Return the sequence number that PyTorch gives to its next node, needed to match values with nodes."""
    return torch._C._autograd._get_sequence_nr()


def number_of_node(node: Any) -> int:
    """Return the sequence number of a node, needed to put the lines in order."""
    return node._sequence_nr()


@contextmanager
def without_modes() -> Iterator[None]:
    """Switch the dispatch mode off: with it, PyTorch uses other formulas in a backward pass (for example in `prod`)."""
    with _disable_current_modes():
        yield


@contextmanager
def intercept_backward(run: Callable[..., Any]) -> Iterator[None]:
    """Replace the one function that all backward passes call; `run(original, *args, **kwargs)` is called instead."""
    original = torch.autograd._engine_run_backward

    def intercepted(*args: Any, **kwargs: Any) -> Any:
        return run(original, *args, **kwargs)

    torch.autograd._engine_run_backward = intercepted
    try:
        yield
    finally:
        torch.autograd._engine_run_backward = original


def saved_tensors(node: Any) -> Iterator[tuple[Any, bool]]:
    """Yield each tensor that a node has saved for its backward formula, and whether a hook has packed it.

    A packed tensor is yielded as None: to unpack a tensor of `checkpoint` would run its part of the program again. A
    tensor that was changed in place since is left out, because PyTorch raises an error for it.
    """
    for name in _names_of_saved(type(node), node):
        packed = getattr(node, "_raw" + name, None)
        if any(getattr(one, "unpack_hook", None) is not None for one in _as_tuple(packed)):
            yield None, True
            continue
        try:
            found = getattr(node, name)
        except RuntimeError:
            continue
        for one in _as_tuple(found):
            if isinstance(one, torch.Tensor):
                yield one, False


_SAVED: dict[type, list[str]] = {}


def _names_of_saved(kind: type, node: Any) -> list[str]:
    if kind not in _SAVED:
        _SAVED[kind] = [name for name in dir(node) if name.startswith("_saved_")]
    return _SAVED[kind]


def _as_tuple(x: Any) -> tuple[Any, ...]:
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def is_wrapped(x: Any) -> bool:
    """Whether `torch.func` has wrapped a tensor; then it has no storage, and its nodes can't have hooks."""
    return isinstance(x, torch.Tensor) and torch._C._functorch.is_functorch_wrapped_tensor(x)


def is_view(tensor: torch.Tensor) -> bool:
    """Whether a tensor is a view; reading a view's `grad_fn` after an in-place operation adds a node to the graph."""
    return tensor._is_view()


def base_of(tensor: torch.Tensor) -> torch.Tensor:
    """Return the tensor whose memory a view shares; a tensor that isn't a view is returned itself."""
    return tensor._base if tensor._base is not None else tensor


def version_of(tensor: torch.Tensor) -> int:
    """Count how often a tensor was changed in place, needed to know whether a copy of it is still up to date."""
    return 0 if tensor.is_inference() else tensor._version
