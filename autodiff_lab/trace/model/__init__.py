"""The model of a run as plain data: a `Trace`, its lines and its steps."""

from autodiff_lab.trace.model.number import Number
from autodiff_lab.trace.model.trace import (
    Contribution,
    Direction,
    Excerpt,
    Line,
    Operand,
    Step,
    StepRange,
    TangentTerm,
    Trace,
)

__all__ = [
    "Contribution",
    "Direction",
    "Excerpt",
    "Line",
    "Number",
    "Operand",
    "Step",
    "StepRange",
    "TangentTerm",
    "Trace",
]
