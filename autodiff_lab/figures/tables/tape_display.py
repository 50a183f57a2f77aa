"""The display of a tape in a notebook: its graph and its evaluation trace, side by side."""

from autodiff_lab.engine.tape import Tape
from autodiff_lab.figures.graph.draw import draw
from autodiff_lab.figures.tables.trace_table import table
from autodiff_lab.trace.tape_reader import trace_of_tape

# In tape lines. A longer tape's graph is drawn in groups, and has no table next to it.
LONGEST_TABLE = 60


def show_tape(tape: Tape) -> dict[str, str]:
    """Return a notebook's display of a recorded tape: graph and evaluation trace as HTML, and the text of `print`.

    A tape that is only recorded has no adjoints to show; ``tape.draw()`` shows where a sweep would go.

    >>> from autodiff_lab import record
    >>> sorted(show_tape(record(lambda x: x * x, 3.0)[1]))
    ['text/html', 'text/plain']
    """
    trace = trace_of_tape(tape)
    parts = [draw(trace, adjoints=False, partials=False)._repr_mimebundle_()["text/html"]]
    if len(tape) <= LONGEST_TABLE:
        parts.append(table(trace).forward.html())
    columns = "".join(
        f'<div style="max-width:100%;max-height:600px;overflow:auto">{part}</div>' for part in parts
    )
    return {
        "text/html": f'<div style="display:flex;flex-wrap:wrap;align-items:center;gap:8px 32px">{columns}</div>',
        "text/plain": str(tape),
    }
