"""What the notebook `chance` draws of estimates: a staircase, and how estimates spread."""

from collections.abc import Callable, Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np


def draw_stairs(average: Callable[[float], float], exact: Callable[[Any], Any]) -> None:
    """Draw an average of fixed throws by the load, and the average that it estimates.

    Parameters
    ----------
    average : callable
        The average of the throws with that load.
    exact : callable
        The expectation, for an array of loads.
    """
    loads = np.linspace(0.0, 0.3, 1201)
    plt.plot(
        loads, [average(load) for load in loads], ".", markersize=1.5, label="a hundred throws"
    )
    plt.plot(loads, exact(loads), "--", label="all possible throws")
    plt.xlabel("load")
    plt.ylabel("average")
    plt.legend()
    plt.show()


def draw_spread(estimates: Mapping[str, Any], exact: float, group: int) -> None:
    """Draw how averages of estimates spread round the exact slope, with how far their mean is off and their deviation.

    Parameters
    ----------
    estimates : mapping of str to array
        For each estimator many estimates of one sample each.
    exact : float
        The slope that they estimate.
    group : int
        How many samples are averaged for one dot.
    """
    _, axis = plt.subplots(figsize=(6.6, 0.7 + 0.7 * len(estimates)))
    labels = []
    for row, (name, each) in enumerate(estimates.items()):
        dots = np.reshape(each, (-1, group)).mean(axis=1)
        height = row + np.linspace(-0.25, 0.25, len(dots))
        axis.plot(dots, height, f"C{row}.", markersize=3, alpha=0.5)
        axis.plot(dots.mean(), row, "k|", markersize=24)
        labels.append(f"{name}\noff by {dots.mean() - exact:+.2f}, deviation {dots.std():.2f}")
    axis.axvline(exact, color="k", linewidth=1, linestyle=":")
    axis.set_yticks(range(len(labels)), labels)
    axis.invert_yaxis()
    axis.set_xlim(exact - 3, exact + 3)  # what is farther off stays out of sight
    axis.set_xlabel(f"slope from {group} samples (exact: {exact:.2f})")
    plt.show()


def draw_learning(courses: Mapping[str, Any]) -> None:
    """Draw how the chance of the best choice changes while something learns, for several ways to learn."""
    for name, chances in courses.items():
        plt.plot(chances, label=name)
    plt.ylim(0, 1)
    plt.xlabel("turn")
    plt.ylabel("chance of the best machine")
    plt.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)  # the lines are everywhere
    plt.show()


def draw_beliefs(z: Any, exact: Any, fitted: Any) -> None:
    """Draw two densities over the chance of a six, whose log odds are `z`."""
    chance = 1 / (1 + np.exp(-z))
    stretch = chance * (1 - chance)  # a density by z becomes one by the chance
    plt.plot(chance, exact / stretch, label="exact, by adding it up")
    plt.plot(chance, fitted / stretch, "--", label="fitted")
    plt.axvline(1 / 6, color="k", linewidth=1, linestyle=":")
    plt.xlim(0, 0.6)
    plt.xlabel("chance of a six")
    plt.legend()
    plt.show()
