"""The package of the lab TransposeBench: a function's equations, their linear program, and that program transposed."""
