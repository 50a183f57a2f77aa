"""Plots of the notebook `memory`: a schedule over time and its three parts; and a step that measures memory."""

import tracemalloc
from collections.abc import Callable, Iterable
from typing import Any

import matplotlib.pyplot as plt

import autodiff_lab as ad


class MemoryWatch:
    """A step that measures at each call how many arrays are in memory, and counts the calls that aren't recorded."""

    def __init__(self, step: Callable[[Any], Any], size: int) -> None:
        self.step, self.size = step, size
        self.held: list[float] = []
        self.extra = 0

    def __call__(self, x: Any) -> Any:
        """Run one step."""
        self.held.append(round(tracemalloc.get_traced_memory()[0] / self.size, 1))
        if not isinstance(x, ad.Variable):  # a Variable is being recorded
            self.extra += 1
        return self.step(x)


def draw_schedule(actions: Iterable[tuple[str, int, int]], title: str) -> None:
    """Plot a schedule: squares are stored states, rising lines steps forward, dashed falling lines reversed steps."""
    time = 0
    for kind, start, end in actions:
        if kind == "store":
            plt.plot(time, start, "C3s", markersize=5)
        elif kind == "advance":
            plt.plot([time, time + end - start], [start, end], "C0-")
            time += end - start
        elif kind == "reverse":
            plt.plot([time, time + 1], [end, start], "C1--")
            time += 1
    plt.xlabel("steps run so far")
    plt.ylabel("state")
    plt.title(title)
    plt.show()


def draw_parts(length: int, k: int) -> None:
    """Plot the three parts of a schedule that first runs ahead to state k, for a chain with `length` steps."""
    parts = ["3. first part, s slots", "2. last part, s − 1 slots", "1. run ahead"]
    plt.barh(parts, [k, length - k, k], left=[0, k, 0], color=["C2", "C1", "C0"])
    plt.xticks([0, k, length], ["state 0", "state k", "state l"])
    plt.grid(False)
    plt.xlabel("states of the chain")
    plt.show()
