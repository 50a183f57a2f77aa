"""What notebook 00 imports: see `autodiff_lab.cli.setup_check`."""

from .cli.setup_check import check_setup

__all__ = ["check_setup"]
