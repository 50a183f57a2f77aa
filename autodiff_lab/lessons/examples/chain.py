"""The chain that is reversed with checkpoints: the logistic map, again and again."""

import functools
from typing import Any

from autodiff_lab.transforms.gradients import grad

# The initial state.
START = 0.3


def logistic(x: Any) -> Any:
    """The logistic map 4x(1 − x): a step of the chain that is reversed with checkpoints."""
    return 4.0 * x * (1.0 - x)


@functools.lru_cache(maxsize=256)
def sweep_whole_chain(steps: int) -> float:
    """The derivative of a chain of `steps` steps of `logistic`, with all of them on one tape."""

    def chain(x: Any) -> Any:
        for _ in range(steps):
            x = logistic(x)
        return x

    return float(grad(chain)(START))
