"""Plots of the notebook `chance`: a staircase, the spread of estimates, learning curves and densities."""

from collections.abc import Callable, Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np


def draw_stairs(average: Callable[[float], float], exact: Callable[[Any], Any]) -> None:
    """Plot the average of fixed throws against the load, and the expectation that it estimates.

    Parameters
    ----------
    average : callable
        Returns the average of the throws for a load.
    exact : callable
        Returns the expectations for an array of loads.
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
    """Plot averages of estimates around the exact slope, with the error of their mean and their standard deviation.

    Parameters
    ----------
    estimates : mapping of str to array
        For each estimator its estimates, each from a single sample.
    exact : float
        The slope that they estimate.
    group : int
        The number of estimates that are averaged for a dot.
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
    axis.set_xlim(exact - 3, exact + 3)  # outliers would squeeze the other dots
    axis.set_xlabel(f"slope from {group} samples (exact: {exact:.2f})")
    plt.show()


def draw_learning(courses: Mapping[str, Any]) -> None:
    """Plot learning curves: the probability of the best choice at each turn, for each method."""
    for name, chances in courses.items():
        plt.plot(chances, label=name)
    plt.ylim(0, 1)
    plt.xlabel("turn")
    plt.ylabel("chance of the best machine")
    plt.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)  # no corner is free of lines
    plt.show()


def draw_beliefs(z: Any, exact: Any, fitted: Any) -> None:
    """Plot two densities of the chance of a six, given as densities of its log odds `z`."""
    chance = 1 / (1 + np.exp(-z))
    stretch = chance * (1 - chance)  # the derivative of the chance with respect to z
    plt.plot(chance, exact / stretch, label="exact, by adding it up")
    plt.plot(chance, fitted / stretch, "--", label="fitted")
    plt.axvline(1 / 6, color="k", linewidth=1, linestyle=":")
    plt.xlim(0, 0.6)
    plt.xlabel("chance of a six")
    plt.legend()
    plt.show()
