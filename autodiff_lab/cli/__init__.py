"""The command `autodiff-lab`, and what it checks."""
