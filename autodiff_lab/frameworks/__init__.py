"""Runs of other frameworks' programs as records of ours: PyTorch and JAX, each imported when it is used."""
