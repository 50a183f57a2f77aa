"""Two exercises of notebook 07 with numbers of one's own: what is asked, and what people answer."""

from autodiff_lab.lessons.checks import Instance
from autodiff_lab.lessons.lesson_07.sandbox import SOURCES, count_pending, truth_table


def ask_for_pending_counts(target: str = "d", source: str = "x") -> Instance:
    """Pending counts between a source and a target of one small graph."""
    counts = count_pending(target, source)
    return Instance(counts.pop("pending"), mistakes=counts | {"after the sweep": (0, 0, 0, 0)})


def fill_truth_table(x: float = 3.0, accessed: bool = True) -> Instance:
    """Six slopes, and for each a reason to be there or not."""
    right, slope = truth_table(x, accessed), truth_table(x, True)[0]

    def instead(**cells: float | None) -> tuple[float | None, ...]:
        return tuple(cells.get(name, cell) for name, cell in zip(SOURCES, right, strict=True))

    mistakes = {
        "other switch": truth_table(x, not accessed),
        "all six": (slope,) * 6,
        "c watched": instead(c=slope),
        "b watched": instead(b=slope),
        "e recorded": instead(e=slope),
        "f recorded": instead(f=slope),
        "d not watched": instead(d=None),
        "zeros": tuple(0.0 if cell is None else cell for cell in right),
    }
    return Instance(right, mistakes=mistakes)
