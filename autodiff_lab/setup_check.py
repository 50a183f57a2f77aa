"""A short path for notebook 00: ``from autodiff_lab.setup_check import check_setup`` runs the command line's check."""

from .cli.check import check_setup

__all__ = ["check_setup"]
