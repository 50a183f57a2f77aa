"""Automatic differentiation you can watch: a small engine, and the lessons, figures and player built on it.

>>> import numpy as np
>>> import autodiff_lab as ad
>>> def f(x1, x2):
...     return np.log(x1) + x1 * x2 - np.sin(x2)
>>> ad.grad(f, argnums=(0, 1))(2.0, 5.0)
(5.5, 1.7163378145367738)

Importing the package loads NumPy and the engine; programs, figures, widgets and lessons load on first use. The systems
that the course takes apart, such as static graphs and gradient tapes, are in `autodiff_lab.systems`.
"""

from importlib import import_module
from typing import Any

from .engine import views
from .engine.dispatch import no_recording
from .engine.dual import Dual
from .engine.errors import AutodiffError, BranchChanged, DetachedWarning
from .engine.rules import policy
from .engine.tape import Tape
from .engine.variable import Variable
from .transforms.custom import checkpoint, custom_gradient, stop_gradient
from .transforms.gradients import grad, jvp, value_and_grad, vjp
from .transforms.jacobians import (
    elementwise_grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    linearize,
)
from .transforms.recording import record

__version__ = "0.1.0"

_LOADED_ON_FIRST_USE = {
    "data": ("load_iris",),
    "figures.graph.draw": ("draw",),
    "frameworks.watching": ("watch",),
    "figures.plots": (
        "Plot",
        "plot_descent",
        "plot_hessian",
        "plot_jacobian",
        "plot_matrix",
        "plot_tangent",
    ),
    "figures.plots.style": ("style_plots",),
    "figures.tables.trace_table": ("Table", "table"),
    "optimize": ("Adam", "GradientDescent", "Momentum", "Optimizer"),
    "programs": ("Program", "program"),
    "trace.model": ("Trace",),
    "trace.wording.function_formula": ("Formula", "formula"),
    "transforms.checking": ("CheckError", "check_grads"),
    "transforms.nonfinite": ("trace_nonfinite",),
    "transforms.symbol": ("Symbol",),
    "transforms.vmap": ("vmap",),
    "widgets.defaults": ("play_defaults",),
    "widgets.lecture_style": ("lecture_style",),
    "widgets.player.widget": ("Player", "play"),
}
_MODULE_OF = {name: module for module, names in _LOADED_ON_FIRST_USE.items() for name in names}

# The functions that show a tape, a trace or a graph. Lower layers look them up by these names in
# `engine.views`, so they need not import any drawing code.
_VIEWS = {
    "LabView": "widgets.labs.view",
    "draw_static_graph": "figures.graph.static_graph",
    "draw_tape": "figures.graph.draw",
    "play_recorded": "widgets.player.widget",
    "read_tape": "trace.tape_reader",
    "save_gif": "figures.export.animation",
    "save_png": "figures.export.frame",
    "save_svg": "figures.export.frame",
    "show_tape": "figures.tables.tape_display",
    "strip": "figures.export.contact_sheet",
    "table": "figures.tables.trace_table",
    "transcript": "figures.tables.transcript",
}


def _find_view(name: str) -> Any:
    return getattr(import_module(f".{_VIEWS[name]}", __name__), name)


views.find_views_by(_find_view)

__all__ = [
    "AutodiffError",
    "BranchChanged",
    "DetachedWarning",
    "Dual",
    "Tape",
    "Variable",
    "checkpoint",
    "custom_gradient",
    "elementwise_grad",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linearize",
    "no_recording",
    "policy",
    "record",
    "stop_gradient",
    "value_and_grad",
    "vjp",
    *_MODULE_OF,
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
