"""TapeWatch: how two inputs are made, what a gradient tape hears of them, and which slopes it then has."""

from autodiff_lab.widgets.labs.tape_watch.lab import TapeWatch

__all__ = ["TapeWatch"]
