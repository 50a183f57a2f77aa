"""Records of runs in other frameworks, PyTorch and JAX; each is imported only when it is used."""
