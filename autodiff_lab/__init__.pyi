"""The public names for type checkers, each from the module that defines it, even if it loads on first use."""

from .data import load_iris as load_iris
from .engine.dispatch import no_recording as no_recording
from .engine.dual import Dual as Dual
from .engine.errors import (
    AutodiffError as AutodiffError,
    BranchChanged as BranchChanged,
    DetachedWarning as DetachedWarning,
)
from .engine.rules import policy as policy
from .engine.tape import Tape as Tape
from .engine.variable import Variable as Variable
from .figures.graph.draw import draw as draw
from .figures.plots import (
    Plot as Plot,
    plot_descent as plot_descent,
    plot_hessian as plot_hessian,
    plot_jacobian as plot_jacobian,
    plot_matrix as plot_matrix,
    plot_tangent as plot_tangent,
)
from .figures.plots.style import style_plots as style_plots
from .figures.tables.trace_table import Table as Table, table as table
from .frameworks.watching import watch as watch
from .optimize import (
    Adam as Adam,
    GradientDescent as GradientDescent,
    Momentum as Momentum,
    Optimizer as Optimizer,
)
from .programs import Program as Program, program as program
from .trace.model import Trace as Trace
from .trace.wording.function_formula import Formula as Formula, formula as formula
from .transforms.checking import CheckError as CheckError, check_grads as check_grads
from .transforms.custom import (
    checkpoint as checkpoint,
    custom_gradient as custom_gradient,
    stop_gradient as stop_gradient,
)
from .transforms.gradients import (
    grad as grad,
    jvp as jvp,
    value_and_grad as value_and_grad,
    vjp as vjp,
)
from .transforms.jacobians import (
    elementwise_grad as elementwise_grad,
    hessian as hessian,
    hvp as hvp,
    jacfwd as jacfwd,
    jacobian as jacobian,
    jacrev as jacrev,
    linearize as linearize,
)
from .transforms.nonfinite import trace_nonfinite as trace_nonfinite
from .transforms.recording import record as record
from .transforms.symbol import Symbol as Symbol
from .transforms.vmap import vmap as vmap
from .widgets.defaults import play_defaults as play_defaults
from .widgets.lecture_style import lecture_style as lecture_style
from .widgets.player.widget import Player as Player, play as play

__version__: str
