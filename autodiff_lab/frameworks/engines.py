"""The choice of the engine that runs a function: our own, PyTorch or JAX, each imported only when it is needed."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

from autodiff_lab.engine.errors import AutodiffError
from autodiff_lab.engine.frames import INTERNAL_MODULES
from autodiff_lab.engine.tracebacks import find_user_calls
from autodiff_lab.trace.recorded_run import RecordedRun
from autodiff_lab.transforms.pytree import flatten
from autodiff_lab.transforms.recording import Raised

# The values of `engine` in play(…, engine=…); "" is the engine of this package.
ENGINES = ("", "pytorch", "jax")
_MODULES = {"pytorch": "torch", "jax": "jax"}
_TITLES = {"pytorch": "PyTorch", "jax": "JAX"}

# Modules whose frames the learner has not written.
ENGINE_MODULES = (*INTERNAL_MODULES, "autodiff_lab.frameworks.")


class FrameworkError(AutodiffError, RuntimeError):
    """Error: a run of another framework can't be recorded; the message says what to write instead.

    It isn't a TypeError: PyTorch's operators catch those and try something else, so the message would be lost.
    """


class Engine(Protocol):
    """An engine that runs a function and records the run, in a form that is the same for all frameworks."""

    def record(
        self,
        f: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        stop: bool = False,
    ) -> RecordedRun:
        """Run ``f(*args, **kwargs)`` and its derivative, and return the record of both.

        If `f` raises, the record is of the run up to there; with `stop`, the exception is raised.
        """

    def source_of(self, f: Callable[..., Any]) -> Any:
        """Return the function whose source is shown to the reader."""

    def replace_scalar(self, like: Any, value: float) -> Any:
        """Return an argument like this one, with another value."""

    def describe_reverse_only(self) -> str:
        """Return a sentence that says why there is no forward mode."""


def find_engine(f: Callable[..., Any], args: Sequence[Any], engine: str | None) -> Engine | None:
    """Find the engine that runs ``f(*args)``; None for our own.

    Without a name, it's found by the types of `f` and `args`: tensors and modules of PyTorch, arrays of JAX.

    Raises
    ------
    FrameworkError
        If there is no such engine, or it is not installed.
    """
    if engine is not None and engine not in ENGINES:
        raise FrameworkError(
            f"There is no engine {engine!r}; write engine='pytorch' or engine='jax', or leave it out for NumPy code."
        )
    if engine is None:
        engine = _detect(f, args)
    if not engine:
        return None
    require_installed(engine)
    return import_module(f"autodiff_lab.frameworks.{engine}").ENGINE


def is_installed(engine: str) -> bool:
    """Whether the framework of an engine is installed; this doesn't import it."""
    return importlib.util.find_spec(_MODULES[engine]) is not None


def require_installed(engine: str) -> None:
    """Raise an error that says how to install the framework of an engine, unless it is installed.

    Raises
    ------
    FrameworkError
        If it is not installed.
    """
    if not is_installed(engine):
        raise FrameworkError(
            f"{_TITLES[engine]} is not installed here: pip install {_MODULES[engine]}. "
            "Without it, play(f, …) still runs NumPy code, with the engine of this package."
        )


def describe_raised(error: Exception) -> Raised:
    """Describe what a function raised, for the record of the run up to there."""
    return Raised(type(error), str(error), find_user_calls(error, ENGINE_MODULES))


def _detect(f: Callable[..., Any], args: Sequence[Any]) -> str:
    """Find the framework of a call by the types of the function and its arguments; "" for our own engine.

    A framework that hasn't been imported yet can't have made an argument, so it isn't imported here.
    """
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "Tensor"):
        if isinstance(f, torch.nn.Module) or _is_compiled(f):
            return "pytorch"
        if _contains(torch.Tensor, args):
            return "pytorch"
    jax = sys.modules.get("jax")
    if jax is not None and hasattr(jax, "Array") and _contains(jax.Array, args):
        return "jax"
    return ""


def _contains(kind: type, args: Sequence[Any]) -> bool:
    """Whether the arguments, or the lists and dicts among them, contain a value of this type."""
    return any(isinstance(leaf, kind) for leaf in flatten(list(args)))


def _is_compiled(f: Callable[..., Any]) -> bool:
    """Whether this function was made by `torch.compile`."""
    return hasattr(f, "_torchdynamo_orig_callable") or hasattr(f, "_orig_mod")
