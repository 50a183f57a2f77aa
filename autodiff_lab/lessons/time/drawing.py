"""Plots of the notebook `time`: the errors of two ways to compute a gradient, and the memory that each needs."""

from collections.abc import Callable, Sequence

import matplotlib.pyplot as plt

Slope = Callable[[int], float]
PROGRAM, EQUATION = "the program, by its tape", "the equation, solved backward"
SMALLEST = 1e-16  # the precision of a float; smaller errors are drawn here


def draw_errors(sizes: Sequence[int], exact: float, program: Slope, equation: Slope) -> None:
    """Plot how far two slopes are from the exact one, and from each other, against the number of steps.

    Parameters
    ----------
    sizes : sequence of int
        The numbers of steps.
    exact : float
        The slope that both approach.
    program, equation : callable
        The two slopes with that many steps.
    """
    by_program = [program(steps) for steps in sizes]
    by_equation = [equation(steps) for steps in sizes]
    apart = [abs(a - b) for a, b in zip(by_program, by_equation, strict=True)]
    plt.loglog(sizes, [abs(slope - exact) for slope in by_program], "o-", label=PROGRAM)
    plt.loglog(sizes, [abs(slope - exact) for slope in by_equation], "s--", label=EQUATION)
    plt.loglog(sizes, apart, "^:", label="one from the other")
    plt.xticks(sizes, [str(steps) for steps in sizes])
    plt.minorticks_off()
    plt.xlabel("steps")
    plt.ylabel("off by")
    plt.legend()
    plt.show()


def collect(
    collected: list[tuple[int, float, int, float]],
    *,
    label: str,
    tolerance: float,
    exact: Callable[[], float],
    program: Callable[[], float],
    equation: Callable[[], float],
    kept: int,
) -> None:
    """Measure the errors of two slopes, append them to the earlier ones, and plot all of them.

    Parameters
    ----------
    collected : list
        The earlier measurements; the new one is appended.
    label : str
        The title of the plot: what is measured now.
    tolerance : float
        The accepted error, relative to the exact slope.
    exact, program, equation : callable
        The three ways to compute the slope.
    kept : int
        The number of values that the program's tape keeps.
    """
    right = exact()
    errors = [max(abs(slope() - right) / abs(right), SMALLEST) for slope in (program, equation)]
    collected.append((kept, errors[0], 5, errors[1]))
    for kept_by_tape, off_by_tape, kept_by_equation, off_by_equation in collected:
        plt.loglog(kept_by_tape, off_by_tape, "C0o", alpha=0.3)
        plt.loglog(kept_by_equation, off_by_equation, "C1s", alpha=0.3)
    plt.loglog(kept, errors[0], "C0o", markersize=10, label=PROGRAM)
    plt.loglog(5, errors[1], "C1s", markersize=10, label=EQUATION)
    plt.axhline(tolerance, color="k", linewidth=1, linestyle=":")
    plt.xlim(2, 1e5)
    plt.ylim(1e-13, 1e7)  # the same for every measurement, so that the plots can be compared
    plt.title(label)
    plt.xlabel("numbers kept in memory")
    plt.ylabel("relative error")
    plt.legend(loc="upper left")
    plt.show()
