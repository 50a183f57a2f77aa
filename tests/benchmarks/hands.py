"""The hands: the ways to compute a derivative that are compared. They are the engine, a minimal engine, and libraries.

Each hand has a namespace `xp` with functions such as ``sin`` and ``sum``, and one method per task. A method does the
preparation and returns the call that is timed. A hand without the method can't do the task. A hand imports its library
in ``__init__``, so that the process in which it works doesn't load the libraries of the others.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import cache, partial
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import numpy as np

Call = Callable[[], Any]


class Engine:
    """This package, on plain NumPy."""

    xp: Any = np

    def __init__(self) -> None:
        import autodiff_lab

        self.it = autodiff_lab

    def array(self, x: Any) -> Any:
        return x

    def gradient(self, f: Any, *args: Any) -> Call:
        return partial(self.it.grad(f, tuple(range(len(args)))), *args)

    def hvp(self, f: Any, x: Any, v: Any) -> Call:
        return lambda: self.it.hvp(f, (x,), (v,))

    def hessian(self, f: Any, x: Any) -> Call:
        return partial(self.it.hessian(f), x)

    def jacobian(self, f: Any, x: Any) -> Call:
        return partial(self.it.jacfwd(f), x)

    def forward(self, f: Any, x: Any) -> Call:
        return lambda: self.it.jvp(f, (x,), (1.0,))[1]


class Program(Engine):
    """The engine's derivative, compiled before the clock starts. It also returns the value, which others don't."""

    def __init__(self) -> None:
        super().__init__()
        from autodiff_lab.programs import program

        self.program = program

    def _compiled(self, f: Any, *args: Any, **options: Any) -> Call:
        return partial(self.program(f, *args, **options), *args)

    def gradient(self, f: Any, *args: Any) -> Call:
        return self._compiled(f, *args, argnums=tuple(range(len(args))))

    def hvp(self, f: Any, x: Any, v: Any) -> Call:
        return self._compiled(lambda x, v: self.it.hvp(f, (x,), (v,)), x, v, mode="value")

    def hessian(self, f: Any, x: Any) -> Call:
        return self._compiled(self.it.hessian(f), x, mode="value")

    def jacobian(self, f: Any, x: Any) -> Call:
        return self._compiled(self.it.jacfwd(f), x, mode="value")

    def forward(self, f: Any, x: Any) -> Call:
        return self._compiled(f, x, mode="forward")

    def derivative(self, task: str, found: Any) -> Any:
        """Return the derivative alone, as the other hands do."""
        return found[1] if task in ("gradient", "forward") else found


class Closures:
    """The engine in `peer.py`, in the style of micrograd; only for scalars."""

    def __init__(self) -> None:
        from .peer import Node

        self.node = Node
        self.xp = SimpleNamespace(log=Node.log, sin=Node.sin)

    def array(self, x: Any) -> Any:
        return x

    def gradient(self, f: Any, *args: float) -> Call:
        def call() -> list[float]:
            inputs = [self.node(x) for x in args]
            f(*inputs).backward()
            return [x.grad for x in inputs]

        return call


class Micrograd:
    """micrograd; only for scalars. Functions that it doesn't have are written in its own style."""

    def __init__(self) -> None:
        from micrograd.engine import Value

        def function(
            f: Callable[[float], float], slope: Callable[[float, float], float]
        ) -> Callable[[Any], Any]:
            def call(x: Any) -> Any:
                out = Value(f(x.data), (x,), f.__name__)

                def _backward() -> None:
                    x.grad += slope(out.data, x.data) * out.grad

                out._backward = _backward
                return out

            return call

        # Its sort is recursive: a chain of operations needs one level for each.
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 5_000))
        self.value = Value
        self.xp = SimpleNamespace(
            log=function(math.log, lambda y, x: 1 / x),
            sin=function(math.sin, lambda y, x: math.cos(x)),
            exp=function(math.exp, lambda y, x: y),
        )

    def array(self, x: Any) -> Any:
        return x

    def gradient(self, f: Any, *args: float) -> Call:
        def call() -> list[float]:
            inputs = [self.value(x) for x in args]
            f(*inputs).backward()
            return [x.grad for x in inputs]

        return call


