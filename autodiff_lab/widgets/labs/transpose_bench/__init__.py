"""TransposeBench: a function's equations, the linear program of its tangents, and that program transposed."""
