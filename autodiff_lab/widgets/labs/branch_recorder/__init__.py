"""BranchRecorder: which lines of a program run at an input, what they leave on the tape, and for which inputs."""

from autodiff_lab.widgets.labs.branch_recorder.lab import BranchRecorder

__all__ = ["BranchRecorder"]
