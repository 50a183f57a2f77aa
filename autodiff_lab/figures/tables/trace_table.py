"""Evaluation trace tables, as in Griewank and Walther: the forward run, and the reverse sweep in its own order.

Beside each other, primal, tangent and adjoint stand as in the survey of Baydin and others (2018, tables 2 and 3).
What is in a column is decided in `columns`; how a table is written, in `text.table`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from autodiff_lab.engine.errors import InputError
from autodiff_lab.figures.tables.columns import build_grids
from autodiff_lab.text.arguments import check_choice
from autodiff_lab.text.messages import check_language, use_language
from autodiff_lab.text.notation import escape
from autodiff_lab.text.table import Grid
from autodiff_lab.trace.model import Trace
from autodiff_lab.transforms.gradients import record
from autodiff_lab.transforms.keywords import check_keywords

MODES = ("reverse", "forward", "both")
LAYOUTS = ("stacked", "beside")


@dataclass(frozen=True, repr=False)
class Table:
    """The evaluation trace of one run as a table, or as two: the forward run and the reverse sweep.

    Attributes
    ----------
    grids : tuple of Grid
        What is shown: one table, or the forward one and the reverse one.
    whole : Grid
        All of it in one table, a row for each line of the tape; `csv` and `data` give this one.
    note : str
        What is unusual about this run.

    See Also
    --------
    table : The evaluation trace of a run.

    Examples
    --------
    >>> import autodiff_lab as ad
    >>> shown = ad.table(lambda x: x * x, 3.0)
    >>> [grid.caption for grid in shown.grids]
    ['Evaluation trace of lambda x', 'Reverse sweep, in the order it runs']
    """

    grids: tuple[Grid, ...]
    whole: Grid
    note: str = ""

    @property
    def forward(self) -> Grid:
        """The trace table of the forward run: line, operation, value, and tangents if there are any."""
        return self.grids[0]

    @property
    def reverse(self) -> Grid | None:
        """The trace table of the reverse sweep: line, adjoint, and what it sends; None where there is no such table."""
        return self.grids[1] if len(self.grids) > 1 else None

    def text(self) -> str:
        """Write the evaluation trace table as plain text, as `print` shows it."""
        return "\n\n".join([grid.text() for grid in self.grids] + ([self.note] if self.note else []))

    def html(self) -> str:
        """Write the evaluation trace table as HTML, as a notebook shows it."""
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return "".join(grid.html() for grid in self.grids) + note

    def latex(self) -> str:
        """Write the evaluation trace table as LaTeX for math mode, the sweep below the forward run."""
        arrays = [grid.latex() for grid in self.grids]
        return "\n".join([r"\begin{array}{l}", ("\n" + r"\\[2ex]" + "\n").join(arrays), r"\end{array}"])

    def markdown(self) -> str:
        """Write the evaluation trace table as Markdown."""
        return "\n\n".join([grid.markdown() for grid in self.grids] + ([escape(self.note)] if self.note else []))

    def csv(self) -> str:
        """Write the evaluation trace table as comma-separated values: one record for each line, in full precision."""
        return self.whole.csv()

    def data(self) -> dict[str, list[Any]]:
        """Return the trace table as lists by title, in full precision; ``pandas.DataFrame`` takes this as it is."""
        return self.whole.data()

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.html()


@check_keywords
def table(
    f: Callable[..., Any] | Trace,
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    mode: str | None = None,
    direction: Any = None,
    layout: str | None = None,
    partials: bool = False,
    lang: str | None = None,
) -> Table:
    """Run ``f(*args)`` and give its evaluation trace.

    Parameters
    ----------
    f : callable, or Trace
        The function to look at. A `Trace` that exists already is taken as it is, without `args`.
    *args : float or array_like
        Where to run it; see `record` for what stays constant.
    kwargs : mapping of str, optional
        Keyword arguments for `f`; they stay constant.
    mode : {"reverse", "forward", "both"}, optional
        Values and adjoints; values and tangents; or values, tangents and adjoints. By default that of the `Trace`, and
        ``"reverse"`` for a function.
    direction : str, tuple, dict or list, optional
        Where the inputs move, one column for each direction; see `Trace.of`. By default ``"all"``: each input by
        itself.
    layout : {"stacked", "beside"}, optional
        Two tables, the reverse one in the order of the sweep (Griewank and Walther); or one, in which arrows say
        which way a column is computed (Baydin and others). By default ``"stacked"`` for the reverse mode alone.
    partials : bool
        Add a column with each local partial, as a formula and as a number.
    lang : {"en", "zh"}, optional
        The language. By default that of the `Trace`, and English for a function.

    Returns
    -------
    Table
        A notebook shows it as HTML, `print` as text; see also `Table.latex`, `markdown`, `csv` and `data`.

    Raises
    ------
    InputError
        If an option or a direction is not one of these, or a `Trace` is of another mode or language.

    See Also
    --------
    Table : What `table` returns.
    Trace : The record of a run that is shown.
    draw : Draw the graph of a run.

    Examples
    --------
    >>> print(table(lambda x: 3 * x * x, 2.0))
    Evaluation trace of lambda x
    line    operation  value
    ──────  ─────────  ─────
    v₀      x              2
    v₁      3 · v₀         6
    v₂ = y  v₁ · v₀       12
    <BLANKLINE>
    Reverse sweep, in the order it runs
    line    adjoint  sends
    ──────  ───────  ───────────────────────────────
    v₂            1  v̄₁ = 1 · 2 = 2;  v̄₀ = 1 · 6 = 6
    v₁            2  v̄₀ = 6 + 2 · 3 = 12
    v₀ = x       12

    >>> print(table(lambda x: 3 * x * x, 2.0, mode="both"))
    Evaluation trace of lambda x
    line    operation  value ↓  tangent by x ↓  adjoint ↑
    ──────  ─────────  ───────  ──────────────  ─────────
    v₀      x                2               1         12
    v₁      3 · v₀           6               3          2
    v₂ = y  v₁ · v₀         12              12          1
    """
    if mode is None:
        mode = f.mode if isinstance(f, Trace) else "reverse"
    check_choice("table", "mode", mode, MODES)
    check_choice("table", "partials", partials, (True, False))
    if layout is None:
        layout = "stacked" if mode == "reverse" else "beside"
    check_choice("table", "layout", layout, LAYOUTS)
    if lang is not None:
        check_language("table", lang)
    if mode == "reverse" and direction is not None:
        raise InputError(f"table(direction={direction!r}) belongs to forward mode: add mode='forward' or mode='both'.")
    if isinstance(f, Trace):
        if f.mode != mode:
            raise InputError(f"This is a trace of {f.mode} mode; for mode={mode!r} give the function: table(f, *args).")
        if lang not in (None, f.lang):
            raise InputError(
                f"This is a trace in {f.lang!r}; for lang={lang!r} give the function: table(f, *args, lang={lang!r})."
            )
        traces = [f]
    else:
        value, tape = record(f, *args, kwargs=kwargs, sites=True)
        options = {"reverse": {}, "forward": {"mode": "forward", "direction": direction or "all"}}
        modes = ("forward", "reverse") if mode == "both" else (mode,)
        traces = [Trace.from_tape(tape, f, value=value, lang=lang or "en", **options[each]) for each in modes]
    with use_language(traces[0].lang):
        grids, whole = build_grids(traces, layout == "beside", partials)
        return Table(grids, whole, " ".join(filter(None, (traces[-1].warning, traces[-1].note))))
