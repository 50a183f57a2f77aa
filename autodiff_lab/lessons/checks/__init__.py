"""The framework of the checks: the names that the modules of each lesson import from it."""

from autodiff_lab.lessons.checks.compare import (
    Finding,
    Refused,
    describe,
    plain,
    split_parts,
    summarize,
)
from autodiff_lab.lessons.checks.run_code import Crashed, attempt, names_in
from autodiff_lab.lessons.checks.sandbox import borrow_names, call_case, run_cases, vet_code
from autodiff_lab.lessons.checks.variants import Instance

__all__ = [
    "Crashed",
    "Finding",
    "Instance",
    "Refused",
    "attempt",
    "borrow_names",
    "call_case",
    "describe",
    "names_in",
    "plain",
    "run_cases",
    "split_parts",
    "summarize",
    "vet_code",
]
