"""The two exercises of notebook 07 with numbers of one's own: what is asked, and what people answer."""

from __future__ import annotations

from autodiff_lab.lessons.checks import Instance
from autodiff_lab.lessons.lesson_07.sandbox import SOURCES, count_pending, truth_table


def pending_instance(target: str = "d", source: str = "x") -> Instance:
    """Pending counts between a source and a target of one small graph."""
    counts = count_pending(target, source)
    wrong = {
        counts["uses"]: f"You counted all uses in the graph. A use that does not lead to {target} never sends "
        "anything, and a node that waits for it waits for ever.",
        counts["users"]: "You counted the users. A user sends one contribution for each of its operands, and c * c "
        "has c in both places.",
        counts["operands"]: "You counted what goes into each node. In the sweep a node waits for those that use it.",
        counts["everywhere"]: f"The numbers are right, but a node that no path from {source} leads to is not counted "
        "at all: None, not 0. A count of 0 means ready to send.",
        (0, 0, 0, 0): "That is how it looks after the sweep. Asked for are the counts before it.",
    }
    return Instance(counts["pending"], wrong)


def table_instance(x: float = 3.0, accessed: bool = True) -> Instance:
    """Six slopes, and for each a reason to be there or not."""
    right, slope = truth_table(x, accessed), truth_table(x, True)[0]

    def instead(**cells: float | None) -> tuple[float | None, ...]:
        return tuple(cells.get(name, cell) for name, cell in zip(SOURCES, right, strict=True))

    wrong = {
        truth_table(x, not accessed): "Look at watch_accessed_variables once more. It decides whether a trainable "
        "Variable is watched when it is read; watch() works either way.",
        (slope,) * 6: "All six are squared and added, so on paper all six slopes are alike. The tape only knows what "
        "it was watching when it happened.",
        instead(c=slope): "c is a tensor, and the tape was not told to watch it. Only trainable Variables need no "
        "telling.",
        instead(b=slope): "b is a Variable, but not a trainable one. The tape watches it only when told to.",
        instead(e=slope): "e.numpy() is a plain number. What is computed with it is not recorded.",
        instead(f=slope): "f is watched. But its square was computed while the tape was not recording, so the path "
        "from z to f is broken.",
        instead(d=None): "d is a constant, and the tape was told to watch it. That is all it needs.",
        tuple(0.0 if cell is None else cell for cell in right): "Where nothing was recorded the answer is None, "
        "unless you ask for zeros. 0 would say: moving it does not change z.",
    }
    return Instance(right, wrong)
