"""What the two modes cost for one function, as bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from autodiff_lab.figures.plots.style import Plot, name_in_title, open_plot
from autodiff_lab.text.notation import number
from autodiff_lab.trace.model import Cost, Trace

_PANELS = (("passes", "passes"), ("operations", "operations"), ("kept", "numbers kept"))
_HATCHES = ("", "///", "...", "xxx")


def plot_cost(f: Callable[..., Any] | Mapping[str, Cost], *args: Any, theme: str = "auto") -> Plot:
    """Draw what the whole gradient of `f` costs: passes, operations, and numbers that must be remembered.

    Parameters
    ----------
    f : callable, or mapping of str to Cost
        The function, whose forward and reverse mode are compared; or costs that are known already, by name.
    *args : float or array_like
        Where to run it.
    theme : {"auto", "light", "dark"}

    Returns
    -------
    Plot

    Examples
    --------
    >>> plot_cost(lambda x, y: x * y, 2.0, 5.0).description.partition(":")[0]
    'Cost of the gradient of the function'
    """
    if isinstance(f, Mapping):
        costs, title = dict(f), "Cost of the gradient"
    else:
        modes = {"forward": {"mode": "forward", "direction": "all"}, "reverse": {}}
        costs = {mode: Trace.of(f, *args, **options).cost for mode, options in modes.items()}
        title = f"Cost of the gradient of {name_in_title(f)}"
    height = 1.3 + 0.42 * len(costs)
    with open_plot(theme, 8.4, height, panels=len(_PANELS)) as (figure, panels, colours):
        inks = (colours.tangent, colours.adjoint, colours.value, colours.soft_ink)
        for axes, (field, heading) in zip(panels, _PANELS, strict=True):
            counts = [getattr(cost, field) for cost in costs.values()]
            for row, count in enumerate(counts):
                axes.barh(
                    row,
                    count,
                    height=0.62,
                    color=colours.paper,
                    edgecolor=inks[row % len(inks)],
                    hatch=_HATCHES[row % len(_HATCHES)],
                    linewidth=2,
                )
                axes.text(count, row, f" {number(count)}", va="center", ha="left")
            axes.set_xlim(0, 1.35 * max([*counts, 1]))
            axes.set_ylim(len(costs) - 0.5, -0.5)
            axes.set_yticks(range(len(costs)), labels=list(costs) if axes is panels[0] else [""] * len(costs))
            axes.set_xticks([])
            axes.grid(False)
            axes.tick_params(length=0)
            axes.spines["bottom"].set_visible(False)
            axes.set_title(heading)
    said = [
        f"{name}: {', '.join(f'{number(getattr(cost, field))} {heading}' for field, heading in _PANELS)}"
        for name, cost in costs.items()
    ]
    figure.description = f"{title}: {'; '.join(said)}."
    return figure
