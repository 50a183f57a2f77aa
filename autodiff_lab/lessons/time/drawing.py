"""What the notebook `time` draws of two ways to a gradient: their errors, and what they keep in memory."""

from collections.abc import Callable, Sequence

import matplotlib.pyplot as plt

Slope = Callable[[int], float]
PROGRAM, EQUATION = "the program, by its tape", "the equation, solved backward"
SMALLEST = 1e-16  # where the errors end that numbers can show


def draw_errors(sizes: Sequence[int], exact: float, program: Slope, equation: Slope) -> None:
    """Draw how far two slopes are from the exact one, and from each other, by the number of steps.

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
    """Measure two slopes, add them to what was collected before, and draw all of it.

    Parameters
    ----------
    collected : list
        What was measured before; grows by one entry.
    label : str
        What is measured now.
    tolerance : float
        The error that is accepted, as a fraction of the exact slope.
    exact, program, equation : callable
        The three slopes.
    kept : int
        How many values the tape of the program keeps.
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
    plt.ylim(1e-13, 1e7)  # what is farther off stays out of sight
    plt.title(label)
    plt.xlabel("numbers kept in memory")
    plt.ylabel("relative error")
    plt.legend(loc="upper left")
    plt.show()
