"""Transforms: a function goes in; its gradient, its Jacobian, its formula or a check of them comes out. NumPy only."""
