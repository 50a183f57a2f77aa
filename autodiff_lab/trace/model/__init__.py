"""The model of a run as plain data: a `Trace`, its lines and its steps."""

from autodiff_lab.trace.model.equation import Equation
from autodiff_lab.trace.model.line import Line, Operand
from autodiff_lab.trace.model.number import Number
from autodiff_lab.trace.model.question import Hint, Mistake, Question
from autodiff_lab.trace.model.run_options import RunOptions
from autodiff_lab.trace.model.source import ModuleCall, Source, Span, Turn
from autodiff_lab.trace.model.step import Contribution, Meter, Step, TangentTerm
from autodiff_lab.trace.model.trace import (
    Cost,
    Direction,
    Excerpt,
    Group,
    RaisedError,
    ResultSeed,
    StepRange,
    SweptRange,
    Trace,
)

__all__ = [
    "Contribution",
    "Cost",
    "Direction",
    "Equation",
    "Excerpt",
    "Group",
    "Hint",
    "Line",
    "Meter",
    "Mistake",
    "ModuleCall",
    "Number",
    "Operand",
    "Question",
    "RaisedError",
    "ResultSeed",
    "RunOptions",
    "Source",
    "Span",
    "Step",
    "StepRange",
    "SweptRange",
    "TangentTerm",
    "Trace",
    "Turn",
]
