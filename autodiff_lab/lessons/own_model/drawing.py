"""Views of PyTorch's runs for the notebook `own_model`: the order of a sweep, and gradients by layer."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt

from autodiff_lab.widgets.player.widget import Player


def sending_order(player: Player) -> list[str]:
    """Return the names of the operations in the order in which they send their adjoints."""
    trace = player.trace
    n_lines = len(trace.lines)
    events = [step.line for step in trace.steps[n_lines:]]
    inputs = set(trace.inputs)
    return [trace.lines[i].clear_name for i in dict.fromkeys(events) if i not in inputs]


def draw_gradients(norms: Mapping[str, Sequence[float]]) -> None:
    """Plot the size of each layer's gradient on a log scale, with a line for each network.

    Parameters
    ----------
    norms : mapping of str to sequence of float
        For each network its sizes, from the first layer to the last.
    """
    for (name, sizes), style in zip(norms.items(), ("o-", "s--", "^:", "v-."), strict=False):
        plt.semilogy(range(1, len(sizes) + 1), sizes, style, markersize=4, label=name)
    plt.xlabel("layer")
    plt.ylabel("size of the adjoint there")
    plt.xticks(range(1, 21, 2))
    plt.legend()
    plt.show()
