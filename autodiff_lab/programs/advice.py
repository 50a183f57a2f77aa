"""What a program says where its arguments do not fit, and where compiling does not pay."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..engine.errors import ShapeError
from ..transforms.recording import name_of
from .arguments import Input, Inputs
from .version import Version

__all__ = ["again_and_again", "refused", "worth_it"]


def worth_it(made: Callable[..., Any], version: Version) -> None:
    """Say from which call on a long program pays."""
    from ..transforms.gradients import value_and_grad

    order, args = version.order, version.inputs.plain
    cost, clock = sum(version.seconds.values()), [time.perf_counter()]
    made(*args)
    clock.append(time.perf_counter())
    (value_and_grad(order.f, order.argnums) if order.mode == "reverse" else order.f)(*args)
    clock.append(time.perf_counter())
    quick, slow = clock[1] - clock[0], clock[2] - clock[1]
    calls = cost / (slow - quick) if slow > quick else np.inf
    _warn(
        f"A long program: {version.of_f:,} operations took {cost:.1f} s to compile. A call takes {quick:.3f} s instead "
        f"of {slow:.3f} s without it, so it pays {f'from call {calls:.0f} on' if np.isfinite(calls) else 'never'}. "
        "Array operations in place of loops over numbers make the tape shorter."
    )


def again_and_again(versions: Sequence[Version]) -> None:
    """Say that there are more versions than are kept, by what the last two differ, and what to write instead."""
    before, last = versions[-2].inputs, versions[-1].inputs
    order = versions[-1].order
    cost = sum(sum(version.seconds.values()) for version in versions)
    differ = _differing(before, last)
    if before.key == last.key:
        cause = "Its arguments are of one kind, and again and again it goes another way through its branches."
        remedy = "Choose with np.where what an `if` chooses now, or take value_and_grad, which needs no compiling."
    elif differ:
        cause = f"Last {differ[0].path} was {_kind(differ[0].value)}, and then {_kind(differ[1].value)}."
        remedy = "Bring the arguments to a few shapes, by padding for example."
    else:
        cause = "Last the arguments differed in structure, or in what is not a float: that is compiled in."
        remedy = "A number to compute with becomes an input if it is a float: 3.0 for 3."
    _warn(
        f"The program of {name_of(order.f)} was compiled {len(versions)} times, which took {cost:.2g} s, and keeps the "
        f"{order.max_versions} versions used last (max_versions): from now on it may compile one that it had before. "
        f"{cause} {remedy} If all of them are meant, raise max_versions."
    )


def refused(compiled_for: Inputs, given: Inputs, name: str) -> ShapeError:
    """Say by what the arguments differ from those that a program was compiled for."""
    differ = _differing(compiled_for, given)
    if differ:
        a, b = differ
        return ShapeError(
            f"{name} was compiled for {a.path} as {_kind(a.value)}, and was called with {b.path} as "
            f"{_kind(b.value)}. Compile another program for that, or this one with on_branch='rerecord', which "
            "does so by itself."
        )
    return ShapeError(
        f"{name} was compiled for arguments of another structure, or with another value of what is not a float: only "
        "floats and arrays of floats are inputs, all else is compiled in. on_branch='rerecord' compiles as needed."
    )


def _differing(these: Inputs, those: Inputs) -> tuple[Input, Input] | None:
    """The first inputs that are not of one kind."""
    for a, b in zip(these.leaves, those.leaves, strict=False):
        if a.path != b.path or np.shape(a.value) != np.shape(b.value) or a.value.dtype != b.value.dtype:
            return a, b
    return None


def _kind(x: Any) -> str:
    what = "a number" if np.shape(x) == () else f"an array of shape {np.shape(x)}"
    return what if x.dtype == np.float64 else f"{what} ({x.dtype})"


def _warn(message: str) -> None:
    """Warn at the line that called the program, through whatever stands between: generated functions too."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and (
        frame.f_globals.get("__name__", "").startswith(__package__) or frame.f_code.co_filename.startswith("<program ")
    ):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)