class Autograd:
    """HIPS autograd. Its Jacobian is computed row by row, because it has no forward-mode Jacobian."""

    def __init__(self) -> None:
        import autograd
        import autograd.numpy

        self.it, self.xp = autograd, autograd.numpy

    def array(self, x: Any) -> Any:
        return x

    def gradient(self, f: Any, *args: Any) -> Call:
        return partial(self.it.grad(f, tuple(range(len(args)))), *args)

    def hvp(self, f: Any, x: Any, v: Any) -> Call:
        return partial(self.it.hessian_vector_product(f), x, v)

    def hessian(self, f: Any, x: Any) -> Call:
        return partial(self.it.hessian(f), x)

    def jacobian(self, f: Any, x: Any) -> Call:
        return partial(self.it.jacobian(f), x)

    def forward(self, f: Any, x: Any) -> Call:
        push = self.it.make_jvp(f)
        return lambda: push(x)(1.0)[1]


class Torch:
    """PyTorch on the CPU, in double precision."""

    def __init__(self) -> None:
        import torch

        torch.set_num_threads(1)
        self.xp = torch

    def array(self, x: Any) -> Any:
        return self.xp.tensor(x, dtype=self.xp.float64)

    def gradient(self, f: Any, *args: Any) -> Call:
        leaves = [x.requires_grad_() for x in args]
        return lambda: self.xp.autograd.grad(f(*leaves), leaves)

    def hvp(self, f: Any, x: Any, v: Any) -> Call:
        gradient = self.xp.func.grad(f)
        return lambda: self.xp.func.jvp(gradient, (x,), (v,))[1]

    def hessian(self, f: Any, x: Any) -> Call:
        return partial(self.xp.func.hessian(f), x)

    def jacobian(self, f: Any, x: Any) -> Call:
        return partial(self.xp.func.jacfwd(f), x)

    def forward(self, f: Any, x: Any) -> Call:
        return lambda: self.xp.func.jvp(f, (x,), (self.xp.ones_like(x),))[1]


class Jax:
    """JAX on the CPU, in double precision, without compilation."""

    compiled: Callable[[Any], Any] = staticmethod(lambda f: f)

    def __init__(self) -> None:
        import jax

        jax.config.update("jax_enable_x64", True)
        self.it, self.xp = jax, jax.numpy

    def array(self, x: Any) -> Any:
        return self.xp.asarray(x)

    def _call(self, f: Any, *args: Any) -> Call:
        compiled = self.compiled(f)
        return lambda: self.it.block_until_ready(compiled(*args))

    def gradient(self, f: Any, *args: Any) -> Call:
        return self._call(self.it.grad(f, tuple(range(len(args)))), *args)

    def hvp(self, f: Any, x: Any, v: Any) -> Call:
        return self._call(lambda x, v: self.it.jvp(self.it.grad(f), (x,), (v,))[1], x, v)

    def hessian(self, f: Any, x: Any) -> Call:
        return self._call(self.it.hessian(f), x)

    def jacobian(self, f: Any, x: Any) -> Call:
        return self._call(self.it.jacfwd(f), x)

    def forward(self, f: Any, x: Any) -> Call:
        return self._call(lambda x: self.it.jvp(f, (x,), (self.xp.ones_like(x),))[1], x)


class JaxJit(Jax):
    """JAX, compiled before the clock starts."""

    def __init__(self) -> None:
        super().__init__()
        self.compiled = self.it.jit


# By the title of the column: the hand's class, and the library that it needs.
HANDS: dict[str, tuple[Callable[[], Any], str | None]] = {
    "engine": (Engine, None),
    "program": (Program, None),
    "closures": (Closures, None),
    "micrograd": (Micrograd, "micrograd"),
    "autograd": (Autograd, "autograd"),
    "PyTorch": (Torch, "torch"),
    "JAX": (Jax, "jax"),
    "JAX jit": (JaxJit, "jax"),
}
# The derivative that is written by hand: the unit of the table.
BY_HAND = "hand"
# The same, called as directly as a program, because below a microsecond the call itself matters.
BARE = "bare hand"


def missing(name: str) -> str | None:
    """Return why a hand can't take part on this machine; None if it can."""
    _, library = HANDS[name]
    if library is None or find_spec(library):
        return None
    return f"{library} is not installed"


@cache
def hand(name: str) -> Any:
    """Return the hand with this name; the first call imports its library."""
    return HANDS[name][0]()


def call_of(name: str, work: Any) -> Call:
    """Return the call that is timed, of a hand or of the derivative written by hand; this loads the hand's library."""
    if name == BY_HAND:
        return work.hand_written
    if name == BARE:
        return partial(work.by_hand, *work.constants, *work.args)
    return work.call(hand(name))


def flat(result: Any, name: str = "", task: str = "") -> np.ndarray:
    """Return the derivative, in whatever form a hand returns it, as an array with one axis."""
    if name == "program":
        result = hand(name).derivative(task, result)
    parts = result if isinstance(result, (tuple, list)) else (result,)
    return np.concatenate([np.ravel(np.asarray(part)) for part in parts])
