"""The command line of `autodiff-lab`: its parser, and modules for `check`, `present` and the tutorial itself."""
