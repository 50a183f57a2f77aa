"""The display of a tape in a notebook: its graph, and its evaluation trace beside it."""

from autodiff_lab.engine.tape import Tape
from autodiff_lab.figures.graph.draw import draw
from autodiff_lab.figures.tables.trace_table import table
from autodiff_lab.trace.tape_reader import trace_of_tape

# Lines. Beside the graph of a longer tape, which is drawn in groups, there is no table.
LONGEST_TABLE = 60


def show_tape(tape: Tape) -> dict[str, str]:
    """Return what a notebook displays for a recorded tape: graph and evaluation trace in HTML, and the text of `print`.

    Nothing has been swept, so no adjoint is shown; ``tape.draw()`` shows where a sweep would go.

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
