"""The framework of the checks: the names that the modules of each lesson import from it."""

from autodiff_lab.lessons.checks.compare import Finding, Refused, describe, in_small_letters, plain, summarize
from autodiff_lab.lessons.checks.run_code import Crashed, attempt, names_in
from autodiff_lab.lessons.checks.sandbox import borrow_names, call_case, run_cases, split_parts, vet_code
from autodiff_lab.lessons.checks.variants import Instance

__all__ = ["Crashed", "Finding", "Instance", "Refused", "attempt", "borrow_names", "call_case", "describe"]
__all__ += ["in_small_letters", "names_in", "plain", "run_cases", "split_parts", "summarize", "vet_code"]
