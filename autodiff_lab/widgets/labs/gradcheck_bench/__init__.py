"""GradcheckBench: check a rule, right or with a bug, against a difference quotient; every check leaves a mark."""

from autodiff_lab.widgets.labs.gradcheck_bench.lab import GradcheckBench

__all__ = ["GradcheckBench"]
