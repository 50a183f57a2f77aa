"""PyTorch's private names that a recording needs, each with what would break without it.

`tests/frameworks/test_pytorch_private.py` tries each of them, and says so when a version of PyTorch changes one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

# The dispatch mode sees the value of every kernel. PyTorch documents it, under this private module.
DispatchMode = TorchDispatchMode

# AccumulateGrad, which adds to `.grad`, runs as soon as it is ready: its number is the largest there is.
LAST_NUMBER = 2**64 - 1


def next_number() -> int:
    """The sequence number that PyTorch gives to the next node of its graph: without it no value finds its node."""
    return torch._C._autograd._get_sequence_nr()


def number_of_node(node: Any) -> int:
    """The sequence number of a node: without it the lines have no order."""
    return node._sequence_nr()


@contextmanager
def without_modes() -> Iterator[None]:
    """Switch the dispatch mode off: in a backward pass it would make PyTorch take other formulas (`prod`)."""
    with _disable_current_modes():
        yield


@contextmanager
def intercept_backward(run: Callable[..., Any]) -> Iterator[None]:
    """Let `run(original, *args, **kwargs)` stand for the one function through which all backward passes go."""
    original = torch.autograd._engine_run_backward

    def intercepted(*args: Any, **kwargs: Any) -> Any:
        return run(original, *args, **kwargs)

    torch.autograd._engine_run_backward = intercepted
    try:
        yield
    finally:
        torch.autograd._engine_run_backward = original


def saved_tensors(node: Any) -> Iterator[tuple[Any, bool]]:
    """Yield what a node has saved for its formula, and whether a hook packed it (then it is not unpacked here).

    To unpack what `checkpoint` has packed would run its part of the program again. What was changed in place since
    raises in PyTorch, and is left out.
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


def is_view(tensor: torch.Tensor) -> bool:
    """Whether a tensor is a view: to read its `grad_fn` after an in-place operation would add a node to the graph."""
    return tensor._is_view()


def base_of(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor that a view looks at; a tensor that is none itself."""
    return tensor._base if tensor._base is not None else tensor


def version_of(tensor: torch.Tensor) -> int:
    """How often a tensor was changed in place: without it an old value would stand for a new one."""
    return 0 if tensor.is_inference() else tensor._version
