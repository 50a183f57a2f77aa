"""A sample: the arguments of one call of a function in the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Call(NamedTuple):
    """One way to call a row of the table."""

    f: Callable[..., Any]  # as a learner writes it, of the operands alone
    args: tuple[Any, ...]
    # the value by NumPy, where NumPy itself cannot run `f`
    reference: Callable[..., Any] | None = None


def array(*shape: int) -> Any:
    """Distinct, unround numbers of both signs."""
    n = int(np.prod(shape))
    return (np.sin(1.7 * np.arange(1, n + 1)) * 2 + 0.1).reshape(shape)
